#include "core/formats/torchfile.h"
#include "tests/core/formats/picklewriter.h"

#include <QTest>

#include <cstring>
#include <filesystem>

using namespace headscope;
using namespace headscope::testing;

namespace {

Result<TorchFile> parse(const std::string &bytes)
{
    return parseTorchFile(std::as_bytes(std::span(bytes)), "x.bin");
}

float firstFloat(const std::string &bytes, const TensorEntry &entry)
{
    float value = 0;
    std::memcpy(&value, bytes.data() + entry.offset, sizeof value);
    return value;
}

/// A tensor [2] of one storage of two elements.
std::string pair(const std::string &key = "0")
{
    return pickle::tensor(pickle::storage(key, 2), 0, {2}, {1});
}

void row(const char *name, const std::string &bytes, const char *reason)
{
    QTest::newRow(name) << QByteArray::fromStdString(bytes) << QByteArray(reason);
}

} // namespace

class TestTorchFile : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void zipFormIsRead()
    {
        const std::string bytes = torchZip(
            pickle::stateDict({{"w", pickle::tensor(pickle::storage("0", 6), 0, {2, 3}, {3, 1})},
                               {"t", pickle::tensor(pickle::storage("0", 6), 0, {3, 2}, {1, 3})},
                               {"tail", pickle::parameter(pickle::tensor(pickle::storage("0", 6), 4, {2}, {1}))},
                               {"n", pickle::tensor(pickle::storage("1", 1, "LongStorage"), 0, {}, {})}}),
            {floats({1, 2, 3, 4, 5, 6}), littleEndian(7, 8)});
        const auto file = parse(bytes);
        QVERIFY2(file.isOk(), file.isError() ? file.error().message.c_str() : "");
        const auto &tensors = file.value().tensors; // by name: n, t, tail, w
        QCOMPARE(tensors.size(), std::size_t{4});
        QVERIFY(tensors[0].dtype == DType::I64);
        QCOMPARE(tensors[0].bytes, std::uint64_t{8});
        QCOMPARE(tensors[1].strides, (std::vector<std::int64_t>{1, 3}));
        QVERIFY(!tensors[1].isContiguous());
        QCOMPARE(tensors[1].bytes, std::uint64_t{24});
        QCOMPARE(firstFloat(bytes, tensors[2]), 5.0f);
        QCOMPARE(tensors[3].shape, (std::vector<std::int64_t>{2, 3}));
        QCOMPARE(firstFloat(bytes, tensors[3]), 1.0f);
        QVERIFY(!tensors[3].bigEndian);
        QVERIFY(file.value().warnings.empty());
    }

    void legacyFormIsRead()
    {
        const std::string none = "N";
        const std::string view = pickle::text("99") + "K\1K\2\x87";
        const std::string bytes = torchLegacy(
            pickle::stateDict({{"a", pickle::tensor(pickle::storage("94", 2, "FloatStorage", none), 0, {2}, {1})},
                               {"b", pickle::tensor(pickle::storage("95", 3, "FloatStorage", view), 1, {1}, {1})}}),
            {{"95", floats({3, 4, 5})}, {"94", floats({1, 2})}});
        const auto file = parse(bytes);
        QVERIFY2(file.isOk(), file.isError() ? file.error().message.c_str() : "");
        QCOMPARE(file.value().tensors.size(), std::size_t{2});
        QCOMPARE(firstFloat(bytes, file.value().tensors[0]), 1.0f);
        QCOMPARE(firstFloat(bytes, file.value().tensors[1]), 5.0f);
    }

    void bigEndianIsSaid()
    {
        const std::string dict = pickle::stateDict({{"a", pair()}});
        QVERIFY(parse(torchZip(dict, {floats({1, 2})}, "big")).valueOrThrow().tensors[0].bigEndian);
        QVERIFY(parse(torchLegacy(dict, {{"0", floats({1, 2})}}, 4, false)).valueOrThrow().tensors[0].bigEndian);
    }

    void protocolFourIsRead()
    {
        // FRAME, SHORT_BINUNICODE, MEMOIZE and STACK_GLOBAL instead of their older selves.
        const auto shortText
            = [](const std::string &text) { return '\x8C' + littleEndian(text.size(), 1) + text + '\x94'; };
        const std::string body = "}\x94(" + shortText("a") + shortText("torch._utils") + shortText("_rebuild_tensor_v2")
                               + "\x93\x94(" + pickle::storage("0", 2) + pickle::integer(0) + "K\2\x85K\1\x85\x89NtRu";
        std::vector<ZipMember> members(2);
        members[0].name = "m/data.pkl";
        members[0].data = "\x80\x04\x95" + littleEndian(body.size() + 1, 8) + body + '.';
        members[1].name = "m/data/0";
        members[1].data = floats({1, 2});
        const auto file = parse(zipBytes(members));
        QVERIFY2(file.isOk(), file.isError() ? file.error().message.c_str() : "");
        QCOMPARE(file.value().tensors.size(), std::size_t{1});
    }

    void wrappedDictionariesAreFound_data()
    {
        QTest::addColumn<QByteArray>("key");
        for (const char *key : {"state_dict", "model", "module"})
            QTest::newRow(key) << QByteArray(key);
    }

    void wrappedDictionariesAreFound()
    {
        QFETCH(QByteArray, key);
        // Beside it, as in training checkpoints: settings of a class that is not known, and a number.
        const std::string settings = pickle::global("argparse", "Namespace") + ")\x81}" + pickle::text("lr") + "G"
                                   + std::string(8, '\0') + "sb";
        const std::string bytes
            = torchZip("}(" + pickle::text("args") + settings + pickle::text("epoch") + "K\3"
                           + pickle::text(key.toStdString()) + pickle::stateDict({{"a", pair()}}) + "u",
                       {floats({1, 2})});
        const auto file = parse(bytes);
        QVERIFY2(file.isOk(), file.isError() ? file.error().message.c_str() : "");
        QCOMPARE(file.value().tensors.size(), std::size_t{1});
    }

    void valuesThatAreNoTensorsAreNamed()
    {
        const auto file = parse(
            torchZip(pickle::stateDict(
                         {{"a", pair()},
                          {"version", "K\2"},
                          {"complex", pickle::tensor(pickle::storage("1", 1, "ComplexFloatStorage"), 0, {1}, {1})}}),
                     {floats({1, 2}), floats({1, 2})}));
        QCOMPARE(file.value().skipped, (std::vector<std::string>{"version", "complex"}));
    }

    void codeStaysInertAndIsReported_data()
    {
        QTest::addColumn<QByteArray>("module");
        QTest::addColumn<QByteArray>("name");
        QTest::newRow("posix") << QByteArray("posix") << QByteArray("system");
        QTest::newRow("os") << QByteArray("os") << QByteArray("system");
        QTest::newRow("eval") << QByteArray("builtins") << QByteArray("eval");
        QTest::newRow("python 2") << QByteArray("__builtin__") << QByteArray("execfile");
        QTest::newRow("subprocess") << QByteArray("subprocess") << QByteArray("Popen");
        QTest::newRow("inside a module") << QByteArray("importlib._bootstrap") << QByteArray("_load");
    }

    void codeStaysInertAndIsReported()
    {
        QFETCH(QByteArray, module);
        QFETCH(QByteArray, name);
        const std::string mark = "/tmp/headscope_pickle_was_run";
        const std::string call
            = pickle::global(module.toStdString(), name.toStdString()) + pickle::text("touch " + mark) + "\x85R";
        const auto file
            = parse(torchZip(pickle::stateDict({{"a", pair()}, {"evil", call}}), {floats({1, 2})})).valueOrThrow();
        QCOMPARE(file.tensors.size(), std::size_t{1});
        QCOMPARE(file.skipped, std::vector<std::string>{"evil"});
        QCOMPARE(file.warnings.size(), std::size_t{1});
        QVERIFY(file.warnings[0].find(module.toStdString() + '.' + name.toStdString()) != std::string::npos);
        QVERIFY(!std::filesystem::exists(mark));
    }

    void hostileFilesAreRefused_data()
    {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QByteArray>("reason");
        const std::string data = floats({1, 2});
        const auto tensorOf = [&](std::int64_t offset, const std::vector<std::int64_t> &shape,
                                  const std::vector<std::int64_t> &strides) {
            return torchZip(pickle::stateDict({{"a", pickle::tensor(pickle::storage("0", 2), offset, shape, strides)}}),
                            {data});
        };
        row("empty", "", "neither");
        row("text", "hello", "neither");
        row("git lfs", "version https://git-lfs.github.com/spec/v1\n", "git lfs pull");
        row("tar", std::string(257, 'x') + "ustar" + std::string(250, '\0'), "tar form");
        row("shape beyond the storage", tensorOf(0, {3}, {1}), "outside its storage");
        row("offset beyond the storage", tensorOf(1, {2}, {1}), "outside its storage");
        row("stride beyond the storage", tensorOf(0, {2}, {2}), "outside its storage");
        row("negative offset", tensorOf(-1, {1}, {1}), "invalid shape");
        row("negative size", tensorOf(0, {-1}, {1}), "invalid shape");
        row("negative stride", tensorOf(0, {2}, {-1}), "invalid shape");
        row("fewer strides", tensorOf(0, {1, 1}, {1}), "invalid shape");
        row("rank nine", tensorOf(0, std::vector<std::int64_t>(9, 1), std::vector<std::int64_t>(9, 1)),
            "invalid shape");
        row("overflowing reach", tensorOf(0, {INT64_MAX, INT64_MAX}, {INT64_MAX, INT64_MAX}), "outside its storage");
        row("unfolding bomb", tensorOf(0, {std::int64_t{1} << 40}, {0}), "outside its storage");
        row("unfolding overflow", tensorOf(0, {std::int64_t{1} << 40, std::int64_t{1} << 40}, {0, 0}),
            "outside its storage");
        row("storage missing", torchZip(pickle::stateDict({{"a", pair("7")}}), {data}), "data of \"a\" are missing");
        row("storage too short", torchZip(pickle::stateDict({{"a", pair()}}), {data.substr(0, 7)}),
            "7 bytes instead of 8");
        row("storage too long", torchZip(pickle::stateDict({{"a", pair()}}), {data + "x"}), "9 bytes instead of 8");
        row("huge storage",
            torchZip(pickle::stateDict({{"a", pickle::tensor(pickle::storage("0", INT64_MAX), 0, {2}, {1})}}), {data}),
            "instead of");
        row("name is not UTF-8", torchZip(pickle::stateDict({{"\xFF", pair()}}), {data}), "not UTF-8");
        row("no dictionary", torchZip("K\1", {}), "no dictionary of tensors");
        row("empty dictionary", torchZip("}", {}), "no dictionary of tensors");
        std::vector<ZipMember> members(2);
        members[0].name = "a/data.pkl";
        members[1].name = "b/data.pkl";
        row("two pickles", zipBytes(members), "two pickles");
        members.resize(1);
        members[0].name = "a/model.json";
        row("no pickle", zipBytes(members), "without data.pkl");
        members[0].name = "a/data.pkl";
        members[0].method = members[0].localMethod = 8;
        row("deflate", zipBytes(members), "compressed");
        const auto pickled = [](const std::string &value) { return torchZip(value, {}); };
        row("unknown opcode", pickled("i"), "opcode 0x69");
        row("persistent id as text", pickled("P0\n"), "opcode 0x50");
        row("extension", pickled("\x82\1"), "opcode 0x82");
        row("nothing to pop", pickled("\x85"), "value is missing");
        row("pop below a mark", pickled("N(\x85"), "value is missing");
        row("no mark", pickled("t"), "mark is missing");
        row("unknown memo index", pickled("h\7"), "unknown memo index");
        row("remember nothing", pickled("q\7"), "an empty stack is memoized");
        row("append to a number", pickled("K\1Na"), "not a container");
        row("odd dictionary", pickled("}(Nu"), "not a container");
        row("text beyond the end",
            pickled("X\xFF\xFF\xFF\x7F"
                    "a"),
            "longer than the file");
        row("long number", pickled("\x8B" + littleEndian(1'000'000, 4) + std::string(1'000'000, '1')), "too long");
        row("negative length", pickled("\x8B\xFF\xFF\xFF\xFF"), "too long");
        row("endless name", pickled("c" + std::string(100'000, 'a')), "name is truncated");
        row("frame beyond the end", pickled("\x95" + littleEndian(~std::uint64_t{0}, 8)), "frame is truncated");
        row("protocol", pickled("\x80\x09"), "protocol");
        row("id of another form", pickled("K\1Q"), "unknown form");
        row("call without arguments", pickled(pickle::orderedDict() + "NR"), "no arguments");
        row("state for nothing", pickled("Nb"), "empty stack");
        row("legacy of other magic", pickle::whole("K\1") + pickle::whole("K\1"), "does not begin");
        const std::string legacy = torchLegacy(pickle::stateDict({{"a", pair()}}), {{"0", data}});
        row("legacy cut in the data", legacy.substr(0, legacy.size() - 1), "truncated");
        row("legacy cut in a pickle", legacy.substr(0, 60), "in its pickle");
        row("legacy cut between pickles", legacy.substr(0, 15), "ends in the middle");
        row("legacy wrong count", torchLegacy(pickle::stateDict({{"a", pair()}}), {{"0", data + data}}),
            "4 elements instead of 2");
        row("legacy unknown storage", torchLegacy(pickle::stateDict({{"a", pair()}}), {{"1", data}}), "unknown");
        row("legacy storage twice", torchLegacy(pickle::stateDict({{"a", pair()}}), {{"0", data}, {"0", data}}),
            "twice");
        row("legacy view outside",
            torchLegacy(pickle::stateDict({{"a", pickle::tensor(pickle::storage("0", 2, "FloatStorage",
                                                                                pickle::text("1") + "K\1K\2\x87"),
                                                                0, {1}, {1})}}),
                        {{"0", data}}),
            "view lies outside");
    }

    void hostileFilesAreRefused()
    {
        QFETCH(QByteArray, bytes);
        QFETCH(QByteArray, reason);
        const auto file = parse(bytes.toStdString());
        QVERIFY(file.isError());
        QCOMPARE(file.error().code, ErrorCode::BadInput);
        QVERIFY2(file.error().message.starts_with("x.bin"), file.error().message.c_str());
        QVERIFY2(file.error().message.find(reason.toStdString()) != std::string::npos, file.error().message.c_str());
    }

    void valuesThatContainThemselvesAreHarmless()
    {
        const auto file = parse(torchZip("]q\1h\1a", {}));
        QVERIFY(file.isError());
        const std::string deep(3'000'000, ']');
        QVERIFY(parse(torchZip(deep + std::string(2'999'999, 'a'), {})).isError());
        QVERIFY(parse(torchZip(std::string(5'000'000, 'N'), {})).error().message.find("many values")
                != std::string::npos);
    }

    void noCutOrChangeIsACrash()
    {
        const std::string dict
            = pickle::stateDict({{"a", pair()}, {"b", pickle::tensor(pickle::storage("1", 4), 0, {2, 2}, {2, 1})}});
        for (const std::string &good : {torchZip(dict, {floats({1, 2}), floats({1, 2, 3, 4})}),
                                        torchLegacy(dict, {{"0", floats({1, 2})}, {"1", floats({1, 2, 3, 4})}})}) {
            QVERIFY(parse(good).isOk());
            for (std::size_t size = 0; size < good.size(); ++size)
                QVERIFY(parse(good.substr(0, size)).isError());
            for (std::size_t at = 0; at < good.size(); ++at)
                for (const char change : {'\0', '\x05', '\x7F', '\xFF', '.', '(', 'R'}) {
                    std::string changed = good;
                    changed[at] = change;
                    const auto file = parse(changed);
                    if (file.isOk())
                        for (const TensorEntry &entry : file.value().tensors)
                            QVERIFY(entry.offset <= changed.size() && entry.bytes <= changed.size() - entry.offset);
                }
        }
    }
};

QTEST_GUILESS_MAIN(TestTorchFile)
#include "tst_torchfile.moc"

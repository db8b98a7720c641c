#include "core/formats/atomicfile.h"
#include "core/formats/safetensors.h"
#include "core/formats/textlines.h"
#include "core/io/checkpoint.h"
#include "core/io/checkpointwriter.h"
#include "core/io/torchdtype.h"
#include "tests/core/formats/picklewriter.h"
#include "tests/support/shareddata.h"

#include <torch/types.h>

#include <QTemporaryDir>
#include <QTest>

#include <filesystem>
#include <fstream>

using namespace headscope;
using namespace headscope::testing;

namespace {

using Tensors = std::vector<std::pair<std::string, torch::Tensor>>;

class Folder
{
public:
    std::filesystem::path path() const { return m_folder.path().toStdString(); }
    void write(const std::string &name, const std::string &bytes) const
    {
        (void)writeFileAtomically(path() / name, bytes).valueOrThrow();
    }
    void writeTensors(const std::string &name, const Tensors &tensors) const
    {
        (void)writeSafetensors(path() / name, tensors).valueOrThrow();
    }
    Checkpoint open() const { return Checkpoint::open(path()).valueOrThrow(); }
    std::string error() const
    {
        const auto opened = Checkpoint::open(path());
        return opened.isError() ? opened.error().message : std::string("no error");
    }

private:
    QTemporaryDir m_folder;
};

torch::Tensor tensorOf(const Checkpoint &checkpoint, const char *name)
{
    return checkpoint.tensor(name).valueOrThrow();
}

bool same(const torch::Tensor &a, const torch::Tensor &b)
{
    return a.scalar_type() == b.scalar_type() && a.sizes() == b.sizes() && torch::equal(a, b);
}

bool has(const std::string &text, const char *part)
{
    return text.find(part) != std::string::npos;
}

std::string rawSafetensors(const std::string &json, const std::string &data)
{
    return littleEndian(json.size(), 8) + json + data;
}

std::string index(const std::string &map)
{
    return "{\"metadata\": {\"total_size\": 0}, \"weight_map\": {" + map + "}}";
}

} // namespace

class TestCheckpoint : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    /// Without a guard the program would end here (SIGBUS).
    void filesThatBecomeShorterAreNoticed()
    {
        const Folder folder;
        folder.writeTensors("model.safetensors", {{"a", torch::arange(40000, torch::kFloat32)}});
        const Checkpoint checkpoint = folder.open();
        const std::string hash = checkpoint.contentHash().valueOrThrow();
        const torch::Tensor tensor = tensorOf(checkpoint, "a");
        QVERIFY(checkpoint.checkUnchanged(hash).isOk());
        std::filesystem::resize_file(folder.path() / "model.safetensors", 100);
        QCOMPARE(tensor[39999].item<float>(), 0.0F); // the page is lost, the program is not
        const auto checked = checkpoint.checkUnchanged(hash);
        QVERIFY(checked.isError() && has(checked.error().message, "model.safetensors"));
        QVERIFY(checkpoint.tensor("a").isError());
    }

    void filesThatAreWrittenToAreNoticed()
    {
        const Folder folder;
        const std::filesystem::path file = folder.path() / "model.safetensors";
        folder.writeTensors("model.safetensors", {{"a", torch::arange(40000, torch::kFloat32)}});
        const Checkpoint checkpoint = folder.open();
        const std::string hash = checkpoint.contentHash().valueOrThrow();
        std::filesystem::permissions(file, std::filesystem::perms::owner_read, std::filesystem::perm_options::remove);
        std::filesystem::permissions(file, std::filesystem::perms::owner_read, std::filesystem::perm_options::add);
        QVERIFY(checkpoint.checkUnchanged(hash).isOk()); // the same bytes
        std::fstream bytes(file, std::ios::in | std::ios::out | std::ios::binary);
        bytes.seekp(-4, std::ios::end);
        bytes.write("abcd", 4);
        bytes.close();
        for (int again = 0; again < 2; ++again) // nor is it forgotten
            QVERIFY(checkpoint.checkUnchanged(hash).isError());
    }

    void writtenTensorsAreReadBack()
    {
        const Folder folder;
        const torch::Tensor matrix = torch::arange(6, torch::kFloat32).reshape({2, 3});
        const Tensors tensors{{"matrix", matrix},
                              {"transposed", matrix.t()},
                              {"half", matrix.to(torch::kFloat16)},
                              {"brain", matrix.to(torch::kBFloat16)},
                              {"double", matrix.to(torch::kFloat64)},
                              {"long", torch::tensor({1, -2}, torch::kInt64)},
                              {"int", torch::tensor({3}, torch::kInt32)},
                              {"short", torch::tensor({4}, torch::kInt16)},
                              {"char", torch::tensor({-5}, torch::kInt8)},
                              {"byte", torch::tensor({200}, torch::kUInt8)},
                              {"bool", torch::tensor({1, 0, 1}, torch::kBool)},
                              {"scalar", torch::tensor(7.5f)},
                              {"none", torch::empty({0, 4})},
                              {"needs grad", torch::ones({2}).requires_grad_()}};
        folder.writeTensors("model.safetensors", tensors);
        const Checkpoint checkpoint = folder.open();
        QCOMPARE(checkpoint.names().size(), tensors.size());
        for (const auto &[name, tensor] : tensors) {
            QVERIFY2(checkpoint.contains(name), name.c_str());
            QCOMPARE(checkpoint.shape(name), tensor.sizes().vec());
            const torch::Tensor read = tensorOf(checkpoint, name.c_str());
            QVERIFY2(read.is_contiguous() && same(read, tensor.detach()), name.c_str());
        }
        const std::string bytes = readBytes(folder.path() / "model.safetensors").valueOrThrow();
        const auto header = parseSafetensors(std::as_bytes(std::span(bytes)), "x").valueOrThrow();
        QCOMPARE(header.metadata.at("format"), std::string("pt"));
    }

    void tensorsViewTheFileAndOutliveIt()
    {
        const Folder folder;
        folder.writeTensors("model.safetensors", {{"a", torch::ones({4})}});
        torch::Tensor first;
        torch::Tensor second;
        std::string before;
        {
            const Checkpoint checkpoint = folder.open();
            before = checkpoint.contentHash().valueOrThrow();
            first = tensorOf(checkpoint, "a");
            second = tensorOf(checkpoint, "a");
            QCOMPARE(first.data_ptr(), second.data_ptr());
            first.fill_(2.0);
            QCOMPARE(checkpoint.contentHash().valueOrThrow(), before);
        }
        QCOMPARE(first.sum().item<float>(), 8.0f);
        QVERIFY(same(tensorOf(folder.open(), "a"), torch::ones({4})));
    }

    void misalignedDataAreCopied()
    {
        const Folder folder;
        const std::string json = R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})";
        for (int padding = 0; padding < 4; ++padding) {
            folder.write("model.safetensors", rawSafetensors(json + std::string(padding, ' '), floats({1.5f, -2})));
            QVERIFY(same(tensorOf(folder.open(), "a"), torch::tensor({1.5f, -2.0f})));
        }
    }

    void anyByteIsABoolean()
    {
        const Folder folder;
        folder.write("model.safetensors", rawSafetensors(R"({"a":{"dtype":"BOOL","shape":[3],"data_offsets":[0,3]}})",
                                                         std::string("\0\1\7", 3)));
        QVERIFY(same(tensorOf(folder.open(), "a"), torch::tensor({0, 1, 1}, torch::kBool)));
    }

    void unsupportedDtypeIsNotACorruptFile()
    {
        const Folder folder;
        folder.write("model.safetensors",
                     rawSafetensors(R"({"a":{"dtype":"F8_E4M3","shape":[3],"data_offsets":[0,3]}})", "abc"));
        const auto tensor = folder.open().tensor("a");
        QVERIFY(has(tensor.error().message, "dtype F8_E4M3"));
        QVERIFY(has(folder.open().tensor("b").error().message, "no tensor \"b\""));
    }

    void aFileThatShrankIsNotTouched()
    {
        const Folder folder;
        folder.writeTensors("model.safetensors", {{"a", torch::ones({4})}});
        const Checkpoint checkpoint = folder.open();
        std::filesystem::resize_file(folder.path() / "model.safetensors", 8);
        QVERIFY(has(checkpoint.tensor("a").error().message, "became shorter"));
        QVERIFY(has(checkpoint.contentHash().error().message, "became shorter"));
    }

    void pickledTensorsAreReadInEveryLayout()
    {
        const std::string data = floats({1, 2, 3, 4, 5, 6});
        const std::string swapped(data.rbegin(), data.rend()); // 6…1, big-endian
        const std::string dict
            = pickle::stateDict({{"w", pickle::tensor(pickle::storage("0", 6), 0, {2, 3}, {3, 1})},
                                 {"t", pickle::tensor(pickle::storage("0", 6), 0, {3, 2}, {1, 3})},
                                 {"tail", pickle::tensor(pickle::storage("0", 6), 4, {2}, {1})},
                                 {"wide", pickle::tensor(pickle::storage("0", 6), 1, {2, 2}, {0, 2})},
                                 {"n", "N"}});
        const torch::Tensor w = torch::arange(1, 7, torch::kFloat32).reshape({2, 3});
        const auto check = [&](const std::string &bytes, const torch::Tensor &matrix) {
            const Folder folder;
            folder.write("pytorch_model.bin", bytes);
            const Checkpoint checkpoint = folder.open();
            const torch::Tensor flat = matrix.reshape({-1});
            QVERIFY(same(tensorOf(checkpoint, "w"), matrix));
            QVERIFY(same(tensorOf(checkpoint, "t"), matrix.t()));
            QVERIFY(tensorOf(checkpoint, "t").is_contiguous());
            QVERIFY(same(tensorOf(checkpoint, "tail"), flat.slice(0, 4)));
            QVERIFY(same(tensorOf(checkpoint, "wide"), torch::stack({flat[1], flat[3]}).expand({2, 2})));
            QVERIFY(has(checkpoint.tensor("n").error().message, "another kind"));
        };
        check(torchZip(dict, {data}), w);
        check(torchLegacy(dict, {{"0", data}}), w);
        check(torchZip(dict, {swapped}, "big"), w.flip({0, 1}));
        check(torchLegacy(dict, {{"0", swapped}}, 4, false), w.flip({0, 1}));
    }

    void codeInAPickleIsAWarning()
    {
        const Folder folder;
        folder.write("pytorch_model.bin",
                     torchZip(pickle::stateDict({{"a", pickle::tensor(pickle::storage("0", 1), 0, {1}, {1})},
                                                 {"x", pickle::global("os", "system") + ")R"}}),
                              {floats({1})}));
        QCOMPARE(folder.open().warnings().size(), std::size_t{1});
        QVERIFY(has(folder.open().warnings()[0], "os.system"));
    }

    void safetensorsComeFirst()
    {
        const Folder folder;
        folder.write("pytorch_model.bin", "damaged");
        QVERIFY(has(folder.error(), "pytorch_model.bin"));
        folder.writeTensors("one.safetensors", {{"a", torch::ones({1})}});
        folder.write("model.safetensors.index.json", index("\"a\": \"one.safetensors\""));
        QCOMPARE(folder.open().files().front().filename().string(), std::string("one.safetensors"));
        folder.writeTensors("model.safetensors", {{"b", torch::ones({1})}});
        QVERIFY(folder.open().contains("b"));
    }

    void shardsAreOneCheckpoint()
    {
        const Folder folder;
        folder.writeTensors("1.safetensors", {{"a", torch::ones({1})}, {"extra", torch::ones({1})}});
        folder.writeTensors("2.safetensors", {{"b", torch::zeros({2})}});
        folder.write("model.safetensors.index.json", index("\"a\": \"1.safetensors\", \"b\": \"2.safetensors\""));
        const Checkpoint checkpoint = folder.open();
        QCOMPARE(checkpoint.names(), (std::vector<std::string>{"a", "b", "extra"}));
        QVERIFY(same(tensorOf(checkpoint, "b"), torch::zeros({2})));
        QCOMPARE(checkpoint.files().size(), std::size_t{2});
        QCOMPARE(checkpoint.warnings().size(), std::size_t{1});
        QVERIFY(has(checkpoint.warnings()[0], "\"extra\" is not in the index"));
    }

    void badIndexesAreRefused_data()
    {
        QTest::addColumn<QByteArray>("json");
        QTest::addColumn<QByteArray>("reason");
        const auto row = [](const char *name, const std::string &json, const char *reason) {
            QTest::newRow(name) << QByteArray::fromStdString(json) << QByteArray(reason);
        };
        row("no map", "{}", "weight_map");
        row("list", "[]", "weight_map");
        row("empty map", index(""), "weight_map");
        row("not JSON", "{", "not valid JSON");
        row("number", index("\"a\": 1"), "plain file name");
        row("upwards", index("\"a\": \"../1.safetensors\""), "plain file name");
        row("absolute", index("\"a\": \"/etc/passwd\""), "plain file name");
        row("backslash", index("\"a\": \"x\\\\y\""), "plain file name");
        row("NUL", index("\"a\": \"1.safetensors\\u0000\""), "plain file name");
        row("dots", index("\"a\": \"..\""), "plain file name");
        row("missing shard", index("\"a\": \"3.safetensors\""), "3.safetensors, which is missing");
        row("wrong shard", index("\"a\": \"2.safetensors\", \"b\": \"1.safetensors\""), "but it is not");
        row("missing tensor", index("\"a\": \"1.safetensors\", \"c\": \"1.safetensors\""), "\"c\"");
        row("name in two shards", index("\"a\": \"1.safetensors\", \"b\": \"again.safetensors\""), "in two files");
    }

    void badIndexesAreRefused()
    {
        QFETCH(QByteArray, json);
        QFETCH(QByteArray, reason);
        const Folder folder;
        folder.writeTensors("1.safetensors", {{"a", torch::ones({1})}});
        folder.writeTensors("2.safetensors", {{"b", torch::ones({1})}});
        folder.writeTensors("again.safetensors", {{"a", torch::ones({1})}, {"b", torch::ones({1})}});
        folder.write("model.safetensors.index.json", json.toStdString());
        QVERIFY2(has(folder.error(), reason.constData()), folder.error().c_str());
    }

    void namesAreNormalised()
    {
        const Folder folder;
        const torch::Tensor one = torch::ones({1});
        folder.writeTensors(
            "model.safetensors",
            {{"module.a.LayerNorm.gamma", one}, {"module.a.LayerNorm.beta", one}, {"module.gamma_ray.weight", one}});
        QCOMPARE(folder.open().names(),
                 (std::vector<std::string>{"a.LayerNorm.bias", "a.LayerNorm.weight", "gamma_ray.weight"}));
        folder.writeTensors("model.safetensors",
                            {{"_orig_mod.a.weight", one}, {"model._orig_mod.b", one}, {"not_orig_mod.c", one}});
        QCOMPARE(folder.open().names(), (std::vector<std::string>{"a.weight", "model.b", "not_orig_mod.c"}));
        folder.writeTensors("model.safetensors", {{"_orig_mod.module.a", one}, {"_orig_mod.module.b", one}});
        QCOMPARE(folder.open().names(), (std::vector<std::string>{"a", "b"}));
        folder.writeTensors("model.safetensors", {{"module.a", one}, {"b", one}, {"gamma", one}});
        QCOMPARE(folder.open().names(), (std::vector<std::string>{"b", "gamma", "module.a"}));
        folder.writeTensors("model.safetensors", {{"x.gamma", one}, {"x.weight", one}});
        QVERIFY(has(folder.error(), "\"x.weight\" under an old and a new name"));
    }

    void foldersWithoutWeightsAreExplained()
    {
        const Folder folder;
        QVERIFY(has(folder.error(), "has no weights"));
        folder.write("tf_model.h5", "x");
        QVERIFY(has(folder.error(), "tf_model.h5"));
        QVERIFY(has(Checkpoint::open("/no/such/folder").error().message, "not a folder"));
    }

    void hashIsOfTheContent()
    {
        const Folder folder;
        folder.writeTensors("model.safetensors", {{"a", torch::ones({1})}});
        const std::string ones = folder.open().contentHash().valueOrThrow();
        QCOMPARE(ones.size(), std::size_t{32});
        folder.writeTensors("model.safetensors", {{"a", torch::zeros({1})}});
        QVERIFY(folder.open().contentHash().valueOrThrow() != ones);
        std::stop_source stop;
        stop.request_stop();
        QVERIFY(folder.open().contentHash(JobControl(stop.get_token())).isCancelled());
    }

    void writerRefusesWhatCannotBeSaid()
    {
        const Folder folder;
        const torch::Tensor one = torch::ones({1});
        const auto path = folder.path() / "model.safetensors";
        QVERIFY(writeSafetensors(path, {{"a", one}, {"a", one}}).isError());
        QVERIFY(writeSafetensors(path, {{"__metadata__", one}}).isError());
        QVERIFY(writeSafetensors(path, {{"a", one.to(torch::kComplexFloat)}}).isError());
        QVERIFY(writeSafetensors("/no/such/folder/model.safetensors", {{"a", one}}).isError());
        QVERIFY(!std::filesystem::exists(path));
    }

    void dtypesGoBothWays()
    {
        for (const auto type : {torch::kFloat32, torch::kBFloat16, torch::kBool, torch::kInt64})
            QVERIFY(scalarType(*fileDtype(type)) == type);
        QVERIFY(!scalarType(DType::F4).has_value());
    }

    void realModelIsRead()
    {
        const auto model = sharedData("models/marian-multi30k-en-fr");
        if (model.empty())
            QSKIP("the real model is not on this machine (HEADSCOPE_SHARED)");
        const Checkpoint checkpoint = Checkpoint::open(model).valueOrThrow();
        QVERIFY(checkpoint.contains("model.encoder.layers.0.self_attn.q_proj.weight"));
        QCOMPARE(checkpoint.shape("model.shared.weight"), (std::vector<std::int64_t>{7366, 256}));
        for (const std::string &name : checkpoint.names())
            QVERIFY2(torch::isfinite(tensorOf(checkpoint, name.c_str())).all().item<bool>(), name.c_str());
    }
};

QTEST_GUILESS_MAIN(TestCheckpoint)
#include "tst_checkpoint.moc"

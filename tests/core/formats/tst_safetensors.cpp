#include "core/formats/safetensors.h"
#include "core/formats/textlines.h"
#include "tests/support/shareddata.h"

#include <QElapsedTimer>
#include <QTest>

#include <algorithm>
#include <span>
#include <string>
#include <string_view>

using namespace headscope;

namespace {

std::string length(std::uint64_t value)
{
    std::string bytes;
    for (int i = 0; i < 8; ++i)
        bytes += static_cast<char>(value >> (8 * i));
    return bytes;
}

/// A file of this header and so many bytes of data.
std::string file(const std::string &json, std::size_t data = 0)
{
    return length(json.size()) + json + std::string(data, '\1');
}

/// JSON written with single quotes.
std::string quoted(std::string text)
{
    std::replace(text.begin(), text.end(), '\'', '"');
    return text;
}

std::string tensor(const char *name, const char *dtype, const char *shape, const char *offsets)
{
    return '"' + std::string(name) + quoted("':{'dtype':'") + dtype + quoted("','shape':") + shape
         + quoted(",'data_offsets':") + offsets + "}";
}

std::string one(const char *dtype, const char *shape, const char *offsets, std::size_t data)
{
    return file("{" + tensor("a", dtype, shape, offsets) + "}", data);
}

Result<SafetensorsHeader> parse(const std::string &bytes)
{
    return parseSafetensors(std::as_bytes(std::span(bytes)), "x.safetensors");
}

void row(const char *name, const std::string &bytes, const char *kind)
{
    QTest::newRow(name) << QByteArray::fromStdString(bytes) << QByteArray(kind);
}

} // namespace

class TestSafetensors : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void pointersOfGitLfsAreNamed()
    {
        const std::string_view pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:ab\nsize 5\n";
        const auto parsed = parseSafetensors(std::as_bytes(std::span(pointer)), "x.safetensors");
        QVERIFY(parsed.isError());
        QCOMPARE(parsed.error().message,
                 std::string("x.safetensors is only a Git LFS pointer; fetch the real file with: git lfs pull"));
    }

    void hostileFilesAreRefused_data()
    {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QByteArray>("kind");
        const char *json = "InvalidHeaderDeserialization";
        row("1 empty", "", "HeaderTooSmall");
        row("1 seven bytes", "1234567", "HeaderTooSmall");
        row("2 largest length", length(~std::uint64_t{0}) + "{}", "HeaderTooLarge");
        row("2 just too large", length(100'000'001) + "{}", "HeaderTooLarge");
        row("2 upstream", length(0xFFFFFF000000003C) + "{}", "HeaderTooLarge");
        row("3 length beyond the end", length(60) + "{}", "InvalidHeaderLength");
        row("3 one beyond the end", length(3) + "{}", "InvalidHeaderLength");
        row("4 not UTF-8", file("\xFF"), "InvalidHeader");
        row("4 not UTF-8 in a name", file("{\"\xC0\xAF\":1}"), "InvalidHeader");
        row("5 brace", file("{"), json);
        row("5 list", file("[]"), json);
        row("5 NUL padding", file(std::string("{}\0\0", 4)), json);
        row("5 junk after", file("{}x"), json);
        row("5 two objects", file("{}{}"), json);
        row("5 empty header", file(""), json);
        row("5 byte order mark", file("\xEF\xBB\xBF{}"), json);
        row("5 number", file("1"), json);
        row("7 junk after the data", one("I32", "[2,2]", "[0,16]", 17), "MetadataIncompleteBuffer");
        row("7 data missing", one("I32", "[2,2]", "[0,16]", 14), "MetadataIncompleteBuffer");
        row("7 data without tensors", file("{}", 1), "MetadataIncompleteBuffer");
        row("8 too few bytes", one("I32", "[2,2]", "[0,4]", 4), "TensorInvalidInfo");
        row("9 product", one("I32", "[2,18446744073709551614]", "[0,16]", 16), "ValidationOverflow");
        row("9 product of signed", one("I32", "[2,9223372036854775807]", "[0,16]", 16), "ValidationOverflow");
        row("9 times bits", one("I32", "[2,1152921504606846976]", "[0,16]", 16), "ValidationOverflow");
        row("9 beside zero", one("I32", "[9223372036854775807,0]", "[0,0]", 0), "ValidationOverflow");
        std::string bomb = "{";
        for (char name = 'a'; name < 'k'; ++name)
            bomb += (name == 'a' ? "" : ",") + tensor(std::string(1, name).c_str(), "I32", "[2,2]", "[0,16]");
        row("10 overlap", file(bomb + "}", 16), "InvalidOffset");
        row("11 hole",
            file("{" + tensor("a", "I32", "[1]", "[0,4]") + "," + tensor("b", "I32", "[1]", "[8,12]") + "}", 12),
            "InvalidOffset");
        row("11 hole at the start", one("I32", "[1]", "[4,8]", 8), "InvalidOffset");
        row("12 begin after end", one("I32", "[1]", "[4,0]", 4), "InvalidOffset");
        row("12 end beyond the file", one("I32", "[4]", "[0,16]", 4), "MetadataIncompleteBuffer");
        row("12 negative", one("I32", "[1]", "[0,-1]", 4), json);
        row("12 fraction", one("I32", "[1]", "[0,4.0]", 4), json);
        row("12 text", one("I32", "[1]", "[\"0\",\"4\"]", 4), json);
        row("12 one offset", one("I32", "[1]", "[0]", 4), json);
        row("12 three offsets", one("I32", "[1]", "[0,4,8]", 4), json);
        row("12 huge number", one("I32", "[1]", "[0,99999999999999999999]", 4), json);
        row("12 negative shape", one("I32", "[-1]", "[0,4]", 4), json);
        row("12 nested shape", one("I32", "[[1]]", "[0,4]", 4), json);
        row("12 shape is a number", one("I32", "1", "[0,4]", 4), json);
        row("12 missing shape", file(quoted("{'a':{'dtype':'I32','data_offsets':[0,4]}}"), 4), json);
        row("12 missing dtype", file(quoted("{'a':{'shape':[1],'data_offsets':[0,4]}}"), 4), json);
        row("12 missing offsets", file(quoted("{'a':{'dtype':'I32','shape':[1]}}"), 4), json);
        row("12 dtype is a number", file(quoted("{'a':{'dtype':1,'shape':[1],'data_offsets':[0,4]}}"), 4), json);
        row("12 tensor is null", file(quoted("{'a':null}")), json);
        row("12 tensor is a list", file(quoted("{'a':['I32',[1],[0,4]]}"), 4), json);
        row("13 name twice",
            file("{" + tensor("a", "I32", "[1]", "[0,4]") + "," + tensor("a", "I32", "[1]", "[4,8]") + "}", 8), json);
        row("13 dtype twice", file(quoted("{'a':{'dtype':'I32','dtype':'F32','shape':[1],'data_offsets':[0,4]}}"), 4),
            json);
        row("13 shape twice", file(quoted("{'a':{'dtype':'I32','shape':[1],'shape':[1],'data_offsets':[0,4]}}"), 4),
            json);
        row("13 metadata twice", file(quoted("{'__metadata__':{},'__metadata__':{}}")), json);
        row("15 half a byte", one("F4", "[3]", "[0,1]", 1), "MisalignedSlice");
        row("16 unknown dtype", one("F128", "[1]", "[0,16]", 16), json);
        row("16 lower case", one("f32", "[1]", "[0,4]", 4), json);
        row("17 metadata number", file(quoted("{'__metadata__':{'a':1}}")), json);
        row("17 metadata object", file(quoted("{'__metadata__':{'a':{}}}")), json);
        row("17 metadata list", file(quoted("{'__metadata__':[]}")), json);
        row("18 deep", file(quoted("{'a':{'x':") + std::string(1'000'000, '[')), json);
        row("18 deep objects",
            file(quoted("{'a':{'x':") +
                 [] {
                     std::string text;
                     for (int i = 0; i < 200; ++i)
                         text += "{\"x\":";
                     return text;
                 }()),
            json);
        row("19 lone surrogate", file(quoted("{'\\ud800':{'dtype':'I32','shape':[1],'data_offsets':[0,4]}}"), 4), json);
    }

    void hostileFilesAreRefused()
    {
        QFETCH(QByteArray, bytes);
        QFETCH(QByteArray, kind);
        const auto header = parse(bytes.toStdString());
        QVERIFY(header.isError());
        QCOMPARE(header.error().code, ErrorCode::BadInput);
        const std::string &message = header.error().message;
        QVERIFY2(message.starts_with("x.safetensors is not a valid safetensors file"), message.c_str());
        QVERIFY2(message.find('[' + kind.toStdString() + ']') != std::string::npos, message.c_str());
        QVERIFY(message.size() < 1000);
    }

    void legalFilesAreRead_data()
    {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QByteArray>("shape");
        row("no tensors", file("{}"), "");
        row("6 space after", file("{}\r \t\n"), "");
        row("6 space before", file("\t\n{}\r "), "");
        row("7 matrix", one("I32", "[2,2]", "[0,16]", 16), "[2, 2]");
        row("14 no elements", one("I32", "[2,0]", "[0,0]", 0), "[2, 0]");
        row("14 scalar", one("I32", "[]", "[0,4]", 4), "[]");
        row("15 whole bytes of half-bytes", one("F4", "[4]", "[0,2]", 2), "[4]");
        row("17 null metadata", file(quoted("{'__metadata__':null}")), "");
        row("17 metadata", file(quoted("{'__metadata__':{'format':'pt'}}")), "");
        row("unknown fields",
            file(quoted("{'a':{'x':[1,{'y':[]}],'dtype':'U8','z':{'dtype':1},'shape':[1],'data_offsets':[0,1]}}"), 1),
            "[1]");
        row("19 NUL in a name", file(quoted("{'\\u0000':{'dtype':'U8','shape':[1],'data_offsets':[0,1]}}"), 1), "[1]");
        row("19 path as name", file("{" + tensor("../../x", "U8", "[1]", "[0,1]") + "}", 1), "[1]");
        row("19 long name", file("{" + tensor(std::string(1'000'000, 'n').c_str(), "U8", "[1]", "[0,1]") + "}", 1),
            "[1]");
    }

    void legalFilesAreRead()
    {
        QFETCH(QByteArray, bytes);
        QFETCH(QByteArray, shape);
        const auto header = parse(bytes.toStdString());
        QVERIFY2(header.isOk(), header.isError() ? header.error().message.c_str() : "");
        QCOMPARE(header.value().tensors.size(), shape.isEmpty() ? std::size_t{0} : std::size_t{1});
        if (!shape.isEmpty())
            QCOMPARE(shapeText(header.value().tensors[0].shape), shape.toStdString());
    }

    void entriesSayWhereTheDataAre()
    {
        const std::string json = "{" + tensor("b", "F16", "[2,3]", "[4,16]")
                               + quoted(",'__metadata__':{'format':'pt'},") + tensor("empty", "F32", "[0]", "[4,4]")
                               + "," + tensor("a", "F32", "[]", "[0,4]") + "}";
        const auto header = parse(file(json, 16)).valueOrThrow();
        QCOMPARE(header.metadata.at("format"), std::string("pt"));
        QCOMPARE(header.tensors.size(), std::size_t{3});
        const TensorEntry &b = header.tensors[2];
        QCOMPARE(b.name, std::string("b"));
        QVERIFY(b.dtype == DType::F16);
        QCOMPARE(b.strides, (std::vector<std::int64_t>{3, 1}));
        QCOMPARE(b.offset, std::uint64_t{8 + json.size() + 4});
        QCOMPARE(b.bytes, std::uint64_t{12});
        QVERIFY(b.isContiguous());
    }

    void manyTensorsTakeBoundedTime()
    {
#if defined(__SANITIZE_ADDRESS__)
        constexpr std::size_t kTensors = 200'000; // ten times slower
#else
        constexpr std::size_t kTensors = 1'200'000; // a header of nearly the largest size
#endif
        std::string json = "{";
        for (std::size_t i = 0; i < kTensors; ++i)
            json += (i == 0 ? "\"" : ",\"") + std::to_string(i)
                  + quoted("':{'dtype':'F32','shape':[0],'data_offsets':[0,0]}");
        QElapsedTimer timer;
        timer.start();
        const auto header = parse(file(json + "}"));
        QVERIFY(header.isOk());
        QCOMPARE(header.value().tensors.size(), kTensors);
        QVERIFY2(timer.elapsed() < 60'000, qPrintable(QString::number(timer.elapsed())));
    }

    void layoutIsAlignedAndReadsBack()
    {
        const auto entry = [](const char *name, DType dtype, std::vector<std::int64_t> shape) {
            TensorEntry result;
            result.name = name;
            result.dtype = dtype;
            result.shape = std::move(shape);
            return result;
        };
        const std::vector<TensorEntry> tensors{entry("z", DType::U8, {3}), entry("b\"", DType::F32, {2}),
                                               entry("a", DType::F32, {}), entry("i", DType::I64, {1, 0})};
        const auto layout = layoutSafetensors(tensors, {{"format", "pt"}});
        QCOMPARE(layout.order, (std::vector<std::size_t>{3, 2, 1, 0}));
        QCOMPARE(layout.header.size() % 8, std::size_t{0});
        const auto header = parse(layout.header + std::string(15, '\0')).valueOrThrow();
        QCOMPARE(header.tensors.size(), std::size_t{4});
        QCOMPARE(header.metadata.at("format"), std::string("pt"));
        for (std::size_t i = 0; i < 4; ++i) {
            QCOMPARE(header.tensors[i].name, tensors[layout.order[i]].name);
            QCOMPARE(header.tensors[i].shape, tensors[layout.order[i]].shape);
            QVERIFY(header.tensors[i].offset * 8 % static_cast<unsigned>(bitsPerElement(header.tensors[i].dtype)) == 0);
        }
    }

    void noCutOrChangeIsACrash()
    {
        const std::string good
            = file("{" + tensor("a", "F32", "[2]", "[0,8]") + "," + tensor("b", "U8", "[1]", "[8,9]") + "}", 9);
        for (std::size_t size = 0; size < good.size(); ++size)
            QVERIFY(parse(good.substr(0, size)).isError());
        for (std::size_t at = 0; at < good.size(); ++at)
            for (const char change : {'\0', '"', '9', '\xFF', '[', '{'}) {
                std::string changed = good;
                changed[at] = change;
                const auto header = parse(changed);
                if (header.isOk())
                    for (const TensorEntry &entry : header.value().tensors)
                        QVERIFY(entry.offset + entry.bytes <= changed.size());
            }
    }

    void dtypeNamesGoBothWays()
    {
        for (int i = 0; i <= static_cast<int>(DType::U64); ++i) {
            const auto dtype = static_cast<DType>(i);
            QVERIFY(parseDType(dtypeName(dtype)) == dtype);
        }
        QVERIFY(!parseDType("").has_value());
    }

    void realFilesAreRead()
    {
        const auto folder = sharedData("data/safetensors_samples");
        if (folder.empty())
            QSKIP("the sample files are not on this machine (HEADSCOPE_SHARED)");
        int files = 0;
        for (const auto &sample : std::filesystem::directory_iterator(folder)) {
            if (sample.path().extension() != ".safetensors")
                continue;
            ++files;
            const auto header = parse(readBytes(sample.path()).valueOrThrow());
            QVERIFY2(header.isOk(), header.isError() ? header.error().message.c_str() : "");
            QVERIFY(!header.value().tensors.empty());
        }
        QVERIFY(files > 0);
    }
};

QTEST_GUILESS_MAIN(TestSafetensors)
#include "tst_safetensors.moc"

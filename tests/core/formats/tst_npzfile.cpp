// Archives of arrays as NumPy and Marian write them, and lies that they can tell. Compressed ones: tst_marianconfig,
// and the golden marian-nmt-apart, which NumPy wrote.
#include "core/formats/npzfile.h"
#include "tests/core/formats/npzwriter.h"

#include <QTest>

#include <span>
#include <string>
#include <vector>

using namespace headscope;
using namespace headscope::testing;

namespace {

Result<NpzFile> read(const std::string &bytes)
{
    return parseNpz(std::as_bytes(std::span(bytes)), "x.npz");
}

std::string refusal(const std::string &bytes)
{
    const auto parsed = read(bytes);
    return parsed.isError() ? parsed.error().message : std::string("read without complaint");
}

const std::string kSix(24, 'f'); ///< the data of six floats

std::string archiveOf(const std::string &description, const std::string &data = kSix)
{
    return zipBytes({npyMember("a", npyBytes(description, data))});
}

/// A deflate stream of one block that is not compressed.
std::string deflated(const std::string &data)
{
    return std::string(1, '\1') + littleEndian(data.size(), 2) + littleEndian(~data.size() & 0xFFFF, 2) + data;
}

ZipMember deflatedMember(const std::string &name, const std::string &data, std::int64_t claimed = -1)
{
    ZipMember member;
    member.name = name;
    member.data = deflated(data);
    member.method = member.localMethod = 8;
    member.packedSize = static_cast<std::int64_t>(member.data.size());
    member.checksum = checksumOf(data);
    member.claimedSize = claimed < 0 ? static_cast<std::int64_t>(data.size()) : claimed;
    return member;
}

} // namespace

class TestNpzFile : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void arraysAreFound()
    {
        const std::string bytes
            = zipBytes({npyMember("encoder_l1_ffn_W1", npyBytes(npyDescription("<f4", {2, 3}), kSix)),
                        npyMember("columns", npyBytes(npyDescription("<f4", {2, 3}, true), kSix)),
                        npyMember("big", npyBytes(npyDescription(">f2", {1, 12}), kSix)),
                        npyMember("number", npyBytes(npyDescription("<f8", {}), kSix.substr(0, 8))),
                        npyMember("none", npyBytes(npyDescription("<f4", {0, 3}), "")),
                        npyMember("special:model.yml", npyBytes(npyDescription("|i1", {3}), "a: "))});
        const NpzFile file = read(bytes).valueOrThrow();
        QVERIFY(!file.unpacked);
        QCOMPARE(file.tensors.size(), std::size_t(6));
        const TensorEntry &first = file.tensors[0];
        QCOMPARE(first.name, std::string("encoder_l1_ffn_W1"));
        QCOMPARE(first.dtype, DType::F32);
        QCOMPARE(first.shape, (std::vector<std::int64_t>{2, 3}));
        QCOMPARE(first.strides, (std::vector<std::int64_t>{3, 1}));
        QCOMPARE(bytes.substr(first.offset, first.bytes), kSix);
        QCOMPARE(file.tensors[1].strides, (std::vector<std::int64_t>{1, 2}));
        QCOMPARE(file.tensors[2].dtype, DType::F16);
        QVERIFY(file.tensors[2].bigEndian && !first.bigEndian);
        QVERIFY(file.tensors[3].shape.empty());
        QCOMPARE(file.tensors[4].bytes, std::uint64_t(0));
        QCOMPARE(bytes.substr(file.tensors[5].offset, file.tensors[5].bytes), std::string("a: "));
    }

    void headersAreReadHoweverTheyAreWritten()
    {
        QCOMPARE(read(archiveOf("{\"shape\":(6,),\"fortran_order\":False,\"descr\":\"<f4\"}"))
                     .valueOrThrow()
                     .tensors[0]
                     .shape,
                 (std::vector<std::int64_t>{6}));
        // As Marian writes them, and the second version, whose header may be longer.
        QCOMPARE(read(archiveOf("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }"))
                     .valueOrThrow()
                     .tensors[0]
                     .shape,
                 (std::vector<std::int64_t>{2, 3}));
        const std::string header = npyDescription("<f4", {6}) + '\n';
        const std::string second
            = "\x93NUMPY\2" + std::string(1, '\0') + littleEndian(header.size(), 4) + header + kSix;
        QCOMPARE(read(zipBytes({npyMember("a", second)})).valueOrThrow().tensors[0].shape,
                 (std::vector<std::int64_t>{6}));
    }

    void compressedArraysAreUnpacked()
    {
        const std::string array = npyBytes(npyDescription("<f4", {6}), kSix);
        const std::string bytes = zipBytes({deflatedMember("a.npy", array), npyMember("b", array)});
        const NpzFile file = read(bytes).valueOrThrow();
        QVERIFY(file.unpacked);
        QCOMPARE(file.tensors.size(), std::size_t(2));
        for (const TensorEntry &tensor : file.tensors) {
            const auto *data = reinterpret_cast<const char *>(file.unpacked->data()) + tensor.offset;
            QCOMPARE(std::string(data, tensor.bytes), kSix);
        }
    }

    void liesAreRefused_data()
    {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QByteArray>("said");
        const auto add = [](const char *name, const std::string &bytes, const char *said) {
            QTest::newRow(name) << QByteArray::fromStdString(bytes) << QByteArray(said);
        };
        const std::string array = npyBytes(npyDescription("<f4", {6}), kSix);
        add("no archive", "nothing", "table of contents");
        add("pickle", archiveOf(npyDescription("|O", {6})), "elements of type |O");
        add("record", archiveOf("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (6,), }"),
            "elements of type a record");
        add("text", archiveOf(npyDescription("<U6", {1})), "elements of type <U6");
        add("shape", archiveOf(npyDescription("<f4", {7})), "24 bytes, which do not fit its shape [7]");
        add("huge", archiveOf(npyDescription("<f4", {std::int64_t{1} << 62, std::int64_t{1} << 62})), "do not fit");
        add("huge without elements", archiveOf(npyDescription("<f4", {0, std::int64_t{1} << 62, 4}), ""), "do not fit");
        add("negative", archiveOf("{'descr': '<f4', 'fortran_order': False, 'shape': (-6,), }"), "not understood");
        add("nothing said", archiveOf("{}"), "not understood");
        add("twice", archiveOf("{'shape': (6,), 'shape': (6,), 'descr': '<f4', 'fortran_order': False}"),
            "not understood");
        add("open", archiveOf("{'descr': '<f4"), "not understood");
        add("no array", zipBytes({npyMember("a", "12345678901234567890")}), "does not begin");
        add("version", zipBytes({npyMember("a", "\x93NUMPY\7" + array.substr(7))}), "damaged header");
        add("header's length", zipBytes({npyMember("a", array.substr(0, 8) + "\xFF\xFF" + array.substr(10))}),
            "damaged header");
        ZipMember other = npyMember("a", array);
        other.name = "a.txt";
        add("another file", zipBytes({other}), "no array");
        add("shorter", zipBytes({deflatedMember("a.npy", array, 1000)}), "");
        add("longer", zipBytes({deflatedMember("a.npy", array, 100)}), "");
        add("bomb", zipBytes({deflatedMember("a.npy", array, std::int64_t{1} << 31)}), "more than 16 times");
        ZipMember method = deflatedMember("a.npy", array);
        method.method = method.localMethod = 12;
        add("bzip2", zipBytes({method}), "another method than deflate");
        ZipMember damaged = deflatedMember("a.npy", array);
        damaged.data[0] = '\7';
        ZipMember changed = deflatedMember("a.npy", array);
        ++changed.checksum;
        add("checksum", zipBytes({changed}), "CRC");
        add("damaged stream", zipBytes({damaged}), "");
    }

    void liesAreRefused()
    {
        QFETCH(QByteArray, bytes);
        QFETCH(QByteArray, said);
        const auto message = QByteArray::fromStdString(refusal(bytes.toStdString()));
        QVERIFY2(message.startsWith("x.npz"), message.constData());
        QVERIFY2(message.contains(said), message.constData());
    }

    void cutArchivesAreRefused()
    {
        const std::string array = npyBytes(npyDescription("<f4", {6}), kSix);
        for (const std::string &whole :
             {zipBytes({npyMember("a", array)}), zipBytes({deflatedMember("a.npy", array)})}) {
            for (std::size_t size = 0; size < whole.size(); ++size)
                QVERIFY2(read(whole.substr(0, size)).isError(), std::to_string(size).c_str());
        }
    }
};

QTEST_APPLESS_MAIN(TestNpzFile)
#include "tst_npzfile.moc"

#include "core/formats/zipreader.h"
#include "tests/core/formats/zipwriter.h"

#include <QTest>

using namespace headscope;
using namespace headscope::testing;

namespace {

Result<std::vector<ZipEntry>> read(const std::string &bytes)
{
    return readZip(std::as_bytes(std::span(bytes)), "x.bin");
}

ZipMember member(const char *name, const char *data)
{
    ZipMember result;
    result.name = name;
    result.data = data;
    return result;
}

} // namespace

class TestZipReader : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void storedFilesAreFound_data()
    {
        QTest::addColumn<bool>("zip64");
        QTest::addColumn<QByteArray>("comment");
        QTest::newRow("plain") << false << QByteArray();
        QTest::newRow("64 bit") << true << QByteArray();
        QTest::newRow("comment") << false << QByteArray("made by hand PK\5\6");
    }

    void storedFilesAreFound()
    {
        QFETCH(bool, zip64);
        QFETCH(QByteArray, comment);
        ZipMember padded = member("m/data/0", "0123");
        padded.padding = "FB" + littleEndian(3, 2) + "ZZZ";
        const std::string bytes
            = zipBytes({member("m/data.pkl", "abc"), padded, member("m/empty", "")}, zip64, comment.toStdString());
        const auto entries = read(bytes);
        QVERIFY2(entries.isOk(), entries.isError() ? entries.error().message.c_str() : "");
        QCOMPARE(entries.value().size(), std::size_t{3});
        QCOMPARE(entries.value()[0].name, std::string("m/data.pkl"));
        QCOMPARE(bytes.substr(entries.value()[0].offset, entries.value()[0].size), std::string("abc"));
        QCOMPARE(bytes.substr(entries.value()[1].offset, entries.value()[1].size), std::string("0123"));
        QCOMPARE(entries.value()[2].size, std::uint64_t{0});
    }

    void liesAreRefused_data()
    {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QByteArray>("reason");
        const auto row = [](const char *name, const std::string &bytes, const char *reason) {
            QTest::newRow(name) << QByteArray::fromStdString(bytes) << QByteArray(reason);
        };
        const auto changed = [](auto change) {
            ZipMember bad = member("b", "0123");
            change(bad);
            return zipBytes({member("a", "abc"), bad});
        };
        row("empty", "", "table of contents");
        row("text", "PK\3\4 but nothing else, really nothing", "table of contents");
        row("compressed", changed([](ZipMember &bad) { bad.method = 8; }), "compressed");
        row("compressed only inside", changed([](ZipMember &bad) { bad.localMethod = 8; }), "inconsistently");
        row("sizes differ", changed([](ZipMember &bad) { bad.packedSize = 3; }), "compressed");
        row("encrypted", changed([](ZipMember &bad) { bad.flags = 1; }), "encrypted");
        row("too large", changed([](ZipMember &bad) { bad.claimedSize = 5; }), "beyond the end");
        row("huge", changed([](ZipMember &bad) { bad.claimedSize = 0xFFFFFFF0; }), "beyond the end");
        row("offset outside", changed([](ZipMember &bad) { bad.offset = 100000; }), "outside the file");
        row("offset elsewhere", changed([](ZipMember &bad) { bad.offset = 3; }), "no header");
        row("other name inside", changed([](ZipMember &bad) { bad.localName = "c"; }), "inconsistently");
        row("name twice", changed([](ZipMember &bad) { bad.name = "a"; }), "appears twice");
        ZipMember overlapping = member("b", "0123");
        ZipMember first = member("a", "abc");
        first.claimedSize = 10;
        row("files share bytes", zipBytes({first, overlapping}), "share bytes");
        const std::string good = zipBytes({member("a", "abc")});
        row("cut", good.substr(0, good.size() - 1), "table of contents");
        row("end only", good.substr(good.size() - 22), "table of contents");
    }

    void liesAreRefused()
    {
        QFETCH(QByteArray, bytes);
        QFETCH(QByteArray, reason);
        const auto entries = read(bytes.toStdString());
        QVERIFY(entries.isError());
        QVERIFY2(entries.error().message.find(reason.toStdString()) != std::string::npos,
                 entries.error().message.c_str());
    }

    void noCutOrChangeIsACrash()
    {
        for (const bool zip64 : {false, true}) {
            const std::string good = zipBytes({member("a", "abc"), member("b", "d")}, zip64);
            for (std::size_t size = 0; size < good.size(); ++size)
                QVERIFY(read(good.substr(0, size)).isError());
            for (std::size_t at = 0; at < good.size(); ++at)
                for (const char change : {'\0', '\x01', '\xFF'}) {
                    std::string changed = good;
                    changed[at] = change;
                    const auto entries = read(changed);
                    if (entries.isOk())
                        for (const ZipEntry &entry : entries.value())
                            QVERIFY(entry.offset <= changed.size() && entry.size <= changed.size() - entry.offset);
                }
        }
    }
};

QTEST_GUILESS_MAIN(TestZipReader)
#include "tst_zipreader.moc"

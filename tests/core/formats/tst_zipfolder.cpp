// Archives of studies: what strangers put into one is refused, and whatever the locale its names are what they were.
#include "core/formats/textlines.h"
#include "core/formats/zipfolder.h"

#include "tests/core/formats/zipwriter.h"

#include <QTemporaryDir>
#include <QTest>

#include <clocale>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

using namespace headscope;
using namespace headscope::testing;
namespace fs = std::filesystem;

class TestZipFolder : public QObject
{
    Q_OBJECT

    QTemporaryDir m_folder;

    fs::path path(const std::string &name) const { return fs::path(m_folder.path().toStdString()) / name; }
    void write(const std::string &name, const std::string &bytes) const
    {
        fs::create_directories(path(name).parent_path());
        std::ofstream(path(name), std::ios::binary) << bytes;
    }
    static std::string content(const fs::path &file) { return readBytes(file).valueOrThrow(); }
    std::string refusal(const char *archive, const char *folder) const
    {
        const auto unpacked = unpackZip(path(archive), path(folder), {});
        return unpacked.isError() ? unpacked.error().message : std::string();
    }

private Q_SLOTS:
    void namesAreUtf8_data()
    {
        QTest::addColumn<QByteArray>("locale");
        for (const char *locale : {"C", "C.UTF-8"})
            QTest::newRow(locale) << QByteArray(locale);
    }
    void namesAreUtf8()
    {
        QFETCH(QByteArray, locale);
        const std::string before = std::setlocale(LC_ALL, nullptr);
        QVERIFY(std::setlocale(LC_ALL, locale.constData()) != nullptr);
        const std::string name = "data/in/T\xc3\xa4st \xe2\x80\x93 \xd0\xb4\xd0\xb0\xd0\xbd\xd0\xbd\xd1\x8b\xd0\xb5.en";
        write("source.en", "text\n");
        QVERIFY(writeZip(path("named.zip"), {{name, path("source.en")}}, {}).isOk());
        const fs::path there = path("named-" + locale.toStdString());
        const auto unpacked = unpackZip(path("named.zip"), there, {});
        QVERIFY2(unpacked.isOk(), unpacked.isError() ? unpacked.error().message.c_str() : "");
        QCOMPARE(content(there / name), std::string("text\n"));
        QCOMPARE(std::string(std::setlocale(LC_ALL, nullptr)), std::string(locale.constData()));
        (void)std::setlocale(LC_ALL, before.c_str());
    }

    /// As other programs write them: without a word about the encoding.
    void namesOfOthers()
    {
        write("other.zip", zipBytes({{.name = "\xc3\xa9t\xc3\xa9.txt", .data = ""}}));
        QVERIFY2(unpackZip(path("other.zip"), path("other"), {}).isOk(), refusal("other.zip", "other2").c_str());
        QVERIFY(fs::exists(path("other") / "\xc3\xa9t\xc3\xa9.txt"));
    }

    void aSlashAtTheEndIsTheSameFolder()
    {
        write("one.txt", "1");
        QVERIFY(writeZip(path("one.zip"), {{"one.txt", path("one.txt")}}, {}).isOk());
        QVERIFY(unpackZip(path("one.zip"), path("slashed") / "", {}).isOk());
        QCOMPARE(content(path("slashed/one.txt")), std::string("1"));
        for (const auto &entry : fs::directory_iterator(path("slashed")))
            QCOMPARE(entry.path().filename().string(), std::string("one.txt"));
    }

    void whatUsersHaveStays()
    {
        write("two.txt", "2");
        QVERIFY(writeZip(path("two.zip"), {{"two.txt", path("two.txt")}}, {}).isOk());
        write(".mine.partial/thesis.txt", "years of work");
        write(".mine.old/thesis.txt", "years of work");
        QVERIFY(unpackZip(path("two.zip"), path("mine"), {}).isOk());
        QCOMPARE(content(path(".mine.partial/thesis.txt")), std::string("years of work"));
        QCOMPARE(content(path(".mine.old/thesis.txt")), std::string("years of work"));
        // A folder with something in it is refused before anything is unpacked.
        QVERIFY(refusal("two.zip", "mine").find("no empty folder") != std::string::npos);
        QVERIFY(refusal("two.zip", "two.txt").find("no empty folder") != std::string::npos);
    }

    void twoFilesOfOneNameAreRefused()
    {
        for (const char *second : {"a.txt", "./a.txt", "b/../a.txt"}) {
            write("twice.zip", zipBytes({{.name = "a.txt", .data = ""}, {.name = second, .data = ""}}));
            const std::string why = refusal("twice.zip", "twice");
            QVERIFY2(why.find("is refused") != std::string::npos, why.c_str());
            QVERIFY(!fs::exists(path("twice")));
        }
    }

    void whatUnpacksToAMultipleIsRefused()
    {
        write("zeros", {}); // a thousand times its size
        fs::resize_file(path("zeros"), std::uintmax_t{128} << 20);
        QVERIFY(writeZip(path("bomb.zip"), {{"zeros", path("zeros")}}, {}).isOk());
        QVERIFY(mostUnpacked(static_cast<std::int64_t>(fs::file_size(path("bomb.zip")))) < (std::int64_t{128} << 20));
        const std::string why = refusal("bomb.zip", "bomb");
        QVERIFY2(why.find("unpacks to more than") != std::string::npos, why.c_str());
        QVERIFY(!fs::exists(path("bomb")));
        for (const auto &entry : fs::directory_iterator(path("")))
            QVERIFY2(entry.path().filename().string().find(".bomb.") == std::string::npos, entry.path().c_str());
        QVERIFY(mostUnpacked(std::int64_t{1} << 62) > 0);
    }
};

QTEST_APPLESS_MAIN(TestZipFolder)
#include "tst_zipfolder.moc"

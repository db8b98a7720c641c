#include "core/formats/atomicfile.h"
#include "core/formats/textlines.h"
#include "core/formats/utf8.h"

#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

using namespace headscope;

namespace {

/// "one\ntwo\n" packed by gzip.
constexpr unsigned char kGzip[] = {0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0xcb, 0xcf, 0x4b, 0xe5,
                                   0x2a, 0x29, 0xcf, 0xe7, 0x02, 0x00, 0xe6, 0x0b, 0xba, 0x12, 0x08, 0x00, 0x00, 0x00};

std::string gzipBytes()
{
    return {reinterpret_cast<const char *>(kGzip), sizeof kGzip};
}

} // namespace

class TestTextLines : public QObject
{
    Q_OBJECT

    QTemporaryDir m_folder;

    std::filesystem::path file(const std::string &bytes, const char *name = "text") const
    {
        const std::filesystem::path path = std::filesystem::path(m_folder.path().toStdString()) / name;
        (void)writeFileAtomically(path, bytes).valueOrThrow();
        return path;
    }

    /// Runs a packing program of the system, when there is one.
    QByteArray packed(const QString &program, const QByteArray &bytes) const
    {
        QProcess process;
        process.start(program, {QStringLiteral("-9"), QStringLiteral("-c")});
        process.write(bytes);
        process.closeWriteChannel();
        return process.waitForFinished() ? process.readAllStandardOutput() : QByteArray();
    }

private Q_SLOTS:
    void lineEnds_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArrayList>("lines");
        QTest::newRow("empty") << QByteArray() << QByteArrayList();
        QTest::newRow("unix") << QByteArray("a\nb\n") << QByteArrayList{"a", "b"};
        QTest::newRow("no last end") << QByteArray("a\nb") << QByteArrayList{"a", "b"};
        QTest::newRow("windows") << QByteArray("a\r\n\r\nb\r\n") << QByteArrayList{"a", "", "b"};
        QTest::newRow("old mac") << QByteArray("a\rb\r") << QByteArrayList{"a", "b"};
        QTest::newRow("stray return") << QByteArray("a\rb\nc\n") << QByteArrayList{"a\rb", "c"};
        QTest::newRow("return at the end") << QByteArray("a\nb\r") << QByteArrayList{"a", "b\r"};
        QTest::newRow("empty lines count") << QByteArray("\n\na\n\n") << QByteArrayList{"", "", "a", ""};
        QTest::newRow("mark") << QByteArray("\xEF\xBB\xBF"
                                            "a\n")
                              << QByteArrayList{"a"};
        QTest::newRow("separators are text") << QByteArray("a\xE2\x80\xA8"
                                                           "b\x0C"
                                                           "c\n")
                                             << QByteArrayList{"a\xE2\x80\xA8"
                                                               "b\x0C"
                                                               "c"};
    }

    void lineEnds()
    {
        QFETCH(QByteArray, text);
        QFETCH(QByteArrayList, lines);
        QByteArrayList found;
        for (const std::string &line : readLines(file(text.toStdString())).valueOrThrow())
            found.append(QByteArray::fromStdString(line));
        QCOMPARE(found, lines);
    }

    void packedTextIsUnpacked()
    {
        QCOMPARE(readLines(file(gzipBytes())).valueOrThrow(), (std::vector<std::string>{"one", "two"}));
        // Two members one after the other are one text.
        QCOMPARE(readLines(file(gzipBytes() + gzipBytes())).valueOrThrow().size(), std::size_t{4});
        const QByteArray xz = packed(QStringLiteral("xz"), "eins\nzwei\n");
        if (!xz.isEmpty())
            QCOMPARE(readLines(file(xz.toStdString())).valueOrThrow(), (std::vector<std::string>{"eins", "zwei"}));
    }

    void damagedPackingIsAnError()
    {
        const auto cut = readLines(file(gzipBytes().substr(0, 15), "cut.gz"));
        QVERIFY(cut.isError());
        QVERIFY2(cut.error().message.find("cut.gz cannot be unpacked") != std::string::npos,
                 cut.error().message.c_str());
    }

    void noMoreThanWantedLinesAreRead()
    {
        std::string text;
        for (int i = 0; i < 3'000'000; ++i)
            text += "line " + std::to_string(i) + "\n";
        const QByteArray gzip = packed(QStringLiteral("gzip"), QByteArray::fromStdString(text));
        if (gzip.isEmpty())
            QSKIP("no gzip here");
        const auto many = file(gzip.toStdString(), "many.gz");
        QCOMPARE(readText(many, {}, 4 << 20, 2).value(), std::string("line 0\nline 1\n")); // all is too large
        QVERIFY(readText(many, {}, 4 << 20).isError());
        const auto plain = file("a\nb\nc", "few.txt");
        QCOMPARE(readText(plain, {}, kLargestText, 2).value(), std::string("a\nb\n"));
        QCOMPARE(readText(plain, {}, kLargestText, 9).value(), std::string("a\nb\nc"));
    }

    /// A pipe without a writer: a cancel must be heeded, or the program could not be ended in an orderly way.
    void waitingForAPipeCanBeCancelled()
    {
        const std::string path = (std::filesystem::path(m_folder.path().toStdString()) / "pipe").string();
        QCOMPARE(::mkfifo(path.c_str(), 0600), 0);
        std::stop_source stop;
        std::thread later([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(100));
            stop.request_stop();
        });
        QVERIFY(readBytes(path, JobControl(stop.get_token())).isCancelled());
        later.join();
        std::thread writer([&] { std::ofstream(path) << "through\na pipe\n"; });
        QCOMPARE(readLines(path).value(), (std::vector<std::string>{"through", "a pipe"}));
        writer.join();
    }

    void pipesAreRefusedWhereAFileBelongs()
    {
        const std::filesystem::path folder = m_folder.path().toStdString();
        const std::filesystem::path pipe = folder / "config.json";
        QCOMPARE(::mkfifo(pipe.c_str(), 0600), 0);
        for (const std::filesystem::path &path : {pipe, std::filesystem::path("/dev/zero"), folder}) {
            const auto refused = requireRegularFile(path);
            QVERIFY(refused.isError());
            QVERIFY2(refused.error().message.find("not a regular file") != std::string::npos,
                     refused.error().message.c_str());
        }
        QVERIFY(requireRegularFile(folder / "nothing").isOk()); // whoever reads it says so
        // What a shell hands over for <(command) has no name.
        std::array<int, 2> ends{};
        QCOMPARE(::pipe(ends.data()), 0);
        QVERIFY(requireRegularFile("/dev/fd/" + std::to_string(ends[0])).isOk());
        ::close(ends[0]);
        ::close(ends[1]);
    }

    void pointersOfGitLfsAreNamed()
    {
        const auto text
            = readText(file("version https://git-lfs.github.com/spec/v1\noid sha256:ab\nsize 5\n", "vocab.txt"));
        QVERIFY(text.isError());
        QVERIFY2(text.error().message.find("git lfs pull") != std::string::npos, text.error().message.c_str());
    }

    void bombsAreStopped()
    {
        const QByteArray bomb = packed(QStringLiteral("gzip"), QByteArray(5 << 20, 'a'));
        if (bomb.isEmpty())
            QSKIP("gzip is not installed");
        QVERIFY(bomb.size() < 10000);
        const auto text = readText(file(bomb.toStdString()), {}, 1 << 20);
        QVERIFY(text.isError());
        QVERIFY(text.error().message.find("more than 1 MiB") != std::string::npos);
        QCOMPARE(readText(file(bomb.toStdString())).valueOrThrow().size(), std::size_t{5 << 20});
        QVERIFY(readText(file(std::string(2 << 20, 'a')), {}, 1 << 20).isError());
    }

    void invalidUtf8IsPlaced()
    {
        const auto lines = readLines(file("gut\nschlecht: \xE4\n", "latin1.txt"));
        QVERIFY(lines.isError());
        QCOMPARE(lines.error().code, ErrorCode::BadInput);
        QVERIFY2(lines.error().message.find("latin1.txt is not UTF-8 text: line 2, byte 11 is 0xE4")
                     != std::string::npos,
                 lines.error().message.c_str());
        QVERIFY(readLines(file("\xFF\xFE"
                               "a\0"))
                    .error()
                    .message.find("UTF-16")
                != std::string::npos);
    }

    void strictUtf8_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<int>("position");
        QTest::newRow("ascii") << QByteArray("abc") << -1;
        QTest::newRow("all lengths") << QByteArray("a\u00e9\u20ac\U0001F600") << -1;
        QTest::newRow("last code point") << QByteArray("\xF4\x8F\xBF\xBF") << -1;
        QTest::newRow("beyond the last") << QByteArray("\xF4\x90\x80\x80") << 0;
        QTest::newRow("overlong slash") << QByteArray("a\xC0\xAF") << 1;
        QTest::newRow("overlong three") << QByteArray("\xE0\x80\xAF") << 0;
        QTest::newRow("surrogate") << QByteArray("ab\xED\xA0\x80") << 2;
        QTest::newRow("cut") << QByteArray("ab\xE2\x82") << 2;
        QTest::newRow("lone continuation") << QByteArray("\x80") << 0;
    }

    void strictUtf8()
    {
        QFETCH(QByteArray, text);
        QFETCH(int, position);
        const auto at = firstInvalidUtf8(text.toStdString());
        QCOMPARE(at ? static_cast<int>(*at) : -1, position);
    }

    void trimsAndCountsWords()
    {
        QCOMPARE(trimmed(" \t\u00a0a b\u3000\n"), std::string_view("a b"));
        QCOMPARE(trimmed("\u2003"), std::string_view());
        QCOMPARE(trimmed("\u00e9"), std::string_view("\u00e9"));
        QCOMPARE(countWords("  eine  \u00e9tude\u00a0courte "), std::size_t{3});
        QCOMPARE(countWords(""), std::size_t{0});
    }

    void unreadableFilesAreNamed()
    {
        QVERIFY(readLines("/no/such/file.en").error().message.find("/no/such/file.en") != std::string::npos);
        QVERIFY(readLines(m_folder.path().toStdString()).error().message.find("is a folder") != std::string::npos);
    }

    void cancelIsNotAFailure()
    {
        std::stop_source stop;
        stop.request_stop();
        QVERIFY(readLines(file("a\n"), JobControl(stop.get_token())).isCancelled());
        QVERIFY(readLines(file(gzipBytes()), JobControl(stop.get_token())).isCancelled());
    }
};

QTEST_GUILESS_MAIN(TestTextLines)
#include "tst_textlines.moc"

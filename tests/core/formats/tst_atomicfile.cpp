#include "core/formats/atomicfile.h"
#include "core/formats/mappedfile.h"
#include "core/formats/textlines.h"

#include <QTemporaryDir>
#include <QTest>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

using namespace headscope;

class TestAtomicFile : public QObject
{
    Q_OBJECT

    QTemporaryDir m_folder;

    std::filesystem::path folder() const { return m_folder.path().toStdString(); }
    static std::string content(const std::filesystem::path &path) { return readBytes(path).valueOrThrow(); }
    std::ptrdiff_t filesInFolder() const
    {
        return std::distance(std::filesystem::directory_iterator(folder()), std::filesystem::directory_iterator());
    }

private Q_SLOTS:
    void writesAndReplaces()
    {
        const auto path = folder() / "a.txt";
        QVERIFY(writeFileAtomically(path, "first").isOk());
        QCOMPARE(content(path), std::string("first"));
        QVERIFY(writeFileAtomically(path, [](const ByteSink &sink) {
                    (void)sink("sec").valueOrThrow();
                    return sink("ond");
                }).isOk());
        QCOMPARE(content(path), std::string("second"));
        QCOMPARE(filesInFolder(), 1);
    }

    /// Of programs that were killed; not of those that write, and nothing of the user's.
    void whatKilledWritersLeftIsRemoved()
    {
        const auto at = folder() / "tidied";
        std::filesystem::create_directories(at / ".model.123.0.partial");
        const std::vector<std::string> users{".a.txt.tmp", ".a.txt.1.tmp",   "a.txt.1.0.tmp",
                                             ".1.0.tmp",   ".a.txt.1.x.tmp", ".a.partial"};
        for (const std::string &name : users)
            std::ofstream(at / name) << "mine";
        for (const char *name : {".a.txt.123.0.tmp", ".b.json.99.17.tmp", ".c.txt.5.5.tmp", ".new.txt.5.6.tmp"})
            std::ofstream(at / name) << "half";
        std::ofstream(at / ".model.123.0.partial" / "weights") << "half";
        const int writing = ::open((at / ".c.txt.5.5.tmp").c_str(), O_RDONLY | O_CLOEXEC);
        QCOMPARE(::flock(writing, LOCK_EX | LOCK_NB), 0);
        const auto old = std::filesystem::file_time_type::clock::now() - std::chrono::hours(1);
        for (const auto &entry : std::filesystem::directory_iterator(at)) {
            if (entry.path().filename() != ".new.txt.5.6.tmp")
                std::filesystem::last_write_time(entry.path(), old);
        }
        QVERIFY(writeFileAtomically(at / "z.txt", "z").isOk());
        for (const char *name : {".a.txt.123.0.tmp", ".b.json.99.17.tmp", ".model.123.0.partial"})
            QVERIFY2(!std::filesystem::exists(at / name), name);
        for (const char *name : {".c.txt.5.5.tmp", ".new.txt.5.6.tmp", "z.txt"})
            QVERIFY2(std::filesystem::exists(at / name), name);
        for (const std::string &name : users)
            QVERIFY2(std::filesystem::exists(at / name), name.c_str());
        ::close(writing);
        std::filesystem::remove_all(at);
    }

    void failureKeepsTheOldFile()
    {
        const auto path = folder() / "a.txt";
        (void)writeFileAtomically(path, "old").valueOrThrow();
        const auto failed = writeFileAtomically(path, [](const ByteSink &sink) -> Result<Done> {
            (void)sink("half").valueOrThrow();
            return badInput("no more data");
        });
        QCOMPARE(failed.error().message, std::string("no more data"));
        QVERIFY_EXCEPTION_THROWN(
            (void)writeFileAtomically(path, [](const ByteSink &) -> Result<Done> { throw Cancelled(); }), Cancelled);
        QCOMPARE(content(path), std::string("old"));
        QCOMPARE(filesInFolder(), 1);
    }

    void unwritablePlacesAreExplained()
    {
        const auto missing = writeFileAtomically("/no/such/folder/a.txt", "x");
        QCOMPARE(missing.error().code, ErrorCode::Resource);
        QVERIFY(missing.error().message.find("/no/such/folder/a.txt") != std::string::npos);
        QVERIFY(writeFileAtomically(folder(), "x").error().message.find("is a folder") != std::string::npos);
        if (::geteuid() == 0)
            QSKIP("the administrator may write everywhere");
        const auto closed = folder() / "closed";
        std::filesystem::create_directory(closed);
        ::chmod(closed.c_str(), 0500);
        const auto refused = writeFileAtomically(closed / "a.txt", "x");
        ::chmod(closed.c_str(), 0700);
        QVERIFY(refused.error().message.find("may write to") != std::string::npos);
    }

    void fullDiskIsExplained()
    {
        // A limit on the size of files stands in for a full disk.
        struct rlimit before = {};
        ::getrlimit(RLIMIT_FSIZE, &before);
        struct rlimit small = before;
        small.rlim_cur = 4096;
        std::signal(SIGXFSZ, SIG_IGN);
        ::setrlimit(RLIMIT_FSIZE, &small);
        const auto path = folder() / "large";
        const auto result = writeFileAtomically(path, std::string(10000, 'x'));
        ::setrlimit(RLIMIT_FSIZE, &before);
        QVERIFY(result.isError());
        QCOMPARE(result.error().code, ErrorCode::Resource);
        QVERIFY2(result.error().message.starts_with("cannot write " + path.string()), result.error().message.c_str());
        QVERIFY(!std::filesystem::exists(path));
    }

    void permissionsAreKept()
    {
        const auto path = folder() / "private";
        (void)writeFileAtomically(path, "old").valueOrThrow();
        ::chmod(path.c_str(), 0600);
        (void)writeFileAtomically(path, "new").valueOrThrow();
        struct stat facts = {};
        QCOMPARE(::stat(path.c_str(), &facts), 0);
        QCOMPARE(facts.st_mode & 07777, mode_t{0600});
    }

    /// Bytes go through a pipe or device; it is not replaced by a file.
    void pipesStay()
    {
        const auto path = folder() / "pipe";
        QCOMPARE(::mkfifo(path.c_str(), 0600), 0);
        QVERIFY(writeFileAtomically(path, "x").isError()); // nobody reads
        const int reader = ::open(path.c_str(), O_RDONLY | O_NONBLOCK);
        QVERIFY(writeFileAtomically(path, "through").isOk());
        char read[16] = {};
        QCOMPARE(::read(reader, read, sizeof(read)), ssize_t{7});
        ::close(reader);
        QVERIFY(std::filesystem::is_fifo(path));
        QVERIFY(checkWritable(path).isOk());
        QVERIFY(checkWritable(folder()).isError());
        QVERIFY(checkWritable(folder() / "missing" / "file").isError());
        const std::ptrdiff_t before = filesInFolder();
        QVERIFY(checkWritable(folder() / "new").isOk());
        QCOMPARE(filesInFolder(), before); // it leaves nothing behind
    }

    void linksAreFollowed()
    {
        const auto target = folder() / "target.txt";
        const auto link = folder() / "link.txt";
        (void)writeFileAtomically(target, "old").valueOrThrow();
        std::filesystem::create_symlink("target.txt", link);
        QVERIFY(writeFileAtomically(link, "new").isOk());
        QVERIFY(std::filesystem::is_symlink(link));
        QCOMPARE(content(target), std::string("new"));
    }

    void mappingShowsTheFileAndKeepsChangesPrivate()
    {
        const auto path = folder() / "mapped";
        (void)writeFileAtomically(path, "abc").valueOrThrow();
        const auto file = MappedFile::open(path).valueOrThrow();
        QCOMPARE(file->bytes().size(), std::size_t{3});
        QCOMPARE(std::to_integer<char>(file->bytes()[1]), 'b');
        file->bytes()[1] = std::byte{'X'};
        QCOMPARE(content(path), std::string("abc"));
        QVERIFY(file->isIntact());
        std::filesystem::resize_file(path, 1);
        QVERIFY(!file->isIntact());
    }

    void mappingRefusesWhatIsNoFile()
    {
        QVERIFY(MappedFile::open(folder()).isError());
        QVERIFY(MappedFile::open(folder() / "missing").isError());
        QVERIFY(MappedFile::open("/dev/null").isError());
        (void)writeFileAtomically(folder() / "empty", "").valueOrThrow();
        QVERIFY(MappedFile::open(folder() / "empty").valueOrThrow()->bytes().empty());
    }
};

QTEST_GUILESS_MAIN(TestAtomicFile)
#include "tst_atomicfile.moc"

// A hash is remembered as long as the file is the same by all that the file system tells of it.
#include "core/formats/hash.h"
#include "core/formats/rememberedhash.h"

#include <QDir>
#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QTest>

#include <fcntl.h>
#include <sys/stat.h>

#include <array>
#include <chrono>
#include <memory>
#include <string>

using namespace headscope;
using namespace Qt::StringLiterals;

class TestRememberedHash : public QObject
{
    Q_OBJECT

    static constexpr qsizetype kLarge = 2 << 20;
    static constexpr int kPatience = 60000; // ms

    std::unique_ptr<QTemporaryDir> m_dir;

    QString file() const { return m_dir->filePath(u"weights.bin"_s); }
    QDir entries() const { return {m_dir->filePath(u"cache/headscope/hashes"_s)}; }
    QStringList names() const { return entries().entryList(QDir::Files); }
    static bool write(const QString &path, const QByteArray &bytes)
    {
        QFile made(path);
        return made.open(QFile::WriteOnly) && made.write(bytes) == bytes.size();
    }
    QString remembered() const { return QString::fromStdString(rememberedHash(file().toStdString()).value()); }
    QString real() const { return QString::fromStdString(hashFile(file().toStdString()).value()); }
    /// Waits until the file was written long enough ago for its hash to be kept: 2 seconds, on clocks that tick as
    /// slowly.
    bool settles() const
    {
        return QTest::qWaitFor(
            [this] {
                struct stat about
                {
                };
                return stat(file().toLocal8Bit().constData(), &about) == 0
                    && std::chrono::system_clock::now()
                           > std::chrono::system_clock::time_point(std::chrono::seconds(about.st_ctim.tv_sec + 3));
            },
            kPatience);
    }
    /// So that one sees where a hash comes from.
    bool falsify() const
    {
        const QString entry = entries().filePath(names().front());
        QFile read(entry);
        if (!read.open(QFile::ReadOnly))
            return false;
        QJsonObject object = QJsonDocument::fromJson(read.readAll()).object();
        read.close();
        object[u"hash"_s] = QString(32, u'0');
        return write(entry, QJsonDocument(object).toJson());
    }

private Q_SLOTS:
    void init()
    {
        m_dir = std::make_unique<QTemporaryDir>();
        qputenv("XDG_CACHE_HOME", m_dir->filePath(u"cache"_s).toUtf8());
        QVERIFY(write(file(), QByteArray(kLarge, 'a')));
    }

    void isRemembered()
    {
        QCOMPARE(remembered(), real());
        QVERIFY(names().isEmpty()); // written to a moment ago
        QVERIFY(settles());
        QCOMPARE(remembered(), real());
        QCOMPARE(names().size(), 1);
        QVERIFY(falsify());
        QCOMPARE(remembered(), QString(32, u'0'));
        QVERIFY(QFile::link(file(), m_dir->filePath(u"link"_s)));
        QCOMPARE(rememberedHash(m_dir->filePath(u"link"_s).toStdString()).value(), std::string(32, '0'));
    }

    void changedFilesAreReadAgain()
    {
        QVERIFY(settles());
        (void)remembered();
        QVERIFY(falsify());
        struct stat before
        {
        };
        QVERIFY(stat(file().toLocal8Bit().constData(), &before) == 0);
        // In place, as large as before, and with the old time: as whoever copies with times would.
        QFile changed(file());
        QVERIFY(changed.open(QFile::ReadWrite) && changed.putChar('b'));
        changed.close();
        const std::array<timespec, 2> times{before.st_atim, before.st_mtim};
        QVERIFY(utimensat(AT_FDCWD, file().toLocal8Bit().constData(), times.data(), 0) == 0);
        QCOMPARE(remembered(), real());
    }

    void damagedEntriesAreNone()
    {
        QVERIFY(settles());
        (void)remembered();
        const QString entry = entries().filePath(names().front());
        for (const QByteArray &bytes :
             {QByteArray(), QByteArray("{"), QByteArray("[]"), QByteArray("{\"hash\": 3}"), QByteArray(1 << 17, ' ')}) {
            QVERIFY(write(entry, bytes));
            QCOMPARE(remembered(), real());
        }
    }

    void whatCannotBeKeptIsHashed()
    {
        QVERIFY(settles());
        QVERIFY(write(m_dir->filePath(u"cache"_s), "a file")); // no folder
        QCOMPARE(remembered(), real());
        qunsetenv("XDG_CACHE_HOME");
        const QByteArray home = qgetenv("HOME");
        qunsetenv("HOME");
        QCOMPARE(remembered(), real());
        qputenv("HOME", home);
        QVERIFY(rememberedHash(m_dir->filePath(u"none"_s).toStdString()).isError());
        QVERIFY(rememberedHash(m_dir->path().toStdString()).isError());
    }

    void smallFilesAreNotKept()
    {
        QVERIFY(write(file(), "small"));
        QVERIFY(settles());
        QCOMPARE(remembered(), real());
        QVERIFY(names().isEmpty());
    }
};

QTEST_GUILESS_MAIN(TestRememberedHash)
#include "tst_rememberedhash.moc"

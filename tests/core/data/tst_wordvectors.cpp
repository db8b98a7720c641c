// Word vectors in GloVe's text format, and what is wrong with files.
#include "core/data/wordvectors.h"
#include "core/formats/atomicfile.h"

#include <QTemporaryDir>
#include <QTest>

#include <set>
#include <string>
#include <vector>

using namespace headscope;
using namespace Qt::StringLiterals;

class TestWordVectors : public QObject
{
    Q_OBJECT

    QTemporaryDir m_folder;

    Result<WordVectors> read(const std::string &text, const std::set<std::string> &wanted) const
    {
        const std::filesystem::path file = std::filesystem::path(m_folder.path().toStdString()) / "vectors.txt";
        (void)writeFileAtomically(file, text).valueOrThrow();
        return readWordVectors(file, wanted);
    }

private Q_SLOTS:
    void wantedWordsHaveTheirVectors()
    {
        const WordVectors found
            = read("the 0.5 -1 2e-1\ndog 1 2 3\r\ncat 4 5 6\nthe 9 9 9\n", {"the", "dog", "bird"}).valueOrThrow();
        QCOMPARE(found.width, 3);
        QCOMPARE(found.vectors.size(), 2U); // what nobody wants is not kept
        QCOMPARE(*found.find("the"), (std::vector<float>{0.5F, -1, 0.2F}));
        QCOMPARE(*found.find("dog"), (std::vector<float>{1, 2, 3}));
        QVERIFY(!found.find("bird") && !found.find("cat"));
    }

    void wordsAreLookedForInSmallLettersToo()
    {
        const WordVectors found = read("dog 1 2\nParis 3 4\nparis 5 6\n", {"DOG", "Paris"}).valueOrThrow();
        QCOMPARE(*found.find("DOG"), (std::vector<float>{1, 2}));
        QCOMPARE(*found.find("Paris"), (std::vector<float>{3, 4}));
        QCOMPARE(*found.find("PARIS"), (std::vector<float>{5, 6}));
    }

    void headingsAndWordsWithBlanks()
    {
        const WordVectors found
            = read("2 3\na 1 2 3\nat name@domain.com 4 5 6\n. . . 7 8 9\n", {"a", "at name@domain.com", ". . .", "2"})
                  .valueOrThrow();
        QCOMPARE(found.width, 3);
        QCOMPARE(found.vectors.size(), 3U);
        QCOMPARE(*found.find("at name@domain.com"), (std::vector<float>{4, 5, 6}));
        QCOMPARE(*found.find(". . ."), (std::vector<float>{7, 8, 9}));
    }

    void wrongFilesAreRefused_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("says");
        QTest::newRow("empty") << QByteArray() << u"no word vectors"_s;
        QTest::newRow("no numbers") << QByteArray("dog\n") << u"line 1"_s;
        QTest::newRow("another width") << QByteArray("a 1 2\nb 1\n") << u"line 2: it has 1 numbers, the first has 2"_s;
        QTest::newRow("no number") << QByteArray("a 1 2\nb 1 x\n") << u"\"x\" is no finite number"_s;
        QTest::newRow("not finite") << QByteArray("a 1 nan\n") << u"\"nan\" is no finite number"_s;
        QTest::newRow("too large") << QByteArray("a 1 1e99\n") << u"\"1e99\" is no finite number"_s;
        QTest::newRow("no text") << QByteArray("a\xff 1 2\n") << u"UTF-8"_s;
    }

    void wrongFilesAreRefused()
    {
        QFETCH(QByteArray, text);
        QFETCH(QString, says);
        const auto found = read(text.toStdString(), {"a", "b"});
        QVERIFY(found.isError());
        const QString message = QString::fromStdString(found.error().message);
        QVERIFY2(message.contains(says), qPrintable(message));
        QVERIFY(message.contains(u"vectors.txt"_s));
    }
};

QTEST_APPLESS_MAIN(TestWordVectors)
#include "tst_wordvectors.moc"

#include "ui/pages/attention/worddiff.h"

#include <QTest>

using namespace headscope;
using namespace Qt::StringLiterals;

class TestWordDiff final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void diff_data();
    void diff();
    void bothSidesCanBeReadBack();
    void htmlEscapesAndMarks();
};

void TestWordDiff::diff_data()
{
    QTest::addColumn<QString>("before");
    QTest::addColumn<QString>("after");
    QTest::addColumn<QString>("expected"); // =same -removed +added
    QTest::newRow("equal") << u"un chien court"_s << u"un chien court"_s << u"=un =chien =court"_s;
    QTest::newRow("replaced") << u"un chien court"_s << u"un chat court"_s << u"=un -chien +chat =court"_s;
    QTest::newRow("inserted") << u"un chien"_s << u"un grand chien"_s << u"=un +grand =chien"_s;
    QTest::newRow("deleted") << u"un grand chien"_s << u"un chien"_s << u"=un -grand =chien"_s;
    QTest::newRow("from nothing") << u""_s << u"un chien"_s << u"+un +chien"_s;
    QTest::newRow("to nothing") << u"un chien"_s << u" "_s << u"-un -chien"_s;
    QTest::newRow("repeated word") << u"a b a"_s << u"a a"_s << u"=a -b =a"_s;
}

void TestWordDiff::diff()
{
    QFETCH(QString, before);
    QFETCH(QString, after);
    QFETCH(QString, expected);
    QStringList words;
    for (const DiffWord &word : wordDiff(before, after))
        words << QString(u"=-+"_s[static_cast<int>(word.kind)] + word.text);
    QCOMPARE(words.join(u' '), expected);
}

void TestWordDiff::bothSidesCanBeReadBack()
{
    const QString before = u"un homme assis sur un banc lit un journal"_s;
    const QString after = u"un vieil homme sur le banc lit son journal ."_s;
    QStringList a, b;
    for (const DiffWord &word : wordDiff(before, after)) {
        if (word.kind != DiffKind::Added)
            a << word.text;
        if (word.kind != DiffKind::Removed)
            b << word.text;
    }
    QCOMPARE(a.join(u' '), before);
    QCOMPARE(b.join(u' '), after);
}

void TestWordDiff::htmlEscapesAndMarks()
{
    const QString html = diffHtml(wordDiff(u"a <b> c"_s, u"a d c"_s), ViewPalette::light());
    QVERIFY(html.contains(u"line-through\">&lt;b&gt;"_s));
    QVERIFY(html.contains(u"font-weight:bold\">d<"_s));
    QVERIFY(html.startsWith(u"a "_s));
}

QTEST_GUILESS_MAIN(TestWordDiff)
#include "tst_worddiff.moc"

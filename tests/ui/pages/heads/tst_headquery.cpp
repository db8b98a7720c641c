// Words that heads are looked for with.
#include "tests/support/madeupstudy.h"
#include "ui/models/headquery.h"

#include <QTest>

#include <algorithm>
#include <functional>

using namespace headscope;
using namespace Qt::StringLiterals;

class TestHeadQuery : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        m_content = ablationContent(madeup::layout(12, 12), *madeup::ablation(false));
        for (HeadCell &cell : m_content.cells) {
            if (cell.head.kind == HeadKind::Encoder && cell.head.layer == 0) {
                RoleLabel label;
                label.role = cell.head.head % 2 == 0 ? Role::Positional : Role::RareWord;
                cell.roles = {label};
            }
        }
    }

    void addresses_data()
    {
        QTest::addColumn<QString>("words");
        QTest::addColumn<int>("count");
        QTest::newRow("one head") << u"encoder.2.6"_s << 1;
        QTest::newRow("a layer, not those whose number begins like it") << u"cross.1"_s << 12;
        QTest::newRow("a layer, with its point") << u"cross.1."_s << 12;
        QTest::newRow("a kind") << u"decoder"_s << 144;
        QTest::newRow("the beginning of a kind") << u"Enc"_s << 144;
        QTest::newRow("a role") << u"positional"_s << 6;
        QTest::newRow("the beginning of a role") << u"rare"_s << 6;
        QTest::newRow("both hold") << u"positional encoder.0.2"_s << 1;
        QTest::newRow("both cannot hold") << u"positional encoder.0.3"_s << 0;
        QTest::newRow("masked") << u"masked"_s << 2;
        QTest::newRow("unmasked of a layer") << u"unmasked encoder.3"_s << 10;
        QTest::newRow("no words") << u"  "_s << 0;
    }
    void addresses()
    {
        QFETCH(QString, words);
        QFETCH(int, count);
        const HeadQuery found = findHeads(words, m_content, m_mask);
        QCOMPARE(found.problem, QString());
        QCOMPARE(static_cast<int>(found.heads.size()), count);
    }

    void comparisons_data()
    {
        QTest::addColumn<QString>("words");
        QTest::addColumn<std::function<bool(const HeadCell &)>>("wanted");
        using Wanted = std::function<bool(const HeadCell &)>;
        QTest::newRow("p") << u"p<0.01"_s << Wanted([](const HeadCell &cell) { return cell.p && *cell.p < 0.01; });
        QTest::newRow("p, with a comma") << u"p<0,01"_s
                                         << Wanted([](const HeadCell &cell) { return cell.p && *cell.p < 0.01; });
        QTest::newRow("adjusted p") << u"holm<=0.05"_s << Wanted([](const HeadCell &cell) {
            return cell.pAdjusted && *cell.pAdjusted <= 0.05;
        });
        QTest::newRow("rank") << u"rank<=5"_s
                              << Wanted([](const HeadCell &cell) { return cell.rank >= 1 && cell.rank <= 5; });
        QTest::newRow("one rank") << u"rank=3"_s << Wanted([](const HeadCell &cell) { return cell.rank == 3; });
        QTest::newRow("value, with a typographic minus")
            << u"value<−0.5"_s << Wanted([](const HeadCell &cell) { return cell.value && *cell.value < -0.5; });
        QTest::newRow("two of them") << u"value>0 p<0.5"_s << Wanted([](const HeadCell &cell) {
            return cell.value && *cell.value > 0 && cell.p && *cell.p < 0.5;
        });
    }
    void comparisons()
    {
        QFETCH(QString, words);
        QFETCH(std::function<bool(const HeadCell &)>, wanted);
        std::set<HeadRef> expected;
        for (const HeadCell &cell : m_content.cells) {
            if (wanted(cell))
                expected.insert(cell.head);
        }
        QVERIFY(!expected.empty());
        QVERIFY(findHeads(words, m_content, m_mask).heads == expected);
    }

    void valuesAreComparedAsTheyAreShown()
    {
        GridContent content = m_content;
        content.format.factor = 100;
        QVERIFY(findHeads(u"value<-50"_s, content, m_mask).heads
                == findHeads(u"value<-0.5"_s, m_content, m_mask).heads);
    }

    void whatIsNotUnderstoodIsNamed_data()
    {
        QTest::addColumn<QString>("words");
        QTest::addColumn<QString>("named");
        QTest::newRow("no such head") << u"encoder.99"_s << u"encoder.99"_s;
        QTest::newRow("no word of ours") << u"positional banana"_s << u"banana"_s;
        QTest::newRow("no bound") << u"p<"_s << u"p<"_s;
        QTest::newRow("no such number") << u"size<3"_s << u"size<3"_s;
        QTest::newRow("no number") << u"p<1.2.3"_s << u"p<1.2.3"_s;
    }
    void whatIsNotUnderstoodIsNamed()
    {
        QFETCH(QString, words);
        QFETCH(QString, named);
        const HeadQuery found = findHeads(words, m_content, m_mask);
        QVERIFY(found.heads.empty());
        QVERIFY2(found.problem.contains(named), qPrintable(found.problem));
    }

private:
    GridContent m_content;
    HeadMask m_mask{{HeadKind::Encoder, 3, 0}, {HeadKind::Encoder, 3, 1}};
};

QTEST_GUILESS_MAIN(TestHeadQuery)
#include "tst_headquery.moc"

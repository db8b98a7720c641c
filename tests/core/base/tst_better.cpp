#include "core/base/better.h"

#include <QTest>

#include <cmath>

using namespace headscope;

class TestBetter : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void aGainIsForTheBetter()
    {
        QCOMPARE(gain(Better::Higher, -2.5), -2.5);
        QCOMPARE(gain(Better::Lower, -2.5), 2.5);
        QVERIFY(isWorse(Better::Higher, -1) && !isWorse(Better::Higher, 1));
        QVERIFY(isWorse(Better::Lower, 1) && !isWorse(Better::Lower, -1));
        QVERIFY(!isWorse(Better::Higher, 0) && !isWorse(Better::Lower, 0));
        QVERIFY(!isWorse(Better::Lower, std::nan("")));
    }

    void intervalsKeepTheirOrder()
    {
        QCOMPARE(gain(Better::Higher, Interval{-1, 3}), (Interval{-1, 3}));
        QCOMPARE(gain(Better::Lower, Interval{-1, 3}), (Interval{-3, 1}));
    }

    void wordsOfFiles()
    {
        for (const Better better : {Better::Higher, Better::Lower})
            QVERIFY(parseName<Better>(toText(better)).value() == better);
        QVERIFY(parseName<Better>("sideways").isError() && parseName<Better>("").isError());
    }
};

QTEST_APPLESS_MAIN(TestBetter)
#include "tst_better.moc"

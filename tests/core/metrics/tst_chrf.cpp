#include "core/metrics/chrf.h"
#include "tests/core/metrics/corpora.h"

#include <QElapsedTimer>
#include <QTest>

#include <cmath>

using namespace headscope;
using corpora::corpusScore;
using corpora::kHypotheses;
using corpora::kReferences;

namespace {

bool close(double found, double expected, double tolerance = 1e-10)
{
    if (std::abs(found - expected) <= tolerance)
        return true;
    qWarning("found %.15g, expected %.15g", found, expected);
    return false;
}

} // namespace

/// Expected values: sacreBLEU 2.6.0, run, and the tables of its own tests.
class TestChrf : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void corpusOptions();
    void sentences();
    void epsilonCases();
    void effectiveOrderCases();
    void signatures();
    void isFast();
};

void TestChrf::corpusOptions()
{
    const auto score
        = [](ChrfOptions options) { return corpusScore(ChrfMetric(options, 2), kHypotheses, kReferences); };
    QVERIFY(close(score({}), 59.72751782684763));
    QVERIFY(close(score({.wordOrder = 2}), 59.15310444399262));
    QVERIFY(close(score({.whitespace = true}), 65.8764867358276));
    QVERIFY(close(score({.epsilonSmoothing = true}), 59.72734693786311));
    QVERIFY(close(score({.beta = 3}), 59.97018342124192));
    QVERIFY(close(score({.characterOrder = 4}), 66.33413248688176));
    QVERIFY(close(score({.lowerCase = true}), 60.02302725455764));
    QVERIFY(close(score({.wordOrder = 1, .beta = 1}), 60.39628208923371));
}

void TestChrf::sentences()
{
    const double expected[] = {100.0, 35.34635301425291, 51.87740799504779};
    const double expectedWithWords[] = {100.0, 29.14513880802484, 52.00714394858371};
    for (std::size_t i = 0; i < 3; ++i) {
        const std::vector<corpora::Lines> references = {{kReferences[0][i]}, {kReferences[1][i]}};
        QVERIFY(close(corpusScore(ChrfMetric({}, 2), {kHypotheses[i]}, references), expected[i]));
        QVERIFY(
            close(corpusScore(ChrfMetric({.wordOrder = 2}, 2), {kHypotheses[i]}, references), expectedWithWords[i]));
    }
    QVERIFY(close(corpusScore(ChrfMetric(), {"test"}, {{"a test"}}), 72.57346393588602));
    QVERIFY(close(corpusScore(ChrfMetric(), {"x y z w"}, {{"x y q z w"}}), 33.99581589958159));
    QCOMPARE(corpusScore(ChrfMetric(), {""}, {{""}}), 0.0);
}

void TestChrf::epsilonCases()
{
    const ChrfMetric metric({.beta = 3, .epsilonSmoothing = true});
    const auto score = [&](corpora::Lines hypotheses, corpora::Lines references) {
        return corpusScore(metric, hypotheses, {references});
    };
    constexpr double kTolerance = 1e-4; // that of sacreBLEU's table
    QVERIFY(close(score({"abcdefg"}, {"hijklmnop"}), 0, kTolerance));
    QVERIFY(close(score({""}, {"reference"}), 0, kTolerance));
    QVERIFY(close(score({"aa"}, {"ab"}), 8.3333, kTolerance));
    QVERIFY(close(score({"a", "b"}, {"a", "c"}), 8.3333, kTolerance));
    QVERIFY(close(score({"a"}, {"a"}), 16.6667, kTolerance));
    QVERIFY(close(score({"a b c"}, {"abc"}), 50, kTolerance));
    QVERIFY(close(score({" Die    Beziehung zwischen  Obama und Netanjahu ist nicht gerade  freundlich. "},
                        {"Das Verhältnis zwischen Obama und Netanyahu ist nicht gerade freundschaftlich."}),
                  64.1302698, kTolerance));
}

void TestChrf::effectiveOrderCases()
{
    const ChrfMetric metric({.beta = 3});
    QVERIFY(close(corpusScore(metric, {"a"}, {{"a"}}), 100));
    QVERIFY(close(corpusScore(metric, {"aa"}, {{"ab"}}), 25));
    QVERIFY(close(corpusScore(metric, {"a", "b"}, {{"a", "c"}}), 50));
    QVERIFY(close(corpusScore(metric, {""}, {{"c"}}), 0));
    QVERIFY(close(corpusScore(metric, {"a b c"}, {{"abc"}}), 100));
}

void TestChrf::signatures()
{
    QCOMPARE(ChrfMetric().name(), std::string("chrF2"));
    QCOMPARE(ChrfMetric({.wordOrder = 1, .beta = 1}).name(), std::string("chrF1+"));
    QCOMPARE(ChrfMetric().signature(), std::string("nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|impl:headscope"));
}

void TestChrf::isFast()
{
    const ChrfMetric metric;
    const std::string reference = "Two young, White males are outside near many bushes in the old town.";
    const auto prepared = metric.prepare(reference);
    std::vector<double> statistics(metric.statisticsSize());
    QElapsedTimer timer;
    timer.start();
    for (int i = 0; i < 1000; ++i)
        metric.statistics("Two young, white men are outside near some bushes in an old town.", *prepared, statistics);
    qInfo("1000 sentences: %.2f ms", static_cast<double>(timer.nsecsElapsed()) * 1e-6);
    QVERIFY(timer.elapsed() < 200);
}

QTEST_APPLESS_MAIN(TestChrf)
#include "tst_chrf.moc"

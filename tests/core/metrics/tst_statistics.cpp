#include "core/metrics/correlation.h"
#include "core/metrics/multiplicity.h"

#include <QTest>

#include <cmath>
#include <limits>
#include <vector>

using namespace headscope;

namespace {

using Values = std::vector<double>;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

bool close(double found, double expected, double tolerance = 1e-12)
{
    if (std::abs(found - expected) <= tolerance)
        return true;
    qWarning("found %.15g, expected %.15g", found, expected);
    return false;
}

bool close(const Values &found, const Values &expected)
{
    for (std::size_t i = 0; i < expected.size(); ++i) {
        if (!close(found[i], expected[i]))
            return false;
    }
    return found.size() == expected.size();
}

} // namespace

/// Expected values: scipy.stats (pearsonr, spearmanr, false_discovery_control), run; Holm by hand.
class TestStatistics : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void holm();
    void resamplesLetHolmFind();
    void benjaminiHochberg();
    void adjustmentLeavesOutNan();
    void pearson();
    void pearsonOfTheUndefined();
    void pearsonOfALine();
    void threePointsHaveNoInterval();
    void spearmanWithTies();
    void spearmanIntervalHoldsTheValue();
};

void TestStatistics::resamplesLetHolmFind()
{
    QCOMPARE(resamplesForHolm(0), 1000);
    QCOMPARE(resamplesForHolm(12), 1000);
    QCOMPARE(resamplesForHolm(96), 8000);
    for (const std::int64_t heads : {2, 12, 13, 48, 144, 384, 2000}) {
        // Two heads whose p is the smallest that there can be, among others that do nothing.
        Values p(static_cast<std::size_t>(heads), 1);
        p[0] = p[1] = 2 / static_cast<double>(resamplesForHolm(heads) + 1);
        QVERIFY(holmAdjusted(p)[1] < 0.05 / 2);
    }
}

void TestStatistics::holm()
{
    QVERIFY(close(holmAdjusted(Values{0.01, 0.04, 0.03, 0.005, 0.5, 0.5}), {0.05, 0.12, 0.12, 0.03, 1, 1}));
    QVERIFY(holmAdjusted({}).empty());
    QVERIFY(close(holmAdjusted(Values{0.2}), {0.2}));
}

void TestStatistics::benjaminiHochberg()
{
    QVERIFY(close(benjaminiHochbergAdjusted(Values{0.01, 0.04, 0.03, 0.005, 0.5, 0.5}),
                  {0.03, 0.06, 0.06, 0.03, 0.5, 0.5}));
}

void TestStatistics::adjustmentLeavesOutNan()
{
    const auto adjusted = holmAdjusted(Values{kNan, 0.01, 0.02});
    QVERIFY(std::isnan(adjusted[0]));
    QVERIFY(close(adjusted[1], 0.02));
    QVERIFY(close(adjusted[2], 0.02));
}

void TestStatistics::pearson()
{
    const auto result = pearsonCorrelation(Values{1.2, -0.3, 0.5, 2.2, 0.1, -1.0, 0.7, 3.1},
                                           Values{0.9, 0.4, -0.8, 1.5, 0.3, -0.7, -1.2, 2.0});
    QVERIFY(close(result.value, 0.7491682740125402));
    QVERIFY(close(result.p, 0.03240383929086874));
    QVERIFY(close(result.interval.low, 0.0942535455151013));
    QVERIFY(close(result.interval.high, 0.9515174440466995));
    const auto withGap = pearsonCorrelation(Values{1, 2, kNan, 4, 5}, Values{2, 1, 9, 3, 7});
    QVERIFY(withGap.value == pearsonCorrelation(Values{1, 2, 4, 5}, Values{2, 1, 3, 7}).value);
}

void TestStatistics::pearsonOfTheUndefined()
{
    QVERIFY(std::isnan(pearsonCorrelation(Values{}, Values{}).value));
    for (const Correlation &undefined : {pearsonCorrelation(Values{0.1, 0.1, 0.1, 0.1}, Values{2, 1, 3, 4}),
                                         spearmanCorrelation(Values{0.1, 0.1, 0.1, 0.1}, Values{2, 1, 3, 4}),
                                         kendallCorrelation(Values{0.1, 0.1, 0.1, 0.1}, Values{2, 1, 3, 4})}) {
        QVERIFY(std::isnan(undefined.value) && std::isnan(undefined.p));
        QVERIFY(std::isnan(undefined.interval.low) && std::isnan(undefined.interval.high));
    }
    QVERIFY(std::isnan(pearsonCorrelation(Values{1, 2}, Values{2, 1}).value));
}

void TestStatistics::pearsonOfALine()
{
    const auto up = pearsonCorrelation(Values{1, 2, 3, 4}, Values{2, 4, 6, 8});
    QVERIFY(close(up.value, 1));
    QVERIFY(up.p < 1e-12);
    QVERIFY(close(up.interval.low, 1, 1e-6) && close(up.interval.high, 1, 1e-6));
    QVERIFY(close(pearsonCorrelation(Values{1, 2, 3, 4}, Values{8, 6, 4, 2}).value, -1));
}

void TestStatistics::threePointsHaveNoInterval()
{
    const auto result = pearsonCorrelation(Values{1, 2, 3}, Values{1, 3, 2});
    QVERIFY(close(result.value, 0.5));
    QVERIFY(close(result.p, 2.0 / 3)); // one degree of freedom: Cauchy, t = 1/√3
    QVERIFY(result.interval == (Interval{-1, 1}));
}

void TestStatistics::spearmanWithTies()
{
    const auto result = spearmanCorrelation(Values{1, 2, 2, 3, 5, 5, 5, 8}, Values{2, 1, 2, 4, 3, 3, 6, 7});
    QVERIFY(close(result.value, 0.8262304062195839));
    QVERIFY(close(result.p, 0.011467618963486012));
}

void TestStatistics::spearmanIntervalHoldsTheValue()
{
    const Values a{1, 2, 2, 3, 5, 5, 5, 8};
    const Values b{2, 1, 2, 4, 3, 3, 6, 7};
    const auto result = spearmanCorrelation(a, b, 1000, 1);
    QVERIFY(-1 <= result.interval.low && result.interval.low < result.value);
    QVERIFY(result.value < result.interval.high && result.interval.high <= 1);
    QVERIFY(spearmanCorrelation(a, b, 1000, 1).interval == result.interval);
}

QTEST_APPLESS_MAIN(TestStatistics)
#include "tst_statistics.moc"

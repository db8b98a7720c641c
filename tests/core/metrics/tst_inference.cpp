#include "core/base/random.h"
#include "core/metrics/bleu.h"
#include "core/metrics/bootstrap.h"
#include "core/metrics/inference.h"
#include "core/metrics/outcome.h"
#include "core/metrics/pairedtests.h"

#include <QTest>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

using namespace headscope;

namespace {

/// The mean of numbers. Statistics: the number, 1.
class MeanMetric final : public Metric
{
public:
    std::string name() const override { return "mean"; }
    std::string signature() const override { return {}; }
    std::size_t statisticsSize() const override { return 2; }
    double score(std::span<const double> sums) const override { return sums[0] / sums[1]; }
};

StatisticsTable tableOf(const std::vector<double> &values)
{
    StatisticsTable table(values.size(), 2);
    for (std::size_t i = 0; i < values.size(); ++i) {
        table.row(i)[0] = values[i];
        table.row(i)[1] = 1;
    }
    return table;
}

PairedComparison comparedWithZero(const std::vector<double> &differences, std::int64_t resamples = 1000)
{
    static const MeanMetric metric;
    return PairedBootstrap(tableOf(std::vector<double>(differences.size(), 0)), metric, resamples, 1)
        .compare(tableOf(differences));
}

double normal(Random &random)
{
    double sum = -6;
    for (int i = 0; i < 12; ++i)
        sum += random.uniform();
    return sum;
}

bool isClose(double found, double expected, double tolerance = 1e-9)
{
    if (std::abs(found - expected) <= tolerance)
        return true;
    qWarning("found %.12g, expected %.12g", found, expected);
    return false;
}

bool holdsZero(const Interval &interval)
{
    return interval.low <= 0 && interval.high >= 0;
}

} // namespace

class TestInference : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void signsAllowNoLess();
    void fewExamplesThatAgreeAreNoProof();
    void examplesWithoutADifferenceHaveNoSign();
    void intervalAndPAgree();
    void equalsStudentOfWholeExamples();
    void skewWidensTheTail();
    void coversTheTruth_data();
    void coversTheTruth();
    void largeSetsAreWhatTheBootstrapSays();
    void scoresStayWithinWhatIsPossible();
    void unknownIsNoNumber();
    void marginsNeedExamples();
};

void TestInference::signsAllowNoLess()
{
    QCOMPARE(smallestSignP(0), 1.0);
    QCOMPARE(smallestSignP(1), 1.0);
    QCOMPARE(smallestSignP(2), 0.5);
    QCOMPARE(smallestSignP(6), 1.0 / 32);
    QVERIFY(smallestSignP(100000) >= 0);
    for (std::int64_t n = 1; n < 30; ++n) // of right and wrong answers, McNemar's exact test
        QVERIFY(isClose(smallestSignP(n), mcnemarP({0, n}), 1e-15));
    QVERIFY(!allowsVerdict(5));
    QVERIFY(allowsVerdict(6));
}

/// A bootstrap alone says p = 2 / 1001 of all of these.
void TestInference::fewExamplesThatAgreeAreNoProof()
{
    for (std::size_t n = 2; n <= 12; ++n) {
        std::vector<double> differences;
        for (std::size_t i = 0; i < n; ++i)
            differences.push_back(1 + 0.01 * static_cast<double>(i));
        const PairedComparison result = comparedWithZero(differences);
        QCOMPARE(resampledP(result.replicates), 2.0 / 1001);
        QVERIFY(result.p >= std::ldexp(1.0, 1 - static_cast<int>(n)));
        QCOMPARE(result.smallestP(), smallestSignP(static_cast<std::int64_t>(n)));
        QCOMPARE(result.p <= 0.05, n >= 6);
        QCOMPARE(holdsZero(result.interval), n < 6);
        QCOMPARE(result.allowsVerdict(), n >= 6);
    }
}

/// Four of a hundred answers that turn wrong are not significant by McNemar's exact test either (p = 0.125).
void TestInference::examplesWithoutADifferenceHaveNoSign()
{
    for (std::size_t changed = 1; changed <= 9; ++changed) {
        std::vector<double> differences(100, 0);
        std::fill_n(differences.begin(), changed, -1.0);
        const PairedComparison result = comparedWithZero(differences, 10000);
        QVERIFY(result.p >= mcnemarP({static_cast<std::int64_t>(changed), 0}));
        QCOMPARE(holdsZero(result.interval), changed < 6);
        QVERIFY(result.allowsVerdict());
    }
}

void TestInference::intervalAndPAgree()
{
    Random random(3);
    int significant = 0;
    for (int trial = 0; trial < 600; ++trial) {
        const std::size_t n = 2 + random.below(30);
        const double shift = random.uniform() * 2;
        const bool isSkewed = trial % 2 == 0;
        std::vector<double> differences;
        for (std::size_t i = 0; i < n; ++i) {
            const double noise = normal(random);
            differences.push_back(shift + (isSkewed ? std::exp(noise) - 1.6 : noise));
        }
        const PairedComparison result = comparedWithZero(differences, 999);
        // The percentile interval and its p leave a resample's room between them.
        if (std::abs(result.p - 0.05) < 0.003)
            continue;
        QCOMPARE(result.p < 0.05, !holdsZero(result.interval));
        significant += result.p < 0.05;
    }
    QVERIFY(significant > 150 && significant < 500);
}

/// Of symmetric data the interval is Student's.
void TestInference::equalsStudentOfWholeExamples()
{
    const std::vector<double> differences{-3, -1.5, -0.5, 0.5, 1, 2, 2.5, 3.5, 4.5, 6}; // mirrored about 1.5
    double mean = 0, squares = 0;
    for (const double value : differences)
        mean += value / 10;
    for (const double value : differences)
        squares += (value - mean) * (value - mean);
    const double error = std::sqrt(squares / 9 / 10);
    const PairedComparison result = comparedWithZero(differences, 200000);
    constexpr double kT9 = 2.262157; // the 97.5 % quantile of Student's t with 9 degrees of freedom
    const double half = kT9 * error;
    QVERIFY(isClose(result.interval.low, mean - half, 0.03 * half));
    QVERIFY(isClose(result.interval.high, mean + half, 0.03 * half));
}

void TestInference::skewWidensTheTail()
{
    std::vector<double> differences;
    for (int i = 0; i < 20; ++i)
        differences.push_back(std::exp(0.15 * i));
    const PairedComparison up = comparedWithZero(differences);
    std::ranges::transform(differences, differences.begin(), std::negate<>());
    const PairedComparison down = comparedWithZero(differences);
    QVERIFY(up.interval.high - up.delta > 1.15 * (up.delta - up.interval.low));
    QCOMPARE(down.interval.low, -up.interval.high);
    QCOMPARE(down.interval.high, -up.interval.low);
    QCOMPARE(down.p, up.p);
}

/// How often a 95 % interval holds the truth: of 1,500 samples of 5 to 50 examples. The percentile bootstrap alone
/// holds it in 79 to 87 % of samples of five.
void TestInference::coversTheTruth_data()
{
    QTest::addColumn<int>("kind");
    QTest::addColumn<int>("examples");
    QTest::addColumn<double>("least");
    const auto add = [](const char *name, int kind, std::initializer_list<double> least) {
        int i = 0;
        for (const double share : least) {
            const int n = std::array{5, 10, 20, 50}[static_cast<std::size_t>(i++)];
            QTest::addRow("%s, %d", name, n) << kind << n << share;
        }
    };
    add("normal", 0, {0.93, 0.93, 0.93, 0.93});
    add("exponential", 1, {0.90, 0.91, 0.92, 0.93});
    add("right or wrong", 2, {0.93, 0.93, 0.93, 0.93});
    add("right or wrong, rarely wrong", 3, {0.93, 0.93, 0.93, 0.93});
}

void TestInference::coversTheTruth()
{
    QFETCH(int, kind);
    QFETCH(int, examples);
    QFETCH(double, least);
    static const MeanMetric mean;
    const auto metrics = outcomeMetrics(ProblemType::SingleLabel, {"a", "b"});
    const Metric &metric = kind < 2 ? static_cast<const Metric &>(mean) : *metrics.front();
    const double truth = std::array{0.0, 1.0, 0.7, 0.95}[static_cast<std::size_t>(kind)];
    Random random(static_cast<std::uint64_t>(100 * kind + examples));
    constexpr int kSamples = 1500;
    int covered = 0;
    for (int sample = 0; sample < kSamples; ++sample) {
        std::vector<double> values;
        for (int i = 0; i < examples; ++i)
            values.push_back(kind == 0   ? normal(random)
                             : kind == 1 ? -std::log(1 - random.uniform())
                                         : static_cast<double>(random.uniform() < truth));
        const Interval interval
            = bootstrapInterval(tableOf(values), metric, 400, static_cast<std::uint64_t>(sample + 1));
        covered += interval.low <= truth && truth <= interval.high;
    }
    const double share = static_cast<double>(covered) / kSamples;
    QVERIFY2(share >= least, qPrintable(QString::number(share)));
}

void TestInference::largeSetsAreWhatTheBootstrapSays()
{
    Random random(5);
    std::vector<double> differences;
    for (int i = 0; i < 2000; ++i)
        differences.push_back(normal(random) + 0.01);
    const PairedComparison result = comparedWithZero(differences, 2000);
    const Interval percentiles = percentileInterval(result.replicates);
    const double width = percentiles.high - percentiles.low;
    QVERIFY(result.interval.high - result.interval.low <= 1.08 * width); // the noise of 2,000 resamples
    QVERIFY(std::abs(result.p - resampledP(result.replicates)) < 0.05);
}

void TestInference::scoresStayWithinWhatIsPossible()
{
    const auto metrics = outcomeMetrics(ProblemType::SingleLabel, {"a", "b"});
    const Interval all = bootstrapInterval(tableOf({1, 1, 1, 1, 1, 1}), *metrics.front(), 500, 1);
    QVERIFY(isClose(all.low, 0.5) && isClose(all.high, 1)); // 3 of 6 may be wrong
    const Interval none = bootstrapInterval(tableOf({0, 0, 0, 0, 0, 0, 0, 0, 0, 0}), *metrics.front(), 500, 1);
    QVERIFY(isClose(none.low, 0) && isClose(none.high, 0.3));
    const Interval most = bootstrapInterval(tableOf({1, 1, 1, 1, 0}), *metrics.front(), 500, 1);
    QVERIFY(most.low >= 0 && most.low < 0.4 && most.high == 1);
}

void TestInference::unknownIsNoNumber()
{
    const Inference ofNothing = inferred({.value = 1, .examples = 20, .differing = 20}, {});
    QVERIFY(std::isnan(ofNothing.p) && std::isnan(ofNothing.interval.low) && std::isnan(ofNothing.interval.high));
    constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
    const std::vector<double> broken{1, 2, kNan};
    const Inference ofBroken = inferred({.value = 1, .examples = 20, .differing = 20}, broken);
    QVERIFY(std::isnan(ofBroken.interval.low) && ofBroken.p > 0.5);
    QCOMPARE(inferred({.value = 1, .examples = 1, .differing = 1}, std::vector<double>{1, 1}).p, 1.0);
    const Inference ofScore = inferred({.value = 1, .examples = 20}, std::vector<double>{0.5, 1, 1.5});
    QVERIFY(std::isnan(ofScore.p) && ofScore.interval.low < 1);
}

/// Absence of evidence grows as data shrink; that a loss is below a margin needs data.
void TestInference::marginsNeedExamples()
{
    const auto isBelow = [](std::size_t examples) {
        std::vector<double> differences;
        for (std::size_t i = 0; i < examples; ++i)
            differences.push_back(i % 2 == 0 ? 0.5 : -0.5);
        return comparedWithZero(differences).losesLessThan(0.1, Better::Higher);
    };
    QVERIFY(!isBelow(4));
    QVERIFY(!isBelow(40));
    QVERIFY(isBelow(400));
    // Examples none of which changes are no proof that few do: 3 / 20 of them may lose all.
    const auto metrics = outcomeMetrics(ProblemType::SingleLabel, {"a", "b"});
    for (const auto &[examples, expected] : {std::pair(20, false), std::pair(290, false), std::pair(310, true)}) {
        const StatisticsTable right = tableOf(std::vector<double>(static_cast<std::size_t>(examples), 1));
        QCOMPARE(PairedBootstrap(right, *metrics.front(), 100, 1).compare(right).losesLessThan(0.01, Better::Higher),
                 expected);
    }
    const PairedComparison worse = comparedWithZero(std::vector<double>{1, 1.1, 0.9, 1, 1.2, 0.8, 1, 1.1, 0.9, 1});
    QVERIFY(worse.losesLessThan(0.5, Better::Higher) && !worse.losesLessThan(0.5, Better::Lower));
}

QTEST_APPLESS_MAIN(TestInference)
#include "tst_inference.moc"

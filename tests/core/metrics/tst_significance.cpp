#include "core/base/random.h"
#include "core/metrics/bleu.h"
#include "core/metrics/bootstrap.h"
#include "core/metrics/chrf.h"
#include "core/metrics/correlation.h"
#include "core/metrics/outcome.h"
#include "core/metrics/pairedtests.h"
#include "tests/support/sacrebleutests.h"

#include <nlohmann/json.hpp>

#include <QTest>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <numeric>
#include <vector>

using namespace headscope;

namespace {

/// What significance/make_reference.py wrote.
nlohmann::json reference()
{
    std::ifstream file(qEnvironmentVariable("HEADSCOPE_SOURCE_DIR").toStdString()
                       + "/tests/core/metrics/significance/systems.json");
    return nlohmann::json::parse(file);
}

StatisticsTable statisticsOf(const TextMetric &metric, const nlohmann::json &lines, const nlohmann::json &references)
{
    StatisticsTable table(lines.size(), metric.statisticsSize());
    for (std::size_t i = 0; i < lines.size(); ++i)
        metric.statistics(lines[i].get_ref<const std::string &>(), references[i].get_ref<const std::string &>(),
                          table.row(i));
    return table;
}

/// Five standard deviations of the difference of two estimates of a chance p from so many draws each.
double resamplingError(double p, double drawsA, double drawsB)
{
    return 5 * std::sqrt(p * (1 - p) * (1 / drawsA + 1 / drawsB)) + 2 / std::min(drawsA, drawsB);
}

bool close(double found, double expected, double tolerance, const char *what)
{
    if (std::abs(found - expected) <= tolerance)
        return true;
    qWarning("%s: found %.9g, expected %.9g ± %.3g", what, found, expected, tolerance);
    return false;
}

std::unique_ptr<OutcomeMetric> accuracy()
{
    return std::move(outcomeMetrics(ProblemType::SingleLabel, {"no", "yes"}).front());
}

StatisticsTable rightAndWrong(const OutcomeMetric &metric, const std::vector<int> &right)
{
    StatisticsTable table(right.size(), metric.statisticsSize());
    for (std::size_t i = 0; i < right.size(); ++i)
        metric.statistics({.labels = {1}, .predicted = {right[i]}}, table.row(i));
    return table;
}

/// Trial by trial: a random number for every differing example and 64 trials, bit by bit.
double plainRandomization(const StatisticsTable &a, const StatisticsTable &b, const Metric &metric, std::int64_t trials,
                          std::uint64_t seed)
{
    Random random(seed);
    const double observed = std::abs(metric.scoreOf(a) - metric.scoreOf(b));
    std::int64_t reached = 0;
    std::vector<std::uint64_t> bits(a.rows);
    for (std::int64_t trial = 0; trial < trials; ++trial) {
        StatisticsTable first = a;
        StatisticsTable second = b;
        for (std::size_t i = 0; i < a.rows; ++i) {
            if (std::ranges::equal(a.row(i), b.row(i)))
                continue;
            if (trial % 64 == 0)
                bits[i] = random.next64();
            if ((bits[i] >> (trial % 64)) & 1U)
                std::ranges::swap_ranges(first.row(i), second.row(i));
        }
        reached += std::abs(metric.scoreOf(first) - metric.scoreOf(second)) >= observed * (1 - 1e-9) ? 1 : 0;
    }
    return static_cast<double>(reached + 1) / static_cast<double>(trials + 1);
}

} // namespace

/// The tests of Table 1 beside the bootstrap, against sacreBLEU's and SciPy's numbers.
class TestSignificance : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void agreesWithSacrebleu_data()
    {
        QTest::addColumn<bool>("bleu");
        QTest::newRow("BLEU") << true;
        QTest::newRow("chrF2") << false;
    }

    void agreesWithSacrebleu()
    {
        QFETCH(bool, bleu);
        const auto json = reference();
        const std::unique_ptr<TextMetric> metric = bleu ? std::unique_ptr<TextMetric>(std::make_unique<BleuMetric>())
                                                        : std::unique_ptr<TextMetric>(std::make_unique<ChrfMetric>());
        const auto base = statisticsOf(*metric, json["baseline"], json["references"]);
        const auto system = statisticsOf(*metric, json["system"], json["references"]);
        const auto &expected = json["metrics"][bleu ? "BLEU" : "chrF2"];
        // sacreBLEU's own test, with its random numbers.
        const auto &bs = expected["bs"];
        const auto own = sacrebleuPairedBootstrap(base, system, *metric, bs["samples"]);
        QVERIFY(close(own.score, bs["score"], 1e-9, "score"));
        QVERIFY(close(own.p, bs["p"], 1e-9, "sacreBLEU's bootstrap p"));
        QVERIFY(close(own.mean, bs["mean"], 1e-3, "mean"));
        QVERIFY(close(own.halfWidth, bs["half_width"], 1e-3, "half width"));
        // The analyses' bootstrap against a percentile test over sacreBLEU's statistics.
        const auto &percentile = expected["percentile"];
        const PairedComparison compared = PairedBootstrap(base, *metric, 4000, 7).compare(system);
        QVERIFY(close(compared.delta, percentile["delta"], 1e-9, "delta"));
        QVERIFY(close(compared.p, percentile["p"], 2 * resamplingError(percentile["p"].get<double>() / 2, 4000, 20000),
                      "percentile p"));
        const double width = percentile["high"].get<double>() - percentile["low"].get<double>();
        QVERIFY(close(compared.interval.low, percentile["low"], 0.06 * width, "low"));
        QVERIFY(close(compared.interval.high, percentile["high"], 0.06 * width, "high"));
        // Approximate randomisation.
        const auto &ar = expected["ar"];
        const double p = approximateRandomizationP(base, system, *metric, 10000, 3);
        QVERIFY(close(p, ar["p"], resamplingError(ar["p"], 10000, ar["samples"]), "approximate randomisation"));
        QCOMPARE(approximateRandomizationP(base, system, *metric, 1000, 3),
                 approximateRandomizationP(base, system, *metric, 1000, 3));
        QCOMPARE(approximateRandomizationP(base, base, *metric, 1000, 3), 1.0);
    }

    void aClearDifferenceIsFoundByEachTest()
    {
        const auto metric = accuracy();
        std::vector<int> better(200, 1);
        std::vector<int> worse(200, 1);
        for (std::size_t i = 0; i < 40; ++i)
            worse[5 * i] = 0;
        const auto a = rightAndWrong(*metric, better);
        const auto b = rightAndWrong(*metric, worse);
        QVERIFY(approximateRandomizationP(a, b, *metric, 1000, 1) < 0.01);
        QVERIFY(pairedTTest(*metric, a, b).value() < 1e-6);
        QVERIFY(PairedBootstrap(a, *metric, 1000, 1).compare(b).p < 0.01);
        QCOMPARE(approximateRandomizationP(a, b, *metric, 0, 1), 1.0); // nothing tried, nothing found
    }

    void randomisationEqualsExchangingOneByOne()
    {
        const BleuMetric metric;
        Random random(3);
        StatisticsTable a(1300, metric.statisticsSize()); // several slices, one of them without differences
        for (double &value : a.values)
            value = 5 + random.below(20);
        StatisticsTable b = a;
        for (std::size_t i = 0; i < b.rows; i += i < 500 ? 3 : i < 1100 ? 600 : 7)
            b.row(i)[2 + i % 4] -= 3;
        for (const std::int64_t trials : {1, 64, 200})
            QCOMPARE(approximateRandomizationP(a, b, metric, trials, 8), plainRandomization(a, b, metric, trials, 8));
    }

    // Closed forms: t = 2 with 4 degrees of freedom, 1/2 - 5·√2/16; t = -1.5 with 9, by the arc tangent of 1/2.
    void oneSidedTTestIsTheTailOfStudentsT()
    {
        QVERIFY(std::abs(oneSidedTTest(1, 0.5, 5) - 0.05805826175840779) < 1e-12);
        QVERIFY(std::abs(oneSidedTTest(-3, 2, 10) - 0.9160746719714625) < 1e-12);
        QCOMPARE(oneSidedTTest(1, 0.5, 1), 1.0);
        QCOMPARE(oneSidedTTest(1, 0, 5), 1.0 / 32); // five of one sign
        QCOMPARE(oneSidedTTest(0, 0, 5), 1.0);
    }

    void tTestIsScipys()
    {
        const auto json = reference()["scipy"];
        const auto metric = accuracy();
        const auto first = rightAndWrong(*metric, json["first"].get<std::vector<int>>());
        const auto second = rightAndWrong(*metric, json["second"].get<std::vector<int>>());
        QVERIFY(close(pairedTTest(*metric, first, second).value(), json["t_p"], 1e-12, "t-test"));
        QCOMPARE(pairedTTest(*metric, first, first).value(), 1.0);
        QCOMPARE(pairedTTest(*metric, rightAndWrong(*metric, {1, 1, 1}), rightAndWrong(*metric, {0, 0, 0})).value(),
                 0.25); // SciPy says 0, but three examples of one sign allow no less
        QVERIFY(!pairedTTest(*metric, rightAndWrong(*metric, {1}), rightAndWrong(*metric, {0})));
        QVERIFY(!pairedTTest(BleuMetric(), StatisticsTable(3, 10), StatisticsTable(3, 10))); // neither right nor wrong
    }

    void kendallIsScipys()
    {
        const auto json = reference()["scipy"];
        const auto a = json["a"].get<std::vector<double>>();
        const auto b = json["b"].get<std::vector<double>>();
        const Correlation found = kendallCorrelation(a, b);
        QVERIFY(close(found.value, json["tau"], 1e-12, "tau"));
        QVERIFY(close(found.p, json["tau_p"], 1e-12, "p of tau"));
        QVERIFY(found.interval.low < found.value && found.value < found.interval.high);
        // Against all pairs, with many ties.
        Random random(4);
        for (int round = 0; round < 20; ++round) {
            std::vector<double> x;
            std::vector<double> y;
            for (int i = 0; i < 37; ++i) {
                x.push_back(random.below(8));
                y.push_back(random.below(6));
            }
            double score = 0;
            double pairsX = 0;
            double pairsY = 0;
            for (std::size_t i = 0; i < x.size(); ++i) {
                for (std::size_t j = 0; j < i; ++j) {
                    const auto sign = [](double d) { return (d > 0) - (d < 0); };
                    score += sign(x[i] - x[j]) * sign(y[i] - y[j]);
                    pairsX += x[i] != x[j];
                    pairsY += y[i] != y[j];
                }
            }
            QVERIFY(close(kendallCorrelation(x, y, 1).value, score / std::sqrt(pairsX * pairsY), 1e-12, "tau of ties"));
        }
        const std::vector<double> constant(a.size(), 0.5);
        QVERIFY(std::isnan(kendallCorrelation(a, constant).value));
        QVERIFY(std::isnan(kendallCorrelation(a, constant).p));
        QVERIFY(!pearsonBootstrapInterval(a, constant));
        const auto interval = pearsonBootstrapInterval(a, b, 1000, 5);
        const double r = pearsonCorrelation(a, b).value;
        QVERIFY(interval && interval->low < r && r < interval->high);
    }

    void halfSizeResamplesAreMoreCareful()
    {
        const auto json = reference();
        const BleuMetric metric;
        const auto base = statisticsOf(metric, json["baseline"], json["references"]);
        const auto system = statisticsOf(metric, json["system"], json["references"]);
        const auto whole = PairedBootstrap(base, metric, 2000, 5).compare(system);
        const auto half = PairedBootstrap(base, metric, 2000, 5, 0.5).compare(system);
        QCOMPARE(half.delta, whole.delta); // of all examples either way
        const double ratio = (half.interval.high - half.interval.low) / (whole.interval.high - whole.interval.low);
        QVERIFY(close(ratio, std::sqrt(2), 0.15, "width"));
        QVERIFY(half.p >= whole.p);
        // At least one example is drawn.
        QCOMPARE(PairedBootstrap(base, metric, 3, 5, 1e-6).baselineScores().size(), std::size_t(3));
    }

    void sharesKeepTheMean()
    {
        std::vector<double> values;
        for (int i = 0; i < 1000; ++i)
            values.push_back(0.001 * i * i);
        const auto shares = meansOfShares(values, 50);
        QCOMPARE(shares.size(), std::size_t(50));
        QVERIFY(std::ranges::is_sorted(shares));
        const auto mean = [](const std::vector<double> &of) {
            return std::accumulate(of.begin(), of.end(), 0.0) / static_cast<double>(of.size());
        };
        QVERIFY(close(mean(shares), mean(values), 1e-9, "mean"));
        QCOMPARE(meansOfShares(std::vector<double>{1, 2}, 50), (std::vector<double>{1, 2}));
        QVERIFY(meansOfShares({}, 50).empty());
    }
};

QTEST_APPLESS_MAIN(TestSignificance)
#include "tst_significance.moc"

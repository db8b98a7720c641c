#include "core/base/random.h"
#include "core/metrics/bleu.h"
#include "core/metrics/bootstrap.h"
#include "core/metrics/chrf.h"
#include "tests/core/metrics/corpora.h"
#include "tests/support/sacrebleutests.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <stop_token>
#include <vector>

using namespace headscope;

namespace {

const corpora::Lines kVariant = {"A dog bit the man.", "It was surprising.", "The man bit him."};

struct Systems
{
    StatisticsTable baseline;
    StatisticsTable variant;
};

/// Twelve segments: sacreBLEU's corpus four times, against a variant.
Systems goldenSystems(const TextMetric &metric)
{
    const std::vector<corpora::Lines> references
        = {corpora::repeated(corpora::kReferences[0], 4), corpora::repeated(corpora::kReferences[1], 4)};
    return {corpora::statisticsOf(metric, corpora::repeated(corpora::kHypotheses, 4), references),
            corpora::statisticsOf(metric, corpora::repeated(kVariant, 4), references)};
}

/// Counts as BLEU has them, for `rows` sentences of 10 to 19 words.
StatisticsTable randomTable(std::size_t rows, std::uint64_t seed)
{
    Random random(seed);
    StatisticsTable table(rows, 10);
    for (std::size_t i = 0; i < rows; ++i) {
        const double length = 10 + random.below(10);
        auto row = table.row(i);
        row[0] = row[1] = length;
        for (std::uint32_t n = 0; n < 4; ++n) {
            row[6 + n] = length - n;
            row[2 + n] = random.below(static_cast<std::uint32_t>(length) - n);
        }
    }
    return table;
}

/// The same, by summing every resample from scratch.
PairedComparison plainComparison(const StatisticsTable &baseline, const StatisticsTable &variant, const Metric &metric,
                                 std::int64_t resamples, std::uint64_t seed)
{
    Random random(seed);
    const auto n = static_cast<std::uint32_t>(baseline.rows);
    std::vector<double> deltas;
    for (std::int64_t r = 0; r < resamples; ++r) {
        std::vector<double> a(baseline.columns);
        std::vector<double> b(baseline.columns);
        for (std::uint32_t i = 0; i < n; ++i) {
            const std::uint32_t drawn = random.below(n);
            for (std::size_t k = 0; k < baseline.columns; ++k) {
                a[k] += baseline.row(drawn)[k];
                b[k] += variant.row(drawn)[k];
            }
        }
        deltas.push_back(metric.score(b) - metric.score(a));
    }
    const auto low = std::count_if(deltas.begin(), deltas.end(), [](double d) { return d <= 0; });
    const auto high = std::count_if(deltas.begin(), deltas.end(), [](double d) { return d >= 0; });
    PairedComparison result;
    result.p = std::min(1.0, 2.0 * static_cast<double>(std::min(low, high) + 1) / static_cast<double>(resamples + 1));
    result.interval = percentileInterval(deltas);
    return result;
}

bool closeRelative(double found, double expected, double tolerance)
{
    if (std::abs(found - expected) <= tolerance * std::abs(expected))
        return true;
    qWarning("found %.15g, expected %.15g", found, expected);
    return false;
}

} // namespace

class TestBootstrap : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void sacrebleuPairedBootstrapGoldens();
    void sacrebleuApproximateRandomisationGoldens();
    void equalsResamplingFromScratch_data();
    void equalsResamplingFromScratch();
    void identicalSystemsDoNotDiffer();
    void clearDifferenceIsFound();
    void worksWithoutResamplesOrExamples();
    void percentilesCutAFortieth();
    void intervalIsTheBaselines();
    void manyVariantsAtOnceAreTheSame();
    void blocksWithoutRoomAreDrawnAgain();
    void weightedSumsEqualAPlainLoop_data();
    void weightedSumsEqualAPlainLoop();
};

// Goldens were summed in float32: means and widths to 1e-4, p exactly (sacreBLEU's own tests allow 0.01).
void TestBootstrap::sacrebleuPairedBootstrapGoldens()
{
    const BleuMetric bleu({}, 2);
    const Systems systems = goldenSystems(bleu);
    const auto few = sacrebleuPairedBootstrap(systems.baseline, systems.variant, bleu, 200);
    QCOMPARE(few.p, 0.14427860696517414);
    QVERIFY(closeRelative(few.score, 55.393480335431704, 1e-12));
    QVERIFY(closeRelative(few.mean, 54.53005458424799, 1e-4));
    QVERIFY(closeRelative(few.halfWidth, 11.676572860184567, 1e-4));
    const auto many = sacrebleuPairedBootstrap(systems.baseline, systems.variant, bleu, 1000);
    QCOMPARE(many.p, 0.15184815184815184);
    QVERIFY(closeRelative(many.mean, 54.86071536119873, 1e-4));
    QVERIFY(closeRelative(many.halfWidth, 13.187418157077719, 1e-4));

    const ChrfMetric chrf({}, 2);
    const Systems chrfSystems = goldenSystems(chrf);
    const auto chrfTest = sacrebleuPairedBootstrap(chrfSystems.baseline, chrfSystems.variant, chrf, 1000);
    QCOMPARE(chrfTest.p, 0.054945054945054944);
    QVERIFY(closeRelative(chrfTest.mean, 64.89733474981988, 1e-4));
}

void TestBootstrap::sacrebleuApproximateRandomisationGoldens()
{
    const BleuMetric bleu({}, 2);
    const Systems systems = goldenSystems(bleu);
    const auto test = [&](std::int64_t trials) {
        return sacrebleuApproximateRandomisation(systems.baseline, systems.variant, bleu, trials).p;
    };
    QCOMPARE(test(500), 0.46107784431137727);
    QCOMPARE(test(10000), 0.46585341465853414);
    const ChrfMetric chrf({}, 2);
    const Systems chrfSystems = goldenSystems(chrf);
    QCOMPARE(sacrebleuApproximateRandomisation(chrfSystems.baseline, chrfSystems.variant, chrf, 500).p,
             0.36327345309381237);
}

void TestBootstrap::equalsResamplingFromScratch_data()
{
    QTest::addColumn<int>("every");
    QTest::newRow("all sentences differ") << 1;
    QTest::newRow("every seventh differs") << 7;
    QTest::newRow("one differs") << 1000;
}

void TestBootstrap::equalsResamplingFromScratch()
{
    QFETCH(int, every);
    const BleuMetric metric;
    const StatisticsTable baseline = randomTable(700, 1);
    const StatisticsTable other = randomTable(700, 2);
    StatisticsTable variant = baseline;
    for (std::size_t i = 0; i < variant.rows; i += static_cast<std::size_t>(every))
        std::copy(other.row(i).begin(), other.row(i).end(), variant.row(i).begin());
    const PairedComparison fast = PairedBootstrap(baseline, metric, 999, 7).compare(variant);
    const PairedComparison plain = plainComparison(baseline, variant, metric, 999, 7);
    // Counts are whole numbers, so sums and scores are the same to the last bit.
    QCOMPARE(resampledP(fast.replicates), plain.p);
    QVERIFY(percentileInterval(fast.replicates) == plain.interval);
    QVERIFY(fast.p >= plain.p);
    QVERIFY(fast.interval.low <= plain.interval.low && fast.interval.high >= plain.interval.high);
    QCOMPARE(fast.delta, metric.score(variant.sums()) - metric.score(baseline.sums()));
    QCOMPARE(fast.changed, (699 / every) + 1);
}

void TestBootstrap::identicalSystemsDoNotDiffer()
{
    const StatisticsTable table = randomTable(50, 1);
    const PairedComparison result = PairedBootstrap(table, BleuMetric(), 1000, 1).compare(table);
    QCOMPARE(result.p, 1.0);
    QCOMPARE(result.delta, 0.0);
    // By the rule of three, 3 of 50 sentences may lose all of their score, or gain all that is left to 100.
    const double score = BleuMetric().score(table.sums());
    QVERIFY(closeRelative(result.interval.low, -0.06 * score, 1e-12));
    QVERIFY(closeRelative(result.interval.high, 0.06 * (100 - score), 1e-12));
    QCOMPARE(result.changed, 0);
}

void TestBootstrap::clearDifferenceIsFound()
{
    const StatisticsTable baseline = randomTable(200, 1);
    StatisticsTable variant = baseline;
    for (std::size_t i = 0; i < variant.rows; ++i) {
        for (std::size_t k = 2; k < 6; ++k)
            variant.row(i)[k] = std::floor(variant.row(i)[k] / 2);
    }
    const PairedComparison result = PairedBootstrap(baseline, BleuMetric(), 1000, 1).compare(variant);
    QCOMPARE(result.p, 2.0 / 1001);
    QVERIFY(result.interval.low <= result.delta && result.delta <= result.interval.high);
    QVERIFY(result.interval.high < 0);
}

void TestBootstrap::worksWithoutResamplesOrExamples()
{
    const BleuMetric metric;
    const StatisticsTable baseline = randomTable(20, 1);
    const PairedComparison result = PairedBootstrap(baseline, metric, 0, 1).compare(randomTable(20, 2));
    QVERIFY(std::isnan(result.p));
    QVERIFY(std::isnan(result.interval.low) && std::isnan(result.interval.high));
    QVERIFY(result.delta != 0);
    const StatisticsTable none(0, 10);
    QVERIFY(std::isnan(PairedBootstrap(none, metric, 100, 1).compare(none).p));
    QVERIFY(std::isnan(bootstrapInterval(none, metric, 100, 1).low));
    QVERIFY(std::isnan(bootstrapInterval(baseline, metric, 0, 1).high));
    const StatisticsTable one = randomTable(1, 3);
    const PairedComparison ofOne = PairedBootstrap(one, metric, 100, 1).compare(randomTable(1, 4));
    QCOMPARE(ofOne.p, 1.0);
    QVERIFY(std::isnan(ofOne.interval.low));
    QVERIFY(!ofOne.allowsVerdict());
}

void TestBootstrap::percentilesCutAFortieth()
{
    std::vector<double> values;
    for (int i = 999; i >= 0; --i)
        values.push_back(i);
    QVERIFY(percentileInterval(values) == (Interval{25, 974}));
    QVERIFY(percentileInterval({5}) == (Interval{5, 5}));
}

void TestBootstrap::intervalIsTheBaselines()
{
    const BleuMetric metric;
    const StatisticsTable table = randomTable(100, 3);
    const Interval interval = bootstrapInterval(table, metric, 1000, 12345);
    const double score = metric.score(table.sums());
    QVERIFY(interval.low < score && score < interval.high);
    QVERIFY(interval == PairedBootstrap(table, metric, 1000, 12345).baselineInterval());
}

void TestBootstrap::manyVariantsAtOnceAreTheSame()
{
    const BleuMetric metric;
    const StatisticsTable baseline = randomTable(90, 1);
    const PairedBootstrap bootstrap(baseline, metric, 300, 5, 0.5);
    const std::vector<StatisticsTable> variants = {randomTable(90, 2), baseline, randomTable(90, 3)};
    const std::vector<const StatisticsTable *> tables = {&variants[0], &variants[1], &variants[2]};
    const auto together = bootstrap.compareAll(tables);
    QCOMPARE(together.size(), 3U);
    for (std::size_t v = 0; v < variants.size(); ++v) {
        const PairedComparison alone = bootstrap.compare(variants[v]);
        QVERIFY(together[v].replicates == alone.replicates);
        QVERIFY(together[v].interval == alone.interval);
        QCOMPARE(together[v].p, alone.p);
        QCOMPARE(together[v].changed, alone.changed);
    }
    QCOMPARE(together[1].changed, 0);
    QCOMPARE(together[0].replicates.size(), 300U);
    std::stop_source stop;
    stop.request_stop();
    QVERIFY_THROWS_EXCEPTION(Cancelled, (void)bootstrap.compareAll(tables, JobControl(stop.get_token())));
}

void TestBootstrap::blocksWithoutRoomAreDrawnAgain()
{
    constexpr std::size_t kExamples = 37;
    constexpr std::size_t kResamples = 3 * kWeightSets + 5;
    Random random(9); // resample by resample, as NumPy's scripts draw them
    std::vector<std::vector<std::uint8_t>> plain(kResamples, std::vector<std::uint8_t>(kExamples));
    for (auto &resample : plain) {
        for (std::size_t i = 0; i < 20; ++i)
            ++resample[random.below(kExamples)];
    }
    for (const std::size_t room : {std::size_t{0}, kExamples * kWeightSets, Resampling::kRoom}) {
        std::size_t heard = 0;
        const Resampling resampling(
            kExamples, 20, kResamples, 9, [&](const auto &block) { heard += block.resamples; }, room);
        QCOMPARE(heard, kResamples);
        std::vector<std::uint8_t> scratch;
        for (std::size_t r = 0; r < kResamples; ++r) {
            const auto block = resampling.block(r / kWeightSets, scratch);
            for (std::size_t i = 0; i < kExamples; ++i)
                QCOMPARE(block.counts[i * kWeightSets + r % kWeightSets], plain[r][i]);
        }
    }
}

void TestBootstrap::weightedSumsEqualAPlainLoop_data()
{
    QTest::addColumn<int>("columns");
    QTest::addColumn<double>("zeros");
    QTest::newRow("one column") << 1 << 0.0;
    QTest::newRow("a few") << 10 << 0.3;
    QTest::newRow("many classes, most of them elsewhere") << 231 << 0.98;
}

void TestBootstrap::weightedSumsEqualAPlainLoop()
{
    QFETCH(int, columns);
    QFETCH(double, zeros);
    Random random(4);
    StatisticsTable table(kWeightSlice + 60,
                          static_cast<std::size_t>(columns)); // of no whole numbers: the order of sums shows
    std::ranges::generate(table.values, [&] { return random.uniform() < zeros ? 0.0 : random.uniform() - 0.5; });
    std::ranges::fill(table.row(7), 0);
    std::vector<float> weights(table.rows * kWeightSets);
    std::ranges::generate(weights, [&] { return static_cast<float>(random.below(4)); });

    std::vector<double> plain(table.columns * kWeightSets);
    for (std::size_t i = 0; i < table.rows; ++i) {
        for (std::size_t k = 0; k < table.columns; ++k) {
            for (std::size_t s = 0; s < kWeightSets; ++s)
                plain[k * kWeightSets + s] += static_cast<double>(weights[i * kWeightSets + s]) * table.row(i)[k];
        }
    }
    std::vector<double> sums(plain.size());
    SparseStatistics(table).addSums(weights, 0, sums);
    QVERIFY(sums == plain);
    const SparseStatistics gains(table, StatisticsTable(table.rows, table.columns));
    QCOMPARE(gains.rows().size(), SparseStatistics(table).rows().size());
    QVERIFY(gains.rows().size() < table.rows);
    std::ranges::fill(sums, 0);
    const std::size_t cut = 23; // in two slices
    gains.addSums(std::span<const float>(weights).first(cut * kWeightSets), 0, sums);
    gains.addSums(std::span<const float>(weights).subspan(cut * kWeightSets), cut, sums);
    QVERIFY(sums == plain);
}

QTEST_APPLESS_MAIN(TestBootstrap)
#include "tst_bootstrap.moc"

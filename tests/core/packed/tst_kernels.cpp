// The vector loops against the formulas written out in double precision, at awkward sizes.
#include "core/packed/attention.h"
#include "core/packed/kernels.h"

#include <QTest>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

using namespace headscope;

namespace {

std::vector<float> randomNumbers(std::size_t count, float amplitude, unsigned seed)
{
    std::mt19937 random(seed);
    std::normal_distribution<float> normal(0, amplitude);
    std::vector<float> numbers(count);
    for (float &number : numbers)
        number = normal(random);
    return numbers;
}

float fromHalf(std::uint16_t half)
{
    return std::bit_cast<float>(static_cast<std::uint32_t>(half) << 16);
}

double activated(double x, Activation activation)
{
    switch (activation) {
    case Activation::Relu:
        return std::max(x, 0.0);
    case Activation::Gelu:
        return x * 0.5 * std::erfc(-x / std::sqrt(2.0));
    case Activation::GeluTanh:
        return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
    case Activation::Silu:
        return x / (1 + std::exp(-x));
    case Activation::QuickGelu:
        return x / (1 + std::exp(-1.702 * x));
    case Activation::Tanh:
        return std::tanh(x);
    case Activation::ReluSquared:
        return x > 0 ? x * x : 0;
    }
    return 0;
}

} // namespace

class TestKernels : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void splitKeepsSixteenBits()
    {
        constexpr std::int64_t kWidth = 37;
        auto numbers = randomNumbers(3 * kWidth, 5, 1);
        numbers[4] = 0;
        numbers[5] = 1e-30F;
        std::vector<std::uint16_t> halves(numbers.size() * 3);
        kernels::split(numbers.data(), 3, kWidth, halves.data());
        for (std::int64_t r = 0; r < 3; ++r) {
            for (std::int64_t i = 0; i < kWidth; ++i) {
                const float x = numbers[static_cast<std::size_t>(r * kWidth + i)];
                const std::uint16_t *row = halves.data() + r * 3 * kWidth;
                QCOMPARE(row[2 * kWidth + i], row[i]);
                const double sum = static_cast<double>(fromHalf(row[i])) + fromHalf(row[kWidth + i]);
                QVERIFY(std::abs(sum - x) <= std::abs(x) * std::ldexp(1.0, -16));
            }
        }
        std::vector<std::uint16_t> rounded(numbers.size());
        kernels::round(numbers.data(), std::ssize(numbers), rounded.data());
        for (std::size_t i = 0; i < numbers.size(); ++i)
            QVERIFY(std::abs(fromHalf(rounded[i]) - numbers[i]) <= std::abs(numbers[i]) * std::ldexp(1.0F, -8));
    }

    void bytesAreMultiplesOfAShareOfTheLargest()
    {
        constexpr std::int64_t kRows = 4, kWidth = 37;
        auto numbers = randomNumbers(kRows * kWidth, 5, 1);
        std::fill_n(numbers.begin(), kWidth, 0.0F);
        numbers[2 * kWidth + 3] = std::numeric_limits<float>::quiet_NaN();
        numbers[3 * kWidth + 36] = -1000;
        std::vector<std::uint8_t> bytes(numbers.size());
        std::vector<float> scales(kRows);
        kernels::quantize(numbers.data(), kRows, kWidth, bytes.data(), scales.data());
        QCOMPARE(scales[0], 0.0F);
        QVERIFY(std::isnan(scales[2]));
        QCOMPARE(bytes[3 * kWidth + 36], std::uint8_t(1));
        for (const std::int64_t r : {0, 1, 3}) {
            const auto scale = static_cast<double>(scales[static_cast<std::size_t>(r)]);
            for (std::int64_t i = r * kWidth; i < (r + 1) * kWidth; ++i)
                QVERIFY(
                    std::abs(scale * (bytes[static_cast<std::size_t>(i)] - 128) - numbers[static_cast<std::size_t>(i)])
                    <= 0.5001 * scale);
        }
        const std::int32_t sums[] = {1000, -7, 128, 5};
        std::vector<float> places(4);
        std::memcpy(places.data(), sums, sizeof(sums));
        const float rowScales[] = {0.5F, 2}, columnScales[] = {0.25F, 3}, bias[] = {1, -1};
        const std::int32_t added[] = {28, -1};
        kernels::dequantize(places.data(), 2, 2, rowScales, columnScales, added, bias);
        QCOMPARE(places, (std::vector<float>{122.5F, -10, 51, 35}));
    }

    void activations_data()
    {
        QTest::addColumn<Activation>("activation");
        QTest::newRow("relu") << Activation::Relu;
        QTest::newRow("gelu") << Activation::Gelu;
        QTest::newRow("gelu_tanh") << Activation::GeluTanh;
        QTest::newRow("silu") << Activation::Silu;
        QTest::newRow("quick_gelu") << Activation::QuickGelu;
        QTest::newRow("tanh") << Activation::Tanh;
        QTest::newRow("relu2") << Activation::ReluSquared;
    }

    void activations()
    {
        QFETCH(Activation, activation);
        auto values = randomNumbers(1003, 3, 2); // not a multiple of any vector's width
        values[0] = 0;
        values[1] = 90;
        values[2] = -90;
        values[3] = 1e-6F;
        auto result = values;
        kernels::activate(result.data(), std::ssize(result), activation);
        for (std::size_t i = 0; i < values.size(); ++i) {
            const double wanted = activated(values[i], activation);
            QVERIFY2(std::abs(result[i] - wanted) < 5e-7 * std::max(1.0, std::abs(wanted)),
                     qPrintable(QStringLiteral("%1: %2, not %3").arg(values[i]).arg(result[i]).arg(wanted)));
        }
    }

    void capsAndClips()
    {
        auto values = randomNumbers(1003, 3, 12);
        values[0] = 0;
        values[1] = 1e30F;
        values[2] = -90;
        values[3] = 1e-6F;
        for (std::size_t i = 4; i < 204; ++i)
            values[i] = (static_cast<float>(i) - 104) / 100; // where one way of computing becomes another
        for (const float most : {0.5F, 2.0F, 50.0F}) {
            auto capped = values;
            kernels::cap(capped.data(), std::ssize(capped), most);
            auto clipped = values;
            kernels::clip(clipped.data(), std::ssize(clipped), most);
            for (std::size_t i = 0; i < values.size(); ++i) {
                const double wanted = most * std::tanh(static_cast<double>(values[i]) / most);
                QVERIFY2(std::abs(capped[i] - wanted) <= 1e-6 * std::abs(wanted),
                         qPrintable(QStringLiteral("%1: %2, not %3").arg(values[i]).arg(capped[i]).arg(wanted)));
                QCOMPARE(clipped[i], std::clamp(values[i], -most, most));
            }
        }
    }

    void partsOfHeadsAreTurned()
    {
        constexpr std::int64_t kHeads = 3, kHeadWidth = 7, kTurned = 4;
        const auto before = randomNumbers(kHeads * kHeadWidth, 1, 13);
        const std::vector<float> angles{0.3F, 2.0F};
        std::vector<float> cosines, sines;
        for (const float angle : {angles[0], angles[1], angles[0], angles[1]}) {
            cosines.push_back(std::cos(angle));
            sines.push_back(std::sin(angle));
        }
        auto after = before;
        kernels::applyRotary(after.data(), kHeads, kHeadWidth, kTurned, cosines.data(), sines.data());
        for (std::size_t h = 0; h < kHeads; ++h) {
            const float *from = before.data() + h * kHeadWidth;
            const float *to = after.data() + h * kHeadWidth;
            for (std::size_t i = 0; i < 2; ++i) {
                QVERIFY(std::abs(to[i] - (from[i] * cosines[i] - from[i + 2] * sines[i])) < 1e-6F);
                QVERIFY(std::abs(to[i + 2] - (from[i] * sines[i] + from[i + 2] * cosines[i])) < 1e-6F);
            }
            for (std::size_t i = kTurned; i < kHeadWidth; ++i)
                QCOMPARE(to[i], from[i]);
        }
    }

    void neighboursAreTurned()
    {
        constexpr std::int64_t kHeads = 2, kHeadWidth = 7, kTurned = 4;
        const auto before = randomNumbers(kHeads * kHeadWidth, 1, 14);
        const std::vector<float> angles{0.3F, 0.3F, 2.0F, 2.0F};
        std::vector<float> cosines, sines;
        for (const float angle : angles) {
            cosines.push_back(std::cos(angle));
            sines.push_back(std::sin(angle));
        }
        auto after = before;
        kernels::applyRotaryToNeighbours(after.data(), kHeads, kHeadWidth, kTurned, cosines.data(), sines.data());
        for (std::size_t h = 0; h < kHeads; ++h) {
            const float *from = before.data() + h * kHeadWidth;
            const float *to = after.data() + h * kHeadWidth;
            for (std::size_t i = 0; i < kTurned; i += 2) {
                QVERIFY(std::abs(to[i] - (from[i] * cosines[i] - from[i + 1] * sines[i])) < 1e-6F);
                QVERIFY(std::abs(to[i + 1] - (from[i] * sines[i] + from[i + 1] * cosines[i])) < 1e-6F);
            }
            for (std::size_t i = kTurned; i < kHeadWidth; ++i)
                QCOMPARE(to[i], from[i]);
        }
    }

    void limitsAndFactors()
    {
        const auto before = randomNumbers(37, 2, 15);
        const auto other = randomNumbers(37, 1, 16);
        auto limited = before, scaled = before, added = before;
        kernels::limit(limited.data(), std::ssize(limited), 0.5F);
        kernels::scale(scaled.data(), std::ssize(scaled), 0.25F, 1);
        kernels::addScaled(added.data(), other.data(), -0.5F, std::ssize(added));
        for (std::size_t i = 0; i < before.size(); ++i) {
            QCOMPARE(limited[i], std::min(before[i], 0.5F));
            QVERIFY(std::abs(scaled[i] - (0.25F * before[i] + 1)) < 1e-6F);
            QVERIFY(std::abs(added[i] - (before[i] - 0.5F * other[i])) < 1e-6F);
        }
    }

    void norms()
    {
        constexpr std::int64_t kWidth = 21;
        const auto input = randomNumbers(2 * kWidth, 4, 3);
        const auto weight = randomNumbers(kWidth, 1, 4);
        const auto bias = randomNumbers(kWidth, 1, 5);
        std::vector<float> output(input.size());
        kernels::normalize(input.data(), 2, kWidth, weight.data(), bias.data(), 1e-5F, output.data());
        for (std::size_t r = 0; r < 2; ++r) {
            double mean = 0;
            double variance = 0;
            for (std::size_t i = 0; i < kWidth; ++i)
                mean += input[r * kWidth + i] / double(kWidth);
            for (std::size_t i = 0; i < kWidth; ++i)
                variance += std::pow(input[r * kWidth + i] - mean, 2) / double(kWidth);
            for (std::size_t i = 0; i < kWidth; ++i) {
                const double wanted = (input[r * kWidth + i] - mean) / std::sqrt(variance + 1e-5) * weight[i] + bias[i];
                QVERIFY(std::abs(output[r * kWidth + i] - wanted) < 1e-5);
            }
        }
    }

    void attention_data()
    {
        QTest::addColumn<int>("queries");
        QTest::addColumn<int>("keys");
        QTest::addColumn<int>("headWidth");
        QTest::addColumn<bool>("causal");
        QTest::addColumn<int>("reach");  // −1: all
        QTest::addColumn<float>("cap");  // 0: none
        QTest::addColumn<float>("sink"); // of the first head, less by 1 of each that follows; 0: there are none
        const auto add = [](const char *name, int queries, int keys, int headWidth, bool causal, int reach = -1,
                            float cap = 0, float sink = 0) {
            QTest::newRow(name) << queries << keys << headWidth << causal << reach << cap << sink;
        };
        add("one", 1, 1, 16, false);
        add("a step of decoding", 1, 19, 32, false);
        add("a step with narrow heads", 1, 16, 5, true);
        add("a step with odd heads", 1, 35, 53, false);
        add("two of a kind", 2, 17, 48, true);
        add("crosswise", 7, 33, 32, false);
        add("causal", 18, 18, 32, true);
        add("narrow heads", 5, 5, 5, true);
        add("odd heads", 6, 16, 21, false);
        add("near", 18, 18, 32, true, 3);
        add("near, a step", 1, 40, 16, true, 20);
        add("near both ways", 9, 21, 21, false, 2);
        add("itself alone", 6, 6, 5, true, 0);
        add("capped", 7, 33, 32, false, -1, 1.5F);
        add("capped and near", 1, 19, 32, true, 7, 4);
        add("sinks", 7, 33, 32, false, -1, 0, 2);
        add("sinks above all scores", 5, 5, 16, true, -1, 0, 30);
        add("sinks and near, a step", 1, 19, 21, true, 7, 0, 0.5F);
    }

    void attention()
    {
        QFETCH(int, queries);
        QFETCH(int, keys);
        QFETCH(int, headWidth);
        QFETCH(bool, causal);
        QFETCH(int, reach);
        QFETCH(float, cap);
        QFETCH(float, sink);
        constexpr int kHeads = 3;
        const std::vector<float> sinks{sink, sink - 1, sink - 2};
        const auto width = static_cast<std::size_t>(kHeads * headWidth);
        const auto query = randomNumbers(static_cast<std::size_t>(queries) * width, 2, 6);
        const auto keyValue = randomNumbers(static_cast<std::size_t>(keys) * 2 * width, 2, 7);
        std::vector<const float *> rows; // backwards in memory
        for (std::size_t j = static_cast<std::size_t>(keys); j-- > 0;)
            rows.push_back(keyValue.data() + j * 2 * width);
        std::vector<float> context(query.size());
        std::vector<float> scratch(static_cast<std::size_t>(kernels::attentionScratch(keys, headWidth, headWidth)));
        kernels::Attention call;
        call.heads = kHeads;
        call.scoreWidth = headWidth;
        call.headWidth = headWidth;
        call.scale = 0.4F;
        call.query = query.data();
        call.rows = rows.data();
        call.valueOffset = static_cast<std::int64_t>(width);
        call.queries = queries;
        call.keys = keys;
        call.causal = causal;
        call.reach = reach;
        call.cap = cap;
        call.sinks = sink != 0 ? sinks.data() : nullptr;
        call.context = context.data();
        kernels::attend(call, scratch.data());
        for (int h = 0; h < kHeads; ++h) {
            for (int i = 0; i < queries; ++i) {
                const int position = causal ? keys - queries + i : i;
                const int seen = causal ? position + 1 : keys;
                std::vector<double> weights;
                double total = sink != 0 ? std::exp(static_cast<double>(sinks[static_cast<std::size_t>(h)])) : 0;
                for (int j = 0; j < seen; ++j) {
                    double score = 0;
                    for (int d = 0; d < headWidth; ++d)
                        score += static_cast<double>(query[static_cast<std::size_t>(i) * width
                                                           + static_cast<std::size_t>(h * headWidth + d)])
                               * rows[static_cast<std::size_t>(j)][h * headWidth + d];
                    score *= 0.4F;
                    if (cap > 0)
                        score = cap * std::tanh(score / cap);
                    weights.push_back(reach >= 0 && std::abs(j - position) > reach ? 0 : std::exp(score));
                    total += weights.back();
                }
                for (int d = 0; d < headWidth; ++d) {
                    double wanted = 0;
                    for (int j = 0; j < seen; ++j)
                        wanted
                            += weights[static_cast<std::size_t>(j)] / total
                             * rows[static_cast<std::size_t>(j)][width + static_cast<std::size_t>(h * headWidth + d)];
                    QVERIFY(
                        std::abs(
                            context[static_cast<std::size_t>(i) * width + static_cast<std::size_t>(h * headWidth + d)]
                            - wanted)
                        < 2e-5);
                }
            }
        }
        const std::vector<float> factors{1, 0, 0.5F};
        auto scaled = context;
        kernels::scaleHeads(scaled.data(), queries, kHeads, headWidth, factors.data());
        for (std::size_t i = 0; i < scaled.size(); ++i)
            QCOMPARE(scaled[i], context[i] * factors[i % width / static_cast<std::size_t>(headWidth)]);
    }

    void bestScores()
    {
        constexpr std::int64_t kColumns = 1021;
        auto scores = randomNumbers(4 * kColumns, 1, 8);
        scores[17] = scores[900] = 50; // a tie: the first wins, and there is no margin
        constexpr float kNothing = -std::numeric_limits<float>::infinity();
        std::vector<kernels::Best> best(4, {kNothing, kNothing, 0});
        std::vector<float> part;
        for (std::int64_t first = 0; first < kColumns; first += 600) { // as the vocabulary comes, in parts
            const std::int64_t count = std::min<std::int64_t>(600, kColumns - first);
            part.clear();
            for (std::int64_t r = 0; r < 4; ++r)
                part.insert(part.end(), scores.begin() + r * kColumns + first,
                            scores.begin() + r * kColumns + first + count);
            kernels::updateBest(part.data(), 4, count, first, best.data());
        }
        for (std::int64_t r = 0; r < 4; ++r) {
            std::vector<float> row(scores.begin() + r * kColumns, scores.begin() + (r + 1) * kColumns);
            QCOMPARE(best[static_cast<std::size_t>(r)].index, std::ranges::max_element(row) - row.begin());
            std::ranges::sort(row, std::greater());
            QCOMPARE(best[static_cast<std::size_t>(r)].first, row[0]);
            QCOMPARE(best[static_cast<std::size_t>(r)].second, row[1]);
        }
        QCOMPARE(best[0].index, 17);
    }

    // Part by part, with bans and equal scores: what a sort and a sum in double precision say.
    void topAndExponentials()
    {
        constexpr std::int64_t kColumns = 700;
        constexpr std::int64_t kTop = 9;
        constexpr float kNever = -std::numeric_limits<float>::infinity();
        auto scores = randomNumbers(3 * kColumns, 5, 8);
        scores[40] = scores[650] = 100;                                   // equals in two parts
        std::fill_n(scores.begin() + kColumns + 256, 256, kNever);        // a whole part
        std::fill_n(scores.begin() + 2 * kColumns, kColumns - 4, kNever); // fewer than are asked for
        std::vector<kernels::Scored> top(3 * kTop, {kNever, -1});
        std::vector<kernels::Exponentials> sums(3, {kNever, 0});
        for (std::int64_t first = 0; first < kColumns; first += 256) {
            const std::int64_t count = std::min<std::int64_t>(256, kColumns - first);
            std::vector<float> part;
            for (std::int64_t r = 0; r < 3; ++r)
                part.insert(part.end(), scores.begin() + r * kColumns + first,
                            scores.begin() + r * kColumns + first + count);
            kernels::updateTop(part.data(), 3, count, first, kTop, top.data());
            kernels::addExponentials(part.data(), 3, count, sums.data());
        }
        for (std::int64_t r = 0; r < 3; ++r) {
            const float *row = scores.data() + r * kColumns;
            std::vector<std::int64_t> order(kColumns);
            std::iota(order.begin(), order.end(), 0);
            std::ranges::stable_sort(order, std::greater(), [&](std::int64_t i) { return row[i]; });
            for (std::int64_t k = 0; k < kTop; ++k) {
                const kernels::Scored &found = top[static_cast<std::size_t>(r * kTop + k)];
                QCOMPARE(found.score, row[order[static_cast<std::size_t>(k)]]);
                QCOMPARE(found.index, found.score == kNever ? -1 : order[static_cast<std::size_t>(k)]);
            }
            double sum = 0;
            for (std::int64_t i = 0; i < kColumns; ++i)
                sum += std::exp(static_cast<double>(row[i]) - row[order[0]]);
            const kernels::Exponentials &own = sums[static_cast<std::size_t>(r)];
            QCOMPARE(own.largest, row[order[0]]);
            QVERIFY(std::abs(own.sum / sum - 1) < 1e-6);
        }
    }

    // A vocabulary like those of language models, part by part: no more is lost in a sum of 60,000 than of one.
    void exponentialsOfALargeVocabulary_data()
    {
        QTest::addColumn<float>("spread");
        QTest::addColumn<float>("middle");
        QTest::newRow("flat") << 0.01F << 0.0F;
        QTest::newRow("usual") << 3.0F << 0.0F;
        QTest::newRow("large logits") << 10.0F << 1000.0F;
        QTest::newRow("large negative logits") << 2.0F << -30000.0F;
    }
    void exponentialsOfALargeVocabulary()
    {
        QFETCH(float, spread);
        QFETCH(float, middle);
        constexpr std::int64_t kColumns = 60013;
        auto scores = randomNumbers(kColumns, 11, spread);
        for (float &score : scores)
            score += middle;
        scores[0] = *std::ranges::max_element(scores) + 2 * spread; // all others are small beside what is summed first
        kernels::Exponentials sum{kernels::kNothing, 0};
        for (std::int64_t first = 0; first < kColumns; first += 2048)
            kernels::addExponentials(scores.data() + first, 1, std::min<std::int64_t>(2048, kColumns - first), &sum);
        double expected = 0;
        for (const float score : scores)
            expected += std::exp(static_cast<double>(score) - static_cast<double>(scores[0]));
        QCOMPARE(sum.largest, scores[0]);
        QVERIFY2(std::abs(sum.sum / expected - 1) < 2e-7, qPrintable(QString::number(sum.sum / expected - 1)));
    }
};

QTEST_APPLESS_MAIN(TestKernels)
#include "tst_kernels.moc"

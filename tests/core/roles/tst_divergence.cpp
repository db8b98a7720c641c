// Divergences of rows of attention against the definition, and surface statistics of maps made by hand.
#include "core/base/random.h"
#include "core/roles/divergence.h"
#include "core/roles/surface.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

using namespace headscope;

namespace {

/// [heads][keys], each summing to 1, some of them sharp, some with zeros.
std::vector<std::vector<float>> randomRows(std::size_t heads, std::size_t keys, std::uint64_t seed)
{
    Random random(seed);
    std::vector<std::vector<float>> rows(heads, std::vector<float>(keys));
    for (std::size_t h = 0; h < heads; ++h) {
        const double sharpness = 1 + 20 * random.uniform();
        double sum = 0;
        for (float &value : rows[h]) {
            value = h % 3 == 0 && random.uniform() < 0.3 ? 0.0F
                                                         : static_cast<float>(std::pow(random.uniform(), sharpness));
            sum += static_cast<double>(value);
        }
        if (sum <= 0)
            sum = rows[h][0] = 1;
        for (float &value : rows[h])
            value = static_cast<float>(static_cast<double>(value) / sum);
    }
    return rows;
}

std::vector<const float *> pointers(const std::vector<std::vector<float>> &rows)
{
    std::vector<const float *> pointers;
    for (const auto &row : rows)
        pointers.push_back(row.data());
    return pointers;
}

std::vector<float> smoothed(std::vector<float> row, float smoothing)
{
    for (float &value : row)
        value = (1 - smoothing) * value + smoothing / static_cast<float>(row.size());
    return row;
}

} // namespace

class TestDivergence : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void definitionHasItsBounds()
    {
        const std::vector<float> p{0.5F, 0.5F, 0, 0};
        const std::vector<float> q{0, 0, 0.25F, 0.75F};
        QCOMPARE(jensenShannon(p, p), 0.0);
        QVERIFY(std::abs(jensenShannon(p, q) - std::numbers::ln2) < 1e-12); // disjoint
        QCOMPARE(jensenShannon(p, q), jensenShannon(q, p));
        // By hand: m = (3/4, 1/4) between (1, 0) and (1/2, 1/2).
        const double byHand = 0.5 * std::log(4.0 / 3) + 0.5 * (0.5 * std::log(2.0 / 3) + 0.5 * std::log(2.0));
        QVERIFY(std::abs(jensenShannon(std::vector<float>{1, 0}, std::vector<float>{0.5F, 0.5F}) - byHand) < 1e-12);
    }

    void entropies()
    {
        QVERIFY(std::abs(entropyOf(std::vector<float>(8, 0.125F)) - std::log(8.0)) < 1e-12);
        QCOMPARE(entropyOf(std::vector<float>{0, 1, 0}), 0.0);
        QVERIFY(entropyOf(std::vector<float>{0, 1, 0}, 1e-4) > 0);
    }

    void vectorsAgreeWithTheDefinition_data()
    {
        QTest::addColumn<int>("heads");
        QTest::addColumn<int>("keys");
        QTest::addColumn<double>("smoothing");
        for (const int heads : {1, 2, 15, 16, 17, 40}) {
            for (const int keys : {1, 2, 25, 130})
                QTest::addRow("%d heads, %d keys", heads, keys) << heads << keys << 0.0;
        }
        QTest::newRow("smoothed") << 9 << 12 << 0.001;
    }

    void vectorsAgreeWithTheDefinition()
    {
        QFETCH(int, heads);
        QFETCH(int, keys);
        QFETCH(double, smoothing);
        const auto size = static_cast<std::size_t>(heads);
        DivergenceSums sums(size, smoothing);
        PairTable plain(size);
        const int queries = 5;
        for (int query = 0; query < queries; ++query) {
            const auto rows
                = randomRows(size, static_cast<std::size_t>(keys), static_cast<std::uint64_t>(query + 100 * heads));
            sums.add(pointers(rows), keys);
            for (std::size_t i = 0; i < size; ++i) {
                for (std::size_t j = i + 1; j < size; ++j)
                    plain.at(i, j) += jensenShannon(smoothed(rows[i], static_cast<float>(smoothing)),
                                                    smoothed(rows[j], static_cast<float>(smoothing)));
            }
        }
        QCOMPARE(sums.queries(), queries);
        QCOMPARE(sums.sums().values().size(), plain.values().size());
        for (std::size_t i = 0; i < plain.values().size(); ++i) {
            QVERIFY2(std::abs(sums.sums().values()[i] - plain.values()[i]) < 3e-6 * queries,
                     qPrintable(QString::number(sums.sums().values()[i] - plain.values()[i])));
            QVERIFY(sums.sums().values()[i] >= 0 && sums.sums().values()[i] <= queries * (std::numbers::ln2 + 1e-6));
        }
    }

    void equalHeadsAreNotApart()
    {
        auto rows = randomRows(20, 30, 3);
        rows[17] = rows[2];
        DivergenceSums sums(20);
        sums.add(pointers(rows), 30);
        QCOMPARE(sums.sums().at(2, 17), 0.0);
    }

    void rootIsAMetric()
    {
        DivergenceSums sums(12);
        for (std::uint64_t query = 0; query < 6; ++query)
            sums.add(pointers(randomRows(12, 20, query)), 20);
        const auto distance = [&](std::size_t a, std::size_t b) { return std::sqrt(sums.sums().at(a, b)); };
        for (std::size_t a = 0; a < 12; ++a) {
            for (std::size_t b = 0; b < 12; ++b) {
                for (std::size_t c = 0; c < 12; ++c)
                    QVERIFY(distance(a, c) <= distance(a, b) + distance(b, c) + 1e-6);
            }
        }
    }

    void partsAddUp()
    {
        DivergenceSums whole(5);
        DivergenceSums first(5);
        DivergenceSums second(5);
        for (std::uint64_t query = 0; query < 4; ++query) {
            const auto rows = randomRows(5, 7, query);
            whole.add(pointers(rows), 7);
            (query < 2 ? first : second).add(pointers(rows), 7);
        }
        first.add(second);
        QCOMPARE(first.queries(), whole.queries());
        for (std::size_t i = 0; i < whole.sums().values().size(); ++i)
            QVERIFY(std::abs(first.sums().values()[i] - whole.sums().values()[i]) < 1e-12);
    }

    void punctuationPieces()
    {
        for (const char *piece : {".", "▁,", "Ġ!", "?!", "…", "##)", "\"", "#"})
            QVERIFY2(isPunctuationPiece(std::string(piece), false), piece);
        for (const char *piece : {"", "a", "▁", "Ġit", "##s", "3.5"})
            QVERIFY2(!isPunctuationPiece(std::string(piece), false), piece);
        QVERIFY(isPunctuationPiece("▁,", true));
        QVERIFY(!isPunctuationPiece("!", true));
    }

    // [CLS] a . [SEP]: every mean by hand.
    void surfaceOfAMapMadeByHand()
    {
        const std::vector<TokenPart> parts{TokenPart::First, TokenPart::Word, TokenPart::Punctuation,
                                           TokenPart::Delimiter};
        const std::vector<float> weights{0.25F, 0.25F,  0.25F,  0.25F, //
                                         0.5F,  0.125F, 0.125F, 0.25F, //
                                         0,     0,      0.5F,   0.5F,  //
                                         0,     0,      0,      1};
        const SurfaceTemplate example{parts, parts, false, true};
        SurfaceSums tokens(SurfaceAverage::Tokens);
        tokens.add({weights.data(), 4}, example);
        const HeadRef head{HeadKind::Encoder, 0, 0};
        const HeadSurface surface = tokens.surface(head);
        QCOMPARE(*surface.self, (0.25 + 0.125 + 0.5 + 1) / 4);
        QCOMPARE(*surface.previous, (0.5 + 0 + 0) / 3); // the first token has none
        QCOMPARE(*surface.next, (0.25 + 0.125 + 0.5) / 3);
        QCOMPARE(*surface.first, 0.75 / 4);
        QCOMPARE(*surface.delimiter, 2.0 / 4);
        QCOMPARE(*surface.delimiterToDelimiter, 1.0);
        QCOMPARE(*surface.otherToDelimiter, 1.0 / 3);
        QCOMPARE(*surface.punctuation, 0.875 / 4);
        QCOMPARE(*surface.firstEntropy, std::log(4.0));
        QCOMPARE(surface.queries, 4);
        SurfaceSums clark(SurfaceAverage::Clark);
        clark.add({weights.data(), 4}, example);
        const HeadSurface asClark = clark.surface(head);
        QCOMPARE(*asClark.previous, 0.5 / 4);
        QCOMPARE(*asClark.delimiterToDelimiter, 0.5); // their code expects two separators
        QCOMPARE(*asClark.otherToDelimiter, 1.0 / 2);
    }

    void keysThatAreNotThereAreNone()
    {
        const std::vector<TokenPart> words{TokenPart::Word, TokenPart::Word};
        const std::vector<float> weights{1, 0, 0.5F, 0.5F};
        SurfaceSums causal(SurfaceAverage::Tokens);
        causal.add({weights.data(), 2}, {words, words, true, true});
        const HeadSurface surface = causal.surface({HeadKind::Decoder, 0, 0});
        QVERIFY(!surface.next && !surface.first && !surface.delimiter && !surface.punctuation && !surface.firstEntropy);
        QCOMPARE(*surface.previous, 0.5);
        QCOMPARE(*surface.self, 0.75);
        QCOMPARE(surface.normalizedEntropy, 1.0); // of the only query that has a choice
        SurfaceSums cross(SurfaceAverage::Tokens);
        cross.add({weights.data(), 2}, {words, words, false, false});
        QVERIFY(!cross.surface({HeadKind::Cross, 0, 0}).self);
    }

    void behaviourIsTheLastThatHolds()
    {
        HeadSurface surface;
        QCOMPARE(behaviourOf(surface), Behaviour::None);
        surface.next = 0.6;
        QCOMPARE(behaviourOf(surface), Behaviour::Next);
        surface.normalizedEntropy = 0.9;
        QCOMPARE(behaviourOf(surface), Behaviour::Broad);
        surface.delimiter = 0.7;
        QCOMPARE(behaviourOf(surface), Behaviour::Delimiter);
    }
};

QTEST_APPLESS_MAIN(TestDivergence)
#include "tst_divergence.moc"

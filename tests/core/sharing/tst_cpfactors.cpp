// What projections of heads span, and the sum of products nearest to their tensor, against the tensor itself
// (Cordonnier et al. 2020, section 2).
#include "core/sharing/cpfactors.h"
#include "core/sharing/energy.h"

#include <QTest>
#include <torch/types.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

using namespace headscope;

namespace {

/// T as [D, H, D].
torch::Tensor tensorOf(const HeadMaps &maps)
{
    return torch::einsum("hdq,hdk->qhk", {maps.query, maps.key});
}
torch::Tensor tensorOf(const CpFactors &factors)
{
    return torch::einsum("rq,hr,rk->qhk", {factors.query, factors.mixing, factors.key});
}

double errorByTensor(const HeadMaps &maps, const CpFactors &factors)
{
    const auto whole = tensorOf(maps);
    return ((whole - tensorOf(factors)).norm() / whole.norm()).item<double>();
}

double largestDifference(const torch::Tensor &a, const torch::Tensor &b)
{
    const auto count = std::min(a.numel(), b.numel()); // what one has more are zeros
    return std::max((a.narrow(0, 0, count) - b.narrow(0, 0, count)).abs().max().item<double>(),
                    std::max(a.narrow(0, count, a.numel() - count).norm().item<double>(),
                             b.narrow(0, count, b.numel() - count).norm().item<double>()));
}

/// Heads that mix `rank` projections which they share.
HeadMaps mixedMaps(std::int64_t heads, std::int64_t rank, std::int64_t width)
{
    const HeadMaps shared = randomMaps(1, rank, width, 17);
    const auto mixing = randomMaps(1, heads, rank, 18).query[0].unsqueeze(2);
    return {mixing * shared.query, shared.key.expand({heads, -1, -1}).contiguous()};
}

CpDecomposition decomposed(const HeadMaps &maps, std::int64_t rank, std::int64_t restarts = 1)
{
    return decompose(maps, {.rank = rank, .restarts = restarts}, {});
}

} // namespace

class TestCpFactors : public QObject
{
    Q_OBJECT

    const HeadMaps m_maps = randomMaps(4, 5, 13, 3);

private Q_SLOTS:
    void spectraAreThoseOfTheFormula()
    {
        const Spectrum spectrum = spectrumOf(torch::tensor({3.0, 1.0}, torch::kFloat64));
        QCOMPARE(spectrum.energy.size(), 2U);
        QVERIFY(std::abs(spectrum.energy[0] - 0.9) < 1e-12);
        QCOMPARE(spectrum.energy[1], 1.0);
        QVERIFY(std::abs(spectrum.effectiveRank - std::exp(-0.9 * std::log(0.9) - 0.1 * std::log(0.1))) < 1e-12);
        QVERIFY(std::abs(spectrum.stableRank - 10.0 / 9) < 1e-12);
        QCOMPARE(dimensionsFor(spectrum, 0.5), 1);
        QCOMPARE(dimensionsFor(spectrum, 0.95), 2);
        const Spectrum nothing = spectrumOf(torch::zeros({3}, torch::kFloat64));
        QCOMPARE(dimensionsFor(nothing, 0.5), 0);
        QCOMPARE(nothing.effectiveRank, 0.0);
    }

    void singularValuesAreThoseOfTheTensor_data()
    {
        QTest::addColumn<int>("headWidth");
        QTest::newRow("all heads together narrower than the model") << 2;
        QTest::newRow("wider") << 5;
    }
    void singularValuesAreThoseOfTheTensor()
    {
        QFETCH(int, headWidth);
        const HeadMaps maps = randomMaps(4, headWidth, 13, 4);
        const auto tensor = tensorOf(maps);
        const ProjectionValues values = projectionValues(maps, false);
        const auto dense = [](const torch::Tensor &matrix) { return torch::linalg_svdvals(matrix); };
        QVERIFY(largestDifference(values.query, dense(maps.query.flatten(0, 1))) < 1e-10);
        QVERIFY(largestDifference(values.product, dense(tensor.sum(1))) < 1e-10);
        QVERIFY(largestDifference(values.queryUnfolding, dense(tensor.flatten(1))) < 1e-10);
        QVERIFY(largestDifference(values.keyUnfolding, dense(tensor.permute({2, 1, 0}).flatten(1))) < 1e-10);
        QVERIFY(largestDifference(values.headUnfolding, dense(tensor.permute({1, 0, 2}).flatten(1)))
                < 1e-6); // roots of small sums
        for (std::size_t h = 0; h < 4; ++h)
            QVERIFY(largestDifference(values.headProduct[h], dense(tensor.select(1, static_cast<std::int64_t>(h))))
                    < 1e-10);
    }

    // Only products are seen: a change of a head's own coordinates changes its projections, and nothing that is made of
    // products.
    void coordinatesOfAHeadDoNotMatter()
    {
        HeadMaps other{m_maps.query.clone(), m_maps.key.clone()};
        const auto change = randomMaps(1, 5, 5, 8).query[0] + 3 * torch::eye(5, torch::kFloat64);
        other.query[2].copy_(change.mm(m_maps.query[2]));
        other.key[2].copy_(torch::linalg_inv(change).t().mm(m_maps.key[2]));
        const ProjectionValues before = projectionValues(m_maps, false), after = projectionValues(other, false);
        QVERIFY(largestDifference(before.product, after.product) < 1e-9);
        QVERIFY(largestDifference(before.queryUnfolding, after.queryUnfolding) < 1e-9);
        QVERIFY(largestDifference(before.headProduct[2], after.headProduct[2]) < 1e-9);
        QVERIFY(largestDifference(before.query, after.query) > 1e-2);
        QVERIFY(std::abs(decomposed(m_maps, 7).error - decomposed(other, 7).error) < 1e-3);
    }

    void equalHeadsSpanWhatOneDoes()
    {
        const HeadMaps one = randomMaps(1, 3, 13, 9);
        const HeadMaps equal{one.query.expand({4, -1, -1}).contiguous(), one.key.expand({4, -1, -1}).contiguous()};
        const Spectrum single = spectrumOf(projectionValues(one, false).headProduct[0]);
        const ProjectionValues values = projectionValues(equal, false);
        for (const torch::Tensor &unfolding : {values.queryUnfolding, values.keyUnfolding, values.product}) {
            const Spectrum spectrum = spectrumOf(unfolding);
            for (std::size_t r = 0; r < single.energy.size(); ++r)
                QVERIFY(std::abs(spectrum.energy[r] - single.energy[r]) < 1e-10);
        }
        QVERIFY(std::abs(spectrumOf(values.headUnfolding).effectiveRank - 1) < 1e-6);
    }

    void centredRowsHaveNoMeans()
    {
        HeadMaps moved{m_maps.query + 100, m_maps.key - 50};
        QVERIFY(largestDifference(projectionValues(moved, true).product, projectionValues(m_maps, true).product)
                < 1e-9);
        QVERIFY(largestDifference(projectionValues(moved, false).product, projectionValues(m_maps, false).product) > 1);
    }

    void randomNumbersRepeat()
    {
        QVERIFY(randomMaps(2, 3, 5, 1).key.equal(randomMaps(2, 3, 5, 1).key));
        QVERIFY(!randomMaps(2, 3, 5, 1).key.equal(randomMaps(2, 3, 5, 2).key));
        const auto many = randomMaps(1, 100, 200, 5).query;
        QVERIFY(std::abs(many.mean().item<double>()) < 0.03);
        QVERIFY(std::abs(many.std().item<double>() - 1) < 0.03);
    }

    void errorsAreThoseOfTheTensor()
    {
        QVERIFY(std::abs(squaredNorm(m_maps) - tensorOf(m_maps).square().sum().item<double>()) < 1e-8);
        for (const std::int64_t rank : {1, 4, 12, 25}) {
            const CpFactors single = truncatedHeads(m_maps, rank);
            QVERIFY(std::abs(relativeError(m_maps, single) - errorByTensor(m_maps, single)) < 1e-7);
            const CpDecomposition found = decomposed(m_maps, rank, 0);
            QVERIFY(std::abs(found.error - errorByTensor(m_maps, found.factors)) < 1e-7);
        }
    }

    // The largest triplets of all heads: what is left out is the sum of the other squares.
    void truncatedHeadsLeaveOutTheSmallestTriplets()
    {
        std::vector<torch::Tensor> all;
        for (const torch::Tensor &values : projectionValues(m_maps, false).headProduct)
            all.push_back(values);
        const auto squares = std::get<0>(torch::cat(all).square().sort(0, true));
        for (const std::int64_t rank : {1, 7, 20}) {
            const CpFactors factors = truncatedHeads(m_maps, rank);
            const double rest = std::sqrt((squares.narrow(0, rank, 20 - rank).sum() / squares.sum()).item<double>());
            QVERIFY(std::abs(relativeError(m_maps, factors) - rest) < 1e-7);
            QVERIFY(factors.mixing.ne(0).sum(0).eq(1).all().item<bool>()); // nothing is shared
        }
    }

    void fullRankIsExact()
    {
        const CpDecomposition found = decomposed(m_maps, 20, 0);
        QVERIFY(found.error < 1e-7);
        QVERIFY((tensorOf(m_maps) - tensorOf(found.factors)).abs().max().item<double>() < 1e-6);
    }

    void oneHeadIsBestAsEckartAndYoungHaveIt()
    {
        const HeadMaps one = randomMaps(1, 8, 13, 5);
        const auto squares = projectionValues(one, false).headProduct[0].square();
        for (const std::int64_t rank : {1, 3, 6}) {
            const double best = std::sqrt((squares.narrow(0, rank, 8 - rank).sum() / squares.sum()).item<double>());
            QVERIFY(std::abs(decomposed(one, rank, 2).error - best) < 1e-6);
        }
    }

    void whatHeadsShareIsFound()
    {
        const HeadMaps maps = mixedMaps(6, 7, 13);
        QVERIFY(relativeError(maps, truncatedHeads(maps, 7)) > 0.3);
        QVERIFY(decompose(maps, {.rank = 7, .iterations = 2000, .tolerance = 1e-9, .restarts = 4}, {}).error < 0.01);
    }

    void neverFartherThanSingleHeads()
    {
        for (const std::int64_t rank : {1, 3, 8, 15, 19}) {
            for (const std::int64_t iterations : {1, 5, 200}) {
                const CpDecomposition found
                    = decompose(m_maps, {.rank = rank, .iterations = iterations, .restarts = 0}, {});
                QVERIFY(found.error <= relativeError(m_maps, truncatedHeads(m_maps, rank)) + 1e-9);
            }
        }
    }

    void normsAreInTheMixingMatrix()
    {
        const CpFactors factors = decomposed(m_maps, 9).factors;
        QVERIFY((factors.query.norm(2, 1) - 1).abs().max().item<double>() < 1e-12);
        QVERIFY((factors.key.norm(2, 1) - 1).abs().max().item<double>() < 1e-12);
        const auto norms = factors.mixing.norm(2, 0);
        QVERIFY((norms.narrow(0, 0, 8) - norms.narrow(0, 1, 8)).min().item<double>() >= 0);
    }

    void headsInAnotherOrderAreRowsInAnotherOrder()
    {
        const auto order = torch::tensor({2, 0, 3, 1}, torch::kInt64);
        const HeadMaps other{m_maps.query.index_select(0, order), m_maps.key.index_select(0, order)};
        const CpDecomposition before = decomposed(m_maps, 9, 0), after = decomposed(other, 9, 0);
        QVERIFY(std::abs(before.error - after.error) < 1e-9);
        QVERIFY(
            (before.factors.mixing.index_select(0, order).abs() - after.factors.mixing.abs()).abs().max().item<double>()
            < 1e-6);
    }

    void moreColumnsThanTripletsAreAllowed()
    {
        const HeadMaps narrow = randomMaps(2, 2, 9, 6);
        QVERIFY(decomposed(narrow, 7).error < 1e-6);
        QVERIFY(relativeError(narrow, truncatedHeads(narrow, 7)) < 1e-6);
    }

    void cancellingStopsIt()
    {
        std::stop_source stop;
        stop.request_stop();
        QVERIFY_EXCEPTION_THROWN((void)decompose(m_maps, {.rank = 9}, JobControl(stop.get_token())), Cancelled);
    }
};

QTEST_GUILESS_MAIN(TestCpFactors)
#include "tst_cpfactors.moc"

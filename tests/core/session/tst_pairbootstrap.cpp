#include "core/analysis/pairbootstrap.h"

#include <QTest>

#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

using namespace headscope;

/// Means over pairs of texts and shares of what is possible, with what resamples make of them.
class TestPairBootstrap : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    /// A share of resamples has no effect, as donor and base do not differ in them, or the other way round.
    void effectsWithoutSomeResamples();
    void meansOfFewPairs();
    void cellsThatOnlySomePairsHave();
};

void TestPairBootstrap::effectsWithoutSomeResamples()
{
    const auto effectOf = [](double opposite) {
        std::vector<double> gained, possible;
        for (int i = 0; i < 20; ++i) {
            possible.push_back(i < 2 ? -opposite : 1);
            gained.push_back(0.5 * possible.back() + 0.01 * (i % 3));
        }
        return PairBootstrap(20, 2000, 1).effect(gained, possible);
    };
    const PatchEffect none = effectOf(0);
    QCOMPARE(none.undefined, 0.0);
    QVERIFY(none.interval.low < none.effect && none.effect < none.interval.high);
    const PatchEffect rare = effectOf(2.5); // where six of twenty draws or more are of the two: 1 resample in 90
    QVERIFY(rare.undefined > 0 && rare.undefined < 0.025);
    QVERIFY(rare.interval.low < rare.effect && rare.effect < rare.interval.high);
    const PatchEffect often = effectOf(4); // five or more: 1 in 7
    QVERIFY(often.undefined > 0.025 && often.undefined < 0.5);
    QVERIFY(!std::isnan(often.effect) && std::isnan(often.interval.low) && std::isnan(often.interval.high));
    QVERIFY(!std::isnan(often.deltaInterval.low));
}

void TestPairBootstrap::meansOfFewPairs()
{
    const PairBootstrap three(3, 1000, 1);
    const PairBootstrap::Change change = three.change({1, 1.1, 0.9});
    QVERIFY(std::abs(change.mean - 1) < 1e-12);
    QCOMPARE(change.inference.p, 0.25); // three signs
    QVERIFY(change.inference.interval.low <= 0);
    QVERIFY(three.score({1, 1.1, 0.9}).interval.low > 0); // of a score, zero is no question
    const PairBootstrap none(3, 0, 1);
    QVERIFY(std::isnan(none.change({1, 2, 3}).inference.p) && std::isnan(none.score({1, 2, 3}).interval.low));
    const PairBootstrap one(1, 1000, 1);
    QVERIFY(std::isnan(one.score({1}).interval.low));
}

void TestPairBootstrap::cellsThatOnlySomePairsHave()
{
    constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
    std::vector<double> gained(12, kNan), possible(12, 1);
    for (std::size_t i = 0; i < 3; ++i)
        gained[i] = 1 + 0.1 * static_cast<double>(i);
    const PatchEffect effect = PairBootstrap(12, 1000, 1).effect(gained, possible);
    QVERIFY(std::abs(effect.delta - 1.1) < 1e-12);
    QVERIFY(effect.deltaInterval.low <= 0); // three pairs have it
    QVERIFY(!std::isnan(effect.deltaInterval.high));
}

QTEST_APPLESS_MAIN(TestPairBootstrap)
#include "tst_pairbootstrap.moc"

// Maps and clusters of distances whose answer is known.
#include "core/base/random.h"
#include "core/metrics/clustering.h"
#include "core/metrics/scaling.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

using namespace headscope;

namespace {

PairTable distancesOf(const std::vector<double> &x, const std::vector<double> &y)
{
    PairTable distances(x.size());
    for (std::size_t a = 0; a < x.size(); ++a) {
        for (std::size_t b = a + 1; b < x.size(); ++b)
            distances.at(a, b) = std::hypot(x[a] - x[b], y[a] - y[b]);
    }
    return distances;
}

PairTable randomPlane(std::size_t size, std::uint64_t seed)
{
    Random random(seed);
    std::vector<double> x(size);
    std::vector<double> y(size);
    std::ranges::generate(x, [&] { return random.uniform(); });
    std::ranges::generate(y, [&] { return 3 * random.uniform(); });
    return distancesOf(x, y);
}

} // namespace

class TestClustering : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void pairsGoBothWays()
    {
        PairTable table(4);
        std::iota(table.values().begin(), table.values().end(), 1.0);
        QCOMPARE(table.at(0, 1), 1.0);
        QCOMPARE(table.at(3, 0), 3.0);
        QCOMPARE(table.at(2, 1), 4.0);
        QCOMPARE(table.at(2, 3), 6.0);
        QCOMPARE(std::as_const(table).at(2, 2), 0.0);
    }

    void planeComesBackWithoutStress()
    {
        const PairTable distances = randomPlane(30, 1);
        const PlaneMap map = planeMap(distances, 7);
        QVERIFY2(map.stress < 1e-4, qPrintable(QString::number(map.stress)));
        const PairTable back = distancesOf(map.x, map.y);
        for (std::size_t i = 0; i < back.values().size(); ++i)
            QVERIFY(std::abs(back.values()[i] - distances.values()[i]) < 1e-3);
    }

    // A tetrahedron has no place on a plane: its least stress is known (a square, sides and diagonals as near as can
    // be).
    void tetrahedronHasItsStress()
    {
        PairTable distances(4);
        std::ranges::fill(distances.values(), 1.0);
        const double side = (4 + 2 * std::sqrt(2.0)) / 8; // least squares of 4 sides and 2 diagonals
        const double misses = 4 * std::pow(1 - side, 2) + 2 * std::pow(1 - side * std::sqrt(2.0), 2);
        const double stress = std::sqrt(misses / (8 * side * side));
        const PlaneMap map = planeMap(distances, 0);
        QVERIFY2(std::abs(map.stress - stress) < 1e-4, qPrintable(QString::number(map.stress)));
    }

    void equalSeedsGiveEqualMaps()
    {
        Random random(5);
        PairTable distances(12);
        std::ranges::generate(distances.values(), [&] { return 0.5 + random.uniform(); });
        const PlaneMap map = planeMap(distances, 3);
        const PlaneMap again = planeMap(distances, 3);
        QCOMPARE(map.x, again.x);
        QCOMPARE(map.y, again.y);
        QVERIFY(map.stress > 0.01); // twelve things with such distances do not lie on a plane
        QVERIFY(std::abs(std::reduce(map.x.begin(), map.x.end())) < 1e-9);
    }

    void fewOrEqualThings()
    {
        QCOMPARE(planeMap(PairTable(0), 0).x.size(), 0U);
        QCOMPARE(planeMap(PairTable(1), 0).x, std::vector<double>{0});
        const PlaneMap same = planeMap(PairTable(3), 0);
        QCOMPARE(same.x, std::vector<double>(3, 0));
        QCOMPARE(same.stress, 0.0);
        PairTable two(2);
        two.at(0, 1) = 2;
        const PlaneMap pair = planeMap(two, 0);
        QVERIFY(std::abs(std::abs(pair.x[0] - pair.x[1]) - 2) < 1e-6);
    }

    void clustersByHand_data()
    {
        QTest::addColumn<int>("linkage");
        QTest::addColumn<double>("last");
        QTest::newRow("average") << 0 << (10.0 + 9.0 + 6.0 + 5.0) / 4;
        QTest::newRow("complete") << 1 << 10.0;
        QTest::newRow("single") << 2 << 5.0;
    }

    // 0, 1, 6 and 10 on a line.
    void clustersByHand()
    {
        QFETCH(int, linkage);
        QFETCH(double, last);
        const PairTable line = distancesOf({0, 1, 6, 10}, {0, 0, 0, 0});
        const ClusterLinkage linkages[] = {averageLinkage, completeLinkage, singleLinkage};
        const auto steps = clusterSteps(line, linkages[linkage]);
        QCOMPARE(steps.size(), 3U);
        QCOMPARE(steps[0].first, 0U);
        QCOMPARE(steps[0].second, 1U);
        QCOMPARE(steps[0].height, 1.0);
        QCOMPARE(steps[1].first, 2U);
        QCOMPARE(steps[1].second, 3U);
        QCOMPARE(steps[1].height, 4.0);
        QCOMPARE(steps[2].first, 4U);
        QCOMPARE(steps[2].second, 5U);
        QCOMPARE(steps[2].height, last);
    }

    // Averages over clusters, computed from their members, not step by step.
    void averageIsOfAllMembers()
    {
        const PairTable distances = randomPlane(25, 9);
        const auto steps = clusterSteps(distances, averageLinkage);
        std::vector<std::vector<std::size_t>> members;
        for (std::size_t i = 0; i < 25; ++i)
            members.push_back({i});
        double before = 0;
        for (const ClusterStep &step : steps) {
            double sum = 0;
            for (const std::size_t a : members[step.first]) {
                for (const std::size_t b : members[step.second])
                    sum += distances.at(a, b);
            }
            const double pairs = static_cast<double>(members[step.first].size() * members[step.second].size());
            QVERIFY(std::abs(step.height - sum / pairs) < 1e-12);
            QVERIFY(step.height >= before); // average linkage has no inversions
            before = step.height;
            members.push_back(members[step.first]);
            members.back().insert(members.back().end(), members[step.second].begin(), members[step.second].end());
        }
    }

    /// Points 0 and 1, and 2 and 3, are joined first; which of their ends are the nearest decides which pair is turned.
    void branchesMeetAtTheirNearestEnds_data()
    {
        QTest::addColumn<QList<double>>("places");
        QTest::addColumn<QList<int>>("expected");
        QTest::newRow("neither is turned") << QList<double>{0, 1, 2, 3} << QList<int>{0, 1, 2, 3};
        QTest::newRow("the second") << QList<double>{0, 1, 3, 2} << QList<int>{0, 1, 3, 2};
        QTest::newRow("the first") << QList<double>{1, 0, 2, 3} << QList<int>{1, 0, 2, 3};
        QTest::newRow("both") << QList<double>{1, 0, 3, 2} << QList<int>{1, 0, 3, 2};
    }
    void branchesMeetAtTheirNearestEnds()
    {
        QFETCH(QList<double>, places);
        QFETCH(QList<int>, expected);
        const PairTable line = distancesOf({places.begin(), places.end()}, {0, 0, 0, 0});
        const auto order = leafOrder(line, {{0, 1, 1}, {2, 3, 1}, {4, 5, 2}});
        QCOMPARE(QList<int>(order.begin(), order.end()), expected);
    }

    void leavesOfALineLieInTheirOrder()
    {
        const auto line = distancesOf({3, 0, 8, 1, 6.5}, {0, 0, 0, 0, 0});
        const auto order = leafOrder(line, clusterSteps(line, averageLinkage));
        const std::vector<std::size_t> expected{1, 3, 0, 4, 2};
        const std::vector<std::size_t> reversed(expected.rbegin(), expected.rend());
        QVERIFY(order == expected || order == reversed);
        QCOMPARE(leafOrder(PairTable(1), {}), std::vector<std::size_t>{0});
        QVERIFY(leafOrder(PairTable(0), {}).empty());
    }
};

QTEST_APPLESS_MAIN(TestClustering)
#include "tst_clustering.moc"

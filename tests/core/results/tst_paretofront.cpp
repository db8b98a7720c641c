// Which models with shared projections and fewer heads are on the front of score against parameters.
#include "core/results/collaborateresult.h"

#include <QTest>

#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

using namespace headscope;
using namespace Qt::StringLiterals;

class TestParetoFront : public QObject
{
    Q_OBJECT

    using Models = std::vector<std::pair<std::int64_t, double>>; ///< parameters, score

    static CollaborateResult resultOf(const Models &models, Better better)
    {
        CollaborateResult result;
        result.better = better;
        for (const auto &[parameters, score] : models) {
            SharedPoint &point = result.points.emplace_back();
            point.parameters = parameters;
            point.score = score;
            point.otherScore = -score;
        }
        return result;
    }

private Q_SLOTS:
    void front_data()
    {
        constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
        QTest::addColumn<Models>("models");
        QTest::addColumn<Better>("better");
        QTest::addColumn<QList<bool>>("wanted");
        QTest::newRow("none") << Models{} << Better::Higher << QList<bool>{};
        QTest::newRow("one") << Models{{10, 1}} << Better::Higher << QList<bool>{true};
        QTest::newRow("each costs what it brings")
            << Models{{10, 3}, {5, 2}, {1, 1}} << Better::Higher << QList<bool>{true, true, true};
        QTest::newRow("small is as good") << Models{{10, 2}, {5, 2}} << Better::Higher << QList<bool>{false, true};
        QTest::newRow("as small is better") << Models{{10, 2}, {10, 3}} << Better::Higher << QList<bool>{false, true};
        QTest::newRow("between two") << Models{{10, 3}, {7, 1.5}, {5, 2}} << Better::Higher
                                     << QList<bool>{true, false, true};
        QTest::newRow("equal") << Models{{10, 3}, {10, 3}, {11, 3}} << Better::Higher << QList<bool>{true, true, false};
        QTest::newRow("lower is better") << Models{{10, 3}, {5, 2}, {1, 4}} << Better::Lower
                                         << QList<bool>{false, true, true};
        QTest::newRow("no score") << Models{{10, 3}, {5, kNone}} << Better::Higher << QList<bool>{true, false};
    }
    void front()
    {
        QFETCH(Models, models);
        QFETCH(Better, better);
        QFETCH(QList<bool>, wanted);
        CollaborateResult result = resultOf(models, better);
        markFronts(result);
        QList<bool> found;
        for (const SharedPoint &point : result.points)
            found << point.onFront;
        QCOMPARE(found, wanted);
        // The other data set's scores are the opposite: what is best there is the other way round.
        result.better = better == Better::Higher ? Better::Lower : Better::Higher;
        markFronts(result);
        for (qsizetype i = 0; i < wanted.size(); ++i)
            QCOMPARE(result.points[static_cast<std::size_t>(i)].otherOnFront, wanted[i]);
    }

    void onlyWhatWasScoredThereIsOnTheOtherFront()
    {
        CollaborateResult result = resultOf({{10, 3}, {5, 2}}, Better::Higher);
        result.points[0].otherScore = std::nullopt;
        markFronts(result);
        QVERIFY(result.points[0].onFront && !result.points[0].otherOnFront && result.points[1].otherOnFront);
    }
};

QTEST_GUILESS_MAIN(TestParetoFront)
#include "tst_paretofront.moc"

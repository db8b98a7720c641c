// Ablation that stops early: heads whose delta is known well enough are left alone (`--precision`).
#include "core/analysis/ablation.h"
#include "core/analysis/evaluation.h"
#include "core/analysis/pruning.h"
#include "tests/support/opentask.h"
#include "tests/support/tinyclassifier.h"

#include <QTemporaryDir>
#include <QTest>
#include <torch/types.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

using namespace headscope;
using namespace headscope::testing;

class TestAblation : public QObject
{
    Q_OBJECT

    static constexpr int kRows = 900;
    QTemporaryDir m_folder;
    std::shared_ptr<const Task> m_task;

    AblationResult ablated(double precision) const
    {
        return ablate(*m_task, {.resamples = 200, .precision = precision}, {}, nullptr, {}, {});
    }

private Q_SLOTS:
    void initTestCase()
    {
        const std::filesystem::path folder = m_folder.path().toStdString();
        writeTinyClassifier(folder / "model", {.layers = 2, .heads = 4, .width = 16, .labels = {"a", "b", "c"}});
        writeTinyTable(folder / "table.tsv", kRows, 3);
        DataSource source;
        source.table = (folder / "table.tsv").string();
        m_task = openTask(folder / "model", source);
    }

    void withoutPrecisionEveryExampleCounts()
    {
        const AblationResult whole = ablated(0);
        QCOMPARE(whole.heads.size(), 8U);
        for (const HeadAblation &head : whole.heads)
            QCOMPARE(head.examples, kRows);
    }

    void headsEndOnceTheyAreKnown()
    {
        constexpr double kPrecision = 0.04;
        const AblationResult whole = ablated(0);
        const AblationResult early = ablated(kPrecision);
        QCOMPARE(early.heads.size(), whole.heads.size());
        int ended = 0;
        for (std::size_t h = 0; h < early.heads.size(); ++h) {
            const HeadAblation &head = early.heads[h];
            QCOMPARE(head.head, whole.heads[h].head);
            if (head.examples == kRows) { // never known well enough: the whole set says the same as ever
                QCOMPARE(head.delta, whole.heads[h].delta);
                continue;
            }
            ++ended;
            QVERIFY(head.interval.high - head.interval.low <= 2 * kPrecision + 1e-9);
            QVERIFY(std::abs(head.delta - whole.heads[h].delta) <= 2 * kPrecision); // one in 20 may miss kPrecision
        }
        QVERIFY(ended > 0);
    }

    // A head goes on for as long as half of its interval, or what no example has shown yet (3 of n examples, with all
    // of their score), is wider than asked for; and no longer.
    void headsEndAsSoonAsTheyAreKnown()
    {
        constexpr double kPrecision = 0.06;
        std::vector<AblationResult> seen;
        const AblationResult last = ablate(*m_task, {.resamples = 200, .precision = kPrecision}, {}, nullptr, {},
                                           [&](const AblationResult &partial) { seen.push_back(partial); });
        const auto isKnown = [&](const HeadAblation &head, double baseline) {
            return std::max((head.interval.high - head.interval.low) / 2,
                            3.0 / static_cast<double>(head.examples) * baseline)
                <= kPrecision;
        };
        int between = 0; // half of the interval is narrow enough, the whole is not
        for (const HeadAblation &head : last.heads) {
            for (const AblationResult &partial : seen) {
                const auto earlier = std::ranges::find(partial.heads, head.head, &HeadAblation::head);
                if (earlier == partial.heads.end() || earlier->examples >= head.examples)
                    continue;
                QVERIFY(!isKnown(*earlier, partial.baseline.value));
            }
            if (head.examples < kRows)
                QVERIFY(isKnown(head, last.baseline.value));
            between += head.interval.high - head.interval.low > kPrecision && head.examples < kRows ? 1 : 0;
        }
        QVERIFY(seen.size() > 2);
        QVERIFY(between > 0);
    }

    // Which examples differ between two masks is counted alike by a sweep and by a comparison of two masks, either way
    // round.
    void changedExamplesAreThoseOfTheTwoMasks()
    {
        const AblationResult sweep = ablated(0);
        const HeadMask none;
        std::int64_t all = 0;
        for (const HeadAblation &head : sweep.heads) {
            const HeadMask one{head.head};
            const auto changed = [&](const HeadMask &mask, const HeadMask &against) {
                return evaluate(*m_task, {.mask = mask, .against = against, .resamples = 20}, {}, nullptr, {}, {})
                    .against->changed;
            };
            QCOMPARE(changed(one, none), head.changed);
            QCOMPARE(changed(none, one), head.changed);
            QCOMPARE(changed(one, one), 0);
            all += head.changed;
        }
        QVERIFY(all > 0 && all < kRows * std::ssize(sweep.heads) / 2); // or "the same" could be counted instead
    }

    // A metric whose lower scores are better judges heads like any other: deltas stay score minus score.
    void lossCanJudge()
    {
        RunOptions run;
        run.metric = "loss";
        const AblationResult result = ablate(*m_task, {.run = run, .resamples = 200}, {}, nullptr, {}, {});
        QCOMPARE(result.baseline.name, std::string("loss"));
        QVERIFY(result.baseline.better == Better::Lower);
        for (const HeadAblation &head : result.heads) {
            const EvaluationResult without
                = evaluate(*m_task, {.run = run, .mask = HeadMask{head.head}, .resamples = 0}, {}, nullptr, {}, {});
            QVERIFY(without.primary().better == Better::Lower);
            QVERIFY(std::abs(head.score - without.primary().value) < 1e-6);
            QVERIFY(std::abs(head.delta - (head.score - result.baseline.value)) < 1e-12);
            QVERIFY(head.interval.low <= head.delta && head.delta <= head.interval.high);
            QVERIFY(!head.mcnemar && !head.tTest); // a loss is neither right nor wrong
        }
    }

    // The head whose removal leaves the lowest loss goes first, single ablations and greedy selection agree on it.
    void greedySelectionByLoss()
    {
        RunOptions run;
        run.metric = "loss";
        const AblationResult result = ablate(*m_task, {.run = run, .resamples = 0}, {}, nullptr, {}, {});
        const HeadAblation &least = *std::ranges::min_element(result.heads, {}, &HeadAblation::score);
        QCOMPARE(toText(orderByValue(worthOf(result)).front()), toText(least.head));
        const HeadValues greedy
            = scoresWithoutEach(*m_task, run, HeadUnits(m_task->model().spec(), HeadUnit::Head), {}, {}, nullptr, {});
        QCOMPARE(toText(orderByValue(greedy).front()), toText(least.head));
        QVERIFY(std::abs(greedy.at(least.head) - least.score) < 1e-6);
    }

    // Accuracy, F1 and Matthews come from the same runs, and are what each of them says as the metric of its own curve.
    void curvesOfLabelsHaveAllTheirMetrics()
    {
        const PruningOrder order = m_task->layout().heads();
        const auto curveBy = [&](const char *metric, const std::vector<PruningOrder> &orders) {
            RunOptions run;
            run.metric = metric;
            return pruningCurve(*m_task, {.run = run, .step = 2, .resamples = 100}, orders, "by hand", nullptr, {}, {});
        };
        const PruningOrder backwards(order.rbegin(), order.rend());
        using Orders = std::vector<PruningOrder>;
        for (const auto &orders : {Orders{order}, Orders{order, backwards}}) {
            const PruningCurve accuracy = curveBy("accuracy", orders);
            std::map<std::string, PruningCurve> alone;
            for (const char *metric : {"F1", "Matthews"})
                alone[metric] = curveBy(metric, orders);
            QCOMPARE(accuracy.points.size(), 5U);
            for (std::size_t i = 0; i < accuracy.points.size(); ++i) {
                QCOMPARE(accuracy.points[i].others.size(), 2U);
                for (const MetricValue &other : accuracy.points[i].others) {
                    const PruningPoint &own = alone.at(other.name).points[i];
                    QCOMPARE(other.value, own.score);
                    QCOMPARE(other.interval->low, own.interval.low);
                    QCOMPARE(other.interval->high, own.interval.high);
                }
            }
            QVERIFY(accuracy.points[0].others[0].value != accuracy.points[0].score);
        }
    }

    // What cannot be known from so few examples is not claimed: then all are used.
    void tooMuchToAskUsesEverything()
    {
        const AblationResult whole = ablated(0);
        const AblationResult asked = ablated(1e-6);
        for (std::size_t h = 0; h < asked.heads.size(); ++h) {
            QCOMPARE(asked.heads[h].examples, kRows);
            QCOMPARE(asked.heads[h].delta, whole.heads[h].delta);
        }
    }
};

QTEST_APPLESS_MAIN(TestAblation)
#include "tst_ablation.moc"

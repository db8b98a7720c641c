// One difference has the same digits wherever it is measured (sweep, single score, pruning curve, search), and the
// answer to "how many heads can go?" never contradicts the score of a mask.
#include "core/analysis/ablation.h"
#include "core/analysis/evaluation.h"
#include "core/analysis/masksearch.h"
#include "core/analysis/pruning.h"
#include "core/results/removableheads.h"
#include "core/session/session.h"
#include "tests/support/opentask.h"
#include "tests/support/tinyclassifier.h"

#include <QTemporaryDir>
#include <QTest>

#include <bit>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

using namespace headscope;
using namespace headscope::testing;

class TestScoreTests : public QObject
{
    Q_OBJECT

    static constexpr int kRows = 120;
    QTemporaryDir m_folder;
    std::shared_ptr<const Task> m_drawn; ///< labels by chance: a loss goes up and down
    std::shared_ptr<const Task> m_task;  ///< labels that the model predicts: accuracy can only go down

    static RunOptions by(const char *metric)
    {
        RunOptions run;
        run.metric = metric;
        return run;
    }
    const Task &taskOf(const RunOptions &run) const { return run.metric == "loss" ? *m_drawn : *m_task; }
    /// As the score bar shows it.
    MaskComparison shown(const RunOptions &run, const HeadMask &mask) const
    {
        return *evaluate(taskOf(run), {.run = run, .mask = mask, .against = HeadMask()}, {}, nullptr, {}, {}).against;
    }
    static void metrics()
    {
        QTest::addColumn<QByteArray>("metric");
        QTest::addColumn<double>("rounding"); ///< of products, which a loss shows in its eighth digit
        QTest::newRow("higher is better") << QByteArray("accuracy") << 0.0;
        QTest::newRow("lower is better") << QByteArray("loss") << 1e-6;
    }
    PruningResult pruned(const RunOptions &run, const PruningOrder &order) const
    {
        const Task &task = taskOf(run);
        const Metric &metric = *task.metrics()[task.primaryMetric(run)];
        PruningResult result;
        result.metric = metric.name();
        result.better = metric.better();
        result.examples = result.manifest.totalExamples = kRows;
        result.curves = {pruningCurve(task, {.run = run, .step = 1}, {order}, "by hand", nullptr, {}, {})};
        return result;
    }

private Q_SLOTS:
    void initTestCase()
    {
        const std::filesystem::path folder = m_folder.path().toStdString();
        writeTinyClassifier(folder / "model", {.layers = 2, .heads = 4, .width = 16, .labels = {"a", "b", "c"}});
        writeTinyTable(folder / "table.tsv", kRows, 3);
        DataSource source;
        source.table = (folder / "table.tsv").string();
        m_drawn = openTask(folder / "model", source);
        const EvaluationResult predicted = evaluate(*m_drawn, {.outputs = true, .resamples = 0}, {}, nullptr, {}, {});
        std::ifstream table(folder / "table.tsv");
        std::ofstream labelled(folder / "labelled.tsv");
        std::string line;
        std::getline(table, line);
        labelled << line << '\n';
        for (const ExampleOutput &output : predicted.outputs) {
            std::getline(table, line);
            labelled << line.substr(0, line.find('\t') + 1) << output.predicted.front() << '\n';
        }
        labelled.close();
        source.table = (folder / "labelled.tsv").string();
        m_task = openTask(folder / "model", source);
    }

    void oneDifferenceHasTheSameDigits_data() { metrics(); }
    void oneDifferenceHasTheSameDigits()
    {
        QFETCH(QByteArray, metric);
        QFETCH(double, rounding);
        const auto isSame = [&](double a, double b) { return std::abs(a - b) <= rounding; };
        const RunOptions run = by(metric.constData());
        const AblationResult sweep = ablate(taskOf(run), {.run = run}, {}, nullptr, {}, {});
        std::int64_t changed = 0;
        for (const HeadAblation &head : sweep.heads) {
            const MaskComparison bar = shown(run, HeadMask{head.head});
            QVERIFY(isSame(bar.delta, head.delta));
            QVERIFY(isSame(bar.interval.low, head.interval.low));
            QVERIFY(isSame(bar.interval.high, head.interval.high));
            QVERIFY(std::abs(bar.p - head.p) <= 1e3 * rounding); // a resample or two
            const PruningPoint point = pruned(run, {head.head}).curves.front().points.back();
            QVERIFY(point.paired);
            QVERIFY(isSame(point.paired->interval.low, head.interval.low));
            QVERIFY(isSame(point.paired->interval.high, head.interval.high));
            QVERIFY(std::abs(point.paired->p - head.p) <= 1e3 * rounding);
            changed += head.changed;
        }
        QVERIFY(changed > 0); // or intervals without width are compared
        const auto whole = evaluate(taskOf(run), {.run = run}, {}, nullptr, {}, {}).primary();
        QVERIFY(isSame(whole.interval->low, sweep.baseline.interval->low));
        QVERIFY(isSame(whole.interval->high, sweep.baseline.interval->high));
    }

    /// A loss, which shows how products were cut up, has every digit alike.
    void aScoreIsTheSameWhateverRanBefore()
    {
        const std::filesystem::path folder = m_folder.path().toStdString();
        DataSource source;
        source.table = (folder / "table.tsv").string();
        const RunOptions run = by("loss");
        const auto fresh = [&] {
            auto session = Session::open(folder / "model", {}, {}).valueOrThrow();
            (void)session->setData(Domain::In, source, {}).valueOrThrow();
            return session;
        };
        const HeadMask mask{{HeadKind::Encoder, 0, 1}, {HeadKind::Encoder, 1, 2}};
        const auto score = [&](Session &session, const HeadMask &of) {
            return session.run(Domain::In, EvaluationSpec{.run = run, .mask = of}, {}).valueOrThrow().primary().value;
        };
        const auto before = fresh();
        const auto after = fresh();
        const double whole = score(*before, {});
        (void)after->run(Domain::In, AblationSpec{.run = run}, {}).valueOrThrow();
        (void)score(*after, HeadMask{{HeadKind::Encoder, 0, 1}});
        QCOMPARE(std::bit_cast<std::uint64_t>(score(*after, {})), std::bit_cast<std::uint64_t>(whole));
        const auto first = fresh();
        const double masked = score(*first, mask);
        QVERIFY(masked != whole);
        QCOMPARE(std::bit_cast<std::uint64_t>(score(*before, mask)), std::bit_cast<std::uint64_t>(masked));
        QCOMPARE(std::bit_cast<std::uint64_t>(score(*after, mask)), std::bit_cast<std::uint64_t>(masked));
    }

    void searchedMasksHaveThemToo()
    {
        const RunOptions run;
        const SearchResult search = searchMasks(*m_task, *m_task, {.run = run, .step = 3}, {}, nullptr, {}, {});
        QCOMPARE(search.points.size(), 4U);
        for (const SearchPoint &point : search.points) {
            if (point.pruned == 0)
                continue; // the full model itself
            const MaskComparison bar = shown(run, point.rearranged.mask);
            QVERIFY(point.rearranged.paired && point.rescaled.paired);
            QCOMPARE(point.rearranged.delta, bar.delta);
            QCOMPARE(point.rearranged.paired->interval.low, bar.interval.low);
            QCOMPARE(point.rearranged.paired->interval.high, bar.interval.high);
            QCOMPARE(point.rearranged.paired->p, bar.p);
        }
    }

    void withoutResamplesNothingIsTested()
    {
        const PruningCurve curve
            = pruningCurve(*m_task, {.step = 4, .resamples = 0}, {m_task->layout().heads()}, "x", nullptr, {}, {});
        for (const PruningPoint &point : curve.points)
            QVERIFY(!point.paired);
    }

    void answerAndScoreNeverContradict_data() { metrics(); }
    void answerAndScoreNeverContradict()
    {
        QFETCH(QByteArray, metric);
        const RunOptions run = by(metric.constData());
        const PruningOrder order = m_task->layout().heads();
        int losses = 0;
        int answers = 0;
        for (const PruningOrder &one : {order, PruningOrder(order.rbegin(), order.rend())}) {
            const PruningResult result = pruned(run, one);
            const PruningCurve &curve = result.curves.front();
            for (const double margin : {0.01, 0.1, 0.5}) {
                const RemovableHeads answer = removableHeads(lossesOf(result, curve), {.margin = margin});
                QVERIFY(answer.why == NoAnswer::None);
                for (std::size_t i = 1; i < curve.points.size(); ++i) {
                    const PruningPoint &point = curve.points[i];
                    const MaskComparison bar = shown(run, point.mask);
                    const Interval gained = gain(result.better, bar.interval);
                    const bool isLoss = gained.high < 0;
                    losses += isLoss;
                    if (point.pruned <= answer.withoutLoss)
                        QVERIFY2(!isLoss, "the headline says that so many heads cost nothing, the bar that they do");
                    if (answer.firstLoss == i)
                        QVERIFY2(isLoss, "the ring is at a point whose difference the bar shows as chance");
                    if (point.pruned <= answer.withinMargin.value_or(0))
                        QVERIFY2(gained.low > -answer.margin, "the bar's interval reaches beyond the margin");
                }
                answers += answer.withinMargin.value_or(0) > 0;
            }
        }
        QVERIFY(losses > 0 && answers > 0);
    }
};

QTEST_GUILESS_MAIN(TestScoreTests)
#include "tst_scoretests.moc"

// What stands in the place of removed heads: windows of keys, and constants that make the loss as low as they can,
// against evaluations from scratch and what must hold of models that are built for it.
#include "core/analysis/ablation.h"
#include "core/analysis/optimalconstants.h"
#include "core/engine/engine.h"
#include "core/exporting/attentionpattern.h"
#include "core/task/replacements.h"
#include "core/task/tasks.h"
#include "tests/support/againstplain.h"
#include "tests/support/opentask.h"
#include "tests/support/tinyclassifier.h"
#include "tests/support/tinylanguagemodel.h"
#include "tests/support/tinymodel.h"

#include <QTemporaryDir>
#include <QTest>
#include <torch/types.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

using namespace headscope;
using namespace headscope::testing;
namespace fs = std::filesystem;

namespace {

AblationResult swept(const Task &task, const AblationSpec &spec, const Task *reference = nullptr)
{
    AnalysisOf<AblationSpec>::check(spec);
    return ablate(task, spec, {}, nullptr, {}, {}, reference);
}

AblationSpec byLoss(Replacement replacement)
{
    AblationSpec spec;
    spec.run.metric = "loss";
    spec.replacement = replacement;
    spec.resamples = 0;
    return spec;
}

QString refusal(const AblationSpec &spec)
{
    try {
        AnalysisOf<AblationSpec>::check(spec);
    } catch (const Failure &failure) {
        return QString::fromStdString(failure.error().message);
    }
    return {};
}

} // namespace

class TestReplacements : public QObject
{
    Q_OBJECT

    QTemporaryDir m_folder;
    fs::path path(const char *name) const { return fs::path(m_folder.path().toStdString()) / name; }
    std::shared_ptr<const Task> languageTask() const
    {
        DataSource source;
        source.text = path("text.txt").string();
        source.textUnit = TextUnit::Document;
        return openTask(path("gpt2"), source);
    }
    std::shared_ptr<const Task> classifierTask(const char *model) const
    {
        DataSource source;
        source.table = path("table.tsv").string();
        return openTask(path(model), source);
    }

private Q_SLOTS:
    void initTestCase()
    {
        writeTinyLanguageModel(path("gpt2"), {.positions = 48, .headsAmplitude = 0.3});
        writeTinyText(path("text.txt"), 30, 5);
        writeTinyClassifier(path("classifier"), {});
        writeTinyClassifier(path("one-head"), {.layers = 1, .heads = 1, .width = 8});
        writeTinyTable(path("table.tsv"), 40, 3);
        writeTinyModel(path("marian"), {});
        writeTinyCorpus(path("source.txt"), path("reference.txt"), 20, 4);
    }

    // A sweep's scores are those of each windowed head by itself, from scratch.
    void windowsAreThoseOfSingleRuns()
    {
        const auto task = languageTask();
        AblationSpec spec = byLoss(Replacement::Window);
        spec.sinks = 1;
        spec.window = 2;
        const AblationResult result = swept(*task, spec);
        QCOMPARE(result.sinks, std::int64_t{1});
        QCOMPARE(result.window, std::int64_t{2});
        QCOMPARE(result.heads.size(), task->layout().heads().size());
        const std::size_t metric = task->primaryMetric(spec.run);
        int moved = 0;
        for (const HeadAblation &head : result.heads) {
            const Variant variant{{head.head}, Replacement::Window, 0, {}, {1, 2}};
            const HeadGates gates = gatesFor(variant, {}, task->layout(), task->tensorOptions(), nullptr);
            StatisticsTable table;
            appendStatistics(
                *task, metric,
                task->plainOutputs(allIds(task->size()), [&](const auto &) { return gates; }, spec.run, false, {}),
                table);
            const double score = task->metrics()[metric]->scoreOf(table);
            QVERIFY2(std::abs(head.score - score) < 1e-5, toText(head.head).c_str());
            moved += std::abs(head.delta) > 1e-4 ? 1 : 0;
        }
        QVERIFY(moved > 4);
    }

    void aWindowAsLongAsTheTextsChangesNothing()
    {
        const auto task = languageTask();
        AblationSpec spec = byLoss(Replacement::Window); // 4 and 64: more than 48 positions
        for (const HeadAblation &head : swept(*task, spec).heads) {
            QVERIFY(std::abs(head.delta) < 1e-6);
        }
        spec.window = 2;
        spec.allButOne = true;
        QVERIFY(std::ranges::any_of(swept(*task, spec).heads,
                                    [](const HeadAblation &head) { return std::abs(head.delta) > 1e-4; }));
    }

    void crossAttentionIsLeftOut()
    {
        DataSource source;
        source.source = path("source.txt").string();
        source.reference = path("reference.txt").string();
        const auto task = openTask(path("marian"), source);
        AblationSpec spec;
        spec.replacement = Replacement::Window;
        spec.resamples = 0;
        spec.window = 1;
        const AblationResult result = swept(*task, spec);
        QCOMPARE(result.heads.size(), 16U); // of 24
        QVERIFY(std::ranges::none_of(result.heads,
                                     [](const HeadAblation &head) { return head.head.kind == HeadKind::Cross; }));
        QVERIFY(std::ranges::any_of(result.heads, [](const HeadAblation &head) { return head.changed > 0; }));
    }

    // On the examples that they were fitted to, constants are never worse than the means they began with; and the
    // sweep, by rows, comes to the same losses as the fit, by padded batches.
    void constantsAreNoWorseThanMeans()
    {
        for (const auto &task : {languageTask(), classifierTask("classifier")}) {
            AblationSpec spec = byLoss(Replacement::Optimal);
            spec.fitExamples = 1000;
            const AblationResult optimal = swept(*task, spec);
            const AblationResult mean = swept(*task, byLoss(Replacement::Mean));
            QVERIFY(optimal.fitOnOwn);
            QCOMPARE(optimal.fitExamples, task->size());
            QCOMPARE(optimal.heads.size(), task->layout().heads().size());
            int better = 0;
            for (std::size_t h = 0; h < optimal.heads.size(); ++h) {
                const HeadAblation &head = optimal.heads[h];
                QVERIFY(head.fitLoss && head.fitMeanLoss);
                QVERIFY(*head.fitLoss <= *head.fitMeanLoss);
                QVERIFY(std::abs(*head.fitLoss - head.score) < 1e-4);
                QVERIFY(std::abs(*head.fitMeanLoss - mean.heads[h].score) < 1e-4);
                better += *head.fitLoss < *head.fitMeanLoss - 1e-5 ? 1 : 0;
            }
            QVERIFY(better > 2);
            QVERIFY(!AnalysisOf<AblationSpec>::remarks(optimal).empty()); // that it flatters the heads
        }
    }

    // With a constant instead of its only head the classifier says the same of all texts. No constant beats the
    // frequencies of the labels, whose loss is their entropy: the convex bottom that the descent must come to.
    void theBestConstantSaysTheFrequencies()
    {
        const auto task = classifierTask("one-head");
        AblationSpec spec = byLoss(Replacement::Optimal);
        spec.fitExamples = 1000;
        spec.fitSteps = 200;
        const AblationResult result = swept(*task, spec);
        std::vector<std::int64_t> counts;
        for (const LabelCount &label : task->facts().labels)
            counts.push_back(label.rows);
        double entropy = 0;
        for (const std::int64_t count : counts) {
            const double share = static_cast<double>(count) / static_cast<double>(task->size());
            entropy -= share > 0 ? share * std::log(share) : 0;
        }
        QVERIFY(entropy > 0.5);
        QCOMPARE(result.heads.size(), 1U);
        QVERIFY2(std::abs(*result.heads[0].fitLoss - entropy) < 1e-5,
                 qPrintable(QStringLiteral("%1, entropy %2").arg(*result.heads[0].fitLoss).arg(entropy)));
        QVERIFY(*result.heads[0].fitMeanLoss > entropy + 1e-4);
        // Fewer steps: above it, and never below.
        spec.fitSteps = 1;
        const double early = *swept(*task, spec).heads[0].fitLoss;
        QVERIFY(early >= entropy - 1e-6);
    }

    // Constants of another set: held out, the same whatever the evaluated examples are, and those of so many examples.
    void constantsAreOfTheOtherSet()
    {
        const auto task = languageTask();
        writeTinyText(path("other.txt"), 30, 9);
        DataSource source;
        source.text = path("other.txt").string();
        source.textUnit = TextUnit::Document;
        const auto other = openTask(path("gpt2"), source);
        AblationSpec spec = byLoss(Replacement::Optimal);
        spec.fitExamples = 8;
        spec.fitSteps = 5;
        const AblationResult result = swept(*task, spec, other.get());
        QVERIFY(!result.fitOnOwn);
        QCOMPARE(result.fitExamples, std::int64_t{8});
        QCOMPARE(result.fitSteps, std::int64_t{5});
        const AblationResult own = swept(*other, spec);
        for (std::size_t h = 0; h < own.heads.size(); ++h)
            QCOMPARE(*result.heads[h].fitLoss, *own.heads[h].fitLoss);
    }

    // The fast path with constants equals the plain one, masked heads stay zero.
    void constantsByRowsEqualThePlainPath()
    {
        const auto task = taskOf(encoderDecoderSpecs().front().spec);
        const HeadMask base{task->layout().heads().front()};
        auto constants = std::make_shared<Contexts>();
        for (const auto &[place, mean] : task->meanContexts({}))
            (*constants)[place] = torch::randn_like(mean);
        ReplacementPlan plan = Replacement::Optimal;
        plan.constants = constants;
        std::vector<Variant> variants;
        for (const HeadRef &head : task->layout().heads())
            variants.push_back({{head}, Replacement::Optimal});
        for (const int beams : {1, 3}) {
            RunOptions run;
            run.decoding.beams = beams;
            compare(*task, run, plan, variants, {}, beams > 1);
            compare(*task, run, plan, variants, base, beams > 1);
        }
    }

    void cancellingStopsTheFit()
    {
        const auto task = languageTask();
        std::stop_source stop;
        int asked = 0;
        const JobControl control(stop.get_token(), {}, [&] {
            if (++asked == 20)
                stop.request_stop();
        });
        const AblationSpec spec = byLoss(Replacement::Optimal);
        const HeadUnits units(task->model().spec(), HeadUnit::Head);
        QVERIFY_THROWS_EXCEPTION(Cancelled, (void)optimalConstants(*task, spec, units, control));
    }

    void optionsThatDoNotFitAreRefused()
    {
        AblationSpec spec;
        spec.window = 3;
        QVERIFY(refusal(spec).contains(QLatin1String("--replace window")));
        spec.replacement = Replacement::Window;
        QVERIFY(refusal(spec).isEmpty());
        spec.fitSteps = 3;
        QVERIFY(refusal(spec).contains(QLatin1String("--replace optimal")));
        spec = byLoss(Replacement::Optimal);
        QVERIFY(refusal(spec).isEmpty());
        spec.allButOne = true;
        QVERIFY(refusal(spec).contains(QLatin1String("--all-but-one")));
    }

    // DuoAttention's matrix: 1 where the window costs most, by losses and by scores alike.
    void attentionPatterns()
    {
        AblationResult sweep;
        sweep.sinks = 4;
        sweep.window = 16;
        sweep.manifest.spec = R"({"by": "key-group"})";
        sweep.baseline.better = Better::Lower;
        const double deltas[] = {0.5, -0.25, 2, 0};
        for (int i = 0; i < 4; ++i) {
            HeadAblation &head = sweep.heads.emplace_back();
            head.head = {HeadKind::Decoder, i / 2, 2 * (i % 2)};
            head.delta = deltas[i];
        }
        QCOMPARE(attentionPattern(sweep).valueOrThrow(), std::string("0.25\t0\n1\t0\n"));
        QCOMPARE(attentionPatternConfig(sweep), std::string("{\"recent_size\":16,\"sink_size\":4}\n"));
        sweep.baseline.better = Better::Higher;
        QCOMPARE(attentionPattern(sweep).valueOrThrow(), std::string("0\t1\n0\t0\n"));
        const auto refused = [&](const auto &change) {
            AblationResult other = sweep;
            change(other);
            return !attentionPattern(other).isOk();
        };
        QVERIFY(refused([](AblationResult &of) { of.window = 0; }));
        QVERIFY(refused([](AblationResult &of) { of.manifest.spec = R"({"by": "head"})"; }));
        QVERIFY(refused([](AblationResult &of) { of.manifest.partial = true; }));
        QVERIFY(refused([](AblationResult &of) { of.heads.pop_back(); }));
        QVERIFY(refused([](AblationResult &of) { of.heads.erase(of.heads.begin(), of.heads.begin() + 2); }));
        QVERIFY(refused([](AblationResult &of) { of.heads[0].head.kind = HeadKind::Encoder; }));
    }
};

QTEST_GUILESS_MAIN(TestReplacements)
#include "tst_replacements.moc"

// Heads that make up for those which were removed (--rescale), against models whose output projections were scaled by
// hand: fast and plain paths, sweeps, curves and single scores.
#include "core/analysis/ablation.h"
#include "core/analysis/evaluation.h"
#include "core/analysis/pruning.h"
#include "core/analysis/rescaledheads.h"
#include "tests/support/opentask.h"
#include "tests/support/tinyclassifier.h"
#include "tests/support/tinymodel.h"

#include <QTemporaryDir>
#include <QTest>
#include <torch/types.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

using namespace headscope;
using namespace headscope::testing;
namespace fs = std::filesystem;

namespace {

/// A model folder with a data set.
struct Opened
{
    LoadedModel model;
    std::shared_ptr<const Tokenizer> tokenizer;
    Dataset data;
    std::shared_ptr<const Task> task;

    Opened(const fs::path &folder, const DataSource &source)
        : model(loadModel(folder, torch::TensorOptions(torch::kFloat32), {}).valueOrThrow()),
          tokenizer(openTokenizer(folder, model.config).valueOrThrow()), data(readDataset(source, {}).valueOrThrow()),
          task(makeTask({model.transformer, tokenizer, Execution()}, data, {}).valueOrThrow())
    {
    }

    /// The same data read by a model without the heads of `mask`, whose others count for them: columns of output
    /// projections are multiplied by 0 and by heads / heads that stay. Shares nothing with gates.
    std::shared_ptr<const Task> byHand(const HeadMask &mask) const
    {
        const TransformerSpec &spec = model.transformer->spec();
        TransformerWeights weights = model.transformer->weights();
        const HeadLayout layout = spec.layout();
        for (const HeadLayout::Block &block : layout.blocks()) {
            for (int layer = 0; layer < static_cast<int>(block.layers.size()); ++layer) {
                double left = 0;
                for (int head = 0; head < kHeads; ++head)
                    left += mask.isMasked({block.kind, layer, head}) ? 0 : 1;
                std::vector<float> factors;
                for (int head = 0; head < kHeads; ++head) {
                    for (int column = 0; column < kWidth / kHeads; ++column)
                        factors.push_back(mask.isMasked({block.kind, layer, head}) ? 0.0F
                                                                                   : static_cast<float>(kHeads / left));
                }
                Linear &out = weights.stack(sideOf(block.kind)).at(spec.placeOf(block.kind, layer)).attention().out;
                out.weight = out.weight * torch::tensor(factors);
            }
        }
        return makeTask({std::make_shared<const Transformer>(spec, weights), tokenizer, Execution()}, data, {})
            .valueOrThrow();
    }

    static constexpr int kHeads = 4;
    static constexpr int kWidth = 16;
};

/// The score of a model as it is, from scratch.
double plainScore(const Task &task, const std::string &metric)
{
    RunOptions run;
    run.plain = true;
    run.metric = metric;
    return evaluate(task, {.run = run, .resamples = 0}, {}, nullptr, {}, {}).primary().value;
}

bool isNear(double a, double b)
{
    return std::abs(a - b) <= 1e-5 * std::max(1.0, std::abs(b));
}

HeadMask without(std::initializer_list<const char *> heads)
{
    HeadMask mask;
    for (const char *head : heads)
        mask.set(parseHeadRef(head).valueOrThrow(), true);
    return mask;
}

std::string messageOf(const std::function<void()> &call)
{
    try {
        call();
    } catch (const Failure &failure) {
        return failure.error().message;
    }
    return {};
}

} // namespace

class TestRescaling : public QObject
{
    Q_OBJECT

    QTemporaryDir m_folder;
    std::map<std::string, std::unique_ptr<Opened>> m_opened;

    static void addModels()
    {
        QTest::addColumn<QString>("which");
        QTest::addColumn<QString>("metric");
        QTest::addColumn<bool>("plain");
        for (const bool plain : {false, true}) {
            const char *path = plain ? "plain" : "fast";
            QTest::addRow("classifier, loss, %s", path)
                << QStringLiteral("classifier") << QStringLiteral("loss") << plain;
            QTest::addRow("classifier, accuracy, %s", path)
                << QStringLiteral("classifier") << QStringLiteral("accuracy") << plain;
            QTest::addRow("translator, %s", path) << QStringLiteral("translator") << QStringLiteral("chrF2") << plain;
        }
    }

    struct Case
    {
        const Opened &opened;
        RunOptions run;
    };
    Case fetched() const
    {
        QFETCH(QString, which);
        QFETCH(QString, metric);
        QFETCH(bool, plain);
        RunOptions run;
        run.metric = metric.toStdString();
        run.plain = plain;
        return {*m_opened.at(which.toStdString()), run};
    }

private Q_SLOTS:
    void initTestCase()
    {
        const fs::path folder = m_folder.path().toStdString();
        writeTinyClassifier(folder / "classifier",
                            {.layers = 2, .heads = Opened::kHeads, .width = Opened::kWidth, .labels = {"a", "b"}});
        writeTinyTable(folder / "table.tsv", 120, 3);
        DataSource table;
        table.table = (folder / "table.tsv").string();
        m_opened["classifier"] = std::make_unique<Opened>(folder / "classifier", table);
        writeTinyModel(folder / "translator", {.heads = Opened::kHeads, .width = Opened::kWidth});
        writeTinyCorpus(folder / "text.src", folder / "text.ref", 40, 5);
        DataSource lines;
        lines.source = (folder / "text.src").string();
        lines.reference = (folder / "text.ref").string();
        m_opened["translator"] = std::make_unique<Opened>(folder / "translator", lines);
    }

    void factorsAreHeadsOverThoseThatStay()
    {
        const HeadLayout layout({{HeadKind::Encoder, {{0, 1, 2, 3}, {0, 2, 5}, {1, 4}}}});
        const HeadScales scales = rescaledHeads(
            without({"encoder.0.1", "encoder.1.0", "encoder.1.5", "encoder.2.1", "encoder.2.4"}), layout);
        QCOMPARE(scales.size(), 4U); // the whole third layer is gone
        for (const char *head : {"encoder.0.0", "encoder.0.2", "encoder.0.3"})
            QCOMPARE(scales.at(parseHeadRef(head).valueOrThrow()), 4.0 / 3);
        QCOMPARE(scales.at({HeadKind::Encoder, 1, 2}), 3.0); // of the heads that the layer has, not of their numbers
        QVERIFY(rescaledHeads({}, layout).empty());
    }

    void aScoreIsThatOfTheModelScaledByHand_data() { addModels(); }
    void aScoreIsThatOfTheModelScaledByHand()
    {
        const auto [opened, run] = fetched();
        const HeadMask mask = without({"encoder.0.1", "encoder.1.0", "encoder.1.2", "encoder.1.3"});
        const double wanted = plainScore(*opened.byHand(mask), run.metric);
        const EvaluationSpec spec{.run = run, .mask = mask, .against = HeadMask(), .rescale = true};
        const EvaluationResult scratch = evaluate(*opened.task, spec, {}, nullptr, {}, {});
        QVERIFY2(isNear(scratch.primary().value, wanted), std::to_string(scratch.primary().value).c_str());
        QVERIFY(scratch.primary().signature.ends_with("|heads:rescaled"));
        QVERIFY(isNear(scratch.against->score, plainScore(*opened.task, run.metric)));
        ResidentBlocks resident(opened.task, run);
        QVERIFY(isNear(evaluate(*opened.task, spec, {}, &resident, {}, {}).primary().value, wanted));
        EvaluationSpec asItIs = spec;
        asItIs.rescale = false;
        const EvaluationResult plain = evaluate(*opened.task, asItIs, {}, nullptr, {}, {});
        QVERIFY(!plain.primary().signature.ends_with("rescaled"));
        if (run.metric == "loss") // which every factor changes
            QVERIFY(!isNear(plain.primary().value, wanted));
    }

    void aSweepIsThatOfModelsScaledByHand_data() { addModels(); }
    void aSweepIsThatOfModelsScaledByHand()
    {
        const auto [opened, run] = fetched();
        for (const bool allButOne : {false, true}) {
            const AblationResult result
                = ablate(*opened.task, {.run = run, .allButOne = allButOne, .resamples = 0, .rescale = true}, {},
                         nullptr, {}, {});
            QVERIFY(result.rescaled);
            QCOMPARE(std::ssize(result.heads), opened.task->layout().size());
            for (const HeadAblation &head : result.heads) {
                HeadMask mask;
                for (int other = 0; other < Opened::kHeads; ++other)
                    mask.set({head.head.kind, head.head.layer, other}, (other == head.head.head) != allButOne);
                QVERIFY(isNear(head.score, plainScore(*opened.byHand(mask), run.metric)));
            }
        }
    }

    void aCurveIsThatOfModelsScaledByHand_data() { addModels(); }
    void aCurveIsThatOfModelsScaledByHand()
    {
        const auto [opened, run] = fetched();
        PruningOrder order = opened.task->layout().heads();
        std::ranges::reverse(order);
        const PruningSpec spec{.run = run, .step = 3, .resamples = 0, .rescale = true};
        const PruningCurve curve = pruningCurve(*opened.task, spec, {order}, "by hand", nullptr, {}, {});
        QVERIFY(curve.rescaled);
        QVERIFY(curve.points.size() > 3);
        for (const PruningPoint &point : curve.points)
            QVERIFY(isNear(point.score, plainScore(*opened.byHand(point.mask), run.metric)));
        // Greedy selection scores the heads that are left as the curve will.
        const HeadUnits units(opened.task->model().spec(), HeadUnit::Head);
        const HeadMask removed = without({"encoder.1.1"});
        const HeadValues values = scoresWithoutEach(*opened.task, run, units, {}, removed, nullptr, {}, {}, true);
        QCOMPARE(std::ssize(values), opened.task->layout().size() - 1);
        const HeadRef head{HeadKind::Encoder, 1, 3};
        HeadMask both = removed;
        both.set(head, true);
        const double score = plainScore(*opened.byHand(both), run.metric);
        QVERIFY(isNear(std::abs(values.at(head)), std::abs(score)));
    }

    void whatDoesNotGoTogetherIsRefused()
    {
        const auto refused = [](const auto &spec) {
            return messageOf([&] { AnalysisOf<std::remove_cvref_t<decltype(spec)>>::check(spec); });
        };
        QVERIFY(refused(AblationSpec{.replacement = Replacement::Mean, .rescale = true}).find("--replace")
                != std::string::npos);
        QVERIFY(refused(AblationSpec{.mask = without({"encoder.0.1"}), .rescale = true}).find("--mask")
                != std::string::npos);
        QVERIFY(refused(PruningSpec{.reestimate = true, .rescale = true}).find("--reestimate") != std::string::npos);
        QVERIFY(refused(AblationSpec{.rescale = true}).empty());
        QVERIFY(refused(PruningSpec{.rescale = true}).empty());
    }
};

QTEST_APPLESS_MAIN(TestRescaling)
#include "tst_rescaling.moc"

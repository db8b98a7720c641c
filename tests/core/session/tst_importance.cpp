// Importance on a tiny model: the inequalities and invariances T7, T8 of METHODS 8, and its meaning as a derivative.
#include "core/analysis/importance.h"
#include "core/data/dataset.h"
#include "core/model/loadmodel.h"
#include "core/task/tasks.h"
#include "tests/support/tinymodel.h"

#include <ATen/core/grad_mode.h>
#include <QTemporaryDir>
#include <QTest>
#include <torch/csrc/autograd/autograd.h>
#include <torch/types.h>

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace headscope;
using namespace headscope::testing;

class TestImportance : public QObject
{
    Q_OBJECT

    QTemporaryDir m_folder;
    std::shared_ptr<const Task> m_task;

    ImportanceResult compute(ImportanceReduction reduction, std::int64_t batchTokens,
                             ImportanceNormalization normalization = ImportanceNormalization::None,
                             const HeadMask &mask = {}) const
    {
        ImportanceSpec spec{.run = {}, .mask = mask, .reduction = reduction, .normalization = normalization};
        spec.run.batchTokens = batchTokens;
        return importance(*m_task, spec, {}, {}, {});
    }

    double positions(HeadKind kind) const
    {
        std::vector<std::int64_t> all(static_cast<std::size_t>(m_task->size()));
        std::iota(all.begin(), all.end(), 0);
        const auto lengths = m_task->gateShapes(all).at(kind).lengths;
        return static_cast<double>(std::accumulate(lengths.begin(), lengths.end(), std::int64_t(0)));
    }

private Q_SLOTS:
    void initTestCase()
    {
        const std::filesystem::path folder = m_folder.path().toStdString();
        writeTinyModel(folder / "model");
        writeTinyCorpus(folder / "src", folder / "ref", 50, 3);
        const auto model = loadModel(folder / "model", torch::TensorOptions(torch::kFloat32), {}).valueOrThrow();
        std::shared_ptr<const Tokenizer> tokenizer = openTokenizer(folder / "model", model.config).valueOrThrow();
        DataSource source;
        source.source = folder / "src";
        source.reference = folder / "ref";
        const Dataset data = readDataset(source, {}).valueOrThrow();
        m_task = makeTask({model.transformer, tokenizer, Execution()}, data, {}).valueOrThrow();
    }

    void batchIsAtMostExampleIsAtMostToken() // T7
    {
        const auto token = compute(ImportanceReduction::Token, 512);
        const auto example = compute(ImportanceReduction::Example, 512);
        const auto batch = compute(ImportanceReduction::Batch, 512);
        bool strict = false;
        for (std::size_t i = 0; i < token.heads.size(); ++i) {
            const double t = token.heads[i].importance * positions(token.heads[i].head.kind);
            const double x = example.heads[i].importance * static_cast<double>(m_task->size());
            const double b = batch.heads[i].importance * static_cast<double>(m_task->size());
            QVERIFY(b <= x * (1 + 1e-6) && x <= t * (1 + 1e-6));
            strict = strict || (b < 0.9 * x && x < 0.99 * t);
            QVERIFY(token.heads[i].standardError > 0);
        }
        QVERIFY(strict);
        QVERIFY(token.meanLoss > 0);
    }

    void tokenAndExampleDoNotDependOnBatches() // T8
    {
        for (const auto reduction : {ImportanceReduction::Token, ImportanceReduction::Example}) {
            const auto small = compute(reduction, 8);
            const auto large = compute(reduction, 4096);
            for (std::size_t i = 0; i < small.heads.size(); ++i) {
                QVERIFY(std::abs(small.heads[i].importance - large.heads[i].importance)
                        < 1e-5 * (1 + large.heads[i].importance));
                QVERIFY(std::abs(small.heads[i].standardError - large.heads[i].standardError) < 1e-5);
            }
        }
        const auto small = compute(ImportanceReduction::Batch, 8);
        QVERIFY(small.batches > 1 && small.tokensPerBatch == 4); // what the values depend on
        QCOMPARE(compute(ImportanceReduction::Token, 512).batches, std::int64_t{0});
        const auto large = compute(ImportanceReduction::Batch, 4096);
        double difference = 0;
        for (std::size_t i = 0; i < small.heads.size(); ++i)
            difference = std::max(difference, std::abs(small.heads[i].importance - large.heads[i].importance));
        QVERIFY(difference > 1e-3);
    }

    void layersHaveUnitNorm()
    {
        const auto layer = compute(ImportanceReduction::Token, 512, ImportanceNormalization::Layer);
        std::map<std::pair<HeadKind, int>, double> squares;
        for (const HeadImportance &head : layer.heads)
            squares[{head.head.kind, head.head.layer}] += head.importance * head.importance;
        QCOMPARE(squares.size(), std::size_t(6));
        for (const auto &[where, square] : squares)
            QVERIFY(std::abs(square - 1) < 1e-9);
        const auto global = compute(ImportanceReduction::Token, 512, ImportanceNormalization::Global);
        const auto none = compute(ImportanceReduction::Token, 512);
        double square = 0;
        for (const HeadImportance &head : none.heads)
            square += head.importance * head.importance;
        for (std::size_t i = 0; i < none.heads.size(); ++i)
            QVERIFY(std::abs(global.heads[i].importance - none.heads[i].importance / std::sqrt(square)) < 1e-12);
        const auto bertology = compute(ImportanceReduction::Token, 512, ImportanceNormalization::Bertology);
        const auto [low, high] = std::ranges::minmax(bertology.heads, {}, &HeadImportance::importance);
        QCOMPARE(low.importance, 0.0);
        QCOMPARE(high.importance, 1.0);
    }

    void maskedLayersGiveZeroNotNan() // T28
    {
        HeadMask mask;
        for (int head = 0; head < 4; ++head)
            mask.set({HeadKind::Encoder, 0, head}, true);
        const auto result = compute(ImportanceReduction::Token, 512, ImportanceNormalization::Layer, mask);
        for (const HeadImportance &head : result.heads) {
            QVERIFY(std::isfinite(head.importance));
            QCOMPARE(head.importance == 0, mask.isMasked(head.head));
        }
    }

    void importanceIsTheSlopeOfTheLoss()
    {
        // |ΔL| for a gate of 1 − ε is about ε·|Σ_bt a|, the batch reduction of one batch.
        std::vector<std::int64_t> ids(8);
        std::iota(ids.begin(), ids.end(), 0);
        const torch::NoGradGuard noGrad;
        const double base = m_task->loss(ids, {}).loss.sum().item<double>();
        for (const HeadRef &head :
             {HeadRef{HeadKind::Encoder, 0, 2}, HeadRef{HeadKind::Cross, 1, 1}, HeadRef{HeadKind::Decoder, 1, 3}}) {
            const torch::AutoGradMode withGradients(true);
            auto gate = torch::ones({4}).requires_grad_(true);
            HeadGates gates;
            gates.edit(head.kind, head.layer).gate = gate;
            const double slope
                = torch::autograd::grad({m_task->loss(ids, gates).loss.sum()}, {gate})[0][head.head].item<double>();
            const double epsilon = 1e-2;
            auto less = torch::ones({4});
            less[head.head] = 1 - epsilon;
            gates.edit(head.kind, head.layer).gate = less;
            const double change = m_task->loss(ids, gates).loss.sum().item<double>() - base;
            QVERIFY2(std::abs(change + epsilon * slope) < 0.1 * epsilon * std::abs(slope) + 1e-3,
                     qPrintable(QStringLiteral("%1 against %2").arg(change).arg(-epsilon * slope)));
        }
    }

    void lossIgnoresCompanionsAndPadding() // T9
    {
        const torch::NoGradGuard noGrad;
        const auto together = m_task->loss({0, 1, 2, 3, 4}, {}).loss;
        for (std::int64_t i = 0; i < 5; ++i)
            QVERIFY(std::abs((together[i] - m_task->loss({i}, {}).loss[0]).item<double>()) < 1e-4);
    }

    void cancelStops()
    {
        std::stop_source stop;
        stop.request_stop();
        QVERIFY_EXCEPTION_THROWN((void)importance(*m_task, {}, {}, JobControl(stop.get_token()), {}), Cancelled);
    }
};

QTEST_APPLESS_MAIN(TestImportance)
#include "tst_importance.moc"

// Importance on a tiny model: against plain loops over batches made by hand, its inequalities and invariances,
// and its meaning as a derivative.
#include "core/analysis/importance.h"
#include "core/analysis/masksearch.h"
#include "core/base/random.h"
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
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

using namespace headscope;
using namespace headscope::testing;

class TestImportance : public QObject
{
    Q_OBJECT

    QTemporaryDir m_folder;
    std::shared_ptr<const Task> m_task;
    std::function<std::shared_ptr<const Task>(int threads)> m_taskWith;

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

    /// Examples in the order that the seed decides.
    std::vector<std::int64_t> order(std::uint64_t seed) const
    {
        std::vector<std::int64_t> ids(static_cast<std::size_t>(m_task->size()));
        std::iota(ids.begin(), ids.end(), 0);
        Random random(seed);
        shuffle(ids, random);
        return ids;
    }

    /// ∂(Σ loss)/∂gate of some examples in one pass, one gate a head, in the order of the layout.
    std::vector<double> gradientOf(const std::vector<std::int64_t> &ids, bool perToken = false) const
    {
        const torch::AutoGradMode withGradients(true);
        HeadGates gates;
        std::vector<torch::Tensor> leaves;
        for (const HeadLayout::Block &block : m_task->layout().blocks()) {
            for (std::size_t layer = 0; layer < block.layers.size(); ++layer) {
                leaves.push_back(
                    torch::ones({static_cast<std::int64_t>(block.layers[layer].size())}).requires_grad_(true));
                gates.edit(block.kind, static_cast<int>(layer)).gate = leaves.back();
            }
        }
        auto loss = m_task->loss(ids, gates).loss;
        if (perToken) {
            std::vector<double> tokens;
            for (const std::int64_t id : ids)
                tokens.push_back(static_cast<double>(m_task->examples().target(id).size()));
            loss = loss / torch::tensor(tokens, torch::kFloat64);
        }
        std::vector<double> gradient;
        for (const auto &one : torch::autograd::grad({loss.sum()}, leaves)) {
            for (std::int64_t h = 0; h < one.size(0); ++h)
                gradient.push_back(one[h].item<double>());
        }
        return gradient;
    }

    /// What Batch or Fisher should say of these batches.
    std::vector<double> byHand(const std::vector<std::vector<std::int64_t>> &batches, ImportanceReduction reduction,
                               bool perToken = false) const
    {
        std::vector<double> values(static_cast<std::size_t>(m_task->layout().size()));
        for (const auto &batch : batches) {
            const auto gradient = gradientOf(batch, perToken);
            for (std::size_t h = 0; h < values.size(); ++h)
                values[h] += reduction == ImportanceReduction::Batch
                               ? std::abs(gradient[h]) / static_cast<double>(m_task->size())
                               : gradient[h] * gradient[h];
        }
        return values;
    }

    /// The largest difference by the largest value.
    static double difference(const ImportanceResult &result, const std::vector<double> &expected)
    {
        double largest = 0;
        for (std::size_t h = 0; h < expected.size(); ++h)
            largest = std::max(largest, std::abs(result.heads[h].importance - expected[h]));
        return largest / std::ranges::max(expected);
    }

    static std::vector<double> valuesOf(const ImportanceResult &result)
    {
        std::vector<double> values;
        for (const HeadImportance &head : result.heads)
            values.insert(values.end(), {head.importance, head.standardError});
        return values;
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
        m_taskWith = [model, tokenizer, data](int threads) {
            return makeTask({model.transformer, tokenizer, Execution(torch::kCPU, torch::kFloat32, threads)}, data, {})
                .valueOrThrow();
        };
        m_task = m_taskWith(0);
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
        QVERIFY(small.batches > 1 && small.tokensPerBatch == 8); // what the values depend on
        QCOMPARE(compute(ImportanceReduction::Token, 512).batches, std::int64_t{0});
        const auto large = compute(ImportanceReduction::Batch, 4096);
        double difference = 0;
        for (std::size_t i = 0; i < small.heads.size(); ++i)
            difference = std::max(difference, std::abs(small.heads[i].importance - large.heads[i].importance));
        QVERIFY(difference > 1e-3);
    }

    void batchesOfSoManyExamples_data()
    {
        QTest::addColumn<int>("reduction");
        QTest::addColumn<int>("each");
        QTest::addColumn<int>("seed");
        for (const auto reduction : {ImportanceReduction::Batch, ImportanceReduction::Fisher}) {
            for (const int each : {1, 3, 8, 32, 50, 1000}) // all are 50
                QTest::addRow("%s of %d", std::string(toText(reduction)).c_str(), each)
                    << static_cast<int>(reduction) << each << 12345;
            QTest::addRow("%s by another seed", std::string(toText(reduction)).c_str())
                << static_cast<int>(reduction) << 8 << 3;
        }
    }
    void batchesOfSoManyExamples()
    {
        QFETCH(int, reduction);
        QFETCH(int, each);
        QFETCH(int, seed);
        const auto ids = order(static_cast<std::uint64_t>(seed));
        std::vector<std::vector<std::int64_t>> batches;
        for (std::size_t i = 0; i < ids.size(); ++i) {
            if (i % static_cast<std::size_t>(each) == 0)
                batches.emplace_back();
            batches.back().push_back(ids[i]);
        }
        ImportanceSpec spec{.reduction = static_cast<ImportanceReduction>(reduction),
                            .normalization = ImportanceNormalization::None,
                            .batchExamples = each};
        spec.run.seed = static_cast<std::uint64_t>(seed);
        const auto expected = byHand(batches, spec.reduction);
        const auto result = importance(*m_task, spec, {}, {}, {});
        QCOMPARE(result.batches, std::ssize(batches));
        QCOMPARE(result.examplesPerBatch, std::int64_t{each});
        QCOMPARE(result.tokensPerBatch, std::int64_t{0});
        QCOMPARE(result.examples, m_task->size());
        QVERIFY2(difference(result, expected) < 1e-5, qPrintable(QString::number(difference(result, expected))));
        QCOMPARE(std::isnan(result.heads[0].standardError), batches.size() == 1); // one says nothing of others
        if (each == 32) {                                                         // as many as usual
            spec.batchExamples = 0;
            QCOMPARE(valuesOf(importance(*m_task, spec, {}, {}, {})), valuesOf(result));
        }
        // A batch that takes many passes is one batch.
        spec.batchExamples = each;
        spec.run.batchTokens = 40;
        const auto pieces = importance(*m_task, spec, {}, {}, {});
        QCOMPARE(pieces.batches, std::ssize(batches));
        QVERIFY2(difference(pieces, expected) < 1e-5, qPrintable(QString::number(difference(pieces, expected))));
    }

    void batchesOfAtMostSoManyTokens()
    {
        for (const auto reduction : {ImportanceReduction::Batch, ImportanceReduction::Fisher}) {
            for (const std::int64_t most : {1, 30, 100, 1000000}) {
                std::vector<std::vector<std::int64_t>> batches;
                for (const std::int64_t id : order(12345)) {
                    auto grown = batches.empty() ? std::vector<std::int64_t>() : batches.back();
                    grown.push_back(id);
                    std::int64_t longest = 0;
                    for (const std::int64_t one : grown)
                        longest = std::max(longest, std::ssize(m_task->examples().source(one)));
                    if (batches.empty() || longest * std::ssize(grown) > most)
                        batches.push_back({id});
                    else
                        batches.back() = grown;
                }
                const auto result = compute(reduction, most);
                QCOMPARE(result.batches, std::ssize(batches));
                QCOMPARE(result.tokensPerBatch, most);
                QCOMPARE(result.examplesPerBatch, std::int64_t{0});
                QVERIFY(difference(result, byHand(batches, reduction)) < 1e-5);
                QCOMPARE(batches.size() == 1, most == 1000000);
            }
        }
    }

    void memoryAndThreadsChangeNothing_data()
    {
        QTest::addColumn<int>("reduction");
        for (const auto reduction : {ImportanceReduction::Token, ImportanceReduction::Example,
                                     ImportanceReduction::Batch, ImportanceReduction::Fisher})
            QTest::addRow("%s", std::string(toText(reduction)).c_str()) << static_cast<int>(reduction);
    }
    void memoryAndThreadsChangeNothing()
    {
        QFETCH(int, reduction);
        const auto values = [&](const Task &task, std::int64_t memory, std::int64_t batchTokens) {
            ImportanceSpec spec{.reduction = static_cast<ImportanceReduction>(reduction),
                                .normalization = ImportanceNormalization::None};
            spec.run.memory = memory;
            spec.run.batchTokens = batchTokens;
            return valuesOf(importance(task, spec, {}, {}, {}));
        };
        for (const std::int64_t tokens : {0, 64}) {
            const auto usual = values(*m_task, 0, tokens);
            QCOMPARE(values(*m_task, 1 << 20, tokens), usual); // to the last bit
            QCOMPARE(values(*m_task, 1, tokens), usual);
            for (const int threads : {1, 2, 5})
                QCOMPARE(values(*m_taskWith(threads), 0, tokens), usual);
        }
    }

    void lossPerToken()
    {
        for (const auto reduction : {ImportanceReduction::Batch, ImportanceReduction::Fisher}) {
            ImportanceSpec spec{.reduction = reduction,
                                .normalization = ImportanceNormalization::None,
                                .batchExamples = 50,
                                .exampleLoss = ExampleLoss::Mean};
            const auto result = importance(*m_task, spec, {}, {}, {});
            QVERIFY(result.exampleLoss == ExampleLoss::Mean);
            QVERIFY(difference(result, byHand({order(12345)}, reduction, true)) < 1e-5);
            QVERIFY(difference(result, byHand({order(12345)}, reduction)) > 0.1);
            spec.exampleLoss = ExampleLoss::Sum;
            const auto summed = importance(*m_task, spec, {}, {}, {});
            QVERIFY(summed.meanLoss > 0 && std::abs(summed.meanLoss - result.meanLoss) < 1e-9);
        }
    }

    /// Kwon et al. take a batch's mean loss, and masksearch the mean over batches: the same but for both numbers.
    void fisherIsWhatMaskSearchGoesBy()
    {
        const auto gradients = miniBatchGradients(*m_task, order(12345), 10, {}, {});
        auto expected = fisherInformation(gradients);
        for (double &value : expected)
            value *= 10 * 10 * 5;
        const auto result = importance(*m_task,
                                       {.reduction = ImportanceReduction::Fisher,
                                        .normalization = ImportanceNormalization::None,
                                        .batchExamples = 10},
                                       {}, {}, {});
        QVERIFY(difference(result, expected) < 1e-5);
    }

    void whatIsPublishedGrowsToTheWhole()
    {
        for (const auto reduction : {ImportanceReduction::Token, ImportanceReduction::Batch}) {
            std::vector<ImportanceResult> partial;
            const auto whole = importance(*m_task, {.reduction = reduction, .batchExamples = 4}, {}, {},
                                          [&](const ImportanceResult &result) { partial.push_back(result); });
            QVERIFY(!partial.empty());
            QCOMPARE(partial.front().examples, std::int64_t{8});
            QCOMPARE(partial.front().batches, std::int64_t{reduction == ImportanceReduction::Batch ? 2 : 0});
            QCOMPARE(partial.front().heads.size(), whole.heads.size());
            QVERIFY(partial.front().examples < whole.examples);
        }
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

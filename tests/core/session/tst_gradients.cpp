// Derivatives of the loss by attention weights: against autograd at the weights, against the loss itself when one
// weight is changed, and in their sums against importance.
#include "core/analysis/gradients.h"
#include "core/analysis/importance.h"
#include "core/roles/keygradients.h"
#include "core/task/tasks.h"
#include "tests/support/opentask.h"
#include "tests/support/shareddata.h"
#include "tests/support/tinyclassifier.h"
#include "tests/support/tinymodel.h"
#include "tests/support/tinyspecs.h"

#include <ATen/core/grad_mode.h>
#include <QTemporaryDir>
#include <QTest>
#include <torch/csrc/autograd/autograd.h>
#include <torch/types.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <stop_token>
#include <tuple>
#include <utility>

using namespace headscope;
using namespace headscope::testing;

namespace {

/// Texts of ids for models that read text: [start] words, with repetitions, and an end.
Dataset idTexts(int rows, bool ends)
{
    Dataset data;
    data.name = "made up";
    for (int i = 0; i < rows; ++i) {
        Example example;
        example.inputIds = {3};
        for (int k = 0; k < 3 + i % 5; ++k)
            example.inputIds.push_back(5 + (7 * i + 3 * (k / 2)) % 30);
        if (ends)
            example.inputIds.push_back(2);
        data.examples.push_back(std::move(example));
    }
    return data;
}

/// ∂L/∂P of a few examples, layer by layer of every kind: as autograd has it at the weights, and as ⟨∂L/∂c, v⟩.
struct Slopes
{
    std::vector<std::pair<HeadKind, torch::Tensor>> weights; ///< [B, H, T, S], the probabilities themselves
    std::vector<torch::Tensor> byWeights;
    std::vector<torch::Tensor> byContexts;
};

Slopes slopesOf(const Task &task, const std::vector<std::int64_t> &ids)
{
    const torch::AutoGradMode withGradients(true);
    Slopes slopes;
    task.lossAttention(ids, {}, 1 << 20, [&](const LossAttention &pass) {
        std::vector<torch::Tensor> weights, contexts, values;
        for (const auto &[kind, found] : pass.kinds) {
            for (std::size_t layer = 0; layer < found.contexts.size(); ++layer) {
                if (!found.contexts[layer].defined())
                    continue;
                weights.push_back(pass.attention.kinds.at(kind).probabilities[layer]);
                slopes.weights.emplace_back(kind, weights.back().detach());
                contexts.push_back(found.contexts[layer]);
                values.push_back(found.values[layer]);
            }
        }
        for (const torch::Tensor &slope : torch::autograd::grad({pass.loss}, weights, {}, true))
            slopes.byWeights.push_back(slope);
        const auto found = torch::autograd::grad({pass.loss}, contexts);
        for (std::size_t i = 0; i < found.size(); ++i)
            slopes.byContexts.push_back(torch::matmul(found[i], values[i].detach().transpose(2, 3)));
    });
    return slopes;
}

double largestOf(const torch::Tensor &tensor)
{
    return tensor.abs().max().item<double>();
}

} // namespace

class TestGradients : public QObject
{
    Q_OBJECT

    QTemporaryDir m_folder;
    std::map<QString, std::shared_ptr<const Task>> m_tasks;

    static AttentionGradientsResult gradients(const Task &task, const AttentionGradientsSpec &spec = {})
    {
        return attentionGradients(task, nullptr, spec, {}, {});
    }

    /// Σ over classes, per head, of what is a mean over queries.
    static std::map<HeadRef, double> productSums(const AttentionGradientsResult &result)
    {
        std::map<std::pair<HeadKind, KeyClass>, double> queries;
        for (const KeyCount &count : result.counts)
            queries[{count.kind, count.keys}] = static_cast<double>(count.queries);
        std::map<HeadRef, double> sums;
        for (const HeadKeyGradients &head : result.heads) {
            for (const KeyGradient &of : head.keys)
                sums[head.head] += of.product * queries.at({head.head.kind, of.keys});
        }
        return sums;
    }

private Q_SLOTS:
    void initTestCase()
    {
        const std::filesystem::path folder = m_folder.path().toStdString();
        writeTinyModel(folder / "marian");
        writeTinyCorpus(folder / "src", folder / "ref", 40, 3);
        DataSource parallel;
        parallel.source = folder / "src";
        parallel.reference = folder / "ref";
        m_tasks[QStringLiteral("translation")] = openTask(folder / "marian", parallel);
        writeTinyClassifier(folder / "bert");
        writeTinyTable(folder / "table.tsv", 40, 5);
        DataSource table;
        table.table = folder / "table.tsv";
        m_tasks[QStringLiteral("classification")] = openTask(folder / "bert", table);
        const LoadedModel bert = loadModel(folder / "bert", torch::TensorOptions(torch::kFloat32), {}).valueOrThrow();
        std::shared_ptr<const Tokenizer> tokenizer
            = openTokenizer(folder / "bert", bert.config).valueOrThrow(); // for its [MASK]
        m_tasks[QStringLiteral("masked")]
            = makeTask({randomModel(maskedSpecs().front().spec, 1), tokenizer, Execution()}, idTexts(12, true), {})
                  .valueOrThrow();
        m_tasks[QStringLiteral("causal")]
            = makeTask({randomModel(causalSpecs().at(2).spec, 2), nullptr, Execution()}, idTexts(12, false), {})
                  .valueOrThrow();
    }

    void productsSumToImportance_data()
    {
        QTest::addColumn<QString>("name");
        for (const auto &[name, task] : m_tasks)
            QTest::newRow(qPrintable(name)) << name;
    }

    // Σ_s α ∂L/∂α is the derivative by the gate on a head and token: their sum is that by one gate for all tokens.
    void productsSumToImportance()
    {
        QFETCH(QString, name);
        const Task &task = *m_tasks.at(name);
        const auto result = gradients(task);
        QCOMPARE(result.examples, task.size());
        const double meanLoss = importance(task, {}, {}, {}, {}).meanLoss;
        QVERIFY(std::abs(result.meanLoss - meanLoss) < 1e-5 * meanLoss);
        std::vector<std::int64_t> ids(static_cast<std::size_t>(task.size()));
        std::iota(ids.begin(), ids.end(), 0);
        const std::vector<double> wanted
            = miniBatchGradients(task, ids, task.size(), {}, {}).front(); // of the mean loss
        const auto sums = productSums(result);
        QCOMPARE(sums.size(), wanted.size());
        for (const auto &[head, sum] : sums) {
            const double slope
                = wanted[static_cast<std::size_t>(task.layout().indexOf(head))] * static_cast<double>(task.size());
            QVERIFY2(
                std::abs(sum - slope) < 1e-3 * std::abs(slope) + 1e-3,
                qPrintable(
                    QStringLiteral("%1: %2, not %3").arg(QString::fromStdString(toText(head))).arg(sum).arg(slope)));
        }
    }

    void attentionOfAllClassesIsOne_data() { productsSumToImportance_data(); }
    void attentionOfAllClassesIsOne()
    {
        QFETCH(QString, name);
        const auto result = gradients(*m_tasks.at(name));
        std::map<HeadKind, double> tokens;
        std::map<std::pair<HeadKind, KeyClass>, double> queries;
        for (const KeyCount &count : result.counts)
            queries[{count.kind, count.keys}] = static_cast<double>(count.queries);
        for (const HeadKeyGradients &head : result.heads) {
            double mass = 0;
            for (const KeyGradient &of : head.keys) {
                mass += of.attention * queries.at({head.head.kind, of.keys});
                QVERIFY(of.gradient >= 0 && of.standardError >= 0);
            }
            const auto [known, isNew]
                = tokens.emplace(head.head.kind, mass); // of every head as many as there are tokens
            QVERIFY(std::abs(mass - std::round(mass)) < 1e-3 && std::abs(mass - known->second) < 2e-3);
        }
    }

    // ∂L/∂P = ⟨∂L/∂c, v⟩ is what autograd says at the weights.
    void contextsSayWhatWeightsSay_data() { productsSumToImportance_data(); }
    void contextsSayWhatWeightsSay()
    {
        QFETCH(QString, name);
        const Slopes slopes = slopesOf(*m_tasks.at(name), {0, 1, 2, 3});
        QVERIFY(!slopes.byWeights.empty());
        for (std::size_t i = 0; i < slopes.byWeights.size(); ++i) {
            const double largest = largestOf(slopes.byWeights[i]);
            QVERIFY(largest > 0);
            QVERIFY(largestOf(slopes.byWeights[i] - slopes.byContexts[i]) < 1e-5 * (1 + largest));
        }
    }

    void realModelsAgree_data()
    {
        QTest::addColumn<QString>("model");
        QTest::newRow("translation") << QStringLiteral("marian-multi30k-en-fr");
        QTest::newRow("classification") << QStringLiteral("bert-sst2-mini");
    }

    // Trained models have gradients of all sizes: the same, relative to the largest of a layer, and what the analysis
    // makes of them against sums over autograd's. A sentence at a time, so that there is no padding to leave out.
    void realModelsAgree()
    {
        QFETCH(QString, model);
        const auto folder = sharedData("models/" + model.toStdString());
        if (folder.empty())
            QSKIP("The real models are not here: set HEADSCOPE_SHARED to the folder that holds models/ and data/.");
        DataSource source;
        if (model.startsWith(QLatin1String("marian"))) {
            source.source = sharedData("data/multi30k/test_2016_flickr.en.gz");
            source.reference = sharedData("data/multi30k/test_2016_flickr.fr.gz");
        } else {
            source.table = sharedData("data/sst2/dev.tsv");
        }
        source.limit = 8;
        const auto task = openTask(folder, source);
        QCOMPARE(task->size(), std::int64_t{8});
        double deviation = 0;
        std::map<HeadRef, double> sizes;      // Σ |∂L/∂P|
        std::map<HeadRef, double> products;   // Σ P ∂L/∂P
        std::map<HeadRef, double> magnitudes; // Σ |P ∂L/∂P|
        for (std::int64_t id = 0; id < task->size(); ++id) {
            const Slopes slopes = slopesOf(*task, {id});
            QVERIFY(!slopes.byWeights.empty());
            std::map<HeadKind, int> layers;
            for (std::size_t i = 0; i < slopes.byWeights.size(); ++i) {
                const torch::Tensor &byWeights = slopes.byWeights[i];
                QVERIFY(largestOf(byWeights) > 0);
                deviation = std::max(deviation, largestOf(byWeights - slopes.byContexts[i]) / largestOf(byWeights));
                const auto &[kind, weights] = slopes.weights[i];
                const int layer = layers[kind]++;
                for (int head = 0; head < weights.size(1); ++head) {
                    torch::Tensor slope = byWeights.index({0, head}).to(torch::kFloat64);
                    if (kind == HeadKind::Decoder) // what comes later may not be looked at
                        slope = slope.tril();
                    const torch::Tensor product = slope * weights.index({0, head});
                    sizes[{kind, layer, head}] += slope.abs().sum().item<double>();
                    products[{kind, layer, head}] += product.sum().item<double>();
                    magnitudes[{kind, layer, head}] += product.abs().sum().item<double>();
                }
            }
        }
        qInfo("largest difference of a derivative: %.2g of the largest of its layer", deviation);
        QVERIFY(deviation < 1e-4);

        const auto result = gradients(*task);
        QCOMPARE(result.heads.size(), sizes.size());
        std::map<std::pair<HeadKind, KeyClass>, KeyCount> counts;
        for (const KeyCount &count : result.counts)
            counts[{count.kind, count.keys}] = count;
        const auto productsFound = productSums(result);
        for (const HeadKeyGradients &head : result.heads) {
            double size = 0;
            for (const KeyGradient &of : head.keys)
                size += of.gradient * static_cast<double>(counts.at({head.head.kind, of.keys}).pairs);
            const double wanted = sizes.at(head.head);
            QVERIFY2(std::abs(size - wanted) < 1e-4 * wanted,
                     qPrintable(QStringLiteral("%1: %2, not %3")
                                    .arg(QString::fromStdString(toText(head.head)))
                                    .arg(size)
                                    .arg(wanted)));
            QVERIFY(std::abs(productsFound.at(head.head) - products.at(head.head)) < 1e-4 * magnitudes.at(head.head));
        }
    }

    // The loss when one weight alone grows by ε: its head's context at that token gets ε times the key's value.
    void gradientsAreSlopesOfTheLoss()
    {
        Dataset data = idTexts(1, true);
        data.examples[0].labels = {8, 9, 8, 2};
        const auto task
            = makeTask({randomModel(encoderDecoderSpecs().front().spec, 4, torch::kFloat64), nullptr, Execution()},
                       data, {})
                  .valueOrThrow();
        const torch::AutoGradMode withGradients(true);
        for (const HeadRef &head :
             {HeadRef{HeadKind::Encoder, 0, 3}, HeadRef{HeadKind::Cross, 1, 0}, HeadRef{HeadKind::Decoder, 2, 1}}) {
            const auto layer = static_cast<std::size_t>(head.layer);
            torch::Tensor slopes, context, value;
            task->lossAttention({0}, {}, 1 << 20, [&](const LossAttention &pass) {
                const auto &found = pass.kinds.at(head.kind);
                value = found.values[layer].detach();
                slopes = torch::matmul(torch::autograd::grad({pass.loss}, {found.contexts[layer]}).front(),
                                       value.transpose(2, 3));
                context = found.contexts[layer].detach();
            });
            const torch::NoGradGuard noGrad;
            for (const auto &[query, key] : {std::pair(0, 0), std::pair(2, 1), std::pair(3, 2)}) {
                const auto lossAt = [&](double step) {
                    HeadGates gates;
                    LayerGate &gate = gates.edit(head.kind, head.layer);
                    gate.gate = torch::ones({1, context.size(1), context.size(2)}, torch::kFloat64);
                    gate.gate[0][head.head][query] = 0;
                    gate.replacement = context.clone();
                    gate.replacement[0][head.head][query] += step * value[0][head.head][key];
                    return task->loss({0}, gates).loss.sum().item<double>();
                };
                constexpr double kStep = 1e-2; // logits are float32: smaller ones drown in their rounding
                const double found = (lossAt(kStep) - lossAt(-kStep)) / (2 * kStep);
                const double slope = slopes[0][head.head][query][key].item<double>();
                QVERIFY2(std::abs(found - slope) < 1e-3 * (1 + std::abs(slope)),
                         qPrintable(QStringLiteral("%1, not %2").arg(found).arg(slope)));
            }
        }
    }

    void batchesDoNotMatter()
    {
        for (const auto &[name, task] : m_tasks) {
            AttentionGradientsSpec spec;
            spec.run.batchTokens = 30; // masked texts then take several passes each
            const auto small = gradients(*task, spec);
            const auto large = gradients(*task);
            for (std::size_t i = 0; i < small.heads.size(); ++i) {
                for (std::size_t k = 0; k < small.heads[i].keys.size(); ++k) {
                    const KeyGradient &a = small.heads[i].keys[k];
                    const KeyGradient &b = large.heads[i].keys[k];
                    QCOMPARE(a.keys, b.keys);
                    QVERIFY(std::abs(a.gradient - b.gradient) < 1e-4 * (1 + b.gradient));
                    QVERIFY(std::abs(a.standardError - b.standardError) < 1e-4 * (1 + b.standardError));
                    QVERIFY(std::abs(a.product - b.product) < 1e-4 * (1 + std::abs(b.product)));
                }
            }
        }
    }

    void maskedHeadsAreNotFollowed()
    {
        const HeadRef masked{HeadKind::Encoder, 0, 1};
        const auto result = gradients(*m_tasks.at(QStringLiteral("classification")), {.run = {}, .mask = {masked}});
        for (const HeadKeyGradients &head : result.heads) {
            const double sum = std::accumulate(head.keys.begin(), head.keys.end(), 0.0,
                                               [](double all, const KeyGradient &of) { return all + of.gradient; });
            QCOMPARE(sum == 0, head.head == masked);
        }
    }

    void keysHaveOneClassEach()
    {
        using enum KeyClass;
        SurfaceTemplate surface;
        surface.queries = surface.keys = {TokenPart::First, TokenPart::Word,        TokenPart::Word,
                                          TokenPart::Word,  TokenPart::Punctuation, TokenPart::Delimiter};
        const std::vector<std::int64_t> ids{1, 7, 8, 7, 9, 2};
        const KeyMap map = keyMap(surface, ids, ids);
        const std::vector<KeyClass> ofSecond{First, Self, Next, Same, Punctuation, Delimiter};
        const std::vector<KeyClass> ofThird{First, Previous, Self, Next, Punctuation, Delimiter};
        const std::vector<KeyClass> ofLast{First, Other, Other, Other, Punctuation, Delimiter};
        const auto row = [&](std::ptrdiff_t query) {
            return std::vector(map.classes.begin() + query * 6, map.classes.begin() + query * 6 + 6);
        };
        QVERIFY(row(1) == ofSecond && row(2) == ofThird && row(5) == ofLast);
        surface.causal = true;
        const KeyMap causal = keyMap(surface, ids, ids);
        QCOMPARE(causal.counts[static_cast<std::size_t>(Next)].pairs, std::int64_t{0});
        QCOMPARE(causal.counts[static_cast<std::size_t>(First)].queries, std::int64_t{6});
        surface.causal = false;
        surface.square = false;
        QCOMPARE(keyMap(surface, ids, ids).counts[static_cast<std::size_t>(Other)].pairs, std::int64_t{18});
    }

    void layersAreMeansOfHeads()
    {
        const auto result = gradients(*m_tasks.at(QStringLiteral("translation")));
        const auto layers = layerMeans(result);
        for (const LayerKeyGradient &layer : layers) {
            double sum = 0;
            double heads = 0;
            for (const HeadKeyGradients &head : result.heads) {
                const auto of = std::ranges::find(head.keys, layer.mean.keys, &KeyGradient::keys);
                if (head.head.kind == layer.kind && head.head.layer == layer.layer && of != head.keys.end()) {
                    sum += of->gradient;
                    ++heads;
                }
            }
            QVERIFY(heads > 0 && std::abs(layer.mean.gradient - sum / heads) < 1e-9);
        }
        QVERIFY(std::ranges::is_sorted(layers, {}, [](const LayerKeyGradient &layer) {
            return std::tuple(layer.kind, layer.mean.keys, layer.layer);
        }));
    }

    void cancelStops()
    {
        std::stop_source stop;
        stop.request_stop();
        QVERIFY_EXCEPTION_THROWN((void)attentionGradients(*m_tasks.at(QStringLiteral("causal")), nullptr, {}, {},
                                                          JobControl(stop.get_token())),
                                 Cancelled);
    }
};

QTEST_APPLESS_MAIN(TestGradients)
#include "tst_gradients.moc"

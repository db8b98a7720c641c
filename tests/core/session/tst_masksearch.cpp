// Kwon et al.'s search, rearrangement and rescaling: identities on made-up gradients and on a tiny model of which a
// head is the sum of two others (Kwon et al. 2022).
#include "core/analysis/masksearch.h"
#include "core/base/random.h"
#include "core/task/batching.h"
#include "core/task/tasks.h"
#include "tests/support/opentask.h"
#include "tests/support/tinyclassifier.h"
#include "tests/support/tinymodel.h"

#include <QTemporaryDir>
#include <QTest>
#include <torch/types.h>

#include <algorithm>
#include <cmath>

using namespace headscope;
using namespace headscope::testing;

namespace {

const HeadLayout kLayout({{HeadKind::Encoder, {{0, 1, 2, 3}, {0, 2, 3}}}, {HeadKind::Cross, {{0, 1}}}});

HeadGradients randomGradients(std::uint64_t seed)
{
    Random random(seed);
    HeadGradients gradients(7, std::vector<double>(static_cast<std::size_t>(kLayout.size())));
    for (auto &row : gradients) {
        for (double &value : row)
            value = random.uniform() - 0.4;
    }
    return gradients;
}

/// The same weights, but in the first layer the last head is the sum of the first two: it attends as they do (all three
/// alike), its values are the sum of theirs, and all three are read out alike.
std::shared_ptr<const Transformer> withSummedHead(const Transformer &model)
{
    TransformerWeights weights = model.weights();
    AttentionWeights &self = weights.encoder.at(0).attention();
    const std::int64_t width = model.spec().attention(HeadKind::Encoder, 0).headWidth;
    for (torch::Tensor *tensor : {&self.query.weight, &self.query.bias, &self.key.weight, &self.key.bias,
                                  &self.value.weight, &self.value.bias, &self.out.weight})
        *tensor = tensor->clone();
    const auto head = [&](const torch::Tensor &tensor, std::int64_t h, int dim = 0) {
        return tensor.narrow(dim, h * width, width);
    };
    for (const std::int64_t h : {1, 3}) {
        for (const torch::Tensor &tensor : {self.query.weight, self.query.bias, self.key.weight, self.key.bias})
            head(tensor, h).copy_(head(tensor, 0));
        head(self.out.weight, h, 1).copy_(head(self.out.weight, 0, 1));
    }
    for (const torch::Tensor &tensor : {self.value.weight, self.value.bias})
        head(tensor, 3).copy_(head(tensor, 0) + head(tensor, 1));
    return std::make_shared<const Transformer>(model.spec(), weights);
}

} // namespace

class TestMaskSearch : public QObject
{
    Q_OBJECT

    QTemporaryDir m_folder;
    std::shared_ptr<const Task> m_task; ///< with the summed head
    std::shared_ptr<const Task> m_translation;

private Q_SLOTS:
    void initTestCase()
    {
        const std::filesystem::path folder = m_folder.path().toStdString();
        writeTinyClassifier(folder / "model");
        writeTinyTable(folder / "table.tsv", 60, 5);
        const auto model = loadModel(folder / "model", torch::TensorOptions(torch::kFloat32), {}).valueOrThrow();
        std::shared_ptr<const Tokenizer> tokenizer = openTokenizer(folder / "model", model.config).valueOrThrow();
        DataSource table;
        table.table = folder / "table.tsv";
        m_task = makeTask({withSummedHead(*model.transformer), tokenizer, Execution()},
                          readDataset(table, {}).valueOrThrow(), {})
                     .valueOrThrow();
        writeTinyModel(folder / "translator");
        writeTinyCorpus(folder / "source", folder / "reference", 30, 9);
        DataSource lines;
        lines.source = folder / "source";
        lines.reference = folder / "reference";
        m_translation = openTask(folder / "translator", lines);
    }

    // The heads that stay are those with the most Fisher information: of all masks of that size, none keeps more.
    void searchKeepsTheTopOfFisher()
    {
        const auto fisher = fisherInformation(randomGradients(3));
        const auto lost = [&](const HeadMask &mask) {
            double sum = 0;
            for (const HeadRef &head : mask)
                sum += fisher[static_cast<std::size_t>(kLayout.indexOf(head))];
            return sum;
        };
        const auto n = static_cast<unsigned>(kLayout.size());
        for (std::int64_t pruned = 0; pruned <= kLayout.size(); ++pruned) {
            const HeadMask found = searchMask(kLayout, {}, fisher, pruned);
            QCOMPARE(found.size(), pruned);
            for (unsigned subset = 0; subset < (1U << n); ++subset) {
                HeadMask mask;
                for (unsigned h = 0; h < n; ++h)
                    mask.set(kLayout.heads()[h], (subset >> h & 1U) != 0);
                QVERIFY(mask.size() != pruned || lost(mask) >= lost(found) - 1e-12);
            }
        }
        const HeadMask cross = searchMask(kLayout, {HeadKind::Cross}, fisher, 1);
        QCOMPARE(cross.begin()->kind, HeadKind::Cross);
        QCOMPARE(searchMask(kLayout, {}, std::vector<double>(n, 0.5), 2),
                 (HeadMask{{HeadKind::Encoder, 0, 0}, {HeadKind::Encoder, 0, 1}})); // ties by address
    }

    void rearrangementNeverLosesMore()
    {
        int better = 0;
        for (std::uint64_t seed = 0; seed < 40; ++seed) {
            const auto gradients = randomGradients(seed);
            for (std::int64_t pruned = 0; pruned <= kLayout.size(); ++pruned) {
                const HeadMask searched = searchMask(kLayout, {}, fisherInformation(gradients), pruned);
                const HeadMask rearranged = rearrangeMask(kLayout, gradients, searched);
                const double before = blockObjective(kLayout, gradients, searched);
                const double after = blockObjective(kLayout, gradients, rearranged);
                QVERIFY(after <= before * (1 + 1e-12));
                better += after < before * 0.999 ? 1 : 0;
                std::map<std::pair<HeadKind, int>, int> difference; // as many in every layer
                for (const HeadRef &head : searched)
                    ++difference[{head.kind, head.layer}];
                for (const HeadRef &head : rearranged)
                    --difference[{head.kind, head.layer}];
                for (const auto &[layer, count] : difference)
                    QCOMPARE(count, 0);
            }
        }
        QVERIFY(better > 10); // or nothing was tested
        // Two heads that cancel each other can both go, though each alone matters most.
        HeadGradients cancelling(2, std::vector<double>(static_cast<std::size_t>(kLayout.size()), 1));
        cancelling[0] = {1, 1, 5, -5, 0, 0, 0, 0, 0};
        cancelling[1] = {1, 1, 6, -6, 0, 0, 0, 0, 0};
        const HeadMask two{{HeadKind::Encoder, 0, 0}, {HeadKind::Encoder, 0, 1}};
        QVERIFY(blockObjective(kLayout, cancelling, {{HeadKind::Encoder, 0, 2}, {HeadKind::Encoder, 0, 3}}) < 1e-12);
        QVERIFY(blockObjective(kLayout, cancelling, rearrangeMask(kLayout, cancelling, two)) <= 4);
    }

    // c_3 = c_1 + c_2: without the third, the others scaled by two give what all three gave.
    void rescalingRepairsAnExactDependence()
    {
        const HeadMask third{{HeadKind::Encoder, 0, 3}};
        const auto ids = allIds(m_task->size());
        int layers = 0;
        const HeadScales scales = rescaleMask(*m_task, third, ids, {}, {}, &layers);
        QCOMPARE(layers, 2);
        QVERIFY(std::abs(scales.at({HeadKind::Encoder, 0, 0}) - 2) < 1e-3);
        QVERIFY(std::abs(scales.at({HeadKind::Encoder, 0, 1}) - 2) < 1e-3);
        QVERIFY(std::abs(scales.at({HeadKind::Encoder, 0, 2}) - 1) < 1e-3);
        for (int h = 0; h < 4; ++h) // nothing is left to repair
            QVERIFY(std::abs(scales.at({HeadKind::Encoder, 1, h}) - 1) < 1e-2);
        const auto whole = m_task->plainOutputs(ids, HeadMask(), {}, false, {});
        const auto removed = m_task->plainOutputs(ids, third, {}, false, {});
        const auto repaired = m_task->plainOutputs(ids, third, {}, false, {}, scales);
        double broken = 0;
        double error = 0;
        for (std::size_t i = 0; i < whole.size(); ++i) {
            broken = std::max<double>(broken, std::abs(removed[i].logits[0] - whole[i].logits[0]));
            error = std::max<double>(error, std::abs(repaired[i].logits[0] - whole[i].logits[0]));
        }
        QVERIFY(broken > 0.01);
        QVERIFY2(error < 1e-3, qPrintable(QString::number(error)));
    }

    void nothingRemovedNothingScaled()
    {
        QVERIFY(rescaleMask(*m_task, {}, allIds(10), {}, {}).empty());
        const HeadMask all(m_task->layout().heads());
        QVERIFY(rescaleMask(*m_task, all, allIds(10), {}, {}).empty()); // nobody is left
    }

    // A mini-batch's gradient is that of its mean loss: whole set in one mini-batch = mean of single examples.
    void gradientsAverage()
    {
        const auto ids = allIds(20);
        const auto one = miniBatchGradients(*m_translation, ids, 20, {}, {});
        const auto single = miniBatchGradients(*m_translation, ids, 1, {}, {});
        QCOMPARE(one.size(), std::size_t(1));
        QCOMPARE(single.size(), std::size_t(20));
        for (std::size_t h = 0; h < one[0].size(); ++h) {
            double mean = 0;
            for (const auto &row : single)
                mean += row[h] / 20;
            QVERIFY(std::abs(mean - one[0][h]) < 1e-4 * (1 + std::abs(mean)));
        }
    }

    void budgetsOfATranslationModel()
    {
        SearchSpec spec;
        spec.step = 8;
        spec.miniBatch = 8;
        spec.resamples = 50;
        spec.run.decoding.beams = 1;
        const auto result = searchMasks(*m_translation, *m_translation, spec, {}, nullptr, {}, {});
        QCOMPARE(result.points.size(), std::size_t(4)); // 0, 8, 16, 24
        QCOMPARE(result.samples, 30);
        QCOMPARE(result.points[0].searched.score, result.baseline.value); // bit for bit
        QCOMPARE(result.points[0].rescaled.score, result.baseline.value);
        QCOMPARE(result.points[0].attentionMacs, 1.0);
        QCOMPARE(result.points[3].attentionMacs, 0.0);
        for (const SearchPoint &point : result.points) {
            QCOMPARE(point.searched.mask.size(), point.pruned);
            QCOMPARE(point.rearranged.mask.size(), point.pruned);
            QVERIFY(point.rearranged.objective <= point.searched.objective * (1 + 1e-12));
            for (const auto &[head, scale] : point.rescaled.scales) {
                QVERIFY(!point.rescaled.mask.isMasked(head));
                QVERIFY(std::abs(scale) <= 10);
            }
        }
        QVERIFY(!result.points[1].rescaled.scales.empty());
        // The sweep says what the plain path says of the same mask and factors.
        RunOptions plain = spec.run;
        plain.plain = true;
        const FoundMask &found = result.points[1].rescaled;
        const auto outputs = m_translation->plainOutputs(allIds(30), found.mask, plain, false, {}, found.scales);
        StatisticsTable table;
        appendStatistics(*m_translation, 0, outputs, table);
        QCOMPARE(found.score, m_translation->metrics()[0]->score(table.sums()));
    }

    void cancels()
    {
        std::stop_source stop;
        stop.request_stop();
        QVERIFY_EXCEPTION_THROWN((void)searchMasks(*m_task, *m_task, {}, {}, nullptr, JobControl(stop.get_token()), {}),
                                 Cancelled);
    }
};

QTEST_GUILESS_MAIN(TestMaskSearch)
#include "tst_masksearch.moc"

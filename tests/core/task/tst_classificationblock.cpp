// The fast path of classification against its plain twin, on a tiny model: single heads, many masks together, base
// masks, replacements.
#include "core/base/random.h"
#include "core/data/dataset.h"
#include "core/model/loadmodel.h"
#include "core/task/batching.h"
#include "core/task/task.h"
#include "core/tokenize/tokenizer.h"
#include "tests/support/tinyclassifier.h"

#include <QTemporaryDir>
#include <QTest>
#include <torch/torch.h>

#include <atomic>
#include <cmath>

using namespace headscope;
using namespace headscope::testing;

namespace {

constexpr int kRows = 40;

/// `count` masks of 2 … `most` heads.
std::vector<HeadMask> randomMasks(const HeadLayout &layout, int count, std::uint32_t most)
{
    std::vector<HeadMask> masks;
    Random random(7);
    for (int i = 0; i < count; ++i) {
        auto heads = layout.heads();
        shuffle(heads, random);
        heads.resize(2 + random.below(most - 1));
        masks.emplace_back(heads);
    }
    return masks;
}

} // namespace

class TestClassificationBlock : public QObject
{
    Q_OBJECT

    QTemporaryDir m_folder;
    std::shared_ptr<const Task> m_task;

    /// Largest difference of a logit between the block's answers, all asked at once, and the plain path.
    double largestDifference(const std::vector<HeadMask> &masks, const HeadMask &base) const
    {
        RunOptions run;
        run.batchTokens = 96; // several batches, several variants in one
        const auto ids = allIds(m_task->size());
        const auto block = m_task->prepare(ids, base, Replacement::Zero, run, {});
        std::vector<Variant> variants;
        for (const HeadMask &mask : masks)
            variants.push_back({mask, Replacement::Zero});
        std::vector<std::vector<ExampleOutput>> fast(variants.size());
        block->outputsOfAll(variants, [&](std::size_t v, const auto &outputs) { fast[v] = outputs; }, {});
        double largest = 0;
        for (std::size_t v = 0; v < masks.size(); ++v) {
            HeadMask all = base;
            for (const HeadRef &head : masks[v])
                all.set(head, true);
            const auto plain = m_task->plainOutputs(ids, all, run, false, {});
            for (std::size_t i = 0; i < plain.size(); ++i) {
                if (fast[v].size() != plain.size() || fast[v][i].index != plain[i].index)
                    return INFINITY;
                for (std::size_t k = 0; k < plain[i].logits.size(); ++k)
                    largest = std::max<double>(largest, std::abs(fast[v][i].logits[k] - plain[i].logits[k]));
            }
        }
        return largest;
    }

    void verifyEqual(const std::vector<HeadMask> &masks, const HeadMask &base) const
    {
        const double largest = largestDifference(masks, base);
        QVERIFY2(largest < 1e-4, qPrintable(QString::number(largest)));
    }

private Q_SLOTS:
    void initTestCase()
    {
        const std::filesystem::path folder = m_folder.path().toStdString();
        writeTinyClassifier(folder / "model", {.layers = 3, .heads = 4, .width = 20, .labels = {"a", "b", "c"}});
        writeTinyTable(folder / "pairs.tsv", kRows, 5, true);
        const auto model = loadModel(folder / "model", torch::TensorOptions(torch::kFloat32), {}).valueOrThrow();
        std::shared_ptr<const Tokenizer> tokenizer = openTokenizer(folder / "model", model.config).valueOrThrow();
        DataSource source;
        source.table = folder / "pairs.tsv";
        m_task = makeTask(model.transformer, tokenizer, readDataset(source, {}).valueOrThrow(), {}).valueOrThrow();
        QVERIFY(m_task->facts().pairs);
    }

    void everyHeadAlone()
    {
        std::vector<HeadMask> masks;
        for (const HeadRef &head : m_task->layout().heads())
            masks.push_back({head});
        masks.emplace_back(); // and none
        verifyEqual(masks, {});
        verifyEqual(masks, {{HeadKind::Encoder, 1, 2}, {HeadKind::Encoder, 2, 0}});
    }

    void manyMasksTogether() { verifyEqual(randomMasks(m_task->layout(), 50, 12), {}); }

    void masksMatter()
    {
        const auto ids = allIds(m_task->size());
        const auto whole = m_task->plainOutputs(ids, {}, {}, false, {});
        const auto masked = m_task->plainOutputs(ids, {{HeadKind::Encoder, 0, 1}}, {}, false, {});
        double difference = 0;
        for (std::size_t i = 0; i < whole.size(); ++i)
            difference = std::max<double>(difference, std::abs(whole[i].logits[0] - masked[i].logits[0]));
        QVERIFY(difference > 1e-3);
    }

    // A head replaced by its mean is not the head taken out, and replacing nothing changes nothing (METHODS 7.1).
    void replacements()
    {
        const auto ids = allIds(m_task->size());
        const HeadMask head{{HeadKind::Encoder, 1, 1}};
        const auto zero = m_task->plainOutputs(ids, head, {}, false, {});
        for (const Replacement replacement : {Replacement::Mean, Replacement::Resample}) {
            const auto block = m_task->prepare(ids, {}, replacement, {}, {});
            const auto replaced = block->outputs({head, replacement}, {});
            double difference = 0;
            for (std::size_t i = 0; i < zero.size(); ++i)
                difference = std::max<double>(difference, std::abs(zero[i].logits[0] - replaced[i].logits[0]));
            QVERIFY(difference > 1e-4);
            // A block that is ready for replacements takes heads out as well.
            const auto removed = block->outputs({head, Replacement::Zero}, {});
            for (std::size_t i = 0; i < zero.size(); ++i)
                QVERIFY(std::abs(removed[i].logits[0] - zero[i].logits[0]) < 1e-4F);
            const auto same = block->outputs({{}, replacement}, {});
            for (std::size_t i = 0; i < same.size(); ++i)
                QCOMPARE(same[i].logits, block->baseline()[i].logits);
        }
    }

    void cancels()
    {
        std::stop_source stop;
        stop.request_stop();
        const JobControl control(stop.get_token());
        QVERIFY_EXCEPTION_THROWN((void)m_task->prepare(allIds(m_task->size()), {}, Replacement::Zero, {}, control),
                                 Cancelled);
    }
};

QTEST_GUILESS_MAIN(TestClassificationBlock)
#include "tst_classificationblock.moc"

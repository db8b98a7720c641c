// The fast paths of both tasks against their plain twin, on tiny models: single heads, all but one, many masks
// together, base masks, every kind of products; replacements.
#include "core/task/batching.h"
#include "tests/support/manyvariants.h"
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

constexpr int kRows = 40;

} // namespace

class TestBlocks : public QObject
{
    Q_OBJECT

    QTemporaryDir m_folder;
    std::shared_ptr<const Task> m_task; ///< classification of pairs
    std::shared_ptr<const Task> m_translation;

private Q_SLOTS:
    void initTestCase()
    {
        const std::filesystem::path folder = m_folder.path().toStdString();
        writeTinyClassifier(folder / "model", {.layers = 3, .heads = 4, .width = 20, .labels = {"a", "b", "c"}});
        writeTinyTable(folder / "pairs.tsv", kRows, 5, true);
        DataSource table;
        table.table = folder / "pairs.tsv";
        m_task = openTask(folder / "model", table);
        QVERIFY(m_task->facts().pairs);
        writeTinyModel(folder / "translator", {.encoderLayers = 3, .decoderLayers = 2});
        writeTinyCorpus(folder / "source", folder / "reference", kRows, 9);
        DataSource lines;
        lines.source = folder / "source";
        lines.reference = folder / "reference";
        m_translation = openTask(folder / "translator", lines);
    }

    void decisionsAreThoseOfThePlainPath_data()
    {
        QTest::addColumn<bool>("translation");
        QTest::addColumn<ProductChoice>("products");
        QTest::addColumn<double>("tolerance"); // of logits
        QTest::addColumn<int>("beams");
        for (const bool translation : {false, true}) {
            const char *task = translation ? "translation" : "classification";
            QTest::addRow("%s, library", task) << translation << ProductChoice::Library << 1e-4 << 1;
            QTest::addRow("%s, exact", task) << translation << ProductChoice::Exact << 1e-4 << 1;
            QTest::addRow("%s, split", task) << translation << ProductChoice::Split << 1e-2 << 1;
            QTest::addRow("%s, half", task) << translation << ProductChoice::Half << 1.0 << 1;
            QTest::addRow("%s, byte", task) << translation << ProductChoice::Byte << 1.0 << 1;
        }
        for (const int beams : {2, 5}) {
            QTest::addRow("library, %d beams", beams) << true << ProductChoice::Library << 1e-4 << beams;
            QTest::addRow("prefix tree, %d beams", beams) << true << ProductChoice::Auto << 1e-4 << beams;
            QTest::addRow("split, %d beams", beams) << true << ProductChoice::Split << 1e-2 << beams;
            QTest::addRow("half, %d beams", beams) << true << ProductChoice::Half << 1.0 << beams;
        }
    }

    void decisionsAreThoseOfThePlainPath()
    {
        QFETCH(bool, translation);
        QFETCH(ProductChoice, products);
        QFETCH(double, tolerance);
        QFETCH(int, beams);
        const Task &task = translation ? *m_translation : *m_task;
        RunOptions run;
        run.products = products;
        run.decoding.beams = beams;
        run.batchTokens = 96; // several batches, several variants in one
        const auto ids = allIds(task.size());
        std::vector<Variant> variants = manyVariants(task.layout(), 50, task.layout().heads().size() / 2, 7);
        variants.emplace_back(); // and none
        for (const HeadMask &base : {HeadMask(), HeadMask{{HeadKind::Encoder, 1, 2}, {HeadKind::Encoder, 2, 0}}}) {
            const auto block = task.prepare(ids, base, Replacement::Zero, run, {});
            std::vector<std::vector<ExampleOutput>> fast(variants.size());
            const PrecisionCheck check
                = block->outputsOfAll(variants, [&](std::size_t v, const auto &outputs) { fast[v] = outputs; }, {});
            std::int64_t changed = 0;
            for (std::size_t v = 0; v < variants.size(); ++v) {
                HeadMask all = base;
                for (const HeadRef &head : variants[v].mask)
                    all.set(head, true);
                const auto plain = task.plainOutputs(ids, all, run, false, {});
                QCOMPARE(fast[v].size(), plain.size());
                for (std::size_t i = 0; i < plain.size(); ++i) {
                    QCOMPARE(fast[v][i].index, plain[i].index);
                    QCOMPARE(fast[v][i].tokens, plain[i].tokens);
                    QCOMPARE(fast[v][i].predicted, plain[i].predicted);
                    QVERIFY(beams == 1 || std::abs(fast[v][i].score - plain[i].score) < tolerance);
                    for (std::size_t k = 0; k < plain[i].logits.size(); ++k)
                        QVERIFY(std::abs(fast[v][i].logits[k] - plain[i].logits[k]) < tolerance);
                    changed += task.measure().samePrediction(plain[i], block->baseline()[i]) ? 0 : 1;
                }
            }
            QVERIFY(changed > kRows); // or equality would say little
            if (products == ProductChoice::Split || products == ProductChoice::Half
                || products == ProductChoice::Byte) {
                QVERIFY(!check.tiers.empty());
                QVERIFY(check.tiers.front().error > 0);
                QVERIFY(check.tiers.front().passedOn <= check.runs);
                QVERIFY(products != ProductChoice::Split || check.tiers.front().passedOn < check.runs);
            }
        }
    }

    /// Blocks go through the tiers that are worth it for each.
    void checksOfBlocksAddUpByTier()
    {
        const PrecisionCheck::Tier byte{"int8", 0.5, 1, 7}, half{"bf16", 0.05, 0.1, 3}, exact{"f32", 1e-6, 2e-6, 1};
        PrecisionCheck sum;
        for (const PrecisionCheck &block : {PrecisionCheck{{exact}, 10}, PrecisionCheck{{half, exact}, 20},
                                            PrecisionCheck{{byte, half, exact}, 40}, PrecisionCheck{{byte, exact}, 80}})
            sum.add(block);
        QCOMPARE(sum.runs, 150);
        QCOMPARE(sum.tiers, (std::vector<PrecisionCheck::Tier>{
                                {"int8", 0.5, 1, 14}, {"bf16", 0.05, 0.1, 6}, {"f32", 1e-6, 2e-6, 4}}));
    }

    // Outputs that end before their first token bring no rows at all.
    void shortestOutputs_data()
    {
        QTest::addColumn<int>("length");
        QTest::addColumn<int>("beams");
        for (const int length : {1, 2, 3}) {
            for (const int beams : {1, 2})
                QTest::addRow("%d tokens, %d beams", length, beams) << length << beams;
        }
    }

    void shortestOutputs()
    {
        QFETCH(int, length);
        QFETCH(int, beams);
        RunOptions run;
        run.decoding.maxLength = length;
        run.decoding.beams = beams;
        const auto ids = allIds(m_translation->size());
        const std::vector<Variant> variants
            = manyVariants(m_translation->layout(), 20, m_translation->layout().heads().size() / 2, 7);
        const auto block = m_translation->prepare(ids, {}, Replacement::Zero, run, {});
        std::vector<std::vector<ExampleOutput>> fast(variants.size());
        (void)block->outputsOfAll(variants, [&](std::size_t v, const auto &outputs) { fast[v] = outputs; }, {});
        for (std::size_t v = 0; v < variants.size(); ++v) {
            const auto plain = m_translation->plainOutputs(ids, variants[v].mask, run, false, {});
            QCOMPARE(fast[v].size(), plain.size());
            for (std::size_t i = 0; i < plain.size(); ++i)
                QCOMPARE(fast[v][i].tokens, plain[i].tokens);
        }
    }

    // What shows logits is made with exact products, whatever decisions are made with.
    void singleOutputsHaveExactLogits()
    {
        RunOptions run;
        run.products = ProductChoice::Half;
        const auto ids = allIds(m_task->size());
        const auto block = m_task->prepare(ids, {}, Replacement::Zero, run, {});
        for (const HeadRef &head : m_task->layout().heads()) {
            const auto fast = block->outputs({{head}}, {});
            const auto plain = m_task->plainOutputs(ids, {head}, run, false, {});
            for (std::size_t i = 0; i < plain.size(); ++i) {
                for (std::size_t k = 0; k < plain[i].logits.size(); ++k)
                    QVERIFY(std::abs(fast[i].logits[k] - plain[i].logits[k]) < 1e-4F);
            }
        }
    }

    // A head replaced by its mean is not the head taken out, and replacing nothing changes nothing (the guide's
    // numbers.md, Ablation).
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

    // Heads that are scaled rather than removed: all paths say what the plain one says.
    void scaledHeads()
    {
        for (const Task *task : {m_task.get(), m_translation.get()}) {
            const auto ids = allIds(task->size());
            std::vector<Variant> variants;
            for (const HeadRef &head : task->layout().heads()) {
                Variant variant;
                variant.scales[head] = 1.5;
                if (head.head == 1)
                    variant.mask.set({head.kind, head.layer, 0}, true);
                variant.scales[task->layout().heads().back()] = -2;
                variants.push_back(variant);
            }
            std::vector<std::vector<ExampleOutput>> plainly;
            RunOptions greedy;
            greedy.decoding.beams = 1;
            for (const Variant &variant : variants)
                plainly.push_back(task->plainOutputs(ids, variant.mask, greedy, false, {}, variant.scales));
            for (const auto products : {ProductChoice::Library, ProductChoice::Exact, ProductChoice::Half}) {
                RunOptions run;
                run.products = products;
                run.decoding.beams = 1;
                const auto block = task->prepare(ids, {}, Replacement::Zero, run, {});
                std::vector<std::vector<ExampleOutput>> fast(variants.size());
                (void)block->outputsOfAll(variants, [&](std::size_t v, const auto &outputs) { fast[v] = outputs; }, {});
                int changed = 0;
                for (std::size_t v = 0; v < variants.size(); ++v) {
                    const auto &plain = plainly[v];
                    for (std::size_t i = 0; i < plain.size(); ++i) {
                        QCOMPARE(fast[v][i].tokens, plain[i].tokens);
                        QCOMPARE(fast[v][i].predicted, plain[i].predicted);
                        changed += task->measure().samePrediction(plain[i], block->baseline()[i]) ? 0 : 1;
                    }
                }
                QVERIFY(changed > 0);
            }
            // A factor of one is none, and one of zero is a head removed.
            const auto block = task->prepare(ids, {}, Replacement::Zero, {}, {});
            const HeadRef first = task->layout().heads().front();
            const auto same = block->outputs({.mask = {}, .scales = {{first, 1.0}}}, {});
            const auto none = block->outputs({.mask = {}, .scales = {{first, 0.0}}}, {});
            const auto removed = block->outputs({.mask = {first}}, {});
            for (std::size_t i = 0; i < same.size(); ++i) {
                QVERIFY(task->measure().samePrediction(same[i], block->baseline()[i]));
                QVERIFY(task->measure().samePrediction(none[i], removed[i]));
            }
        }
    }

    // An example that is a batch by itself gets a stand-in all the same, and not itself.
    void aBatchOfOneIsReplaced()
    {
        RunOptions run;
        run.batchTokens = 1;
        const auto ids = allIds(m_task->size());
        const HeadMask heads(m_task->layout().heads());
        const auto block = m_task->prepare(ids, {}, Replacement::Resample, run, {});
        const auto replaced = block->outputs({heads, Replacement::Resample}, {});
        int changed = 0;
        for (std::size_t i = 0; i < ids.size(); ++i)
            changed += replaced[i].logits == block->baseline()[i].logits ? 0 : 1;
        QCOMPARE(changed, kRows);
        // Which batch an example is in does not matter.
        const auto together
            = m_task->prepare(ids, {}, Replacement::Resample, {}, {})->outputs({heads, Replacement::Resample}, {});
        for (std::size_t i = 0; i < ids.size(); ++i)
            QVERIFY(std::abs(together[i].logits[0] - replaced[i].logits[0]) < 1e-4F);
    }

    // Contexts of another set: where that set is the example itself, nothing changes; draws are different examples.
    void replacementsFromAnotherSet()
    {
        const std::filesystem::path folder = m_folder.path().toStdString();
        writeTinyTable(folder / "one.tsv", 1, 5, true);
        writeTinyTable(folder / "others.tsv", 7, 6, true);
        const auto open = [&](const char *name) {
            DataSource table;
            table.table = folder / name;
            return openTask(folder / "model", table);
        };
        const auto one = open("one.tsv");
        const auto others = open("others.tsv");
        const HeadMask heads(one->layout().heads());
        const auto outputs = [&](const ReplacementPlan &plan, std::int64_t draw) {
            return one->prepare({0}, {}, plan, {}, {})->outputs({heads, plan.kind, draw}, {}).front().logits;
        };
        const auto base = one->plainOutputs({0}, HeadMask(), {}, false, {}).front().logits;
        const auto itself = outputs({Replacement::Resample, one.get(), 1}, 0);
        for (std::size_t k = 0; k < base.size(); ++k)
            QVERIFY(std::abs(itself[k] - base[k]) < 1e-5F);
        const auto first = outputs({Replacement::Resample, others.get(), 3}, 0);
        QVERIFY(first != outputs({Replacement::Resample, others.get(), 3}, 1));
        QVERIFY(outputs({Replacement::Mean, others.get(), 1}, 0) != outputs({Replacement::Mean, nullptr, 1}, 0));
        // An example has no other of its own set to be replaced by.
        QVERIFY_EXCEPTION_THROWN((void)outputs(Replacement::Resample, 0), Failure);
        QVERIFY_EXCEPTION_THROWN((void)outputs({Replacement::Resample, others.get(), 8}, 0), Failure);
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

QTEST_GUILESS_MAIN(TestBlocks)
#include "tst_blocks.moc"

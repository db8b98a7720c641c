// The fast paths of both tasks against their plain twin, on tiny models: single heads, all but one, many masks together,
// base masks, every kind of products; replacements.
#include "core/data/dataset.h"
#include "core/model/loadmodel.h"
#include "core/task/batching.h"
#include "core/task/task.h"
#include "core/tokenize/tokenizer.h"
#include "tests/support/manyvariants.h"
#include "tests/support/tinyclassifier.h"
#include "tests/support/tinymodel.h"

#include <QTemporaryDir>
#include <QTest>
#include <torch/torch.h>

#include <cmath>

using namespace headscope;
using namespace headscope::testing;

namespace {

constexpr int kRows = 40;

std::shared_ptr<const Task> openTask(const std::filesystem::path &folder, const DataSource &source)
{
    const auto model = loadModel(folder, torch::TensorOptions(torch::kFloat32), {}).valueOrThrow();
    std::shared_ptr<const Tokenizer> tokenizer = openTokenizer(folder, model.config).valueOrThrow();
    return makeTask(model.transformer, tokenizer, readDataset(source, {}).valueOrThrow(), {}).valueOrThrow();
}

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
        }
        for (const int beams : {2, 5}) {
            QTest::addRow("library, %d beams", beams) << true << ProductChoice::Library << 1e-4 << beams;
            QTest::addRow("prefix tree, %d beams", beams) << true << ProductChoice::Auto << 1e-4 << beams;
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
            const ProductProof proof
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
                    changed += task.samePrediction(plain[i], block->baseline()[i]) ? 0 : 1;
                }
            }
            QVERIFY(changed > kRows); // or equality would say little
            if (products == ProductChoice::Split || products == ProductChoice::Half) {
                QVERIFY(!proof.tiers.empty());
                QVERIFY(proof.tiers.front().error > 0);
                QVERIFY(proof.tiers.front().passedOn <= proof.runs);
            }
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

QTEST_GUILESS_MAIN(TestBlocks)
#include "tst_blocks.moc"

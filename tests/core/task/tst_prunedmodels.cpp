// Models that were written without some heads, small and in full shape, opened again: outputs, layouts, sweeps, both
// tasks; and a folder that transformers pruned.
#include "core/base/random.h"
#include "core/data/dataset.h"
#include "core/formats/jsonfile.h"
#include "core/model/exportpruned.h"
#include "core/task/batching.h"
#include "core/task/tasks.h"
#include "core/tokenize/tokenizer.h"
#include "tests/support/manyvariants.h"
#include "tests/support/tinyclassifier.h"
#include "tests/support/tinymodel.h"

#include <ATen/core/grad_mode.h>
#include <QTemporaryDir>
#include <QTest>
#include <torch/types.h>

#include <algorithm>
#include <cmath>

using namespace headscope;
using namespace headscope::testing;
namespace fs = std::filesystem;

namespace {

constexpr int kRows = 30;

LoadedModel load(const fs::path &folder)
{
    return loadModel(folder, torch::TensorOptions(torch::kFloat32), {}).valueOrThrow();
}

std::shared_ptr<const Task> taskOf(const LoadedModel &model, const fs::path &folder, const DataSource &source)
{
    std::shared_ptr<const Tokenizer> tokenizer = openTokenizer(folder, model.config).valueOrThrow();
    return makeTask({model.transformer, tokenizer, Execution()}, readDataset(source, {}).valueOrThrow(), {})
        .valueOrThrow();
}

const MeanContexts &meansOf(const Task &task)
{
    return task.meanContexts({});
}

/// Largest difference of a logit; infinite where tokens or labels differ.
double difference(const std::vector<ExampleOutput> &a, const std::vector<ExampleOutput> &b)
{
    double largest = a.size() == b.size() ? 0 : INFINITY;
    for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) {
        if (a[i].index != b[i].index || a[i].tokens != b[i].tokens || a[i].logits.size() != b[i].logits.size())
            return INFINITY;
        for (std::size_t k = 0; k < a[i].logits.size(); ++k)
            largest = std::max<double>(largest, std::abs(a[i].logits[k] - b[i].logits[k]));
    }
    return largest;
}

RunOptions withBeams(int beams)
{
    RunOptions run;
    run.decoding.beams = beams;
    return run;
}

std::string messageOf(const auto &result)
{
    return result.isError() ? result.error().message : "";
}

} // namespace

class TestPrunedModels : public QObject
{
    Q_OBJECT

    struct Subject
    {
        fs::path folder;
        DataSource data;
        HeadMask mask; ///< of every kind some, of one layer all
        LoadedModel model;
        std::shared_ptr<const Task> task;
    };

    QTemporaryDir m_folder;
    std::array<Subject, 2> m_subjects; ///< a classifier, a translator
    int m_written = 0;

    /// Writes `subject` without its mask's heads.
    fs::path write(const Subject &subject, const PrunedExport &what)
    {
        const fs::path target = fs::path(m_folder.path().toStdString()) / ("written" + std::to_string(m_written++));
        (void)exportPruned(subject.model, subject.folder, what, target, {}).valueOrThrow();
        return target;
    }

    Subject opened(const fs::path &folder, const DataSource &data) const
    {
        Subject subject{folder, data, {}, load(folder), nullptr};
        subject.task = taskOf(subject.model, folder, data);
        return subject;
    }

    static void addSubjects()
    {
        QTest::addColumn<int>("which");
        QTest::newRow("classification") << 0;
        QTest::newRow("translation") << 1;
    }

private Q_SLOTS:
    void initTestCase()
    {
        const fs::path folder = m_folder.path().toStdString();
        writeTinyClassifier(folder / "classifier", {.layers = 3, .heads = 4, .width = 20, .labels = {"a", "b", "c"}});
        writeTinyTable(folder / "pairs.tsv", kRows, 5, true);
        DataSource table;
        table.table = folder / "pairs.tsv";
        m_subjects[0] = opened(folder / "classifier", table);
        m_subjects[0].mask
            = parseHeadMask("encoder.0.1,encoder.1.0,encoder.1.1,encoder.1.2,encoder.1.3,encoder.2.3").valueOrThrow();
        writeTinyModel(folder / "translator", {.encoderLayers = 3, .decoderLayers = 2});
        writeTinyCorpus(folder / "source", folder / "reference", kRows, 9);
        DataSource lines;
        lines.source = folder / "source";
        lines.reference = folder / "reference";
        m_subjects[1] = opened(folder / "translator", lines);
        m_subjects[1].mask = parseHeadMask("encoder.0.1,encoder.2.0,encoder.2.3,cross.0.2,cross.1.0,cross.1.1,"
                                           "cross.1.2,cross.1.3,decoder.0.0,decoder.1.3")
                                 .valueOrThrow();
    }

    void savedModelGivesTheMaskedOutputs_data() { addSubjects(); }
    void savedModelGivesTheMaskedOutputs()
    {
        QFETCH(int, which);
        const Subject &whole = m_subjects[static_cast<std::size_t>(which)];
        const auto ids = allIds(kRows);
        for (const ExportForm form : {ExportForm::Small, ExportForm::Full}) {
            const Subject saved = opened(write(whole, {.mask = whole.mask, .form = form}), whole.data);
            const bool small = form == ExportForm::Small;
            const std::int64_t ofZeros = which == 0 ? 1 : 0; // for transformers, in the layer that has lost all
            QCOMPARE(saved.task->layout().size(),
                     whole.task->layout().size() - (small ? whole.mask.size() - ofZeros : 0));
            QCOMPARE(saved.model.parameters == whole.model.parameters, !small);
            for (const int beams : {1, 3}) {
                const auto masked = whole.task->plainOutputs(ids, whole.mask, withBeams(beams), false, {});
                QVERIFY(difference(saved.task->plainOutputs(ids, HeadMask(), withBeams(beams), false, {}), masked)
                        < 1e-5);
                const auto before = whole.task->plainOutputs(ids, HeadMask(), withBeams(beams), false, {});
                QVERIFY(difference(before, masked) > 1e-3); // or equality would say little
            }
        }
    }

    void compensatedModelGivesTheMeanAblatedOutputs_data() { addSubjects(); }
    void compensatedModelGivesTheMeanAblatedOutputs() // T24
    {
        QFETCH(int, which);
        const Subject &whole = m_subjects[static_cast<std::size_t>(which)];
        const auto ids = allIds(kRows);
        const RunOptions run = withBeams(1);
        const auto block = whole.task->prepare(ids, {}, Replacement::Mean, run, {});
        const auto ablated = block->outputs({whole.mask, Replacement::Mean}, {});
        for (const ExportForm form : {ExportForm::Small, ExportForm::Full}) {
            const fs::path folder
                = write(whole, {.mask = whole.mask, .form = form, .means = meansOf(*whole.task), .reference = "pairs"});
            const auto removed = opened(folder, whole.data).task->plainOutputs(ids, HeadMask(), run, false, {});
            QVERIFY(difference(removed, ablated) < 2e-6);
            QVERIFY(difference(removed, whole.task->plainOutputs(ids, whole.mask, run, false, {})) > 1e-4);
            const auto note = readJsonFile(folder / "heads.json").valueOrThrow();
            QVERIFY(note.at("compensation").get<std::string>().find("pairs") != std::string::npos);
        }
    }

    void pruningGoesOnFromASavedModel_data() { addSubjects(); }
    void pruningGoesOnFromASavedModel()
    {
        QFETCH(int, which);
        const Subject &whole = m_subjects[static_cast<std::size_t>(which)];
        const Subject once = opened(write(whole, {.mask = whole.mask, .form = ExportForm::Small}), whole.data);
        const HeadMask more{once.task->layout().heads().front(), once.task->layout().heads().back()};
        HeadMask both = whole.mask;
        for (const HeadRef &head : more)
            both.set(head, true);
        const fs::path twice = write(once, {.mask = more, .form = ExportForm::Small});
        const fs::path atOnce = write(whole, {.mask = both, .form = ExportForm::Small});
        // The same bytes, and the same heads named.
        for (const char *name : {"config.json", "model.safetensors", "heads.json"})
            QCOMPARE(readBytes(twice / name), readBytes(atOnce / name));
        // Back in full shape every program opens it: no trace of pruning but zeros.
        const fs::path back = write(once, {.mask = more, .form = ExportForm::Full});
        const Subject full = opened(back, whole.data);
        QVERIFY(full.task->layout() == whole.task->layout());
        QCOMPARE(full.model.parameters, whole.model.parameters);
        QVERIFY(full.model.config == whole.model.config);
        QCOMPARE(readJsonFile(back / "heads.json").valueOrThrow().at("removed_heads").size(),
                 static_cast<std::size_t>(both.size()));
        const auto ids = allIds(kRows);
        const auto masked = whole.task->plainOutputs(ids, both, withBeams(1), false, {});
        QVERIFY(difference(full.task->plainOutputs(ids, HeadMask(), withBeams(1), false, {}), masked) < 1e-5);
        // What is silenced in full shape is remembered when more goes.
        const fs::path again = write(full, {.mask = {whole.task->layout().heads()[5]}, .form = ExportForm::Full});
        QVERIFY(readJsonFile(again / "heads.json").valueOrThrow().at("removed_heads").size()
                >= static_cast<std::size_t>(both.size()));
    }

    void sweepsOfRaggedModelsAreEqual_data() { addSubjects(); }
    void sweepsOfRaggedModelsAreEqual() // T26
    {
        QFETCH(int, which);
        const Subject &whole = m_subjects[static_cast<std::size_t>(which)];
        const Subject small = opened(write(whole, {.mask = whole.mask, .form = ExportForm::Small}), whole.data);
        const auto ids = allIds(kRows);
        const auto variants = manyVariants(small.task->layout(), 12, 6, 3);
        for (const ProductChoice products : {ProductChoice::Library, ProductChoice::Exact, ProductChoice::Half}) {
            RunOptions run = withBeams(1);
            run.products = products;
            run.batchTokens = 96;
            const auto block = small.task->prepare(ids, {}, Replacement::Zero, run, {});
            std::vector<std::vector<ExampleOutput>> fast(variants.size());
            (void)block->outputsOfAll(variants, [&](std::size_t v, const auto &outputs) { fast[v] = outputs; }, {});
            for (std::size_t v = 0; v < variants.size(); ++v) {
                HeadMask all = whole.mask; // against the full model, plain
                for (const HeadRef &head : variants[v].mask)
                    all.set(head, true);
                const auto plain = whole.task->plainOutputs(ids, all, run, false, {});
                for (std::size_t i = 0; i < plain.size(); ++i) {
                    QCOMPARE(fast[v][i].tokens, plain[i].tokens);
                    QCOMPARE(fast[v][i].predicted, plain[i].predicted);
                }
            }
        }
    }

    void noHeadIsLeftAtAll_data() { addSubjects(); }
    void noHeadIsLeftAtAll()
    {
        QFETCH(int, which);
        const Subject &whole = m_subjects[static_cast<std::size_t>(which)];
        const HeadMask all(whole.task->layout().heads());
        const PrunedCard card = prunedCard(whole.model, all);
        QCOMPARE(card.headsLeft, 0);
        QCOMPARE(card.warnings.size(), std::size_t(which)); // only translations have a source to lose
        const Subject empty = opened(write(whole, {.mask = all, .form = ExportForm::Small}), whole.data);
        QCOMPARE(empty.model.parameters, card.parametersLeft);
        const auto ids = allIds(kRows);
        const auto masked = whole.task->plainOutputs(ids, all, withBeams(1), false, {});
        QVERIFY(difference(empty.task->plainOutputs(ids, HeadMask(), withBeams(1), false, {}), masked) < 1e-5);
        const auto block = empty.task->prepare(ids, {}, Replacement::Zero, withBeams(1), {});
        QVERIFY(difference(block->baseline(), masked) < 1e-4);
    }

    void tensorsKeepTheirTypeOfNumbers()
    {
        const Subject &whole = m_subjects[0];
        const fs::path folder = write(whole, {.mask = whole.mask, .form = ExportForm::Small});
        const auto before = Checkpoint::open(whole.folder).valueOrThrow();
        const auto after = Checkpoint::open(folder).valueOrThrow();
        QCOMPARE(after.names(), before.names());
        for (const std::string &name : after.names())
            QVERIFY(after.tensor(name).valueOrThrow().dtype() == before.tensor(name).valueOrThrow().dtype());
    }

    void notesSayWhoCanOpenIt()
    {
        const auto opensIn = [&](const fs::path &folder) {
            return readJsonFile(folder / "heads.json").valueOrThrow().at("opens_in").get<std::string>();
        };
        const auto small
            = [&](const Subject &subject) { return write(subject, {.mask = subject.mask, .form = ExportForm::Small}); };
        QVERIFY(opensIn(small(m_subjects[0])).find("transformers before version 5") != std::string::npos);
        QVERIFY(opensIn(small(m_subjects[1])).starts_with("Headscope only"));
        QVERIFY(opensIn(write(m_subjects[1], {.mask = m_subjects[1].mask})).find("every program") != std::string::npos);
    }

    void targetsThatCannotBe()
    {
        const Subject &whole = m_subjects[0];
        const fs::path root = m_folder.path().toStdString();
        const auto to = [&](const fs::path &target, const JobControl &control = {}) {
            const PrunedExport small{.mask = whole.mask, .form = ExportForm::Small};
            return exportPruned(whole.model, whole.folder, small, target, control);
        };
        QVERIFY(messageOf(to(whole.folder)).find("not empty") != std::string::npos);
        QVERIFY(messageOf(to(whole.folder / "config.json")).find("not empty") != std::string::npos);
        QVERIFY(to(root / "with" / "slash/").isOk());
        QVERIFY(fs::exists(root / "with" / "slash" / "heads.json"));
        fs::create_directories(root / "empty");
        QVERIFY(to(root / "empty").isOk());
        QVERIFY(fs::exists(root / "empty" / "heads.json"));
        QVERIFY(to("").isError());
        QVERIFY(messageOf(exportPruned(whole.model, whole.folder, {.mask = {{HeadKind::Cross, 0, 0}}}, root / "x", {}))
                    .find("cross.0.0")
                != std::string::npos);
        std::stop_source stop;
        stop.request_stop();
        QVERIFY(to(root / "cancelled", JobControl(stop.get_token())).isCancelled());
        for (const auto &entry : fs::directory_iterator(root))
            QVERIFY2(entry.path().filename().string().find("cancelled") == std::string::npos, entry.path().c_str());
    }

    // tests/goldens/classifiers/bert-pruned: prune_heads and save_pretrained of transformers 4.44, one empty layer.
    void folderPrunedByTransformersGoesOn()
    {
        const fs::path folder = fs::path(qEnvironmentVariable("HEADSCOPE_SOURCE_DIR").toStdString())
                              / "tests/goldens/classifiers/bert-pruned";
        const LoadedModel model = load(folder);
        QVERIFY(model.transformer->layout().block(HeadKind::Encoder)->layers[1].empty());
        const HeadMask mask{{HeadKind::Encoder, 0, 0}, {HeadKind::Encoder, 2, 3}};
        const auto logitsOf = [](const LoadedModel &m, const HeadMask &off) {
            const torch::NoGradGuard noGrad;
            const Transformer &transformer = *m.transformer;
            const auto batch = TokenBatch::pad({{2, 9, 4, 17, 3}, {5, 20, 1}}, 0, torch::kCPU);
            const auto gates = HeadGates::fromMask(off, transformer.layout(), transformer.options());
            return transformer.classify(transformer.encode(batch, gates).hidden.select(1, 0));
        };
        for (const ExportForm form : {ExportForm::Small, ExportForm::Full}) {
            const fs::path target = fs::path(m_folder.path().toStdString()) / ("golden-" + std::string(toText(form)));
            (void)exportPruned(model, folder, {.mask = mask, .form = form}, target, {}).valueOrThrow();
            const LoadedModel saved = load(target);
            QVERIFY((logitsOf(saved, {}) - logitsOf(model, mask)).abs().max().item<float>() < 1e-5F);
            QVERIFY((logitsOf(saved, {}) - logitsOf(model, {})).abs().max().item<float>() > 1e-4F);
            const std::size_t heads = form == ExportForm::Small ? 6 : 15; // 5, 5, 5 were 3, 0, 4; one of zeros
            QCOMPARE(saved.transformer->layout().size(), static_cast<std::int64_t>(heads));
        }
    }

private:
    static std::string readBytes(const fs::path &file)
    {
        QFile stream(QString::fromStdString(file.string()));
        return stream.open(QFile::ReadOnly) ? stream.readAll().toStdString() : std::string();
    }
};

QTEST_GUILESS_MAIN(TestPrunedModels)
#include "tst_prunedmodels.moc"

// What takes over when a head is removed: against runs that know nothing of it, and in a model with a head that stands
// in for another one.
#include "core/analysis/takeover.h"
#include "core/task/ownanswers.h"
#include "core/task/patchedruns.h"
#include "tests/support/opentask.h"
#include "tests/support/rewrittentensors.h"
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
#include <fstream>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

using namespace headscope;
using namespace headscope::testing;
namespace fs = std::filesystem;

namespace {

/// Head 0 of layer 0 says label 1, whatever it reads. Head 1 of layer 1 says it as loudly where the first one does not:
/// its value is what is missing of it. Large constants beside them keep the norms from changing.
void buildBackup(const fs::path &folder)
{
    const double scale = std::sqrt(16.0 / (2 * 30.0 * 30.0)); // of the first norm
    rewriteTensors(folder, [&](const std::string &name, torch::Tensor &tensor) {
        tensor.zero_();
        const auto is = [&](const char *end) { return name.ends_with(end); };
        if (is("embeddings.LayerNorm.bias")) {
            tensor[14] = 30;
            tensor[15] = -30;
        } else if (is("LayerNorm.weight") && !is("embeddings.LayerNorm.weight")) {
            tensor.fill_(1);
        } else if (is("layer.0.attention.self.value.bias")) {
            tensor[0] = 1;
        } else if (is("layer.0.attention.output.dense.weight")) {
            tensor[0][0] = 1;  // for the other head to see
            tensor[1][0] = 1;  // and for the label
            tensor[2][0] = -1; // so that the mean, which norms take away, stays
            tensor[3][0] = -1;
        } else if (is("layer.1.attention.self.value.weight")) {
            tensor[4][0] = -1 / scale;
        } else if (is("layer.1.attention.self.value.bias")) {
            tensor[4] = 1;
        } else if (is("layer.1.attention.output.dense.weight")) {
            tensor[1][4] = scale;
            tensor[3][4] = -scale;
        } else if (is("pooler.dense.weight")) {
            tensor[1][1] = 1;
        } else if (is("classifier.weight")) {
            tensor[1][1] = 10;
        }
    });
}

struct Opened
{
    std::shared_ptr<const Task> task;
    std::shared_ptr<const Tokenizer> tokenizer;
    PatchingPairs pairs;

    Opened(const fs::path &folder, const fs::path &table)
    {
        DataSource source;
        source.table = table.string();
        task = openTask(folder, source);
        const LoadedModel model = loadModel(folder, torch::TensorOptions(torch::kFloat32), {}).valueOrThrow();
        tokenizer = openTokenizer(folder, model.config).valueOrThrow();
        const Dataset dataset = readDataset(source, {}).valueOrThrow();
        pairs = arePatchingPairs(dataset)
                  ? patchingPairs(task->model().spec(), tokenizer.get(), dataset, {}).valueOrThrow()
                  : ownAnswers(*task, tokenizer.get(), {}, {});
    }

    TakeoverResult without(TakeoverSpec spec) const
    {
        spec.sentences = true;
        return takeover(*task, pairs, spec, {}, {});
    }

    /// Differences of the logits of the clean texts, by other code.
    std::vector<double> scores(const HeadMask &mask) const
    {
        std::vector<std::int64_t> all(static_cast<std::size_t>(pairs.size()));
        std::iota(all.begin(), all.end(), 0);
        const PatchedRuns runs(*task, pairs, all, true, mask, {}, {});
        std::vector<double> differences;
        for (const AnswerScores &score : runs.base())
            differences.push_back(score.answer - score.wrong);
        return differences;
    }
};

/// What must hold of every result: everything adds up, in the mean and in each example.
void checkSums(const TakeoverResult &result)
{
    QVERIFY(std::abs(result.without.mean - result.whole.mean
                     - (result.instead - result.own + result.others.mean + result.rest.mean))
            < 1e-9);
    double others = 0;
    for (const HeadTakeover &head : result.heads) {
        QVERIFY(std::abs(head.change - (head.without - head.whole)) < 1e-9);
        QVERIFY(head.interval.low <= head.change + 1e-12 && head.change <= head.interval.high + 1e-12);
        QVERIFY(head.discoveryP >= head.p);
        others += head.change;
    }
    QVERIFY(std::abs(others - result.others.mean) < 1e-9);
    const double lost = result.own - result.instead;
    if (std::abs(lost) > 1e-6)
        QVERIFY(std::abs(result.repaired * lost - (result.others.mean + result.rest.mean)) < 1e-9);
    QCOMPARE(std::ssize(result.sentences), result.examples);
    std::vector<double> means(result.heads.size(), 0);
    for (const TakeoverExample &example : result.sentences) {
        QCOMPARE(example.changes.size(), result.heads.size());
        const double sum = std::accumulate(example.changes.begin(), example.changes.end(), 0.0);
        QVERIFY(std::abs(sum - example.others) < 1e-9);
        for (std::size_t i = 0; i < means.size(); ++i)
            means[i] += example.changes[i] / static_cast<double>(result.examples);
    }
    for (std::size_t i = 0; i < means.size(); ++i)
        QVERIFY(std::abs(means[i] - result.heads[i].change) < 1e-9);
}

} // namespace

class TestTakeover : public QObject
{
    Q_OBJECT

    QTemporaryDir m_folder;
    fs::path path(const char *name) const { return fs::path(m_folder.path().toStdString()) / name; }

private Q_SLOTS:
    void initTestCase()
    {
        writeTinyLanguageModel(path("gpt2"), {.layers = 3, .headsAmplitude = 0.3});
        std::ofstream out(path("pairs.jsonl"));
        for (const char *subject : {"man", "dog", "park", "girls"}) {
            for (const char *place : {"park", "film"})
                out << "{\"clean\": \"the " << subject << " in the red " << place
                    << "\", \"corrupt\": \"the man in the good " << place
                    << "\", \"answer\": \"runs\", \"wrong_answer\": \"good\"}" << '\n';
        }
        writeTinyClassifier(path("backup"), {.layers = 2, .heads = 4, .width = 16});
        buildBackup(path("backup"));
        std::ofstream(path("texts.tsv")) << "sentence\tlabel\nthe good film\t1\na dull park\t1\nbad\t1\n";
    }

    void logitsAreThoseOfOtherRuns();
    void aTextOfAnotherExampleIsPatchedIn();
    void headsBeforeItChangeWithTheNorm();
    void aBackupHeadTakesOver();
    void translatorsLoseHeadsOfBothStacks();
    void answersOfTheModelsOwn();
    void whatCannotBeAskedIsSaid();
};

void TestTakeover::logitsAreThoseOfOtherRuns()
{
    const Opened model(path("gpt2"), path("pairs.jsonl"));
    const HeadMask off{{HeadKind::Decoder, 2, 1}};
    for (const HeadMask &mask : {HeadMask(), off}) {
        const TakeoverResult result = model.without({.mask = mask, .head = "decoder.0.2"});
        checkSums(result);
        QCOMPARE(result.examples, 8);
        QCOMPARE(result.heads.size(), mask.empty() ? 11U : 10U);
        QCOMPARE(result.instead, 0.0);
        HeadMask both = mask;
        both.set({HeadKind::Decoder, 0, 2}, true);
        const auto whole = model.scores(mask);
        const auto without = model.scores(both);
        double largest = 0;
        for (std::size_t i = 0; i < whole.size(); ++i) {
            QVERIFY(std::abs(result.sentences[i].whole - whole[i]) < 1e-4);
            QVERIFY(std::abs(result.sentences[i].without - without[i]) < 1e-4);
            largest = std::max(largest, std::abs(whole[i] - without[i]));
        }
        QVERIFY(largest > 1e-2);
        QVERIFY(result.whole.interval.low < result.whole.mean && result.whole.mean < result.whole.interval.high);
    }
    const TakeoverResult mean = model.without({.head = "decoder.0.2", .replacement = Replacement::Mean});
    checkSums(mean);
    QVERIFY(std::abs(mean.instead) > 1e-6);
    // Examples for all, resampled for none: intervals need some.
    const TakeoverResult none = model.without({.head = "decoder.0.2", .resamples = 0});
    QVERIFY(std::isnan(none.heads[0].interval.low));
}

/// With two texts of equal length, each gets the other's context: that is what patching does.
void TestTakeover::aTextOfAnotherExampleIsPatchedIn()
{
    Opened model(path("gpt2"), path("pairs.jsonl"));
    PatchingPairs two = model.pairs;
    for (auto *texts : {&two.clean, &two.corrupt})
        texts->resize(2);
    two.clean[1] = model.pairs.clean[7];
    two.corrupt = {two.clean[1], two.clean[0]};
    for (auto *answers : {&two.answers, &two.wrongAnswers})
        answers->resize(2);
    two.shown.resize(2);
    model.pairs = two;
    const TakeoverResult result = model.without({.head = "decoder.1.3", .replacement = Replacement::Resample});
    checkSums(result);
    const PatchedRuns runs(*model.task, two, {0, 1}, true, {}, {}, {});
    const std::vector<HeadRef> heads{{HeadKind::Decoder, 1, 3}};
    const std::vector<PatchCell> cells{{0, &heads}, {1, &heads}};
    const auto patched = runs.patched(cells);
    for (std::size_t i = 0; i < 2; ++i)
        QVERIFY(std::abs(result.sentences[i].without - (patched[i].answer - patched[i].wrong)) < 1e-4);
    QVERIFY(std::abs(result.whole.mean - result.without.mean) > 1e-4);
    // Several draws average over several texts.
    Opened all(path("gpt2"), path("pairs.jsonl"));
    const TakeoverResult drawn = all.without({.head = "decoder.1.3", .replacement = Replacement::Resample, .draws = 7});
    checkSums(drawn);
    QCOMPARE(drawn.draws, 7);
}

void TestTakeover::headsBeforeItChangeWithTheNorm()
{
    Opened model(path("gpt2"), path("pairs.jsonl"));
    for (auto *texts : {&model.pairs.clean, &model.pairs.corrupt})
        texts->resize(1);
    const TakeoverResult result = model.without({.head = "decoder.1.0"});
    double ratio = 0;
    double largest = 0;
    for (const HeadTakeover &head : result.heads) {
        QCOMPARE(head.after, head.head.layer > 1);
        const double own = head.without / head.whole;
        if (head.after) {
            largest = std::max(largest, std::abs(own / result.heads.front().without * result.heads.front().whole - 1));
            continue;
        }
        ratio = ratio == 0 ? own : ratio;
        QVERIFY(std::abs(own - ratio) < 1e-4);
    }
    QVERIFY(largest > 1e-3);
    QVERIFY(std::isnan(result.heads.front().interval.low)); // one example says nothing of others
}

void TestTakeover::aBackupHeadTakesOver()
{
    const Opened model(path("backup"), path("texts.tsv"));
    const TakeoverResult result = model.without({.head = "encoder.0.0"});
    checkSums(result);
    QVERIFY(result.own > 0.5);
    QVERIFY(std::abs(result.without.mean - result.whole.mean) < 0.02 * result.own);
    QVERIFY(std::abs(result.repaired - 1) < 0.02);
    for (const HeadTakeover &head : result.heads) {
        if (head.head == HeadRef{HeadKind::Encoder, 1, 1})
            QVERIFY(std::abs(head.change - result.own) < 0.02 * result.own && head.after);
        else
            QVERIFY(std::abs(head.change) < 0.01 * result.own);
    }
    // The other way round nothing is there to make good: the backup rests.
    const TakeoverResult backup = model.without({.head = "encoder.1.1"});
    QVERIFY(std::abs(backup.own) < 0.01 * result.own);
    QVERIFY(!AnalysisOf<TakeoverSpec>::remarks(model.without({.head = "encoder.1.3"})).empty());
    QVERIFY(AnalysisOf<TakeoverSpec>::remarks(result).empty());
    // The control: its context is that of every other text, so that another one's changes nothing.
    const TakeoverResult control
        = model.without({.head = "encoder.0.0", .replacement = Replacement::Resample, .draws = 2});
    checkSums(control);
    QVERIFY(std::abs(control.own - control.instead) < 1e-6);
    QVERIFY(std::abs(control.others.mean) < 1e-6);
}

void TestTakeover::translatorsLoseHeadsOfBothStacks()
{
    writeTinyModel(path("marian"));
    writeTinyCorpus(path("a.en"), path("a.fr"), 3, 3);
    const auto linesOf = [&](const char *name) {
        std::ifstream in(path(name));
        std::vector<std::string> lines;
        for (std::string line; std::getline(in, line);)
            lines.push_back(line);
        return lines;
    };
    const auto sources = linesOf("a.en");
    const auto references = linesOf("a.fr");
    std::ofstream out(path("translations.tsv"));
    out << "clean\tcorrupt\tanswer\twrong_answer\n";
    for (std::size_t i = 0; i < sources.size(); ++i)
        out << sources[i] << '\t' << sources[i] << '\t' << references[i] << '\t'
            << references[(i + 1) % references.size()] << '\n';
    out.close();
    const Opened model(path("marian"), path("translations.tsv"));
    for (const char *head : {"encoder.1.2", "cross.0.1", "decoder.1.0"}) {
        const TakeoverResult result = model.without({.head = head});
        checkSums(result);
        const HeadRef removed = parseHeadRef(head).valueOrThrow();
        const bool adds = removed.kind != HeadKind::Encoder; // to the output, by itself
        QCOMPARE(result.heads.size(), adds ? 15U : 16U);
        QCOMPARE(result.own != 0, adds);
        const auto without = model.scores({removed});
        for (std::size_t i = 0; i < without.size(); ++i)
            QVERIFY(std::abs(result.sentences[i].without - without[i]) < 1e-4);
        for (const HeadTakeover &other : result.heads) {
            const bool isFirst = other.head.kind == HeadKind::Decoder && other.head.layer == 0;
            if (removed.kind == HeadKind::Encoder)
                QCOMPARE(other.after, !isFirst); // which the memory has not reached
        }
    }
}

void TestTakeover::answersOfTheModelsOwn()
{
    writeTinyClassifier(path("classifier"), {.layers = 2, .heads = 4, .width = 16});
    writeTinyTable(path("table.tsv"), 12, 3);
    const Opened classifier(path("classifier"), path("table.tsv"));
    const auto outputs = classifier.task->plainOutputs({0, 5}, HeadMask(), {}, false, {});
    QCOMPARE(classifier.pairs.answers[0], outputs[0].predicted.front());
    QCOMPARE(classifier.pairs.answers[5], outputs[1].predicted.front());
    const TakeoverResult ofLabels = classifier.without({.head = "encoder.0.1"});
    checkSums(ofLabels);
    for (const TakeoverExample &example : ofLabels.sentences)
        QVERIFY(example.whole >= 0); // what it says leads
    std::ofstream(path("texts.jsonl")) << "{\"text\": \"the man in the red park\"}\n{\"text\": \"a good dog\"}\n";
    const Opened language(path("gpt2"), path("texts.jsonl"));
    const auto guesses = language.task->plainOutputs({0, 1}, HeadMask(), {}, true, {});
    for (std::size_t i = 0; i < 2; ++i) {
        QCOMPARE(language.tokenizer->decode(std::vector<std::int64_t>{language.pairs.answers[i]}),
                 guesses[i].text); // as `predict` says
        QCOMPARE(std::ssize(language.pairs.clean[i].prefix), std::ssize(guesses[i].tokens) + 1);
    }
    const TakeoverResult ofTokens = language.without({.head = "decoder.0.1"});
    checkSums(ofTokens);
    for (const TakeoverExample &example : ofTokens.sentences)
        QVERIFY(example.whole >= 0);
}

void TestTakeover::whatCannotBeAskedIsSaid()
{
    const Opened model(path("gpt2"), path("pairs.jsonl"));
    const auto message = [&](const TakeoverSpec &spec) -> std::string {
        try {
            AnalysisOf<TakeoverSpec>::check(spec);
            (void)takeover(*model.task, model.pairs, spec, {}, {});
        } catch (const Failure &failure) {
            return failure.error().message;
        }
        return {};
    };
    QVERIFY(message({}).find("--head") != std::string::npos);
    QVERIFY(message({.head = "encoder.0.0"}).find("no such head") != std::string::npos);
    QVERIFY(message({.head = "nonsense"}).find("no such head") != std::string::npos);
    QVERIFY(message({.mask = {{HeadKind::Decoder, 0, 1}}, .head = "decoder.0.1"}).find("masked") != std::string::npos);
    const TakeoverSpec many{.head = "decoder.0.1", .replacement = Replacement::Resample, .draws = 8};
    QVERIFY(message(many).find("only 7") != std::string::npos);
    QVERIFY(message({.head = "decoder.0.1"}).empty());
}

QTEST_APPLESS_MAIN(TestTakeover)
#include "tst_takeover.moc"

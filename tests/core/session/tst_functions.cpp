// Function vectors: prompts of tasks, and what models that know nothing are said to carry.
#include "core/analysis/functionprompts.h"
#include "core/analysis/functionsspec.h"
#include "core/formats/atomicfile.h"
#include "core/model/loadmodel.h"
#include "core/results/functionsresult.h"
#include "core/results/results.h"
#include "core/session/session.h"
#include "tests/support/rewrittentensors.h"
#include "tests/support/tinylanguagemodel.h"
#include "tests/support/tinymodel.h"

#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

using namespace headscope;
using namespace headscope::testing;

namespace {

constexpr std::int64_t kShots = 3;
constexpr std::int64_t kBos = 2; ///< of writeTinyLanguageModel()
constexpr const char *kWords = "{input} {output} . ";

/// What stands before the answer of each example of a prompt by kWords, and what it asks.
struct Parsed
{
    std::vector<std::int64_t> inputs, outputs;
    std::int64_t question = 0;
};

Parsed parsed(const std::vector<std::int64_t> &ids)
{
    Parsed found;
    for (std::size_t at = 1; at + 2 < ids.size(); at += 3) {
        found.inputs.push_back(ids[at]);
        found.outputs.push_back(ids[at + 1]);
    }
    found.question = ids.back();
    return found;
}

} // namespace

class TestFunctions : public QObject
{
    Q_OBJECT

    QTemporaryDir m_folder;
    std::shared_ptr<Session> m_session;

    std::filesystem::path path(const char *name) const
    {
        return std::filesystem::path(m_folder.path().toStdString()) / name;
    }
    FunctionsSpec spec() const
    {
        FunctionsSpec spec;
        spec.tasks = path("words.csv").string() + ',' + path("others.csv").string();
        spec.promptTemplate = kWords;
        spec.shots = kShots;
        spec.meanPrompts = 12;
        spec.prompts = 12;
        spec.top = 3;
        spec.sets = 2;
        spec.resamples = 2000;
        return spec;
    }
    TaskPrompts promptsOf(const FunctionsSpec &spec) const
    {
        const LoadedModel model = loadModel(path("model"), torch::TensorOptions(torch::kFloat32), {}).valueOrThrow();
        const auto tokenizer = openTokenizer(path("model"), model.config).valueOrThrow();
        return taskPrompts(readTasks(spec.tasks, {}).front(), spec, model.transformer->spec(), *tokenizer, {});
    }
    std::string refusal(const FunctionsSpec &spec, const char *model = "model") const
    {
        const auto session = Session::open(path(model), {}, {}).valueOrThrow();
        const auto result = session->run(Domain::In, spec, {});
        return result.isError() ? result.error().message : std::string();
    }

private Q_SLOTS:
    void initTestCase();
    void promptsReadAsThePaperHasThem();
    void heldOutPairsAreNeverShown();
    void shuffledOutputsAreThoseOfTheExamples();
    void tasksOfTheProgramAreThere();
    void equalSeedsGiveEqualNumbersWhateverThePath();
    void numbersFitTogether();
    void changedTablesAreOtherResults();
    void whatCannotBeAskedIsRefused_data();
    void whatCannotBeAskedIsRefused();
    void randomModelsHaveHardlyAnyLabel();
};

void TestFunctions::initTestCase()
{
    writeTinyLanguageModel(path("model"), {.layers = 2, .positions = 60, .headsAmplitude = 0.4});
    (void)writeFileAtomically(path("words.csv"),
                              "input,output\na,man\ndog,the\nred,runs\nin,park\ntwo,girls\ngood,bad\n"
                              "never,film\ndull,charming\nwith,on\n")
        .valueOrThrow();
    (void)writeFileAtomically(path("others.csv"),
                              "input,output\nman,a\nthe,dog\nruns,red\npark,in\ngirls,two\nbad,good\n"
                              "film,never\ncharming,dull\non,with\n")
        .valueOrThrow();
    m_session = Session::open(path("model"), {}, {}).valueOrThrow();
}

/// "Q: {input}\nA: {output}\n\n", the question without its answer, as function_vectors writes them.
void TestFunctions::promptsReadAsThePaperHasThem()
{
    FunctionsSpec spec = this->spec();
    spec.promptTemplate = FunctionsSpec().promptTemplate;
    const TaskPrompts prompts = promptsOf(spec);
    const QString text = QString::fromStdString(prompts.shownPrompt);
    const QRegularExpression whole(QStringLiteral("^(Q: [a-z]+\nA: [a-z]+\n\n){3}Q: [a-z]+\nA:$"));
    QVERIFY2(whole.match(text).hasMatch(), prompts.shownPrompt.c_str());
    QVERIFY(
        QRegularExpression(QStringLiteral("^ [a-z]+$")).match(QString::fromStdString(prompts.shownAnswer)).hasMatch());
}

void TestFunctions::heldOutPairsAreNeverShown()
{
    const TaskPrompts prompts = promptsOf(spec());
    QCOMPARE(std::ssize(prompts.fewShot), std::ptrdiff_t{4}); // 0.4 of 9
    QCOMPARE(prompts.shuffled.size(), prompts.fewShot.size());
    std::set<std::int64_t> heldOut;
    for (const AskedPrompt &prompt : prompts.zeroShot) {
        QCOMPARE(std::ssize(prompt.ids), std::ptrdiff_t{2});
        QCOMPARE(prompt.ids.front(), kBos);
        heldOut.insert(prompt.ids.back());
    }
    QCOMPARE(heldOut.size(), std::size_t{4});
    for (const auto *kind : {&prompts.means, &prompts.effects, &prompts.fewShot, &prompts.shuffled}) {
        const bool asksHeldOut = kind == &prompts.fewShot || kind == &prompts.shuffled;
        for (const AskedPrompt &prompt : *kind) {
            const Parsed found = parsed(prompt.ids);
            QCOMPARE(std::ssize(found.inputs), kShots);
            QCOMPARE(std::set(found.inputs.begin(), found.inputs.end()).size(), std::size_t{3});
            QVERIFY(std::ranges::find(found.inputs, found.question) == found.inputs.end());
            QCOMPARE(heldOut.contains(found.question), asksHeldOut);
            QVERIFY(std::ranges::none_of(found.inputs, [&](std::int64_t input) { return heldOut.contains(input); }));
        }
    }
    // Every pair is asked before one is asked again.
    std::map<std::int64_t, int> asked;
    for (const AskedPrompt &prompt : prompts.effects)
        ++asked[prompt.ids.back()];
    QCOMPARE(asked.size(), std::size_t{5});
    for (const auto &[question, times] : asked)
        QVERIFY(times == 2 || times == 3);
}

void TestFunctions::shuffledOutputsAreThoseOfTheExamples()
{
    const TaskPrompts prompts = promptsOf(spec());
    std::map<std::int64_t, std::int64_t> right;
    for (const AskedPrompt &prompt : prompts.means)
        right[prompt.ids.back()] = prompt.answer;
    int moved = 0;
    for (const AskedPrompt &prompt : prompts.effects) {
        const Parsed found = parsed(prompt.ids);
        std::vector<std::int64_t> expected;
        for (const std::int64_t input : found.inputs)
            expected.push_back(right.at(input));
        moved += expected != found.outputs ? 1 : 0;
        QVERIFY(std::ranges::is_permutation(expected, found.outputs));
        QCOMPARE(prompt.answer, right.at(found.question));
    }
    QVERIFY(moved > 0);
    for (const AskedPrompt &prompt : prompts.means) {
        const Parsed found = parsed(prompt.ids);
        for (std::size_t i = 0; i < found.inputs.size(); ++i)
            QCOMPARE(found.outputs[i], right.at(found.inputs[i]));
    }
}

void TestFunctions::tasksOfTheProgramAreThere()
{
    const std::vector<WordTask> tasks = readTasks(FunctionsSpec().tasks, {});
    QCOMPARE(tasks.size(), std::size_t{4});
    for (const WordTask &task : tasks) {
        std::set<std::string> inputs;
        for (const WordPair &pair : task.pairs)
            inputs.insert(pair.input);
        QVERIFY2(task.pairs.size() >= 50, task.name.c_str());
        QCOMPARE(inputs.size(), task.pairs.size());
    }
}

void TestFunctions::equalSeedsGiveEqualNumbersWhateverThePath()
{
    FunctionsSpec spec = this->spec();
    const FunctionsResult fast = m_session->run(Domain::In, spec, {}).valueOrThrow();
    const FunctionsResult again = m_session->run(Domain::In, spec, {}).valueOrThrow();
    QVERIFY(std::ranges::equal(fast.heads, again.heads, {}, &HeadFunction::effect, &HeadFunction::effect));
    spec.run.plain = true;
    const FunctionsResult plain = m_session->run(Domain::In, spec, {}).valueOrThrow();
    QCOMPARE(plain.heads.size(), std::size_t{8});
    QCOMPARE(fast.heads.size(), plain.heads.size());
    for (std::size_t i = 0; i < plain.heads.size(); ++i) {
        QVERIFY(std::abs(plain.heads[i].effect - fast.heads[i].effect) < 1e-6);
        QVERIFY(std::abs(plain.heads[i].p - fast.heads[i].p) < 0.01);
        QCOMPARE(plain.heads[i].isTop, fast.heads[i].isTop);
    }
    QCOMPARE(plain.layers.size(), std::size_t{2});
    for (std::size_t i = 0; i < plain.layers.size(); ++i) {
        QCOMPARE(plain.layers[i].zeroShot.accuracy, fast.layers[i].zeroShot.accuracy);
        QCOMPARE(plain.layers[i].shuffled.accuracy, fast.layers[i].shuffled.accuracy);
    }
    QCOMPARE(plain.fewShot.accuracy, fast.fewShot.accuracy);
    QCOMPARE(plain.masking->top.accuracy, fast.masking->top.accuracy);
    QCOMPARE(plain.masking->random.accuracy, fast.masking->random.accuracy);
    spec.run.seed = 7;
    const FunctionsResult other = m_session->run(Domain::In, spec, {}).valueOrThrow();
    QVERIFY(!std::ranges::equal(fast.heads, other.heads, {}, &HeadFunction::effect, &HeadFunction::effect));
}

void TestFunctions::numbersFitTogether()
{
    const FunctionsResult result = m_session->run(Domain::In, spec(), {}).valueOrThrow();
    QCOMPARE(result.examples, std::int64_t{24});
    QCOMPARE(std::ranges::count_if(result.heads, &HeadFunction::isTop), std::ptrdiff_t{3});
    double least = 1;
    for (const HeadFunction &head : result.heads) {
        QCOMPARE(head.tasks.size(), std::size_t{2}); // of equal numbers of prompts: their mean is the effect
        QVERIFY(std::abs((head.tasks[0] + head.tasks[1]) / 2 - head.effect) < 1e-12);
        QVERIFY(head.interval.low <= head.effect && head.effect <= head.interval.high);
        if (head.isTop)
            least = std::min(least, head.effect);
    }
    for (const HeadFunction &head : result.heads)
        QVERIFY(head.isTop || head.effect <= least);
    QVERIFY(std::abs(result.learned.difference - (result.fewShot.accuracy - result.shuffled.accuracy)) < 1e-12);
    for (const VectorLayer &layer : result.layers)
        QVERIFY(std::abs(layer.zeroShot.change - (layer.zeroShot.accuracy - result.zeroShot.accuracy)) < 1e-12);
    const FunctionMasking &masking = *result.masking;
    QVERIFY(std::abs(masking.difference.difference - (masking.top.accuracy - masking.random.accuracy)) < 1e-12);
    QCOMPARE(masking.full.accuracy, result.fewShot.accuracy);
}

void TestFunctions::changedTablesAreOtherResults()
{
    FunctionsSpec spec = this->spec();
    spec.tasks = path("own.csv").string();
    std::filesystem::copy_file(path("words.csv"), path("own.csv"));
    const FunctionsResult before = m_session->run(Domain::In, spec, {}).valueOrThrow();
    std::filesystem::copy_file(path("others.csv"), path("own.csv"), std::filesystem::copy_options::overwrite_existing);
    const FunctionsResult after = m_session->run(Domain::In, spec, {}).valueOrThrow();
    QVERIFY(before.manifest.key() != after.manifest.key());
}

void TestFunctions::whatCannotBeAskedIsRefused_data()
{
    QTest::addColumn<QString>("tasks");
    QTest::addColumn<QString>("format");
    QTest::addColumn<QString>("model");
    QTest::addColumn<QString>("said");
    (void)writeFileAtomically(path("few.csv"), "input,output\na,man\ndog,the\n").valueOrThrow();
    (void)writeFileAtomically(path("columns.csv"), "word,opposite\na,man\ndog,the\n").valueOrThrow();
    (void)writeFileAtomically(path("empty.csv"), "input,output\na,man\ndog,\n").valueOrThrow();
    writeTinyModel(path("translates"));
    writeTinyLanguageModel(path("guesses"), {.causal = false});
    const auto own = [&](const char *name) { return QString::fromStdString(path(name).string()); };
    const QString words = QString::fromLatin1(kWords);
    QTest::newRow("no such task") << QStringLiteral("weather") << words << QStringLiteral("model")
                                  << QStringLiteral("weather: there is no task");
    QTest::newRow("no task") << QStringLiteral(",") << words << QStringLiteral("model") << QStringLiteral("--tasks");
    QTest::newRow("too few pairs") << own("few.csv") << words << QStringLiteral("model")
                                   << QStringLiteral("Give fewer --shots");
    QTest::newRow("other columns") << own("columns.csv") << words << QStringLiteral("model") << QStringLiteral("input");
    QTest::newRow("an empty output") << own("empty.csv") << words << QStringLiteral("model") << QStringLiteral("row 2");
    QTest::newRow("no output in the template")
        << own("words.csv") << QStringLiteral("{input} . ") << QStringLiteral("model") << QStringLiteral("--template");
    QTest::newRow("a prompt that does not fit")
        << own("words.csv") << QStringLiteral("a a a a a a a a a a {input} a a a a a {output} . ")
        << QStringLiteral("model") << QStringLiteral("Give fewer --shots");
    QTest::newRow("a translation model") << own("words.csv") << words << QStringLiteral("translates")
                                         << QStringLiteral("causal language models");
    QTest::newRow("a masked model") << own("words.csv") << words << QStringLiteral("guesses")
                                    << QStringLiteral("causal language models");
}

void TestFunctions::whatCannotBeAskedIsRefused()
{
    QFETCH(QString, tasks);
    QFETCH(QString, format);
    QFETCH(QString, model);
    QFETCH(QString, said);
    FunctionsSpec spec = this->spec();
    spec.tasks = tasks.toStdString();
    spec.promptTemplate = format.toStdString();
    const QString message = QString::fromStdString(refusal(spec, qPrintable(model)));
    QVERIFY2(message.contains(said), qPrintable(message));
}

/// Twenty models with random weights, whose attention is nearly uniform in some and sharp in others.
void TestFunctions::randomModelsHaveHardlyAnyLabel()
{
    writeTinyLanguageModel(path("random"), {.layers = 3, .heads = 4, .width = 32, .positions = 60});
    int labelled = 0;
    int heads = 0;
    for (int model = 0; model < 20; ++model) {
        drawRandomWeights(path("random"), model);
        const auto session = Session::open(path("random"), {}, {}).valueOrThrow();
        const FunctionsResult result = session->run(Domain::In, spec(), {}).valueOrThrow();
        bool isLabelled = false;
        for (const HeadFunction &head : result.heads) {
            ++heads;
            isLabelled = isLabelled || head.isFunctionHead;
            if (head.isFunctionHead)
                qInfo("model %d: %s by %.3f, p %.4f", model, toText(head.head).c_str(), head.effect, head.discoveryP);
            QCOMPARE(head.isFunctionHead, head.evidence.has_value());
        }
        labelled += isLabelled ? 1 : 0;
    }
    QCOMPARE(heads, 240);
    qInfo("%d of 20 models have a label", labelled);
    QVERIFY(labelled <= 1);
}

QTEST_GUILESS_MAIN(TestFunctions)
#include "tst_functions.moc"

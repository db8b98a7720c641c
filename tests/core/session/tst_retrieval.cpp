// Retrieval heads: texts with needles, and what models that know nothing are said to copy.
#include "core/analysis/retrievalprompts.h"
#include "core/analysis/retrievalspec.h"
#include "core/exporting/attentionpattern.h"
#include "core/formats/atomicfile.h"
#include "core/metrics/rougerecall.h"
#include "core/model/loadmodel.h"
#include "core/results/results.h"
#include "core/results/retrievalresult.h"
#include "core/session/session.h"
#include "tests/support/rewrittentensors.h"
#include "tests/support/tinylanguagemodel.h"
#include "tests/support/tinymodel.h"

#include <QTemporaryDir>
#include <QTest>
#include <nlohmann/json.hpp>

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

constexpr const char *kTemplate = "{context} the {question} .";

std::vector<std::int64_t> part(const std::vector<std::int64_t> &ids, const TokenRange &range)
{
    return {ids.begin() + range.first, ids.begin() + range.end};
}

} // namespace

class TestRetrieval : public QObject
{
    Q_OBJECT

    QTemporaryDir m_folder;
    std::shared_ptr<Session> m_session;
    LoadedModel m_model;
    std::unique_ptr<Tokenizer> m_tokenizer;

    std::filesystem::path path(const char *name) const
    {
        return std::filesystem::path(m_folder.path().toStdString()) / name;
    }
    RetrievalSpec spec() const
    {
        RetrievalSpec spec;
        spec.needles = path("needles.csv").string();
        spec.haystack = path("haystack.txt").string();
        spec.promptTemplate = kTemplate;
        spec.lengths = {30, 50};
        spec.depths = 3;
        spec.needlesEach = 0;
        spec.run.decoding.newTokens = 6;
        spec.top = 2;
        spec.sets = 2;
        spec.resamples = 500;
        spec.countWrong = true;
        return spec;
    }
    std::vector<PlacedNeedle> placed(const RetrievalSpec &spec) const
    {
        return placedNeedles(readNeedleTexts(spec, {}), spec, m_model.transformer->spec(), *m_tokenizer, 6, {});
    }
    std::vector<std::int64_t> idsOf(const std::string &text) const
    {
        return m_tokenizer->encodeSource(text).valueOrThrow().ids;
    }
    RetrievalResult run(const RetrievalSpec &spec) const { return m_session->run(Domain::In, spec, {}).valueOrThrow(); }

private Q_SLOTS:
    void initTestCase();
    void textsAreCutAtSentences_data();
    void textsAreCutAtSentences();
    void recallCountsWords_data();
    void recallCountsWords();
    void needlesStandBetweenSentences();
    void needlesTakeTurns();
    void needlesOfTheProgramAreThere();
    void numbersFitTogether();
    void wrongAnswersAreLeftOut();
    void equalSeedsGiveEqualNumbersWhateverTheWorkers();
    void changedTextsAreOtherResults();
    void scoresAreWrittenForOtherPrograms();
    void whatCannotBeAskedIsRefused_data();
    void whatCannotBeAskedIsRefused();
    void randomModelsHaveHardlyAnyLabel();
};

void TestRetrieval::initTestCase()
{
    writeTinyLanguageModel(path("model"), {.layers = 2, .positions = 60, .headsAmplitude = 0.4});
    (void)writeFileAtomically(path("needles.csv"), "needle,question,answer\n"
                                                   "two girls never run,two girls,never run\n"
                                                   "a dull film,a dull,film\n"
                                                   "dog on red park,dog on,on red park\n"
                                                   "bad man with dog,bad man,with the dog\n"
                                                   "good park in red,good park,in red\n"
                                                   "charming girls never,charming girls,never\n")
        .valueOrThrow();
    (void)writeFileAtomically(path("haystack.txt"), "a man runs in the park . two girls never . good film .\n"
                                                    "the bad dog runs with a man . red dog . on the park a film .\n")
        .valueOrThrow();
    m_session = Session::open(path("model"), {}, {}).valueOrThrow();
    m_model = loadModel(path("model"), torch::TensorOptions(torch::kFloat32), {}).valueOrThrow();
    m_tokenizer = openTokenizer(path("model"), m_model.config).valueOrThrow();
}

void TestRetrieval::textsAreCutAtSentences_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QStringList>("sentences");
    QTest::newRow("stops") << QStringLiteral("One. Two! Three? Four")
                           << QStringList{QStringLiteral("One. "), QStringLiteral("Two! "), QStringLiteral("Three? "),
                                          QStringLiteral("Four")};
    QTest::newRow("quotes") << QStringLiteral("\"One.\" (Two.) 3.5 apples.")
                            << QStringList{QStringLiteral("\"One.\" "), QStringLiteral("(Two.) "),
                                           QStringLiteral("3.5 apples.")};
    QTest::newRow("lines") << QStringLiteral("Title\n\n  One.\n")
                           << QStringList{QStringLiteral("Title\n\n  "), QStringLiteral("One.\n")};
    QTest::newRow("wide stops") << QString::fromUtf8("一。二！")
                                << QStringList{QString::fromUtf8("一。"), QString::fromUtf8("二！")};
    QTest::newRow("nothing") << QStringLiteral(" \n ") << QStringList();
}

void TestRetrieval::textsAreCutAtSentences()
{
    QFETCH(QString, text);
    QStringList found;
    for (const std::string &sentence : sentencesOf(text.toStdString()))
        found << QString::fromStdString(sentence);
    QTEST(found, "sentences");
}

void TestRetrieval::recallCountsWords_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("answer");
    QTest::addColumn<double>("recall"); // rouge-score 0.1.2
    QTest::newRow("all, in any order") << QStringLiteral("Sandwich, eat a!") << QStringLiteral("eat a sandwich") << 1.0;
    QTest::newRow("one half") << QStringLiteral("eat the soup") << QStringLiteral("eat a cold soup") << 0.5;
    QTest::newRow("as often as they are said") << QStringLiteral("the dog") << QStringLiteral("the dog the cat") << 0.5;
    QTest::newRow("nothing said") << QString() << QStringLiteral("a") << 0.0;
    QTest::newRow("no words") << QStringLiteral("a") << QStringLiteral("?") << 0.0;
}

void TestRetrieval::recallCountsWords()
{
    QFETCH(QString, text);
    QFETCH(QString, answer);
    QTEST(rouge1Recall(text.toStdString(), answer.toStdString()), "recall");
}

/// At every depth, the needle's own tokens stand in the prompt behind the end of a sentence, or first.
void TestRetrieval::needlesStandBetweenSentences()
{
    const RetrievalSpec spec = this->spec();
    const NeedleTexts texts = readNeedleTexts(spec, {});
    const std::int64_t stop = idsOf("a .").back();
    const auto all = placed(spec);
    QCOMPARE(all.size(), std::size_t{36}); // 6 needles, 2 lengths, 3 depths
    for (const PlacedNeedle &one : all) {
        const NeedlePrompt &prompt = one.prompt;
        const RetrievalNeedle &needle = texts.needles[static_cast<std::size_t>(one.needle)];
        QVERIFY(std::ssize(prompt.ids) <= one.length);
        QCOMPARE(part(prompt.ids, prompt.needle), idsOf(needle.needle));
        QCOMPARE(part(prompt.ids, prompt.question), idsOf(needle.question));
        QCOMPARE(needle.isPart, one.needle != 3);
        QCOMPARE(part(prompt.ids, prompt.answer), idsOf(needle.isPart ? needle.answer : needle.needle));
        const bool isFirst = prompt.needle.first == 1;                      // behind the first token
        const bool isLast = prompt.needle.end + 1 == prompt.question.first; // before "the"
        QVERIFY(isFirst || prompt.ids[static_cast<std::size_t>(prompt.needle.first) - 1] == stop);
        QCOMPARE(isFirst, one.depth == 0);
        QCOMPARE(isLast, one.depth == 1);
        // The same text with another question.
        QVERIFY(std::equal(prompt.ids.begin(), prompt.ids.begin() + prompt.question.first, prompt.nullIds.begin()));
        QCOMPARE(prompt.nullQuestion.first, prompt.question.first);
        QCOMPARE(prompt.nullQuestion.end, std::ssize(prompt.nullIds));
    }
}

void TestRetrieval::needlesTakeTurns()
{
    RetrievalSpec spec = this->spec();
    spec.needlesEach = 2;
    std::map<std::int64_t, int> times;
    std::map<std::int64_t, std::set<double>> depths;
    for (const PlacedNeedle &one : placed(spec)) {
        ++times[one.needle];
        depths[one.needle].insert(one.depth);
    }
    QCOMPARE(times.size(), std::size_t{6});
    for (const auto &[needle, count] : times) {
        QCOMPARE(count, 2);
        QCOMPARE(depths[needle].size(), std::size_t{2});
    }
    spec.depths = 1;
    QCOMPARE(placed(spec).front().depth, 0.5);
}

void TestRetrieval::needlesOfTheProgramAreThere()
{
    const NeedleTexts texts = readNeedleTexts(RetrievalSpec(), {});
    QCOMPARE(texts.needles.size(), std::size_t{20});
    QVERIFY(std::ranges::all_of(texts.needles, &RetrievalNeedle::isPart));
    QVERIFY(texts.sentences.size() > 100);
    for (const RetrievalNeedle &needle : texts.needles) {
        for (const std::string &sentence : texts.sentences)
            QVERIFY(sentence.find(needle.answer) == std::string::npos);
    }
}

void TestRetrieval::numbersFitTogether()
{
    const RetrievalResult result = run(spec());
    QCOMPARE(result.runs.size(), std::size_t{36});
    QCOMPARE(result.counted, std::int64_t{36});
    QCOMPARE(result.examples, std::int64_t{6});
    QCOMPARE(result.right, std::ranges::count_if(result.runs, &RetrievalRun::isRight));
    for (const HeadRetrieval &head : result.heads) {
        QVERIFY(*head.score >= 0 && *head.score <= 1);
        QVERIFY(*head.steps >= *head.score - 1e-12); // a token counts once, a step each time
        QVERIFY(head.interval.low <= *head.score && *head.score <= head.interval.high);
        QVERIFY(head.interval.low >= 0 && head.interval.high <= 1);
        QVERIFY(head.questionInterval.low <= head.question && head.question <= head.questionInterval.high);
        QVERIFY(std::abs(head.question) < 1);
        QCOMPARE(head.isRetrievalHead, head.evidence.has_value());
    }
    for (const RetrievalRun &run : result.runs)
        QCOMPARE(run.recall, rouge1Recall(run.said, result.needles[static_cast<std::size_t>(run.needle)].answer));
    QCOMPARE(result.masking.has_value(), std::ranges::any_of(result.heads, &HeadRetrieval::isTop));
    if (const auto &masking = result.masking)
        QVERIFY(std::abs(masking->difference.difference - (masking->top.share - masking->random.share)) < 1e-12);
}

void TestRetrieval::wrongAnswersAreLeftOut()
{
    RetrievalSpec spec = this->spec();
    spec.countWrong = false;
    const RetrievalResult some = run(spec);
    QCOMPARE(some.counted, some.right);
    QVERIFY(some.counted > 0 && some.counted < std::ssize(some.runs));
    (void)writeFileAtomically(path("unsaid.csv"), "needle,question,answer\n"
                                                  "two girls never run,two girls,umbrella\n"
                                                  "a dull film,a dull,umbrella\n"
                                                  "bad man with dog,bad man,umbrella\n")
        .valueOrThrow();
    spec.needles = path("unsaid.csv").string();
    const RetrievalResult result = run(spec);
    spec.countWrong = true;
    const RetrievalResult all = run(spec);
    QCOMPARE(all.counted, std::ssize(all.runs));
    QCOMPARE(result.counted, std::int64_t{0});
    for (std::size_t i = 0; i < result.heads.size(); ++i) {
        QVERIFY(!result.heads[i].score && !result.heads[i].steps);
        QVERIFY(std::isnan(result.heads[i].p) && std::isnan(result.heads[i].interval.low));
        QVERIFY(!result.heads[i].isRetrievalHead && !result.heads[i].isTop);
        QCOMPARE(result.heads[i].question, all.heads[i].question);
    }
    QVERIFY(!result.masking);
    const auto remarks = AnalysisOf<RetrievalSpec>::remarks(result);
    QCOMPARE(remarks.size(), std::size_t{1});
    QVERIFY2(QString::fromStdString(remarks.front()).contains(QStringLiteral("None of the 18 answers")),
             remarks.front().c_str());
    QVERIFY(attentionPattern(result).isError() && retrievalScores(result).isError());
}

void TestRetrieval::equalSeedsGiveEqualNumbersWhateverTheWorkers()
{
    const RetrievalSpec spec = this->spec();
    const RetrievalResult first = run(spec);
    ModelOptions options;
    options.threads = 1;
    const auto alone = Session::open(path("model"), options, {}).valueOrThrow();
    const RetrievalResult second = alone->run(Domain::In, spec, {}).valueOrThrow();
    for (std::size_t i = 0; i < first.heads.size(); ++i) {
        QCOMPARE(first.heads[i].score, second.heads[i].score);
        QCOMPARE(first.heads[i].p, second.heads[i].p);
        QCOMPARE(first.heads[i].question, second.heads[i].question);
        QCOMPARE(first.heads[i].isTop, second.heads[i].isTop);
    }
    for (std::size_t i = 0; i < first.runs.size(); ++i)
        QCOMPARE(first.runs[i].said, second.runs[i].said);
    RetrievalSpec other = spec;
    other.run.seed = 7;
    QVERIFY(!std::ranges::equal(run(other).heads, first.heads, {}, &HeadRetrieval::question, &HeadRetrieval::question));
}

void TestRetrieval::changedTextsAreOtherResults()
{
    RetrievalSpec spec = this->spec();
    spec.haystack = path("own.txt").string();
    spec.top = 0;
    std::filesystem::copy_file(path("haystack.txt"), path("own.txt"));
    const RetrievalResult before = run(spec);
    QVERIFY(!before.masking);
    (void)writeFileAtomically(path("own.txt"), "good girls never . a man runs .\n").valueOrThrow();
    QVERIFY(before.manifest.key() != run(spec).manifest.key());
}

void TestRetrieval::scoresAreWrittenForOtherPrograms()
{
    RetrievalResult result;
    for (int layer = 0; layer < 2; ++layer) {
        for (int head = 0; head < 4; ++head)
            result.heads.push_back(
                {.head = {HeadKind::Decoder, layer, head}, .keyHead = head / 2, .score = 0.125 * (layer + head)});
    }
    QCOMPARE(attentionPattern(result).valueOrThrow(), std::string("0.125\t0.375\n0.25\t0.5\n"));
    const std::string text = retrievalScores(result).valueOrThrow();
    QCOMPARE(std::ranges::count(text, '\n'), std::ptrdiff_t{1}); // readers take one line
    const auto scores = nlohmann::ordered_json::parse(text);
    QCOMPARE(scores.size(), std::size_t{8});
    QCOMPARE(scores.begin().key(), std::string("0-0"));
    QCOMPARE(scores["1-3"].get<std::vector<double>>(), std::vector<double>{0.5});
}

void TestRetrieval::whatCannotBeAskedIsRefused_data()
{
    QTest::addColumn<QString>("needles");
    QTest::addColumn<QString>("format");
    QTest::addColumn<int>("length");
    QTest::addColumn<QString>("model");
    QTest::addColumn<QString>("said");
    (void)writeFileAtomically(path("columns.csv"), "fact,question,answer\na,man,dog\n").valueOrThrow();
    (void)writeFileAtomically(path("empty.csv"), "needle,question,answer\na,man,dog\na,man,\n").valueOrThrow();
    writeTinyModel(path("translates"));
    writeTinyLanguageModel(path("guesses"), {.causal = false});
    const auto own = [&](const char *name) { return QString::fromStdString(path(name).string()); };
    const QString format = QString::fromLatin1(kTemplate);
    const QString model = QStringLiteral("model");
    QTest::newRow("no such table") << own("none.csv") << format << 50 << model << own("none.csv");
    QTest::newRow("other columns") << own("columns.csv") << format << 50 << model << QStringLiteral("needle");
    QTest::newRow("an empty answer") << own("empty.csv") << format << 50 << model << QStringLiteral("row 2");
    QTest::newRow("no question in the template")
        << own("needles.csv") << QStringLiteral("{context} .") << 50 << model << QStringLiteral("{question}");
    QTest::newRow("a short text") << own("needles.csv") << QStringLiteral("a a a a a a a ") + format << 16 << model
                                  << QStringLiteral("--lengths");
    QTest::newRow("a translation model") << own("needles.csv") << format << 50 << QStringLiteral("translates")
                                         << QStringLiteral("causal language models");
    QTest::newRow("a masked model") << own("needles.csv") << format << 50 << QStringLiteral("guesses")
                                    << QStringLiteral("causal language models");
}

void TestRetrieval::whatCannotBeAskedIsRefused()
{
    QFETCH(QString, needles);
    QFETCH(QString, format);
    QFETCH(int, length);
    QFETCH(QString, model);
    QFETCH(QString, said);
    RetrievalSpec spec = this->spec();
    spec.needles = needles.toStdString();
    spec.promptTemplate = format.toStdString();
    spec.lengths = {length};
    const auto session = Session::open(path(qPrintable(model)), {}, {}).valueOrThrow();
    const auto result = session->run(Domain::In, spec, {});
    QVERIFY(result.isError());
    const QString message = QString::fromStdString(result.error().message);
    QVERIFY2(message.contains(said), qPrintable(message));
}

/// Twenty models with random weights, whose attention is nearly uniform in some and sharp in others; all runs count.
void TestRetrieval::randomModelsHaveHardlyAnyLabel()
{
    writeTinyLanguageModel(path("random"), {.layers = 3, .heads = 4, .width = 32, .positions = 60});
    int labelled = 0;
    for (int model = 0; model < 20; ++model) {
        drawRandomWeights(path("random"), model);
        const auto session = Session::open(path("random"), {}, {}).valueOrThrow();
        const RetrievalResult result = session->run(Domain::In, spec(), {}).valueOrThrow();
        QCOMPARE(result.heads.size(), std::size_t{12});
        for (const HeadRetrieval &head : result.heads) {
            if (head.isRetrievalHead)
                qInfo("model %d: %s by %.3f, p %.4f", model, toText(head.head).c_str(), *head.score, head.pAdjusted);
        }
        labelled += std::ranges::any_of(result.heads, &HeadRetrieval::isRetrievalHead) ? 1 : 0;
    }
    qInfo("%d of 20 models have a label", labelled);
    QVERIFY(labelled <= 1);
}

QTEST_GUILESS_MAIN(TestRetrieval)
#include "tst_retrieval.moc"

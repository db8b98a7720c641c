#include "core/metrics/bleu.h"
#include "core/metrics/chrf.h"
#include "tests/core/metrics/corpora.h"
#include "tests/support/sacrebleutests.h"
#include "tests/support/shareddata.h"

#include <nlohmann/json.hpp>

#include <QTest>

#include <cmath>
#include <fstream>

using namespace headscope;
using nlohmann::json;

namespace {

bool close(double found, double expected, double tolerance, const std::string &what)
{
    if (std::abs(found - expected) <= tolerance)
        return true;
    qWarning("%s: found %.15g, expected %.15g", what.c_str(), found, expected);
    return false;
}

/// False for what Headscope does not offer.
bool readTokenizer(const std::string &name, BleuOptions &options)
{
    options.tokenizer = name == "char" ? BleuTokenizer::Char
                      : name == "none" ? BleuTokenizer::None
                      : name == "zh"   ? BleuTokenizer::Zh
                                       : BleuTokenizer::V13a;
    return name == "char" || name == "none" || name == "13a" || name == "zh";
}

void readSmoothing(const std::string &name, BleuOptions &options)
{
    options.smoothing = name == "floor" ? BleuSmoothing::Floor
                      : name == "add-k" ? BleuSmoothing::AddK
                      : name == "none"  ? BleuSmoothing::None
                                        : BleuSmoothing::Exp;
}

bool readBleuOptions(const json &given, BleuOptions &options)
{
    readSmoothing(given.value("smooth_method", "exp"), options);
    options.smoothingValue = given.value("smooth_value", -1.0);
    options.maxOrder = given.value("max_ngram_order", 4);
    options.effectiveOrder = given.value("effective_order", false);
    options.lowerCase = given.value("lowercase", false);
    return readTokenizer(given.value("tokenize", "13a"), options);
}

ChrfOptions chrfOptions(const json &given)
{
    return {.characterOrder = given.value("char_order", 6),
            .wordOrder = given.value("word_order", 0),
            .beta = given.value("beta", 2),
            .whitespace = given.value("whitespace", false),
            .lowerCase = given.value("lowercase", false),
            .epsilonSmoothing = given.value("eps_smoothing", false)};
}

std::string withoutVersion(const std::string &signature)
{
    return signature.substr(0, signature.rfind('|'));
}

} // namespace

/// Against files of numbers that sacreBLEU printed, where they are at hand.
class TestSacrebleuGolden : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void corpora();
    void sentences();
    void tokenizations();
    void pairedTests();
    void sacrebleusOwnBleuTables();
    void sacrebleusOwnChrfTables();

private:
    json m_golden;
    json m_cases;
};

void TestSacrebleuGolden::initTestCase()
{
    const auto golden = sharedData("golden/sacrebleu_golden.json");
    const auto cases = sharedData("data/sacrebleu_golden/cases.json");
    if (golden.empty() || cases.empty())
        QSKIP("No golden files of sacreBLEU: set HEADSCOPE_SHARED to the folder that has them.");
    m_golden = json::parse(std::ifstream(golden));
    m_cases = json::parse(std::ifstream(cases));
}

void TestSacrebleuGolden::corpora()
{
    const auto hypotheses = m_golden["hyps"].get<corpora::Lines>();
    const auto references = m_golden["refs"].get<std::vector<corpora::Lines>>();
    int checked = 0;
    for (const json &row : m_golden["corpus"]) {
        const std::string signature = row["signature"];
        std::unique_ptr<TextMetric> metric;
        BleuOptions options;
        if (row["metric"] == "BLEU" && readBleuOptions(row["kw"], options))
            metric = std::make_unique<BleuMetric>(options, 2);
        else if (row["metric"] == "CHRF")
            metric = std::make_unique<ChrfMetric>(chrfOptions(row["kw"]), 2);
        else
            continue;
        const auto sums = corpora::statisticsOf(*metric, hypotheses, references).sums();
        QVERIFY(close(metric->score(sums), row["score"], 1e-10, signature));
        QCOMPARE(withoutVersion(metric->signature()), withoutVersion(signature));
        if (row.contains("text")) {
            QCOMPARE(dynamic_cast<BleuMetric &>(*metric).details(sums).text(), row["text"].get<std::string>());
        }
        ++checked;
    }
    QVERIFY(checked >= 21);
}

void TestSacrebleuGolden::sentences()
{
    for (const json &row : m_golden["sentence"]) {
        const std::string hypothesis = row["hyp"];
        const auto texts = row["refs"].get<corpora::Lines>();
        std::vector<corpora::Lines> streams;
        for (const std::string &text : texts)
            streams.push_back({text});
        const auto score
            = [&](const TextMetric &metric) { return corpora::corpusScore(metric, {hypothesis}, streams); };
        QVERIFY(close(score(BleuMetric({.effectiveOrder = true})), row["bleu"], 1e-10, hypothesis));
        QVERIFY(close(score(BleuMetric()), row["bleu_noeff"], 1e-10, hypothesis));
        QVERIFY(close(score(ChrfMetric()), row["chrf"], 1e-10, hypothesis));
        QVERIFY(close(score(ChrfMetric({.wordOrder = 2})), row["chrfpp"], 1e-10, hypothesis));
    }
}

void TestSacrebleuGolden::tokenizations()
{
    for (const json &row : m_golden["tok13a"])
        QCOMPARE(tokenize13a(row[0].get<std::string>()), row[1].get<std::string>());
    QVERIFY(m_golden["tokzh"].size() >= 5);
    for (const json &row : m_golden["tokzh"])
        QCOMPARE(tokenizeZh(row[0].get<std::string>()), row[1].get<std::string>());
}

void TestSacrebleuGolden::pairedTests()
{
    const json &paired = m_golden["paired"];
    const auto references = paired["R"].get<std::vector<corpora::Lines>>();
    const BleuMetric bleu({}, 2);
    const ChrfMetric chrf({}, 2);
    const std::initializer_list<const TextMetric *> metrics = {&bleu, &chrf};
    for (const TextMetric *metric : metrics) {
        const auto a = corpora::statisticsOf(*metric, paired["A"].get<corpora::Lines>(), references);
        const auto b = corpora::statisticsOf(*metric, paired["B"].get<corpora::Lines>(), references);
        for (const json &row : paired["res"]) {
            const json &expected = row["out"][metric->name()][1];
            const std::int64_t n = row["n"];
            const bool isBootstrap = row["type"] == "bs";
            const SacrebleuTest found = isBootstrap ? sacrebleuPairedBootstrap(a, b, *metric, n)
                                                    : sacrebleuApproximateRandomisation(a, b, *metric, n);
            QCOMPARE(found.p, expected["p"].get<double>());
            QVERIFY(close(found.score, expected["score"], 1e-10, metric->name()));
            if (isBootstrap) {
                // sacreBLEU sums these in float32.
                QVERIFY(close(found.mean, expected["mean"], 1e-4 * found.mean, "mean"));
                QVERIFY(close(found.halfWidth, expected["ci"], 1e-4 * found.halfWidth, "interval"));
            }
        }
    }
}

void TestSacrebleuGolden::sacrebleusOwnBleuTables()
{
    const json &tables = m_cases["test_bleu"];
    for (const json &row : tables["test_corpus_bleu_cases"]) {
        BleuOptions options;
        if (!readBleuOptions(row[2], options))
            continue;
        const auto references = row[1].get<std::vector<corpora::Lines>>();
        const double score = corpora::corpusScore(BleuMetric(options), row[0].get<corpora::Lines>(), references);
        QVERIFY(close(score, row[3], 1e-6, row[2].dump()));
    }
    const json &sentences = m_cases["test_sentence_bleu"];
    for (const json &row : sentences["test_cases"]) {
        BleuOptions options{.effectiveOrder = true, .lowerCase = row[2]};
        readSmoothing(row[0], options);
        if (!row[1].is_null())
            options.smoothingValue = row[1];
        if (!readTokenizer(row[3], options))
            continue;
        const std::string reference = sentences["REF"];
        const std::string_view view = reference;
        const double score = sentenceBleu(sentences["SYS"].get<std::string>(), std::span(&view, 1), options);
        QVERIFY(close(score, row[4], 1e-3, row.dump()));
    }
}

void TestSacrebleuGolden::sacrebleusOwnChrfTables()
{
    const json &tables = m_cases["test_chrf"];
    const auto check = [&](const char *table, ChrfOptions options) {
        for (const json &row : tables[table]) {
            const double score = corpora::corpusScore(ChrfMetric(options), row[0].get<corpora::Lines>(),
                                                      {row[1].get<corpora::Lines>()});
            if (!close(score, row[2], 1e-4, row.dump()))
                return false;
        }
        return true;
    };
    QVERIFY(check("test_cases", {.beta = 3, .epsilonSmoothing = true}));
    QVERIFY(check("test_cases_effective_order", {.beta = 3}));
    QVERIFY(check("test_cases_keep_whitespace", {.beta = 3, .whitespace = true}));
    const ChrfMetric smoothed({.epsilonSmoothing = true});
    for (const json &row : tables["test_sentence_level_chrf"]) {
        std::vector<corpora::Lines> streams;
        for (const std::string text : row[1])
            streams.push_back({text});
        QVERIFY(close(corpora::corpusScore(smoothed, {row[0]}, streams), row[2], 1e-4, row.dump()));
    }
}

QTEST_APPLESS_MAIN(TestSacrebleuGolden)
#include "tst_sacrebleugolden.moc"

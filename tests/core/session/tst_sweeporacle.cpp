// Everything that goes over masks against a loop of single evaluations. The loop shares neither the engine nor fast
// paths with it: each mask is run by itself from scratch (RunOptions::plain), and what is measured of language models
// is computed here from their outputs. Heads of the language models change how likely tokens are far more often than
// which token is the likeliest.
#include "core/analysis/ablationspec.h"
#include "core/analysis/contingencyspec.h"
#include "core/analysis/dynamicsspec.h"
#include "core/analysis/evaluationspec.h"
#include "core/analysis/pruningspec.h"
#include "core/analysis/searchspec.h"
#include "core/engine/engine.h"
#include "core/metrics/pairedtests.h"
#include "core/results/ablationresult.h"
#include "core/results/contingencyresult.h"
#include "core/results/dynamicsresult.h"
#include "core/results/pruningresult.h"
#include "core/results/results.h"
#include "core/results/searchresult.h"
#include "core/session/session.h"
#include "core/task/generationrunner.h"
#include "core/task/replacements.h"
#include "tests/support/opentask.h"
#include "tests/support/tinyclassifier.h"
#include "tests/support/tinylanguagemodel.h"
#include "tests/support/tinymodel.h"

#include <nlohmann/json.hpp>

#include <QTemporaryDir>
#include <QTest>
#include <torch/types.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <numeric>
#include <string>
#include <vector>

using namespace headscope;
using namespace headscope::testing;
namespace fs = std::filesystem;

namespace {

/// A model folder with a data set, and how it is read and run.
struct Case
{
    fs::path folder;
    DataSource data;
    Decoding decoding{};
};

/// What single evaluations say: scores by metric, and outputs in the order of the data.
struct Evaluated
{
    std::map<std::string, double> scores;
    std::vector<ExampleOutput> outputs;
};

/// To what float32 logits leave of numbers of the size of `scale`.
bool isNear(double a, double b, double scale)
{
    return (std::isnan(a) && std::isnan(b)) || std::abs(a - b) <= 1e-5 * std::max({1.0, std::abs(b), std::abs(scale)});
}

bool isLanguageModel(const std::string &task)
{
    return task.ends_with("language-modelling");
}

/// A language model's metrics from its outputs alone; nothing for other models.
std::map<std::string, double> scoresOfOutputs(const std::vector<ExampleOutput> &outputs, bool pairs)
{
    double loss = 0, tokens = 0, right = 0, rightPairs = 0;
    for (const ExampleOutput &output : outputs) {
        loss -= output.score;
        tokens += static_cast<double>(output.tokens.size());
        right += static_cast<double>(output.right);
        rightPairs += output.score > output.otherScore ? 1 : 0;
    }
    if (pairs)
        return {{"accuracy", rightPairs / static_cast<double>(outputs.size())}};
    return {{"perplexity", std::exp(loss / tokens)},
            {"pseudo-perplexity", std::exp(loss / tokens)},
            {"loss", loss / tokens},
            {"accuracy", right / tokens}};
}

/// Evaluations of a session's data set, each mask once.
class Loop
{
public:
    Loop(Session &session, const Decoding &decoding) : m_session(session)
    {
        m_run.decoding = decoding;
        m_run.plain = true;
    }

    const Evaluated &under(const HeadMask &mask)
    {
        const auto known = m_known.find(toText(mask));
        if (known != m_known.end())
            return known->second;
        EvaluationSpec spec{.run = m_run, .mask = mask};
        spec.outputs = true;
        spec.resamples = 0;
        auto result = m_session.run<EvaluationSpec>(Domain::In, spec, {}).valueOrThrow();
        Evaluated &evaluated = m_known[toText(mask)];
        for (const MetricValue &metric : result.metrics)
            evaluated.scores[metric.name] = metric.value;
        evaluated.outputs = std::move(result.outputs);
        return evaluated;
    }

private:
    Session &m_session;
    RunOptions m_run;
    std::map<std::string, Evaluated> m_known;
};

/// Examples of which a model says something else, or says it with another likelihood where that is what is measured.
std::int64_t changedBetween(const Evaluated &a, const Evaluated &b, const std::string &task, bool pairs)
{
    std::int64_t changed = 0;
    for (std::size_t i = 0; i < a.outputs.size(); ++i) {
        const ExampleOutput &x = a.outputs[i];
        const ExampleOutput &y = b.outputs[i];
        if (pairs)
            changed += (x.score > x.otherScore) != (y.score > y.otherScore);
        else if (isLanguageModel(task))
            changed += x.score != y.score || x.tokens != y.tokens;
        else
            changed += x.logits.empty() ? x.tokens != y.tokens : x.predicted != y.predicted;
    }
    return changed;
}

void writeProblem(const fs::path &folder, const char *problem)
{
    std::ifstream in(folder / "config.json");
    nlohmann::json config = nlohmann::json::parse(in);
    config["problem_type"] = problem;
    std::ofstream(folder / "config.json") << config.dump(1);
}

/// The rows of writeTinyTable() with other labels.
void writeTable(const fs::path &file, const std::vector<std::string> &labels)
{
    const fs::path rows = file.string() + ".rows";
    writeTinyTable(rows, 24, 7);
    std::ifstream in(rows);
    std::ofstream out(file);
    std::string line;
    std::getline(in, line);
    out << line << '\n';
    for (std::size_t i = 0; std::getline(in, line); ++i)
        out << line.substr(0, line.find('\t')) << '\t' << labels[i % labels.size()] << '\n';
}

DataSource table(const fs::path &file)
{
    DataSource source;
    source.table = file;
    return source;
}

} // namespace

class TestSweepOracle : public QObject
{
    Q_OBJECT

    QTemporaryDir m_folder;
    std::map<QString, Case> m_cases;
    std::int64_t m_compared = 0; ///< numbers

    fs::path path(const char *name) const { return fs::path(m_folder.path().toStdString()) / name; }
    std::shared_ptr<Session> opened(const Case &one) const
    {
        std::shared_ptr<Session> session = Session::open(one.folder, {}, {}).valueOrThrow();
        (void)session->setData(Domain::In, one.data, {}).valueOrThrow();
        return session;
    }
    static bool hasPairs(const Case &one) { return one.data.table.ends_with("pairs.jsonl"); }
    /// By which heads can be judged.
    static std::vector<std::string> metricsOf(const Case &one)
    {
        std::vector<std::string> names;
        const auto task = openTask(one.folder, one.data);
        for (const Metric *metric : task->metrics()) {
            if (supportsPairedTests(*metric))
                names.push_back(metric->name());
        }
        return names;
    }
    RunOptions runOf(const Case &one, const std::string &metric) const
    {
        RunOptions run;
        run.decoding = one.decoding;
        run.metric = metric;
        return run;
    }
    /// `scale`: of the numbers that these are a difference of.
    void compare(double ours, double wanted, const std::string &what, double scale = 0)
    {
        ++m_compared;
        QVERIFY2(isNear(ours, wanted, scale),
                 (what + ": " + std::to_string(ours) + ", by itself " + std::to_string(wanted)).c_str());
    }
    void addCases()
    {
        QTest::addColumn<QString>("name");
        for (const auto &[name, one] : m_cases)
            QTest::newRow(qPrintable(name)) << name;
    }

private Q_SLOTS:
    void initTestCase();
    void scoresOfTextAreThoseOfOutputs_data() { addCases(); }
    void scoresOfTextAreThoseOfOutputs();
    void headsChangeLikelihoodsMoreOftenThanTokens();
    void ablationIsALoopOfEvaluations_data() { addCases(); }
    void ablationIsALoopOfEvaluations();
    void pruningIsALoopOfEvaluations_data() { addCases(); }
    void pruningIsALoopOfEvaluations();
    void searchIsALoopOfEvaluations_data() { addCases(); }
    void searchIsALoopOfEvaluations();
    void contingencyIsALoopOfEvaluations_data() { addCases(); }
    void contingencyIsALoopOfEvaluations();
    void againstIsTwoEvaluations_data() { addCases(); }
    void againstIsTwoEvaluations();
    void replacementsAreALoopExampleByExample_data() { addCases(); }
    void replacementsAreALoopExampleByExample();
    void dynamicsIsALoopOfEvaluations();
    void cleanupTestCase() { qInfo("%lld numbers compared", static_cast<long long>(m_compared)); }
};

void TestSweepOracle::initTestCase()
{
    writeTinyModel(path("translator"));
    writeTinyCorpus(path("source"), path("reference"), 24, 3);
    DataSource lines;
    lines.source = path("source");
    lines.reference = path("reference");
    Decoding threeBeams;
    threeBeams.beams = 3;
    m_cases[QStringLiteral("translation, greedy")] = {path("translator"), lines};
    m_cases[QStringLiteral("translation, 3 beams")] = {path("translator"), lines, threeBeams};

    const std::vector<std::string> labels = {"negative", "neutral", "positive"};
    for (const char *problem : {"single_label_classification", "multi_label_classification", "regression"}) {
        const fs::path folder = path(problem);
        const bool number = std::string_view(problem) == "regression";
        writeTinyClassifier(folder, {.labels = number ? std::vector<std::string>{"score"} : labels});
        writeProblem(folder, problem);
        const fs::path rows = folder / "rows.tsv";
        if (number)
            writeTable(rows, {"0.5", "-1.25", "2", "0", "1.5"});
        else if (std::string_view(problem).starts_with("multi"))
            writeTable(rows, {"negative", "neutral,positive", "positive", "negative,neutral"});
        else
            writeTable(rows, labels);
        m_cases[QString::fromLatin1(problem)] = {folder, table(rows)};
    }

    writeTinyText(path("text.txt"), 8, 11);
    writeTinyPairs(path("pairs.jsonl"), 32, 13);
    for (const bool causal : {true, false}) {
        const QString kind = causal ? QStringLiteral("causal") : QStringLiteral("masked");
        const fs::path folder = path(causal ? "gpt2" : "bert");
        writeTinyLanguageModel(folder, {.causal = causal});
        DataSource text;
        text.text = path("text.txt");
        text.textUnit = TextUnit::Document;
        if (!causal) // what does not fit is cut, not read in windows
            text.textUnit = TextUnit::Line;
        m_cases[kind + QStringLiteral(", text")] = {folder, text};
        if (causal) {
            text.stride = 5;
            m_cases[kind + QStringLiteral(", windows that overlap")] = {folder, text};
        }
        m_cases[kind + QStringLiteral(", minimal pairs")] = {folder, table(path("pairs.jsonl"))};
    }
}

void TestSweepOracle::scoresOfTextAreThoseOfOutputs()
{
    QFETCH(QString, name);
    const Case &one = m_cases.at(name);
    const auto session = opened(one);
    if (!isLanguageModel(session->card().task))
        return;
    Loop loop(*session, one.decoding);
    for (const HeadMask &mask : {HeadMask(), HeadMask(session->card().layout.heads())}) {
        const Evaluated &evaluated = loop.under(mask);
        for (const auto &[metric, score] : scoresOfOutputs(evaluated.outputs, hasPairs(one))) {
            if (const auto found = evaluated.scores.find(metric); found != evaluated.scores.end())
                compare(found->second, score, metric);
        }
    }
}

/// What the language models here are for: most masks leave most texts' best tokens as they are.
void TestSweepOracle::headsChangeLikelihoodsMoreOftenThanTokens()
{
    for (const auto &[name, one] : m_cases) {
        const auto session = opened(one);
        if (!isLanguageModel(session->card().task) || hasPairs(one))
            continue;
        Loop loop(*session, one.decoding);
        std::int64_t tokens = 0, likelihoods = 0;
        for (const HeadRef &head : session->card().layout.heads()) {
            const auto &base = loop.under({}).outputs;
            const auto &masked = loop.under({head}).outputs;
            for (std::size_t i = 0; i < base.size(); ++i) {
                tokens += base[i].tokens != masked[i].tokens;
                likelihoods += std::abs(base[i].score - masked[i].score) > 1e-4;
            }
        }
        QVERIFY2(likelihoods > 2 * tokens, qPrintable(name));
    }
}

void TestSweepOracle::ablationIsALoopOfEvaluations()
{
    QFETCH(QString, name);
    const Case &one = m_cases.at(name);
    const auto session = opened(one);
    Loop loop(*session, one.decoding);
    const HeadLayout &layout = session->card().layout;
    const HeadMask someBase{layout.heads().at(1)};
    for (const std::string &metric : metricsOf(one)) {
        for (const HeadMask &base : {HeadMask(), someBase}) {
            for (const bool allButOne : {false, true}) {
                AblationSpec spec{.run = runOf(one, metric), .mask = base, .allButOne = allButOne, .resamples = 50};
                const auto result = session->run<AblationSpec>(Domain::In, spec, {}).valueOrThrow();
                const Evaluated &full = loop.under(base);
                compare(result.baseline.value, full.scores.at(metric), metric + " baseline");
                for (const HeadAblation &head : result.heads) {
                    HeadMask mask = base;
                    for (const HeadRef &other : layout.heads()) {
                        if (allButOne
                                ? other.kind == head.head.kind && other.layer == head.head.layer && other != head.head
                                : other == head.head)
                            mask.set(other, true);
                    }
                    const std::string what = metric + (allButOne ? " only " : " without ") + toText(head.head);
                    const Evaluated &single = loop.under(mask);
                    compare(head.score, single.scores.at(metric), what);
                    compare(head.delta, single.scores.at(metric) - full.scores.at(metric), what + " (difference)",
                            full.scores.at(metric));
                    const bool decided = metric != "loss" && metric != "Pearson" && metric != "Spearman";
                    if (isLanguageModel(session->card().task) ? hasPairs(one) || metric != "accuracy" : decided)
                        QCOMPARE(head.changed, changedBetween(full, single, session->card().task, hasPairs(one)));
                }
            }
        }
    }
}

void TestSweepOracle::pruningIsALoopOfEvaluations()
{
    QFETCH(QString, name);
    const Case &one = m_cases.at(name);
    const auto session = opened(one);
    Loop loop(*session, one.decoding);
    for (const std::string &metric : metricsOf(one)) {
        for (const char *order : {"importance", "ablation", "greedy"}) {
            if (std::string_view(order) == "greedy" && metric != metricsOf(one).front())
                continue;
            PruningSpec spec{.run = runOf(one, metric), .order = order, .step = 2};
            spec.greedyStep = 3;
            spec.resamples = 50;
            const auto result = session->run<PruningSpec>(Domain::In, spec, {}).valueOrThrow();
            QVERIFY(!result.curves.empty());
            for (const PruningPoint &point : result.curves.front().points)
                compare(point.score, loop.under(point.mask).scores.at(metric),
                        metric + " by " + order + ", " + std::to_string(point.pruned) + " removed");
            if (std::string_view(order) != "ablation")
                continue;
            // The heads in the order of their own deltas: those that cost least go first.
            std::map<HeadRef, double> lost;
            const double sign = result.better == Better::Higher ? -1 : 1;
            for (const HeadRef &head : session->card().layout.heads())
                lost[head] = sign * (loop.under({head}).scores.at(metric) - loop.under({}).scores.at(metric));
            for (const PruningPoint &point : result.curves.front().points) {
                double mostOfRemoved = -INFINITY, leastOfKept = INFINITY;
                for (const auto &[head, loss] : lost) {
                    if (point.mask.isMasked(head))
                        mostOfRemoved = std::max(mostOfRemoved, loss);
                    else
                        leastOfKept = std::min(leastOfKept, loss);
                }
                QVERIFY2(mostOfRemoved <= leastOfKept + 1e-5, metric.c_str());
            }
        }
    }
}

void TestSweepOracle::searchIsALoopOfEvaluations()
{
    QFETCH(QString, name);
    const Case &one = m_cases.at(name);
    const auto session = opened(one);
    Loop loop(*session, one.decoding);
    const auto task = openTask(one.folder, one.data);
    std::vector<std::int64_t> ids(static_cast<std::size_t>(task->size()));
    std::iota(ids.begin(), ids.end(), 0);
    for (const std::string &metric : metricsOf(one)) {
        SearchSpec spec{.run = runOf(one, metric), .step = 3, .resamples = 50};
        const auto result = session->run<SearchSpec>(Domain::In, spec, {}).valueOrThrow();
        for (const SearchPoint &point : result.points) {
            for (const FoundMask *found : {&point.searched, &point.rearranged})
                compare(found->score, loop.under(found->mask).scores.at(metric),
                        metric + " under " + toText(found->mask));
            RunOptions plain = runOf(one, metric);
            plain.plain = true;
            const std::size_t primary = task->primaryMetric(plain);
            StatisticsTable rows;
            appendStatistics(*task, primary,
                             task->plainOutputs(ids, point.rescaled.mask, plain, false, {}, point.rescaled.scales),
                             rows);
            compare(point.rescaled.score, task->metrics()[primary]->scoreOf(rows),
                    metric + " rescaled, under " + toText(point.rescaled.mask));
        }
    }
}

void TestSweepOracle::contingencyIsALoopOfEvaluations()
{
    QFETCH(QString, name);
    const Case &one = m_cases.at(name);
    const auto session = opened(one);
    const bool pairs = hasPairs(one);
    if (!pairs && session->card().task != "classification")
        return;
    if (session->card().problem != ProblemType::SingleLabel)
        return;
    Loop loop(*session, one.decoding);
    ContingencySpec spec{.run = runOf(one, "accuracy")};
    spec.examples = true;
    const auto result = session->run<ContingencySpec>(Domain::In, spec, {}).valueOrThrow();
    const auto isRight = [&](const ExampleOutput &output) {
        return pairs ? output.score > output.otherScore : output.predicted == output.labels;
    };
    for (const HeadContingency &head : result.heads) {
        const auto &with = loop.under({}).outputs;
        const auto &without = loop.under({head.head}).outputs;
        std::vector<std::int64_t> lost, gained;
        for (std::size_t i = 0; i < with.size(); ++i) {
            if (isRight(with[i]) && !isRight(without[i]))
                lost.push_back(with[i].index);
            if (!isRight(with[i]) && isRight(without[i]))
                gained.push_back(with[i].index);
        }
        QVERIFY(head.lostExamples == lost && head.gainedExamples == gained);
        QCOMPARE(head.lost, std::ssize(lost));
        QCOMPARE(head.gained, std::ssize(gained));
        m_compared += 2;
    }
}

void TestSweepOracle::againstIsTwoEvaluations()
{
    QFETCH(QString, name);
    const Case &one = m_cases.at(name);
    const auto session = opened(one);
    Loop loop(*session, one.decoding);
    const HeadMask mask{session->card().layout.heads().back()};
    for (const std::string &metric : metricsOf(one)) {
        EvaluationSpec spec{.run = runOf(one, metric), .mask = mask};
        spec.against = HeadMask();
        spec.resamples = 50;
        // The second time from states that are kept: the interactive path.
        for (int time = 0; time < 2; ++time) {
            const auto result = session->run<EvaluationSpec>(Domain::In, spec, {}).valueOrThrow();
            compare(result.metrics.front().value, loop.under(mask).scores.at(metric), metric);
            compare(result.against->delta, loop.under(mask).scores.at(metric) - loop.under({}).scores.at(metric),
                    metric + " against", loop.under({}).scores.at(metric));
            spec.run.seed += 1; // or the answer is remembered
        }
    }
}

void TestSweepOracle::replacementsAreALoopExampleByExample()
{
    QFETCH(QString, name);
    const Case &one = m_cases.at(name);
    const auto task = openTask(one.folder, one.data);
    RunOptions run = runOf(one, {});
    RunOptions plain = run;
    plain.plain = true;
    plain.batchTokens = 1; // each example by itself: in a padded batch a tie can fall the other way
    const std::int64_t longest = decodingSettings(task->model().spec(), run.decoding).maxLength;
    for (const Replacement replacement : {Replacement::Zero, Replacement::Mean, Replacement::Resample}) {
        for (std::size_t metric = 0; metric < task->metrics().size(); ++metric) {
            run.metric = plain.metric = task->metrics()[metric]->name();
            if (!supportsPairedTests(*task->metrics()[metric]))
                continue;
            EngineRequest request{.base = {}, .variants = {}, .run = run, .plan = {replacement, nullptr, 2}};
            for (const HeadRef &head : task->layout().heads())
                request.variants.push_back({{head}, replacement, head.head % 2});
            std::vector<std::int64_t> visited;
            std::vector<StatisticsTable> tables;
            request.onBlock = [&](const EngineState &state) {
                visited = state.visited;
                tables.clear();
                for (const VariantStatistics &variant : state.variants)
                    tables.push_back(variant.table(state.baseline));
            };
            (void)runVariants(*task, request, {}, [](const EngineState &) {});
            QCOMPARE(visited.size(), static_cast<std::size_t>(task->size()));
            for (std::size_t v = 0; v < request.variants.size(); ++v) {
                const Variant &variant = request.variants[v];
                const auto gatesOf = [&](const std::vector<std::int64_t> &ids) {
                    Contexts contexts;
                    if (replacement == Replacement::Mean)
                        contexts = task->meanContexts({});
                    else if (replacement == Replacement::Resample)
                        contexts = replacementContexts(request.plan, *task, ids, variant.draw, {}, run.seed, longest);
                    return gatesFor(variant, {}, task->layout(), task->tensorOptions(), &contexts);
                };
                StatisticsTable rows;
                appendStatistics(*task, metric, task->plainOutputs(visited, gatesOf, plain, false, {}), rows);
                for (std::size_t i = 0; i < rows.values.size(); ++i)
                    compare(tables[v].values[i], rows.values[i],
                            run.metric + " of a row of " + toText(request.variants[v].mask));
            }
        }
    }
}

void TestSweepOracle::dynamicsIsALoopOfEvaluations()
{
    for (const bool causal : {true, false}) {
        const fs::path runs = path(causal ? "causal-run" : "masked-run");
        writeTinyLanguageModel(runs / "checkpoint-1", {.causal = causal, .headsAmplitude = 0.01});
        writeTinyLanguageModel(runs / "checkpoint-2", {.causal = causal, .headsAmplitude = 0.03});
        const Case &one = m_cases.at(causal ? QStringLiteral("causal, text") : QStringLiteral("masked, text"));
        const auto session = opened({runs / "checkpoint-2", one.data});
        DynamicsSpec spec;
        spec.runs = runs;
        const auto result = session->run<DynamicsSpec>(Domain::In, spec, {}).valueOrThrow();
        QCOMPARE(result.checkpoints.size(), 2U);
        for (const DynamicsCheckpoint &checkpoint : result.checkpoints) {
            const auto single = opened({runs / checkpoint.name, one.data});
            Loop loop(*single, {});
            const double full = loop.under({}).scores.at(result.metric);
            compare(checkpoint.score, full, checkpoint.name);
            for (const DynamicsHead &head : checkpoint.heads) {
                QVERIFY(head.delta);
                compare(*head.delta, loop.under({head.head}).scores.at(result.metric) - full, toText(head.head), full);
            }
            std::vector<DynamicsHead> ordered = checkpoint.heads;
            std::ranges::stable_sort(ordered, {}, &DynamicsHead::importance);
            for (const DynamicsPoint &point : checkpoint.curve) {
                HeadMask mask;
                for (std::int64_t i = 0; i < point.pruned; ++i)
                    mask.set(ordered[static_cast<std::size_t>(i)].head, true);
                compare(point.score, loop.under(mask).scores.at(result.metric), "curve of " + checkpoint.name);
            }
        }
    }
}

QTEST_GUILESS_MAIN(TestSweepOracle)
#include "tst_sweeporacle.moc"

// Questions with choices, cloze texts, and prompts with accepted answers: what models read, scores of every choice,
// texts behind prompts and metrics equal lm-evaluation-harness (make_question_goldens.py, make_prompt_goldens.py), and
// heads are judged by them as from scratch.
#include "core/analysis/ablationspec.h"
#include "core/analysis/evaluationspec.h"
#include "core/analysis/importancespec.h"
#include "core/data/dataset.h"
#include "core/formats/jsonfile.h"
#include "core/results/ablationresult.h"
#include "core/results/evaluationresult.h"
#include "core/results/importanceresult.h"
#include "core/session/session.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

using namespace headscope;
namespace fs = std::filesystem;

namespace {

constexpr double kClose = 2e-4; // nats, of sums over up to thirty tokens

fs::path folder()
{
    return fs::path(qEnvironmentVariable("HEADSCOPE_SOURCE_DIR").toStdString()) / "tests/goldens/questions";
}

DataSource tableOf(const std::string &task, int shots)
{
    DataSource source;
    source.table = (folder() / (task + ".jsonl")).string();
    source.cloze = task == "lambada";
    source.shots = shots;
    if (shots > 0)
        source.shotsFile = (folder() / (task + "-shots.jsonl")).string();
    return source;
}

} // namespace

class TestQuestionGoldens : public QObject
{
    Q_OBJECT

    nlohmann::json m_golden;
    nlohmann::json m_prompts;

    static std::shared_ptr<Session> opened(const std::string &model, const DataSource &source)
    {
        auto session = Session::open(folder() / model, {}, {}).valueOrThrow();
        (void)session->setData(Domain::In, source, {}).valueOrThrow();
        return session;
    }
    static EvaluationResult outputs(Session &session, const HeadMask &mask = {}, bool plain = false)
    {
        EvaluationSpec spec{.mask = mask, .outputs = true};
        spec.run.plain = plain;
        return session.run(Domain::In, spec, {}).valueOrThrow();
    }
    RunOptions promptRun() const
    {
        RunOptions run;
        run.decoding.newTokens = m_prompts["new_tokens"].get<int>();
        run.decoding.stop = m_prompts["stops"].dump();
        return run;
    }
    static void compare(const EvaluationResult &result, const nlohmann::json &expected)
    {
        QCOMPARE(result.outputs.size(), expected.size());
        for (std::size_t i = 0; i < expected.size(); ++i) {
            const auto isClose = [](const std::vector<double> &own, const nlohmann::json &theirs) {
                if (own.size() != theirs.size())
                    return false;
                for (std::size_t k = 0; k < own.size(); ++k) {
                    if (std::abs(own[k] - theirs[k].get<double>()) > kClose)
                        return false;
                }
                return true;
            };
            QVERIFY(isClose(result.outputs[i].choices, expected[i]["choices"]));
            QVERIFY(isClose(result.outputs[i].unconditional, expected[i]["unconditional"]));
        }
        for (const MetricValue &metric : result.metrics) {
            const std::string name = metric.name == "accuracy" ? "acc" : metric.name;
            if (!expected[0].contains(name))
                continue;
            double sum = 0;
            for (const auto &question : expected)
                sum += question[name].get<double>();
            QCOMPARE(metric.value, sum / static_cast<double>(expected.size()));
        }
    }

private Q_SLOTS:
    void initTestCase()
    {
        m_golden = readJsonFile(folder() / "golden.json").valueOrThrow();
        m_prompts = readJsonFile(folder() / "prompts.json").valueOrThrow();
    }

    void scoresAreTheHarnesss_data()
    {
        QTest::addColumn<QByteArray>("model");
        QTest::addColumn<QByteArray>("task");
        QTest::addColumn<int>("shots");
        for (const char *model : {"gpt2", "llama"}) {
            for (const char *task : {"arc", "hellaswag", "mmlu", "boolq", "own", "lambada"}) {
                for (const int shots : {0, 1, 3}) {
                    if (shots == 0 || QByteArray(task) != "lambada")
                        QTest::addRow("%s %s %d", model, task, shots) << QByteArray(model) << QByteArray(task) << shots;
                }
            }
        }
    }

    void scoresAreTheHarnesss()
    {
        QFETCH(QByteArray, model);
        QFETCH(QByteArray, task);
        QFETCH(int, shots);
        const nlohmann::json &expected
            = m_golden[model.toStdString()][task.toStdString() + '-' + std::to_string(shots)];
        const DataSource source = tableOf(task.toStdString(), shots);
        const Dataset data = readDataset(source, {}).valueOrThrow();
        for (std::size_t i = 0; i < expected.size(); ++i)
            QCOMPARE(QString::fromStdString(data.examples[i].source),
                     QString::fromStdString(expected[i]["context"].get<std::string>()));
        const auto session = opened(model.toStdString(), source);
        compare(outputs(*session), expected);
        compare(outputs(*session, {}, true), expected);
    }

    /// The context of a head set to zero by a hook.
    void withoutAHead()
    {
        for (const char *model : {"gpt2", "llama"}) {
            const auto session = opened(model, tableOf("arc", 0));
            compare(outputs(*session, HeadMask{{HeadKind::Decoder, 1, 2}}), m_golden[model]["masked"]);
        }
    }

    /// Sweeps, which keep states, against evaluations from scratch.
    void headsAreJudgedAsFromScratch_data()
    {
        QTest::addColumn<QByteArray>("metric");
        for (const char *metric : {"accuracy", "acc_norm", "acc_mutual_info", "log-probability", "margin"})
            QTest::newRow(metric) << QByteArray(metric);
    }
    void headsAreJudgedAsFromScratch()
    {
        QFETCH(QByteArray, metric);
        const auto session = opened("llama", tableOf("own", 1));
        AblationSpec spec{.resamples = 50};
        spec.run.metric = metric.toStdString();
        const AblationResult sweep = session->run(Domain::In, spec, {}).valueOrThrow();
        QCOMPARE(sweep.heads.size(), 8U);
        for (const HeadAblation &head : sweep.heads) {
            EvaluationSpec alone{.mask = HeadMask{head.head}, .resamples = 0};
            alone.run.metric = spec.run.metric;
            alone.run.plain = true;
            const double score = session->run(Domain::In, alone, {}).valueOrThrow().primary().value;
            QVERIFY2(std::abs(sweep.baseline.value + head.delta - score) < 1e-4, toText(head.head).c_str());
        }
        // The gradient of −ln p of the right choice.
        QCOMPARE(session->run(Domain::In, ImportanceSpec{}, {}).valueOrThrow().heads.size(), 8U);
    }

    void subjectsHaveScores()
    {
        const auto session = opened("gpt2", tableOf("mmlu", 0));
        const EvaluationResult result = outputs(*session);
        QCOMPARE(result.groups.size(), 2U);
        QCOMPARE(result.groups[0].examples + result.groups[1].examples, 8);
        const auto card = session->data(Domain::In);
        QCOMPARE(card->metrics, (std::vector<std::string>{"accuracy", "acc_norm", "acc_bytes", "acc_mutual_info",
                                                          "log-probability", "margin"}));
    }

    void continuationsAreTheHarnesss_data()
    {
        QTest::addColumn<QByteArray>("model");
        QTest::addColumn<QByteArray>("shots");
        QTest::addColumn<QByteArray>("mask");
        for (const char *model : {"gpt2", "llama"}) {
            QTest::addRow("%s", model) << QByteArray(model) << QByteArray("0") << QByteArray();
            QTest::addRow("%s, a shot", model) << QByteArray(model) << QByteArray("1") << QByteArray();
            QTest::addRow("%s without a head", model)
                << QByteArray(model) << QByteArray("masked") << QByteArray("decoder.1.2");
        }
    }
    void continuationsAreTheHarnesss()
    {
        QFETCH(QByteArray, model);
        QFETCH(QByteArray, shots);
        QFETCH(QByteArray, mask);
        const nlohmann::json &expected = m_prompts[model.toStdString()][shots.toStdString()];
        const auto session = opened(model.toStdString(), tableOf("prompts", shots == "1" ? 1 : 0));
        for (const bool plain : {false, true}) {
            EvaluationSpec spec{
                .mask = parseHeadMask(mask.toStdString()).valueOrThrow(), .outputs = true, .resamples = 0};
            spec.run = promptRun();
            spec.run.plain = plain;
            const EvaluationResult said = session->run(Domain::In, spec, {}).valueOrThrow();
            QCOMPARE(said.outputs.size(), expected.size());
            for (std::size_t i = 0; i < expected.size(); ++i)
                QCOMPARE(said.outputs[i].text, expected[i]["text"].get<std::string>());
            QCOMPARE(said.metrics.size(), 3U);
            for (const MetricValue &metric : said.metrics) {
                double sum = 0;
                for (const auto &prompt : expected)
                    sum += prompt[metric.name].get<double>();
                QCOMPARE(metric.value, sum / static_cast<double>(expected.size()));
            }
        }
    }

    /// Sweeps verify what the base run said, and go on where a head would say something else.
    void headsAreJudgedByContinuations_data()
    {
        QTest::addColumn<QByteArray>("model");
        QTest::addColumn<int>("draws");
        for (const char *model : {"gpt2", "llama"}) {
            QTest::addRow("%s, zero", model) << QByteArray(model) << 0;
            QTest::addRow("%s, other examples' contexts", model) << QByteArray(model) << 2;
        }
    }
    void headsAreJudgedByContinuations()
    {
        QFETCH(QByteArray, model);
        QFETCH(int, draws);
        const auto session = opened(model.toStdString(), tableOf("prompts", 1));
        AblationSpec spec{.resamples = 50};
        spec.run = promptRun();
        spec.run.metric = "contains";
        if (draws > 0) {
            spec.replacement = Replacement::Resample;
            spec.draws = draws;
        }
        const AblationResult sweep = session->run(Domain::In, spec, {}).valueOrThrow();
        spec.run.plain = true;
        const AblationResult plain = session->run(Domain::In, spec, {}).valueOrThrow();
        QCOMPARE(sweep.heads.size(), 8U);
        std::int64_t changed = 0;
        for (std::size_t i = 0; i < sweep.heads.size(); ++i) {
            QCOMPARE(sweep.heads[i].delta, plain.heads[i].delta);
            QCOMPARE(sweep.heads[i].changed, plain.heads[i].changed);
            changed += sweep.heads[i].changed;
        }
        QVERIFY(changed > 0);
        // The gradient of −ln p of the first accepted answer.
        QCOMPARE(session->run(Domain::In, ImportanceSpec{}, {}).valueOrThrow().heads.size(), 8U);
    }

    /// A text goes on as a prompt does, and its attention is shown with what follows it.
    void textsGoOn()
    {
        const auto session = opened("gpt2", tableOf("prompts", 0));
        RunOptions run;
        run.decoding.newTokens = 6;
        run.decoding.stop = m_prompts["stops"].dump();
        const std::string prompt = session->rows(Domain::In)->at(1).source;
        const AttentionResult alone = session->attention(prompt, {}, {}, {}, {}).valueOrThrow();
        const AttentionResult longer = session->attention(prompt, {}, {}, run, {}).valueOrThrow();
        QCOMPARE(longer.predicted, m_prompts["gpt2"]["0"][1]["text"].get<std::string>());
        QCOMPARE(longer.targetTokens.size(), alone.targetTokens.size() + 6);
        QCOMPARE(longer.maps.size(), alone.maps.size());
        const std::size_t before = alone.targetTokens.size();
        for (std::size_t map = 0; map < alone.maps.size(); ++map) { // what follows is not seen by what was there
            const auto width = static_cast<std::size_t>(longer.maps[map].keys);
            QCOMPARE(width, before + 6);
            for (std::size_t query = 0; query < before; ++query) {
                for (std::size_t key = 0; key < before; ++key)
                    QVERIFY(std::abs(longer.maps[map].weights[query * width + key]
                                     - alone.maps[map].weights[query * before + key])
                            < 1e-5);
            }
        }
        // As `predict` says it, whose text is running text here.
        const QTemporaryDir folderOfText;
        DataSource text;
        text.text = folderOfText.filePath(QStringLiteral("text.txt")).toStdString();
        text.textUnit = TextUnit::File;
        std::ofstream(text.text) << prompt;
        (void)session->setData(Domain::Out, text, {}).valueOrThrow();
        EvaluationSpec spec{.outputs = true, .scores = true, .resamples = 0};
        spec.run = run;
        const EvaluationResult said = session->run(Domain::Out, spec, {}).valueOrThrow();
        QCOMPARE(said.outputs.size(), 1U);
        QCOMPARE(said.outputs.front().text, longer.predicted);
    }

    /// Cut on the left, so that the new tokens find room; more tokens than that are refused.
    void promptsLeaveRoom()
    {
        const auto session = opened("llama", tableOf("prompts", 3));
        EvaluationSpec spec{.outputs = true, .resamples = 0};
        spec.run = promptRun();
        spec.run.decoding.stop = "[]";
        spec.run.decoding.newTokens = 40;
        const EvaluationResult quick = session->run(Domain::In, spec, {}).valueOrThrow();
        spec.run.plain = true;
        const EvaluationResult plain = session->run(Domain::In, spec, {}).valueOrThrow();
        for (std::size_t i = 0; i < quick.outputs.size(); ++i)
            QCOMPARE(quick.outputs[i].tokens, plain.outputs[i].tokens);
        QCOMPARE(quick.outputs.front().tokens.size(), 40U);
        spec.run.decoding.newTokens = 64;
        QVERIFY(session->run(Domain::In, spec, {}).error().message.find("no room") != std::string::npos);
    }

    /// The text of an output is the choice that the model takes.
    void predictionsAreChoices()
    {
        const auto session = opened("gpt2", tableOf("boolq", 0));
        const EvaluationResult said
            = session->run(Domain::In, EvaluationSpec{.outputs = true, .scores = true, .resamples = 0}, {})
                  .valueOrThrow();
        for (const ExampleOutput &output : said.outputs)
            QCOMPARE(output.text, std::string(output.choices[1] > output.choices[0] ? "yes" : "no"));
    }
};

QTEST_GUILESS_MAIN(TestQuestionGoldens)
#include "tst_questiongoldens.moc"

// Questions with choices and cloze texts: prompts, scores of every choice and metrics equal lm-evaluation-harness
// (tests/goldens/make_question_goldens.py), and heads are judged by them as from scratch.
#include "core/analysis/ablationspec.h"
#include "core/analysis/evaluationspec.h"
#include "core/analysis/importancespec.h"
#include "core/data/dataset.h"
#include "core/formats/jsonfile.h"
#include "core/results/ablationresult.h"
#include "core/results/evaluationresult.h"
#include "core/results/importanceresult.h"
#include "core/session/session.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <filesystem>
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
    void initTestCase() { m_golden = readJsonFile(folder() / "golden.json").valueOrThrow(); }

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

// The real classifier, where it is at hand: accuracy, logits and every shortcut against known values.
#include "core/analysis/ablationspec.h"
#include "core/analysis/evaluationspec.h"
#include "core/formats/jsonfile.h"
#include "core/formats/textlines.h"
#include "core/results/ablationresult.h"
#include "core/results/attentionresult.h"
#include "core/results/results.h"
#include "core/session/session.h"
#include "tests/support/shareddata.h"

#include <QTest>

#include <algorithm>
#include <cmath>

using namespace headscope;

namespace {

DataSource sst2(std::int64_t limit = 0)
{
    DataSource data;
    data.table = sharedData("data/sst2/dev.tsv");
    data.limit = limit;
    return data;
}

RunOptions plainRun(bool plain)
{
    RunOptions run;
    run.plain = plain;
    return run;
}

} // namespace

class TestRealClassifier : public QObject
{
    Q_OBJECT

    std::shared_ptr<Session> m_session;

    std::vector<ExampleOutput> outputsOf(const HeadMask &mask, bool plain) const
    {
        const EvaluationSpec spec{.run = plainRun(plain), .mask = mask, .against = {}, .outputs = true, .resamples = 0};
        return m_session->run<EvaluationSpec>(Domain::In, spec, {}).valueOrThrow().outputs;
    }

private Q_SLOTS:
    void initTestCase()
    {
        const auto folder = sharedData("models/bert-sst2-mini");
        if (folder.empty())
            QSKIP("The real classifier is not here: set HEADSCOPE_SHARED to the folder that holds models/ and data/.");
        m_session = Session::open(folder, {}, {}).valueOrThrow();
        QCOMPARE(m_session->card().labels, (std::vector<std::string>{"negative", "positive"}));
        const auto data = m_session->setData(Domain::In, sst2(), {});
        QVERIFY2(data.isOk(), data.isError() ? data.error().message.c_str() : "");
        QCOMPARE(data.value().labels.size(), std::size_t(2));
        QVERIFY(!data.value().pairs);
    }

    // transformers 4.27.1, from the model's README: 706 of 872.
    void accuracyEqualsTheRecord()
    {
        const auto result = m_session->run<EvaluationSpec>(Domain::In, {}, {}).valueOrThrow();
        QCOMPARE(result.primary().name, std::string("accuracy"));
        QCOMPARE(std::lround(result.primary().value * 872), 706L);
        QVERIFY(std::abs(result.primary().value - 706.0 / 872) < 1e-12);
        QVERIFY(result.primary().interval->low < 0.80 && result.primary().interval->high > 0.82);
        QVERIFY(result.metrics.size() >= 4);
    }

    void logitsEqualTheRecord()
    {
        const auto file = sharedData("models/bert-sst2-mini/golden.dev.jsonl");
        const auto lines = readLines(file).valueOrThrow();
        const auto outputs = outputsOf({}, true);
        QCOMPARE(lines.size(), outputs.size());
        double largest = 0;
        for (std::size_t i = 0; i < lines.size(); ++i) {
            const auto expected = parseJson(lines[i], file.string()).valueOrThrow();
            QCOMPARE(outputs[i].labels, std::vector<int>{expected.at("label").get<int>()});
            const auto logits = expected.at("logits").get<std::vector<double>>();
            for (std::size_t k = 0; k < logits.size(); ++k)
                largest = std::max(largest, std::abs(logits[k] - static_cast<double>(outputs[i].logits[k])));
        }
        qInfo("largest difference of a logit: %.2g", largest);
        QVERIFY(largest < 1e-4);
    }

    void everyShortcutGivesThePlainLogits()
    {
        QVERIFY(m_session->setData(Domain::In, sst2(64), {}).isOk());
        (void)m_session->run<EvaluationSpec>(Domain::In, {}, {}).valueOrThrow(); // from here on states are kept
        int changed = 0;
        const auto base = outputsOf({}, true);
        for (const HeadRef &head : m_session->card().layout.heads()) {
            const auto fast = outputsOf({head}, false);
            const auto plain = outputsOf({head}, true);
            QCOMPARE(fast.size(), plain.size());
            for (std::size_t i = 0; i < plain.size(); ++i) {
                QCOMPARE(fast[i].predicted, plain[i].predicted);
                changed += std::abs(plain[i].logits[0] - base[i].logits[0]) > 1e-3F ? 1 : 0;
                for (std::size_t k = 0; k < plain[i].logits.size(); ++k)
                    QVERIFY(std::abs(fast[i].logits[k] - plain[i].logits[k]) < 1e-4F);
            }
        }
        QVERIFY(changed > 0);
    }

    void ablationEqualsOneEvaluationPerHead()
    {
        QVERIFY(m_session->setData(Domain::In, sst2(), {}).isOk());
        const auto sweep = m_session->run<AblationSpec>(Domain::In, {}, {}).valueOrThrow();
        QCOMPARE(sweep.heads.size(), std::size_t(48));
        const double full = sweep.baseline.value;
        QVERIFY(std::abs(full - 706.0 / 872) < 1e-12);
        for (const HeadAblation &head : sweep.heads) {
            QVERIFY(head.delta >= -0.008 && head.delta <= 0.007); // "−0.7 to +0.6 points" in the README
            QVERIFY(head.mcnemar && *head.mcnemar > 0 && *head.mcnemar <= 1);
        }
        for (std::size_t h : {std::size_t(0), std::size_t(13), std::size_t(47)}) {
            const EvaluationSpec spec{.run = plainRun(true), .mask = {sweep.heads[h].head}, .against = HeadMask{}};
            const auto alone = m_session->run<EvaluationSpec>(Domain::In, spec, {}).valueOrThrow();
            QCOMPARE(alone.primary().value, sweep.heads[h].score);
            QVERIFY(alone.against);
            QVERIFY(std::abs(alone.against->delta - sweep.heads[h].delta) < 1e-12);
            QVERIFY(std::abs(*alone.against->mcnemar - *sweep.heads[h].mcnemar) < 1e-12);
            QCOMPARE(alone.against->changed, sweep.heads[h].changed);
        }
    }

    void otherMetricsJudgeToo()
    {
        AblationSpec spec;
        spec.run.metric = "Matthews";
        const auto sweep = m_session->run<AblationSpec>(Domain::In, spec, {}).valueOrThrow();
        QCOMPARE(sweep.baseline.name, std::string("Matthews"));
        QVERIFY(!sweep.heads.front().mcnemar);
        spec.run.metric = "loss";
        const auto byLoss = m_session->run<AblationSpec>(Domain::In, spec, {}).valueOrThrow();
        QVERIFY(byLoss.baseline.better == Better::Lower && !byLoss.heads.front().mcnemar);
        spec.run.metric = "BLEU";
        const auto unknown = m_session->run<AblationSpec>(Domain::In, spec, {});
        QVERIFY(unknown.isError() && unknown.error().message.find("accuracy") != std::string::npos);
    }

    void outOfDomainSetsAreRead()
    {
        DataSource amazon;
        amazon.table = sharedData("data/uci_sentiment_labelled/amazon_cells_labelled.txt");
        amazon.header = false;
        amazon.quoted = true;
        amazon.textColumn = "1";
        amazon.labelColumn = "2";
        const auto card = m_session->setData(Domain::Out, amazon, {});
        QVERIFY2(card.isOk(), card.isError() ? card.error().message.c_str() : "");
        QCOMPARE(card.value().rows, 1000);
        const auto result = m_session->run<EvaluationSpec>(Domain::Out, {}, {}).valueOrThrow();
        QVERIFY(result.primary().value > 0.6 && result.primary().value < 0.9);
    }

    void attentionShowsPiecesAndPrediction()
    {
        const auto result = m_session->attention("unflinchingly bleak and desperate", "", {}, {}, {}).valueOrThrow();
        QCOMPARE(result.maps.size(), std::size_t(48));
        QVERIFY(result.predicted.starts_with("negative 0.9"));
        QCOMPARE(result.sourceTokens.front().text, std::string("[CLS]"));
        QCOMPARE(result.sourceTokens.front().segment, -1);
        QCOMPARE(result.sourceTokens[1].word, 0);
        QVERIFY(result.targetTokens.empty());
        for (const AttentionMap &map : result.maps) {
            QCOMPARE(map.queries, std::ssize(result.sourceTokens));
            float sum = 0;
            for (std::int64_t key = 0; key < map.keys; ++key)
                sum += map.weights[static_cast<std::size_t>(key)];
            QVERIFY(std::abs(sum - 1) < 1e-5F);
        }
        const auto pair = m_session->attention("a fine film", "and a dull one", {}, {}, {}).valueOrThrow();
        QCOMPARE(pair.sourceTokens[1].segment, 0);
        QCOMPARE(pair.sourceTokens[pair.sourceTokens.size() - 2].segment, 1);
    }
};

QTEST_GUILESS_MAIN(TestRealClassifier)
#include "tst_realclassifier.moc"

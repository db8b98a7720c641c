// Gates that are pulled both ways, on a model that was built for them, and against losses by other code.
#include "core/analysis/gating.h"
#include "core/engine/engine.h"
#include "core/train/trainedgates.h"
#include "tests/support/opentask.h"
#include "tests/support/rewrittentensors.h"
#include "tests/support/tinyclassifier.h"
#include "tests/support/tinylanguagemodel.h"

#include <ATen/core/grad_mode.h>
#include <QTemporaryDir>
#include <QTest>
#include <torch/csrc/autograd/autograd.h>
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

/// Head 0 of the only layer says label 1, head 1 says label 0 as loudly, whatever they read; the others say nothing.
/// Large constants beside them keep the norms from changing.
void buildOpponents(const fs::path &folder)
{
    writeTinyClassifier(folder, {.layers = 1, .heads = 4, .width = 16});
    rewriteTensors(folder, [&](const std::string &name, torch::Tensor &tensor) {
        tensor.zero_();
        const auto is = [&](const char *end) { return name.ends_with(end); };
        if (is("embeddings.LayerNorm.bias")) {
            tensor[14] = 30;
            tensor[15] = -30;
        } else if (is("LayerNorm.weight") && !is("embeddings.LayerNorm.weight")) {
            tensor.fill_(1);
        } else if (is("self.value.bias")) {
            tensor[0] = 1;
            tensor[4] = 1;
        } else if (is("attention.output.dense.weight")) {
            tensor[1][0] = 3;
            tensor[1][4] = -3;
        } else if (is("pooler.dense.weight")) {
            tensor[1][1] = 1;
        } else if (is("classifier.weight")) {
            tensor[1][1] = 10;
        }
    });
}

double lossOf(const Task &task)
{
    RunOptions run;
    run.metric = "loss";
    std::vector<std::int64_t> ids(static_cast<std::size_t>(task.size()));
    std::iota(ids.begin(), ids.end(), 0);
    StatisticsTable table;
    const std::size_t metric = task.primaryMetric(run);
    appendStatistics(task, metric, task.plainOutputs(ids, HeadMask(), run, false, {}), table);
    return task.metrics()[metric]->scoreOf(table);
}

GatingResult fitted(const Task &task, const GatingSpec &spec)
{
    return gating(task, spec, {}, {}, {});
}

} // namespace

class TestGating : public QObject
{
    Q_OBJECT

    QTemporaryDir m_folder;
    fs::path path(const char *name) const { return fs::path(m_folder.path().toStdString()) / name; }
    std::shared_ptr<const Task> taskOf(const char *folder, const char *table) const
    {
        DataSource source;
        source.table = path(table).string();
        return openTask(path(folder), source);
    }

private Q_SLOTS:
    void initTestCase()
    {
        buildOpponents(path("opponents"));
        std::ofstream(path("ones.tsv")) << "sentence\tlabel\nthe good film\t1\na dull park\t1\nbad\t1\n";
        writeTinyClassifier(path("classifier"), {.layers = 2, .heads = 4, .width = 16});
        writeTinyTable(path("table.tsv"), 20, 3);
        writeTinyLanguageModel(path("gpt2"), {.headsAmplitude = 0.3});
        std::ofstream texts(path("texts.jsonl"));
        for (const char *text : {"the man in the red park", "a good dog", "the girls in the film", "a dull park"})
            texts << "{\"text\": \"" << text << "\"}\n";
    }

    void opponentsAreToldApart_data();
    void opponentsAreToldApart();
    void theFirstUpdateGoesDownhill();
    void languageModelsAreGatedToo();
    void seedsAreFitsOfTheirOwn();
    void softGates();
};

void TestGating::opponentsAreToldApart_data()
{
    QTest::addColumn<bool>("hard");
    QTest::newRow("soft") << false;
    QTest::newRow("hard concrete") << true;
}

void TestGating::opponentsAreToldApart()
{
    QFETCH(bool, hard);
    const auto task = taskOf("opponents", "ones.tsv");
    const GatingResult result = fitted(*task, {.seeds = 3, .steps = 150, .lambda = 0.01, .hard = hard});
    QCOMPARE(result.heads.size(), 4U);
    QCOMPARE(result.seeds.size(), 3U);
    const GatedRole wanted[]
        = {GatedRole::Facilitating, GatedRole::Interfering, GatedRole::Irrelevant, GatedRole::Irrelevant};
    for (std::size_t i = 0; i < 4; ++i) {
        const HeadGating &head = result.heads[i];
        QCOMPARE(head.role, wanted[i]);
        QCOMPARE(head.agreement, 1.0);
        QCOMPARE(head.facilitates, head.closed);
        QVERIFY(std::abs(head.interferes - (1 - head.opened)) < 1e-12);
        const double largest = std::max({head.facilitates, head.interferes, head.irrelevant});
        QVERIFY(largest > 0.7);
    }
    QVERIFY(std::abs(result.loss - std::log(2.0)) < 1e-4); // both speak: it knows nothing
    for (const GatingSeed &seed : result.seeds) {
        for (const double loss : {seed.freeLoss, seed.openedLoss, seed.closedLoss})
            QVERIFY(loss < 0.25);
        QVERIFY(seed.freeLoss <= seed.closedLoss + 1e-6);
    }
}

/// Adam's first step is the learning rate, against the sign of the gradient: by differences of the loss.
void TestGating::theFirstUpdateGoesDownhill()
{
    const auto task = taskOf("classifier", "table.tsv");
    constexpr double kRate = 0.05;
    const GatingResult result
        = fitted(*task, {.seeds = 1, .steps = 1, .lambda = 1e-9, .learningRate = kRate, .batchExamples = 100});
    const auto gates = TrainedGates::makeSoft({}, task->layout());
    const auto begin = gates->initial(GatingSpec().run.seed).to(torch::kFloat64);
    std::vector<std::int64_t> ids(20);
    std::iota(ids.begin(), ids.end(), 0);
    const auto lossAt = [&](const torch::Tensor &values) {
        const torch::NoGradGuard noGrad;
        return task->loss(ids, gates->gatesOf(torch::sigmoid(values).to(task->tensorOptions())))
            .loss.sum(torch::kFloat64)
            .item<double>();
    };
    int compared = 0;
    for (std::int64_t i = 0; i < 8; ++i) {
        constexpr double kStep = 0.05;
        auto up = begin.clone();
        auto down = begin.clone();
        up[i] += kStep;
        down[i] -= kStep;
        const double slope = lossAt(up) - lossAt(down);
        if (std::abs(slope) < 1e-4)
            continue;
        const double z = begin[i].item<double>() - (slope > 0 ? kRate : -kRate);
        QVERIFY(std::abs(result.seeds[0].free[static_cast<std::size_t>(i)] - 1 / (1 + std::exp(-z))) < 1e-3);
        ++compared;
    }
    QVERIFY(compared >= 4);
    QVERIFY(std::abs(result.loss - lossOf(*task)) < 1e-5);
}

void TestGating::languageModelsAreGatedToo()
{
    const auto task = taskOf("gpt2", "texts.jsonl");
    const GatingResult result
        = fitted(*task, {.kinds = {HeadKind::Decoder}, .seeds = 2, .steps = 30, .batchExamples = 4});
    QCOMPARE(result.heads.size(), 8U);
    QVERIFY(std::abs(result.loss - lossOf(*task)) < 1e-4);
    for (const GatingSeed &seed : result.seeds) {
        for (std::size_t i = 0; i < 8; ++i)
            QVERIFY(seed.closed[i] > 0.01 && seed.opened[i] < 0.99); // within the range that gates come back from
        QVERIFY(std::accumulate(seed.opened.begin(), seed.opened.end(), 0.0)
                > std::accumulate(seed.closed.begin(), seed.closed.end(), 0.0));
    }
    const auto closed = [&](double lambda) {
        const GatingResult pulled = fitted(*task, {.seeds = 1, .steps = 100, .lambda = lambda, .batchExamples = 4});
        double sum = 0;
        for (const HeadGating &head : pulled.heads)
            sum += head.closed;
        return sum;
    };
    QVERIFY(closed(10) < 8 * 0.02); // where the pull is all that counts, all follow it
    QVERIFY(closed(1e-6) > closed(10) + 0.1);
}

void TestGating::seedsAreFitsOfTheirOwn()
{
    const auto task = taskOf("classifier", "table.tsv");
    int published = 0;
    const GatingSpec spec{.seeds = 3, .steps = 10};
    const GatingResult result = gating(*task, spec, {}, {}, [&](const GatingResult &partial) {
        ++published;
        QCOMPARE(std::ssize(partial.seeds), published);
    });
    QCOMPARE(published, 2);
    GatingSpec second = spec;
    second.seeds = 1;
    second.run.seed = spec.run.seed + 1;
    const GatingResult alone = fitted(*task, second);
    QCOMPARE(alone.seeds[0].closed, result.seeds[1].closed);
    QVERIFY(result.seeds[0].closed != result.seeds[1].closed);
    for (std::size_t i = 0; i < result.heads.size(); ++i) {
        QVERIFY(std::isnan(alone.heads[i].deviation)); // one seed does not say how much seeds differ
        double mean = 0;
        for (const GatingSeed &seed : result.seeds)
            mean += seed.closed[i] / 3;
        QVERIFY(std::abs(mean - result.heads[i].facilitates) < 1e-9);
        QVERIFY(result.heads[i].deviation > 0);
    }
}

void TestGating::softGates()
{
    const auto task = taskOf("classifier", "table.tsv");
    GateConfig config;
    config.lambda = -0.5;
    const auto gates = TrainedGates::makeSoft(config, task->layout());
    const auto values = torch::linspace(-3, 3, 8, torch::kFloat64).requires_grad_(true);
    const auto gradient = torch::autograd::grad({gates->penalty(values)}, {values}).front();
    QVERIFY(torch::equal(gradient, torch::full({8}, -0.5, torch::kFloat64))); // the same wherever the gate is
    const auto closed = gates->closed(values.detach(), 0);
    QVERIFY(std::abs(closed.at(gates->heads()[0]) - 1 / (1 + std::exp(-3.0))) < 1e-9);
    QCOMPARE(gates->mask(values.detach()).size(), 4);
    auto far = torch::full({8}, 100.0);
    gates->constrain(far);
    QVERIFY(torch::sigmoid(far).max().item<double>() < 0.99);
    QVERIFY(torch::equal(gates->draw(values.detach(), 1, 5), gates->draw(values.detach(), 2, 6)));
    QVERIFY(!torch::equal(gates->initial(1), gates->initial(2)));
}

QTEST_APPLESS_MAIN(TestGating)
#include "tst_gating.moc"

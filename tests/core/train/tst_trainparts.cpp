#include "core/model/dropout.h"
#include "core/tensor/execution.h"
#include "core/train/batching.h"
#include "core/train/optimizer.h"
#include "core/train/parameters.h"
#include "core/train/schedule.h"
#include "core/train/smoothedloss.h"
#include "tests/support/smallspec.h"

#include <torch/torch.h>

#include <QTest>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

using namespace headscope;
using namespace headscope::testing;

namespace {

double difference(const torch::Tensor &a, const torch::Tensor &b)
{
    return (a.to(torch::kFloat64) - b.to(torch::kFloat64)).abs().max().item<double>();
}

std::vector<ExampleLength> someLengths(int count)
{
    Random random(7);
    std::vector<ExampleLength> lengths;
    for (int i = 0; i < count; ++i)
        lengths.emplace_back(1 + random.below(30), 1 + random.below(30));
    return lengths;
}

} // namespace

/// The pieces of the trainer against definitions and LibTorch's own versions.
class TestTrainParts : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void scheduleFollowsItsFormula_data();
    void scheduleFollowsItsFormula();
    void batchesHoldEveryExampleOnce();
    void batchesDependOnSeedAndEpochOnly();
    void partsKeepOrderAndSize();
    void fusedLossEqualsPlainLoss_data();
    void fusedLossEqualsPlainLoss();
    void plainLossEqualsCrossEntropy();
    void dropoutIsTheSameFastAndPlain();
    void dropoutKeepsTheMean();
    void optimizerEqualsLibTorch_data();
    void optimizerEqualsLibTorch();
    void optimizerClips();
    void uselessGradientChangesNothing();
    void initialTensorsHaveTheirSpread();
    void identicalHeadsDifferOnlyByTheirOutputs();
    void equalHeadsAreEqualInAll();
    void bf16GradientIsCloseToF32();
};

void TestTrainParts::scheduleFollowsItsFormula_data()
{
    QTest::addColumn<int>("kind");
    QTest::addColumn<int>("step");
    QTest::addColumn<double>("expected");
    const int inverse = static_cast<int>(ScheduleKind::InverseSqrt);
    const int cosine = static_cast<int>(ScheduleKind::Cosine);
    const int constant = static_cast<int>(ScheduleKind::Constant);
    QTest::newRow("first update of the warm-up") << inverse << 1 << 0.01;
    QTest::newRow("half the warm-up") << inverse << 50 << 0.5;
    QTest::newRow("peak") << inverse << 100 << 1.0;
    QTest::newRow("inverse square root") << inverse << 400 << 0.5;
    QTest::newRow("cosine, half way") << cosine << 600 << 0.5;
    QTest::newRow("cosine, end") << cosine << 1100 << 0.0;
    QTest::newRow("cosine, beyond") << cosine << 2000 << 0.0;
    QTest::newRow("constant") << constant << 1000 << 1.0;
}

void TestTrainParts::scheduleFollowsItsFormula()
{
    QFETCH(int, kind);
    QFETCH(int, step);
    QFETCH(double, expected);
    const ScheduleConfig schedule{static_cast<ScheduleKind>(kind), 1.0, 100};
    QVERIFY(std::abs(learningRate(schedule, step, 1100) - expected) < 1e-12);
}

void TestTrainParts::batchesHoldEveryExampleOnce()
{
    const auto lengths = someLengths(500);
    std::set<std::int64_t> seen;
    std::int64_t padding = 0;
    std::int64_t cells = 0;
    for (const auto &batch : epochBatches(lengths, 300, 1, 0)) {
        std::int64_t widest = 0;
        for (const std::int64_t id : batch) {
            const auto [source, target] = lengths[static_cast<std::size_t>(id)];
            widest = std::max({widest, source, target});
            QVERIFY(seen.insert(id).second);
        }
        QVERIFY(batch.size() == 1 || std::ssize(batch) * widest <= 300);
        for (const std::int64_t id : batch) {
            const auto [source, target] = lengths[static_cast<std::size_t>(id)];
            padding += widest - std::max(source, target);
            cells += widest;
        }
    }
    QCOMPARE(seen.size(), std::size_t{500});
    QVERIFY(static_cast<double>(padding) < 0.1 * static_cast<double>(cells)); // that is what bucketing is for
}

void TestTrainParts::batchesDependOnSeedAndEpochOnly()
{
    const auto lengths = someLengths(200);
    QCOMPARE(epochBatches(lengths, 300, 1, 4), epochBatches(lengths, 300, 1, 4));
    QVERIFY(epochBatches(lengths, 300, 1, 4) != epochBatches(lengths, 300, 1, 5));
    QVERIFY(epochBatches(lengths, 300, 1, 4) != epochBatches(lengths, 300, 2, 4));
}

void TestTrainParts::partsKeepOrderAndSize()
{
    const auto lengths = someLengths(200);
    for (const auto &batch : epochBatches(lengths, 600, 1, 0)) {
        std::vector<std::int64_t> joined;
        const auto parts = batchParts(batch, lengths, 200);
        QVERIFY(parts.size() <= 3);
        for (const auto &part : parts) {
            QVERIFY(!part.empty());
            joined.insert(joined.end(), part.begin(), part.end());
        }
        QCOMPARE(joined, batch);
    }
}

void TestTrainParts::fusedLossEqualsPlainLoss_data()
{
    QTest::addColumn<int>("rows");
    QTest::addColumn<double>("smoothing");
    QTest::addColumn<bool>("bias");
    QTest::newRow("one row") << 1 << 0.1 << false;
    QTest::newRow("no smoothing") << 40 << 0.0 << true;
    QTest::newRow("several chunks") << 600 << 0.1 << true;
}

void TestTrainParts::fusedLossEqualsPlainLoss()
{
    QFETCH(int, rows);
    QFETCH(double, smoothing);
    QFETCH(bool, bias);
    torch::manual_seed(1);
    auto hidden = torch::randn({rows, 12}).requires_grad_();
    auto weight = torch::randn({33, 12}).requires_grad_();
    auto shift = bias ? torch::randn({33}).requires_grad_() : torch::Tensor();
    const auto targets = torch::randint(33, {rows}, torch::kInt64);
    std::vector<torch::Tensor> leaves{hidden, weight};
    if (bias)
        leaves.push_back(shift);
    const SmoothedLoss plain = plainSmoothedLoss(hidden, weight, shift, {}, targets, smoothing);
    const SmoothedLoss fused = fusedSmoothedLoss(hidden, weight, shift, {}, targets, smoothing);
    QVERIFY(std::abs(plain.crossEntropy - fused.crossEntropy) < 1e-4 * rows);
    QVERIFY(difference(plain.smoothed, fused.smoothed) < 1e-4 * rows);
    const auto expected = torch::autograd::grad({plain.smoothed * 0.5}, leaves);
    const auto found = torch::autograd::grad({fused.smoothed * 0.5}, leaves);
    for (std::size_t i = 0; i < leaves.size(); ++i)
        QVERIFY(difference(expected[i], found[i]) < 1e-4);
}

void TestTrainParts::plainLossEqualsCrossEntropy()
{
    torch::manual_seed(2);
    const auto hidden = torch::randn({20, 8});
    const auto weight = torch::randn({15, 8});
    const auto targets = torch::randint(15, {20}, torch::kInt64);
    const auto expected = torch::nn::functional::cross_entropy(
        torch::linear(hidden, weight), targets,
        torch::nn::functional::CrossEntropyFuncOptions().reduction(torch::kSum).label_smoothing(0.1));
    QVERIFY(difference(plainSmoothedLoss(hidden, weight, {}, {}, targets, 0.1).smoothed, expected) < 1e-4);
}

void TestTrainParts::dropoutIsTheSameFastAndPlain()
{
    torch::manual_seed(3);
    const auto sum = torch::randn({5, 7}).requires_grad_();
    const auto input = torch::randn({5, 7}).requires_grad_();
    const auto weights = torch::randn({5, 7});
    Dropout fast(0.3, 11);
    Dropout plain(0.3, 11, true);
    const double tolerance = 1e-6;
    for (int round = 0; round < 2; ++round) {
        const auto a = fast.add(sum, input);
        const auto b = plain.add(sum, input);
        QVERIFY(difference(a, b) < tolerance);
        const auto gradA = torch::autograd::grad({(a * weights).sum()}, {sum, input});
        const auto gradB = torch::autograd::grad({(b * weights).sum()}, {sum, input});
        QVERIFY(difference(gradA[0], gradB[0]) < tolerance);
        QVERIFY(difference(gradA[1], gradB[1]) < tolerance);
        const auto c = fast(input);
        const auto d = plain(input);
        QVERIFY(difference(c, d) < tolerance);
        QVERIFY(difference(torch::autograd::grad({(c * weights).sum()}, {input})[0],
                           torch::autograd::grad({(d * weights).sum()}, {input})[0])
                < tolerance);
    }
}

void TestTrainParts::dropoutKeepsTheMean()
{
    Dropout dropout(0.25, 5);
    const auto dropped = dropout(torch::ones({200, 500}));
    QVERIFY(std::abs(dropped.mean().item<double>() - 1) < 0.01);
    QVERIFY(std::abs((dropped == 0).to(torch::kFloat64).mean().item<double>() - 0.25) < 0.01);
    Dropout none(0, 5);
    const auto input = torch::randn({3, 3});
    QVERIFY(torch::equal(none(input), input));
}

void TestTrainParts::optimizerEqualsLibTorch_data()
{
    QTest::addColumn<bool>("decoupled");
    QTest::addColumn<double>("decay");
    QTest::newRow("Adam") << false << 0.0;
    QTest::newRow("Adam with L2") << false << 0.1;
    QTest::newRow("AdamW") << true << 0.1;
}

void TestTrainParts::optimizerEqualsLibTorch()
{
    QFETCH(bool, decoupled);
    QFETCH(double, decay);
    torch::manual_seed(4);
    const auto start = torch::randn({200'000}); // several pieces
    auto mine = start.clone();
    auto theirs = start.clone().requires_grad_();
    OptimizerConfig config{.kind = decoupled ? OptimizerKind::AdamW : OptimizerKind::Adam,
                           .beta1 = 0.9,
                           .beta2 = 0.98,
                           .epsilon = 1e-8,
                           .weightDecay = decay,
                           .clipNorm = 0};
    Optimizer optimizer(config, mine, Execution(torch::kCPU, torch::kFloat32, 2));
    std::unique_ptr<torch::optim::Optimizer> reference;
    if (decoupled)
        reference = std::make_unique<torch::optim::AdamW>(
            std::vector{theirs}, torch::optim::AdamWOptions(0.01).betas({0.9, 0.98}).eps(1e-8).weight_decay(decay));
    else
        reference = std::make_unique<torch::optim::Adam>(
            std::vector{theirs}, torch::optim::AdamOptions(0.01).betas({0.9, 0.98}).eps(1e-8).weight_decay(decay));
    for (int step = 0; step < 10; ++step) {
        const auto gradient = torch::randn({200'000});
        std::vector<torch::Tensor> parts{gradient * 3, gradient};
        const double norm = optimizer.step(mine, parts, 0.25, 0.01);
        QVERIFY(std::abs(norm - gradient.norm().item<double>()) < 1e-2);
        theirs.mutable_grad() = gradient.clone();
        reference->step();
    }
    QVERIFY(difference(mine, theirs.detach()) < 1e-5);
}

void TestTrainParts::optimizerClips()
{
    auto a = torch::zeros({4});
    auto b = torch::zeros({4});
    OptimizerConfig config;
    config.epsilon = 1.0; // makes the step depend on the gradient's size
    config.clipNorm = 1.0;
    Optimizer clipped(config, a, Execution());
    Optimizer small(config, b, Execution());
    std::vector<torch::Tensor> large{torch::tensor({30.0F, 0.0F, 40.0F, 0.0F})};
    std::vector<torch::Tensor> unit{torch::tensor({0.6F, 0.0F, 0.8F, 0.0F})};
    QVERIFY(std::abs(clipped.step(a, large, 1, 0.1) - 50) < 1e-4);
    QVERIFY(std::abs(small.step(b, unit, 1, 0.1) - 1) < 1e-6);
    QVERIFY(difference(a, b) < 1e-6);
}

void TestTrainParts::uselessGradientChangesNothing()
{
    auto values = torch::ones({3});
    Optimizer optimizer({}, values, Execution());
    std::vector<torch::Tensor> gradient{torch::tensor({1.0F, std::nanf(""), 0.0F})};
    QVERIFY(!std::isfinite(optimizer.step(values, gradient, 1, 0.1)));
    QVERIFY(torch::equal(values, torch::ones({3})));
    QCOMPARE(optimizer.steps(), 0);
}

void TestTrainParts::initialTensorsHaveTheirSpread()
{
    const auto tensors = initialTensors(smallSpec(1, 2), 3);
    QVERIFY(torch::equal(tensors.at("encoder.0.self.norm.weight"), torch::ones({32})));
    QVERIFY(torch::equal(tensors.at("encoder.0.self.query.bias"), torch::zeros({32})));
    const auto &embedding = tensors.at("encoder.embedding");
    QVERIFY(std::abs(embedding.std().item<double>() * std::sqrt(32.0) - 1) < 0.1);
    const auto deeper = initialTensors(smallSpec(4, 2), 3);
    const auto isUniform = [&](const char *name, double bound) {
        const double largest = deeper.at(name).abs().max().item<double>();
        return largest <= bound * (1 + 1e-6) && largest > 0.95 * bound;
    };
    QVERIFY(isUniform("encoder.0.feed_forward.in.weight", std::sqrt(6.0 / 96)));
    QVERIFY(isUniform("encoder.3.feed_forward.in.weight", std::sqrt(6.0 / 96 / 4)));
    QVERIFY(isUniform("decoder.1.cross.out.weight", std::sqrt(6.0 / 64 / 2)));
    QVERIFY(isUniform("decoder.3.cross.key.weight", std::sqrt(6.0 / 64 / 4 / 2)));
    QVERIFY(torch::equal(initialTensors(smallSpec(1, 2), 3).at("encoder.embedding"), embedding));
}

void TestTrainParts::identicalHeadsDifferOnlyByTheirOutputs()
{
    const auto different = initialTensors(smallSpec(2, 4), 3);
    const auto identical = initialTensors(smallSpec(2, 4), 3, InitialHeads::Identical);
    QCOMPARE(identical.size(), different.size());
    for (const auto &[name, tensor] : identical) {
        const bool isOfHeads
            = name.ends_with("query.weight") || name.ends_with("key.weight") || name.ends_with("value.weight");
        QVERIFY2(isOfHeads != torch::equal(tensor, different.at(name)), name.c_str());
        if (!isOfHeads)
            continue;
        for (int head = 0; head < 4; ++head) // each is the first one of different heads
            QVERIFY2(torch::equal(tensor.narrow(0, 8 * head, 8), different.at(name).narrow(0, 0, 8)), name.c_str());
    }
}

void TestTrainParts::equalHeadsAreEqualInAll()
{
    const TransformerSpec spec = smallSpec(2, 4);
    const auto equal = initialTensors(spec, 3, InitialHeads::Equal);
    const auto identical = initialTensors(spec, 3, InitialHeads::Identical);
    for (const auto &[name, tensor] : equal) {
        const bool isOfHeads = name.ends_with("out.weight") && name.find("feed_forward") == std::string::npos;
        QVERIFY2(isOfHeads != torch::equal(tensor, identical.at(name)), name.c_str());
        if (!isOfHeads)
            continue;
        for (int head = 0; head < 4; ++head)
            QVERIFY2(torch::equal(tensor.narrow(1, 8 * head, 8), identical.at(name).narrow(1, 0, 8)), name.c_str());
    }
    QCOMPARE(headSpread(spec, equal), std::optional<double>(0));
    const double different = headSpread(spec, initialTensors(spec, 3)).value_or(0);
    QVERIFY2(std::abs(different - std::sqrt(0.75)) < 0.02, qPrintable(QString::number(different)));
    const double between = headSpread(spec, identical).value_or(0);
    QVERIFY(between > 0.2 && between < different - 0.1);
    // Noise by the weights' deviation: between four heads √(3/4) of it is left beside their mean.
    const double noisy = headSpread(spec, initialTensors(spec, 3, InitialHeads::Equal, 0.01)).value_or(0);
    QVERIFY2(std::abs(noisy - 0.01 * std::sqrt(0.75)) < 0.001, qPrintable(QString::number(noisy)));
    QVERIFY(!headSpread(smallSpec(2, 1), initialTensors(smallSpec(2, 1), 3)).has_value());
}

void TestTrainParts::bf16GradientIsCloseToF32()
{
    const TransformerSpec spec = smallSpec(1, 2);
    const auto tensors = initialTensors(spec, 3);
    const auto gradient = [&](bool half) {
        const Parameters parameters(spec, tensors, half, torch::kCPU);
        const Transformer &model = parameters.trainedModel();
        const auto memory = model.encode(TokenBatch::pad({{3, 4, 5, 0}, {6, 0}}, 49, torch::kCPU), {});
        const auto hidden = model.decode(TokenBatch::pad({{49, 7, 8}, {49, 9}}, 49, torch::kCPU), &memory, {});
        const auto loss
            = plainSmoothedLoss(hidden.flatten(0, 1), model.weights().outputWeight, model.weights().outputBias,
                                model.weights().outputHalf, torch::tensor({7, 8, 0, 9, 0, 0}, torch::kInt64), 0.1);
        return parameters.flatten(torch::autograd::grad({loss.smoothed}, parameters.leaves(), {}, false, false, true));
    };
    const auto exact = gradient(false);
    const auto rough = gradient(true);
    QVERIFY(exact.norm().item<double>() > 0.1);
    QVERIFY((exact - rough).norm().item<double>() < 0.05 * exact.norm().item<double>());
}

QTEST_GUILESS_MAIN(TestTrainParts)
#include "tst_trainparts.moc"

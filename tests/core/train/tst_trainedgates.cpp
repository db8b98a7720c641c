// Gates of heads: Hard Concrete against its closed forms, relaxed subsets against what they are relaxed from.
#include "core/model/transformer.h"
#include "core/train/hardconcrete.h"
#include "core/train/optimizer.h"
#include "core/train/parameters.h"
#include "core/train/trainedgates.h"
#include "tests/support/smallspec.h"

#include <ATen/Context.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/types.h>

#include <QTest>

#include <cmath>
#include <vector>

using namespace headscope;
using namespace headscope::testing;

namespace {

torch::Tensor logits(const Transformer &model, const HeadGates &gates)
{
    const auto memory = model.encode(TokenBatch::pad({{3, 4, 5, 0}, {6, 0}}, 49, torch::kCPU), gates);
    return model.logits(model.decode(TokenBatch::pad({{49, 7, 8}, {49, 9}}, 49, torch::kCPU), &memory, gates));
}

} // namespace

class TestTrainedGates : public QObject
{
    Q_OBJECT

    TransformerSpec m_spec = smallSpec(2, 4);
    std::unique_ptr<Transformer> m_model;

    std::unique_ptr<const TrainedGates> gates(const GateConfig &config) const
    {
        return TrainedGates::make(config, m_model->layout());
    }

private Q_SLOTS:
    void initTestCase()
    {
        m_model
            = std::make_unique<Transformer>(m_spec, TransformerWeights::assemble(m_spec, initialTensors(m_spec, 3)));
    }

    void closedFormsAgreeWithSamples_data()
    {
        QTest::addColumn<double>("phi");
        for (const double phi : {-3.0, -0.7913, 0.0, 0.5, 2.5})
            QTest::addRow("%.4f", phi) << phi;
    }
    void closedFormsAgreeWithSamples()
    {
        QFETCH(double, phi);
        torch::manual_seed(11);
        constexpr std::int64_t kSamples = 200'000;
        const auto phis = torch::full({kSamples}, phi, torch::kFloat64);
        const auto samples = concreteGate(phis, torch::rand({kSamples}, torch::kFloat64).clamp(1e-6, 1 - 1e-6));
        QVERIFY(samples.min().item<double>() >= 0 && samples.max().item<double>() <= 1);
        const auto one = torch::full({1}, phi, torch::kFloat64);
        const auto share = [](const torch::Tensor &is) { return is.to(torch::kFloat64).mean().item<double>(); };
        QVERIFY(std::abs(share(samples == 0) - concreteClosed(one).item<double>()) < 0.004);
        QVERIFY(std::abs(share(samples == 1) - concreteWhole(one).item<double>()) < 0.004);
        QVERIFY(std::abs(share(samples != 0) - concreteOpen(one).item<double>()) < 0.004);
        // The constants of the paper's code: β ln(−γ/ζ) = −0.7913.
        QVERIFY(std::abs(concreteOpen(one).item<double>() - 1 / (1 + std::exp(-phi - 0.7913))) < 1e-4);
        QVERIFY(std::abs(concreteClosed(one).item<double>() + concreteOpen(one).item<double>() - 1) < 1e-12);
    }

    void penaltyHasItsDerivative()
    {
        const auto l0 = gates({.method = GateMethod::L0, .kinds = {}, .lambda = 0.25});
        const auto values = torch::linspace(-3, 3, 24, torch::kFloat64).requires_grad_(true);
        const auto penalty = l0->penalty(values);
        const auto open = concreteOpen(values.detach());
        QVERIFY(std::abs(penalty.item<double>() - 0.25 * open.sum().item<double>()) < 1e-12);
        const auto gradient = torch::autograd::grad({penalty}, {values}).front();
        QVERIFY(torch::allclose(gradient, 0.25 * open * (1 - open), 0, 1e-12));
    }

    void openAndClosedGatesAreMasks()
    {
        const auto l0 = gates({.method = GateMethod::L0, .kinds = {}});
        QCOMPARE(l0->heads().size(), 24U);
        const auto whole = logits(*m_model, {});
        const auto open = l0->draw(torch::full({24}, 40.0), 1, 5);
        QVERIFY(torch::equal(open, torch::ones({24})));
        QVERIFY(torch::equal(logits(*m_model, l0->gatesOf(open)), whole));
        const auto values = torch::full({24}, 40.0);
        HeadMask mask;
        std::vector<HeadRef> closed;
        for (const int at : {1, 7, 12, 23}) {
            values[at] = -40;
            closed.push_back(l0->heads()[static_cast<std::size_t>(at)]);
        }
        mask = HeadMask(closed);
        QCOMPARE(l0->mask(values), mask);
        const auto gated = logits(*m_model, l0->gatesOf(l0->draw(values, 1, 5)));
        const auto masked = logits(*m_model, HeadGates::fromMask(mask, m_model->layout(), m_model->options()));
        QVERIFY(torch::equal(gated, masked));
        QVERIFY(!torch::allclose(masked, whole));
        // As a head without output weights: what taking it out leaves.
        auto tensors = initialTensors(m_spec, 3);
        for (const HeadRef &head : closed) {
            const bool encoder = head.kind == HeadKind::Encoder;
            const std::string name = std::string(encoder ? "encoder." : "decoder.") + std::to_string(head.layer)
                                   + (head.kind == HeadKind::Cross ? ".cross" : ".self") + ".out.weight";
            QVERIFY2(tensors.contains(name), name.c_str());
            tensors[name].narrow(1, head.head * 8, 8).zero_();
        }
        const Transformer removed(m_spec, TransformerWeights::assemble(m_spec, tensors));
        QVERIFY(torch::allclose(logits(removed, {}), masked, 0, 1e-5));
    }

    void noiseIsThatOfSeedAndUpdate()
    {
        const auto l0 = gates({.method = GateMethod::L0, .kinds = {}});
        const auto values = torch::zeros({24});
        QVERIFY(torch::equal(l0->draw(values, 1, 5), l0->draw(values, 1, 5)));
        QVERIFY(!torch::equal(l0->draw(values, 1, 5), l0->draw(values, 1, 6)));
        QVERIFY(!torch::equal(l0->draw(values, 2, 5), l0->draw(values, 1, 5)));
    }

    void kindsChooseHeads()
    {
        const auto cross = gates({.method = GateMethod::L0, .kinds = {HeadKind::Cross}});
        QCOMPARE(cross->heads().size(), 8U);
        for (const HeadRef &head : cross->heads())
            QCOMPARE(head.kind, HeadKind::Cross);
        const HeadGates some = cross->gatesOf(torch::zeros({8}));
        QVERIFY(!some.at(HeadKind::Encoder, 0).gate.defined());
        QCOMPARE(some.at(HeadKind::Cross, 1).gate.numel(), 4);
        QVERIFY(gates({}) == nullptr);
        QVERIFY_EXCEPTION_THROWN(gates({.method = GateMethod::Subset, .kinds = {}, .heads = 25}), Failure);
    }

    void relaxedSubsetHardens()
    {
        torch::manual_seed(5);
        const auto values = torch::randn({24}, torch::kFloat64);
        for (const std::int64_t k : {1, 5, 23, 24}) {
            const auto hard = relaxedTopK(values, k, 1e-8);
            QVERIFY(std::abs(hard.sum().item<double>() - static_cast<double>(k)) < 1e-9);
            auto best = torch::zeros({24}, torch::kFloat64);
            best.index_fill_(0, std::get<1>(values.topk(k)), 1);
            QVERIFY2(torch::allclose(hard, best, 0, 1e-9), std::to_string(k).c_str());
            const auto soft = relaxedTopK(values, k, 1);
            QVERIFY(std::abs(soft.sum().item<double>() - static_cast<double>(k)) < 1e-9);
        }
        const auto leaf = values.clone().requires_grad_(true);
        const auto gradient
            = torch::autograd::grad({(relaxedTopK(leaf, 5, 2.0) * torch::arange(24, torch::kFloat64)).sum()}, {leaf})
                  .front();
        QVERIFY((gradient != 0).all().item<bool>() && gradient.isfinite().all().item<bool>());
        const auto cold = torch::autograd::grad({relaxedTopK(leaf, 5, 1e-8).sum()}, {leaf}).front();
        QVERIFY(cold.isfinite().all().item<bool>());
    }

    void subsetKeepsExactlySoMany()
    {
        const auto subset = gates({.method = GateMethod::Subset, .kinds = {}, .heads = 7});
        const auto values = subset->initial(3);
        QCOMPARE(subset->mask(values).size(), 24 - 7);
        QCOMPARE(subset->mask(torch::zeros({24})).size(), 24 - 7); // ties too
        double closed = 0;
        for (const auto &[head, one] : subset->closed(values, 0))
            closed += one;
        QVERIFY(std::abs(closed - 17) < 1e-6);
        QVERIFY(!subset->penalty(values).defined());
    }

    void frozenWeightsAndGatesHaveTheirPlaces()
    {
        const auto tensors = initialTensors(m_spec, 3);
        Parameters parameters(m_spec, tensors, true, torch::kCPU,
                              {.isTrained = [](const std::string &slot) { return slot.starts_with("encoder.0."); },
                               .gates = torch::arange(24, torch::kFloat32)});
        std::int64_t trained = 24;
        for (const auto &[slot, tensor] : tensors)
            trained += slot.starts_with("encoder.0.") ? tensor.numel() : 0;
        QCOMPARE(parameters.count(), trained);
        QVERIFY(torch::equal(parameters.gates(), torch::arange(24, torch::kFloat32)));
        parameters.values().add_(1);
        QVERIFY(torch::equal(parameters.gateLeaf().detach(), torch::arange(24, torch::kFloat32) + 1));
        for (const auto &[slot, tensor] : parameters.tensors())
            QCOMPARE(torch::equal(tensor, tensors.at(slot)), !slot.starts_with("encoder.0."));
    }

    void lastNumbersMoveAtTheirOwnRate()
    {
        const OptimizerConfig config{.kind = OptimizerKind::AdamW, .weightDecay = 0.5, .clipNorm = 0};
        torch::manual_seed(2);
        const auto start = torch::randn({(1 << 16) + 40}); // the end lies in the second piece
        const auto gradient = torch::randn_like(start);
        const auto moved = [&](std::int64_t tail, double factor, const OptimizerConfig &by, double rate) {
            auto values = start.clone();
            Optimizer optimizer(by, values, Execution());
            optimizer.setTail(tail, factor);
            std::vector<torch::Tensor> parts{gradient.clone()};
            (void)optimizer.step(values, parts, 1, rate);
            return values;
        };
        const auto both = moved(50, 20, config, 0.01);
        const auto plain = moved(0, 1, config, 0.01);
        OptimizerConfig undecayed = config;
        undecayed.weightDecay = 0;
        const auto fast = moved(0, 1, undecayed, 0.2);
        const std::int64_t front = start.numel() - 50;
        QVERIFY(torch::equal(both.narrow(0, 0, front), plain.narrow(0, 0, front)));
        QVERIFY(torch::equal(both.narrow(0, front, 50), fast.narrow(0, front, 50)));
    }
};

QTEST_GUILESS_MAIN(TestTrainedGates)
#include "tst_trainedgates.moc"

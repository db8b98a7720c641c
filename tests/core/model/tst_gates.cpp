// Identities of gates and masks, on a model of fixed weights.
#include "tests/core/model/fixturemodel.h"

#include <ATen/core/grad_mode.h>
#include <QTest>
#include <torch/csrc/autograd/autograd.h>
#include <torch/types.h>

using namespace headscope;
using namespace headscope::testing;

namespace {

const std::vector<HeadRef> kSomeHeads
    = {{HeadKind::Encoder, 0, 1}, {HeadKind::Encoder, 1, 3}, {HeadKind::Cross, 0, 0},
       {HeadKind::Cross, 1, 2},   {HeadKind::Decoder, 0, 2}, {HeadKind::Decoder, 1, 1}};

using Tensors = std::map<std::string, torch::Tensor>;

std::string attentionName(const HeadRef &head)
{
    return Recorder::place(head.kind, head.layer, "");
}

Transformer modelOf(const TransformerSpec &spec, const Tensors &tensors)
{
    return Transformer(spec, TransformerWeights::assemble(spec, tensors));
}

torch::Tensor logitsOf(const Transformer &model, const HeadMask &mask = {})
{
    return forcedLogits(model, kSources, kTargets, HeadGates::fromMask(mask, model.layout(), model.options()));
}

/// ∂(Σ loss)/∂gate for a gate of the given shape on one head's layer.
torch::Tensor gateGradient(const Transformer &model, const HeadRef &head, torch::Tensor gate)
{
    const torch::AutoGradMode withGradients(true);
    gate = gate.detach().requires_grad_(true);
    HeadGates gates;
    gates.edit(head.kind, head.layer).gate = gate;
    const auto loss = torch::log_softmax(forcedLogits(model, kSources, kTargets, gates), -1).select(2, 5).sum();
    return torch::autograd::grad({loss}, {gate})[0];
}

/// Positions of the queries of a kind of attention.
std::int64_t queries(HeadKind kind)
{
    return kind == HeadKind::Encoder ? 4 : 3;
}

} // namespace

class TestGates : public QObject
{
    Q_OBJECT

    TransformerSpec m_spec = specOf(marianConfig());
    Tensors m_tensors = filledTensors(m_spec, marianConfig());

    Tensors copied() const
    {
        Tensors tensors;
        for (const auto &[name, tensor] : m_tensors)
            tensors[name] = tensor.clone();
        return tensors;
    }

private Q_SLOTS:
    void gatesOfOneChangeNothing() // T1
    {
        const Transformer model = modelOf(m_spec, m_tensors);
        HeadGates ones;
        for (HeadKind kind : kAllHeadKinds) {
            for (int layer = 0; layer < 2; ++layer)
                ones.edit(kind, layer).gate = torch::ones({4});
        }
        QVERIFY(torch::equal(forcedLogits(model, kSources, kTargets, ones), logitsOf(model)));
    }

    void maskedHeadEqualsZeroColumnsEqualsRemoval() // T2, T26
    {
        const Transformer model = modelOf(m_spec, m_tensors);
        for (const HeadRef &head : kSomeHeads) {
            const auto masked = logitsOf(model, {head});
            QVERIFY(distance(masked, logitsOf(model)) > 1e-4);

            Tensors zeroed = copied();
            zeroed[attentionName(head) + "out.weight"].narrow(1, head.head * 4, 4).zero_();
            QVERIFY(distance(masked, logitsOf(modelOf(m_spec, zeroed))) < 1e-5);

            TransformerSpec smaller = m_spec;
            std::erase(smaller.attention(head.kind, head.layer).heads, head.head);
            Tensors removed = copied();
            std::vector<std::int64_t> kept;
            for (std::int64_t row = 0; row < 16; ++row) {
                if (row / 4 != head.head)
                    kept.push_back(row);
            }
            const auto index = torch::tensor(kept, torch::kInt64);
            for (const char *part :
                 {"query.weight", "query.bias", "key.weight", "key.bias", "value.weight", "value.bias"}) {
                torch::Tensor &tensor = removed[attentionName(head) + part];
                tensor = tensor.index_select(0, index);
            }
            torch::Tensor &out = removed[attentionName(head) + "out.weight"];
            out = out.index_select(1, index);
            const Transformer pruned = modelOf(smaller, removed);
            QVERIFY(!pruned.layout().contains(head));
            QCOMPARE(pruned.layout().size(), model.layout().size() - 1);
            QVERIFY(distance(masked, logitsOf(pruned)) < 1e-5);
            // A mask on the pruned model finds heads by their original numbers.
            const HeadRef other{head.kind, head.layer, 3 - head.head};
            QVERIFY(distance(logitsOf(model, {head, other}), logitsOf(pruned, {other})) < 1e-5);
        }
    }

    void gateOnProbabilitiesEqualsGateOnContexts() // T3
    {
        // P·ξ times V equals ξ times P·V: scaling W_V and b_V by ξ stands for the first.
        const Transformer model = modelOf(m_spec, m_tensors);
        for (const HeadRef &head : kSomeHeads) {
            Tensors scaled = copied();
            for (const char *part : {"value.weight", "value.bias"})
                scaled[attentionName(head) + part].narrow(0, head.head * 4, 4).mul_(0.3);
            HeadGates gates;
            auto gate = torch::ones({4});
            gate[head.head] = 0.3;
            gates.edit(head.kind, head.layer).gate = gate;
            QVERIFY(distance(forcedLogits(model, kSources, kTargets, gates), logitsOf(modelOf(m_spec, scaled))) < 1e-5);
        }
    }

    void allHeadsMaskedLeavesTheBias() // T4
    {
        const Transformer model = modelOf(m_spec, m_tensors);
        HeadMask all;
        for (const HeadRef &head : model.layout().heads())
            all.set(head, true);
        Tensors biasOnly = copied();
        for (const HeadRef &head : model.layout().heads())
            biasOnly[attentionName(head) + "out.weight"].zero_();
        QVERIFY(distance(logitsOf(model, all), logitsOf(modelOf(m_spec, biasOnly))) < 1e-6);

        TransformerSpec none = m_spec;
        for (const HeadKind kind : kAllHeadKinds) {
            for (int layer = 0; layer < 2; ++layer)
                none.attention(kind, layer).heads.clear();
        }
        const Transformer empty(none, TransformerWeights::assemble(none, m_tensors));
        QVERIFY(distance(logitsOf(model, all), logitsOf(empty)) < 1e-6);
    }

    void perTokenGateGradientIsContextTimesItsGradient() // T5
    {
        const Transformer model = modelOf(m_spec, m_tensors);
        for (const HeadRef &head : kSomeHeads) {
            const std::int64_t positions = queries(head.kind);
            const auto gradient = gateGradient(model, head, torch::ones({2, 4, positions}));
            // ∂L/∂c by a replacement that stands where the context stood: c ← 0·c + r, at r = c.
            Recorder recorder;
            recorder.contexts = true;
            forcedLogits(model, kSources, kTargets, {}, &recorder);
            const auto context = recorder.at(head.kind, head.layer, "context").detach();
            const torch::AutoGradMode withGradients(true);
            auto stand = context.clone().requires_grad_(true);
            HeadGates gates;
            gates.edit(head.kind, head.layer) = {torch::zeros({4}), stand};
            const auto loss = torch::log_softmax(forcedLogits(model, kSources, kTargets, gates), -1).select(2, 5).sum();
            const auto byContext = (torch::autograd::grad({loss}, {stand})[0] * context).sum(3);
            QVERIFY(distance(gradient, byContext) < 1e-4);
        }
    }

    void gatesSumOverTokensExamplesAndWeights() // T6
    {
        const Transformer model = modelOf(m_spec, m_tensors);
        for (const HeadRef &head : kSomeHeads) {
            const auto perToken = gateGradient(model, head, torch::ones({2, 4, queries(head.kind)}));
            const auto perExample = gateGradient(model, head, torch::ones({2, 4}));
            const auto shared = gateGradient(model, head, torch::ones({4}));
            QVERIFY(distance(perToken.sum(2), perExample) < 1e-4);
            QVERIFY(distance(perExample.sum(0), shared) < 1e-4);

            // Σ over the head's columns of W_O ∘ ∂L/∂W_O.
            const torch::AutoGradMode withGradients(true);
            Tensors tensors = copied();
            torch::Tensor &out = tensors[attentionName(head) + "out.weight"];
            out.requires_grad_(true);
            const auto loss
                = torch::log_softmax(forcedLogits(modelOf(m_spec, tensors), kSources, kTargets), -1).select(2, 5).sum();
            const auto product = torch::autograd::grad({loss}, {out})[0] * out;
            const auto byWeight = product.view({16, 4, 4}).sum(torch::IntArrayRef{0, 2});
            QVERIFY(distance(shared, byWeight.detach()) < 1e-4);
        }
    }

    void reorderingHeadsReordersTheirGates() // T10
    {
        const Transformer model = modelOf(m_spec, m_tensors);
        const auto order = torch::tensor({2, 0, 3, 1}, torch::kInt64);
        for (const HeadRef &head : kSomeHeads) {
            Tensors moved = copied();
            for (const char *part :
                 {"query.weight", "query.bias", "key.weight", "key.bias", "value.weight", "value.bias"}) {
                torch::Tensor &tensor = moved[attentionName(head) + part];
                const auto shape = tensor.sizes().vec();
                tensor = tensor.view({4, 4, -1}).index_select(0, order).reshape(shape);
            }
            torch::Tensor &out = moved[attentionName(head) + "out.weight"];
            out = out.view({16, 4, 4}).index_select(1, order).reshape({16, 16});
            const Transformer permuted = modelOf(m_spec, moved);
            QVERIFY(distance(logitsOf(permuted), logitsOf(model)) < 1e-5);
            const auto before = gateGradient(model, head, torch::ones({4}));
            const auto after = gateGradient(permuted, head, torch::ones({4}));
            QVERIFY(distance(after, before.index_select(0, order)) < 1e-4);
        }
    }

    void rescaledValuesAndRotatedQueriesLeaveGradients() // T11, T12
    {
        const Transformer model = modelOf(m_spec, m_tensors);
        for (const HeadRef &head : kSomeHeads) {
            Tensors changed = copied();
            const std::string name = attentionName(head);
            const auto rows = [&](const char *part) { return changed[name + part].narrow(0, head.head * 4, 4); };
            for (const char *part : {"value.weight", "value.bias"})
                rows(part).mul_(2.5);
            changed[name + "out.weight"].narrow(1, head.head * 4, 4).div_(2.5);
            const double c = std::cos(0.7);
            const double s = std::sin(0.7);
            auto rotation = torch::eye(4);
            rotation[0][0] = c;
            rotation[0][1] = -s;
            rotation[1][0] = s;
            rotation[1][1] = c;
            for (const char *part : {"query.weight", "key.weight", "query.bias", "key.bias"})
                rows(part).copy_(torch::matmul(rotation, rows(part)));
            rows("key.bias").add_(1.7); // shifts all scores of a query alike (T12)
            const Transformer same = modelOf(m_spec, changed);
            QVERIFY(distance(logitsOf(same), logitsOf(model)) < 2e-5);
            QVERIFY(distance(gateGradient(same, head, torch::ones({4})), gateGradient(model, head, torch::ones({4})))
                    < 2e-4);
        }
    }

    void replacementStandsInForTheContext()
    {
        const Transformer model = modelOf(m_spec, m_tensors);
        for (const HeadRef &head : kSomeHeads) {
            Recorder recorder;
            recorder.contexts = true;
            const auto base = forcedLogits(model, kSources, kTargets, {}, &recorder);
            HeadGates gates;
            gates.edit(head.kind, head.layer) = {torch::zeros({4}), recorder.at(head.kind, head.layer, "context")};
            QVERIFY(distance(forcedLogits(model, kSources, kTargets, gates), base) < 1e-5);
        }
    }

    void rowsMayHaveDifferentGates()
    {
        const Transformer model = modelOf(m_spec, m_tensors);
        for (const HeadRef &head : kSomeHeads) {
            auto gate = torch::ones({2, 4});
            gate[1][head.head] = 0;
            HeadGates gates;
            gates.edit(head.kind, head.layer).gate = gate;
            const auto mixed = forcedLogits(model, kSources, kTargets, gates);
            QVERIFY(distance(mixed[0], logitsOf(model)[0]) < 1e-6);
            QVERIFY(distance(mixed[1], logitsOf(model, {head})[1]) < 1e-6);
        }
    }
};

QTEST_APPLESS_MAIN(TestGates)
#include "tst_gates.moc"

#include <cmath>

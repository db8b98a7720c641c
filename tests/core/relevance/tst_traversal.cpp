// The way back through whole models of fixed weights: the gradient rules against autograd through a forward pass
// with what they change written out, and the identities of METHODS 2.2, 7.9, 8 (T11, T15).
#include "core/model/removeheads.h"
#include "core/relevance/alphabetarule.h"
#include "core/relevance/gradientrules.h"
#include "core/relevance/traversal.h"
#include "tests/core/model/fixturemodel.h"

#include <QTest>
#include <torch/torch.h>

using namespace headscope;
using namespace headscope::testing;

namespace {

constexpr RelevanceRule kRules[]
    = {RelevanceRule::AlphaBeta, RelevanceRule::Epsilon, RelevanceRule::AttnLrp, RelevanceRule::CpLrp};
const std::vector<std::int64_t> kSource = {5, 6, 7, 9, 0};
const std::vector<std::int64_t> kTarget = {31, 4, 9, 17};

nlohmann::json bertConfig()
{
    return {{"model_type", "bert"},     {"vocab_size", 32},         {"hidden_size", 16},
            {"num_hidden_layers", 2},   {"num_attention_heads", 4}, {"intermediate_size", 24},
            {"max_position_embeddings", 24}, {"hidden_act", "gelu"}};
}

nlohmann::json electraConfig()
{
    nlohmann::json config = bertConfig();
    config["model_type"] = "electra";
    config["embedding_size"] = 10;
    return config;
}

using Change = std::function<void(const std::string &name, torch::Tensor &tensor)>;

/// In float64, so that identities hold to the last digits.
Transformer modelOf(const TransformerSpec &spec, const nlohmann::json &config, const Change &change = {},
                    torch::ScalarType type = torch::kFloat64)
{
    auto tensors = filledTensors(spec, config);
    for (auto &[name, tensor] : tensors) {
        tensor = tensor.to(torch::kFloat64);
        if (change)
            change(name, tensor);
        tensor = tensor.to(type);
    }
    return Transformer(spec, TransformerWeights::assemble(spec, tensors));
}

struct Kind
{
    const char *name;
    TransformerSpec spec;
    nlohmann::json config;
};

std::vector<Kind> kinds()
{
    TransformerSpec pre = specOf(marianConfig());
    pre.norm = NormPlacement::Pre;
    pre.finalNorm = true;
    return {{"Marian", specOf(marianConfig()), marianConfig()},
            {"pre-norm", pre, marianConfig()},
            {"BERT", specOf(bertConfig()), bertConfig()},
            {"ELECTRA", specOf(electraConfig()), electraConfig()}};
}

RelevanceTrace traced(const Transformer &model, const PropagationRule &rule, std::int64_t messageNumbers = 0)
{
    const JobControl control;
    const TokenBatch source = TokenBatch::pad({kSource}, 31, torch::kCPU);
    const TokenBatch target = TokenBatch::pad({kTarget}, 31, torch::kCPU);
    return Traversal(model, rule, control, messageNumbers).run(source, model.spec().decoder ? &target : nullptr);
}

std::unique_ptr<const PropagationRule> ruleOf(RelevanceRule rule)
{
    static const JobControl control;
    return makePropagationRule(rule, false, control);
}

/// Shares of a layer's heads, [K, H].
torch::Tensor shares(const torch::Tensor &heads) { return heads / heads.sum(1, true); }

double largestDifference(const RelevanceTrace &a, const RelevanceTrace &b)
{
    double largest = std::max(distance(a.source, b.source), distance(a.total, b.total));
    if (a.prefix.defined())
        largest = std::max(largest, distance(a.prefix, b.prefix));
    for (const auto &[where, heads] : a.heads)
        largest = std::max(largest, distance(heads, b.heads.at(where)));
    return largest;
}

/// A forward pass whose backward pass is AttnLRP's or CP-LRP's.
class ChangedForward
{
public:
    ChangedForward(const Transformer &model, bool attentionConstant)
        : m_model(model), m_spec(model.spec()), m_attentionConstant(attentionConstant)
    {
    }

    std::map<std::pair<HeadKind, int>, torch::Tensor> contexts; ///< [H, T, Dh]

    torch::Tensor encoder(const torch::Tensor &embedding) // [S, E]
    {
        const StackWeights &weights = m_model.weights().encoder;
        auto hidden = embedded(embedding, weights);
        for (int i = 0; i < m_spec.encoder.layers(); ++i) {
            const LayerWeights &layer = weights.layers[static_cast<std::size_t>(i)];
            hidden = attention(hidden, {}, {}, layer.self, {HeadKind::Encoder, i});
            hidden = feedForward(hidden, layer);
        }
        return m_spec.finalNorm ? norm(hidden, weights.finalNorm) : hidden;
    }

    torch::Tensor decoder(const torch::Tensor &embedding, const torch::Tensor &memory) // [T, E], [S, D]
    {
        const StackWeights &weights = m_model.weights().decoder;
        auto hidden = embedded(embedding, weights);
        const auto length = embedding.size(0);
        const auto later = torch::ones({length, length}, torch::kBool).triu(1);
        const auto causal = torch::zeros({length, length}, m_model.options()).masked_fill(later, -1e30);
        for (int i = 0; i < m_spec.decoder->layers(); ++i) {
            const LayerWeights &layer = weights.layers[static_cast<std::size_t>(i)];
            hidden = attention(hidden, {}, causal, layer.self, {HeadKind::Decoder, i});
            hidden = attention(hidden, memory, {}, layer.cross, {HeadKind::Cross, i});
            hidden = feedForward(hidden, layer);
        }
        return m_spec.finalNorm ? norm(hidden, weights.finalNorm) : hidden;
    }

    torch::Tensor activation(const torch::Tensor &x, Activation which) const
    {
        return x * (activate(x, which) / x).detach();
    }

private:
    static torch::Tensor half(const torch::Tensor &x) { return 0.5 * x + (0.5 * x).detach(); }

    torch::Tensor norm(const torch::Tensor &x, const Norm &weights) const
    {
        const auto sigma = torch::sqrt(x.var(-1, false, true) + m_spec.normEpsilon).detach();
        return (x - x.mean(-1, true)) / sigma * weights.weight + weights.bias;
    }

    torch::Tensor embedded(const torch::Tensor &embedding, const StackWeights &weights) const
    {
        const auto hidden = m_spec.embeddingNorm ? norm(embedding, weights.embeddingNorm) : embedding;
        return weights.projection.weight.defined() ? weights.projection(hidden) : hidden;
    }

    torch::Tensor feedForward(const torch::Tensor &hidden, const LayerWeights &layer) const
    {
        const bool pre = m_spec.norm == NormPlacement::Pre;
        const auto input = pre ? norm(hidden, layer.feedForwardNorm) : hidden;
        const auto sum
            = hidden + layer.feedForwardOut(activation(layer.feedForwardIn(input), m_spec.activation));
        return pre ? sum : norm(sum, layer.feedForwardNorm);
    }

    torch::Tensor attention(const torch::Tensor &hidden, const torch::Tensor &memory, const torch::Tensor &bias,
                            const AttentionWeights &weights, std::pair<HeadKind, int> where)
    {
        const bool pre = m_spec.norm == NormPlacement::Pre;
        const auto input = pre ? norm(hidden, weights.norm) : hidden;
        const auto split = [&](const torch::Tensor &x) {
            return x.view({x.size(0), weights.heads, -1}).transpose(0, 1);
        };
        const auto &read = memory.defined() ? memory : input;
        const double scale = std::pow(m_spec.encoder.headWidth, -0.5);
        auto query = split(weights.query(input)) * scale;
        auto key = split(weights.key(read));
        auto value = split(weights.value(read));
        if (!m_attentionConstant) {
            query = half(query);
            key = half(key);
            value = half(value);
        }
        auto scores = torch::matmul(query, key.transpose(1, 2));
        if (bias.defined())
            scores = scores + bias;
        auto probabilities = torch::softmax(scores, -1);
        probabilities = m_attentionConstant ? probabilities.detach() : half(probabilities);
        const auto context = torch::matmul(probabilities, value);
        contexts[where] = context;
        const auto sum = hidden + weights.out(context.transpose(0, 1).flatten(1));
        return pre ? sum : norm(sum, weights.norm);
    }

    const Transformer &m_model;
    const TransformerSpec &m_spec;
    bool m_attentionConstant;
};

/// Embeddings as the model makes them, [T, E].
std::pair<torch::Tensor, torch::Tensor> embeddingsOf(const Transformer &model)
{
    const torch::NoGradGuard noGrad;
    Recorder recorder;
    recorder.inputs = true;
    (void)model.beginEncoder(TokenBatch::pad({kSource}, 31, torch::kCPU), nullptr, &recorder);
    if (model.spec().decoder)
        (void)model.beginDecoder(TokenBatch::pad({kTarget}, 31, torch::kCPU), nullptr, &recorder);
    const auto decoder = recorder.tensors.find("decoder.embedding");
    return {recorder.tensors.at("encoder.embedding")[0],
            decoder == recorder.tensors.end() ? torch::Tensor() : decoder->second[0]};
}

/// Traces by autograd, one backward pass for each.
RelevanceTrace byAutograd(const Transformer &model, bool attentionConstant, const std::vector<std::int64_t> &targets)
{
    const torch::AutoGradMode on(true);
    const TransformerWeights &weights = model.weights();
    auto [source, prefix] = embeddingsOf(model);
    source = source.detach().clone().requires_grad_(true);
    std::vector<torch::Tensor> leaves{source};
    ChangedForward forward(model, attentionConstant);
    const auto memory = forward.encoder(source);
    torch::Tensor logits; // [K, outputs]
    if (prefix.defined()) {
        prefix = prefix.detach().clone().requires_grad_(true);
        leaves.push_back(prefix);
        logits = torch::linear(forward.decoder(prefix, memory), weights.outputWeight)
                 + (weights.outputBias.defined() ? weights.outputBias.flatten() : torch::zeros({1}, torch::kFloat64));
    } else {
        const auto inside = weights.classifierDense(memory.narrow(0, 0, 1));
        logits = weights.classifierOut(forward.activation(inside, model.spec().classifier->activation));
    }
    for (const auto &[where, context] : forward.contexts)
        leaves.push_back(context);
    RelevanceTrace trace;
    std::map<std::pair<HeadKind, int>, std::vector<torch::Tensor>> heads;
    std::vector<torch::Tensor> sources, prefixes, totals;
    for (std::size_t k = 0; k < targets.size(); ++k) {
        const auto row = logits[static_cast<std::int64_t>(k)];
        auto allowed = row.detach().clone();
        for (const std::int64_t banned : model.spec().generation.bannedLogits)
            allowed[banned] = -INFINITY;
        trace.targets.push_back(allowed.argmax().item<std::int64_t>());
        const auto logit = row[targets[k]];
        auto gradients = torch::autograd::grad({logit / logit.detach()}, leaves, {}, true, false, true);
        for (std::size_t i = 0; i < leaves.size(); ++i)
            gradients[i] = gradients[i].defined() ? gradients[i] * leaves[i].detach() : torch::zeros_like(leaves[i]);
        std::size_t next = 0;
        sources.push_back(gradients[next].abs().sum(1));
        auto total = gradients[next++].sum();
        if (prefix.defined()) {
            prefixes.push_back(gradients[next].abs().sum(1));
            total = total + gradients[next++].sum();
        }
        totals.push_back(total);
        for (const auto &[where, context] : forward.contexts)
            heads[where].push_back(gradients[next++].sum(torch::IntArrayRef{1, 2}));
    }
    for (const auto &[where, rows] : heads)
        trace.heads[where] = torch::stack(rows).detach();
    trace.source = torch::stack(sources).detach();
    trace.total = torch::stack(totals).detach();
    if (prefix.defined())
        trace.prefix = torch::stack(prefixes).detach();
    return trace;
}

} // namespace

class TestTraversal : public QObject
{
    Q_OBJECT

    std::vector<Kind> m_kinds;

private Q_SLOTS:
    void initTestCase() { m_kinds = kinds(); }

    void gradientRulesEqualAutograd()
    {
        for (const Kind &kind : m_kinds) {
            const Transformer model = modelOf(kind.spec, kind.config);
            for (const bool constant : {false, true}) {
                const auto got = traced(model, GradientRule(constant));
                const auto wanted = byAutograd(model, constant, got.targets);
                QCOMPARE(got.targets, wanted.targets);
                QCOMPARE(got.heads.size(), wanted.heads.size());
                const double scale = wanted.source.abs().max().item<double>();
                const double difference = largestDifference(wanted, got);
                QVERIFY2(difference < 1e-9 * std::max(1.0, scale), kind.name);
                // It is not that nothing happens.
                QVERIFY(scale > 1e-3);
                for (const auto &[where, heads] : got.heads)
                    QVERIFY(heads.abs().max().item<double>() > 1e-6);
            }
        }
    }

    void alphaBetaConservesMassAndIsNotNegative() // T15
    {
        for (const Kind &kind : m_kinds) {
            for (const auto type : {torch::kFloat64, torch::kFloat32}) {
                const double tolerance = type == torch::kFloat64 ? 1e-12 : 1e-5;
                const auto got = traced(modelOf(kind.spec, kind.config, {}, type), *ruleOf(RelevanceRule::AlphaBeta));
                QVERIFY2((got.total - 1).abs().max().item<double>() < tolerance, kind.name);
                auto all = got.source.sum(1);
                if (got.prefix.defined())
                    all = all + got.prefix.sum(1);
                QVERIFY(distance(all, got.total) < tolerance); // not negative: Σ|R| = Σ R
                for (const auto &[where, heads] : got.heads) {
                    QVERIFY(heads.min().item<double>() >= 0);
                    QVERIFY(heads.sum(1).max().item<double>() <= 1 + tolerance);
                }
            }
        }
    }

    /// In a decoder nothing comes from later positions.
    void laterPositionsHaveNoRelevance()
    {
        for (const RelevanceRule rule : kRules) {
            const auto got = traced(modelOf(m_kinds[0].spec, m_kinds[0].config), *ruleOf(rule));
            QCOMPARE(got.prefix.triu(1).abs().max().item<double>(), 0.0);
            QVERIFY((got.prefix.diagonal() > 0).all().item<bool>());
            QVERIFY((got.source > 0).all().item<bool>());
        }
    }

    /// Our loops in float32 against LibTorch in float64, through a whole model.
    void floatsAgreeWithDoubles()
    {
        for (const Kind &kind : m_kinds) {
            for (const auto rule : {RelevanceRule::AlphaBeta, RelevanceRule::AttnLrp, RelevanceRule::CpLrp}) {
                const auto floats = traced(modelOf(kind.spec, kind.config, {}, torch::kFloat32), *ruleOf(rule));
                const auto doubles = traced(modelOf(kind.spec, kind.config), *ruleOf(rule));
                const double scale = std::max(1.0, doubles.source.abs().max().item<double>());
                // Shares of sums that nearly cancel.
                QVERIFY2(largestDifference(doubles, floats) < 2e-3 * scale, kind.name);
            }
        }
    }

    void biasFreeNetworksConserve() // T15; CP-LRP is homogeneous, rule A up to ε
    {
        const Change unbiased = [](const std::string &name, torch::Tensor &tensor) {
            if (name.ends_with("bias"))
                tensor.zero_();
        };
        for (const Kind &kind : m_kinds) {
            const Transformer model = modelOf(kind.spec, kind.config, unbiased);
            QVERIFY2((traced(model, GradientRule(true)).total - 1).abs().max().item<double>() < 1e-9, kind.name);
            const auto shares = traced(model, EpsilonRule(1e-15));
            // Relevances of both signs cancel: digits are lost by how large they are.
            const double scale = shares.source.abs().max().item<double>();
            QVERIFY2((shares.total - 1).abs().max().item<double>() < 1e-9 * std::max(1.0, scale), kind.name);
        }
    }

    void ruleAIgnoresBiases()
    {
        for (const Kind &kind : m_kinds) {
            const auto got = traced(modelOf(kind.spec, kind.config), EpsilonRule(1e-15));
            const double scale = got.source.abs().max().item<double>();
            QVERIFY2((got.total - 1).abs().max().item<double>() < 1e-9 * std::max(1.0, scale), kind.name);
        }
    }

    void scalingBetweenValuesAndOutputsChangesNothing() // T11
    {
        const auto scaled = [](double factor) {
            return [factor](const std::string &name, torch::Tensor &tensor) {
                const bool values = name.ends_with("self.value.weight") || name.ends_with("self.value.bias");
                if (values && name.starts_with("encoder.1"))
                    tensor.slice(0, 4, 8).mul_(factor); // head 1
                if (name == "encoder.1.self.out.weight")
                    tensor.slice(1, 4, 8).div_(factor);
            };
        };
        for (const Kind &kind : m_kinds) {
            const Transformer one = modelOf(kind.spec, kind.config);
            const Transformer other = modelOf(kind.spec, kind.config, scaled(8));
            for (const auto rule : {RelevanceRule::CpLrp, RelevanceRule::AttnLrp}) {
                const auto before = traced(one, *ruleOf(rule));
                QVERIFY(largestDifference(before, traced(other, *ruleOf(rule)))
                        < 1e-9 * std::max(1.0, before.source.abs().max().item<double>()));
            }
            const auto before = traced(one, EpsilonRule(1e-15));
            QVERIFY(largestDifference(before, traced(other, EpsilonRule(1e-15)))
                    < 1e-8 * std::max(1.0, before.source.abs().max().item<double>()));
        }
    }

    void silentHeadsHaveNoRelevance()
    {
        const Change silent = [](const std::string &name, torch::Tensor &tensor) {
            if (name.ends_with("self.value.weight") || name.ends_with("self.value.bias"))
                tensor.slice(0, 8, 12).zero_(); // head 2
        };
        const Change silentAndUnbiased = [&](const std::string &name, torch::Tensor &tensor) {
            silent(name, tensor);
            if (name.ends_with("self.out.bias"))
                tensor.zero_();
        };
        for (const Kind &kind : m_kinds) {
            const Transformer model = modelOf(kind.spec, kind.config, silent);
            const auto none = [](const RelevanceTrace &trace) {
                double largest = 0;
                for (const auto &[where, heads] : trace.heads) {
                    if (where.first != HeadKind::Cross)
                        largest = std::max(largest, heads.select(1, 2).abs().max().item<double>());
                }
                return largest;
            };
            for (const auto rule : {RelevanceRule::Epsilon, RelevanceRule::AttnLrp, RelevanceRule::CpLrp})
                QCOMPARE(none(traced(model, *ruleOf(rule))), 0.0);
            const double leak = none(traced(model, *ruleOf(RelevanceRule::AlphaBeta)));
            QVERIFY(leak > 0 && leak < 0.1); // a share of the bias
            const Transformer unbiased = modelOf(kind.spec, kind.config, silentAndUnbiased);
            QCOMPARE(none(traced(unbiased, *ruleOf(RelevanceRule::AlphaBeta))), 0.0);
        }
    }

    void headsCanBeRagged() // T26
    {
        const Transformer whole = modelOf(m_kinds[0].spec, m_kinds[0].config);
        HeadMask mask{{HeadKind::Encoder, 0, 1}, {HeadKind::Cross, 1, 0}, {HeadKind::Cross, 1, 3}};
        for (int head = 0; head < 4; ++head) { // a layer without heads in the encoder, and in the decoder
            mask.set({HeadKind::Encoder, 1, head}, true);
            mask.set({HeadKind::Decoder, 0, head}, true);
        }
        const Transformer model = withoutHeads(whole, mask);
        for (const RelevanceRule rule : kRules) {
            const auto got = traced(model, *ruleOf(rule));
            QCOMPARE(got.heads.size(), std::size_t(4));
            QCOMPARE(got.heads.at({HeadKind::Encoder, 0}).size(1), std::int64_t(3));
            QCOMPARE(got.heads.at({HeadKind::Cross, 1}).size(1), std::int64_t(2));
            for (const auto &[where, heads] : got.heads)
                QVERIFY(shares(heads).isfinite().all().item<bool>());
            if (rule == RelevanceRule::AlphaBeta)
                QVERIFY((got.total - 1).abs().max().item<double>() < 1e-12);
        }
        // Nothing of the source is seen without cross-attention.
        HeadMask blind;
        for (const HeadRef &head : whole.layout().heads())
            blind.set(head, head.kind == HeadKind::Cross);
        const auto got = traced(withoutHeads(whole, blind), *ruleOf(RelevanceRule::AlphaBeta));
        QCOMPARE(got.source.abs().max().item<double>(), 0.0);
        QVERIFY((got.prefix.sum(1) - 1).abs().max().item<double>() < 1e-12);
    }

    void stepsInPiecesAreTheSame()
    {
        const Transformer model = modelOf(m_kinds[0].spec, m_kinds[0].config);
        for (const auto rule : {RelevanceRule::AlphaBeta, RelevanceRule::AttnLrp}) {
            const auto whole = traced(model, *ruleOf(rule));
            const auto pieces = traced(model, *ruleOf(rule), 1);
            QCOMPARE(pieces.targets, whole.targets);
            QCOMPARE(pieces.source.size(0), std::int64_t(kTarget.size()));
            QVERIFY(largestDifference(whole, pieces) < 1e-9);
        }
    }

    void bannedTokensAreNoTargets()
    {
        TransformerSpec spec = m_kinds[0].spec;
        const Transformer model = modelOf(spec, m_kinds[0].config);
        const auto first = traced(model, *ruleOf(RelevanceRule::CpLrp)).targets;
        spec.generation.bannedLogits = {first[1]};
        const auto second = traced(modelOf(spec, m_kinds[0].config), *ruleOf(RelevanceRule::CpLrp)).targets;
        QVERIFY(second[1] != first[1]);
    }
};

QTEST_GUILESS_MAIN(TestTraversal)
#include "tst_traversal.moc"

#include <algorithm>
#include <cmath>

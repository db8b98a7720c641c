// The way back through full models of fixed weights: the gradient rules against autograd through a forward pass
// with what they change written out, and the identities of conservation.
#include "core/model/projections.h"
#include "core/model/removeheads.h"
#include "core/relevance/alphabetarule.h"
#include "core/relevance/gradientrules.h"
#include "core/relevance/traversal.h"
#include "tests/core/model/fixturemodel.h"
#include "tests/support/tinyspecs.h"

#include <ATen/core/grad_mode.h>
#include <QTest>
#include <torch/csrc/autograd/autograd.h>
#include <torch/types.h>

#include <algorithm>
#include <iterator>

using namespace headscope;
using namespace headscope::testing;

namespace {

constexpr RelevanceRule kRules[]
    = {RelevanceRule::AlphaBeta, RelevanceRule::Epsilon, RelevanceRule::AttnLrp, RelevanceRule::CpLrp};
const std::vector<std::int64_t> kSource = {5, 6, 7, 9, 0};
const std::vector<std::int64_t> kTarget = {31, 4, 9, 17};

nlohmann::json bertConfig()
{
    return {{"model_type", "bert"},          {"vocab_size", 32},         {"hidden_size", 16},
            {"num_hidden_layers", 2},        {"num_attention_heads", 4}, {"intermediate_size", 24},
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

/// A model's shape and weights, in float64, so that identities hold to the last digits.
struct Kind
{
    std::string name;
    TransformerSpec spec;
    std::map<std::string, torch::Tensor> tensors;

    bool hasRotary() const
    {
        const StackSpec &stack = spec.encoder ? *spec.encoder : *spec.decoder;
        return std::ranges::any_of(stack.subLayers,
                                   [](const SubLayer &sub) { return sub.attention() && sub.attention()->rotary; });
    }
};

Transformer modelOf(const Kind &kind, const Change &change = {}, torch::ScalarType type = torch::kFloat64)
{
    std::map<std::string, torch::Tensor> tensors;
    for (const auto &[name, tensor] : kind.tensors) {
        auto own = tensor.to(torch::kFloat64, false, true);
        if (change)
            change(name, own);
        tensors[name] = own.to(type);
    }
    return Transformer(kind.spec, TransformerWeights::assemble(kind.spec, tensors));
}

Kind fixtureKind(const char *name, const TransformerSpec &spec, const nlohmann::json &config)
{
    return {name, spec, filledTensors(spec, config)};
}

/// A classifier with everything that only newer families have, its norms after the sums.
TransformerSpec newClassifier()
{
    TransformerSpec spec = maskedSpecs().front().spec;
    spec.maskedLm.reset();
    spec.classifier = ClassifierSpec{{"a", "b", "c"}};
    spec.classifier->normed = true;
    spec.norm.kind = NormKind::Rms;
    for (SubLayer &sub : spec.encoder->subLayers) {
        if (auto *attention = std::get_if<AttentionSpec>(&sub.part)) {
            attention->headsPerKey = 2;
            attention->headWidth = 4;
            attention->rotary = RotarySpec{20};
            attention->relative = RelativeBuckets{8, 16, true};
            attention->biases.key = false;
        } else {
            std::get<FeedForwardSpec>(sub.part).gated = true;
        }
    }
    return spec;
}

/// Those that the golden files know.
std::vector<Kind> fixtureKinds()
{
    TransformerSpec pre = specOf(marianConfig());
    pre.norm.placement = NormPlacement::Pre;
    pre.finalNorm = true;
    return {fixtureKind("Marian", specOf(marianConfig()), marianConfig()), fixtureKind("pre-norm", pre, marianConfig()),
            fixtureKind("BERT", specOf(bertConfig()), bertConfig()),
            fixtureKind("ELECTRA", specOf(electraConfig()), electraConfig())};
}

/// Whatever else a spec can say.
std::vector<Kind> otherKinds()
{
    std::vector<NamedSpec> specs = encoderDecoderSpecs();
    std::ranges::copy(causalSpecs(), std::back_inserter(specs));
    specs.push_back({"new classifier", newClassifier()});
    TransformerSpec scored = causalSpecs().at(1).spec; // as Llama's and BART's classifiers
    scored.classifier = ClassifierSpec{{"a", "b", "c"}};
    scored.classifier->dense = scored.classifier->outBiased = false;
    specs.push_back({"classified decoder", scored});
    TransformerSpec read = encoderDecoderSpecs().front().spec;
    read.classifier = ClassifierSpec{{"a", "b"}};
    specs.push_back({"classified encoder-decoder", read});
    std::vector<Kind> kinds;
    for (const NamedSpec &named : specs)
        kinds.push_back({named.name, named.spec, randomTensors(named.spec, 5, torch::kFloat64)});
    return kinds;
}

RelevanceTrace traced(const Transformer &model, const PropagationRule &rule, std::int64_t messageNumbers = 0,
                      std::int64_t from = 0)
{
    const JobControl control;
    const TokenBatch source = TokenBatch::pad({kSource}, 31, torch::kCPU);
    const TokenBatch target = TokenBatch::pad({kTarget}, 31, torch::kCPU);
    return Traversal(model, rule, control, messageNumbers)
        .run(model.spec().encoder ? &source : nullptr, model.spec().decoder ? &target : nullptr, from);
}

std::unique_ptr<const PropagationRule> ruleOf(RelevanceRule rule)
{
    static const JobControl control;
    return makePropagationRule(rule, false, control);
}

QString said(const Kind &kind, double number)
{
    return QString::fromStdString(kind.name) + QStringLiteral(": ") + QString::number(number);
}

/// Shares of a layer's heads, [K, H].
torch::Tensor shares(const torch::Tensor &heads)
{
    return heads / heads.sum(1, true);
}

double largestDifference(const RelevanceTrace &a, const RelevanceTrace &b)
{
    double largest = distance(a.total, b.total);
    if (a.source.defined())
        largest = std::max(largest, distance(a.source, b.source));
    if (a.prefix.defined())
        largest = std::max(largest, distance(a.prefix, b.prefix));
    for (const auto &[where, heads] : a.heads)
        largest = std::max(largest, distance(heads, b.heads.at(where)));
    return largest;
}

/// Of the tokens' relevances: digits are lost by how large they are.
double scaleOf(const RelevanceTrace &trace)
{
    double largest = 1;
    for (const torch::Tensor &tokens : {trace.source, trace.prefix}) {
        if (tokens.defined())
            largest = std::max(largest, tokens.abs().max().item<double>());
    }
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

    /// Sum of embeddings [T, E] → the stack's output [T, D]. `memory`: undefined where nothing is read.
    torch::Tensor stack(Side side, const torch::Tensor &embedding, const torch::Tensor &memory)
    {
        const StackWeights &weights = m_model.weights().stack(side);
        const NormPlacement norms = m_spec.norm.placement;
        auto hidden = m_spec.embeddingNorm ? norm(embedding, weights.embeddingNorm) : embedding;
        if (weights.projection.weight.defined() && !m_spec.projectsTokens)
            hidden = weights.projection(hidden);
        const StackSpec &spec = *m_spec.stack(side);
        torch::Tensor read;
        for (int place = 0; place < spec.places(); ++place) {
            const SubLayer &sub = spec.at(place);
            const SubLayerWeights &own = weights.at(place);
            if (!sub.beside)
                read = hidden;
            const bool first = norms == NormPlacement::Pre || norms == NormPlacement::Around;
            const auto input = first && sub.normsInput ? norm(read, own.norm) : read;
            auto output = sub.attention() ? attention(input, memory, sub, own.attention(), weights.relativeBias)
                                          : feedForward(input, *sub.feedForward(), own.feedForward());
            if (norms == NormPlacement::Around || norms == NormPlacement::Output)
                output = norm(output, own.outputNorm);
            hidden = hidden + m_spec.residualScale * output;
            if (norms == NormPlacement::Post)
                hidden = norm(hidden, own.norm);
        }
        return m_spec.finalNorm ? norm(hidden, weights.finalNorm) : hidden;
    }

    torch::Tensor activation(const torch::Tensor &x, Activation which) const
    {
        return x * (activate(x, which) / x).detach();
    }

    torch::Tensor norm(const torch::Tensor &x, const Norm &weights) const
    {
        const double epsilon = m_spec.norm.epsilon;
        if (m_spec.norm.kind == NormKind::Rms)
            return x / torch::sqrt(x.square().mean(-1, true) + epsilon).detach() * weights.weight;
        const auto sigma = torch::sqrt(x.var(-1, false, true) + epsilon).detach();
        return (x - x.mean(-1, true)) / sigma * weights.weight + weights.bias;
    }

private:
    static torch::Tensor scaledBy(const torch::Tensor &x, const torch::Tensor &made)
    {
        return x * torch::where(x == 0, torch::ones_like(x), made / x).detach();
    }
    static torch::Tensor half(const torch::Tensor &x) { return 0.5 * x + (0.5 * x).detach(); }

    torch::Tensor feedForward(const torch::Tensor &x, const FeedForwardSpec &spec,
                              const FeedForwardWeights &weights) const
    {
        if (spec.experts)
            return byExperts(x, spec, weights);
        if (!spec.gated)
            return weights.out(activation(weights.in(x), spec.activation));
        auto gate = weights.gate(x), in = weights.in(x);
        if (spec.limit > 0) {
            gate = scaledBy(gate, gate.clamp_max(spec.limit));
            in = scaledBy(in, in.clamp(-spec.limit, spec.limit)) + 1;
        }
        return weights.out(half(activation(gate, spec.activation)) * half(in));
    }

    /// Position by position: those of the largest scores, how much of each being constant.
    torch::Tensor byExperts(const torch::Tensor &x, const FeedForwardSpec &spec,
                            const FeedForwardWeights &weights) const
    {
        const Experts &experts = *spec.experts;
        FeedForwardSpec layer = spec;
        layer.experts.reset();
        std::vector<torch::Tensor> outputs;
        for (std::int64_t t = 0; t < x.size(0); ++t) {
            const auto row = x.narrow(0, t, 1);
            const auto scores = weights.router(row.detach()).flatten().exp();
            const auto order = scores.argsort(-1, true);
            const auto all
                = experts.normalized ? scores.index_select(0, order.narrow(0, 0, experts.chosen)).sum() : scores.sum();
            auto output = torch::zeros_like(row);
            if (spec.width > 0) {
                output = feedForward(row, layer, weights);
                if (experts.gatesShared)
                    output = output / (1 + (-weights.sharedGate(row.detach())).exp());
            }
            for (std::int64_t k = 0; k < experts.chosen; ++k) {
                const auto e = order[k].item<std::int64_t>();
                FeedForwardSpec expert = layer;
                expert.width = experts.width;
                output
                    = output + scores[e] / all * feedForward(row, expert, weights.experts[static_cast<std::size_t>(e)]);
            }
            outputs.push_back(output);
        }
        return torch::cat(outputs);
    }

    /// Pairs of entries turned as complex numbers.
    static torch::Tensor turned(const torch::Tensor &head, const RotarySpec &rotary) // [T, Dh]
    {
        const std::int64_t width = rotary.width > 0 ? rotary.width : head.size(1);
        const std::int64_t pairs = width / 2;
        std::vector<torch::Tensor> real, imaginary;
        for (std::int64_t i = 0; i < pairs; ++i) {
            const double frequency = rotary.frequencies.empty()
                                       ? std::pow(rotary.base, -static_cast<double>(i) / static_cast<double>(pairs))
                                       : static_cast<double>(rotary.frequencies[static_cast<std::size_t>(i)]);
            const auto angle = torch::arange(head.size(0), torch::kFloat64) * frequency;
            const auto x = head.select(1, rotary.neighbours ? 2 * i : i);
            const auto y = head.select(1, rotary.neighbours ? 2 * i + 1 : i + pairs);
            real.push_back(x * angle.cos() - y * angle.sin());
            imaginary.push_back(x * angle.sin() + y * angle.cos());
        }
        std::vector<torch::Tensor> columns;
        for (std::size_t i = 0; rotary.neighbours && i < real.size(); ++i) {
            columns.push_back(real[i]);
            columns.push_back(imaginary[i]);
        }
        if (rotary.neighbours)
            real = columns;
        else
            real.insert(real.end(), imaginary.begin(), imaginary.end());
        return torch::cat({torch::stack(real, 1) * rotary.stretch, head.slice(1, width)}, 1);
    }

    static torch::Tensor scoreBias(const AttentionSpec &spec, int head, const torch::Tensor &table,
                                   std::int64_t queries, std::int64_t keys)
    {
        auto bias = torch::zeros({queries, keys}, torch::kFloat64);
        for (std::int64_t t = 0; t < queries; ++t) {
            for (std::int64_t s = 0; s < keys; ++s) {
                if (spec.relative)
                    bias[t][s] = table[relativeBucket(s - t, *spec.relative)][head];
                if (!spec.slopes.empty())
                    bias[t][s]
                        = static_cast<double>(spec.slopes[static_cast<std::size_t>(head)]) * static_cast<double>(s - t);
                if ((spec.causal && s > t) || (spec.reach && std::abs(s - t) > *spec.reach))
                    bias[t][s] = -1e30;
            }
        }
        return bias;
    }

    /// [T, n·Dh] → of heads `left` where all were projected.
    static torch::Tensor normed(const torch::Tensor &x, const AttentionSpec &spec, const Norm &norm,
                                const std::vector<int> &left)
    {
        const double epsilon = spec.headNorm->epsilon;
        std::vector<torch::Tensor> heads;
        const auto all = torch::sqrt(x.square().mean(-1, true) + epsilon).detach();
        const bool together = spec.headNorm->together;
        for (std::size_t i = 0; i < left.size(); ++i) {
            if (spec.headNorm->kind == NormKind::Layer) {
                const auto own = x.narrow(1, spec.headWidth * static_cast<std::int64_t>(i), spec.headWidth);
                const auto sigma = torch::sqrt(own.var(-1, false, true) + epsilon).detach();
                const auto row = static_cast<std::int64_t>(i);
                const auto standard
                    = (own - own.mean(-1, true)) / sigma * (spec.headNorm->ownWeights ? norm.weight[row] : norm.weight);
                heads.push_back(norm.bias.defined() ? standard + norm.bias : standard);
                continue;
            }
            const std::int64_t first = spec.headWidth * (together ? left[i] : static_cast<std::int64_t>(i));
            const auto head = x.narrow(1, first, spec.headWidth);
            heads.push_back(together
                                ? head / all * norm.weight.narrow(0, first, spec.headWidth)
                                : head / torch::sqrt(head.square().mean(-1, true) + epsilon).detach() * norm.weight);
        }
        return torch::cat(heads, 1);
    }

    torch::Tensor attention(const torch::Tensor &input, const torch::Tensor &memory, const SubLayer &sub,
                            const AttentionWeights &weights, const torch::Tensor &table)
    {
        const AttentionSpec &spec = *sub.attention();
        const auto none = torch::zeros({m_spec.width}, torch::kFloat64);
        if (spec.heads.empty())
            return weights.out.bias.defined() ? weights.out.bias : none;
        const auto &read = spec.readsMemory() ? memory : input;
        auto query = queryMap(spec, weights)(input), key = keyMap(spec, weights)(read), value = weights.value(read);
        if (spec.clip > 0) {
            for (torch::Tensor *x : {&query, &key, &value})
                *x = scaledBy(*x, x->clamp(-spec.clip, spec.clip));
        }
        if (spec.headNorm) {
            query = normed(query, spec, weights.queryNorm, spec.heads);
            key = normed(key, spec, weights.keyNorm, spec.keyHeads());
        }
        const auto keyPlaces = spec.keyPlaces(), valuePlaces = spec.valuePlaces();
        std::vector<torch::Tensor> heads;
        for (std::size_t h = 0; h < spec.heads.size(); ++h) {
            const auto part = [&](const torch::Tensor &x, std::int64_t place, std::int64_t width) {
                return x.narrow(1, place * width, width);
            };
            auto q = part(query, static_cast<std::int64_t>(h), spec.scoreWidth());
            auto k = part(key, keyPlaces[h], spec.scoreWidth());
            auto v = part(value, valuePlaces[h], spec.headWidth);
            if (spec.rotary) {
                q = turned(q, *spec.rotary);
                k = turned(k, *spec.rotary);
            }
            if (!m_attentionConstant) {
                q = half(q);
                k = half(k);
                v = half(v);
            }
            auto products = torch::matmul(q, k.t()) * spec.scale;
            if (spec.scoreCap > 0)
                products = scaledBy(products, torch::tanh(products / spec.scoreCap) * spec.scoreCap);
            auto scores = products + scoreBias(spec, spec.heads[h], table, input.size(0), read.size(0));
            if (spec.sinks) // one more key, which has no value
                scores
                    = torch::cat({scores, weights.sinks[static_cast<std::int64_t>(h)].expand({scores.size(0), 1})}, 1);
            const auto probabilities = torch::softmax(scores, -1).narrow(1, 0, read.size(0));
            heads.push_back(torch::matmul(m_attentionConstant ? probabilities.detach() : half(probabilities), v));
        }
        const auto context = torch::stack(heads);
        contexts[{spec.kind, sub.layer}] = context;
        return weights.out(context.transpose(0, 1).flatten(1));
    }

    const Transformer &m_model;
    const TransformerSpec &m_spec;
    bool m_attentionConstant;
};

/// Sums of embeddings as the model makes them, [T, E]; undefined where there is no such stack.
torch::Tensor embeddingsOf(const Transformer &model, Side side)
{
    if (!model.spec().stack(side))
        return {};
    const torch::NoGradGuard noGrad;
    const auto ids = torch::tensor(side == Side::Encoder ? kSource : kTarget).unsqueeze(0);
    const auto positions = side == Side::Encoder ? positionsOf(ids, model.spec()) : torch::arange(ids.size(1));
    torch::Tensor sum;
    (void)model.embed(side, ids, positions, {}, &sum);
    return sum[0];
}

/// Traces by autograd, one backward pass for each.
RelevanceTrace byAutograd(const Transformer &model, bool attentionConstant, const std::vector<std::int64_t> &targets)
{
    const torch::AutoGradMode on(true);
    const TransformerWeights &weights = model.weights();
    const TransformerSpec &spec = model.spec();
    std::vector<torch::Tensor> leaves;
    const auto leaf = [&](Side side) {
        auto embeddings = embeddingsOf(model, side);
        if (embeddings.defined())
            leaves.push_back(embeddings = embeddings.detach().clone().requires_grad_(true));
        return embeddings;
    };
    const auto source = leaf(Side::Encoder), prefix = leaf(Side::Decoder);
    ChangedForward forward(model, attentionConstant);
    const auto memory = source.defined() ? forward.stack(Side::Encoder, source, {}) : torch::Tensor();
    torch::Tensor logits; // [K, outputs]
    if (prefix.defined() && !spec.classifier) {
        auto decoded = forward.stack(Side::Decoder, prefix, memory) * spec.outputScale;
        if (spec.projectsTokens)
            decoded = weights.outputProjection(decoded);
        logits = torch::linear(decoded, weights.outputWeight)
               + (weights.outputBias.defined() ? weights.outputBias.flatten() : torch::zeros({1}, torch::kFloat64));
    } else {
        auto read
            = prefix.defined() ? forward.stack(Side::Decoder, prefix, memory).narrow(0, -1, 1) : memory.narrow(0, 0, 1);
        if (spec.classifier->dense)
            read = forward.activation(weights.classifierDense(read), spec.classifier->activation);
        if (spec.classifier->normed)
            read = forward.norm(read, weights.classifierNorm);
        logits = weights.classifierOut(read);
    }
    for (const auto &[where, context] : forward.contexts)
        leaves.push_back(context);
    RelevanceTrace trace;
    std::map<std::pair<HeadKind, int>, std::vector<torch::Tensor>> heads;
    std::vector<torch::Tensor> sources, prefixes, totals;
    for (std::size_t k = 0; k < targets.size(); ++k) {
        const auto row = logits[static_cast<std::int64_t>(k)];
        auto allowed = row.detach().clone();
        for (const std::int64_t banned : spec.generation.bannedLogits)
            allowed[banned] = -INFINITY;
        trace.targets.push_back(allowed.argmax().item<std::int64_t>());
        const auto logit = row[targets[k]];
        auto gradients = torch::autograd::grad({logit / logit.detach()}, leaves, {}, true, false, true);
        for (std::size_t i = 0; i < leaves.size(); ++i)
            gradients[i] = gradients[i].defined() ? gradients[i] * leaves[i].detach() : torch::zeros_like(leaves[i]);
        std::size_t next = 0;
        auto total = torch::zeros({}, torch::kFloat64);
        for (const auto &[embedding, rows] : {std::pair(source, &sources), std::pair(prefix, &prefixes)}) {
            if (!embedding.defined())
                continue;
            rows->push_back(gradients[next].abs().sum(1));
            total = total + gradients[next++].sum();
        }
        totals.push_back(total);
        for (const auto &[where, context] : forward.contexts)
            heads[where].push_back(gradients[next++].sum(torch::IntArrayRef{1, 2}));
    }
    for (const auto &[where, rows] : heads)
        trace.heads[where] = torch::stack(rows).detach();
    trace.total = torch::stack(totals).detach();
    if (source.defined())
        trace.source = torch::stack(sources).detach();
    if (prefix.defined())
        trace.prefix = torch::stack(prefixes).detach();
    return trace;
}

} // namespace

class TestTraversal : public QObject
{
    Q_OBJECT

    std::vector<Kind> m_fixtures; ///< heads of width 4 everywhere
    std::vector<Kind> m_kinds;    ///< these first

private Q_SLOTS:
    void initTestCase()
    {
        m_kinds = m_fixtures = fixtureKinds();
        std::ranges::move(otherKinds(), std::back_inserter(m_kinds));
    }

    void gradientRulesEqualAutograd()
    {
        for (const Kind &kind : m_kinds) {
            const Transformer model = modelOf(kind);
            for (const bool constant : {false, true}) {
                const auto got = traced(model, GradientRule(constant));
                const auto wanted = byAutograd(model, constant, got.targets);
                QCOMPARE(got.targets, wanted.targets);
                QCOMPARE(got.heads.size(), wanted.heads.size());
                const double difference = largestDifference(wanted, got);
                const double tolerance = kind.hasRotary() ? 1e-6 : 1e-9; // the model's angles are float32, ours are not
                QVERIFY2(difference < tolerance * scaleOf(wanted), qPrintable(said(kind, difference)));
                // It is not that nothing happens.
                QVERIFY((wanted.source.defined() ? wanted.source : wanted.prefix).abs().max().item<double>() > 1e-3);
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
                const auto got = traced(modelOf(kind, {}, type), *ruleOf(RelevanceRule::AlphaBeta));
                QVERIFY2((got.total - 1).abs().max().item<double>() < tolerance, kind.name.c_str());
                auto all = torch::zeros_like(got.total);
                for (const torch::Tensor &tokens : {got.source, got.prefix})
                    all = tokens.defined() ? all + tokens.sum(1) : all;
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
        for (const Kind &kind : m_kinds) {
            if (!kind.spec.saysTokens())
                continue;
            for (const RelevanceRule rule : kRules) {
                const auto got = traced(modelOf(kind), *ruleOf(rule));
                QCOMPARE(got.prefix.triu(1).abs().max().item<double>(), 0.0);
                QVERIFY((got.prefix.diagonal() > 0).all().item<bool>());
                QCOMPARE(got.source.defined(), kind.spec.encoder.has_value());
                QVERIFY(!got.source.defined() || (got.source > 0).all().item<bool>());
            }
        }
    }

    /// Our loops in float32 against LibTorch in float64, through a full model.
    void floatsAgreeWithDoubles()
    {
        for (const Kind &kind : m_kinds) {
            for (const auto rule : {RelevanceRule::AlphaBeta, RelevanceRule::AttnLrp, RelevanceRule::CpLrp}) {
                const auto floats = traced(modelOf(kind, {}, torch::kFloat32), *ruleOf(rule));
                const auto doubles = traced(modelOf(kind), *ruleOf(rule));
                const double difference = largestDifference(doubles, floats);
                // Shares of sums that nearly cancel.
                QVERIFY2(difference < 2e-3 * scaleOf(doubles), qPrintable(said(kind, difference)));
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
            Kind plain = kind; // without the ones that layers with limits add, which are biases
            for (const Side side : kBothSides) {
                for (std::size_t i = 0; plain.spec.stack(side) && i < plain.spec.stack(side)->subLayers.size(); ++i) {
                    if (auto *layer = std::get_if<FeedForwardSpec>(&plain.spec.stack(side)->subLayers[i].part))
                        layer->limit = 0;
                }
            }
            const Transformer model = modelOf(plain, unbiased);
            const auto slopes = traced(model, GradientRule(true));
            QVERIFY2((slopes.total - 1).abs().max().item<double>() < 1e-9 * scaleOf(slopes), kind.name.c_str());
            const auto shares = traced(model, EpsilonRule(1e-15));
            // Relevances of both signs cancel: digits are lost by how large they are.
            QVERIFY2((shares.total - 1).abs().max().item<double>() < 1e-9 * scaleOf(shares), kind.name.c_str());
            // All is linear but the activations, and of those rule A's share and the slope f(x)/x say the same.
            const double difference = largestDifference(slopes, shares);
            QVERIFY2(difference < 1e-7 * scaleOf(slopes), qPrintable(said(kind, difference)));
        }
    }

    void ruleAIgnoresBiases()
    {
        for (const Kind &kind : m_kinds) {
            const auto got = traced(modelOf(kind), EpsilonRule(1e-15));
            QVERIFY2((got.total - 1).abs().max().item<double>() < 1e-9 * scaleOf(got), kind.name.c_str());
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
        for (const Kind &kind : m_fixtures) {
            const Transformer one = modelOf(kind);
            const Transformer other = modelOf(kind, scaled(8));
            for (const auto rule : {RelevanceRule::CpLrp, RelevanceRule::AttnLrp}) {
                const auto before = traced(one, *ruleOf(rule));
                QVERIFY(largestDifference(before, traced(other, *ruleOf(rule))) < 1e-9 * scaleOf(before));
            }
            const auto before = traced(one, EpsilonRule(1e-15));
            QVERIFY(largestDifference(before, traced(other, EpsilonRule(1e-15))) < 1e-8 * scaleOf(before));
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
        for (const Kind &kind : m_fixtures) {
            const Transformer model = modelOf(kind, silent);
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
            const Transformer unbiased = modelOf(kind, silentAndUnbiased);
            QCOMPARE(none(traced(unbiased, *ruleOf(RelevanceRule::AlphaBeta))), 0.0);
        }
    }

    void headsCanBeRagged() // T26
    {
        const Transformer whole = modelOf(m_kinds[0]);
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
        for (const Kind &kind : m_kinds) {
            if (!kind.spec.saysTokens())
                continue;
            const Transformer model = modelOf(kind);
            for (const auto rule : {RelevanceRule::AlphaBeta, RelevanceRule::AttnLrp}) {
                const auto whole = traced(model, *ruleOf(rule));
                const auto pieces = traced(model, *ruleOf(rule), 1);
                QCOMPARE(pieces.targets, whole.targets);
                QCOMPARE(pieces.prefix.size(0), std::int64_t(kTarget.size()));
                QVERIFY(largestDifference(whole, pieces) < 1e-9 * scaleOf(whole));
            }
        }
    }

    void bannedTokensAreNoTargets()
    {
        Kind kind = m_kinds[0];
        const auto first = traced(modelOf(kind), *ruleOf(RelevanceRule::CpLrp)).targets;
        kind.spec.generation.bannedLogits = {first[1]};
        const auto second = traced(modelOf(kind), *ruleOf(RelevanceRule::CpLrp)).targets;
        QVERIFY(second[1] != first[1]);
    }

    void everyPositionOfADecoderIsTraced()
    {
        for (const NamedSpec &named : causalSpecs()) {
            const auto model = randomModel(named.spec, 3);
            const auto got = traced(*model, *ruleOf(RelevanceRule::AlphaBeta));
            QVERIFY(!got.source.defined());
            QCOMPARE(got.prefix.sizes(), torch::IntArrayRef({4, 4}));
            const auto hidden = model->decode(TokenBatch::pad({kTarget}, 31, torch::kCPU), nullptr, {});
            const auto chosen = model->logits(hidden)[0].argmax(1);
            QVERIFY(torch::equal(chosen, torch::tensor(got.targets)));
            const auto rest = traced(*model, *ruleOf(RelevanceRule::AlphaBeta), 0, 3);
            QCOMPARE(rest.targets, std::vector<std::int64_t>{got.targets.back()});
            QVERIFY(distance(rest.prefix, got.prefix.slice(0, 3)) < 1e-6);
            for (const auto &[where, heads] : rest.heads)
                QVERIFY(distance(heads, got.heads.at(where).slice(0, 3)) < 1e-6);
        }
    }

    void whatSaysNothingIsNotTraced()
    {
        TransformerSpec bare = maskedSpecs().front().spec;
        bare.maskedLm.reset();
        const auto model = randomModel(bare, 3);
        const JobControl control;
        const auto rule = ruleOf(RelevanceRule::AlphaBeta);
        try {
            const Traversal traversal(*model, *rule, control);
            QFAIL("traced");
        } catch (const Failure &failure) {
            QCOMPARE(failure.error().code, ErrorCode::Usage);
            QVERIFY(failure.error().message.find("classifier") != std::string::npos);
        }
    }
};

QTEST_GUILESS_MAIN(TestTraversal)
#include "tst_traversal.moc"

#include <algorithm>
#include <cmath>

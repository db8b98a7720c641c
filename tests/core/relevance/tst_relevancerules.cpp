// Every rule's operations against twins that build the whole Jacobian by autograd and apply the formula as it is
// written (Voita et al. 2019, appendix).
#include "core/model/transformer.h"
#include "core/relevance/alphabetarule.h"
#include "core/relevance/gradientrules.h"

#include <ATen/Context.h>
#include <ATen/core/grad_mode.h>
#include <QTest>
#include <torch/csrc/autograd/autograd.h>
#include <torch/types.h>

#include <cmath>
#include <functional>
#include <limits>

using namespace headscope;

namespace {

using Tensors = std::vector<torch::Tensor>;
using Function = std::function<torch::Tensor(const Tensors &)>;

const auto kDouble = torch::TensorOptions(torch::kFloat64);
constexpr NormSpec kLayerNorm{NormKind::Layer, NormPlacement::Post, 1e-5};
constexpr NormSpec kRmsNorm{NormKind::Rms, NormPlacement::Post, 1e-5};

double distance(const torch::Tensor &a, const torch::Tensor &b)
{
    return a.sizes() == b.sizes() ? (a.to(torch::kFloat64) - b.to(torch::kFloat64)).abs().max().item<double>()
                                  : INFINITY;
}

torch::Tensor flat(const Tensors &tensors)
{
    Tensors parts;
    for (const auto &tensor : tensors)
        parts.push_back(tensor.flatten());
    return torch::cat(parts);
}

/// Σ over outputs o of weights[o] · ∂f_o/∂inputs, flat; with a unit vector, a row of the Jacobian.
torch::Tensor gradient(const Function &f, const Tensors &inputs, const torch::Tensor &weights)
{
    const torch::AutoGradMode on(true);
    Tensors leaves;
    for (const auto &input : inputs)
        leaves.push_back(input.detach().clone().requires_grad_(true));
    auto found = torch::autograd::grad({(f(leaves).flatten() * weights).sum()}, leaves, {}, {}, false, true);
    for (std::size_t i = 0; i < found.size(); ++i)
        found[i] = found[i].defined() ? found[i] : torch::zeros_like(inputs[i]);
    return flat(found);
}

/// Contributions z_ji = J_ji x_i + f_j(0)/n, [outputs, inputs].
torch::Tensor contributions(const Function &f, const Tensors &inputs)
{
    Tensors zeros;
    for (const auto &input : inputs)
        zeros.push_back(torch::zeros_like(input));
    const auto atZero = f(zeros).flatten();
    const auto x = flat(inputs);
    Tensors rows;
    for (std::int64_t j = 0; j < atZero.size(0); ++j) {
        auto unit = torch::zeros_like(atZero);
        unit[j] = 1;
        rows.push_back(gradient(f, inputs, unit) * x + atZero[j] / static_cast<double>(x.size(0)));
    }
    return torch::stack(rows);
}

/// Rule B as it is written: relevance of the outputs → of the inputs, flat.
torch::Tensor alphaBeta(const Function &f, const Tensors &inputs, const torch::Tensor &relevance)
{
    const auto z = contributions(f, inputs);
    const auto up = z.clamp_min(0);
    const auto down = z.clamp_max(0);
    const auto transition = 0.5 * up / (up.sum(1, true) + 1e-5) + 0.5 * down / (down.sum(1, true) - 1e-5);
    const auto result = torch::matmul(relevance.flatten(), transition);
    return result * (relevance.abs().sum() / result.abs().sum());
}

/// Rule A: f without its bias, and with what counts as constant constant.
torch::Tensor epsilonRule(const Function &f, const Tensors &inputs, const torch::Tensor &relevance)
{
    const auto z = contributions(f, inputs);
    const auto y = z.sum(1, true);
    const auto sign = torch::where(y < 0, -torch::ones_like(y), torch::ones_like(y));
    return torch::matmul(relevance.flatten(), z / (y + 1e-9 * sign));
}

torch::Tensor made(torch::IntArrayRef shape, double scale = 1)
{
    return torch::randn(shape, kDouble) * scale;
}

/// Sizes are small: a head's Jacobian has T·Dh × (T + 2S)·Dh entries, each row of it by autograd.
struct Operation
{
    std::int64_t steps = 3, positions = 4, keys = 5, heads = 2, width = 3, in = 7, out = 6;
    torch::Tensor x = made({positions, in});
    Linear linear{made({out, in}), made({out}), {}};
    Norm norm{1 + made({in}, 0.3), made({in}, 0.3)};
    torch::Tensor a = made({positions, in}), b = made({positions, in});
    AttentionCore core;

    Operation()
    {
        core.query = made({heads, positions, width});
        core.key = made({heads, keys, width});
        core.value = made({heads, keys, width});
        auto bias = torch::zeros({positions, keys}, kDouble);
        bias[0].slice(0, 2).fill_(std::numeric_limits<float>::lowest()); // as in a decoder
        scoreBias = bias;
        core.scale = 0.7;
        core.probabilities
            = torch::softmax(torch::matmul(core.query, core.key.transpose(1, 2)) * core.scale + bias, -1);
        core.context = torch::matmul(core.probabilities, core.value);
    }
    torch::Tensor scoreBias;

    /// Heads that can be turned, and by what.
    torch::Tensor turned = made({heads, positions, 6});
    RotaryAngles angles = rotaryAngles({50}, 6, 1 + torch::arange(positions), kDouble);
    RotaryAngles anglesAt(std::int64_t t) const { return {angles.cosines[t], angles.sines[t]}; }
    torch::Tensor turnedMessage(bool positive) const
    {
        const auto values = made({steps, heads, positions, 6});
        return positive ? values.abs() : values;
    }

    torch::Tensor message(std::int64_t units, bool positive) const
    {
        const auto values = made({steps, positions, units});
        return positive ? values.abs() : values;
    }
    torch::Tensor attentionMessage(bool positive) const
    {
        const auto values = made({steps, heads, positions, width});
        return positive ? values.abs() : values;
    }
};

/// `twin(position, step)` gives the inputs' messages at one position.
template<typename Twin>
void compareByPosition(const torch::Tensor &got, Twin &&twin, double tolerance)
{
    for (std::int64_t k = 0; k < got.size(0); ++k) {
        for (std::int64_t t = 0; t < got.size(1); ++t) {
            const double difference = distance(got[k][t], twin(k, t));
            QVERIFY2(difference < tolerance, qPrintable(QString::number(difference)));
        }
    }
}

/// The same for heads, one at a time: `twin(position, step, head)`.
template<typename Twin>
void compareByHead(const torch::Tensor &got, Twin &&twin, double tolerance)
{
    for (std::int64_t h = 0; h < got.size(1); ++h)
        compareByPosition(
            got.select(1, h), [&](std::int64_t k, std::int64_t t) { return twin(k, t, h); }, tolerance);
}

torch::Tensor rmsNormed(const torch::Tensor &x, const torch::Tensor &weight, bool rootIsConstant)
{
    const auto root = torch::sqrt(x.square().mean() + kRmsNorm.epsilon);
    return x / (rootIsConstant ? root.detach() : root) * weight;
}

torch::Tensor halved(const torch::Tensor &x)
{
    return 0.5 * x + (0.5 * x).detach();
}

} // namespace

class TestRelevanceRules : public QObject
{
    Q_OBJECT

    const JobControl m_control;

private Q_SLOTS:
    void init() { torch::manual_seed(7); }

    void alphaBetaIsTheFormula_data()
    {
        QTest::addColumn<bool>("floats");
        QTest::newRow("through LibTorch, float64") << false;
        QTest::newRow("by our loops, float32") << true;
    }

    void alphaBetaIsTheFormula()
    {
        QFETCH(bool, floats);
        const auto type = floats ? torch::kFloat32 : torch::kFloat64;
        // Shares of sums that may be as small as 0.01; ε is a float in both.
        const double tolerance = floats ? 2e-4 : 1e-8;
        const AlphaBetaRule rule(false, m_control);
        Operation op;
        // Wide enough for vectors with a rest, and for rows in several blocks.
        op.in = 37;
        op.out = 29;
        op.x = made({op.positions, op.in});
        op.linear = {made({op.out, op.in}), made({op.out}), {}};
        op.norm = {1 + made({op.in}, 0.3), made({op.in}, 0.3)};
        op.a = made({op.positions, op.in});
        op.b = made({op.positions, op.in});
        const auto in = [&](const torch::Tensor &x) { return x.to(type); };

        auto message = op.message(op.out, true);
        message[0].slice(0, 1).zero_(); // a step that says nothing of later positions
        const auto linear = rule.linear(in(op.x), {in(op.linear.weight), in(op.linear.bias), {}}, in(message));
        compareByPosition(
            linear,
            [&](std::int64_t k, std::int64_t t) {
                if (k == 0 && t > 0)
                    return torch::zeros({op.in}, kDouble);
                const Function f
                    = [&](const Tensors &x) { return torch::linear(x[0], op.linear.weight, op.linear.bias); };
                return alphaBeta(f, {op.x[t]}, message[k][t]);
            },
            tolerance);

        const auto aboutNorm = op.message(op.in, true);
        const auto norm = rule.norm(in(op.x), {in(op.norm.weight), in(op.norm.bias)}, kLayerNorm, in(aboutNorm));
        compareByPosition(
            norm,
            [&](std::int64_t k, std::int64_t t) {
                const Function f = [&](const Tensors &x) {
                    return torch::layer_norm(x[0], {op.in}, op.norm.weight, op.norm.bias, 1e-5);
                };
                return alphaBeta(f, {op.x[t]}, aboutNorm[k][t]);
            },
            tolerance);

        const auto aboutSum = op.message(op.in, true);
        const auto [a, b] = rule.sum(in(op.a), in(op.b), in(aboutSum));
        compareByPosition(
            torch::cat({a, b}, 2),
            [&](std::int64_t k, std::int64_t t) {
                return alphaBeta([](const Tensors &x) { return x[0] + x[1]; }, {op.a[t], op.b[t]}, aboutSum[k][t]);
            },
            tolerance);

        const auto unbiased = rule.linear(in(op.x), {in(op.linear.weight), {}, {}}, in(message));
        compareByPosition(
            unbiased.slice(1, 1),
            [&](std::int64_t k, std::int64_t t) {
                if (k == 0)
                    return torch::zeros({op.in}, kDouble);
                const Function f = [&](const Tensors &x) { return torch::matmul(op.linear.weight, x[0]); };
                return alphaBeta(f, {op.x[t + 1]}, message[k][t + 1]);
            },
            tolerance);

        const auto rms = rule.norm(in(op.x), {in(op.norm.weight), {}}, kRmsNorm, in(aboutNorm));
        compareByPosition(
            rms,
            [&](std::int64_t k, std::int64_t t) {
                const Function f = [&](const Tensors &x) { return rmsNormed(x[0], op.norm.weight, false); };
                return alphaBeta(f, {op.x[t]}, aboutNorm[k][t]);
            },
            tolerance);

        const auto [gate, value] = rule.product(in(op.a), in(op.b), in(aboutSum));
        compareByPosition(
            torch::cat({gate, value}, 2),
            [&](std::int64_t k, std::int64_t t) {
                return alphaBeta([](const Tensors &x) { return x[0] * x[1]; }, {op.a[t], op.b[t]}, aboutSum[k][t]);
            },
            tolerance);

        const auto aboutTurned = op.turnedMessage(true);
        const RotaryAngles angles{in(op.angles.cosines), in(op.angles.sines)};
        compareByHead(
            rule.rotation(in(op.turned), angles, in(aboutTurned)),
            [&](std::int64_t k, std::int64_t t, std::int64_t h) {
                const Function f = [&](const Tensors &x) { return rotated(x[0], op.anglesAt(t)); };
                return alphaBeta(f, {op.turned[h][t]}, aboutTurned[k][h][t]);
            },
            tolerance);
    }

    void alphaBetaInAttentionIsTheFormula_data() { alphaBetaIsTheFormula_data(); }

    void alphaBetaInAttentionIsTheFormula()
    {
        QFETCH(bool, floats);
        const auto type = floats ? torch::kFloat32 : torch::kFloat64;
        const Operation op;
        const auto message = op.attentionMessage(true);
        const auto &core = op.core;
        const AttentionCore given{core.query.to(type),         core.key.to(type),     core.value.to(type),
                                  core.probabilities.to(type), core.context.to(type), core.scale};
        for (const bool constant : {false, true}) {
            const AlphaBetaRule rule(constant, m_control);
            const AttentionMessages got = rule.attention(given, message.to(type));
            for (std::int64_t k = 0; k < op.steps; ++k) {
                for (std::int64_t h = 0; h < op.heads; ++h) {
                    const Function f = [&](const Tensors &x) { // jointly by queries, keys and values
                        const auto scores = torch::matmul(x[0], x[1].t()) * core.scale + op.scoreBias;
                        return torch::matmul(constant ? core.probabilities[h] : torch::softmax(scores, -1), x[2]);
                    };
                    const auto wanted = alphaBeta(f, {core.query[h], core.key[h], core.value[h]}, message[k][h]);
                    const double difference = distance(flat({got.query[k][h], got.key[k][h], got.value[k][h]}), wanted);
                    QVERIFY2(difference < (floats ? 1e-4 : 1e-8), qPrintable(QString::number(difference)));
                    if (constant)
                        QCOMPARE(got.query.abs().sum().item<double>() + got.key.abs().sum().item<double>(), 0.0);
                }
            }
        }
    }

    void attentionInPiecesIsTheSame()
    {
        // Long enough that queries go in several pieces: what a query says does not depend on the others.
        const std::int64_t heads = 2, positions = 250, keys = 70, width = 64;
        AttentionCore core{
            made({heads, positions, width}), made({heads, keys, width}), made({heads, keys, width}), {}, {}, 0.1};
        core.probabilities = torch::softmax(torch::matmul(core.query, core.key.transpose(1, 2)) * core.scale, -1);
        core.context = torch::matmul(core.probabilities, core.value);
        const AlphaBetaRule rule(false, m_control);
        auto first = torch::zeros({1, heads, positions, width}, kDouble);
        auto last = torch::zeros_like(first);
        first.select(2, 3).fill_(1);
        last.select(2, positions - 1).fill_(1);
        const auto both = rule.attention(core, torch::cat({first, last}));
        const AttentionCore alone{core.query.slice(1, 3, 4),   core.key,  core.value, core.probabilities.slice(1, 3, 4),
                                  core.context.slice(1, 3, 4), core.scale};
        const auto one = rule.attention(alone, first.slice(2, 3, 4));
        QVERIFY(distance(both.key[0], one.key[0]) < 1e-12);
        QVERIFY(distance(both.value[0], one.value[0]) < 1e-12);
        QVERIFY(distance(both.query[0].slice(1, 3, 4), one.query[0]) < 1e-12);
        QCOMPARE(both.query[1].slice(1, 0, positions - 1).abs().sum().item<double>(), 0.0);
    }

    void alphaBetaKeepsMassAtEveryPosition()
    {
        const Operation op;
        const AlphaBetaRule rule(false, m_control);
        const auto message = op.message(op.out, true);
        const auto mass = [](const torch::Tensor &x) { return x.sum(-1); };
        QVERIFY(distance(mass(rule.linear(op.x, op.linear, message)), mass(message)) < 1e-10);
        const auto other = op.message(op.in, true);
        QVERIFY(distance(mass(rule.norm(op.x, op.norm, kLayerNorm, other)), mass(other)) < 1e-10);
        const auto [a, b] = rule.sum(op.a, op.b, other);
        QVERIFY(distance(mass(a + b), mass(other)) < 1e-10);
        QVERIFY(a.min().item<double>() >= 0 && b.min().item<double>() >= 0);
        QVERIFY(distance(mass(rule.norm(op.x, {op.norm.weight, {}}, kRmsNorm, other)), mass(other)) < 1e-10);
        const auto [gate, value] = rule.product(op.a, op.b, other);
        QVERIFY(distance(mass(gate + value), mass(other)) < 1e-10);
        QVERIFY(distance(gate, value) == 0); // half each
        const auto turned = op.turnedMessage(true);
        QVERIFY(distance(mass(rule.rotation(op.turned, op.angles, turned)), mass(turned)) < 1e-10);
        const auto about = op.attentionMessage(true);
        const auto got = rule.attention(op.core, about);
        const auto perHead = [](const torch::Tensor &x) { return x.sum(torch::IntArrayRef{2, 3}); };
        QVERIFY(distance(perHead(got.query) + perHead(got.key) + perHead(got.value), perHead(about)) < 1e-10);
        QVERIFY(got.query.min().item<double>() >= 0 && got.key.min().item<double>() >= 0);
    }

    /// A context that is 0 gets no more than its share of the bias.
    void silentInputsGetAtMostAShareOfTheBias()
    {
        Operation op;
        op.x.slice(1, 0, 2).zero_();
        const AlphaBetaRule rule(false, m_control);
        const auto message = op.message(op.out, true);
        const auto got = rule.linear(op.x, op.linear, message).slice(2, 0, 2);
        QVERIFY(got.max().item<double>() > 0);
        // Without rescaling at most ½ of (|b|/n) / Σ of the same sign; every output passes on at least half.
        const auto leak = op.linear.bias / static_cast<double>(op.in);
        const auto z = op.linear.weight * op.x.unsqueeze(1) + leak.unsqueeze(1);
        const auto same = torch::where(leak > 0, z.clamp_min(0).sum(2), -z.clamp_max(0).sum(2));
        const auto bound = (message * (leak.abs() / same)).sum(2, true) * (1 + 1e-3);
        QVERIFY((got <= bound).all().item<bool>());
        const Linear unbiased{op.linear.weight, torch::zeros_like(op.linear.bias), {}};
        QCOMPARE(rule.linear(op.x, unbiased, message).slice(2, 0, 2).abs().max().item<double>(), 0.0);
        QCOMPARE(EpsilonRule().linear(op.x, op.linear, message).slice(2, 0, 2).abs().max().item<double>(), 0.0);
    }

    void epsilonIsTheFormula()
    {
        const Operation op;
        const EpsilonRule rule;
        const auto message = op.message(op.out, false);
        compareByPosition(
            rule.linear(op.x, op.linear, message),
            [&](std::int64_t k, std::int64_t t) {
                const Function f = [&](const Tensors &x) { return torch::matmul(op.linear.weight, x[0]); };
                return epsilonRule(f, {op.x[t]}, message[k][t]);
            },
            1e-8);
        const auto other = op.message(op.in, false);
        compareByPosition(
            rule.norm(op.x, op.norm, kLayerNorm, other),
            [&](std::int64_t k, std::int64_t t) {
                const auto sigma = torch::sqrt(op.x[t].var(0, false) + 1e-5);
                const Function f = [&](const Tensors &x) { return (x[0] - x[0].mean()) / sigma * op.norm.weight; };
                return epsilonRule(f, {op.x[t]}, other[k][t]);
            },
            1e-8);
        const auto [a, b] = rule.sum(op.a, op.b, other);
        compareByPosition(
            torch::cat({a, b}, 2),
            [&](std::int64_t k, std::int64_t t) {
                return epsilonRule([](const Tensors &x) { return x[0] + x[1]; }, {op.a[t], op.b[t]}, other[k][t]);
            },
            1e-8);
        compareByPosition(
            rule.norm(op.x, {op.norm.weight, {}}, kRmsNorm, other),
            [&](std::int64_t k, std::int64_t t) {
                const auto root = torch::sqrt(op.x[t].square().mean() + kRmsNorm.epsilon);
                const Function f = [&](const Tensors &x) { return x[0] / root * op.norm.weight; };
                return epsilonRule(f, {op.x[t]}, other[k][t]);
            },
            1e-8);
        const auto [gate, value] = rule.product(op.a, op.b, other);
        compareByPosition(
            torch::cat({gate, value}, 2),
            [&](std::int64_t k, std::int64_t t) {
                const Function f = [&](const Tensors &x) { return x[0] * op.b[t] + op.a[t] * x[1]; };
                return epsilonRule(f, {op.a[t], op.b[t]}, other[k][t]);
            },
            1e-8);
        const auto aboutTurned = op.turnedMessage(false);
        compareByHead(
            rule.rotation(op.turned, op.angles, aboutTurned),
            [&](std::int64_t k, std::int64_t t, std::int64_t h) {
                const Function f = [&](const Tensors &x) { return rotated(x[0], op.anglesAt(t)); };
                return epsilonRule(f, {op.turned[h][t]}, aboutTurned[k][h][t]);
            },
            1e-8);
        const auto about = op.attentionMessage(false);
        const auto got = rule.attention(op.core, about);
        QCOMPARE(got.query.abs().sum().item<double>() + got.key.abs().sum().item<double>(), 0.0);
        for (std::int64_t k = 0; k < op.steps; ++k) {
            for (std::int64_t h = 0; h < op.heads; ++h) {
                const Function f = [&](const Tensors &x) { return torch::matmul(op.core.probabilities[h], x[0]); };
                QVERIFY(distance(got.value[k][h].flatten(), epsilonRule(f, {op.core.value[h]}, about[k][h])) < 1e-8);
            }
        }
        QVERIFY(distance(rule.activation(op.x, Activation::Gelu, other), other) == 0);
    }

    /// sign(0) = +1: what adds up to nothing passes nothing on, and no NaN.
    void sumsOfNothingAreNoTrouble()
    {
        const auto zero = torch::zeros({2, 3}, kDouble);
        const auto message = torch::ones({1, 2, 3}, kDouble);
        for (const auto rule : {RelevanceRule::AlphaBeta, RelevanceRule::Epsilon}) {
            const auto made = makePropagationRule(rule, false, m_control);
            const auto [a, b] = made->sum(zero, zero, message);
            QCOMPARE((a.abs() + b.abs()).sum().item<double>(), 0.0);
            const Linear nothing{torch::zeros({3, 3}, kDouble), torch::zeros({3}, kDouble), {}};
            QCOMPARE(made->linear(zero, nothing, message).abs().sum().item<double>(), 0.0);
            const Norm plain{torch::ones({3}, kDouble), zero[0]};
            QVERIFY(made->norm(zero, plain, kLayerNorm, message).isfinite().all().item<bool>());
            QVERIFY(made->norm(zero, plain, kRmsNorm, message).isfinite().all().item<bool>());
            const auto [gate, value] = made->product(zero, zero, message);
            QCOMPARE((gate.abs() + value.abs()).sum().item<double>(), 0.0);
        }
    }

    /// A network of two linear maps: R_i = w_i x_i, exactly.
    void linearNetworksGiveTheirTerms()
    {
        const auto x = made({1, 5});
        const Linear first{made({4, 5}), torch::zeros({4}, kDouble), {}};
        const Linear second{made({1, 4}), torch::zeros({1}, kDouble), {}};
        const auto hidden = first(x);
        const auto output = second(hidden);
        const EpsilonRule rule(1e-14);
        const auto got = rule.linear(x, first, rule.linear(hidden, second, output.unsqueeze(0)));
        const auto wanted = torch::matmul(second.weight, first.weight) * x;
        QVERIFY(distance(got[0], wanted) < 1e-10);
    }

    void gradientRulesAreGradientsOfAChangedForward()
    {
        const Operation op;
        for (const bool constant : {false, true}) {
            const GradientRule rule(constant);
            const auto about = op.attentionMessage(false);
            const auto got = rule.attention(op.core, about);
            for (std::int64_t k = 0; k < op.steps; ++k) {
                for (std::int64_t h = 0; h < op.heads; ++h) {
                    const Function f = [&](const Tensors &x) {
                        if (constant)
                            return torch::matmul(op.core.probabilities[h], x[2]);
                        const auto scores
                            = torch::matmul(halved(x[0]), halved(x[1]).t()) * op.core.scale + op.scoreBias;
                        return torch::matmul(halved(torch::softmax(scores, -1)), halved(x[2]));
                    };
                    const auto wanted
                        = gradient(f, {op.core.query[h], op.core.key[h], op.core.value[h]}, about[k][h].flatten());
                    QVERIFY(distance(flat({got.query[k][h], got.key[k][h], got.value[k][h]}), wanted) < 1e-12);
                }
            }
        }
        const GradientRule rule(false);
        const auto message = op.message(op.in, false);
        compareByPosition(
            rule.norm(op.x, op.norm, kLayerNorm, message),
            [&](std::int64_t k, std::int64_t t) {
                const Function f = [&](const Tensors &x) {
                    const auto sigma = torch::sqrt(x[0].var(0, false) + 1e-5).detach();
                    return (x[0] - x[0].mean()) / sigma * op.norm.weight + op.norm.bias;
                };
                return gradient(f, {op.x[t]}, message[k][t]);
            },
            1e-12);
        const auto rms = rule.norm(op.x, {op.norm.weight, {}}, kRmsNorm, message);
        compareByPosition(
            rms,
            [&](std::int64_t k, std::int64_t t) {
                const Function f = [&](const Tensors &x) { return rmsNormed(x[0], op.norm.weight, true); };
                return gradient(f, {op.x[t]}, message[k][t]);
            },
            1e-12);
        const auto [gate, value] = rule.product(op.a, op.b, message);
        compareByPosition(
            torch::cat({gate, value}, 2),
            [&](std::int64_t k, std::int64_t t) {
                const Function f = [](const Tensors &x) { return halved(x[0]) * halved(x[1]); };
                return gradient(f, {op.a[t], op.b[t]}, message[k][t]);
            },
            1e-12);
        const auto turned = op.turnedMessage(false);
        compareByHead(
            rule.rotation(op.turned, op.angles, turned),
            [&](std::int64_t k, std::int64_t t, std::int64_t h) {
                const Function f = [&](const Tensors &x) { return rotated(x[0], op.anglesAt(t)); };
                return gradient(f, {op.turned[h][t]}, turned[k][h][t]);
            },
            1e-12);
        for (const auto which : {Activation::Relu, Activation::Gelu, Activation::GeluTanh, Activation::Silu,
                                 Activation::QuickGelu, Activation::Tanh}) {
            auto x = op.x.clone();
            const auto wanted = message * (activate(x, which) / x);
            QVERIFY(distance(rule.activation(x, which, message), wanted) < 1e-12);
            x[0][0] = 0; // 0/0
            const Function f = [&](const Tensors &given) { return activate(given[0], which); };
            const double slope = gradient(f, {torch::zeros({1}, kDouble)}, torch::ones({1}, kDouble)).item<double>();
            const double got = (rule.activation(x, which, message)[0][0][0] / message[0][0][0]).item<double>();
            QVERIFY2(std::abs(got - slope) < 1e-6, qPrintable(QString::number(got)));
        }
    }

    void longWorkCanBeCancelled()
    {
        std::stop_source stop;
        stop.request_stop();
        const JobControl control(stop.get_token());
        const AlphaBetaRule rule(false, control);
        const Operation op;
        QVERIFY_EXCEPTION_THROWN((void)rule.linear(op.x, op.linear, op.message(op.out, true)), Cancelled);
        QVERIFY_EXCEPTION_THROWN((void)rule.attention(op.core, op.attentionMessage(true)), Cancelled);
    }
};

QTEST_GUILESS_MAIN(TestRelevanceRules)
#include "tst_relevancerules.moc"

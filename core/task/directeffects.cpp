#include "core/task/directeffects.h"

#include "core/model/paddedexecutor.h"
#include "core/task/pairruns.h"
#include "core/tensor/indextensor.h"

#include <ATen/core/grad_mode.h>
#include <torch/types.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace headscope {
namespace {

torch::Tensor inDouble(const torch::Tensor &tensor)
{
    return tensor.to(torch::kCPU, torch::kFloat64);
}

/// How the difference of the answers' logits depends on a vector of every pair, going backwards from the logits:
/// direction · vector + constant, [B]. Scales of norms and slopes of activations (value by input) are those of the run,
/// so that it is linear and exact.
class Direction
{
public:
    explicit Direction(torch::Tensor direction) : m_direction(std::move(direction)) { }

    const torch::Tensor &vector() const { return m_direction; } ///< [B, D]
    torch::Tensor constant() const
    {
        return m_constant.defined() ? m_constant : torch::zeros({m_direction.size(0)}, torch::kFloat64);
    }
    torch::Tensor dot(const torch::Tensor &other) const { return (m_direction * inDouble(other)).sum(-1); }

    void add(const torch::Tensor &constant) { m_constant = this->constant() + constant; }
    void scale(double factor) { m_direction = m_direction * factor; }
    void throughLinear(const Linear &linear)
    {
        if (linear.bias.defined())
            add(dot(linear.bias));
        m_direction = torch::matmul(m_direction, inDouble(linear.weight));
    }
    /// `input`: what the norm was taken of.
    void throughNorm(const Norm &norm, const NormSpec &spec, const torch::Tensor &input)
    {
        if (norm.bias.defined())
            add(dot(norm.bias));
        const auto x = inDouble(input);
        const auto weighted = norm.weight.defined() ? m_direction * inDouble(norm.weight) : m_direction;
        if (spec.kind == NormKind::Rms) {
            m_direction = weighted / (x.pow(2).mean(-1, true) + spec.epsilon).sqrt();
            return;
        }
        const auto deviation = ((x - x.mean(-1, true)).pow(2).mean(-1, true) + spec.epsilon).sqrt();
        m_direction = (weighted - weighted.mean(-1, true)) / deviation;
    }
    void throughActivation(const torch::Tensor &input, const torch::Tensor &output)
    {
        const auto x = inDouble(input);
        m_direction = m_direction * torch::where(x == 0, torch::zeros_like(x), inDouble(output) / x);
    }

private:
    torch::Tensor m_direction;
    torch::Tensor m_constant;
};

/// A stack that keeps what every sub-layer adds at one position of every row.
class AddedParts : public PaddedExecutor
{
public:
    struct Part
    {
        torch::Tensor context; ///< [B, H, Dh], gated; undefined: a feed-forward layer, or no heads
        torch::Tensor output;  ///< [B, D], before its norm
        torch::Tensor sum;     ///< [B, D], before its norm
    };

    AddedParts(const Transformer &model, Side side, const WalkInputs &around, const StackState &state,
               torch::Tensor asked)
        : PaddedExecutor(
            model, side, around, state.scoreBias,
            torch::arange(state.hidden.size(1), torch::TensorOptions(torch::kInt64).device(model.device()))),
          parts(static_cast<std::size_t>(model.spec().stack(side)->places())), embedded(at(state.hidden, asked)),
          m_asked(std::move(asked))
    {
    }

    std::vector<Part> parts;
    torch::Tensor embedded; ///< [B, D]

    /// The position `asked` [B] of every row of [B, T, …].
    static torch::Tensor at(const torch::Tensor &rows, const torch::Tensor &asked)
    {
        return rows.index({torch::arange(rows.size(0), asked.options()), asked});
    }

    torch::Tensor close(int place, const AttentionSpec &attention, const torch::Tensor &context,
                        const torch::Tensor &hidden)
    {
        if (context.defined())
            part(place).context = at(context.transpose(1, 2), m_asked);
        auto output = PaddedExecutor::close(place, attention, context, hidden);
        m_place = place;
        part(place).output = at(output, m_asked);
        return output;
    }
    torch::Tensor feedForward(int place, const FeedForwardSpec &spec, const torch::Tensor &x)
    {
        auto output = PaddedExecutor::feedForward(place, spec, x);
        m_place = place;
        part(place).output = at(output, m_asked);
        return output;
    }
    torch::Tensor add(const torch::Tensor &hidden, const torch::Tensor &output)
    {
        auto sum = PaddedExecutor::add(hidden, output);
        part(m_place).sum = at(sum, m_asked);
        return sum;
    }

private:
    Part &part(int place) { return parts[static_cast<std::size_t>(place)]; }

    torch::Tensor m_asked;
    int m_place = 0;
};

/// The difference of two rows of the output layer, for every pair.
Direction differenceOfRows(const torch::Tensor &weight, const torch::Tensor &bias, const torch::Tensor &answers,
                           const torch::Tensor &others)
{
    const auto rows = [&](const torch::Tensor &of, const torch::Tensor &places) {
        return inDouble(of.index_select(0, places.to(of.device())));
    };
    Direction direction(rows(weight, answers) - rows(weight, others));
    if (bias.defined())
        direction.add(rows(bias.flatten(), answers) - rows(bias.flatten(), others));
    return direction;
}

/// By the dense layer of a classifier or of a model of masked tokens, which reads `read` [B, D]. `norm`: behind its
/// activation; null: there is none.
void throughDense(Direction &direction, const torch::Tensor &read, const Linear &dense, Activation activation,
                  const Norm *norm, const NormSpec &spec)
{
    const auto inner = dense(read);
    const auto active = activate(inner, activation);
    if (norm)
        direction.throughNorm(*norm, spec, active);
    direction.throughActivation(inner, active);
    direction.throughLinear(dense);
}

/// Each logit by its own slope: `hidden` [B, D] is what the output layer reads.
Direction cappedDifference(const TransformerWeights &weights, double cap, const torch::Tensor &hidden,
                           const torch::Tensor &answers, const torch::Tensor &others)
{
    const auto of = [&](const torch::Tensor &places) {
        const auto row = places.to(weights.outputWeight.device());
        auto vector = inDouble(weights.outputWeight.index_select(0, row));
        auto constant = torch::zeros({vector.size(0)}, torch::kFloat64);
        if (weights.outputBias.defined())
            constant = inDouble(weights.outputBias.flatten().index_select(0, row));
        const auto logit = (vector * hidden).sum(-1) + constant;
        const auto slope = torch::where(logit == 0, torch::ones_like(logit), capped(logit, cap) / logit);
        return std::pair(vector * slope.unsqueeze(1), constant * slope);
    };
    const auto [answer, answerConstant] = of(answers);
    const auto [other, otherConstant] = of(others);
    Direction direction(answer - other);
    direction.add(answerConstant - otherConstant);
    return direction;
}

/// By what the output layer, or the head of a classifier or of a model of masked tokens, reads: `read` [B, D].
Direction directionOf(const Transformer &model, const torch::Tensor &read, const torch::Tensor &answers,
                      const torch::Tensor &others)
{
    const TransformerSpec &spec = model.spec();
    const TransformerWeights &weights = model.weights();
    if (const auto &classifier = spec.classifier) {
        Direction direction
            = differenceOfRows(weights.classifierOut.weight, weights.classifierOut.bias, answers, others);
        if (classifier->dense)
            throughDense(direction, read, weights.classifierDense, classifier->activation,
                         classifier->normed ? &weights.classifierNorm : nullptr, spec.norm);
        return direction;
    }
    if (spec.logitCap > 0) {
        Direction direction
            = cappedDifference(weights, spec.logitCap, inDouble(model.outputHidden(read)), answers, others);
        direction.scale(spec.outputScale);
        return direction;
    }
    Direction direction = differenceOfRows(weights.outputWeight, weights.outputBias, answers, others);
    if (spec.maskedLm) {
        throughDense(direction, read, weights.maskedDense, spec.maskedLm->activation, &weights.maskedNorm, spec.norm);
        return direction;
    }
    direction.scale(spec.outputScale);
    if (spec.projectsTokens)
        direction.throughLinear(weights.outputProjection);
    return direction;
}

/// The contributions of a stack's parts along a direction, which goes through the stack from its end.
class AddedAlong
{
public:
    AddedAlong(const TransformerSpec &spec, Direction direction)
        : m_spec(spec), m_direction(std::move(direction)), m_rest(torch::zeros_like(m_direction.constant()))
    {
    }

    void through(const SubLayer &sub, const SubLayerWeights &weights, const AddedParts::Part &part)
    {
        const NormPlacement norms = m_spec.norm.placement;
        if (normsSum(norms))
            m_direction.throughNorm(weights.norm, m_spec.norm, part.sum);
        Direction ofOutput(m_direction.vector());
        ofOutput.scale(m_spec.residualScale);
        if (normsOutput(norms))
            ofOutput.throughNorm(weights.outputNorm, m_spec.norm, part.output);
        m_rest += ofOutput.constant();
        const AttentionSpec *attention = sub.attention();
        if (!attention) {
            m_rest += ofOutput.dot(part.output);
            return;
        }
        const Linear &out = weights.attention().out;
        if (out.bias.defined())
            m_rest += ofOutput.dot(out.bias);
        if (!part.context.defined())
            return;
        const auto byColumns = torch::matmul(ofOutput.vector(), inDouble(out.weight));
        m_layers[{attention->kind, sub.layer}]
            = (byColumns.view(part.context.sizes()) * inDouble(part.context)).sum(-1).contiguous();
    }

    /// At the beginning of the stack. `embedded`: what enters it.
    DirectEffects effects(const torch::Tensor &embedded, const HeadLayout &layout) const
    {
        const auto rest = (m_rest + (m_direction.dot(embedded) + m_direction.constant())).contiguous();
        DirectEffects effects;
        for (std::int64_t row = 0; row < rest.size(0); ++row) {
            auto &heads = effects.heads.emplace_back();
            for (const HeadLayout::Block &block : layout.blocks()) {
                for (std::size_t layer = 0; layer < block.layers.size(); ++layer) {
                    const auto found = m_layers.find({block.kind, static_cast<int>(layer)});
                    for (std::size_t column = 0; column < block.layers[layer].size(); ++column)
                        heads.push_back(found == m_layers.end()
                                            ? 0
                                            : found->second[row][static_cast<std::int64_t>(column)].item<double>());
                }
            }
            effects.rest.push_back(rest[row].item<double>());
        }
        return effects;
    }

private:
    const TransformerSpec &m_spec;
    Direction m_direction;
    torch::Tensor m_rest;                                       ///< [B]
    std::map<std::pair<HeadKind, int>, torch::Tensor> m_layers; ///< [B, H]
};

} // namespace

DirectEffects directEffects(const Transformer &transformer, const PatchingPairs &all,
                            const std::vector<std::int64_t> &some, bool isClean, const HeadGates &gates)
{
    const torch::NoGradGuard noGrad;
    const TransformerSpec &spec = transformer.spec();
    const PairBatches batches = pairBatches(transformer, all, some, isClean);
    const Side side = spec.lastSide();
    CrossKeys cross;
    if (spec.isEncoderDecoder())
        cross = transformer.crossKeys(transformer.encode(batches.source, gates));
    StackState state = transformer.begin(side, side == Side::Encoder ? batches.source : batches.prefix);
    std::vector<std::int64_t> positions, answerIds, wrongIds;
    for (const std::int64_t pair : some) {
        positions.push_back(all.askedPosition(pair));
        answerIds.push_back(all.answers[static_cast<std::size_t>(pair)]);
        wrongIds.push_back(all.wrongAnswers[static_cast<std::size_t>(pair)]);
    }
    const auto asked = indexTensor(positions, transformer.device());
    const WalkInputs around{gates, &cross};
    AddedParts run(transformer, side, around, state, asked);
    walk(spec, side, state, spec.stack(side)->places(), run);

    const StackWeights &weights = transformer.weights().stack(side);
    const auto last = AddedParts::at(state.hidden, asked);
    Direction direction = directionOf(transformer, transformer.finish(side, last), indexTensor(answerIds, torch::kCPU),
                                      indexTensor(wrongIds, torch::kCPU));
    if (spec.finalNorm)
        direction.throughNorm(weights.finalNorm, spec.norm, last);
    AddedAlong added(spec, std::move(direction));
    for (int place = spec.stack(side)->places() - 1; place >= 0; --place)
        added.through(spec.stack(side)->at(place), weights.at(place), run.parts[static_cast<std::size_t>(place)]);
    return added.effects(run.embedded, transformer.layout());
}

} // namespace headscope

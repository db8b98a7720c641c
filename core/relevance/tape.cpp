#include "core/relevance/tape.h"

#include "core/model/experts.h"
#include "core/model/projections.h"
#include "core/model/transformer.h"
#include "core/tensor/indextensor.h"

#include <torch/types.h>

#include <algorithm>
#include <ranges>

namespace headscope {
namespace {

AttentionCore attentionCore(const torch::Tensor &query, const torch::Tensor &key, const torch::Tensor &value,
                            const Tape::Scores &how, const torch::Tensor &bias, const torch::Tensor &sinks)
{
    const auto products = torch::matmul(query, key.transpose(1, 2)) * how.scale;
    auto scores = capped(products, how.cap);
    if (bias.defined())
        scores = scores + bias;
    const auto probabilities = attentionWeights(scores, sinks);
    return {query,
            key,
            value,
            probabilities,
            torch::matmul(probabilities, value),
            how.scale,
            how.cap,
            how.cap > 0 ? products : torch::Tensor()};
}

/// [.., H, T, Dh] → [.., T, H·Dh]
torch::Tensor sideBySide(const torch::Tensor &heads)
{
    return heads.transpose(-3, -2).flatten(-2);
}

/// [.., T, H·Dh] → [.., H, T, Dh]
torch::Tensor apart(const torch::Tensor &columns, std::int64_t count)
{
    return columns.unflatten(-1, {count, -1}).transpose(-3, -2);
}

} // namespace

std::vector<Taped> Tape::record(const std::vector<torch::Tensor> &made, std::vector<int> read, Back back)
{
    m_steps.push_back({m_count, static_cast<int>(made.size()), std::move(read), std::move(back)});
    std::vector<Taped> taped;
    for (const torch::Tensor &x : made) {
        m_largest = std::max(m_largest, x.numel());
        taped.push_back({x, m_count++});
    }
    return taped;
}

/// Records an operation that makes one thing: `back` takes the message about it.
template<typename Function>
Taped Tape::recordOne(const torch::Tensor &made, std::vector<int> read, Function &&back)
{
    return record({made}, std::move(read), [back](const Messages &messages) { return back(messages.front()); }).front();
}

Taped Tape::leaf(torch::Tensor x)
{
    return record({std::move(x)}, {}, {}).front();
}

Taped Tape::linear(const Taped &x, const Linear &weights)
{
    return recordOne(weights(x.x), {x.id}, [&rule = m_rule, x = x.x, weights](const torch::Tensor &message) {
        return Messages{rule.linear(x, weights, message)};
    });
}

Taped Tape::norm(const Taped &x, const Norm &weights, const NormSpec &spec)
{
    return recordOne(normalize(x.x, weights, spec), {x.id},
                     [&rule = m_rule, x = x.x, weights, spec](const torch::Tensor &message) {
                         return Messages{rule.norm(x, weights, spec, message)};
                     });
}

Taped Tape::activation(const Taped &x, Activation which)
{
    return recordOne(activate(x.x, which), {x.id}, [&rule = m_rule, x = x.x, which](const torch::Tensor &message) {
        return Messages{rule.activation(x, which, message)};
    });
}

Taped Tape::product(const Taped &a, const Taped &b)
{
    return recordOne(a.x * b.x, {a.id, b.id}, [&rule = m_rule, a = a.x, b = b.x](const torch::Tensor &message) {
        auto [ofA, ofB] = rule.product(a, b, message);
        return Messages{std::move(ofA), std::move(ofB)};
    });
}

Taped Tape::sum(const Taped &a, const Taped &b)
{
    if (b.isConstant())
        return {b.x.defined() ? a.x + b.x : a.x, a.id};
    return recordOne(a.x + b.x, {a.id, b.id}, [&rule = m_rule, a = a.x, b = b.x](const torch::Tensor &message) {
        auto [ofA, ofB] = rule.sum(a, b, message);
        return Messages{std::move(ofA), std::move(ofB)};
    });
}

Taped Tape::position(const Taped &x, std::int64_t place)
{
    return recordOne(x.x.narrow(0, place, 1), {x.id},
                     [place, later = x.x.size(0) - 1 - place](const torch::Tensor &message) {
                         return Messages{torch::constant_pad_nd(message, {0, 0, place, later})};
                     });
}

std::vector<Taped> Tape::heads(const Taped &x, const std::vector<HeadColumns> &parts)
{
    std::vector<torch::Tensor> made;
    std::int64_t first = 0;
    for (const HeadColumns &part : parts) {
        made.push_back(apart(x.x.narrow(-1, first, part.count * part.width), part.count).contiguous());
        first += part.count * part.width;
    }
    return record(made, {x.id}, [](const Messages &messages) {
        Messages columns;
        for (const torch::Tensor &message : messages)
            columns.push_back(sideBySide(message));
        return Messages{torch::cat(columns, -1)};
    });
}

Taped Tape::columns(const Taped &heads)
{
    return recordOne(sideBySide(heads.x), {heads.id}, [count = heads.x.size(0)](const torch::Tensor &message) {
        return Messages{apart(message, count)};
    });
}

Taped Tape::repeated(const Taped &heads, const std::vector<std::int64_t> &places)
{
    const auto index = indexTensor(places, heads.x.device());
    return recordOne(heads.x.index_select(0, index), {heads.id},
                     [index, count = heads.x.size(0)](const torch::Tensor &message) {
                         auto sizes = message.sizes().vec();
                         sizes[1] = count;
                         return Messages{torch::zeros(sizes, message.options()).index_add_(1, index, message)};
                     });
}

Taped Tape::headNorm(const Taped &heads, const Norm &weights, const HeadNorm &how)
{
    const auto made = normalizeHeads(heads.x.transpose(0, 1), weights, how).transpose(0, 1).contiguous();
    return recordOne(made, {heads.id}, [&rule = m_rule, x = heads.x, weights, how](const torch::Tensor &message) {
        const NormSpec spec = how.norm();
        if (how.ownWeights) {
            std::vector<torch::Tensor> parts;
            for (std::int64_t h = 0; h < x.size(0); ++h) {
                const Norm own{weights.weight[h], weights.bias.defined() ? weights.bias[h] : weights.bias};
                parts.push_back(rule.norm(x[h], own, spec, message.select(1, h)));
            }
            return Messages{torch::stack(parts, 1)};
        }
        const auto rows = rule.norm(x.flatten(0, 1), weights, spec, message.flatten(1, 2));
        return Messages{rows.unflatten(1, {x.size(0), x.size(1)})};
    });
}

Taped Tape::clipped(const Taped &x, double least, double most)
{
    const auto made = x.x.clamp(least, most);
    return recordOne(made, {x.id}, [&rule = m_rule, x = x.x, made](const torch::Tensor &message) {
        return Messages{rule.shrinking(torch::where(x == made, torch::ones_like(x), made / x), message)};
    });
}

Taped Tape::scaled(const Taped &x, const torch::Tensor &factor)
{
    return recordOne(x.x * factor, {x.id}, [&rule = m_rule, factor](const torch::Tensor &message) {
        return Messages{rule.shrinking(factor, message)};
    });
}

Taped Tape::rows(const Taped &x, const torch::Tensor &rows)
{
    return recordOne(x.x.index_select(0, rows), {x.id}, [rows, count = x.x.size(0)](const torch::Tensor &message) {
        auto sizes = message.sizes().vec();
        sizes[1] = count;
        return Messages{torch::zeros(sizes, message.options()).index_add_(1, rows, message)};
    });
}

Taped Tape::arranged(const std::vector<Taped> &parts, const torch::Tensor &from)
{
    std::vector<torch::Tensor> all;
    std::vector<int> ids;
    std::vector<std::int64_t> sizes;
    for (const Taped &part : parts) {
        all.push_back(part.x);
        ids.push_back(part.id);
        sizes.push_back(part.x.size(0));
    }
    return recordOne(torch::cat(all).index_select(0, from), ids, [from, sizes](const torch::Tensor &message) {
        return torch::empty_like(message).index_copy_(1, from, message).split_with_sizes(sizes, 1);
    });
}

Taped Tape::rotation(const Taped &heads, const RotaryAngles &angles)
{
    const std::int64_t width = angles.cosines.size(-1);
    return recordOne(rotated(heads.x, angles), {heads.id},
                     [&rule = m_rule, x = heads.x.narrow(-1, 0, width), angles, width](const torch::Tensor &message) {
                         auto turned = rule.rotation(x, angles, message.narrow(-1, 0, width));
                         const std::int64_t rest = message.size(-1) - width;
                         return Messages{rest > 0 ? torch::cat({turned, message.narrow(-1, width, rest)}, -1) : turned};
                     });
}

Taped Tape::attention(const Taped &query, const Taped &key, const Taped &value, const Scores &how,
                      const torch::Tensor &bias, const torch::Tensor &sinks)
{
    // Probabilities are made again on the way back: those of all layers together would be what a long text needs most
    // memory for.
    const auto core = [query = query.x, key = key.x, value = value.x, how, bias, sinks] {
        return attentionCore(query, key, value, how, bias, sinks);
    };
    return recordOne(core().context, {query.id, key.id, value.id},
                     [&rule = m_rule, core](const torch::Tensor &message) {
                         AttentionMessages inside = rule.attention(core(), message);
                         return Messages{std::move(inside.query), std::move(inside.key), std::move(inside.value)};
                     });
}

/// Messages about a step's activations; nothing: of none of them.
Tape::Messages Tape::takeMessages(const Step &step, Messages &all, const Listener &listener) const
{
    Messages messages;
    for (int id = step.first; id < step.first + step.count; ++id) {
        torch::Tensor message = std::move(all[static_cast<std::size_t>(id)]);
        if (!message.defined())
            continue;
        listener(id, message);
        messages.push_back(std::move(message));
    }
    return messages;
}

void Tape::goBack(const Taped &from, torch::Tensor message, const Listener &listener) const
{
    Messages all(static_cast<std::size_t>(m_count));
    all[static_cast<std::size_t>(from.id)] = std::move(message);
    for (const Step &step : std::views::reverse(m_steps)) {
        const Messages made = takeMessages(step, all, listener);
        if (made.empty() || !step.back)
            continue;
        m_control.checkpoint();
        const Messages read = step.back(made);
        for (std::size_t i = 0; i < read.size(); ++i) {
            torch::Tensor &sum = all[static_cast<std::size_t>(step.read[i])];
            sum = sum.defined() ? sum + read[i] : read[i];
        }
    }
}

} // namespace headscope

#include "core/packed/torchrowmodel.h"

#include "core/model/likelihood.h"
#include "core/model/positions.h"
#include "core/tensor/halfkernels.h"
#include "core/tensor/indextensor.h"

#include <torch/torch.h>

#include <algorithm>
#include <limits>
#include <map>

namespace headscope {
namespace {

constexpr float kNever = -std::numeric_limits<float>::infinity();

/// Rows here and there as one tensor [refs, width].
torch::Tensor gathered(std::span<const RowRef> refs, std::int64_t width, const torch::TensorOptions &options)
{
    std::map<const Rows *, std::pair<std::vector<std::int64_t>, std::vector<std::int64_t>>> bySource; // from, to
    for (std::size_t i = 0; i < refs.size(); ++i) {
        if (!refs[i].rows)
            continue; // padding
        auto &[from, to] = bySource[refs[i].rows];
        from.push_back(refs[i].row);
        to.push_back(static_cast<std::int64_t>(i));
    }
    auto all = torch::zeros({std::ssize(refs), width}, options);
    for (const auto &[source, places] : bySource) {
        all.index_copy_(0, indexTensor(places.second, options.device()),
                        source->tensor().index_select(0, indexTensor(places.first, options.device())));
    }
    return all;
}

void banRow(torch::Tensor row, const std::vector<std::int64_t> &tokens)
{
    for (const std::int64_t token : tokens) {
        if (token >= 0 && token < row.size(0))
            row[token] = kNever;
    }
}

void banColumns(torch::Tensor &scores, const std::vector<std::int64_t> &tokens)
{
    for (const std::int64_t token : tokens) {
        if (token >= 0 && token < scores.size(1))
            scores.select(1, token).fill_(kNever);
    }
}

void banByRow(torch::Tensor &scores, std::int64_t firstRow, const ScoreEdits &edits)
{
    for (std::int64_t r = 0; r < scores.size(0) && !edits.changes.empty(); ++r)
        banRow(scores[r], edits.changes[static_cast<std::size_t>(firstRow + r)].banned);
}

} // namespace

torch::Tensor TorchRowModel::index(std::span<const std::int64_t> values) const
{
    return indexTensor(values, m_model->device());
}

torch::Tensor TorchRowModel::turned(const torch::Tensor &rows, const AttentionSpec &attention,
                                    std::span<const std::int64_t> positions) const
{
    if (!attention.rotary)
        return rows;
    const auto angles = rotaryAngles(*attention.rotary, attention.headWidth, index(positions), rows.options());
    return rotated(rows.view({rows.size(0), -1, attention.headWidth}),
                   {angles.cosines.unsqueeze(1), angles.sines.unsqueeze(1)})
        .flatten(1);
}

Rows TorchRowModel::normalize(const Norm &norm, Rows x) const
{
    return Rows::of(headscope::normalize(x.tensor(), norm, spec().norm));
}

Rows TorchRowModel::queries(Side side, int place, const Rows &x, std::span<const std::int64_t> positions) const
{
    return Rows::of(turned(weights(side, place).attention().query(x.tensor()), attention(side, place), positions));
}

Rows TorchRowModel::keysAndValues(Side side, int place, const Rows &x, std::span<const std::int64_t> positions) const
{
    const AttentionWeights &own = weights(side, place).attention();
    return Rows::of(torch::cat({turned(own.key(x.tensor()), attention(side, place), positions), own.value(x.tensor())}, 1));
}

Rows TorchRowModel::attend(Side side, int place, const Rows &queries, const Sequences &sequences,
                           const KeySource &keys) const
{
    constexpr std::int64_t kMostScores = std::int64_t(1) << 25;
    const AttentionSpec &own = attention(side, place);
    if (own.heads.empty() || queries.count() == 0)
        return Rows::of(torch::empty({queries.count(), own.width()}, m_model->options()));
    std::vector<torch::Tensor> contexts;
    for (std::int64_t first = 0; first < sequences.count();) {
        std::vector<std::vector<RowRef>> together;
        std::int64_t longest = 1;
        std::int64_t mostQueries = 1;
        for (std::int64_t s = first; s < sequences.count(); ++s) {
            const KeyRows seen = keys.of(s);
            longest = std::max(longest, seen.size());
            mostQueries = std::max(mostQueries, sequences.length(s));
            if (s > first && (s - first + 1) * own.headCount() * longest * mostQueries > kMostScores)
                break;
            auto &refs = together.emplace_back(seen.scattered.begin(), seen.scattered.end());
            for (std::int64_t i = 0; seen.scattered.empty() && i < seen.count; ++i)
                refs.push_back({seen.rows, seen.first + i});
        }
        contexts.push_back(attendTogether(side, place, queries, sequences, first, together));
        first += std::ssize(together);
    }
    return Rows::of(contexts.size() == 1 ? contexts.front() : torch::cat(contexts));
}

/// Contexts of sequences first, first + 1, … [their rows, A], padded to the longest of them.
torch::Tensor TorchRowModel::attendTogether(Side side, int place, const Rows &queries, const Sequences &sequences,
                                            std::int64_t first, const std::vector<std::vector<RowRef>> &keys) const
{
    const AttentionSpec &own = attention(side, place);
    const std::int64_t count = std::ssize(keys);
    std::int64_t keyCount = 1;
    std::int64_t queryCount = 1;
    for (std::int64_t i = 0; i < count; ++i) {
        keyCount = std::max(keyCount, std::ssize(keys[static_cast<std::size_t>(i)]));
        queryCount = std::max(queryCount, sequences.length(first + i));
    }
    std::vector<RowRef> refs(static_cast<std::size_t>(count * keyCount));
    std::vector<std::int64_t> seen, lengths, queryRows, kept;
    for (std::int64_t i = 0; i < count; ++i) {
        const auto &of = keys[static_cast<std::size_t>(i)];
        std::ranges::copy(of, refs.begin() + i * keyCount);
        seen.push_back(std::ssize(of));
        lengths.push_back(sequences.length(first + i));
        for (std::int64_t t = 0; t < queryCount; ++t) {
            const bool isThere = t < lengths.back();
            queryRows.push_back(isThere ? sequences.first(first + i) + t : 0);
            if (isThere)
                kept.push_back(i * queryCount + t);
        }
    }
    const std::int64_t keyWidth = own.keyWidth();
    const auto keyValue = gathered(refs, 2 * keyWidth, m_model->options()).view({count, keyCount, 2 * keyWidth});
    const auto heads = [&](const torch::Tensor &rows) { // [N, H, T, Dh]
        return rows.unflatten(2, {-1, own.headWidth}).transpose(1, 2);
    };
    auto key = heads(keyValue.narrow(2, 0, keyWidth));
    auto value = heads(keyValue.narrow(2, keyWidth, keyWidth));
    if (own.headsPerKey > 1) {
        const auto places = index(own.keyPlaces());
        key = key.index_select(1, places);
        value = value.index_select(1, places);
    }
    auto query = heads(queries.tensor().index_select(0, index(queryRows)).view({count, queryCount, own.width()}));
    if (own.scale != 1)
        query = query * own.scale;
    auto scores = matrixProduct(query, key.transpose(2, 3)); // [N, H, T, S]
    const auto columns = torch::arange(keyCount, torch::TensorOptions(torch::kInt64).device(m_model->device()));
    auto positions = torch::arange(queryCount, columns.options()).unsqueeze(0); // [1 or N, T]
    if (own.causal)
        positions = positions + (index(seen) - index(lengths)).unsqueeze(1);
    if (own.relative) {
        const auto table = relativeScores(m_model->weights().stack(side).relativeBias, *own.relative, own.heads, keyCount,
                                          keyCount); // [H, 2·S + 1]
        const auto distances = (columns - positions.unsqueeze(-1)).clamp(-keyCount, keyCount) + keyCount; // [·, T, S]
        scores = scores
                 + table.index_select(1, distances.flatten())
                       .view({own.headCount(), distances.size(0), queryCount, keyCount})
                       .transpose(0, 1);
    }
    auto hidden = (columns >= index(seen).unsqueeze(1)).view({count, 1, 1, keyCount});
    if (own.causal)
        hidden = hidden.logical_or((columns > positions.unsqueeze(-1)).unsqueeze(1));
    const double lowest = m_model->dtype() == torch::kBFloat16 ? -3.3895e38 : std::numeric_limits<float>::lowest();
    const auto context = matrixProduct(torch::softmax(scores.masked_fill(hidden, lowest), -1), value);
    return context.transpose(1, 2).reshape({count * queryCount, own.width()}).index_select(0, index(kept));
}

Rows TorchRowModel::gate(const AttentionSpec &attention, Rows context, const Sequences &sequences,
                         std::span<const std::int64_t> positions, const RowGates &gates) const
{
    if (attention.heads.empty()
        || std::ranges::all_of(gates, [](const RowGate &gate) { return gate.isOpen(); }))
        return context;
    const auto heads = attention.heads.size();
    std::vector<float> factors, shares;
    std::vector<RowRef> instead;
    bool replaces = false;
    for (std::size_t i = 0; i < gates.size(); ++i) {
        const RowGate &gate = gates[i];
        const auto s = static_cast<std::int64_t>(i);
        for (std::int64_t row = sequences.first(s); row < sequences.first(s + 1); ++row) {
            for (std::size_t h = 0; h < heads; ++h) {
                factors.push_back(gate.factors ? gate.factors[h] : 1.0F);
                shares.push_back(gate.shares ? gate.shares[h] : 0.0F);
            }
            instead.push_back(gate.shares ? RowRef{gate.instead,
                                                   gate.first + positions[static_cast<std::size_t>(row)] % gate.count}
                                          : RowRef{});
            replaces = replaces || gate.shares;
        }
    }
    const auto ofHeads = [&](const std::vector<float> &values) {
        return torch::tensor(values).to(context.options()).view({context.count(), -1, 1});
    };
    const auto split = [&](const torch::Tensor &rows) { return rows.unflatten(1, {-1, attention.headWidth}); };
    auto gated = split(context.tensor()) * ofHeads(factors);
    if (replaces)
        gated = gated + ofHeads(shares) * split(gathered(instead, attention.width(), context.options()));
    return Rows::of(gated.flatten(1));
}

Rows TorchRowModel::close(Side side, int place, const Rows &context) const
{
    const Linear &out = weights(side, place).attention().out;
    if (context.width() > 0)
        return Rows::of(out(context.tensor()));
    const auto zeros = torch::zeros({context.count(), spec().width}, m_model->options());
    return Rows::of(out.bias.defined() ? zeros + out.bias : zeros);
}

Rows TorchRowModel::feedForward(Side side, int place, const Rows &x) const
{
    const FeedForwardWeights &own = weights(side, place).feedForward();
    const FeedForwardSpec &what = *spec().stack(side)->at(place).feedForward();
    const auto inner = what.gated ? activate(own.gate(x.tensor()), what.activation) * own.in(x.tensor())
                                  : activate(own.in(x.tensor()), what.activation);
    return Rows::of(own.out(inner));
}

Rows TorchRowModel::add(const Rows &a, Rows b) const { return Rows::of(a.tensor() + b.tensor()); }

void TorchRowModel::forLogits(const Rows &hidden, const TakeLogits &take) const
{
    const std::int64_t slice
        = std::max<std::int64_t>(64, (std::int64_t(1) << 22) / m_model->weights().outputWeight.size(0));
    for (std::int64_t first = 0; first < hidden.count(); first += slice) {
        auto logits = m_model->logits(hidden.tensor().narrow(0, first, std::min(slice, hidden.count() - first)));
        take(logits, first, 0);
    }
}

std::vector<RowModel::Choice> TorchRowModel::freeChoices(const Rows &hidden, const ScoreEdits &edits) const
{
    std::vector<Choice> choices;
    forLogits(hidden, [&](torch::Tensor &scores, std::int64_t firstRow, std::int64_t) {
        banColumns(scores, edits.bannedLogits);
        banColumns(scores, edits.banned);
        banByRow(scores, firstRow, edits);
        const auto best = scores.argmax(-1).cpu(); // among equals the lowest, which topk does not promise
        const auto top = std::get<0>(scores.topk(std::min<std::int64_t>(2, scores.size(1)), 1)).cpu().contiguous();
        for (std::int64_t r = 0; r < top.size(0); ++r) {
            const float *values = top.data_ptr<float>() + r * top.size(1);
            choices.push_back({best.data_ptr<std::int64_t>()[r],
                               top.size(1) > 1 ? values[0] - values[1] : std::numeric_limits<float>::infinity()});
        }
    });
    return choices;
}

std::vector<std::vector<ScoredToken>> TorchRowModel::freeLikeliest(const Rows &hidden, std::int64_t count,
                                                                   const ScoreEdits &edits) const
{
    std::vector<std::vector<ScoredToken>> likeliest;
    forLogits(hidden, [&](torch::Tensor &logits, std::int64_t firstRow, std::int64_t) {
        banColumns(logits, edits.bannedLogits);
        auto scores = torch::log_softmax(logits, -1);
        banColumns(scores, edits.banned);
        banByRow(scores, firstRow, edits);
        if (edits.renormalize)
            scores = torch::log_softmax(scores, -1);
        const auto [values, tokens] = scores.topk(std::min(count, scores.size(1)), 1);
        const auto value = values.cpu().contiguous();
        const auto token = tokens.cpu().contiguous();
        for (std::int64_t r = 0; r < value.size(0); ++r) {
            auto &row = likeliest.emplace_back();
            for (std::int64_t k = r * value.size(1); k < (r + 1) * value.size(1); ++k) {
                if (value.data_ptr<float>()[k] > kNever)
                    row.push_back({value.data_ptr<float>()[k], token.data_ptr<std::int64_t>()[k]});
            }
        }
    });
    return likeliest;
}

std::vector<RowModel::Forced> TorchRowModel::forced(const Rows &hidden, std::span<const std::int64_t> tokens) const
{
    std::vector<Forced> result;
    const auto wanted = index(tokens);
    forLogits(hidden, [&](torch::Tensor &logits, std::int64_t firstRow, std::int64_t) {
        const auto own = wanted.narrow(0, firstRow, logits.size(0));
        const auto scores = logProbabilitiesOf(own, logits).cpu();
        const auto best = logits.argmax(-1).cpu();
        for (std::int64_t r = 0; r < scores.size(0); ++r)
            result.push_back({scores.data_ptr<float>()[r], best.data_ptr<std::int64_t>()[r]});
    });
    return result;
}

} // namespace headscope

#include "core/packed/torchrowmodel.h"

#include "core/model/experts.h"
#include "core/model/likelihood.h"
#include "core/model/positions.h"
#include "core/model/projections.h"
#include "core/packed/rowsegments.h"
#include "core/packed/torchattention.h"
#include "core/tensor/indextensor.h"

#include <ATen/core/grad_mode.h>
#include <torch/types.h>

#include <algorithm>
#include <limits>

namespace headscope {
namespace {

constexpr float kNever = -std::numeric_limits<float>::infinity();

/// Two products with the same input as one.
Linear joined(const Linear &a, const Linear &b)
{
    if (!a.weight.defined())
        return {};
    if (!a.bias.defined() && !b.bias.defined())
        return {torch::cat({a.weight, b.weight}), {}, {}};
    const auto options = (a.bias.defined() ? a.bias : b.bias).options();
    const auto biasOf = [&](const Linear &one) {
        return one.bias.defined() ? one.bias : torch::zeros({one.weight.size(0)}, options);
    };
    return {torch::cat({a.weight, b.weight}), torch::cat({biasOf(a), biasOf(b)}), {}};
}

/// Tokens that may not be chosen, on the device of the scores.
class BannedTokens
{
public:
    BannedTokens(const ScoreEdits &edits, std::int64_t vocabulary, const torch::Device &device)
        : m_inLogits(known(edits.bannedLogits, vocabulary, device)), m_inScores(known(edits.banned, vocabulary, device))
    {
        std::vector<std::int64_t> tokens;
        for (std::size_t r = 0; r < edits.changes.size(); ++r) {
            for (const std::int64_t token : edits.changes[r].banned) {
                if (token < 0 || token >= vocabulary)
                    continue;
                m_rows.push_back(static_cast<std::int64_t>(r));
                tokens.push_back(token);
            }
        }
        m_rowsThere = indexTensor(m_rows, device);
        m_tokensThere = indexTensor(tokens, device);
    }

    void banInLogits(torch::Tensor &logits) const { logits.index_fill_(1, m_inLogits, kNever); }
    /// `scores` are those of the rows firstRow, firstRow + 1, …
    void banInScores(torch::Tensor &scores, std::int64_t firstRow) const
    {
        scores.index_fill_(1, m_inScores, kNever);
        const auto first = std::ranges::lower_bound(m_rows, firstRow) - m_rows.begin();
        const auto count = std::ranges::lower_bound(m_rows, firstRow + scores.size(0)) - m_rows.begin() - first;
        if (count > 0)
            scores.index_put_({m_rowsThere.narrow(0, first, count) - firstRow, m_tokensThere.narrow(0, first, count)},
                              torch::full({}, kNever, scores.options()));
    }

private:
    static torch::Tensor known(std::vector<std::int64_t> tokens, std::int64_t vocabulary, const torch::Device &device)
    {
        std::erase_if(tokens, [&](std::int64_t token) { return token < 0 || token >= vocabulary; });
        return indexTensor(tokens, device);
    }

    torch::Tensor m_inLogits, m_inScores;
    std::vector<std::int64_t> m_rows; ///< ascending
    torch::Tensor m_rowsThere, m_tokensThere;
};

/// Columns of numbers [rows] of several parts, brought here at once: [all rows, columns]. Token numbers are exact.
class Findings
{
public:
    void add(std::vector<torch::Tensor> columns)
    {
        for (torch::Tensor &column : columns)
            column = column.to(torch::kFloat64);
        m_parts.push_back(torch::cat(columns, 1));
    }
    torch::Tensor here() const
    {
        return m_parts.empty() ? torch::empty({0, 0}, torch::kFloat64) : torch::cat(m_parts).cpu().contiguous();
    }

private:
    std::vector<torch::Tensor> m_parts;
};

} // namespace

TorchRowModel::TorchRowModel(std::shared_ptr<const Transformer> model, Products products)
    : RowModel(std::move(model)), m_products(products),
      m_output(Linear{m_model->weights().outputWeight, {}, {}}, products)
{
    const torch::NoGradGuard noGrad;
    for (const Side side : kBothSides) {
        if (const auto &stack = spec().stack(side)) {
            for (int place = 0; place < stack->places(); ++place)
                (side == Side::Encoder ? m_encoder : m_decoder)
                    .push_back(productsOf(stack->at(place), m_model->weights().stack(side).at(place),
                                          m_model->weights().stack(side)));
        }
    }
}

TorchRowModel::SubLayerProducts TorchRowModel::productsOf(const SubLayer &sub, const SubLayerWeights &weights,
                                                          const StackWeights &stack) const
{
    const auto make = [&](const Linear &linear) { return TorchLinear(linear, m_products); };
    SubLayerProducts products;
    if (const AttentionSpec *attention = sub.attention()) {
        const AttentionWeights &own = weights.attention();
        products.query = make(queryMap(*attention, own));
        products.keyValue = make(joined(keyMap(*attention, own), own.value));
        products.out = make(own.out);
        if (attention->disentangled && !attention->heads.empty())
            products.distances
                = distanceHeads(*attention, own, distanceTable(*attention->disentangled, stack, spec().norm));
    } else {
        products.layer = layerOf(weights.feedForward());
    }
    return products;
}

TorchRowModel::LayerProducts TorchRowModel::layerOf(const FeedForwardWeights &weights) const
{
    LayerProducts products;
    products.in = TorchLinear(weights.in, m_products);
    products.gate = TorchLinear(weights.gate, m_products);
    products.out = TorchLinear(weights.out, m_products);
    products.router = TorchLinear(weights.router, Products::Exact);
    products.sharedGate = TorchLinear(weights.sharedGate, Products::Exact);
    for (const FeedForwardWeights &expert : weights.experts)
        products.experts.push_back(layerOf(expert));
    return products;
}

torch::Tensor TorchRowModel::turned(const torch::Tensor &rows, const AttentionSpec &attention,
                                    std::span<const std::int64_t> positions) const
{
    if (!attention.rotary)
        return rows;
    const auto angles
        = rotaryAngles(*attention.rotary, attention.headWidth, indexTensor(positions, rows.device()), rows.options());
    return rotated(rows.unflatten(1, {-1, attention.headWidth}), angles.unsqueezed(1)).flatten(1);
}

Rows TorchRowModel::normalize(const Norm &norm, Rows x) const
{
    return Rows::of(headscope::normalize(x.tensor(), norm, spec().norm));
}

Rows TorchRowModel::queries(Side side, int place, const Rows &x, std::span<const std::int64_t> positions) const
{
    const AttentionSpec &own = attention(side, place);
    const auto projected = at(side, place).query.forProducts(x.tensor());
    return Rows::of(
        turned(preparedQueries(own, m_model->weights().stack(side).at(place).attention(), projected), own, positions));
}

Rows TorchRowModel::keysAndValues(Side side, int place, const Rows &x, std::span<const std::int64_t> positions) const
{
    const AttentionSpec &own = attention(side, place);
    const auto both = at(side, place).keyValue.forProducts(x.tensor());
    if (!own.rotary && own.isBilinear())
        return Rows::of(both);
    const std::int64_t width = both.size(1) - own.valueWidth();
    const auto keys = preparedKeys(own, m_model->weights().stack(side).at(place).attention(), both.narrow(1, 0, width));
    const auto values = preparedValues(own, both.narrow(1, width, own.valueWidth()));
    return Rows::of(torch::cat({turned(keys, own, positions), values}, 1));
}

Rows TorchRowModel::attend(Side side, int place, const Rows &queries, const Sequences &sequences, const KeySource &keys,
                           const RowGates &gates) const
{
    const AttentionSpec &own = attention(side, place);
    if (own.heads.empty() || queries.count() == 0)
        return Rows::of(torch::empty({queries.count(), own.width()}, m_model->options()));
    TorchAttention all{own,
                       m_model->weights().stack(side).relativeBias,
                       queries.tensor(),
                       sequences,
                       {},
                       {},
                       at(side, place).distances,
                       {},
                       m_model->weights().stack(side).at(place).attention().sinks,
                       keys.kept};
    if (std::ranges::any_of(gates, [](const RowGate &gate) { return gate.windows; })) {
        for (const RowGate &gate : gates) {
            for (std::size_t h = 0; h < own.heads.size(); ++h)
                all.windows.push_back(gate.windows ? gate.windows[h] : KeyWindow());
        }
    }
    RowSegments rows;
    for (std::int64_t s = 0; s < sequences.count(); ++s) {
        const KeyRows seen = keys.of(s);
        all.keySequences.add(seen.size());
        rows.add(seen);
    }
    all.keyValues = rows.gathered(own.keyValueWidth(), queries.options(), keys.kept);
    return Rows::of(canFuse(all) ? attendFused(all) : attendPadded(all));
}

Rows TorchRowModel::gate(const AttentionSpec &attention, Rows context, const Sequences &sequences,
                         std::span<const std::int64_t> positions, const RowGates &gates) const
{
    if (attention.heads.empty() || std::ranges::all_of(gates, [](const RowGate &gate) { return gate.isOpen(); }))
        return context;
    const auto heads = attention.heads.size();
    std::vector<float> factors, shares; // [sequences, heads]
    RowSegments instead;
    bool replaces = false;
    for (std::size_t i = 0; i < gates.size(); ++i) {
        const RowGate &gate = gates[i];
        const auto s = static_cast<std::int64_t>(i);
        for (std::size_t h = 0; h < heads; ++h) {
            factors.push_back(gate.factors ? gate.factors[h] : 1.0F);
            shares.push_back(gate.shares ? gate.shares[h] : 0.0F);
        }
        for (std::int64_t row = sequences.first(s); row < sequences.first(s + 1); ++row)
            instead.add(gate.shares ? gate.instead : nullptr,
                        gate.shares ? gate.first + positions[static_cast<std::size_t>(row)] % gate.count : 0, 1);
        replaces = replaces || gate.shares;
    }
    const auto options = context.options();
    const auto sequenceOf = segmentOfRows(std::span(sequences.begin).subspan(1), options.device());
    const auto ofRows = [&](const std::vector<float> &values) { // [R, H, 1]
        return deviceTensor(std::span(values), options.device())
            .to(options)
            .view({sequences.count(), -1, 1})
            .index_select(0, sequenceOf);
    };
    const auto split = [&](const torch::Tensor &rows) { return rows.unflatten(1, {-1, attention.headWidth}); };
    auto gated = split(context.tensor()) * ofRows(factors);
    if (replaces)
        gated = gated + ofRows(shares) * split(instead.gathered(attention.width(), options));
    return Rows::of(gated.flatten(1));
}

Rows TorchRowModel::close(Side side, int place, const Rows &context) const
{
    if (context.width() > 0)
        return Rows::of(at(side, place).out(context.tensor()));
    const torch::Tensor &bias = m_model->weights().stack(side).at(place).attention().out.bias;
    const auto zeros = torch::zeros({context.count(), spec().width}, m_model->options());
    return Rows::of(bias.defined() ? zeros + bias : zeros);
}

Rows TorchRowModel::feedForward(Side side, int place, const Rows &x) const
{
    return Rows::of(through(*spec().stack(side)->at(place).feedForward(), at(side, place).layer, x.tensor()));
}

torch::Tensor TorchRowModel::through(const FeedForwardSpec &what, const LayerProducts &own,
                                     const torch::Tensor &x) const
{
    torch::Tensor output;
    if (what.width > 0) {
        const auto in = own.in.forProducts(x);
        output = own.out(what.gated ? gatedColumns(what, own.gate.forProducts(x), in) : activate(in, what.activation));
    }
    if (!what.experts)
        return output;
    if (what.width > 0 && what.experts->gatesShared)
        output = torch::sigmoid(own.sharedGate(x)) * output;
    const FeedForwardSpec expert = what.expert();
    const auto mixed = mixedExperts(chosenExperts(*what.experts, own.router(x)), what.experts->count, x,
                                    [&](std::int64_t e, const torch::Tensor &rows) {
                                        return through(expert, own.experts[static_cast<std::size_t>(e)], rows);
                                    });
    return output.defined() ? mixed + output : mixed;
}

Rows TorchRowModel::scale(Rows output, double by) const
{
    return Rows::of(output.tensor() * by);
}

Rows TorchRowModel::add(const Rows &a, Rows b) const
{
    return Rows::of(a.tensor() + b.tensor());
}

void TorchRowModel::forLogits(const Rows &hidden, const TakeLogits &take) const
{
    const torch::NoGradGuard noGrad;
    const std::int64_t most = std::int64_t(1) << (m_model->device().is_cpu() ? 22 : 28); // of logits at once
    const std::int64_t slice = std::max<std::int64_t>(64, most / m_model->weights().outputWeight.size(0));
    const torch::Tensor &bias = m_model->weights().outputBias;
    for (std::int64_t first = 0; first < hidden.count(); first += slice) {
        const auto rows = hidden.tensor().narrow(0, first, std::min(slice, hidden.count() - first));
        auto logits = m_output(m_model->outputHidden(rows)).to(torch::kFloat32);
        if (bias.defined()) // not before the sum: Hugging Face adds it after the product
            logits.add_(bias);
        logits = capped(logits, spec().logitCap);
        take(logits, first, 0);
    }
}

std::vector<RowModel::Choice> TorchRowModel::choicesOfLogits(const Rows &hidden, const ScoreEdits &edits) const
{
    const BannedTokens banned(edits, m_model->weights().outputWeight.size(0), m_model->device());
    Findings findings;
    forLogits(hidden, [&](torch::Tensor &scores, std::int64_t firstRow, std::int64_t) {
        banned.banInLogits(scores);
        banned.banInScores(scores, firstRow);
        const auto best = scores.argmax(-1, true); // among equals the lowest, which topk does not promise
        const auto top = scores.gather(1, best);
        scores.scatter_(1, best, kNever);
        findings.add({best, top - scores.amax(-1, true)});
    });
    const auto found = findings.here();
    std::vector<Choice> choices;
    for (std::int64_t r = 0; r < found.size(0); ++r) {
        const double *row = found.data_ptr<double>() + 2 * r;
        choices.push_back({static_cast<std::int64_t>(row[0]), static_cast<float>(row[1])});
    }
    return choices;
}

std::vector<std::vector<ScoredToken>> TorchRowModel::likeliestOfLogits(const Rows &hidden, std::int64_t count,
                                                                       const ScoreEdits &edits) const
{
    const std::int64_t vocabulary = m_model->weights().outputWeight.size(0);
    const std::int64_t most = std::min(count, vocabulary);
    const BannedTokens banned(edits, vocabulary, m_model->device());
    Findings findings;
    forLogits(hidden, [&](torch::Tensor &logits, std::int64_t firstRow, std::int64_t) {
        banned.banInLogits(logits);
        auto scores = torch::log_softmax(logits, -1);
        banned.banInScores(scores, firstRow);
        if (edits.renormalize)
            scores = torch::log_softmax(scores, -1);
        const auto [values, tokens] = scores.topk(most, 1);
        findings.add({values, tokens});
    });
    const auto found = findings.here();
    std::vector<std::vector<ScoredToken>> likeliest;
    for (std::int64_t r = 0; r < found.size(0); ++r) {
        const double *row = found.data_ptr<double>() + 2 * most * r;
        auto &own = likeliest.emplace_back();
        for (std::int64_t k = 0; k < most; ++k) {
            if (row[k] > kNever)
                own.push_back({static_cast<float>(row[k]), static_cast<std::int64_t>(row[most + k])});
        }
    }
    return likeliest;
}

std::vector<RowModel::Forced> TorchRowModel::forced(const Rows &hidden, std::span<const std::int64_t> tokens) const
{
    const auto wanted = indexTensor(tokens, m_model->device());
    Findings findings;
    forLogits(hidden, [&](torch::Tensor &logits, std::int64_t firstRow, std::int64_t) {
        const auto own = wanted.narrow(0, firstRow, logits.size(0));
        findings.add({logProbabilitiesOf(own, logits).unsqueeze(1), logits.argmax(-1, true)});
    });
    const auto found = findings.here();
    std::vector<Forced> result;
    for (std::int64_t r = 0; r < found.size(0); ++r) {
        const double *row = found.data_ptr<double>() + 2 * r;
        result.push_back({row[0], static_cast<std::int64_t>(row[1])});
    }
    return result;
}

} // namespace headscope

#include "core/relevance/alphabetarule.h"

#include <torch/types.h>

#include <algorithm>

namespace headscope {
namespace {

/// `result` times what makes its sum over `dims` that of the message. Relevances are not negative.
torch::Tensor massRatio(const torch::Tensor &wanted, const torch::Tensor &had)
{
    return torch::where(had > 0, wanted / had, torch::zeros_like(had));
}

torch::Tensor rescaled(const torch::Tensor &result, const torch::Tensor &message)
{
    return result * massRatio(message.sum(-1, true), result.sum(-1, true));
}

torch::Tensor positivePart(const torch::Tensor &x)
{
    return x.clamp_min(0);
}
torch::Tensor negativePart(const torch::Tensor &x)
{
    return x.clamp_max(0);
}

/// Loops of our own run over rows of floats; what is not that goes through LibTorch.
bool areFloatsAtHand(const torch::Tensor &x)
{
    return x.is_cpu() && x.scalar_type() == torch::kFloat32;
}

/// f(0)/n of a map with `inputs` inputs, [out]. `weight` [out, ...] or [out].
torch::Tensor biasShares(const torch::Tensor &bias, const torch::Tensor &weight, std::int64_t inputs)
{
    return bias.defined() ? bias / static_cast<double>(inputs) : torch::zeros({weight.size(0)}, weight.options());
}

/// The Jacobian of a norm at x [t, D], times x: contribution of input i to output j =
///   γ_j/σ·(δ_ij − 1/D − x̂_j x̂_i/D)·x_i + β_j/D,
/// of an RMS norm without 1/D and β, and σ the root of the mean square.
struct NormParts
{
    torch::Tensor slope;    ///< γ/σ, [T, D]
    torch::Tensor standard; ///< x̂ = (x − mean)/σ, [T, D]
    torch::Tensor offset;   ///< β/D, [D]
    double ofMean = 0;      ///< 1/D where the mean is taken away
};

NormParts normParts(const torch::Tensor &x, const Norm &weights, const NormSpec &spec)
{
    const std::int64_t width = x.size(-1);
    const auto inverse = normInverse(x, spec);
    return {weights.weight * inverse, normCentred(x, spec) * inverse, biasShares(weights.bias, weights.weight, width),
            spec.kind == NormKind::Layer ? 1 / static_cast<double>(width) : 0};
}

} // namespace

/// Multiplies messages [K, T, rows] with transition matrices that are made a few rows at a time, so that they stay
/// in the processor's cache: fillRows(position, first, count, out) makes rows [count, columns].
template<typename FillRows>
torch::Tensor AlphaBetaRule::byRows(std::int64_t columns, const torch::Tensor &message, FillRows &&fillRows) const
{
    const std::int64_t steps = message.size(0);
    const std::int64_t rows = message.size(2);
    const auto incoming = message.transpose(0, 1).contiguous(); // [T, K, rows]
    // In a decoder, a step has nothing to say of later positions.
    const auto some = incoming.sum(-1).ne(0).contiguous(); // [T, K]
    auto result = torch::zeros({message.size(1), steps, columns}, message.options());
    const std::int64_t rowsAtOnce = std::min(rows, std::max<std::int64_t>(65536 / columns, 16));
    auto block = torch::empty({rowsAtOnce, columns}, message.options());
    for (std::int64_t t = 0; t < message.size(1); ++t) {
        const bool *speaks = some.data_ptr<bool>() + t * steps;
        const auto from = std::find(speaks, speaks + steps, true) - speaks;
        if (from == steps)
            continue;
        const auto reversed = std::make_reverse_iterator(speaks + steps);
        const auto to = steps - (std::find(reversed, std::make_reverse_iterator(speaks), true) - reversed);
        m_control.checkpoint();
        auto sum = result[t].narrow(0, from, to - from);
        const auto said = incoming[t].narrow(0, from, to - from);
        for (std::int64_t first = 0; first < rows; first += rowsAtOnce) {
            const std::int64_t count = std::min(rowsAtOnce, rows - first);
            fillRows(t, first, count, block.data_ptr<float>());
            sum.addmm_(said.narrow(1, first, count), block.narrow(0, 0, count));
        }
    }
    return rescaled(result.transpose(0, 1), message);
}

/// The rule's transitions by LibTorch: contributions(first, count) gives z [count positions, rows, columns].
template<typename Contributions>
torch::Tensor AlphaBetaRule::byPositions(std::int64_t columns, const torch::Tensor &message,
                                         Contributions &&contributions) const
{
    const std::int64_t positions = message.size(1);
    const std::int64_t atOnce = std::max<std::int64_t>(1, (1 << 22) / (columns * message.size(2)));
    std::vector<torch::Tensor> parts;
    for (std::int64_t first = 0; first < positions; first += atOnce) {
        m_control.checkpoint();
        const std::int64_t count = std::min(atOnce, positions - first);
        const torch::Tensor z = contributions(first, count);
        const auto up = m_shares.alpha / (positivePart(z).sum(-1, true) + m_shares.epsilon);
        const auto down = m_shares.beta / (negativePart(z).sum(-1, true) - m_shares.epsilon);
        parts.push_back(
            torch::matmul(message.narrow(1, first, count).transpose(0, 1), z * torch::where(z > 0, up, down)));
    }
    return rescaled(torch::cat(parts).transpose(0, 1), message);
}

torch::Tensor AlphaBetaRule::linear(const torch::Tensor &x, const Linear &weights, const torch::Tensor &message) const
{
    const std::int64_t columns = weights.weight.size(1);
    const auto offset = biasShares(weights.bias, weights.weight, columns);
    if (!areFloatsAtHand(x))
        return byPositions(columns, message, [&](std::int64_t first, std::int64_t count) {
            return weights.weight * x.narrow(0, first, count).unsqueeze(1) + offset.unsqueeze(1);
        });
    const auto inputs = x.contiguous();
    const auto matrix = weights.weight.contiguous();
    return byRows(columns, message, [&](std::int64_t t, std::int64_t first, std::int64_t count, float *out) {
        kernels::linearTransition(matrix.data_ptr<float>() + first * columns, count, columns,
                                  inputs.data_ptr<float>() + t * columns, offset.data_ptr<float>() + first, m_shares,
                                  out);
    });
}

torch::Tensor AlphaBetaRule::norm(const torch::Tensor &x, const Norm &weights, const NormSpec &spec,
                                  const torch::Tensor &message) const
{
    const std::int64_t width = x.size(-1);
    const auto parts = normParts(x, weights, spec);
    const double share = 1 / static_cast<double>(width);
    if (!areFloatsAtHand(x))
        return byPositions(width, message, [&](std::int64_t first, std::int64_t count) {
            const auto standard = parts.standard.narrow(0, first, count);
            const auto jacobian = parts.slope.narrow(0, first, count).unsqueeze(2)
                                * (torch::eye(width, x.options()) - parts.ofMean
                                   - standard.unsqueeze(2) * standard.unsqueeze(1) * share);
            return jacobian * x.narrow(0, first, count).unsqueeze(1) + parts.offset.unsqueeze(1);
        });
    const auto inputs = x.contiguous();
    const auto products = (parts.standard * x).contiguous();
    const auto rank1 = (parts.slope * -parts.ofMean).contiguous();
    const auto rank2 = (parts.slope * parts.standard * -share).contiguous();
    const auto diagonal = (parts.slope * x).contiguous();
    return byRows(width, message, [&](std::int64_t t, std::int64_t first, std::int64_t count, float *out) {
        const std::int64_t row = t * width + first;
        kernels::normTransition({rank1.data_ptr<float>() + row, rank2.data_ptr<float>() + row,
                                 parts.offset.data_ptr<float>() + first, diagonal.data_ptr<float>() + row, first},
                                count, width, inputs.data_ptr<float>() + t * width,
                                products.data_ptr<float>() + t * width, m_shares, out);
    });
}

namespace {

/// The positive and the negative part.
struct Halves
{
    torch::Tensor up;
    torch::Tensor down;

    explicit Halves(const torch::Tensor &x) : up(positivePart(x)), down(negativePart(x)) { }
};

/// Contributions through the scores of some positions t, by the slopes A (below).
struct ThroughScores
{
    Halves slopes;  ///< [H, t, Dh, S]
    Halves byQuery; ///< contributions of q, [H, t, Dh, Dq]

    ThroughScores(const AttentionCore &core, const torch::Tensor &q, std::int64_t first)
        : ThroughScores(slopeOf(core, first, q.size(1)), core.key, q)
    {
    }

    /// Σ of the positive and of the negative contributions of keys, [H, t, Dh, 2].
    torch::Tensor sumsByKeys(const Halves &queries, const Halves &keys) const
    {
        // Σ_d' of the positive and of the negative q_td' k_sd', [H, t, S]
        const auto productUp = torch::matmul(queries.up, keys.up.transpose(1, 2))
                             + torch::matmul(queries.down, keys.down.transpose(1, 2));
        const auto productDown = torch::matmul(queries.up, keys.down.transpose(1, 2))
                               + torch::matmul(queries.down, keys.up.transpose(1, 2));
        // Both sums over both parts by one product: [Dh, 2S] × [2S, 2].
        const auto products
            = torch::stack({torch::cat({productUp, productDown}, 2), torch::cat({productDown, productUp}, 2)}, 3);
        return torch::matmul(torch::cat({slopes.up, slopes.down}, 3), products);
    }

    /// The relevance that queries get, and that positive and negative q·k get at t and s: [K, 2Dh] × [2Dh, Dq + 2S] for
    /// every t; [K, H, t, Dq + 2S].
    torch::Tensor relevance(const torch::Tensor &perUp, const torch::Tensor &perDown) const
    {
        const auto rows = torch::cat({perUp, perDown}, 3).permute({1, 2, 0, 3});
        const auto shares = torch::cat({torch::cat({byQuery.up, slopes.up, slopes.down}, 3),
                                        torch::cat({byQuery.down, slopes.down, slopes.up}, 3)},
                                       2);
        return torch::matmul(rows, shares).permute({2, 0, 1, 3});
    }

private:
    ThroughScores(const torch::Tensor &slope, const torch::Tensor &key, const torch::Tensor &q)
        : slopes(slope), byQuery(torch::matmul(slope.flatten(1, 2), key).view({-1, q.size(1), slope.size(2), q.size(2)})
                                 * q.unsqueeze(2))
    {
    }

    static torch::Tensor slopeOf(const AttentionCore &core, std::int64_t first, std::int64_t count)
    {
        const auto p = core.probabilities.narrow(1, first, count);
        const auto toScores = core.cap > 0 ? p * core.capSlope().narrow(1, first, count) : p;
        return toScores.unsqueeze(2)
             * (core.value.transpose(1, 2).unsqueeze(1) - core.context.narrow(1, first, count).unsqueeze(3));
    }
};

} // namespace

/// Outputs (t, d) of a head; with A = P_ts (v_sd − c_td), the derivative by the score of t and s (times the slope of a
/// cap of scores), the contributions are
///   of v_sd:  P_ts v_sd;   of k_sd':  A·q_td' k_sd';   of q_td':  Σ_s A·k_sd' q_td'.
/// Positive parts of the products are sums of products of positive and negative parts, so that keys need no matrix of
/// T·Dh × S·Dh. Without queries and keys nothing is left but the first.
AttentionMessages AlphaBetaRule::attention(const AttentionCore &core, const torch::Tensor &message) const
{
    const auto query = core.query * core.scale; // contributions are those of scaled queries
    const torch::Tensor &key = core.key;
    const torch::Tensor &value = core.value;
    const std::int64_t steps = message.size(0);
    const std::int64_t positions = query.size(1);
    const std::int64_t keys = value.size(1);
    const std::int64_t width = value.size(2);
    const std::int64_t scoreWidth = key.size(2); // Dq, that of values unless heads share projections
    const std::int64_t perPosition = value.size(0) * width * (keys + scoreWidth + 2 * steps);
    const std::int64_t atOnce = std::clamp<std::int64_t>((1 << 21) / perPosition, 1, positions);
    const auto all = [&](const torch::Tensor &x) {
        return torch::zeros({steps, x.size(0), x.size(1), x.size(2)}, x.options());
    };
    AttentionMessages result{all(query), all(key), all(value)};
    const Halves values(value);
    const Halves keyHalves(key);
    for (std::int64_t first = 0; first < positions; first += atOnce) {
        m_control.checkpoint();
        const std::int64_t count = std::min(atOnce, positions - first);
        const auto p = core.probabilities.narrow(1, first, count); // [H, t, S]
        const auto q = query.narrow(1, first, count);              // [H, t, Dq]
        auto up = torch::matmul(p, values.up);                     // Σ z⁺, [H, t, Dh]
        auto down = torch::matmul(p, values.down);
        const Halves queries(q);
        std::optional<ThroughScores> scores;
        if (!m_attentionConstant) {
            scores.emplace(core, q, first);
            const auto byKeys = scores->sumsByKeys(queries, keyHalves);
            up = up + scores->byQuery.up.sum(-1) + byKeys.select(3, 0);
            down = down + scores->byQuery.down.sum(-1) + byKeys.select(3, 1);
        }
        const auto said = message.narrow(2, first, count);
        const auto perUp = said * (m_shares.alpha / (up + m_shares.epsilon)); // [K, H, t, Dh]
        const auto perDown = said * (m_shares.beta / (down - m_shares.epsilon));
        const auto byKey = p.transpose(1, 2); // [H, S, t]
        result.value += values.up * torch::matmul(byKey, perUp) + values.down * torch::matmul(byKey, perDown);
        if (!scores)
            continue;
        const auto got = scores->relevance(perUp, perDown);
        result.query.narrow(2, first, count).copy_(got.narrow(3, 0, scoreWidth));
        const auto atUp = got.narrow(3, scoreWidth, keys).transpose(2, 3); // [K, H, S, t]
        const auto atDown = got.narrow(3, scoreWidth + keys, keys).transpose(2, 3);
        result.key += keyHalves.up * (torch::matmul(atUp, queries.up) + torch::matmul(atDown, queries.down))
                    + keyHalves.down * (torch::matmul(atUp, queries.down) + torch::matmul(atDown, queries.up));
    }
    const auto mass = [](const torch::Tensor &x) { return x.sum(torch::IntArrayRef{2, 3}, true); };
    const auto ratio = massRatio(mass(message), mass(result.query) + mass(result.key) + mass(result.value));
    return {result.query * ratio, result.key * ratio, result.value * ratio};
}

std::pair<torch::Tensor, torch::Tensor> AlphaBetaRule::sum(const torch::Tensor &a, const torch::Tensor &b,
                                                           const torch::Tensor &message) const
{
    const auto up = m_shares.alpha / (positivePart(a) + positivePart(b) + m_shares.epsilon);
    const auto down = m_shares.beta / (negativePart(a) + negativePart(b) - m_shares.epsilon);
    const auto share
        = [&](const torch::Tensor &x) { return message * (positivePart(x) * up + negativePart(x) * down); };
    const auto ofA = share(a);
    const auto ofB = share(b);
    const auto ratio = massRatio(message.sum(-1, true), (ofA + ofB).sum(-1, true));
    return {ofA * ratio, ofB * ratio};
}

} // namespace headscope

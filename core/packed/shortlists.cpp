#include "core/packed/shortlists.h"

#include "core/packed/kernels.h"

#include <torch/types.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace headscope {
namespace {

/// What sums of floats may be wrong by, of their size.
constexpr float kRounding = 1e-5F;

bool isReadable(torch::ScalarType type)
{
    return type == torch::kFloat32 || type == torch::kBFloat16 || type == torch::kFloat16;
}

/// Some rows of a matrix of halves as floats, one after the other, in memory that the next call of the thread uses.
const float *widenedRows(const torch::Tensor &halves, const std::int32_t *rows, std::int64_t count)
{
    thread_local std::vector<float> wide;
    const std::int64_t width = halves.size(1);
    wide.resize(static_cast<std::size_t>(count * width));
    const auto widen = [&](const auto *from) {
        for (std::int64_t k = 0; k < count; ++k)
            std::copy_n(from + rows[k] * width, width, wide.data() + k * width);
    };
    if (halves.scalar_type() == torch::kBFloat16)
        widen(halves.data_ptr<at::BFloat16>());
    else
        widen(halves.data_ptr<at::Half>());
    return wide.data();
}

/// max |w| of the rows, a part of which is widened at a time.
float longestRow(const torch::Tensor &matrix)
{
    constexpr std::int64_t kRows = 1024;
    float longest = 0;
    for (std::int64_t first = 0; first < matrix.size(0); first += kRows) {
        const auto some = matrix.narrow(0, first, std::min(kRows, matrix.size(0) - first)).to(torch::kFloat32);
        const auto longestHere = some.norm(2, 1).max().item<float>();
        longest = std::isnan(longestHere) ? longestHere : std::max(longest, longestHere);
        if (std::isnan(longest))
            break;
    }
    return longest;
}

} // namespace

bool Shortlists::canUse(const RowModel &model)
{
    const torch::Tensor &output = model.transformer().weights().outputWeight;
    return output.defined() && output.is_cpu() && isReadable(output.scalar_type())
        && model.transformer().dtype() == torch::kFloat32
        && model.spec().logitCap == 0; // scores are compared as the output matrix gives them
}

Shortlists::Shortlists(const RowModel &model, const Rows &behindStack, const ScoreEdits &edits)
    : m_weights(model.transformer().weights().outputWeight.contiguous()),
      m_bias(model.transformer().weights().outputBias.defined()
                 ? model.transformer().weights().outputBias.to(torch::kFloat32).contiguous()
                 : torch::Tensor()),
      m_longest(longestRow(m_weights)), m_read(model.outputHidden(behindStack))
{
    const auto best = model.bestScores(behindStack, kTokens + 1, edits);
    m_tokens.reserve(best.size() * kTokens);
    for (const std::vector<ScoredToken> &tokens : best) {
        for (std::size_t k = 0; k < kTokens; ++k)
            m_tokens.push_back(k < tokens.size() ? static_cast<std::int32_t>(tokens[k].token) : -1);
        m_rest.push_back(tokens.size() > kTokens ? tokens.back().score : kernels::kNothing);
    }
}

Shortlists::Shortlists(std::span<const Shortlists *const> parts)
{
    if (parts.empty())
        return;
    m_weights = parts.front()->m_weights;
    m_bias = parts.front()->m_bias;
    m_longest = parts.front()->m_longest;
    std::vector<Rows> rows;
    for (const Shortlists *part : parts) {
        rows.push_back(part->m_read);
        m_tokens.insert(m_tokens.end(), part->m_tokens.begin(), part->m_tokens.end());
        m_rest.insert(m_rest.end(), part->m_rest.begin(), part->m_rest.end());
    }
    m_read = joined(rows);
}

std::int64_t Shortlists::bytes() const
{
    return m_read.bytes() + std::ssize(m_tokens) * static_cast<std::int64_t>(sizeof(std::int32_t))
         + std::ssize(m_rest) * static_cast<std::int64_t>(sizeof(float));
}

std::optional<Shortlists::Choice> Shortlists::choice(const float *read, std::int64_t row,
                                                     std::span<const std::int64_t> banned, float margin) const
{
    const std::int64_t width = m_weights.size(1);
    const std::int32_t *tokens = m_tokens.data() + row * kTokens;
    const std::int64_t count = std::find(tokens, tokens + kTokens, -1) - tokens;
    static constexpr auto kFirst = [] {
        std::array<std::int32_t, kTokens> rows{};
        for (std::size_t k = 0; k < rows.size(); ++k)
            rows[k] = static_cast<std::int32_t>(k);
        return rows;
    }();
    std::array<float, kTokens> scores{};
    if (m_weights.scalar_type() == torch::kFloat32)
        kernels::scoresOf(read, m_weights.data_ptr<float>(), width, tokens, count, scores.data());
    else
        kernels::scoresOf(read, widenedRows(m_weights, tokens, count), width, kFirst.data(), count, scores.data());
    kernels::Best best{kernels::kNothing, kernels::kNothing, 0};
    for (std::int64_t k = 0; k < count; ++k) {
        if (std::ranges::find(banned, tokens[k]) != banned.end())
            continue;
        const float score
            = scores[static_cast<std::size_t>(k)] + (m_bias.defined() ? m_bias.data_ptr<float>()[tokens[k]] : 0.0F);
        if (score > best.first || (score == best.first && tokens[k] < best.index)) {
            best.second = best.first;
            best.first = score;
            best.index = tokens[k];
        } else {
            best.second = std::max(best.second, score);
        }
    }
    const float known = m_rest[static_cast<std::size_t>(row)];
    const float reach = m_longest * kernels::distance(read, m_read.row(row), width);
    const float rest = known + reach + kRounding * (std::abs(known) + reach);
    if (!(best.first - rest > margin)) // nor if there are numbers that are none
        return std::nullopt;
    return Choice{{best.index, best.first - std::max(best.second, rest)}, best.second >= rest};
}

} // namespace headscope

#include "core/packed/shortlists.h"

#include "core/packed/kernels.h"

#include <torch/types.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace headscope {
Shortlists::Shortlists(const RowModel &model, const Rows &behindStack, const ScoreEdits &edits)
    : m_scores(model), m_longest(m_scores.longest()), m_read(model.outputHidden(behindStack))
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
    m_scores = parts.front()->m_scores;
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
    const std::int64_t width = m_scores.width();
    const std::int32_t *tokens = m_tokens.data() + row * kTokens;
    const std::int64_t count = std::find(tokens, tokens + kTokens, -1) - tokens;
    std::array<float, kTokens> scores{};
    m_scores.scoresOf(read, tokens, count, scores.data());
    kernels::Best best{kernels::kNothing, kernels::kNothing, 0};
    for (std::int64_t k = 0; k < count; ++k) {
        if (std::ranges::find(banned, tokens[k]) == banned.end())
            kernels::updateBest(scores[static_cast<std::size_t>(k)], tokens[k], best);
    }
    const float known = m_rest[static_cast<std::size_t>(row)];
    const float reach = m_longest * kernels::distance(read, m_read.row(row), width);
    const float rest = known + reach + TokenScores::kRounding * (std::abs(known) + reach);
    if (!(best.first - rest > margin)) // nor if there are numbers that are none
        return std::nullopt;
    return Choice{{best.index, best.first - std::max(best.second, rest)}, best.second >= rest};
}

} // namespace headscope

#pragma once

#include "core/packed/rowmodel.h"
#include "core/packed/tokenscores.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace headscope {

/// Candidate tokens near rows whose scores are known, so that the product with the whole vocabulary can be skipped. A
/// hidden state at distance δ from one that scored s_j has scores of at most s_j + max|w|·δ (Cauchy and Schwarz): where
/// the best of a known row's likeliest tokens, scored again, exceeds the bound of all others, it is the best of all.
class Shortlists
{
public:
    static bool canUse(const RowModel &model) { return TokenScores::canUse(model); }

    Shortlists() = default;
    /// Makes the lists of known rows after the decoder [R, D], by a model's exact products. `edits`: of all rows. Keeps
    /// the output matrix.
    Shortlists(const RowModel &model, const Rows &behindStack, const ScoreEdits &edits);
    /// All rows of several, which are of one model, one after the other.
    explicit Shortlists(std::span<const Shortlists *const> parts);

    bool isEmpty() const { return m_rest.empty(); }
    std::int64_t bytes() const;

    struct Choice
    {
        RowModel::Choice choice;
        bool isMarginExact = false; ///< else the margin is at least what is said
    };
    /// The best token at what the output matrix multiplies [D], near the known row `row`; nothing if a token that is
    /// not on its list may come nearer than `margin` to it. `banned`: at this row.
    std::optional<Choice> choice(const float *read, std::int64_t row, std::span<const std::int64_t> banned,
                                 float margin) const;

private:
    static constexpr std::int64_t kTokens = 24;

    TokenScores m_scores;
    float m_longest = 0;                ///< max |w|
    Rows m_read;                        ///< what the output matrix multiplied [R, D]
    std::vector<std::int32_t> m_tokens; ///< [R, kTokens], best first; −1: there are no more
    std::vector<float> m_rest;          ///< [R] the best score that is not on the list
};

} // namespace headscope

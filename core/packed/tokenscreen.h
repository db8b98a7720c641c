#pragma once

#include "core/packed/tokenscores.h"
#include "core/packed/vocabularyproduct.h"
#include "core/tensor/execution.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace headscope {

/// The best tokens of rows, found by products of bytes: rounding changes a score w·h by at most |w − ŵ|·|h| +
/// |ŵ|·|h − ĥ| (Cauchy and Schwarz), so that few tokens can be the best, and those are scored again in float32. What it
/// says is exact.
class TokenScreen
{
public:
    /// Where products of bytes take much less time than those in float32, with vocabularies of thousands of tokens.
    static bool isWorthIt(const RowModel &model);
    /// Tokens are laid out by the workers. Precondition: TokenScores::canUse(), PackedLinear::canMake(Products::Byte).
    TokenScreen(const RowModel &model, const Execution &execution);

    /// The best token of each row of what the output matrix multiplies [R, D], and by how much; nothing where more than
    /// kNear tokens may be among the two best. Of `edits` the tokens that are banned.
    std::vector<std::optional<RowModel::Choice>> choices(const Rows &read, const ScoreEdits &edits) const;
    static constexpr std::int64_t kNear = 16;

private:
    float errorAt(const float *read) const;

    TokenScores m_scores;
    VocabularyProduct m_bytes;
    float m_longest = 0; ///< max |ŵ|
    float m_worst = 0;   ///< max |w − ŵ|
    float m_largestBias = 0;
};

} // namespace headscope

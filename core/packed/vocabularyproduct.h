#pragma once

#include "core/packed/linear.h"
#include "core/packed/rowmodel.h"

#include <torch/types.h>

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace headscope {

/// The product with an output matrix, part by part: the weights of a part stay in the cache while all rows go by.
class VocabularyProduct
{
public:
    VocabularyProduct() = default;
    /// weight [V, D]; bias [V] or undefined. Parts are laid out by the works that are added, in any order, by any
    /// threads; `weight` and `bias` last as long.
    VocabularyProduct(const torch::Tensor &weight, const torch::Tensor &bias, Products products,
                      std::vector<std::function<void()>> &works);

    /// Tokens of a part, at most.
    static constexpr std::int64_t kPart = 1024;
    /// Scores [rows, columns] of what the matrix multiplies [R, D]: (scores, first row, rows, first column, columns).
    using TakeScores = std::function<void(float *scores, std::int64_t firstRow, std::int64_t rows,
                                          std::int64_t firstColumn, std::int64_t columns)>;
    void forScores(const Rows &read, const TakeScores &take) const;

private:
    std::vector<PackedLinear> m_parts;
};

/// Tokens that cannot be chosen lose their scores [rows, columns], the first of which is that of `firstRow` and
/// `firstColumn`.
void ban(std::span<const std::int64_t> tokens, float *scores, std::int64_t rows, std::int64_t firstColumn,
         std::int64_t columns);
/// Those that are banned everywhere, and those of single rows; not those that take no part in the softmax.
void banChoices(const ScoreEdits &edits, float *scores, std::int64_t firstRow, std::int64_t rows,
                std::int64_t firstColumn, std::int64_t columns);

} // namespace headscope

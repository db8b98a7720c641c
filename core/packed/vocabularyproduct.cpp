#include "core/packed/vocabularyproduct.h"

#include "core/packed/kernels.h"

#include <algorithm>
#include <cstddef>

namespace headscope {

VocabularyProduct::VocabularyProduct(const torch::Tensor &weight, const torch::Tensor &bias, Products products,
                                     std::vector<std::function<void()>> &works)
{
    const std::int64_t tokens = weight.defined() ? weight.size(0) : 0;
    m_parts.resize(static_cast<std::size_t>((tokens + kPart - 1) / kPart));
    for (std::size_t part = 0; part < m_parts.size(); ++part) {
        works.emplace_back([tokens, products, &weight, &bias, part, to = m_parts.data() + part] {
            const std::int64_t first = static_cast<std::int64_t>(part) * kPart;
            const std::int64_t count = std::min(kPart, tokens - first);
            *to = PackedLinear(weight.narrow(0, first, count),
                               bias.defined() ? bias.narrow(0, first, count) : torch::Tensor(), products);
        });
    }
}

void VocabularyProduct::forScores(const Rows &read, const TakeScores &take) const
{
    Rows scores(std::min(read.count(), PackedLinear::kSlice), kPart);
    std::int64_t column = 0;
    for (const PackedLinear &part : m_parts) {
        for (std::int64_t first = 0; first < read.count(); first += PackedLinear::kSlice) {
            const std::int64_t rows = std::min(PackedLinear::kSlice, read.count() - first);
            part(read.row(first), rows, scores.row(0));
            take(scores.row(0), first, rows, column, part.outputs());
        }
        column += part.outputs();
    }
}

void ban(std::span<const std::int64_t> tokens, float *scores, std::int64_t rows, std::int64_t firstColumn,
         std::int64_t columns)
{
    for (const std::int64_t token : tokens) {
        if (token < firstColumn || token >= firstColumn + columns)
            continue;
        for (std::int64_t r = 0; r < rows; ++r)
            scores[r * columns + token - firstColumn] = kernels::kNothing;
    }
}

void banChoices(const ScoreEdits &edits, float *scores, std::int64_t firstRow, std::int64_t rows,
                std::int64_t firstColumn, std::int64_t columns)
{
    ban(edits.banned, scores, rows, firstColumn, columns);
    for (std::int64_t r = 0; r < rows && !edits.changes.empty(); ++r)
        ban(edits.changes[static_cast<std::size_t>(firstRow + r)].banned, scores + r * columns, 1, firstColumn,
            columns);
}

} // namespace headscope

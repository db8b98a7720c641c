#pragma once

#include "core/base/jobcontrol.h"
#include "core/model/transformer.h"
#include "core/tensor/execution.h"

#include <torch/types.h>

#include <cstdint>
#include <functional>
#include <vector>

namespace headscope {

/// The products of a direction with all tokens of a table, less their mean: the largest above it, and the smallest
/// below.
struct TokenScan
{
    struct Product
    {
        std::int64_t id = 0;
        double value = 0;
    };
    std::vector<Product> highest, lowest; ///< the furthest first; of equal ones the smaller id
    std::int64_t above = 0;               ///< tokens with more than the row's own token has
};

/// A table of tokens: embeddings as layers read them, without what is added for positions, or what the model says: the
/// output matrix behind the last norm's weight and centring. What norms divide by is left out. It is read in blocks.
class TokenTable
{
public:
    static TokenTable ofInput(const Transformer &model, Side side);
    /// Precondition: the model says tokens.
    static TokenTable ofOutput(const Transformer &model);

    std::int64_t size() const { return m_table.size(0); }
    /// [D], float64.
    torch::Tensor row(std::int64_t id) const;
    /// Products with directions [n, D], float64, of the `most` tokens that are furthest from the mean, either way.
    /// `own`: for every direction a token that others are counted above; −1: none. `onBlocks`: called with how many
    /// blocks were done, of how many.
    std::vector<TokenScan> scan(const torch::Tensor &directions, const std::vector<std::int64_t> &own,
                                std::int64_t most, const Execution &execution,
                                const std::function<void(std::int64_t, std::int64_t)> &onBlocks) const;

private:
    explicit TokenTable(torch::Tensor table) : m_table(std::move(table)) { }

    torch::Tensor m_table;                                          ///< [V, E]
    std::function<torch::Tensor(const torch::Tensor &)> m_onRows;   ///< rows of the table as rows [..., D]
    std::function<torch::Tensor(const torch::Tensor &)> m_onStream; ///< its transpose: directions as those of rows
};

} // namespace headscope

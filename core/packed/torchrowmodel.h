#pragma once

#include "core/packed/rowmodel.h"

#include <cstdint>
#include <span>
#include <vector>

namespace headscope {

/// Rows by LibTorch, on any device and in the model's own type: what a GPU runs, and what a processor runs without a
/// library for packed products.
class TorchRowModel final : public RowModel
{
public:
    using RowModel::RowModel;

    Rows normalize(const Norm &norm, Rows x) const override;
    Rows queries(Side side, int place, const Rows &x, std::span<const std::int64_t> positions) const override;
    Rows keysAndValues(Side side, int place, const Rows &x, std::span<const std::int64_t> positions) const override;
    /// Sequences are padded for it, as many at once as a bound on memory allows.
    Rows attend(Side side, int place, const Rows &queries, const Sequences &sequences,
                const KeySource &keys) const override;
    Rows gate(const AttentionSpec &attention, Rows context, const Sequences &sequences,
              std::span<const std::int64_t> positions, const RowGates &gates) const override;
    Rows close(Side side, int place, const Rows &context) const override;
    Rows feedForward(Side side, int place, const Rows &x) const override;
    Rows add(const Rows &a, Rows b) const override;
    std::vector<Forced> forced(const Rows &hidden, std::span<const std::int64_t> tokens) const override;

private:
    std::vector<Choice> freeChoices(const Rows &hidden, const ScoreEdits &edits) const override;
    std::vector<std::vector<ScoredToken>> freeLikeliest(const Rows &hidden, std::int64_t count,
                                                        const ScoreEdits &edits) const override;
    void forLogits(const Rows &hidden, const TakeLogits &take) const override;

    const SubLayerWeights &weights(Side side, int place) const { return m_model->weights().stack(side).at(place); }
    const AttentionSpec &attention(Side side, int place) const { return *spec().stack(side)->at(place).attention(); }
    torch::Tensor index(std::span<const std::int64_t> values) const;
    torch::Tensor turned(const torch::Tensor &rows, const AttentionSpec &attention,
                         std::span<const std::int64_t> positions) const;
    torch::Tensor attendTogether(Side side, int place, const Rows &queries, const Sequences &sequences,
                                 std::int64_t first, const std::vector<std::vector<RowRef>> &keys) const;
};

} // namespace headscope

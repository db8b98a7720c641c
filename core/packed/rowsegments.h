#pragma once

#include "core/packed/rows.h"

#include <torch/types.h>

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <utility>
#include <vector>

namespace headscope {

/// first[0], first[0] + 1, … (count[0] of them), first[1], …: one int64 tensor on `device`, made there, so that the
/// transfer grows with the number of segments only.
torch::Tensor segmentIndices(std::span<const std::int64_t> first, std::span<const std::int64_t> count,
                             const torch::Device &device);

/// The number of the segment that each row lies in; they lie one after the other and end before the rows `ends`.
torch::Tensor segmentOfRows(std::span<const std::int64_t> ends, const torch::Device &device);

/// Index tensors of one walk through a stack on a device: attentions ask for the same rows layer after layer, and each
/// such tensor is made once. Of one thread.
class KeptIndices
{
public:
    enum class Kind { Segments, Begins, Rows };
    /// The value that `make` gives, or gave for the same numbers before.
    torch::Tensor of(Kind kind, std::vector<std::int64_t> numbers, const std::function<torch::Tensor()> &make);

private:
    std::map<std::pair<Kind, std::vector<std::int64_t>>, torch::Tensor> m_known;
};

/// Gathers scattered rows of matrices, segment by segment, into one tensor on their device.
class RowSegments
{
public:
    /// `rows` may be null: rows of zeros.
    void add(const Rows *rows, std::int64_t first, std::int64_t count);
    void add(const KeyRows &keys);
    /// [all rows, width] of `options`; the memory of the one matrix that they lie in if they do so in succession, and
    /// are of that type.
    torch::Tensor gathered(std::int64_t width, const torch::TensorOptions &options, KeptIndices *kept = nullptr) const;

private:
    struct Segment
    {
        const Rows *rows = nullptr;
        std::int64_t first = 0;
        std::int64_t count = 0;
    };
    std::vector<Segment> m_segments;
    std::int64_t m_count = 0;
};

} // namespace headscope

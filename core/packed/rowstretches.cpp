#include "core/packed/rowstretches.h"

#include "core/tensor/indextensor.h"

#include <torch/types.h>

#include <map>

namespace headscope {

torch::Tensor stretchIndices(std::span<const std::int64_t> first, std::span<const std::int64_t> count,
                             const torch::Device &device)
{
    std::vector<std::int64_t> shifts; // from a row's place in the result to itself
    std::vector<std::int64_t> ends;
    std::int64_t total = 0;
    for (std::size_t i = 0; i < first.size(); ++i) {
        shifts.push_back(first[i] - total);
        ends.push_back(total += count[i]);
    }
    const auto stretches = stretchOfRows(ends, device);
    return torch::arange(total, stretches.options()) + indexTensor(shifts, device).index_select(0, stretches);
}

torch::Tensor stretchOfRows(std::span<const std::int64_t> ends, const torch::Device &device)
{
    const auto boundaries = indexTensor(ends, device);
    const auto rows = torch::arange(ends.empty() ? 0 : ends.back(), boundaries.options());
    return torch::bucketize(rows, boundaries, /*out_int32=*/false, /*right=*/true);
}

void RowStretches::add(const Rows *rows, std::int64_t first, std::int64_t count)
{
    if (count == 0)
        return;
    m_count += count;
    if (!m_stretches.empty()) {
        Stretch &last = m_stretches.back();
        if (last.rows == rows && (!rows || last.first + last.count == first)) {
            last.count += count;
            return;
        }
    }
    m_stretches.push_back({rows, first, count});
}

void RowStretches::add(const KeyRows &keys)
{
    if (keys.scattered.empty())
        add(keys.rows, keys.first, keys.count);
    for (const RowRef &ref : keys.scattered)
        add(ref.rows, ref.row, 1);
}

torch::Tensor RowStretches::gathered(std::int64_t width, const torch::TensorOptions &options) const
{
    if (m_stretches.size() == 1 && m_stretches.front().rows) {
        const Stretch &all = m_stretches.front();
        return all.rows->tensor().narrow(0, all.first, all.count);
    }
    struct Moves
    {
        std::vector<std::int64_t> from, to, count;
    };
    std::map<const Rows *, Moves> bySource;
    std::int64_t next = 0;
    for (const Stretch &stretch : m_stretches) {
        Moves &moves = bySource[stretch.rows];
        moves.from.push_back(stretch.first);
        moves.to.push_back(next);
        moves.count.push_back(stretch.count);
        next += stretch.count;
    }
    const auto device = options.device();
    const auto rowsOf = [&](const Rows *source, const Moves &moves) {
        return source->tensor().index_select(0, stretchIndices(moves.from, moves.count, device));
    };
    if (bySource.size() == 1 && bySource.begin()->first)
        return rowsOf(bySource.begin()->first, bySource.begin()->second);
    auto all = torch::zeros({m_count, width}, options);
    for (const auto &[source, moves] : bySource) {
        if (source)
            all.index_copy_(0, stretchIndices(moves.to, moves.count, device), rowsOf(source, moves));
    }
    return all;
}

} // namespace headscope

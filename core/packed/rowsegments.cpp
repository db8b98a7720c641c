#include "core/packed/rowsegments.h"

#include "core/tensor/indextensor.h"

#include <torch/types.h>

#include <map>
#include <utility>

namespace headscope {

torch::Tensor segmentIndices(std::span<const std::int64_t> first, std::span<const std::int64_t> count,
                             const torch::Device &device)
{
    std::vector<std::int64_t> shifts; // from a row's place in the result to itself
    std::vector<std::int64_t> ends;
    std::int64_t total = 0;
    for (std::size_t i = 0; i < first.size(); ++i) {
        shifts.push_back(first[i] - total);
        ends.push_back(total += count[i]);
    }
    const auto segments = segmentOfRows(ends, device);
    return torch::arange(total, segments.options()) + indexTensor(shifts, device).index_select(0, segments);
}

torch::Tensor segmentOfRows(std::span<const std::int64_t> ends, const torch::Device &device)
{
    const auto boundaries = indexTensor(ends, device);
    const auto rows = torch::arange(ends.empty() ? 0 : ends.back(), boundaries.options());
    return torch::bucketize(rows, boundaries, /*out_int32=*/false, /*right=*/true);
}

torch::Tensor KeptIndices::of(Kind kind, std::vector<std::int64_t> numbers, const std::function<torch::Tensor()> &make)
{
    const auto [at, isNew] = m_known.try_emplace({kind, std::move(numbers)});
    if (isNew)
        at->second = make();
    return at->second;
}

void RowSegments::add(const Rows *rows, std::int64_t first, std::int64_t count)
{
    if (count == 0)
        return;
    m_count += count;
    if (!m_segments.empty()) {
        Segment &last = m_segments.back();
        if (last.rows == rows && (!rows || last.first + last.count == first)) {
            last.count += count;
            return;
        }
    }
    m_segments.push_back({rows, first, count});
}

void RowSegments::add(const KeyRows &keys)
{
    if (keys.scattered.empty())
        add(keys.rows, keys.first, keys.count);
    for (const RowRef &ref : keys.scattered)
        add(ref.rows, ref.row, 1);
}

torch::Tensor RowSegments::gathered(std::int64_t width, const torch::TensorOptions &options, KeptIndices *kept) const
{
    if (m_segments.size() == 1 && m_segments.front().rows) {
        const Segment &all = m_segments.front();
        return all.rows->tensor().narrow(0, all.first, all.count).to(options);
    }
    struct Moves
    {
        std::vector<std::int64_t> from, to, count;
    };
    std::map<const Rows *, Moves> bySource;
    std::int64_t next = 0;
    for (const Segment &segment : m_segments) {
        Moves &moves = bySource[segment.rows];
        moves.from.push_back(segment.first);
        moves.to.push_back(next);
        moves.count.push_back(segment.count);
        next += segment.count;
    }
    const auto device = options.device();
    const auto indicesOf = [&](const std::vector<std::int64_t> &first, const std::vector<std::int64_t> &count) {
        const auto make = [&] { return segmentIndices(first, count, device); };
        if (!kept || device.is_cpu())
            return make();
        std::vector<std::int64_t> numbers = first;
        numbers.insert(numbers.end(), count.begin(), count.end());
        return kept->of(KeptIndices::Kind::Segments, std::move(numbers), make);
    };
    const auto rowsOf = [&](const Rows *source, const Moves &moves) {
        return source->tensor().index_select(0, indicesOf(moves.from, moves.count)).to(options);
    };
    if (bySource.size() == 1 && bySource.begin()->first)
        return rowsOf(bySource.begin()->first, bySource.begin()->second);
    auto all = torch::zeros({m_count, width}, options);
    for (const auto &[source, moves] : bySource) {
        if (source)
            all.index_copy_(0, indicesOf(moves.to, moves.count), rowsOf(source, moves));
    }
    return all;
}

} // namespace headscope

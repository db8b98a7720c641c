#include "core/packed/rows.h"

#include "core/tensor/indextensor.h"

#include <torch/types.h>

#include <cstring>

namespace headscope {
namespace {

bool liesInFloats(const Rows &rows)
{
    const auto options = rows.options();
    return options.device().is_cpu() && options.dtype() == torch::kFloat32;
}

} // namespace

std::vector<std::int64_t> Sequences::positions() const
{
    std::vector<std::int64_t> positions;
    positions.reserve(static_cast<std::size_t>(rows()));
    for (std::int64_t s = 0; s < count(); ++s) {
        for (std::int64_t t = 0; t < length(s); ++t)
            positions.push_back(t);
    }
    return positions;
}

std::vector<std::int64_t> Sequences::lastRows() const
{
    std::vector<std::int64_t> rows;
    for (auto end = begin.begin() + 1; end < begin.end(); ++end)
        rows.push_back(*end - 1);
    return rows;
}

std::vector<std::int64_t> Sequences::rowsOf(std::span<const std::int64_t> chosen, const Sequences &lengths) const
{
    std::vector<std::int64_t> rows;
    rows.reserve(static_cast<std::size_t>(lengths.rows()));
    for (std::size_t i = 0; i < chosen.size(); ++i) {
        for (std::int64_t t = 0; t < lengths.length(static_cast<std::int64_t>(i)); ++t)
            rows.push_back(first(chosen[i]) + t);
    }
    return rows;
}

Sequences Sequences::only(std::span<const std::int64_t> chosen) const
{
    Sequences sequences;
    for (const std::int64_t s : chosen)
        sequences.add(length(s));
    return sequences;
}

Rows gatherRows(const Rows &from, std::span<const std::int64_t> rows)
{
    if (!liesInFloats(from))
        return Rows::of(from.tensor().index_select(0, indexTensor(rows, from.options().device())));
    Rows to(std::ssize(rows), from.width());
    const auto width = static_cast<std::size_t>(from.width()) * sizeof(float);
    for (std::size_t i = 0; i < rows.size();) {
        std::size_t together = 1; // rows in succession are one copy
        while (i + together < rows.size() && rows[i + together] == rows[i] + static_cast<std::int64_t>(together))
            ++together;
        std::memcpy(to.row(static_cast<std::int64_t>(i)), from.row(rows[i]), together * width);
        i += together;
    }
    return to;
}

Rows joined(std::span<const Rows> parts)
{
    if (!liesInFloats(parts.front())) {
        std::vector<torch::Tensor> tensors;
        for (const Rows &part : parts)
            tensors.push_back(part.tensor());
        return Rows::of(torch::cat(tensors));
    }
    std::int64_t count = 0;
    for (const Rows &part : parts)
        count += part.count();
    Rows whole(count, parts.front().width());
    std::int64_t next = 0;
    for (const Rows &part : parts) {
        std::memcpy(whole.row(next), part.row(0),
                    static_cast<std::size_t>(part.count() * part.width()) * sizeof(float));
        next += part.count();
    }
    return whole;
}

} // namespace headscope

#pragma once

#include "core/packed/linear.h"

#include <torch/types.h>

#include <cstdint>
#include <span>
#include <vector>

namespace headscope {

/// A matrix [count, width] with room for products to write whole steps of rows.
class Rows
{
public:
    Rows() = default;
    Rows(std::int64_t count, std::int64_t width, const torch::TensorOptions &options = torch::kFloat32)
        : m_data(torch::empty(
            {(count + PackedLinear::kRowStep - 1) / PackedLinear::kRowStep * PackedLinear::kRowStep, width}, options)),
          m_count(count), m_width(width), m_floats(floatsOf(m_data))
    {
    }
    /// Takes over a tensor [count, width], of any kind.
    static Rows of(const torch::Tensor &tensor)
    {
        Rows rows;
        rows.m_data = tensor;
        rows.m_count = tensor.size(0);
        rows.m_width = tensor.size(1);
        rows.m_floats = floatsOf(tensor);
        return rows;
    }

    std::int64_t count() const { return m_count; }
    std::int64_t width() const { return m_width; }
    /// In float32 on the CPU only.
    float *row(std::int64_t i) { return m_floats + i * m_width; }
    const float *row(std::int64_t i) const { return m_floats + i * m_width; }
    std::int64_t bytes() const { return m_data.defined() ? m_data.numel() * m_data.element_size() : 0; }
    /// [count, width], the same memory.
    torch::Tensor tensor() const { return m_data.narrow(0, 0, m_count); }
    torch::TensorOptions options() const { return m_data.options(); }
    /// Whether nothing else refers to this memory.
    bool isAlone() const { return m_data.use_count() == 1; }

private:
    static float *floatsOf(const torch::Tensor &tensor)
    {
        return tensor.is_cpu() && tensor.scalar_type() == torch::kFloat32 ? tensor.data_ptr<float>() : nullptr;
    }

    torch::Tensor m_data;
    std::int64_t m_count = 0;
    std::int64_t m_width = 0;
    float *m_floats = nullptr; ///< of m_data, where there are any: asked for at every row
};

/// Where the sequences of a packed batch begin: sequence s has rows begin[s] … begin[s+1] − 1.
struct Sequences
{
    std::vector<std::int64_t> begin{0};

    static Sequences ofOneRow(std::int64_t count)
    {
        Sequences sequences;
        for (std::int64_t i = 0; i < count; ++i)
            sequences.add(1);
        return sequences;
    }
    void add(std::int64_t length) { begin.push_back(begin.back() + length); }
    std::int64_t count() const { return static_cast<std::int64_t>(begin.size()) - 1; }
    std::int64_t rows() const { return begin.back(); }
    std::int64_t first(std::int64_t s) const { return begin[static_cast<std::size_t>(s)]; }
    std::int64_t length(std::int64_t s) const { return first(s + 1) - first(s); }
    /// 0, 1, 2, … in every sequence.
    std::vector<std::int64_t> positions() const;
    /// The rows that the sequences `chosen` have, as many as those of `lengths` from their beginnings.
    std::vector<std::int64_t> rowsOf(std::span<const std::int64_t> chosen, const Sequences &lengths) const;
    std::vector<std::int64_t> rowsOf(std::span<const std::int64_t> chosen) const
    {
        return rowsOf(chosen, only(chosen));
    }
    Sequences only(std::span<const std::int64_t> chosen) const;
    /// The first row of every sequence.
    std::vector<std::int64_t> firstRows() const { return {begin.begin(), begin.end() - 1}; }
    /// The last row of every sequence, none of which is empty.
    std::vector<std::int64_t> lastRows() const;
};

/// Some rows, in this order.
Rows gatherRows(const Rows &from, std::span<const std::int64_t> rows);
/// All rows of several matrices of one width, one after the other.
Rows joined(std::span<const Rows> parts);

/// One row of a matrix that lives elsewhere.
struct RowRef
{
    const Rows *rows = nullptr;
    std::int64_t row = 0;
};

/// Keys and values [count, K] that the queries of one sequence attend to, keys first: consecutive rows, or scattered
/// ones.
struct KeyRows
{
    const Rows *rows = nullptr;
    std::int64_t first = 0;
    std::int64_t count = 0;
    std::span<const RowRef> scattered{}; ///< if there are any: instead

    std::int64_t size() const { return scattered.empty() ? count : std::ssize(scattered); }
};

} // namespace headscope

#pragma once

#include "core/packed/linear.h"

#include <torch/types.h>

#include <cstdint>
#include <vector>

namespace headscope {

/// A matrix [count, width] of float32 on the CPU with room for products to write whole steps of rows.
class Rows
{
public:
    Rows() = default;
    Rows(std::int64_t count, std::int64_t width)
        : m_data(torch::empty({(count + PackedLinear::kRowStep - 1) / PackedLinear::kRowStep * PackedLinear::kRowStep,
                               width},
                              torch::kFloat32)),
          m_count(count), m_width(width)
    {
    }

    std::int64_t count() const { return m_count; }
    std::int64_t width() const { return m_width; }
    float *row(std::int64_t i) { return m_data.data_ptr<float>() + i * m_width; }
    const float *row(std::int64_t i) const { return m_data.data_ptr<float>() + i * m_width; }
    std::int64_t bytes() const { return m_data.defined() ? m_data.numel() * 4 : 0; }
    /// [count, width], the same memory.
    torch::Tensor tensor() const { return m_data.narrow(0, 0, m_count); }

private:
    torch::Tensor m_data;
    std::int64_t m_count = 0;
    std::int64_t m_width = 0;
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
};

} // namespace headscope

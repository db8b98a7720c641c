#pragma once

#include <torch/types.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace headscope {

/// How matrix products are made.
enum class Products {
    Exact, ///< in float32
    Split, ///< every factor as the sum of two bfloat16 numbers, three products of those, added up in float32
    Half,  ///< every factor rounded to bfloat16, added up in float32
    Byte,  ///< rows, and columns of the weights, as multiples of a 127th of their largest number, added up in 32 bits
};
constexpr std::size_t kProductKinds = 4;

/// True if this program was built with oneDNN, which computes packed products.
bool hasPackedProducts();
/// The library of products with its version; empty without one.
std::string productLibrary();

/// y = x·Wᵀ + b with weights packed once for all later products, which run on the calling thread only. Threads may
/// share it.
class PackedLinear
{
public:
    PackedLinear();
    /// Whether this processor can make such products at all: without AVX-512 oneDNN has none of bfloat16. Tried once.
    static bool canMake(Products products);

    /// weight [out, in], bias [out] or undefined: of any float type, on the CPU, copied. Precondition: canMake().
    PackedLinear(const torch::Tensor &weight, const torch::Tensor &bias, Products products);
    PackedLinear(PackedLinear &&) noexcept;
    PackedLinear &operator=(PackedLinear &&) noexcept;
    ~PackedLinear();

    /// Weights [out, in] as products of bytes see them, in float32.
    static torch::Tensor seenByBytes(const torch::Tensor &weight);

    std::int64_t outputs() const;
    /// input [rows, in] → output [rows, out]. Both must have room for a multiple of kRowStep rows.
    void operator()(const float *input, std::int64_t rows, float *output) const;

    static constexpr std::int64_t kRowStep = 16;
    /// Rows that run as one product; callers that chain products do so in slices of as many, which stay in the cache.
    static constexpr std::int64_t kSlice = 256;

private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

} // namespace headscope

#include "core/io/dequantise.h"

#include <torch/types.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace headscope {

torch::Tensor widenedMxfp4(const torch::Tensor &blocks, const torch::Tensor &scales)
{
    static constexpr float kNumbers[16]
        = {0.0F, 0.5F, 1.0F, 1.5F, 2.0F, 3.0F, 4.0F, 6.0F, -0.0F, -0.5F, -1.0F, -1.5F, -2.0F, -3.0F, -4.0F, -6.0F};
    constexpr int kBias = 127;
    const std::int64_t bytes = blocks.size(2);
    auto numbers = torch::empty({blocks.size(0), blocks.size(1), 2 * bytes}, torch::kFloat32);
    auto *to = numbers.data_ptr<float>();
    const auto *byte = blocks.data_ptr<std::uint8_t>();
    const auto *scale = scales.data_ptr<std::uint8_t>();
    for (std::int64_t group = 0; group < scales.numel(); ++group) {
        const float factor = std::ldexp(1.0F, scale[group] - kBias);
        for (std::int64_t i = 0; i < bytes; ++i, ++byte) {
            *to++ = kNumbers[*byte & 15] * factor;
            *to++ = kNumbers[*byte >> 4] * factor;
        }
    }
    return numbers.flatten(1).t().to(torch::kBFloat16).contiguous();
}

torch::Tensor unpackedWords(const torch::Tensor &words, std::int64_t bits)
{
    constexpr std::int64_t kWord = 32;
    const std::int64_t rows = words.size(0), inRow = words.size(1), count = inRow * kWord / bits;
    auto numbers = torch::empty({rows, count}, torch::kUInt8);
    auto *to = numbers.data_ptr<std::uint8_t>();
    const auto *word = words.data_ptr<std::int32_t>();
    const auto mask = (std::uint64_t{1} << bits) - 1;
    for (std::int64_t row = 0; row < rows; ++row, word += inRow) {
        for (std::int64_t i = 0; i < count; ++i) {
            const std::int64_t at = i * bits / kWord, shift = i * bits % kWord;
            std::uint64_t both = static_cast<std::uint32_t>(word[at]);
            if (shift + bits > kWord)
                both |= std::uint64_t{static_cast<std::uint32_t>(word[at + 1])} << kWord;
            *to++ = static_cast<std::uint8_t>(both >> shift & mask);
        }
    }
    return numbers;
}

torch::Tensor unpackedAwq(const torch::Tensor &words)
{
    static const torch::Tensor order = torch::tensor({0, 4, 1, 5, 2, 6, 3, 7}, torch::kInt64);
    return unpackedWords(words, 4).view({words.size(0), words.size(1), 8}).index_select(2, order).flatten(1);
}

torch::Tensor scaledCodes(const torch::Tensor &codes, const torch::Tensor &zeros, const torch::Tensor &scales,
                          const std::vector<std::int64_t> &groups)
{
    auto numbers = torch::empty(codes.sizes(), torch::kFloat32);
    const torch::Tensor zero = zeros.t().to(torch::kFloat32).contiguous();
    const torch::Tensor scale = scales.t().to(torch::kFloat32).contiguous();
    auto *to = numbers.data_ptr<float>();
    const auto *code = codes.data_ptr<std::uint8_t>();
    for (std::int64_t row = 0; row < codes.size(0); ++row) {
        const float *ownZero = zero.data_ptr<float>() + row * zero.size(1);
        const float *ownScale = scale.data_ptr<float>() + row * scale.size(1);
        for (const std::int64_t group : groups)
            *to++ = (static_cast<float>(*code++) - ownZero[group]) * ownScale[group];
    }
    return numbers.to(scales.scalar_type());
}

torch::Tensor scaledBlocks(const torch::Tensor &codes, const torch::Tensor &table, const torch::Tensor &largest,
                           std::int64_t block)
{
    auto numbers = torch::empty(codes.sizes(), torch::kFloat32);
    auto *to = numbers.data_ptr<float>();
    const auto *code = codes.data_ptr<std::uint8_t>();
    const float *of = table.data_ptr<float>();
    const float *scale = largest.data_ptr<float>();
    for (std::int64_t i = 0; i < codes.numel(); ++i)
        to[i] = of[code[i]] * scale[i / block];
    return numbers;
}

torch::Tensor halves(const torch::Tensor &bytes)
{
    auto codes = torch::empty({2 * bytes.numel()}, torch::kUInt8);
    auto *to = codes.data_ptr<std::uint8_t>();
    const auto *byte = bytes.data_ptr<std::uint8_t>();
    for (std::int64_t i = 0; i < bytes.numel(); ++i) {
        *to++ = byte[i] >> 4;
        *to++ = byte[i] & 15;
    }
    return codes;
}

} // namespace headscope

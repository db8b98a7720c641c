// Layouts of blocks: ggml-common.h; the order of the numbers and of the operations: ggml-quants.c, whose results these
// functions give bit by bit (without fused multiplications).
#include "core/io/ggufblocks.h"

#include <torch/types.h>

#include <cstddef>
#include <cstring>

namespace headscope {
namespace {

using Byte = std::uint8_t;

float half(const Byte *bytes)
{
    std::uint16_t bits = 0;
    std::memcpy(&bits, bytes, sizeof(bits));
    return c10::Half(bits, c10::Half::from_bits());
}

std::int8_t signedByte(Byte byte)
{
    return static_cast<std::int8_t>(byte);
}

/// Number i of 32 in halves of bytes: the low halves of all come first.
int nibble(const Byte *bytes, int i)
{
    return i < 16 ? bytes[i] & 15 : bytes[i - 16] >> 4;
}

int bitOf(const Byte *bytes, int i)
{
    return bytes[i / 8] >> (i % 8) & 1;
}

/// Two bits of number i of 256: four of a byte are 32 numbers apart.
int twoBits(const Byte *bytes, int i)
{
    return bytes[i / 128 * 32 + i % 32] >> (i % 128 / 32 * 2) & 3;
}

void widenQ4_0(const Byte *block, float *to)
{
    const float scale = half(block);
    for (int i = 0; i < 32; ++i)
        to[i] = scale * static_cast<float>(nibble(block + 2, i) - 8);
}

void widenQ4_1(const Byte *block, float *to)
{
    const float scale = half(block), least = half(block + 2);
    for (int i = 0; i < 32; ++i)
        to[i] = scale * static_cast<float>(nibble(block + 4, i)) + least;
}

void widenQ5_0(const Byte *block, float *to)
{
    const float scale = half(block);
    for (int i = 0; i < 32; ++i)
        to[i] = scale * static_cast<float>((nibble(block + 6, i) | bitOf(block + 2, i) << 4) - 16);
}

void widenQ5_1(const Byte *block, float *to)
{
    const float scale = half(block), least = half(block + 2);
    for (int i = 0; i < 32; ++i)
        to[i] = scale * static_cast<float>(nibble(block + 8, i) | bitOf(block + 4, i) << 4) + least;
}

void widenQ8_0(const Byte *block, float *to)
{
    const float scale = half(block);
    for (int i = 0; i < 32; ++i)
        to[i] = scale * static_cast<float>(signedByte(block[2 + i]));
}

/// Scales and least numbers of 16, then two bits each, then what both are multiplied with.
void widenQ2_K(const Byte *block, float *to)
{
    const float scale = half(block + 80), least = half(block + 82);
    for (int i = 0; i < 256; ++i) {
        const Byte both = block[i / 16];
        to[i] = scale * static_cast<float>(both & 15) * static_cast<float>(twoBits(block + 16, i))
              - least * static_cast<float>(both >> 4);
    }
}

/// Third bits, two bits, scales of 16 in six bits.
void widenQ3_K(const Byte *block, float *to)
{
    const float scale = half(block + 108);
    const Byte *scales = block + 96;
    for (int i = 0; i < 256; ++i) {
        const int part = i / 16;
        const int low = part < 8 ? scales[part] & 15 : scales[part - 8] >> 4;
        const int high = scales[8 + part % 4] >> (part / 4 * 2) & 3;
        const int third = block[i % 32] >> (i / 32) & 1;
        to[i] = scale * static_cast<float>((low | high << 4) - 32)
              * static_cast<float>(twoBits(block + 32, i) - (third == 0 ? 4 : 0));
    }
}

/// The factors of part 0 … 7 of a block of Q4_K or Q5_K, each in six bits.
struct ScaleAndLeast
{
    int scale, least;
};
ScaleAndLeast scaleOf(const Byte *packed, int part)
{
    if (part < 4)
        return {packed[part] & 63, packed[part + 4] & 63};
    return {(packed[part + 4] & 15) | packed[part - 4] >> 6 << 4, packed[part + 4] >> 4 | packed[part] >> 6 << 4};
}

/// `fifth`: 32 bytes with a bit for each part, or none.
void widenParts(const Byte *block, const Byte *fifth, const Byte *codes, float *to)
{
    const float scale = half(block), least = half(block + 2);
    for (int part = 0; part < 8; ++part) {
        const auto own = scaleOf(block + 4, part);
        const float factor = scale * static_cast<float>(own.scale), offset = least * static_cast<float>(own.least);
        for (int i = 0; i < 32; ++i) {
            const Byte both = codes[part / 2 * 32 + i];
            const int code = (part % 2 == 0 ? both & 15 : both >> 4) | (fifth ? (fifth[i] >> part & 1) << 4 : 0);
            *to++ = factor * static_cast<float>(code) - offset;
        }
    }
}

void widenQ4_K(const Byte *block, float *to)
{
    widenParts(block, nullptr, block + 16, to);
}

void widenQ5_K(const Byte *block, float *to)
{
    widenParts(block, block + 16, block + 48, to);
}

/// Four bits, two bits, scales of 16 in eight.
void widenQ6_K(const Byte *block, float *to)
{
    const float scale = half(block + 208);
    for (int i = 0; i < 256; ++i) {
        const Byte both = block[i / 128 * 64 + i % 64];
        const int low = i % 128 < 64 ? both & 15 : both >> 4;
        const float factor = scale * static_cast<float>(signedByte(block[192 + i / 16]));
        to[i] = factor * static_cast<float>((low | twoBits(block + 128, i) << 4) - 32);
    }
}

using Widen = void (*)(const Byte *block, float *to);

Widen widening(GgufType type)
{
    switch (type) {
    case GgufType::Q4_0:
        return widenQ4_0;
    case GgufType::Q4_1:
        return widenQ4_1;
    case GgufType::Q5_0:
        return widenQ5_0;
    case GgufType::Q5_1:
        return widenQ5_1;
    case GgufType::Q8_0:
        return widenQ8_0;
    case GgufType::Q2_K:
        return widenQ2_K;
    case GgufType::Q3_K:
        return widenQ3_K;
    case GgufType::Q4_K:
        return widenQ4_K;
    case GgufType::Q5_K:
        return widenQ5_K;
    case GgufType::Q6_K:
        return widenQ6_K;
    case GgufType::F32:
    case GgufType::F16:
    case GgufType::BF16:
        break;
    }
    return nullptr; // no blocks
}

} // namespace

torch::Tensor widenedGguf(const torch::Tensor &bytes, GgufType type, const std::vector<std::int64_t> &shape)
{
    const GgufBlock &layout = blockOf(type);
    const Widen widen = widening(type);
    auto numbers = torch::empty(shape, torch::kFloat32);
    const Byte *from = bytes.data_ptr<Byte>();
    auto *to = numbers.data_ptr<float>();
    for (std::int64_t block = 0; block < numbers.numel() / layout.numbers; ++block)
        widen(from + block * layout.bytes, to + block * layout.numbers);
    return numbers;
}

} // namespace headscope

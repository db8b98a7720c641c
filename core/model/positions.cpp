#include "core/model/positions.h"

#include "core/tensor/indextensor.h"

#include <torch/types.h>

#include <algorithm>
#include <cmath>

namespace headscope {
namespace {

/// Marian's table: [sin | cos] halves, entry i of each with divisor 10000^(2i/D), in double.
torch::Tensor halvesTable(std::int64_t positions, std::int64_t width)
{
    const std::int64_t half = (width + 1) / 2;
    const auto index = torch::arange(width, torch::kFloat64);
    const auto frequency
        = torch::pow(10000.0, -2.0 * torch::where(index < half, index, index - half) / static_cast<double>(width));
    const auto angle = torch::arange(positions, torch::kFloat64).unsqueeze(1) * frequency;
    return torch::where(index < half, angle.sin(), angle.cos()).to(torch::kFloat32);
}

/// fairseq's: a zero column at an odd end, and zeros for padding, the row before the first position.
torch::Tensor fairseqTable(std::int64_t positions, std::int64_t width, std::int64_t paddingRow)
{
    const std::int64_t half = width / 2;
    const auto step = static_cast<float>(std::log(10000.0) / static_cast<double>(half - 1));
    const auto frequency = torch::exp(torch::arange(half, torch::kFloat32) * -step);
    const auto angle = torch::arange(positions, torch::kFloat32).unsqueeze(1) * frequency;
    auto table = torch::cat({angle.sin(), angle.cos()}, 1);
    if (width % 2 == 1)
        table = torch::cat({table, torch::zeros({positions, 1})}, 1);
    if (paddingRow >= 0)
        table[paddingRow].zero_();
    return table;
}

} // namespace

torch::Tensor positionTable(const TransformerSpec &spec)
{
    const std::int64_t rows = spec.maxPositions + spec.positions.offset;
    switch (spec.positions.table) {
    case PositionTable::SinusoidalHalves:
        return halvesTable(rows, spec.embeddingSize());
    case PositionTable::SinusoidalFairseq:
        return fairseqTable(rows, spec.embeddingSize(), spec.positions.offset - 1);
    case PositionTable::None:
    case PositionTable::Learned:
        break;
    }
    return {};
}

torch::Tensor positionsOf(const torch::Tensor &ids, const TransformerSpec &spec)
{
    if (!spec.positions.pastPadding)
        return torch::arange(ids.size(1), ids.options());
    const auto real = ids.ne(spec.generation.padId).to(torch::kInt64);
    return real.cumsum(1) * real - 1;
}

std::int64_t relativeBucket(std::int64_t distance, const RelativeBuckets &relative)
{
    std::int64_t count = relative.buckets;
    std::int64_t first = 0;
    if (relative.bothWays) {
        count /= 2;
        first = distance > 0 ? count : 0;
        distance = std::abs(distance);
    } else {
        distance = std::max<std::int64_t>(0, -distance);
    }
    const std::int64_t exact = count / 2;
    if (distance < exact)
        return first + distance;
    // In float32, as the original: roundings decide at the borders.
    const float share
        = std::log(static_cast<float>(distance) / static_cast<float>(exact))
        / static_cast<float>(std::log(static_cast<double>(relative.furthest) / static_cast<double>(exact)))
        * static_cast<float>(count - exact);
    return first + std::min(count - 1, exact + static_cast<std::int64_t>(share));
}

torch::Tensor relativeScores(const torch::Tensor &table, const AttentionSpec &attention, std::int64_t before,
                             std::int64_t after)
{
    if (!attention.relative) {
        std::vector<float> slopes;
        for (const int head : attention.heads)
            slopes.push_back(attention.slopes[static_cast<std::size_t>(head)]);
        return torch::tensor(slopes, torch::kFloat64).unsqueeze(1) * torch::arange(-before, after + 1, torch::kFloat64);
    }
    std::vector<std::int64_t> buckets;
    for (std::int64_t distance = -before; distance <= after; ++distance)
        buckets.push_back(relativeBucket(distance, *attention.relative));
    const std::vector<std::int64_t> columns(attention.heads.begin(), attention.heads.end());
    return table.index_select(0, indexTensor(buckets, table.device()))
        .index_select(1, indexTensor(columns, table.device()))
        .t()
        .contiguous();
}

RotaryAngles rotaryAngles(const RotarySpec &rotary, std::int64_t headWidth, const torch::Tensor &positions,
                          const torch::TensorOptions &options)
{
    const std::int64_t width = rotary.width > 0 ? rotary.width : headWidth;
    torch::Tensor frequency;
    if (rotary.frequencies.empty()) {
        const auto exponent
            = torch::arange(0, width, 2, torch::kInt64).to(torch::kFloat32) / static_cast<double>(width);
        frequency = 1.0 / torch::pow(rotary.base, exponent);
    } else {
        frequency = torch::tensor(rotary.frequencies, torch::kFloat32);
    }
    const auto angle = positions.to(torch::kFloat32).unsqueeze(-1) * frequency.to(positions.device());
    const auto both = rotary.neighbours ? angle.repeat_interleave(2, -1) : torch::cat({angle, angle}, -1);
    auto cosines = both.cos();
    auto sines = both.sin();
    if (rotary.stretch != 1) {
        cosines = cosines * rotary.stretch;
        sines = sines * rotary.stretch;
    }
    return {cosines.to(options), sines.to(options), rotary.neighbours};
}

torch::Tensor RotaryAngles::partners(const torch::Tensor &turned) const
{
    if (!neighbours) {
        const auto halves = turned.chunk(2, -1);
        return torch::cat({-halves[1], halves[0]}, -1);
    }
    const auto pairs = turned.unflatten(-1, {-1, 2});
    return torch::stack({-pairs.select(-1, 1), pairs.select(-1, 0)}, -1).flatten(-2);
}

torch::Tensor RotaryAngles::swapped(const torch::Tensor &turned) const
{
    if (neighbours)
        return turned.unflatten(-1, {-1, 2}).flip(-1).flatten(-2);
    const auto halves = turned.chunk(2, -1);
    return torch::cat({halves[1], halves[0]}, -1);
}

torch::Tensor rotated(const torch::Tensor &heads, const RotaryAngles &angles)
{
    const std::int64_t width = angles.cosines.size(-1);
    const std::int64_t rest = heads.size(-1) - width;
    const auto turned = rest > 0 ? heads.narrow(-1, 0, width) : heads;
    const auto result = turned * angles.cosines + angles.partners(turned) * angles.sines;
    return rest > 0 ? torch::cat({result, heads.narrow(-1, width, rest)}, -1) : result;
}

} // namespace headscope

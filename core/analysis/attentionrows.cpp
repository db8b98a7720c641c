#include "core/analysis/attentionrows.h"

#include <torch/types.h>

namespace headscope {
namespace {

std::vector<std::uint8_t> flags(const torch::Tensor &rows, std::size_t row, std::size_t size)
{
    const auto values = rows[static_cast<std::int64_t>(row)].to(torch::kCPU, torch::kUInt8).contiguous();
    const auto *first = values.data_ptr<std::uint8_t>();
    return {first, first + size};
}

} // namespace

AttentionTokens attentionTokens(const AttentionBatch &batch, HeadKind kind, std::size_t row)
{
    AttentionTokens tokens;
    tokens.kind = kind;
    tokens.queryIds = kind == HeadKind::Encoder ? batch.sources[row] : batch.prefixes[row];
    tokens.keyIds = kind == HeadKind::Decoder ? batch.prefixes[row] : batch.sources[row];
    const AttentionBatch::Kind &real = batch.kinds.at(kind);
    tokens.realQueries = flags(real.realQueries, row, tokens.queryIds.size());
    tokens.realKeys = flags(real.realKeys, row, tokens.keyIds.size());
    return tokens;
}

void forEachHead(const AttentionBatch &batch, const HeadLayout &layout, AttentionMeasure measure,
                 const VisitAttention &visit)
{
    const auto inMemory
        = [](const torch::Tensor &values) { return values.to(torch::kCPU, torch::kFloat32).contiguous(); };
    for (const HeadLayout::Block &block : layout.blocks()) {
        const AttentionBatch::Kind &kind = batch.kinds.at(block.kind);
        for (std::size_t layer = 0; layer < block.layers.size(); ++layer) {
            if (!kind.probabilities[layer].defined())
                continue;
            auto weights = inMemory(kind.probabilities[layer]); // [B, H, T, S]
            torch::Tensor scales;                               // [B, H, T]
            if (measure != AttentionMeasure::Weights) {
                weights = weights * inMemory(kind.valueNorms[layer]).unsqueeze(2);
                scales = weights.sum(3).contiguous();
                // Value vectors that are all zero add nothing anywhere: their rows stay zero.
                weights = (weights / scales.unsqueeze(3).clamp_min(1e-30)).contiguous();
            }
            const float *scale = measure == AttentionMeasure::UnscaledNorms ? scales.data_ptr<float>() : nullptr;
            const auto *first = weights.data_ptr<float>();
            const auto heads = static_cast<std::size_t>(weights.size(1));
            const std::int64_t size = weights.size(2) * weights.size(3);
            for (std::size_t row = 0; row < static_cast<std::size_t>(weights.size(0)); ++row) {
                for (std::size_t i = 0; i < heads; ++i) {
                    const auto place = static_cast<std::int64_t>(row * heads + i);
                    visit({block.kind, static_cast<int>(layer), block.layers[layer][i]}, row,
                          {first + place * size, weights.size(3), scale ? scale + place * weights.size(2) : nullptr});
                }
            }
        }
    }
}

} // namespace headscope

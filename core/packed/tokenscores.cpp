#include "core/packed/tokenscores.h"

#include "core/packed/kernels.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace headscope {
namespace {

bool isReadable(torch::ScalarType type)
{
    return type == torch::kFloat32 || type == torch::kBFloat16 || type == torch::kFloat16;
}

/// Some rows of a matrix of halves as floats, one after the other, in memory that the next call of the thread uses.
const float *widenedRows(const torch::Tensor &halves, const std::int32_t *rows, std::int64_t count)
{
    thread_local std::vector<float> wide;
    const std::int64_t width = halves.size(1);
    wide.resize(static_cast<std::size_t>(count * width));
    const auto widen = [&](const auto *from) {
        for (std::int64_t k = 0; k < count; ++k)
            std::copy_n(from + rows[k] * width, width, wide.data() + k * width);
    };
    if (halves.scalar_type() == torch::kBFloat16)
        widen(halves.data_ptr<at::BFloat16>());
    else
        widen(halves.data_ptr<at::Half>());
    return wide.data();
}

} // namespace

bool TokenScores::canUse(const RowModel &model)
{
    const torch::Tensor &output = model.transformer().weights().outputWeight;
    return output.defined() && output.is_cpu() && isReadable(output.scalar_type())
        && model.transformer().dtype() == torch::kFloat32
        && model.spec().logitCap == 0; // scores are compared as the output matrix gives them
}

TokenScores::TokenScores(const RowModel &model)
    : m_weights(model.transformer().weights().outputWeight.contiguous()),
      m_bias(model.transformer().weights().outputBias.defined()
                 ? model.transformer().weights().outputBias.to(torch::kFloat32).contiguous()
                 : torch::Tensor())
{
}

void TokenScores::scoresOf(const float *read, const std::int32_t *tokens, std::int64_t count, float *scores) const
{
    if (m_weights.scalar_type() == torch::kFloat32) {
        kernels::scoresOf(read, m_weights.data_ptr<float>(), width(), tokens, count, scores);
    } else {
        thread_local std::vector<std::int32_t> places;
        for (auto place = static_cast<std::int32_t>(places.size()); place < count; ++place)
            places.push_back(place);
        kernels::scoresOf(read, widenedRows(m_weights, tokens, count), width(), places.data(), count, scores);
    }
    for (std::int64_t k = 0; m_bias.defined() && k < count; ++k)
        scores[k] += m_bias.data_ptr<float>()[tokens[k]];
}

/// A part is widened at a time.
float TokenScores::longest() const
{
    constexpr std::int64_t kRows = 1024;
    float longest = 0;
    for (std::int64_t first = 0; first < m_weights.size(0); first += kRows) {
        const auto some = m_weights.narrow(0, first, std::min(kRows, m_weights.size(0) - first)).to(torch::kFloat32);
        const auto longestHere = some.norm(2, 1).max().item<float>();
        longest = std::isnan(longestHere) ? longestHere : std::max(longest, longestHere);
        if (std::isnan(longest))
            break;
    }
    return longest;
}

} // namespace headscope

#include "core/model/likelihood.h"

#include <ATen/core/grad_mode.h>
#include <torch/types.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace headscope {
namespace {

torch::Tensor ofRows(const torch::Tensor &tokens, const torch::Tensor &logits)
{
    // The largest is a constant: what it is shifts both terms alike.
    const auto largest = logits.detach().amax(-1, true);                               // [N, 1]
    const auto logOfSum = (logits - largest).exp_().sum(-1).to(torch::kFloat64).log(); // [N]
    const auto own = logits.gather(1, tokens.unsqueeze(1)).to(torch::kFloat64).squeeze(1);
    return own - largest.to(torch::kFloat64).squeeze(1) - logOfSum;
}

} // namespace

torch::Tensor logProbabilitiesOf(const torch::Tensor &tokens, const torch::Tensor &given)
{
    const auto logits = given.scalar_type() == torch::kFloat64 ? given : given.to(torch::kFloat32);
    if (logits.requires_grad() && at::GradMode::is_enabled())
        return ofRows(tokens, logits);
    // Few rows at a time on a processor: what is between the passes over them stays in its cache.
    constexpr std::int64_t kAtOnce = 1 << 18;
    const std::int64_t rows = logits.size(0);
    const std::int64_t slice = logits.device().is_cpu()
                                 ? std::max<std::int64_t>(1, kAtOnce / std::max<std::int64_t>(1, logits.size(1)))
                                 : rows;
    if (rows <= slice)
        return ofRows(tokens, logits);
    std::vector<torch::Tensor> parts;
    for (std::int64_t first = 0; first < rows; first += slice) {
        const std::int64_t count = std::min(slice, rows - first);
        parts.push_back(ofRows(tokens.narrow(0, first, count), logits.narrow(0, first, count)));
    }
    return torch::cat(parts);
}

} // namespace headscope

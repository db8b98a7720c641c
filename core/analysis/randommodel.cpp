#include "core/analysis/randommodel.h"

#include "core/base/random.h"

#include <torch/types.h>

#include <cmath>
#include <map>
#include <string>

namespace headscope {
namespace {

torch::Tensor normalNumbers(const WeightSlot &slot, double deviation, Random &random)
{
    auto tensor = torch::zeros(slot.shape, torch::kFloat32);
    auto *out = tensor.data_ptr<float>();
    for (std::int64_t i = 0; i < tensor.numel(); ++i)
        out[i] = static_cast<float>(normal(random, deviation));
    return tensor;
}

} // namespace

std::shared_ptr<const Transformer> withRandomWeights(const Transformer &model, std::uint64_t seed)
{
    const TransformerSpec &spec = model.spec();
    const double deviation = 0.02 * std::sqrt(768.0 / static_cast<double>(spec.width));
    Random random(seed);
    std::map<std::string, torch::Tensor> tensors;
    for (const WeightSlot &slot : weightSlots(spec)) {
        const bool isNorm = slot.name.find("norm.") != std::string::npos;
        torch::Tensor tensor = slot.shape.size() > 1                    ? normalNumbers(slot, deviation, random)
                             : isNorm && slot.name.ends_with(".weight") ? torch::ones(slot.shape, torch::kFloat32)
                                                                        : torch::zeros(slot.shape, torch::kFloat32);
        tensors[slot.name] = tensor.to(model.options());
    }
    return std::make_shared<const Transformer>(spec, TransformerWeights::assemble(spec, tensors));
}

} // namespace headscope

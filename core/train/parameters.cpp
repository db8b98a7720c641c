#include "core/train/parameters.h"

#include <ATen/core/grad_mode.h>
#include <torch/types.h>

#include <charconv>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <system_error>

namespace headscope {
namespace {

bool isTrained(const std::string &slot)
{
    return slot != "output.bias";
}

bool isNorm(const std::string &slot)
{
    return slot.find("norm.") != std::string::npos;
}

bool isEmbedding(const std::string &slot)
{
    return slot.ends_with(".embedding") || slot.ends_with(".positions") || slot == "output.weight";
}

/// The content vectors that represent query biases, which start at zero.
bool isContent(const std::string &slot)
{
    return slot.ends_with(".content.weight");
}

void fillNormal(torch::Tensor &tensor, double deviation, Random &random)
{
    auto *out = tensor.data_ptr<float>();
    for (std::int64_t i = 0; i < tensor.numel(); ++i)
        out[i] = static_cast<float>(normal(random, deviation));
}

void fillUniform(torch::Tensor &tensor, double bound, Random &random)
{
    auto *out = tensor.data_ptr<float>();
    for (std::int64_t i = 0; i < tensor.numel(); ++i)
        out[i] = static_cast<float>((2 * random.uniform() - 1) * bound);
}

/// Half the width of the uniform distribution of a matrix: initialTensors() says where it is from. Without its roots,
/// models of 6 + 6 layers learn for many epochs to write the language before they learn to look at the source.
double uniformBound(const WeightSlot &slot)
{
    double bound = std::sqrt(6.0 / static_cast<double>(slot.shape[0] + slot.shape[1]));
    int layer = 0;
    const std::size_t dot = slot.name.find('.');
    if (dot != std::string::npos
        && std::from_chars(slot.name.data() + dot + 1, slot.name.data() + slot.name.size(), layer).ec == std::errc())
        bound /= std::sqrt(static_cast<double>(layer + 1));
    for (const char *part : {".query.", ".key.", ".value."}) {
        if (slot.name.find(part) != std::string::npos)
            bound /= std::numbers::sqrt2;
    }
    return bound;
}

/// Every head of a layer gets the rows of its first.
void makeHeadsIdentical(const TransformerSpec &spec, std::map<std::string, torch::Tensor> &tensors)
{
    const HeadLayout layout = spec.layout();
    for (const HeadLayout::Block &block : layout.blocks()) {
        for (int layer = 0; layer < static_cast<int>(block.layers.size()); ++layer) {
            for (const char *part : {"query.weight", "key.weight", "value.weight"}) {
                torch::Tensor &rows = tensors.at(Recorder::place(block.kind, layer, part)); // [H·Dh, D]
                const std::int64_t width = spec.attention(block.kind, layer).headWidth;
                if (rows.size(0) > width)
                    rows = rows.narrow(0, 0, width).repeat({rows.size(0) / width, 1});
            }
        }
    }
}

} // namespace

Parameters::Parameters(const TransformerSpec &spec, const std::map<std::string, torch::Tensor> &tensors,
                       bool halfProducts, torch::Device device, const TrainedChoice &choice)
{
    const auto isChosen
        = [&](const std::string &slot) { return isTrained(slot) && (!choice.isTrained || choice.isTrained(slot)); };
    const auto options = torch::TensorOptions().dtype(torch::kFloat32).device(device);
    std::int64_t total = 0;
    for (const auto &[slot, tensor] : tensors)
        total += isChosen(slot) ? tensor.numel() : 0;
    m_gateCount = choice.gates.defined() ? choice.gates.numel() : 0;
    m_values = torch::empty({total + m_gateCount}, options);
    std::map<std::string, torch::Tensor> leaves;
    std::map<std::string, torch::Tensor> halves;
    std::int64_t at = 0;
    for (const auto &[slot, tensor] : tensors) {
        const bool inHalf = halfProducts && isTrained(slot) && tensor.dim() == 2 && !slot.ends_with(".positions");
        if (!isChosen(slot)) {
            m_tensors[slot] = leaves[slot] = tensor.to(options);
            if (inHalf)
                halves[slot] = m_tensors[slot].to(torch::kBFloat16);
            continue;
        }
        auto view = m_values.narrow(0, at, tensor.numel()).view(tensor.sizes());
        at += tensor.numel();
        view.copy_(tensor);
        m_tensors[slot] = view;
        m_leaves.push_back(leaves[slot] = view.detach().requires_grad_(true));
        if (inHalf)
            m_halves.emplace_back(view, halves[slot] = view.to(torch::kBFloat16));
    }
    if (m_gateCount > 0) {
        gates().copy_(choice.gates);
        m_leaves.push_back(gates().detach().requires_grad_(true));
    }
    m_model = std::make_shared<const Transformer>(spec, TransformerWeights::assemble(spec, m_tensors));
    m_trainedModel = std::make_unique<const Transformer>(spec, TransformerWeights::assemble(spec, leaves, halves));
}

torch::Tensor Parameters::flatten(const std::vector<torch::Tensor> &gradients) const
{
    const torch::NoGradGuard noGrad;
    auto flat = torch::empty_like(m_values);
    std::int64_t at = 0;
    for (std::size_t i = 0; i < gradients.size(); ++i) {
        auto part = flat.narrow(0, at, m_leaves[i].numel()).view(m_leaves[i].sizes());
        at += part.numel();
        if (gradients[i].defined())
            part.copy_(gradients[i]);
        else
            part.zero_();
    }
    return flat;
}

void Parameters::refreshHalves()
{
    const torch::NoGradGuard noGrad;
    for (auto &[view, half] : m_halves)
        half.copy_(view);
}

std::map<std::string, torch::Tensor> initialTensors(const TransformerSpec &spec, std::uint64_t seed, InitialHeads heads)
{
    std::map<std::string, torch::Tensor> tensors;
    Random random(seed);
    for (const WeightSlot &slot : weightSlots(spec)) {
        auto tensor = torch::zeros(slot.shape, torch::kFloat32);
        if (isNorm(slot.name))
            tensor.fill_(slot.name.ends_with(".weight") ? 1 : 0);
        else if (isEmbedding(slot.name))
            fillNormal(tensor, 1 / std::sqrt(static_cast<double>(spec.width)), random);
        else if (slot.shape.size() == 2 && isTrained(slot.name) && !isContent(slot.name))
            fillUniform(tensor, uniformBound(slot), random);
        tensors[slot.name] = tensor;
    }
    if (heads == InitialHeads::Identical)
        makeHeadsIdentical(spec, tensors);
    return tensors;
}

} // namespace headscope

#include "core/train/parameters.h"

#include <ATen/core/grad_mode.h>
#include <torch/types.h>

#include <charconv>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <string_view>
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

/// Every head of a layer gets the rows of its first, and where outputs are of heads too, its columns.
void makeHeadsIdentical(const TransformerSpec &spec, std::map<std::string, torch::Tensor> &tensors, bool withOutputs,
                        double noise, Random &random)
{
    const auto disturb = [&](torch::Tensor &weights) {
        if (noise <= 0)
            return;
        torch::Tensor added = torch::empty_like(weights).contiguous();
        fillNormal(added, noise * weights.std().item<double>(), random);
        weights = weights + added;
    };
    const HeadLayout layout = spec.layout();
    for (const HeadLayout::Block &block : layout.blocks()) {
        for (int layer = 0; layer < static_cast<int>(block.layers.size()); ++layer) {
            const std::int64_t width = spec.attention(block.kind, layer).headWidth;
            for (const char *part : {"query.weight", "key.weight", "value.weight"}) {
                torch::Tensor &rows = tensors.at(Recorder::place(block.kind, layer, part)); // [H·Dh, D]
                if (rows.size(0) > width)
                    rows = rows.narrow(0, 0, width).repeat({rows.size(0) / width, 1});
                disturb(rows);
            }
            torch::Tensor &columns = tensors.at(Recorder::place(block.kind, layer, "out.weight")); // [D, H·Dh]
            if (withOutputs && columns.size(1) > width)
                columns = columns.narrow(1, 0, width).repeat({1, columns.size(1) / width});
            if (withOutputs)
                disturb(columns);
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

std::map<std::string, torch::Tensor> initialTensors(const TransformerSpec &spec, std::uint64_t seed, InitialHeads heads,
                                                    double noise)
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
    if (heads != InitialHeads::Different)
        makeHeadsIdentical(spec, tensors, heads == InitialHeads::Equal, noise, random);
    return tensors;
}

std::optional<double> headSpread(const TransformerSpec &spec, const std::map<std::string, torch::Tensor> &tensors)
{
    const torch::NoGradGuard noGrad;
    double sum = 0;
    std::int64_t attentions = 0;
    const HeadLayout layout = spec.layout();
    for (const HeadLayout::Block &block : layout.blocks()) {
        for (int layer = 0; layer < static_cast<int>(block.layers.size()); ++layer) {
            const AttentionSpec &attention = spec.attention(block.kind, layer);
            const std::int64_t heads = attention.headCount();
            double apart = 0;
            double whole = 0;
            for (const char *part : {"query.weight", "key.weight", "value.weight", "out.weight"}) {
                const auto found = tensors.find(Recorder::place(block.kind, layer, part));
                const bool isColumns = std::string_view(part) == "out.weight";
                if (heads < 2 || found == tensors.end() || found->second.size(isColumns ? 1 : 0) != attention.width())
                    continue;
                const auto rows = (isColumns ? found->second.t() : found->second)
                                      .to(torch::kCPU, torch::kFloat64)
                                      .reshape({heads, -1});
                apart += (rows - rows.mean(0, true)).square().sum().item<double>();
                whole += rows.square().sum().item<double>();
            }
            if (whole > 0) {
                sum += std::sqrt(apart / whole);
                ++attentions;
            }
        }
    }
    return attentions > 0 ? std::optional(sum / static_cast<double>(attentions)) : std::nullopt;
}

} // namespace headscope

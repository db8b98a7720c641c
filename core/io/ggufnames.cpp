#include "core/io/ggufnames.h"

#include "core/io/ggufblocks.h"
#include "core/io/torchdtype.h"

#include <fmt/format.h>
#include <torch/types.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace headscope {
namespace {

struct NamePart
{
    std::string_view gguf, huggingFace;
};

constexpr NamePart kOutside[]
    = {{"token_embd.", "model.embed_tokens."}, {"output_norm.", "model.norm."}, {"output.", "lm_head."}};

constexpr NamePart kInLayer[] = {{"attn_norm.", "input_layernorm."},    {"attn_q.", "self_attn.q_proj."},
                                 {"attn_k.", "self_attn.k_proj."},      {"attn_v.", "self_attn.v_proj."},
                                 {"attn_output.", "self_attn.o_proj."}, {"attn_q_norm.", "self_attn.q_norm."},
                                 {"attn_k_norm.", "self_attn.k_norm."}, {"ffn_gate.", "mlp.gate_proj."},
                                 {"ffn_up.", "mlp.up_proj."},           {"ffn_down.", "mlp.down_proj."}};

constexpr NamePart kNormsBefore[] = {{"ffn_norm.", "post_attention_layernorm."}};
constexpr NamePart kNormsAround[] = {{"post_attention_norm.", "post_attention_layernorm."},
                                     {"ffn_norm.", "pre_feedforward_layernorm."},
                                     {"post_ffw_norm.", "post_feedforward_layernorm."}};

struct Architecture
{
    std::string_view name;
    std::span<const NamePart> norms;
    bool byPairs = false; ///< rows of queries and keys are
    bool normsPlusOne = false;
};

constexpr Architecture kArchitectures[] = {{"llama", kNormsBefore, true, false},
                                           {"qwen2", kNormsBefore, false, false},
                                           {"qwen3", kNormsBefore, false, false},
                                           {"gemma2", kNormsAround, false, true},
                                           {"gemma3", kNormsAround, false, true}};

std::optional<std::string> replaced(std::string_view name, std::span<const NamePart> parts)
{
    for (const auto &[gguf, huggingFace] : parts) {
        if (name.starts_with(gguf))
            return std::string(huggingFace) + std::string(name.substr(gguf.size()));
    }
    return std::nullopt;
}

/// Its own where it has no other.
std::string nameInModel(const std::string &name, const Architecture &architecture)
{
    constexpr std::string_view kBlock = "blk.";
    const std::size_t dot = name.find('.', kBlock.size());
    if (!name.starts_with(kBlock) || dot == std::string::npos)
        return replaced(name, kOutside).value_or(name);
    const std::string_view part = std::string_view(name).substr(dot + 1);
    auto found = replaced(part, kInLayer);
    if (!found)
        found = replaced(part, architecture.norms);
    return found ? "model.layers." + name.substr(kBlock.size(), dot + 1 - kBlock.size()) + *found : name;
}

std::optional<DType> plainType(GgufType type)
{
    switch (type) {
    case GgufType::F32:
        return DType::F32;
    case GgufType::F16:
        return DType::F16;
    case GgufType::BF16:
        return DType::BF16;
    default:
        return std::nullopt;
    }
}

TensorEntry entryOf(const GgufTensor &tensor, std::string name)
{
    TensorEntry entry;
    const auto type = plainType(tensor.type);
    entry.name = std::move(name);
    entry.dtype = type.value_or(DType::U8);
    entry.shape = type ? tensor.shape : std::vector{static_cast<std::int64_t>(tensor.bytes)};
    entry.strides = rowMajorStrides(entry.shape);
    entry.offset = tensor.offset;
    entry.bytes = tensor.bytes;
    return entry;
}

/// How many heads the rows of a tensor are ordered by pairs in; 0: they are not.
std::int64_t headsByPairs(const GgufFile &file, const std::string &name, const Architecture &architecture)
{
    const bool isQuery = name.find(".attn_q.") != std::string::npos;
    if (!architecture.byPairs || (!isQuery && name.find(".attn_k.") == std::string::npos))
        return 0;
    const std::string key = std::string(architecture.name) + ".attention.head_count";
    const nlohmann::json &own = file.value(isQuery ? key : key + "_kv");
    const nlohmann::json &heads = own.is_null() ? file.value(key) : own;
    return heads.is_number_integer() && heads > 0 && heads < (1 << 20) ? heads.get<std::int64_t>() : -1;
}

/// [heads · width, …] whose rows alternate between the halves of a head → one half after the other.
torch::Tensor byHalves(const torch::Tensor &tensor, std::int64_t heads)
{
    return tensor.reshape({heads, tensor.size(0) / heads / 2, 2, -1})
        .transpose(1, 2)
        .reshape(tensor.sizes())
        .contiguous();
}

} // namespace

Result<GgufTensors> ggufTensors(const GgufFile &file, const std::string &name)
{
    const nlohmann::json &kind = file.value("general.architecture");
    const auto *architecture = std::ranges::find_if(
        kArchitectures, [&](const Architecture &known) { return kind == std::string(known.name); });
    if (architecture == std::end(kArchitectures))
        return badInput(
            fmt::format("{} is a model of the architecture {}; of GGUF Headscope reads llama, qwen2, qwen3, "
                        "gemma2 and gemma3. Open the model in Hugging Face's layout.",
                        name, kind.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)));
    GgufTensors tensors;
    for (const GgufTensor &tensor : file.tensors) {
        const std::string target = nameInModel(tensor.name, *architecture);
        const std::int64_t heads = headsByPairs(file, tensor.name, *architecture);
        if (heads < 0 || (heads > 0 && tensor.shape.front() % (2 * heads) != 0))
            return badInput(fmt::format("{}: tensor \"{}\" has {} rows, which do not go with the numbers of heads in "
                                        "\"llama.attention.head_count\". Is the file damaged?",
                                        name, tensor.name, tensor.shape.front()));
        const bool isPacked = !plainType(tensor.type);
        const bool lessOne = architecture->normsPlusOne && target.ends_with("norm.weight");
        if (!isPacked && heads == 0 && !lessOne) {
            tensors.entries.push_back(entryOf(tensor, target));
            continue;
        }
        const auto type = isPacked ? torch::kFloat32 : *scalarType(*plainType(tensor.type));
        tensors.packed[target] = {isPacked ? fmt::format("GGUF's {}", blockOf(tensor.type).name) : std::string(),
                                  tensor.shape,
                                  type,
                                  {tensor.name},
                                  false,
                                  [heads, lessOne, isPacked, kindOf = tensor.type, shape = tensor.shape](
                                      const std::vector<torch::Tensor> &parts) -> Result<torch::Tensor> {
                                      torch::Tensor made = isPacked ? widenedGguf(parts[0], kindOf, shape) : parts[0];
                                      if (heads > 0)
                                          made = byHalves(made, heads);
                                      return lessOne ? made - 1 : made;
                                  }};
        tensors.entries.push_back(entryOf(tensor, tensor.name));
    }
    return tensors;
}

} // namespace headscope

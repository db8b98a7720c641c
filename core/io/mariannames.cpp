#include "core/io/mariannames.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace headscope {
namespace {

enum class MarianShape {
    AsItIs,
    Transposed, ///< a matrix [in, out]
    Vector,     ///< [1, width]
};

struct MarianName
{
    std::string name;
    MarianShape shape = MarianShape::AsItIs;
    bool ofVocabulary = false; ///< a row (of a bias: a column) for every token
};

/// Endings behind the layer in Marian's names, and those that Hugging Face has there.
struct MarianPart
{
    std::string_view own;
    std::string_view name;
    MarianShape shape;
};

constexpr std::array kMarianLinears{
    MarianPart{"self_Wq", "self_attn.q_proj.weight", MarianShape::Transposed},
    MarianPart{"self_Wk", "self_attn.k_proj.weight", MarianShape::Transposed},
    MarianPart{"self_Wv", "self_attn.v_proj.weight", MarianShape::Transposed},
    MarianPart{"self_Wo", "self_attn.out_proj.weight", MarianShape::Transposed},
    MarianPart{"self_bq", "self_attn.q_proj.bias", MarianShape::Vector},
    MarianPart{"self_bk", "self_attn.k_proj.bias", MarianShape::Vector},
    MarianPart{"self_bv", "self_attn.v_proj.bias", MarianShape::Vector},
    MarianPart{"self_bo", "self_attn.out_proj.bias", MarianShape::Vector},
    MarianPart{"context_Wq", "encoder_attn.q_proj.weight", MarianShape::Transposed},
    MarianPart{"context_Wk", "encoder_attn.k_proj.weight", MarianShape::Transposed},
    MarianPart{"context_Wv", "encoder_attn.v_proj.weight", MarianShape::Transposed},
    MarianPart{"context_Wo", "encoder_attn.out_proj.weight", MarianShape::Transposed},
    MarianPart{"context_bq", "encoder_attn.q_proj.bias", MarianShape::Vector},
    MarianPart{"context_bk", "encoder_attn.k_proj.bias", MarianShape::Vector},
    MarianPart{"context_bv", "encoder_attn.v_proj.bias", MarianShape::Vector},
    MarianPart{"context_bo", "encoder_attn.out_proj.bias", MarianShape::Vector},
    MarianPart{"ffn_W1", "fc1.weight", MarianShape::Transposed},
    MarianPart{"ffn_b1", "fc1.bias", MarianShape::Vector},
    MarianPart{"ffn_W2", "fc2.weight", MarianShape::Transposed},
    MarianPart{"ffn_b2", "fc2.bias", MarianShape::Vector},
};
/// Norms before a layer end in "_pre"; a model has these or those after it.
constexpr std::array kMarianNorms{
    MarianPart{"self_Wo_ln_", "self_attn_layer_norm.", MarianShape::Vector},
    MarianPart{"context_Wo_ln_", "encoder_attn_layer_norm.", MarianShape::Vector},
    MarianPart{"ffn_ffn_ln_", "final_layer_norm.", MarianShape::Vector},
};
constexpr std::array kMarianStackNorms{
    MarianPart{"emb_ln_", "layernorm_embedding.", MarianShape::Vector},
    MarianPart{"top_ln_", "layer_norm.", MarianShape::Vector},
};

/// "scale_pre" → "weight"
std::optional<std::string> normPart(std::string_view name)
{
    if (name.ends_with("_pre"))
        name.remove_suffix(4);
    if (name == "scale")
        return "weight";
    return name == "bias" ? std::optional<std::string>("bias") : std::nullopt;
}

std::optional<MarianName> normName(std::span<const MarianPart> parts, const std::string &prefix, std::string_view rest)
{
    for (const MarianPart &part : parts) {
        if (!rest.starts_with(part.own))
            continue;
        if (const auto end = normPart(rest.substr(part.own.size())))
            return MarianName{prefix + std::string(part.name) + *end, part.shape};
    }
    return std::nullopt;
}

std::optional<MarianName> marianName(std::string_view name)
{
    if (name == "Wemb")
        return MarianName{"model.shared.weight", MarianShape::AsItIs, true};
    if (name == "decoder_ff_logit_out_W")
        return MarianName{"lm_head.weight", MarianShape::Transposed, true};
    if (name == "decoder_ff_logit_out_Wt")
        return MarianName{"lm_head.weight", MarianShape::AsItIs, true};
    if (name == "decoder_ff_logit_out_b")
        return MarianName{"final_logits_bias", MarianShape::AsItIs, true};
    std::string prefix = "model.";
    for (const std::string_view side : {"encoder", "decoder"}) {
        if (name.starts_with(side) && name.substr(side.size()).starts_with('_')) {
            prefix += std::string(side) + '.';
            name.remove_prefix(side.size() + 1);
            break;
        }
    }
    if (prefix == "model.")
        return std::nullopt;
    if (name == "Wemb")
        return MarianName{prefix + "embed_tokens.weight", MarianShape::AsItIs, true};
    if (auto norm = normName(kMarianStackNorms, prefix, name))
        return norm;
    int layer = 0; // from 1 on
    if (!name.starts_with('l'))
        return std::nullopt;
    const auto [end, error] = std::from_chars(name.data() + 1, name.data() + name.size(), layer);
    if (error != std::errc() || layer < 1 || end == name.data() + name.size() || *end != '_')
        return std::nullopt;
    const std::string_view rest = name.substr(static_cast<std::size_t>(end - name.data()) + 1);
    prefix += "layers." + std::to_string(layer - 1) + '.';
    for (const MarianPart &part : kMarianLinears) {
        if (rest == part.own)
            return MarianName{prefix + std::string(part.name), part.shape};
    }
    return normName(kMarianNorms, prefix, rest);
}

void reshape(TensorEntry &entry, MarianShape shape)
{
    if (entry.shape.size() != 2)
        return;
    if (shape == MarianShape::Transposed) {
        std::swap(entry.shape[0], entry.shape[1]);
        std::swap(entry.strides[0], entry.strides[1]);
    } else if (shape == MarianShape::Vector && entry.shape[0] == 1) {
        entry.shape.erase(entry.shape.begin());
        entry.strides.erase(entry.strides.begin());
    }
}

/// Tokens of a tensor of the vocabulary, of which a bias has columns.
std::int64_t &tokensOf(TensorEntry &entry)
{
    return entry.name == "final_logits_bias" ? entry.shape[1] : entry.shape[0];
}

} // namespace

std::vector<TensorEntry> withMarianNames(std::vector<TensorEntry> entries)
{
    std::set<std::string> taken;
    for (const TensorEntry &entry : entries)
        taken.insert(entry.name);
    std::vector<TensorEntry *> vocabularies;
    std::int64_t tokens = 0;
    for (TensorEntry &entry : entries) {
        auto found = marianName(entry.name);
        if (!found || !taken.insert(found->name).second)
            continue; // what a model does not use is named later
        entry.name = std::move(found->name);
        reshape(entry, found->shape);
        if (found->ofVocabulary && entry.shape.size() == 2) {
            vocabularies.push_back(&entry);
            tokens = std::max(tokens, tokensOf(entry));
        }
    }
    for (TensorEntry *entry : vocabularies) {
        std::int64_t &own = tokensOf(*entry);
        (entry->name == "final_logits_bias" ? entry->addedColumns : entry->addedRows) = tokens + 1 - own;
        own = tokens + 1;
    }
    return entries;
}

} // namespace headscope

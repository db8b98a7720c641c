#include "core/io/fairseqnames.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace headscope {

namespace {

constexpr std::array kProjections{"q_proj", "k_proj", "v_proj"};

/// A third of the rows of a tensor that holds queries, keys and values.
TensorEntry third(const TensorEntry &whole, std::size_t index, std::string name)
{
    TensorEntry part = whole;
    part.name = std::move(name);
    part.shape[0] /= static_cast<std::int64_t>(kProjections.size());
    const auto item = static_cast<std::uint64_t>(bitsPerElement(whole.dtype)) / 8;
    part.offset += index * static_cast<std::uint64_t>(part.shape[0] * whole.strides[0]) * item;
    std::uint64_t elements = 1; // from the first to the last
    for (std::size_t i = 0; i < part.shape.size(); ++i)
        elements += static_cast<std::uint64_t>((part.shape[i] - 1) * part.strides[i]);
    part.bytes = elements * item;
    return part;
}

bool isFused(const TensorEntry &entry)
{
    return !entry.shape.empty() && entry.shape.size() == entry.strides.size() && entry.shape[0] > 0
        && entry.shape[0] % static_cast<std::int64_t>(kProjections.size()) == 0 && entry.bytes > 0;
}

void replace(std::string &text, std::string_view part, std::string_view by)
{
    if (const std::size_t at = text.find(part); at != std::string::npos)
        text.replace(at, part.size(), by);
}

/// "encoder.layers.0.layer_norms.1.weight" → "encoder.layers.0.final_layer_norm.weight"
void renameNorms(std::string &name)
{
    replace(name, ".layer_norms.0.", ".self_attn_layer_norm.");
    replace(name, ".layer_norms.1.", name.starts_with("decoder.") ? ".encoder_attn_layer_norm." : ".final_layer_norm.");
    replace(name, ".layer_norms.2.", ".final_layer_norm.");
}

} // namespace

std::vector<TensorEntry> withFairseqNames(std::vector<TensorEntry> entries)
{
    std::vector<TensorEntry> result;
    for (TensorEntry &entry : entries) {
        const bool bias = entry.name.ends_with(".in_proj_bias");
        if ((bias || entry.name.ends_with(".in_proj_weight")) && isFused(entry)) {
            const std::string stem = entry.name.substr(0, entry.name.rfind("in_proj_"));
            for (std::size_t i = 0; i < kProjections.size(); ++i)
                result.push_back(third(entry, i, stem + kProjections[i] + (bias ? ".bias" : ".weight")));
            continue;
        }
        renameNorms(entry.name);
        if (entry.name == "decoder.embed_out")
            entry.name = "decoder.output_projection.weight";
        result.push_back(std::move(entry));
    }
    return result;
}

} // namespace headscope

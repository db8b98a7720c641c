#include "core/model/sharedconfig.h"

#include "core/base/parsednumber.h"
#include "core/tensor/guarded.h"

#include <cstddef>
#include <string>
#include <utility>
#include <variant>

namespace headscope {
namespace {

constexpr const char *kKey = "headscope_shared_projections";
constexpr std::int64_t kMostShared = 1 << 20;

void read(const nlohmann::json &layers, HeadKind kind, TransformerSpec &spec, ConfigReader &keys)
{
    for (const auto &[layer, width] : layers.items()) {
        const auto index = parsedNumber<std::size_t>(layer);
        if (!index || *index > (1U << 20) || spec.placeOf(kind, static_cast<int>(*index)) < 0)
            return keys.fail('"' + std::string(kKey) + "\" names layer \"" + layer + "\" of "
                             + std::string(headKindName(kind)) + " attention, which the model does not have.");
        if (!width.is_number_integer() || width.get<std::int64_t>() < 1 || width.get<std::int64_t>() > kMostShared)
            return keys.fail('"' + std::string(kKey) + "\" gives layer " + layer + " the width " + width.dump()
                             + ", expected a whole number from 1.");
        AttentionSpec &attention = spec.attention(kind, static_cast<int>(*index));
        if (!attention.isBilinear())
            return keys.fail('"' + std::string(kKey)
                             + "\" does not go with rotary positions, nor with norms, clipping or caps of what scores "
                               "are made of.");
        shareProjections(attention, width.get<std::int64_t>());
    }
}

} // namespace

void shareProjections(AttentionSpec &attention, std::int64_t width)
{
    if (!attention.isBilinear())
        throw Failure(
            usageError("Heads with rotary positions cannot share their query and key projections: every head's are "
                       "turned by themselves. The same holds for norms, clipping or caps of what scores are made of."));
    attention.sharedWidth = width;
    attention.biases.key = false;
}

void shareAllProjections(TransformerSpec &spec, std::int64_t width)
{
    for (const Side side : kBothSides) {
        for (std::size_t i = 0; spec.stack(side) && i < spec.stack(side)->subLayers.size(); ++i) {
            if (auto *attention = std::get_if<AttentionSpec>(&spec.stack(side)->subLayers[i].part))
                shareProjections(*attention, width);
        }
    }
}

void readSharedProjections(const nlohmann::json &config, TransformerSpec &spec, ConfigReader &keys)
{
    const auto shared = config.find(kKey);
    if (shared == config.end() || shared->is_null())
        return;
    if (!shared->is_object())
        return keys.fail('"' + std::string(kKey) + "\" is " + shared->dump() + ", expected an object.");
    for (const auto &[name, layers] : shared->items()) {
        const auto kind = parseHeadKind(name);
        if (!kind.isOk() || !layers.is_object())
            return keys.fail('"' + std::string(kKey) + "\" must give the layers of encoder, cross or decoder; found \""
                             + name + "\".");
        read(layers, kind.value(), spec, keys);
    }
}

nlohmann::ordered_json withSharedProjections(nlohmann::ordered_json config, const TransformerSpec &spec)
{
    nlohmann::ordered_json kinds = nlohmann::ordered_json::object();
    const HeadLayout layout = spec.layout();
    for (const HeadLayout::Block &block : layout.blocks()) {
        for (int layer = 0; layer < static_cast<int>(block.layers.size()); ++layer) {
            if (const AttentionSpec &attention = spec.attention(block.kind, layer); attention.sharesProjections())
                kinds[std::string(headKindName(block.kind))][std::to_string(layer)] = attention.sharedWidth;
        }
    }
    if (kinds.empty())
        config.erase(kKey);
    else
        config[kKey] = std::move(kinds);
    return config;
}

} // namespace headscope

#include "core/model/prunedheads.h"

#include "core/base/parsednumber.h"

#include <algorithm>

namespace headscope {
namespace {

constexpr const char *kTransformersKey = "pruned_heads";
constexpr const char *kOwnKey = "headscope_pruned_heads";

/// Takes {"0": [1, 3]} out of the layers of one kind of attention. `key` is what errors speak of.
void take(const nlohmann::json &pruned, HeadKind kind, const std::string &key, TransformerSpec &spec,
          ConfigReader &keys)
{
    for (const auto &[layer, list] : pruned.items()) {
        const auto index = parsedNumber<std::size_t>(layer);
        if (!index || *index > (1U << 20) || spec.placeOf(kind, static_cast<int>(*index)) < 0 || !list.is_array()) {
            keys.fail('"' + key + "\" must give a list of heads for layers of the model; found \"" + layer + "\".");
            return;
        }
        auto &heads = spec.attention(kind, static_cast<int>(*index)).heads;
        for (const auto &head : list) {
            if (!head.is_number_integer() || std::erase(heads, head.get<int>()) == 0) {
                keys.fail('"' + key + "\" names head " + head.dump() + " of layer " + layer
                          + ", which is not there or is named twice.");
                return;
            }
        }
    }
}

/// {"0": [1, 3]}: what the layers of a kind lack of all their heads.
nlohmann::ordered_json missing(const TransformerSpec &spec, const HeadLayout::Block &block)
{
    nlohmann::ordered_json pruned = nlohmann::ordered_json::object();
    for (std::size_t layer = 0; layer < block.layers.size(); ++layer) {
        nlohmann::ordered_json list = nlohmann::ordered_json::array();
        const auto count = static_cast<int>(spec.attention(block.kind, static_cast<int>(layer)).allHeads);
        for (int head = 0; head < count; ++head) {
            if (!std::ranges::binary_search(block.layers[layer], head))
                list.push_back(head);
        }
        if (!list.empty())
            pruned[std::to_string(layer)] = std::move(list);
    }
    return pruned;
}

/// The kind of attention of a single stack.
HeadKind onlyKind(const TransformerSpec &spec)
{
    return spec.encoder ? HeadKind::Encoder : HeadKind::Decoder;
}

} // namespace

void readPrunedHeads(const nlohmann::json &config, TransformerSpec &spec, ConfigReader &keys)
{
    for (const char *key : {kTransformersKey, kOwnKey}) {
        const auto pruned = config.find(key);
        if (pruned == config.end() || pruned->is_null() || (key == kTransformersKey && spec.isEncoderDecoder()))
            continue;
        if (!pruned->is_object())
            return keys.fail('"' + std::string(key) + "\" is " + pruned->dump() + ", expected an object of layers.");
        if (key == kTransformersKey) {
            take(*pruned, onlyKind(spec), key, spec, keys);
            continue;
        }
        for (const auto &[name, layers] : pruned->items()) {
            const auto kind = parseHeadKind(name);
            if (!kind.isOk() || !layers.is_object())
                return keys.fail('"' + std::string(key)
                                 + "\" must give the layers of encoder, cross or decoder; found \"" + name + "\".");
            take(layers, kind.value(), std::string(key) + "." + name, spec, keys);
        }
    }
}

nlohmann::ordered_json withPrunedHeads(nlohmann::ordered_json config, const TransformerSpec &spec,
                                       PrunedLoading loading)
{
    const auto set = [&](const char *key, nlohmann::ordered_json value) {
        if (value.empty())
            config.erase(key);
        else
            config[key] = std::move(value);
    };
    const HeadLayout layout = spec.layout();
    if (loading != PrunedLoading::HeadscopeOnly) {
        set(kTransformersKey, missing(spec, *layout.block(onlyKind(spec))));
        return config;
    }
    nlohmann::ordered_json kinds = nlohmann::ordered_json::object();
    for (const HeadLayout::Block &block : layout.blocks()) {
        auto layers = missing(spec, block);
        if (!layers.empty())
            kinds[std::string(headKindName(block.kind))] = std::move(layers);
    }
    set(kOwnKey, std::move(kinds));
    return config;
}

TransformerSpec unprunedSpec(TransformerSpec spec)
{
    for (const Side side : kBothSides) {
        if (!spec.stack(side))
            continue;
        for (SubLayer &sub : spec.stack(side)->subLayers) {
            if (auto *attention = std::get_if<AttentionSpec>(&sub.part))
                attention->heads = headNumbers(attention->allHeads);
        }
    }
    return spec;
}

} // namespace headscope

#include "core/model/prunedheads.h"

#include <algorithm>

namespace headscope {
namespace {

constexpr const char *kTransformersKey = "pruned_heads";
constexpr const char *kOwnKey = "headscope_pruned_heads";

/// Takes {"0": [1, 3]} out of layers of heads. `key` is what errors speak of.
void take(const nlohmann::json &pruned, std::vector<std::vector<int>> &heads, const std::string &key,
          ConfigReader &keys)
{
    for (const auto &[layer, list] : pruned.items()) {
        const auto index = wholeNumber(layer);
        if (!index || *index >= heads.size() || !list.is_array()) {
            keys.fail('"' + key + "\" must give a list of heads for layers of the model; found \"" + layer + "\".");
            return;
        }
        for (const auto &head : list) {
            if (!head.is_number_integer() || std::erase(heads[*index], head.get<int>()) == 0) {
                keys.fail('"' + key + "\" names head " + head.dump() + " of layer " + layer
                          + ", which is not there or is named twice.");
                return;
            }
        }
    }
}

/// All families cut the width into as many heads (config.json's makeSpec checks that it is a multiple).
std::int64_t unprunedHeads(const TransformerSpec &spec, const StackSpec &stack) { return spec.width / stack.headWidth; }

/// {"0": [1, 3]}: what the layers lack of `count` heads.
nlohmann::ordered_json missing(const std::vector<std::vector<int>> &layers, std::int64_t count)
{
    nlohmann::ordered_json pruned = nlohmann::ordered_json::object();
    for (std::size_t layer = 0; layer < layers.size(); ++layer) {
        nlohmann::ordered_json list = nlohmann::ordered_json::array();
        for (int head = 0; head < count; ++head) {
            if (!std::ranges::binary_search(layers[layer], head))
                list.push_back(head);
        }
        if (!list.empty())
            pruned[std::to_string(layer)] = std::move(list);
    }
    return pruned;
}

} // namespace

void readPrunedHeads(const nlohmann::json &config, TransformerSpec &spec, ConfigReader &keys)
{
    const char *key = spec.decoder ? kOwnKey : kTransformersKey;
    const auto pruned = config.find(key);
    if (pruned == config.end() || pruned->is_null())
        return;
    if (!pruned->is_object())
        return keys.fail('"' + std::string(key) + "\" is " + pruned->dump() + ", expected an object of layers.");
    if (!spec.decoder)
        return take(*pruned, spec.encoder.heads, key, keys);
    for (const auto &[name, layers] : pruned->items()) {
        const auto kind = parseHeadKind(name);
        if (!kind.isOk() || !layers.is_object())
            return keys.fail('"' + std::string(key) + "\" must give the layers of encoder, cross or decoder; found \""
                             + name + "\".");
        auto &heads = kind.value() == HeadKind::Encoder ? spec.encoder.heads
                      : kind.value() == HeadKind::Cross ? spec.decoder->crossHeads
                                                        : spec.decoder->heads;
        take(layers, heads, std::string(key) + "." + name, keys);
    }
}

nlohmann::ordered_json withPrunedHeads(nlohmann::ordered_json config, const TransformerSpec &spec)
{
    const auto set = [&](const char *key, nlohmann::ordered_json value) {
        if (value.empty())
            config.erase(key);
        else
            config[key] = std::move(value);
    };
    if (!spec.decoder) {
        set(kTransformersKey, missing(spec.encoder.heads, unprunedHeads(spec, spec.encoder)));
        return config;
    }
    nlohmann::ordered_json kinds = nlohmann::ordered_json::object();
    const HeadLayout layout = spec.layout();
    for (const HeadLayout::Block &block : layout.blocks()) {
        const StackSpec &stack = block.kind == HeadKind::Encoder ? spec.encoder : *spec.decoder;
        auto layers = missing(block.layers, unprunedHeads(spec, stack));
        if (!layers.empty())
            kinds[std::string(headKindName(block.kind))] = std::move(layers);
    }
    set(kOwnKey, std::move(kinds));
    return config;
}

TransformerSpec unprunedSpec(TransformerSpec spec)
{
    spec.encoder.heads = allHeads(spec.encoder.layers(), unprunedHeads(spec, spec.encoder));
    if (spec.decoder) {
        spec.decoder->heads = allHeads(spec.decoder->layers(), unprunedHeads(spec, *spec.decoder));
        if (spec.decoder->cross)
            spec.decoder->crossHeads = spec.decoder->heads;
    }
    return spec;
}

} // namespace headscope

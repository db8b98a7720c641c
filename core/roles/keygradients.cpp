#include "core/roles/keygradients.h"

#include <cmath>
#include <cstddef>

namespace headscope {
namespace {

KeyClass classOf(std::int64_t query, std::int64_t key, const SurfaceTemplate &surface,
                 const std::vector<std::int64_t> &queryIds, const std::vector<std::int64_t> &keyIds)
{
    const auto at = static_cast<std::size_t>(key);
    switch (surface.keys[at]) {
    case TokenPart::First:
        return KeyClass::First;
    case TokenPart::Delimiter:
        return KeyClass::Delimiter;
    case TokenPart::Punctuation:
        return KeyClass::Punctuation;
    case TokenPart::Word:
        break;
    }
    if (!surface.square)
        return KeyClass::Other;
    if (key == query)
        return KeyClass::Self;
    if (keyIds[at] == queryIds[static_cast<std::size_t>(query)])
        return KeyClass::Same;
    return key == query - 1 ? KeyClass::Previous : key == query + 1 ? KeyClass::Next : KeyClass::Other;
}

} // namespace

KeyMap keyMap(const SurfaceTemplate &surface, const std::vector<std::int64_t> &queryIds,
              const std::vector<std::int64_t> &keyIds)
{
    KeyMap map;
    map.keys = std::ssize(surface.keys);
    map.causal = surface.causal;
    map.classes.resize(surface.queries.size() * surface.keys.size(), KeyClass::Other);
    for (std::int64_t query = 0; query < std::ssize(surface.queries); ++query) {
        std::array<std::int64_t, kKeyClasses> found{};
        for (std::int64_t key = 0; key < surface.visibleKeys(query); ++key) {
            const KeyClass keys = classOf(query, key, surface, queryIds, keyIds);
            map.classes[static_cast<std::size_t>(query * map.keys + key)] = keys;
            ++found[static_cast<std::size_t>(keys)];
        }
        for (std::size_t i = 0; i < kKeyClasses; ++i) {
            map.counts[i].pairs += found[i];
            map.counts[i].queries += found[i] > 0 ? 1 : 0;
        }
    }
    return map;
}

void addKeyGradients(const HeadAttention &attention, const float *gradients, const KeyMap &map, KeySums &sums)
{
    const KeyClass *classes = map.classes.data();
    for (std::int64_t query = 0; query < map.queries(); ++query, classes += map.keys) {
        const float *weights = attention.row(query);
        const float *slopes = gradients + query * attention.stride;
        const std::int64_t visible = map.causal ? std::min(query + 1, map.keys) : map.keys;
        for (std::int64_t key = 0; key < visible; ++key) {
            KeySum &sum = sums[static_cast<std::size_t>(classes[key])];
            const double weight = weights[key];
            const double slope = slopes[key];
            sum.attention += weight;
            sum.gradient += std::abs(slope);
            sum.product += weight * slope;
        }
    }
}

} // namespace headscope

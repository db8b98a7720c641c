#include "core/model/spec.h"

#include <algorithm>
#include <numeric>

namespace headscope {

std::int64_t AttentionSpec::columnOf(int head) const
{
    return std::ranges::find(heads, head) - heads.begin();
}

std::vector<int> AttentionSpec::keyHeads() const
{
    std::vector<int> keys;
    for (const int head : heads) {
        const int key = head / static_cast<int>(headsPerKey);
        if (keys.empty() || keys.back() != key)
            keys.push_back(key);
    }
    return keys;
}

std::int64_t AttentionSpec::scoreWidth() const
{
    return sharesProjections() ? sharedWidth + (biases.query ? headCount() : 0) : headWidth;
}

std::int64_t AttentionSpec::keyCount() const
{
    if (sharesProjections())
        return heads.empty() ? 0 : 1;
    return static_cast<std::int64_t>(keyHeads().size());
}

std::int64_t AttentionSpec::projectedQueries() const
{
    return headNorm && headNorm->together ? allHeads : headCount();
}

std::int64_t AttentionSpec::projectedKeys() const
{
    return headNorm && headNorm->together ? allHeads / headsPerKey : keyCount();
}

std::vector<std::int64_t> AttentionSpec::keyPlaces() const
{
    return sharesProjections() ? std::vector<std::int64_t>(heads.size(), 0) : valuePlaces();
}

std::vector<std::int64_t> AttentionSpec::valuePlaces() const
{
    const std::vector<int> keys = keyHeads();
    std::vector<std::int64_t> places;
    for (const int head : heads)
        places.push_back(std::ranges::lower_bound(keys, head / static_cast<int>(headsPerKey)) - keys.begin());
    return places;
}

const AttentionSpec *StackSpec::relative() const
{
    for (const SubLayer &sub : subLayers) {
        if (sub.attention() && sub.attention()->relative)
            return sub.attention();
    }
    return nullptr;
}

const AttentionSpec *StackSpec::disentangled() const
{
    for (const SubLayer &sub : subLayers) {
        if (sub.attention() && sub.attention()->disentangled)
            return sub.attention();
    }
    return nullptr;
}

int TransformerSpec::placeOf(HeadKind kind, int layer) const
{
    const std::optional<StackSpec> &own = stack(sideOf(kind));
    for (int place = 0; own && place < own->places(); ++place) {
        const AttentionSpec *attention = own->at(place).attention();
        if (attention && attention->kind == kind && own->at(place).layer == layer)
            return place;
    }
    return -1;
}

const AttentionSpec &TransformerSpec::attention(HeadKind kind, int layer) const
{
    return *stack(sideOf(kind))->at(placeOf(kind, layer)).attention();
}

AttentionSpec &TransformerSpec::attention(HeadKind kind, int layer)
{
    return const_cast<AttentionSpec &>(std::as_const(*this).attention(kind, layer));
}

HeadLayout TransformerSpec::layout() const
{
    std::vector<HeadLayout::Block> blocks;
    for (const HeadKind kind : {HeadKind::Encoder, HeadKind::Decoder, HeadKind::Cross}) {
        HeadLayout::Block block{kind, {}};
        if (const auto &own = stack(sideOf(kind))) {
            for (const SubLayer &sub : own->subLayers) {
                if (sub.attention() && sub.attention()->kind == kind)
                    block.layers.push_back(sub.attention()->heads);
            }
        }
        if (!block.layers.empty())
            blocks.push_back(std::move(block));
    }
    return HeadLayout(std::move(blocks));
}

std::vector<int> headNumbers(std::int64_t count)
{
    std::vector<int> heads(static_cast<std::size_t>(count));
    std::iota(heads.begin(), heads.end(), 0);
    return heads;
}

} // namespace headscope

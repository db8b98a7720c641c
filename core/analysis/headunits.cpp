#include "core/analysis/headunits.h"

#include <algorithm>
#include <utility>

namespace headscope {

HeadUnits::HeadUnits(const TransformerSpec &spec, HeadUnit by)
{
    std::vector<HeadLayout::Block> firsts;
    const HeadLayout layout = spec.layout();
    for (const HeadLayout::Block &block : layout.blocks()) {
        HeadLayout::Block ofKind{block.kind, std::vector<std::vector<int>>(block.layers.size())};
        for (int layer = 0; layer < static_cast<int>(block.layers.size()); ++layer) {
            const auto together = static_cast<int>(spec.attention(block.kind, layer).headsPerKey);
            std::vector<int> &inLayer = ofKind.layers[static_cast<std::size_t>(layer)];
            for (const int head : block.layers[static_cast<std::size_t>(layer)]) {
                if (by == HeadUnit::Head || inLayer.empty() || inLayer.back() / together != head / together)
                    inLayer.push_back(head);
                const HeadRef first{block.kind, layer, inLayer.back()};
                m_unitOf[{block.kind, layer, head}] = first;
                m_heads[first].push_back({block.kind, layer, head});
            }
        }
        firsts.push_back(std::move(ofKind));
    }
    m_firsts = HeadLayout(std::move(firsts));
}

std::vector<HeadRef> HeadUnits::othersOf(const HeadRef &first) const
{
    const std::vector<HeadRef> &heads = m_heads.at(first);
    return {heads.begin() + 1, heads.end()};
}

std::vector<HeadRef> HeadUnits::firstsWithout(const HeadMask &mask, const std::vector<HeadKind> &kinds) const
{
    std::vector<HeadRef> heads;
    for (const HeadRef &head : m_firsts.heads()) {
        const bool isOfKind = kinds.empty() || std::ranges::find(kinds, head.kind) != kinds.end();
        if (isOfKind && !mask.isMasked(head))
            heads.push_back(head);
    }
    return heads;
}

HeadMask HeadUnits::whole(const HeadMask &mask) const
{
    HeadMask all;
    for (const HeadRef &head : mask) {
        const auto unit = m_unitOf.find(head);
        for (const HeadRef &one : unit == m_unitOf.end() ? std::vector{head} : m_heads.at(unit->second))
            all.set(one, true);
    }
    return all;
}

} // namespace headscope

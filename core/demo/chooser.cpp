#include "core/demo/chooser.h"

#include <numeric>

namespace headscope::demo {

namespace {

constexpr std::uint32_t kFrequent = 12000;
/// Of a word of the sea, against kFrequent / (rank + 4) of an everyday word.
constexpr std::uint32_t kRareInDomain = 60;
constexpr std::uint32_t kRareOutOfDomain = 1100;
constexpr std::uint32_t kUnseenOutOfDomain = 1700;

std::uint32_t nameWeight(std::uint32_t rank)
{
    return 10000000 / ((rank + 5) * (rank + 12));
}

} // namespace

std::size_t Chooser::weighted(std::span<const std::uint32_t> weights)
{
    std::uint32_t drawn = m_random.below(std::accumulate(weights.begin(), weights.end(), std::uint32_t{0}));
    std::size_t index = 0;
    while (drawn >= weights[index])
        drawn -= weights[index++];
    return index;
}

std::uint32_t Chooser::weightOf(Area area, std::uint32_t rank) const
{
    if (area == Area::Everyday)
        return kFrequent / (rank + 4);
    if (m_domain == Domain::In)
        return area == Area::Rare ? kRareInDomain : 0;
    return area == Area::Rare ? kRareOutOfDomain : kUnseenOutOfDomain;
}

const Name &Chooser::pickName(std::span<const Name> names)
{
    std::vector<std::uint32_t> weights;
    for (std::uint32_t rank = 0; rank < names.size(); ++rank)
        weights.push_back(nameWeight(rank));
    return names[weighted(weights)];
}

const Name &Chooser::pickName(std::span<const Name> names, Gender gender)
{
    while (true) {
        const Name &name = pickName(names);
        if (name.gender == gender)
            return name;
    }
}

} // namespace headscope::demo

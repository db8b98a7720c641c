#include "core/analysis/minimalset.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

namespace headscope {
namespace {

constexpr std::size_t kTestedTogether = 256;

PlaceSet without(const PlaceSet &set, std::span<const std::size_t> places)
{
    PlaceSet left;
    std::ranges::copy_if(set, std::back_inserter(left),
                         [&](std::size_t place) { return std::ranges::find(places, place) == places.end(); });
    return left;
}

/// Leaves out of `kept` what it can of `places`: all at once, or else half by half.
void leaveOut(std::span<const std::size_t> places, const HasProperty &hasProperty, PlaceSet &kept)
{
    if (PlaceSet left = without(kept, places); hasProperty({left}).front()) {
        kept = std::move(left);
        return;
    }
    if (places.size() == 1)
        return;
    const std::size_t half = places.size() / 2;
    leaveOut(places.first(half), hasProperty, kept);
    leaveOut(places.subspan(half), hasProperty, kept);
}

/// The first place without which `kept` still has the property.
std::optional<std::size_t> droppable(const PlaceSet &kept, const HasProperty &hasProperty)
{
    std::vector<PlaceSet> sets;
    for (const std::size_t &place : kept)
        sets.push_back(without(kept, {&place, 1}));
    const std::vector<bool> holds = hasProperty(sets);
    const auto found = std::ranges::find(holds, true);
    return found == holds.end() ? std::nullopt : std::optional(kept[static_cast<std::size_t>(found - holds.begin())]);
}

/// How many sets of fewer than `size` of `count` things there are; more than `most`: some number above it.
std::int64_t smallerSets(std::size_t count, std::size_t size, std::int64_t most)
{
    std::int64_t sum = 0;
    std::int64_t ofSize = 1;
    for (std::size_t k = 0; k < size && sum <= most; ++k) {
        sum += ofSize;
        ofSize
            = ofSize > most ? ofSize : ofSize * static_cast<std::int64_t>(count - k) / static_cast<std::int64_t>(k + 1);
    }
    return sum;
}

/// The first set of fewer than `size` of `places` that has the property, the smallest first.
std::optional<PlaceSet> smallerSet(const PlaceSet &places, std::size_t size, const HasProperty &hasProperty)
{
    for (std::size_t count = 0; count < size; ++count) {
        std::vector<bool> isChosen(places.size(), false);
        std::fill_n(isChosen.begin(), count, true);
        bool isMore = true;
        while (isMore) {
            std::vector<PlaceSet> sets;
            while (isMore && sets.size() < kTestedTogether) {
                PlaceSet &set = sets.emplace_back();
                for (std::size_t i = 0; i < places.size(); ++i) {
                    if (isChosen[i])
                        set.push_back(places[i]);
                }
                isMore = std::prev_permutation(isChosen.begin(), isChosen.end());
            }
            const std::vector<bool> holds = hasProperty(sets);
            if (const auto found = std::ranges::find(holds, true); found != holds.end())
                return sets[static_cast<std::size_t>(found - holds.begin())];
        }
    }
    return std::nullopt;
}

PlaceSet allOf(std::size_t size)
{
    PlaceSet all(size);
    std::iota(all.begin(), all.end(), std::size_t{0});
    return all;
}

} // namespace

std::optional<MinimalSet> smallestSet(std::size_t size, const HasProperty &hasProperty, std::int64_t most)
{
    std::size_t below = 1; // sets of fewer places are all tested
    while (below <= size && smallerSets(size, below + 1, most) <= most)
        ++below;
    if (auto found = smallerSet(allOf(size), below, hasProperty))
        return MinimalSet{*std::move(found), MinimalityProof::Smallest};
    return std::nullopt;
}

bool areAllWithin(std::size_t size, std::int64_t most)
{
    return smallerSets(size, size + 1, most) <= most;
}

MinimalSet minimalSet(const std::vector<std::size_t> &order, std::size_t size, const HasProperty &hasProperty,
                      std::int64_t most)
{
    PlaceSet kept = order;
    std::ranges::sort(kept);
    std::vector<std::size_t> left = order;
    while (!left.empty()) {
        leaveOut(left, hasProperty, kept);
        const auto still = droppable(kept, hasProperty); // what was left out since may have made it superfluous
        if (!still)
            break;
        kept = without(kept, {&*still, 1});
        std::erase_if(left, [&](std::size_t place) { return std::ranges::find(kept, place) == kept.end(); });
    }
    MinimalSet result{kept, MinimalityProof::NoOne};
    const PlaceSet all = allOf(size);
    for (const auto &[places, proof] :
         {std::pair(kept, MinimalityProof::NoPart), std::pair(all, MinimalityProof::Smallest)}) {
        if (smallerSets(places.size(), result.places.size(), most) > most)
            break;
        if (auto smaller = smallerSet(places, result.places.size(), hasProperty))
            result.places = *std::move(smaller);
        result.proof = proof;
    }
    return result;
}

} // namespace headscope

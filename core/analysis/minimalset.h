#pragma once

#include "core/results/neededresult.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

/// Small sets with a property that can only be tested, set by set. Adding to a set may take the property away.
namespace headscope {

/// Places of members, ascending.
using PlaceSet = std::vector<std::size_t>;
/// Whether each of these sets has the property. They are asked about together, so that they may be tested side by side.
using HasProperty = std::function<std::vector<bool>(const std::vector<PlaceSet> &sets)>;

struct MinimalSet
{
    PlaceSet places;
    MinimalityProof proof = MinimalityProof::NoOne;
};

/// A set within `order` that has the property and loses it when any single place is left out. What stands first in
/// `order` is left out first, halves before their halves (Zeller and Hildebrandt 2002, ddmin). Then, as long as it
/// takes at most `most` tests, the sets that are smaller are tested too, the smallest first: those within it, and all
/// of the `size` places that there are; one that has the property takes its place. Precondition: all of `order` has it.
MinimalSet minimalSet(const std::vector<std::size_t> &order, std::size_t size, const HasProperty &hasProperty,
                      std::int64_t most);

/// The smallest set of the `size` places that there are with the property, by testing all sets of one place, of two, …,
/// as far as that takes at most `most` tests. Nothing: none of these has it.
std::optional<MinimalSet> smallestSet(std::size_t size, const HasProperty &hasProperty, std::int64_t most);

/// Whether all sets of `size` places are no more than `most`.
bool areAllWithin(std::size_t size, std::int64_t most);

} // namespace headscope

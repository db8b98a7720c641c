#pragma once

#include "core/base/random.h"
#include "core/base/result.h"
#include "core/demo/lexicon.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace headscope::demo {

enum class Domain : std::uint8_t { In, Out };

/// The dice: every choice of the grammar comes from here, in whole numbers, so that a seed gives one corpus.
class Chooser
{
public:
    Chooser(std::uint64_t seed, Domain domain) : m_random(seed), m_domain(domain) { }

    Domain domain() const { return m_domain; }
    bool chance(std::uint32_t percent) { return m_random.below(100) < percent; }
    std::uint32_t below(std::uint32_t n) { return m_random.below(n); }

    /// The index of one of the weights, each as likely as it is heavy. Precondition: one is above 0.
    std::size_t weighted(std::span<const std::uint32_t> weights);

    /// An entry that is accepted: the first ones of the table are the more frequent, words of the sea as the
    /// domain has them. Null when there is none.
    template<typename Entry, typename Accepts>
    const Entry *find(std::span<const Entry> table, Accepts accepts)
    {
        std::vector<std::uint32_t> weights;
        std::vector<const Entry *> entries;
        std::uint32_t rank = 0;
        for (const Entry &entry : table) {
            if (!accepts(entry))
                continue;
            const std::uint32_t weight = weightOf(entry.area, rank);
            if (entry.area == Area::Everyday)
                ++rank;
            if (weight == 0)
                continue;
            weights.push_back(weight);
            entries.push_back(&entry);
        }
        return entries.empty() ? nullptr : entries[weighted(weights)];
    }

    /// As find(), where the lexicon promises that there is one.
    template<typename Entry, typename Accepts>
    const Entry &pick(std::span<const Entry> table, Accepts accepts)
    {
        const Entry *found = find(table, accepts);
        if (found == nullptr)
            throw Failure({ErrorCode::Internal, "the demo's lexicon has no word for what the grammar needs"});
        return *found;
    }

    /// Long-tailed: a few names are everywhere, most are rare.
    const Name &pickName(std::span<const Name> names, Gender gender);
    const Name &pickName(std::span<const Name> names);

private:
    std::uint32_t weightOf(Area area, std::uint32_t rank) const;

    Random m_random;
    Domain m_domain;
};

} // namespace headscope::demo

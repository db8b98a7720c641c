#include "core/metrics/resampling.h"

#include "core/metrics/weightedsums.h"

#include <algorithm>
#include <cassert>
#include <limits>

namespace headscope {

Resampling::Resampling(std::size_t examples, std::size_t drawn, std::size_t resamples, std::uint64_t seed,
                       const std::function<void(const Block &)> &onBlock, std::size_t room)
    : m_examples(examples), m_drawn(drawn), m_resamples(resamples)
{
    Random random(seed);
    std::vector<std::uint8_t> counts;
    for (std::size_t block = 0; block < blocks(); ++block) {
        const Random before = random;
        draw(random, sizeOf(block), counts);
        onBlock({counts, sizeOf(block)});
        if ((block + 1) * counts.size() <= room)
            m_kept.push_back(std::move(counts));
        else
            m_others.push_back(before);
    }
}

std::size_t Resampling::blocks() const
{
    return (m_resamples + kWeightSets - 1) / kWeightSets;
}

std::size_t Resampling::sizeOf(std::size_t block) const
{
    return std::min(kWeightSets, m_resamples - block * kWeightSets);
}

Resampling::Block Resampling::block(std::size_t index, std::vector<std::uint8_t> &scratch) const
{
    if (index < m_kept.size())
        return {m_kept[index], sizeOf(index)};
    Random random = m_others[index - m_kept.size()];
    draw(random, sizeOf(index), scratch);
    return {scratch, sizeOf(index)};
}

/// Resample by resample into a row of counts that stays in the cache, then turned.
void Resampling::draw(Random &random, std::size_t resamples, std::vector<std::uint8_t> &counts) const
{
    std::vector<std::uint8_t> rows(m_examples * kWeightSets, 0);
    const auto examples = static_cast<std::uint32_t>(m_examples);
    for (std::size_t r = 0; r < resamples; ++r) {
        std::uint8_t *row = rows.data() + r * m_examples;
        for (std::size_t i = 0; i < m_drawn; ++i) {
            std::uint8_t &count = row[random.below(examples)];
            // More than 255 times the same of N > 255 examples: chance below 10^-500.
            assert(count < std::numeric_limits<std::uint8_t>::max());
            ++count;
        }
    }
    counts.resize(rows.size());
    constexpr std::size_t kTile = 64; // a cache line of either
    for (std::size_t first = 0; first < m_examples; first += kTile) {
        const std::size_t end = std::min(m_examples, first + kTile);
        for (std::size_t r = 0; r < kWeightSets; ++r) {
            for (std::size_t i = first; i < end; ++i)
                counts[i * kWeightSets + r] = rows[r * m_examples + i];
        }
    }
}

} // namespace headscope

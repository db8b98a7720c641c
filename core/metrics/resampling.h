#pragma once

#include "core/base/random.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace headscope {

/// How often each of R resamples has each of N examples, drawn with replacement by the generator of core/base/random.h,
/// in blocks of kWeightSets resamples. Blocks are kept as long as there is room, and drawn again when they are asked
/// for beyond it: memory does not grow with R · N. Threads may share it.
class Resampling
{
public:
    struct Block
    {
        std::span<const std::uint8_t> counts; ///< [N, kWeightSets]; 0 where there are fewer resamples
        std::size_t resamples = 0;
    };
    static constexpr std::size_t kRoom = std::size_t{128} << 20;

    /// Each resample draws `drawn` of `examples`. `onBlock` is called for every block as it is drawn. `room`: bytes.
    Resampling(std::size_t examples, std::size_t drawn, std::size_t resamples, std::uint64_t seed,
               const std::function<void(const Block &)> &onBlock, std::size_t room = kRoom);

    std::size_t resamples() const { return m_resamples; }
    std::size_t blocks() const;
    /// Valid as long as `scratch` is left alone.
    Block block(std::size_t index, std::vector<std::uint8_t> &scratch) const;

private:
    std::size_t sizeOf(std::size_t block) const;
    void draw(Random &random, std::size_t resamples, std::vector<std::uint8_t> &counts) const;

    std::size_t m_examples;
    std::size_t m_drawn;
    std::size_t m_resamples;
    std::vector<std::vector<std::uint8_t>> m_kept; ///< the first blocks
    std::vector<Random> m_others;                  ///< as it was before each of the others
};

} // namespace headscope

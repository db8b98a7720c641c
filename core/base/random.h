#pragma once

#include <cstdint>
#include <utility>

namespace headscope {

/// The random numbers of NumPy's default generator (PCG64 seeded by SeedSequence), so that resamples are the
/// same as those of sacreBLEU and of NumPy scripts. Equal seeds give equal numbers on every machine.
class Random
{
public:
    explicit Random(std::uint64_t seed);

    /// As Generator.bit_generator.random_raw().
    std::uint64_t next64();
    /// The two halves of a next64(), low half first.
    std::uint32_t next32();
    /// As Generator.integers(0, n) and Generator.choice(n): uniform in [0, n). Precondition: n > 0.
    std::uint32_t below(std::uint32_t n);
    /// As Generator.random(): uniform in [0, 1), 53 bits.
    double uniform() { return static_cast<double>(next64() >> 11) * (1.0 / 9007199254740992.0); }

private:
    __extension__ using Word = unsigned __int128;
    void step();

    Word m_state = 0;
    Word m_increment = 0;
    std::uint32_t m_kept = 0;
    bool m_hasKept = false;
};

/// As Generator.integers(2, dtype=bool): each 32 random bits give 32 values, lowest bit first.
class RandomBits
{
public:
    explicit RandomBits(std::uint64_t seed) : m_random(seed) { }
    bool next();

private:
    Random m_random;
    std::uint32_t m_bits = 0;
    int m_left = 0;
};

/// Normally distributed about 0 (Box-Muller, of two uniform numbers). Not NumPy's.
double normal(Random &random, double deviation);

/// Shuffles in place (Fisher-Yates from the end). Not NumPy's shuffle.
template<typename Container>
void shuffle(Container &items, Random &random)
{
    using std::swap;
    for (auto i = static_cast<std::uint32_t>(items.size()); i > 1; --i)
        swap(items[i - 1], items[random.below(i)]);
}

} // namespace headscope

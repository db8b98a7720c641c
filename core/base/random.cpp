#include "core/base/random.h"

#include <array>
#include <cmath>
#include <numbers>

namespace headscope {

namespace {

/// NumPy's SeedSequence: spreads a seed over a pool of four words, then draws state words from it.
class SeedSequence
{
public:
    explicit SeedSequence(std::uint64_t seed)
    {
        const std::array<std::uint32_t, 2> words
            = {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)};
        for (std::size_t i = 0; i < m_pool.size(); ++i)
            m_pool[i] = hashed(i < words.size() ? words[i] : 0);
        for (std::size_t from = 0; from < m_pool.size(); ++from) {
            for (std::size_t to = 0; to < m_pool.size(); ++to) {
                if (from != to)
                    m_pool[to] = mixed(m_pool[to], hashed(m_pool[from]));
            }
        }
    }

    std::array<std::uint64_t, 4> state() const
    {
        std::array<std::uint64_t, 4> words = {};
        std::uint32_t hash = 0x8b51f9dd;
        for (std::size_t i = 0; i < 8; ++i) {
            std::uint32_t value = m_pool[i % 4] ^ hash;
            hash *= 0x58f38ded;
            value *= hash;
            value ^= value >> 16;
            words[i / 2] |= static_cast<std::uint64_t>(value) << (32 * (i % 2));
        }
        return words;
    }

private:
    std::uint32_t hashed(std::uint32_t value)
    {
        value ^= m_hash;
        m_hash *= 0x931e8875;
        value *= m_hash;
        return value ^ (value >> 16);
    }

    static std::uint32_t mixed(std::uint32_t x, std::uint32_t y)
    {
        const std::uint32_t value = 0xca01f9ddU * x - 0x4973f715U * y;
        return value ^ (value >> 16);
    }

    std::uint32_t m_hash = 0x43b0d7e5;
    std::array<std::uint32_t, 4> m_pool = {};
};

} // namespace

Random::Random(std::uint64_t seed)
{
    const auto words = SeedSequence(seed).state();
    const Word sequence = (static_cast<Word>(words[2]) << 64) | words[3];
    m_increment = (sequence << 1) | 1;
    step();
    m_state += (static_cast<Word>(words[0]) << 64) | words[1];
    step();
}

void Random::step()
{
    constexpr Word kMultiplier = (static_cast<Word>(2549297995355413924ULL) << 64) | 4865540595714422341ULL;
    m_state = m_state * kMultiplier + m_increment;
}

std::uint64_t Random::next64()
{
    step();
    const std::uint64_t value = static_cast<std::uint64_t>(m_state >> 64) ^ static_cast<std::uint64_t>(m_state);
    const auto rotation = static_cast<unsigned>(m_state >> 122);
    return (value >> rotation) | (value << ((64 - rotation) & 63));
}

std::uint32_t Random::next32()
{
    if (m_hasKept) {
        m_hasKept = false;
        return m_kept;
    }
    const std::uint64_t value = next64();
    m_kept = static_cast<std::uint32_t>(value >> 32);
    m_hasKept = true;
    return static_cast<std::uint32_t>(value);
}

// Lemire's method; like NumPy it takes no random number where only one answer is possible.
std::uint32_t Random::below(std::uint32_t n)
{
    if (n <= 1)
        return 0;
    std::uint64_t product = static_cast<std::uint64_t>(next32()) * n;
    if (static_cast<std::uint32_t>(product) < n) {
        const std::uint32_t threshold = (0xffffffffU - (n - 1)) % n;
        while (static_cast<std::uint32_t>(product) < threshold)
            product = static_cast<std::uint64_t>(next32()) * n;
    }
    return static_cast<std::uint32_t>(product >> 32);
}

bool RandomBits::next()
{
    if (m_left == 0) {
        m_bits = m_random.next32();
        m_left = 32;
    }
    const bool bit = (m_bits & 1) != 0;
    m_bits >>= 1;
    --m_left;
    return bit;
}

double normal(Random &random, double deviation)
{
    const double radius = std::sqrt(-2 * std::log(1 - random.uniform()));
    return deviation * radius * std::cos(2 * std::numbers::pi * random.uniform());
}

} // namespace headscope

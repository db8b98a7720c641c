#pragma once

#include "core/results/rolesresult.h"
#include "core/roles/templates.h"

#include <array>
#include <cstdint>
#include <vector>

namespace headscope {

struct HeadAttention;

/// The keys that a role is about, query by query; none: the query does not count.
struct SieveKeys
{
    Sieve sieve = Sieve::Local;
    std::vector<std::vector<int>> keys; ///< [T]
};

/// Of the attention of a text to itself, over its real tokens. `tree`, with the words' pieces and the word of every
/// token: null where there is none; `segments`: of the tokens, −1 special; roles that these do not allow are left out.
struct SieveFacts
{
    const SentenceTree *tree = nullptr;
    const TreeTemplate *words = nullptr;
    const std::vector<int> *segments = nullptr;
};
std::vector<SieveKeys> sieveKeys(const AttentionTemplate &tokens, const SieveFacts &facts);

/// How many times as much attention the keys of a role get as they would if all were alike, sentence by sentence (after
/// Pande et al. 2021).
class SieveSums
{
public:
    void add(const HeadAttention &attention, const AttentionTemplate &tokens, const std::vector<SieveKeys> &sieves);
    void add(const SieveSums &other);
    /// Without p-values: of the roles that some sentence allows.
    std::vector<SieveScore> scores() const;

private:
    struct Sums
    {
        double sum = 0;
        double squares = 0;
        std::int64_t sentences = 0;
    };
    std::array<Sums, EnumNames<Sieve>::values.size()> m_sums{};
};

} // namespace headscope

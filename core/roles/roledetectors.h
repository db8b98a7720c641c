#pragma once

#include "core/results/rolesresult.h"
#include "core/roles/templates.h"

#include <array>
#include <cstdint>
#include <vector>

namespace headscope {

struct HeadAttention;

/// The keys that a role refers to, for every query; empty: the query does not count.
struct RoleDetectorKeys
{
    RoleDetector detector = RoleDetector::Local;
    std::vector<std::vector<int>> keys; ///< [T]
};

/// Detectors for the attention of a text to itself, over its real tokens. `tree`, with the words' pieces and the word
/// of every token: null where there is none; `segments`: of the tokens, −1 special; roles that these do not allow are
/// left out.
struct RoleDetectorFacts
{
    const SentenceTree *tree = nullptr;
    const TreeTemplate *words = nullptr;
    const std::vector<int> *segments = nullptr;
};
std::vector<RoleDetectorKeys> roleDetectorKeys(const AttentionTemplate &tokens, const RoleDetectorFacts &facts);

/// The attention to the keys of a role relative to uniform attention, sentence by sentence (after Pande et al. 2021).
class RoleDetectorSums
{
public:
    void add(const HeadAttention &attention, const AttentionTemplate &tokens,
             const std::vector<RoleDetectorKeys> &detectors);
    void add(const RoleDetectorSums &other);
    /// Without p-values: of the roles that some sentence allows.
    std::vector<RoleDetectorScore> scores() const;
    template<typename Archive>
    void visitSums(Archive &archive)
    {
        archive(m_sums);
    }

private:
    struct Sums
    {
        double sum = 0;
        double squares = 0;
        std::int64_t sentences = 0;

        template<typename Archive>
        void visitSums(Archive &archive)
        {
            archive(sum, squares, sentences);
        }
    };
    std::array<Sums, EnumNames<RoleDetector>::values.size()> m_sums{};
};

} // namespace headscope

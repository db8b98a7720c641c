#pragma once

#include "core/base/headref.h"
#include "core/base/keywindow.h"
#include "core/base/sentencetree.h"
#include "core/results/rolesresult.h"
#include "core/roles/alignments.h"
#include "core/roles/rarity.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace headscope {

/// A largest weight counts only if it exceeds the others by more than rounding errors: uniform heads have none.
inline constexpr double kClearlyLarger = 1.0001;

/// The tokens of an example as one kind of attention sees them.
struct AttentionTokens
{
    HeadKind kind = HeadKind::Encoder;
    std::vector<std::int64_t> queryIds;    ///< [T]
    std::vector<std::int64_t> keyIds;      ///< [S]
    std::vector<std::uint8_t> realQueries; ///< [T], not special
    std::vector<std::uint8_t> realKeys;    ///< [S]
    /// Cross-attention: spelling of every key, and of the token that every query predicts; empty where unknown.
    std::vector<std::string> keyTexts;
    std::vector<std::string> predictedTexts;
};

/// Keys that a pattern is about, query by query (the guide's numbers.md, Roles).
struct PatternKeys
{
    Pattern pattern = Pattern::Previous;
    std::vector<std::vector<int>> keys; ///< [T]
};

/// Templates that are looked for in the attention of one kind over one example: the same for all heads.
struct AttentionTemplate
{
    std::vector<std::uint8_t> realQueries; ///< [T]
    std::vector<std::uint8_t> realKeys;    ///< [S]
    bool causal = false;                   ///< keys after the query cannot be seen
    std::int64_t realKeyCount = 0;
    std::vector<int> origin; ///< [T], the key that offset 0 is at
    std::vector<PatternKeys> patterns;

    std::int64_t queries() const { return std::ssize(realQueries); }
    std::int64_t keys() const { return std::ssize(realKeys); }
    bool isVisible(std::int64_t query, std::int64_t key) const { return !causal || key <= query; }
    std::int64_t visibleKeys(std::int64_t query) const { return causal ? std::min(query + 1, keys()) : keys(); }
};

/// Without patterns: all that confidence needs.
AttentionTemplate plainTemplate(const AttentionTokens &tokens);
/// `window`: beyond which keys of a text's attention to itself are distant.
AttentionTemplate attentionTemplate(const AttentionTokens &tokens, const KeyWindow &window);

/// Which patterns are looked for in which kind of attention, in the order of PatternKeys.
std::vector<Pattern> patternsOf(HeadKind kind);

/// The relations of a data set: a number for each in both directions.
class RelationNumbers
{
public:
    /// All that occur, sorted by name; without root.
    explicit RelationNumbers(const std::vector<const SentenceTree *> &trees);

    std::size_t size() const { return 2 * m_names.size(); }
    /// Precondition: the relation occurs.
    std::size_t numberOf(const std::string &relation, ArcDirection direction) const;
    const std::string &nameOf(std::size_t number) const { return m_names[number / 2]; }
    static ArcDirection directionOf(std::size_t number)
    {
        return number % 2 == 0 ? ArcDirection::DependentToHead : ArcDirection::HeadToDependent;
    }

private:
    std::vector<std::string> m_names;
};

/// A word whose partner in a relation is looked for; any of several dependents will do.
struct RelationInstance
{
    std::size_t number = 0; ///< of RelationNumbers
    int word = 0;
    std::vector<int> partners;
};

/// A tree on the tokens of its text.
struct TreeTemplate
{
    std::vector<int> wordOfToken;         ///< −1: none
    std::vector<std::vector<int>> pieces; ///< of every word
    std::vector<RelationInstance> instances;
    std::int64_t words = 0;      ///< that have tokens
    std::int64_t notAligned = 0; ///< that have none
};

/// nullopt: no word of the tree has a token.
std::optional<TreeTemplate> treeTemplate(const SentenceTree &tree, const std::vector<int> &wordOfToken,
                                         const RelationNumbers &numbers);

} // namespace headscope

#pragma once

#include "core/base/enumnames.h"
#include "core/base/headref.h"
#include "core/results/manifest.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Roles of the heads of a model (Voita et al. 2019, section 5): counts, from which
/// roles follow by thresholds (roles.h).
namespace headscope {

/// By what the keys of a query are compared: attention weights P, or the norms of what is added for them, P·‖f(y)‖
/// (Kobayashi et al. 2020). Norms: divided by their sum over the keys, so that rows sum to 1 as those of
/// weights do. UnscaledNorms: as they are; where shares are needed (masses of patterns, rollout), those of Norms.
enum class AttentionMeasure { Weights, Norms, UnscaledNorms };
template<>
struct EnumNames<AttentionMeasure>
{
    static constexpr std::array<std::string_view, 3> values{"weights", "norm-shares", "norms"};
    static constexpr const char *what = "measure of attention";
};

/// Where special tokens are left out of confidence (Voita et al. 2019, section 4).
enum class SpecialTokens { NoQueriesNoKeys, NoQueries, NoKeys, Counted };
template<>
struct EnumNames<SpecialTokens>
{
    static constexpr std::array<std::string_view, 4> values{"excluded", "not-queries", "not-keys", "counted"};
    static constexpr const char *what = "treatment of special tokens";
};

/// So many of so many, and how many a head that attends to every key alike would reach on average.
struct Share
{
    std::int64_t hits = 0;
    std::int64_t instances = 0;
    double expected = 0; ///< 0 … 1

    double value() const { return instances > 0 ? static_cast<double>(hits) / static_cast<double>(instances) : 0; }
    bool operator==(const Share &) const = default;
};

inline constexpr int kLargestOffset = 7;

/// Where the largest weight of a query lies, by offset δ = key − query, −7 … 7. Of cross-attention δ is counted from
/// the diagonal: from the source position round(t·(S−1)/(T−1)).
struct OffsetHistogram
{
    /// instances: the queries whose key at this offset is a real token of the sentence and may be seen.
    std::array<Share, 2 * kLargestOffset + 1> offsets{};
    std::int64_t farther = 0; ///< largest weight beyond ±7
    std::int64_t ties = 0;    ///< no single largest weight: counts at no offset
    std::int64_t queries = 0;

    const Share &at(int offset) const { return offsets[static_cast<std::size_t>(offset + kLargestOffset)]; }
    Share &at(int offset) { return offsets[static_cast<std::size_t>(offset + kLargestOffset)]; }
    bool operator==(const OffsetHistogram &) const = default;
};

enum class ArcDirection { DependentToHead, HeadToDependent };
template<>
struct EnumNames<ArcDirection>
{
    static constexpr std::array<std::string_view, 2> values{"dependent to head", "head to dependent"};
    static constexpr const char *what = "direction";
};

/// How many words have a partner at so many words' distance.
struct RelationOffset
{
    int offset = 0; ///< in words: −1 is the word before
    std::int64_t count = 0;

    bool operator==(const RelationOffset &) const = default;
};

/// A dependency relation in one direction: what all heads are asked for, and the best that a fixed offset does.
struct RelationDirection
{
    std::string relation; ///< "nsubj"
    ArcDirection direction = ArcDirection::DependentToHead;
    std::int64_t instances = 0; ///< words whose partner(s) are looked for
    int baselineOffset = 0;     ///< in words
    double baseline = 0;        ///< share of the instances whose partner is there
    double chance = 0;          ///< expected of a word chosen at random
    /// Where partners lie, ascending (Voita et al. 2019, Figure 3). A word with several counts at each of their
    /// offsets.
    std::vector<RelationOffset> offsets{};

    bool operator==(const RelationDirection &) const = default;
};

/// The attention mass that falls on a kind of key (the guide's numbers.md, Roles).
enum class Pattern {
    Previous,  ///< key t − 1
    Next,      ///< key t + 1
    Current,   ///< key t
    SameToken, ///< another position with the query's token
    Special,   ///< separators, start and end tokens
    Induction, ///< the key after an earlier occurrence of the query's token
    Copy,      ///< cross: source tokens spelt like the token that the query predicts
    Diagonal,  ///< cross: ± 1 around the diagonal
    FirstKeys, ///< the first keys, special tokens too, of queries that see others (RolesResult::sinks)
    Distant,   ///< neither among the first nor near the query (RolesResult::window)
};
template<>
struct EnumNames<Pattern>
{
    static constexpr std::array<std::string_view, 10> values{"previous",  "next", "current",  "same_token", "special",
                                                             "induction", "copy", "diagonal", "first_keys", "distant"};
    static constexpr const char *what = "pattern";
};

struct PatternScore
{
    Pattern pattern = Pattern::Previous;
    double mass = 0;          ///< Σ P∘M / Σ P over the queries that have such a key
    double expected = 0;      ///< under uniform attention
    std::int64_t queries = 0; ///< that have such a key

    bool operator==(const PatternScore &) const = default;
};

/// Roles that one score and one test are for (after Pande et al. 2021), by the keys that they are about.
enum class RoleDetector {
    Syntactic, ///< tokens of the words that the query's word is linked to in the tree
    Local,     ///< two tokens on either side, and the query
    Block,     ///< tokens of the query's own text, in pairs
    Delimiter, ///< special tokens
};
template<>
struct EnumNames<RoleDetector>
{
    static constexpr std::array<std::string_view, 4> values{"syntactic", "local", "block", "delimiter"};
    static constexpr const char *what = "role";
};

/// How many times as much attention the keys of a role get as if all keys got the same: a mean over tokens, then over
/// sentences.
struct RoleDetectorScore
{
    RoleDetector detector = RoleDetector::Local;
    double score = 0;
    double standardError = 0;
    double p = 1;         ///< one-sided t-test over sentences: the mean is no more than RolesResult::sieveThreshold
    double pAdjusted = 1; ///< Holm, over all heads and roles
    std::int64_t sentences = 0;

    bool operator==(const RoleDetectorScore &) const = default;
};

/// Alignment error rate of the largest weight of every target word (Och and Ney 2003).
struct AlignmentError
{
    double whenPredicted = 0; ///< the row that predicts the word ("AWO")
    double whenRead = 0;      ///< the row that reads it ("AWI")
    std::int64_t sentences = 0;

    bool operator==(const AlignmentError &) const = default;
};

/// How often a head did in a sentence what is said of it.
struct SentenceShare
{
    std::int64_t index = 0; ///< row of the data set
    std::int64_t hits = 0;
    std::int64_t instances = 0;

    bool operator==(const SentenceShare &) const = default;
};

/// Sentences for and against what may be said of a head.
struct RoleEvidence
{
    std::string claim;                ///< claimOf() of the label, roles.h
    std::vector<SentenceShare> best;  ///< highest share first, then more hits
    std::vector<SentenceShare> worst; ///< lowest share first, then more misses

    bool operator==(const RoleEvidence &) const = default;
};

struct HeadRoleScores
{
    HeadRef head;
    double confidence = 0;
    std::int64_t tokens = 0; ///< queries behind the confidence
    OffsetHistogram offsets{};
    std::vector<std::int64_t> relationHits{}; ///< parallel to RolesResult::relations; empty: none for this head
    /// The largest weight lies on the rarest token of the sentence, or on one of the two rarest. Of encoder and cross
    /// heads.
    std::optional<Share> rarest{};
    std::optional<Share> twoRarest{};
    std::vector<PatternScore> patterns{};       ///< the patterns that make sense for its kind
    std::optional<AlignmentError> alignment{};  ///< cross-attention, where alignments were given
    std::vector<RoleDetectorScore> detectors{}; ///< of attention of a text to itself
    std::vector<RoleEvidence> evidence{};       ///< of the claims about it

    bool operator==(const HeadRoleScores &) const = default;
};

struct RolesResult
{
    static constexpr const char *kKind = "roles";
    Manifest manifest;
    AttentionMeasure measure = AttentionMeasure::Weights;
    SpecialTokens specialTokens = SpecialTokens::NoQueriesNoKeys;
    bool renormalized = false; ///< confidence: what is left beside special tokens sums to 1
    std::string prefix; ///< what the decoder was forced to: "reference", "own output"; empty: there is no decoder
    std::vector<RelationDirection> relations; ///< empty: no trees
    std::int64_t trees = 0;                   ///< sentences that could be scored by their tree
    std::int64_t treesNotAligned = 0;         ///< others whose words could not be found in the text
    std::int64_t wordsNotAligned = 0;         ///< words without a token of their own, in the others
    std::string rarityFrom;           ///< "corpus train.en", "word frequencies en_50k.txt", "order of the vocabulary"
    bool rarityApproximate = false;   ///< by the order of the vocabulary
    std::int64_t raritySentences = 0; ///< whose rarest token is not among the 500 most frequent
    std::int64_t alignments = 0;      ///< sentences with an alignment
    std::int64_t sinks = 0;           ///< keys that are first keys
    std::int64_t window = 0;          ///< nearer to the query than this no other key is distant; 0: not looked for
    double sieveThreshold = 0;        ///< that scores of sieves were tested against
    std::vector<HeadRoleScores> heads;
    std::int64_t examples = 0;
};

} // namespace headscope

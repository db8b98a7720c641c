#pragma once

#include "core/results/roles.h"
#include "core/roles/roledetectors.h"
#include "core/roles/templates.h"

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace headscope {

/// Which tokens count in confidence (Voita et al. 2019, section 4).
struct ConfidenceChoice
{
    SpecialTokens specialTokens = SpecialTokens::NoQueriesNoKeys;
    bool renormalize = false; ///< what is left beside special tokens sums to 1
};

/// A running mean.
struct RunningMean
{
    double sum = 0;
    std::int64_t count = 0;

    void add(const RunningMean &other)
    {
        sum += other.sum;
        count += other.count;
    }
    double value() const { return count > 0 ? sum / static_cast<double>(count) : 0; }
};

// The parts of sums, for SumsArchive.
template<typename Archive>
void visitSums(Archive &archive, RunningMean &mean)
{
    archive(mean.sum, mean.count);
}
template<typename Archive>
void visitSums(Archive &archive, Share &share)
{
    archive(share.hits, share.instances, share.expected);
}
template<typename Archive>
void visitSums(Archive &archive, OffsetHistogram &histogram)
{
    archive(histogram.offsets, histogram.farther, histogram.ties, histogram.queries);
}
template<typename Archive>
void visitSums(Archive &archive, SentenceShare &sentence)
{
    archive(sentence.index, sentence.hits, sentence.instances);
}
template<typename Archive>
void visitSums(Archive &archive, AlignmentCounts &counts)
{
    archive(counts.links, counts.sure, counts.inSure, counts.inPossible);
}

/// Attention of one head over one example: row t of `weights` is at t·stride, rows sum to 1 over the keys that may be
/// seen. Unscaled norms are rows times these `scales`, one per query; none: rows are what they are.
struct HeadAttention
{
    const float *weights = nullptr;
    std::int64_t stride = 0;
    const float *scales = nullptr;

    const float *row(std::int64_t query) const { return weights + query * stride; }
};

/// Attention between the words of a tree [W, W], a row per query: summed over the pieces of both words. `sums` is
/// overwritten.
void addUpWords(const HeadAttention &attention, const std::vector<int> &wordOfToken,
                const std::vector<std::vector<int>> &pieces, std::vector<double> &sums);

/// The largest weight of every query, summed (Voita et al. 2019, section 4). Sentences of fewer than two real keys give
/// nothing, nor do queries for which no key counts or, when renormalised, no key that counts has any weight.
RunningMean confidenceOf(const HeadAttention &head, const AttentionTemplate &tokens, const ConfidenceChoice &choice);

/// The data of one example that all heads of a kind share.
struct ExampleTemplate
{
    std::int64_t index = 0; ///< row of the data set
    AttentionTemplate tokens;
    const TreeTemplate *tree = nullptr;                        ///< none: no tree, or not of these keys
    const RarestTokens *rarest = nullptr;                      ///< of the keys; none: not eligible
    std::vector<RoleDetectorKeys> detectors{};                 ///< of a text's attention to itself
    const std::vector<std::uint8_t> *skippedQueries = nullptr; ///< of the rarest: rare tokens themselves
    // Where there is an alignment:
    const WordAlignment *alignment = nullptr;
    const std::vector<std::vector<int>> *predictingRows = nullptr; ///< of every target word
    const std::vector<std::vector<int>> *readingRows = nullptr;
    const std::vector<std::vector<int>> *sourcePieces = nullptr; ///< of every source word
};

/// Collects sentences for and against every claim about a head, a few each: memory does not grow with the data.
class EvidenceCollector
{
public:
    explicit EvidenceCollector(std::int64_t most) : m_most(most) { }

    void add(std::size_t claim, const SentenceShare &sentence);
    void add(const EvidenceCollector &other);
    RoleEvidence of(std::size_t claim, std::string name) const;
    template<typename Archive>
    void visitSums(Archive &archive)
    {
        archive(m_lists);
    }

private:
    struct Lists
    {
        std::vector<SentenceShare> best, worst;

        template<typename Archive>
        void visitSums(Archive &archive)
        {
            archive(best, worst);
        }
    };
    std::int64_t m_most;
    std::map<std::size_t, Lists> m_lists;
};

/// Counts of one head, over as many examples as are added.
class HeadCounts
{
public:
    HeadCounts(HeadRef head, std::size_t relations, std::int64_t evidence, ConfidenceChoice choice);

    void add(const HeadAttention &attention, const ExampleTemplate &example);
    void add(const HeadCounts &other);
    /// `result`: with everything but heads; what it did not look for, they lack.
    HeadRoleScores scores(const RelationNumbers &numbers, const RolesResult &result) const;
    template<typename Archive>
    void visitSums(Archive &archive)
    {
        archive(m_confidence, m_offsets, m_offsetExpected, m_relationHits, m_patterns, m_rare, m_whenPredicted,
                m_whenRead, m_detectors, m_evidence);
    }

private:
    struct PatternSums
    {
        double mass = 0;
        double total = 0;
        double expected = 0;
        std::int64_t queries = 0;

        template<typename Archive>
        void visitSums(Archive &archive)
        {
            archive(mass, total, expected, queries);
        }
    };
    struct RareSums
    {
        std::int64_t rarest = 0;
        std::int64_t twoRarest = 0;
        std::int64_t queries = 0;
        double expectedRarest = 0;
        double expectedTwo = 0;

        template<typename Archive>
        void visitSums(Archive &archive)
        {
            archive(rarest, twoRarest, queries, expectedRarest, expectedTwo);
        }
    };

    void addRow(std::int64_t query, const float *row, const ExampleTemplate &example);
    template<typename IsCandidate>
    void addOffsets(std::int64_t origin, std::int64_t largest, double chance, const IsCandidate &isCandidate);
    void addPatterns(std::int64_t query, const float *row, const ExampleTemplate &example);
    void addTree(const HeadAttention &attention, const ExampleTemplate &example);
    void addAlignment(const HeadAttention &attention, const ExampleTemplate &example);
    /// One instance of a claim in the current example.
    void note(std::size_t claim, bool hit);

    // Numbers of claims
    static constexpr std::size_t kRareClaim = 2 * kLargestOffset + 1;
    static constexpr std::size_t kPatternClaims = kRareClaim + 1;
    std::size_t relationClaims() const { return kPatternClaims + m_patterns.size(); }
    std::size_t claimCount() const { return relationClaims() + m_relationHits.size(); }
    std::size_t claimNumber(const RoleLabel &label, const RelationNumbers &numbers) const;

    HeadRef m_head;
    ConfidenceChoice m_choice;
    RunningMean m_confidence;
    OffsetHistogram m_offsets;
    std::array<double, 2 * kLargestOffset + 1> m_offsetExpected{}; ///< sums of chances
    std::vector<std::int64_t> m_relationHits;
    std::vector<Pattern> m_kindPatterns;
    std::vector<PatternSums> m_patterns;
    RareSums m_rare;
    AlignmentCounts m_whenPredicted;
    AlignmentCounts m_whenRead;
    RoleDetectorSums m_detectors;
    EvidenceCollector m_evidence;
    std::vector<SentenceShare> m_example; ///< by claim, of the current example
    std::vector<double> m_words;          ///< room for word-level sums
};

} // namespace headscope

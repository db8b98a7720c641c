#include "core/roles/headcounts.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <tuple>

namespace headscope {
namespace {

constexpr auto kClearlyLargerWeight = static_cast<float>(kClearlyLarger);

/// A weight above this is the largest of its row, but for rounding (of scores that may be large): attention to two keys
/// alike gives each exactly that.
constexpr double kHalf = 0.5 - 1e-4;

struct Largest
{
    int key = -1; ///< −1: no single largest
    float weight = 0;
};

template<typename Weight, typename Counts>
Largest largest(const Weight *weights, std::int64_t size, Counts &&counts)
{
    Largest found;
    Weight first = -1;
    Weight second = -1;
    for (std::int64_t key = 0; key < size; ++key) {
        if (!counts(key))
            continue;
        const Weight weight = weights[key];
        if (weight > first) {
            second = first;
            first = weight;
            found.key = static_cast<int>(key);
        } else if (weight > second) {
            second = weight;
        }
    }
    found.weight = static_cast<float>(first);
    if (first <= 0 || first <= kClearlyLargerWeight * second)
        found.key = -1;
    return found;
}

/// Whether the largest weight is on one of these keys, of which several may have it: a rare word may occur twice.
template<typename Counts>
bool isAmong(const std::vector<std::uint8_t> &these, const float *weights, std::int64_t size, Counts &&counts)
{
    float inside = 0;
    float outside = 0;
    for (std::int64_t key = 0; key < size; ++key) {
        float &most = these[static_cast<std::size_t>(key)] ? inside : outside;
        if (counts(key))
            most = std::max(most, weights[key]);
    }
    return inside > kClearlyLargerWeight * outside;
}

double shareOf(const SentenceShare &sentence)
{
    return static_cast<double>(sentence.hits) / static_cast<double>(sentence.instances);
}

/// Keeps `sentences` sorted by `before` and at most `most` long.
template<typename Before>
void insertSorted(std::vector<SentenceShare> &sentences, const SentenceShare &sentence, std::int64_t most,
                  Before before)
{
    if (std::ssize(sentences) >= most && (most == 0 || !before(sentence, sentences.back())))
        return;
    sentences.insert(std::ranges::upper_bound(sentences, sentence, before), sentence);
    if (std::ssize(sentences) > most)
        sentences.pop_back();
}

bool showsMore(const SentenceShare &a, const SentenceShare &b)
{
    return std::tuple(-shareOf(a), -a.hits, a.index) < std::tuple(-shareOf(b), -b.hits, b.index);
}

bool showsLess(const SentenceShare &a, const SentenceShare &b)
{
    return std::tuple(shareOf(a), a.hits - a.instances, a.index)
         < std::tuple(shareOf(b), b.hits - b.instances, b.index);
}

} // namespace

void addUpWords(const HeadAttention &attention, const std::vector<int> &wordOfToken,
                const std::vector<std::vector<int>> &pieces, std::vector<double> &sums)
{
    const std::size_t words = pieces.size();
    sums.assign(words * words, 0);
    for (std::size_t word = 0; word < words; ++word) {
        for (const int query : pieces[word]) {
            const float *row = attention.row(query);
            double *to = sums.data() + word * words;
            for (std::size_t key = 0; key < wordOfToken.size(); ++key) {
                if (wordOfToken[key] >= 0)
                    to[wordOfToken[key]] += row[key];
            }
        }
    }
}

RunningMean confidenceOf(const HeadAttention &head, const AttentionTemplate &tokens, const ConfidenceChoice &choice)
{
    const bool noQueries
        = choice.specialTokens == SpecialTokens::NoQueriesNoKeys || choice.specialTokens == SpecialTokens::NoQueries;
    const bool noKeys
        = choice.specialTokens == SpecialTokens::NoQueriesNoKeys || choice.specialTokens == SpecialTokens::NoKeys;
    RunningMean mean;
    if (tokens.realKeyCount < 2)
        return mean;
    for (std::int64_t query = 0; query < tokens.queries(); ++query) {
        if (noQueries && !tokens.realQueries[static_cast<std::size_t>(query)])
            continue;
        const float *row = head.row(query);
        float most = 0;
        double left = 0;
        bool any = false;
        for (std::int64_t key = 0; key < tokens.keys(); ++key) {
            if ((noKeys && !tokens.realKeys[static_cast<std::size_t>(key)]) || !tokens.isVisible(query, key))
                continue;
            any = true;
            most = std::max(most, row[key]);
            left += row[key];
        }
        if (!any || (choice.renormalize && left <= 0))
            continue;
        const double scale = head.scales ? head.scales[query] : 1;
        // The largest of weights that are not known is not known either.
        mean.sum += choice.renormalize ? most / left : std::isnan(left) ? left : most * scale;
        ++mean.count;
    }
    return mean;
}

void EvidenceCollector::add(std::size_t claim, const SentenceShare &sentence)
{
    Lists &lists = m_lists[claim];
    insertSorted(lists.best, sentence, m_most, showsMore);
    insertSorted(lists.worst, sentence, m_most, showsLess);
}

void EvidenceCollector::add(const EvidenceCollector &other)
{
    for (const auto &[claim, lists] : other.m_lists) {
        Lists &mine = m_lists[claim];
        for (const SentenceShare &sentence : lists.best)
            insertSorted(mine.best, sentence, m_most, showsMore);
        for (const SentenceShare &sentence : lists.worst)
            insertSorted(mine.worst, sentence, m_most, showsLess);
    }
}

RoleEvidence EvidenceCollector::of(std::size_t claim, std::string name) const
{
    const auto found = m_lists.find(claim);
    return found == m_lists.end() ? RoleEvidence{std::move(name), {}, {}}
                                  : RoleEvidence{std::move(name), found->second.best, found->second.worst};
}

HeadCounts::HeadCounts(HeadRef head, std::size_t relations, std::int64_t evidence, ConfidenceChoice choice)
    : m_head(head), m_choice(choice), m_relationHits(head.kind == HeadKind::Encoder ? relations : 0),
      m_kindPatterns(patternsOf(head.kind)), m_patterns(m_kindPatterns.size()), m_evidence(evidence)
{
    m_example.resize(claimCount());
}

void HeadCounts::note(std::size_t claim, bool hit)
{
    ++m_example[claim].instances;
    m_example[claim].hits += hit ? 1 : 0;
}

void HeadCounts::add(const HeadAttention &attention, const ExampleTemplate &example)
{
    std::ranges::fill(m_example, SentenceShare{example.index, 0, 0});
    m_confidence.add(confidenceOf(attention, example.tokens, m_choice));
    for (std::int64_t query = 0; query < example.tokens.queries(); ++query) {
        if (!example.tokens.realQueries[static_cast<std::size_t>(query)] || example.tokens.realKeyCount < 2)
            continue;
        addRow(query, attention.row(query), example);
        addPatterns(query, attention.row(query), example);
    }
    m_detectors.add(attention, example.tokens, example.detectors);
    if (example.tree && !m_relationHits.empty())
        addTree(attention, example);
    if (example.alignment)
        addAlignment(attention, example);
    for (std::size_t claim = 0; claim < m_example.size(); ++claim) {
        if (m_example[claim].instances > 0)
            m_evidence.add(claim, m_example[claim]);
    }
}

/// `largest`: the key of the largest weight; −1: several are as large.
template<typename IsCandidate>
void HeadCounts::addOffsets(std::int64_t origin, std::int64_t largest, double chance, const IsCandidate &isCandidate)
{
    ++m_offsets.queries;
    for (int offset = -kLargestOffset; offset <= kLargestOffset; ++offset) {
        const std::int64_t key = origin + offset;
        if (!isCandidate(key))
            continue;
        const auto place = static_cast<std::size_t>(offset + kLargestOffset);
        Share &share = m_offsets.offsets[place];
        ++share.instances;
        share.hits += largest == key ? 1 : 0;
        m_offsetExpected[place] += chance;
        note(place, largest == key);
    }
    m_offsets.ties += largest < 0 ? 1 : 0;
    m_offsets.farther += largest >= 0 && std::abs(largest - origin) > kLargestOffset ? 1 : 0;
}

/// Offsets and rare words: where the largest weight on a real token lies.
void HeadCounts::addRow(std::int64_t query, const float *row, const ExampleTemplate &example)
{
    const AttentionTemplate &tokens = example.tokens;
    const auto isCandidate = [&](std::int64_t key) {
        return tokens.realKeys[static_cast<std::size_t>(key)] && tokens.isVisible(query, key);
    };
    std::int64_t candidates = 0;
    for (std::int64_t key = 0; key < tokens.keys(); ++key)
        candidates += isCandidate(key) ? 1 : 0;
    if (candidates < 2) // nothing to choose from
        return;
    const double chance = 1.0 / static_cast<double>(candidates);
    const Largest most = largest(row, tokens.keys(), isCandidate);
    addOffsets(tokens.origin[static_cast<std::size_t>(query)], most.key, chance,
               [&](std::int64_t key) { return key >= 0 && key < tokens.keys() && isCandidate(key); });

    const bool isRare = example.skippedQueries && (*example.skippedQueries)[static_cast<std::size_t>(query)];
    if (!example.rarest || isRare)
        return;
    const bool rarest = isAmong(example.rarest->rarest, row, tokens.keys(), isCandidate);
    const bool twoRarest = isAmong(example.rarest->twoRarest, row, tokens.keys(), isCandidate);
    ++m_rare.queries;
    m_rare.rarest += rarest ? 1 : 0;
    m_rare.twoRarest += twoRarest ? 1 : 0;
    m_rare.expectedRarest += chance * static_cast<double>(std::ranges::count(example.rarest->rarest, 1));
    m_rare.expectedTwo += chance * static_cast<double>(std::ranges::count(example.rarest->twoRarest, 1));
    note(kRareClaim, twoRarest);
}

void HeadCounts::addPatterns(std::int64_t query, const float *row, const ExampleTemplate &example)
{
    for (std::size_t i = 0; i < m_patterns.size(); ++i) {
        const std::vector<int> &keys = example.tokens.patterns[i].keys[static_cast<std::size_t>(query)];
        if (keys.empty())
            continue;
        double mass = 0;
        for (const int key : keys)
            mass += row[key];
        PatternSums &sums = m_patterns[i];
        sums.mass += mass;
        sums.total += 1; // rows sum to 1
        sums.expected += static_cast<double>(keys.size()) / static_cast<double>(example.tokens.visibleKeys(query));
        ++sums.queries;
        note(kPatternClaims + i, mass >= kHalf);
    }
}

/// Word-level attention: to a word the sum over its pieces, from it their mean (Clark et al. 2019). Only
/// the largest of a row beside the word itself is wanted, for which the sum over a word's rows does as well as their
/// mean.
void HeadCounts::addTree(const HeadAttention &attention, const ExampleTemplate &example)
{
    const TreeTemplate &tree = *example.tree;
    const std::size_t words = tree.pieces.size();
    addUpWords(attention, tree.wordOfToken, tree.pieces, m_words);
    std::vector<int> pointsTo(words, -1);
    for (std::size_t word = 0; word < words; ++word)
        pointsTo[word]
            = largest(m_words.data() + word * words, static_cast<std::int64_t>(words), [&](std::int64_t key) {
                  const auto other = static_cast<std::size_t>(key);
                  return other != word && !tree.pieces[other].empty();
              }).key;
    for (const RelationInstance &instance : tree.instances) {
        const int partner = pointsTo[static_cast<std::size_t>(instance.word)];
        const bool hit = std::ranges::find(instance.partners, partner) != instance.partners.end();
        m_relationHits[instance.number] += hit ? 1 : 0;
        note(relationClaims() + instance.number, hit);
    }
}

void HeadCounts::addAlignment(const HeadAttention &attention, const ExampleTemplate &example)
{
    m_whenPredicted.add(alignmentCounts(attention.weights, attention.stride, *example.predictingRows,
                                        *example.sourcePieces, *example.alignment));
    m_whenRead.add(alignmentCounts(attention.weights, attention.stride, *example.readingRows, *example.sourcePieces,
                                   *example.alignment));
}

void HeadCounts::add(const HeadCounts &other)
{
    m_confidence.add(other.m_confidence);
    for (std::size_t i = 0; i < m_offsets.offsets.size(); ++i) {
        m_offsets.offsets[i].hits += other.m_offsets.offsets[i].hits;
        m_offsets.offsets[i].instances += other.m_offsets.offsets[i].instances;
        m_offsetExpected[i] += other.m_offsetExpected[i];
    }
    m_offsets.farther += other.m_offsets.farther;
    m_offsets.ties += other.m_offsets.ties;
    m_offsets.queries += other.m_offsets.queries;
    for (std::size_t i = 0; i < m_relationHits.size(); ++i)
        m_relationHits[i] += other.m_relationHits[i];
    for (std::size_t i = 0; i < m_patterns.size(); ++i) {
        m_patterns[i].mass += other.m_patterns[i].mass;
        m_patterns[i].total += other.m_patterns[i].total;
        m_patterns[i].expected += other.m_patterns[i].expected;
        m_patterns[i].queries += other.m_patterns[i].queries;
    }
    m_rare.rarest += other.m_rare.rarest;
    m_rare.twoRarest += other.m_rare.twoRarest;
    m_rare.queries += other.m_rare.queries;
    m_rare.expectedRarest += other.m_rare.expectedRarest;
    m_rare.expectedTwo += other.m_rare.expectedTwo;
    m_whenPredicted.add(other.m_whenPredicted);
    m_whenRead.add(other.m_whenRead);
    m_detectors.add(other.m_detectors);
    m_evidence.add(other.m_evidence);
}

std::size_t HeadCounts::claimNumber(const RoleLabel &label, const RelationNumbers &numbers) const
{
    if (label.role == Role::Positional)
        return static_cast<std::size_t>(label.offset + kLargestOffset);
    if (label.role == Role::Syntactic)
        return relationClaims() + numbers.numberOf(label.relation, label.direction);
    if (label.role == Role::RareWord)
        return kRareClaim;
    const auto pattern = std::ranges::find(m_kindPatterns, std::optional(label.role), roleOf);
    return kPatternClaims + static_cast<std::size_t>(pattern - m_kindPatterns.begin());
}

HeadRoleScores HeadCounts::scores(const RelationNumbers &numbers, const RolesResult &result) const
{
    const auto mean = [](double sum, std::int64_t count) { return count > 0 ? sum / static_cast<double>(count) : 0; };
    HeadRoleScores scores;
    scores.head = m_head;
    scores.confidence = m_confidence.value();
    scores.tokens = m_confidence.count;
    scores.offsets = m_offsets;
    for (std::size_t i = 0; i < m_offsetExpected.size(); ++i)
        scores.offsets.offsets[i].expected = mean(m_offsetExpected[i], m_offsets.offsets[i].instances);
    scores.relationHits = m_relationHits;
    if (result.raritySentences > 0 && m_head.kind != HeadKind::Decoder) {
        scores.rarest = Share{m_rare.rarest, m_rare.queries, mean(m_rare.expectedRarest, m_rare.queries)};
        scores.twoRarest = Share{m_rare.twoRarest, m_rare.queries, mean(m_rare.expectedTwo, m_rare.queries)};
    }
    for (std::size_t i = 0; i < m_patterns.size(); ++i) {
        const PatternSums &sums = m_patterns[i];
        scores.patterns.push_back({m_kindPatterns[i], sums.total > 0 ? sums.mass / sums.total : 0,
                                   mean(sums.expected, sums.queries), sums.queries});
    }
    scores.detectors = m_detectors.scores();
    if (result.alignments > 0 && m_head.kind == HeadKind::Cross)
        scores.alignment = AlignmentError{m_whenPredicted.errorRate(), m_whenRead.errorRate(), result.alignments};

    // Evidence for the best of every role, and for what passes whichever relations count.
    RoleThresholds all;
    all.relations.clear();
    for (const RoleThresholds &thresholds : {RoleThresholds(), all}) {
        std::vector<RoleLabel> labels = bestLabels(result, scores, thresholds);
        std::ranges::move(labelsOf(result, scores, thresholds), std::back_inserter(labels));
        for (const RoleLabel &label : labels) {
            if (evidenceFor(scores, label))
                continue;
            RoleEvidence evidence = m_evidence.of(claimNumber(label, numbers), claimOf(label));
            if (!evidence.best.empty())
                scores.evidence.push_back(std::move(evidence));
        }
    }
    // Whether a head needs distant keys a sweep will say; where it looks at them is seen here.
    const RoleLabel retrieval{.role = Role::Retrieval, .relation = {}};
    if (std::ranges::find(m_kindPatterns, Pattern::Distant) != m_kindPatterns.end()) {
        RoleEvidence evidence = m_evidence.of(claimNumber(retrieval, numbers), claimOf(retrieval));
        if (!evidence.best.empty())
            scores.evidence.push_back(std::move(evidence));
    }
    return scores;
}

} // namespace headscope

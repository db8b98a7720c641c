#include "core/roles/roledetectors.h"

#include "core/roles/headcounts.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace headscope {
namespace {

constexpr int kNeighbourhood = 2; ///< tokens on either side that are local

/// The tokens of the words that each word of a tree is linked to, in either direction.
std::vector<std::vector<int>> linkedTokens(const SentenceTree &tree, const TreeTemplate &words)
{
    std::vector<std::vector<int>> linked(tree.size());
    const auto link = [&](std::size_t from, std::size_t to) {
        linked[from].insert(linked[from].end(), words.pieces[to].begin(), words.pieces[to].end());
    };
    for (std::size_t word = 0; word < tree.size(); ++word) {
        if (tree[word].head < 0)
            continue;
        const auto head = static_cast<std::size_t>(tree[word].head);
        link(word, head);
        link(head, word);
    }
    return linked;
}

/// Goes over queries that are real tokens; `keysOf` may give keys that cannot be seen.
template<typename KeysOf>
RoleDetectorKeys makeDetector(RoleDetector name, const AttentionTemplate &tokens, KeysOf &&keysOf)
{
    RoleDetectorKeys detector{name, std::vector<std::vector<int>>(tokens.realQueries.size())};
    for (int query = 0; query < static_cast<int>(tokens.queries()); ++query) {
        std::vector<int> &keys = detector.keys[static_cast<std::size_t>(query)];
        if (!tokens.realQueries[static_cast<std::size_t>(query)])
            continue;
        keys = keysOf(query);
        std::erase_if(keys, [&](int key) { return key < 0 || key >= tokens.keys() || !tokens.isVisible(query, key); });
        if (std::ssize(keys) == tokens.visibleKeys(query)) // nothing else to attend to
            keys.clear();
    }
    return detector;
}

} // namespace

std::vector<RoleDetectorKeys> roleDetectorKeys(const AttentionTemplate &tokens, const RoleDetectorFacts &facts)
{
    std::vector<RoleDetectorKeys> detectors;
    if (facts.tree && facts.words) {
        const auto linked = linkedTokens(*facts.tree, *facts.words);
        detectors.push_back(makeDetector(RoleDetector::Syntactic, tokens, [&](int query) {
            const int word = facts.words->wordOfToken[static_cast<std::size_t>(query)];
            return word < 0 ? std::vector<int>() : linked[static_cast<std::size_t>(word)];
        }));
    }
    detectors.push_back(makeDetector(RoleDetector::Local, tokens, [&](int query) {
        std::vector<int> keys;
        for (int key = query - kNeighbourhood; key <= query + kNeighbourhood; ++key)
            keys.push_back(key);
        return keys;
    }));
    const auto where = [&](auto &&wanted) {
        std::vector<int> keys;
        for (int key = 0; key < static_cast<int>(tokens.keys()); ++key) {
            if (wanted(static_cast<std::size_t>(key)))
                keys.push_back(key);
        }
        return keys;
    };
    if (facts.segments && std::ranges::find(*facts.segments, 1) != facts.segments->end()) {
        const std::vector<int> &segments = *facts.segments;
        detectors.push_back(makeDetector(RoleDetector::Block, tokens, [&](int query) {
            return where([&](std::size_t key) { return segments[key] == segments[static_cast<std::size_t>(query)]; });
        }));
    }
    detectors.push_back(makeDetector(RoleDetector::Delimiter, tokens, [&](int) {
        return where([&](std::size_t key) { return !tokens.realKeys[key]; });
    }));
    return detectors;
}

void RoleDetectorSums::add(const HeadAttention &attention, const AttentionTemplate &tokens,
                           const std::vector<RoleDetectorKeys> &detectors)
{
    for (const RoleDetectorKeys &detector : detectors) {
        RunningMean ratio;
        for (std::int64_t query = 0; query < tokens.queries(); ++query) {
            const std::vector<int> &keys = detector.keys[static_cast<std::size_t>(query)];
            if (keys.empty())
                continue;
            double mass = 0;
            for (const int key : keys)
                mass += static_cast<double>(attention.row(query)[key]);
            const double share = static_cast<double>(keys.size()) / static_cast<double>(tokens.visibleKeys(query));
            ratio.add({mass / share, 1});
        }
        if (ratio.count == 0)
            continue;
        Sums &sums = m_sums[static_cast<std::size_t>(detector.detector)];
        sums.sum += ratio.value();
        sums.squares += ratio.value() * ratio.value();
        ++sums.sentences;
    }
}

void RoleDetectorSums::add(const RoleDetectorSums &other)
{
    for (std::size_t i = 0; i < m_sums.size(); ++i) {
        m_sums[i].sum += other.m_sums[i].sum;
        m_sums[i].squares += other.m_sums[i].squares;
        m_sums[i].sentences += other.m_sums[i].sentences;
    }
}

std::vector<RoleDetectorScore> RoleDetectorSums::scores() const
{
    std::vector<RoleDetectorScore> scores;
    for (std::size_t i = 0; i < m_sums.size(); ++i) {
        const Sums &sums = m_sums[i];
        if (sums.sentences == 0)
            continue;
        const auto count = static_cast<double>(sums.sentences);
        RoleDetectorScore score{
            .detector = static_cast<RoleDetector>(i), .score = sums.sum / count, .sentences = sums.sentences};
        if (sums.sentences > 1)
            score.standardError
                = std::sqrt(std::max(sums.squares / count - score.score * score.score, 0.0) / (count - 1));
        scores.push_back(score);
    }
    return scores;
}

} // namespace headscope

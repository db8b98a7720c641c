#include "core/roles/templates.h"

#include "core/roles/treewords.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace headscope {
namespace {

/// Where offset 0 is: the query itself, or the diagonal of cross-attention.
std::vector<int> origins(const AttentionTokens &tokens)
{
    const auto queries = static_cast<int>(tokens.queryIds.size());
    const auto keys = static_cast<int>(tokens.keyIds.size());
    std::vector<int> origins;
    for (int t = 0; t < queries; ++t) {
        const double along = queries > 1 ? static_cast<double>(t) * (keys - 1) / (queries - 1) : 0;
        origins.push_back(tokens.kind == HeadKind::Cross ? static_cast<int>(std::lround(along)) : t);
    }
    return origins;
}

/// Keys of `pattern` for query t, whether they may be seen or not.
std::vector<int> keysOf(Pattern pattern, int t, int origin, const AttentionTokens &tokens, const KeyWindow &window)
{
    const auto keys = static_cast<int>(tokens.keyIds.size());
    const auto real = [&](int key) { return key >= 0 && key < keys && tokens.realKeys[static_cast<std::size_t>(key)]; };
    const auto idAt = [&](int key) { return tokens.keyIds[static_cast<std::size_t>(key)]; };
    const auto onlyReal = [&](std::vector<int> some) {
        std::erase_if(some, [&](int key) { return !real(key); });
        return some;
    };
    const auto where = [keys](const auto &isMeant) {
        std::vector<int> found;
        for (int key = 0; key < keys; ++key) {
            if (isMeant(key))
                found.push_back(key);
        }
        return found;
    };
    switch (pattern) {
    case Pattern::Previous:
        return onlyReal({t - 1});
    case Pattern::Next:
        return onlyReal({t + 1});
    case Pattern::Current:
        return onlyReal({t});
    case Pattern::SameToken:
        return where([&](int key) { return key != t && idAt(key) == idAt(t) && real(key); });
    case Pattern::Induction: // after an earlier occurrence; the query itself says nothing
        return where(
            [&](int key) { return key > 0 && key - 1 < t && key != t && idAt(key - 1) == idAt(t) && real(key); });
    case Pattern::Special:
        return where([&](int key) { return !real(key); });
    case Pattern::Copy:
        return where([&](int key) {
            const std::string &wanted = tokens.predictedTexts[static_cast<std::size_t>(t)];
            return !wanted.empty() && key < std::ssize(tokens.keyTexts)
                && tokens.keyTexts[static_cast<std::size_t>(key)] == wanted && real(key);
        });
    case Pattern::FirstKeys:
        return where([&](int key) { return key < window.sinks; });
    case Pattern::Distant:
        return where([&](int key) { return !window.shows(t, key); });
    case Pattern::Diagonal:
        return onlyReal({origin - 1, origin, origin + 1});
    }
    return {};
}

} // namespace

std::vector<Pattern> patternsOf(HeadKind kind)
{
    switch (kind) {
    case HeadKind::Encoder:
        return {Pattern::Previous, Pattern::Next,      Pattern::Current,   Pattern::SameToken,
                Pattern::Special,  Pattern::Induction, Pattern::FirstKeys, Pattern::Distant};
    case HeadKind::Decoder:
        return {Pattern::Previous,  Pattern::Current,   Pattern::SameToken, Pattern::Special,
                Pattern::Induction, Pattern::FirstKeys, Pattern::Distant};
    case HeadKind::Cross:
        return {Pattern::Special, Pattern::Copy, Pattern::Diagonal};
    }
    return {};
}

AttentionTemplate plainTemplate(const AttentionTokens &tokens)
{
    AttentionTemplate result;
    result.realQueries = tokens.realQueries;
    result.realKeys = tokens.realKeys;
    result.causal = tokens.kind == HeadKind::Decoder;
    result.realKeyCount = std::ranges::count_if(result.realKeys, [](std::uint8_t real) { return real != 0; });
    result.origin = origins(tokens);
    return result;
}

AttentionTemplate attentionTemplate(const AttentionTokens &tokens, const KeyWindow &window)
{
    AttentionTemplate result = plainTemplate(tokens);
    for (const Pattern pattern : patternsOf(tokens.kind)) {
        PatternKeys &keys = result.patterns.emplace_back(PatternKeys{pattern, {}});
        keys.keys.resize(result.realQueries.size());
        for (std::size_t t = 0; t < result.realQueries.size(); ++t) {
            if (!result.realQueries[t])
                continue;
            const auto query = static_cast<std::int64_t>(t);
            keys.keys[t] = keysOf(pattern, static_cast<int>(t), result.origin[t], tokens, window);
            std::erase_if(keys.keys[t], [&](int key) { return !result.isVisible(query, key); });
            if (pattern == Pattern::FirstKeys && std::ssize(keys.keys[t]) == result.visibleKeys(query))
                keys.keys[t].clear(); // where else could it look?
        }
    }
    return result;
}

RelationNumbers::RelationNumbers(const std::vector<const SentenceTree *> &trees)
{
    std::set<std::string> names;
    for (const SentenceTree *tree : trees) {
        for (const TreeWord &word : *tree) {
            if (word.head >= 0)
                names.insert(word.relation);
        }
    }
    m_names.assign(names.begin(), names.end());
}

std::size_t RelationNumbers::numberOf(const std::string &relation, ArcDirection direction) const
{
    const auto place = std::ranges::lower_bound(m_names, relation) - m_names.begin();
    return 2 * static_cast<std::size_t>(place) + (direction == ArcDirection::DependentToHead ? 0 : 1);
}

std::optional<TreeTemplate> treeTemplate(const SentenceTree &tree, const std::vector<int> &wordOfToken,
                                         const RelationNumbers &numbers)
{
    TreeTemplate result;
    result.wordOfToken = wordOfToken;
    result.pieces = piecesOfWords(wordOfToken, tree.size());
    const auto has = [&](int word) { return !result.pieces[static_cast<std::size_t>(word)].empty(); };
    for (int word = 0; word < static_cast<int>(tree.size()); ++word)
        ++(has(word) ? result.words : result.notAligned);
    if (result.words == 0)
        return {};
    std::map<std::pair<int, std::size_t>, std::vector<int>> dependents; // of a head, by relation
    for (int word = 0; word < static_cast<int>(tree.size()); ++word) {
        const TreeWord &dependent = tree[static_cast<std::size_t>(word)];
        if (dependent.head < 0 || !has(word) || !has(dependent.head))
            continue;
        result.instances.push_back(
            {numbers.numberOf(dependent.relation, ArcDirection::DependentToHead), word, {dependent.head}});
        dependents[{dependent.head, numbers.numberOf(dependent.relation, ArcDirection::HeadToDependent)}].push_back(
            word);
    }
    for (auto &[key, words] : dependents)
        result.instances.push_back({key.second, key.first, std::move(words)});
    return result;
}

} // namespace headscope

#include "core/metrics/chrf.h"

#include "core/metrics/metrictext.h"
#include "core/metrics/ngramtrie.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <vector>

namespace headscope {

namespace {

bool isAsciiPunctuation(char c)
{
    return (c >= '!' && c <= '/') || (c >= ':' && c <= '@') || (c >= '[' && c <= '`') || (c >= '{' && c <= '~');
}

bool isSingleCodePoint(std::string_view word)
{
    return std::count_if(word.begin(), word.end(),
                         [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; })
        <= 1;
}

/// Words with one punctuation sign split off, at the end or else at the start: chrF++'s rule.
std::vector<std::string_view> wordsOf(std::string_view text)
{
    std::vector<std::string_view> words;
    for (const std::string_view word : splitOnSpace(text)) {
        std::size_t cut = 0;
        if (!isSingleCodePoint(word))
            cut = isAsciiPunctuation(word.back()) ? word.size() - 1 : isAsciiPunctuation(word.front()) ? 1 : 0;
        if (cut > 0)
            words.push_back(word.substr(0, cut));
        words.push_back(word.substr(cut));
    }
    return words;
}

std::vector<std::uint32_t> charactersOf(std::string_view text, bool whitespace)
{
    auto characters = codePoints(text);
    if (!whitespace)
        std::erase_if(characters, isPythonSpace);
    return characters;
}

/// One of the alternatives.
struct Alternative
{
    NgramTrie characters;
    NgramTrie words;
    std::map<std::string, std::uint32_t, std::less<>> vocabulary;
    std::size_t characterCount = 0;
    std::size_t wordCount = 0;
};

struct ChrfReference final : PreparedReference
{
    std::vector<Alternative> alternatives;
};

/// Counts of one side's n-grams and matches, orders from 1 on.
void fill(std::span<double> out, std::span<const double> matches, std::size_t hypothesis, std::size_t reference)
{
    const auto ngrams = [](std::size_t length, std::size_t order) {
        return static_cast<double>(length > order ? length - order : 0);
    };
    for (std::size_t order = 0; order < matches.size(); ++order) {
        const double inReference = ngrams(reference, order);
        out[3 * order] = inReference > 0 ? ngrams(hypothesis, order) : 0;
        out[3 * order + 1] = inReference;
        out[3 * order + 2] = matches[order];
    }
}

} // namespace

ChrfMetric::ChrfMetric(ChrfOptions options, int references) : m_options(options), m_references(references) { }

std::string ChrfMetric::name() const
{
    return fmt::format("chrF{}{}", m_options.beta, std::string(static_cast<std::size_t>(m_options.wordOrder), '+'));
}

std::string ChrfMetric::signature() const
{
    return fmt::format("nrefs:{}|case:{}|eff:{}|nc:{}|nw:{}|space:{}|impl:headscope", m_references,
                       m_options.lowerCase ? "lc" : "mixed", m_options.epsilonSmoothing ? "no" : "yes",
                       m_options.characterOrder, m_options.wordOrder, m_options.whitespace ? "yes" : "no");
}

std::unique_ptr<PreparedReference> ChrfMetric::prepare(std::span<const std::string_view> references) const
{
    auto prepared = std::make_unique<ChrfReference>();
    for (const std::string_view reference : references) {
        const std::string text = m_options.lowerCase ? lowerCase(reference) : std::string(reference);
        Alternative alternative{NgramTrie(m_options.characterOrder), NgramTrie(m_options.wordOrder), {}, 0, 0};
        const auto characters = charactersOf(text, m_options.whitespace);
        alternative.characterCount = characters.size();
        alternative.characters.add(characters);
        if (m_options.wordOrder > 0) {
            std::vector<std::uint32_t> ids;
            for (const std::string_view word : wordsOf(text)) {
                const auto next = static_cast<std::uint32_t>(alternative.vocabulary.size());
                ids.push_back(alternative.vocabulary.try_emplace(std::string(word), next).first->second);
            }
            alternative.wordCount = ids.size();
            alternative.words.add(ids);
        }
        prepared->alternatives.push_back(std::move(alternative));
    }
    return prepared;
}

void ChrfMetric::statistics(std::string_view hypothesis, const PreparedReference &reference,
                            std::span<double> out) const
{
    const auto &alternatives = dynamic_cast<const ChrfReference &>(reference).alternatives;
    const std::string lowered = m_options.lowerCase ? lowerCase(hypothesis) : std::string();
    const std::string_view text = m_options.lowerCase ? std::string_view(lowered) : hypothesis;
    const auto characters = charactersOf(text, m_options.whitespace);
    const auto words = m_options.wordOrder > 0 ? wordsOf(text) : std::vector<std::string_view>();
    const auto characterOrders = static_cast<std::size_t>(m_options.characterOrder);

    std::vector<double> matches(orders());
    std::vector<double> candidate(statisticsSize());
    std::vector<std::uint32_t> ids(words.size());
    double best = -1;
    for (const Alternative &alternative : alternatives) {
        const std::span<double> all(matches);
        alternative.characters.match(characters, all.first(characterOrders));
        fill(candidate, all.first(characterOrders), characters.size(), alternative.characterCount);
        std::transform(words.begin(), words.end(), ids.begin(), [&](std::string_view word) {
            const auto found = alternative.vocabulary.find(word);
            return found == alternative.vocabulary.end() ? 0xffffffffU : found->second;
        });
        alternative.words.match(ids, all.subspan(characterOrders));
        fill(std::span(candidate).subspan(3 * characterOrders), all.subspan(characterOrders), words.size(),
             alternative.wordCount);
        const double candidateScore = score(candidate);
        if (candidateScore > best) {
            best = candidateScore;
            std::copy(candidate.begin(), candidate.end(), out.begin());
        }
    }
}

double ChrfMetric::score(std::span<const double> sums) const
{
    constexpr double kEpsilon = 1e-16;
    const double factor = m_options.beta * m_options.beta;
    double precision = 0;
    double recall = 0;
    double smoothed = 0;
    int effective = 0;
    for (std::size_t order = 0; order < orders(); ++order) {
        const double hypothesis = sums[3 * order];
        const double reference = sums[3 * order + 1];
        const double matches = sums[3 * order + 2];
        const double p = hypothesis > 0 ? matches / hypothesis : kEpsilon;
        const double r = reference > 0 ? matches / reference : kEpsilon;
        const double denominator = factor * p + r;
        smoothed += denominator > 0 ? (1 + factor) * p * r / denominator : kEpsilon;
        if (hypothesis > 0 && reference > 0) {
            precision += p;
            recall += r;
            ++effective;
        }
    }
    if (m_options.epsilonSmoothing)
        return 100 * smoothed / static_cast<double>(orders());
    if (effective == 0 || precision + recall == 0)
        return 0;
    precision /= effective;
    recall /= effective;
    return 100 * ((1 + factor) * precision * recall / (factor * precision + recall));
}

} // namespace headscope

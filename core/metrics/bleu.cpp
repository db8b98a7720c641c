#include "core/metrics/bleu.h"

#include "core/base/replaceall.h"
#include "core/metrics/metrictext.h"
#include "core/metrics/ngramtrie.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <unordered_map>
#include <utility>

namespace headscope {

namespace {

bool isDigit(char c)
{
    return c >= '0' && c <= '9';
}
bool isDotOrComma(char c)
{
    return c == '.' || c == ',';
}

/// Every ASCII sign but ' , - . (and no letter or digit). The blank is in sacreBLEU's class too: without effect.
bool isSeparated13a(char c)
{
    return (c >= '{' && c <= '~') || (c >= '[' && c <= '`') || (c >= '!' && c <= '&') || (c >= '(' && c <= '+')
        || (c >= ':' && c <= '@') || c == '/';
}

/// Replaces each match of two neighbours by three pieces; what a match used up serves no other match.
template<typename Matches>
std::string replacePairs(const std::string &text, Matches matches, std::string_view before, std::string_view between,
                         std::string_view after)
{
    std::string result;
    result.reserve(text.size() + 16);
    std::size_t i = 0;
    while (i < text.size()) {
        if (i + 1 < text.size() && matches(text[i], text[i + 1])) {
            result.append(before) += text[i];
            result.append(between) += text[i + 1];
            result.append(after);
            i += 2;
        } else {
            result += text[i++];
        }
    }
    return result;
}

/// Blanks around signs.
std::string separateSigns(std::string_view text)
{
    std::string result;
    result.reserve(text.size() + 32);
    for (const char c : text) {
        if (isSeparated13a(c))
            result.append({' ', c, ' '});
        else
            result += c;
    }
    return result;
}

std::string joined(const std::vector<std::string_view> &pieces)
{
    std::string result;
    for (const std::string_view piece : pieces) {
        if (!result.empty())
            result += ' ';
        result += piece;
    }
    return result;
}

/// A blank around every code point; blanks of the text itself vanish when the result is split.
std::string separateCodePoints(std::string_view text)
{
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (i > 0 && (static_cast<unsigned char>(text[i]) & 0xc0) != 0x80)
            result += ' ';
        result += text[i];
    }
    return result;
}

struct TextHash
{
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
};

class BleuReference final : public PreparedReference
{
public:
    explicit BleuReference(int maxOrder) : ngrams(maxOrder) { }

    void add(std::string_view tokenized)
    {
        std::vector<std::uint32_t> ids;
        for (const std::string_view token : splitOnSpace(tokenized)) {
            const auto next = static_cast<std::uint32_t>(m_vocabulary.size());
            ids.push_back(m_vocabulary.try_emplace(std::string(token), next).first->second);
        }
        ngrams.add(ids);
        m_lengths.push_back(static_cast<double>(ids.size()));
    }

    /// A token that no reference has gets an id that none of them has.
    std::vector<std::uint32_t> ids(std::string_view tokenized) const
    {
        std::vector<std::uint32_t> ids;
        for (const std::string_view token : splitOnSpace(tokenized)) {
            const auto found = m_vocabulary.find(token);
            ids.push_back(found == m_vocabulary.end() ? 0xffffffffU : found->second);
        }
        return ids;
    }

    double closestLength(double length) const
    {
        return *std::min_element(m_lengths.begin(), m_lengths.end(), [length](double a, double b) {
            const double distanceA = std::abs(a - length);
            const double distanceB = std::abs(b - length);
            return distanceA != distanceB ? distanceA < distanceB : a < b;
        });
    }

    NgramTrie ngrams;

private:
    std::unordered_map<std::string, std::uint32_t, TextHash, std::equal_to<>> m_vocabulary;
    std::vector<double> m_lengths;
};

double defaultSmoothingValue(BleuSmoothing smoothing)
{
    return smoothing == BleuSmoothing::Floor ? 0.1 : 1.0;
}

std::string smoothingName(const BleuOptions &options)
{
    switch (options.smoothing) {
    case BleuSmoothing::Exp:
        return "exp";
    case BleuSmoothing::Floor:
        return fmt::format("floor[{:.2f}]", options.smoothingValue);
    case BleuSmoothing::AddK:
        return fmt::format("add-k[{:.2f}]", options.smoothingValue);
    case BleuSmoothing::None:
        break;
    }
    return "none";
}

/// Characters that sacreBLEU takes for Chinese. Two of its ranges are written with five digits, which Python reads as
/// four digits and a letter: so they begin at U+2001 and U+2F81, and ideographs beyond U+FFFF are none.
bool isChinese(std::uint32_t code)
{
    static constexpr std::pair<std::uint32_t, std::uint32_t> kRanges[]
        = {{0x2001, 0x2A6D}, {0x2E80, 0x2EFF}, {0x2F00, 0x2FDF}, {0x2F81, 0x2FA1}, {0x2FF0, 0x2FFF},
           {0x3000, 0x303F}, {0x3100, 0x312F}, {0x31A0, 0x31BF}, {0x31C0, 0x31EF}, {0x3200, 0x32FF},
           {0x3300, 0x33FF}, {0x3400, 0x4DB5}, {0x4E00, 0x9FA5}, {0x9FA6, 0x9FBB}, {0xF900, 0xFA2D},
           {0xFA30, 0xFA6A}, {0xFA70, 0xFAD9}, {0xFE10, 0xFE1F}, {0xFE30, 0xFE4F}, {0xFF00, 0xFFEF}};
    return std::ranges::any_of(kRanges,
                               [code](const auto &range) { return code >= range.first && code <= range.second; });
}

/// The passes of 13a over what its entities were taken out of.
std::string separateWords(std::string text)
{
    text = replacePairs(
        text, [](char a, char b) { return !isDigit(a) && isDotOrComma(b); }, "", " ", " ");
    text = replacePairs(
        text, [](char a, char b) { return isDotOrComma(a) && !isDigit(b); }, " ", " ", "");
    text = replacePairs(
        text, [](char a, char b) { return isDigit(a) && b == '-'; }, "", " ", " ");
    return joined(splitOnSpace(text));
}

double brevityPenalty(double hypothesisLength, double referenceLength)
{
    if (hypothesisLength >= referenceLength)
        return 1;
    return hypothesisLength > 0 ? std::exp(1 - referenceLength / hypothesisLength) : 0;
}

/// sacreBLEU's logarithm: a precision of 0 makes the whole score 0 without an infinity in the sum.
double cautiousLog(double value)
{
    return value == 0 ? -9999999999.0 : std::log(value);
}

} // namespace

std::string tokenize13a(std::string_view line)
{
    std::string text(line);
    replaceAll(text, "<skipped>", "");
    replaceAll(text, "-\n", "");
    replaceAll(text, "\n", " ");
    if (text.find('&') != std::string::npos) {
        replaceAll(text, "&quot;", "\"");
        replaceAll(text, "&amp;", "&");
        replaceAll(text, "&lt;", "<");
        replaceAll(text, "&gt;", ">");
    }
    return separateWords(' ' + separateSigns(text) + ' ');
}

std::string tokenizeZh(std::string_view line)
{
    std::string text;
    const std::string stripped = joined(splitOnSpace(line)); // blanks inside come together in the end anyway
    for (std::size_t at = 0; at < stripped.size();) {
        std::size_t end = at + 1;
        while (end < stripped.size() && (static_cast<unsigned char>(stripped[end]) & 0xc0) == 0x80)
            ++end;
        const std::string_view character = std::string_view(stripped).substr(at, end - at);
        const auto codes = codePoints(character);
        if (codes.size() == 1 && isChinese(codes.front()))
            text.append(" ").append(character).append(" ");
        else
            text.append(character);
        at = end;
    }
    return separateWords(separateSigns(text));
}

std::string BleuDetails::text() const
{
    std::string precisionText;
    for (const double precision : precisions)
        precisionText += fmt::format("{}{:.1f}", precisionText.empty() ? "" : "/", precision);
    const double ratio = referenceLength > 0 ? hypothesisLength / referenceLength : 0;
    return fmt::format("BLEU = {:.2f} {} (BP = {:.3f} ratio = {:.3f} hyp_len = {:.0f} ref_len = {:.0f})", score,
                       precisionText, brevityPenalty, ratio, hypothesisLength, referenceLength);
}

BleuMetric::BleuMetric(BleuOptions options, int references) : m_options(std::move(options)), m_references(references)
{
    if (m_options.smoothingValue < 0)
        m_options.smoothingValue = defaultSmoothingValue(m_options.smoothing);
}

std::string BleuMetric::signature() const
{
    return fmt::format("nrefs:{}|case:{}|eff:{}|tok:{}|smooth:{}|impl:headscope", m_references,
                       m_options.lowerCase ? "lc" : "mixed", m_options.effectiveOrder ? "yes" : "no", tokenizerName(),
                       smoothingName(m_options));
}

std::string BleuMetric::tokenizerName() const
{
    switch (m_options.tokenizer) {
    case BleuTokenizer::V13a:
        return "13a";
    case BleuTokenizer::Char:
        return "char";
    case BleuTokenizer::Zh:
        return "zh";
    case BleuTokenizer::Pieces:
        return m_options.piecesName;
    case BleuTokenizer::None:
        break;
    }
    return "none";
}

std::string BleuMetric::tokenized(std::string_view text) const
{
    const std::string lowered = m_options.lowerCase ? lowerCase(text) : std::string();
    const std::string_view line = withoutTrailingSpace(m_options.lowerCase ? std::string_view(lowered) : text);
    switch (m_options.tokenizer) {
    case BleuTokenizer::V13a:
        return tokenize13a(line);
    case BleuTokenizer::Char:
        return separateCodePoints(line);
    case BleuTokenizer::Zh:
        return tokenizeZh(line);
    case BleuTokenizer::Pieces:
        return m_options.pieces(line);
    case BleuTokenizer::None:
        break;
    }
    return std::string(line);
}

std::unique_ptr<PreparedReference> BleuMetric::prepare(std::span<const std::string_view> references) const
{
    auto prepared = std::make_unique<BleuReference>(m_options.maxOrder);
    for (const std::string_view reference : references)
        prepared->add(tokenized(reference));
    return prepared;
}

void BleuMetric::statistics(std::string_view hypothesis, const PreparedReference &reference,
                            std::span<double> out) const
{
    const auto &prepared = dynamic_cast<const BleuReference &>(reference);
    const auto ids = prepared.ids(tokenized(hypothesis));
    const auto orders = static_cast<std::size_t>(m_options.maxOrder);
    const auto length = static_cast<double>(ids.size());
    out[0] = length;
    out[1] = prepared.closestLength(length);
    prepared.ngrams.match(ids, out.subspan(2, orders));
    for (std::size_t n = 0; n < orders; ++n)
        out[2 + orders + n] = std::max(0.0, length - static_cast<double>(n));
}

BleuDetails BleuMetric::details(std::span<const double> sums) const
{
    const auto orders = static_cast<std::size_t>(m_options.maxOrder);
    const auto correct = sums.subspan(2, orders);
    const auto total = sums.subspan(2 + orders, orders);
    BleuDetails details;
    details.precisions.assign(orders, 0);
    details.hypothesisLength = sums[0];
    details.referenceLength = sums[1];
    details.brevityPenalty = brevityPenalty(sums[0], sums[1]);
    // Without a single match no smoothing helps: sacreBLEU says 0.
    if (std::all_of(correct.begin(), correct.end(), [](double c) { return c == 0; }))
        return details;

    double smoothed = 1;
    std::size_t used = orders;
    for (std::size_t n = 0; n < orders; ++n) {
        const double added = m_options.smoothing == BleuSmoothing::AddK && n > 0 ? m_options.smoothingValue : 0;
        const double matches = correct[n] + added;
        const double ngrams = total[n] + added;
        if (ngrams == 0)
            break;
        if (m_options.effectiveOrder)
            used = n + 1;
        if (matches > 0) {
            details.precisions[n] = 100 * matches / ngrams;
        } else if (m_options.smoothing == BleuSmoothing::Exp) {
            smoothed *= 2;
            details.precisions[n] = 100 / (smoothed * ngrams);
        } else if (m_options.smoothing == BleuSmoothing::Floor) {
            details.precisions[n] = 100 * m_options.smoothingValue / ngrams;
        }
    }
    double logs = 0;
    for (std::size_t n = 0; n < used; ++n)
        logs += cautiousLog(details.precisions[n]);
    details.score = details.brevityPenalty * std::exp(logs / static_cast<double>(used));
    return details;
}

double sentenceBleu(std::string_view hypothesis, std::span<const std::string_view> references, BleuOptions options)
{
    const BleuMetric metric(options, static_cast<int>(references.size()));
    std::vector<double> statistics(metric.statisticsSize());
    metric.statistics(hypothesis, *metric.prepare(references), statistics);
    return metric.score(statistics);
}

} // namespace headscope

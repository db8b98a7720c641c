#include "core/roles/surface.h"

#include "core/roles/divergence.h"
#include "core/tokenize/pipeline/unicode.h"

#include <cmath>
#include <span>
#include <string_view>

namespace headscope {
namespace {

constexpr double kClarkSmoothing = 1e-4; ///< of rows before their entropy, in the authors' code
constexpr double kClarkDelimiters = 2;   ///< [SEP]s of an example, in the authors' code

std::optional<double> valueOf(const RunningMean &mean)
{
    return mean.count > 0 ? std::optional(mean.value()) : std::nullopt;
}

/// Special tokens in place of text: for words that the vocabulary lacks, or that are masked.
bool standsForText(const std::string &piece)
{
    return piece == "[UNK]" || piece == "<unk>" || piece == "[MASK]" || piece == "<mask>";
}

} // namespace

bool isPunctuationPiece(const std::string &piece, bool asClark)
{
    std::string_view rest = piece;
    for (const std::string_view mark : {"▁", "Ġ", "##"}) {
        if (rest.starts_with(mark) && rest.size() > mark.size())
            rest.remove_prefix(mark.size());
    }
    if (asClark)
        return rest == "." || rest == ",";
    for (std::size_t at = 0; at < rest.size();) {
        const pipeline::Char next = pipeline::charAt(rest, at);
        if (!pipeline::isPunctuation(next.code))
            return false;
        at += next.size;
    }
    return !rest.empty();
}

std::vector<TokenPart> tokenParts(const std::vector<std::int64_t> &ids, const std::vector<std::uint8_t> &real,
                                  const Tokenizer *tokenizer, bool asClark)
{
    std::vector<TokenPart> parts;
    for (std::size_t i = 0; i < ids.size(); ++i) {
        const std::string piece = tokenizer ? tokenizer->pieceText(ids[i]) : std::string();
        TokenPart part = isPunctuationPiece(piece, asClark) ? TokenPart::Punctuation : TokenPart::Word;
        if (!real[i])
            part = standsForText(piece) ? TokenPart::Word : i == 0 ? TokenPart::First : TokenPart::Delimiter;
        parts.push_back(part);
    }
    return parts;
}

SurfaceTemplate SurfaceTemplate::of(const AttentionTokens &tokens, const Tokenizer *tokenizer, bool asClark)
{
    SurfaceTemplate surface;
    surface.queries = tokenParts(tokens.queryIds, tokens.realQueries, tokenizer, asClark);
    surface.keys = tokenParts(tokens.keyIds, tokens.realKeys, tokenizer, asClark);
    surface.causal = tokens.kind == HeadKind::Decoder;
    surface.square = tokens.kind != HeadKind::Cross;
    return surface;
}

void SurfaceSums::addRow(std::int64_t query, const float *row, const SurfaceTemplate &example, Means &means)
{
    const std::int64_t keys = example.visibleKeys(query);
    const auto addMass = [&](Place place, double mass) { means[place].add({mass, 1}); };
    const auto addKey = [&](Place place, std::int64_t key) {
        if (example.square && key >= 0 && key < keys)
            addMass(place, static_cast<double>(row[key]));
    };
    addKey(Self, query);
    addKey(Previous, query - 1);
    addKey(Next, query + 1);
    std::array<RunningMean, 4> parts{}; // mass on the kinds of tokens, and how many keys are such
    for (std::int64_t key = 0; key < keys; ++key) {
        RunningMean &part = parts[static_cast<std::size_t>(example.keys[static_cast<std::size_t>(key)])];
        part.add({static_cast<double>(row[key]), 1});
    }
    const auto addPart = [&](Place place, TokenPart part) {
        if (const RunningMean &found = parts[static_cast<std::size_t>(part)]; found.count > 0)
            addMass(place, found.sum);
    };
    addPart(First, TokenPart::First);
    addPart(Delimiter, TokenPart::Delimiter);
    const bool isDelimiter = example.queries[static_cast<std::size_t>(query)] == TokenPart::Delimiter;
    addPart(isDelimiter ? DelimiterToDelimiter : OtherToDelimiter, TokenPart::Delimiter);
    addPart(Punctuation, TokenPart::Punctuation);
}

void SurfaceSums::add(const HeadAttention &attention, const SurfaceTemplate &example)
{
    const bool asClark = m_average == SurfaceAverage::Clark;
    const std::int64_t queries = std::ssize(example.queries);
    Means means{};
    RunningMean entropy;
    for (std::int64_t query = 0; query < queries; ++query) {
        const float *row = attention.row(query);
        addRow(query, row, example, means);
        const std::int64_t keys = example.visibleKeys(query);
        const double value = entropyOf(std::span(row, static_cast<std::size_t>(keys)), asClark ? kClarkSmoothing : 0);
        entropy.add({value, 1});
        if (keys > 1)
            m_normalizedEntropy.add({value / std::log(static_cast<double>(keys)), 1});
        if (query == 0 && example.queries.front() == TokenPart::First)
            m_firstEntropy.add({value, 1});
    }
    addMeans(means, queries);
    m_entropy.add(asClark ? RunningMean{entropy.value(), 1} : entropy);
    m_queries += queries;
}

void SurfaceSums::addMeans(const Means &means, std::int64_t queries)
{
    for (std::size_t place = 0; place < kPlaces; ++place) {
        if (m_average == SurfaceAverage::Tokens) {
            m_means[place].add(means[place]);
            continue;
        }
        // The authors' code divides by numbers of tokens, whether or not there is such a key.
        const double all = static_cast<double>(queries);
        const double by = place == DelimiterToDelimiter ? kClarkDelimiters
                        : place == OtherToDelimiter     ? all - kClarkDelimiters
                                                        : all;
        if (by > 0)
            m_means[place].add({means[place].sum / by, 1});
    }
}

void SurfaceSums::add(const SurfaceSums &other)
{
    for (std::size_t place = 0; place < kPlaces; ++place)
        m_means[place].add(other.m_means[place]);
    m_entropy.add(other.m_entropy);
    m_normalizedEntropy.add(other.m_normalizedEntropy);
    m_firstEntropy.add(other.m_firstEntropy);
    m_queries += other.m_queries;
}

HeadSurface SurfaceSums::surface(const HeadRef &head) const
{
    HeadSurface surface;
    surface.head = head;
    surface.self = valueOf(m_means[Self]);
    surface.previous = valueOf(m_means[Previous]);
    surface.next = valueOf(m_means[Next]);
    surface.first = valueOf(m_means[First]);
    surface.delimiter = valueOf(m_means[Delimiter]);
    surface.delimiterToDelimiter = valueOf(m_means[DelimiterToDelimiter]);
    surface.otherToDelimiter = valueOf(m_means[OtherToDelimiter]);
    surface.punctuation = valueOf(m_means[Punctuation]);
    surface.entropy = m_entropy.value();
    surface.normalizedEntropy = m_normalizedEntropy.value();
    surface.firstEntropy = valueOf(m_firstEntropy);
    surface.queries = m_queries;
    surface.behaviour = behaviourOf(surface);
    return surface;
}

} // namespace headscope

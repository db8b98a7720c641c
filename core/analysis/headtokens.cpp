#include "core/analysis/headtokensspec.h"

#include "core/analysis/input.h"

#include "core/sharing/circuits.h"
#include "core/sharing/tokentable.h"
#include "core/tensor/indextensor.h"

#include <ATen/core/grad_mode.h>
#include <torch/types.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

namespace headscope {
namespace {

constexpr std::int64_t kNoToken = -1;

TokenSide querySide(HeadKind kind)
{
    return kind == HeadKind::Encoder ? TokenSide::Encoder : TokenSide::Decoder;
}
TokenSide keySide(HeadKind kind)
{
    return kind == HeadKind::Decoder ? TokenSide::Decoder : TokenSide::Encoder;
}

/// Tables that directions are multiplied with: embeddings of a side, or the output matrix.
enum class ScannedTable { Encoder, Decoder, Output };
constexpr std::size_t kTables = 3;
ScannedTable inputOf(TokenSide side)
{
    return side == TokenSide::Encoder ? ScannedTable::Encoder : ScannedTable::Decoder;
}

/// A direction whose tokens are looked for, and where they go.
struct AskedDirection
{
    torch::Tensor direction; ///< [D], float64
    TokenExtremes *tokens = nullptr;
    TokenEffect *effect = nullptr; ///< whose rank is found; null: none
};
using Asked = std::array<std::vector<AskedDirection>, kTables>;
/// Those that the model has.
using TokenTables = std::array<std::optional<TokenTable>, kTables>;

/// Tokens of the vocabularies of a model.
class Tokens
{
public:
    Tokens(const TransformerSpec &spec, const Tokenizer *tokenizer) : m_spec(spec), m_tokenizer(tokenizer) { }

    /// Encoder and decoder have one vocabulary, or there is but one stack.
    bool areShared() const { return !m_spec.isEncoderDecoder() || m_spec.sharedEmbedding; }

    std::string text(TokenSide side, std::int64_t id) const
    {
        const bool isKnown = m_tokenizer && (side == sideOfPieces() || areShared());
        const std::string piece = isKnown ? m_tokenizer->pieceText(id) : std::string();
        return piece.empty() ? std::to_string(id) : piece;
    }

    /// Throws Failure: there is no tokenizer, or the model has no such token.
    std::vector<NamedToken> asked(const HeadTokensSpec &spec) const
    {
        std::vector<NamedToken> tokens;
        for (const Side side : kBothSides) {
            if (!m_spec.stack(side))
                continue;
            const TokenSide of = side == Side::Encoder ? TokenSide::Encoder : TokenSide::Decoder;
            for (const std::int64_t id : idsOf(spec, side)) {
                if (id >= m_spec.stack(side)->vocabulary)
                    throw Failure(usageError("--token-id: the model has tokens 0 to "
                                             + std::to_string(m_spec.stack(side)->vocabulary - 1) + "."));
                tokens.push_back({of, id, text(of, id)});
            }
        }
        return tokens;
    }

private:
    TokenSide sideOfPieces() const { return m_spec.decoder ? TokenSide::Decoder : TokenSide::Encoder; }

    std::vector<std::int64_t> idsOf(const HeadTokensSpec &spec, Side side) const
    {
        if (spec.tokenId)
            return {*spec.tokenId};
        if (spec.token.empty())
            return {};
        if (!m_tokenizer)
            throw Failure(usageError("--token: the model folder has no tokenizer. Name the token by --token-id."));
        const bool isTarget = side == Side::Decoder && m_spec.isEncoderDecoder();
        const Encoding encoding
            = (isTarget ? m_tokenizer->encodeTarget(spec.token) : m_tokenizer->encodeSource(spec.token)).valueOrThrow();
        std::vector<std::int64_t> ids;
        for (std::size_t i = 0; i < encoding.ids.size(); ++i) {
            if (encoding.words[i] >= 0)
                ids.push_back(encoding.ids[i]);
        }
        constexpr std::size_t kMostTokens = 16;
        if (ids.empty() || ids.size() > kMostTokens)
            throw Failure(usageError("--token: the text has " + std::to_string(ids.size())
                                     + " tokens; 1 to 16 can be looked at."));
        return ids;
    }

    const TransformerSpec &m_spec;
    const Tokenizer *m_tokenizer;
};

/// The heads of one attention that are asked for: what their maps give for tokens, and their singular directions.
class HeadsOfPlace
{
public:
    HeadsOfPlace(const Transformer &model, const HeadTokensSpec &spec, const std::vector<NamedToken> &tokens,
                 HeadTokens *first, std::int64_t count)
        : m_model(model), m_spec(spec), m_tokens(tokens), m_heads(first), m_count(count), m_kind(first->head.kind)
    {
    }

    Asked ask(const Tokens &vocabulary, const TokenTables &tables)
    {
        const HeadCircuits all = headCircuits(m_model, m_kind, m_heads->head.layer);
        std::vector<std::int64_t> places;
        for (std::int64_t h = 0; h < m_count; ++h)
            places.push_back(std::ranges::find(all.heads, m_heads[h].head.head) - all.heads.begin());
        const auto chosen = [index = indexTensor(places, torch::kCPU)](const torch::Tensor &maps) {
            return maps.index_select(0, index);
        };
        const auto query = chosen(all.query), key = chosen(all.key), value = chosen(all.value), out = chosen(all.out);
        m_saysTokens
            = tables[static_cast<std::size_t>(ScannedTable::Output)].has_value() && m_kind != HeadKind::Encoder;
        askEffects(tables, vocabulary, query, key, value, out);
        if (m_spec.directions > 0) {
            const ScannedTable keys = inputOf(keySide(m_kind));
            askDirections(singularFactors(out, value), &HeadTokens::ov, keys,
                          m_saysTokens ? std::optional(ScannedTable::Output) : std::nullopt, /*readsRight=*/true);
            askDirections(singularFactors(query.transpose(1, 2), key), &HeadTokens::qk, inputOf(querySide(m_kind)),
                          keys, /*readsRight=*/false);
        }
        return std::move(m_asked);
    }

private:
    void add(ScannedTable table, const torch::Tensor &direction, TokenExtremes &tokens, TokenEffect *effect = nullptr)
    {
        m_asked[static_cast<std::size_t>(table)].push_back({direction, &tokens, effect});
    }

    void askEffects(const TokenTables &tables, const Tokens &vocabulary, const torch::Tensor &query,
                    const torch::Tensor &key, const torch::Tensor &value, const torch::Tensor &out)
    {
        const TokenSide queries = querySide(m_kind), keys = keySide(m_kind);
        const bool isOneVocabulary = m_kind != HeadKind::Cross || vocabulary.areShared();
        const auto embedding
            = [&](TokenSide side, std::int64_t id) { return tables[static_cast<std::size_t>(inputOf(side))]->row(id); };
        for (std::int64_t h = 0; h < m_count; ++h) { // places of effects are asked for by address
            const auto of = [&](TokenSide side) { return std::ranges::count(m_tokens, side, &NamedToken::side); };
            m_heads[h].writes.resize(static_cast<std::size_t>(m_saysTokens ? of(keys) : 0));
            m_heads[h].matches.resize(static_cast<std::size_t>(of(queries)));
        }
        std::size_t written = 0, matched = 0;
        for (const NamedToken &token : m_tokens) {
            if (m_saysTokens && token.side == keys) {
                const auto e = embedding(keys, token.id);
                addEffects(torch::matmul(out, torch::matmul(value, e).unsqueeze(2)).squeeze(2), &HeadTokens::writes,
                           written++, token.id, ScannedTable::Output, isOneVocabulary);
            }
            if (token.side == queries) {
                const auto e = embedding(queries, token.id);
                addEffects(torch::matmul(key.transpose(1, 2), torch::matmul(query, e).unsqueeze(2)).squeeze(2),
                           &HeadTokens::matches, matched++, token.id, inputOf(keys), isOneVocabulary);
            }
        }
    }

    /// `directions` [H, D].
    void addEffects(const torch::Tensor &directions, std::vector<TokenEffect> HeadTokens::*effects, std::size_t place,
                    std::int64_t id, ScannedTable table, bool isRanked)
    {
        for (std::int64_t h = 0; h < m_count; ++h) {
            TokenEffect &effect = (m_heads[h].*effects)[place];
            effect.id = id;
            add(table, directions[h], effect.tokens, isRanked ? &effect : nullptr);
        }
    }

    /// `readsRight`: rows of `right` are what it reads (OV), else columns of `left` (QK's queries).
    void askDirections(const SingularFactors &factors, std::vector<DirectionTokens> HeadTokens::*directions,
                       ScannedTable from, std::optional<ScannedTable> to, bool readsRight)
    {
        constexpr double kRounding = 1e-6; // of weights in files, relative to the largest value
        for (std::int64_t h = 0; h < m_count; ++h) {
            const auto values = factors.values[h].contiguous();
            std::vector<DirectionTokens> &found = m_heads[h].*directions;
            const std::int64_t most = std::min(m_spec.directions, values.size(0));
            for (std::int64_t i = 0; i < most; ++i) {
                const double value = values[i].item<double>();
                if (value > kRounding * values[0].item<double>())
                    found.push_back({.value = value});
            }
            for (std::size_t i = 0; i < found.size(); ++i) {
                const auto at = static_cast<std::int64_t>(i);
                const auto left = factors.left[h].select(1, at), right = factors.right[h][at];
                add(from, readsRight ? right : left, found[i].from);
                if (to)
                    add(*to, readsRight ? left : right, found[i].to);
            }
        }
    }

    const Transformer &m_model;
    const HeadTokensSpec &m_spec;
    const std::vector<NamedToken> &m_tokens;
    HeadTokens *m_heads;
    std::int64_t m_count;
    HeadKind m_kind;
    bool m_saysTokens = false;
    Asked m_asked;
};

/// Singular vectors have no sign: that is taken by which the furthest token at the end is a highest one.
void turn(DirectionTokens &direction)
{
    const auto isLow = [](const TokenExtremes &tokens) {
        return !tokens.lowest.empty()
            && (tokens.highest.empty() || -tokens.lowest.front().value > tokens.highest.front().value);
    };
    const bool hasEnd = !direction.to.highest.empty() || !direction.to.lowest.empty();
    if (!isLow(hasEnd ? direction.to : direction.from))
        return;
    for (TokenExtremes *end : {&direction.from, &direction.to}) {
        std::swap(end->highest, end->lowest);
        for (std::vector<RankedToken> *tokens : {&end->highest, &end->lowest}) {
            for (RankedToken &token : *tokens)
                token.value = -token.value;
        }
    }
}

/// Products of float32: more digits would be none.
double rounded(double value)
{
    constexpr double kDigits = 6;
    if (value == 0)
        return 0;
    const double places = kDigits - 1 - std::floor(std::log10(std::abs(value)));
    const double factor = std::pow(10, std::clamp(places, 0.0, 300.0));
    return std::round(value * factor) / factor;
}

/// Scans of a table for all that is asked for.
class TableScans
{
public:
    TableScans(const Tokens &vocabulary, std::int64_t most, const Execution &execution, const JobControl &control)
        : m_vocabulary(vocabulary), m_most(most), m_execution(execution), m_control(control)
    {
    }

    void run(const TokenTable &table, TokenSide side, const std::vector<AskedDirection> &asked) const
    {
        if (asked.empty())
            return;
        std::vector<torch::Tensor> directions;
        std::vector<std::int64_t> own;
        for (const AskedDirection &one : asked) {
            directions.push_back(one.direction);
            own.push_back(one.effect ? one.effect->id : kNoToken);
        }
        const auto scans
            = table.scan(torch::stack(directions), own, m_most, m_execution, [&](std::int64_t done, std::int64_t all) {
                  m_control.checkpoint();
                  m_control.progress({kPhaseHeadTokens, "parts", done, all});
              });
        for (std::size_t i = 0; i < asked.size(); ++i) {
            const TokenScan &scan = scans[i];
            asked[i].tokens->highest = named(side, scan.highest);
            asked[i].tokens->lowest = named(side, scan.lowest);
            const bool says = !scan.highest.empty() || !scan.lowest.empty();
            if (asked[i].effect && says)
                asked[i].effect->rank = scan.above + 1;
        }
    }

private:
    std::vector<RankedToken> named(TokenSide side, const std::vector<TokenScan::Product> &products) const
    {
        std::vector<RankedToken> tokens;
        for (const TokenScan::Product &product : products)
            tokens.push_back({product.id, m_vocabulary.text(side, product.id), rounded(product.value)});
        return tokens;
    }

    const Tokens &m_vocabulary;
    std::int64_t m_most;
    const Execution &m_execution;
    const JobControl &m_control;
};

std::vector<HeadTokens> headsFor(const HeadTokensSpec &spec, const HeadLayout &layout)
{
    const HeadMask asked = parseHeadMask(spec.heads).valueOrThrow();
    for (const HeadRef &head : asked) {
        if (!layout.contains(head))
            throw Failure(usageError("--heads: the model has no head " + toText(head) + "."));
    }
    std::vector<HeadTokens> heads;
    for (const HeadRef &head : layout.heads()) {
        if (asked.empty() || asked.isMasked(head))
            heads.push_back({.head = head});
    }
    return heads;
}

TokenTables tablesOf(const Transformer &model)
{
    TokenTables tables;
    for (const Side side : kBothSides) {
        if (model.spec().stack(side))
            tables[static_cast<std::size_t>(side)] = TokenTable::ofInput(model, side);
    }
    if (model.spec().saysTokens())
        tables[static_cast<std::size_t>(ScannedTable::Output)] = TokenTable::ofOutput(model);
    return tables;
}

/// The result's heads, layer by layer. Keeps pointers to them.
std::vector<HeadsOfPlace> placesOf(const Transformer &model, const HeadTokensSpec &spec, HeadTokensResult &result)
{
    std::vector<HeadsOfPlace> places;
    for (std::size_t begin = 0; begin < result.heads.size();) {
        const HeadRef &head = result.heads[begin].head;
        std::size_t end = begin;
        while (end < result.heads.size() && result.heads[end].head.kind == head.kind
               && result.heads[end].head.layer == head.layer)
            ++end;
        places.emplace_back(model, spec, result.tokens, &result.heads[begin], static_cast<std::int64_t>(end - begin));
        begin = end;
    }
    return places;
}

} // namespace

void AnalysisOf<HeadTokensSpec>::check(const HeadTokensSpec &spec)
{
    if (spec.token.empty() && !spec.tokenId && spec.directions == 0)
        throw Failure(usageError("There is nothing to look for: name a token by --token or --token-id, or ask for "
                                 "--directions."));
    if (!spec.token.empty() && spec.tokenId)
        throw Failure(usageError("--token and --token-id name one token: give one of them."));
}

HeadTokensResult AnalysisOf<HeadTokensSpec>::compute(const HeadTokensSpec &spec, AnalysisInput &input,
                                                     Manifest manifest, const JobControl &control,
                                                     const Publish<HeadTokensResult> &)
{
    const torch::NoGradGuard noGrad;
    const Transformer &model = input.model();
    const Tokens vocabulary(model.spec(), input.tokenizer());
    HeadTokensResult result;
    result.manifest = std::move(manifest);
    result.tokens = vocabulary.asked(spec);
    result.heads = headsFor(spec, model.layout());
    for (const HeadTokens &head : result.heads)
        result.rotary = result.rotary || model.spec().attention(head.head.kind, head.head.layer).rotary.has_value();

    const TokenTables tables = tablesOf(model);
    std::vector<HeadsOfPlace> places = placesOf(model, spec, result);
    std::vector<Asked> asked(places.size());
    std::atomic<std::int64_t> done = 0;
    input.execution().parallelFor(std::ssize(places), [&](std::int64_t i) {
        const torch::NoGradGuard inLoop;
        control.checkpoint();
        asked[static_cast<std::size_t>(i)] = places[static_cast<std::size_t>(i)].ask(vocabulary, tables);
        control.progress({kPhaseHeadTokens, "layers", ++done, std::ssize(places)});
    });
    const TableScans scans(vocabulary, spec.top, input.execution(), control);
    for (std::size_t table = 0; table < kTables; ++table) {
        std::vector<AskedDirection> ofTable;
        for (Asked &ofPlace : asked)
            std::ranges::move(ofPlace[table], std::back_inserter(ofTable));
        if (tables[table])
            scans.run(*tables[table], table == 0 ? TokenSide::Encoder : TokenSide::Decoder, ofTable);
    }
    for (HeadTokens &head : result.heads) {
        std::ranges::for_each(head.ov, turn);
        std::ranges::for_each(head.qk, turn);
    }
    return result;
}

} // namespace headscope

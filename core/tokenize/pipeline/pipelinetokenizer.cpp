#include "core/tokenize/pipeline/pipelinetokenizer.h"

#include "core/formats/utf8.h"
#include "core/tokenize/cleanup.h"
#include "core/tokenize/pipeline/bytechars.h"
#include "core/tokenize/pipeline/truncation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

namespace headscope::pipeline {
namespace {

/// Blanks at the ends of a piece, which trimming takes off its place.
struct Blanks
{
    std::size_t leading = 0;
    std::size_t trailing = 0;
    bool areAll = false; ///< of the piece
    bool areRaw = false; ///< white space of added tokens; in other pieces Ġ stands for a blank and nothing else
};

/// A piece and its place in the text.
struct Placed
{
    std::int64_t id = 0;
    int word = 0;
    TextSpan span;
    Blanks blanks;
    bool isUnknown = false;
};

using Pieces = std::vector<Placed>;

Blanks blanksOf(std::string_view piece)
{
    Blanks blanks;
    const auto isBlank = [&blanks](char32_t code) {
        blanks.areRaw = blanks.areRaw || isWhiteSpace(code);
        return code == charOfByte(' ') || isWhiteSpace(code);
    };
    std::size_t at = 0;
    for (; at < piece.size() && isBlank(charAt(piece, at).code); at += charAt(piece, at).size)
        ++blanks.leading;
    blanks.areAll = at > 0 && at == piece.size();
    for (std::size_t end = piece.size(); end > 0 && isBlank(charBefore(piece, end).code);
         end -= charBefore(piece, end).size)
        ++blanks.trailing;
    return blanks;
}

/// Without its blanks. Where a blank was put before the text (`isPrefixed`), the first piece keeps the text's own,
/// as in the original library; after an added token, unlike there, no character is lost to a blank that was put in.
TextSpan trimmedSpan(const Placed &piece, std::string_view text, bool isFirst, bool isPrefixed)
{
    TextSpan span = piece.span;
    auto [leading, trailing, areAll, areRaw] = piece.blanks;
    const auto isBlank = [isRaw = areRaw](char32_t code) { return isRaw ? isWhiteSpace(code) : code == U' '; };
    if (areAll && span.begin < span.end && !isBlank(charAt(text, span.begin).code))
        return {span.begin, span.begin};
    if (leading > 0 && isPrefixed && (isFirst || span.begin == 0))
        --leading;
    for (; leading > 0 && span.begin < span.end && isBlank(charAt(text, span.begin).code); --leading)
        span.begin += charAt(text, span.begin).size;
    for (; trailing > 0 && span.end > span.begin && isBlank(charBefore(text, span.end).code); --trailing)
        span.end -= charBefore(text, span.end).size;
    return span;
}

class PipelineTokenizer final : public Tokenizer
{
public:
    explicit PipelineTokenizer(Components components) : m(std::move(components)), m_size(m.model->vocabulary().size())
    {
        for (const PostProcessor *post : std::array<const PostProcessor *, 2>{&m.postProcessor, &targetPostProcessor()})
            for (const PostProcessor::Item &item : post->layout(true))
                m_size = std::max(m_size, item.id + 1);
        m_needed = m_size;
        if (!m.added.all().empty())
            m_size = std::max(m_size, m.added.all().rbegin()->first + 1);
    }

    Result<Encoding> encodeSource(std::string_view text) const override
    {
        return encodePair(text, std::nullopt, std::numeric_limits<std::size_t>::max());
    }

    Result<Encoding> encodeTarget(std::string_view text) const override
    {
        if (const auto chosen = m.languages.requireTarget(); !chosen.isOk())
            return chosen.error();
        return encode(targetPostProcessor(), text, std::nullopt, std::numeric_limits<std::size_t>::max());
    }

    Result<Encoding> encodePair(std::string_view text, std::optional<std::string_view> pair,
                                std::size_t longest) const override
    {
        if (const auto chosen = m.languages.requireSource(); !chosen.isOk())
            return chosen.error();
        return encode(m.postProcessor, text, pair, longest);
    }

    std::string decode(std::span<const std::int64_t> ids) const override
    {
        std::vector<std::string> pieces;
        for (const std::int64_t id : ids) {
            std::string piece = isSpecial(id) ? std::string() : pieceText(id);
            if (!piece.empty())
                pieces.push_back(std::move(piece));
        }
        std::string text;
        for (const std::string &piece : m.decoder->decode(std::move(pieces)))
            text += piece;
        return m.cleansUp ? cleanUpTokenization(std::move(text)) : text;
    }

    std::string pieceText(std::int64_t id) const override
    {
        const AddedToken *added = m.added.token(id);
        return added ? added->content : m.model->vocabulary().piece(id);
    }

    bool isSpecial(std::int64_t id) const override
    {
        const AddedToken *added = m.added.token(id);
        return added && added->isSpecial;
    }

    std::int64_t vocabularySize() const override { return m_size; }
    std::int64_t neededVocabulary() const override { return m_needed; }
    const Languages &languages() const override { return m.languages; }

    std::string description() const override
    {
        return fmt::format("{}, vocabulary of {}", m.model->name(), vocabularySize());
    }

private:
    /// A text, as an encoding counts it.
    struct Segment
    {
        std::string_view text;
        int number = 0;
        std::int64_t typeId = 0;
    };

    const PostProcessor &targetPostProcessor() const
    {
        return m.targetPostProcessor ? *m.targetPostProcessor : m.postProcessor;
    }

    Result<Encoding> encode(const PostProcessor &post, std::string_view text, std::optional<std::string_view> pair,
                            std::size_t longest) const
    {
        for (const std::string_view part : {text, pair.value_or("")})
            if (const auto at = firstInvalidUtf8(part))
                return badInput(fmt::format("the text is not UTF-8 at byte {}", *at));
        const std::size_t special = post.specialTokens(pair.has_value());
        if (longest < special)
            return usageError(fmt::format("a length of {} has no room for the {} special tokens", longest, special));
        try {
            Pieces first = encodeText(text);
            Pieces second = pair ? encodeText(*pair) : Pieces{};
            const auto [firstKept, secondKept] = truncatedLengths(first.size(), second.size(), longest - special);
            Encoding encoding;
            encoding.cut = firstKept < first.size() || secondKept < second.size();
            first.resize(firstKept);
            second.resize(secondKept);
            for (const PostProcessor::Item &item : post.layout(pair.has_value())) {
                if (item.kind == PostProcessor::Item::Kind::Special)
                    addSpecial(item, encoding);
                else if (item.kind == PostProcessor::Item::Kind::First)
                    addPieces(post, first, {text, 0, item.typeId}, encoding);
                else
                    addPieces(post, second, {*pair, 1, item.typeId}, encoding);
            }
            const auto beyond = std::ranges::find_if(encoding.ids, [&](std::int64_t id) { return id >= rows(); });
            if (beyond != encoding.ids.end())
                return badInput(fmt::format("the text has the token \"{}\", whose id {} is none of the {} rows of the "
                                            "model's embedding",
                                            pieceText(*beyond), *beyond, rows()));
            return encoding;
        } catch (const Failure &failure) {
            return failure.error();
        }
    }

    Pieces encodeText(std::string_view text) const
    {
        Pieces pieces;
        int words = 0;
        forEachStretch(AlignedText(text), false, pieces, words, [&](AlignedText raw) {
            if (m.normalizer)
                m.normalizer->apply(raw);
            forEachStretch(std::move(raw), true, pieces, words,
                           [&](AlignedText normalized) { addWords(std::move(normalized), pieces, words); });
        });
        return pieces;
    }

    /// Puts the added tokens that the text has among the pieces and gives the rest to `handle`, in order.
    template<typename Handle>
    void forEachStretch(AlignedText text, bool isNormalized, Pieces &pieces, int &words, Handle handle) const
    {
        const auto found = m.added.find(text.text(), isNormalized);
        if (found.size() == 1 && found.front().id < 0)
            return handle(std::move(text));
        for (const AddedTokens::Found &stretch : found) {
            AlignedText part = text.slice(stretch.begin, stretch.end);
            if (stretch.id < 0)
                handle(std::move(part));
            else
                addPiece({stretch.id, 0, part.text().size(), false}, part, part.text(), words++, pieces);
        }
    }

    void addWords(AlignedText text, Pieces &pieces, int &words) const
    {
        std::vector<AlignedText> parts;
        parts.push_back(std::move(text));
        if (m.preTokenizer)
            parts = m.preTokenizer->split(std::move(parts));
        std::vector<Token> tokens;
        for (const AlignedText &word : parts) {
            tokens.clear();
            m.model->tokenize(word.text(), tokens);
            for (const Token &token : tokens)
                addPiece(token, word, m.model->vocabulary().piece(token.id), words, pieces);
            ++words;
        }
    }

    void addPiece(const Token &token, const AlignedText &word, std::string_view spelling, int number,
                  Pieces &pieces) const
    {
        Placed piece{token.id, number, word.original(token.begin, token.end), {}, token.isUnknown};
        if (m.postProcessor.trimsSpans())
            piece.blanks = blanksOf(spelling);
        pieces.push_back(piece);
    }

    void addPieces(const PostProcessor &post, const Pieces &pieces, const Segment &segment, Encoding &encoding) const
    {
        const std::string_view text = segment.text;
        for (const Placed &piece : pieces) {
            const std::string_view own = text.substr(piece.span.begin, piece.span.end - piece.span.begin);
            encoding.ids.push_back(piece.id);
            encoding.pieces.push_back(piece.isUnknown && !own.empty() ? std::string(own) : shown(pieceText(piece.id)));
            encoding.words.push_back(piece.word);
            encoding.typeIds.push_back(segment.typeId);
            encoding.segments.push_back(segment.number);
            const bool isFirst = &piece == &pieces.front();
            encoding.spans.push_back(post.trimsSpans() ? trimmedSpan(piece, text, isFirst, post.hasPrefixSpace())
                                                       : piece.span);
        }
    }

    /// A byte-level piece as the characters it stands for, "Ġcafé", where these can be shown.
    std::string shown(std::string piece) const
    {
        if (!m.decoder->spellsBytes())
            return piece;
        constexpr std::string_view kBlank = "\u0120";
        const std::string_view mark = piece.starts_with(kBlank) ? kBlank : std::string_view();
        const std::string bytes = bytesOfPiece(std::string_view(piece).substr(mark.size()));
        const bool isControl = std::ranges::any_of(bytes, [](char c) { return c >= 0 && c < ' '; });
        return isControl || firstInvalidUtf8(bytes) ? piece : std::string(mark) + bytes;
    }

    static void addSpecial(const PostProcessor::Item &item, Encoding &encoding)
    {
        encoding.ids.push_back(item.id);
        encoding.pieces.push_back(item.content);
        encoding.words.push_back(-1);
        encoding.typeIds.push_back(item.typeId);
        encoding.segments.push_back(-1);
        encoding.spans.push_back({});
    }

    Components m;
    std::int64_t m_size;
    std::int64_t m_needed = 0;
};

} // namespace

PostProcessor::Item Components::special(const std::string &token, std::int64_t typeId) const
{
    std::int64_t id = model->vocabulary().find(token);
    for (const auto &[addedId, addedToken] : added.all())
        if (addedToken.content == token)
            id = addedId;
    if (id < 0)
        throw Failure(badInput(fmt::format("the tokenizer's files lack the special token \"{}\"", token)));
    return {PostProcessor::Item::Kind::Special, typeId, id, token};
}

std::unique_ptr<Tokenizer> makePipelineTokenizer(Components components)
{
    return std::make_unique<PipelineTokenizer>(std::move(components));
}

} // namespace headscope::pipeline

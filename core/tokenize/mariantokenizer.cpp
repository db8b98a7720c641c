#include "core/tokenize/mariantokenizer.h"

#include "core/formats/jsonfile.h"
#include "core/formats/utf8.h"
#include "core/tokenize/cleanup.h"
#include "core/tokenize/sentencepiece.h"
#include "core/tokenize/vocabulary.h"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace headscope {
namespace {

constexpr std::string_view kWordStart = "\u2581";

Result<Vocabulary> loadVocabulary(const std::filesystem::path &path)
{
    const auto json = readJsonFile(path);
    if (!json.isOk())
        return json.error();
    if (!json.value().is_object() || json.value().empty())
        return badInput(path.string() + " must hold a JSON object from pieces to ids");
    Vocabulary vocabulary;
    for (const auto &[piece, id] : json.value().items()) {
        if (!id.is_number_unsigned() || id.get<std::uint64_t>() > static_cast<std::uint64_t>(kLargestTokenId))
            return badInput(fmt::format("{}: the id of \"{}\" is not a whole number from 0 to {}", path.string(), piece,
                                        kLargestTokenId));
        if (vocabulary.add(piece, id.get<std::int64_t>()) != Vocabulary::Added::Yes)
            return badInput(fmt::format("{}: the id {} is given to two pieces", path.string(), id.dump()));
    }
    return vocabulary;
}

struct SpecialTokens
{
    std::string eos, unk, pad;
    std::array<const std::string *, 3> all() const { return {&eos, &unk, &pad}; }
};

/// One language side: its pieces and their ids.
struct Side
{
    SentencePiece model;
    Vocabulary vocabulary;
    std::int64_t eos = 0;
    std::int64_t unk = 0;
    std::int64_t pad = 0;
};

Result<Side> openSide(const std::filesystem::path &model, const std::filesystem::path &vocabulary,
                      const SpecialTokens &special)
{
    auto pieces = SentencePiece::load(model);
    if (!pieces.isOk())
        return pieces.error();
    auto ids = loadVocabulary(vocabulary);
    if (!ids.isOk())
        return ids.error();
    for (const std::string *token : special.all())
        if (token->empty() || ids.value().find(*token) < 0)
            return badInput(fmt::format("{} lacks the special token \"{}\"", vocabulary.string(), *token));
    const Vocabulary &known = ids.value();
    const std::int64_t eos = known.find(special.eos);
    const std::int64_t unk = known.find(special.unk);
    const std::int64_t pad = known.find(special.pad);
    return Side{std::move(pieces).value(), std::move(ids).value(), eos, unk, pad};
}

/// Length of ">>code<<" at the start of a text for a model with several target languages; 0 when there is none.
std::size_t languageCodeLength(std::string_view text)
{
    if (!text.starts_with(">>"))
        return 0;
    const std::size_t end = text.find_first_of("<>", 2);
    return end != std::string_view::npos && end > 2 && text.substr(end).starts_with("<<") ? end + 2 : 0;
}

class MarianTokenizer final : public Tokenizer
{
public:
    MarianTokenizer(Side source, Side target, SpecialTokens special, bool cleanUp)
        : m_source(std::move(source)), m_target(std::move(target)), m_special(std::move(special)), m_cleanUp(cleanUp)
    {
    }

    Result<Encoding> encodeSource(std::string_view text) const override { return encode(m_source, text); }
    Result<Encoding> encodeTarget(std::string_view text) const override { return encode(m_target, text); }

    std::string decode(std::span<const std::int64_t> ids) const override
    {
        std::vector<std::string> pieces;
        for (const std::int64_t id : ids) {
            std::string piece = isSpecial(id) ? std::string() : pieceText(id);
            if (!piece.empty())
                pieces.push_back(std::move(piece));
        }
        std::string text(trimmed(m_target.model.decode(pieces)));
        return m_cleanUp ? cleanUpTokenization(std::move(text)) : text;
    }

    std::string pieceText(std::int64_t id) const override { return m_target.vocabulary.piece(id); }
    bool isSpecial(std::int64_t id) const override
    {
        return id == m_target.eos || id == m_target.unk || id == m_target.pad;
    }
    std::int64_t vocabularySize() const override { return m_source.vocabulary.size(); }
    std::int64_t targetVocabularySize() const override { return m_target.vocabulary.size(); }

    std::string description() const override
    {
        return fmt::format("Marian: SentencePiece with {} source and {} target pieces, vocabulary of {}",
                           m_source.model.pieceCount(), m_target.model.pieceCount(), vocabularySize());
    }

private:
    /// Special tokens written in the text count as such; the blanks around them belong to them.
    Result<Encoding> encode(const Side &side, std::string_view text) const
    {
        if (const auto at = firstInvalidUtf8(text))
            return badInput(fmt::format("the text is not UTF-8 at byte {}", *at));
        Encoding encoding;
        int words = 0;
        const std::string_view whole = text;
        while (true) {
            const auto [at, token] = findSpecial(text);
            if (!token) {
                addText(side, text, whole, encoding, words);
                break;
            }
            addText(side, trimmedEnd(text.substr(0, at)), whole, encoding, words);
            addSpecial(side, *token, encoding);
            text = trimmedStart(text.substr(at + token->size()));
        }
        addSpecial(side, m_special.eos, encoding);
        return encoding;
    }

    /// The first special token in the text, the longest of those that begin there.
    std::pair<std::size_t, const std::string *> findSpecial(std::string_view text) const
    {
        std::pair<std::size_t, const std::string *> first{std::string_view::npos, nullptr};
        for (const std::string *token : m_special.all()) {
            const std::size_t at = text.find(*token);
            if (at < first.first || (at == first.first && first.second && token->size() > first.second->size()))
                first = {at, token};
        }
        return first;
    }

    static std::string_view trimmedStart(std::string_view text)
    {
        const std::string_view inner = trimmed(text);
        return inner.empty() ? inner : text.substr(static_cast<std::size_t>(inner.data() - text.data()));
    }

    static std::string_view trimmedEnd(std::string_view text)
    {
        const std::string_view inner = trimmed(text);
        return inner.empty() ? inner
                             : text.substr(0, static_cast<std::size_t>(inner.data() - text.data()) + inner.size());
    }

    /// `text`: a part of `whole`.
    static void addText(const Side &side, std::string_view text, std::string_view whole, Encoding &encoding, int &words)
    {
        if (const std::size_t length = languageCodeLength(text)) {
            addSpecial(side, std::string(text.substr(0, length)), encoding);
            text.remove_prefix(length);
        }
        bool first = true;
        const auto offset = static_cast<std::size_t>(text.data() - whole.data());
        for (SentencePiece::Piece &piece : side.model.encode(text)) {
            if (first || piece.text.starts_with(kWordStart))
                ++words;
            first = false;
            const std::int64_t id = side.vocabulary.find(piece.text);
            encoding.ids.push_back(id >= 0 ? id : side.unk);
            encoding.pieces.push_back(std::move(piece.text));
            encoding.words.push_back(words - 1);
            // The blank in front of a word is not the word's.
            const std::string_view bytes = text.substr(piece.begin, piece.end - piece.begin);
            const std::size_t blanks = bytes.size() - trimmedStart(bytes).size();
            encoding.spans.push_back({offset + piece.begin + blanks, offset + piece.end});
        }
    }

    static void addSpecial(const Side &side, const std::string &token, Encoding &encoding)
    {
        const std::int64_t id = side.vocabulary.find(token);
        encoding.ids.push_back(id >= 0 ? id : side.unk);
        encoding.pieces.push_back(token);
        encoding.words.push_back(-1);
        encoding.spans.emplace_back();
    }

    Side m_source;
    Side m_target;
    SpecialTokens m_special;
    bool m_cleanUp = true;
};

bool flag(const nlohmann::json &settings, const char *key, bool fallback)
{
    const auto found = settings.find(key);
    return found != settings.end() && found->is_boolean() ? found->get<bool>() : fallback;
}

} // namespace

Result<std::unique_ptr<Tokenizer>> openMarianTokenizer(const TokenizerFiles &files)
{
    const bool separate = flag(files.tokenizerConfig, "separate_vocabs", false);
    const char *targetVocabulary = separate ? "target_vocab.json" : "vocab.json";
    for (const char *file : {"vocab.json", "source.spm", "target.spm", targetVocabulary})
        if (!files.has(file))
            return badInput(fmt::format("{} lacks {}, which a Marian tokenizer needs", files.folder.string(), file));
    SpecialTokens special{files.specialToken("eos_token", "</s>"), files.specialToken("unk_token", "<unk>"),
                          files.specialToken("pad_token", "<pad>")};
    auto source = openSide(files.folder / "source.spm", files.folder / "vocab.json", special);
    if (!source.isOk())
        return source.error();
    auto target = openSide(files.folder / "target.spm", files.folder / targetVocabulary, special);
    if (!target.isOk())
        return target.error();
    const bool cleanUp = flag(files.tokenizerConfig, "clean_up_tokenization_spaces", true);
    return std::unique_ptr<Tokenizer>(std::make_unique<MarianTokenizer>(
        std::move(source).value(), std::move(target).value(), std::move(special), cleanUp));
}

} // namespace headscope

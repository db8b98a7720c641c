#include "core/tokenize/fairseqtokenizer.h"

#include "core/formats/fairseqfolder.h"
#include "core/formats/folderfiles.h"
#include "core/formats/jsonfile.h"
#include "core/formats/textlines.h"
#include "core/formats/utf8.h"
#include "core/tokenize/subwordcodes.h"
#include "core/tokenize/vocabulary.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace headscope {

namespace {

constexpr std::string_view kContinues = "@@";
constexpr std::string_view kWordEnd = "</w>";
constexpr std::array<const char *, 4> kFirstTokens{"<s>", "<pad>", "</s>", "<unk>"};
constexpr std::int64_t kEndId = 2;
constexpr std::int64_t kUnknownId = 3;

bool isBlank(char byte)
{
    return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

/// Lines "piece count", perhaps with "#fairseq:overwrite" behind; ids from 4 on.
Result<Vocabulary> readDictionary(const std::filesystem::path &file)
{
    constexpr std::string_view kOverwrite = " #fairseq:overwrite";
    const auto lines = readLines(file);
    if (!lines.isOk())
        return lines.error();
    Vocabulary vocabulary;
    for (std::size_t i = 0; i < kFirstTokens.size(); ++i)
        vocabulary.add(kFirstTokens[i], static_cast<std::int64_t>(i));
    std::size_t number = 0;
    for (std::string_view line : lines.value()) {
        ++number;
        const bool overwrites = line.ends_with(kOverwrite);
        if (overwrites)
            line.remove_suffix(kOverwrite.size());
        const std::size_t blank = line.rfind(' ');
        if (blank == std::string_view::npos || blank == 0)
            return badInput(fmt::format("{}, line {}: expected a piece and its count", file.string(), number));
        const std::string piece(line.substr(0, blank));
        if (vocabulary.find(piece) >= 0 && !overwrites)
            return badInput(
                fmt::format("{}, line {}: \"{}\" is in the dictionary twice", file.string(), number, piece));
        vocabulary.add(piece, static_cast<std::int64_t>(number + kFirstTokens.size()) - 1);
    }
    return vocabulary;
}

/// FSMT's: "piece" is what continues there, "piece</w>" what ends a word.
Result<Vocabulary> readFsmtVocabulary(const std::filesystem::path &file)
{
    const auto json = readJsonFile(file);
    if (!json.isOk())
        return json.error();
    if (!json.value().is_object())
        return badInput(file.string() + " must hold a JSON object of pieces and ids");
    Vocabulary vocabulary;
    for (const auto &[text, id] : json.value().items()) {
        std::string piece = text;
        if (piece.ends_with(kWordEnd))
            piece.resize(piece.size() - kWordEnd.size());
        else if (std::ranges::find(kFirstTokens, std::string_view(piece)) == kFirstTokens.end())
            piece += kContinues;
        if (!id.is_number_integer() || vocabulary.add(piece, id.get<std::int64_t>()) != Vocabulary::Added::Yes)
            return badInput(
                fmt::format("{}: the id of \"{}\" is taken or no whole number from 0 on", file.string(), text));
    }
    return vocabulary;
}

class FairseqTokenizer final : public Tokenizer
{
public:
    FairseqTokenizer(Vocabulary source, Vocabulary target, std::optional<SubwordCodes> codes)
        : m_source(std::move(source)), m_target(std::move(target)), m_codes(std::move(codes))
    {
    }

    Result<Encoding> encodeSource(std::string_view text) const override { return encode(m_source, text); }
    Result<Encoding> encodeTarget(std::string_view text) const override { return encode(m_target, text); }

    std::string decode(std::span<const std::int64_t> ids) const override
    {
        std::string text;
        bool continues = true;
        for (const std::int64_t id : ids) {
            if (isSpecial(id) || !m_target.hasId(id))
                continue;
            std::string_view piece = m_target.piece(id);
            text += continues ? "" : " ";
            continues = piece.ends_with(kContinues);
            if (continues)
                piece.remove_suffix(kContinues.size());
            text += piece;
        }
        return text;
    }

    std::string pieceText(std::int64_t id) const override { return m_target.piece(id); }
    bool isSpecial(std::int64_t id) const override { return id >= 0 && id < kUnknownId; }
    std::int64_t vocabularySize() const override { return m_source.size(); }
    std::int64_t targetVocabularySize() const override { return m_target.size(); }

    std::string description() const override
    {
        return fmt::format("fairseq: {}, dictionaries of {} and {}",
                           m_codes ? fmt::format("{} codes of byte pair encoding", m_codes->size())
                                   : std::string("texts that are cut into pieces"),
                           m_source.size(), m_target.size());
    }

private:
    Result<Encoding> encode(const Vocabulary &vocabulary, std::string_view text) const
    {
        if (const auto at = firstInvalidUtf8(text))
            return badInput(fmt::format("the text is not UTF-8 at byte {}", *at));
        Encoding encoding;
        bool continues = false; // a text that is cut already says so by its pieces
        for (std::size_t at = 0; at < text.size();) {
            if (isBlank(text[at])) {
                ++at;
                continue;
            }
            std::size_t end = at;
            while (end < text.size() && !isBlank(text[end]))
                ++end;
            const std::string_view word = text.substr(at, end - at);
            addWord(vocabulary, word, at, continues, encoding);
            continues = !m_codes && word.ends_with(kContinues);
            at = end;
        }
        append(vocabulary, kFirstTokens[kEndId], -1, {}, encoding);
        return encoding;
    }

    void addWord(const Vocabulary &vocabulary, std::string_view word, std::size_t at, bool continues,
                 Encoding &encoding) const
    {
        int number = 0;
        if (!encoding.words.empty())
            number = encoding.words.back() + (continues ? 0 : 1);
        if (!m_codes)
            return append(vocabulary, std::string(word), number, {at, at + word.size()}, encoding);
        const std::vector<std::string> pieces = m_codes->pieces(word);
        for (std::size_t i = 0; i < pieces.size(); ++i) {
            const std::string piece = i + 1 < pieces.size() ? pieces[i] + std::string(kContinues) : pieces[i];
            append(vocabulary, piece, number, {at, at + pieces[i].size()}, encoding);
            at += pieces[i].size();
        }
    }

    static void append(const Vocabulary &vocabulary, const std::string &piece, int word, TextSpan span,
                       Encoding &encoding)
    {
        const std::int64_t id = vocabulary.find(piece);
        encoding.ids.push_back(id >= 0 ? id : kUnknownId);
        encoding.pieces.push_back(piece);
        encoding.words.push_back(word);
        encoding.spans.push_back(span);
    }

    Vocabulary m_source;
    Vocabulary m_target;
    std::optional<SubwordCodes> m_codes;
};

} // namespace

Result<std::unique_ptr<Tokenizer>> openFairseqTokenizer(const TokenizerFiles &files)
{
    const bool fsmt = files.has("vocab-src.json");
    std::array<std::filesystem::path, 2> names{files.folder / "vocab-src.json", files.folder / "vocab-tgt.json"};
    std::optional<std::string> codesFile = fsmt ? std::optional<std::string>("merges.txt") : fairseqCodes(files.folder);
    if (!fsmt) {
        const auto langs = files.config.find("langs");
        if (langs == files.config.end() || !langs->is_array() || langs->size() != names.size())
            return badInput(files.folder.string()
                            + ": config.json does not name the model's two languages (\"langs\")");
        for (std::size_t i = 0; i < names.size(); ++i) {
            const std::string name
                = (*langs)[i].is_string() ? fairseqDictionary((*langs)[i].get<std::string>()) : std::string();
            if (!isPlainFileName(name))
                return badInput(files.folder.string() + ": config.json names no languages (\"langs\")");
            names[i] = files.folder / name;
        }
    }
    std::array<Vocabulary, 2> sides;
    for (std::size_t i = 0; i < names.size(); ++i) {
        auto read = fsmt ? readFsmtVocabulary(names[i]) : readDictionary(names[i]);
        if (!read.isOk())
            return read.error();
        sides[i] = std::move(read).value();
    }
    std::optional<SubwordCodes> codes;
    if (codesFile) {
        auto read = SubwordCodes::open(files.folder / *codesFile);
        if (!read.isOk())
            return read.error();
        codes = std::move(read).value();
    }
    return std::unique_ptr<Tokenizer>(
        std::make_unique<FairseqTokenizer>(std::move(sides[0]), std::move(sides[1]), std::move(codes)));
}

} // namespace headscope

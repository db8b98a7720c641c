#include "core/tokenize/familytokenizers.h"

#include "core/formats/marianfolder.h"
#include "core/tokenize/cleanup.h"
#include "core/tokenize/pipeline/part.h"
#include "core/tokenize/spmvocabulary.h"
#include "core/tokenize/tokenizersettings.h"

#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace headscope {
namespace {

/// Length of ">>code<<" at the start of a text for a model with several target languages; 0 when there is none.
std::size_t languageCodeLength(std::string_view text)
{
    if (!text.starts_with(">>"))
        return 0;
    const std::size_t end = text.find_first_of("<>", 2);
    return end != std::string_view::npos && end > 2 && text.substr(end).starts_with("<<") ? end + 2 : 0;
}

/// Tokens that the folder's files add to a vocabulary after training, special or not. Errors: damaged files, an id of
/// another piece.
Result<Done> addFoldersTokens(const TokenizerFiles &files, SpmVocabulary &side)
{
    nlohmann::json listed = nlohmann::json::object();
    const auto added = addSpecialTokens(listed, files, {}, nlohmann::json::object());
    if (!added.isOk())
        return added.error();
    for (const nlohmann::json &token : listed["added_tokens"]) {
        const bool isText = token.is_object() && token.contains("content") && token["content"].is_string();
        const std::string content = isText ? token["content"].get<std::string>() : std::string();
        const std::int64_t id
            = isText && token.contains("id") ? pipeline::wholeNumber(token["id"], kLargestTokenId) : -1;
        const bool isKnown = side.find(content) >= 0 && side.isSpecial(side.find(content));
        if (content.empty() || id < 0 || isKnown)
            continue;
        const bool isSpecial = token.contains("special") && token["special"] == true;
        if (isSpecial && side.find(content) >= 0) {
            side.markSpecial(content);
            continue;
        }
        const auto done = isSpecial ? side.addSpecial(content, id) : side.addToken(content, id);
        if (!done.isOk())
            return badInput(files.folder.string() + ": " + done.error().message);
    }
    return Done{};
}

class MarianTokenizer final : public Tokenizer
{
public:
    MarianTokenizer(SpmVocabulary source, SpmVocabulary target, bool cleanUp)
        : m_source(std::move(source)), m_target(std::move(target)), m_cleanUp(cleanUp)
    {
    }

    Result<Encoding> encodeSource(std::string_view text) const override { return encode(m_source, text); }
    Result<Encoding> encodeTarget(std::string_view text) const override { return encode(m_target, text); }

    std::string decode(std::span<const std::int64_t> ids) const override
    {
        std::string text = m_target.decode(ids);
        return m_cleanUp ? cleanUpTokenization(std::move(text)) : text;
    }

    std::string pieceText(std::int64_t id) const override { return m_target.piece(id); }
    bool isSpecial(std::int64_t id) const override { return m_target.isSpecial(id); }
    std::int64_t vocabularySize() const override { return m_source.size(); }
    std::int64_t targetVocabularySize() const override { return m_target.size(); }

    std::string description() const override
    {
        return fmt::format("Marian: SentencePiece with {} source and {} target pieces, vocabulary of {}",
                           m_source.pieceCount(), m_target.pieceCount(), vocabularySize());
    }

private:
    static Result<Encoding> encode(const SpmVocabulary &side, std::string_view text)
    {
        Encoding encoding;
        if (const auto done = side.encode(text, encoding, languageCodeLength); !done.isOk())
            return done.error();
        side.appendEnd(encoding);
        return encoding;
    }

    SpmVocabulary m_source;
    SpmVocabulary m_target;
    bool m_cleanUp = true;
};

constexpr const char *kEnd = "</s>";
constexpr const char *kUnknown = "<unk>";
constexpr const char *kPadding = "<pad>";

/// The pieces of a SentencePiece model by their own numbers.
Vocabulary ownPieces(const SentencePiece &model)
{
    Vocabulary vocabulary;
    for (int id = 0; id < static_cast<int>(model.pieceCount()); ++id)
        (void)vocabulary.add(model.piece(id), id);
    return vocabulary;
}

Result<Vocabulary> listedPieces(const std::filesystem::path &file)
{
    const auto ids = readMarianVocabulary(file);
    if (!ids.isOk())
        return ids.error();
    Vocabulary vocabulary;
    for (const char *token : {kEnd, kUnknown}) { // first: they may have another name in the file, or none
        if (const auto id = marianTokenId(ids.value(), token))
            (void)vocabulary.add(token, *id);
    }
    for (const auto &[piece, id] : ids.value()) {
        const bool isOldName = piece == "eos" || piece == "UNK";
        const auto added = vocabulary.add(piece, id);
        if (added == Vocabulary::Added::IdTaken && isOldName
            && (vocabulary.piece(id) == kEnd || vocabulary.piece(id) == kUnknown))
            continue;
        if (added != Vocabulary::Added::Yes)
            return badInput(fmt::format("{}: the id {} is given to two pieces", file.string(), id));
    }
    return vocabulary;
}

/// One language side as Marian has it: `pieces` (source.spm) cuts words, and ids are those of `vocabulary`, which is a
/// list or itself a model that cuts words.
Result<SpmVocabulary> openNmtSide(const TokenizerFiles &files, const std::string &vocabulary, const char *pieces)
{
    const std::filesystem::path file = files.folder / vocabulary;
    const bool isModel = file.extension() == ".spm";
    if (!isModel && !files.has(pieces))
        return badInput(
            fmt::format("{} lacks {}, with which texts are cut into the pieces of {}. (Pieces of other tools, "
                        "such as source.bpe, are not read; give the data as JSON lines with input_ids.)",
                        files.folder.string(), pieces, vocabulary));
    auto model = SentencePiece::load(isModel ? file : files.folder / pieces);
    if (!model.isOk())
        return model.error();
    auto ids = isModel ? Result<Vocabulary>(ownPieces(model.value())) : listedPieces(file);
    if (!ids.isOk())
        return ids.error();
    auto side
        = SpmVocabulary::open(std::move(model).value(), std::move(ids).value(), {kEnd, kUnknown, ""}, file.string());
    if (!side.isOk())
        return side;
    const auto padding = files.config.find("pad_token_id");
    if (padding != files.config.end() && padding->is_number_integer() && side.value().find(kPadding) < 0) {
        const auto added = side.value().addSpecial(kPadding, padding->get<std::int64_t>());
        if (!added.isOk())
            return badInput(file.string() + ": " + added.error().message);
    }
    return side;
}

} // namespace

std::vector<std::string> marianNmtVocabularies(const TokenizerFiles &files)
{
    std::vector<std::string> names;
    const auto found = files.config.find("vocabs");
    if (found == files.config.end() || !found->is_array())
        return names;
    for (const nlohmann::json &name : *found) {
        if (name.is_string())
            names.push_back(std::filesystem::path(name.get<std::string>()).filename().string());
    }
    return names;
}

Result<std::unique_ptr<Tokenizer>> openMarianNmtTokenizer(const TokenizerFiles &files)
{
    const std::vector<std::string> names = marianNmtVocabularies(files);
    if (names.empty())
        return badInput(files.folder.string() + " has no vocabulary (vocab.yml, vocab.spm)");
    const auto lacksPieces = [&](const std::string &vocabulary, const char *pieces) {
        return std::filesystem::path(vocabulary).extension() != ".spm" && !files.has(pieces);
    };
    if (lacksPieces(names.front(), "source.spm") && lacksPieces(names.back(), "target.spm"))
        return std::unique_ptr<Tokenizer>(); // data as input_ids
    auto source = openNmtSide(files, names.front(), "source.spm");
    if (!source.isOk())
        return source.error();
    auto target = openNmtSide(files, names.back(), "target.spm");
    if (!target.isOk())
        return target.error();
    return std::unique_ptr<Tokenizer>(
        std::make_unique<MarianTokenizer>(std::move(source).value(), std::move(target).value(), false));
}

Result<std::unique_ptr<Tokenizer>> openMarianTokenizer(const TokenizerFiles &files)
{
    const bool separate = setting(files, "separate_vocabs", false);
    const char *targetVocabulary = separate ? "target_vocab.json" : "vocab.json";
    for (const char *file : {"vocab.json", "source.spm", "target.spm", targetVocabulary})
        if (!files.has(file))
            return badInput(fmt::format("{} lacks {}, which a Marian tokenizer needs", files.folder.string(), file));
    const SpmVocabulary::Special special{files.specialToken("eos_token", "</s>"),
                                         files.specialToken("unk_token", "<unk>"),
                                         files.specialToken("pad_token", "<pad>")};
    auto source = SpmVocabulary::open(files.folder / "source.spm", files.folder / "vocab.json", special);
    if (!source.isOk())
        return source.error();
    auto target = SpmVocabulary::open(files.folder / "target.spm", files.folder / targetVocabulary, special);
    if (!target.isOk())
        return target.error();
    for (SpmVocabulary *side : {&source.value(), &target.value()}) {
        if (const auto done = addFoldersTokens(files, *side); !done.isOk())
            return done.error();
    }
    return std::unique_ptr<Tokenizer>(
        std::make_unique<MarianTokenizer>(std::move(source).value(), std::move(target).value(), cleansUp(files)));
}

} // namespace headscope

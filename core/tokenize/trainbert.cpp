#include "core/tokenize/trainbert.h"

#include "core/formats/atomicfile.h"
#include "core/tokenize/pipeline/normalizer.h"
#include "core/tokenize/pipeline/pretokenizer.h"
#include "core/tokenize/pipeline/unicode.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

namespace headscope {
namespace {

constexpr std::array<const char *, 5> kSpecialPieces{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"};
constexpr std::string_view kWordBegin = "▁"; // SentencePiece's
constexpr const char *kWithinWord = "##";    // WordPiece's

/// Words of a text, blanks between them, as the tokenizer of the new model will find them.
class WordFinder
{
public:
    explicit WordFinder(bool foldsCase)
        : m_normalizerJson{{"type", "BertNormalizer"},
                           {"clean_text", true},
                           {"handle_chinese_chars", true},
                           {"lowercase", foldsCase},
                           {"strip_accents", false}},
          m_splitterJson{{"type", "BertPreTokenizer"}},
          m_normalizer(pipeline::makeNormalizer(pipeline::Part(m_normalizerJson, "normalizer"))),
          m_splitter(pipeline::makePreTokenizer(pipeline::Part(m_splitterJson, "pre_tokenizer")))
    {
    }

    std::string words(const std::string &text) const
    {
        pipeline::AlignedText normal(text);
        m_normalizer->apply(normal);
        std::string words;
        for (const pipeline::AlignedText &word : m_splitter->split({normal}))
            words += (words.empty() ? "" : " ") + word.text();
        return words;
    }

private:
    nlohmann::json m_normalizerJson;
    nlohmann::json m_splitterJson;
    pipeline::NormalizerPtr m_normalizer;
    pipeline::PreTokenizerPtr m_splitter;
};

/// vocab.txt while it grows: pieces once each.
class PieceList
{
public:
    std::int64_t size() const { return std::ssize(m_pieces); }
    void add(const std::string &piece)
    {
        if (m_known.insert(piece).second)
            m_pieces.push_back(piece);
    }
    std::string text() const
    {
        std::string text;
        for (const std::string &piece : m_pieces)
            text += piece + '\n';
        return text;
    }

private:
    std::vector<std::string> m_pieces;
    std::set<std::string> m_known;
};

/// Single characters, at the beginning of a word and within.
void addCharacters(std::span<const std::string> texts, PieceList &pieces)
{
    std::set<std::string> characters;
    for (const std::string &text : texts) {
        for (std::size_t at = 0; at < text.size();) {
            const std::size_t size = pipeline::charAt(text, at).size;
            if (text[at] != ' ')
                characters.insert(text.substr(at, size));
            at += size;
        }
    }
    for (const std::string &character : characters) {
        pieces.add(character);
        pieces.add(kWithinWord + character);
    }
}

Result<Done> addPieces(const std::string &model, std::int64_t most, PieceList &pieces)
{
    const auto learnt = SentencePiece::fromBytes(model, "the new vocabulary");
    if (!learnt.isOk())
        return learnt.error();
    constexpr int kFirst = 3; // after <unk>, <s> and </s>; the most useful ones first
    for (int id = kFirst; id < learnt.value().pieceCount() && pieces.size() < most; ++id) {
        const std::string piece = learnt.value().piece(id);
        if (!piece.starts_with(kWordBegin))
            pieces.add(kWithinWord + piece);
        else if (piece.size() > kWordBegin.size())
            pieces.add(piece.substr(kWordBegin.size()));
    }
    return Done{};
}

} // namespace

Result<std::int64_t> trainBertTokenizer(const std::filesystem::path &folder, std::span<const std::string> texts,
                                        const SentencePieceTraining &settings)
{
    const bool foldsCase = settings.normalization.ends_with("_cf");
    std::vector<std::string> words;
    const WordFinder finder(foldsCase);
    for (const std::string &text : texts)
        words.push_back(finder.words(text));
    std::erase(words, std::string());
    SentencePieceTraining asTheyAre = settings;
    asTheyAre.normalization = "identity";
    const auto model = SentencePiece::train(words, asTheyAre);
    if (!model.isOk())
        return model.error();
    PieceList pieces;
    for (const char *special : kSpecialPieces)
        pieces.add(special);
    addCharacters(words, pieces);
    if (const auto added = addPieces(model.value(), settings.size, pieces); !added.isOk())
        return added.error();
    const nlohmann::ordered_json config{{"tokenizer_class", "BertTokenizer"},
                                        {"do_lower_case", foldsCase},
                                        {"strip_accents", false},
                                        {"unk_token", "[UNK]"},
                                        {"sep_token", "[SEP]"},
                                        {"pad_token", "[PAD]"},
                                        {"cls_token", "[CLS]"},
                                        {"mask_token", "[MASK]"},
                                        {"clean_up_tokenization_spaces", false}};
    const std::pair<const char *, std::string> files[]
        = {{"tokenizer_config.json", config.dump(1) + "\n"}, {"vocab.txt", pieces.text()}};
    for (const auto &[name, text] : files) {
        if (const auto written = writeFileAtomically(folder / name, text); !written.isOk())
            return written.error();
    }
    return pieces.size();
}

} // namespace headscope

#include "core/task/bleuchoice.h"

#include "core/tokenize/pipeline/unicode.h"
#include "core/tokenize/sentencepiece.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <string_view>
#include <utility>

namespace headscope {
namespace {

constexpr std::string_view kFlores = "flores200";
constexpr std::string_view kKnown = "13a, zh, char, none and flores200:FILE";

/// "zh" of "zh_CN", "zho" of "zho_Hans".
std::string languageOf(std::string code)
{
    std::ranges::transform(code, code.begin(),
                           [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return code.substr(0, code.find_first_of("_-"));
}

bool isAmong(const std::string &language, std::initializer_list<std::string_view> languages)
{
    return std::ranges::find(languages, language) != languages.end();
}

/// Whether most references are of ten characters or more without a blank.
bool lacksBlanks(const Dataset &dataset)
{
    constexpr std::size_t kLong = 10;
    std::size_t texts = 0;
    std::size_t whole = 0;
    for (const Example &example : dataset.examples) {
        if (pipeline::charCount(example.reference) < kLong)
            continue;
        ++texts;
        whole += example.reference.find(' ') == std::string::npos ? 1 : 0;
    }
    return texts > 0 && whole * 2 > texts;
}

BleuOptions chosenFor(const std::string &language, const Dataset &dataset, std::vector<std::string> &notes)
{
    BleuOptions options;
    if (isAmong(language, {"zh", "zho", "cmn", "yue", "lzh", "wuu"})) {
        options.tokenizer = BleuTokenizer::Zh;
    } else if (isAmong(language, {"ja", "jpn"})) {
        options.tokenizer = BleuTokenizer::Char;
        notes.emplace_back(
            "BLEU is by characters (tok:char). For Japanese sacreBLEU takes ja-mecab, which Headscope has "
            "not: its BLEU is another number.");
    } else if (isAmong(language, {"th", "tha", "lo", "lao", "km", "khm", "my", "mya", "bo", "bod", "dz", "dzo"})) {
        options.tokenizer = BleuTokenizer::Char;
        notes.emplace_back("BLEU is by characters (tok:char): the target language has no blanks between words. "
                           "sacreBLEU's default is 13a, by which a sentence is one word; --bleu-tokenize decides.");
    } else if (isAmong(language, {"ko", "kor"})) {
        notes.emplace_back("BLEU is by 13a. For Korean sacreBLEU takes ko-mecab, which Headscope has not: its BLEU is "
                           "another number.");
    } else if (lacksBlanks(dataset)) {
        notes.emplace_back("Most references have no blanks between words, so that BLEU by 13a takes a sentence for one "
                           "word. Which language they are is not known: --bleu-tokenize zh or char cuts them into "
                           "characters.");
    }
    return options;
}

Result<BleuOptions> byFlores(const std::string &file)
{
    if (file.empty())
        return usageError("--bleu-tokenize flores200 needs the SentencePiece model of FLORES-200: flores200:FILE");
    auto model = SentencePiece::load(file);
    if (!model.isOk())
        return model.error();
    const auto pieces = std::make_shared<const SentencePiece>(std::move(model).value());
    BleuOptions options;
    options.tokenizer = BleuTokenizer::Pieces;
    options.piecesName = kFlores;
    options.pieces = [pieces](std::string_view text) {
        std::string cut;
        for (const SentencePiece::Piece &piece : pieces->encode(text))
            cut.append(cut.empty() ? "" : " ").append(piece.text);
        return cut;
    };
    return options;
}

} // namespace

Result<BleuOptions> bleuOptionsFor(const Dataset &dataset, const Tokenizer *tokenizer, std::vector<std::string> &notes)
{
    const std::string &asked = dataset.origin.bleuTokenize;
    if (asked.empty())
        return chosenFor(languageOf(tokenizer ? tokenizer->targetLanguage() : std::string()), dataset, notes);
    constexpr std::pair<std::string_view, BleuTokenizer> kNames[] = {{"13a", BleuTokenizer::V13a},
                                                                     {"zh", BleuTokenizer::Zh},
                                                                     {"char", BleuTokenizer::Char},
                                                                     {"none", BleuTokenizer::None}};
    const auto found
        = std::ranges::find(kNames, std::string_view(asked), &std::pair<std::string_view, BleuTokenizer>::first);
    if (found != std::end(kNames))
        return BleuOptions{.tokenizer = found->second};
    if (asked == kFlores || asked.starts_with(std::string(kFlores) + ':'))
        return byFlores(asked.substr(std::min(asked.size(), kFlores.size() + 1)));
    constexpr std::string_view kSacreBleus[] = {"ja-mecab", "ko-mecab", "intl", "spm", "flores101", "spBLEU-1K"};
    const bool isSacreBleus = std::ranges::find(kSacreBleus, std::string_view(asked)) != std::end(kSacreBleus);
    return usageError(fmt::format(
        "--bleu-tokenize {}: {}. Headscope has {}.", asked,
        isSacreBleus ? "Headscope has not this tokenizer of sacreBLEU" : "there is no such tokenizer", kKnown));
}

} // namespace headscope

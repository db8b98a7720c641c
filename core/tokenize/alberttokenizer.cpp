#include "core/tokenize/familytokenizers.h"

#include "core/tokenize/endtokens.h"
#include "core/tokenize/spmfile.h"
#include "core/tokenize/spmpipeline.h"
#include "core/tokenize/tokenizerjson.h"
#include "core/tokenize/tokenizersettings.h"

#include <utility>

namespace headscope {
namespace {

constexpr SpecialToken kSpecial[]
    = {{"bos_token", "[CLS]"}, {"eos_token", "[SEP]"}, {"unk_token", "<unk>"},        {"sep_token", "[SEP]"},
       {"pad_token", "<pad>"}, {"cls_token", "[CLS]"}, {"mask_token", "[MASK]", true}};
constexpr const char *kFile = "spiece.model";

/// A number and its comma are two pieces: those that have both are scored as if they were hardly ever seen.
void discourageNumbersWithComma(SpmFile &file)
{
    constexpr float kPenalty = 100;
    const auto isDigit = [](char c) { return c >= '0' && c <= '9'; };
    for (SpmFile::Piece &piece : file.pieces)
        if (piece.text.size() > 1 && piece.text.back() == ',' && isDigit(piece.text[piece.text.size() - 2]))
            piece.score -= kPenalty;
}

/// As AlbertConverter of transformers 4 makes them.
nlohmann::json normalizers(const nlohmann::json &usual, const TokenizerFiles &files)
{
    const auto replace = [](const char *key, const char *from, const char *to) {
        return nlohmann::json{{"type", "Replace"}, {"pattern", {{key, from}}}, {"content", to}};
    };
    nlohmann::json steps = nlohmann::json::array({replace("String", "``", "\""), replace("String", "''", "\"")});
    if (!setting(files, "keep_accents", false)) {
        steps.push_back({{"type", "NFKD"}});
        steps.push_back({{"type", "StripAccents"}});
    }
    if (setting(files, "do_lower_case", true))
        steps.push_back({{"type", "Lowercase"}});
    for (const auto &step : usual.at("normalizers"))
        if (step.at("type") == "Precompiled")
            steps.push_back(step);
    steps.push_back(replace("Regex", " {2,}", " "));
    return {{"type", "Sequence"}, {"normalizers", std::move(steps)}};
}

} // namespace

Result<std::unique_ptr<Tokenizer>> openAlbertTokenizer(const TokenizerFiles &files)
{
    if (files.has("tokenizer.json"))
        return openTokenizerJson(files);
    auto made = readSpmPipeline(files, {kFile, {}, 0, {}, kSpecial, discourageNumbersWithComma});
    if (!made.isOk())
        return made.error();
    nlohmann::json json = std::move(made).value().json;
    json["normalizer"] = normalizers(json["normalizer"], files);
    return fromParts(files, json, kFile, [&](pipeline::Components &parts) { setBertTemplate(parts, files); });
}

} // namespace headscope

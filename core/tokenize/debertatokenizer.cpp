#include "core/tokenize/familytokenizers.h"

#include "core/tokenize/endtokens.h"
#include "core/tokenize/spmfile.h"
#include "core/tokenize/spmpipeline.h"
#include "core/tokenize/tokenizerjson.h"
#include "core/tokenize/tokenizersettings.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace headscope {
namespace {

constexpr SpecialToken kSpecial[] = {{"cls_token", "[CLS]"},
                                     {"sep_token", "[SEP]"},
                                     {"unk_token", "[UNK]"},
                                     {"pad_token", "[PAD]"},
                                     {"mask_token", "[MASK]"}};
constexpr const char *kFile = "spm.model";

/// [MASK], unless the model has it.
std::vector<std::string> piecesBehind(const TokenizerFiles &files)
{
    const std::string mask = files.specialToken("mask_token", "[MASK]");
    const auto file = readSpmFile(files.folder / kFile);
    const bool isThere
        = file.isOk()
       && std::ranges::find(file.value().pieces, mask, &SpmFile::Piece::text) != file.value().pieces.end();
    return isThere ? std::vector<std::string>() : std::vector{mask};
}

/// As DebertaV2Converter of transformers makes them.
nlohmann::json normalizers(const nlohmann::json &usual, bool lowers)
{
    nlohmann::json steps = nlohmann::json::array();
    if (lowers)
        steps.push_back({{"type", "Lowercase"}});
    steps.push_back({{"type", "Strip"}, {"strip_left", true}, {"strip_right", true}});
    for (const auto &step : usual.at("normalizers")) {
        if (step.at("type") == "Precompiled")
            steps.push_back(step);
    }
    steps.push_back({{"type", "Replace"}, {"pattern", {{"Regex", " {2,}"}}}, {"content", " "}});
    return {{"type", "Sequence"}, {"normalizers", std::move(steps)}};
}

} // namespace

Result<std::unique_ptr<Tokenizer>> openDebertaTokenizer(const TokenizerFiles &files)
{
    if (files.has("tokenizer.json"))
        return openTokenizerJson(files);
    auto made = readSpmPipeline(files, {kFile, {}, 0, piecesBehind(files), kSpecial});
    if (!made.isOk())
        return made.error();
    nlohmann::json json = std::move(made).value().json;
    json["normalizer"] = normalizers(json["normalizer"], setting(files, "do_lower_case", false));
    if (setting(files, "split_by_punct", false))
        json["pre_tokenizer"]
            = {{"type", "Sequence"},
               {"pretokenizers", {{{"type", "Punctuation"}, {"behavior", "Isolated"}}, json["pre_tokenizer"]}}};
    return fromParts(files, json, kFile, [&](pipeline::Components &parts) { setBertTemplate(parts, files); });
}

} // namespace headscope

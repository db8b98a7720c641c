#include "core/tokenize/endtokens.h"
#include "core/tokenize/familytokenizers.h"
#include "core/tokenize/spmfile.h"
#include "core/tokenize/spmpipeline.h"
#include "core/tokenize/tokenizerjson.h"
#include "core/tokenize/tokenizersettings.h"

#include <algorithm>
#include <utility>

namespace headscope {
namespace {

constexpr SpecialToken kSpecial[]
    = {{"bos_token", "<bos>"}, {"eos_token", "<eos>"}, {"unk_token", "<unk>"}, {"pad_token", "<pad>"}};
constexpr EndTokens kEnds{"<bos>", "<eos>", true, false};

nlohmann::json replacement(const char *from, const char *to)
{
    return {{"type", "Replace"}, {"pattern", {{"String", from}}}, {"content", to}};
}

/// The model's pieces as GemmaConverter of transformers 4 takes them.
Result<nlohmann::json> readPieces(const TokenizerFiles &files)
{
    const SpmLayout layout{"tokenizer.model",
                           {{files.specialToken("pad_token", "<pad>"), 0.0},
                            {files.specialToken("eos_token", "<eos>"), 0.0},
                            {files.specialToken("bos_token", "<bos>"), 0.0}},
                           3,
                           {},
                           kSpecial,
                           [](SpmFile &file) {
                               const auto is = [](const char *text) {
                                   return [text](const SpmFile::Piece &piece) { return piece.text == text; };
                               };
                               const auto tab = std::ranges::find_if(file.pieces, is("<0x09>"));
                               if (tab != file.pieces.end() && std::ranges::none_of(file.pieces, is("\t")))
                                   tab->text = "\t"; // the first models had no piece for it
                           }};
    auto made = readSpmPipeline(files, layout);
    if (!made.isOk())
        return made.error();
    nlohmann::json json = std::move(made).value().json;
    json["model"]["byte_fallback"] = true;
    json["normalizer"] = replacement(" ", "\u2581");
    json["pre_tokenizer"]
        = {{"type", "Split"}, {"pattern", {{"String", " "}}}, {"behavior", "MergedWithPrevious"}, {"invert", false}};
    json["decoder"] = {{"type", "Sequence"},
                       {"decoders", {replacement("\u2581", " "), {{"type", "ByteFallback"}}, {{"type", "Fuse"}}}}};
    for (nlohmann::json &token : json["added_tokens"])
        if (token["content"] == "<start_of_turn>" || token["content"] == "<end_of_turn>")
            token["special"] = true;
    return json;
}

} // namespace

Result<std::unique_ptr<Tokenizer>> openGemmaTokenizer(const TokenizerFiles &files)
{
    const bool hasJson = files.has("tokenizer.json");
    const auto json = hasJson ? readTokenizerJson(files) : readPieces(files);
    if (!json.isOk())
        return json.error();
    return fromParts(files, json.value(), "tokenizer.model", [&](pipeline::Components &parts) {
        if (!hasJson || !(files.isGeneric || files.isOfVersion5()))
            setEndTokens(parts, files, kEnds);
    });
}

} // namespace headscope

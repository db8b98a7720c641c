#include "core/tokenize/familytokenizers.h"

#include "core/tokenize/pipeline/part.h"
#include "core/tokenize/spmpipeline.h"
#include "core/tokenize/tokenizerjson.h"
#include "core/tokenize/tokenizersettings.h"

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace headscope {
namespace {

constexpr SpecialToken kSpecial[]
    = {{"eos_token", "</s>"}, {"unk_token", "<unk>"}, {"pad_token", "<pad>"}, {"mask_token", "<mask_2>"}};
constexpr const char *kFile = "spiece.model";

using Item = pipeline::PostProcessor::Item;

/// How many ids training had for itself, less the first two.
Result<std::int64_t> offsetOf(const TokenizerFiles &files)
{
    constexpr std::int64_t kMost = 10'000;
    const auto found = files.tokenizerConfig.find("offset");
    if (found == files.tokenizerConfig.end() || found->is_null())
        return std::int64_t{103};
    const std::int64_t offset = pipeline::wholeNumber(*found, kMost);
    if (offset < 2)
        return badInput(fmt::format("{}: \"offset\" is not a whole number from 2 to {}",
                                    (files.folder / "tokenizer_config.json").string(), kMost));
    return offset;
}

/// PegasusConverter of transformers 4: padding and end, two masks, then <unk_2> … up to the offset.
std::vector<std::pair<std::string, double>> frontPieces(const TokenizerFiles &files, std::int64_t offset)
{
    constexpr double kNeverChosen = -100;
    std::vector<std::pair<std::string, double>> front{{files.specialToken("pad_token", "<pad>"), 0.0},
                                                      {files.specialToken("eos_token", "</s>"), 0.0}};
    const auto sentences = files.tokenizerConfig.find("mask_token_sent");
    if (sentences == files.tokenizerConfig.end() || !sentences->is_null()) {
        front.emplace_back(files.specialToken("mask_token_sent", "<mask_1>"), 0.0);
        front.emplace_back(files.specialToken("mask_token", "<mask_2>"), 0.0);
    }
    for (std::int64_t i = 2; i < offset; ++i)
        front.emplace_back(fmt::format("<unk_{}>", i), kNeverChosen);
    return front;
}

} // namespace

Result<std::unique_ptr<Tokenizer>> openPegasusTokenizer(const TokenizerFiles &files)
{
    if (files.has("tokenizer.json"))
        return openTokenizerJson(files);
    const auto offset = offsetOf(files);
    if (!offset.isOk())
        return offset.error();
    const SpmLayout layout{kFile, frontPieces(files, offset.value()), 2, {}, kSpecial};
    auto made = readSpmPipeline(files, layout);
    if (!made.isOk())
        return made.error();
    nlohmann::json json = std::move(made).value().json;
    std::vector<std::string> special;
    for (const auto &[piece, score] : layout.front)
        special.push_back(piece);
    addMoreSpecial(json, special);
    json["pre_tokenizer"]
        = {{"type", "Sequence"}, {"pretokenizers", {{{"type", "WhitespaceSplit"}}, {{"type", "Metaspace"}}}}};
    return fromParts(files, json, kFile, [&](pipeline::Components &parts) {
        const Item end = parts.special(files.specialToken("eos_token", "</s>"));
        const Item first{.kind = Item::Kind::First};
        parts.postProcessor = {{first, end}, {first, {.kind = Item::Kind::Second}, end}};
    });
}

} // namespace headscope

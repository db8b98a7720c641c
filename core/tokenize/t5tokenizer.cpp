#include "core/tokenize/familytokenizers.h"

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

constexpr SpecialToken kSpecial[] = {{"eos_token", "</s>"}, {"unk_token", "<unk>"}, {"pad_token", "<pad>"}};

using Item = pipeline::PostProcessor::Item;

Result<std::int64_t> extraIds(const TokenizerFiles &files)
{
    constexpr std::int64_t kMost = 10'000;
    const auto found = files.tokenizerConfig.find("extra_ids");
    if (found == files.tokenizerConfig.end() || found->is_null())
        return std::int64_t{100};
    const std::int64_t count = pipeline::wholeNumber(*found, kMost);
    if (count < 0)
        return badInput(fmt::format("{}: \"extra_ids\" is not a whole number from 0 to {}",
                                    (files.folder / "tokenizer_config.json").string(), kMost));
    return count;
}

} // namespace

Result<std::unique_ptr<Tokenizer>> openT5Tokenizer(const TokenizerFiles &files)
{
    if (files.has("tokenizer.json"))
        return openTokenizerJson(files);
    const auto extra = extraIds(files);
    if (!extra.isOk())
        return extra.error();
    std::vector<std::string> names; // the last one first
    for (std::int64_t i = extra.value(); i-- > 0;)
        names.push_back(fmt::format("<extra_id_{}>", i));
    auto pipeline = readSpmPipeline(files, {"spiece.model", {}, 0, names, kSpecial});
    if (!pipeline.isOk())
        return pipeline.error();
    nlohmann::json json = std::move(pipeline).value().json;
    addMoreSpecial(json, names);
    // Without "legacy", no word begins after an added token.
    if (!setting(files, "legacy", true))
        for (const char *part : {"pre_tokenizer", "decoder"})
            json[part]["prepend_scheme"] = "first";
    return fromParts(files, json, "spiece.model", [&](pipeline::Components &parts) {
        const Item end = parts.special(files.specialToken("eos_token", "</s>"));
        const Item first{.kind = Item::Kind::First};
        parts.postProcessor = {{first, end}, {first, end, {.kind = Item::Kind::Second}, end}};
    });
}

} // namespace headscope

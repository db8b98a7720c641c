#include "core/tokenize/familytokenizers.h"

#include "core/tokenize/bytelevelfiles.h"
#include "core/tokenize/tokenizerjson.h"
#include "core/tokenize/tokenizersettings.h"

namespace headscope {
namespace {

using Item = pipeline::PostProcessor::Item;

constexpr const char *kEndOfText = "<|endoftext|>";
constexpr SpecialToken kGpt2Special[]
    = {{"bos_token", kEndOfText}, {"eos_token", kEndOfText}, {"unk_token", kEndOfText}};
constexpr SpecialToken kQwen2Special[]
    = {{"eos_token", kEndOfText}, {"unk_token", kEndOfText}, {"pad_token", kEndOfText}};

} // namespace

const char *const kQwen2Words = R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}|)"
                                R"( ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";

Result<std::unique_ptr<Tokenizer>> openGpt2Tokenizer(const TokenizerFiles &files)
{
    if (files.has("tokenizer.json"))
        return openTokenizerJson(files);
    auto json = readByteLevelFiles(files, kGpt2Special);
    if (!json.isOk())
        return json.error();
    json.value()["pre_tokenizer"]
        = {{"type", "ByteLevel"}, {"add_prefix_space", setting(files, "add_prefix_space", false)}};
    return fromParts(files, json.value(), "vocab.json", [&](pipeline::Components &parts) {
        if (!setting(files, "add_bos_token", false))
            return;
        const Item begin = parts.special(files.specialToken("bos_token", kEndOfText));
        const Item first{.kind = Item::Kind::First};
        parts.postProcessor = {{begin, first}, {begin, first, {.kind = Item::Kind::Second, .typeId = 1}}};
    });
}

Result<std::unique_ptr<Tokenizer>> openQwen2Tokenizer(const TokenizerFiles &files)
{
    if (files.has("tokenizer.json"))
        return openTokenizerJson(files);
    auto json = readByteLevelFiles(files, kQwen2Special);
    if (!json.isOk())
        return json.error();
    const nlohmann::json words{{"type", "Split"}, {"pattern", {{"Regex", kQwen2Words}}}, {"behavior", "Isolated"}};
    const nlohmann::json bytes{
        {"type", "ByteLevel"}, {"add_prefix_space", setting(files, "add_prefix_space", false)}, {"use_regex", false}};
    json.value()["normalizer"] = {{"type", "NFC"}};
    json.value()["pre_tokenizer"] = {{"type", "Sequence"}, {"pretokenizers", nlohmann::json::array({words, bytes})}};
    return tokenizerFromJson(json.value(), (files.folder / "vocab.json").string(), files);
}

} // namespace headscope

#include "core/tokenize/endtokens.h"

#include "core/tokenize/tokenizersettings.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

namespace headscope {
namespace {

using Item = pipeline::PostProcessor::Item;
using Template = pipeline::PostProcessor::Template;

bool areAlike(const Template &a, const Template &b)
{
    return std::ranges::equal(
        a, b, [](const Item &one, const Item &other) { return one.kind == other.kind && one.id == other.id; });
}

} // namespace

void setEndTokens(pipeline::Components &parts, const TokenizerFiles &files, const EndTokens &tokens)
{
    const bool begins = setting(files, "add_bos_token", tokens.begins);
    const bool ends = setting(files, "add_eos_token", tokens.ends);
    const auto append = [&](Template &items, Item::Kind kind, std::int64_t typeId) {
        if (begins)
            items.push_back(parts.special(files.specialToken("bos_token", tokens.begin), typeId));
        items.push_back({.kind = kind, .typeId = typeId});
        if (ends)
            items.push_back(parts.special(files.specialToken("eos_token", tokens.end), typeId));
    };
    Template single;
    append(single, Item::Kind::First, 0);
    Template pair = single;
    append(pair, Item::Kind::Second, 1);
    if (files.has("tokenizer.json") && !areAlike(single, parts.postProcessor.layout(false)))
        files.notes->push_back("The tokens around a text are what the tokenizer's class makes of \"add_bos_token\" and "
                               "\"add_eos_token\" (tokenizer_config.json), as in transformers 4; tokenizer.json has "
                               "other begin and end tokens, and transformers 5 may take those.");
    parts.postProcessor = {std::move(single), std::move(pair)};
}

void setBertTemplate(pipeline::Components &parts, const TokenizerFiles &files)
{
    const Item first{.kind = Item::Kind::First};
    const Item second{.kind = Item::Kind::Second, .typeId = 1};
    const Item cls = parts.special(files.specialToken("cls_token", "[CLS]"));
    const std::string sep = files.specialToken("sep_token", "[SEP]");
    parts.postProcessor
        = {{cls, first, parts.special(sep)}, {cls, first, parts.special(sep), second, parts.special(sep, 1)}};
}

} // namespace headscope

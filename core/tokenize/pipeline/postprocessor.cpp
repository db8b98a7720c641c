#include "core/tokenize/pipeline/postprocessor.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace headscope::pipeline {
namespace {

using Item = PostProcessor::Item;
using Kind = Item::Kind;

constexpr std::size_t kMostItems = 64;

std::int64_t readId(const nlohmann::json &id, const Part &part)
{
    const std::int64_t number = wholeNumber(id, kLargestTokenId);
    if (number < 0)
        part.fail(
            fmt::format("the id {} is not a whole number from 0 to {}", id.dump().substr(0, 60), kLargestTokenId));
    return number;
}

/// ["[SEP]", 102]
Item readPair(const Part &part, const char *key)
{
    const nlohmann::json &pair = part.inner(key).json();
    if (!pair.is_array() || pair.size() != 2 || !pair[0].is_string())
        part.fail(fmt::format("\"{}\" must be a token and its id", key));
    return {Kind::Special, 0, readId(pair[1], part), pair[0].get<std::string>()};
}

Item withType(Item item, std::int64_t typeId)
{
    item.typeId = typeId;
    return item;
}

/// One token of a template may stand for several.
void appendSpecial(const Part &token, const Part &processor, PostProcessor::Template &layout)
{
    const std::string name = token.text("id");
    const Part specials = processor.inner("special_tokens");
    if (!specials.has(name.c_str()))
        processor.fail(fmt::format("\"special_tokens\" lacks \"{}\"", name));
    const Part special = specials.inner(name.c_str());
    const nlohmann::json &ids = special.inner("ids").json();
    const nlohmann::json &tokens = special.inner("tokens").json();
    if (!ids.is_array() || !tokens.is_array() || ids.size() != tokens.size() || ids.size() > kMostItems)
        special.fail("needs as many ids as tokens");
    for (std::size_t i = 0; i < ids.size(); ++i) {
        if (!tokens[i].is_string())
            special.fail("\"tokens\" must be texts");
        layout.push_back(
            {Kind::Special, token.number("type_id", 0), readId(ids[i], special), tokens[i].get<std::string>()});
    }
}

std::ptrdiff_t countOf(const PostProcessor::Template &layout, Kind kind)
{
    return std::count_if(layout.begin(), layout.end(), [kind](const Item &item) { return item.kind == kind; });
}

} // namespace

PostProcessor::PostProcessor()
    : m_single{{Kind::First, 0, 0, {}}}, m_pair{{Kind::First, 0, 0, {}}, {Kind::Second, 1, 0, {}}}
{
}

PostProcessor::PostProcessor(const Part &part) : PostProcessor()
{
    read(part);
}

PostProcessor::PostProcessor(Template single, Template pair) : m_single(std::move(single)), m_pair(std::move(pair))
{
    m_hasTemplate = true;
}

std::size_t PostProcessor::specialTokens(bool isPair) const
{
    return static_cast<std::size_t>(countOf(layout(isPair), Kind::Special));
}

void PostProcessor::read(const Part &part)
{
    const std::string type = part.type();
    if (type == "Sequence") {
        for (const Part &member : part.list("processors"))
            read(member);
    } else if (type == "ByteLevel") {
        readTrimming(part);
    } else if (type == "TemplateProcessing") {
        readTemplate(part);
    } else if (type == "BertProcessing") {
        readCls(part, false);
    } else if (type == "RobertaProcessing") {
        readTrimming(part);
        readCls(part, true);
    } else {
        part.unsupported();
    }
}

void PostProcessor::readTrimming(const Part &part)
{
    if (part.flag("trim_offsets", true)) {
        m_trimsSpans = true;
        m_hasPrefixSpace = part.flag("add_prefix_space", true);
    }
}

void PostProcessor::readCls(const Part &part, bool isRoberta)
{
    if (std::exchange(m_hasTemplate, true))
        part.fail("two templates for special tokens are not supported");
    const Item cls = readPair(part, "cls");
    const Item sep = readPair(part, "sep");
    const Item first{Kind::First, 0, 0, {}};
    const std::int64_t secondType = isRoberta ? 0 : 1;
    m_single = {cls, first, sep};
    m_pair = {cls, first, sep};
    if (isRoberta)
        m_pair.push_back(sep);
    m_pair.push_back({Kind::Second, secondType, 0, {}});
    m_pair.push_back(withType(sep, secondType));
}

void PostProcessor::readTemplate(const Part &part)
{
    if (std::exchange(m_hasTemplate, true))
        part.fail("two templates for special tokens are not supported");
    m_single = readLayout(part, "single", false);
    m_pair = readLayout(part, "pair", true);
}

PostProcessor::Template PostProcessor::readLayout(const Part &part, const char *key, bool isPair) const
{
    Template layout;
    for (const Part &item : part.list(key)) {
        if (item.has("SpecialToken")) {
            appendSpecial(item.inner("SpecialToken"), part, layout);
            continue;
        }
        const Part sequence = item.inner("Sequence");
        const std::string name = sequence.text("id");
        if (name != "A" && name != "B")
            sequence.fail("\"id\" must be A or B");
        layout.push_back({name == "A" ? Kind::First : Kind::Second, sequence.number("type_id", 0), 0, {}});
    }
    if (countOf(layout, Kind::First) != 1 || countOf(layout, Kind::Second) != (isPair ? 1 : 0))
        part.fail(fmt::format("\"{}\" must hold every text once", key));
    return layout;
}

} // namespace headscope::pipeline

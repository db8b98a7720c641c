#include "core/base/headref.h"

#include "core/base/parsednumber.h"

#include <algorithm>

namespace headscope {

std::string toText(const HeadRef &head)
{
    return std::string(headKindName(head.kind)) + '.' + std::to_string(head.layer) + '.' + std::to_string(head.head);
}

namespace {

bool parseNumber(std::string_view text, int &number)
{
    const auto found = parsedNumber<int>(text);
    number = found.value_or(-1);
    return number >= 0;
}

std::string_view trimmed(std::string_view text)
{
    constexpr std::string_view kBlanks = " \t\r\n";
    const auto first = text.find_first_not_of(kBlanks);
    if (first == std::string_view::npos)
        return {};
    return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

} // namespace

Result<HeadRef> parseHeadRef(std::string_view text)
{
    const auto bad = [&] {
        return usageError("\"" + std::string(text)
                          + "\" is not a head: expected KIND.LAYER.HEAD, zero-based, such as encoder.2.6.");
    };
    const auto firstDot = text.find('.');
    const auto lastDot = text.rfind('.');
    if (firstDot == std::string_view::npos || firstDot == lastDot)
        return bad();
    const auto kind = parseHeadKind(text.substr(0, firstDot));
    HeadRef head;
    if (!kind.isOk() || !parseNumber(text.substr(firstDot + 1, lastDot - firstDot - 1), head.layer)
        || !parseNumber(text.substr(lastDot + 1), head.head))
        return bad();
    head.kind = kind.value();
    return head;
}

HeadLayout::HeadLayout(std::vector<Block> blocks) : m_blocks(std::move(blocks))
{
    std::ranges::sort(m_blocks, {}, &Block::kind);
    for (const Block &block : m_blocks) {
        for (std::size_t layer = 0; layer < block.layers.size(); ++layer) {
            for (int head : block.layers[layer])
                m_heads.push_back({block.kind, static_cast<int>(layer), head});
        }
    }
}

const HeadLayout::Block *HeadLayout::block(HeadKind kind) const
{
    const auto found = std::ranges::find(m_blocks, kind, &Block::kind);
    return found == m_blocks.end() ? nullptr : &*found;
}

std::int64_t HeadLayout::indexOf(const HeadRef &head) const
{
    const auto found = std::ranges::lower_bound(m_heads, head);
    return found != m_heads.end() && *found == head ? found - m_heads.begin() : -1;
}

std::string toText(const HeadMask &mask)
{
    std::string text;
    for (const HeadRef &head : mask)
        text += (text.empty() ? "" : ",") + toText(head);
    return text;
}

Result<HeadMask> parseHeadMask(std::string_view text)
{
    HeadMask mask;
    while (!trimmed(text).empty()) {
        const auto comma = text.find(',');
        auto head = parseHeadRef(trimmed(text.substr(0, comma)));
        if (!head.isOk())
            return head.error();
        mask.set(head.value(), true);
        text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
    }
    return mask;
}

} // namespace headscope

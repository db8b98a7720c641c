#include "core/formats/utf8.h"
#include "core/tokenize/pipeline/base64.h"
#include "core/tokenize/pipeline/normalizer.h"
#include "core/tokenize/spmcheck.h"

#include <utf8proc.h>

#include <optional>

namespace headscope::pipeline {
namespace {

std::uint32_t littleEndian(std::string_view bytes, std::size_t at)
{
    std::uint32_t number = 0;
    for (std::size_t i = 4; i-- > 0;)
        number = number << 8 | static_cast<unsigned char>(bytes[at + i]);
    return number;
}

/// SentencePiece's table of replacements: a Darts double-array and the texts that it points into.
class CharsMap
{
public:
    /// Precondition: isSafeCharsMap(bytes), which lets every link of the trie be followed.
    explicit CharsMap(std::string_view bytes)
    {
        const std::size_t size = littleEndian(bytes, 0);
        for (std::size_t at = 4; at < 4 + size; at += 4)
            m_units.push_back(littleEndian(bytes, at));
        m_replacements = bytes.substr(4 + size);
    }

    const std::string &replacements() const { return m_replacements; }

    /// The replacement of `text`: that of its shortest prefix that has one, as the fast tokenizers take it.
    std::optional<std::string_view> find(std::string_view text) const
    {
        std::size_t node = offset(m_units[0]);
        for (const char byte : text) {
            const auto label = static_cast<unsigned char>(byte);
            if (label == 0)
                break;
            node ^= label;
            const std::uint32_t unit = m_units[node];
            if ((unit & (kLeaf | 0xFFu)) != label)
                break;
            node ^= offset(unit);
            if (unit >> 8 & 1)
                return replacement(m_units[node] & ~kLeaf);
        }
        return std::nullopt;
    }

private:
    static constexpr std::uint32_t kLeaf = 0x80000000u;

    static std::size_t offset(std::uint32_t unit) { return (unit >> 10) << ((unit & (1u << 9)) >> 6); }

    /// nullopt in the middle of a character.
    std::optional<std::string_view> replacement(std::size_t at) const
    {
        if ((static_cast<unsigned char>(m_replacements[at]) & 0xC0) == 0x80)
            return std::nullopt;
        return std::string_view(m_replacements).substr(at, m_replacements.find('\0', at) - at);
    }

    std::vector<std::uint32_t> m_units;
    std::string m_replacements;
};

std::size_t graphemeEnd(std::string_view text, std::size_t at)
{
    Char last = charAt(text, at);
    at += last.size;
    utf8proc_int32_t state = 0;
    while (at < text.size()) {
        const Char next = charAt(text, at);
        if (utf8proc_grapheme_break_stateful(static_cast<utf8proc_int32_t>(last.code),
                                             static_cast<utf8proc_int32_t>(next.code), &state))
            break;
        at += next.size;
        last = next;
    }
    return at;
}

class Precompiled final : public Normalizer
{
public:
    explicit Precompiled(CharsMap map) : m_map(std::move(map)) { }

    /// Short graphemes as a whole, others character by character.
    void apply(AlignedText &text) const override
    {
        constexpr std::size_t kLongestGrapheme = 5;
        const std::string old = text.text();
        Rewriter rewriter(text);
        while (!rewriter.atEnd()) {
            const std::size_t begin = rewriter.position();
            const std::size_t end = graphemeEnd(old, begin);
            const std::string_view grapheme(old.data() + begin, end - begin);
            if (grapheme.size() <= kLongestGrapheme && replace(rewriter, grapheme))
                continue;
            while (rewriter.position() < end)
                if (!replace(rewriter, std::string_view(old).substr(rewriter.position(), rewriter.peek().size)))
                    rewriter.keep();
        }
        rewriter.finish();
    }

private:
    bool replace(Rewriter &rewriter, std::string_view part) const
    {
        const auto replacement = m_map.find(part);
        if (!replacement)
            return false;
        const std::size_t end = rewriter.position() + part.size();
        for (std::size_t at = 0; at < replacement->size();) {
            const Char next = charAt(*replacement, at);
            rewriter.position() < end ? rewriter.replace(next.code) : rewriter.insert(next.code);
            at += next.size;
        }
        while (rewriter.position() < end)
            rewriter.skip();
        return true;
    }

    CharsMap m_map;
};

} // namespace

NormalizerPtr makePrecompiled(const Part &part)
{
    // A SentencePiece file gives the bytes as they are.
    const nlohmann::json *given = part.has("precompiled_charsmap") ? &part.json()["precompiled_charsmap"] : nullptr;
    std::optional<std::string> bytes;
    if (given && given->is_binary())
        bytes.emplace(given->get_binary().begin(), given->get_binary().end());
    else
        bytes = fromBase64(part.text("precompiled_charsmap"));
    if (!bytes || bytes->empty() || !isSafeCharsMap(*bytes))
        part.fail("\"precompiled_charsmap\" is damaged");
    CharsMap map(*bytes);
    if (firstInvalidUtf8(map.replacements()))
        part.fail("\"precompiled_charsmap\" is damaged");
    return std::make_unique<Precompiled>(std::move(map));
}

} // namespace headscope::pipeline

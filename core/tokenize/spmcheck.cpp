#include "core/tokenize/spmcheck.h"

#include "core/formats/bytereader.h"
#include "core/formats/utf8.h"
#include "core/tokenize/protobufreader.h"

#include <fmt/format.h>

#include <vector>

namespace headscope {
namespace {

constexpr std::size_t kLargestModel = std::size_t{256} << 20;
constexpr std::size_t kLongestPiece = 4096;

/// Follows every link of a Darts double-array (`units`), whose values are positions in `replacements`.
bool isClosedTrie(const std::vector<std::uint32_t> &units, std::string_view replacements)
{
    constexpr std::uint32_t kLeaf = 0x80000000u;
    for (std::uint32_t i = 0; i < units.size(); ++i) {
        const std::uint32_t unit = units[i];
        if (unit & kLeaf)
            continue;
        const std::uint32_t offset = (unit >> 10) << ((unit & (1u << 9)) >> 6);
        if (((i ^ offset) | 0xFFu) >= units.size())
            return false;
        const bool hasLeaf = (unit >> 8) & 1;
        if (hasLeaf && (units[i ^ offset] & ~kLeaf) >= replacements.size())
            return false;
    }
    return true;
}

} // namespace

bool isSafeCharsMap(std::string_view map)
{
    // Size of the trie, the trie, replacement texts that each end with NUL.
    if (map.empty())
        return true;
    ByteReader reader(std::as_bytes(std::span(map)));
    const auto trieBytes = reader.number(4);
    if (!trieBytes || *trieBytes == 0 || *trieBytes % 1024 != 0 || *trieBytes >= reader.left())
        return false;
    std::vector<std::uint32_t> units;
    for (std::uint64_t i = 0; i < *trieBytes / 4; ++i)
        units.push_back(static_cast<std::uint32_t>(*reader.number(4)));
    const std::string_view replacements = *reader.text(reader.left());
    return replacements.ends_with('\0') && isClosedTrie(units, replacements);
}

namespace {

class ModelCheck
{
public:
    /// Empty when all is well.
    std::string run(std::string_view bytes)
    {
        ProtobufReader model(bytes);
        std::size_t pieces = 0;
        while (!model.atEnd()) {
            const auto field = model.next();
            if (!field)
                return "it is damaged or cut off";
            if (field->number == 1) {
                if (field->wireType != 2 || !checkPiece(field->bytes))
                    return fmt::format("its piece {} is damaged", pieces);
                ++pieces;
            }
            // 3 and 5: the normaliser's and the denormaliser's settings
            if ((field->number == 3 || field->number == 5) && (field->wireType != 2 || !checkNormalizer(field->bytes)))
                return "its normalisation table is damaged";
        }
        if (pieces == 0)
            return "it has no pieces";
        if (m_unknowns != 1)
            return fmt::format("it has {} unknown pieces instead of one", m_unknowns);
        return {};
    }

private:
    bool checkPiece(std::string_view bytes)
    {
        constexpr std::uint64_t kUnknown = 2;
        ProtobufReader piece(bytes);
        std::string_view text;
        std::uint64_t type = 1;
        while (!piece.atEnd()) {
            const auto field = piece.next();
            if (!field)
                return false;
            if (field->number == 1)
                text = field->bytes;
            if (field->number == 3)
                type = field->value;
        }
        m_unknowns += type == kUnknown;
        return !text.empty() && text.size() <= kLongestPiece && text.find('\0') == std::string_view::npos
            && !firstInvalidUtf8(text);
    }

    static bool checkNormalizer(std::string_view bytes)
    {
        ProtobufReader normalizer(bytes);
        while (!normalizer.atEnd()) {
            const auto field = normalizer.next();
            if (!field || (field->number == 2 && (field->wireType != 2 || !isSafeCharsMap(field->bytes))))
                return false;
        }
        return true;
    }

    std::size_t m_unknowns = 0;
};

} // namespace

Result<Done> checkSentencePieceModel(std::string_view bytes, const std::string &name)
{
    const std::string why = bytes.size() > kLargestModel ? "it is unreasonably large" : ModelCheck().run(bytes);
    if (!why.empty())
        return badInput(fmt::format("{} is not a SentencePiece model: {}", name, why));
    return Done{};
}

} // namespace headscope

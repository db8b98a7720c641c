#include "core/tokenize/spmmerges.h"

#include "core/tokenize/pipeline/unicode.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <unordered_map>

namespace headscope {
namespace {

struct Merge
{
    std::string_view left;
    std::string_view right;
    float score = 0;
    std::size_t leftChars = 0;
    std::size_t rightChars = 0;
};

using Ids = std::unordered_map<std::string_view, std::size_t>;

/// All of one piece, ordered by the ids of their halves.
std::vector<Merge> mergesInto(const SpmFile::Piece &piece, const Ids &ids)
{
    std::vector<Merge> merges;
    const std::string_view text = piece.text;
    const std::size_t chars = pipeline::charCount(text);
    std::size_t leftChars = 0;
    for (std::size_t at = 0; at < text.size();) {
        at += pipeline::charAt(text, at).size;
        ++leftChars;
        const Merge merge{text.substr(0, at), text.substr(at), piece.score, leftChars, chars - leftChars};
        if (ids.contains(merge.left) && ids.contains(merge.right))
            merges.push_back(merge);
    }
    std::ranges::stable_sort(merges, {}, [&ids](const Merge &merge) {
        return std::pair(ids.at(merge.left), ids.at(merge.right));
    });
    return merges;
}

} // namespace

Result<nlohmann::json> mergesOf(const std::vector<SpmFile::Piece> &pieces)
{
    constexpr std::size_t kLongest = 512;
    Ids ids;
    for (std::size_t id = 0; id < pieces.size(); ++id)
        ids[pieces[id].text] = id;
    std::vector<Merge> merges;
    for (const SpmFile::Piece &piece : pieces) {
        if (piece.text.size() > kLongest)
            return badInput(fmt::format("a piece has {} bytes, which is unreasonably long", piece.text.size()));
        const auto own = mergesInto(piece, ids);
        merges.insert(merges.end(), own.begin(), own.end());
    }
    std::ranges::stable_sort(merges, std::ranges::greater(), [](const Merge &merge) {
        return std::tuple(merge.score, merge.leftChars, merge.rightChars);
    });
    nlohmann::json list = nlohmann::json::array();
    for (const Merge &merge : merges)
        list.push_back({merge.left, merge.right});
    return list;
}

} // namespace headscope

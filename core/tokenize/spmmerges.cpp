#include "core/tokenize/spmmerges.h"

#include "core/tokenize/pipeline/unicode.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

namespace headscope {
namespace {

struct Merge
{
    std::string_view left;
    std::string_view right;
    double score = 0;
    std::size_t leftChars = 0;
    std::size_t rightChars = 0;
};

using Ids = std::unordered_map<std::string_view, std::size_t>;

/// All of one piece, ordered by the ids of their halves.
std::vector<Merge> mergesInto(std::string_view text, double score, const Ids &ids)
{
    std::vector<Merge> merges;
    const std::size_t chars = pipeline::charCount(text);
    std::size_t leftChars = 0;
    for (std::size_t at = 0; at < text.size();) {
        at += pipeline::charAt(text, at).size;
        ++leftChars;
        const Merge merge{text.substr(0, at), text.substr(at), score, leftChars, chars - leftChars};
        if (ids.contains(merge.left) && ids.contains(merge.right))
            merges.push_back(merge);
    }
    std::ranges::stable_sort(merges, {},
                             [&ids](const Merge &merge) { return std::pair(ids.at(merge.left), ids.at(merge.right)); });
    return merges;
}

} // namespace

Result<nlohmann::json> mergesOf(const nlohmann::json &pieces, const SpmFile &file)
{
    constexpr std::size_t kLongest = 512;
    Ids ids;
    for (std::size_t id = 0; id < file.pieces.size(); ++id)
        ids[file.pieces[id].text] = id;
    std::vector<Merge> merges;
    for (const nlohmann::json &piece : pieces) {
        const std::string_view text = piece[0].get_ref<const std::string &>();
        if (text.size() > kLongest)
            return badInput(fmt::format("a piece has {} bytes, which is unreasonably long", text.size()));
        const auto own = mergesInto(text, piece[1].get<double>(), ids);
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

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace headscope {

/// Ids above are no vocabulary: every id is a row of the model's embedding.
inline constexpr std::int64_t kLargestTokenId = (std::int64_t{1} << 24) - 1;

/// Pieces and their ids, both ways.
class Vocabulary
{
public:
    Vocabulary() = default;
    Vocabulary(Vocabulary &&) = default;
    Vocabulary &operator=(Vocabulary &&) = default;

    enum class Added { Yes, IdTaken, IdOutOfRange };
    /// A piece that is there already keeps its id.
    Added add(const std::string &piece, std::int64_t id);

    /// -1 when unknown.
    std::int64_t find(std::string_view piece) const;
    /// Empty when there is none.
    const std::string &piece(std::int64_t id) const;
    bool hasId(std::int64_t id) const { return pieceOf(id) != nullptr; }
    /// One more than the largest id.
    std::int64_t size() const { return m_size; }
    /// Calls `handle` with every piece and its id, in no order.
    template<typename Handle>
    void forEach(Handle handle) const
    {
        for (const auto &[piece, id] : m_ids)
            handle(std::string_view(piece), id);
    }

private:
    struct Hash
    {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
    };

    std::unordered_map<std::string, std::int64_t, Hash, std::equal_to<>> m_ids;
    const std::string *pieceOf(std::int64_t id) const;

    // The keys of m_ids, which stay where they are: of ordinary ids in a list, of ids that only a damaged file would
    // have in a map, so that one of them does not cost memory for all below.
    std::vector<const std::string *> m_pieces;
    std::unordered_map<std::int64_t, const std::string *> m_farPieces;
    std::int64_t m_size = 0;
};

} // namespace headscope

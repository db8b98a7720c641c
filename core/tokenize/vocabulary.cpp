#include "core/tokenize/vocabulary.h"

#include <algorithm>

namespace headscope {
namespace {

constexpr std::int64_t kListed = std::int64_t{1} << 20;

} // namespace

Vocabulary::Added Vocabulary::add(const std::string &piece, std::int64_t id)
{
    if (id < 0 || id > kLargestTokenId)
        return Added::IdOutOfRange;
    const auto [entry, isNew] = m_ids.try_emplace(piece, id);
    if (!isNew)
        return Added::Yes;
    if (pieceOf(id)) {
        m_ids.erase(entry);
        return Added::IdTaken;
    }
    if (id >= kListed) {
        m_farPieces.emplace(id, &entry->first);
    } else {
        m_pieces.resize(std::max(m_pieces.size(), static_cast<std::size_t>(id) + 1));
        m_pieces[static_cast<std::size_t>(id)] = &entry->first;
    }
    m_size = std::max(m_size, id + 1);
    return Added::Yes;
}

std::int64_t Vocabulary::find(std::string_view piece) const
{
    const auto found = m_ids.find(piece);
    return found == m_ids.end() ? -1 : found->second;
}

const std::string &Vocabulary::piece(std::int64_t id) const
{
    static const std::string kNothing;
    const std::string *found = pieceOf(id);
    return found ? *found : kNothing;
}

const std::string *Vocabulary::pieceOf(std::int64_t id) const
{
    if (id >= 0 && id < static_cast<std::int64_t>(m_pieces.size()))
        return m_pieces[static_cast<std::size_t>(id)];
    const auto found = m_farPieces.find(id);
    return found == m_farPieces.end() ? nullptr : found->second;
}

} // namespace headscope

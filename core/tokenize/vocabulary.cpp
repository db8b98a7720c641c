#include "core/tokenize/vocabulary.h"

#include <algorithm>

namespace headscope {

Vocabulary::Added Vocabulary::add(const std::string &piece, std::int64_t id)
{
    if (id < 0 || id > kLargestTokenId)
        return Added::IdOutOfRange;
    const auto [entry, isNew] = m_ids.try_emplace(piece, id);
    if (!isNew)
        return Added::Yes;
    if (!m_pieces.emplace(id, &entry->first).second) {
        m_ids.erase(entry);
        return Added::IdTaken;
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
    const auto found = m_pieces.find(id);
    return found == m_pieces.end() ? kNothing : *found->second;
}

} // namespace headscope

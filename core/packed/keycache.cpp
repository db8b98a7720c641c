#include "core/packed/keycache.h"

#include "core/tensor/indextensor.h"

#include <torch/torch.h>

#include <algorithm>
#include <cstring>

namespace headscope {

bool KeyCache::isInFloats() const
{
    return m_data.options().device().is_cpu() && m_data.options().dtype() == torch::kFloat32;
}

void KeyCache::begin(std::int64_t slot, const Rows &from, std::int64_t first, std::int64_t count)
{
    if (count == 0 || m_data.width() == 0)
        return;
    if (isInFloats())
        std::memcpy(m_data.row(slot * m_room), from.row(first),
                    static_cast<std::size_t>(count * m_data.width()) * sizeof(float));
    else
        m_data.tensor().narrow(0, slot * m_room, count).copy_(from.tensor().narrow(0, first, count));
}

void KeyCache::append(const Rows &fresh, std::span<const std::int64_t> slots, std::span<const std::int64_t> positions)
{
    if (m_data.width() == 0)
        return;
    std::vector<std::int64_t> rows;
    for (std::size_t i = 0; i < slots.size(); ++i)
        rows.push_back(slots[i] * m_room + positions[i]);
    if (!isInFloats()) {
        m_data.tensor().index_copy_(0, indexTensor(rows, m_data.options().device()), fresh.tensor());
        return;
    }
    for (std::size_t i = 0; i < rows.size(); ++i)
        std::memcpy(m_data.row(rows[i]), fresh.row(static_cast<std::int64_t>(i)),
                    static_cast<std::size_t>(m_data.width()) * sizeof(float));
}

void KeyCache::grow(std::span<const std::int64_t> slots, std::int64_t room)
{
    KeyCache larger(std::ssize(slots), room, m_data.width(), m_data.options());
    for (std::size_t i = 0; i < slots.size(); ++i)
        larger.begin(static_cast<std::int64_t>(i), m_data, slots[i] * m_room, std::min(m_room, room));
    *this = std::move(larger);
}

} // namespace headscope

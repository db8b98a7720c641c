#include "core/packed/keycache.h"

#include "core/packed/rowsegments.h"
#include "core/tensor/indextensor.h"

#include <torch/types.h>

#include <algorithm>
#include <cstring>
#include <numeric>

namespace headscope {

/// Whether rows can be copied by the processor as they are: the cache is in float32 there, and so are they (some
/// products give bfloat16 numbers).
bool KeyCache::isInFloats(const Rows &fresh) const
{
    const auto inFloats = [](const Rows &rows) {
        return rows.options().device().is_cpu() && rows.options().dtype() == torch::kFloat32;
    };
    return inFloats(m_data) && inFloats(fresh);
}

void KeyCache::begin(std::span<const std::int64_t> slots, std::span<const KeyRows> known)
{
    if (m_data.width() == 0)
        return;
    RowSegments rows; // of a device, or of another type
    std::vector<std::int64_t> first, count;
    for (std::size_t i = 0; i < known.size(); ++i) {
        const KeyRows &own = known[i];
        const std::int64_t begin = slots[i] * m_room;
        if (own.count == 0)
            continue;
        if (isInFloats(*own.rows)) {
            std::memcpy(m_data.row(begin), own.rows->row(own.first),
                        static_cast<std::size_t>(own.count * m_data.width()) * sizeof(float));
            continue;
        }
        rows.add(own);
        first.push_back(begin);
        count.push_back(own.count);
    }
    if (!first.empty())
        m_data.tensor().index_copy_(0, segmentIndices(first, count, m_data.options().device()),
                                    rows.gathered(m_data.width(), m_data.options()));
}

void KeyCache::append(const Rows &fresh, std::span<const std::int64_t> slots, std::span<const std::int64_t> positions,
                      KeptIndices *kept)
{
    if (m_data.width() == 0)
        return;
    std::vector<std::int64_t> rows;
    for (std::size_t i = 0; i < slots.size(); ++i)
        rows.push_back(slots[i] * m_room + positions[i]);
    if (!isInFloats(fresh)) {
        const auto make = [&] { return indexTensor(rows, m_data.options().device()); };
        m_data.tensor().index_copy_(0, kept ? kept->of(KeptIndices::Kind::Rows, rows, make) : make(),
                                    fresh.tensor().to(m_data.options()));
        return;
    }
    for (std::size_t i = 0; i < rows.size(); ++i)
        std::memcpy(m_data.row(rows[i]), fresh.row(static_cast<std::int64_t>(i)),
                    static_cast<std::size_t>(m_data.width()) * sizeof(float));
}

void KeyCache::grow(std::span<const std::int64_t> used, std::int64_t count, std::int64_t room)
{
    KeyCache larger(count, room, m_data.width(), m_data.options());
    std::vector<std::int64_t> slots(used.size());
    std::iota(slots.begin(), slots.end(), 0);
    std::vector<KeyRows> known;
    for (const std::int64_t slot : used)
        known.push_back(of(slot, std::min(m_room, room)));
    larger.begin(slots, known);
    *this = std::move(larger);
}

} // namespace headscope

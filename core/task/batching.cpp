#include "core/task/batching.h"

#include <algorithm>
#include <numeric>

namespace headscope {

std::vector<std::vector<std::int64_t>> batchesByLength(std::vector<std::int64_t> ids, std::int64_t batchTokens,
                                                       const std::function<std::int64_t(std::int64_t)> &lengthOf)
{
    std::ranges::stable_sort(ids, {}, lengthOf);
    std::vector<std::vector<std::int64_t>> batches;
    for (std::int64_t id : ids) {
        // Ascending lengths: the row that joins is the longest, and all rows are padded to it.
        if (batches.empty() || (std::ssize(batches.back()) + 1) * lengthOf(id) > batchTokens)
            batches.emplace_back();
        batches.back().push_back(id);
    }
    return batches;
}

std::vector<std::int64_t> allIds(std::int64_t size)
{
    std::vector<std::int64_t> ids(static_cast<std::size_t>(size));
    std::iota(ids.begin(), ids.end(), 0);
    return ids;
}

} // namespace headscope

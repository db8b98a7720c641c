#include "core/train/batching.h"

#include "core/base/random.h"

#include <algorithm>
#include <numeric>

namespace headscope {

std::vector<std::vector<std::int64_t>> epochBatches(const std::vector<ExampleLength> &lengths, std::int64_t batchTokens,
                                                    std::uint64_t seed, std::int64_t epoch)
{
    Random random(seed * 1'000'003 + static_cast<std::uint64_t>(epoch));
    std::vector<std::int64_t> ids(lengths.size());
    std::iota(ids.begin(), ids.end(), 0);
    shuffle(ids, random);
    const auto length = [&](std::int64_t id) -> const ExampleLength & { return lengths[static_cast<std::size_t>(id)]; };
    std::ranges::stable_sort(ids, {}, [&](std::int64_t id) {
        const auto [source, target] = length(id);
        return std::pair(std::max(source, target), target);
    });
    std::vector<std::vector<std::int64_t>> batches;
    for (const std::int64_t id : ids) {
        // Ascending: the one that joins is the longest, and all are padded to it.
        const auto longer = std::max(length(id).first, length(id).second);
        if (batches.empty() || (std::ssize(batches.back()) + 1) * longer > batchTokens)
            batches.emplace_back();
        batches.back().push_back(id);
    }
    shuffle(batches, random);
    return batches;
}

std::vector<std::vector<std::int64_t>> batchParts(const std::vector<std::int64_t> &batch,
                                                  const std::vector<ExampleLength> &lengths, std::int64_t partTokens)
{
    const auto tokens = [&](std::int64_t id) {
        const auto [source, target] = lengths[static_cast<std::size_t>(id)];
        return std::max(source, target);
    };
    std::int64_t total = 0;
    for (const std::int64_t id : batch)
        total += tokens(id);
    const std::int64_t wanted = std::clamp<std::int64_t>((total + partTokens - 1) / partTokens, 1, std::ssize(batch));
    std::vector<std::vector<std::int64_t>> parts;
    std::int64_t before = 0;
    for (const std::int64_t id : batch) {
        if (parts.empty() || before * wanted >= total * std::ssize(parts))
            parts.emplace_back();
        parts.back().push_back(id);
        before += tokens(id);
    }
    return parts;
}

} // namespace headscope

#include "core/analysis/attentionpass.h"

#include "core/engine/engine.h"

#include <algorithm>

namespace headscope {
namespace {

/// Number of examples whose findings are in memory at the same time.
constexpr std::int64_t kAtOnce = 128;

} // namespace

std::vector<std::vector<std::int64_t>> AttentionPass::parts() const
{
    std::vector<std::vector<std::int64_t>> blocks = visitingOrder(m_task, m_options.run);
    if (const auto &wanted = m_options.examples) {
        for (auto &block : blocks)
            std::erase_if(block, [&](std::int64_t id) { return !std::ranges::binary_search(*wanted, id); });
    }
    return inSlices(blocks, kAtOnce);
}

bool AttentionPass::says(std::int64_t examples) const
{
    std::int64_t seen = 0;
    return std::ranges::any_of(parts(), [&](const auto &part) { return (seen += std::ssize(part)) == examples; });
}

SeenBatch AttentionPass::see(const std::vector<std::int64_t> &ids, const OutputsById &own) const
{
    AttentionRequest request{m_options.mask, m_options.valueNorms, nullptr};
    std::vector<std::vector<std::int64_t>> targets;
    if (m_prefix.isOwnOutput()) {
        for (const std::int64_t id : ids)
            targets.push_back(own.at(id));
        request.targets = &targets;
    }
    return {ids, m_task.attention(ids, request)};
}

} // namespace headscope

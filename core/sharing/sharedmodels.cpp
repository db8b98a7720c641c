#include "core/sharing/sharedmodels.h"

#include <algorithm>

namespace headscope {

std::shared_ptr<const SharedModel> SharedModels::kept(const SharedProjections &how)
{
    const std::scoped_lock lock(m_mutex);
    const auto found
        = std::ranges::find(m_kept, how, [](const auto &one) -> const SharedProjections & { return one.first; });
    if (found == m_kept.end())
        return nullptr;
    std::rotate(found, found + 1, m_kept.end());
    return m_kept.back().second;
}

std::shared_ptr<const SharedModel> SharedModels::made(const Transformer &model, const SharedProjections &how,
                                                      const Execution &execution, const JobControl &control)
{
    if (auto found = kept(how))
        return found;
    auto fresh = std::make_shared<const SharedModel>(withSharedProjections(model, how, execution, control));
    const std::scoped_lock lock(m_mutex);
    if (m_kept.size() == kMost)
        m_kept.erase(m_kept.begin());
    m_kept.emplace_back(how, fresh);
    return fresh;
}

} // namespace headscope

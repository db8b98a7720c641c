#pragma once

#include "core/sharing/sharedmodel.h"

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace headscope {

/// The models with shared projections that were made of one model: repeated requests return the existing model. The
/// last kMost are kept, as many as one analysis makes; all other weights are those of that model. Any thread may ask.
class SharedModels
{
public:
    static constexpr std::size_t kMost = 8;

    /// withSharedProjections(). Precondition: `model` is always the same.
    std::shared_ptr<const SharedModel> made(const Transformer &model, const SharedProjections &how,
                                            const Execution &execution, const JobControl &control);

private:
    std::shared_ptr<const SharedModel> kept(const SharedProjections &how);

    std::mutex m_mutex;
    std::vector<std::pair<SharedProjections, std::shared_ptr<const SharedModel>>> m_kept; ///< asked for last: last
};

} // namespace headscope

#pragma once

#include "core/base/jobcontrol.h"
#include "core/model/removeheads.h"

namespace headscope {

/// What tasks give to whoever looks at the model itself and not at scores: bare inputs, and the heads' mean contexts.
class ModelAccess
{
public:
    virtual ~ModelAccess() = default;
    virtual const Transformer &model() const = 0;
    /// What the encoder reads for these examples, in this order.
    virtual TokenBatch inputs(const std::vector<std::int64_t> &ids) const = 0;
    /// Mean context μ_h of every head over the data set, [H, Dh] by place. Computed once. Throws Failure or Cancelled.
    virtual const MeanContexts &meanContexts(const JobControl &control) const = 0;
};

} // namespace headscope

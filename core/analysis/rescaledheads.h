#pragma once

#include "core/base/headref.h"
#include "core/base/headscales.h"
#include "core/task/task.h"

#include <string>

/// Michel et al.'s published code can rescale what is left of a layer (their option --rescale): each head that stays is
/// multiplied by the layer's heads over those that stay, so that the layer's output keeps its size on average.
namespace headscope {

/// The factors heads / heads that stay, of the heads that `mask` leaves in layers that lose some. A layer without any
/// head has none.
HeadScales rescaledHeads(const HeadMask &mask, const HeadLayout &layout);

/// A metric's signature, which says whether the heads that stay were rescaled.
std::string signatureOf(const Task &task, const Metric &metric, const RunOptions &run, bool rescaled);

} // namespace headscope

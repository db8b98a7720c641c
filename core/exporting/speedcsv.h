#pragma once

#include "core/results/speedresult.h"

#include <string>

namespace headscope {

/// One line per way of batching, batch size and contender.
std::string toCsv(const SpeedResult &result);

} // namespace headscope

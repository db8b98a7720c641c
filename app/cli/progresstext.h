#pragma once

#include "core/base/jobcontrol.h"
#include "core/base/phase.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace headscope::cli {

/// "4:10", "1:02:00".
std::string durationText(double seconds);
/// "ablating heads: 120/960 examples, 35.2/s, 0:24 left". `recently` were done in the last `seconds`.
std::string progressText(const Progress &progress, std::int64_t recently, double seconds);
/// The reverse, its phase one of `known`; none: the line is no progress of a known total.
std::optional<Progress> progressFrom(std::string_view line, std::span<const Phase> known);

} // namespace headscope::cli

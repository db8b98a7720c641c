#pragma once

#include "core/results/json.h"
#include "core/results/speedresult.h"

namespace headscope {

/// {"result": "speed", …, "rows": [{"lengths", "batch_size", "contender", "examples_per_second": {"mean", "sd",
/// "median", "q1", "q3"}, …}]}. Times differ from run to run, so studies do not keep them and nothing reads them back.
Json toJson(const SpeedResult &result);

} // namespace headscope

#pragma once

#include "core/analysis/analyses.h"
#include "core/analysis/analysisinfo.h"
#include "core/results/optionsjson.h"

#include <nlohmann/json.hpp>

namespace headscope {

/// The request that a result answers, from the options in its manifest. Throws Failure for options that cannot be read.
template<typename Spec>
Spec specOf(const nlohmann::json &options)
{
    auto spec = optionsFrom<Spec>(options);
    spec.run = optionsFrom<RunOptions>(options);
    if constexpr (requires { AnalysisOf<Spec>::kSecond; })
        spec.*AnalysisOf<Spec>::kSecond.wanted = options.contains(secondOption<Spec>());
    return spec;
}

} // namespace headscope

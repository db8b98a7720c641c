#pragma once

#include "core/analysis/dynamicsspec.h"
#include "core/analysis/specoptions.h"
#include "core/data/datasource.h"
#include "core/results/manifest.h"
#include "core/results/optionsjson.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <vector>

/// The request of a result, as canonical JSON (decides its key) and as the command line that gives the same result.
namespace headscope {

/// The spec with defaults resolved, so that equal numbers have the same key, however they were requested.
template<typename Spec>
Spec canonical(Spec spec)
{
    return spec;
}
RelevanceSpec canonical(RelevanceSpec spec);
SpeedSpec canonical(SpeedSpec spec);
BestHeadsSpec canonical(BestHeadsSpec spec);
DynamicsSpec canonical(DynamicsSpec spec);

/// The options that decide a result's numbers, without those that have their defaults.
inline nlohmann::json decidingOptions(const RunOptions &run)
{
    return optionsOf(run);
}
template<typename Spec>
nlohmann::json decidingOptions(const Spec &spec)
{
    nlohmann::json options = optionsOf(spec.run);
    options.update(optionsOf(canonical(spec)));
    return options;
}

/// With the options that choose a multilingual model's languages; unchanged where there are none.
nlohmann::json withLanguages(nlohmann::json spec, const std::string &source, const std::string &target);

/// "headscope-cli ablate --model DIR --source … --beams 1 …", words quoted for a POSIX shell.
std::string commandLine(const std::string &analysis, const std::string &model, const DataSource &data,
                        const nlohmann::json &spec);
/// " --order-on SOURCE REFERENCE [TREES]" or " --order-on TABLE [TREES]", likewise of running text: how a command names
/// a second data set.
std::string secondDataOption(const char *option, const DataSource &data);

} // namespace headscope

#pragma once

#include "core/analysis/analysisinfo.h"
#include "core/analysis/specoptions.h"
#include "core/data/datasource.h"
#include "core/results/manifest.h"
#include "core/results/optionsjson.h"
#include "core/session/session.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

/// The request of a result, as canonical JSON (decides its key) and as the command line that gives the same result.
namespace headscope {

/// The spec with defaults resolved, so that equal numbers have the same key, however they were requested.
template<typename Spec>
Spec canonical(Spec spec)
{
    if constexpr (requires { AnalysisOf<Spec>::canonical(spec); })
        return AnalysisOf<Spec>::canonical(std::move(spec));
    else
        return spec;
}

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

/// The options of a data set that decide a result's numbers; its texts have a hash with a place of its own.
nlohmann::json decidingOptions(const DataSource &data);

/// With the options that choose a multilingual model's languages; unchanged where there are none.
nlohmann::json withLanguages(nlohmann::json spec, const std::string &source, const std::string &target);

/// "headscope-cli ablate --model DIR --source … --beams 1 …", words quoted for a POSIX shell.
std::string commandLine(const std::string &analysis, const std::string &model, const DataSource &data,
                        const nlohmann::json &spec);
/// " --order-on SOURCE REFERENCE [TREES]" or " --order-on TABLE [TREES]", or of running text: how a command names
/// a second data set beside a `first` one, and how that is read where it is not read alike.
std::string secondDataOption(const char *option, const DataSource &data, const DataSource &first);

/// The command line that a result's manifest states, quoted anew. Manifests come out of files of strangers: empty where
/// it is not a command of headscope-cli that computes this analysis, or has an option that does not decide its numbers.
std::string statedCommand(const Manifest &result);

/// The same data with absolute paths: as seen from every folder.
DataSource withAbsolutePaths(DataSource data);

/// The command line that computes a result again, wherever it is run: with the model folder and the data as they are
/// open now, by absolute paths. `other` is the second data set; null: none is open. Relative paths of further files (a
/// corpus, a run) are taken from the folder from which the result's model was seen. Paths on another machine
/// (ModelCard::host) stay as they are. Options that no analysis has are left out: the result's may come out of a
/// stranger's file.
std::string commandHere(const Manifest &result, const ModelCard &model, const DataSource &data,
                        const DataSource *other);

} // namespace headscope

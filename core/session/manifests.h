#pragma once

#include "core/analysis/relevancespec.h"
#include "core/analysis/rolesspec.h"
#include "core/analysis/specs.h"
#include "core/analysis/speedspec.h"
#include "core/data/datasource.h"
#include "core/results/manifest.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <vector>

/// What a result was asked for, as canonical JSON (decides its key) and as the command line that makes the same.
namespace headscope {

nlohmann::json toJson(const RunOptions &run);
nlohmann::json toJson(const EvaluationSpec &spec);
nlohmann::json toJson(const AblationSpec &spec);
nlohmann::json toJson(const ImportanceSpec &spec);
nlohmann::json toJson(const PruningSpec &spec);
nlohmann::json toJson(const SearchSpec &spec);
nlohmann::json toJson(const RolesSpec &spec);
nlohmann::json toJson(const SpeedSpec &spec);
nlohmann::json toJson(const RelevanceSpec &spec);

/// Numbers as a list of an option: "1,4,16".
nlohmann::json optionList(const std::vector<std::int64_t> &numbers);

/// With the options that choose a multilingual model's languages; unchanged where there are none.
nlohmann::json withLanguages(nlohmann::json spec, const std::string &source, const std::string &target);

/// "headscope-cli ablate --model DIR --source … --beams 1 …", words quoted for a POSIX shell.
std::string commandLine(const std::string &analysis, const std::string &model, const DataSource &data,
                        const nlohmann::json &spec);
/// " --order-on SOURCE REFERENCE [TREES]" or " --order-on TABLE [TREES]", likewise of running text: how a command names
/// a second data set.
std::string secondDataOption(const char *option, const DataSource &data);

} // namespace headscope

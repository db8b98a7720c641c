#pragma once

#include "core/base/result.h"
#include "core/results/bestheads.h"
#include "core/results/relevanceresult.h"
#include "core/results/results.h"
#include "core/results/rolesresult.h"
#include "core/results/searchresult.h"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>
#include <variant>

/// Results as JSON: the form of the command line and of study files (FORMAT.md). Numbers are written in the C
/// locale with all their digits; NaN is null. Every object names its kind in "result".
namespace headscope {

using Json = nlohmann::ordered_json;

using AnyResult = std::variant<EvaluationResult, AblationResult, ImportanceResult, PruningResult, ConfidenceResult,
                               AttentionResult, CompareResult, BestHeadsResult, SearchResult, RolesResult,
                               RelevanceResult>;

Json toJson(const Manifest &manifest);
Json toJson(const MetricValue &metric); ///< {"metric", "score", "ci_low", "ci_high", "signature"}
Json toJson(const ExampleOutput &output);
Json toJson(const EvaluationResult &result);
Json toJson(const AblationResult &result);
Json toJson(const ImportanceResult &result);
Json toJson(const PruningResult &result);
Json toJson(const ConfidenceResult &result);
Json toJson(const AttentionResult &result);
Json toJson(const CompareResult &result);
Json toJson(const BestHeadsResult &result);
Json toJson(const SearchResult &result);
Json toJson(const RolesResult &result);     // rolesjson.h
Json toJson(const RelevanceResult &result); // relevancejson.h
Json toJson(const AnyResult &result);

/// Text of a value; bytes that are not UTF-8 become U+FFFD. indent −1: on one line.
std::string jsonText(const Json &json, int indent = 2);

/// The reverse. `name` (usually a file) is what errors speak of.
Result<AnyResult> resultFromJson(const nlohmann::json &json, const std::string &name);
Result<Manifest> manifestFromJson(const nlohmann::json &json, const std::string &name);
Result<AnyResult> readResult(const std::filesystem::path &path);

/// The manifest of a result; nullptr for a comparison, which has none.
const Manifest *manifestOf(const AnyResult &result);
Manifest *manifestOf(AnyResult &result);
/// "ablate", "importance", …: the value of "result".
std::string kindOf(const AnyResult &result);

// Spellings of the command line

} // namespace headscope

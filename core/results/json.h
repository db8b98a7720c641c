#pragma once

#include "core/base/result.h"
#include "core/results/anyresult.h"
#include "core/results/roles.h"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>

/// Results as JSON: the form of the command line and of study files (FORMAT.md). Their fields are described in
/// resultfields.h. Numbers are written in the C locale with all their digits; NaN is null. Every object names its kind
/// in "result".
namespace headscope {

using Json = nlohmann::ordered_json;

Json toJson(const Manifest &manifest);
Json toJson(const ExampleOutput &output);
Json toJson(const AnyResult &result);
template<ResultStruct T>
Json toJson(const T &result)
{
    return toJson(borrowed(result));
}
/// With the labels that `thresholds` and `windowed` give: the form of the command `roles`.
Json toJson(const RolesResult &result, const RoleThresholds &thresholds, const WindowedSweep &windowed = {});
Json toJson(const RoleThresholds &thresholds);

/// Text of a value; bytes that are not UTF-8 become U+FFFD. indent −1: on one line.
std::string jsonText(const Json &json, int indent = 2);

/// The reverse. Errors call the text `name` (usually a file).
Result<AnyResult> resultFromJson(const nlohmann::json &json, const std::string &name);
Result<Manifest> manifestFromJson(const nlohmann::json &json, const std::string &name);
/// Missing fields are as by default. Throws as jsonread.h says.
RoleThresholds thresholdsFromJson(const nlohmann::json &json);
Result<AnyResult> readResult(const std::filesystem::path &path);

} // namespace headscope

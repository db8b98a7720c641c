#pragma once

#include "core/results/study.h"

#include <array>
#include <filesystem>
#include <string>
#include <vector>

namespace headscope {

/// Keys of a study's results, per data slot.
using StudyKeys = std::array<std::vector<std::string>, 2>;

/// Paths become relative to `folder` (absolute), the one that the study lies in, unless they are of another machine.
Json studyToJson(const Study &study, const StudyKeys &keys, const std::filesystem::path &folder);

struct ParsedStudy
{
    Study study;
    StudyKeys keys;
};
/// The reverse; Errors call it `name`.
Result<ParsedStudy> studyFromJson(const nlohmann::json &json, const std::string &name,
                                  const std::filesystem::path &folder);

} // namespace headscope

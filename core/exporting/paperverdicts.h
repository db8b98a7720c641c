#pragma once

#include "core/exporting/paperpage.h"

#include <filesystem>
#include <string>
#include <vector>

namespace headscope {

/// Verdicts on the claims of which no report says anything, from the tables beside it: training runs (`train`, `l0`),
/// `collaborate`, `coreference`, `probe`, `prune` and the window's exports. `files`: of the model's folder, as in
/// PaperRun. A table that is missing, or that lacks what a claim is about, gives none.
std::vector<PaperRun::Verdict> tableVerdicts(const std::filesystem::path &folder,
                                             const std::vector<std::string> &files);

} // namespace headscope

#pragma once

#include "core/base/result.h"
#include "core/exporting/reportpage.h"

#include <filesystem>
#include <string>
#include <vector>

namespace headscope {

/// A file of a report: its path in the report's folder and what is in it.
struct ReportFile
{
    std::string name;
    std::string bytes;
};

/// Whether a report may be written to `folder`: it does not exist, is empty, or holds a report of ours and nothing
/// else.
Result<Done> checkReportFolder(const std::filesystem::path &folder);

/// Tables, page and report.json, with `pictures` (an .svg, a .png and a .pdf in kFiguresFolder for each of `figures`),
/// whole or not at all. An older report is replaced. Errors: those of checkReportFolder, and what cannot be written.
Result<Done> writeReportFolder(const std::filesystem::path &folder, const ReportContents &contents,
                               const std::vector<ReportFigureCard> &figures, std::vector<ReportFile> pictures);

} // namespace headscope

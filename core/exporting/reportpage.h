#pragma once

#include "core/exporting/reportfindings.h"
#include "core/exporting/reporttables.h"

#include <string>
#include <vector>

namespace headscope {

/// Where a report has its pictures, and its tables.
inline constexpr char kFiguresFolder[] = "figures/";
inline constexpr char kTablesFolder[] = "tables/";

/// A picture of a report, as the page shows it.
struct ReportFigureCard
{
    std::string file; ///< without suffix: "pruning-in"; there is an .svg, a .png and a .pdf
    std::string title;
    std::string caption; ///< what is shown, of which data, with counts
};

/// index.html: findings first, then figures (small ones that lead to them, then all), tables and what they were
/// computed from. One file without scripts that refers to nothing but the figures and tables beside it; light and dark
/// as the reader's system is.
std::string reportPage(const ReportContents &contents, const std::vector<Finding> &findings,
                       const std::vector<ReportFigureCard> &figures, const std::vector<ReportTable> &tables);

/// report.json: the findings, the command and all manifests. `files` are those of the folder, by which a later report
/// knows that it may replace them.
std::string reportJson(const ReportContents &contents, const std::vector<Finding> &findings,
                       const std::vector<std::string> &files);

} // namespace headscope

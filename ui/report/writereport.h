#pragma once

#include "core/base/jobcontrol.h"
#include "core/results/reportcontents.h"

#include <filesystem>

namespace headscope {

/// Paints the figures and writes the report's folder (writeReportFolder). On the GUI thread, or on another one while
/// the GUI thread runs its event loop: it then paints one figure after the other, between its own events.
Result<Done> writeReport(const ReportContents &contents, const std::filesystem::path &folder,
                         const JobControl &control);

} // namespace headscope

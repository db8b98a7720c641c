#pragma once

#include "core/base/jobcontrol.h"
#include "core/results/reportcontents.h"

#include <filesystem>

/// For programs without a window, and without Qt in their sources.
namespace headscope {

/// writeReport() with an application object of its own, for which no display is needed. Call it on the main thread.
Result<Done> writeReportHeadless(const ReportContents &contents, const std::filesystem::path &folder,
                                 const JobControl &control);

} // namespace headscope

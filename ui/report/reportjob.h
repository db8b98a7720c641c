#pragma once

#include "core/session/report.h"
#include "ui/state/studycontroller.h"

#include <functional>

namespace headscope {

/// Computes what a report of the study needs and is not there yet, and writes it to `folder`: a job of the controller
/// with the tag kReportTag. `written` is called with the folder when it is there; what goes wrong is the study's error.
/// Runs with the controller's run options.
void startReport(StudyState &state, StudyController &controller, ReportSpec spec, const QString &folder,
                 const std::function<void(const QString &folder)> &written = {});
inline constexpr char kReportTag[] = "report";

} // namespace headscope

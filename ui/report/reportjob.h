#pragma once

#include "ui/state/studycontroller.h"

#include <functional>

namespace headscope {

/// Computes what a report of the study needs and is not there yet, and writes it to `folder`: a job of the controller
/// with the tag kReportTag. `written` is called with the folder when it is there; what goes wrong is the study's error.
void startReport(StudyState &state, StudyController &controller, const QString &folder,
                 const std::function<void(const QString &folder)> &written = {});
inline constexpr char kReportTag[] = "report";

} // namespace headscope

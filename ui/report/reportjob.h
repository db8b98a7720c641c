#pragma once

#include "core/session/report.h"
#include "ui/state/studycontroller.h"

#include <functional>
#include <optional>
#include <vector>

namespace headscope {

/// Computes what a report of the study needs and is not there yet, and writes it to `folder`: a job of the controller
/// with the tag kReportTag. `written` is called with the folder when it is there; what goes wrong is the study's error.
/// Runs with the controller's run options.
void startReport(StudyState &state, StudyController &controller, ReportSpec spec, const QString &folder,
                 const std::function<void(const QString &folder)> &written = {});
/// Measures what secondsOfReport() needs to know.
void measureForReport(const StudyState &state, StudyController &controller);
/// How long the scores of such a report take that are not there yet; nothing: nothing like them has been measured.
std::optional<double> secondsOfReport(const StudyState &state, const StudyController &controller, ReportSpec spec);
/// What can be done about one that takes long: all of it, less of it, greedy outputs. `write` asks for the folder.
std::vector<StudyController::Way> waysOfReport(const StudyState &state, StudyController &controller,
                                               const std::function<void(const ReportSpec &)> &write);
inline constexpr char kReportTag[] = "report";

} // namespace headscope

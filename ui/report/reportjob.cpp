#include "ui/report/reportjob.h"

#include "core/exporting/reportfolder.h"
#include "ui/report/writereport.h"

#include <QCoreApplication>
#include <QDir>

#include <algorithm>
#include <iterator>
#include <utility>

namespace headscope {

void startReport(StudyState &state, StudyController &controller, ReportSpec spec, const QString &folder,
                 const std::function<void(const QString &folder)> &written)
{
    const auto session = state.session();
    if (!session)
        return;
    state.setError(ErrorPlace::Study, {});
    const auto failed
        = [&state](const Error &error) { state.setError(ErrorPlace::Study, QString::fromStdString(error.message)); };
    const std::filesystem::path path(folder.toStdU16String());
    if (const Result<Done> free = checkReportFolder(path); free.isError())
        return failed(free.error());
    JobSpec job{QCoreApplication::translate("headscope::Report", "Write report"), QLatin1String(kReportTag),
                JobLane::Sweep, true};
    job.keepsItsWork = controller.keepsSweeps();
    spec.run = controller.runOptions();
    controller.queue().start<Done>(
        job,
        [session, spec, path,
         rule = SignificanceRule(state.significance())](const JobControl &control) -> Result<Done> {
            Result<ReportContents> computed = computeReport(*session, spec, control);
            if (computed.isCancelled())
                return Result<Done>::cancelled();
            if (computed.isError())
                return computed.error();
            ReportContents contents = std::move(computed).value();
            contents.significance = rule;
            auto written = writeReport(contents, path, control);
            if (written.isOk())
                session->release(keysOf(contents));
            return written;
        },
        &controller,
        [failed, written, folder](const Result<Done> &result) {
            if (result.isError())
                failed(result.error());
            else if (result.isOk() && written)
                written(folder);
        });
}

namespace {
/// What it scores the model for, by the controller's options.
std::vector<StudyController::Request> requestsOf(const StudyState &state, const StudyController &controller,
                                                 ReportSpec spec)
{
    spec.run = controller.runOptions();
    std::vector<StudyController::Request> requests;
    for (auto &[domain, part] : scoredParts(spec, state.layout(), state.data(Domain::Out).has_value()))
        requests.push_back({domain, std::move(part)});
    return requests;
}
} // namespace

void measureForReport(const StudyState &state, StudyController &controller)
{
    controller.times().measurePace(requestsOf(state, controller, {}));
}

std::optional<double> secondsOfReport(const StudyState &state, const StudyController &controller, ReportSpec spec)
{
    return controller.times().secondsOf(requestsOf(state, controller, std::move(spec)));
}

std::vector<StudyController::Way> waysOfReport(const StudyState &state, StudyController &controller,
                                               const std::function<void(const ReportSpec &)> &write)
{
    const ReportSpec all;
    ReportSpec less;
    less.randomOrders = 0;
    less.noSpeed = true;
    std::vector<StudyController::Way> ways;
    const auto add = [&](const QString &text, const ReportSpec &spec) {
        const auto seconds = secondsOfReport(state, controller, spec);
        ways.push_back({seconds ? text.arg(aboutTimeText(*seconds)) : QString(text).remove(QStringLiteral(": %1")),
                        [write, spec] { write(spec); }});
    };
    add(QCoreApplication::translate("headscope::Report", "All of it: %1"), all);
    add(QCoreApplication::translate("headscope::Report", "Without random orders and speed: %1"), less);
    if (controller.runOptions().decoding.beams != 1)
        std::ranges::move(controller.times().waysOfBeams(true, [write] { write(ReportSpec()); }),
                          std::back_inserter(ways));
    return ways;
}

} // namespace headscope

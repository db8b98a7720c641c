#include "ui/report/reportjob.h"

#include "core/exporting/reportfolder.h"
#include "ui/report/writereport.h"

#include <QCoreApplication>
#include <QDir>

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

} // namespace headscope

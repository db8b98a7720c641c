#include "ui/state/work.h"

#include "ui/jobs/jobmodel.h"

#include <QCoreApplication>
#include <QLocale>
#include <QStringList>

#include <algorithm>
#include <cmath>
#include <variant>

namespace headscope {

namespace {
struct WorkWords
{
    Q_DECLARE_TR_FUNCTIONS(headscope::Work)
};

QString withProgress(const QString &stage, const JobInfo &job)
{
    QStringList words{stage, jobCountText(job), jobTimeLeftText(job)};
    words.removeAll(QString());
    return words.join(QStringLiteral(", "));
}
} // namespace

std::int64_t examplesOf(const AnyResult &result)
{
    return result.visit([](const auto &one) -> std::int64_t {
        if constexpr (requires { one.examples; })
            return one.examples;
        else
            return 0;
    });
}

QString stageText(const Work &work)
{
    switch (work.stage) {
    case WorkStage::Queued:
        return WorkWords::tr("waiting");
    case WorkStage::Running:
        return work.job->cancelling ? WorkWords::tr("stopping") : withProgress(WorkWords::tr("running"), *work.job);
    case WorkStage::Paused:
        return withProgress(WorkWords::tr("paused"), *work.job);
    case WorkStage::Partial:
        if (work.examples <= 0 || work.total <= 0)
            return WorkWords::tr("stopped");
        if (work.secondsLeft > 0)
            return WorkWords::tr("stopped at %1 of %2 examples, %3 left")
                .arg(QLocale().toString(qlonglong(work.examples)), QLocale().toString(qlonglong(work.total)),
                     aboutTimeText(work.secondsLeft));
        return WorkWords::tr("stopped at %1 of %2 examples")
            .arg(QLocale().toString(qlonglong(work.examples)), QLocale().toString(qlonglong(work.total)));
    case WorkStage::Failed:
        return WorkWords::tr("failed");
    case WorkStage::Stale:
        return WorkWords::tr("outdated");
    case WorkStage::Complete:
        return {};
    }
    return {};
}

QString aboutTimeText(double seconds)
{
    const int whole = static_cast<int>(std::ceil(seconds));
    if (whole < 90)
        return WorkWords::tr("about %Ln seconds", nullptr, std::max(10, (whole + 5) / 10 * 10));
    if (whole < 90 * 60)
        return WorkWords::tr("about %Ln minutes", nullptr, (whole + 30) / 60);
    return WorkWords::tr("about %1 hours").arg(QLocale().toString(seconds / 3600, 'f', 1));
}

QString shortStageText(const Work &work)
{
    const auto ratio = [](std::int64_t done, std::int64_t total) {
        return QStringLiteral("%1/%2").arg(QLocale().toString(qlonglong(done)), QLocale().toString(qlonglong(total)));
    };
    if (work.stage == WorkStage::Running && !work.job->cancelling && work.job->progress.total > 0) {
        const Progress &progress = work.job->progress;
        return WorkWords::tr("%1 %").arg(QLocale().toString(static_cast<int>(100 * progress.done / progress.total)));
    }
    if (work.stage == WorkStage::Running && !work.job->cancelling)
        return WorkWords::tr("running");
    if (work.stage == WorkStage::Paused)
        return WorkWords::tr("paused");
    if (work.stage == WorkStage::Partial && work.examples > 0 && work.total > 0)
        return QStringLiteral("◐ ") + ratio(work.examples, work.total);
    return stageText(work);
}

} // namespace headscope

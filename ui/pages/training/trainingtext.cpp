#include "ui/pages/training/trainingtext.h"

#include "ui/jobs/jobmodel.h"
#include "ui/language/corewords.h"
#include "ui/models/numbertext.h"

#include <QCoreApplication>
#include <QDir>
#include <QStringList>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

using namespace Qt::StringLiterals;

namespace headscope {

namespace {

struct TrainingTextWords
{
    Q_DECLARE_TR_FUNCTIONS(headscope::TrainingText)
};

QString runningText(const TrainingController &training, const TrainingReport &report, const TrainingConfig &config)
{
    const TrainingPoint &last = report.points.back();
    const JobInfo &job = *training.job();
    const bool counting = job.progress.unit == "updates";
    const std::int64_t step = counting ? std::max(job.progress.done, report.step) : report.step;
    QStringList parts{counting || job.progress.phase.isNone()
                          ? TrainingTextWords::tr("<b>Training</b>")
                          : u"<b>"_s + phaseText(job.progress.phase).toHtmlEscaped() + u"</b>"_s};
    parts << (report.totalSteps > 0
                  ? TrainingTextWords::tr("update %1 of %2").arg(countText(step), countText(report.totalSteps))
                  : TrainingTextWords::tr("update %1").arg(countText(step)));
    parts << TrainingTextWords::tr("epoch %1 of %2").arg(numberText(last.epoch, 1), countText(config.epochs));
    parts << TrainingTextWords::tr("loss %1 nats").arg(numberText(last.loss, 3));
    parts << TrainingTextWords::tr("%1 target tokens/s").arg(countText(std::llround(last.tokensPerSecond)));
    if (counting && !jobTimeLeftText(job).isEmpty())
        parts << jobTimeLeftText(job);
    return parts.join(u" · "_s);
}

QString endedText(const TrainingController &training, const TrainingReport &report)
{
    const auto epochs = static_cast<int>(report.epochs.size());
    QStringList parts;
    if (report.state == TrainingState::Finished)
        parts << TrainingTextWords::tr("<b>Finished</b> after %Ln epochs", nullptr, epochs);
    else if (report.state == TrainingState::StoppedEarly)
        parts << TrainingTextWords::tr("<b>Stopped early</b> after %Ln epochs: validation had stopped improving",
                                       nullptr, epochs);
    else if (training.isUnfinished())
        parts << TrainingTextWords::tr("<b>Unfinished</b> at update %1").arg(countText(report.step));
    else
        return {};
    if (report.bestEpoch && *report.bestEpoch < report.epochs.size()) {
        const TrainingEpoch &best = report.epochs[*report.bestEpoch];
        const QString epoch = countText(best.epoch);
        const QString metric = QString::fromStdString(best.metric);
        parts << (best.score ? TrainingTextWords::tr("best epoch %1, %2 %3")
                                   .arg(epoch, metric, metricFormat(metric).score(*best.score))
                             : TrainingTextWords::tr("best epoch %1").arg(epoch));
    }
    return parts.join(u" · "_s);
}

} // namespace

QString trainingStatusText(const TrainingController &training, const TrainingConfig &config)
{
    const auto &report = training.report();
    if (training.isStopping())
        return TrainingTextWords::tr("<b>Stopping</b> · the run is being saved…");
    if (training.isRunning()) {
        const bool prepared = report && report->state != TrainingState::Preparing && !report->points.empty();
        const PhaseNow phase = training.job()->progress.phase;
        return prepared ? runningText(training, *report, config)
                        : TrainingTextWords::tr("<b>Preparing</b> · %1…")
                              .arg(phase.isNone() ? TrainingTextWords::tr("waiting for its turn") : phaseText(phase));
    }
    if (training.stoppedAt() == 0)
        return TrainingTextWords::tr("<b>Stopped</b> before the first update.");
    if (training.stoppedAt())
        return TrainingTextWords::tr("<b>Stopped at update %1.</b> Resume continues from there.")
            .arg(countText(*training.stoppedAt()));
    return report ? endedText(training, *report) : QString();
}

QString trainingDetailText(const TrainingReport &report)
{
    QStringList parts;
    if (report.parameters > 0)
        parts << parametersText(report.parameters);
    if (report.trainExamples > 0)
        parts << TrainingTextWords::tr("%Ln examples", nullptr, static_cast<int>(report.trainExamples));
    if (!report.device.empty())
        parts << TrainingTextWords::tr("on %1").arg(QString::fromStdString(report.device));
    if (!report.dtype.empty())
        parts << TrainingTextWords::tr("products in %1").arg(QString::fromStdString(report.dtype));
    if (report.resumedFrom >= 0)
        parts << TrainingTextWords::tr("resumed from update %1").arg(countText(report.resumedFrom));
    if (!report.folder.empty())
        parts << QDir::toNativeSeparators(QString::fromStdString(report.folder.string()));
    return parts.join(u" · "_s);
}

} // namespace headscope

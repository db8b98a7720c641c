#include "ui/state/trainingcontroller.h"

#include <QDir>
#include <QFileInfo>

#include <algorithm>

namespace headscope {

namespace {
const QString kReadTag = QStringLiteral("training-run");

std::filesystem::path toPath(const QString &text)
{
    return text.toStdString();
}
} // namespace

bool isTrainingRun(const QString &folder)
{
    return !folder.isEmpty() && QFileInfo(QDir(folder).filePath(QStringLiteral("train.json"))).isFile();
}

TrainingController::TrainingController(JobQueue &queue, QObject *parent) : QObject(parent), m_queue(queue)
{
    connect(&m_queue, &JobQueue::jobChanged, this, &TrainingController::follow);
}

void TrainingController::follow(qint64 id)
{
    if (!m_job || id != m_id)
        return;
    const auto jobs = m_queue.jobs();
    const auto found = std::find_if(jobs.begin(), jobs.end(), [id](const JobInfo &job) { return job.id == id; });
    if (found == jobs.end() || !found->isActive())
        return;
    m_job = *found;
    Q_EMIT stateChanged();
}

void TrainingController::start(const TrainingConfig &config)
{
    if (m_job)
        return;
    m_queue.cancelTag(kReadTag);
    m_config = config;
    m_error.clear();
    m_stoppedAt.reset();
    if (m_report && m_report->folder != config.output)
        setReport(nullptr);
    const QString name = QDir(QString::fromStdString(config.output.string())).dirName();
    const JobSpec spec{tr("Train %1").arg(name), QLatin1String(kTrainingTag), JobLane::Sweep};
    m_job.emplace();
    m_job->spec = spec;
    m_id = m_queue.start<TrainingReport>(
        spec,
        [config](const JobControl &control, const Publish<TrainingReport> &publish) {
            return train(config, control, publish);
        },
        this, [this](const Result<TrainingReport> &result) { finish(result); },
        [this](const std::shared_ptr<const TrainingReport> &report) { setReport(report); });
    m_job->id = m_id;
    Q_EMIT stateChanged();
}

void TrainingController::stop()
{
    if (!m_job)
        return;
    m_job->cancelling = true;
    m_queue.cancel(m_id);
    Q_EMIT stateChanged();
}

void TrainingController::finish(const Result<TrainingReport> &result)
{
    const std::int64_t done = m_job && m_job->progress.unit == "updates" ? m_job->progress.done : 0;
    m_job.reset();
    if (result.isOk())
        setReport(std::make_shared<const TrainingReport>(result.value()));
    if (result.isError())
        m_error = QString::fromStdString(result.error().message);
    if (result.isCancelled()) {
        const bool shown = m_report && m_report->state != TrainingState::Preparing;
        m_stoppedAt = shown ? std::max(m_report->step, done) : 0;
        // What it saved while it stopped is newer than what it told last.
        const QString folder = QString::fromStdString(m_config.output.string());
        if (isTrainingRun(folder))
            readRun(folder, false);
    }
    Q_EMIT stateChanged();
}

void TrainingController::openRun(const QString &folder)
{
    if (m_job)
        return;
    m_error.clear();
    m_stoppedAt.reset();
    readRun(folder, true);
    Q_EMIT stateChanged();
}

void TrainingController::look(const QString &folder)
{
    if (m_job || (m_report && m_report->folder == toPath(folder)))
        return;
    m_queue.cancelTag(kReadTag);
    m_error.clear();
    m_stoppedAt.reset();
    setReport(nullptr);
    if (isTrainingRun(folder))
        readRun(folder, false);
    Q_EMIT stateChanged();
}

void TrainingController::readRun(const QString &folder, bool opened)
{
    const JobSpec spec{tr("Read run %1").arg(QDir(folder).dirName()), kReadTag, JobLane::Interactive};
    m_queue.start<TrainingRun>(
        spec, [path = toPath(folder)](const JobControl &) { return readTrainingRun(path); }, this,
        [this, opened](const Result<TrainingRun> &result) { onRunRead(result, opened); });
}

void TrainingController::onRunRead(const Result<TrainingRun> &result, bool opened)
{
    if (m_job)
        return; // one was started meanwhile
    if (result.isError()) {
        m_error = QString::fromStdString(result.error().message);
        if (opened)
            setReport(nullptr);
    }
    if (result.isOk()) {
        const TrainingRun &run = result.value();
        m_config = run.config;
        if (m_stoppedAt && run.report.step > 0)
            m_stoppedAt = std::max(*m_stoppedAt, run.report.step);
        setReport(std::make_shared<const TrainingReport>(run.report));
        if (opened)
            Q_EMIT runOpened(run.config);
    }
    Q_EMIT stateChanged();
}

void TrainingController::showReport(const TrainingReport &report, const TrainingConfig &config)
{
    m_config = config;
    setReport(std::make_shared<const TrainingReport>(report));
    Q_EMIT stateChanged();
}

void TrainingController::setReport(std::shared_ptr<const TrainingReport> report)
{
    if (report == m_report)
        return;
    m_report = std::move(report);
    Q_EMIT reportChanged();
}

bool TrainingController::isUnfinished() const
{
    return m_report && m_report->step > 0 && m_report->state != TrainingState::Finished
        && m_report->state != TrainingState::StoppedEarly;
}

} // namespace headscope

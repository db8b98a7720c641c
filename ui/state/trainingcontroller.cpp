#include "ui/state/trainingcontroller.h"

#include <QDir>
#include <QFileInfo>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

namespace headscope {

namespace {
const QString kReadTag = QStringLiteral("training-run");
const QString kSweepTag = QStringLiteral("training-sweep");
constexpr std::size_t kMostRuns = 64; ///< of a sweep

/// What cannot be read, or has no epoch with gates yet, is left out: it is looked at by opening it.
std::vector<std::shared_ptr<const TrainingRun>> readGatedRuns(const std::filesystem::path &folder,
                                                              const JobControl &control)
{
    std::vector<std::filesystem::path> folders;
    std::error_code error;
    for (std::filesystem::directory_iterator one(folder, error), end; !error && one != end; one.increment(error)) {
        if (std::filesystem::is_regular_file(one->path() / "train.json", error))
            folders.push_back(one->path());
    }
    std::ranges::sort(folders);
    std::vector<std::shared_ptr<const TrainingRun>> runs;
    for (const std::filesystem::path &one : folders) {
        control.checkpoint();
        auto run = readTrainingRun(one);
        if (run.isOk() && runs.size() < kMostRuns && run.value().config.gates.method != GateMethod::None
            && std::ranges::any_of(run.value().report.epochs,
                                   [](const TrainingEpoch &epoch) { return epoch.mask.has_value(); }))
            runs.push_back(std::make_shared<const TrainingRun>(std::move(run).value()));
    }
    return runs;
}

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
    const bool sameRun = m_report && report && m_report->folder == report->folder;
    m_report = std::move(report);
    Q_EMIT reportChanged();
    if (!sameRun || (m_report->state != TrainingState::Preparing && m_report->state != TrainingState::Running))
        readSweep();
}

void TrainingController::readSweep()
{
    m_queue.cancelTag(kSweepTag);
    if (!m_sweep.empty()) {
        m_sweep.clear();
        Q_EMIT sweepChanged();
    }
    if (!m_report || m_report->folder.empty() || gatedHeads(*m_report).size() == 0)
        return;
    using Runs = std::vector<std::shared_ptr<const TrainingRun>>;
    const JobSpec spec{
        tr("Read the runs beside %1").arg(QDir(QString::fromStdString(m_report->folder.string())).dirName()), kSweepTag,
        JobLane::Interactive};
    m_queue.start<Runs>(
        spec,
        [folder = m_report->folder.parent_path()](const JobControl &control) -> Result<Runs> {
            return readGatedRuns(folder, control);
        },
        this,
        [this](const Result<Runs> &result) {
            if (!result.isOk())
                return;
            m_sweep = result.value();
            Q_EMIT sweepChanged();
        });
}

bool TrainingController::isUnfinished() const
{
    return m_report && m_report->step > 0 && m_report->state != TrainingState::Finished
        && m_report->state != TrainingState::StoppedEarly;
}

} // namespace headscope

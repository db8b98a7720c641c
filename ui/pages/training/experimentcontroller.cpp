#include "ui/pages/training/experimentcontroller.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <system_error>
#include <utility>

namespace headscope {
namespace {

const QString kExperimentTag = QStringLiteral("training-experiment");
const QString kExperimentReadTag = QStringLiteral("training-experiment-read");

/// The newest of every run that is on disk.
ExperimentController::Reports readReports(const std::vector<ExperimentRun> &runs, const JobControl &control)
{
    ExperimentController::Reports reports(runs.size());
    for (std::size_t i = 0; i < runs.size(); ++i) {
        control.checkpoint();
        std::error_code none;
        if (!std::filesystem::is_regular_file(runs[i].config.output / "train.json", none))
            continue;
        if (auto run = readTrainingRun(runs[i].config.output); run.isOk())
            reports[i] = std::make_shared<const TrainingReport>(std::move(run).value().report);
    }
    return reports;
}

/// One after the other; those that were trained before go on from what there is.
Result<ExperimentController::Reports> trainAll(const std::vector<ExperimentRun> &runs, const JobControl &control,
                                               const Publish<ExperimentController::Reports> &publish)
{
    using Reports = ExperimentController::Reports;
    Reports reports = readReports(runs, control); // what is there is seen at once
    publish(reports);
    for (std::size_t i = 0; i < runs.size(); ++i) {
        auto trained = train(runs[i].config, control, [&](const TrainingReport &report) {
            reports[i] = std::make_shared<const TrainingReport>(report);
            publish(reports);
        });
        if (trained.isCancelled())
            return Result<Reports>::cancelled();
        if (trained.isError())
            return Error{trained.error().code, runs[i].name.toStdString() + ": " + trained.error().message};
        reports[i] = std::make_shared<const TrainingReport>(std::move(trained).value());
        publish(reports);
    }
    return reports;
}

} // namespace

const TrainingEpoch *judgedEpoch(const TrainingReport &report, bool withGates)
{
    if (report.epochs.empty())
        return nullptr;
    const bool best = !withGates && report.bestEpoch && *report.bestEpoch < report.epochs.size();
    return best ? &report.epochs[*report.bestEpoch] : &report.epochs.back();
}

ExperimentController::ExperimentController(JobQueue &queue, QObject *parent) : QObject(parent), m_queue(queue) { }

void ExperimentController::setReports(const Reports &reports)
{
    for (std::size_t i = 0; i < reports.size() && i < m_reports.size(); ++i)
        m_reports[i] = reports[i] ? reports[i] : m_reports[i];
    Q_EMIT changed();
}

void ExperimentController::start(std::vector<ExperimentRun> runs)
{
    if (m_running || runs.empty())
        return;
    m_queue.cancelTag(kExperimentReadTag);
    m_runs = std::move(runs);
    m_reports.assign(m_runs.size(), nullptr);
    m_error.clear();
    m_running = true;
    const JobSpec spec{tr("Experiment of %Ln runs", nullptr, static_cast<int>(m_runs.size())), kExperimentTag,
                       JobLane::Sweep};
    m_id = m_queue.start<Reports>(
        spec,
        [runs = m_runs](const JobControl &control, const Publish<Reports> &publish) {
            return trainAll(runs, control, publish);
        },
        this,
        [this](const Result<Reports> &result) {
            m_running = m_stopping = false;
            if (result.isError())
                m_error = QString::fromStdString(result.error().message);
            if (result.isOk())
                setReports(result.value());
            else
                Q_EMIT changed();
        },
        [this](const std::shared_ptr<const Reports> &reports) { setReports(*reports); });
    Q_EMIT changed();
}

void ExperimentController::stop()
{
    if (!m_running)
        return;
    m_stopping = true;
    m_queue.cancel(m_id);
    Q_EMIT changed();
}

void ExperimentController::look(std::vector<ExperimentRun> runs)
{
    if (m_running)
        return;
    m_queue.cancelTag(kExperimentReadTag);
    Reports known(runs.size()); // of runs that were looked at before, until they have been read again
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const auto before = std::ranges::find(m_runs, runs[i].config, &ExperimentRun::config);
        if (before != m_runs.end())
            known[i] = m_reports[static_cast<std::size_t>(before - m_runs.begin())];
    }
    m_runs = std::move(runs);
    m_reports = std::move(known);
    m_error.clear();
    Q_EMIT changed();
    if (m_runs.empty())
        return;
    m_queue.start<Reports>(
        {tr("Read the runs of an experiment"), kExperimentReadTag, JobLane::Interactive},
        [read = m_runs](const JobControl &control) -> Result<Reports> { return readReports(read, control); }, this,
        [this](const Result<Reports> &result) {
            if (!result.isOk())
                return;
            m_reports = result.value();
            Q_EMIT changed();
        });
}

} // namespace headscope

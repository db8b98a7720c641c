#include "ui/jobs/jobmodel.h"

#include "ui/language/corewords.h"

#include <QLocale>
#include <QStringList>

#include <algorithm>
#include <cmath>

namespace headscope {

namespace {

QString cellText(const JobInfo &job, int column)
{
    switch (column) {
    case JobModel::NameColumn:
        return job.spec.name;
    case JobModel::PhaseColumn:
        return phaseText(job.progress.phase);
    case JobModel::CountColumn:
        return jobCountText(job);
    case JobModel::RateColumn:
        return jobRateText(job);
    case JobModel::TimeLeftColumn:
        return jobTimeLeftText(job);
    case JobModel::StateColumn:
        return jobStateText(job);
    default:
        return {};
    }
}
} // namespace

QString jobCountText(const JobInfo &job)
{
    const Progress &progress = job.progress;
    if (progress.done == 0 && progress.total == 0)
        return {};
    const QLocale locale;
    const QString unit = fromCore(progress.unit);
    QString count = locale.toString(qlonglong(progress.done));
    if (progress.total > 0)
        count += u'/' + locale.toString(qlonglong(progress.total));
    return unit.isEmpty() ? count : QString(count + u' ' + unit);
}

QString jobRateText(const JobInfo &job)
{
    if (job.rate <= 0 || job.state != JobState::Running || job.paused)
        return {};
    return JobModel::tr("%1/s").arg(QLocale().toString(job.rate, 'f', job.rate < 10 ? 1 : 0));
}

QString jobTimeLeftText(const JobInfo &job)
{
    if (job.secondsLeft < 0 || job.state != JobState::Running)
        return {};
    const auto seconds = static_cast<int>(std::ceil(job.secondsLeft));
    if (seconds < 90)
        return JobModel::tr("%1 s left").arg(seconds);
    if (seconds < 90 * 60)
        return JobModel::tr("%1 min left").arg((seconds + 30) / 60);
    return JobModel::tr("%1 h left").arg(QLocale().toString(seconds / 3600.0, 'f', 1));
}

QString jobLineText(const JobInfo &job)
{
    QStringList parts{jobCountText(job), jobRateText(job), jobTimeLeftText(job)};
    parts.removeAll(QString());
    return parts.isEmpty() ? job.spec.name : JobModel::tr("%1: %2").arg(job.spec.name, parts.join(u", "));
}

QString jobStateText(const JobInfo &job)
{
    if (job.cancelling)
        return JobModel::tr("stopping");
    if (job.paused)
        return JobModel::tr("paused");
    switch (job.state) {
    case JobState::Queued:
        return JobModel::tr("waiting");
    case JobState::Running:
        return JobModel::tr("running");
    case JobState::Done:
        return JobModel::tr("done");
    case JobState::Failed:
        return JobModel::tr("failed");
    case JobState::Cancelled:
        return JobModel::tr("cancelled");
    }
    return {};
}

JobModel::JobModel(JobQueue &queue, QObject *parent) : QAbstractTableModel(parent), m_queue(queue), m_jobs(queue.jobs())
{
    connect(&queue, &JobQueue::jobAdded, this, &JobModel::add);
    connect(&queue, &JobQueue::jobChanged, this, &JobModel::update);
    connect(&queue, &JobQueue::jobFinished, this, &JobModel::update);
    connect(&queue, &JobQueue::jobsForgotten, this, &JobModel::reload);
}

int JobModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_jobs.size());
}

int JobModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant JobModel::data(const QModelIndex &index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const JobInfo &job = m_jobs[static_cast<std::size_t>(index.row())];
    switch (role) {
    case Qt::DisplayRole:
        return cellText(job, index.column());
    case Qt::ToolTipRole: // as it is: names of files may look like HTML
        return job.error.contains(u'<') ? QStringLiteral("<qt>%1</qt>").arg(job.error.toHtmlEscaped()) : job.error;
    case ErrorRole:
        return job.error;
    case IdRole:
        return job.id;
    case ActiveRole:
        return job.isActive();
    case Qt::TextAlignmentRole:
        return index.column() == CountColumn || index.column() == RateColumn
                 ? QVariant(Qt::AlignRight | Qt::AlignVCenter)
                 : QVariant();
    default:
        return {};
    }
}

QVariant JobModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    return QStringList{tr("Job"), tr("Now"), tr("Done"), tr("Rate"), tr("Time left"), tr("State")}.value(section);
}

void JobModel::add(JobId id)
{
    const auto all = m_queue.jobs();
    const auto at = std::find_if(all.begin(), all.end(), [id](const JobInfo &job) { return job.id == id; });
    if (at == all.end())
        return;
    const auto row = static_cast<int>(m_jobs.size());
    beginInsertRows({}, row, row);
    m_jobs.push_back(*at);
    endInsertRows();
}

void JobModel::update(JobId id)
{
    const auto all = m_queue.jobs();
    const auto from = std::find_if(all.begin(), all.end(), [id](const JobInfo &job) { return job.id == id; });
    const auto to = std::find_if(m_jobs.begin(), m_jobs.end(), [id](const JobInfo &job) { return job.id == id; });
    if (from == all.end() || to == m_jobs.end())
        return;
    *to = *from;
    const auto row = static_cast<int>(to - m_jobs.begin());
    Q_EMIT dataChanged(index(row, 0), index(row, ColumnCount - 1));
}

void JobModel::reload()
{
    beginResetModel();
    m_jobs = m_queue.jobs();
    endResetModel();
}

} // namespace headscope

#pragma once

#include "ui/jobs/jobqueue.h"

#include <QAbstractTableModel>

#include <vector>

namespace headscope {

/// "412/1000 sentences", "35.2/s", "3 s left": the words for a job's progress, by locale.
QString jobCountText(const JobInfo &job);
QString jobRateText(const JobInfo &job);
QString jobTimeLeftText(const JobInfo &job);
QString jobStateText(const JobInfo &job);
/// "Mask search, in-domain: 412/1000 examples, 35.2/s, 3 s left": a line of its own; only the name while nothing is
/// known.
QString jobLineText(const JobInfo &job);

/// The jobs of a queue, oldest first.
class JobModel final : public QAbstractTableModel
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(JobModel)
public:
    enum Column { NameColumn, PhaseColumn, CountColumn, RateColumn, TimeLeftColumn, StateColumn, ColumnCount };
    enum Role { IdRole = Qt::UserRole + 1, ErrorRole, ActiveRole };

    explicit JobModel(JobQueue &queue, QObject *parent = nullptr);

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    void add(JobId id);
    void update(JobId id);
    void reload();

    JobQueue &m_queue;
    std::vector<JobInfo> m_jobs;
};

} // namespace headscope

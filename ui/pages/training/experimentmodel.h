#pragma once

#include "ui/charts/lineseries.h"
#include "ui/pages/training/experimentcontroller.h"

#include <QAbstractTableModel>

#include <string>
#include <vector>

namespace headscope {

/// The runs of an experiment: a row for each, with what it came to so far.
class ExperimentModel final : public QAbstractTableModel
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ExperimentModel)
public:
    enum Column {
        RunColumn,
        StateColumn,
        ParametersColumn,
        BeforeColumn, ///< score before training
        PerplexityColumn,
        ScoreColumn,
        EpochColumn,
        ColumnCount
    };
    /// Absolute path of the model folder that the run is judged by; empty: none yet.
    static constexpr int kFolderRole = Qt::UserRole + 1;

    explicit ExperimentModel(QObject *parent = nullptr) : QAbstractTableModel(parent) { }

    /// `running`: the first run that is not finished is being trained.
    void setRuns(const std::vector<ExperimentRun> &runs, const ExperimentController::Reports &reports, bool running);

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    QString text(std::size_t row, int column) const;
    const TrainingEpoch *judged(std::size_t row) const;

    std::vector<ExperimentRun> m_runs;
    ExperimentController::Reports m_reports;
    bool m_running = false;
};

/// Score of every run by the number that is varied, which `number` says what it is of, or over epochs where that is no
/// number: a line for each run. Of runs that begin with trained weights the score before training is a line of its own;
/// a run without a number among those that have one is the reference.
LineSeries makeExperimentSeries(const std::vector<ExperimentRun> &runs, const ExperimentController::Reports &reports,
                                const QString &number);
/// How far the heads of a layer are apart over updates, a line for each run; empty: no run has such numbers.
LineSeries makeSpreadSeries(const std::vector<ExperimentRun> &runs, const ExperimentController::Reports &reports);
/// run, update and spread.
std::string spreadCsv(const std::vector<ExperimentRun> &runs, const ExperimentController::Reports &reports);
/// run, value, line, state, epochs, parameters, validation loss, perplexity, metric, score before and after training,
/// and epoch of every run.
std::string experimentCsv(const std::vector<ExperimentRun> &runs, const ExperimentController::Reports &reports);

} // namespace headscope

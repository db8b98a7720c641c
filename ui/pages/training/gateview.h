#pragma once

#include "core/session/training.h"
#include "ui/charts/lineseries.h"
#include "ui/exporting/exporter.h"

#include <QWidget>

#include <functional>
#include <memory>
#include <string>
#include <vector>

class QComboBox;
class QPushButton;
class QStackedLayout;

namespace headscope {

class LineChart;
class ReadOnlyGrid;
class StudyState;
class TimeBar;

/// Gates that are trained to close: P(gate = 0) of each over the updates of a run, how many are open and what the score
/// is, and the mask that comes of it, which the open model takes.
class GateView final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(GateView)
public:
    explicit GateView(StudyState &state, QWidget *parent = nullptr);

    /// Hides itself where the run has no gates. `method`: of these.
    void setReport(std::shared_ptr<const TrainingReport> report, GateMethod method);
    /// Runs beside it, itself among them.
    void setSweep(const std::vector<std::shared_ptr<const TrainingRun>> &runs);
    /// The open model has changed, or its mask.
    void refreshApply();

    LineChart &chart() { return *m_chart; }
    ReadOnlyGrid &grid() { return *m_grid; }
    TimeBar &time() { return *m_time; }
    QPushButton &applyButton() { return *m_apply; }
    /// What the chart on the right shows: open heads and score over updates, or one of the figures of survivors.
    QComboBox &figureBox() { return *m_figure; }
    LineChart &figureChart() { return *m_figureChart; }
    /// The figures of survivors that there are numbers for; `run`: its name.
    QList<ExportItem> figureItems(const QString &run, const std::string &manifestJson) const;

private:
    /// One of the figures in the box.
    struct Figure
    {
        QString name;
        QString caption; ///< with the paper's number
        LineSeries series;
        std::function<std::string()> csv;
    };
    QWidget *makeCharts();
    std::vector<Figure> figures() const;
    Figure densities() const;
    void refreshFigures();
    void refreshMoment();
    QString momentText() const;
    QString whyNotApply() const;

    StudyState &m_state;
    std::shared_ptr<const TrainingReport> m_report; ///< null: none with gates
    GateMethod m_method = GateMethod::None;
    std::vector<std::shared_ptr<const TrainingRun>> m_sweep;
    QComboBox *m_figure = nullptr;
    QStackedLayout *m_charts = nullptr;
    LineChart *m_figureChart = nullptr;
    LineChart *m_chart = nullptr;
    ReadOnlyGrid *m_grid = nullptr;
    TimeBar *m_time = nullptr;
    QPushButton *m_apply = nullptr;
};

} // namespace headscope

#pragma once

#include "core/train/trainingreport.h"

#include <QWidget>

#include <memory>

class QPushButton;

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

    /// Hides itself where the run has no gates.
    void setReport(std::shared_ptr<const TrainingReport> report);
    /// The open model has changed, or its mask.
    void refreshApply();

    LineChart &chart() { return *m_chart; }
    ReadOnlyGrid &grid() { return *m_grid; }
    TimeBar &time() { return *m_time; }
    QPushButton &applyButton() { return *m_apply; }

private:
    void refreshMoment();
    QString whyNotApply() const;

    StudyState &m_state;
    std::shared_ptr<const TrainingReport> m_report; ///< null: none with gates
    LineChart *m_chart = nullptr;
    ReadOnlyGrid *m_grid = nullptr;
    TimeBar *m_time = nullptr;
    QPushButton *m_apply = nullptr;
};

} // namespace headscope

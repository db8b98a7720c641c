#pragma once

#include "core/analysis/dynamicsspec.h"
#include "ui/charts/checkpointseries.h"
#include "ui/pages/dynamics/dynamicsseries.h"
#include "ui/pages/page.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

class QCheckBox;
class QComboBox;
class QLabel;
class QListWidget;
class QPushButton;

namespace headscope {

class ErrorLabel;
class FileEdit;
class LineChart;
class ReadOnlyGrid;
class TimeBar;

/// When do heads become redundant? The checkpoints of a training run: how much of the score is left without how many
/// heads, and every head's importance, ablation delta and confidence over time (Michel et al. 2019, section 6).
class DynamicsPage final : public Page
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(DynamicsPage)
public:
    DynamicsPage(StudyState &state, StudyController &controller, QWidget *parent = nullptr);
    static PageInfo info();

    LineChart &shareChart() { return *m_shares; }      ///< lines of shares, over checkpoints
    LineChart &checkpointChart() { return *m_chosen; } ///< lines of checkpoints, over shares
    LineChart &spreadChart() { return *m_spreads; }    ///< lines of layers, over checkpoints
    ReadOnlyGrid &grid() { return *m_grid; }
    TimeBar &time() { return *m_time; }
    QComboBox &measureBox() { return *m_measure; }
    QListWidget &checkpointList() { return *m_list; }
    QPushButton &computeButton() { return *m_compute; }
    FileEdit &runsEdit() { return *m_runs; }
    DynamicsSpec spec() const;
    void compute();
    QList<QAction *> analyses() const override { return {m_analysis}; }

protected:
    void refreshNow() override;
    QList<ExportItem> makeExportItems() const override;

private:
    QWidget *makeMain();
    QWidget *makeCharts();
    QWidget *makeTime();
    QWidget *makeSide();
    void connectAll();
    void refreshResult();
    void refreshList();
    void refreshChosen();
    void refreshMeasure();
    void refreshCheckpoint(); ///< the one that is shown of the run
    void refreshTexts();
    Domain measured() const;
    DynamicsMeasure measure() const;
    std::size_t checkpoint() const;
    std::vector<std::size_t> chosenCheckpoints() const;
    bool hasCheckpoints() const { return m_result && !m_result->checkpoints.empty(); }
    QString whyNot() const;
    QString whyEmpty() const;
    QString summary() const;

    std::shared_ptr<const DynamicsResult> m_result;
    bool m_isDefault = true; ///< the user has not chosen other checkpoints than the default
    QComboBox *m_domain = nullptr;
    QLabel *m_title = nullptr;
    QLabel *m_summary = nullptr;
    LineChart *m_shares = nullptr;
    LineChart *m_chosen = nullptr;
    LineChart *m_spreads = nullptr; ///< shown where the result has spreads
    QListWidget *m_list = nullptr;
    QComboBox *m_measure = nullptr;
    TimeBar *m_time = nullptr;
    ReadOnlyGrid *m_grid = nullptr;
    FileEdit *m_runs = nullptr;
    QCheckBox *m_curvesOnly = nullptr;
    QCheckBox *m_roles = nullptr;
    QCheckBox *m_spread = nullptr;
    QCheckBox *m_other = nullptr;
    QPushButton *m_compute = nullptr;
    QLabel *m_note = nullptr;
    ErrorLabel *m_error = nullptr;
    QAction *m_analysis = nullptr;
};

} // namespace headscope

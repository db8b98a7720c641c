#pragma once

#include "core/analysis/pathsspec.h"
#include "core/results/pathsresult.h"
#include "ui/charts/pathseries.h"
#include "ui/exporting/exporter.h"
#include "ui/models/headgridmodel.h"
#include "ui/state/studycontroller.h"

#include <QList>
#include <QWidget>

#include <memory>

class QComboBox;
class QLabel;
class QSlider;
class QTableView;
class QTabWidget;

namespace headscope {

class HeadGridView;
class MatrixChart;
class PathsModel;
class PathsFilter;

/// Along which ways do heads carry the answer to each other? The strongest direct paths as arrows over the grid of what
/// heads say to the output directly, all paths to one input as a matrix, and the list of them.
class PathsView final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(PathsView)
public:
    PathsView(StudyState &state, StudyController &controller, QWidget *parent);

    /// What is asked for, with the settings of the page.
    PathsSpec spec(PatchMeasure measure, PatchDirection direction) const;
    const std::shared_ptr<const PathsResult> &result() const { return m_result; }
    /// What was found, in sentences; empty without a result.
    QString summary() const;
    void refresh();
    /// What is missing where there is no result.
    void setEmptyText(const QString &why);
    void refreshSelection();
    QList<ExportItem> exportItems() const;

    HeadGridView &grid() { return *m_grid; }
    MatrixChart &matrix() { return *m_matrix; }
    QTableView &table() { return *m_table; }
    QTabWidget &tabs() { return *m_tabs; }
    QComboBox &methodBox() { return *m_method; }
    QComboBox &inputBox() { return *m_input; }
    QComboBox &shownBox() { return *m_shown; }
    QSlider &arrowsSlider() { return *m_arrows; }

Q_SIGNALS:
    void methodChanged();
    void headActivated(const headscope::HeadRef &head);

private:
    void connectAll();
    QWidget *makeChoices();
    QWidget *makeList();
    PathsShown shown() const;
    void refreshArrows();
    void refreshMatrix();
    void refreshListNote();

    StudyState &m_state;
    StudyController &m_controller;
    std::shared_ptr<const PathsResult> m_result;
    QString m_why; ///< there is no result
    HeadGridModel *m_cells = nullptr;
    PathsModel *m_model = nullptr;
    PathsFilter *m_filtered = nullptr;
    HeadGridView *m_grid = nullptr;
    MatrixChart *m_matrix = nullptr;
    QTableView *m_table = nullptr;
    QLabel *m_listNote = nullptr;
    QTabWidget *m_tabs = nullptr;
    QComboBox *m_method = nullptr;
    QComboBox *m_input = nullptr;
    QComboBox *m_shown = nullptr;
    QSlider *m_arrows = nullptr;
};

} // namespace headscope

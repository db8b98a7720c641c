#pragma once

#include "ui/pages/heads/gridwithothers.h"
#include "ui/pages/heads/histogramchart.h"
#include "ui/pages/page.h"
#include "ui/views/headgridview.h"

#include <memory>
#include <optional>
#include <vector>

class QAction;
class QLabel;
class QStackedLayout;
class QTableView;
class QToolButton;

namespace headscope {

class ElidedLabel;
class HeadFinder;
class RoleFilterBox;
class WaysButton;

/// Which heads matter? The grid of the chosen measure with small grids of the other measures, a sortable table, or a
/// histogram of the scores without one head (Michel et al. 2019, Figure 1).
class HeadsPage final : public Page
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(HeadsPage)
public:
    HeadsPage(StudyState &state, StudyController &controller, QWidget *parent = nullptr);
    static PageInfo info();

    HeadGridView &grid() { return *m_grid; }
    HeadGridModel &model() { return *m_model; }
    SmallGrids &others() { return m_gridWithOthers->others(); }
    HistogramChart &histogram() { return *m_histogram; }
    bool find() override;
    const GridSorting &sorting() const { return m_sorting; }
    void setSorting(const GridSorting &sorting);
    /// Which layer is above has been chosen elsewhere, or before.
    void takeUsualRows();
    QJsonObject arrangement() const override;
    void setArrangement(const QJsonObject &arrangement) override;

protected:
    void refreshNow() override;
    QList<ExportItem> makeExportItems() const override;
    /// Every measure on every data set, whichever is shown.
    QList<ExportItem> makeAllExportItems() const override;

private:
    void setupHeader(QWidget *header);
    void setupOrder(QWidget *header);
    void setupTable();
    void selectInTable();
    void takeTableSelection();
    void connectState();
    void refreshUnit();
    void refreshGrid();
    void refreshText();
    void refreshHistogram();
    Domain histogramDomain() const;
    QString emptyText() const;
    std::optional<Work> workShown() const;
    QString otherMetric() const;
    QString valuesThere(const GridContent &content) const;
    QString histogramSummary(const HistogramSeries &scores) const;
    QString stageOfWork(const GridContent &content) const;
    void setupWays(QWidget *header);

    HeadGridModel *m_model = nullptr;
    HeadGridView *m_grid = nullptr;
    GridWithOthers *m_gridWithOthers = nullptr;
    QTableView *m_table = nullptr;
    ElidedLabel *m_title = nullptr;
    ElidedLabel *m_summary = nullptr; ///< one line each, whatever they say: the grid stays where it is
    QLabel *m_empty = nullptr;
    HeadFinder *m_finder = nullptr;
    bool m_selecting = false; ///< guards against loops between the selections of table and study
    HistogramChart *m_histogram = nullptr;
    RoleFilterBox *m_filter = nullptr;
    std::shared_ptr<const AblationResult> m_histogramOf; ///< what the histogram was drawn from last
    GridSorting m_sorting;
    QToolButton *m_order = nullptr;
    std::vector<QAction *> m_rowActions; ///< in the order of GridRows
    QAction *m_headsByRank = nullptr;
    QAction *m_byKeyGroup = nullptr;
    WaysButton *m_ways = nullptr; ///< what can be done about a sweep that takes long
    QToolButton *m_asTable = nullptr;
    QToolButton *m_asHistogram = nullptr;
    QStackedLayout *m_stack = nullptr;
};

} // namespace headscope

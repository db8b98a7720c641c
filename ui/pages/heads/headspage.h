#pragma once

#include "ui/pages/heads/histogramchart.h"
#include "ui/pages/page.h"
#include "ui/views/headgridview.h"

#include <memory>

class QLabel;
class QStackedLayout;
class QTableView;
class QToolButton;

namespace headscope {

class RoleFilterBox;

/// Which heads matter? The grid of the chosen measure, the same as a table that can be sorted, or how the scores without
/// one head are distributed (Michel et al. 2019, Figure 1).
class HeadsPage final : public Page
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(HeadsPage)
public:
    HeadsPage(StudyState &state, StudyController &controller, QWidget *parent = nullptr);
    static PageInfo info();

    HeadGridView &grid() { return *m_grid; }
    HeadGridModel &model() { return *m_model; }
    HistogramChart &histogram() { return *m_histogram; }

protected:
    void refreshNow() override;
    QList<ExportItem> makeExportItems() const override;
    /// Every measure on every data set, whichever is shown.
    QList<ExportItem> makeAllExportItems() const override;

private:
    void setupHeader(QWidget *header);
    void setupTable();
    void connectState();
    void refreshGrid();
    void refreshText();
    void refreshHistogram();
    Domain histogramDomain() const;
    QString emptyText() const;

    HeadGridModel *m_model = nullptr;
    HeadGridView *m_grid = nullptr;
    QTableView *m_table = nullptr;
    QLabel *m_title = nullptr;
    QLabel *m_summary = nullptr;
    QLabel *m_empty = nullptr;
    HistogramChart *m_histogram = nullptr;
    RoleFilterBox *m_filter = nullptr;
    std::shared_ptr<const AblationResult> m_histogramOf; ///< what the histogram was drawn from last
    QToolButton *m_asTable = nullptr;
    QToolButton *m_asHistogram = nullptr;
    QStackedLayout *m_stack = nullptr;
};

} // namespace headscope

#pragma once

#include "ui/pages/domains/scatterchart.h"
#include "ui/pages/page.h"
#include "ui/views/headgridview.h"

#include <QTimer>

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

class QGridLayout;
class QLabel;

namespace headscope {

/// The heads on both data sets: two grids on one scale, their difference, and a scatter plot, all linked.
class DomainsPage final : public Page
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(DomainsPage)
public:
    DomainsPage(StudyState &state, StudyController &controller, QWidget *parent = nullptr);
    static PageInfo info();

    HeadGridView &grid(DomainView view) { return *m_grids[static_cast<std::size_t>(view)].view; }
    ScatterChart &scatter() { return *m_scatter; }

protected:
    void refreshNow() override;
    QList<ExportItem> makeExportItems() const override;
    void resizeEvent(QResizeEvent *event) override;

private:
    struct Grid
    {
        QWidget *box = nullptr;
        QLabel *title = nullptr;
        HeadGridModel *model = nullptr;
        HeadGridView *view = nullptr;
    };

    /// Square: both grids side by side, the difference and the scatter under them. Rows: the grids one above the other
    /// over the whole width, difference and scatter side by side under them. Column: three grids, and the scatter
    /// beside them.
    enum class Arrangement { Square, Rows, Column };

    QWidget *makeGrid(DomainView view);
    void arrange(Arrangement arrangement);
    void limitRows();
    Arrangement fitting() const;
    void connectState();
    void refreshGrids();
    void refreshScale();
    void refreshTexts();
    void refreshScatter();
    QString whyNothing() const;
    std::vector<const Manifest *> manifests() const;
    ExportItem sideBySideItem() const;
    ExportItem scatterItem() const;

    std::array<Grid, 3> m_grids; ///< by DomainView
    ScatterChart *m_scatter = nullptr;
    QLabel *m_summary = nullptr;
    QGridLayout *m_layout = nullptr;
    std::optional<Arrangement> m_arrangement;
    QTimer m_scatterTimer; ///< the interval of ρ is resampled: not at every partial result
};

} // namespace headscope

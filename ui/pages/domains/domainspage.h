#pragma once

#include "ui/charts/scatterchart.h"
#include "ui/pages/domains/domainspainter.h"
#include "ui/pages/page.h"
#include "ui/views/headgridview.h"

#include <QTimer>

#include <array>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

class QLabel;

namespace headscope {

class ElidedLabel;
class FoldingSide;
class GridLegendView;

/// The heads on both data sets: in-domain, out-of-domain and their difference in a row with one legend, and below them
/// a scatter over the whole width, all linked.
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
        QLabel *name = nullptr;
        ElidedLabel *data = nullptr;
        ElidedLabel *detail = nullptr;
        HeadGridModel *model = nullptr;
        HeadGridView *view = nullptr;
    };

    QWidget *makeGrid(DomainView view);
    void shareHeight();
    void connectState();
    void refreshGrids();
    void refreshScale();
    void refreshTexts();
    void refreshScatter();
    void refreshTitle(DomainView view);
    QString headText(const HeadRef &head) const;
    QString whyNothing() const;
    std::vector<const Manifest *> manifests() const;
    std::function<std::string()> csvOfBoth() const;
    DomainsPicture exportPicture() const;
    ExportItem sideBySideItem() const;
    ExportItem scatterItem() const;

    std::array<Grid, 3> m_grids; ///< by DomainView
    ScatterChart *m_scatter = nullptr;
    FoldingSide *m_below = nullptr; ///< with the scatter
    QLabel *m_summary = nullptr;
    QWidget *m_row = nullptr; ///< of the grids
    GridLegendView *m_legend = nullptr;
    QTimer m_scatterTimer; ///< the interval of ρ is resampled: not at every partial result
};

} // namespace headscope

#pragma once

#include <QWidget>

#include <vector>

namespace headscope {

class HeadGridView;

/// One legend for several grids in a row, which then have none of their own.
class GridLegendView final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(GridLegendView)
public:
    explicit GridLegendView(QWidget *parent = nullptr);

    /// The views must outlive it. It is to be updated when they change.
    void setGrids(std::vector<const HeadGridView *> grids);

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    std::vector<const HeadGridView *> m_grids;
};

} // namespace headscope

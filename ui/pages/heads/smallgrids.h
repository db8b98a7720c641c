#pragma once

#include "ui/pages/heads/smallgrid.h"

#include <QWidget>

#include <vector>

namespace headscope {

/// Small multiples: every other measure and data set that has values, in as large cells as the room allows. First the
/// shown measure on other data, then other measures on the shown data, then the rest.
class SmallGrids final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(SmallGrids)
public:
    explicit SmallGrids(StudyState &state, QWidget *parent = nullptr);

    /// Shows what the study now has.
    void refresh();
    void setOrder(const GridOrder &order);
    const std::vector<SmallGrid *> &grids() const { return m_grids; }

    static constexpr int kLeastWidth = 110;
    static constexpr int kLeastHeight = 100;

protected:
    void resizeEvent(QResizeEvent *event) override;

private:
    void arrange();

    StudyState &m_state;
    std::vector<SmallGrid *> m_grids;
    GridOrder m_order;
};

} // namespace headscope

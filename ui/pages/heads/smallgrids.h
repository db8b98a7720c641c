#pragma once

#include "ui/pages/heads/smallgrid.h"

#include <QWidget>

#include <utility>
#include <vector>

namespace headscope {

/// Small multiples: every other measure and data set, in as large cells as the room allows. First the shown measure on
/// other data, then other measures on the shown data, then the rest. Each has its slot from the beginning, which stays
/// empty until there are values.
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

    /// Measures on data sets that there are, with or without values.
    int slotCount() const { return static_cast<int>(m_slots.size()); }

    static constexpr int kLeastWidth = 110;
    static constexpr int kLeastHeight = 100;

protected:
    void resizeEvent(QResizeEvent *event) override;

private:
    double cellOf(const QSize &tile) const;
    void arrange();

    StudyState &m_state;
    std::vector<std::pair<Measure, DomainView>> m_slots;
    std::vector<SmallGrid *> m_grids; ///< of the slots with values, in their order
    GridOrder m_order;
};

} // namespace headscope

#pragma once

#include "ui/pages/heads/smallgrids.h"
#include "ui/views/headgridview.h"

#include <QWidget>

namespace headscope {

class FoldingSide;

/// The large grid, and in a strip beside or below it the small ones, which folds. The strip depends on the room and the
/// model alone: the grid stays where it is while small ones come and go, and has most of the room.
class GridWithOthers final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(GridWithOthers)
public:
    /// Takes the grid.
    GridWithOthers(StudyState &state, HeadGridView *grid, QWidget *parent = nullptr);

    SmallGrids &others() { return *m_others; }
    void refresh();

protected:
    void resizeEvent(QResizeEvent *event) override;
    void paintEvent(QPaintEvent *event) override;

private:
    void arrange();

    HeadGridView *m_grid;
    FoldingSide *m_strip; ///< with the small ones
    SmallGrids *m_others;
};

} // namespace headscope

#pragma once

#include "ui/pages/heads/smallgrids.h"
#include "ui/views/headgridview.h"

#include <QRect>
#include <QWidget>

#include <optional>

namespace headscope {

class FoldingSide;

/// The large grid, and in a strip the small ones, which folds. The strip has the corner that the grid's blocks leave
/// free, where they do, or else stands beside or below them. It depends on the room and the model alone: the grid stays
/// where it is while small ones come and go, and has most of the room.
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
    struct Places
    {
        QRect grid;
        QRect strip; ///< null: there is no room for it
    };
    void arrange();
    Places places() const;
    std::optional<Places> inCorner() const;
    std::optional<Places> beside() const;
    std::optional<Places> below() const;
    QSizeF cellIn(const QSize &size) const;

    HeadGridView *m_grid;
    FoldingSide *m_strip; ///< with the small ones
    SmallGrids *m_others;
};

} // namespace headscope

#pragma once

#include "ui/delegates/headgridpainter.h"

#include <QWidget>

namespace headscope {

/// The heads of a mask that was found, crossed out in a grid of Fisher information. It is looked at only: the study's own
/// mask is another one until it is applied.
class MaskGrid final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(MaskGrid)
public:
    explicit MaskGrid(QWidget *parent = nullptr);

    void setContent(GridContent content);
    void setMask(const HeadMask &mask);
    /// As files have it.
    GridPicture picture() const;

    QSize sizeHint() const override { return {300, 220}; }

protected:
    void paintEvent(QPaintEvent *event) override;
    bool event(QEvent *event) override;

private:
    HeadGridGeometry geometry() const;
    void describe();

    GridContent m_content;
    HeadMask m_mask;
};

} // namespace headscope

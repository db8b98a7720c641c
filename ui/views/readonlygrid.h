#pragma once

#include "ui/delegates/headgridpainter.h"

#include <QWidget>

#include <optional>

namespace headscope {

/// A grid of heads that is looked at only: of a mask that was found, which is not the study's own until it is applied,
/// or of a checkpoint, which is not the open model.
class ReadOnlyGrid final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ReadOnlyGrid)
public:
    /// `name`: what is shown, for who cannot see it.
    explicit ReadOnlyGrid(const QString &name, QWidget *parent = nullptr);

    void setContent(GridContent content);
    void setMask(const HeadMask &mask);
    /// One that other grids share; nothing: that of the content's own values.
    void setScale(const std::optional<ColorScale> &scale);
    /// As files have it.
    GridPicture picture() const;

    QSize sizeHint() const override { return {300, 220}; }

protected:
    void paintEvent(QPaintEvent *event) override;
    bool event(QEvent *event) override;

private:
    void describe();
    HeadGridGeometry geometry() const;

    GridContent m_content;
    HeadMask m_mask;
    std::optional<ColorScale> m_scale;
};

} // namespace headscope

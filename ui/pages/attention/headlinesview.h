#pragma once

#include "ui/pages/attention/headlines.h"

#include <QAbstractScrollArea>
#include <QImage>

#include <optional>
#include <set>

namespace headscope {

/// Shows attention as lines. The token under the mouse, or under the arrow keys (up and down move along a side, left
/// and right change it), shows its own lines only. A click, or Space, chooses it, with Ctrl one more: the lines of all
/// that are chosen are shown and their weights added up.
class HeadLinesView final : public QAbstractScrollArea
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(HeadLinesView)
public:
    explicit HeadLinesView(QWidget *parent = nullptr);

    const LinesPicture &picture() const { return m_picture; }
    /// The palette of `picture` is replaced by the one that matches the widget.
    void setPicture(LinesPicture picture);
    void setEmptyText(const QString &text);
    /// The readout for the token under the mouse and the chosen ones; empty: none.
    QString readout() const;
    LinesGeometry geometry() const;

    QSize sizeHint() const override { return {520, 480}; }

protected:
    bool viewportEvent(QEvent *event) override;
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void changeEvent(QEvent *event) override;

private:
    void setHover(std::optional<LineToken> token);
    void setChosen(std::set<LineToken> tokens);
    void choose(const LineToken &token, bool oneMore);
    void moveHover(int places, bool otherSide);
    void measure();
    void updateScrollBar();
    void describe();

    LinesPicture m_picture;
    SideWidths m_widths; ///< of its tokens, in the widget's font
    QString m_emptyText;
};

} // namespace headscope

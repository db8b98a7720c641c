#pragma once

#include "ui/pages/attention/neuronpicture.h"

#include <QAbstractScrollArea>

#include <optional>

namespace headscope {

/// Shows how a head comes to its attention. A click on a query, or up and down, chooses another; the mouse, or left and
/// right, moves between keys and shows their scores.
class NeuronView final : public QAbstractScrollArea
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(NeuronView)
public:
    explicit NeuronView(QWidget *parent = nullptr);

    const NeuronPicture &picture() const { return m_picture; }
    /// The chosen query stays where the tokens are the same. The palette is replaced by the one that matches the
    /// widget.
    void setPicture(NeuronPicture picture);
    void setEmptyText(const QString &text);
    void setQuery(int query);
    QString readout() const; ///< of the key that is looked at; empty: none
    NeuronGeometry geometry() const;

    QSize sizeHint() const override { return {640, 480}; }

protected:
    bool viewportEvent(QEvent *event) override;
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void changeEvent(QEvent *event) override;

private:
    void setKey(std::optional<int> key);
    void moveKey(int by);
    void bringIntoView(int row);
    void measure();
    void updateScrollBar();
    void describe();

    NeuronPicture m_picture;
    SideWidths m_widths; ///< of its tokens, in the widget's font
    QString m_emptyText;
};

} // namespace headscope

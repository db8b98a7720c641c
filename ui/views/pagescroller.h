#pragma once

#include <QScrollArea>

namespace headscope {

/// Holds a page and scrolls it where the window is smaller than it can be, so that no page holds the window open.
class PageScroller final : public QScrollArea
{
public:
    explicit PageScroller(QWidget *page, QWidget *parent = nullptr) : QScrollArea(parent)
    {
        setFrameShape(QFrame::NoFrame);
        setFocusPolicy(Qt::NoFocus); // keys are the page's
        setWidgetResizable(true);
        setWidget(page);
    }

    QSize sizeHint() const override { return widget()->sizeHint(); }
    QSize minimumSizeHint() const override { return {220, 160}; }
};

} // namespace headscope

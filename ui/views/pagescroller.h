#pragma once

#include <QScrollArea>

namespace headscope {

/// Holds a page and scrolls it where the window is smaller than it can be, so that no page holds the window open.
class PageScroller final : public QScrollArea
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(PageScroller)
public:
    explicit PageScroller(QWidget *page, QWidget *parent = nullptr);

    QSize sizeHint() const override { return widget()->sizeHint(); }
    QSize minimumSizeHint() const override { return {220, 160}; }

protected:
    void resizeEvent(QResizeEvent *event) override;
    bool eventFilter(QObject *object, QEvent *event) override;

private:
    void fit();
};

} // namespace headscope

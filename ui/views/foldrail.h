#pragma once

#include <QAbstractButton>

namespace headscope {

/// What is left of something folded: a strip with an icon, its name and a badge. A click opens it.
class FoldRail final : public QAbstractButton
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(FoldRail)
public:
    static constexpr int kDockWidth = 40;
    static constexpr int kPageWidth = 28; ///< beside the main picture of a page

    explicit FoldRail(int width = kDockWidth, QWidget *parent = nullptr);

    /// A few characters, "2" or "!"; empty: none. With `warning` in the colour of trouble.
    void setBadge(const QString &text, bool warning);
    QString badge() const { return m_badge; }

    QSize sizeHint() const override { return {width(), 120}; }
    QSize minimumSizeHint() const override { return {width(), 60}; }

protected:
    void paintEvent(QPaintEvent *event) override;
    bool event(QEvent *event) override;

private:
    QString m_badge;
    bool m_warning = false;
};

} // namespace headscope

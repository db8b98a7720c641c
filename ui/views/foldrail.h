#pragma once

#include <QAbstractButton>

namespace headscope {

/// What is left of something folded: a strip with an icon, its name and a badge. A click opens it. It stands beside the
/// picture, or lies below it.
class FoldRail final : public QAbstractButton
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(FoldRail)
public:
    static constexpr int kDockWidth = 40;
    static constexpr int kPageWidth = 28; ///< beside the main picture of a page; below it, the height

    explicit FoldRail(int thickness = kDockWidth, QWidget *parent = nullptr, Qt::Orientation direction = Qt::Vertical);

    /// A few characters, "2" or "!"; empty: none. With `warning` in the colour of trouble.
    void setBadge(const QString &text, bool warning);
    QString badge() const { return m_badge; }

    QSize sizeHint() const override { return along(120); }
    QSize minimumSizeHint() const override { return along(60); }

protected:
    void paintEvent(QPaintEvent *event) override;
    bool event(QEvent *event) override;

private:
    QSize along(int length) const;
    QFont badgeFont() const;
    QSize badgeSize(int longest) const;
    void paintBadge(QPainter &painter, const QRect &pill) const;

    Qt::Orientation m_direction;
    QString m_badge;
    bool m_warning = false;
};

} // namespace headscope

#include "ui/views/elidedlabel.h"

#include "ui/models/plaintip.h"

#include <QPainter>
#include <QStyle>
#include <QStyleOption>

namespace headscope {

ElidedLabel::ElidedLabel(QWidget *parent) : QLabel(parent)
{
    setTextFormat(Qt::PlainText);
}

void ElidedLabel::setText(const QString &text)
{
    if (text == this->text())
        return;
    QLabel::setText(text);
    refreshTip();
}

QSize ElidedLabel::minimumSizeHint() const
{
    return {0, fontMetrics().height()};
}

void ElidedLabel::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    QStyleOption option;
    option.initFrom(this);
    const QString shown = fontMetrics().elidedText(text(), Qt::ElideRight, contentsRect().width());
    style()->drawItemText(&painter, contentsRect(), static_cast<int>(alignment() | Qt::TextSingleLine), option.palette,
                          isEnabled(), shown, foregroundRole());
}

void ElidedLabel::resizeEvent(QResizeEvent *event)
{
    QLabel::resizeEvent(event);
    refreshTip();
}

void ElidedLabel::refreshTip()
{
    const bool shortened = fontMetrics().horizontalAdvance(text()) > contentsRect().width();
    setToolTip(shortened ? plainTip(text()) : QString());
}

} // namespace headscope

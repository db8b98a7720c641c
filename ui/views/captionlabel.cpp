#include "ui/views/captionlabel.h"

#include "ui/models/plaintip.h"

#include <QHelpEvent>
#include <QPainter>
#include <QTextLayout>
#include <QToolTip>

namespace headscope {

namespace {
constexpr int kLines = 2;
} // namespace

CaptionLabel::CaptionLabel(QWidget *parent) : QLabel(parent)
{
    setTextFormat(Qt::PlainText);
    setWordWrap(false); // its height does not depend on its width
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
}

QSize CaptionLabel::sizeHint() const
{
    return {200, kLines * fontMetrics().lineSpacing()};
}

QSize CaptionLabel::minimumSizeHint() const
{
    return {0, kLines * fontMetrics().lineSpacing()};
}

CaptionLabel::Lines CaptionLabel::lines() const
{
    Lines lines;
    QString all = text();
    all.replace(u'\n', u' '); // there are two lines for all of it
    QTextLayout layout(all, font());
    layout.beginLayout();
    for (QTextLine line = layout.createLine(); line.isValid(); line = layout.createLine()) {
        line.setLineWidth(width());
        const bool last = lines.shown.size() == kLines - 1;
        const QString rest = all.mid(line.textStart());
        if (last) {
            lines.shown << fontMetrics().elidedText(rest, Qt::ElideRight, width());
            lines.isWhole = lines.shown.back() == rest;
            break;
        }
        lines.shown << all.mid(line.textStart(), line.textLength());
    }
    layout.endLayout();
    return lines;
}

void CaptionLabel::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.setPen(palette().color(foregroundRole()));
    int y = 0;
    for (const QString &line : lines().shown) {
        painter.drawText(QRect(0, y, width(), fontMetrics().lineSpacing()), Qt::AlignLeft | Qt::AlignVCenter, line);
        y += fontMetrics().lineSpacing();
    }
}

bool CaptionLabel::event(QEvent *event)
{
    if (event->type() != QEvent::ToolTip || !toolTip().isEmpty())
        return QLabel::event(event);
    QToolTip::showText(static_cast<QHelpEvent *>(event)->globalPos(), lines().isWhole ? QString() : plainTip(text()),
                       this);
    return true;
}

} // namespace headscope

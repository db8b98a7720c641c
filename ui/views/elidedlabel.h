#pragma once

#include "ui/models/plaintip.h"

#include <QHelpEvent>
#include <QLabel>
#include <QPainter>
#include <QToolTip>

namespace headscope {

/// A line of plain text that ends in "…" where there is no room for all of it; its tool tip has the whole.
class ElidedLabel final : public QLabel
{
public:
    explicit ElidedLabel(QWidget *parent = nullptr) : QLabel(parent)
    {
        setTextFormat(Qt::PlainText);
        setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    }

    QSize minimumSizeHint() const override { return {0, fontMetrics().height()}; }

protected:
    bool event(QEvent *event) override
    {
        if (event->type() == QEvent::ToolTip && toolTip().isEmpty()) {
            const bool whole = fontMetrics().horizontalAdvance(text()) <= width();
            QToolTip::showText(static_cast<QHelpEvent *>(event)->globalPos(), whole ? QString() : plainTip(text()),
                               this);
            return true;
        }
        return QLabel::event(event);
    }
    void paintEvent(QPaintEvent *) override
    {
        QPainter painter(this);
        painter.setPen(palette().color(isEnabled() ? QPalette::Active : QPalette::Disabled, foregroundRole()));
        painter.drawText(rect(), static_cast<int>(alignment()) | Qt::TextSingleLine,
                         fontMetrics().elidedText(text(), Qt::ElideRight, width()));
    }
};

} // namespace headscope

#include "ui/views/errorlabel.h"

#include "ui/heatmap/viewpalette.h"

#include <QEvent>

namespace headscope {

ErrorLabel::ErrorLabel(QWidget *parent) : QLabel(parent)
{
    setWordWrap(true);
    setTextFormat(Qt::RichText);
    setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    connect(this, &QLabel::linkActivated, this, &ErrorLabel::dismissed); // the only link
    hide();
}

void ErrorLabel::setError(const QString &text)
{
    m_text = text;
    refresh();
}

void ErrorLabel::setDismissable(bool dismissable)
{
    m_dismissable = dismissable;
    setTextInteractionFlags(dismissable ? Qt::TextBrowserInteraction
                                        : Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    refresh();
}

void ErrorLabel::changeEvent(QEvent *event)
{
    QLabel::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        refresh();
}

void ErrorLabel::refresh()
{
    const QColor color = ViewPalette::matching(palette()).warning;
    QString escaped = m_text.toHtmlEscaped();
    // Paths have no spaces to break at: let long ones break after a slash.
    escaped.replace(u'/', QStringLiteral("/\u200b"));
    escaped.replace(u'\n', QStringLiteral("<br>"));
    if (m_dismissable)
        escaped += QStringLiteral(" <a href='dismiss'>%1</a>").arg(tr("Dismiss"));
    setText(m_text.isEmpty() ? QString()
                             : QStringLiteral("<span style='color:%1'><b>⚠</b> </span>%2").arg(color.name(), escaped));
    setAccessibleName(m_text.isEmpty() ? QString() : tr("Error: %1").arg(m_text));
    setVisible(!m_text.isEmpty());
}

} // namespace headscope

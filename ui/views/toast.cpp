#include "ui/views/toast.h"

#include "ui/heatmap/viewpalette.h"
#include "ui/views/pageparts.h"
#include "ui/views/plainlabel.h"

#include <QAccessible>
#include <QApplication>
#include <QDesktopServices>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QPainter>
#include <QPushButton>
#include <QToolButton>
#include <QUrl>

#include <algorithm>

namespace headscope {

namespace {
constexpr int kMargin = 12;
constexpr int kWidest = 520;
} // namespace

Toast::Toast(QWidget *window, QWidget *above)
    : QFrame(window), m_above(above), m_text(new PlainLabel(this)), m_link(new QPushButton(this)),
      m_close(new QToolButton(this))
{
    setObjectName(QStringLiteral("toast"));
    m_text->setWordWrap(true);
    m_text->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    m_link->setObjectName(QStringLiteral("toastLink"));
    m_close->setText(QStringLiteral("✕"));
    m_close->setAutoRaise(true);
    setNameAndTip(*m_close, tr("Close the message"));
    auto *layout = new QHBoxLayout(this);
    layout->setContentsMargins(14, 8, 8, 8);
    layout->addWidget(m_text, 1);
    addWidgets(*layout, {m_link, m_close});
    m_timer.setSingleShot(true);
    setSeconds(8);
    connect(&m_timer, &QTimer::timeout, this, &Toast::goSoon);
    connect(m_close, &QToolButton::clicked, this, &Toast::hide);
    connect(m_link, &QPushButton::clicked, this, [this] {
        const auto act = m_act; // it may say something itself
        hide();
        if (act)
            act();
    });
    window->installEventFilter(this);
    hide();
}

void Toast::say(const QString &text, const QString &link, const std::function<void()> &act)
{
    m_text->setText(text);
    m_act = act;
    m_link->setText(link);
    m_link->setVisible(!link.isEmpty());
    place();
    show();
    raise();
    m_timer.start();
    QAccessibleEvent told(this, QAccessible::Alert);
    setAccessibleName(text);
    QAccessible::updateAccessibility(&told);
}

void Toast::sayWritten(const QString &text, const QString &path)
{
    const QFileInfo file(path);
    const QString folder = file.isDir() ? file.absoluteFilePath() : file.absolutePath();
    say(text, tr("Open folder"), [folder] { QDesktopServices::openUrl(QUrl::fromLocalFile(folder)); });
}

QString Toast::text() const
{
    return isHidden() ? QString() : m_text->text();
}

void Toast::place()
{
    const QWidget *window = parentWidget();
    const int widest = std::min(kWidest, window->width() - 2 * kMargin);
    const QMargins margins = layout()->contentsMargins();
    int beside = margins.left() + margins.right() + m_close->sizeHint().width() + 2 * layout()->spacing();
    if (!m_link->isHidden())
        beside += m_link->sizeHint().width();
    const int line = m_text->fontMetrics().horizontalAdvance(m_text->text()) + 4;
    const int wide = std::clamp(line + beside, std::min(200, widest), widest);
    const int high = std::max({m_text->heightForWidth(std::max(40, wide - beside)), m_link->sizeHint().height(),
                               m_close->sizeHint().height()})
                   + margins.top() + margins.bottom();
    const int bottom = m_above->isVisible() ? m_above->height() : 0;
    setGeometry(window->width() - wide - kMargin, window->height() - bottom - high - kMargin, wide, high);
}

/// Stays while the mouse is over it or the keyboard focus is in it.
void Toast::goSoon()
{
    const QWidget *focus = QApplication::focusWidget();
    if (underMouse() || (focus && isAncestorOf(focus)))
        m_timer.start();
    else
        hide();
}

bool Toast::eventFilter(QObject *object, QEvent *event)
{
    if (object == parent() && event->type() == QEvent::Resize && !isHidden())
        place();
    return QFrame::eventFilter(object, event);
}

void Toast::enterEvent(QEnterEvent *event)
{
    QFrame::enterEvent(event);
    m_timer.stop();
}

void Toast::leaveEvent(QEvent *event)
{
    QFrame::leaveEvent(event);
    m_timer.start();
}

void Toast::keyPressEvent(QKeyEvent *event)
{
    if (event->key() == Qt::Key_Escape)
        hide();
    else
        QFrame::keyPressEvent(event);
}

void Toast::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    const ViewPalette &colors = ViewPalette::matching(palette());
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(colors.line);
    painter.setBrush(palette().color(QPalette::Window));
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 5, 5);
    painter.setPen(Qt::NoPen);
    painter.setBrush(colors.accent);
    painter.drawRoundedRect(QRectF(2, 4, 4, height() - 8), 2, 2);
}

} // namespace headscope

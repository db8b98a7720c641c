#include "ui/views/emptycard.h"

#include "ui/heatmap/viewpalette.h"
#include "ui/views/plainlabel.h"

#include <QAbstractItemView>
#include <QAction>
#include <QEvent>
#include <QPainter>
#include <QRegularExpression>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace headscope {

EmptyCard::EmptyCard(QAction *compute, QWidget *pages)
    : QFrame(pages), m_text(new PlainLabel(this)), m_whyNot(new PlainLabel(this))
{
    setObjectName(QStringLiteral("emptyCard"));
    for (QLabel *label : {m_text, m_whyNot}) {
        label->setWordWrap(true);
        label->setAlignment(Qt::AlignCenter);
    }
    auto *button = new QToolButton(this);
    button->setDefaultAction(compute);
    button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(20, 16, 20, 16);
    layout->setSpacing(10);
    layout->addWidget(m_text);
    layout->addWidget(button, 0, Qt::AlignHCenter);
    layout->addWidget(m_whyNot);
    pages->installEventFilter(this);
    m_placing.setSingleShot(true);
    m_placing.setInterval(0);
    connect(&m_placing, &QTimer::timeout, this, &EmptyCard::place);
    hide();
}

void EmptyCard::say(const QWidget *page, const QString &promise, const QString &whyNot)
{
    m_page = page;
    m_text->setText(promise);
    m_whyNot->setText(whyNot);
    m_whyNot->setVisible(!whyNot.isEmpty());
    if (!promise.isEmpty())
        place();
    setVisible(!promise.isEmpty());
    raise();
    m_placing.start();
}

namespace {
/// The largest chart, grid, map or table of the page: settings beside it stay free.
QRect mainPicture(const QWidget &page, const QWidget &pages)
{
    static const QRegularExpression names(QStringLiteral("^headscope::\\w+(View|Chart|Grid)$"));
    QRect largest;
    for (const QWidget *widget : page.findChildren<QWidget *>()) {
        const bool isPicture = qobject_cast<const QAbstractItemView *>(widget)
                            || names.match(QString::fromLatin1(widget->metaObject()->className())).hasMatch();
        const QRect rect(widget->mapTo(&pages, QPoint()), widget->size());
        if (isPicture && widget->isVisible() && rect.width() * rect.height() > largest.width() * largest.height())
            largest = rect;
    }
    return largest & pages.rect();
}
} // namespace

void EmptyCard::place()
{
    const QWidget *pages = parentWidget();
    QRect room = m_page ? mainPicture(*m_page, *pages) : QRect();
    if (room.width() < 160 || room.height() < 80)
        room = pages->rect();
    const int wide = std::clamp(room.width() - 40, 160, 420);
    const int high = std::max(layout()->heightForWidth(wide), layout()->minimumSize().height());
    const QPoint corner(room.center() - QPoint(wide / 2, high / 2));
    setGeometry(std::max(0, corner.x()), std::max(0, corner.y()), wide, high);
}

bool EmptyCard::eventFilter(QObject *object, QEvent *event)
{
    if (object == parent() && event->type() == QEvent::Resize)
        m_placing.start();
    return QFrame::eventFilter(object, event);
}

void EmptyCard::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    const ViewPalette &colors = ViewPalette::matching(palette());
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(colors.line);
    painter.setBrush(palette().color(QPalette::Window));
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6);
}

} // namespace headscope

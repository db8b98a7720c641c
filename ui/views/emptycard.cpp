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
    : QFrame(pages), m_text(new PlainLabel(this)), m_button(new QToolButton(this)), m_other(new QToolButton(this)),
      m_whyNot(new PlainLabel(this))
{
    setObjectName(QStringLiteral("emptyCard"));
    for (QLabel *label : {m_text, m_whyNot}) {
        label->setWordWrap(true);
        label->setAlignment(Qt::AlignCenter);
    }
    m_button->setDefaultAction(compute);
    m_button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    auto *layout = new QVBoxLayout(this);
    layout->setSpacing(10);
    layout->addWidget(m_text);
    layout->addWidget(m_button, 0, Qt::AlignHCenter);
    layout->addWidget(m_other, 0, Qt::AlignHCenter);
    layout->addWidget(m_whyNot);
    connect(m_other, &QToolButton::clicked, this, &EmptyCard::otherRequested);
    pages->installEventFilter(this);
    m_placing.setSingleShot(true);
    m_placing.setInterval(0);
    connect(&m_placing, &QTimer::timeout, this, &EmptyCard::place);
    hide();
}

void EmptyCard::say(const QWidget *page, const QString &promise, const QString &whyNot, const QString &other)
{
    m_page = page;
    m_text->setText(promise);
    m_whyNot->setText(whyNot);
    m_whyNot->setVisible(!whyNot.isEmpty());
    m_other->setText(other);
    m_other->setVisible(!other.isEmpty());
    if (!promise.isEmpty())
        place();
    setVisible(!promise.isEmpty());
    raise();
    m_placing.start();
}

namespace {
/// Of the card.
constexpr int kWidest = 420;
constexpr int kSide = 20;
constexpr int kAbove = 16;

/// A text that stands in the middle of an empty page.
bool isEmptyText(const QWidget &widget)
{
    const auto *label = qobject_cast<const QLabel *>(&widget);
    return label && label->alignment() == Qt::AlignCenter && label->height() > 80;
}

/// The largest chart, grid, map or table of the page, or the text in its place: settings beside it stay free.
QRect mainPicture(const QWidget &page, const QWidget &pages)
{
    static const QRegularExpression names(QStringLiteral("^headscope::\\w+(View|Chart|Grid)$"));
    QRect largest;
    for (const QWidget *widget : page.findChildren<QWidget *>()) {
        const bool isPicture = qobject_cast<const QAbstractItemView *>(widget) || isEmptyText(*widget)
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
    m_coversPicture = room.width() >= 160 && room.height() >= 80;
    if (!m_coversPicture)
        room = pages->rect();
    const int wide = std::clamp(room.width() - 40, 160, kWidest);
    layout()->setContentsMargins(kSide, kAbove, kSide, kAbove);
    const int high = std::max(layout()->heightForWidth(wide), layout()->minimumSize().height());
    if (!m_coversPicture || high > room.height()) {
        m_coversPicture = false;
        const QPoint corner(room.center() - QPoint(wide / 2, high / 2));
        return setGeometry(std::max(0, corner.x()), std::max(0, corner.y()), wide, high);
    }
    const int besides = (room.width() - wide) / 2;
    const int above = (room.height() - high) / 2;
    layout()->setContentsMargins(besides + kSide, above + kAbove, room.width() - wide - besides + kSide,
                                 room.height() - high - above + kAbove);
    setGeometry(room);
    update();
}

QRect EmptyCard::card() const
{
    const QMargins margins = layout()->contentsMargins();
    return rect().marginsRemoved(margins - QMargins(kSide, kAbove, kSide, kAbove));
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
    if (m_coversPicture)
        painter.fillRect(rect(), colors.paper);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(colors.line);
    painter.setBrush(palette().color(QPalette::Window));
    painter.drawRoundedRect(QRectF(card()).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6);
}

} // namespace headscope

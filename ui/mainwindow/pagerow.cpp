#include "ui/mainwindow/pagerow.h"

#include "ui/heatmap/focusframe.h"
#include "ui/views/plainlabel.h"

#include <QAction>
#include <QEvent>
#include <QKeyEvent>
#include <QMenu>
#include <QPainter>
#include <QToolButton>

#include <algorithm>

namespace headscope {

namespace {
constexpr int kGap = 9;     ///< between groups, with a line in its middle
constexpr int kLine = 2;    ///< below the present page
constexpr int kPadding = 6; ///< beside a name
constexpr int kHigh = 6;    ///< above and below a name

/// The name of a page; a line of the accent's colour below the present one.
class PageButton final : public QToolButton
{
public:
    using QToolButton::QToolButton;

    QSize sizeHint() const override
    {
        return {fontMetrics().horizontalAdvance(text()) + 2 * kPadding, fontMetrics().height() + 2 * kHigh};
    }
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent *) override
    {
        QPainter painter(this);
        const ViewPalette &colors = ViewPalette::matching(palette());
        if (isDown() || underMouse()) {
            QColor shade = palette().color(QPalette::WindowText);
            shade.setAlphaF(0.08F);
            painter.fillRect(rect(), shade);
        }
        painter.setPen(palette().color(QPalette::WindowText));
        painter.drawText(rect(), Qt::AlignCenter, text());
        if (isChecked())
            painter.fillRect(QRect(2, height() - kLine, width() - 4, kLine), colors.accent);
        if (hasFocus())
            paintFocusFrame(painter, rect().adjusted(1, 1, -1, -1 - kLine), colors);
    }
};

/// The question of a group, in front of its pages.
class Caption final : public QLabel
{
public:
    using QLabel::QLabel;

protected:
    void paintEvent(QPaintEvent *) override
    {
        QPainter painter(this);
        painter.setPen(ViewPalette::matching(palette()).muted);
        painter.drawText(rect(), Qt::AlignCenter, text());
    }
};
} // namespace

PageRow::PageRow(const std::vector<PageEntry> &pages, QWidget *parent) : QWidget(parent), m_pages(pages)
{
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    for (int at = 0; at < static_cast<int>(pages.size()); ++at) {
        const PageEntry &page = pages[static_cast<std::size_t>(at)];
        if (m_groups.empty() || pages[static_cast<std::size_t>(m_groups.back().pages.front())].group != page.group) {
            Group group;
            const QString name = pageGroupName(page.group);
            if (!name.isEmpty()) {
                group.caption = new Caption(name, this);
                group.caption->setTextFormat(Qt::PlainText);
                group.menu = new QToolButton(this);
                group.menu->setText(name);
                group.menu->setAutoRaise(true);
                group.menu->setPopupMode(QToolButton::InstantPopup);
                group.menu->setMenu(new QMenu(group.menu));
            }
            m_groups.push_back(group);
        }
        Group &group = m_groups.back();
        group.pages << at;
        auto *button = new PageButton(this);
        const QString title = QString(page.info.title).remove(u'&');
        button->setText(title);
        button->setCheckable(true);
        button->setFocusPolicy(Qt::ClickFocus);
        button->setToolTip(page.digit > 0 ? tr("%1 (Ctrl+%2)").arg(page.about).arg(page.digit) : page.about);
        button->setAccessibleName(title);
        button->setAccessibleDescription(page.about);
        button->installEventFilter(this);
        connect(button, &QToolButton::clicked, this, [this, at] {
            m_buttons[at]->setChecked(at == m_current); // not by the click alone
            setCurrent(at);
        });
        if (group.menu) {
            QAction *action = group.menu->menu()->addAction(title, this, [this, at] { setCurrent(at); });
            action->setToolTip(page.about);
        }
        m_buttons << button;
        m_offered << true;
    }
}

void PageRow::setCurrent(int page)
{
    if (page < 0 || page >= m_buttons.size() || page == m_current)
        return;
    const bool hadFocus = m_current >= 0 && m_buttons[m_current]->hasFocus();
    m_current = page;
    for (int at = 0; at < m_buttons.size(); ++at) {
        m_buttons[at]->setChecked(at == page);
        m_buttons[at]->setFocusPolicy(at == page ? Qt::StrongFocus : Qt::ClickFocus);
    }
    arrange();
    if (hadFocus)
        m_buttons[page]->setFocus();
    Q_EMIT currentChanged(page);
}

void PageRow::setOffered(int page, bool offered)
{
    if (m_offered[page] == offered)
        return;
    m_offered[page] = offered;
    for (const Group &group : m_groups) {
        if (const auto at = group.pages.indexOf(page); at >= 0 && group.menu)
            group.menu->menu()->actions()[at]->setVisible(offered);
    }
    arrange();
}

/// One that stands by itself is there only while it is shown.
QList<int> PageRow::offeredOf(const Group &group) const
{
    QList<int> pages;
    for (const int page : group.pages) {
        if (m_offered[page] && (group.caption || page == m_current))
            pages << page;
    }
    return pages;
}

bool PageRow::isCollapsed(const Group &group, Form form) const
{
    return (form == Form::Least || (form == Form::Menus && !group.pages.contains(m_current))) && group.menu
        && offeredOf(group).size() > 1;
}

int PageRow::widthOf(Form form) const
{
    int width = 0;
    for (const Group &group : m_groups) {
        const QList<int> pages = offeredOf(group);
        if (pages.isEmpty())
            continue;
        width += width > 0 ? kGap : 0;
        if (isCollapsed(group, form)) {
            width += group.menu->sizeHint().width();
            if (group.pages.contains(m_current))
                width += m_buttons[m_current]->sizeHint().width();
            continue;
        }
        if (form == Form::Captions && group.caption)
            width += group.caption->sizeHint().width() + kPadding;
        for (const int page : pages)
            width += m_buttons[page]->sizeHint().width();
    }
    return width;
}

void PageRow::arrange()
{
    const Form form = widthOf(Form::Captions) <= width() ? Form::Captions
                    : widthOf(Form::Pages) <= width()    ? Form::Pages
                    : widthOf(Form::Menus) <= width()    ? Form::Menus
                                                         : Form::Least;
    m_lines.clear();
    int x = 0;
    for (const Group &group : m_groups) {
        const QList<int> pages = offeredOf(group);
        const bool collapsed = !pages.isEmpty() && isCollapsed(group, form);
        if (!pages.isEmpty() && x > 0) {
            m_lines << x + kGap / 2;
            x += kGap;
        }
        const auto place = [&](QWidget *widget, bool shown, int more) {
            if (shown) {
                const int wide = widget->sizeHint().width() + more;
                widget->setGeometry(x, 0, wide, height());
                x += wide;
            }
            widget->setVisible(shown);
        };
        if (group.menu) {
            place(group.menu, collapsed, 0);
            place(group.caption, form == Form::Captions && !pages.isEmpty(), kPadding);
        }
        for (const int page : group.pages)
            place(m_buttons[page], pages.contains(page) && (!collapsed || page == m_current), 0);
    }
    update();
}

QSize PageRow::sizeHint() const
{
    return {widthOf(Form::Captions), m_buttons.front()->sizeHint().height()};
}

QSize PageRow::minimumSizeHint() const
{
    return {200, sizeHint().height()};
}

void PageRow::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    arrange();
}

void PageRow::changeEvent(QEvent *event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange) {
        updateGeometry();
        arrange();
    }
}

void PageRow::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.setPen(ViewPalette::matching(palette()).gridLine);
    for (const int x : std::as_const(m_lines))
        painter.drawLine(x, 5, x, height() - 6);
}

void PageRow::step(int by)
{
    const auto count = static_cast<int>(m_buttons.size());
    for (int at = m_current + by; at >= 0 && at < count; at += by) {
        const auto group = std::ranges::find_if(m_groups, [&](const Group &one) { return one.pages.contains(at); });
        if (m_offered[at] && group->caption)
            return setCurrent(at);
    }
}

bool PageRow::eventFilter(QObject *object, QEvent *event)
{
    if (event->type() != QEvent::KeyPress)
        return QWidget::eventFilter(object, event);
    switch (static_cast<QKeyEvent *>(event)->key()) {
    case Qt::Key_Left:
        step(-1);
        return true;
    case Qt::Key_Right:
        step(1);
        return true;
    default:
        return QWidget::eventFilter(object, event);
    }
}

} // namespace headscope

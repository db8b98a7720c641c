#include "ui/mainwindow/sidedock.h"

#include "ui/heatmap/focusframe.h"
#include "ui/models/plaintip.h"

#include <QAction>
#include <QCloseEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QMainWindow>
#include <QPainter>
#include <QSettings>
#include <QToolButton>

#include <algorithm>

namespace headscope {

namespace {
constexpr int kIcon = 20;
constexpr int kMargin = 10;
} // namespace

DockRail::DockRail(QWidget *parent) : QAbstractButton(parent)
{
    setFixedWidth(kWidth);
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Expanding);
    setFocusPolicy(Qt::StrongFocus);
    setAttribute(Qt::WA_Hover);
}

void DockRail::setBadge(const QString &text, bool warning)
{
    if (m_badge == text && m_warning == warning)
        return;
    m_badge = text;
    m_warning = warning;
    update();
}

bool DockRail::event(QEvent *event)
{
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange)
        update();
    return QAbstractButton::event(event);
}

void DockRail::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    const ViewPalette &colors = ViewPalette::matching(palette());
    if (isDown() || underMouse()) {
        QColor shade = palette().color(QPalette::WindowText);
        shade.setAlphaF(isDown() ? 0.16F : 0.08F);
        painter.fillRect(rect(), shade);
    }
    icon().paint(&painter, (width() - kIcon) / 2, kMargin, kIcon, kIcon);
    int y = kMargin + kIcon + 6;
    if (!m_badge.isEmpty()) {
        QFont small = font();
        small.setBold(true);
        painter.setFont(small);
        const QFontMetrics metrics(small);
        const int high = metrics.height() + 2;
        const int wide = std::min(width() - 4, std::max(high, metrics.horizontalAdvance(m_badge) + 8));
        const QRect pill((width() - wide) / 2, y, wide, high);
        const QColor fill = m_warning ? colors.warning : colors.accent;
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(Qt::NoPen);
        painter.setBrush(fill);
        painter.drawRoundedRect(pill, high / 2.0, high / 2.0);
        painter.setPen(readableOn(fill));
        painter.drawText(pill, Qt::AlignCenter, metrics.elidedText(m_badge, Qt::ElideRight, wide - 4));
        y += high + 6;
    }
    painter.setFont(font());
    painter.setPen(palette().color(QPalette::WindowText));
    painter.save();
    painter.translate(0, y + 4);
    painter.rotate(90);
    const int room = height() - y - 4 - kMargin;
    painter.drawText(QRect(0, -width(), std::max(room, 0), width()), Qt::AlignLeft | Qt::AlignVCenter,
                     fontMetrics().elidedText(text(), Qt::ElideRight, std::max(room, 0)));
    painter.restore();
    if (hasFocus())
        paintFocusFrame(painter, rect().adjusted(2, 2, -2, -2), colors);
}

SideDock::SideDock(const QString &title, const QString &name, const QString &icon, const QKeySequence &keys,
                   QWidget *content, Qt::DockWidgetArea side, QMainWindow *window)
    : QDockWidget(title, window), m_rail(new DockRail(window)), m_action(new QAction(title, window))
{
    setObjectName(name);
    setWidget(content);
    setTitleBarWidget(makeTitleBar(side == Qt::LeftDockWidgetArea));
    window->addDockWidget(side, this);
    toggleViewAction()->setVisible(false); // the window's menu of docks: what is closed there is folded
    m_rail->setText(title);
    m_rail->setIcon(QIcon(QStringLiteral(":/icons/%1.svg").arg(icon)));
    m_rail->setObjectName(name + QStringLiteral("Rail"));
    m_rail->setAccessibleName(tr("Open: %1").arg(title));
    m_action->setCheckable(true);
    m_action->setShortcut(keys);
    window->addAction(m_action);
    connect(m_rail, &DockRail::clicked, this, [this] {
        setFolded(false);
        if (QWidget *first = widget())
            first->setFocus();
    });
    connect(m_action, &QAction::triggered, this, [this] { setFolded(!m_folded); });
    setSummary({});
    apply();
}

QWidget *SideDock::makeTitleBar(bool onTheLeft)
{
    auto *bar = new QWidget(this);
    auto *name = new QLabel(windowTitle(), bar);
    QFont bold = font();
    bold.setBold(true);
    name->setFont(bold);
    auto *fold = new QToolButton(bar);
    fold->setAutoRaise(true);
    fold->setText(onTheLeft ? QStringLiteral("«") : QStringLiteral("»"));
    fold->setObjectName(QStringLiteral("fold"));
    fold->setAccessibleName(tr("Fold: %1").arg(windowTitle()));
    connect(fold, &QToolButton::clicked, this, [this] {
        setFolded(true);
        m_rail->setFocus();
    });
    auto *layout = new QHBoxLayout(bar);
    layout->setContentsMargins(8, 2, 4, 2);
    layout->addWidget(name, 1);
    layout->addWidget(fold);
    return bar;
}

QString SideDock::key(bool narrow) const
{
    return QStringLiteral("window/%1/%2")
        .arg(objectName(), narrow ? QStringLiteral("foldedNarrow") : QStringLiteral("folded"));
}

bool SideDock::wantsFolded() const
{
    return m_idle ? !m_openedIdle : m_chosenFolded[m_narrow ? 1 : 0];
}

void SideDock::setFolded(bool folded)
{
    if (!m_available)
        return;
    if (m_idle)
        m_openedIdle = !folded; // of what there is nothing in, no choice is remembered
    else
        m_chosenFolded[m_narrow ? 1 : 0] = folded;
    apply();
    if (!folded)
        Q_EMIT opened();
}

void SideDock::setAvailable(bool available, const QString &whyNot)
{
    m_available = available;
    m_whyNot = whyNot;
    apply();
}

void SideDock::setNarrow(bool narrow)
{
    if (m_narrow == narrow)
        return;
    m_narrow = narrow;
    m_openedIdle = false;
    apply();
}

void SideDock::setIdle(bool idle)
{
    if (m_idle == idle)
        return;
    m_idle = idle;
    if (!idle && m_openedIdle)
        m_chosenFolded[m_narrow ? 1 : 0] = false; // it was opened to be looked at
    m_openedIdle = false;
    apply();
}

void SideDock::setSummary(const QString &summary)
{
    const QString keys = m_action->shortcut().toString(QKeySequence::NativeText);
    const QString head = tr("%1: click to open it (%2)").arg(windowTitle(), keys);
    m_rail->setToolTip(plainTip(summary.isEmpty() ? head : head + QStringLiteral("\n\n") + summary));
    m_rail->setAccessibleDescription(summary);
    if (auto *fold = titleBarWidget()->findChild<QToolButton *>())
        fold->setToolTip(tr("Folds it to a narrow strip (%1)").arg(keys));
}

void SideDock::forgetChoices()
{
    m_chosenFolded = {false, true};
    m_openedIdle = false;
    setFloating(false);
    apply();
}

void SideDock::apply()
{
    m_folded = wantsFolded();
    setVisible(m_available && !m_folded);
    m_rail->setVisible(m_available && m_folded);
    m_action->setEnabled(m_available);
    m_action->setChecked(m_available && !m_folded);
    m_action->setToolTip(m_available ? windowTitle() : m_whyNot);
    m_action->setStatusTip(m_available ? QString() : m_whyNot);
}

void SideDock::restore(const QSettings &settings)
{
    for (const bool narrow : {false, true})
        m_chosenFolded[narrow ? 1 : 0] = settings.value(key(narrow), narrow).toBool();
    apply();
}

void SideDock::save(QSettings &settings) const
{
    for (const bool narrow : {false, true})
        settings.setValue(key(narrow), m_chosenFolded[narrow ? 1 : 0]);
}

/// Of one that floats: closed is folded.
void SideDock::closeEvent(QCloseEvent *event)
{
    event->ignore();
    setFolded(true);
}

} // namespace headscope

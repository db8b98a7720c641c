#include "ui/mainwindow/sidedock.h"

#include "ui/models/plaintip.h"

#include <QAction>
#include <QCloseEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QMainWindow>
#include <QSettings>
#include <QToolButton>

namespace headscope {

SideDock::SideDock(const QString &title, const QString &name, const QString &icon, const QKeySequence &keys,
                   QWidget *content, Qt::DockWidgetArea side, QMainWindow *window)
    : QDockWidget(title, window), m_rail(new FoldRail(FoldRail::kDockWidth, window)),
      m_action(new QAction(title, window))
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
    connect(m_rail, &FoldRail::clicked, this, [this] {
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

void SideDock::setFolded(bool folded)
{
    if (!m_available)
        return;
    m_choice.setFolded(folded);
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
    if (m_choice.isNarrow() == narrow)
        return;
    m_choice.setNarrow(narrow);
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
    m_choice.forget();
    setFloating(false);
    apply();
}

void SideDock::apply()
{
    m_folded = m_choice.isFolded();
    setVisible(m_available && !m_folded);
    m_rail->setVisible(m_available && m_folded);
    m_action->setEnabled(m_available);
    m_action->setChecked(m_available && !m_folded);
    m_action->setToolTip(m_available ? windowTitle() : m_whyNot);
    m_action->setStatusTip(m_available ? QString() : m_whyNot);
}

void SideDock::restore(const QSettings &settings)
{
    m_choice.restore(settings, objectName());
    apply();
}

void SideDock::save(QSettings &settings) const
{
    m_choice.save(settings, objectName());
}

/// Of one that floats: closed is folded.
void SideDock::closeEvent(QCloseEvent *event)
{
    event->ignore();
    setFolded(true);
}

} // namespace headscope

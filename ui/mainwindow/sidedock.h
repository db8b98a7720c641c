#pragma once

#include "ui/views/foldchoice.h"
#include "ui/views/foldrail.h"

#include <QDockWidget>

class QAction;
class QMainWindow;
class QSettings;
class QTimer;

namespace headscope {

/// A dock at the left or right side of the window that folds to a rail. Whether it is folded is remembered, apart for
/// windows that are narrow, in which it is folded at first. Nothing but the user and the window's width folds or opens
/// it: a first click on a head moves nothing.
class SideDock final : public QDockWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(SideDock)
public:
    SideDock(const QString &title, const QString &name, const QString &icon, const QKeySequence &keys, QWidget *content,
             Qt::DockWidgetArea side, QMainWindow *window);

    /// Stands at the side of the window's middle.
    FoldRail &rail() const { return *m_rail; }
    /// Opens and folds it; for the menu View.
    QAction &action() const { return *m_action; }

    bool isFolded() const { return m_folded; }
    /// As the user wants it.
    void setFolded(bool folded);
    /// Whether there is a place for it at all, open or folded.
    void setAvailable(bool available, const QString &whyNot);
    void setNarrow(bool narrow);
    /// What the rail says of what is inside.
    void setSummary(const QString &summary);
    /// Back to what it is at first.
    void forgetChoices();
    /// Once more as it should be, after QMainWindow::restoreState().
    void apply();
    void restore(const QSettings &settings);
    void save(QSettings &settings) const;

Q_SIGNALS:
    /// Somebody has opened it.
    void opened();

protected:
    void closeEvent(QCloseEvent *event) override;

private:
    QWidget *makeTitleBar(bool onTheLeft);

    FoldRail *m_rail;
    QAction *m_action;
    FoldChoice m_choice;
    QString m_whyNot;
    bool m_available = false;
    bool m_folded = true;
};

} // namespace headscope

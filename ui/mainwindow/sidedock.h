#pragma once

#include <QAbstractButton>
#include <QDockWidget>

#include <array>

class QAction;
class QMainWindow;
class QSettings;
class QTimer;

namespace headscope {

/// What is left of a folded dock: a strip of 40 pixels with its icon, its name and a badge. A click opens the dock.
class DockRail final : public QAbstractButton
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(DockRail)
public:
    static constexpr int kWidth = 40;

    explicit DockRail(QWidget *parent = nullptr);

    /// A few characters, "2" or "!"; empty: none. With `warning` in the colour of trouble.
    void setBadge(const QString &text, bool warning);
    QString badge() const { return m_badge; }

    QSize sizeHint() const override { return {kWidth, 120}; }
    QSize minimumSizeHint() const override { return {kWidth, 60}; }

protected:
    void paintEvent(QPaintEvent *event) override;
    bool event(QEvent *event) override;

private:
    QString m_badge;
    bool m_warning = false;
};

/// A dock at the left or right side of the window that folds to a rail. Whether it is folded is remembered, apart for
/// windows that are narrow, in which it is folded at first. While there is nothing to show in it (setIdle()), it folds
/// by itself, until somebody opens it.
class SideDock final : public QDockWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(SideDock)
public:
    SideDock(const QString &title, const QString &name, const QString &icon, const QKeySequence &keys, QWidget *content,
             Qt::DockWidgetArea side, QMainWindow *window);

    /// Stands at the side of the window's middle.
    DockRail &rail() const { return *m_rail; }
    /// Opens and folds it; for the menu View.
    QAction &action() const { return *m_action; }

    bool isFolded() const { return m_folded; }
    /// As the user wants it.
    void setFolded(bool folded);
    /// Whether there is a place for it at all, open or folded.
    void setAvailable(bool available, const QString &whyNot);
    void setNarrow(bool narrow);
    /// Whether there is nothing to show in it.
    void setIdle(bool idle);
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
    QString key(bool narrow) const;
    bool wantsFolded() const;

    DockRail *m_rail;
    QAction *m_action;
    std::array<bool, 2> m_chosenFolded{false, true}; ///< in a wide window, in a narrow one
    QString m_whyNot;
    bool m_available = false;
    bool m_narrow = false;
    bool m_idle = false;
    bool m_openedIdle = false;
    bool m_folded = true;
};

} // namespace headscope

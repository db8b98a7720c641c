#pragma once

#include <QFrame>
#include <QTimer>

#include <functional>

class QLabel;
class QPushButton;
class QToolButton;

namespace headscope {

/// A short message over the lower right corner of a window, that moves nothing and goes by itself; not while the mouse
/// or the keyboard is on it.
class Toast final : public QFrame
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(Toast)
public:
    /// `above`: what it does not cover, at the bottom of the window.
    Toast(QWidget *window, QWidget *above);

    /// Replaces what was said before. `link`: what can be done about it; empty: nothing.
    void say(const QString &text, const QString &link = {}, const std::function<void()> &act = {});
    /// "…: written", with a link that opens the folder of `path`.
    void sayWritten(const QString &text, const QString &path);
    QString text() const;

    void setSeconds(double seconds) { m_timer.setInterval(static_cast<int>(seconds * 1000)); }

protected:
    bool eventFilter(QObject *object, QEvent *event) override;
    void enterEvent(QEnterEvent *event) override;
    void leaveEvent(QEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void paintEvent(QPaintEvent *event) override;

private:
    void place();
    void goSoon();

    QWidget *m_above;
    QLabel *m_text;
    QPushButton *m_link;
    QToolButton *m_close;
    std::function<void()> m_act;
    QTimer m_timer;
};

} // namespace headscope

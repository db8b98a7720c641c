#pragma once

#include <QFrame>
#include <QPointer>
#include <QTimer>

class QAction;
class QLabel;
class QToolButton;

namespace headscope {

/// Over the main picture of a page that has nothing to show yet: what it will show, and the button that computes it.
class EmptyCard final : public QFrame
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(EmptyCard)
public:
    /// `pages`: what the pages lie on.
    EmptyCard(QAction *compute, QWidget *pages);

    QToolButton *button() const { return m_button; }
    /// An empty `promise` hides it. `whyNot`: why it cannot be computed now. `other`: the text of a second button,
    /// which shows what there is by another metric; empty: there is none.
    void say(const QWidget *page, const QString &promise, const QString &whyNot, const QString &other = {});

Q_SIGNALS:
    void otherRequested();

protected:
    bool eventFilter(QObject *object, QEvent *event) override;
    void paintEvent(QPaintEvent *event) override;

private:
    void place();
    /// The card, in the middle of what it covers.
    QRect card() const;

    QPointer<const QWidget> m_page;
    bool m_coversPicture = false; ///< with what the picture says itself while it is empty
    QTimer m_placing;             ///< after the page has laid itself out
    QLabel *m_text;
    QToolButton *m_button;
    QToolButton *m_other;
    QLabel *m_whyNot;
};

} // namespace headscope

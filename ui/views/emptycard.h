#pragma once

#include <QFrame>
#include <QPointer>
#include <QTimer>

class QAction;
class QLabel;

namespace headscope {

/// Over the main picture of a page that has nothing to show yet: what it will show, and the button that computes it.
class EmptyCard final : public QFrame
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(EmptyCard)
public:
    /// `pages`: what the pages lie on.
    EmptyCard(QAction *compute, QWidget *pages);

    /// An empty `promise` hides it. `whyNot`: why it cannot be computed now.
    void say(const QWidget *page, const QString &promise, const QString &whyNot);

protected:
    bool eventFilter(QObject *object, QEvent *event) override;
    void paintEvent(QPaintEvent *event) override;

private:
    void place();

    QPointer<const QWidget> m_page;
    QTimer m_placing; ///< after the page has laid itself out
    QLabel *m_text;
    QLabel *m_whyNot;
};

} // namespace headscope

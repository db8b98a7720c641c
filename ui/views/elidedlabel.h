#pragma once

#include <QLabel>

namespace headscope {

/// Plain text in one line, shortened where it does not fit; then its tip says all of it, unless it has a tip of its
/// own. It never makes a page wider.
class ElidedLabel final : public QLabel
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ElidedLabel)
public:
    explicit ElidedLabel(QWidget *parent = nullptr);

    QSize minimumSizeHint() const override;

protected:
    bool event(QEvent *event) override;
    void paintEvent(QPaintEvent *event) override;
};

} // namespace headscope

#pragma once

#include <QLabel>

namespace headscope {

/// Plain text in one line, shortened where it does not fit; then its tip says all of it. It never makes a page wider.
class ElidedLabel final : public QLabel
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ElidedLabel)
public:
    explicit ElidedLabel(QWidget *parent = nullptr);

    void setText(const QString &text);
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;

private:
    void refreshTip();
};

} // namespace headscope

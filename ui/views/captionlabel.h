#pragma once

#include <QLabel>
#include <QStringList>

namespace headscope {

/// Plain text in two lines, whatever there is to say: what stands below stays where it is. Where two lines are too few
/// the second one is shortened, and the tip says all of it.
class CaptionLabel final : public QLabel
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(CaptionLabel)
public:
    explicit CaptionLabel(QWidget *parent = nullptr);

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    bool event(QEvent *event) override;
    void paintEvent(QPaintEvent *event) override;

private:
    /// As they are shown; whether all of the text is in them.
    struct Lines
    {
        QStringList shown;
        bool isWhole = true;
    };
    Lines lines() const;
};

} // namespace headscope

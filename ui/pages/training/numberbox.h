#pragma once

#include <QDoubleSpinBox>

namespace headscope {

/// A box for numbers of any size, 0.1 as well as 1e-9: shown with as many digits as they have, kept exactly.
class NumberBox final : public QDoubleSpinBox
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(NumberBox)
public:
    explicit NumberBox(QWidget *parent = nullptr);

    QString textFromValue(double value) const override;
    double valueFromText(const QString &text) const override;
    QValidator::State validate(QString &text, int &position) const override;
    void fixup(QString &text) const override;
    /// A tenth of the number's size: learning rates are tried in steps of their own size.
    void stepBy(int steps) override;
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

private:
    QString bare(const QString &text) const;
};

} // namespace headscope

#include "ui/pages/training/numberbox.h"

#include <cmath>

namespace headscope {

namespace {
constexpr int kExactDecimals = 18;
} // namespace

NumberBox::NumberBox(QWidget *parent) : QDoubleSpinBox(parent)
{
    setDecimals(kExactDecimals);
    setKeyboardTracking(true);
}

QString NumberBox::bare(const QString &text) const
{
    QString number = text;
    if (!suffix().isEmpty() && number.endsWith(suffix()))
        number.chop(suffix().size());
    return number.trimmed();
}

QString NumberBox::textFromValue(double value) const
{
    return locale().toString(value, 'g', QLocale::FloatingPointShortest).toLower();
}

double NumberBox::valueFromText(const QString &text) const
{
    return locale().toDouble(bare(text));
}

QValidator::State NumberBox::validate(QString &text, int &) const
{
    const QString number = bare(text);
    bool ok = false;
    const double value = locale().toDouble(number, &ok);
    if (ok)
        return value >= minimum() && value <= maximum() ? QValidator::Acceptable : QValidator::Intermediate;
    for (const QChar character : number) {
        if (!character.isDigit() && !QStringLiteral("eE+-.,").contains(character))
            return QValidator::Invalid;
    }
    return QValidator::Intermediate;
}

void NumberBox::fixup(QString &text) const
{
    text = textFromValue(value());
}

void NumberBox::stepBy(int steps)
{
    const double now = value();
    const double size = now == 0 ? singleStep() : std::pow(10.0, std::floor(std::log10(std::abs(now))));
    // From 0.1 down the next is 0.09, not 0.
    const double step = steps < 0 && now > 0 && now <= size * 1.000001 ? size / 10 : size;
    // Through text, so that 0.1 + 0.2 is 0.3.
    setValue(QString::number(now + steps * step, 'g', 12).toDouble());
    selectAll();
}

QSize NumberBox::sizeHint() const
{
    const int text = fontMetrics().horizontalAdvance(QStringLiteral("0.00000") + suffix());
    return {text + QDoubleSpinBox::sizeHint().height() + 16, QDoubleSpinBox::sizeHint().height()};
}

} // namespace headscope

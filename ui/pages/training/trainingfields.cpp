#include "ui/pages/training/trainingfields.h"

#include <QFileInfo>
#include <QRegularExpressionValidator>

namespace headscope {

void TrainingFields::show(const TrainingConfig &config) const
{
    TrainingConfig copy = config;
    for (const Binding &binding : m_bindings)
        binding.show(copy);
}

void TrainingFields::take(TrainingConfig &config) const
{
    for (const Binding &binding : m_bindings)
        binding.take(config);
}

QValidator *TrainingFields::seedValidator(QObject *parent)
{
    static const QRegularExpression digits(QStringLiteral("\\d{0,19}"));
    return new QRegularExpressionValidator(digits, parent);
}

std::filesystem::path TrainingFields::folderOf(const QString &text)
{
    const QString trimmed = text.trimmed();
    return trimmed.isEmpty() ? std::string() : QFileInfo(trimmed).absoluteFilePath().toStdString();
}

} // namespace headscope

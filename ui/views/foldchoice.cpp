#include "ui/views/foldchoice.h"

#include <QSettings>

namespace headscope {
namespace {

QString keyOf(const QString &name, bool narrow)
{
    return QStringLiteral("window/%1/%2").arg(name, narrow ? QStringLiteral("foldedNarrow") : QStringLiteral("folded"));
}

} // namespace

void FoldChoice::restore(const QSettings &settings, const QString &name)
{
    for (const bool narrow : {false, true})
        m_folded[narrow ? 1 : 0] = settings.value(keyOf(name, narrow), narrow).toBool();
}

void FoldChoice::save(QSettings &settings, const QString &name) const
{
    for (const bool narrow : {false, true})
        settings.setValue(keyOf(name, narrow), m_folded[narrow ? 1 : 0]);
}

} // namespace headscope

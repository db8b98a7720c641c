#include "ui/models/significance.h"

#include <QCoreApplication>
#include <QLocale>

namespace headscope {

namespace {
struct SignificanceWords
{
    Q_DECLARE_TR_FUNCTIONS(headscope::Significance)
};
} // namespace

QString correctionName(Correction correction)
{
    switch (correction) {
    case Correction::None:
        return SignificanceWords::tr("not adjusted");
    case Correction::Holm:
        return SignificanceWords::tr("Holm");
    case Correction::BenjaminiHochberg:
        return SignificanceWords::tr("Benjamini–Hochberg");
    }
    return {};
}

QString Significance::text() const
{
    return SignificanceWords::tr("p ≤ %1, %2").arg(QLocale().toString(level, 'f', 2), correctionName(correction));
}

QString Significance::textOfOthers() const
{
    return SignificanceWords::tr("p > %1, %2").arg(QLocale().toString(level, 'f', 2), correctionName(correction));
}

} // namespace headscope

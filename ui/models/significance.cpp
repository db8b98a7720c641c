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

std::optional<double> Significance::deciding(const std::optional<double> &p, const std::optional<double> &holm,
                                             const std::optional<double> &discovery) const
{
    switch (correction) {
    case Correction::None:
        return p;
    case Correction::Holm:
        return holm;
    case Correction::BenjaminiHochberg:
        return discovery ? discovery : holm; // older results say only that, which is stricter
    }
    return p;
}

std::optional<bool> Significance::holds(const std::optional<double> &p, const std::optional<double> &holm,
                                        const std::optional<double> &discovery) const
{
    const auto decides = deciding(p, holm, discovery);
    return decides ? std::optional(*decides <= level) : std::nullopt;
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

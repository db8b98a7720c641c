#pragma once

#include <QString>

#include <array>
#include <optional>

namespace headscope {

/// What is done about testing many heads at once.
enum class Correction { None, Holm, BenjaminiHochberg };
inline constexpr std::array kAllCorrections = {Correction::None, Correction::Holm, Correction::BenjaminiHochberg};
inline constexpr std::array kSignificanceLevels = {0.05, 0.01};

/// When a head counts as significant: one convention for the whole window.
struct Significance
{
    double level = kSignificanceLevels.front();
    Correction correction = Correction::BenjaminiHochberg;

    bool operator==(const Significance &) const = default;

    /// The p that decides, of those as they are, by Holm and by Benjamini and Hochberg; nothing: that one is not known.
    std::optional<double> deciding(const std::optional<double> &p, const std::optional<double> &holm,
                                   const std::optional<double> &discovery) const;
    std::optional<bool> holds(const std::optional<double> &p, const std::optional<double> &holm,
                              const std::optional<double> &discovery) const;
    /// "p ≤ 0.05, Benjamini–Hochberg".
    QString text() const;
    /// "p > 0.05, Benjamini–Hochberg".
    QString textOfOthers() const;
};

QString correctionName(Correction correction); ///< "Benjamini–Hochberg", "not adjusted"

} // namespace headscope

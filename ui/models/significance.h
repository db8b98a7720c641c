#pragma once

#include "core/results/significancerule.h"

#include <QString>

#include <array>

namespace headscope {

inline constexpr std::array kSignificanceLevels = {0.05, 0.01};

/// The convention as the window says it.
struct Significance : SignificanceRule
{
    /// "p ≤ 0.05, Benjamini–Hochberg".
    QString text() const;
    /// "p > 0.05, Benjamini–Hochberg".
    QString textOfOthers() const;
};

QString correctionName(Correction correction); ///< "Benjamini–Hochberg", "not adjusted"

} // namespace headscope

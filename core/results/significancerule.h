#pragma once

#include "core/metrics/inference.h"
#include "core/results/ablationresult.h"

#include <array>
#include <optional>
#include <string>

namespace headscope {

/// The correction for testing many heads at once.
enum class Correction { None, Holm, BenjaminiHochberg };
inline constexpr std::array kAllCorrections = {Correction::None, Correction::Holm, Correction::BenjaminiHochberg};

/// The usual margin of a loss, as a share of the full model's score.
inline constexpr double kUsualMargin = 0.01;
inline constexpr double kLeastMargin = 0.0001; ///< that can be chosen

/// When a head counts as significant, and how large a loss is accepted: one convention for everything that the program
/// says.
struct SignificanceRule
{
    double level = kSignificanceLevel;
    Correction correction = Correction::BenjaminiHochberg;
    /// How much of the full model's score removed heads may cost: removableHeads().
    double margin = kUsualMargin;

    bool operator==(const SignificanceRule &) const = default;

    /// The p that decides, of those as they are, by Holm and by Benjamini and Hochberg; nothing: that one is not known.
    std::optional<double> deciding(const std::optional<double> &p, const std::optional<double> &holm,
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
    std::optional<bool> holds(const std::optional<double> &p, const std::optional<double> &holm,
                              const std::optional<double> &discovery) const
    {
        const auto decides = deciding(p, holm, discovery);
        return decides ? std::optional(*decides <= level) : std::nullopt;
    }
    bool holds(const HeadAblation &head) const
    {
        return holds(head.p, head.pAdjusted, head.discoveryP).value_or(false);
    }

    /// "p ≤ 0.05, Benjamini-Hochberg", for files, which are in English.
    std::string fileText() const;
};

} // namespace headscope

#pragma once

#include "core/results/similarityresult.h"
#include "ui/charts/lineseries.h"

#include <QString>

#include <array>

namespace headscope {

/// What heads attend to, by classes of keys (Clark et al. 2019, Figure 2), and how broadly (Figure 4).
enum class SurfacePanel {
    Neighbours, ///< the previous token, the next one, the token itself
    Special,    ///< the first token, delimiters, punctuation
    Delimiters, ///< delimiters from delimiters, and from all other tokens
    Entropy,    ///< of all tokens, and of the first
};
inline constexpr std::array kSurfacePanels
    = {SurfacePanel::Neighbours, SurfacePanel::Special, SurfacePanel::Delimiters, SurfacePanel::Entropy};
QString surfacePanelName(SurfacePanel panel); ///< "Previous, next, itself"

/// A point per head over its layer, by kind of key, and thin lines through the means of layers; entropies in nats with
/// that of equal attention dashed. Points have names that begin with their head's address. Empty: no head of the kind
/// has such keys.
LineSeries makeSurfaceSeries(const SimilarityResult &result, HeadKind kind, SurfacePanel panel);

} // namespace headscope

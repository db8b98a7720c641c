#pragma once

#include <cmath>

/// The Hard Concrete distribution as numbers: its constants and shape (Louizos, Welling and Kingma 2018; Voita et al.
/// 2019, section 6.1 and Figure 6).
namespace headscope {

inline constexpr double kConcreteBeta = 0.33;
inline constexpr double kConcreteGamma = -0.1;
inline constexpr double kConcreteZeta = 1.1;

/// The parameter φ = log α of a gate by P(gate = 0), which is cut to what is not quite 0 or 1. φ < 0: closed, when it
/// is decided.
inline double concretePhi(double closed)
{
    constexpr double kLeast = 1e-6;
    const double p = closed < kLeast ? kLeast : closed > 1 - kLeast ? 1 - kLeast : closed;
    return kConcreteBeta * std::log(-kConcreteGamma / kConcreteZeta) - std::log(p / (1 - p));
}

/// P(gate = 1).
inline double concreteWholeProbability(double phi)
{
    return 1 / (1 + std::exp(kConcreteBeta * std::log((1 - kConcreteGamma) / (kConcreteZeta - 1)) - phi));
}

/// Density at a gate between 0 and 1, both excluded, where the distribution has probabilities instead.
inline double concreteDensity(double phi, double gate)
{
    const double s = (gate - kConcreteGamma) / (kConcreteZeta - kConcreteGamma);
    const double logOdds = kConcreteBeta * (std::log(s) - std::log(1 - s)) - phi; // logistic
    const double tail = std::exp(-std::abs(logOdds));
    const double logistic = tail / ((1 + tail) * (1 + tail));
    return logistic * kConcreteBeta / (s * (1 - s)) / (kConcreteZeta - kConcreteGamma);
}

} // namespace headscope

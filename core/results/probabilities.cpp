#include "core/results/probabilities.h"

#include <algorithm>
#include <cmath>

namespace headscope {

std::vector<double> labelProbabilities(std::span<const float> logits, ProblemType problem)
{
    std::vector<double> values(logits.begin(), logits.end());
    if (problem == ProblemType::MultiLabel) {
        for (double &value : values)
            value = 1 / (1 + std::exp(-value));
        return values;
    }
    const double highest = values.empty() ? 0 : *std::ranges::max_element(values);
    double sum = 0;
    for (double &value : values)
        sum += value = std::exp(value - highest);
    for (double &value : values)
        value /= sum;
    return values;
}

} // namespace headscope

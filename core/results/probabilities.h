#pragma once

#include "core/base/problemtype.h"

#include <span>
#include <vector>

namespace headscope {

/// The probability of each label, from a classifier's logits: softmax for one of several, the logistic function for any
/// number of them. Not for regression.
std::vector<double> labelProbabilities(std::span<const float> logits, ProblemType problem);

} // namespace headscope

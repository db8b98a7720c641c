#pragma once

#include "core/results/patchresult.h"
#include "core/task/patchedruns.h"

#include <torch/types.h>

#include <cmath>
#include <limits>

/// Measures of the two answers of a pair.
namespace headscope {

template<typename Archive>
void visitSums(Archive &archive, AnswerScores &scores)
{
    archive(scores.answer, scores.wrong);
}

inline double measured(PatchMeasure measure, const AnswerScores &scores)
{
    switch (measure) {
    case PatchMeasure::LogitDifference:
        return scores.answer - scores.wrong;
    case PatchMeasure::Probability:
        return std::exp(scores.answer);
    case PatchMeasure::Loss:
        return -scores.answer;
    case PatchMeasure::Accuracy:
        return scores.answer > scores.wrong ? 1 : 0;
    }
    return std::numeric_limits<double>::quiet_NaN();
}

/// The measure that gradients are taken of; whether the answer wins has none, so there it is by how much.
inline torch::Tensor differentiable(PatchMeasure measure, const torch::Tensor &answer, const torch::Tensor &wrong)
{
    if (measure == PatchMeasure::Probability)
        return answer.exp();
    return measure == PatchMeasure::Loss ? -answer : answer - wrong;
}

} // namespace headscope

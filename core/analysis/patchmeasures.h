#pragma once

#include "core/base/jobcontrol.h"
#include "core/metrics/correlation.h"
#include "core/results/patchresult.h"
#include "core/task/patchedruns.h"

#include <torch/types.h>

#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <mutex>
#include <vector>

/// Measures of the two answers of a pair, and what analyses of pairs share.
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

/// How estimates go with the changes of the measure that they estimate.
inline PatchAgreement agreement(const std::vector<double> &estimates, const std::vector<double> &deltas)
{
    return {std::ssize(deltas), pearsonCorrelation(estimates, deltas).value,
            spearmanCorrelation(estimates, deltas, 0).value};
}

/// Counts runs that threads have done, and says it.
class RunCount
{
public:
    /// Keeps references. `done` is counted on.
    RunCount(const JobControl &control, const Phase &phase, std::int64_t &done, std::int64_t total)
        : m_control(control), m_phase(phase), m_done(done), m_total(total)
    {
    }

    void add(std::int64_t more)
    {
        const std::scoped_lock lock(m_mutex);
        m_done += more;
        m_control.progress({m_phase, "runs", m_done, m_total});
    }

private:
    const JobControl &m_control;
    Phase m_phase;
    std::int64_t &m_done;
    std::int64_t m_total;
    std::mutex m_mutex;
};

} // namespace headscope

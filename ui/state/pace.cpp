#include "ui/state/pace.h"

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <variant>

namespace headscope {

namespace {
constexpr double kLeastSeconds = 0.5; ///< what is over sooner says little
constexpr double kTick = 0.1;         ///< times of jobs are no more precise
constexpr double kNearlyAll = 0.9;

/// Examples under masks that it scored, or that it passed over, all of one cost; 0: of several, or none.
Workload scoredBy(const AnyResult &any)
{
    return any.visit([](const auto &result) -> Workload {
        using T = std::remove_cvref_t<decltype(result)>;
        if constexpr (std::is_same_v<T, EvaluationResult>) {
            return {MaskCost::Whole, result.mask.empty() ? result.examples : 0};
        } else if constexpr (std::is_same_v<T, AblationResult>) {
            return {MaskCost::OneHead, (std::ssize(result.heads) + 1) * result.examples};
        } else if constexpr (std::is_same_v<T, PruningResult>) {
            std::int64_t masks = 0;
            for (const PruningCurve &curve : result.curves) {
                if (curve.order == "greedy" || curve.order == "ablation" || curve.reestimated)
                    return {}; // with the sweeps that found the order
                masks += 1 + std::max<std::int64_t>(1, curve.randomOrders) * (std::ssize(curve.points) - 1);
            }
            return {MaskCost::ManyHeads, masks * result.examples};
        } else if constexpr (std::is_same_v<T, ConfidenceResult>) {
            return {MaskCost::Whole, result.examples, true};
        } else {
            return {};
        }
    });
}
} // namespace

void Pace::learn(const JobInfo &job, double words)
{
    // A score under a mask is answered from states that one by itself has not.
    const auto cost = job.progress.phase.phase.cost;
    if (cost && (*cost != MaskCost::Whole || job.spec.lane == JobLane::Batch) && job.state == JobState::Running
        && job.seconds > kLeastSeconds)
        learn(*cost, job.rate, words);
}

void Pace::learn(MaskCost cost, double rate, double words)
{
    if (rate > 0 && words > 0)
        m_masks[cost].here = 1 / (rate * words);
}

void Pace::learn(const AnyResult &any, const std::string &device, double words)
{
    const Manifest *manifest = manifestOf(any);
    if (!manifest || manifest->partial || manifest->device != device || manifest->seconds <= 0 || words <= 0)
        return;
    const Workload work = scoredBy(any);
    if (work.examples > 0)
        placeOf(work).before = perWord(manifest->seconds, work.examples, words);
    if (manifest->examples > 0)
        m_analyses[manifest->analysis].before = perWord(manifest->seconds, manifest->examples, words);
}

void Pace::learn(const AnyResult &any, const JobInfo &job, double words)
{
    const Manifest *manifest = manifestOf(any);
    const double seconds = job.seconds - job.waited;
    const bool isOfThisJob = manifest && job.seconds + kTick >= kNearlyAll * manifest->seconds;
    if (!isOfThisJob || seconds <= 0 || words <= 0)
        return;
    const Workload work = scoredBy(any);
    if (work.examples > 0)
        placeOf(work).here = perWord(seconds, work.examples, words);
    if (manifest->examples > 0)
        m_analyses[manifest->analysis].here = perWord(seconds, manifest->examples, words);
}

Pace::Measured Pace::of(const Workload &work) const
{
    const auto found = m_masks.find(work.cost);
    return work.isPass ? m_passes : found == m_masks.end() ? Measured() : found->second;
}

bool Pace::hasMeasured(const Workload &work) const
{
    return of(work).here.has_value();
}

std::optional<double> Pace::secondsOf(const Workload &work, double words) const
{
    const auto each = of(work).any();
    if (!each)
        return std::nullopt;
    return *each * static_cast<double>(work.examples) * words;
}

std::optional<double> Pace::secondsOf(const std::string &analysis, std::int64_t examples, double words) const
{
    const auto found = m_analyses.find(analysis);
    const auto each = found == m_analyses.end() ? std::nullopt : found->second.any();
    if (!each)
        return std::nullopt;
    return *each * static_cast<double>(examples) * words;
}

} // namespace headscope

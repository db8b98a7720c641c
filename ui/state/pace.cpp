#include "ui/state/pace.h"

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <variant>

namespace headscope {

namespace {
constexpr double kLeastSeconds = 0.5; ///< what is over sooner says little

/// Examples under masks that it scored, all of one cost; 0: of several, or none.
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
        } else {
            return {};
        }
    });
}
} // namespace

void Pace::learn(const JobInfo &job, double words)
{
    const auto cost = job.progress.phase.phase.cost;
    if (cost && job.state == JobState::Running && job.rate > 0 && words > 0 && job.seconds > kLeastSeconds)
        m_masks[*cost].here = 1 / (job.rate * words);
}

void Pace::learn(const AnyResult &any, const std::string &device, double words)
{
    const Manifest *manifest = manifestOf(any);
    if (!manifest || manifest->partial || manifest->device != device || manifest->seconds <= 0 || words <= 0)
        return;
    const Workload work = scoredBy(any);
    if (work.examples > 0)
        m_masks[work.cost].before = manifest->seconds / (static_cast<double>(work.examples) * words);
    else if (manifest->examples > 0)
        m_analyses[manifest->analysis] = manifest->seconds / (static_cast<double>(manifest->examples) * words);
}

std::optional<double> Pace::secondsOf(const Workload &work, double words) const
{
    // A mask of fewer heads costs at most as much as a score by itself.
    std::optional<double> each;
    for (const MaskCost cost : {work.cost, MaskCost::Whole}) {
        if (const auto found = m_masks.find(cost); !each && found != m_masks.end())
            each = found->second.any();
    }
    if (!each)
        return std::nullopt;
    return *each * static_cast<double>(work.examples) * words;
}

std::optional<double> Pace::secondsOf(const std::string &analysis, std::int64_t examples, double words) const
{
    const auto found = m_analyses.find(analysis);
    return found == m_analyses.end() ? std::nullopt
                                     : std::optional(found->second * static_cast<double>(examples) * words);
}

} // namespace headscope

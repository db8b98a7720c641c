#include "core/analysis/ablation.h"

#include "core/analysis/throttle.h"
#include "core/metrics/mcnemar.h"
#include "core/metrics/multiplicity.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace headscope {
namespace {

/// Heads 0 … of the layout that are not masked already, each with the mask that tests it.
std::vector<std::pair<HeadRef, HeadMask>> candidates(const HeadLayout &layout, const AblationSpec &spec)
{
    std::vector<std::pair<HeadRef, HeadMask>> heads;
    for (const HeadRef &head : layout.heads()) {
        if (spec.mask.isMasked(head))
            continue;
        HeadMask mask;
        if (spec.allButOne) {
            for (const HeadRef &other : layout.heads()) {
                if (other.kind == head.kind && other.layer == head.layer && other != head)
                    mask.set(other, true);
            }
        } else {
            mask.set(head, true);
        }
        heads.emplace_back(head, std::move(mask));
    }
    return heads;
}

/// Keeps the newest estimate of every head while the engine goes through blocks and variants.
class AblationEstimates
{
public:
    AblationEstimates(const Metric &metric, const AblationSpec &spec, std::int64_t total, std::size_t heads)
        : m_metric(metric), m_spec(spec), m_total(total), m_latest(heads), m_settled(heads, false)
    {
    }

    void update(const EngineState &state, const std::vector<std::pair<HeadRef, HeadMask>> &heads)
    {
        const auto rows = static_cast<std::int64_t>(state.baseline.rows);
        if (!m_bootstrap || static_cast<std::int64_t>(m_bootstrap->baseline().rows) != rows) {
            // Early intervals need not be as fine as the last.
            const bool fine = rows == m_total || m_spec.precision > 0;
            m_resamples = fine ? m_spec.resamples : std::min<std::int64_t>(m_spec.resamples, 200);
            m_bootstrap.emplace(state.baseline, m_metric, m_resamples, m_spec.run.seed);
            m_next = 0;
        }
        for (; m_next < heads.size(); ++m_next) {
            if (m_settled[m_next])
                continue; // with fewer examples, which were enough
            if (state.variants[m_next].table.rows != state.baseline.rows)
                break;
            const PairedComparison comparison = m_bootstrap->compare(state.variants[m_next].table);
            m_latest[m_next] = HeadAblation{.head = heads[m_next].first,
                                            .score = comparison.score,
                                            .delta = comparison.delta,
                                            .interval = comparison.interval,
                                            .p = comparison.p,
                                            .pAdjusted = 1,
                                            .changed = state.variants[m_next].changed,
                                            .mcnemar = mcnemarTest(m_metric, state.baseline,
                                                                   state.variants[m_next].table),
                                            .examples = rows};
        }
    }

    /// True if the head's delta is known as precisely as was asked for. A few examples of which none changed give an
    /// interval without width; by the rule of three, as many as 3 of n may still change, with all of their score.
    bool settle(std::size_t head)
    {
        if (!m_latest[head])
            return false;
        const HeadAblation &latest = *m_latest[head];
        const double unseen = 3 * std::abs(m_bootstrap->baselineScore()) / static_cast<double>(latest.examples);
        m_settled[head] = std::max((latest.interval.high - latest.interval.low) / 2, unseen) <= m_spec.precision;
        return m_settled[head];
    }

    void fill(AblationResult &result) const
    {
        result.examples = static_cast<std::int64_t>(m_bootstrap->baseline().rows);
        result.resamples = m_resamples;
        result.baseline = {m_metric.name(), m_bootstrap->baselineScore(), m_bootstrap->baselineInterval(),
                           m_metric.signature()};
        result.heads.clear();
        std::vector<double> p;
        for (const auto &head : m_latest) {
            if (head) {
                result.heads.push_back(*head);
                p.push_back(head->p);
            }
        }
        const auto adjusted = holmAdjusted(p);
        for (std::size_t i = 0; i < adjusted.size(); ++i)
            result.heads[i].pAdjusted = adjusted[i];
    }

private:
    const Metric &m_metric;
    const AblationSpec &m_spec;
    std::int64_t m_total = 0;
    std::int64_t m_resamples = 0;
    std::optional<PairedBootstrap> m_bootstrap;
    std::size_t m_next = 0;
    std::vector<std::optional<HeadAblation>> m_latest;
    std::vector<bool> m_settled; ///< heads that get no more examples
};

} // namespace

AblationResult ablate(const Task &task, const AblationSpec &spec, Manifest manifest, ResidentBlocks *resident,
                      const JobControl &control, const Publish<AblationResult> &publish)
{
    AblationResult result;
    result.manifest = std::move(manifest);
    result.allButOne = spec.allButOne;
    result.replacement = spec.replacement;

    const auto heads = candidates(task.layout(), spec);
    EngineRequest request{.base = spec.mask,
                          .variants = {},
                          .run = spec.run,
                          .phase = spec.allButOne ? "keeping one head a layer" : "ablating heads",
                          .resident = resident};
    for (const auto &[head, mask] : heads)
        request.variants.push_back({mask, spec.replacement});

    AblationEstimates estimates(*task.metrics()[task.primaryMetric(spec.run)], spec, task.size(), heads.size());
    if (spec.precision > 0)
        request.isSettled = [&](std::size_t head) { return estimates.settle(head); };
    Throttle throttle(std::chrono::milliseconds(200));
    result.products = runVariants(task, request, control, [&](const EngineState &state) {
        estimates.update(state, heads);
        if (publish && throttle.isDue()) {
            estimates.fill(result);
            publish(result);
        }
    });
    estimates.fill(result);
    return result;
}

} // namespace headscope

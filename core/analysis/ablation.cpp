#include "core/analysis/ablation.h"

#include "core/analysis/analyses.h"
#include "core/analysis/analysisinfo.h"
#include "core/analysis/headunits.h"
#include "core/analysis/input.h"
#include "core/analysis/optimalconstants.h"
#include "core/analysis/rescaledheads.h"
#include "core/analysis/scoretests.h"
#include "core/analysis/throttle.h"
#include "core/analysis/unseentext.h"
#include "core/analysis/workload.h"
#include "core/metrics/multiplicity.h"
#include "core/metrics/pairedtests.h"
#include "core/results/results.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace headscope {
namespace {

/// Whether heads of this kind can be replaced so. Keys of another sequence are neither near a query nor far from it.
bool canBeReplaced(HeadKind kind, Replacement replacement)
{
    return replacement != Replacement::Window || kind != HeadKind::Cross;
}

/// Units of heads that are not masked already, each with the mask that tests it.
std::vector<std::pair<HeadRef, HeadMask>> candidates(const HeadUnits &units, const HeadMask &masked, bool allButOne,
                                                     Replacement replacement)
{
    std::vector<std::pair<HeadRef, HeadMask>> heads;
    for (const HeadRef &head : units.firsts().heads()) {
        if (masked.isMasked(head) || !canBeReplaced(head.kind, replacement))
            continue;
        HeadMask mask;
        if (allButOne) {
            for (const HeadRef &other : units.firsts().heads()) {
                if (other.kind == head.kind && other.layer == head.layer && other != head)
                    mask.set(other, true);
            }
        } else {
            mask.set(head, true);
        }
        heads.emplace_back(head, units.whole(mask));
    }
    return heads;
}

/// The mean over an example's draws, row by row.
StatisticsTable meanTable(std::span<const VariantStatistics> draws, const StatisticsTable &baseline)
{
    StatisticsTable mean = draws.front().table(baseline);
    if (draws.size() == 1)
        return mean;
    for (const VariantStatistics &draw : draws.subspan(1)) {
        const StatisticsTable table = draw.table(baseline);
        std::ranges::transform(mean.values, table.values, mean.values.begin(), std::plus());
    }
    for (double &value : mean.values)
        value /= static_cast<double>(draws.size());
    return mean;
}

/// Enough to tell what two data sets' deltas differ by, few enough for a file of hundreds of heads.
constexpr std::size_t kReplicates = 50;

/// Six digits are plenty for a distribution, and half the file.
double sixDigits(double value)
{
    std::array<char, 32> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::general, 6).ptr;
    double rounded = value;
    std::from_chars(text.data(), end, rounded);
    return rounded;
}

/// Keeps the newest estimate of every head while the engine goes through blocks and variants.
class AblationEstimates
{
public:
    AblationEstimates(const Task &task, const AblationSpec &spec, std::size_t heads, const HeadUnits &units,
                      const OptimalConstants &constants)
        : m_units(units), m_constants(constants), m_execution(task.execution()),
          m_metric(*task.metrics()[task.primaryMetric(spec.run)]),
          m_signature(signatureOf(task, m_metric, spec.run, spec.rescale)), m_spec(spec), m_layout(task.layout()),
          m_draws(drawsOf(spec)), m_memory(task.memory(spec.run) / 4), m_latest(heads), m_upToDate(heads, false),
          m_settled(heads, false)
    {
    }

    /// Variants of each head, one after the other.
    static std::size_t drawsOf(const AblationSpec &spec)
    {
        const bool drawn = spec.replacement == Replacement::Resample;
        return drawn ? static_cast<std::size_t>(std::max<std::int64_t>(1, spec.draws)) : 1;
    }

    /// True if estimates may be the last when a block is done.
    bool mayBeFinal(const EngineState &state) const
    {
        return static_cast<std::int64_t>(state.baseline.rows) == state.examples || m_spec.precision > 0;
    }

    /// Whether every head has an estimate.
    bool hasAll() const
    {
        return std::ranges::all_of(m_latest, [](const auto &head) { return head.has_value(); });
    }

    /// Updates the heads that the engine has reached on the newest block: in whatever order it gets there.
    void update(const EngineState &state, const std::vector<std::pair<HeadRef, HeadMask>> &heads, bool isFinal,
                const JobControl &control)
    {
        const std::int64_t resamples = scoreResamples(m_spec.resamples, m_layout, isFinal);
        if (!m_bootstrap || m_bootstrap->baseline().rows != state.baseline.rows || m_isFinal != isFinal) {
            m_resamples = resamples;
            m_isFinal = isFinal;
            m_bootstrap.emplace(state.baseline, m_metric, resamples, m_spec.run.seed, m_spec.sampleRatio);
            m_upToDate.assign(heads.size(), false);
        }
        std::vector<Reached> reached;
        const std::size_t most = headsTogether(state.baseline);
        for (std::size_t head = 0; head < heads.size(); ++head) {
            if (m_settled[head] || m_upToDate[head] || !isReached(state, head))
                continue; // settled: with fewer examples, which were enough
            m_upToDate[head] = true;
            const auto draws = drawsOf(state, head);
            reached.push_back({head, draws, meanTable(draws, state.baseline)});
            if (reached.size() == most)
                estimateAll(std::exchange(reached, {}), heads, isFinal, control);
        }
        estimateAll(reached, heads, isFinal, control);
    }

    /// True if the head's delta is known as precisely as was asked for. A few examples of which none changed give an
    /// interval without width; by the rule of three, as many as 3 of n may still change, with all of their score.
    bool settle(std::size_t head)
    {
        if (!m_latest[head])
            return false;
        const HeadAblation &latest = *m_latest[head];
        const double unseen = mostUnseen(latest.examples) * std::abs(m_bootstrap->baselineScore());
        m_settled[head] = std::max((latest.interval.high - latest.interval.low) / 2, unseen) <= m_spec.precision;
        return m_settled[head];
    }

    void fill(AblationResult &result) const
    {
        if (!m_bootstrap) // a shard of fewer examples than shards
            return;
        result.examples = static_cast<std::int64_t>(m_bootstrap->baseline().rows);
        result.resamples = m_resamples;
        result.baseline = {m_metric.name(), m_bootstrap->baselineScore(), m_bootstrap->baselineInterval(), m_signature,
                           m_metric.better()};
        result.heads.clear();
        std::vector<double> p;
        for (const auto &head : m_latest) {
            if (head) {
                result.heads.push_back(*head);
                p.push_back(head->p);
            }
        }
        const auto adjusted = holmAdjusted(p);
        const auto discovery = benjaminiHochbergAdjusted(p);
        for (std::size_t i = 0; i < adjusted.size(); ++i) {
            result.heads[i].pAdjusted = adjusted[i];
            result.heads[i].discoveryP = discovery[i];
        }
    }

private:
    /// A head with what the engine knows of it on all examples so far.
    struct Reached
    {
        std::size_t head;
        std::span<const VariantStatistics> draws;
        StatisticsTable table; ///< the mean over the draws
    };

    /// As many heads as have room for all of their statistics. Resamples are drawn once for all of them.
    std::size_t headsTogether(const StatisticsTable &baseline) const
    {
        const auto bytes = static_cast<std::int64_t>(baseline.values.size() * sizeof(double));
        return static_cast<std::size_t>(
            std::max<std::int64_t>(m_execution.threads(), m_memory / std::max<std::int64_t>(1, bytes)));
    }

    void estimateAll(const std::vector<Reached> &reached, const std::vector<std::pair<HeadRef, HeadMask>> &heads,
                     bool isFinal, const JobControl &control)
    {
        const auto comparisons = compared(reached, control);
        m_execution.parallelFor(std::ssize(reached), [&](std::int64_t i) {
            control.checkpoint();
            const auto place = static_cast<std::size_t>(i);
            const std::size_t head = reached[place].head;
            m_latest[head] = estimate(heads[head].first, reached[place], comparisons[place], isFinal);
        });
    }

    std::span<const VariantStatistics> drawsOf(const EngineState &state, std::size_t head) const
    {
        return std::span(state.variants).subspan(head * m_draws, m_draws);
    }

    bool isReached(const EngineState &state, std::size_t head) const
    {
        return std::ranges::all_of(drawsOf(state, head),
                                   [&](const auto &draw) { return draw.rows() == state.baseline.rows; });
    }

    /// Computes parts of the heads in parallel.
    std::vector<PairedComparison> compared(const std::vector<Reached> &reached, const JobControl &control) const
    {
        std::vector<const StatisticsTable *> tables;
        for (const Reached &one : reached)
            tables.push_back(&one.table);
        std::vector<PairedComparison> comparisons(tables.size());
        const auto shares = static_cast<std::size_t>(m_execution.threads());
        m_execution.parallelFor(static_cast<std::int64_t>(shares), [&](std::int64_t share) {
            const std::size_t from = static_cast<std::size_t>(share) * tables.size() / shares;
            const std::size_t to = (static_cast<std::size_t>(share) + 1) * tables.size() / shares;
            std::ranges::move(m_bootstrap->compareAll(std::span(tables).subspan(from, to - from), control),
                              comparisons.begin() + static_cast<std::ptrdiff_t>(from));
        });
        return comparisons;
    }

    HeadAblation estimate(const HeadRef &head, const Reached &reached, const PairedComparison &comparison,
                          bool isFinal) const
    {
        const StatisticsTable &baseline = m_bootstrap->baseline();
        std::int64_t changed = 0;
        for (const VariantStatistics &draw : reached.draws)
            changed += draw.changed();
        HeadAblation result{.head = head,
                            .score = comparison.score,
                            .delta = comparison.delta,
                            .interval = comparison.interval,
                            .p = comparison.p,
                            .pAdjusted = 1,
                            .changed = changed / std::ssize(reached.draws),
                            // Half right is neither right nor wrong.
                            .mcnemar = m_draws == 1 ? mcnemarTest(m_metric, baseline, reached.table) : std::nullopt,
                            .examples = static_cast<std::int64_t>(baseline.rows),
                            .together = m_units.othersOf(head)};
        if (const auto fit = m_constants.fits.find(head); fit != m_constants.fits.end()) {
            result.fitMeanLoss = fit->second.meanLoss;
            result.fitLoss = fit->second.loss;
        }
        if (!isFinal)
            return result;
        result.tTest = pairedTTest(m_metric, baseline, reached.table);
        if (m_resamples > 0) {
            result.randomization
                = approximateRandomizationP(baseline, reached.table, m_metric, m_resamples, m_spec.run.seed);
            result.replicates = meansOfShares(comparison.replicates, kReplicates);
            std::ranges::transform(result.replicates, result.replicates.begin(), sixDigits);
        }
        return result;
    }

    const HeadUnits &m_units;
    const OptimalConstants &m_constants;
    const Execution &m_execution;
    const Metric &m_metric;
    const std::string m_signature;
    const AblationSpec &m_spec;
    const HeadLayout &m_layout;
    std::size_t m_draws;
    std::int64_t m_memory; ///< for statistics of heads that are compared together
    std::int64_t m_resamples = 0;
    bool m_isFinal = false; ///< final estimates say more, even of as many resamples
    std::optional<PairedBootstrap> m_bootstrap;
    std::vector<std::optional<HeadAblation>> m_latest;
    std::vector<char> m_upToDate; ///< heads whose estimates are of all that is known
    std::vector<char> m_settled;  ///< heads that get no more examples
};

/// A result with what is known of it before the sweep. `window`: the keys that heads still see.
AblationResult begun(const AblationSpec &spec, Manifest manifest, const KeyWindow &window)
{
    AblationResult result;
    result.manifest = std::move(manifest);
    result.allButOne = spec.allButOne;
    result.replacement = spec.replacement;
    result.sampleRatio = spec.sampleRatio;
    result.rescaled = spec.rescale;
    result.draws = static_cast<std::int64_t>(AblationEstimates::drawsOf(spec));
    if (spec.replacement == Replacement::Optimal)
        result.fitSteps = fitStepsOf(spec);
    if (!window.showsAll()) {
        result.sinks = window.sinks;
        result.window = window.neighbours;
    }
    return result;
}

/// The runs of a sweep: for every head its draws, one after the other.
EngineRequest sweepRequest(const Task &task, const AblationSpec &spec, const HeadMask &masked,
                           const std::vector<std::pair<HeadRef, HeadMask>> &heads, const KeyWindow &window)
{
    EngineRequest request{
        .base = masked, .variants = {}, .run = spec.run, .phase = spec.allButOne ? kPhaseAllButOne : kPhaseAblating};
    const auto draws = static_cast<std::int64_t>(AblationEstimates::drawsOf(spec));
    for (const auto &[head, mask] : heads) {
        for (std::int64_t draw = 0; draw < draws; ++draw)
            request.variants.push_back({mask, spec.replacement, draw,
                                        spec.rescale ? rescaledHeads(mask, task.layout()) : HeadScales(), window});
    }
    return request;
}

/// The journal that was asked for; null: none was.
std::unique_ptr<SweepJournal> askedJournal(const Task &task, const AblationSpec &spec, const std::string &key,
                                           const EngineRequest &request)
{
    if (spec.journal.empty())
        return nullptr;
    return SweepJournal::open(
               spec.journal,
               {.key = key, .variants = std::ssize(request.variants), .blocks = blockSizes(task, spec.run, spec.shard)})
        .valueOrThrow();
}

} // namespace

AblationResult ablate(const Task &task, const AblationSpec &spec, Manifest manifest, ResidentBlocks *resident,
                      const JobControl &control, const Publish<AblationResult> &publish, const Task *reference,
                      const KeptWork &kept, const std::function<void(const EngineState &)> &onDone)
{
    const KeyWindow window = spec.replacement == Replacement::Window ? windowOf(spec) : KeyWindow();
    AblationResult result = begun(spec, std::move(manifest), window);
    const HeadUnits units(task.model().spec(), spec.by);
    const HeadMask masked = units.whole(spec.mask);
    const auto heads = candidates(units, masked, spec.allButOne, spec.replacement);
    OptimalConstants constants;
    if (spec.replacement == Replacement::Optimal) {
        constants = optimalConstants(reference ? *reference : task, spec, units, control, kept);
        result.fitExamples = constants.examples;
        result.fitOnOwn = !reference;
    }
    EngineRequest request = sweepRequest(task, spec, masked, heads, window);
    request.resident = resident;
    request.kept = &kept;
    request.plan = {spec.replacement, reference, result.draws};
    request.plan.constants = constants.contexts;
    AblationEstimates estimates(task, spec, heads.size(), units, constants);
    if (spec.precision > 0)
        request.isSettled = [&, draws = AblationEstimates::drawsOf(spec)](std::size_t variant) {
            return estimates.settle(variant / draws);
        };
    const auto update = [&](const EngineState &state, bool mayBeFinal) {
        estimates.update(state, heads, mayBeFinal, control);
        if (!publish)
            return;
        estimates.fill(result);
        publish(result);
    };
    request.onBlock = [&](const EngineState &state) {
        const bool mayBeFinal = estimates.mayBeFinal(state);
        if (mayBeFinal || publish)
            update(state, mayBeFinal);
    };
    const auto journal = askedJournal(task, spec, result.manifest.key(), request);
    request.journal = journal.get();
    if (journal)
        request.shard = spec.shard;
    Throttle throttle(std::chrono::milliseconds(200));
    result.products = runVariants(task, request, control, [&](const EngineState &state) {
        if (onDone && state.done == state.total)
            onDone(state);
        // Later blocks are shown when they are done: numbers of different examples cannot be ranked.
        if (publish && !estimates.hasAll() && throttle.isDue())
            update(state, false);
    });
    estimates.fill(result);
    result.manifest.partial = !spec.shard.isAll();
    return result;
}

/// Heads that are left alone (--precision) are so by what all examples say, which a shard does not know.
void AnalysisOf<AblationSpec>::check(const AblationSpec &spec)
{
    if (spec.rescale && spec.replacement != Replacement::Zero)
        throw Failure(usageError("--rescale and --replace do not go together: heads that are replaced leave nothing to "
                                 "make up for."));
    if (spec.rescale && !spec.mask.empty())
        throw Failure(
            usageError("--rescale and --mask do not go together: factors are of layers that lose heads, not of "
                       "layers that have lost some. A model without the heads of a mask is scored by evaluate "
                       "--mask --rescale."));
    if ((spec.sinks || spec.window) && spec.replacement != Replacement::Window)
        throw Failure(usageError("--sinks and --window need --replace window."));
    if ((spec.fitExamples || spec.fitSteps) && spec.replacement != Replacement::Optimal)
        throw Failure(usageError("--fit-examples and --fit-steps need --replace optimal."));
    if (spec.allButOne && spec.replacement == Replacement::Optimal)
        throw Failure(
            usageError("--replace optimal and --all-but-one do not go together: a constant is optimal for the "
                       "head that is removed alone."));
    if (spec.shard.isAll())
        return;
    if (spec.journal.empty())
        throw Failure(usageError("A shard needs a journal: --journal FILE."));
    if (spec.precision > 0)
        throw Failure(usageError("--precision needs the whole sweep: leave out --precision or --shard."));
}

namespace {
/// Whether it sets each head by itself to nothing, on all examples.
bool removesEachHead(const AblationSpec &spec)
{
    return spec.by == HeadUnit::Head && !spec.allButOne && spec.replacement == Replacement::Zero && !spec.rescale
        && spec.precision <= 0 && spec.shard.isAll();
}
} // namespace

AblationResult AnalysisOf<AblationSpec>::compute(const AblationSpec &spec, AnalysisInput &input, Manifest manifest,
                                                 const JobControl &control, const Publish<AblationResult> &publish)
{
    const AnalysisData data = input.data();
    const auto second = input.second();
    const auto resident = input.resident(spec.run);
    const KeptWork kept = input.keptWork(manifest.key());
    std::function<void(const EngineState &)> keepExamples;
    if (removesEachHead(spec) && data.task.metrics()[data.task.primaryMetric(spec.run)]->isRightOrWrong()) {
        keepExamples = [&](const EngineState &state) {
            const HeadUnits units(data.task.model().spec(), spec.by);
            SweptHeads swept{spec.run, spec.mask, {}, state.visited, state.baseline, state.variants};
            for (const auto &[head, mask] : candidates(units, units.whole(spec.mask), false, spec.replacement))
                swept.heads.push_back(head);
            input.keepSweptHeads(std::make_shared<const SweptHeads>(std::move(swept)));
        };
    }
    AblationResult result = ablate(data.task, spec, std::move(manifest), resident.get(), control, publish,
                                   second ? &second->task : nullptr, kept, keepExamples);
    if (takesContexts(spec.replacement))
        result.referenceData = (second ? *second : data).name;
    return result;
}

BestHeadsResult AnalysisOf<BestHeadsSpec>::compute(const BestHeadsSpec &spec, AnalysisInput &input, Manifest manifest,
                                                   const JobControl &control, const Publish<BestHeadsResult> &)
{
    AblationSpec sweep = spec;
    sweep.allButOne = true;
    const AblationResult choose = input.ask(sweep, control); // of the second set
    const AblationResult report = input.ask(sweep, false, control);
    BestHeadsResult result = bestHeads(choose, report).valueOrThrow();
    result.manifest = std::move(manifest);
    return result;
}

std::vector<std::string> AnalysisOf<AblationSpec>::remarks(const AblationResult &result)
{
    std::vector<std::string> remarks;
    if (result.fitOnOwn)
        remarks.push_back(fmt::format("constants were fitted to {} of the {} examples that heads are judged on, which "
                                      "makes heads look less needed than they are; --reference-on takes another set",
                                      result.fitExamples, result.manifest.totalExamples));
    const auto silent = std::ranges::count(result.heads, 0, &HeadAblation::changed);
    if (silent > 0)
        remarks.push_back(fmt::format(
            "{} of {} heads change none of the {} outputs. Their intervals are by the rule of three: each may still "
            "change {} (95 %)",
            silent, result.heads.size(), result.examples, unseenText(result.examples, "outputs")));
    return remarks;
}

} // namespace headscope

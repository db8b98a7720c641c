#include "core/analysis/interactions.h"

#include "core/analysis/analysisinfo.h"
#include "core/analysis/dendrogram.h"
#include "core/analysis/headunits.h"
#include "core/analysis/importance.h"
#include "core/analysis/input.h"
#include "core/analysis/scoretests.h"
#include "core/metrics/inference.h"
#include "core/metrics/multiplicity.h"
#include "core/results/results.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace headscope {
namespace {

struct UnitPair
{
    std::size_t first = 0;
    std::size_t second = 0;
};

struct UnitTriple
{
    std::array<std::size_t, 3> units{};
    std::array<std::size_t, 3> pairs{}; ///< places of its pairs among those measured
};

/// All triples of `heads` heads, of which all pairs are measured, in order.
std::vector<UnitTriple> allTriples(std::size_t heads)
{
    std::vector<UnitTriple> triples;
    const auto pairOf = [heads](std::size_t a, std::size_t b) { return PairTable::place(heads, a, b); };
    for (std::size_t a = 0; a < heads; ++a) {
        for (std::size_t b = a + 1; b < heads; ++b) {
            for (std::size_t c = b + 1; c < heads; ++c)
                triples.push_back({{a, b, c}, {pairOf(a, b), pairOf(a, c), pairOf(b, c)}});
        }
    }
    return triples;
}

std::vector<HeadRef> unitsOf(const HeadUnits &units, const HeadLayout &layout, const InteractionsSpec &spec,
                             const HeadMask &masked)
{
    const HeadMask named = parseHeadMask(spec.among).valueOrThrow();
    for (const HeadRef &head : named) {
        if (!layout.contains(head))
            throw Failure(usageError("--among: the model has no head " + toText(head) + "."));
    }
    const HeadMask among = units.whole(named);
    std::vector<HeadRef> heads = units.firstsWithout(masked, spec.kinds);
    std::erase_if(heads, [&](const HeadRef &head) { return !among.empty() && !among.isMasked(head); });
    if (heads.size() < 2)
        throw Failure(usageError("There is no pair of heads to look at: fewer than two are neither masked nor left out "
                                 "by --kinds or --among."));
    return heads;
}

/// |Σ_b g_b,i g_b,j| for all pairs; gradients of a unit are the sums over its heads.
std::vector<double> likelihoods(const Task &task, const HeadUnits &units, const std::vector<HeadRef> &heads,
                                const std::vector<UnitPair> &pairs, const InteractionsSpec &spec,
                                const JobControl &control)
{
    std::vector<std::int64_t> ids(static_cast<std::size_t>(task.size()));
    std::iota(ids.begin(), ids.end(), 0);
    const HeadGradients gradients = miniBatchGradients(task, ids, 1, spec.run, control);
    std::vector<std::vector<std::size_t>> places;
    for (const HeadRef &head : heads) {
        std::vector<std::size_t> &own = places.emplace_back();
        own.push_back(static_cast<std::size_t>(task.layout().indexOf(head)));
        for (const HeadRef &other : units.othersOf(head))
            own.push_back(static_cast<std::size_t>(task.layout().indexOf(other)));
    }
    std::vector<double> sums(pairs.size(), 0);
    std::vector<double> ofUnits(heads.size());
    for (const auto &row : gradients) {
        for (std::size_t unit = 0; unit < heads.size(); ++unit) {
            ofUnits[unit] = 0;
            for (const std::size_t place : places[unit])
                ofUnits[unit] += row[place];
        }
        for (std::size_t pair = 0; pair < pairs.size(); ++pair)
            sums[pair] += ofUnits[pairs[pair].first] * ofUnits[pairs[pair].second];
    }
    for (double &sum : sums)
        sum = std::abs(sum);
    return sums;
}

/// The estimate of an interaction from the examples and their resamples. `differing`: examples that contribute.
template<typename Interaction>
void tell(Interaction &one, std::vector<double> differences, std::int64_t examples, std::int64_t differing)
{
    one.interaction = differences.front();
    differences.erase(differences.begin());
    if (std::ranges::none_of(differences, [](double value) { return std::isnan(value); }))
        std::ranges::sort(differences);
    const auto [interval, p]
        = inferred({.value = one.interaction, .examples = examples, .differing = differing, .scale = one.interaction},
                   differences);
    one.interval = interval;
    one.p = p;
}

/// Sums over pairs of the interaction and of its resamples.
MeanInteraction meanOf(const std::vector<std::vector<double>> &sums, std::size_t pairs, std::int64_t examples)
{
    MeanInteraction mean;
    if (sums.empty())
        return mean;
    std::vector<double> values(sums.front().size());
    for (const std::vector<double> &sum : sums) {
        for (std::size_t r = 0; r < values.size(); ++r)
            values[r] += sum[r] / static_cast<double>(pairs);
    }
    tell(mean, std::move(values), examples, examples);
    return mean;
}

/// A table of a variant that is added to, or taken from, an interaction.
struct SignedTable
{
    const StatisticsTable *table;
    double sign;
};

/// The examples whose statistics do not cancel out.
std::int64_t contributing(std::span<const SignedTable> tables)
{
    const StatisticsTable &any = *tables.front().table;
    std::int64_t count = 0;
    for (std::size_t i = 0; i < any.rows; ++i) {
        bool isZero = true;
        for (std::size_t k = 0; k < any.columns && isZero; ++k) {
            double sum = 0;
            for (const auto &[table, sign] : tables)
                sum += sign * table->row(i)[k];
            isZero = sum == 0;
        }
        count += isZero ? 0 : 1;
    }
    return count;
}

/// Benjamini–Hochberg over all, and the largest first.
template<typename Interaction>
void judgeAll(std::vector<Interaction> &all)
{
    adjustDiscoveries(all);
    std::ranges::stable_sort(all, std::ranges::greater(),
                             [](const Interaction &one) { return std::abs(one.interaction); });
}

/// Counts pairs by their sign, and says what follows for single ablation.
void judge(InteractionsResult &result)
{
    MeanInteraction &mean = result.mean;
    for (const HeadInteraction &pair : result.pairs) {
        if (pair.discoveryP < kSignificanceLevel)
            ++(gain(result.better, pair.interaction) < 0 ? mean.redundant : mean.synergetic);
    }
    const Interval gained = gain(result.better, mean.interval);
    mean.single = gained.high < 0 ? SingleAblation::Understates
                : gained.low > 0  ? SingleAblation::Overstates
                                  : SingleAblation::Unclear;
    withholdVerdict(result);
}

/// The engine's statistics of single heads, pairs and triples, made into interactions.
class MeasuredSets
{
public:
    MeasuredSets(const Task &task, const Metric &metric, const InteractionsSpec &spec, const EngineState &state,
                 const std::vector<HeadRef> &heads, const std::vector<UnitPair> &pairs,
                 const std::vector<UnitTriple> &triples, std::int64_t resamples, const JobControl &control)
        : m_execution(task.execution()), m_metric(metric), m_state(state), m_heads(heads), m_pairs(pairs),
          m_triples(triples), m_control(control), m_examples(static_cast<std::int64_t>(state.baseline.rows)),
          m_bootstrap(state.baseline, metric, m_examples > 1 ? resamples : 0, spec.run.seed),
          m_whole{m_bootstrap.baselineScore()}, m_tables(heads.size()), m_alone(heads.size()),
          m_ofPairs(triples.empty() ? 0 : pairs.size())
    {
        const auto &resampled = m_bootstrap.baselineScores();
        m_whole.insert(m_whole.end(), resampled.begin(), resampled.end());
    }

    void fill(InteractionsResult &result)
    {
        result.examples = m_examples;
        result.baseline = m_whole.front();
        measureAlone();
        for (std::size_t i = 0; i < m_heads.size(); ++i)
            result.heads.push_back({m_heads[i], m_alone[i].front() - result.baseline});
        addPairs(result);
        result.triples.resize(m_triples.size());
        m_execution.parallelFor(std::ssize(m_triples), [&](std::int64_t t) {
            m_control.checkpoint();
            result.triples[static_cast<std::size_t>(t)] = triple(static_cast<std::size_t>(t));
        });
    }

    /// p of these pairs by the resamples of this one.
    void refine(InteractionsResult &result, std::span<const std::size_t> places)
    {
        measureAlone();
        m_execution.parallelFor(std::ssize(places), [&](std::int64_t i) {
            m_control.checkpoint();
            std::vector<double> sums;
            const std::size_t at = places[static_cast<std::size_t>(i)];
            result.pairs[at].p = pair(at, sums).p;
        });
    }

private:
    void measureAlone()
    {
        m_execution.parallelFor(std::ssize(m_heads), [&](std::int64_t i) {
            m_control.checkpoint();
            const auto at = static_cast<std::size_t>(i);
            m_tables[at] = m_state.variants[at].table(m_state.baseline);
            m_alone[at] = scoreAndResamples(m_bootstrap, m_metric, m_tables[at]);
        });
    }

    void addPairs(InteractionsResult &result)
    {
        result.pairs.resize(m_pairs.size());
        // Sums of stretches of pairs, added up in their order: however many workers there are.
        constexpr std::int64_t kStretch = 64;
        std::vector<std::vector<double>> sums(
            static_cast<std::size_t>((std::ssize(m_pairs) + kStretch - 1) / kStretch));
        m_execution.parallelFor(std::ssize(sums), [&](std::int64_t stretch) {
            const auto end = std::min(m_pairs.size(), static_cast<std::size_t>((stretch + 1) * kStretch));
            for (auto at = static_cast<std::size_t>(stretch * kStretch); at < end; ++at) {
                m_control.checkpoint();
                result.pairs[at] = pair(at, sums[static_cast<std::size_t>(stretch)]);
            }
        });
        result.mean = meanOf(sums, m_pairs.size(), m_examples);
    }

    /// Adds its interaction and those of the resamples to `sums`.
    HeadInteraction pair(std::size_t at, std::vector<double> &sums)
    {
        const auto [first, second] = m_pairs[at];
        const StatisticsTable without = m_state.variants[m_heads.size() + at].table(m_state.baseline);
        auto both = scoreAndResamples(m_bootstrap, m_metric, without);
        std::vector<double> differences;
        for (std::size_t r = 0; r < both.size(); ++r)
            differences.push_back(both[r] - m_alone[first][r] - m_alone[second][r] + m_whole[r]);
        sums.resize(both.size());
        std::ranges::transform(sums, differences, sums.begin(), std::plus<>());
        HeadInteraction pair{.head = m_heads[first], .other = m_heads[second], .interval = {}};
        pair.together = both.front() - m_whole.front();
        const std::array<SignedTable, 4> tables{
            {{&without, 1}, {&m_tables[first], -1}, {&m_tables[second], -1}, {&m_state.baseline, 1}}};
        tell(pair, std::move(differences), m_examples, contributing(tables));
        if (!m_triples.empty())
            m_ofPairs[at] = {without, std::move(both)};
        return pair;
    }

    TripleInteraction triple(std::size_t at) const
    {
        const auto &[heads, pairs] = m_triples[at];
        const StatisticsTable without = m_state.variants[m_heads.size() + m_pairs.size() + at].table(m_state.baseline);
        const auto all = scoreAndResamples(m_bootstrap, m_metric, without);
        std::vector<double> differences;
        for (std::size_t r = 0; r < all.size(); ++r) {
            double difference = all[r] - m_whole[r];
            for (std::size_t k = 0; k < 3; ++k)
                difference += m_alone[heads[k]][r] - m_ofPairs[pairs[k]].scores[r];
            differences.push_back(difference);
        }
        std::vector<SignedTable> tables{{&without, 1}, {&m_state.baseline, -1}};
        for (std::size_t k = 0; k < 3; ++k) {
            tables.push_back({&m_tables[heads[k]], 1});
            tables.push_back({&m_ofPairs[pairs[k]].table, -1});
        }
        TripleInteraction triple{
            .head = m_heads[heads[0]], .other = m_heads[heads[1]], .third = m_heads[heads[2]], .interval = {}};
        triple.together = all.front() - m_whole.front();
        tell(triple, std::move(differences), m_examples, contributing(tables));
        return triple;
    }

    struct PairScores
    {
        StatisticsTable table;
        std::vector<double> scores;
    };

    const Execution &m_execution;
    const Metric &m_metric;
    const EngineState &m_state;
    const std::vector<HeadRef> &m_heads;
    const std::vector<UnitPair> &m_pairs;
    const std::vector<UnitTriple> &m_triples;
    const JobControl &m_control;
    std::int64_t m_examples;
    PairedBootstrap m_bootstrap;
    std::vector<double> m_whole; ///< the full model's score, then those of its resamples
    std::vector<StatisticsTable> m_tables;
    std::vector<std::vector<double>> m_alone;
    std::vector<PairScores> m_ofPairs; ///< only for triples
};

/// Pairs that no resample contradicts are drawn again: as often as one of them alone needs to be significant among all,
/// as far as that takes seconds.
void refine(const Task &task, const Metric &metric, const InteractionsSpec &spec, const EngineState &state,
            const std::vector<HeadRef> &heads, const std::vector<UnitPair> &pairs, const JobControl &control,
            InteractionsResult &result)
{
    constexpr double kMostScores = 2e7;
    const std::vector<std::size_t> clear = uncontradicted(pValuesOf(result.pairs), spec.resamples);
    const double affordable = kMostScores / static_cast<double>(heads.size() + clear.size());
    const std::int64_t resamples = std::min(resamplesForHolm(std::ssize(pairs)), static_cast<std::int64_t>(affordable));
    if (clear.empty() || resamples <= spec.resamples)
        return;
    const std::vector<UnitTriple> none;
    MeasuredSets(task, metric, spec, state, heads, pairs, none, resamples, control).refine(result, clear);
}

InteractionClusters clustered(const InteractionsResult &result)
{
    std::set<HeadRef> occurring;
    double largest = 0;
    for (const HeadInteraction &pair : result.pairs) {
        occurring.insert({pair.head, pair.other});
        largest = std::max(largest, std::abs(pair.interaction));
    }
    InteractionClusters clusters{{occurring.begin(), occurring.end()}, {}, {}};
    const auto placeOf = [&](const HeadRef &head) {
        return static_cast<std::size_t>(std::ranges::lower_bound(clusters.heads, head) - clusters.heads.begin());
    };
    PairTable distances(clusters.heads.size());
    std::ranges::fill(distances.values(), 1.0);
    for (const HeadInteraction &pair : result.pairs) {
        const double size = largest > 0 ? std::sqrt(std::abs(pair.interaction) / largest) : 0;
        distances.at(placeOf(pair.head), placeOf(pair.other))
            = isWorse(result.better, pair.interaction) ? 1 - size : 1 + size;
    }
    Dendrogram dendrogram = dendrogramOf(distances, averageLinkage);
    clusters.merges = std::move(dendrogram.merges);
    clusters.order = std::move(dendrogram.order);
    return clusters;
}

/// All pairs of heads, or so many of those that gradients find likeliest.
std::vector<UnitPair> askedPairs(const Task &task, const HeadUnits &units, const std::vector<HeadRef> &heads,
                                 const InteractionsSpec &spec, const JobControl &control)
{
    std::vector<UnitPair> pairs;
    for (std::size_t i = 0; i < heads.size(); ++i) {
        for (std::size_t j = i + 1; j < heads.size(); ++j)
            pairs.push_back({i, j});
    }
    if (std::ssize(pairs) <= spec.most)
        return pairs;
    const std::vector<double> likely = likelihoods(task, units, heads, pairs, spec, control);
    std::vector<std::size_t> order(pairs.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::ranges::greater(), [&](std::size_t pair) { return likely[pair]; });
    order.resize(static_cast<std::size_t>(spec.most));
    std::ranges::sort(order);
    std::vector<UnitPair> chosen;
    for (const std::size_t pair : order)
        chosen.push_back(pairs[pair]);
    return chosen;
}

/// Every head, every pair and every triple removed.
std::vector<Variant> variantsOf(const HeadUnits &units, const std::vector<HeadRef> &heads,
                                const std::vector<UnitPair> &pairs, const std::vector<UnitTriple> &triples)
{
    std::vector<Variant> variants;
    const auto remove = [&](const HeadMask &removed) { variants.push_back({units.whole(removed), Replacement::Zero}); };
    for (const HeadRef &head : heads)
        remove(HeadMask{head});
    for (const UnitPair &pair : pairs)
        remove(HeadMask{heads[pair.first], heads[pair.second]});
    for (const UnitTriple &triple : triples)
        remove(HeadMask{heads[triple.units[0]], heads[triple.units[1]], heads[triple.units[2]]});
    return variants;
}

} // namespace

InteractionsResult interactions(const Task &task, const InteractionsSpec &spec, Manifest manifest,
                                ResidentBlocks *resident, const JobControl &control, const KeptWork &kept)
{
    task.requireReferences();
    const Metric &metric = *task.metrics()[task.primaryMetric(spec.run)];
    const HeadUnits units(task.model().spec(), spec.by);
    const HeadMask masked = units.whole(spec.mask);
    const std::vector<HeadRef> heads = unitsOf(units, task.layout(), spec, masked);
    InteractionsResult result;
    result.manifest = std::move(manifest);
    result.metric = metric.name();
    result.better = metric.better();
    result.by = spec.by;
    result.possible = std::ssize(heads) * (std::ssize(heads) - 1) / 2;
    if (spec.triples && (std::ssize(heads) > kMostTripleHeads || result.possible > spec.most))
        throw Failure(usageError(fmt::format("--triples: these are {} heads; --among names {} at most, of which --most "
                                             "must allow all pairs.",
                                             heads.size(), kMostTripleHeads)));
    const std::vector<UnitPair> pairs = askedPairs(task, units, heads, spec, control);
    const std::vector<UnitTriple> triples = spec.triples ? allTriples(heads.size()) : std::vector<UnitTriple>();
    EngineRequest request{
        .base = masked, .variants = {}, .run = spec.run, .phase = kPhasePairs, .resident = resident, .kept = &kept};
    request.variants = variantsOf(units, heads, pairs, triples);
    (void)runVariants(task, request, control, [&](const EngineState &state) {
        if (state.done != state.total)
            return;
        MeasuredSets(task, metric, spec, state, heads, pairs, triples, spec.resamples, control).fill(result);
        refine(task, metric, spec, state, heads, pairs, control, result);
    });
    judgeAll(result.pairs);
    judgeAll(result.triples);
    judge(result);
    result.clusters = clustered(result);
    return result;
}

InteractionsResult AnalysisOf<InteractionsSpec>::compute(const InteractionsSpec &spec, AnalysisInput &input,
                                                         Manifest manifest, const JobControl &control,
                                                         const Publish<InteractionsResult> &)
{
    const KeptWork kept = input.keptWork(manifest.key());
    const auto resident = input.resident(spec.run);
    return interactions(input.data().task, spec, std::move(manifest), resident.get(), control, kept);
}

} // namespace headscope

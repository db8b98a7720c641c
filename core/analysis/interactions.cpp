#include "core/analysis/interactions.h"

#include "core/analysis/dendrogram.h"
#include "core/analysis/headunits.h"
#include "core/analysis/importance.h"
#include "core/metrics/multiplicity.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <numeric>
#include <set>
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

/// The score of the data set, then those of its resamples, of one variant.
std::vector<double> scoresOf(const PairedBootstrap &bootstrap, const Metric &metric, const StatisticsTable &table)
{
    std::vector<double> scores{metric.scoreOf(table)};
    if (!bootstrap.baselineScores().empty()) {
        const auto resampled = bootstrap.scores(table);
        scores.insert(scores.end(), resampled.begin(), resampled.end());
    }
    return scores;
}

/// Sums over pairs of the interaction and of its resamples.
MeanInteraction meanOf(const std::vector<std::vector<double>> &sums, std::size_t pairs)
{
    MeanInteraction mean;
    if (sums.empty())
        return mean;
    std::vector<double> values(sums.front().size());
    for (const std::vector<double> &sum : sums) {
        for (std::size_t r = 0; r < values.size(); ++r)
            values[r] += sum[r] / static_cast<double>(pairs);
    }
    mean.interaction = values.front();
    values.erase(values.begin());
    mean.p = resampledP(values);
    mean.interval = resampledInterval(std::move(values));
    return mean;
}

/// What an interaction and its resamples say of it.
template<typename Interaction>
void tell(Interaction &one, std::vector<double> differences)
{
    one.interaction = differences.front();
    differences.erase(differences.begin());
    one.p = resampledP(differences);
    one.interval = resampledInterval(std::move(differences));
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
    std::vector<UnitPair> pairs;
    for (std::size_t i = 0; i < heads.size(); ++i) {
        for (std::size_t j = i + 1; j < heads.size(); ++j)
            pairs.push_back({i, j});
    }
    result.possible = std::ssize(pairs);
    if (spec.triples && (std::ssize(heads) > kMostTripleHeads || result.possible > spec.most))
        throw Failure(usageError(fmt::format("--triples: these are {} heads; --among names {} at most, of which --most "
                                             "must allow all pairs.",
                                             heads.size(), kMostTripleHeads)));
    if (result.possible > spec.most) {
        const std::vector<double> likely = likelihoods(task, units, heads, pairs, spec, control);
        std::vector<std::size_t> order(pairs.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::ranges::stable_sort(order, std::ranges::greater(), [&](std::size_t pair) { return likely[pair]; });
        order.resize(static_cast<std::size_t>(spec.most));
        std::ranges::sort(order);
        std::vector<UnitPair> chosen;
        for (const std::size_t pair : order)
            chosen.push_back(pairs[pair]);
        pairs = std::move(chosen);
    }
    EngineRequest request{.base = masked,
                          .variants = {},
                          .run = spec.run,
                          .phase = "removing pairs of heads",
                          .resident = resident,
                          .kept = &kept};
    for (const HeadRef &head : heads)
        request.variants.push_back({units.whole(HeadMask{head}), Replacement::Zero});
    for (const UnitPair &pair : pairs)
        request.variants.push_back({units.whole(HeadMask{heads[pair.first], heads[pair.second]}), Replacement::Zero});
    const std::vector<UnitTriple> triples = spec.triples ? allTriples(heads.size()) : std::vector<UnitTriple>();
    for (const UnitTriple &triple : triples)
        request.variants.push_back(
            {units.whole(HeadMask{heads[triple.units[0]], heads[triple.units[1]], heads[triple.units[2]]}),
             Replacement::Zero});
    (void)runVariants(task, request, control, [&](const EngineState &state) {
        if (state.done != state.total)
            return;
        result.examples = static_cast<std::int64_t>(state.baseline.rows);
        const PairedBootstrap bootstrap(state.baseline, metric, result.examples > 1 ? spec.resamples : 0,
                                        spec.run.seed);
        result.baseline = bootstrap.baselineScore();
        std::vector<double> whole{result.baseline};
        whole.insert(whole.end(), bootstrap.baselineScores().begin(), bootstrap.baselineScores().end());
        std::vector<std::vector<double>> alone(heads.size());
        task.execution().parallelFor(std::ssize(alone), [&](std::int64_t i) {
            const auto at = static_cast<std::size_t>(i);
            alone[at] = scoresOf(bootstrap, metric, state.variants[at].table(state.baseline));
        });
        for (std::size_t i = 0; i < heads.size(); ++i)
            result.heads.push_back({heads[i], alone[i].front() - result.baseline});
        result.pairs.resize(pairs.size());
        // Sums of stretches of pairs, added up in their order: however many workers there are.
        constexpr std::int64_t kStretch = 64;
        std::vector<std::vector<double>> sums(static_cast<std::size_t>((std::ssize(pairs) + kStretch - 1) / kStretch));
        std::vector<std::vector<double>> ofPairs(triples.empty() ? 0 : pairs.size());
        const auto measure = [&](std::size_t at) {
            control.checkpoint();
            auto both = scoresOf(bootstrap, metric, state.variants[heads.size() + at].table(state.baseline));
            std::vector<double> differences;
            for (std::size_t r = 0; r < both.size(); ++r)
                differences.push_back(both[r] - alone[pairs[at].first][r] - alone[pairs[at].second][r] + whole[r]);
            HeadInteraction &pair = result.pairs[at];
            pair = {.head = heads[pairs[at].first], .other = heads[pairs[at].second], .interval = {}};
            pair.together = both.front() - result.baseline;
            std::vector<double> &sum = sums[at / kStretch];
            sum.resize(both.size());
            for (std::size_t r = 0; r < differences.size(); ++r)
                sum[r] += differences[r];
            tell(pair, std::move(differences));
            if (!triples.empty())
                ofPairs[at] = std::move(both);
        };
        task.execution().parallelFor(std::ssize(sums), [&](std::int64_t stretch) {
            const auto end = std::min(pairs.size(), static_cast<std::size_t>((stretch + 1) * kStretch));
            for (auto at = static_cast<std::size_t>(stretch * kStretch); at < end; ++at)
                measure(at);
        });
        result.mean = meanOf(sums, pairs.size());
        result.triples.resize(triples.size());
        task.execution().parallelFor(std::ssize(triples), [&](std::int64_t t) {
            control.checkpoint();
            const auto at = static_cast<std::size_t>(t);
            const auto &[heads3, pairs3] = triples[at];
            const auto all
                = scoresOf(bootstrap, metric, state.variants[heads.size() + pairs.size() + at].table(state.baseline));
            std::vector<double> differences;
            for (std::size_t r = 0; r < all.size(); ++r) {
                double difference = all[r] - whole[r];
                for (std::size_t k = 0; k < 3; ++k)
                    difference += alone[heads3[k]][r] - ofPairs[pairs3[k]][r];
                differences.push_back(difference);
            }
            TripleInteraction &triple = result.triples[at];
            triple = {.head = heads[heads3[0]], .other = heads[heads3[1]], .third = heads[heads3[2]], .interval = {}};
            triple.together = all.front() - result.baseline;
            tell(triple, std::move(differences));
        });
    });
    judgeAll(result.pairs);
    judgeAll(result.triples);
    judge(result);
    result.clusters = clustered(result);
    return result;
}

InteractionsResult compute(const InteractionsSpec &spec, AnalysisInput &input, Manifest manifest,
                           const JobControl &control, const Publish<InteractionsResult> &)
{
    const KeptWork kept = input.keptWork(manifest.key());
    const auto resident = input.resident(spec.run);
    return interactions(input.data().task, spec, std::move(manifest), resident.get(), control, kept);
}

} // namespace headscope

#include "core/analysis/shapley.h"

#include "core/analysis/analysisinfo.h"
#include "core/analysis/headunits.h"
#include "core/analysis/input.h"
#include "core/analysis/scoretests.h"
#include "core/base/random.h"
#include "core/metrics/inference.h"
#include "core/metrics/multiplicity.h"
#include "core/metrics/pairedtests.h"
#include "core/results/results.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

namespace headscope {
namespace {

/// Sets of so few players are all measured, if sampling would measure as many.
constexpr std::size_t kMostExact = 16;

using Players = std::vector<std::size_t>;

/// Scores of sets of heads: of the data set, and of every resample of it. Each set is measured once.
class SetScores
{
public:
    SetScores(const Task &task, const ShapleySpec &spec, ResidentBlocks *resident, const JobControl &control,
              const KeptWork &kept)
        : m_task(task), m_spec(spec), m_resident(resident), m_control(control), m_kept(kept),
          m_metric(*task.metrics()[task.primaryMetric(spec.run)]), m_units(task.model().spec(), spec.by),
          m_masked(m_units.whole(spec.mask))
    {
        m_players = m_units.firstsWithout(m_masked, spec.kinds);
        if (m_players.empty())
            throw Failure(usageError("No head is left to have a value: all are masked, or of other --kinds."));
    }

    const std::vector<HeadRef> &players() const { return m_players; }
    const HeadUnits &units() const { return m_units; }
    const Metric &metric() const { return m_metric; }
    std::int64_t examples() const { return m_bootstrap ? static_cast<std::int64_t>(m_bootstrap->baseline().rows) : 0; }
    std::int64_t measured() const { return std::ssize(m_scores); }

    /// Measures sets by the players that are removed.
    void measure(const std::vector<Players> &removed)
    {
        EngineRequest request{.base = m_masked,
                              .variants = {},
                              .run = m_spec.run,
                              .phase = kPhaseSets,
                              .resident = m_resident,
                              .kept = &m_kept};
        std::vector<std::vector<bool>> fresh;
        for (const Players &set : removed) {
            std::vector<bool> key = keyOf(set);
            const bool isKnown = m_scores.contains(key) || std::ranges::find(fresh, key) != fresh.end();
            if (isKnown)
                continue;
            HeadMask mask;
            for (const std::size_t player : set)
                mask.set(m_players[player], true);
            request.variants.push_back({m_units.whole(mask), Replacement::Zero});
            fresh.push_back(std::move(key));
        }
        if (fresh.empty())
            return;
        (void)runVariants(m_task, request, m_control, [&](const EngineState &state) {
            if (state.done != state.total)
                return;
            if (!m_bootstrap)
                m_bootstrap.emplace(state.baseline, m_metric, state.baseline.rows > 1 ? m_spec.resamples : 0,
                                    m_spec.run.seed);
            std::vector<std::vector<double>> scores(fresh.size());
            m_task.execution().parallelFor(std::ssize(fresh), [&](std::int64_t i) {
                const auto at = static_cast<std::size_t>(i);
                scores[at] = scoreAndResamples(*m_bootstrap, m_metric, state.variants[at].table(state.baseline));
            });
            for (std::size_t i = 0; i < fresh.size(); ++i)
                m_scores[fresh[i]] = std::move(scores[i]);
        });
    }

    /// First the data set's, then those of resamples. Precondition: measured, unless nothing is removed.
    std::vector<double> of(const Players &removed) const
    {
        if (!removed.empty())
            return m_scores.at(keyOf(removed));
        std::vector<double> scores{m_bootstrap->baselineScore()};
        const auto &resampled = m_bootstrap->baselineScores();
        scores.insert(scores.end(), resampled.begin(), resampled.end());
        return scores;
    }

private:
    std::vector<bool> keyOf(const Players &removed) const
    {
        std::vector<bool> key(m_players.size(), false);
        for (const std::size_t player : removed)
            key[player] = true;
        return key;
    }

    const Task &m_task;
    const ShapleySpec &m_spec;
    ResidentBlocks *m_resident;
    const JobControl &m_control;
    const KeptWork &m_kept;
    const Metric &m_metric;
    HeadUnits m_units;
    HeadMask m_masked;
    std::vector<HeadRef> m_players;
    std::optional<PairedBootstrap> m_bootstrap;
    std::map<std::vector<bool>, std::vector<double>> m_scores;
};

/// The share of every player in one order, for the data set and every resample: [players][1 + resamples].
using Additions = std::vector<std::vector<double>>;

/// An order of removal and how far it has been measured.
struct Order
{
    Players players;
    std::size_t removed = 0; ///< that have been
    bool isCut = false;
    Additions additions{};
};

void add(std::vector<double> &sums, const std::vector<double> &before, const std::vector<double> &after, double weight)
{
    sums.resize(before.size(), 0);
    for (std::size_t i = 0; i < sums.size(); ++i)
        sums[i] += weight * (before[i] - after[i]);
}

/// Goes through orders together, some removals at a time, so that one that is cut is not measured further.
void finish(std::vector<Order> &orders, SetScores &scores, double truncate)
{
    const std::size_t players = scores.players().size();
    Players everyone(players);
    std::iota(everyone.begin(), everyone.end(), std::size_t{0});
    scores.measure({everyone});
    const std::vector<double> none = scores.of(everyone);
    const double near = truncate * std::abs(scores.of({}).front() - none.front());
    const std::size_t step = truncate > 0 ? std::max<std::size_t>(1, players / 8) : players;
    for (std::size_t from = 0; from < players; from += step) {
        const std::size_t to = std::min(players, from + step);
        std::vector<Players> sets;
        for (const Order &order : orders) {
            for (std::size_t i = from; !order.isCut && i < to; ++i)
                sets.emplace_back(order.players.begin(), order.players.begin() + static_cast<std::ptrdiff_t>(i) + 1);
        }
        scores.measure(sets);
        for (Order &order : orders) {
            order.additions.resize(players);
            Players removed(order.players.begin(), order.players.begin() + static_cast<std::ptrdiff_t>(order.removed));
            std::vector<double> before = scores.of(removed);
            while (!order.isCut && order.removed < to) {
                const std::size_t player = order.players[order.removed++];
                removed.push_back(player);
                const std::vector<double> after = scores.of(removed);
                add(order.additions[player], before, after, 1);
                before = after;
                if (truncate > 0 && order.removed < players && std::abs(after.front() - none.front()) <= near) {
                    const double share = 1 / static_cast<double>(players - order.removed);
                    for (std::size_t i = order.removed; i < players; ++i)
                        add(order.additions[order.players[i]], after, none, share);
                    order.isCut = true;
                }
            }
        }
    }
}

/// By all sets, each with the share of the orders in which a player comes right after it.
Additions exactly(SetScores &scores)
{
    const std::size_t players = scores.players().size();
    std::vector<Players> sets;
    for (std::size_t bits = 1; bits < (std::size_t{1} << players); ++bits) {
        Players &removed = sets.emplace_back();
        for (std::size_t player = 0; player < players; ++player) {
            if (((bits >> player) & 1) != 0)
                removed.push_back(player);
        }
    }
    scores.measure(sets);
    Additions additions(players);
    const auto count = static_cast<double>(players);
    for (std::size_t bits = 0; bits < (std::size_t{1} << players); ++bits) {
        const Players removed = bits == 0 ? Players() : sets[bits - 1];
        const std::vector<double> with = scores.of(removed);
        // |S|! (n − |S| − 1)! / n! of the set S that is left without the player.
        const double left = count - static_cast<double>(removed.size()) - 1;
        for (std::size_t player = 0; player < players; ++player) {
            if (((bits >> player) & 1) != 0)
                continue;
            const double weight = std::exp(std::lgamma(left + 1) + std::lgamma(count - left) - std::lgamma(count + 1));
            add(additions[player], with, scores.of(sets[(bits | (std::size_t{1} << player)) - 1]), weight);
        }
    }
    return additions;
}

/// Random orders, each followed by its reverse.
std::vector<Order> drawn(std::size_t players, std::int64_t count, Random &random)
{
    std::vector<Order> orders;
    while (std::ssize(orders) < count) {
        Players order(players);
        std::iota(order.begin(), order.end(), std::size_t{0});
        shuffle(order, random);
        orders.push_back({order});
        std::ranges::reverse(order);
        orders.push_back({std::move(order)});
    }
    return orders;
}

/// The standard error of a player's value over pairs of orders, on the data set as it is.
double orderErrorOf(const std::vector<Additions> &ofPairs, std::size_t player, double mean)
{
    const auto pairs = static_cast<double>(ofPairs.size());
    if (ofPairs.size() < 2)
        return std::numeric_limits<double>::quiet_NaN();
    double squares = 0;
    for (const Additions &pair : ofPairs) {
        const double off = pair[player].front() - mean;
        squares += off * off;
    }
    return std::sqrt(squares / (pairs - 1) / pairs);
}

/// The degrees of freedom of an error that two sources make, one of `examples` and one of `pairs` of orders (Welch
/// 1947; Satterthwaite 1946). `whole` and `byOrders`: standard errors.
double degreesOf(double whole, double byOrders, std::int64_t examples, std::int64_t pairs)
{
    const double ofOrders = byOrders * byOrders;
    const double ofExamples = std::max(0.0, whole * whole - ofOrders);
    const double sum = ofExamples + ofOrders;
    if (!(sum > 0) || pairs < 2) // all sets were measured, or nothing is known of orders
        return static_cast<double>(examples - 1);
    return sum * sum
         / (ofExamples * ofExamples / static_cast<double>(examples - 1)
            + ofOrders * ofOrders / static_cast<double>(pairs - 1));
}

/// A head's interval and p by the values that resamples of examples and orders give it.
void infer(HeadShapley &head, std::vector<double> resampled, std::int64_t pairs, std::int64_t examples)
{
    head.interval = Inference().interval;
    head.p = Inference().p;
    if (std::isnan(head.orderError)) // by a single pair of orders
        return;
    if (std::ranges::none_of(resampled, [](double value) { return std::isnan(value); }))
        std::ranges::sort(resampled);
    const double degrees = degreesOf(standardDeviation(resampled), head.orderError, examples, pairs);
    const auto [interval, p] = inferred(
        {.value = head.value, .examples = examples, .differing = examples, .scale = head.value, .degrees = degrees},
        resampled);
    head.interval = interval;
    head.p = p;
}

/// Values and intervals. `ofPairs`: means over an order and its reverse; resample r draws pairs too.
void fill(ShapleyResult &result, const std::vector<Additions> &ofPairs, const SetScores &scores,
          const ShapleySpec &spec)
{
    const std::size_t players = scores.players().size();
    const std::size_t columns = ofPairs.front().front().size();
    const auto pairs = static_cast<std::uint32_t>(ofPairs.size());
    Random random(spec.run.seed);
    std::vector<std::vector<double>> means(players, std::vector<double>(columns, 0));
    for (std::size_t column = 0; column < columns; ++column) {
        for (std::uint32_t draw = 0; draw < pairs; ++draw) {
            const Additions &pair = ofPairs[column == 0 ? draw : random.below(pairs)];
            for (std::size_t player = 0; player < players; ++player)
                means[player][column] += pair[player][column] / pairs;
        }
    }
    result.heads.clear();
    result.sum = 0;
    result.examples = scores.examples();
    for (std::size_t player = 0; player < players; ++player) {
        HeadShapley &head = result.heads.emplace_back();
        head.head = scores.players()[player];
        head.together = scores.units().othersOf(head.head);
        head.value = means[player].front();
        head.orderError = result.exact ? 0 : orderErrorOf(ofPairs, player, head.value);
        result.sum += head.value;
        infer(head, {means[player].begin() + 1, means[player].end()}, pairs, result.examples);
    }
    adjustDiscoveries(result.heads);
    Players everyone(players);
    std::iota(everyone.begin(), everyone.end(), std::size_t{0});
    result.all = scores.of({}).front();
    result.none = scores.of(everyone).front();
    result.masks = scores.measured();
}

/// By what was asked for; nothing was: orders go on.
bool isPrecise(const ShapleyResult &result, const ShapleySpec &spec)
{
    const double orders = studentsT(static_cast<double>(result.orders / 2 - 1));
    const auto isKnown = [&](const HeadShapley &head) {
        const bool byExamples = head.interval.high - head.interval.low <= 2 * spec.precision;
        const bool byOrders = result.exact || orders * head.orderError <= spec.orderPrecision;
        return (spec.precision <= 0 || byExamples) && (spec.orderPrecision <= 0 || byOrders);
    };
    return (spec.precision > 0 || spec.orderPrecision > 0) && std::ranges::all_of(result.heads, isKnown);
}

/// The additions of players, as means of pairs of orders.
void addMeansOfPairs(std::vector<Order> orders, std::vector<Additions> &ofPairs)
{
    for (std::size_t i = 0; i < orders.size(); i += 2) {
        Additions mean = std::move(orders[i].additions);
        for (std::size_t player = 0; player < mean.size(); ++player) {
            for (std::size_t column = 0; column < mean[player].size(); ++column)
                mean[player][column] = (mean[player][column] + orders[i + 1].additions[player][column]) / 2;
        }
        ofPairs.push_back(std::move(mean));
    }
}

} // namespace

ShapleyResult shapley(const Task &task, const ShapleySpec &spec, Manifest manifest, ResidentBlocks *resident,
                      const JobControl &control, const Publish<ShapleyResult> &publish, const KeptWork &kept)
{
    task.requireReferences();
    SetScores scores(task, spec, resident, control, kept);
    ShapleyResult result;
    result.manifest = std::move(manifest);
    result.metric = scores.metric().name();
    result.better = scores.metric().better();
    result.by = spec.by;
    const std::size_t players = scores.players().size();
    const std::int64_t wanted = (spec.orders + 1) / 2 * 2;
    const auto ofOrders = wanted * static_cast<std::int64_t>(players - 1);
    if (players <= kMostExact && (std::int64_t{1} << players) - 2 <= ofOrders) {
        result.exact = true;
        fill(result, {exactly(scores)}, scores, spec);
        return result;
    }
    Random random(spec.run.seed);
    std::vector<Additions> ofPairs;
    // A pair of orders says little of its interval: the first look is at four.
    for (std::int64_t some = std::min<std::int64_t>(wanted, 8); result.orders < wanted;
         some = std::min(some, wanted - result.orders)) {
        std::vector<Order> orders = drawn(players, some, random);
        finish(orders, scores, spec.truncate);
        result.orders += std::ssize(orders);
        result.truncated += std::ranges::count_if(orders, &Order::isCut);
        addMeansOfPairs(std::move(orders), ofPairs);
        fill(result, ofPairs, scores, spec);
        if (isPrecise(result, spec))
            break;
        if (publish && result.orders < wanted)
            publish(result);
    }
    return result;
}

ShapleyResult AnalysisOf<ShapleySpec>::compute(const ShapleySpec &spec, AnalysisInput &input, Manifest manifest,
                                               const JobControl &control, const Publish<ShapleyResult> &publish)
{
    const KeptWork kept = input.keptWork(manifest.key());
    const auto resident = input.resident(spec.run);
    return shapley(input.data().task, spec, std::move(manifest), resident.get(), control, publish, kept);
}

} // namespace headscope

#include "core/analysis/patching.h"

#include "core/analysis/analysisinfo.h"
#include "core/analysis/headunits.h"
#include "core/analysis/input.h"
#include "core/analysis/keptsums.h"
#include "core/analysis/pairbootstrap.h"
#include "core/analysis/patchmeasures.h"
#include "core/task/patchedruns.h"
#include "core/task/pathruns.h"

#include <fmt/format.h>
#include <torch/types.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace headscope {

namespace {

constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();
/// Pairs, and heads and cells of them, after which something can be shown and is kept.
constexpr std::int64_t kMostPairsTogether = 64;
constexpr std::int64_t kMostCellsTogether = 8192;
/// Shares of heads in circuits, as the benchmark has them.
constexpr double kCircuitShares[] = {0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1};

/// Heads that are patched together.
struct Unit
{
    HeadRef first;
    std::vector<HeadRef> heads;
};

/// The scores of one pair.
struct PairPatches
{
    AnswerScores base{}, donor{};
    std::vector<AnswerScores> scores{}; ///< unit by unit: everywhere, then position by position, if asked for
    std::vector<double> attribution{};  ///< the same order, always with positions; none along paths
    /// Direct contributions in the runs of both texts: unit by unit, then of all else; none along paths.
    std::vector<double> directBase{}, directDonor{};
    std::vector<AnswerScores> circuits{}; ///< by the numbers of the circuits

    template<typename Archive>
    void visitSums(Archive &archive)
    {
        archive(base, donor, scores, attribution, directBase, directDonor, circuits);
    }
};

/// Findings in the pairs so far.
struct Found
{
    std::vector<PairPatches> pairs{};
    std::int64_t rowsRun = 0;
    std::int64_t wholeRows = 0;

    template<typename Archive>
    void visitSums(Archive &archive)
    {
        archive(pairs, rowsRun, wholeRows);
    }
};

class Patching
{
public:
    Patching(const Task &task, const PatchingPairs &pairs, const PatchSpec &spec, const JobControl &control)
        : m_task(task), m_pairs(pairs), m_spec(spec), m_control(control), m_by(unitOf(task.model().spec(), spec)),
          m_units(task.model().spec(), m_by)
    {
        checkWhat();
        const HeadMask masked = m_units.whole(spec.mask);
        if (!spec.pathsTo.empty())
            m_to = pathEnd(masked);
        for (const HeadRef &head : m_units.firsts().heads()) {
            if (!masked.isMasked(head) && (!m_to || reaches(task.model().spec(), {headsOf(head)}, *m_to)))
                m_list.push_back({head, headsOf(head)});
        }
        if (m_to && m_list.empty())
            throw Failure(badInput(fmt::format("No head comes before {}, where --paths-to ends.", spec.pathsTo)));
        for (std::int64_t pair = 0; pair < m_pairs.size(); ++pair) {
            for (const Unit &unit : m_list)
                m_cells += 1 + (spec.positions ? positionsOf(pair, unit.first.kind) : 0);
        }
    }

    PatchResult run(Manifest manifest, const Publish<PatchResult> &publish, const KeptWork &keptWork)
    {
        std::vector<std::int64_t> order(static_cast<std::size_t>(m_pairs.size()));
        std::iota(order.begin(), order.end(), 0);
        const std::int64_t together = pairsTogether();
        KeptSums kept(keptWork);
        std::int64_t done = kept.resume(m_found, [&](std::int64_t pairs) { // twice: circuits come after all pairs
            const std::int64_t ofAll = pairs > m_pairs.size() ? pairs - m_pairs.size() : pairs;
            return ofAll == m_pairs.size() || ofAll % together == 0;
        });
        for (const PairPatches &pair : m_found.pairs)
            m_done += std::ssize(pair.scores);
        while (done < m_pairs.size()) {
            const std::int64_t end = std::min(m_pairs.size(), done + together);
            addPairs({order.begin() + done, order.begin() + end});
            done = end;
            kept.keep(m_found, done);
            if (publish && done < m_pairs.size())
                publishNow(manifest, publish);
        }
        PatchResult found = result(manifest);
        if (!m_spec.circuits)
            return found;
        if (publish)
            publish(found);
        const Circuits circuits = circuitsOf(found);
        for (std::int64_t first = done - m_pairs.size(); first < m_pairs.size();) {
            const std::int64_t end = std::min(m_pairs.size(), first + together);
            addCircuits({order.begin() + first, order.begin() + end}, circuits);
            first = end;
            kept.keep(m_found, m_pairs.size() + first);
        }
        addCurves(found, circuits);
        return found;
    }

private:
    /// Keys and values that heads share are of their group.
    static HeadUnit unitOf(const TransformerSpec &model, const PatchSpec &spec)
    {
        const bool isShared = std::ranges::any_of(kBothSides, [&](Side side) {
            return model.stack(side) && std::ranges::any_of(model.stack(side)->subLayers, [](const SubLayer &sub) {
                       return sub.attention() && sub.attention()->headsPerKey > 1;
                   });
        });
        return isShared && patchesKeys(spec) ? HeadUnit::KeyGroup : spec.by;
    }

    static bool patchesKeys(const PatchSpec &spec)
    {
        return spec.what == PatchWhat::Key || spec.what == PatchWhat::Value;
    }

    /// Throws Failure.
    void checkWhat() const
    {
        if (m_spec.what == PatchWhat::Context)
            return;
        const char *other = m_spec.circuits ? "--circuits" : !m_spec.pathsTo.empty() ? "--paths-to" : nullptr;
        if (other)
            throw Failure(usageError(
                fmt::format("--what {}: {} takes contexts; leave one of the two out.", toText(m_spec.what), other)));
    }

    /// Positions of a pair at which a head of this kind is patched.
    std::int64_t positionsOf(std::int64_t pair, HeadKind kind) const
    {
        return m_pairs.positions(pair, kind == HeadKind::Cross && patchesKeys(m_spec) ? HeadKind::Encoder : kind);
    }

    bool baseIsClean() const { return m_spec.direction == PatchDirection::Noise; }

    std::vector<HeadRef> headsOf(const HeadRef &first) const
    {
        std::vector<HeadRef> heads{first};
        const auto others = m_units.othersOf(first);
        heads.insert(heads.end(), others.begin(), others.end());
        return heads;
    }

    /// Unless that has been done a short while ago: intervals take longer the more pairs there are.
    void publishNow(const Manifest &manifest, const Publish<PatchResult> &publish)
    {
        using Clock = std::chrono::steady_clock;
        const auto begin = Clock::now();
        if (begin < m_nextShown)
            return;
        publish(result(manifest));
        constexpr int kRest = 10; // times as long goes to the work itself
        const auto end = Clock::now();
        m_nextShown = end + std::max<Clock::duration>(std::chrono::milliseconds(500), kRest * (end - begin));
    }

    /// Throws Failure.
    PathReceiver pathEnd(const HeadMask &masked) const
    {
        if (m_spec.circuits)
            throw Failure(usageError("--circuits takes effects by all ways: leave --paths-to out."));
        if (m_spec.pathsTo == "output")
            return {};
        const auto head = parseHeadRef(m_spec.pathsTo);
        if (!head.isOk() || !m_task.layout().contains(head.value()))
            throw Failure(usageError(fmt::format("--paths-to {}: give \"output\" or a head of the model, such as {}.",
                                                 m_spec.pathsTo, toText(m_task.layout().heads().back()))));
        if (masked.isMasked(head.value()))
            throw Failure(usageError(fmt::format("--paths-to {}: this head is masked.", m_spec.pathsTo)));
        return {headsOf(m_units.unitOf(head.value())), PathInput::All};
    }

    /// As many as keep their states within half of the memory, and not too many cells.
    std::int64_t pairsTogether() const
    {
        const TransformerSpec &model = m_task.model().spec();
        std::int64_t most = 1;
        for (std::int64_t pair = 0; pair < m_pairs.size(); ++pair) {
            std::int64_t floats = 0;
            for (const Side side : kBothSides) {
                if (!model.stack(side))
                    continue;
                const std::int64_t rows
                    = m_pairs.positions(pair, side == Side::Encoder ? HeadKind::Encoder : HeadKind::Decoder);
                for (const SubLayer &sub : model.stack(side)->subLayers) {
                    if (const AttentionSpec *attention = sub.attention())
                        floats += rows * (2 * model.width + 2 * attention->width() + attention->keyValueWidth());
                }
            }
            most = std::max(most, floats * static_cast<std::int64_t>(sizeof(float)));
        }
        const std::int64_t cells = std::max<std::int64_t>(1, m_cells / std::max<std::int64_t>(1, m_pairs.size()));
        return std::clamp<std::int64_t>(std::min(m_task.memory(m_spec.run) / 2 / most, kMostCellsTogether / cells), 1,
                                        kMostPairsTogether);
    }

    void addPairs(const std::vector<std::int64_t> &some)
    {
        PatchedRuns runs(m_task, m_pairs, some, baseIsClean(), m_units.whole(m_spec.mask), m_spec.run, m_control,
                         m_spec.what);
        const std::size_t before = m_found.pairs.size();
        std::vector<PatchCell> cells;
        for (std::size_t i = 0; i < some.size(); ++i) {
            m_found.pairs.push_back({runs.base()[i], runs.donor()[i], {}, {}});
            for (const Unit &unit : m_list) {
                const auto pair = static_cast<std::int64_t>(i);
                cells.push_back({pair, &unit.heads});
                const std::int64_t positions = positionsOf(some[i], unit.first.kind);
                for (std::int64_t position = 0; m_spec.positions && position < positions; ++position)
                    cells.push_back({pair, &unit.heads, position});
            }
        }
        RunCount count(m_control, kPhasePatching, m_done, m_cells);
        const auto heard = [&](std::int64_t more) { count.add(more); };
        const auto scores = m_to ? alongPaths(runs, cells, heard) : runs.patched(cells, heard);
        for (std::size_t i = 0; i < cells.size(); ++i)
            m_found.pairs[before + static_cast<std::size_t>(cells[i].pair)].scores.push_back(scores[i]);
        m_found.rowsRun += runs.rowsRun();
        m_found.wholeRows += runs.rowsOfWholeRuns();
        if (!m_to) // estimates and direct contributions are of all ways
            addEstimates(runs, some, before);
    }

    /// Attribution and direct contributions of these pairs, which begin at `before` among the found ones.
    void addEstimates(const PatchedRuns &runs, const std::vector<std::int64_t> &some, std::size_t before)
    {
        constexpr std::size_t kGradientsTogether = 8; // a backward pass takes several times the memory
        for (std::size_t first = 0; first < some.size(); first += kGradientsTogether) {
            m_control.checkpoint();
            std::vector<std::int64_t> batch;
            for (std::size_t i = first; i < std::min(some.size(), first + kGradientsTogether); ++i)
                batch.push_back(static_cast<std::int64_t>(i));
            const auto attribution = runs.attribution(batch, [&](const auto &answer, const auto &wrong) {
                return differentiable(m_spec.measure, answer, wrong);
            });
            const bool hasDirect = m_spec.what == PatchWhat::Context;
            const DirectEffects ofBase = runs.directEffects(batch, true);
            const DirectEffects ofDonor = runs.directEffects(batch, false);
            for (std::size_t i = 0; i < batch.size(); ++i) {
                PairPatches &found = m_found.pairs[before + first + i];
                found.attribution = attributionOf(attribution, i, some[first + i]);
                if (hasDirect) {
                    found.directBase = directOf(ofBase, i);
                    found.directDonor = directOf(ofDonor, i);
                }
            }
        }
    }

    std::vector<AnswerScores> alongPaths(const PatchedRuns &runs, const std::vector<PatchCell> &cells,
                                         const std::function<void(std::int64_t)> &heard) const
    {
        std::vector<PathSender> senders;
        std::vector<PathCell> paths;
        senders.reserve(cells.size());
        for (const PatchCell &cell : cells) {
            senders.push_back({*cell.heads, cell.position});
            paths.push_back({cell.pair, &senders.back(), &*m_to});
        }
        return PathRuns(runs, PathFeedForward::Recomputed).scores(paths, heard);
    }

    /// Unit by unit, then of all else.
    std::vector<double> directOf(const DirectEffects &effects, std::size_t row) const
    {
        std::vector<double> values;
        for (const Unit &unit : m_list) {
            double sum = 0;
            for (const HeadRef &head : unit.heads)
                sum += effects.heads[row][static_cast<std::size_t>(m_task.layout().indexOf(head))];
            values.push_back(sum);
        }
        values.push_back(effects.rest[row]);
        return values;
    }

    /// Circuits without those that are the same.
    struct Circuits
    {
        struct Curve
        {
            CircuitOrder by = CircuitOrder::Patching;
            bool absolute = false;
            std::vector<std::size_t> sets{}; ///< by share: which of `outside`
        };
        std::vector<Curve> curves;
        std::vector<std::vector<HeadRef>> outside; ///< heads that get contexts of the corrupt text
    };

    Circuits circuitsOf(const PatchResult &found) const
    {
        Circuits circuits;
        std::map<std::vector<HeadRef>, std::size_t> known;
        for (const CircuitOrder by : {CircuitOrder::Patching, CircuitOrder::Attribution}) {
            for (const bool absolute : {false, true}) {
                const auto valueOf = [&](const HeadPatch &head) {
                    const double value
                        = helpfulness(found, by == CircuitOrder::Patching ? head.patch.delta : head.patch.attribution);
                    return absolute ? std::abs(value) : value;
                };
                std::vector<const HeadPatch *> order;
                for (const HeadPatch &head : found.heads)
                    order.push_back(&head);
                std::ranges::stable_sort(order, std::ranges::greater(),
                                         [&](const HeadPatch *head) { return valueOf(*head); });
                auto &curve = circuits.curves.emplace_back(Circuits::Curve{by, absolute});
                for (const double share : kCircuitShares) {
                    std::vector<HeadRef> outside;
                    for (std::size_t i = headsOfShare(share); i < order.size(); ++i) {
                        outside.push_back(order[i]->head);
                        outside.insert(outside.end(), order[i]->together.begin(), order[i]->together.end());
                    }
                    std::ranges::sort(outside);
                    const auto [at, isNew] = known.try_emplace(outside, circuits.outside.size());
                    if (isNew)
                        circuits.outside.push_back(std::move(outside));
                    curve.sets.push_back(at->second);
                }
            }
        }
        return circuits;
    }

    std::size_t headsOfShare(double share) const
    {
        return static_cast<std::size_t>(share * static_cast<double>(m_list.size()));
    }

    void addCircuits(const std::vector<std::int64_t> &some, const Circuits &circuits)
    {
        PatchedRuns runs(m_task, m_pairs, some, true, m_units.whole(m_spec.mask), m_spec.run, m_control);
        std::vector<PatchCell> cells;
        for (std::int64_t pair = 0; pair < std::ssize(some); ++pair) {
            m_found.pairs[static_cast<std::size_t>(some[static_cast<std::size_t>(pair)])].circuits.assign(
                circuits.outside.size(), runs.base()[static_cast<std::size_t>(pair)]);
            for (const auto &heads : circuits.outside) {
                if (!heads.empty())
                    cells.push_back({pair, &heads});
            }
        }
        // A share of all work: what was patched before counts too.
        const std::int64_t total = m_done + m_pairs.size() * std::ssize(circuits.outside);
        std::int64_t done = m_done + some.front() * std::ssize(circuits.outside);
        RunCount count(m_control, kPhaseCircuits, done, total);
        const auto scores = runs.patched(cells, [&](std::int64_t more) { count.add(more); });
        for (std::size_t i = 0; i < cells.size(); ++i) {
            const auto pair = static_cast<std::size_t>(some[static_cast<std::size_t>(cells[i].pair)]);
            m_found.pairs[pair].circuits[static_cast<std::size_t>(cells[i].heads - circuits.outside.data())]
                = scores[i];
        }
    }

    void addCurves(PatchResult &result, const Circuits &circuits) const
    {
        const std::size_t pairs = m_found.pairs.size();
        const PairBootstrap bootstrap(pairs, m_spec.resamples, m_spec.run.seed);
        const auto ofText = [&](std::size_t pair, bool isClean) {
            const PairPatches &found = m_found.pairs[pair];
            return measured(m_spec.measure, isClean == baseIsClean() ? found.base : found.donor);
        };
        std::vector<CircuitPoint> points;
        for (std::size_t set = 0; set < circuits.outside.size(); ++set) {
            std::vector<double> gained, possible;
            double sum = 0;
            for (std::size_t pair = 0; pair < pairs; ++pair) {
                const double score = measured(m_spec.measure, m_found.pairs[pair].circuits[set]);
                sum += score;
                gained.push_back(score - ofText(pair, false));
                possible.push_back(ofText(pair, true) - ofText(pair, false));
            }
            const PatchEffect share = bootstrap.effect(gained, possible);
            points.push_back({0, 0, sum / static_cast<double>(pairs), share.effect, share.interval});
        }
        for (const auto &curve : circuits.curves) {
            CircuitCurve &shown = result.circuits.emplace_back(CircuitCurve{curve.by, curve.absolute});
            for (std::size_t i = 0; i < curve.sets.size(); ++i) {
                CircuitPoint &point = shown.points.emplace_back(points[curve.sets[i]]);
                point.share = kCircuitShares[i];
                point.heads = static_cast<std::int64_t>(headsOfShare(point.share));
                if (i == 0)
                    continue;
                const CircuitPoint &before = shown.points[i - 1];
                const double width = (point.share - before.share) / 2;
                shown.area += width * (before.faithfulness + point.faithfulness);
                shown.distance += width * (std::abs(1 - before.faithfulness) + std::abs(1 - point.faithfulness));
            }
        }
    }

    std::vector<double> attributionOf(const std::map<StartPlace, torch::Tensor> &found, std::size_t row,
                                      std::int64_t pair) const
    {
        std::vector<double> values;
        for (const Unit &unit : m_list) {
            const HeadRef &head = unit.first;
            const AttentionSpec &attention = m_task.model().spec().attention(head.kind, head.layer);
            const std::int64_t positions = positionsOf(pair, head.kind);
            std::vector<double> own(static_cast<std::size_t>(positions), 0);
            const auto layer = found.find({sideOf(head.kind), m_task.model().spec().placeOf(head.kind, head.layer)});
            for (const HeadRef &one : unit.heads) {
                if (layer == found.end())
                    break;
                const auto ofHead = layer->second[static_cast<std::int64_t>(row)][attention.columnOf(one.head)];
                for (std::int64_t t = 0; t < positions; ++t)
                    own[static_cast<std::size_t>(t)] += ofHead.data_ptr<double>()[t];
            }
            values.push_back(std::accumulate(own.begin(), own.end(), 0.0));
            values.insert(values.end(), own.begin(), own.end());
        }
        return values;
    }

    /// Effects of one head or cell, pair by pair; NaN: the pair has no such position.
    struct Series
    {
        std::vector<double> gained, possible, attribution;
        std::int64_t count = 0;

        explicit Series(std::size_t pairs) : gained(pairs, kNoNumber), possible(pairs, 0), attribution(pairs, 0) { }
    };

    std::int64_t shown(std::int64_t position, std::int64_t positions) const
    {
        return m_spec.align == PatchAlignment::Start ? position : position - positions;
    }

    /// The effects of every head and cell, pair by pair.
    struct AllSeries
    {
        std::vector<double> clean{}, corrupt{}; ///< by pair
        std::vector<Series> ofHeads;            ///< by unit
        std::vector<std::map<std::int64_t, Series>> ofCells;
    };

    AllSeries allSeries() const
    {
        const std::size_t pairs = m_found.pairs.size();
        AllSeries all{.ofHeads = std::vector<Series>(m_list.size(), Series(pairs)),
                      .ofCells = std::vector<std::map<std::int64_t, Series>>(m_list.size())};
        for (std::size_t pair = 0; pair < pairs; ++pair) {
            const PairPatches &found = m_found.pairs[pair];
            const double base = measured(m_spec.measure, found.base);
            const double donor = measured(m_spec.measure, found.donor);
            (baseIsClean() ? all.clean : all.corrupt).push_back(base);
            (baseIsClean() ? all.corrupt : all.clean).push_back(donor);
            std::size_t score = 0;
            std::size_t estimate = 0;
            const auto add = [&](Series &series) {
                series.gained[pair] = measured(m_spec.measure, found.scores[score++]) - base;
                series.possible[pair] = donor - base;
                series.attribution[pair] = found.attribution.empty() ? kNoNumber : found.attribution[estimate++];
                ++series.count;
            };
            for (std::size_t unit = 0; unit < m_list.size(); ++unit) {
                add(all.ofHeads[unit]);
                const std::int64_t positions = positionsOf(static_cast<std::int64_t>(pair), m_list[unit].first.kind);
                if (!m_spec.positions) {
                    estimate += static_cast<std::size_t>(positions);
                    continue;
                }
                for (std::int64_t t = 0; t < positions; ++t)
                    add(all.ofCells[unit].try_emplace(shown(t, positions), pairs).first->second);
            }
        }
        return all;
    }

    static PatchEffect effectOf(const Series &series, const PairBootstrap &bootstrap)
    {
        PatchEffect effect = bootstrap.effect(series.gained, series.possible);
        double sum = 0;
        for (std::size_t pair = 0; pair < series.gained.size(); ++pair)
            sum += std::isnan(series.gained[pair]) ? 0 : series.attribution[pair];
        effect.attribution = sum / static_cast<double>(series.count);
        return effect;
    }

    void addEffects(const AllSeries &series, const PairBootstrap &bootstrap, PatchResult &result) const
    {
        for (std::size_t unit = 0; unit < m_list.size(); ++unit) {
            result.heads.push_back(
                {m_list[unit].first, {}, {m_list[unit].heads.begin() + 1, m_list[unit].heads.end()}});
            for (const auto &[position, of] : series.ofCells[unit])
                result.cells.push_back({m_list[unit].first, position, of.count, {}});
        }
        std::vector<std::pair<const Series *, PatchEffect *>> all;
        for (std::size_t unit = 0; unit < m_list.size(); ++unit)
            all.emplace_back(&series.ofHeads[unit], &result.heads[unit].patch);
        auto cell = result.cells.begin();
        for (const auto &positions : series.ofCells) {
            for (const auto &[position, of] : positions)
                all.emplace_back(&of, &(cell++)->patch);
        }
        m_task.execution().parallelFor(std::ssize(all), [&](std::int64_t i) {
            const auto &[of, effect] = all[static_cast<std::size_t>(i)];
            *effect = effectOf(*of, bootstrap);
        });
    }

    PatchResult result(Manifest manifest) const
    {
        const std::size_t pairs = m_found.pairs.size();
        const AllSeries series = allSeries();
        PatchResult result;
        result.manifest = std::move(manifest);
        result.measure = m_spec.measure;
        result.direction = m_spec.direction;
        result.alignment = m_spec.align;
        result.what = m_spec.what;
        result.by = m_by;
        result.pathsTo = m_spec.pathsTo;
        result.examples = static_cast<std::int64_t>(pairs);
        const PairBootstrap bootstrap(pairs, m_spec.resamples, m_spec.run.seed);
        result.clean = bootstrap.score(series.clean);
        result.corrupt = bootstrap.score(series.corrupt);
        addEffects(series, bootstrap, result);
        addDirect(result);
        result.headAgreement = agreementOf(result.heads);
        result.cellAgreement = agreementOf(result.cells);
        for (std::size_t pair = 0; pair < pairs; ++pair)
            result.pairs.push_back(
                described(static_cast<std::int64_t>(pair), series.clean[pair], series.corrupt[pair]));
        for (const PairPatches &found : m_found.pairs)
            result.runs += std::ssize(found.scores);
        result.work
            = m_found.wholeRows > 0 ? static_cast<double>(m_found.rowsRun) / static_cast<double>(m_found.wholeRows) : 1;
        return result;
    }

    void addDirect(PatchResult &result) const
    {
        if (m_to || m_spec.what != PatchWhat::Context || m_found.pairs.empty())
            return;
        const auto meanOf = [&](std::size_t unit, bool isClean) {
            double sum = 0;
            for (const PairPatches &pair : m_found.pairs)
                sum += (isClean == baseIsClean() ? pair.directBase : pair.directDonor)[unit];
            return sum / static_cast<double>(m_found.pairs.size());
        };
        std::vector<double> gains, deltas;
        for (std::size_t unit = 0; unit < m_list.size(); ++unit) {
            HeadPatch &head = result.heads[unit];
            head.directClean = meanOf(unit, true);
            head.directCorrupt = meanOf(unit, false);
            if (sideOf(head.head.kind) != m_task.model().spec().lastSide())
                continue; // it adds nothing by itself
            const double gain = head.directClean - head.directCorrupt;
            gains.push_back(baseIsClean() ? -gain : gain);
            deltas.push_back(head.patch.delta);
        }
        result.directRestClean = meanOf(m_list.size(), true);
        result.directRestCorrupt = meanOf(m_list.size(), false);
        result.directAgreement = agreement(gains, deltas);
    }

    static PatchAgreement agreementOf(const auto &patches)
    {
        std::vector<double> attribution, delta;
        for (const auto &one : patches) {
            if (std::isnan(one.patch.attribution)) // none along paths
                continue;
            attribution.push_back(one.patch.attribution);
            delta.push_back(one.patch.delta);
        }
        return agreement(attribution, delta);
    }

    PatchPair described(std::int64_t pair, double clean, double corrupt) const
    {
        const auto i = static_cast<std::size_t>(pair);
        PatchPair shown;
        shown.row = pair;
        shown.clean = m_pairs.clean[i].pieces;
        shown.corrupt = m_pairs.corrupt[i].pieces;
        shown.written = m_pairs.clean[i].written;
        shown.answer = m_pairs.shown[i].first;
        shown.wrongAnswer = m_pairs.shown[i].second;
        shown.cleanScore = clean;
        shown.corruptScore = corrupt;
        return shown;
    }

    const Task &m_task;
    const PatchingPairs &m_pairs;
    const PatchSpec &m_spec;
    const JobControl &m_control;
    HeadUnit m_by;
    HeadUnits m_units;
    std::optional<PathReceiver> m_to; ///< nothing: by all ways
    std::vector<Unit> m_list;
    std::int64_t m_cells = 0; ///< of all pairs
    std::int64_t m_done = 0;
    std::chrono::steady_clock::time_point m_nextShown{};
    Found m_found;
};

} // namespace

PatchResult patch(const Task &task, const PatchingPairs &pairs, const PatchSpec &spec, Manifest manifest,
                  const JobControl &control, const Publish<PatchResult> &publish, const KeptWork &kept)
{
    return Patching(task, pairs, spec, control).run(std::move(manifest), publish, kept);
}

PatchResult AnalysisOf<PatchSpec>::compute(const PatchSpec &spec, AnalysisInput &input, Manifest manifest,
                                           const JobControl &control, const Publish<PatchResult> &publish)
{
    const AnalysisData data = input.data();
    const KeptWork kept = input.keptWork(manifest.key());
    const PatchingPairs pairs
        = patchingPairs(data.task.model().spec(), input.tokenizer(), data.dataset, control).valueOrThrow();
    return patch(data.task, pairs, spec, std::move(manifest), control, publish, kept);
}

std::vector<std::string> AnalysisOf<PatchSpec>::remarks(const PatchResult &result)
{
    if (result.clean.score == result.corrupt.score)
        return {"The clean and the corrupt texts score the same: effects, which are shares of their difference, are "
                "not defined. Look at delta, or at another --measure."};
    const bool isLower = result.clean.score < result.corrupt.score;
    if (isLower != isLowerBetter(result.measure))
        return {"The corrupt texts score better than the clean ones: is clean the text whose answer is \"answer\"?"};
    return {};
}

} // namespace headscope

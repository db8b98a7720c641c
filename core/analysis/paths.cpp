#include "core/analysis/paths.h"

#include "core/analysis/analysisinfo.h"
#include "core/analysis/headunits.h"
#include "core/analysis/input.h"
#include "core/analysis/pairbootstrap.h"
#include "core/analysis/patchmeasures.h"
#include "core/metrics/multiplicity.h"
#include "core/task/pathruns.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

namespace headscope {
namespace {

/// Pairs of which states lie in memory together.
constexpr std::int64_t kPairsOfPaths = 8;

class Paths
{
public:
    Paths(const Task &task, const PatchingPairs &pairs, const PathsSpec &spec, const JobControl &control)
        : m_task(task), m_pairs(pairs), m_spec(spec), m_control(control), m_groups(model(), HeadUnit::KeyGroup)
    {
        for (const HeadRef &head : named(spec.from, "--from")) {
            if (!spec.mask.isMasked(head))
                m_senders.push_back({{head}});
        }
        addReceivers();
        for (std::size_t sender = 0; sender < m_senders.size(); ++sender) {
            for (std::size_t receiver = 0; receiver < m_receivers.size(); ++receiver) {
                if (reaches(model(), m_senders[sender], m_receivers[receiver]))
                    m_paths.push_back({0, &m_senders[sender], &m_receivers[receiver]});
            }
        }
        if (m_paths.empty())
            throw Failure(
                badInput("No path leads from a sender to a receiver: a head reads what comes before it. Choose "
                         "an earlier --from, or a later --to."));
    }

    PathsResult run(Manifest manifest, const Publish<PathsResult> &publish)
    {
        const bool isExact = m_spec.method == PathMethod::Exact;
        std::vector<std::size_t> all(m_paths.size());
        std::iota(all.begin(), all.end(), 0);
        m_total = m_pairs.size() * (std::ssize(m_paths) * (isExact ? 2 : 1) + (isExact ? 0 : verified()));
        m_exact.assign(m_paths.size(), isExact ? 1 : 0);
        m_scores.resize(static_cast<std::size_t>(m_pairs.size()));
        for (std::int64_t first = 0; first < m_pairs.size(); first += kPairsOfPaths) {
            addPairs(first, isExact ? all : std::vector<std::size_t>(), true);
            if (publish && first + kPairsOfPaths < m_pairs.size())
                publish(result(manifest));
        }
        if (isExact || verified() == 0)
            return result(std::move(manifest));
        if (publish)
            publish(result(manifest));
        const std::vector<std::size_t> strongest = strongestByEstimate();
        for (std::int64_t first = 0; first < m_pairs.size(); first += kPairsOfPaths)
            addPairs(first, strongest, false);
        for (const std::size_t path : strongest)
            m_exact[path] = 1;
        return result(std::move(manifest));
    }

private:
    /// Scores of a pair, path by path.
    struct Pair
    {
        AnswerScores base{}, donor{};
        std::vector<double> estimates{};
        std::vector<double> gained{}; ///< measure − that of the base run; NaN: not computed
    };

    const TransformerSpec &model() const { return m_task.model().spec(); }
    bool baseIsClean() const { return m_spec.direction == PatchDirection::Noise; }
    std::int64_t verified() const { return std::min(m_spec.verify, std::ssize(m_paths)); }

    /// Throws Failure.
    std::vector<HeadRef> named(const std::string &heads, const char *option) const
    {
        if (heads.empty())
            return m_task.layout().heads();
        const auto mask = parseHeadMask(heads);
        if (!mask.isOk())
            throw Failure(usageError(fmt::format("{} {}: {}", option, heads, mask.error().message)));
        std::vector<HeadRef> known;
        for (const HeadRef &head : mask.value()) {
            if (!m_task.layout().contains(head))
                throw Failure(usageError(fmt::format("{} {}: the model has no head {}; `inspect` lists its heads.",
                                                     option, heads, toText(head))));
            if (m_spec.mask.isMasked(head))
                throw Failure(usageError(fmt::format("{} {}: head {} is masked.", option, heads, toText(head))));
            known.push_back(head);
        }
        return known;
    }

    bool wants(PathInput input) const
    {
        return m_spec.inputs.empty() ? input != PathInput::All
                                     : std::ranges::find(m_spec.inputs, input) != m_spec.inputs.end();
    }

    void addReceivers()
    {
        const bool onlyLogits = m_spec.to == "logits";
        if (wants(PathInput::Logits) && (onlyLogits || m_spec.to.empty()))
            m_receivers.emplace_back();
        if (onlyLogits)
            return;
        const std::vector<HeadRef> heads = named(m_spec.to, "--to");
        for (const HeadRef &head : heads) {
            if (m_spec.mask.isMasked(head))
                continue;
            for (const PathInput input : {PathInput::Query, PathInput::All}) {
                if (wants(input))
                    m_receivers.push_back({{head}, input});
            }
        }
        std::vector<HeadRef> seen; // first heads of groups
        for (const HeadRef &head : heads) {
            const HeadRef first = m_groups.unitOf(head);
            if (m_spec.mask.isMasked(head) || std::ranges::find(seen, first) != seen.end())
                continue;
            seen.push_back(first);
            std::vector<HeadRef> group{first};
            const auto others = m_groups.othersOf(first);
            group.insert(group.end(), others.begin(), others.end());
            for (const PathInput input : {PathInput::Key, PathInput::Value}) {
                if (wants(input))
                    m_receivers.push_back({group, input});
            }
        }
    }

    /// Takes pairs from `first` on: runs paths `exact`, and estimates all if asked for.
    void addPairs(std::int64_t first, const std::vector<std::size_t> &exact, bool estimates)
    {
        std::vector<std::int64_t> some(static_cast<std::size_t>(std::min(kPairsOfPaths, m_pairs.size() - first)));
        std::iota(some.begin(), some.end(), first);
        const PatchedRuns runs(m_task, m_pairs, some, baseIsClean(), m_spec.mask, m_spec.run, m_control);
        const PathRuns along(runs, m_spec.feedForward);
        RunCount count(m_control, kPhasePaths, m_done, m_total);
        for (std::size_t i = 0; i < some.size(); ++i) {
            Pair &pair = m_scores[static_cast<std::size_t>(first) + i];
            pair.base = runs.base()[i];
            pair.donor = runs.donor()[i];
            if (pair.gained.empty())
                pair.gained.assign(m_paths.size(), std::numeric_limits<double>::quiet_NaN());
        }
        if (estimates && m_spec.measure != PatchMeasure::Accuracy) {
            std::vector<std::int64_t> numbers(some.size());
            std::iota(numbers.begin(), numbers.end(), 0);
            auto found = along.estimates(numbers, m_paths, [&](const auto &answer, const auto &wrong) {
                return differentiable(m_spec.measure, answer, wrong);
            });
            for (std::size_t i = 0; i < some.size(); ++i)
                m_scores[static_cast<std::size_t>(first) + i].estimates = std::move(found[i]);
            count.add(std::ssize(some) * std::ssize(m_paths));
        }
        std::vector<PathCell> cells;
        for (std::size_t i = 0; i < some.size(); ++i) {
            for (const std::size_t path : exact)
                cells.push_back({static_cast<std::int64_t>(i), m_paths[path].sender, m_paths[path].receiver});
        }
        const auto scores = along.scores(cells, [&](std::int64_t more) { count.add(more); });
        for (std::size_t i = 0; i < cells.size(); ++i) {
            Pair &pair = m_scores[static_cast<std::size_t>(first + cells[i].pair)];
            pair.gained[exact[i % exact.size()]] = gained(scores[i], pair.base);
        }
        m_runs += std::ssize(cells);
        m_rowsRun += cells.empty() ? 0 : runs.rowsRun();
        m_wholeRows += runs.rowsOfWholeRuns();
    }

    /// Changes within the rounding of logits in float32 are none.
    double gained(const AnswerScores &score, const AnswerScores &base) const
    {
        const auto isSame = [](double a, double b) {
            return std::abs(a - b) <= 4 * std::numeric_limits<float>::epsilon() * (1 + std::abs(b));
        };
        if (isSame(score.answer, base.answer) && isSame(score.wrong, base.wrong))
            return 0;
        return measured(m_spec.measure, score) - measured(m_spec.measure, base);
    }

    std::vector<std::size_t> strongestByEstimate() const
    {
        std::vector<double> sums(m_paths.size(), 0);
        for (const Pair &pair : m_scores) {
            for (std::size_t path = 0; path < sums.size(); ++path)
                sums[path] += pair.estimates[path];
        }
        std::vector<std::size_t> order(sums.size());
        std::iota(order.begin(), order.end(), 0);
        std::ranges::stable_sort(order, std::ranges::greater(), [&](std::size_t i) { return std::abs(sums[i]); });
        order.resize(static_cast<std::size_t>(verified()));
        std::ranges::sort(order);
        return order;
    }

    /// The change along the path for each pair, or its estimate.
    std::vector<double> gainsOf(const std::vector<const Pair *> &known, std::size_t path) const
    {
        std::vector<double> gains;
        for (const Pair *pair : known)
            gains.push_back(m_exact[path] != 0 ? pair->gained[path] : pair->estimates[path]);
        return gains;
    }

    /// R resamples say p = 2 / (R + 1) at least, however clear a path is, so that among thousands of paths few clear
    /// ones would never be significant. Those that no resample contradicts are drawn again: as often as one of them
    /// alone needs, as far as that takes seconds.
    void refineP(const std::vector<const Pair *> &known, PathsResult &result) const
    {
        constexpr double kMostDrawn = 1e9;
        const std::vector<std::size_t> clear = uncontradicted(pValuesOf(result.paths), m_spec.resamples);
        if (clear.empty())
            return;
        const double affordable = kMostDrawn / static_cast<double>(clear.size() * known.size());
        const std::int64_t resamples
            = std::min(resamplesForHolm(std::ssize(result.paths)), static_cast<std::int64_t>(affordable));
        if (resamples <= m_spec.resamples)
            return;
        const PairBootstrap fine(known.size(), resamples, m_spec.run.seed);
        m_task.execution().parallelFor(std::ssize(clear), [&](std::int64_t number) {
            m_control.checkpoint();
            const std::size_t path = clear[static_cast<std::size_t>(number)];
            result.paths[path].p = fine.change(gainsOf(known, path)).inference.p;
        });
    }

    PathEffect effectOf(std::size_t path, const std::vector<const Pair *> &known, const std::vector<double> &possible,
                        const PairBootstrap &bootstrap) const
    {
        PathEffect effect;
        effect.head = m_paths[path].sender->heads.front();
        effect.together = m_paths[path].receiver->heads;
        effect.input = m_paths[path].receiver->input;
        effect.exact = m_exact[path] != 0;
        double estimate = known.front()->estimates.empty() ? std::numeric_limits<double>::quiet_NaN() : 0;
        for (const Pair *pair : known) {
            if (!pair->estimates.empty())
                estimate += pair->estimates[path] / static_cast<double>(known.size());
        }
        const std::vector<double> gains = gainsOf(known, path);
        effect.effect = bootstrap.effect(gains, possible);
        effect.effect.attribution = estimate;
        effect.p = bootstrap.change(gains).inference.p;
        return effect;
    }

    /// The agreement of estimates with exact effects.
    static PatchAgreement agreementOf(const std::vector<PathEffect> &paths)
    {
        std::vector<double> estimates, deltas;
        for (const PathEffect &path : paths) {
            if (path.exact && !std::isnan(path.effect.attribution)) {
                estimates.push_back(path.effect.attribution);
                deltas.push_back(path.effect.delta);
            }
        }
        return agreement(estimates, deltas);
    }

    std::vector<const Pair *> computedPairs() const
    {
        std::vector<const Pair *> known;
        for (const Pair &pair : m_scores) {
            if (!pair.gained.empty())
                known.push_back(&pair);
        }
        return known;
    }

    PathsResult result(Manifest manifest) const
    {
        const std::vector<const Pair *> known = computedPairs();
        PathsResult result;
        result.manifest = std::move(manifest);
        result.measure = m_spec.measure;
        result.direction = m_spec.direction;
        result.feedForward = m_spec.feedForward;
        result.method = m_spec.method;
        result.examples = std::ssize(known);
        std::vector<double> clean, corrupt, possible;
        for (const Pair *pair : known) {
            const double base = measured(m_spec.measure, pair->base);
            const double donor = measured(m_spec.measure, pair->donor);
            (baseIsClean() ? clean : corrupt).push_back(base);
            (baseIsClean() ? corrupt : clean).push_back(donor);
            possible.push_back(donor - base);
        }
        const PairBootstrap bootstrap(known.size(), m_spec.resamples, m_spec.run.seed);
        result.clean = bootstrap.score(clean);
        result.corrupt = bootstrap.score(corrupt);
        result.paths.resize(m_paths.size());
        m_task.execution().parallelFor(std::ssize(m_paths), [&](std::int64_t number) {
            const auto path = static_cast<std::size_t>(number);
            result.paths[path] = effectOf(path, known, possible, bootstrap);
        });
        if (known.size() == m_scores.size())
            refineP(known, result);
        adjustDiscoveries(result.paths);
        result.agreement = agreementOf(result.paths);
        std::ranges::stable_sort(result.paths, std::ranges::greater(),
                                 [](const PathEffect &path) { return std::abs(path.effect.delta); });
        result.runs = m_runs;
        if (m_runs > 0 && m_wholeRows > 0)
            result.work = static_cast<double>(m_rowsRun) / static_cast<double>(m_wholeRows);
        return result;
    }

    const Task &m_task;
    const PatchingPairs &m_pairs;
    const PathsSpec &m_spec;
    const JobControl &m_control;
    HeadUnits m_groups;
    std::vector<PathSender> m_senders;
    std::vector<PathReceiver> m_receivers;
    std::vector<PathCell> m_paths;     ///< of any pair
    std::vector<std::uint8_t> m_exact; ///< by path
    std::vector<Pair> m_scores;
    std::int64_t m_done = 0;
    std::int64_t m_total = 0;
    std::int64_t m_runs = 0;
    std::int64_t m_rowsRun = 0;
    std::int64_t m_wholeRows = 0;
};

} // namespace

PathsResult paths(const Task &task, const PatchingPairs &pairs, const PathsSpec &spec, Manifest manifest,
                  const JobControl &control, const Publish<PathsResult> &publish)
{
    AnalysisOf<PathsSpec>::check(spec);
    return Paths(task, pairs, spec, control).run(std::move(manifest), publish);
}

void AnalysisOf<PathsSpec>::check(const PathsSpec &spec)
{
    if (spec.method == PathMethod::Exact && spec.verify > 0)
        throw Failure(usageError("--verify is of --method linear: the exact method computes every path."));
    if (spec.method == PathMethod::Linear && spec.measure == PatchMeasure::Accuracy)
        throw Failure(usageError("--method linear: accuracy has no gradient; take another --measure."));
}

PathsResult AnalysisOf<PathsSpec>::compute(const PathsSpec &spec, AnalysisInput &input, Manifest manifest,
                                           const JobControl &control, const Publish<PathsResult> &publish)
{
    const AnalysisData data = input.data();
    const PatchingPairs pairs
        = patchingPairs(data.task.model().spec(), input.tokenizer(), data.dataset, control).valueOrThrow();
    return paths(data.task, pairs, spec, std::move(manifest), control, publish);
}

std::vector<std::string> AnalysisOf<PathsSpec>::remarks(const PathsResult &result)
{
    if (result.clean.score == result.corrupt.score)
        return {"The clean and the corrupt texts score the same: effects, which are shares of their difference, are "
                "not defined. Look at delta, or at another --measure."};
    return {};
}

} // namespace headscope

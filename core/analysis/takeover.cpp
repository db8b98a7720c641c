#include "core/analysis/takeover.h"

#include "core/analysis/analysisinfo.h"
#include "core/analysis/headunits.h"
#include "core/analysis/input.h"
#include "core/analysis/pairbootstrap.h"
#include "core/base/random.h"
#include "core/metrics/multiplicity.h"
#include "core/results/patchresult.h"
#include "core/results/results.h"
#include "core/task/directeffects.h"
#include "core/task/ownanswers.h"
#include "core/task/pairruns.h"

#include <ATen/core/grad_mode.h>
#include <fmt/format.h>
#include <torch/types.h>

#include <atomic>
#include <cmath>
#include <cstddef>
#include <functional>
#include <numeric>
#include <utility>

namespace headscope {
namespace {

/// Direct contributions in one run of a text: of the removed heads together, of each other one, of all else.
struct Contributions
{
    double removed = 0;
    std::vector<double> others{};
    double rest = 0;

    double sum() const { return std::accumulate(others.begin(), others.end(), removed + rest); }
    double ofOthers() const { return std::accumulate(others.begin(), others.end(), 0.0); }
};

/// The contributions for every example with the head and without it, of which numbers are taken example by example.
struct BothRuns
{
    const std::vector<Contributions> &whole;
    const std::vector<Contributions> &without;

    std::vector<double> series(const auto &of) const
    {
        std::vector<double> values;
        for (std::size_t i = 0; i < whole.size(); ++i)
            values.push_back(of(whole[i], without[i]));
        return values;
    }
    static double changeOfOthers(const Contributions &a, const Contributions &b) { return b.ofOthers() - a.ofOthers(); }
    static double changeOfRest(const Contributions &a, const Contributions &b) { return b.rest - a.rest; }
};

class Takeover
{
public:
    Takeover(const Task &task, const PatchingPairs &pairs, const TakeoverSpec &spec, const JobControl &control)
        : m_task(task), m_pairs(pairs), m_spec(spec), m_control(control)
    {
        const HeadUnits units(task.model().spec(), spec.by);
        const auto parsed = parseHeadRef(spec.head);
        if (!parsed.isOk() || !task.layout().contains(parsed.value()))
            throw Failure(usageError(
                fmt::format("--head {}: the model has no such head; `inspect` lists its heads.", spec.head)));
        m_masked = units.whole(spec.mask);
        if (m_masked.isMasked(parsed.value()))
            throw Failure(usageError(fmt::format("--head {}: this head is masked.", spec.head)));
        m_head = units.unitOf(parsed.value());
        m_removed = units.whole(HeadMask{m_head});
        for (const HeadRef &head : task.layout().heads()) {
            if (sideOf(head.kind) == task.model().spec().lastSide() && !m_masked.isMasked(head)
                && !m_removed.isMasked(head))
                m_others.push_back(head);
        }
        if (spec.replacement == Replacement::Optimal || spec.replacement == Replacement::Window)
            throw Failure(usageError("--replace optimal and window are of ablate; take zero, mean or resample."));
        if (spec.replacement == Replacement::Resample && spec.draws >= pairs.size())
            throw Failure(usageError(fmt::format(
                "--replace resample with {} draws needs as many other examples, but there are only {}. Give more "
                "examples, or fewer --draws.",
                spec.draws, pairs.size() - 1)));
    }

    TakeoverResult run(Manifest manifest)
    {
        const torch::NoGradGuard noGrad;
        const HeadGates open = HeadGates::fromMask(m_masked, m_task.layout(), m_task.tensorOptions());
        m_runs = m_pairs.size() * (m_spec.replacement == Replacement::Zero ? 2 : 2 + m_spec.draws);
        if (m_spec.replacement != Replacement::Zero)
            recordContexts(open);
        const std::vector<Contributions> whole = contributions([&](std::int64_t) { return open; });
        std::vector<Contributions> without;
        const std::int64_t draws = m_spec.replacement == Replacement::Resample ? m_spec.draws : 1;
        for (std::int64_t draw = 0; draw < draws; ++draw)
            add(contributions([&](std::int64_t pair) { return gatesWithout(pair, draw); }),
                1 / static_cast<double>(draws), without);
        return result({whole, without}, std::move(manifest));
    }

private:
    /// Adds a share of each to what there is.
    static void add(const std::vector<Contributions> &some, double share, std::vector<Contributions> &sums)
    {
        sums.resize(some.size());
        for (std::size_t i = 0; i < some.size(); ++i) {
            sums[i].removed += share * some[i].removed;
            sums[i].rest += share * some[i].rest;
            sums[i].others.resize(some[i].others.size(), 0);
            for (std::size_t head = 0; head < some[i].others.size(); ++head)
                sums[i].others[head] += share * some[i].others[head];
        }
    }

    void oneMore() const { m_control.progress({kPhaseContributions, "runs", ++m_done, m_runs}); }

    /// Text by text: replacements differ, and have lengths of their own.
    std::vector<Contributions> contributions(const std::function<HeadGates(std::int64_t pair)> &gatesOf) const
    {
        std::vector<Contributions> all(static_cast<std::size_t>(m_pairs.size()));
        m_task.execution().parallelFor(m_pairs.size(), [&](std::int64_t pair) {
            m_control.checkpoint();
            const DirectEffects effects = directEffects(m_task.model(), m_pairs, {pair}, true, gatesOf(pair));
            const auto of = [&](const HeadRef &head) {
                return effects.heads.front()[static_cast<std::size_t>(m_task.layout().indexOf(head))];
            };
            Contributions &found = all[static_cast<std::size_t>(pair)];
            for (const HeadRef &head : m_removed)
                found.removed += of(head);
            for (const HeadRef &head : m_others)
                found.others.push_back(of(head));
            found.rest = effects.rest.front();
            oneMore();
        });
        return all;
    }

    /// Keeps the contexts of the removed heads on every text, [heads, T, Dh].
    void recordContexts(const HeadGates &open)
    {
        m_contexts.resize(static_cast<std::size_t>(m_pairs.size()));
        m_task.execution().parallelFor(m_pairs.size(), [&](std::int64_t pair) {
            const torch::NoGradGuard noGrad; // of this thread
            Recorder recorder;
            recorder.contexts = true;
            (void)readOfPairs(m_task.model(), m_pairs, {pair}, true, open, &recorder, m_control);
            const auto own = recorder.at(m_head.kind, m_head.layer, "context")[0];
            m_contexts[static_cast<std::size_t>(pair)] = own.index_select(0, columns().to(own.device())).clone();
            oneMore();
        });
        m_circle.resize(m_contexts.size());
        std::iota(m_circle.begin(), m_circle.end(), std::size_t{0});
        Random random(m_spec.run.seed);
        shuffle(m_circle, random);
        m_placeInCircle.resize(m_circle.size());
        for (std::size_t place = 0; place < m_circle.size(); ++place)
            m_placeInCircle[m_circle[place]] = place;
        if (m_spec.replacement != Replacement::Mean)
            return;
        auto sum = torch::zeros({columns().size(0), m_contexts.front().size(2)}, torch::kFloat64);
        std::int64_t positions = 0;
        for (const torch::Tensor &context : m_contexts) {
            sum += context.to(torch::kCPU, torch::kFloat64).sum(1);
            positions += context.size(1);
        }
        m_mean = (sum / static_cast<double>(positions)).to(m_task.tensorOptions()).unsqueeze(1);
    }

    /// Places of the removed heads in their layer.
    torch::Tensor columns() const
    {
        const AttentionSpec &attention = m_task.model().spec().attention(m_head.kind, m_head.layer);
        std::vector<std::int64_t> found;
        for (const HeadRef &head : m_removed)
            found.push_back(attention.columnOf(head.head));
        return torch::tensor(found, torch::kInt64);
    }

    HeadGates gatesWithout(std::int64_t pair, std::int64_t draw) const
    {
        HeadMask all = m_masked;
        for (const HeadRef &head : m_removed)
            all.set(head, true);
        HeadGates gates = HeadGates::fromMask(all, m_task.layout(), m_task.tensorOptions());
        if (m_spec.replacement == Replacement::Zero)
            return gates;
        const std::size_t donor
            = m_circle[(m_placeInCircle[static_cast<std::size_t>(pair)] + static_cast<std::size_t>(draw) + 1)
                       % m_circle.size()];
        const torch::Tensor &instead
            = m_spec.replacement == Replacement::Mean ? m_mean : m_contexts[donor]; // [heads, T, Dh]
        const auto &heads = m_task.layout().block(m_head.kind)->layers[static_cast<std::size_t>(m_head.layer)];
        auto replacement = torch::zeros({1, std::ssize(heads), instead.size(1), instead.size(2)}, instead.options());
        replacement[0].index_copy_(0, columns().to(instead.device()), instead);
        gates.edit(m_head.kind, m_head.layer).replacement = replacement;
        return gates;
    }

    bool readsRemoved(const HeadRef &head) const
    {
        const TransformerSpec &spec = m_task.model().spec();
        const int place = spec.placeOf(head.kind, head.layer);
        if (sideOf(head.kind) == sideOf(m_head.kind))
            return place > spec.placeOf(m_head.kind, m_head.layer);
        return m_head.kind == HeadKind::Encoder && place >= spec.placeOf(HeadKind::Cross, 0);
    }

    void addMeans(const BothRuns &runs, const PairBootstrap &bootstrap, TakeoverResult &result) const
    {
        const auto mean = [&](const auto &of) {
            const PatchScore score = bootstrap.score(runs.series(of));
            return MeanChange{score.score, score.interval};
        };
        result.whole = mean([](const Contributions &a, const Contributions &) { return a.sum(); });
        result.without = mean([](const Contributions &, const Contributions &b) { return b.sum(); });
        result.own = mean([](const Contributions &a, const Contributions &) { return a.removed; }).mean;
        result.instead = mean([](const Contributions &, const Contributions &b) { return b.removed; }).mean;
        result.others = mean(BothRuns::changeOfOthers);
        result.rest = mean(BothRuns::changeOfRest);
        const PatchEffect repaired = bootstrap.effect(
            runs.series([](const Contributions &a, const Contributions &b) {
                return BothRuns::changeOfOthers(a, b) + BothRuns::changeOfRest(a, b);
            }),
            runs.series([](const Contributions &a, const Contributions &b) { return a.removed - b.removed; }));
        result.repaired = repaired.effect;
        result.repairedInterval = repaired.interval;
        result.undefined = repaired.undefined;
    }

    /// The numbers of the head at this place among the others.
    HeadTakeover takeoverOf(std::size_t other, const BothRuns &runs, const PairBootstrap &bootstrap) const
    {
        HeadTakeover head;
        head.head = m_others[other];
        head.after = readsRemoved(head.head);
        const auto examples = static_cast<double>(runs.whole.size());
        for (std::size_t example = 0; example < runs.whole.size(); ++example) {
            head.whole += runs.whole[example].others[other] / examples;
            head.without += runs.without[example].others[other] / examples;
        }
        const auto [mean, inference] = bootstrap.change(runs.series(
            [&](const Contributions &a, const Contributions &b) { return b.others[other] - a.others[other]; }));
        head.change = mean;
        head.interval = inference.interval;
        head.p = inference.p;
        return head;
    }

    TakeoverExample sentenceOf(std::size_t row, const BothRuns &runs) const
    {
        const Contributions &whole = runs.whole[row];
        const Contributions &without = runs.without[row];
        TakeoverExample example;
        example.row = static_cast<std::int64_t>(row);
        example.answer = m_pairs.shown[row].first;
        example.wrongAnswer = m_pairs.shown[row].second;
        example.whole = whole.sum();
        example.without = without.sum();
        example.own = whole.removed;
        example.others = BothRuns::changeOfOthers(whole, without);
        example.rest = BothRuns::changeOfRest(whole, without);
        for (std::size_t head = 0; head < m_others.size(); ++head)
            example.changes.push_back(without.others[head] - whole.others[head]);
        return example;
    }

    TakeoverResult result(const BothRuns &runs, Manifest manifest) const
    {
        TakeoverResult result;
        result.manifest = std::move(manifest);
        result.head = m_head;
        for (const HeadRef &head : m_removed) {
            if (head != m_head)
                result.together.push_back(head);
        }
        result.replacement = m_spec.replacement;
        result.draws = m_spec.replacement == Replacement::Resample ? m_spec.draws : 1;
        result.examples = m_pairs.size();
        const PairBootstrap bootstrap(runs.whole.size(), m_spec.resamples, m_spec.run.seed);
        addMeans(runs, bootstrap, result);
        result.heads.resize(m_others.size());
        m_task.execution().parallelFor(std::ssize(m_others), [&](std::int64_t i) {
            const auto other = static_cast<std::size_t>(i);
            result.heads[other] = takeoverOf(other, runs, bootstrap);
        });
        adjustDiscoveries(result.heads);
        for (std::size_t row = 0; m_spec.sentences && row < runs.whole.size(); ++row)
            result.sentences.push_back(sentenceOf(row, runs));
        return result;
    }

    const Task &m_task;
    const PatchingPairs &m_pairs;
    const TakeoverSpec &m_spec;
    const JobControl &m_control;
    HeadRef m_head;
    HeadMask m_masked, m_removed;
    std::vector<HeadRef> m_others;
    std::vector<torch::Tensor> m_contexts;
    torch::Tensor m_mean; ///< [heads, 1, Dh]
    std::vector<std::size_t> m_circle, m_placeInCircle;
    std::int64_t m_runs = 0;
    mutable std::atomic<std::int64_t> m_done = 0;
};

} // namespace

void AnalysisOf<TakeoverSpec>::check(const TakeoverSpec &spec)
{
    if (spec.head.empty())
        throw Failure(usageError("Say which head is removed: --head decoder.9.6"));
}

TakeoverResult takeover(const Task &task, const PatchingPairs &pairs, const TakeoverSpec &spec, Manifest manifest,
                        const JobControl &control)
{
    return Takeover(task, pairs, spec, control).run(std::move(manifest));
}

TakeoverResult AnalysisOf<TakeoverSpec>::compute(const TakeoverSpec &spec, AnalysisInput &input, Manifest manifest,
                                                 const JobControl &control, const Publish<TakeoverResult> &)
{
    const AnalysisData data = input.data();
    const TransformerSpec &model = data.task.model().spec();
    const bool hasPairs = arePatchingPairs(data.dataset);
    const PatchingPairs pairs = hasPairs
                                  ? patchingPairs(model, input.tokenizer(), data.dataset, control).valueOrThrow()
                                  : ownAnswers(data.task, input.tokenizer(),
                                               HeadGates::fromMask(HeadUnits(model, spec.by).whole(spec.mask),
                                                                   data.task.layout(), data.task.tensorOptions()),
                                               control);
    TakeoverResult result = takeover(data.task, pairs, spec, std::move(manifest), control);
    result.ownAnswers = !hasPairs;
    return result;
}

std::vector<std::string> AnalysisOf<TakeoverSpec>::remarks(const TakeoverResult &result)
{
    if (std::abs(result.own - result.instead) > 1e-9)
        return {};
    return {fmt::format("{} adds nothing by itself to the difference of the logits: what changes comes through other "
                        "parts of the model, and there is nothing to make good",
                        toText(result.head))};
}

} // namespace headscope

#include "core/analysis/collaborate.h"

#include "core/analysis/analysisinfo.h"
#include "core/analysis/attentioninputs.h"
#include "core/analysis/evaluation.h"
#include "core/analysis/evaluationspec.h"
#include "core/analysis/importancespec.h"
#include "core/analysis/input.h"
#include "core/analysis/scoretests.h"
#include "core/base/phases.h"
#include "core/model/removeheads.h"
#include "core/results/collaborateresult.h"
#include "core/results/importanceresult.h"
#include "core/results/results.h"
#include "core/tensor/indextensor.h"

#include <fmt/format.h>
#include <torch/types.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace headscope {
namespace {

Factorization factorizationOf(SharingMethod method)
{
    return method == SharingMethod::Cp ? Factorization::Cp : Factorization::TruncatedHeads;
}

/// Columns that all heads of an attention have together, of the widest.
std::int64_t widestOf(const CollaborateSpec &spec, const Transformer &model)
{
    std::int64_t most = 0;
    for (const auto &[kind, layer] : attentionsWithHeads(model.layout(), spec.kinds))
        most = std::max(most, model.spec().attention(kind, layer).width());
    return most;
}

/// As they were asked for, or usual shares of the widest attention; from the largest.
std::vector<std::int64_t> widthsOf(const CollaborateSpec &spec, const Transformer &model)
{
    checkWidths(spec, model);
    std::vector<std::int64_t> widths = spec.ranks;
    if (widths.empty()) {
        const std::int64_t most = widestOf(spec, model);
        for (const double share : {3.0 / 4, 1.0 / 2, 1.0 / 3, 1.0 / 6})
            widths.push_back(std::max<std::int64_t>(1, std::llround(share * static_cast<double>(most))));
    }
    std::ranges::sort(widths, std::greater());
    widths.erase(std::unique(widths.begin(), widths.end()), widths.end());
    return widths;
}

std::int64_t allScoreParameters(const TransformerSpec &spec)
{
    std::int64_t count = 0;
    for (const auto &[kind, layer] : attentionsWithHeads(spec.layout()))
        count += scoreParameters(spec.attention(kind, layer), spec.width);
    return count;
}

/// Tokens of what the model reads first, special ones included; rounded, at least one.
std::int64_t meanLength(const Task &task)
{
    std::int64_t tokens = 0;
    for (std::int64_t id = 0; id < task.size(); ++id)
        tokens += task.examples().length(id);
    const double mean = static_cast<double>(tokens) / static_cast<double>(std::max<std::int64_t>(1, task.size()));
    return std::max<std::int64_t>(1, std::llround(mean));
}

/// The errors of scores and attention by shared projections against the original ones, on the same inputs; for the
/// remaining heads.
class Closeness
{
public:
    explicit Closeness(const Transformer &shared) : m_shared(shared) { }

    void add(const AttentionInput &input)
    {
        const AttentionSpec &spec = m_shared.spec().attention(input.kind, input.layer);
        if (!spec.sharesProjections() || spec.heads.empty())
            return;
        std::vector<std::int64_t> left; // places among the heads of the full model
        for (const int head : spec.heads)
            left.push_back(input.spec.columnOf(head));
        const auto own
            = scoresOf(input.spec, input.weights, input).index_select(1, indexTensor(left, input.queries.device()));
        const auto other = scoresOf(spec, m_shared.attention(input.kind, input.layer), input);
        Sums &sums = m_sums[{input.kind, input.layer}];
        const auto squares = [&](const torch::Tensor &scores) {
            return centredOverKeys(scores, input.visible).square().sum(torch::kFloat64).item<double>();
        };
        sums.change += squares(other - own);
        sums.scores += squares(own);
        const auto p = attentionBy(own, input.visible).to(torch::kFloat64);
        const auto q = attentionBy(other, input.visible).to(torch::kFloat64);
        const auto middle = (p + q) / 2;
        const auto entropies = torch::xlogy(p, p) / 2 + torch::xlogy(q, q) / 2 - torch::xlogy(middle, middle);
        sums.divergence += entropies.sum().item<double>();
        sums.queries += input.visible.any(-1).sum().item<std::int64_t>() * own.size(1);
    }

    void fill(SharedLayer &layer) const
    {
        const auto found = m_sums.find({layer.kind, layer.layer});
        if (found == m_sums.end())
            return;
        const Sums &sums = found->second;
        layer.logitError = sums.scores == 0 ? 0 : std::sqrt(sums.change / sums.scores); // NaN stays NaN
        layer.divergence = sums.divergence / static_cast<double>(std::max<std::int64_t>(sums.queries, 1));
    }

private:
    struct Sums
    {
        double change = 0, scores = 0, divergence = 0;
        std::int64_t queries = 0; ///< of all heads
    };
    const Transformer &m_shared;
    std::map<std::pair<HeadKind, int>, Sums> m_sums;
};

class SharingRun
{
public:
    SharingRun(const CollaborateSpec &spec, AnalysisInput &input, CollaborateResult &result, const JobControl &control,
               const Publish<CollaborateResult> &publish)
        : m_spec(spec), m_input(input), m_task(input.data().task), m_result(result), m_control(control),
          m_publish(publish), m_examples(someExamples(m_task, spec.sentences, spec.run)),
          m_widths(widthsOf(spec, m_task.model())), m_methods(spec.methods), m_prune(spec.prune),
          m_resamples(scoreResamples(spec.resamples, m_task.layout(), true))
    {
        std::ranges::sort(m_prune);
        m_prune.erase(std::unique(m_prune.begin(), m_prune.end()), m_prune.end());
        if (m_methods.empty())
            m_methods = {SharingMethod::Cp, SharingMethod::Svd};
        m_whole = allScoreParameters(m_task.model().spec());
        m_result.length = meanLength(m_task);
    }

    void run()
    {
        SharedPoint whole = costs({}, m_task.model().spec());
        score(m_task, whole);
        if (const auto second = m_input.second()) {
            m_result.otherData = second->name;
            whole.otherScore = scoreOf(second->task);
        }
        add(std::move(whole));
        for (const std::int64_t count : m_prune) {
            const HeadMask mask = leastImportant(count);
            measure({.order = SharingOrder::PruneOnly, .pruned = static_cast<std::int64_t>(mask.size())},
                    {std::make_shared<const Transformer>(withoutHeads(m_task.model(), mask)), {}});
        }
        for (const SharingMethod method : m_methods) {
            for (const std::int64_t width : m_widths)
                share(method, width);
        }
    }

private:
    void share(SharingMethod method, std::int64_t width)
    {
        const Transformer &model = m_task.model();
        const SharedProjections how = howTo(method, width);
        announce(width);
        const SharedModel shared = *m_input.sharedModel(how, m_control);
        measure({.width = width, .method = method}, shared);
        for (const std::int64_t count : m_prune) {
            const HeadMask mask = leastImportant(count);
            SharedPoint point{.width = width, .method = method, .order = SharingOrder::ShareFirst};
            point.pruned = static_cast<std::int64_t>(mask.size());
            measure(point, {std::make_shared<const Transformer>(withoutHeads(*shared.model, mask)), shared.attentions});
            point.order = SharingOrder::PruneFirst;
            announce(width);
            measure(point, withSharedProjections(withoutHeads(model, mask), how, m_task.execution(), m_control));
        }
    }

    SharedProjections howTo(SharingMethod method, std::int64_t width) const
    {
        SharedProjections how = sharedProjections(m_spec, width);
        how.by = factorizationOf(method);
        return how;
    }

    void announce(std::int64_t width) const
    {
        m_control.progress(
            {{kPhaseSharing, {std::to_string(width)}},
             "models",
             std::ssize(m_result.points),
             1 + std::ssize(m_prune) + std::ssize(m_widths) * std::ssize(m_methods) * (1 + 2 * std::ssize(m_prune))});
    }

    HeadMask leastImportant(std::int64_t count)
    {
        if (m_order.empty()) {
            const ImportanceResult importance = m_input.ask(ImportanceSpec{.run = m_spec.run}, false, m_control);
            std::vector<HeadImportance> heads = importance.heads;
            std::ranges::stable_sort(heads, {}, &HeadImportance::importance);
            for (const HeadImportance &head : heads)
                m_order.push_back(head.head);
        }
        const auto most = std::min(m_order.size(), static_cast<std::size_t>(count));
        return HeadMask(std::vector<HeadRef>(m_order.begin(), m_order.begin() + static_cast<std::ptrdiff_t>(most)));
    }

    void measure(SharedPoint point, const SharedModel &shared)
    {
        point = costs(std::move(point), shared.model->spec());
        addLayers(point, shared);
        score(*m_input.taskOf(shared.model, false, m_control), point);
        if (m_input.second())
            point.otherScore = scoreOf(*m_input.taskOf(shared.model, true, m_control));
        add(std::move(point));
    }

    void add(SharedPoint point)
    {
        m_result.points.push_back(std::move(point));
        markFronts(m_result);
        if (m_publish)
            m_publish(m_result);
    }

    SharedPoint costs(SharedPoint point, const TransformerSpec &spec) const;
    void addLayers(SharedPoint &point, const SharedModel &shared) const;

    double scoreOf(const Task &task) const { return metric().scoreOf(wholeModelTable(task, m_spec.run, m_control)); }
    const Metric &metric() const { return *m_task.metrics()[m_task.primaryMetric(m_spec.run)]; }
    /// On the same examples as the full model, which is scored first.
    void score(const Task &task, SharedPoint &point);

    const CollaborateSpec &m_spec;
    AnalysisInput &m_input;
    const Task &m_task;
    CollaborateResult &m_result;
    const JobControl &m_control;
    const Publish<CollaborateResult> &m_publish;
    std::vector<std::int64_t> m_examples;
    std::vector<std::int64_t> m_widths;
    std::vector<SharingMethod> m_methods;
    std::vector<std::int64_t> m_prune;
    std::vector<HeadRef> m_order; ///< the least important first
    std::int64_t m_whole = 0;     ///< score parameters of the model as it is
    std::int64_t m_resamples;
    std::optional<PairedBootstrap> m_bootstrap{}; ///< over the full model's statistics
};

void SharingRun::score(const Task &task, SharedPoint &point)
{
    StatisticsTable table = wholeModelTable(task, m_spec.run, m_control);
    const std::size_t examples = table.rows;
    point.score = metric().scoreOf(table);
    if (!m_bootstrap) {
        m_result.metric = metric().name();
        m_result.better = metric().better();
        m_bootstrap.emplace(std::move(table), metric(), m_resamples, m_spec.run.seed);
        if (m_resamples > 0 && examples > 1)
            point.interval = m_bootstrap->baselineInterval();
        return;
    }
    if (m_resamples > 0 && examples > 1)
        point.interval = m_bootstrap->scoreInterval(table);
    const PairedComparison compared = m_bootstrap->compare(table);
    point.delta = compared.delta;
    point.paired = pairedTest(compared, m_resamples, examples);
}

SharedPoint SharingRun::costs(SharedPoint point, const TransformerSpec &spec) const
{
    point.parameters = parameterCount(spec);
    point.scoreParameters = allScoreParameters(spec);
    point.compression
        = point.scoreParameters > 0 ? static_cast<double>(m_whole) / static_cast<double>(point.scoreParameters) : 0;
    double sum = 0;
    std::int64_t count = 0;
    const TransformerSpec &own = m_task.model().spec();
    for (const auto &[kind, layer] : attentionsWithHeads(spec.layout(), m_spec.kinds)) {
        if (const AttentionSpec &shared = spec.attention(kind, layer); shared.sharesProjections()) {
            sum += breakEvenLength(own.attention(kind, layer), shared, own.width);
            ++count;
        }
    }
    for (const auto &[kind, layer] : attentionsWithHeads(spec.layout()))
        point.multiplyAdds
            += scoreProducts(spec.attention(kind, layer), spec.width, static_cast<double>(m_result.length));
    if (count > 0 && std::isfinite(sum))
        point.breakEven = sum / static_cast<double>(count);
    return point;
}

void SharingRun::addLayers(SharedPoint &point, const SharedModel &shared) const
{
    Closeness closeness(*shared.model);
    if (!shared.attentions.empty())
        forEachAttentionInput(m_task, m_examples, m_spec.run, m_control,
                              [&](const AttentionInput &one) { closeness.add(one); });
    for (const SharedAttention &attention : shared.attentions) {
        SharedLayer layer{
            .kind = attention.kind, .layer = attention.layer, .error = attention.error, .seconds = attention.seconds};
        const AttentionSpec &spec = shared.model->spec().attention(layer.kind, layer.layer);
        if (spec.heads.empty()) // they were all removed
            continue;
        closeness.fill(layer);
        for (const int head : spec.heads)
            layer.heads.push_back({layer.kind, layer.layer, head});
        if (m_spec.mixing) {
            const auto mixing
                = shared.model->attention(layer.kind, layer.layer).mixing.to(torch::kCPU, torch::kFloat64).contiguous();
            layer.mixing.assign(mixing.data_ptr<double>(), mixing.data_ptr<double>() + mixing.numel());
        }
        point.layers.push_back(std::move(layer));
    }
    for (const SharedLayer &layer : point.layers) {
        const auto count = static_cast<double>(point.layers.size());
        point.error += layer.error / count;
        point.logitError += layer.logitError / count;
        point.divergence += layer.divergence / count;
    }
}

/// "8 heads removed, then 128 columns (cp)"
std::string nameOf(const SharedPoint &point)
{
    const std::string removed = fmt::format("{} heads removed", point.pruned);
    const std::string shared = fmt::format("{} columns ({})", point.width, toText(point.method));
    switch (point.order) {
    case SharingOrder::ShareOnly:
        return point.width == 0 ? "the full model" : shared;
    case SharingOrder::PruneFirst:
        return removed + ", then " + shared;
    case SharingOrder::ShareFirst:
        return shared + ", then " + removed;
    case SharingOrder::PruneOnly:
        return removed;
    }
    return {};
}

} // namespace

void checkWidths(const CollaborateSpec &spec, const Transformer &model)
{
    const std::int64_t most = widestOf(spec, model);
    for (const std::int64_t width : spec.ranks) {
        if (width > most)
            throw Failure(usageError(fmt::format(
                "--ranks {}: all heads of an attention have {} columns together; shared ones are at most as many.",
                width, most)));
    }
}

SharedProjections sharedProjections(const CollaborateSpec &spec, std::int64_t width)
{
    SharedProjections how;
    how.cp = {.rank = width,
              .iterations = spec.iterations,
              .tolerance = spec.tolerance,
              .ridge = spec.ridge,
              .restarts = spec.restarts,
              .seed = spec.run.seed};
    how.by = factorizationOf(spec.methods.empty() ? SharingMethod::Cp : spec.methods.front());
    how.kinds = spec.kinds;
    how.publishedScale = spec.publishedScale;
    return how;
}

std::vector<std::string> AnalysisOf<CollaborateSpec>::remarks(const CollaborateResult &result)
{
    const auto removesHeads = [](const SharedPoint &point) { return point.order != SharingOrder::ShareOnly; };
    if (std::ranges::none_of(result.points, removesHeads))
        return {};
    std::vector<std::string> front;
    for (const SharedPoint &point : result.points) {
        if (point.onFront)
            front.push_back(nameOf(point));
    }
    return {fmt::format("no other model has as few parameters and as good a score: {}", fmt::join(front, "; "))};
}

CollaborateResult AnalysisOf<CollaborateSpec>::compute(const CollaborateSpec &spec, AnalysisInput &input,
                                                       Manifest manifest, const JobControl &control,
                                                       const Publish<CollaborateResult> &publish)
{
    const Task &task = input.data().task;
    task.requireReferences();
    CollaborateResult result;
    result.manifest = std::move(manifest);
    result.publishedScale = spec.publishedScale;
    result.examples = task.size();
    SharingRun(spec, input, result, control, publish).run();
    return result;
}

} // namespace headscope

#include "core/analysis/masksearch.h"

#include "core/analysis/analysisinfo.h"
#include "core/analysis/input.h"
#include "core/analysis/pruning.h"
#include "core/analysis/scoretests.h"
#include "core/analysis/throttle.h"
#include "core/analysis/workload.h"
#include "core/model/transformer.h"
#include "core/results/results.h"

#include <ATen/core/grad_mode.h>
#include <nlohmann/json.hpp>
#include <torch/types.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <tuple>

namespace headscope {
namespace {

constexpr double kLargestScale = 10; // beyond it, Kwon et al.'s program stops rescaling

/// The heads of one attention layer by their places in the layout.
struct LayerHeads
{
    HeadKind kind = HeadKind::Encoder;
    int layer = 0;
    std::vector<HeadRef> heads;
    std::vector<std::size_t> places;
};

std::vector<LayerHeads> layersOf(const HeadLayout &layout)
{
    std::vector<LayerHeads> layers;
    for (const HeadRef &head : layout.heads()) {
        if (layers.empty() || layers.back().kind != head.kind || layers.back().layer != head.layer)
            layers.push_back({head.kind, head.layer, {}, {}});
        layers.back().heads.push_back(head);
        layers.back().places.push_back(static_cast<std::size_t>(layout.indexOf(head)));
    }
    return layers;
}

/// Mean over mini-batches of (Σ gradients of the heads at `places`, but the one at `without`)².
double togetherWithout(const HeadGradients &gradients, const std::vector<std::size_t> &places,
                       std::optional<std::size_t> without)
{
    double squares = 0;
    for (const auto &row : gradients) {
        double sum = 0;
        for (std::size_t place : places)
            sum += place == without ? 0 : row[place];
        squares += sum * sum;
    }
    return gradients.empty() ? 0 : squares / static_cast<double>(gradients.size());
}

std::vector<std::size_t> removedPlaces(const LayerHeads &layer, const HeadMask &mask)
{
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < layer.heads.size(); ++i) {
        if (mask.isMasked(layer.heads[i]))
            places.push_back(layer.places[i]);
    }
    return places;
}

} // namespace

std::vector<double> fisherInformation(const HeadGradients &gradients)
{
    std::vector<double> fisher(gradients.empty() ? 0 : gradients.front().size());
    for (const auto &row : gradients) {
        for (std::size_t h = 0; h < row.size(); ++h)
            fisher[h] += row[h] * row[h] / static_cast<double>(gradients.size());
    }
    return fisher;
}

HeadMask searchMask(const HeadLayout &layout, const std::vector<HeadKind> &kinds, const std::vector<double> &fisher,
                    std::int64_t pruned)
{
    HeadValues values;
    for (const HeadRef &head : restrictOrder(layout.heads(), kinds, 0))
        values[head] = fisher[static_cast<std::size_t>(layout.indexOf(head))];
    const PruningOrder order = orderByValue(values);
    return HeadMask(PruningOrder(order.begin(), order.begin() + std::min<std::int64_t>(pruned, std::ssize(order))));
}

double blockObjective(const HeadLayout &layout, const HeadGradients &gradients, const HeadMask &mask)
{
    double objective = 0;
    for (const LayerHeads &layer : layersOf(layout))
        objective += togetherWithout(gradients, removedPlaces(layer, mask), std::nullopt);
    return objective;
}

HeadMask rearrangeMask(const HeadLayout &layout, const HeadGradients &gradients, const HeadMask &mask)
{
    const std::vector<double> fisher = fisherInformation(gradients);
    HeadMask rearranged;
    for (const LayerHeads &layer : layersOf(layout)) {
        std::vector<std::size_t> removed = removedPlaces(layer, mask);
        std::vector<std::size_t> others;
        for (std::size_t place : layer.places) {
            if (std::ranges::find(removed, place) == removed.end())
                others.push_back(place);
        }
        std::ranges::stable_sort(others, {}, [&](std::size_t place) { return fisher[place]; });
        for (std::size_t other : others) {
            if (removed.empty())
                break;
            // On a tie the last one stays, so that heads are not exchanged without a gain.
            double least = togetherWithout(gradients, removed, std::nullopt);
            removed.push_back(other);
            std::size_t back = removed.size() - 1;
            for (std::size_t i = 0; i + 1 < removed.size(); ++i) {
                const double without = togetherWithout(gradients, removed, removed[i]);
                if (without < least) {
                    least = without;
                    back = i;
                }
            }
            removed.erase(removed.begin() + static_cast<std::ptrdiff_t>(back));
        }
        for (std::size_t place : removed)
            rearranged.set(layout.heads()[place], true);
    }
    return rearranged;
}

namespace {

/// Attention layers in the way of the data.
std::vector<LayerHeads> layersInOrder(const HeadLayout &layout)
{
    auto layers = layersOf(layout);
    const auto place = [](const LayerHeads &layer) {
        return std::tuple(layer.kind != HeadKind::Encoder, layer.layer, layer.kind == HeadKind::Cross);
    };
    std::ranges::stable_sort(layers, {}, place);
    return layers;
}

const Linear &outputOf(const Transformer &model, const LayerHeads &layer)
{
    return model.attention(layer.kind, layer.layer).out;
}

/// The rows that each head of a layer adds at valid positions, [heads, R, D] in double, and what it is added to, [R,
/// D].
struct Additions
{
    torch::Tensor heads;
    torch::Tensor input;
};

Additions additionsOf(const Transformer &model, const LayerHeads &layer, const ContextBatch &batch)
{
    const auto context = batch.tensors.at(Recorder::place(layer.kind, layer.layer, "context"))
                             .to(torch::kCPU, torch::kFloat64); // [B, H, T, Dh]
    const auto input
        = batch.tensors.at(Recorder::place(layer.kind, layer.layer, "input")).to(torch::kCPU, torch::kFloat64);
    const auto valid = validPositions(batch.lengths.at(layer.kind), context.size(2), torch::kCPU).to(torch::kBool);
    const auto rows = context.transpose(1, 2).index({valid}).transpose(0, 1); // [H, R, Dh]
    const auto weight = outputOf(model, layer)
                            .weight
                            .to(torch::kCPU, torch::kFloat64) // [D, H·Dh]
                            .view({-1, context.size(1), context.size(3)})
                            .permute({1, 2, 0}); // [H, Dh, D]
    return {torch::matmul(rows, weight), input.index({valid})};
}

/// Sums of the least-squares problem: columns are the heads that stay, and a constant.
struct NormalEquations
{
    torch::Tensor products; ///< AᵀA
    torch::Tensor wanted;   ///< AᵀB

    void add(const Additions &whole, const Additions &pruned, const torch::Tensor &staying)
    {
        const auto target = (whole.heads.sum(0) + whole.input - pruned.input).reshape({-1});
        const auto heads = pruned.heads.index_select(0, staying).reshape({staying.size(0), -1});
        const auto columns = torch::cat({heads, torch::ones({1, target.size(0)}, heads.options())});
        const auto square = torch::matmul(columns, columns.t());
        const auto right = torch::mv(columns, target);
        products = products.defined() ? products + square : square;
        wanted = wanted.defined() ? wanted + right : right;
    }

    /// The factors; where heads depend on each other, those nearest to one. The constant is dropped.
    std::vector<double> solve() const
    {
        const std::int64_t n = products.size(0) - 1;
        auto start = torch::ones({n + 1}, products.options());
        start[n] = 0;
        const double ridge = 1e-10 * products.trace().item<double>() / static_cast<double>(n + 1) + 1e-30;
        const auto matrix = products + ridge * torch::eye(n + 1, products.options());
        const auto change = torch::linalg_solve(matrix, (wanted - torch::mv(products, start)).unsqueeze(1), true);
        const auto factors = (start + change.squeeze(1)).contiguous();
        return {factors.data_ptr<double>(), factors.data_ptr<double>() + n};
    }
};

/// The equations for the factors of those heads of a layer that stay, of all batches. `gates`: of the mask, and of the
/// factors in front of the layer.
NormalEquations equationsOf(const Task &task, const LayerHeads &layer, const torch::Tensor &staying,
                            const HeadGates &gates, const std::vector<std::vector<std::int64_t>> &batches,
                            const JobControl &control)
{
    std::vector<NormalEquations> parts(batches.size());
    task.execution().parallelFor(std::ssize(batches), [&](std::int64_t b) {
        control.checkpoint();
        const auto &batch = batches[static_cast<std::size_t>(b)];
        const Additions whole = additionsOf(task.model(), layer, task.contexts(batch, {}, true));
        control.checkpoint();
        const Additions pruned = additionsOf(task.model(), layer, task.contexts(batch, gates, true));
        parts[static_cast<std::size_t>(b)].add(whole, pruned, staying);
    });
    NormalEquations sum = parts.front();
    for (std::size_t b = 1; b < parts.size(); ++b) { // in a fixed order, so that sums repeat to the last bit
        sum.products = sum.products + parts[b].products;
        sum.wanted = sum.wanted + parts[b].wanted;
    }
    return sum;
}

} // namespace

HeadScales rescaleMask(const Task &task, const HeadMask &mask, const std::vector<std::int64_t> &ids,
                       const RunOptions &run, const JobControl &control, int *layersDone)
{
    const torch::NoGradGuard noGrad;
    const HeadLayout &layout = task.layout();
    const auto batches = task.batches(ids, run);
    HeadScales scales;
    int done = 0;
    bool changed = false; // by a layer up to here
    for (const LayerHeads &layer : layersInOrder(layout)) {
        std::vector<std::int64_t> staying;
        for (std::size_t i = 0; i < layer.heads.size(); ++i) {
            if (!mask.isMasked(layer.heads[i]))
                staying.push_back(static_cast<std::int64_t>(i));
        }
        changed = changed || staying.size() < layer.heads.size();
        if (!changed || staying.empty())
            continue;
        const HeadGates gates = HeadGates::fromMask(mask, layout, task.tensorOptions(), scales);
        const std::vector<double> factors
            = equationsOf(task, layer, torch::tensor(staying, torch::kInt64), gates, batches, control).solve();
        if (std::ranges::any_of(factors, [](double factor) { return !(std::abs(factor) <= kLargestScale); }))
            break;
        for (std::size_t i = 0; i < factors.size(); ++i)
            scales[layer.heads[static_cast<std::size_t>(staying[i])]] = factors[i];
        ++done;
    }
    if (layersDone)
        *layersDone = done;
    return scales;
}

namespace {

/// Multiply-adds of one head of each kind on an average example (Kwon et al.: 4nDd + 2n²d in self-attention).
std::map<HeadKind, double> headCosts(const Task &task, const std::vector<std::int64_t> &ids)
{
    std::map<HeadKind, double> costs;
    const auto shapes = task.gateShapes(ids);
    const auto &spec = task.model().spec();
    const auto width = static_cast<double>(spec.width);
    for (const HeadLayout::Block &block : task.layout().blocks()) {
        const auto headWidth = static_cast<double>(spec.attention(block.kind, 0).headWidth);
        const auto &queries = shapes.at(block.kind).lengths;
        const auto &keys = shapes.at(block.kind == HeadKind::Cross ? HeadKind::Encoder : block.kind).lengths;
        double sum = 0;
        for (std::size_t i = 0; i < queries.size(); ++i) {
            const auto t = static_cast<double>(queries[i]);
            const auto s = static_cast<double>(keys[i]);
            sum += 2 * (t + s) * width * headWidth + 2 * t * s * headWidth;
        }
        costs[block.kind] = sum / static_cast<double>(std::max<std::size_t>(1, queries.size()));
    }
    return costs;
}

double shareOfCosts(const HeadLayout &layout, const HeadMask &mask, const std::map<HeadKind, double> &costs)
{
    double all = 0;
    double left = 0;
    for (const HeadRef &head : layout.heads()) {
        all += costs.at(head.kind);
        left += mask.isMasked(head) ? 0 : costs.at(head.kind);
    }
    return all > 0 ? left / all : 0;
}

/// Factors of a mask, and how many layers have some.
struct FoundFactors
{
    HeadScales scales;
    int layers = 0;
};

/// Findings of the search itself, kept budget by budget: it takes most of the time, and nothing of it is measured
/// before all masks are there.
class KeptSearch
{
public:
    explicit KeptSearch(const KeptWork &kept) : m_kept(kept), m_found(kept.sums().value_or(nlohmann::json()))
    {
        if (!m_found.is_object() || !m_found.contains("budgets") || !m_found["budgets"].is_array())
            m_found = {{"budgets", nlohmann::json::array()}};
    }

    /// Those of `layout`'s heads; nothing: none were kept, or what was is damaged.
    std::optional<HeadGradients> gradients(const HeadLayout &layout) const
    {
        try {
            auto read = m_found.at("gradients").get<HeadGradients>();
            const bool isWhole = !read.empty() && std::ranges::all_of(read, [&](const auto &row) {
                return std::ssize(row) == layout.size();
            });
            return isWhole ? std::optional(std::move(read)) : std::nullopt;
        } catch (const nlohmann::json::exception &) {
            return std::nullopt;
        }
    }
    void keep(const HeadGradients &gradients)
    {
        m_found["gradients"] = gradients;
        write();
    }

    /// The factors of the budget number `budget`; nothing: it was not reached.
    std::optional<FoundFactors> factors(std::size_t budget) const
    {
        try {
            const nlohmann::json &kept = m_found.at("budgets").at(budget);
            FoundFactors found{.scales = {}, .layers = kept.at("layers").get<int>()};
            for (const auto &[head, factor] : kept.at("factors").items())
                found.scales[parseHeadRef(head).valueOrThrow()] = factor.get<double>();
            return found;
        } catch (const nlohmann::json::exception &) {
        } catch (const Failure &) { // no head
        }
        return std::nullopt;
    }
    /// Budgets are found one after the other.
    void keep(const FoundFactors &found)
    {
        nlohmann::json factors = nlohmann::json::object();
        for (const auto &[head, factor] : found.scales)
            factors[toText(head)] = factor;
        m_found["budgets"].push_back({{"layers", found.layers}, {"factors", std::move(factors)}});
        write();
    }

private:
    void write() const
    {
        if (m_kept.isKept())
            m_kept.keepSums(m_found);
    }

    const KeptWork &m_kept;
    nlohmann::json m_found;
};

std::array<FoundMask *, 3> masksOf(SearchPoint &point)
{
    return {&point.searched, &point.rearranged, &point.rescaled};
}

/// A search over growing budgets: masks and factors first, then their scores.
class MaskSearch
{
public:
    MaskSearch(const Task &task, const Task &searchTask, const SearchSpec &spec, Manifest manifest,
               const JobControl &control, const Publish<SearchResult> &publish, const KeptWork &kept)
        : m_task(task), m_searchTask(searchTask), m_spec(spec), m_control(control), m_publish(publish), m_kept(kept),
          m_found(kept), m_metric(*task.metrics()[task.primaryMetric(spec.run)])
    {
        m_result.manifest = std::move(manifest);
        m_result.kinds = spec.kinds;
        m_result.miniBatch = spec.miniBatch;
        m_result.candidates = std::ssize(restrictOrder(task.layout().heads(), spec.kinds, 0));
        m_ids = shuffledExamples(searchTask, spec.run);
        if (spec.samples > 0 && std::ssize(m_ids) > spec.samples)
            m_ids.resize(static_cast<std::size_t>(spec.samples));
        m_result.samples = std::ssize(m_ids);
    }

    SearchResult run(ResidentBlocks *resident)
    {
        findMasks();
        EngineRequest request{
            .base = {}, .variants = {}, .run = m_spec.run, .phase = kPhaseMasks, .resident = resident, .kept = &m_kept};
        for (SearchPoint &point : m_result.points) {
            for (const FoundMask *found : masksOf(point))
                request.variants.push_back({found->mask, Replacement::Zero, 0, found->scales});
        }
        (void)runVariants(m_task, request, m_control, [this](const EngineState &state) { see(state); });
        return std::move(m_result);
    }

private:
    void findMasks()
    {
        const HeadLayout &layout = m_task.layout();
        std::optional<HeadGradients> known = m_found.gradients(layout);
        if (!known) {
            known = miniBatchGradients(m_searchTask, m_ids, m_spec.miniBatch, m_spec.run, m_control);
            m_found.keep(*known);
        }
        const std::vector<double> fisher = fisherInformation(*known);
        for (std::size_t h = 0; h < fisher.size(); ++h)
            m_result.fisher.push_back({layout.heads()[h], fisher[h], std::numeric_limits<double>::quiet_NaN()});
        const auto costs = headCosts(m_searchTask, m_ids);
        const auto counts = pruningSchedule(m_result.candidates, m_spec.step, m_spec.rounding);
        for (std::size_t i = 0; i < counts.size(); ++i) {
            SearchPoint point;
            point.pruned = counts[i];
            point.fraction = m_result.candidates > 0
                               ? static_cast<double>(counts[i]) / static_cast<double>(m_result.candidates)
                               : 0;
            point.attentionLayers = static_cast<int>(layersOf(layout).size());
            point.searched.mask = searchMask(layout, m_spec.kinds, fisher, counts[i]);
            point.attentionMacs = shareOfCosts(layout, point.searched.mask, costs);
            point.rearranged.mask = rearrangeMask(layout, *known, point.searched.mask);
            point.rescaled.mask = point.rearranged.mask;
            FoundFactors factors = factorsOf(i, counts.size(), point.rescaled.mask);
            point.rescaled.scales = std::move(factors.scales);
            point.rescaledLayers = factors.layers;
            for (FoundMask *mask : masksOf(point))
                mask->objective = blockObjective(layout, *known, mask->mask);
            m_result.points.push_back(std::move(point));
        }
    }

    /// Factors of the budget number `budget` of `budgets`.
    FoundFactors factorsOf(std::size_t budget, std::size_t budgets, const HeadMask &mask)
    {
        if (auto kept = m_found.factors(budget))
            return *std::move(kept);
        m_control.progress(
            {kPhaseSearching, "budgets", static_cast<std::int64_t>(budget), static_cast<std::int64_t>(budgets)});
        FoundFactors factors;
        factors.scales = rescaleMask(m_searchTask, mask, m_ids, m_spec.run, m_control, &factors.layers);
        m_found.keep(factors);
        return factors;
    }

    void see(const EngineState &state)
    {
        const bool blockDone = std::ranges::all_of(
            state.variants, [&](const VariantStatistics &one) { return one.rows() == state.baseline.rows; });
        m_isWhole = m_isWhole || blockDone;
        // The first block shows mask after mask; later ones take the place of what is shown when they are done.
        if (state.done != state.total && !(m_publish && (blockDone || (!m_isWhole && m_throttle.isDue()))))
            return;
        const std::int64_t resamples = scoreResamples(m_spec.resamples, m_task.layout(), state.done == state.total);
        const PairedBootstrap bootstrap(state.baseline, m_metric, resamples, m_spec.run.seed);
        m_result.examples = static_cast<std::int64_t>(state.baseline.rows);
        m_result.baseline = {m_metric.name(), bootstrap.baselineScore(), bootstrap.baselineInterval(),
                             m_task.signature(m_metric, m_spec.run), m_metric.better()};
        SearchResult shown = m_result;
        shown.points.clear();
        for (std::size_t p = 0; p < m_result.points.size(); ++p) {
            m_control.checkpoint();
            if (scorePoint(p, state, bootstrap, resamples))
                shown.points.push_back(m_result.points[p]);
        }
        if (m_publish)
            m_publish(shown);
    }

    /// Whether all masks of the point have been run on all examples so far.
    bool scorePoint(std::size_t p, const EngineState &state, const PairedBootstrap &bootstrap, std::int64_t resamples)
    {
        const auto masks = masksOf(m_result.points[p]);
        for (std::size_t m = 0; m < masks.size(); ++m) {
            const VariantStatistics &variant = state.variants[masks.size() * p + m];
            if (variant.rows() != state.baseline.rows)
                return false;
            const StatisticsTable table = variant.table(state.baseline);
            FoundMask &found = *masks[m];
            found.score = m_metric.score(table.sums());
            found.delta = found.score - bootstrap.baselineScore();
            found.interval = bootstrap.scoreInterval(table);
            found.paired = pairedTest(bootstrap.compare(table), resamples, table.rows);
            if (found.mask.empty() && found.scales.empty() && found.paired)
                found.paired = PairedTest(); // the full model itself
        }
        return true;
    }

    const Task &m_task;
    const Task &m_searchTask;
    const SearchSpec &m_spec;
    const JobControl &m_control;
    const Publish<SearchResult> &m_publish;
    const KeptWork &m_kept;
    KeptSearch m_found;
    const Metric &m_metric;
    std::vector<std::int64_t> m_ids; ///< examples that gradients and factors are taken from
    SearchResult m_result;
    Throttle m_throttle{std::chrono::milliseconds(500)};
    bool m_isWhole = false; ///< all masks have scores
};

} // namespace

SearchResult searchMasks(const Task &task, const Task &searchTask, const SearchSpec &spec, Manifest manifest,
                         ResidentBlocks *resident, const JobControl &control, const Publish<SearchResult> &publish,
                         const KeptWork &kept)
{
    return MaskSearch(task, searchTask, spec, std::move(manifest), control, publish, kept).run(resident);
}

SearchResult AnalysisOf<SearchSpec>::compute(const SearchSpec &spec, AnalysisInput &input, Manifest manifest,
                                             const JobControl &control, const Publish<SearchResult> &publish)
{
    const AnalysisData data = input.data();
    data.task.requireReferences();
    const auto second = input.second();
    const AnalysisData searched = second ? *second : data;
    const auto name = [&](SearchResult result) {
        result.searchData = searched.name;
        result.searchedOnEvaluated = searched.hash == data.hash;
        return result;
    };
    const auto resident = input.resident(spec.run);
    const KeptWork kept = input.keptWork(manifest.key());
    return name(searchMasks(
        data.task, searched.task, spec, std::move(manifest), resident.get(), control,
        [&](const SearchResult &partial) {
            if (publish)
                publish(name(partial));
        },
        kept));
}

} // namespace headscope

#include "core/analysis/importance.h"

#include "core/analysis/analysisinfo.h"
#include "core/analysis/headunits.h"
#include "core/analysis/input.h"
#include "core/analysis/keptsums.h"
#include "core/analysis/throttle.h"
#include "core/base/phases.h"
#include "core/engine/engine.h"
#include "core/model/transformer.h"
#include "core/tensor/halfkernels.h"
#include "core/tensor/indextensor.h"

#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/types.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <numeric>
#include <span>
#include <utility>

namespace headscope {
namespace {

/// Examples whose passes run side by side, at first and later.
constexpr std::int64_t kFewestTogether = 8;
constexpr std::int64_t kMostTogether = 512;

bool isOfBatches(ImportanceReduction reduction)
{
    return reduction == ImportanceReduction::Batch || reduction == ImportanceReduction::Fisher;
}

/// Gates [B, H, T] that gradients flow into, for every layer that has heads.
struct GradientGates
{
    HeadGates gates;
    std::vector<std::pair<HeadKind, int>> where;
    std::vector<torch::Tensor> leaves;
};

GradientGates makeGates(const Task &task, const std::map<HeadKind, GateShape> &shapes, const HeadMask &mask)
{
    GradientGates result;
    const HeadGates fixed = HeadGates::fromMask(mask, task.layout(), task.tensorOptions());
    for (const HeadLayout::Block &block : task.layout().blocks()) {
        const GateShape &shape = shapes.at(block.kind);
        for (int layer = 0; layer < static_cast<int>(block.layers.size()); ++layer) {
            const auto heads = static_cast<std::int64_t>(block.layers[static_cast<std::size_t>(layer)].size());
            if (heads == 0)
                continue;
            auto gate = torch::ones({shape.rows, heads, shape.positions}, task.tensorOptions());
            const LayerGate &masked = fixed.at(block.kind, layer);
            if (masked.gate.defined())
                gate = gate * masked.gate.view({1, -1, 1});
            gate = gate.detach().requires_grad_(true);
            result.gates.edit(block.kind, layer).gate = gate;
            result.where.emplace_back(block.kind, layer);
            result.leaves.push_back(gate);
        }
    }
    return result;
}

/// ∂(Σ loss)/∂gate of some examples in one pass, per layer [B, H, T] in double precision on the CPU.
struct PassGradients
{
    std::map<HeadKind, GateShape> shapes;
    std::vector<std::pair<HeadKind, int>> where;
    std::vector<torch::Tensor> gradients;
    double loss = 0; ///< summed over tokens, whatever the gradients are of
    std::int64_t targetTokens = 0;
};

PassGradients differentiate(const Task &task, const std::vector<std::int64_t> &ids, const HeadMask &mask,
                            ExampleLoss exampleLoss)
{
    PassGradients result;
    result.shapes = task.gateShapes(ids);
    const GradientGates gates = makeGates(task, result.shapes, mask);
    const LossBatch batch = task.loss(ids, gates.gates);
    const auto summed = batch.loss.sum();
    const auto loss = exampleLoss == ExampleLoss::Mean && batch.tokens.defined()
                        ? (batch.loss / batch.tokens.clamp_min(1)).sum()
                        : summed;
    const auto alone = lockHalfKernels(task.tensorOptions());
    for (const auto &gradient : torch::autograd::grad({loss}, gates.leaves))
        result.gradients.push_back(gradient.detach().to(torch::kCPU, torch::kFloat64));
    result.where = gates.where;
    result.loss = summed.item<double>();
    result.targetTokens = batch.targetTokens;
    return result;
}

/// The derivatives by one gate for all heads of a unit: [B, H, T] → [B, units, T].
void addUp(PassGradients &pass, const HeadLayout &layout, const HeadUnits &units)
{
    for (std::size_t i = 0; i < pass.gradients.size(); ++i) {
        const auto [kind, layer] = pass.where[i];
        const auto place = static_cast<std::size_t>(layer);
        const std::vector<int> &firsts = units.firsts().block(kind)->layers[place];
        std::vector<std::int64_t> unit;
        for (const int head : layout.block(kind)->layers[place])
            unit.push_back(std::ranges::lower_bound(firsts, units.unitOf({kind, layer, head}).head) - firsts.begin());
        const torch::Tensor &all = pass.gradients[i];
        pass.gradients[i] = torch::zeros({all.size(0), std::ssize(firsts), all.size(2)}, all.options())
                                .index_add(1, indexTensor(unit, all.device()), all);
    }
}

/// The part of a pass's gradients that goes into the sums: of Token and Example the values of its examples [H, B], of
/// Batch and Fisher its part of the batch's gradient [H, 1], which has a sign still. In place of the gradients.
void reduce(PassGradients &pass, ImportanceReduction reduction)
{
    for (std::size_t i = 0; i < pass.gradients.size(); ++i) {
        const GateShape &shape = pass.shapes.at(pass.where[i].first);
        // Padding has gradient zero, as nothing valid depends on it, but is cut off all the same.
        const auto a
            = pass.gradients[i]
            * validPositions(shape.lengths, shape.positions, torch::kCPU).view({shape.rows, 1, shape.positions});
        switch (reduction) {
        case ImportanceReduction::Token:
            pass.gradients[i] = a.abs().sum(2).t().contiguous();
            break;
        case ImportanceReduction::Example:
            pass.gradients[i] = a.sum(2).abs().t().contiguous();
            break;
        case ImportanceReduction::Batch:
        case ImportanceReduction::Fisher:
            pass.gradients[i] = a.sum(torch::IntArrayRef{0, 2}).unsqueeze(1).contiguous();
            break;
        }
    }
}

/// The sums of one head. v: an example's (or batch's) value; n: its weight in the denominator.
struct Sums
{
    double v = 0;
    double vv = 0;
    double vn = 0;

    void add(double value, double weight)
    {
        v += value;
        vv += value * value;
        vn += value * weight;
    }
    template<typename Archive>
    void visitSums(Archive &archive)
    {
        archive(v, vv, vn);
    }
};

class Accumulator
{
public:
    Accumulator(const HeadUnits &units, const HeadMask &masked, const ImportanceSpec &spec)
        : m_units(&units), m_masked(&masked), m_spec(&spec), m_sums(units.firsts())
    {
    }

    /// Reduced passes: of Batch and Fisher those that make up one batch.
    void add(std::span<PassGradients> passes)
    {
        if (passes.empty())
            return;
        if (isOfBatches(m_spec->reduction)) {
            for (std::size_t i = 0; i < passes[0].gradients.size(); ++i) {
                auto whole = passes[0].gradients[i];
                for (std::size_t p = 1; p < passes.size(); ++p)
                    whole = whole + passes[p].gradients[i];
                const auto [kind, layer] = passes[0].where[i];
                addLayer(kind, layer, m_spec->reduction == ImportanceReduction::Fisher ? whole.square() : whole.abs(),
                         {});
            }
            for (const auto &[kind, shape] : passes[0].shapes)
                m_weights[kind].add(1);
        }
        for (const PassGradients &pass : passes) {
            m_examples += pass.shapes.begin()->second.rows;
            m_loss += pass.loss;
            m_targetTokens += pass.targetTokens;
            if (isOfBatches(m_spec->reduction))
                continue;
            for (std::size_t i = 0; i < pass.gradients.size(); ++i) {
                const auto [kind, layer] = pass.where[i];
                addLayer(kind, layer, pass.gradients[i], pass.shapes.at(kind).lengths);
            }
            for (const auto &[kind, shape] : pass.shapes) {
                for (const std::int64_t length : shape.lengths)
                    m_weights[kind].add(weightOf(length));
            }
        }
    }

    template<typename Archive>
    void visitSums(Archive &archive)
    {
        archive(m_sums.values(), m_weights, m_examples, m_targetTokens, m_loss);
    }

    void fill(ImportanceResult &result) const
    {
        result.examples = m_examples;
        if (isOfBatches(m_spec->reduction) && !m_weights.empty())
            result.batches = static_cast<std::int64_t>(m_weights.begin()->second.count);
        result.meanLoss = m_targetTokens > 0 ? m_loss / static_cast<double>(m_targetTokens) : 0;
        result.heads.clear();
        for (const HeadRef &head : m_sums.layout().heads())
            result.heads.push_back(estimate(head));
        normalizeImportance(result.heads);
    }

private:
    struct Weights
    {
        double n = 0;
        double nn = 0;
        double count = 0;
        void add(double weight)
        {
            n += weight;
            nn += weight * weight;
            ++count;
        }
        template<typename Archive>
        void visitSums(Archive &archive)
        {
            archive(n, nn, count);
        }
    };

    double weightOf(std::int64_t length) const
    {
        return m_spec->reduction == ImportanceReduction::Token ? static_cast<double>(length) : 1;
    }

    /// values [H, N]; `lengths`: of the N examples, empty for a batch.
    void addLayer(HeadKind kind, int layer, const torch::Tensor &values, const std::vector<std::int64_t> &lengths)
    {
        const auto *value = values.data_ptr<double>();
        const HeadLayout::Block *block = m_sums.layout().block(kind);
        for (int head : block->layers[static_cast<std::size_t>(layer)]) {
            Sums &sums = m_sums.at({kind, layer, head});
            for (std::int64_t i = 0; i < values.size(1); ++i)
                sums.add(*value++, lengths.empty() ? 1.0 : weightOf(lengths[static_cast<std::size_t>(i)]));
        }
    }

    /// The ratio Σv / Σn with its standard error (delta method).
    HeadImportance estimate(const HeadRef &head) const
    {
        constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
        HeadImportance result{head, 0, 0, m_units->othersOf(head)};
        if (m_masked->isMasked(head))
            return result;
        const auto found = m_weights.find(head.kind);
        if (found == m_weights.end() || found->second.n <= 0)
            return {head, 0, kUnknown, m_units->othersOf(head)};
        const Sums &sums = m_sums.at(head);
        const Weights &weights = found->second;
        const double ratio = sums.v / weights.n;
        const double squares = sums.vv - 2 * ratio * sums.vn + ratio * ratio * weights.nn;
        result.importance = ratio;
        result.standardError = weights.count > 1
                                 ? std::sqrt(std::max(squares, 0.0) * weights.count / (weights.count - 1)) / weights.n
                                 : kUnknown;  // one tells nothing of the others
        if (isOfBatches(m_spec->reduction)) { // of Batch per example, of Fisher the sum
            const double scale = m_spec->reduction == ImportanceReduction::Batch
                                   ? weights.n / static_cast<double>(m_examples)
                                   : weights.n;
            result.importance *= scale;
            result.standardError *= scale;
        }
        return result;
    }

    /// value / whole; 0 of nothing at all, and NaN where either is not known.
    static double shareOf(double value, double whole) { return whole == 0 ? 0 * value : value / whole; }

    void normalizeImportance(std::vector<HeadImportance> &heads) const
    {
        if (m_spec->normalization == ImportanceNormalization::None)
            return;
        const bool overall = m_spec->normalization == ImportanceNormalization::Global;
        const auto groupOf = [overall](const HeadRef &head) {
            return overall ? std::pair(HeadKind(), 0) : std::pair(head.kind, head.layer);
        };
        std::map<std::pair<HeadKind, int>, double> squares;
        for (const HeadImportance &head : heads)
            squares[groupOf(head.head)] += head.importance * head.importance;
        for (HeadImportance &head : heads) {
            const double norm = std::sqrt(squares[groupOf(head.head)]);
            head.importance = shareOf(head.importance, norm);
            head.standardError = shareOf(head.standardError, norm);
        }
        if (m_spec->normalization != ImportanceNormalization::Bertology || heads.empty())
            return;
        // A head of which nothing is known has no place between the others, and gives none of them theirs.
        double least = std::numeric_limits<double>::quiet_NaN();
        double most = least;
        for (const HeadImportance &head : heads) {
            least = std::fmin(least, head.importance);
            most = std::fmax(most, head.importance);
        }
        for (HeadImportance &head : heads) {
            head.importance = shareOf(head.importance - least, most - least);
            head.standardError = shareOf(head.standardError, most - least);
        }
    }

    const HeadUnits *m_units;
    const HeadMask *m_masked;
    const ImportanceSpec *m_spec;
    HeadTable<Sums> m_sums;
    std::map<HeadKind, Weights> m_weights;
    std::int64_t m_examples = 0;
    std::int64_t m_targetTokens = 0;
    double m_loss = 0;
};

/// Examples of a batch where batches are counted in examples; 0: in tokens.
std::int64_t examplesPerBatch(const ImportanceSpec &spec)
{
    if (spec.batchExamples > 0 || spec.run.batchTokens > 0)
        return spec.batchExamples;
    return kUsualBatchExamples;
}

using Batches = std::vector<std::vector<std::int64_t>>;

/// All examples in an order that the seed decides, cut into batches: so many examples each, or as many as their longest
/// lets into run.batchTokens with padding; the last has what is left. Where examples count by themselves: growing
/// parts.
Batches importanceBatches(const Task &task, const ImportanceSpec &spec)
{
    const std::vector<std::int64_t> order = shuffledExamples(task, spec.run);
    if (!isOfBatches(spec.reduction))
        return growingBlocks(order, kFewestTogether, kMostTogether);
    if (const std::int64_t each = examplesPerBatch(spec); each > 0)
        return growingBlocks(order, each, each);
    Batches batches;
    std::int64_t longest = 0;
    for (const std::int64_t id : order) {
        const std::int64_t length = task.examples().length(id);
        longest = std::max(longest, length);
        if (batches.empty() || (std::ssize(batches.back()) + 1) * longest > spec.run.batchTokens) {
            batches.emplace_back();
            longest = length;
        }
        batches.back().push_back(id);
    }
    return batches;
}

/// Batches whose passes run side by side, more and more of them: somebody may be waiting for the first.
std::vector<Batches> inGrowingParts(Batches batches)
{
    std::vector<Batches> parts;
    std::int64_t wanted = kFewestTogether;
    std::int64_t examples = 0;
    for (auto &batch : batches) {
        if (parts.empty() || examples >= wanted) {
            wanted = parts.empty() ? kFewestTogether : std::min(2 * wanted, kMostTogether);
            parts.emplace_back();
            examples = 0;
        }
        examples += std::ssize(batch);
        parts.back().push_back(std::move(batch));
    }
    return parts;
}

/// A result with what is known of it before there are gradients.
ImportanceResult begunImportance(const ImportanceSpec &spec, Manifest manifest)
{
    ImportanceResult result;
    result.manifest = std::move(manifest);
    result.reduction = spec.reduction;
    result.normalization = spec.normalization;
    result.exampleLoss = spec.exampleLoss;
    if (isOfBatches(spec.reduction)) {
        result.examplesPerBatch = examplesPerBatch(spec);
        result.tokensPerBatch = result.examplesPerBatch > 0 ? 0 : spec.run.batchTokens;
    }
    return result;
}

/// Adds the gradients of batches up, whose passes run side by side.
class GradientPasses
{
public:
    /// Keeps references. `done`: examples of which gradients are known already.
    GradientPasses(const Task &task, const ImportanceSpec &spec, const HeadUnits &units, const HeadMask &masked,
                   std::int64_t done, const JobControl &control)
        : m_task(task), m_spec(spec), m_units(units), m_masked(masked), m_done(done), m_control(control)
    {
        if (done > 0)
            m_control.progress({kPhaseImportance, "examples", done, task.size()});
    }

    void add(const Batches &together, Accumulator &accumulator)
    {
        // The graph of a backward pass takes several times the memory of a forward pass, and a smaller one is sooner at
        // the next checkpoint.
        const std::int64_t tokens = std::max<std::int64_t>(1, m_task.batchTokens(m_spec.run) / 2);
        std::vector<std::vector<std::int64_t>> idsOf;
        std::vector<std::size_t> passesBefore{0}; // of every batch, and of all
        for (const auto &batch : together) {
            std::ranges::move(m_task.batches(batch, tokens), std::back_inserter(idsOf));
            passesBefore.push_back(idsOf.size());
        }
        std::vector<PassGradients> passes(idsOf.size());
        m_task.execution().parallelFor(std::ssize(passes), [&](std::int64_t p) {
            m_control.checkpoint();
            const auto &ids = idsOf[static_cast<std::size_t>(p)];
            PassGradients &pass = passes[static_cast<std::size_t>(p)];
            pass = differentiate(m_task, ids, m_masked, m_spec.exampleLoss);
            if (m_spec.by != HeadUnit::Head)
                addUp(pass, m_task.layout(), m_units);
            reduce(pass, m_spec.reduction);
            m_control.progress({kPhaseImportance, "examples", m_done += std::ssize(ids), m_task.size()});
        });
        for (std::size_t b = 0; b < together.size(); ++b) // in a fixed order, so that sums repeat to the last bit
            accumulator.add(std::span(passes).subspan(passesBefore[b], passesBefore[b + 1] - passesBefore[b]));
    }

private:
    const Task &m_task;
    const ImportanceSpec &m_spec;
    const HeadUnits &m_units;
    const HeadMask &m_masked;
    std::atomic<std::int64_t> m_done;
    const JobControl &m_control;
};

} // namespace

ImportanceResult importance(const Task &task, const ImportanceSpec &spec, Manifest manifest, const JobControl &control,
                            const Publish<ImportanceResult> &publish, const KeptWork &kept)
{
    task.requireReferences();
    const torch::AutoGradMode withGradients(true);
    ImportanceResult result = begunImportance(spec, std::move(manifest));
    const HeadUnits units(task.model().spec(), spec.by);
    const HeadMask masked = units.whole(spec.mask);
    Accumulator accumulator(units, masked, spec);
    Throttle throttle(std::chrono::milliseconds(200));
    const std::vector<Batches> parts = inGrowingParts(importanceBatches(task, spec));
    KeptSums keptSums(kept);
    const std::int64_t before = keptSums.resume(accumulator, parts);
    GradientPasses passes(task, spec, units, masked, before, control);
    const auto show = [&] {
        if (publish && throttle.isDue()) {
            accumulator.fill(result);
            publish(result);
        }
    };
    keptSums.addRest(
        accumulator, parts, before, [&](const Batches &together) { passes.add(together, accumulator); }, show);
    accumulator.fill(result);
    return result;
}

HeadGradients miniBatchGradients(const Task &task, const std::vector<std::int64_t> &ids, std::int64_t miniBatch,
                                 const RunOptions &run, const JobControl &control)
{
    task.requireReferences();
    const torch::AutoGradMode withGradients(true);
    const HeadLayout &layout = task.layout();
    const std::int64_t count = (std::ssize(ids) + miniBatch - 1) / miniBatch;
    const std::vector<double> none(static_cast<std::size_t>(layout.size()));
    HeadGradients gradients(static_cast<std::size_t>(count), none);
    std::atomic<std::int64_t> done = 0;
    task.execution().parallelFor(count, [&](std::int64_t m) {
        const auto from = ids.begin() + m * miniBatch;
        const std::vector<std::int64_t> members(from, from + std::min<std::int64_t>(miniBatch, ids.end() - from));
        std::vector<double> &row = gradients[static_cast<std::size_t>(m)];
        for (const auto &batch : task.batches(members, std::max<std::int64_t>(1, task.batchTokens(run) / 2))) {
            control.checkpoint();
            const PassGradients found = differentiate(task, batch, {}, ExampleLoss::Sum);
            for (std::size_t i = 0; i < found.gradients.size(); ++i) {
                const auto [kind, layer] = found.where[i];
                const auto sums = found.gradients[i].sum(torch::IntArrayRef{0, 2}).contiguous(); // [H]
                const auto *sum = sums.data_ptr<double>();
                for (int head : layout.block(kind)->layers[static_cast<std::size_t>(layer)])
                    row[static_cast<std::size_t>(layout.indexOf({kind, layer, head}))]
                        += *sum++ / static_cast<double>(members.size());
            }
        }
        done += std::ssize(members);
        control.progress({kPhaseGradients, "examples", done, std::ssize(ids)});
    });
    return gradients;
}

ImportanceResult AnalysisOf<ImportanceSpec>::compute(const ImportanceSpec &spec, AnalysisInput &input,
                                                     Manifest manifest, const JobControl &control,
                                                     const Publish<ImportanceResult> &publish)
{
    const KeptWork kept = input.keptWork(manifest.key());
    return importance(input.data().task, spec, std::move(manifest), control, publish, kept);
}

} // namespace headscope

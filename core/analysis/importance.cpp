#include "core/analysis/importance.h"

#include "core/analysis/throttle.h"
#include "core/engine/engine.h"
#include "core/model/transformer.h"
#include "core/tensor/halfkernels.h"

#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/types.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

namespace headscope {
namespace {

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

/// ∂(Σ loss)/∂gate of one batch, per layer [B, H, T] in double precision on the CPU.
struct BatchGradients
{
    std::map<HeadKind, GateShape> shapes;
    std::vector<std::pair<HeadKind, int>> where;
    std::vector<torch::Tensor> gradients;
    double loss = 0;
    std::int64_t targetTokens = 0;
};

BatchGradients differentiate(const Task &task, const std::vector<std::int64_t> &ids, const HeadMask &mask)
{
    BatchGradients result;
    result.shapes = task.gateShapes(ids);
    const GradientGates gates = makeGates(task, result.shapes, mask);
    const LossBatch batch = task.loss(ids, gates.gates);
    const auto loss = batch.loss.sum();
    const auto alone = aloneInHalf(task.tensorOptions());
    for (const auto &gradient : torch::autograd::grad({loss}, gates.leaves))
        result.gradients.push_back(gradient.detach().to(torch::kCPU, torch::kFloat64));
    result.where = gates.where;
    result.loss = loss.item<double>();
    result.targetTokens = batch.targetTokens;
    return result;
}

/// What one head has gathered. v: an example's (or batch's) value; n: its weight in the denominator.
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
};

class Accumulator
{
public:
    Accumulator(const HeadLayout &layout, const ImportanceSpec &spec) : m_spec(spec), m_sums(layout) { }

    void addBatch(const BatchGradients &batch)
    {
        for (std::size_t i = 0; i < batch.gradients.size(); ++i) {
            const auto [kind, layer] = batch.where[i];
            addLayer(kind, layer, batch.gradients[i], batch.shapes.at(kind));
        }
        for (const auto &[kind, shape] : batch.shapes) {
            Weights &weights = m_weights[kind];
            if (perBatch()) {
                weights.add(1);
            } else {
                for (std::int64_t length : shape.lengths)
                    weights.add(m_spec.reduction == ImportanceReduction::Token ? static_cast<double>(length) : 1);
            }
        }
        m_examples += batch.shapes.begin()->second.rows;
        m_loss += batch.loss;
        m_targetTokens += batch.targetTokens;
    }

    void fill(ImportanceResult &result) const
    {
        result.examples = m_examples;
        if (perBatch() && !m_weights.empty())
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
    };

    bool perBatch() const
    {
        return m_spec.reduction == ImportanceReduction::Batch || m_spec.reduction == ImportanceReduction::Fisher;
    }

    /// gradient [B, H, T]; padding has gradient zero, as nothing valid depends on it, but is cut off all the same.
    void addLayer(HeadKind kind, int layer, const torch::Tensor &gradient, const GateShape &shape)
    {
        const auto valid
            = validPositions(shape.lengths, shape.positions, torch::kCPU).view({shape.rows, 1, shape.positions});
        const auto a = gradient * valid;
        torch::Tensor values; // [H, examples or 1]
        switch (m_spec.reduction) {
        case ImportanceReduction::Token:
            values = a.abs().sum(2).t();
            break;
        case ImportanceReduction::Example:
            values = a.sum(2).abs().t();
            break;
        case ImportanceReduction::Batch:
            values = a.sum(torch::IntArrayRef{0, 2}).abs().unsqueeze(1);
            break;
        case ImportanceReduction::Fisher:
            values = a.sum(torch::IntArrayRef{0, 2}).square().unsqueeze(1);
            break;
        }
        values = values.contiguous();
        const auto *value = values.data_ptr<double>();
        const HeadLayout::Block *block = m_sums.layout().block(kind);
        for (int head : block->layers[static_cast<std::size_t>(layer)]) {
            Sums &sums = m_sums.at({kind, layer, head});
            for (std::int64_t i = 0; i < values.size(1); ++i)
                sums.add(*value++, m_spec.reduction == ImportanceReduction::Token
                                       ? static_cast<double>(shape.lengths[static_cast<std::size_t>(i)])
                                       : 1.0);
        }
    }

    /// The ratio Σv / Σn with its standard error (delta method).
    HeadImportance estimate(const HeadRef &head) const
    {
        HeadImportance result{head, 0, 0};
        const auto found = m_weights.find(head.kind);
        if (m_spec.mask.isMasked(head) || found == m_weights.end() || found->second.n <= 0)
            return result;
        const Sums &sums = m_sums.at(head);
        const Weights &weights = found->second;
        const double ratio = sums.v / weights.n;
        const double squares = sums.vv - 2 * ratio * sums.vn + ratio * ratio * weights.nn;
        result.importance = ratio;
        result.standardError = weights.count > 1
                                 ? std::sqrt(std::max(squares, 0.0) * weights.count / (weights.count - 1)) / weights.n
                                 : std::numeric_limits<double>::quiet_NaN(); // one tells nothing of the others
        if (m_spec.reduction == ImportanceReduction::Batch) {                // per example, not per batch
            const double scale = weights.n / static_cast<double>(m_examples);
            result.importance *= scale;
            result.standardError *= scale;
        }
        return result;
    }

    /// value / whole; 0 of nothing at all, and NaN where either is not known.
    static double shareOf(double value, double whole) { return whole == 0 ? 0 * value : value / whole; }

    void normalizeImportance(std::vector<HeadImportance> &heads) const
    {
        if (m_spec.normalization == ImportanceNormalization::None)
            return;
        const bool overall = m_spec.normalization == ImportanceNormalization::Global;
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
        if (m_spec.normalization != ImportanceNormalization::Bertology || heads.empty())
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

    const ImportanceSpec &m_spec;
    HeadTable<Sums> m_sums;
    std::map<HeadKind, Weights> m_weights;
    std::int64_t m_examples = 0;
    std::int64_t m_targetTokens = 0;
    double m_loss = 0;
};

} // namespace

ImportanceResult importance(const Task &task, const ImportanceSpec &spec, Manifest manifest, const JobControl &control,
                            const Publish<ImportanceResult> &publish)
{
    task.requireReferences();
    const torch::AutoGradMode withGradients(true);
    ImportanceResult result;
    result.manifest = std::move(manifest);
    result.reduction = spec.reduction;
    result.normalization = spec.normalization;
    Accumulator accumulator(task.layout(), spec);
    Throttle throttle(std::chrono::milliseconds(200));
    // The graph of a backward pass takes several times the memory of a forward pass, and a smaller batch is
    // sooner at the next checkpoint.
    const bool countsBatches
        = spec.reduction == ImportanceReduction::Batch || spec.reduction == ImportanceReduction::Fisher;
    const std::int64_t wanted
        = countsBatches && spec.run.batchTokens == 0 ? kUsualBatchTokens : task.batchTokens(spec.run);
    const std::int64_t batchTokens = std::max<std::int64_t>(1, wanted / 2);
    if (countsBatches)
        result.tokensPerBatch = batchTokens;
    std::int64_t done = 0;
    for (const auto &block : visitingOrder(task, spec.run)) {
        const auto batches = task.batches(block, batchTokens);
        std::vector<BatchGradients> gradients(batches.size());
        task.execution().parallelFor(std::ssize(batches), [&](std::int64_t b) {
            control.checkpoint();
            gradients[static_cast<std::size_t>(b)]
                = differentiate(task, batches[static_cast<std::size_t>(b)], spec.mask);
        });
        for (const BatchGradients &batch : gradients) // in a fixed order, so that sums repeat to the last bit
            accumulator.addBatch(batch);
        done += std::ssize(block);
        control.progress({"importance", "examples", done, task.size()});
        if (publish && throttle.isDue()) {
            accumulator.fill(result);
            publish(result);
        }
    }
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
            const BatchGradients found = differentiate(task, batch, {});
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
        control.progress({"gradients", "examples", done, std::ssize(ids)});
    });
    return gradients;
}

ImportanceResult compute(const ImportanceSpec &spec, AnalysisInput &input, Manifest manifest, const JobControl &control,
                         const Publish<ImportanceResult> &publish)
{
    return importance(input.data().task, spec, std::move(manifest), control, publish);
}

} // namespace headscope

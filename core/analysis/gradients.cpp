#include "core/analysis/gradients.h"

#include "core/analysis/analysisinfo.h"
#include "core/analysis/attentionrows.h"
#include "core/analysis/input.h"
#include "core/base/phases.h"
#include "core/engine/engine.h"
#include "core/model/transformer.h"
#include "core/results/rolesresult.h"
#include "core/roles/keygradients.h"
#include "core/tensor/halfkernels.h"

#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/types.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <map>
#include <utility>
#include <vector>

namespace headscope {
namespace {

/// Number of examples whose findings are in memory at the same time.
constexpr std::ptrdiff_t kExamplesAtOnce = 1024;

/// The sums of one example.
struct ExampleGradients
{
    std::map<HeadKind, std::array<KeyMap::Count, kKeyClasses>> counts;
    HeadTable<KeySums> heads;
};

struct BatchFindings
{
    std::map<std::int64_t, ExampleGradients> examples;
    double loss = 0;
    std::int64_t targetTokens = 0;
};

/// ∂L/∂P [B, H, T, S] of one pass, per kind and layer, as float32 on the processor; undefined: the layer has no heads.
std::map<HeadKind, std::vector<torch::Tensor>> gradientsOf(const LossAttention &pass,
                                                           const torch::TensorOptions &options)
{
    std::vector<torch::Tensor> contexts;
    for (const auto &[kind, found] : pass.kinds)
        std::ranges::copy_if(found.contexts, std::back_inserter(contexts),
                             [](const auto &one) { return one.defined(); });
    std::vector<torch::Tensor> slopes;
    {
        const auto alone = lockHalfKernels(options);
        slopes = torch::autograd::grad({pass.loss}, contexts, {}, {}, false, true);
    }
    const torch::NoGradGuard noGrad;
    std::map<HeadKind, std::vector<torch::Tensor>> gradients;
    std::size_t next = 0;
    for (const auto &[kind, found] : pass.kinds) {
        for (std::size_t layer = 0; layer < found.contexts.size(); ++layer) {
            torch::Tensor gradient;
            if (found.contexts[layer].defined()) {
                const torch::Tensor &slope = slopes[next++];
                const auto value = found.values[layer].detach().to(torch::kFloat32);
                gradient = slope.defined() ? torch::matmul(slope.to(torch::kFloat32), value.transpose(2, 3))
                                           : torch::zeros_like(pass.attention.kinds.at(kind).probabilities[layer]);
                gradient = gradient.to(torch::kCPU, torch::kFloat32).contiguous();
            }
            gradients[kind].push_back(std::move(gradient));
        }
    }
    return gradients;
}

/// Means of the heads from sums over examples.
class GradientMeans
{
public:
    explicit GradientMeans(const HeadLayout &layout) : m_heads(layout) { }

    void add(const BatchFindings &found)
    {
        m_loss += found.loss;
        m_targetTokens += found.targetTokens;
        for (const auto &[id, example] : found.examples)
            add(example);
    }

    void fill(AttentionGradientsResult &result) const
    {
        result.examples = m_examples;
        result.meanLoss = m_targetTokens > 0 ? m_loss / static_cast<double>(m_targetTokens) : 0;
        for (const auto &[kind, weights] : m_weights) {
            for (std::size_t keys = 0; keys < kKeyClasses; ++keys) {
                if (weights[keys].count.pairs > 0)
                    result.counts.push_back(
                        {kind, static_cast<KeyClass>(keys), weights[keys].count.pairs, weights[keys].count.queries});
            }
        }
        for (const HeadRef &head : m_heads.layout().heads())
            result.heads.push_back(means(head));
    }

private:
    /// Sums for all heads of a kind.
    struct Weight
    {
        KeyMap::Count count;
        double squares = 0; ///< of examples' pairs
        double examples = 0;
    };
    struct Sum
    {
        KeySum sum;
        double squares = 0;  ///< of examples' gradients
        double products = 0; ///< with their pairs
    };

    void add(const ExampleGradients &example)
    {
        ++m_examples;
        for (const auto &[kind, counts] : example.counts) {
            auto &weights = m_weights[kind];
            for (std::size_t keys = 0; keys < kKeyClasses; ++keys) {
                const auto pairs = static_cast<double>(counts[keys].pairs);
                weights[keys].count.pairs += counts[keys].pairs;
                weights[keys].count.queries += counts[keys].queries;
                weights[keys].squares += pairs * pairs;
                weights[keys].examples += counts[keys].pairs > 0 ? 1 : 0;
            }
        }
        for (const HeadRef &head : m_heads.layout().heads()) {
            const KeySums &found = example.heads.at(head);
            const auto &counts = example.counts.at(head.kind);
            for (std::size_t keys = 0; keys < kKeyClasses; ++keys) {
                Sum &sum = m_heads.at(head)[keys];
                sum.sum.attention += found[keys].attention;
                sum.sum.gradient += found[keys].gradient;
                sum.sum.product += found[keys].product;
                sum.squares += found[keys].gradient * found[keys].gradient;
                sum.products += found[keys].gradient * static_cast<double>(counts[keys].pairs);
            }
        }
    }

    HeadKeyGradients means(const HeadRef &head) const
    {
        HeadKeyGradients found{head, {}};
        const auto weights = m_weights.find(head.kind);
        for (std::size_t keys = 0; weights != m_weights.end() && keys < kKeyClasses; ++keys) {
            const Weight &weight = weights->second[keys];
            if (weight.count.pairs == 0)
                continue;
            const Sum &sum = m_heads.at(head)[keys];
            const auto pairs = static_cast<double>(weight.count.pairs);
            const auto queries = static_cast<double>(weight.count.queries);
            KeyGradient mean{static_cast<KeyClass>(keys), sum.sum.attention / queries, sum.sum.gradient / pairs, 0,
                             sum.sum.product / queries};
            // The standard error of a ratio of sums over examples (delta method).
            const double squares
                = sum.squares - 2 * mean.gradient * sum.products + mean.gradient * mean.gradient * weight.squares;
            const double n = weight.examples;
            mean.standardError = n > 1 ? std::sqrt(std::max(squares, 0.0) * n / (n - 1)) / pairs
                                       : std::numeric_limits<double>::quiet_NaN(); // one tells nothing of the others
            found.keys.push_back(mean);
        }
        return found;
    }

    HeadTable<std::array<Sum, kKeyClasses>> m_heads;
    std::map<HeadKind, std::array<Weight, kKeyClasses>> m_weights;
    std::int64_t m_examples = 0;
    std::int64_t m_targetTokens = 0;
    double m_loss = 0;
};

/// Adds one pass to what is known of its examples.
void addPass(const LossAttention &pass, const Task &task, const Tokenizer *tokenizer, BatchFindings &found)
{
    found.loss += pass.loss.item<double>();
    found.targetTokens += pass.targetTokens;
    const auto gradients = gradientsOf(pass, task.tensorOptions());
    std::map<HeadKind, std::vector<KeyMap>> maps;
    for (const HeadLayout::Block &block : task.layout().blocks()) {
        for (std::size_t row = 0; row < pass.owners.size(); ++row) {
            const AttentionTokens tokens = attentionTokens(pass.attention, block.kind, row);
            KeyMap map = keyMap(SurfaceTemplate::of(tokens, tokenizer, false), tokens.queryIds, tokens.keyIds);
            auto &counts = found.examples.at(pass.owners[row]).counts[block.kind];
            for (std::size_t keys = 0; keys < kKeyClasses; ++keys) {
                counts[keys].pairs += map.counts[keys].pairs;
                counts[keys].queries += map.counts[keys].queries;
            }
            maps[block.kind].push_back(std::move(map));
        }
    }
    forEachHead(pass.attention, task.layout(), AttentionMeasure::Weights,
                [&](const HeadRef &head, std::size_t row, const HeadAttention &attention) {
                    const torch::Tensor &layer = gradients.at(head.kind)[static_cast<std::size_t>(head.layer)];
                    const std::int64_t place = task.model().spec().attention(head.kind, head.layer).columnOf(head.head);
                    const auto before = static_cast<std::int64_t>(row) * layer.size(1) + place;
                    addKeyGradients(attention, layer.data_ptr<float>() + before * layer.size(2) * layer.size(3),
                                    maps.at(head.kind)[row], found.examples.at(pass.owners[row]).heads.at(head));
                });
}

} // namespace

AttentionGradientsResult attentionGradients(const Task &task, const Tokenizer *tokenizer,
                                            const AttentionGradientsSpec &spec, Manifest manifest,
                                            const JobControl &control)
{
    task.requireReferences();
    const torch::AutoGradMode withGradients(true);
    AttentionGradientsResult result;
    result.manifest = std::move(manifest);
    GradientMeans means(task.layout());
    // The graph of a backward pass takes several times the memory of a forward pass.
    const std::int64_t batchTokens = std::max<std::int64_t>(1, task.batchTokens(spec.run) / 2);
    std::int64_t done = 0;
    for (const auto &some : inSlices(visitingOrder(task, spec.run), kExamplesAtOnce)) {
        done += std::ssize(some);
        const auto batches = task.batches(some, batchTokens);
        std::vector<BatchFindings> found(batches.size());
        task.execution().parallelFor(std::ssize(batches), [&](std::int64_t b) {
            BatchFindings &findings = found[static_cast<std::size_t>(b)];
            const std::vector<std::int64_t> &ids = batches[static_cast<std::size_t>(b)];
            for (const std::int64_t id : ids) {
                ExampleGradients &example = findings.examples[id];
                example.heads = HeadTable<KeySums>(task.layout());
                for (const HeadLayout::Block &kind : task.layout().blocks())
                    example.counts[kind.kind]; // an example of which nothing is asked has none of any class
            }
            task.lossAttention(ids, spec.mask, batchTokens, [&](const LossAttention &pass) {
                control.checkpoint();
                addPass(pass, task, tokenizer, findings);
            });
        });
        for (const BatchFindings &findings : found) // in a fixed order, so that sums repeat to the last bit
            means.add(findings);
        control.progress({kPhaseGradients, "examples", done, task.size()});
    }
    means.fill(result);
    return result;
}

AttentionGradientsResult AnalysisOf<AttentionGradientsSpec>::compute(const AttentionGradientsSpec &spec,
                                                                     AnalysisInput &input, Manifest manifest,
                                                                     const JobControl &control,
                                                                     const Publish<AttentionGradientsResult> &)
{
    return attentionGradients(input.data().task, input.tokenizer(), spec, std::move(manifest), control);
}

} // namespace headscope

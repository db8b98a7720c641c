#include "core/analysis/attentioninputs.h"

#include "core/analysis/forcedprefix.h"
#include "core/base/random.h"
#include "core/model/projections.h"
#include "core/task/batching.h"
#include "core/task/examples.h"

#include <ATen/core/grad_mode.h>
#include <torch/types.h>

#include <algorithm>
#include <limits>

namespace headscope {
namespace {

TokenBatch decoderReads(const Task &task, const ForcedPrefix &prefix, const std::vector<std::int64_t> &ids,
                        const RunOptions &run, const JobControl &control)
{
    if (!prefix.isOwnOutput())
        return task.decoderInputs(ids);
    const OutputsById outputs = prefix.ownOutputs(ids, {}, run, control);
    std::vector<std::vector<std::int64_t>> prefixes;
    for (const std::int64_t id : ids)
        prefixes.push_back(task.decoderReads(id, outputs.at(id)));
    return TokenBatch::pad(prefixes, task.model().spec().generation.padId, task.model().device());
}

/// The parts of scores, without the rest.
AttentionWeights projectionsInDouble(const AttentionWeights &weights)
{
    const auto exact
        = [](const torch::Tensor &tensor) { return tensor.defined() ? tensor.to(torch::kFloat64) : tensor; };
    AttentionWeights projections;
    projections.query = {exact(weights.query.weight), exact(weights.query.bias), {}};
    projections.key = {exact(weights.key.weight), exact(weights.key.bias), {}};
    projections.mixing = exact(weights.mixing);
    projections.content = {exact(weights.content.weight), {}, {}};
    projections.queryNorm = {exact(weights.queryNorm.weight), {}};
    projections.keyNorm = {exact(weights.keyNorm.weight), {}};
    return projections;
}

/// A batch as all attentions see it.
struct Batch
{
    TokenBatch source, prefix;
    Memory memory;
    Recorder recorder;
};

torch::Tensor visibleKeys(const TokenBatch &queries, const TokenBatch &keys, const AttentionSpec &attention,
                          const torch::Device &device)
{
    const std::int64_t t = queries.ids.size(1);
    const std::int64_t s = keys.ids.size(1);
    auto visible = validPositions(queries.lengths, t, device)
                       .view({-1, 1, t, 1})
                       .logical_and(validPositions(keys.lengths, s, device).view({-1, 1, 1, s}));
    if (attention.causal)
        visible = visible.logical_and(torch::ones({t, s}, visible.options()).tril());
    if (attention.reach)
        visible = visible.logical_and(
            torch::ones({t, s}, visible.options()).tril(*attention.reach).triu(-*attention.reach));
    return visible;
}

void visitStack(const Transformer &model, Side side, const Batch &batch,
                const std::function<void(const AttentionInput &)> &visit)
{
    const StackSpec &stack = *model.spec().stack(side);
    for (int place = 0; place < stack.places(); ++place) {
        const AttentionSpec *attention = stack.at(place).attention();
        if (!attention || attention->heads.empty())
            continue;
        const int layer = stack.at(place).layer;
        const AttentionWeights &weights = model.attention(attention->kind, layer);
        const torch::Tensor &x = batch.recorder.at(attention->kind, layer, "read");
        const bool cross = attention->readsMemory();
        const TokenBatch &queries = side == Side::Encoder ? batch.source : batch.prefix;
        const TokenBatch &keys = cross ? batch.source : queries;
        visit({attention->kind, layer, *attention, weights, x, cross ? batch.memory.hidden : x,
               visibleKeys(queries, keys, *attention, model.device())});
    }
}

} // namespace

void forEachAttentionInput(const Task &task, const std::vector<std::int64_t> &ids, const RunOptions &run,
                           const JobControl &control, const std::function<void(const AttentionInput &)> &visit)
{
    const torch::NoGradGuard noGrad;
    const Transformer &model = task.model();
    const ForcedPrefix prefix(task, false);
    for (const auto &some : task.batches(ids, run)) {
        control.checkpoint();
        Batch batch;
        batch.recorder.inputs = true;
        if (model.spec().encoder) {
            batch.source = task.inputs(some);
            batch.memory = model.encode(batch.source, {}, &batch.recorder);
        }
        if (model.spec().decoder) {
            batch.prefix = decoderReads(task, prefix, some, run, control);
            (void)model.decode(batch.prefix, model.spec().encoder ? &batch.memory : nullptr, {}, &batch.recorder);
        }
        for (const Side side : kBothSides) {
            if (model.spec().stack(side))
                visitStack(model, side, batch, visit);
        }
    }
}

std::vector<std::int64_t> someExamples(const Task &task, std::int64_t count, const RunOptions &run)
{
    auto ids = allIds(task.size());
    if (count > 0 && count < task.size()) {
        Random random(run.seed);
        shuffle(ids, random);
        ids.resize(static_cast<std::size_t>(count));
        std::ranges::sort(ids);
    }
    return ids;
}

torch::Tensor scoresOf(const AttentionSpec &spec, const AttentionWeights &weights, const AttentionInput &input)
{
    const AttentionWeights exact = projectionsInDouble(weights);
    const auto queries = headQueries(spec, exact, input.queries.to(torch::kFloat64));
    auto keys = headKeys(spec, exact, input.keys.to(torch::kFloat64));
    if (keys.size(1) != queries.size(1))
        keys = keys.index_select(1, torch::tensor(spec.keyPlaces(), torch::kInt64).to(keys.device()));
    return capped(torch::matmul(queries, keys.transpose(2, 3)) * spec.scale, spec.scoreCap);
}

torch::Tensor centredOverKeys(const torch::Tensor &x, const torch::Tensor &visible)
{
    const auto seen = visible.to(x.scalar_type());
    const auto count = seen.sum(-1, true).clamp_min(1);
    return (x - (x * seen).sum(-1, true) / count) * seen;
}

torch::Tensor attentionBy(const torch::Tensor &scores, const torch::Tensor &visible)
{
    const auto hidden = visible.logical_not();
    const auto shown = scores.masked_fill(hidden, std::numeric_limits<float>::lowest());
    return torch::softmax(shown, -1).masked_fill(hidden, 0);
}

} // namespace headscope

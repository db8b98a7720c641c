#include "core/analysis/confidence.h"

#include "core/analysis/throttle.h"
#include "core/engine/engine.h"
#include "core/tensor/parallel.h"

#include <torch/torch.h>

namespace headscope {
namespace {

struct Mean
{
    double sum = 0;
    std::int64_t tokens = 0;

    void add(const Mean &other)
    {
        sum += other.sum;
        tokens += other.tokens;
    }
};

void addBatch(const AttentionBatch &batch, HeadTable<Mean> &means)
{
    for (const HeadLayout::Block &block : means.layout().blocks()) {
        const AttentionBatch::Kind &kind = batch.kinds.at(block.kind);
        const auto enoughKeys = kind.realKeys.sum(1) >= 2;
        const auto queries = kind.realQueries.logical_and(enoughKeys.unsqueeze(1)); // [B, T]
        const auto tokens = queries.sum().item<std::int64_t>();
        for (std::size_t layer = 0; layer < block.layers.size(); ++layer) {
            if (!kind.probabilities[layer].defined())
                continue;
            const auto keys = kind.realKeys.view({kind.realKeys.size(0), 1, 1, kind.realKeys.size(1)});
            const auto largest = (kind.probabilities[layer].to(torch::kFloat32) * keys).amax(3); // [B, H, T]
            const auto sums
                = (largest * queries.unsqueeze(1)).sum(torch::IntArrayRef{0, 2}, false, torch::kFloat64).to(torch::kCPU);
            for (std::size_t i = 0; i < block.layers[layer].size(); ++i) {
                Mean &mean = means.at({block.kind, static_cast<int>(layer), block.layers[layer][i]});
                mean.sum += sums.data_ptr<double>()[i];
                mean.tokens += tokens;
            }
        }
    }
}

void fill(const HeadTable<Mean> &means, ConfidenceResult &result)
{
    result.heads.clear();
    for (const HeadRef &head : means.layout().heads()) {
        const Mean &mean = means.at(head);
        result.heads.push_back({head, mean.tokens > 0 ? mean.sum / static_cast<double>(mean.tokens) : 0, mean.tokens});
    }
}

} // namespace

ConfidenceResult confidence(const Task &task, const RunOptions &run, Manifest manifest, const JobControl &control,
                            const Publish<ConfidenceResult> &publish)
{
    ConfidenceResult result;
    result.manifest = std::move(manifest);
    HeadTable<Mean> means(task.layout());
    Throttle throttle(std::chrono::milliseconds(200));
    for (const auto &block : visitingOrder(task, run)) {
        const auto batches = task.batches(block, run.batchTokens);
        std::vector<HeadTable<Mean>> parts(batches.size(), HeadTable<Mean>(task.layout()));
        parallelFor(std::ssize(batches), [&](std::int64_t b) {
            control.checkpoint();
            const auto index = static_cast<std::size_t>(b);
            addBatch(task.attention(batches[index], {}), parts[index]);
        });
        for (const HeadTable<Mean> &part : parts) { // in a fixed order, so that sums repeat to the last bit
            for (const HeadRef &head : means.layout().heads())
                means.at(head).add(part.at(head));
        }
        result.examples += std::ssize(block);
        control.progress({"confidence", "examples", result.examples, task.size()});
        if (publish && throttle.isDue()) {
            fill(means, result);
            publish(result);
        }
    }
    fill(means, result);
    return result;
}

} // namespace headscope

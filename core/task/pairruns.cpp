#include "core/task/pairruns.h"

#include "core/task/forcedoutput.h"
#include "core/tensor/indextensor.h"

namespace headscope {

PairBatches pairBatches(const Transformer &model, const PatchingPairs &all, const std::vector<std::int64_t> &pairs,
                        bool isClean)
{
    std::vector<std::vector<std::int64_t>> sources, types, prefixes;
    for (const std::int64_t pair : pairs) {
        const PatchingPairs::Text &one = all.text(pair, isClean);
        sources.push_back(one.source);
        types.push_back(one.types);
        prefixes.push_back(one.prefix);
    }
    const TransformerSpec &spec = model.spec();
    const std::int64_t padId = spec.generation.padId;
    PairBatches batches;
    if (spec.encoder) {
        batches.source = TokenBatch::pad(sources, padId, model.device());
        if (!types.front().empty())
            batches.source.typeIds = TokenBatch::pad(types, 0, model.device()).ids;
    }
    if (spec.decoder)
        batches.prefix = TokenBatch::pad(prefixes, padId, model.device());
    return batches;
}

torch::Tensor readOfHidden(const Transformer &model, const PatchingPairs &all, const std::vector<std::int64_t> &pairs,
                           const PairBatches &batches, const torch::Tensor &hidden)
{
    if (all.asked.empty())
        return model.classifiedPosition(hidden, (model.spec().decoder ? batches.prefix : batches.source).lengths);
    std::vector<std::int64_t> asked;
    for (const std::int64_t pair : pairs)
        asked.push_back(all.askedPosition(pair));
    const auto rows = torch::arange(hidden.size(0), torch::TensorOptions(torch::kInt64).device(hidden.device()));
    return hidden.index({rows, indexTensor(asked, hidden.device())});
}

torch::Tensor readOfPairs(const Transformer &model, const PatchingPairs &all, const std::vector<std::int64_t> &pairs,
                          bool isClean, const HeadGates &gates, Recorder *recorder, const JobControl &control)
{
    const PairBatches batches = pairBatches(model, all, pairs, isClean);
    const auto &[source, prefix] = batches;
    if (!all.asked.empty())
        return readOfHidden(model, all, pairs, batches, model.encode(source, gates, recorder).hidden);
    return classifiedOutput(
        model, model.spec().encoder ? &source : nullptr, model.spec().decoder ? &prefix : nullptr, gates, nullptr,
        [&](const torch::Tensor &) { control.checkpoint(); }, recorder);
}

torch::Tensor answerLogits(const Transformer &model, const PatchingPairs &all, const torch::Tensor &read)
{
    return all.labels ? model.classify(read) : model.logits(read);
}

} // namespace headscope

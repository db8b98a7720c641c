#include "core/task/forcedoutput.h"

#include "core/model/likelihood.h"

#include <torch/types.h>

namespace headscope {

void runLayers(const Transformer &model, StackState &state, const WalkInputs &around, const LayerListener &onLayer)
{
    const StackSpec &stack = *model.spec().stack(state.side);
    while (!model.isAtEnd(state)) {
        const int layer = stack.at(state.place).layer;
        int end = state.place + 1;
        while (end < stack.places() && stack.at(end).layer == layer)
            ++end;
        model.advance(state, end, around);
        if (onLayer)
            onLayer(state.hidden);
    }
}

ForcedOutput forcedOutput(const Transformer &model, const Examples &examples, const std::vector<std::int64_t> &ids,
                          const HeadGates &gates, Dropout *dropout, const LayerListener &onLayer, Recorder *recorder)
{
    CrossKeys cross;
    if (model.spec().encoder) {
        StackState encoder = model.begin(Side::Encoder, examples.sourceBatch(ids, model), dropout);
        runLayers(model, encoder, {gates, nullptr, recorder}, onLayer);
        cross = model.crossKeys(model.finishEncoder(encoder));
    }
    StackState decoder = model.begin(Side::Decoder, examples.prefixBatch(ids, model), dropout);
    runLayers(model, decoder, {gates, &cross, recorder}, onLayer);
    const TokenBatch wanted = examples.targetBatch(ids, model);
    auto counted = validPositions(wanted.lengths, wanted.ids.size(1), model.device());
    for (std::size_t i = 0; i < ids.size(); ++i) {
        if (const std::int64_t context = examples.firstCountedOf(ids[i]); context > 0)
            counted[static_cast<std::int64_t>(i)].narrow(0, 0, context).fill_(false);
    }
    // Only positions that count reach the output matrix, the largest product of all.
    const auto places = counted.flatten().nonzero().squeeze(1);
    const auto hidden = model.finish(decoder);
    return {hidden.flatten(0, 1).index_select(0, places), wanted.ids.flatten().index_select(0, places),
            torch::div(places, wanted.ids.size(1), "floor")};
}

torch::Tensor classifiedOutput(const Transformer &model, const TokenBatch *source, const TokenBatch *prefix,
                               const HeadGates &gates, Dropout *dropout, const LayerListener &onLayer,
                               Recorder *recorder)
{
    CrossKeys cross;
    StackState state;
    if (source) {
        state = model.begin(Side::Encoder, *source, dropout);
        runLayers(model, state, {gates, nullptr, recorder}, onLayer);
    }
    if (source && prefix)
        cross = model.crossKeys(model.finishEncoder(state));
    if (prefix) {
        state = model.begin(Side::Decoder, *prefix, dropout);
        runLayers(model, state, {gates, &cross, recorder}, onLayer);
    }
    return model.classifiedPosition(model.finish(state), (prefix ? prefix : source)->lengths);
}

torch::Tensor classifiedOutput(const Transformer &model, const Examples &examples, const std::vector<std::int64_t> &ids,
                               const HeadGates &gates, Dropout *dropout, const LayerListener &onLayer,
                               Recorder *recorder)
{
    const TransformerSpec &spec = model.spec();
    const TokenBatch source = spec.encoder ? examples.sourceBatch(ids, model) : TokenBatch();
    const TokenBatch prefix = spec.decoder ? examples.prefixBatch(ids, model) : TokenBatch();
    return classifiedOutput(model, spec.encoder ? &source : nullptr, spec.decoder ? &prefix : nullptr, gates, dropout,
                            onLayer, recorder);
}

LossBatch lossOf(const torch::Tensor &wanted, const torch::Tensor &logits, const torch::Tensor &rows,
                 std::int64_t examples)
{
    const auto logProbabilities = logProbabilitiesOf(wanted, logits);
    LossBatch batch;
    batch.targetTokens = wanted.size(0);
    const auto zeros = torch::zeros({examples}, logProbabilities.options());
    batch.loss = zeros.index_add(0, rows, -logProbabilities);
    batch.tokens = zeros.index_add(0, rows, torch::ones_like(logProbabilities));
    return batch;
}

LossBatch targetLoss(const Transformer &model, const Examples &examples, const std::vector<std::int64_t> &ids,
                     const HeadGates &gates, Recorder *recorder)
{
    const ForcedOutput output = forcedOutput(model, examples, ids, gates, nullptr, {}, recorder);
    return lossOf(output.wanted, model.logits(output.hidden), output.rows, std::ssize(ids));
}

} // namespace headscope

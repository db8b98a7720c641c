#include "core/analysis/neurons.h"

#include "core/base/result.h"

#include <ATen/core/grad_mode.h>
#include <fmt/format.h>
#include <torch/types.h>

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace headscope {
namespace {

std::vector<float> numbers(const torch::Tensor &tensor)
{
    const auto values = tensor.to(torch::kCPU, torch::kFloat32).contiguous();
    return {values.data_ptr<float>(), values.data_ptr<float>() + values.numel()};
}

TokenBatch tokensOf(const std::vector<TokenLabel> &labels, const Transformer &model)
{
    std::vector<std::int64_t> ids;
    for (const TokenLabel &label : labels)
        ids.push_back(label.id);
    return TokenBatch::pad({ids}, model.spec().generation.padId, model.device());
}

/// Goes up to the attention of a layer and listens there.
void listen(const Transformer &model, StackState state, int place, const HeadGates &gates, const CrossKeys *cross,
            Recorder &recorder)
{
    model.advance(state, place, {gates, cross});
    model.advance(state, place + 1, {gates, cross, &recorder});
}

/// A result with its keys and queries, by what was recorded of the head.
NeuronResult recordedNeurons(const Recorder &recorder, const HeadRef &head, const AttentionSpec &attention)
{
    const std::int64_t row = attention.columnOf(head.head);
    const auto recorded = [&](const char *what) { return recorder.at(head.kind, head.layer, what)[0][row]; };
    NeuronResult result;
    result.head = head;
    result.width = attention.headWidth;
    result.scale = attention.scale;
    result.query = numbers(recorded("query") / attention.scale);
    result.key = numbers(recorded("key"));
    const auto logits = recorded("scores");
    const auto &bias = recorder.at(head.kind, head.layer, "bias");
    result.bias
        = numbers(bias.defined() ? bias.expand({1, attention.headCount(), logits.size(0), logits.size(1)})[0][row]
                                 : torch::zeros_like(logits));
    result.logits = numbers(logits);
    result.weights = numbers(recorded("probabilities"));
    return result;
}

} // namespace

NeuronResult neurons(const Transformer &model, const Tokenizer &tokenizer, const AttentionResult &shown,
                     const HeadRef &head, const HeadMask &mask, Manifest manifest, const JobControl &control)
{
    const torch::NoGradGuard noGrad;
    if (!model.layout().contains(head))
        throw Failure(usageError(fmt::format("The model has no head {}.", toText(head))));
    const HeadGates gates = HeadGates::fromMask(mask, model.layout(), model.options());
    const bool isPair = !model.spec().translates() && (shown.emptyPair || !shown.target.empty());
    const SentenceInput input = sentenceInput(model, tokenizer, shown.source,
                                              isPair ? std::optional<std::string_view>(shown.target) : std::nullopt);
    const Side side = sideOf(head.kind);
    const int place = model.spec().placeOf(head.kind, head.layer);
    Recorder recorder;
    recorder.scores = recorder.probabilities = true;
    if (model.spec().isEncoderDecoder() && side == Side::Decoder) {
        const CrossKeys cross = model.crossKeys(model.encode(input.batch(model), gates));
        control.checkpoint();
        listen(model, model.begin(side, tokensOf(shown.targetTokens, model)), place, gates, &cross, recorder);
    } else {
        listen(model, model.begin(side, input.batch(model)), place, gates, nullptr, recorder);
    }

    NeuronResult result = recordedNeurons(recorder, head, *model.spec().stack(side)->at(place).attention());
    result.manifest = std::move(manifest);
    result.queries = head.kind == HeadKind::Encoder ? shown.sourceTokens : shown.targetTokens;
    result.keys = head.kind == HeadKind::Decoder ? shown.targetTokens : shown.sourceTokens;
    return result;
}

} // namespace headscope

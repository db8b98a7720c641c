#include "core/task/translationexamples.h"

#include "core/task/exampleids.h"

#include <torch/torch.h>

#include <algorithm>

namespace headscope {
namespace {

/// Token ids of one text: its own, or made by `encode`.
template<typename Encode>
Result<std::vector<std::int64_t>> idsOf(const std::vector<std::int64_t> &given, bool haveTokenizer, Encode &&encode)
{
    if (!given.empty())
        return given;
    if (!haveTokenizer)
        return tokenizerMissing();
    auto encoding = encode();
    if (!encoding.isOk())
        return encoding.error();
    return std::move(encoding).value().ids;
}

TokenBatch padded(const std::vector<std::int64_t> &ids, const std::vector<std::vector<std::int64_t>> &all,
                  const Transformer &model)
{
    std::vector<std::vector<std::int64_t>> rows;
    for (const std::int64_t id : ids)
        rows.push_back(all[static_cast<std::size_t>(id)]);
    return TokenBatch::pad(rows, model.spec().generation.padId, model.device());
}

} // namespace

Result<TranslationExamples> TranslationExamples::make(const TransformerSpec &spec, const Tokenizer *tokenizer,
                                                      const Dataset &dataset, const JobControl &control)
{
    TranslationExamples examples;
    const auto longest = static_cast<std::size_t>(spec.maxPositions);
    std::int64_t cutSources = 0;
    std::int64_t cutTargets = 0;
    examples.hasTargets = std::ranges::any_of(dataset.examples, [](const Example &example) {
        return !example.reference.empty() || !example.labels.empty();
    });
    for (std::size_t row = 0; row < dataset.examples.size(); ++row) {
        if (row % 64 == 0)
            control.checkpoint();
        const Example &example = dataset.examples[row];
        auto source = idsOf(example.inputIds, tokenizer,
                            [&] { return tokenizer->encodeSource(example.source); });
        if (!source.isOk())
            return source.error();
        std::vector<std::int64_t> target;
        if (examples.hasTargets) {
            auto ids = idsOf(example.labels, tokenizer,
                             [&] { return tokenizer->encodeTarget(example.reference); });
            if (!ids.isOk())
                return ids.error();
            target = std::move(ids).value();
        }
        for (const auto &checked : {checkIds(source.value(), spec.encoder.vocabulary, dataset, row),
                                    checkIds(target, spec.decoder->vocabulary, dataset, row)}) {
            if (!checked.isOk())
                return checked.error();
        }
        // A cut text keeps its end token.
        const auto cut = [&](std::vector<std::int64_t> &ids, std::int64_t &count) {
            if (ids.size() <= longest)
                return;
            const std::int64_t end = ids.back();
            ids.resize(longest);
            ids.back() = end;
            ++count;
        };
        cut(source.value(), cutSources);
        cut(target, cutTargets);
        examples.sources.push_back(std::move(source).value());
        examples.targets.push_back(std::move(target));
    }
    if (cutSources > 0)
        examples.warnings.push_back(cutNote(dataset, cutSources, "sources", spec.maxPositions));
    if (cutTargets > 0)
        examples.warnings.push_back(cutNote(dataset, cutTargets, "references", spec.maxPositions));
    return examples;
}

TokenBatch TranslationExamples::sourceBatch(const std::vector<std::int64_t> &ids, const Transformer &model) const
{
    return padded(ids, sources, model);
}

TokenBatch TranslationExamples::targetBatch(const std::vector<std::int64_t> &ids, const Transformer &model) const
{
    return padded(ids, targets, model);
}

TokenBatch TranslationExamples::decoderInputs(const std::vector<std::int64_t> &ids, const Transformer &model) const
{
    std::vector<std::vector<std::int64_t>> rows;
    for (const std::int64_t id : ids)
        rows.push_back(target(id));
    return headscope::decoderInputs(rows, model);
}

TokenBatch decoderInputs(const std::vector<std::vector<std::int64_t>> &targets, const Transformer &model)
{
    const GenerationSettings &settings = model.spec().generation;
    std::vector<std::vector<std::int64_t>> rows;
    for (const auto &tokens : targets)
        rows.push_back(decoderInput(tokens, settings));
    return TokenBatch::pad(rows, settings.padId, model.device());
}

std::vector<std::int64_t> decoderInput(const std::vector<std::int64_t> &tokens, const GenerationSettings &settings)
{
    std::vector<std::int64_t> input{settings.startId};
    if (!tokens.empty())
        input.insert(input.end(), tokens.begin(), tokens.end() - 1);
    return input;
}

ForcedOutput forcedOutput(const Transformer &model, const TranslationExamples &examples,
                          const std::vector<std::int64_t> &ids, const HeadGates &gates, Dropout *dropout,
                          const LayerListener &onLayer)
{
    const auto tell = [&](const torch::Tensor &hidden) {
        if (onLayer)
            onLayer(hidden);
    };
    EncoderState encoder = model.beginEncoder(examples.sourceBatch(ids, model), dropout);
    while (encoder.layer < model.spec().encoder.layers()) {
        model.advanceEncoder(encoder, encoder.layer + 1, gates);
        tell(encoder.hidden);
    }
    const Memory memory = model.finishEncoder(encoder);
    const auto cross = model.crossKeyValues(memory);
    DecoderState decoder = model.beginDecoder(examples.decoderInputs(ids, model), dropout);
    while (decoder.layer < model.spec().decoder->layers()) {
        model.advanceDecoder(decoder, decoder.layer + 1, cross, memory.keyBias, gates);
        tell(decoder.hidden);
    }
    const TokenBatch wanted = examples.targetBatch(ids, model);
    const auto valid = validPositions(wanted.lengths, wanted.ids.size(1), model.device());
    // Only valid positions reach the output matrix, the largest product of all.
    const auto places = valid.flatten().nonzero().squeeze(1);
    const auto hidden = model.finishDecoder(decoder);
    return {hidden.flatten(0, 1).index_select(0, places), wanted.ids.flatten().index_select(0, places),
            torch::div(places, wanted.ids.size(1), "floor")};
}

} // namespace headscope

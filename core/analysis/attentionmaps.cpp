#include "core/analysis/attentionmaps.h"

#include "core/analysis/sentenceinput.h"
#include "core/results/probabilities.h"
#include "core/roles/treewords.h"
#include "core/task/continuations.h"
#include "core/task/examples.h"
#include "core/task/forcedoutput.h"

#include <ATen/core/grad_mode.h>
#include <fmt/format.h>
#include <torch/types.h>

#include <algorithm>
#include <optional>
#include <span>

namespace headscope {
namespace {

std::vector<TokenLabel> sourceLabels(const Encoding &encoding)
{
    std::vector<TokenLabel> labels;
    for (std::size_t i = 0; i < encoding.ids.size(); ++i)
        labels.push_back({encoding.pieces[i], encoding.ids[i], encoding.words[i] < 0, encoding.words[i],
                          i < encoding.segments.size() ? encoding.segments[i]
                          : encoding.words[i] < 0      ? -1
                                                       : 0});
    return labels;
}

std::vector<TokenLabel> targetLabels(const Tokenizer &tokenizer, const std::vector<std::int64_t> &ids)
{
    std::vector<TokenLabel> labels;
    int word = -1;
    for (std::int64_t id : ids) {
        TokenLabel label{tokenizer.pieceText(id), id, tokenizer.isSpecial(id), -1, tokenizer.isSpecial(id) ? -1 : 0};
        if (!label.special) {
            if (word < 0 || label.text.starts_with("\u2581")) // the mark of a word's first piece
                ++word;
            label.word = word;
        }
        labels.push_back(std::move(label));
    }
    return labels;
}

void addTree(const SentenceTree &tree, const Encoding &encoding, AttentionResult &result)
{
    if (tree.empty())
        return;
    result.sourceTree = tree;
    const std::vector<int> words = tokensInTree(encoding, tree);
    for (std::size_t token = 0; token < words.size(); ++token)
        result.sourceTokens[token].treeWord = words[token];
}

void addMaps(const Transformer &model, const Recorder &recorder, const HeadMask &mask, AttentionResult &result)
{
    for (const HeadLayout::Block &block : model.layout().blocks()) {
        for (int layer = 0; layer < static_cast<int>(block.layers.size()); ++layer) {
            const std::vector<int> &heads = block.layers[static_cast<std::size_t>(layer)];
            if (heads.empty())
                continue;
            const auto norms = model.valueNorms(block.kind, layer, recorder.at(block.kind, layer, "value"))[0]
                                   .to(torch::kCPU, torch::kFloat32)
                                   .contiguous(); // [H, S]
            for (std::size_t i = 0; i < heads.size(); ++i) {
                const auto weights = recorder.at(block.kind, layer, "probabilities")[0][static_cast<std::int64_t>(i)]
                                         .to(torch::kCPU, torch::kFloat32)
                                         .contiguous();
                AttentionMap map;
                map.head = {block.kind, layer, heads[i]};
                map.queries = weights.size(0);
                map.keys = weights.size(1);
                map.weights.assign(weights.data_ptr<float>(), weights.data_ptr<float>() + weights.numel());
                map.masked = mask.isMasked(map.head);
                const float *norm = norms.data_ptr<float>() + static_cast<std::int64_t>(i) * map.keys;
                map.valueNorms.assign(norm, norm + map.keys);
                result.maps.push_back(std::move(map));
            }
        }
    }
    std::ranges::sort(result.maps, {}, &AttentionMap::head);
}

/// "positive 0.98"; several labels joined; a regression's number.
std::string predictionText(const torch::Tensor &logits, const ClassifierSpec &classifier)
{
    const auto values = logits.to(torch::kCPU, torch::kFloat32).contiguous();
    const std::span<const float> numbers(values.data_ptr<float>(), static_cast<std::size_t>(values.numel()));
    if (classifier.problem == ProblemType::Regression)
        return fmt::format("{:.4f}", static_cast<double>(numbers.front()));
    const std::vector<double> probabilities = labelProbabilities(numbers, classifier.problem);
    const auto named
        = [&](std::size_t label) { return fmt::format("{} {:.2f}", classifier.labels[label], probabilities[label]); };
    if (classifier.problem == ProblemType::SingleLabel)
        return named(static_cast<std::size_t>(std::ranges::max_element(numbers) - numbers.begin()));
    std::string text;
    for (std::size_t label = 0; label < numbers.size(); ++label) {
        if (numbers[label] > 0)
            text += (text.empty() ? "" : ", ") + named(label);
    }
    return text.empty() ? "no label" : text;
}

/// Adds what the model says behind a text → all that it has read then.
TokenBatch goOn(const Transformer &model, const Tokenizer &tokenizer, std::vector<std::int64_t> ids,
                GenerationSettings settings, const HeadGates &gates, AttentionResult &result, const JobControl &control)
{
    const std::int64_t room = model.spec().maxPositions - std::ssize(ids);
    settings.newTokens = std::min(settings.newTokens.value_or(room), room);
    if (room > 0) {
        const std::vector<std::int64_t> said
            = continuations(model, {ids}, settings, gates, false, control).front().tokens;
        ids.insert(ids.end(), said.begin(), said.end());
        result.predicted = saidText(said, &tokenizer, settings);
        int words = 0;
        for (const TokenLabel &label : result.sourceTokens)
            words = std::max(words, label.word + 1);
        for (TokenLabel &label : targetLabels(tokenizer, said)) {
            if (!label.special)
                label.word += words;
            result.sourceTokens.push_back(std::move(label));
        }
    }
    return TokenBatch::pad({ids}, model.spec().generation.padId, model.device());
}

} // namespace

AttentionResult attentionMaps(const Transformer &model, const Tokenizer &tokenizer, const std::string &source,
                              const std::string &target, const HeadMask &mask, const GenerationSettings &settings,
                              const SentenceTree &tree, Manifest manifest, const JobControl &control)
{
    const torch::NoGradGuard noGrad;
    AttentionResult result;
    result.manifest = std::move(manifest);
    result.source = source;
    const SentenceInput input = sentenceInput(model, tokenizer, source, std::nullopt);
    result.cut = input.cut;
    Recorder recorder;
    recorder.probabilities = recorder.values = true;
    const HeadGates gates = HeadGates::fromMask(mask, model.layout(), model.options());
    const Memory memory = model.encode(input.batch(model), gates, &recorder);
    control.checkpoint();

    Encoding said;
    if (target.empty())
        said.ids = generate(model, memory, settings, gates, false, control).front().tokens;
    else
        said = tokenizer.encodeTarget(target).valueOrThrow();
    result.cut = cutToPositions(said, model) || result.cut;
    const std::vector<std::int64_t> &targetIds = said.ids;
    result.target = target.empty() ? tokenizer.decode(targetIds) : target;
    const std::vector<std::int64_t> prefix = decoderInput(targetIds, settings);
    (void)model.decode(TokenBatch::pad({prefix}, settings.padId, model.device()), &memory, gates, &recorder);

    result.sourceTokens = sourceLabels(input.encoding);
    addTree(tree, input.encoding, result);
    result.targetTokens = targetLabels(tokenizer, prefix);
    addMaps(model, recorder, mask, result);
    return result;
}

AttentionResult attentionMaps(const Transformer &model, const Tokenizer &tokenizer, const std::string &text,
                              const std::optional<std::string> &pair, const HeadMask &mask, const SentenceTree &tree,
                              const GenerationSettings *goesOn, Manifest manifest, const JobControl &control)
{
    const torch::NoGradGuard noGrad;
    const TransformerSpec &spec = model.spec();
    AttentionResult result;
    result.manifest = std::move(manifest);
    result.source = text;
    result.target = pair.value_or(std::string());
    result.emptyPair = pair && pair->empty();
    const SentenceInput input = sentenceInput(model, tokenizer, text, pair);
    result.cut = input.cut;
    Recorder recorder;
    recorder.probabilities = recorder.values = true;
    const HeadGates gates = HeadGates::fromMask(mask, model.layout(), model.options());
    result.sourceTokens = sourceLabels(input.encoding);
    TokenBatch first = input.batch(model);
    if (goesOn)
        first = goOn(model, tokenizer, input.encoding.ids, *goesOn, gates, result, control);
    const auto onLayer = [&](const torch::Tensor &) { control.checkpoint(); };
    if (spec.classifier) {
        const TokenBatch prefix = spec.isEncoderDecoder() ? input.prefix(model) : first;
        const auto read = classifiedOutput(model, spec.encoder ? &first : nullptr, spec.decoder ? &prefix : nullptr,
                                           gates, nullptr, onLayer, &recorder);
        result.predicted = predictionText(model.classify(read)[0], *spec.classifier);
        if (spec.isEncoderDecoder())
            result.targetTokens = targetLabels(tokenizer, classifierInput(input.encoding.ids, spec).valueOrThrow());
    } else {
        StackState state = model.begin(spec.lastSide(), first);
        runLayers(model, state, {gates, nullptr, &recorder}, onLayer);
    }
    if (spec.decoder && !spec.encoder) // its heads are shown as those of a decoder, which has tokens of its own
        result.targetTokens = result.sourceTokens;
    addTree(tree, input.encoding, result);
    addMaps(model, recorder, mask, result);
    return result;
}

} // namespace headscope

#include "core/task/scoringrunner.h"

#include "core/model/likelihood.h"
#include "core/task/continuations.h"
#include "core/task/forcedoutput.h"
#include "core/task/generationrunner.h"
#include "core/task/packedscoringblock.h"
#include "core/tensor/indextensor.h"

#include <torch/types.h>

#include <algorithm>
#include <limits>

namespace headscope {
namespace {

/// Sequences of a batch of examples, and which row of the batch each is of.
struct SequenceBatch
{
    std::vector<ScoredSequence> sequences;
    std::vector<std::int64_t> owners; ///< places in the batch

    static SequenceBatch of(const ScoringRunner &runner, const Examples &examples, const std::vector<std::int64_t> &ids,
                            bool withOther)
    {
        SequenceBatch batch;
        for (std::size_t i = 0; i < ids.size(); ++i) {
            for (ScoredSequence &sequence : runner.sequencesOf(examples, ids[i])) {
                if (sequence.other && !withOther)
                    continue;
                batch.sequences.push_back(std::move(sequence));
                batch.owners.push_back(static_cast<std::int64_t>(i));
            }
        }
        return batch;
    }
    /// From `first` on, as many as fit into so many tokens, padding included; one at least.
    std::size_t endFrom(std::size_t first, std::int64_t mostTokens) const
    {
        std::int64_t longest = 0;
        std::size_t end = first;
        for (; end < sequences.size(); ++end) {
            longest = std::max(longest, std::ssize(sequences[end].tokens));
            if (end > first && static_cast<std::int64_t>(end - first + 1) * longest > mostTokens)
                break;
        }
        return end;
    }
};

/// The questions to some sequences, place by place [N].
struct Asked
{
    torch::Tensor logits; ///< [N, V]
    torch::Tensor wanted;
    torch::Tensor owners;
};

/// Sequences first … end − 1 through the model.
Asked ask(const Transformer &model, Side side, const SequenceBatch &batch, std::size_t first, std::size_t end,
          const HeadGates &gates, Recorder *recorder = nullptr)
{
    std::vector<std::vector<std::int64_t>> tokens, types;
    std::vector<std::int64_t> owners, places, ownersOfPlaces, wanted;
    for (std::size_t i = first; i < end; ++i) {
        tokens.push_back(batch.sequences[i].tokens);
        types.push_back(batch.sequences[i].types);
        owners.push_back(batch.owners[i]);
    }
    TokenBatch input = TokenBatch::pad(tokens, model.spec().generation.padId, model.device());
    if (side == Side::Encoder && model.spec().tokenTypes > 0)
        input.typeIds = TokenBatch::pad(types, 0, model.device()).ids;
    for (std::size_t i = first; i < end; ++i) {
        const ScoredSequence &sequence = batch.sequences[i];
        for (const std::int64_t place : sequence.places)
            places.push_back(static_cast<std::int64_t>(i - first) * input.ids.size(1) + place);
        wanted.insert(wanted.end(), sequence.wanted.begin(), sequence.wanted.end());
        ownersOfPlaces.insert(ownersOfPlaces.end(), sequence.wanted.size(), batch.owners[i]);
    }
    const auto index = [&](const std::vector<std::int64_t> &values) { return indexTensor(values, model.device()); };
    const HeadGates own = gates.selectRows(index(owners));
    StackState state = model.begin(side, input);
    model.advanceToEnd(state, {own, nullptr, recorder});
    return {model.logits(model.finish(state).flatten(0, 1).index_select(0, index(places))), index(wanted),
            index(ownersOfPlaces)};
}

} // namespace

namespace {

/// The wrong choices of a question, and all of them without the question.
void addOtherChoices(const Examples &examples, std::size_t row, std::vector<ScoredSequence> &sequences)
{
    if (examples.choices.empty())
        return;
    const auto add = [&](const std::vector<Examples::Choice> &choices, std::size_t choice, bool unconditional) {
        const Examples::Choice &of = choices[choice];
        ScoredSequence sequence{.tokens = of.read, .wanted = of.wanted, .other = true};
        for (std::int64_t t = std::ssize(of.read) - std::ssize(of.wanted); t < std::ssize(of.read); ++t)
            sequence.places.push_back(t);
        sequence.choice = static_cast<std::int64_t>(choice);
        sequence.unconditional = unconditional;
        sequences.push_back(std::move(sequence));
    };
    for (std::size_t choice = 0; choice < examples.choices[row].size(); ++choice) {
        if (static_cast<std::int64_t>(choice) != examples.answers[row])
            add(examples.choices[row], choice, false);
    }
    for (std::size_t choice = 0; examples.choices[row].size() > 1 && choice < examples.choices[row].size(); ++choice)
        add(examples.unconditional[row], choice, true);
}

/// The sequences of a model that reads from left to right: the text, wrong choices, the other text of a pair.
std::vector<ScoredSequence> causalSequences(const Examples &examples, std::int64_t id)
{
    const auto row = static_cast<std::size_t>(id);
    std::vector<ScoredSequence> sequences;
    ScoredSequence own{.tokens = examples.prefix(id)};
    for (std::int64_t t = examples.firstCountedOf(id); t < std::ssize(own.tokens); ++t) {
        own.places.push_back(t);
        own.wanted.push_back(examples.target(id)[static_cast<std::size_t>(t)]);
    }
    if (!examples.choices.empty())
        own.choice = examples.answers[row];
    sequences.push_back(std::move(own));
    addOtherChoices(examples, row, sequences);
    if (!examples.otherPrefixes.empty()) {
        ScoredSequence other{
            .tokens = examples.otherPrefixes[row], .wanted = examples.otherTargets[row], .other = true};
        for (std::int64_t t = 0; t < std::ssize(other.tokens); ++t)
            other.places.push_back(t);
        sequences.push_back(std::move(other));
    }
    return sequences;
}

} // namespace

std::vector<ScoredSequence> ScoringRunner::sequencesOf(const Examples &examples, std::int64_t id) const
{
    if (!m_maskId)
        return causalSequences(examples, id);
    const auto row = static_cast<std::size_t>(id);
    std::vector<ScoredSequence> sequences;
    const auto addMasked
        = [&](const std::vector<std::int64_t> &text, const std::vector<std::uint8_t> *real, bool other) {
              for (std::size_t i = 0; i < text.size(); ++i) {
                  const bool isSpecial = real ? (*real)[i] == 0 : i == 0 || i + 1 == text.size();
                  if (isSpecial)
                      continue;
                  ScoredSequence masked{
                      .tokens = text, .places = {static_cast<std::int64_t>(i)}, .wanted = {text[i]}, .other = other};
                  if (!examples.types.empty())
                      masked.types = other ? std::vector<std::int64_t>(text.size(), 0) : examples.types[row];
                  masked.tokens[i] = *m_maskId;
                  sequences.push_back(std::move(masked));
              }
          };
    addMasked(examples.source(id), examples.realSources.empty() ? nullptr : &examples.realSources[row], false);
    if (!examples.otherSources.empty())
        addMasked(examples.otherSources[row], nullptr, true);
    return sequences;
}

void ScoringRunner::add(const ScoredSequence &sequence, std::span<const Found> found, ExampleOutput &output)
{
    for (std::size_t i = 0; i < found.size(); ++i) {
        if (sequence.choice >= 0) {
            std::vector<double> &sums = sequence.unconditional ? output.unconditional : output.choices;
            sums.resize(std::max(sums.size(), static_cast<std::size_t>(sequence.choice) + 1));
            sums[static_cast<std::size_t>(sequence.choice)] += found[i].logProbability;
        } else if (sequence.other) {
            output.otherScore += found[i].logProbability;
        }
        if (sequence.other)
            continue;
        output.score += found[i].logProbability;
        output.tokens.push_back(found[i].best);
        output.right += found[i].best == sequence.wanted[i] ? 1 : 0;
    }
}

void ScoringRunner::finish(const Examples &examples, ExampleOutput &output)
{
    if (examples.choices.empty())
        return;
    const auto answer = static_cast<std::size_t>(examples.answers[static_cast<std::size_t>(output.index)]);
    output.otherScore = -std::numeric_limits<double>::infinity();
    for (std::size_t choice = 0; choice < output.choices.size(); ++choice) {
        if (choice != answer)
            output.otherScore = std::max(output.otherScore, output.choices[choice]);
    }
}

std::vector<ExampleOutput> ScoringRunner::runBatch(const Task &task, const std::vector<std::int64_t> &ids,
                                                   const HeadGates &gates, const RunOptions &run, bool withScores,
                                                   const JobControl &control) const
{
    const SequenceBatch batch = SequenceBatch::of(*this, task.examples(), ids, true);
    std::vector<ExampleOutput> outputs(ids.size());
    for (std::size_t i = 0; i < ids.size(); ++i)
        outputs[i].index = ids[i];
    for (std::size_t first = 0; first < batch.sequences.size();) {
        control.checkpoint();
        const std::size_t end = batch.endFrom(first, task.batchTokens(run));
        const Asked asked = ask(task.model(), side(), batch, first, end, gates);
        const auto best = asked.logits.argmax(-1).cpu();
        const auto scores = logProbabilitiesOf(asked.wanted, asked.logits).cpu();
        std::int64_t row = 0;
        for (std::size_t i = first; i < end; ++i) {
            std::vector<Found> found;
            for (std::size_t k = 0; k < batch.sequences[i].places.size(); ++k, ++row)
                found.push_back({scores.data_ptr<double>()[row], best.data_ptr<std::int64_t>()[row]});
            add(batch.sequences[i], found, outputs[static_cast<std::size_t>(batch.owners[i])]);
        }
        first = end;
    }
    for (ExampleOutput &output : outputs)
        finish(task.examples(), output);
    if (withScores)
        say(task, gates, run, control, outputs);
    return outputs;
}

std::string ScoringRunner::textOf(const std::vector<std::int64_t> &ids) const
{
    if (!m_tokenizer)
        return idsAsText(ids);
    const std::string text = m_tokenizer->decode(ids);
    return text.empty() && ids.size() == 1 ? m_tokenizer->pieceText(ids.front()) : text; // the end, say
}

void ScoringRunner::sayChoice(const Examples &examples, ExampleOutput &output) const
{
    const std::vector<std::string> &texts = examples.choiceTexts[static_cast<std::size_t>(output.index)];
    if (texts.size() == 1) { // a cloze: what greedy decoding would say, as far as it is right
        output.text = textOf(output.tokens);
        return;
    }
    output.text = texts[static_cast<std::size_t>(std::ranges::max_element(output.choices) - output.choices.begin())];
}

void ScoringRunner::say(const Task &task, const HeadGates &gates, const RunOptions &run, const JobControl &control,
                        std::vector<ExampleOutput> &outputs) const
{
    if (m_maskId) {
        for (ExampleOutput &output : outputs)
            output.text = textOf(output.tokens);
        return;
    }
    if (!task.examples().choices.empty()) {
        for (ExampleOutput &output : outputs)
            sayChoice(task.examples(), output);
        return;
    }
    if (run.decoding.newTokens) {
        goOn(task, gates, run, control, outputs);
        return;
    }
    SequenceBatch batch;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        ScoredSequence whole{.tokens = task.examples().wholeText(outputs[i].index, task.model().spec().maxPositions),
                             .wanted = {0}};
        whole.places.push_back(std::ssize(whole.tokens) - 1);
        batch.sequences.push_back(std::move(whole));
        batch.owners.push_back(static_cast<std::int64_t>(i));
    }
    for (std::size_t first = 0; first < batch.sequences.size();) {
        control.checkpoint();
        const std::size_t end = batch.endFrom(first, task.batchTokens(run));
        const auto best = ask(task.model(), side(), batch, first, end, gates).logits.argmax(-1).cpu();
        for (std::size_t i = first; i < end; ++i)
            outputs[i].text = textOf({best.data_ptr<std::int64_t>()[i - first]});
        first = end;
    }
}

void ScoringRunner::goOn(const Task &task, const HeadGates &gates, const RunOptions &run, const JobControl &control,
                         std::vector<ExampleOutput> &outputs) const
{
    const Transformer &model = task.model();
    const GenerationSettings settings = textContinuationSettings(model.spec(), run.decoding, m_tokenizer);
    Prompts prompts;
    for (const ExampleOutput &output : outputs)
        prompts.push_back(
            cutOnTheLeft(task.examples().wholeText(output.index, model.spec().maxPositions), model.spec(), settings));
    const std::vector<Generated> found = continuations(model, prompts, settings, gates, false, control);
    for (std::size_t i = 0; i < outputs.size(); ++i)
        outputs[i].text = saidText(found[i].tokens, m_tokenizer.get(), settings);
}

std::shared_ptr<const PreparedBlock> ScoringRunner::prepare(const Task &task, std::vector<std::int64_t> ids,
                                                            const HeadMask &base, const ReplacementPlan &plan,
                                                            const RunOptions &run, const JobControl &control) const
{
    return PackedScoringBlock::make(task, *this, std::move(ids), base, plan, run, control);
}

LossBatch ScoringRunner::loss(const Task &task, const std::vector<std::int64_t> &ids, const HeadGates &gates,
                              Recorder *recorder) const
{
    const SequenceBatch batch = SequenceBatch::of(*this, task.examples(), ids, false);
    const Asked asked = ask(task.model(), side(), batch, 0, batch.sequences.size(), gates, recorder);
    return lossOf(asked.wanted, asked.logits, asked.owners, std::ssize(ids));
}

void ScoringRunner::lossPasses(const Task &task, const std::vector<std::int64_t> &ids, const HeadGates &gates,
                               const Recorder &wanted, std::int64_t mostTokens, const VisitLossPass &visit) const
{
    const SequenceBatch batch = SequenceBatch::of(*this, task.examples(), ids, false);
    for (std::size_t first = 0; first < batch.sequences.size();) {
        const std::size_t end = batch.endFrom(first, mostTokens);
        LossPass pass;
        pass.recorder = wanted;
        const Asked asked = ask(task.model(), side(), batch, first, end, gates, &pass.recorder);
        const LossBatch found = lossOf(asked.wanted, asked.logits, asked.owners, std::ssize(ids));
        pass.loss = found.loss.sum();
        pass.targetTokens = found.targetTokens;
        for (std::size_t i = first; i < end; ++i) {
            pass.owners.push_back(ids[static_cast<std::size_t>(batch.owners[i])]);
            pass.read.push_back(batch.sequences[i].tokens);
        }
        visit(pass);
        first = end;
    }
}

std::int64_t ScoringRunner::sequencesPerExample(const Task &task) const
{
    const Examples &examples = task.examples();
    if (examples.size() == 0)
        return 1;
    std::int64_t sequences = 0;
    const std::int64_t looked = std::min<std::int64_t>(examples.size(), 64);
    for (std::int64_t id = 0; id < looked; ++id)
        sequences += std::ssize(sequencesOf(examples, id));
    return std::max<std::int64_t>(1, sequences / looked);
}

} // namespace headscope

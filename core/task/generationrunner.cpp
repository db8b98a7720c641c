#include "core/task/generationrunner.h"

#include "core/task/continuations.h"
#include "core/task/forcedoutput.h"
#include "core/task/packedbeamblock.h"
#include "core/task/packedgreedyblock.h"
#include "core/task/task.h"

#include <torch/types.h>

#include <algorithm>

namespace headscope {

std::string idsAsText(const std::vector<std::int64_t> &ids)
{
    std::string text;
    for (std::int64_t id : ids)
        text += (text.empty() ? "" : " ") + std::to_string(id);
    return text;
}

std::string knownTasks(const GenerationSettings &settings)
{
    if (settings.tasks.empty())
        return "the model's config.json has no \"task_specific_params\"; leave it out.";
    std::string known;
    for (const auto &[name, task] : settings.tasks)
        known += (known.empty() ? "" : ", ") + name;
    return "the model's config.json has settings for: " + known + ".";
}

bool stopsAtLimit(const std::vector<std::int64_t> &tokens, const GenerationSettings &settings)
{
    const std::int64_t most = settings.newTokens.value_or(settings.maxLength - 1); // the start token is not among them
    const bool isLong = std::ssize(tokens) >= most;
    const bool ends = !tokens.empty()
                   && (std::ranges::find(settings.endIds, tokens.back()) != settings.endIds.end()
                       || (settings.isStopped && settings.isStopped(tokens)));
    return isLong && (!ends || settings.forcedLast == tokens.back());
}

void requireComputable(const GenerationSettings &settings)
{
    if (!settings.refused.empty())
        throw Failure(badInput("The folder's generation settings ask for what Headscope does not compute: "
                               + settings.refused.front()
                               + ". Outputs would be others than the model's own; to do without it, take it out of "
                                 "generation_config.json (or config.json, where there is none)."));
}

GenerationSettings decodingSettings(const TransformerSpec &spec, const Decoding &decoding)
{
    GenerationSettings settings = spec.generation;
    if (spec.translates())
        requireComputable(settings);
    if (!decoding.task.empty()) {
        const auto found = settings.tasks.find(decoding.task);
        if (found == settings.tasks.end())
            throw Failure(usageError("--task " + decoding.task + ": " + knownTasks(settings)));
        const TaskSettings &task = found->second;
        settings.beams = task.beams.value_or(settings.beams);
        settings.lengthPenalty = task.lengthPenalty.value_or(settings.lengthPenalty);
        if (task.maxLength) {
            settings.maxLength = *task.maxLength;
            settings.newTokens.reset();
        }
        settings.minLength = task.minLength.value_or(settings.minLength);
        settings.noRepeatNgram = task.noRepeatNgram.value_or(settings.noRepeatNgram);
        settings.earlyStopping = task.earlyStopping.value_or(settings.earlyStopping);
    }
    if (decoding.beams)
        settings.beams = *decoding.beams;
    if (decoding.lengthPenalty)
        settings.lengthPenalty = *decoding.lengthPenalty;
    if (decoding.maxLength) {
        settings.maxLength = *decoding.maxLength;
        settings.newTokens.reset();
    }
    if (decoding.newTokens) {
        if (spec.encoder)
            settings.maxLength = *decoding.newTokens + 1;
        else
            settings.newTokens = *decoding.newTokens;
    }
    settings.maxLength = std::min(settings.maxLength, spec.maxPositions);
    return settings;
}

GenerationSettings GenerationRunner::settingsOf(const Task &task, const RunOptions &run) const
{
    const TransformerSpec &spec = task.model().spec();
    return spec.encoder ? decodingSettings(spec, run.decoding) : continuationSettings(spec, run.decoding, m_tokenizer);
}

std::vector<std::int64_t> GenerationRunner::givenTo(const Task &task, std::int64_t id,
                                                    const GenerationSettings &settings)
{
    if (task.model().spec().encoder)
        return {settings.startId};
    return cutOnTheLeft(task.examples().prompts[static_cast<std::size_t>(id)], task.model().spec(), settings);
}

ExampleOutput GenerationRunner::makeOutput(std::int64_t id, Generated generated,
                                           const GenerationSettings &settings) const
{
    ExampleOutput output;
    output.index = id;
    output.text = saidText(generated.tokens, m_tokenizer.get(), settings);
    output.tokens = std::move(generated.tokens);
    output.score = generated.score;
    return output;
}

std::vector<ExampleOutput> GenerationRunner::runBatch(const Task &task, const std::vector<std::int64_t> &ids,
                                                      const HeadGates &gates, const RunOptions &run, bool withScores,
                                                      const JobControl &control) const
{
    const Transformer &model = task.model();
    const GenerationSettings settings = settingsOf(task, run);
    std::vector<Generated> generated;
    if (model.spec().encoder) {
        generated = generate(model, model.encode(task.inputs(ids), gates), settings, gates, withScores, control);
    } else {
        Prompts prompts;
        for (const std::int64_t id : ids)
            prompts.push_back(givenTo(task, id, settings));
        generated = continuations(model, prompts, settings, gates, withScores, control);
    }
    std::vector<ExampleOutput> outputs;
    for (std::size_t i = 0; i < ids.size(); ++i)
        outputs.push_back(makeOutput(ids[i], std::move(generated[i]), settings));
    return outputs;
}

std::shared_ptr<const PreparedBlock> GenerationRunner::prepare(const Task &task, std::vector<std::int64_t> ids,
                                                               const HeadMask &base, const ReplacementPlan &plan,
                                                               const RunOptions &run, const JobControl &control) const
{
    const GenerationSettings settings = settingsOf(task, run);
    if (settings.repetitionPenalty != 1.0 || (settings.beams > 1 && !task.model().spec().encoder))
        return nullptr;
    if (settings.beams > 1)
        return PackedBeamBlock::make(task, *this, settings, std::move(ids), base, plan, run, control);
    return PackedGreedyBlock::make(task, *this, settings, std::move(ids), base, plan, run, control);
}

std::int64_t GenerationRunner::keptSequences(const RunOptions &run) const
{
    const auto task = m_own.tasks.find(run.decoding.task);
    const int own = task == m_own.tasks.end() ? m_own.beams : task->second.beams.value_or(m_own.beams);
    return run.decoding.beams.value_or(own);
}

OutputLimit GenerationRunner::limit(const Task &task, const RunOptions &run) const
{
    const GenerationSettings settings = settingsOf(task, run);
    return {settings.newTokens.value_or(settings.maxLength),
            [settings](const ExampleOutput &output) { return stopsAtLimit(output.tokens, settings); }};
}

LossBatch GenerationRunner::loss(const Task &task, const std::vector<std::int64_t> &ids, const HeadGates &gates,
                                 Recorder *recorder) const
{
    return targetLoss(task.model(), task.examples(), ids, gates, recorder);
}

} // namespace headscope

#include "core/task/generationrunner.h"

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
    const bool isLong = std::ssize(tokens) + 1 >= settings.maxLength; // the start token is not among them
    const bool ends = !tokens.empty() && std::ranges::find(settings.endIds, tokens.back()) != settings.endIds.end();
    return isLong && (!ends || settings.forcedLast == tokens.back());
}

GenerationSettings decodingSettings(const TransformerSpec &spec, const Decoding &decoding)
{
    GenerationSettings settings = spec.generation;
    if (!settings.refused.empty() && spec.translates())
        throw Failure(badInput("The folder's generation settings ask for what Headscope does not compute: "
                               + settings.refused.front()
                               + ". Outputs would be others than the model's own; to do without it, take it out of "
                                 "generation_config.json (or config.json, where there is none)."));
    if (!decoding.task.empty()) {
        const auto found = settings.tasks.find(decoding.task);
        if (found == settings.tasks.end())
            throw Failure(usageError("--task " + decoding.task + ": " + knownTasks(settings)));
        const TaskSettings &task = found->second;
        settings.beams = task.beams.value_or(settings.beams);
        settings.lengthPenalty = task.lengthPenalty.value_or(settings.lengthPenalty);
        settings.maxLength = task.maxLength.value_or(settings.maxLength);
        settings.minLength = task.minLength.value_or(settings.minLength);
        settings.noRepeatNgram = task.noRepeatNgram.value_or(settings.noRepeatNgram);
        settings.earlyStopping = task.earlyStopping.value_or(settings.earlyStopping);
    }
    if (decoding.beams)
        settings.beams = *decoding.beams;
    if (decoding.lengthPenalty)
        settings.lengthPenalty = *decoding.lengthPenalty;
    if (decoding.maxLength)
        settings.maxLength = *decoding.maxLength;
    settings.maxLength = std::min(settings.maxLength, spec.maxPositions);
    return settings;
}

ExampleOutput GenerationRunner::makeOutput(std::int64_t id, Generated generated) const
{
    ExampleOutput output;
    output.index = id;
    output.text = m_tokenizer ? m_tokenizer->decode(generated.tokens) : idsAsText(generated.tokens);
    output.tokens = std::move(generated.tokens);
    output.score = generated.score;
    return output;
}

std::vector<ExampleOutput> GenerationRunner::runBatch(const Task &task, const std::vector<std::int64_t> &ids,
                                                      const HeadGates &gates, const RunOptions &run, bool withScores,
                                                      const JobControl &control) const
{
    const Memory memory = task.model().encode(task.inputs(ids), gates);
    auto generated = generate(task.model(), memory, decodingSettings(task.model().spec(), run.decoding), gates,
                              withScores, control);
    std::vector<ExampleOutput> outputs;
    for (std::size_t i = 0; i < ids.size(); ++i)
        outputs.push_back(makeOutput(ids[i], std::move(generated[i])));
    return outputs;
}

std::shared_ptr<const PreparedBlock> GenerationRunner::prepare(const Task &task, std::vector<std::int64_t> ids,
                                                               const HeadMask &base, const ReplacementPlan &plan,
                                                               const RunOptions &run, const JobControl &control) const
{
    const GenerationSettings settings = decodingSettings(task.model().spec(), run.decoding);
    if (settings.repetitionPenalty != 1.0)
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
    const GenerationSettings settings = decodingSettings(task.model().spec(), run.decoding);
    return {settings.maxLength,
            [settings](const ExampleOutput &output) { return stopsAtLimit(output.tokens, settings); }};
}

LossBatch GenerationRunner::loss(const Task &task, const std::vector<std::int64_t> &ids, const HeadGates &gates,
                                 Recorder *recorder) const
{
    return targetLoss(task.model(), task.examples(), ids, gates, recorder);
}

} // namespace headscope

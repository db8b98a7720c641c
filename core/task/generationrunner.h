#pragma once

#include "core/model/generate.h"
#include "core/task/runner.h"
#include "core/task/task.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace headscope {

/// Text that a decoder generates by greedy or beam search: from a source, or behind a prompt.
class GenerationRunner final : public Runner
{
public:
    /// `tokenizer`: null says ids as words. `own`: the model's own settings.
    GenerationRunner(std::shared_ptr<const Tokenizer> tokenizer, GenerationSettings own)
        : m_tokenizer(std::move(tokenizer)), m_own(std::move(own))
    {
    }

    std::vector<ExampleOutput> runBatch(const Task &task, const std::vector<std::int64_t> &ids, const HeadGates &gates,
                                        const RunOptions &run, bool withScores,
                                        const JobControl &control) const override;
    std::shared_ptr<const PreparedBlock> prepare(const Task &task, std::vector<std::int64_t> ids, const HeadMask &base,
                                                 const ReplacementPlan &plan, const RunOptions &run,
                                                 const JobControl &control) const override;
    LossBatch loss(const Task &task, const std::vector<std::int64_t> &ids, const HeadGates &gates,
                   Recorder *recorder) const override;
    std::int64_t keptSequences(const RunOptions &run) const override;
    bool generates() const override { return true; }
    OutputLimit limit(const Task &task, const RunOptions &run) const override;

    /// The text ends where one of the settings' stop texts begins.
    ExampleOutput makeOutput(std::int64_t id, Generated generated, const GenerationSettings &settings) const;
    /// The decoder's first tokens: the start token, or the example's prompt, whose beginning is cut off so that the
    /// new tokens find room.
    static std::vector<std::int64_t> givenTo(const Task &task, std::int64_t id, const GenerationSettings &settings);

private:
    /// decodingSettings(), or of prompts continuationSettings().
    GenerationSettings settingsOf(const Task &task, const RunOptions &run) const;

    std::shared_ptr<const Tokenizer> m_tokenizer;
    GenerationSettings m_own;
};

/// "5 17 2"
std::string idsAsText(const std::vector<std::int64_t> &ids);

/// Which tasks a model has settings for, as a message says it.
std::string knownTasks(const GenerationSettings &settings);

/// Whether an output, as it was generated under `settings`, has all tokens that it may have and has not come to its end
/// by itself.
bool stopsAtLimit(const std::vector<std::int64_t> &tokens, const GenerationSettings &settings);

/// Throws Failure (bad input) for settings of the model's folder that are not computed.
void requireComputable(const GenerationSettings &settings);

/// The model's own settings, those of the chosen task laid over them, then what `decoding` sets; never longer than the
/// model's positions. Throws Failure (usage) for a task that the model does not know.
GenerationSettings decodingSettings(const TransformerSpec &spec, const Decoding &decoding);

} // namespace headscope

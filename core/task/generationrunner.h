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

/// Text that a decoder generates from a source by greedy or beam search.
class GenerationRunner final : public Runner
{
public:
    /// `tokenizer`: null writes ids as words. `beams`: of the model's own settings.
    GenerationRunner(std::shared_ptr<const Tokenizer> tokenizer, int beams)
        : m_tokenizer(std::move(tokenizer)), m_beams(beams)
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
    std::int64_t keptSequences(const RunOptions &run) const override { return run.decoding.beams.value_or(m_beams); }
    bool generates() const override { return true; }

    ExampleOutput makeOutput(std::int64_t id, Generated generated) const;

private:
    std::shared_ptr<const Tokenizer> m_tokenizer;
    int m_beams;
};

/// "5 17 2"
std::string idsAsText(const std::vector<std::int64_t> &ids);

/// The model's own settings with what `decoding` sets; never longer than the model's positions.
GenerationSettings decodingSettings(const TransformerSpec &spec, const Decoding &decoding);

} // namespace headscope

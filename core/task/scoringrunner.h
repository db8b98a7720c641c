#pragma once

#include "core/task/runner.h"
#include "core/task/task.h"
#include "core/tokenize/tokenizer.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace headscope {

/// One pass through the model that scores tokens of an example.
struct ScoredSequence
{
    std::vector<std::int64_t> tokens{}; ///< what the model reads
    std::vector<std::int64_t> types{};  ///< empty: none
    std::vector<std::int64_t> places{}; ///< positions that are asked …
    std::vector<std::int64_t> wanted{}; ///< … for these tokens
    bool other = false;         ///< of the sentence of a minimal pair that should be less likely, or of a wrong choice
    std::int64_t choice = -1;   ///< of a question: which choice it ends with
    bool unconditional = false; ///< without the question
};

/// How likely a model finds given text: token by token from those before (causal language models), or each token masked
/// by itself, from all others (pseudo-likelihood; Salazar et al. 2020).
class ScoringRunner final : public Runner
{
public:
    /// `maskId`: what stands for masked tokens; none: the model is causal. `tokenizer`: null says ids as words.
    ScoringRunner(std::optional<std::int64_t> maskId, std::shared_ptr<const Tokenizer> tokenizer)
        : m_maskId(maskId), m_tokenizer(std::move(tokenizer))
    {
    }

    std::vector<ExampleOutput> runBatch(const Task &task, const std::vector<std::int64_t> &ids, const HeadGates &gates,
                                        const RunOptions &run, bool withScores,
                                        const JobControl &control) const override;
    std::shared_ptr<const PreparedBlock> prepare(const Task &task, std::vector<std::int64_t> ids, const HeadMask &base,
                                                 const ReplacementPlan &plan, const RunOptions &run,
                                                 const JobControl &control) const override;
    /// −ln p of the text (of a minimal pair: of the better sentence).
    LossBatch loss(const Task &task, const std::vector<std::int64_t> &ids, const HeadGates &gates,
                   Recorder *recorder) const override;
    void lossPasses(const Task &task, const std::vector<std::int64_t> &ids, const HeadGates &gates,
                    const Recorder &wanted, std::int64_t mostTokens, const VisitLossPass &visit) const override;
    std::int64_t sequencesPerExample(const Task &task) const override;

    Side side() const { return m_maskId ? Side::Encoder : Side::Decoder; }
    std::vector<ScoredSequence> sequencesOf(const Examples &examples, std::int64_t id) const;
    /// Adds what was found at the places of one sequence.
    struct Found
    {
        double logProbability = 0;
        std::int64_t best = 0;
    };
    static void add(const ScoredSequence &sequence, std::span<const Found> found, ExampleOutput &output);
    /// Once all sequences of an example were added.
    static void finish(const Examples &examples, ExampleOutput &output);

private:
    /// Sets the texts of outputs: the token that a causal model would say next; each token as it was guessed.
    void say(const Task &task, const HeadGates &gates, const RunOptions &run, const JobControl &control,
             std::vector<ExampleOutput> &outputs) const;
    /// Sets the texts to what a causal model says behind each text, as many tokens as the run asks for.
    void goOn(const Task &task, const HeadGates &gates, const RunOptions &run, const JobControl &control,
              std::vector<ExampleOutput> &outputs) const;
    void sayChoice(const Examples &examples, ExampleOutput &output) const;
    std::string textOf(const std::vector<std::int64_t> &ids) const;

    std::optional<std::int64_t> m_maskId;
    std::shared_ptr<const Tokenizer> m_tokenizer;
};

} // namespace headscope

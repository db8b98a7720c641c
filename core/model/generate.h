#pragma once

#include "core/base/jobcontrol.h"
#include "core/model/transformer.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace headscope {

struct Generated
{
    std::vector<std::int64_t> tokens; ///< without the start token or prompt, up to and including the end token
    double score = 0;                 ///< beam: Σ log p / length^penalty; greedy: Σ log p (only if asked for)
};

/// Tokens so far: the start token or prompt, then those that were chosen.
struct History
{
    std::span<const std::int64_t> tokens;
    std::size_t given = 1; ///< so many were not chosen

    std::span<const std::int64_t> said() const { return tokens.subspan(given); }
};

/// How Hugging Face's logits processors change the scores of the token after one history.
struct ScoreChange
{
    std::optional<std::int64_t> forced{};  ///< the only one that may follow, with score 0
    std::vector<std::int64_t> penalized{}; ///< by the repetition penalty
    std::vector<std::int64_t> banned{};    ///< beside those that always are
};

/// Hugging Face's logits processors in their order, for every path.
class ScoreProcessor
{
public:
    explicit ScoreProcessor(const GenerationSettings &settings);

    /// Tokens that may never follow, whatever came before (single bad words).
    const std::vector<std::int64_t> &alwaysBanned() const { return m_alwaysBanned; }
    ScoreChange after(const History &history) const;
    /// By how much a penalty can enlarge the difference of two scores, or what it is wrong by.
    double largestFactor() const;

    /// On rows of scores [R, V]: what comes before the softmax, in place: tokens that never take part.
    void banLogits(torch::Tensor &logits) const;
    /// The rest. Greedy passes raw logits, beam search log-probabilities.
    void apply(torch::Tensor &scores, const std::vector<History> &histories) const;

private:
    const GenerationSettings &m_settings;
    std::vector<std::int64_t> m_alwaysBanned;
};

/// Whether nothing may follow a greedy history: an end token, a text at which outputs end, or the longest length.
bool isComplete(const History &history, const GenerationSettings &settings);

/// The tokens that sequences begin with, one per row: the start token, or the prompts of a model without encoder.
using Prompts = std::vector<std::vector<std::int64_t>>;

/// A cache filled with all tokens of the prompts but the last ones, as searches need it. `memory`: nothing in a model
/// without encoder; then each row has one beam.
DecodeCache prefilledCache(const Transformer &model, const Prompts &prompts, const Memory *memory, std::int64_t beams,
                           const HeadGates &gates);

/// Greedy search: the likeliest token, step by step. Finished rows leave the batch. One result per row.
std::vector<Generated> greedySearch(const Transformer &model, const Prompts &prompts, const Memory *memory,
                                    const GenerationSettings &settings, const HeadGates &gates, bool withScores,
                                    const JobControl &control);

/// Beam search as Hugging Face's BeamSearchScorer does it (before 4.50).
std::vector<Generated> beamSearch(const Transformer &model, const Prompts &prompts, const Memory *memory,
                                  const GenerationSettings &settings, const HeadGates &gates,
                                  const JobControl &control);

/// Whichever of the two the settings ask for. `withScores`: of greedy search too.
std::vector<Generated> generate(const Transformer &model, const Prompts &prompts, const Memory *memory,
                                const GenerationSettings &settings, const HeadGates &gates, bool withScores,
                                const JobControl &control);
/// From the start token, for every sentence of the memory.
std::vector<Generated> generate(const Transformer &model, const Memory &memory, const GenerationSettings &settings,
                                const HeadGates &gates, bool withScores, const JobControl &control);

} // namespace headscope

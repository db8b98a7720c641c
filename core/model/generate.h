#pragma once

#include "core/base/jobcontrol.h"
#include "core/model/transformer.h"

#include <cstdint>
#include <vector>

namespace headscope {

struct Generated
{
    std::vector<std::int64_t> tokens; ///< without the start token, up to and including the end token
    double score = 0; ///< beam: Σ log p / length^penalty; greedy: Σ log p (only if asked for)
};

/// Hugging Face's logits processors in their order (FORMATS 5.2), on rows of scores [R, V].
class ScoreProcessor
{
public:
    explicit ScoreProcessor(const GenerationSettings &settings) : m_settings(settings) {}

    /// What comes before the softmax, in place: tokens that never take part.
    void banLogits(torch::Tensor &logits) const;
    /// `history[r]`: tokens so far, start token first. Greedy passes raw logits, beam search log-probabilities.
    void apply(torch::Tensor &scores, const std::vector<std::vector<std::int64_t>> &history) const;
    /// True if what it does to a position depends on nothing but how many tokens precede it (no repetition
    /// rules, no multi-token bad words): then many positions can be processed at once.
    bool dependsOnLengthOnly() const;
    /// The same for rows whose histories have the given lengths (start token counted). Precondition:
    /// dependsOnLengthOnly().
    void applyByLength(torch::Tensor &scores, const std::vector<std::int64_t> &lengths) const;

private:
    const GenerationSettings &m_settings;
};

/// Whether nothing may follow a greedy history (start token first): an end token, or the longest length.
bool isComplete(const std::vector<std::int64_t> &history, const GenerationSettings &settings);

/// A greedy search that can start anywhere: rows with a history and a filled cache go on until the end token or
/// the longest length. Finished rows leave the batch.
class GreedySearch
{
public:
    GreedySearch(const Transformer &model, const GenerationSettings &settings, bool withScores = false)
        : m_model(model), m_settings(settings), m_withScores(withScores)
    {
    }

    /// From the start token. One result per row of `memory`.
    std::vector<Generated> run(const Memory &memory, const HeadGates &gates, const JobControl &control) const;
    /// histories[r] = start token and what is decided so far; the cache holds all of it but the last token.
    std::vector<Generated> resume(DecodeCache cache, std::vector<std::vector<std::int64_t>> histories,
                                  HeadGates gates, const JobControl &control) const;

private:
    const Transformer &m_model;
    const GenerationSettings &m_settings;
    bool m_withScores;
};

/// Beam search as Hugging Face's BeamSearchScorer does it (before 4.50; FORMATS 5.3).
std::vector<Generated> beamSearch(const Transformer &model, const Memory &memory, const GenerationSettings &settings,
                                  const HeadGates &gates, const JobControl &control);

} // namespace headscope

#pragma once

#include "core/model/generate.h"

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace headscope {

/// Which tokens the length penalty counts.
enum class BeamLength {
    WithStart,     ///< all, as transformers did up to 4.27: of an encoder-decoder
    WithoutPrompt, ///< the generated tokens only, as it does since: of a model without encoder
};

/// The beam search of one sentence as Hugging Face's BeamSearchScorer does it (before 4.50, steps 2–4):
/// which beams continue, which hypotheses are finished, when the search ends. The caller runs the model and provides
/// the candidates.
class BeamSentence
{
public:
    struct Beam
    {
        std::vector<std::int64_t> tokens; ///< start token or prompt first
        float sum = 0;                    ///< of log-probabilities
    };
    struct Candidate
    {
        float sum = 0;         ///< of the beam's log-probabilities and the token's
        std::int64_t beam = 0; ///< that it continues
        std::int64_t token = 0;
    };

    /// `prompt`: what every beam begins with.
    BeamSentence(const GenerationSettings &settings, std::vector<std::int64_t> prompt,
                 BeamLength counted = BeamLength::WithStart);

    /// How many candidates, best first, a step looks at. One more shows how near the next one is.
    static std::int64_t candidatesWanted(const GenerationSettings &settings);

    const std::vector<Beam> &beams() const { return m_beams; }
    std::size_t given() const { return static_cast<std::size_t>(m_given); } ///< tokens that were not chosen
    /// Walks the candidates best first: end tokens become hypotheses, others the next beams. Returns for every new beam
    /// the one it continues; nothing once the search has ended. Precondition: !isFinished().
    std::vector<std::int64_t> advance(std::span<const Candidate> candidates);
    bool isFinished() const { return m_isFinished; }
    /// No error of log-probabilities smaller than this could have changed a decision so far.
    double safeError() const { return m_safeError; }
    /// Precondition: isFinished().
    Generated result() const;

private:
    struct Hypothesis
    {
        std::vector<std::int64_t> tokens; ///< start token first, end token left out
        double score = 0;
        double errors = 0; ///< how often the error of a token may be in it
    };
    bool isEnd(std::int64_t token) const;
    bool isFull() const { return static_cast<int>(m_kept.size()) >= m_settings.beams; }
    Hypothesis hypothesis(const std::vector<std::int64_t> &tokens, double sum, std::int64_t length) const;
    void add(const Beam &beam, double sum, std::int64_t length);
    bool isDone(float bestSum, std::int64_t length);
    void finish(bool withBeams);
    const Hypothesis &best() const;
    void recordSelectionMargins(std::span<const Candidate> candidates, std::size_t last);
    void recordMargin(const Candidate &better, const Candidate &worse);
    void recordMargin(double difference, double errors);

    const GenerationSettings &m_settings;
    std::int64_t m_given;      ///< length of the prompt
    std::int64_t m_notCounted; ///< tokens of it that the length penalty leaves out
    std::vector<Beam> m_beams;
    std::vector<Hypothesis> m_kept; ///< the best `beams` of those that ended
    double m_worst = 1e9;           ///< score among them
    double m_worstErrors = 0;
    bool m_isFinished = false;
    double m_safeError = std::numeric_limits<double>::infinity();
};

} // namespace headscope

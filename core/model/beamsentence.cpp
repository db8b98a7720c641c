#include "core/model/beamsentence.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace headscope {

BeamSentence::BeamSentence(const GenerationSettings &settings, std::vector<std::int64_t> prompt, BeamLength counted)
    : m_settings(settings), m_given(std::ssize(prompt)), m_notCounted(counted == BeamLength::WithStart ? 0 : m_given)
{
    for (int b = 0; b < settings.beams; ++b) // all but one out of the race, or they would all be the same
        m_beams.push_back({prompt, b == 0 ? 0.0F : -1e9F});
}

std::int64_t BeamSentence::candidatesWanted(const GenerationSettings &settings)
{
    return std::max<std::int64_t>(2, 1 + std::ssize(settings.endIds)) * settings.beams;
}

bool BeamSentence::isEnd(std::int64_t token) const
{
    return std::ranges::find(m_settings.endIds, token) != m_settings.endIds.end();
}

std::vector<std::int64_t> BeamSentence::advance(std::span<const Candidate> candidates)
{
    if (candidates.empty()) { // weights that are no numbers: nothing can be said
        finish(true);
        return {};
    }
    const auto wanted = static_cast<std::size_t>(candidatesWanted(m_settings));
    std::vector<Beam> next;
    std::vector<std::int64_t> from;
    std::size_t last = 0; // candidate that was taken
    for (std::size_t rank = 0; rank < std::min(wanted, candidates.size()); ++rank) {
        const Candidate &candidate = candidates[rank];
        const Beam &parent = m_beams[static_cast<std::size_t>(candidate.beam)];
        if (isEnd(candidate.token)) {
            if (rank < static_cast<std::size_t>(m_settings.beams))
                add(parent, candidate.sum, std::ssize(parent.tokens) + (m_notCounted > 0 ? 1 - m_notCounted : 0));
        } else {
            Beam beam = parent;
            beam.tokens.push_back(candidate.token);
            beam.sum = candidate.sum;
            next.push_back(std::move(beam));
            from.push_back(candidate.beam);
            last = rank;
        }
        if (std::ssize(next) == m_settings.beams)
            break;
    }
    recordSelectionMargins(candidates, last);
    const std::int64_t length = std::ssize(m_beams.front().tokens) + 1;
    m_beams = std::move(next);
    if (std::ssize(m_beams) < m_settings.beams) // fewer tokens than beams: nothing can go on
        finish(true);
    else if (isDone(m_beams.front().sum, length)) // of those that go on, as transformers since 4.50
        finish(false);
    else if (length >= m_settings.maxLength)
        finish(true);
    if (m_isFinished)
        from.clear();
    return from;
}

/// Other candidates would go on, or other sentences end, if log-probabilities were a little different: from where on?
void BeamSentence::recordSelectionMargins(std::span<const Candidate> candidates, std::size_t last)
{
    const auto beams = static_cast<std::size_t>(m_settings.beams);
    const auto next
        = std::find_if(candidates.begin() + static_cast<std::ptrdiff_t>(std::min(last + 1, candidates.size())),
                       candidates.end(), [&](const Candidate &candidate) { return !isEnd(candidate.token); });
    if (next != candidates.end())
        recordMargin(candidates[last], *next); // the first that does not go on
    // An end token counts if fewer than `beams` candidates are better.
    for (std::size_t rank = 0; rank < candidates.size(); ++rank) {
        if (!isEnd(candidates[rank].token))
            continue;
        if (rank >= beams)
            recordMargin(candidates[beams - 1], candidates[rank]);
        else if (beams < candidates.size())
            recordMargin(candidates[rank], candidates[beams]);
    }
}

/// Their common part is wrong by the same in both.
void BeamSentence::recordMargin(const Candidate &better, const Candidate &worse)
{
    const auto &left = m_beams[static_cast<std::size_t>(better.beam)].tokens;
    const auto &right = m_beams[static_cast<std::size_t>(worse.beam)].tokens;
    const auto common = std::ranges::mismatch(left, right).in1 - left.begin();
    recordMargin(better.sum - worse.sum, static_cast<double>(2 * (std::ssize(left) - common + 1)));
}

/// Numbers whose order decides something lie so far apart, and have so many errors of a token in them.
void BeamSentence::recordMargin(double difference, double errors)
{
    const double safe = difference / errors;
    m_safeError = std::isnan(safe) ? -std::numeric_limits<double>::infinity() : std::min(m_safeError, safe);
}

BeamSentence::Hypothesis BeamSentence::hypothesis(const std::vector<std::int64_t> &tokens, double sum,
                                                  std::int64_t length) const
{
    const double divisor = std::pow(static_cast<double>(length), m_settings.lengthPenalty);
    return {tokens, sum / divisor, static_cast<double>(length) / divisor};
}

/// `length`: what the score is divided by, before the penalty.
void BeamSentence::add(const Beam &beam, double sum, std::int64_t length)
{
    Hypothesis added = hypothesis(beam.tokens, sum, length);
    if (isFull()) {
        recordMargin(std::abs(added.score - m_worst), added.errors + m_worstErrors);
        if (added.score <= m_worst)
            return;
    }
    m_kept.push_back(std::move(added));
    if (static_cast<int>(m_kept.size()) > m_settings.beams)
        m_kept.erase(std::ranges::min_element(m_kept, {}, &Hypothesis::score));
    const auto worst = std::ranges::min_element(m_kept, {}, &Hypothesis::score);
    m_worst = worst->score;
    m_worstErrors = worst->errors;
}

/// `length`: tokens of the beams that would go on, start token counted.
bool BeamSentence::isDone(float bestSum, std::int64_t length)
{
    if (!isFull())
        return false;
    if (m_settings.earlyStopping == EarlyStopping::On)
        return true;
    const bool byLongest = m_settings.earlyStopping == EarlyStopping::Never && m_settings.lengthPenalty > 0;
    const Hypothesis hope = hypothesis({}, bestSum, (byLongest ? m_settings.maxLength : length) - m_notCounted);
    recordMargin(std::abs(m_worst - hope.score), hope.errors + m_worstErrors);
    return m_worst >= hope.score;
}

void BeamSentence::finish(bool withBeams)
{
    if (withBeams) { // cut at the longest length
        for (const Beam &beam : m_beams)
            add(beam, beam.sum, std::ssize(beam.tokens) - m_notCounted);
    }
    m_isFinished = true;
    const Hypothesis &first = best();
    for (const Hypothesis &other : m_kept) {
        if (&other != &first)
            recordMargin(first.score - other.score, first.errors + other.errors);
    }
}

/// Among equals the one added last, as Hugging Face pops from a stable ascending sort.
const BeamSentence::Hypothesis &BeamSentence::best() const
{
    const Hypothesis *best = &m_kept.front();
    for (const Hypothesis &hypothesis : m_kept) {
        if (hypothesis.score >= best->score)
            best = &hypothesis;
    }
    return *best;
}

Generated BeamSentence::result() const
{
    const Hypothesis &hypothesis = best();
    Generated result;
    result.tokens.assign(hypothesis.tokens.begin() + m_given, hypothesis.tokens.end());
    result.score = hypothesis.score;
    if (std::ssize(hypothesis.tokens) < m_settings.maxLength && !m_settings.endIds.empty())
        result.tokens.push_back(m_settings.endIds.front());
    return result;
}

} // namespace headscope

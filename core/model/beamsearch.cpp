#include "core/model/generate.h"

#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace headscope {
namespace {

struct Hypothesis
{
    std::vector<std::int64_t> tokens; ///< start token first, end token left out
    double score = 0;
};

/// The finished hypotheses of one sentence: the best `beams` of them (FORMATS 5.3, steps 2–4).
class HypothesisStore
{
public:
    explicit HypothesisStore(const GenerationSettings &settings) : m_settings(settings) {}

    void add(std::vector<std::int64_t> tokens, double sum)
    {
        const double score = sum / std::pow(static_cast<double>(tokens.size()), m_settings.lengthPenalty);
        if (isFull() && score <= m_worst)
            return;
        m_kept.push_back({std::move(tokens), score});
        if (static_cast<int>(m_kept.size()) > m_settings.beams)
            m_kept.erase(std::ranges::min_element(m_kept, {}, &Hypothesis::score));
        m_worst = std::ranges::min_element(m_kept, {}, &Hypothesis::score)->score;
    }

    /// `length`: tokens of the beams that would go on, start token counted.
    bool isDone(double bestSum, std::int64_t length) const
    {
        if (!isFull())
            return false;
        switch (m_settings.earlyStopping) {
        case EarlyStopping::On:
            return true;
        case EarlyStopping::Off:
            return m_worst >= bestSum / std::pow(static_cast<double>(length), m_settings.lengthPenalty);
        case EarlyStopping::Never:
            return m_worst >= bestSum
                                  / std::pow(static_cast<double>(m_settings.lengthPenalty > 0 ? m_settings.maxLength
                                                                                              : length),
                                             m_settings.lengthPenalty);
        }
        return false;
    }

    /// Among equals the one added last, as Hugging Face pops from a stable ascending sort.
    const Hypothesis &best() const
    {
        const Hypothesis *best = &m_kept.front();
        for (const Hypothesis &hypothesis : m_kept) {
            if (hypothesis.score >= best->score)
                best = &hypothesis;
        }
        return *best;
    }

private:
    bool isFull() const { return static_cast<int>(m_kept.size()) >= m_settings.beams; }

    const GenerationSettings &m_settings;
    std::vector<Hypothesis> m_kept;
    double m_worst = 1e9;
};

struct Beam
{
    std::vector<std::int64_t> tokens;
    float sum = 0;
};

/// One sentence of the running search.
struct Sentence
{
    std::size_t owner = 0;
    std::vector<Beam> beams;
    HypothesisStore store;
};

struct Candidate
{
    float sum = 0;
    std::int64_t beam = 0;
    std::int64_t token = 0;
};

class Search
{
public:
    Search(const Transformer &model, const GenerationSettings &settings, const HeadGates &gates)
        : m_model(model), m_settings(settings), m_processor(settings), m_gates(gates)
    {
    }

    std::vector<Generated> run(const Memory &memory, const JobControl &control)
    {
        const auto count = static_cast<std::size_t>(memory.hidden.size(0));
        m_results.resize(count);
        m_cache = m_model.beginDecoding(memory, m_settings.beams);
        for (std::size_t i = 0; i < count; ++i) {
            Sentence sentence{i, {}, HypothesisStore(m_settings)};
            for (int b = 0; b < m_settings.beams; ++b)
                sentence.beams.push_back({{m_settings.startId}, b == 0 ? 0.0F : -1e9F});
            m_sentences.push_back(std::move(sentence));
        }
        for (std::int64_t length = 1; length < m_settings.maxLength && !m_sentences.empty(); ++length) {
            control.checkpoint();
            step(length);
        }
        for (Sentence &sentence : m_sentences) { // cut at the longest length
            for (Beam &beam : sentence.beams)
                sentence.store.add(beam.tokens, beam.sum);
            finish(sentence);
        }
        return std::move(m_results);
    }

private:
    /// Processed log-probabilities plus running sums, [N, beams·V].
    torch::Tensor candidateSums() const
    {
        std::vector<std::int64_t> last;
        std::vector<std::vector<std::int64_t>> histories;
        std::vector<float> sums;
        for (const Sentence &sentence : m_sentences) {
            for (const Beam &beam : sentence.beams) {
                last.push_back(beam.tokens.back());
                histories.push_back(beam.tokens);
                sums.push_back(beam.sum);
            }
        }
        const auto device = m_model.device();
        auto logits = m_model.decodeStep(m_cache, torch::tensor(last, torch::kInt64).to(device), m_gates);
        m_processor.banLogits(logits);
        auto scores = torch::log_softmax(logits, -1);
        m_processor.apply(scores, histories);
        scores = scores + torch::tensor(sums).to(device).unsqueeze(1);
        return scores.view({static_cast<std::int64_t>(m_sentences.size()), -1});
    }

    void step(std::int64_t length)
    {
        const auto sums = candidateSums();
        const std::int64_t vocabulary = sums.size(1) / m_settings.beams;
        const auto perBeam = std::max<std::int64_t>(2, 1 + std::ssize(m_settings.endIds));
        const std::int64_t wanted = std::min<std::int64_t>(perBeam * m_settings.beams, sums.size(1));
        const auto [topSums, topIndex] = sums.topk(wanted, 1);
        const auto values = topSums.cpu();
        const auto index = topIndex.cpu();

        std::vector<std::int64_t> rows; // of the cache, for every beam that goes on
        std::vector<std::int64_t> kept; // sentences that go on
        std::vector<Sentence> going;
        for (std::size_t s = 0; s < m_sentences.size(); ++s) {
            Sentence &sentence = m_sentences[s];
            std::vector<Candidate> candidates;
            for (std::int64_t k = 0; k < wanted; ++k) {
                const auto offset = static_cast<std::int64_t>(s) * wanted + k;
                const std::int64_t flat = index.data_ptr<std::int64_t>()[offset];
                candidates.push_back({values.data_ptr<float>()[offset], flat / vocabulary, flat % vocabulary});
            }
            std::vector<std::int64_t> from = extend(sentence, candidates);
            if (std::ssize(sentence.beams) < m_settings.beams) { // fewer tokens than beams: nothing can go on
                for (Beam &beam : sentence.beams)
                    sentence.store.add(std::move(beam.tokens), beam.sum);
                finish(sentence);
                continue;
            }
            if (sentence.store.isDone(candidates.front().sum, length + 1)) {
                finish(sentence);
                continue;
            }
            for (std::int64_t beam : from)
                rows.push_back(static_cast<std::int64_t>(s) * m_settings.beams + beam);
            kept.push_back(static_cast<std::int64_t>(s));
            going.push_back(std::move(sentence));
        }
        if (going.empty()) {
            m_sentences.clear();
            return;
        }
        const auto device = m_model.device();
        const bool thinned = going.size() < m_sentences.size();
        const auto sentenceRows = thinned ? torch::tensor(kept, torch::kInt64).to(device) : torch::Tensor();
        m_cache.select(torch::tensor(rows, torch::kInt64).to(device), sentenceRows);
        if (thinned)
            m_gates = m_gates.selectRows(sentenceRows);
        m_sentences = std::move(going);
    }

    /// Walks the candidates best first: end tokens become hypotheses, others the next beams. Returns for every
    /// new beam the one it continues.
    std::vector<std::int64_t> extend(Sentence &sentence, const std::vector<Candidate> &candidates) const
    {
        std::vector<Beam> next;
        std::vector<std::int64_t> from;
        for (std::size_t rank = 0; rank < candidates.size(); ++rank) {
            const Candidate &candidate = candidates[rank];
            const Beam &parent = sentence.beams[static_cast<std::size_t>(candidate.beam)];
            if (std::ranges::find(m_settings.endIds, candidate.token) != m_settings.endIds.end()) {
                if (rank < static_cast<std::size_t>(m_settings.beams))
                    sentence.store.add(parent.tokens, candidate.sum);
            } else {
                Beam beam = parent;
                beam.tokens.push_back(candidate.token);
                beam.sum = candidate.sum;
                next.push_back(std::move(beam));
                from.push_back(candidate.beam);
            }
            if (std::ssize(next) == m_settings.beams)
                break;
        }
        sentence.beams = std::move(next);
        return from;
    }

    void finish(Sentence &sentence)
    {
        const Hypothesis &best = sentence.store.best();
        Generated &result = m_results[sentence.owner];
        result.tokens.assign(best.tokens.begin() + 1, best.tokens.end());
        result.score = best.score;
        if (static_cast<std::int64_t>(best.tokens.size()) < m_settings.maxLength && !m_settings.endIds.empty())
            result.tokens.push_back(m_settings.endIds.front());
    }

    const Transformer &m_model;
    const GenerationSettings &m_settings;
    ScoreProcessor m_processor;
    HeadGates m_gates;
    mutable DecodeCache m_cache;
    std::vector<Sentence> m_sentences;
    std::vector<Generated> m_results;
};

} // namespace

std::vector<Generated> beamSearch(const Transformer &model, const Memory &memory, const GenerationSettings &settings,
                                  const HeadGates &gates, const JobControl &control)
{
    return Search(model, settings, gates).run(memory, control);
}

} // namespace headscope

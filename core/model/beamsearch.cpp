#include "core/model/beamsentence.h"

#include "core/tensor/indextensor.h"

#include <torch/types.h>

#include <algorithm>

namespace headscope {
namespace {

/// One sentence of the running search.
struct Running
{
    std::size_t owner = 0;
    BeamSentence sentence;
};

class BeamSearch
{
public:
    BeamSearch(const Transformer &model, const GenerationSettings &settings, const HeadGates &gates)
        : m_model(model), m_settings(settings), m_processor(settings), m_gates(gates)
    {
    }

    std::vector<Generated> run(const Prompts &prompts, const Memory *memory, const JobControl &control)
    {
        m_results.resize(prompts.size());
        m_cache = prefilledCache(m_model, prompts, memory, m_settings.beams, m_gates);
        for (std::size_t i = 0; i < prompts.size(); ++i)
            m_running.push_back(
                {i, BeamSentence(m_settings, prompts[i], memory ? BeamLength::WithStart : BeamLength::WithoutPrompt)});
        while (!m_running.empty()) {
            control.checkpoint();
            step();
        }
        return std::move(m_results);
    }

private:
    /// Processed log-probabilities plus running sums, [N, beams·V].
    torch::Tensor candidateSums() const
    {
        std::vector<std::int64_t> last;
        std::vector<History> histories;
        std::vector<float> sums;
        for (const Running &running : m_running) {
            for (const BeamSentence::Beam &beam : running.sentence.beams()) {
                last.push_back(beam.tokens.back());
                histories.push_back({beam.tokens, running.sentence.given()});
                sums.push_back(beam.sum);
            }
        }
        const auto device = m_model.device();
        auto logits = m_model.decodeStep(m_cache, indexTensor(last, device), m_gates);
        m_processor.banLogits(logits);
        auto scores = torch::log_softmax(logits, -1);
        m_processor.apply(scores, histories);
        scores = scores + torch::tensor(sums).to(device).unsqueeze(1);
        return scores.view({static_cast<std::int64_t>(m_running.size()), -1});
    }

    void step()
    {
        const auto sums = candidateSums();
        const std::int64_t vocabulary = sums.size(1) / m_settings.beams;
        const std::int64_t wanted = std::min(BeamSentence::candidatesWanted(m_settings), sums.size(1));
        const auto [topSums, topIndex] = sums.topk(wanted, 1);
        const auto values = topSums.cpu();
        const auto index = topIndex.cpu();

        std::vector<std::int64_t> rows; // of the cache, for every beam that goes on
        std::vector<std::int64_t> kept; // sentences that go on
        std::vector<Running> going;
        for (std::size_t s = 0; s < m_running.size(); ++s) {
            std::vector<BeamSentence::Candidate> candidates;
            for (std::int64_t k = 0; k < wanted; ++k) {
                const auto offset = static_cast<std::int64_t>(s) * wanted + k;
                const std::int64_t flat = index.data_ptr<std::int64_t>()[offset];
                candidates.push_back({values.data_ptr<float>()[offset], flat / vocabulary, flat % vocabulary});
            }
            Running &running = m_running[s];
            for (std::int64_t beam : running.sentence.advance(candidates))
                rows.push_back(static_cast<std::int64_t>(s) * m_settings.beams + beam);
            if (running.sentence.isFinished()) {
                m_results[running.owner] = running.sentence.result();
                continue;
            }
            kept.push_back(static_cast<std::int64_t>(s));
            going.push_back(std::move(running));
        }
        const bool thinned = going.size() < m_running.size();
        m_running = std::move(going);
        if (m_running.empty())
            return;
        const auto device = m_model.device();
        const auto sentenceRows = thinned ? indexTensor(kept, device) : torch::Tensor();
        m_cache.select(indexTensor(rows, device), sentenceRows);
        if (thinned)
            m_gates = m_gates.selectRows(sentenceRows);
    }

    const Transformer &m_model;
    const GenerationSettings &m_settings;
    ScoreProcessor m_processor;
    HeadGates m_gates;
    mutable DecodeCache m_cache;
    std::vector<Running> m_running;
    std::vector<Generated> m_results;
};

} // namespace

std::vector<Generated> beamSearch(const Transformer &model, const Prompts &prompts, const Memory *memory,
                                  const GenerationSettings &settings, const HeadGates &gates, const JobControl &control)
{
    return BeamSearch(model, settings, gates).run(prompts, memory, control);
}

} // namespace headscope

#include "core/model/generate.h"

#include "core/model/likelihood.h"
#include "core/tensor/indextensor.h"

#include <torch/types.h>

#include <algorithm>

namespace headscope {
namespace {

/// Leaves the batch to the rows in `keep`.
void thin(DecodeCache &cache, HeadGates &gates, const std::vector<std::int64_t> &keep, const torch::Device &device)
{
    const auto rows = indexTensor(keep, device);
    cache.select(rows, rows);
    gates = gates.selectRows(rows);
}

/// The rows of a greedy search as they go on and end.
class GreedySearch
{
public:
    GreedySearch(const Transformer &model, const GenerationSettings &settings, bool withScores, Prompts prompts)
        : m_model(model), m_settings(settings), m_processor(settings), m_withScores(withScores),
          m_histories(std::move(prompts)), m_results(m_histories.size())
    {
        for (std::size_t r = 0; r < m_histories.size(); ++r) {
            m_owner.push_back(r);
            m_given.push_back(m_histories[r].size());
            m_finished.push_back(isComplete({m_histories[r], m_given[r]}, m_settings));
        }
    }

    std::vector<Generated> run(DecodeCache cache, HeadGates gates, const JobControl &control)
    {
        while (true) {
            control.checkpoint();
            const auto done = std::ranges::count(m_finished, true);
            if (done == std::ssize(m_finished))
                break;
            // Copying the cache costs about as much as a step: thin the batch when a fair share is done, or when a
            // finished row would step beyond the model's positions.
            const bool atTheEnd = std::ranges::max(cache.lengths) >= m_model.spec().maxPositions;
            if (done > 0 && (done * 6 >= std::ssize(m_finished) || atTheEnd))
                dropFinished(cache, gates);
            step(cache, gates);
        }
        for (std::size_t r = 0; r < m_histories.size(); ++r)
            conclude(r);
        return std::move(m_results);
    }

private:
    void conclude(std::size_t r)
    {
        m_results[m_owner[r]].tokens.assign(m_histories[r].begin() + static_cast<std::ptrdiff_t>(m_given[m_owner[r]]),
                                            m_histories[r].end());
    }

    void dropFinished(DecodeCache &cache, HeadGates &gates)
    {
        std::vector<std::int64_t> keep;
        std::vector<std::vector<std::int64_t>> histories;
        std::vector<std::size_t> owner;
        for (std::size_t r = 0; r < m_finished.size(); ++r) {
            if (m_finished[r]) {
                conclude(r);
                continue;
            }
            keep.push_back(static_cast<std::int64_t>(r));
            histories.push_back(std::move(m_histories[r]));
            owner.push_back(m_owner[r]);
        }
        thin(cache, gates, keep, m_model.device());
        m_histories = std::move(histories);
        m_owner = std::move(owner);
        m_finished.assign(m_histories.size(), false);
    }

    void step(DecodeCache &cache, const HeadGates &gates)
    {
        std::vector<std::int64_t> last;
        for (const auto &history : m_histories)
            last.push_back(history.back());
        auto scores = m_model.decodeStep(cache, indexTensor(last, m_model.device()), gates);
        m_processor.banLogits(scores);
        std::vector<History> histories;
        for (std::size_t r = 0; r < m_histories.size(); ++r)
            histories.push_back({m_histories[r], m_given[m_owner[r]]});
        m_processor.apply(scores, histories);
        const auto best = scores.argmax(-1);
        torch::Tensor logProbabilities;
        if (m_withScores)
            logProbabilities = logProbabilitiesOf(best, scores).to(torch::kCPU, torch::kFloat64);
        const auto chosen = best.cpu();
        const auto *tokens = chosen.data_ptr<std::int64_t>();
        for (std::size_t r = 0; r < m_histories.size(); ++r) {
            if (m_finished[r])
                continue;
            m_histories[r].push_back(tokens[r]);
            if (m_withScores)
                m_results[m_owner[r]].score += logProbabilities.data_ptr<double>()[r];
            m_finished[r] = isComplete({m_histories[r], m_given[m_owner[r]]}, m_settings);
        }
    }

    const Transformer &m_model;
    const GenerationSettings &m_settings;
    ScoreProcessor m_processor;
    bool m_withScores;
    std::vector<std::vector<std::int64_t>> m_histories;
    std::vector<std::size_t> m_owner; ///< which result a row of the batch belongs to
    std::vector<std::size_t> m_given; ///< tokens that results begin with, and were not chosen
    std::vector<bool> m_finished;
    std::vector<Generated> m_results;
};

} // namespace

bool isComplete(const History &history, const GenerationSettings &settings)
{
    const std::span<const std::int64_t> said = history.said();
    const bool isLong = settings.newTokens ? std::ssize(said) >= *settings.newTokens
                                           : std::ssize(history.tokens) >= settings.maxLength;
    return isLong
        || (!said.empty()
            && (std::ranges::find(settings.endIds, said.back()) != settings.endIds.end()
                || (settings.isStopped && settings.isStopped(said))));
}

DecodeCache prefilledCache(const Transformer &model, const Prompts &prompts, const Memory *memory, std::int64_t beams,
                           const HeadGates &gates)
{
    DecodeCache cache = model.beginDecoding(memory, std::ssize(prompts), beams);
    if (std::ranges::all_of(prompts, [](const auto &prompt) { return prompt.size() == 1; }))
        return cache;
    std::vector<std::vector<std::int64_t>> before;
    for (const auto &prompt : prompts)
        before.emplace_back(prompt.begin(), prompt.end() - 1);
    const TokenBatch batch = TokenBatch::pad(before, model.spec().generation.padId, model.device());
    StackState state = model.begin(Side::Decoder, batch);
    model.advanceToEnd(state, {gates, &cache.cross, nullptr, &cache.self});
    cache.lengths = batch.lengths;
    if (beams == 1)
        return cache;
    for (KeyValue &place : cache.self) {
        if (place.key.defined())
            place = {place.key.repeat_interleave(beams, 0), place.value.repeat_interleave(beams, 0)};
    }
    cache.lengths.clear();
    for (const std::int64_t length : batch.lengths)
        cache.lengths.insert(cache.lengths.end(), static_cast<std::size_t>(beams), length);
    return cache;
}

std::vector<Generated> greedySearch(const Transformer &model, const Prompts &prompts, const Memory *memory,
                                    const GenerationSettings &settings, const HeadGates &gates, bool withScores,
                                    const JobControl &control)
{
    return GreedySearch(model, settings, withScores, prompts)
        .run(prefilledCache(model, prompts, memory, 1, gates), gates, control);
}

std::vector<Generated> generate(const Transformer &model, const Prompts &prompts, const Memory *memory,
                                const GenerationSettings &settings, const HeadGates &gates, bool withScores,
                                const JobControl &control)
{
    return settings.beams > 1 ? beamSearch(model, prompts, memory, settings, gates, control)
                              : greedySearch(model, prompts, memory, settings, gates, withScores, control);
}

std::vector<Generated> generate(const Transformer &model, const Memory &memory, const GenerationSettings &settings,
                                const HeadGates &gates, bool withScores, const JobControl &control)
{
    const Prompts starts(static_cast<std::size_t>(memory.hidden.size(0)), {settings.startId});
    return generate(model, starts, &memory, settings, gates, withScores, control);
}

} // namespace headscope

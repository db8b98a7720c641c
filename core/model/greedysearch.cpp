#include "core/model/generate.h"

#include <torch/torch.h>

#include <algorithm>

namespace headscope {

std::vector<Generated> GreedySearch::run(const Memory &memory, const HeadGates &gates, const JobControl &control) const
{
    const auto rows = static_cast<std::size_t>(memory.hidden.size(0));
    return resume(m_model.beginDecoding(memory, 1), std::vector<std::vector<std::int64_t>>(rows, {m_settings.startId}),
                  gates, control);
}

namespace {

/// Leaves the batch to the rows in `keep`.
void thin(DecodeCache &cache, HeadGates &gates, const std::vector<std::int64_t> &keep, const torch::Device &device)
{
    const auto rows = torch::tensor(keep, torch::kInt64).to(device);
    cache.select(rows, rows);
    gates = gates.selectRows(rows);
}

} // namespace

bool isComplete(const std::vector<std::int64_t> &history, const GenerationSettings &settings)
{
    return (history.size() > 1 && std::ranges::find(settings.endIds, history.back()) != settings.endIds.end())
           || std::ssize(history) >= settings.maxLength;
}

std::vector<Generated> GreedySearch::resume(DecodeCache cache, std::vector<std::vector<std::int64_t>> histories,
                                            HeadGates gates, const JobControl &control) const
{
    const ScoreProcessor processor(m_settings);
    std::vector<Generated> results(histories.size());
    std::vector<std::size_t> owner; // which result a row of the batch belongs to
    std::vector<bool> finished(histories.size(), false);
    for (std::size_t r = 0; r < histories.size(); ++r) {
        owner.push_back(r);
        finished[r] = isComplete(histories[r], m_settings);
    }

    while (true) {
        control.checkpoint();
        const auto done = std::ranges::count(finished, true);
        if (done == std::ssize(finished))
            break;
        // Copying the cache costs about as much as a step: thin the batch when a fair share is done, or when a finished
        // row would step beyond the model's positions.
        const bool atTheEnd = std::ranges::max(cache.lengths) >= m_model.spec().maxPositions;
        if (done * 6 >= std::ssize(finished) || (done > 0 && atTheEnd)) {
            std::vector<std::int64_t> keep;
            std::vector<std::vector<std::int64_t>> keptHistories;
            std::vector<std::size_t> keptOwner;
            for (std::size_t r = 0; r < finished.size(); ++r) {
                if (finished[r]) {
                    results[owner[r]].tokens.assign(histories[r].begin() + 1, histories[r].end());
                } else {
                    keep.push_back(static_cast<std::int64_t>(r));
                    keptHistories.push_back(std::move(histories[r]));
                    keptOwner.push_back(owner[r]);
                }
            }
            if (done > 0)
                thin(cache, gates, keep, m_model.device());
            histories = std::move(keptHistories);
            owner = std::move(keptOwner);
            finished.assign(histories.size(), false);
        }

        std::vector<std::int64_t> last;
        for (const auto &history : histories)
            last.push_back(history.back());
        auto scores = m_model.decodeStep(cache, torch::tensor(last, torch::kInt64).to(m_model.device()), gates);
        processor.banLogits(scores);
        processor.apply(scores, histories);
        const auto best = scores.argmax(-1);
        torch::Tensor logProbabilities;
        if (m_withScores)
            logProbabilities
                = torch::log_softmax(scores, -1).gather(1, best.unsqueeze(1)).squeeze(1).to(torch::kCPU, torch::kFloat64);
        const auto chosen = best.cpu();
        const auto *tokens = chosen.data_ptr<std::int64_t>();
        for (std::size_t r = 0; r < histories.size(); ++r) {
            if (finished[r])
                continue;
            histories[r].push_back(tokens[r]);
            if (m_withScores)
                results[owner[r]].score += logProbabilities.data_ptr<double>()[r];
            finished[r] = isComplete(histories[r], m_settings);
        }
    }
    for (std::size_t r = 0; r < histories.size(); ++r)
        results[owner[r]].tokens.assign(histories[r].begin() + 1, histories[r].end());
    return results;
}

} // namespace headscope

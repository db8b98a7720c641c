#include "core/model/generate.h"

#include <torch/torch.h>

#include <algorithm>
#include <limits>
#include <set>

namespace headscope {
namespace {

constexpr float kNever = -std::numeric_limits<float>::infinity();

void forceToken(torch::Tensor row, std::int64_t token)
{
    row.fill_(kNever);
    row[token] = 0.0F;
}

torch::Tensor indexTensor(const std::vector<std::int64_t> &ids, const torch::Tensor &like)
{
    return torch::tensor(ids, torch::kInt64).to(like.device());
}

/// Tokens that would complete an n-gram already in `history` (start token included).
std::set<std::int64_t> repeatedNgramEnds(const std::vector<std::int64_t> &history, std::int64_t n)
{
    std::set<std::int64_t> banned;
    const auto size = static_cast<std::int64_t>(history.size());
    if (size + 1 < n)
        return banned;
    const auto tail = history.end() - (n - 1);
    for (auto start = history.begin(); start + (n - 1) < history.end(); ++start) {
        if (std::equal(tail, history.end(), start))
            banned.insert(*(start + (n - 1)));
    }
    return banned;
}

} // namespace

void ScoreProcessor::banLogits(torch::Tensor &logits) const
{
    for (std::int64_t id : m_settings.bannedLogits) {
        if (id >= 0 && id < logits.size(1))
            logits.select(1, id).fill_(kNever);
    }
}

bool ScoreProcessor::dependsOnLengthOnly() const
{
    return m_settings.noRepeatNgram <= 0 && m_settings.repetitionPenalty == 1.0
           && std::ranges::all_of(m_settings.badWords, [](const auto &word) { return word.size() == 1; });
}

void ScoreProcessor::applyByLength(torch::Tensor &scores, const std::vector<std::int64_t> &lengths) const
{
    std::vector<std::int64_t> banned;
    for (const auto &word : m_settings.badWords) {
        if (word.size() == 1 && word[0] >= 0 && word[0] < scores.size(1))
            banned.push_back(word[0]);
    }
    if (!banned.empty())
        scores.index_fill_(1, indexTensor(banned, scores), kNever);
    for (std::size_t r = 0; r < lengths.size(); ++r) {
        const auto row = static_cast<std::int64_t>(r);
        if (lengths[r] < m_settings.minLength)
            scores[row].index_fill_(0, indexTensor(m_settings.endIds, scores), kNever);
        if (m_settings.forcedFirst && lengths[r] == 1)
            forceToken(scores[row], *m_settings.forcedFirst);
        if (m_settings.forcedLast && lengths[r] == m_settings.maxLength - 1)
            forceToken(scores[row], *m_settings.forcedLast);
    }
}

void ScoreProcessor::apply(torch::Tensor &scores, const std::vector<std::vector<std::int64_t>> &history) const
{
    std::vector<std::int64_t> lengths;
    for (std::size_t r = 0; r < history.size(); ++r) {
        const auto row = scores[static_cast<std::int64_t>(r)];
        lengths.push_back(static_cast<std::int64_t>(history[r].size()));
        if (m_settings.repetitionPenalty != 1.0) {
            const std::set<std::int64_t> seen(history[r].begin(), history[r].end());
            const auto ids = indexTensor({seen.begin(), seen.end()}, scores);
            const auto old = row.index_select(0, ids);
            row.index_copy_(0, ids,
                            torch::where(old < 0, old * m_settings.repetitionPenalty,
                                         old / m_settings.repetitionPenalty));
        }
        if (m_settings.noRepeatNgram > 0) {
            const auto banned = repeatedNgramEnds(history[r], m_settings.noRepeatNgram);
            if (!banned.empty())
                row.index_fill_(0, indexTensor({banned.begin(), banned.end()}, scores), kNever);
        }
        for (const auto &word : m_settings.badWords) {
            if (word.size() > 1 && history[r].size() >= word.size() - 1
                && std::equal(word.begin(), word.end() - 1, history[r].end() - static_cast<std::ptrdiff_t>(word.size() - 1)))
                row.index_fill_(0, indexTensor({word.back()}, scores), kNever);
        }
    }
    applyByLength(scores, lengths);
    if (m_settings.renormalize)
        scores = torch::log_softmax(scores, -1);
}

} // namespace headscope

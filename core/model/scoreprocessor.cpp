#include "core/model/generate.h"

#include "core/tensor/indextensor.h"

#include <torch/types.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <set>

namespace headscope {
namespace {

constexpr float kNever = -std::numeric_limits<float>::infinity();

/// The ids of `ids` for which the scores `like` have a column.
torch::Tensor knownColumns(const std::vector<std::int64_t> &ids, const torch::Tensor &like)
{
    std::vector<std::int64_t> known;
    std::ranges::copy_if(ids, std::back_inserter(known),
                         [&](std::int64_t id) { return id >= 0 && id < like.size(-1); });
    return indexTensor(known, like.device());
}

/// Tokens that would complete an n-gram already in `history` (start token included).
void addRepeatedNgramEnds(std::span<const std::int64_t> history, std::int64_t n, std::vector<std::int64_t> &banned)
{
    if (std::ssize(history) + 1 < n)
        return;
    const auto tail = history.last(static_cast<std::size_t>(n - 1));
    for (std::size_t start = 0; start + tail.size() < history.size(); ++start) {
        if (std::ranges::equal(tail, history.subspan(start, tail.size())))
            banned.push_back(history[start + tail.size()]);
    }
}

/// Whether one token more is all that may follow.
bool isLast(const History &history, const GenerationSettings &settings)
{
    return settings.newTokens ? std::ssize(history.said()) == *settings.newTokens - 1
                              : std::ssize(history.tokens) == settings.maxLength - 1;
}

} // namespace

ScoreProcessor::ScoreProcessor(const GenerationSettings &settings) : m_settings(settings)
{
    for (const auto &word : settings.badWords) {
        if (word.size() == 1)
            m_alwaysBanned.push_back(word.front());
    }
}

ScoreChange ScoreProcessor::after(const History &of) const
{
    const std::span<const std::int64_t> history = of.tokens;
    ScoreChange change;
    const std::int64_t length = std::ssize(history);
    if (m_settings.repetitionPenalty != 1.0) {
        const std::set<std::int64_t> seen(history.begin(), history.end());
        change.penalized.assign(seen.begin(), seen.end());
    }
    if (m_settings.noRepeatNgram > 0)
        addRepeatedNgramEnds(history, m_settings.noRepeatNgram, change.banned);
    for (const auto &word : m_settings.badWords) {
        const std::size_t before = word.size() - 1;
        if (before > 0 && history.size() >= before
            && std::ranges::equal(std::span(word).first(before), history.last(before)))
            change.banned.push_back(word.back());
    }
    if (length < m_settings.minLength || std::ssize(of.said()) < m_settings.fewestNewTokens)
        change.banned.insert(change.banned.end(), m_settings.endIds.begin(), m_settings.endIds.end());
    if (std::ssize(of.said()) == (of.given == 1 && m_settings.forcedFirst ? 1 : 0))
        change.banned.insert(change.banned.end(), m_settings.bannedFirst.begin(), m_settings.bannedFirst.end());
    if (length == 1)
        change.forced = m_settings.forcedFirst;
    if (m_settings.forcedLast && isLast(of, m_settings))
        change.forced = m_settings.forcedLast;
    return change;
}

double ScoreProcessor::largestFactor() const
{
    return std::max(m_settings.repetitionPenalty, 1 / m_settings.repetitionPenalty);
}

void ScoreProcessor::banLogits(torch::Tensor &logits) const
{
    if (!m_settings.bannedLogits.empty())
        logits.index_fill_(1, knownColumns(m_settings.bannedLogits, logits), kNever);
}

void ScoreProcessor::apply(torch::Tensor &scores, const std::vector<History> &histories) const
{
    if (!m_alwaysBanned.empty())
        scores.index_fill_(1, knownColumns(m_alwaysBanned, scores), kNever);
    for (std::size_t r = 0; r < histories.size(); ++r) {
        auto row = scores[static_cast<std::int64_t>(r)];
        const ScoreChange change = after(histories[r]);
        if (!change.penalized.empty()) {
            const auto ids = knownColumns(change.penalized, scores);
            const auto old = row.index_select(0, ids);
            row.index_copy_(
                0, ids, torch::where(old < 0, old * m_settings.repetitionPenalty, old / m_settings.repetitionPenalty));
        }
        if (!change.banned.empty())
            row.index_fill_(0, knownColumns(change.banned, scores), kNever);
        if (change.forced) {
            row.fill_(kNever);
            row[*change.forced] = 0.0F;
        }
    }
    if (m_settings.renormalize)
        scores = torch::log_softmax(scores, -1);
}

} // namespace headscope

#include "core/task/greedydecoding.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <utility>

namespace headscope {
namespace {

constexpr std::int64_t kMoreRoom = 16; ///< tokens that caches are made for beyond those that are there

} // namespace

void GreedyDecoding::run(std::vector<GreedySentence> &sentences)
{
    std::vector<GreedySentence *> all;
    for (GreedySentence &sentence : sentences)
        all.push_back(&sentence);
    run({std::ssize(all), 1, [&](std::int64_t) { return std::exchange(all, {}); }});
}

void GreedyDecoding::run(GreedySupply supply)
{
    m_supply = std::move(supply);
    m_going.clear();
    m_slots.clear();
    m_caches.clear();
    while (true) {
        m_control.checkpoint();
        while (isShort()) {
            const auto sentences = m_supply.next(m_supply.rows - std::ssize(m_going));
            if (sentences.empty())
                m_supply.next = nullptr;
            admit(sentences);
        }
        if (m_going.empty())
            return;
        makeRoom();
        choose(step());
        letGo();
    }
}

void GreedyDecoding::admit(const std::vector<GreedySentence *> &sentences)
{
    const std::size_t before = m_going.size();
    std::ranges::copy_if(sentences, std::back_inserter(m_going), [&](const GreedySentence *sentence) {
        return !isComplete(sentence->tokensSoFar(), m_settings);
    });
    const std::span fresh = std::span(m_going).subspan(before);
    if (fresh.empty())
        return;
    if (m_caches.empty())
        makeCaches();
    makeRoom();
    const std::vector<std::int64_t> slots(m_free.end() - std::ssize(fresh), m_free.end());
    m_free.resize(m_free.size() - fresh.size());
    m_slots.insert(m_slots.end(), slots.begin(), slots.end());
    for (std::size_t at = 0; at < m_caches.size(); ++at) {
        if (m_caches[at].room() == 0)
            continue;
        std::vector<KeyRows> known;
        for (const GreedySentence *sentence : fresh) {
            known.push_back(sentence->self[at]);
            known.back().count = known.back().count > 0 ? std::ssize(sentence->history) - 1 : 0;
        }
        m_caches[at].begin(slots, known);
    }
}

/// Drops the sentences that are finished.
void GreedyDecoding::letGo()
{
    std::size_t kept = 0;
    for (std::size_t r = 0; r < m_going.size(); ++r) {
        if (isComplete(m_going[r]->tokensSoFar(), m_settings)) {
            m_free.push_back(m_slots[r]);
            continue;
        }
        m_going[kept] = m_going[r];
        m_slots[kept++] = m_slots[r];
    }
    m_going.resize(kept);
    m_slots.resize(kept);
}

std::int64_t GreedyDecoding::longest() const
{
    std::int64_t most = 0;
    for (const GreedySentence *sentence : m_going)
        most = std::max(most, std::ssize(sentence->history));
    return most;
}

/// Slots for all rows of a step.
void GreedyDecoding::makeCaches()
{
    const StackSpec &stack = *m_model.spec().decoder;
    m_free.resize(static_cast<std::size_t>(m_supply.rows));
    std::iota(m_free.begin(), m_free.end(), 0);
    m_caches.assign(stack.subLayers.size(), {});
    for (int place = 0; place < stack.places(); ++place) {
        const AttentionSpec *attention = stack.at(place).attention();
        if (attention && !attention->readsMemory())
            m_caches[static_cast<std::size_t>(place)] = KeyCache(
                m_supply.rows, longest() + kMoreRoom, attention->keyValueWidth(), m_model.transformer().options());
    }
}

/// For one token more of those that go on.
void GreedyDecoding::makeRoom()
{
    const auto any = std::ranges::find_if(m_caches, [](const KeyCache &cache) { return cache.room() > 0; });
    if (any == m_caches.end() || longest() <= any->room())
        return;
    const std::int64_t count = m_supply.next ? m_supply.rows : std::ssize(m_going);
    for (KeyCache &cache : m_caches) {
        if (cache.room() > 0)
            cache.grow(m_slots, count, longest() + 2 * kMoreRoom);
    }
    std::iota(m_slots.begin(), m_slots.end(), 0);
    m_free.resize(static_cast<std::size_t>(count) - m_slots.size());
    std::iota(m_free.begin(), m_free.end(), std::ssize(m_slots));
}

KeySource GreedyDecoding::memoryKeys(int place) const
{
    const auto at = static_cast<std::size_t>(place);
    KeySource source{[this, at](std::int64_t s) { return m_going[static_cast<std::size_t>(s)]->cross[at]; }, 0,
                     nullptr};
    for (const GreedySentence *sentence : m_going)
        source.longest = std::max(source.longest, sentence->cross[at].count);
    return source;
}

/// The last tokens through the decoder → hidden states after it.
Rows GreedyDecoding::step() const
{
    std::vector<std::int64_t> tokens;
    RowExecutor executor(m_model, Side::Decoder, Sequences::ofOneRow(std::ssize(m_going)), m_control);
    for (std::size_t r = 0; r < m_going.size(); ++r) {
        tokens.push_back(m_going[r]->history.back());
        executor.positions[r] = std::ssize(m_going[r]->history) - 1;
    }
    executor.keys = [&](int place, const AttentionSpec &attention, const Rows &x) {
        if (attention.readsMemory())
            return memoryKeys(place);
        KeyCache &cache = m_caches[static_cast<std::size_t>(place)];
        cache.append(m_model.keysAndValues(Side::Decoder, place, x, executor.positions), m_slots, executor.positions,
                     &executor.kept);
        return KeySource{[&](std::int64_t s) {
                             const auto r = static_cast<std::size_t>(s);
                             return cache.of(m_slots[r], executor.positions[r] + 1);
                         },
                         longest(), nullptr};
    };
    executor.gates = [&](HeadKind kind, int layer) {
        RowGates gates;
        for (const GreedySentence *sentence : m_going)
            gates.push_back(sentence->gates->at(kind, layer, sentence->place));
        return gates;
    };
    return executor.runToEnd({0, m_model.embed(Side::Decoder, tokens, executor.positions), {}});
}

void GreedyDecoding::choose(const Rows &hidden)
{
    std::vector<History> histories;
    for (const GreedySentence *sentence : m_going)
        histories.push_back(sentence->tokensSoFar());
    ScoreEdits edits(m_settings, m_processor, histories);
    if (!m_withScores) {
        const auto choices = m_model.choices(hidden, edits);
        for (std::size_t r = 0; r < choices.size(); ++r)
            append(*m_going[r], choices[r]);
        return;
    }
    edits.renormalize = true; // what is banned has no part in a probability
    const auto likeliest = m_model.likeliest(hidden, 2, edits);
    for (std::size_t r = 0; r < likeliest.size(); ++r) {
        const std::span<const ScoredToken> best = likeliest[r];
        if (best.empty()) { // scores that are no numbers: nothing is decided
            append(*m_going[r], {0, std::numeric_limits<float>::quiet_NaN()});
            continue;
        }
        m_going[r]->score += best.front().score;
        append(*m_going[r], {best.front().token,
                             best.size() > 1 ? best[0].score - best[1].score : std::numeric_limits<float>::infinity()});
    }
}

void GreedyDecoding::append(GreedySentence &sentence, const RowModel::Choice &choice) const
{
    if (!(choice.margin > m_margin))
        sentence.doubt(std::ssize(sentence.tokensSoFar().said()), choice);
    sentence.closest = std::min<double>(
        sentence.closest, std::isnan(choice.margin) ? -std::numeric_limits<float>::infinity() : choice.margin);
    sentence.history.push_back(choice.token);
}

} // namespace headscope

#pragma once

#include "core/packed/keycache.h"
#include "core/task/packedblock.h"

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace headscope {

/// A sentence that is decoded token by token: what it begins with and its output so far, and where the keys and values
/// of all but the last token are.
struct GreedySentence
{
    const VariantGates *gates = nullptr;
    std::int64_t place = 0; ///< of the example in the block
    std::vector<std::int64_t> history;
    std::size_t given = 1;                                    ///< tokens of it that were not chosen
    std::vector<KeyRows> self;                                ///< by place of the stack: what it begins with
    std::vector<KeyRows> cross;                               ///< by place, of the source
    double score = 0;                                         ///< Σ ln p of what was chosen, if scores are asked for
    double closest = std::numeric_limits<double>::infinity(); ///< the least margin that a token was chosen by
    std::vector<std::int64_t> doubts;                         ///< places in the output, chosen without margin
    std::optional<RowModel::Choice> left;                     ///< the first of them

    void doubt(std::int64_t position, const RowModel::Choice &choice)
    {
        if (doubts.empty())
            left = choice;
        doubts.push_back(position);
    }
    History tokensSoFar() const { return {history, given}; }
    std::vector<std::int64_t> tokens() const
    {
        return {history.begin() + static_cast<std::ptrdiff_t>(given), history.end()};
    }
};

/// Sentences that come as others are finished, so that steps keep their rows.
struct GreedySupply
{
    std::int64_t rows = 0;   ///< of a step, at most
    std::int64_t fewest = 1; ///< that are asked for at once
    /// Up to `count` sentences, which stay where they are until all are finished; none if there are no more.
    std::function<std::vector<GreedySentence *>(std::int64_t count)> next;
};

/// Greedy search over rows: a step computes one row of every sentence that goes on.
class GreedyDecoding
{
public:
    /// Keeps references. `margin`: the difference of logits from which a decision is certain.
    GreedyDecoding(const RowModel &model, float margin, const GenerationSettings &settings,
                   const ScoreProcessor &processor, bool withScores, const JobControl &control)
        : m_model(model), m_margin(margin), m_settings(settings), m_processor(processor), m_withScores(withScores),
          m_control(control)
    {
    }

    /// Decodes until every sentence is finished, all of them together.
    void run(std::vector<GreedySentence> &sentences);
    /// As many of them together as the supply says.
    void run(GreedySupply supply);

private:
    bool isShort() const { return m_supply.next && m_supply.rows - std::ssize(m_going) >= m_supply.fewest; }
    void admit(const std::vector<GreedySentence *> &sentences);
    void makeCaches();
    void makeRoom();
    void letGo();
    std::int64_t longest() const;
    Rows step() const;
    KeySource memoryKeys(int place) const;
    void choose(const Rows &hidden);
    void append(GreedySentence &sentence, const RowModel::Choice &choice) const;

    const RowModel &m_model;
    float m_margin;
    const GenerationSettings &m_settings;
    const ScoreProcessor &m_processor;
    bool m_withScores;
    const JobControl &m_control;
    GreedySupply m_supply;
    std::vector<GreedySentence *> m_going;
    std::vector<std::int64_t> m_slots;      ///< in the caches, of those that go on
    std::vector<std::int64_t> m_free;       ///< slots of nobody
    mutable std::vector<KeyCache> m_caches; ///< by place: of the decoder's attention to itself
};

} // namespace headscope

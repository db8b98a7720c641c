#pragma once

#include "core/base/keywindow.h"
#include "core/model/generate.h"
#include "core/model/transformer.h"
#include "core/packed/rows.h"

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <vector>

namespace headscope {

class Execution;
class KeptIndices;

/// Changes of the contexts of one sequence before the output projection: c_h ← factor_h·c_h + share_h·instead_h;
/// and, before that, which keys its heads see.
struct RowGate
{
    const float *factors = nullptr; ///< [heads]; null: all are one
    const float *shares = nullptr;  ///< [heads] shares of their replacements; null: none
    const Rows *instead = nullptr;  ///< [·, A]
    std::int64_t first = 0;         ///< row of it for position 0; position t takes t mod count
    std::int64_t count = 1;
    const KeyWindow *windows = nullptr; ///< [heads], of an attention of a stack to itself; null: all see all keys

    /// Leaves contexts as they are.
    bool isOpen() const { return !factors && !shares; }
};
using RowGates = std::vector<RowGate>; ///< sequence by sequence; empty: all are open

/// The keys and values that each sequence's queries attend to.
struct KeySource
{
    std::function<KeyRows(std::int64_t sequence)> of; ///< read before the next is asked for
    std::int64_t longest = 0;                         ///< no sequence has more
    KeptIndices *kept = nullptr;                      ///< of the walk that asks; null: nothing is kept
};

/// How scores over the vocabulary are changed before tokens are chosen (ScoreProcessor).
struct ScoreEdits
{
    std::vector<std::int64_t> bannedLogits{}; ///< take no part in the softmax
    std::vector<std::int64_t> banned{};
    std::vector<ScoreChange> changes{}; ///< row by row; empty: none
    bool renormalize = false;

    /// Edits for rows after any history, or after these. Precondition: no repetition penalty.
    ScoreEdits(const GenerationSettings &settings, const ScoreProcessor &processor,
               std::span<const History> histories = {});
};

/// A token and its score.
struct ScoredToken
{
    float score = -std::numeric_limits<float>::infinity();
    std::int64_t token = 0;
};

/// The margin of a decision, and the error that other products make in the differences around it.
struct MarginError
{
    float margin = 0;
    float error = 0;
};

/// The gated Transformer over many sequences at once whose rows lie one after the other without padding: what each kind
/// of sub-layer does to such rows. Variants can branch off between sub-layers (rowexecutor.h). Transformer is the plain
/// counterpart, whose weights it was made from. Immutable; threads may share it.
///
/// Letters: R rows, D width, A = heads·Dh of contexts, Q = heads·Dq of queries (queryWidth()), K of a position's keys
/// and values (keyValueWidth()), V vocabulary.
class RowModel
{
public:
    explicit RowModel(std::shared_ptr<const Transformer> model) : m_model(std::move(model)) { }
    virtual ~RowModel() = default;

    const Transformer &transformer() const { return *m_model; }
    const TransformerSpec &spec() const { return m_model->spec(); }

    /// Positions that an encoder's tokens have in the position table, where padding may not count.
    std::vector<std::int64_t> positionsOf(std::span<const std::int64_t> tokens, const Sequences &sequences) const;
    /// Input of a stack's first sub-layer [R, D]. `types` may be empty.
    Rows embed(Side side, std::span<const std::int64_t> tokens, std::span<const std::int64_t> positions,
               std::span<const std::int64_t> types = {}) const;
    /// Hidden states after the last layer [R, D], with the norm that may follow it.
    Rows finish(Side side, Rows hidden) const;

    /// May reuse the memory of `x` if nothing else refers to it.
    virtual Rows normalize(const Norm &norm, Rows x) const = 0;
    /// x [R, D] → [R, Q] and [R, K]. `positions` [R].
    virtual Rows queries(Side side, int place, const Rows &x, std::span<const std::int64_t> positions) const = 0;
    virtual Rows keysAndValues(Side side, int place, const Rows &x, std::span<const std::int64_t> positions) const = 0;
    /// Every sequence's queries [R, Q] attend to keys of its own → contexts [R, A]. In a causal attention the last
    /// query is at the last key's position. Of the gates their windows.
    virtual Rows attend(Side side, int place, const Rows &queries, const Sequences &sequences, const KeySource &keys,
                        const RowGates &gates) const = 0;
    /// `positions` [R].
    virtual Rows gate(const AttentionSpec &attention, Rows context, const Sequences &sequences,
                      std::span<const std::int64_t> positions, const RowGates &gates) const = 0;
    /// context [R, A] → [R, D].
    virtual Rows close(Side side, int place, const Rows &context) const = 0;
    /// x [R, D] → [R, D].
    virtual Rows feedForward(Side side, int place, const Rows &x) const = 0;
    /// Every number times `by`. May use the memory of `output`.
    virtual Rows scale(Rows output, double by) const = 0;
    /// May use the memory of `b`.
    virtual Rows add(const Rows &a, Rows b) const = 0;

    /// The best token of every row of decoder output [R, D], by logits.
    struct Choice
    {
        std::int64_t token = 0;
        float margin = 0; ///< by which its score beats the second
    };
    std::vector<Choice> choices(const Rows &hidden, const ScoreEdits &edits) const;
    /// Called when about so many rows will be asked for: what makes many quicker may be made ready.
    virtual void expectChoices(std::int64_t /*rows*/, const Execution & /*execution*/) const { }
    /// The `count` likeliest tokens of every row with their log-probabilities, best first: [R][≤ count].
    std::vector<std::vector<ScoredToken>> likeliest(const Rows &hidden, std::int64_t count,
                                                    const ScoreEdits &edits) const;
    /// The `count` best tokens of every row with their scores as the output matrix gives them, best first: [R][≤
    /// count]. Of `edits` what holds for all rows.
    std::vector<std::vector<ScoredToken>> bestScores(const Rows &hidden, std::int64_t count,
                                                     const ScoreEdits &edits) const;
    /// The input of the output matrix.
    Rows outputHidden(const Rows &hidden) const;
    /// For each row ln p of its token in `tokens` [R], and the most likely token.
    struct Forced
    {
        double logProbability = 0;
        std::int64_t best = 0;
    };
    virtual std::vector<Forced> forced(const Rows &hidden, std::span<const std::int64_t> tokens) const = 0;

    /// max |logit − logit'| over all rows and the vocabulary: against given logits [R, V].
    float largestLogitDifference(const Rows &hidden, const torch::Tensor &logits) const;
    /// How far two models differ about how near tokens are to each other, at every row of their own hidden states: the
    /// largest difference of (best logit − logit of one of the kNear next) between them, as this model sees best and
    /// next.
    std::vector<MarginError> marginErrors(const Rows &hidden, const RowModel &other, const Rows &otherHidden) const;
    static constexpr std::int64_t kNear = 7;

protected:
    virtual std::vector<Choice> choicesOfLogits(const Rows &hidden, const ScoreEdits &edits) const = 0;
    virtual std::vector<std::vector<ScoredToken>> likeliestOfLogits(const Rows &hidden, std::int64_t count,
                                                                    const ScoreEdits &edits) const = 0;
    /// Logits [rows, columns] part by part: (logits, first row, first column).
    using TakeLogits = std::function<void(torch::Tensor &logits, std::int64_t firstRow, std::int64_t firstColumn)>;
    virtual void forLogits(const Rows &hidden, const TakeLogits &take) const = 0;

    std::shared_ptr<const Transformer> m_model;
};

} // namespace headscope

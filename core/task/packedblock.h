#pragma once

#include "core/packed/rowexecutor.h"
#include "core/task/plainblock.h"
#include "core/task/producttiers.h"
#include "core/task/task.h"
#include "core/task/variantgates.h"

#include <compare>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace headscope {

/// The first attention in the model in which a variant changes something.
struct StartPlace
{
    Side side = Side::Encoder;
    int place = 0;

    auto operator<=>(const StartPlace &) const = default;
};

/// The kept states of a base run of one stack, by place: attentions only.
struct StackStates
{
    std::vector<Rows> hidden;    ///< what the attention adds to [R, D]
    std::vector<Rows> context;   ///< before its gate [R, A]; nothing where variants start before the attention
    std::vector<Rows> keyValues; ///< what it attends to: of the decoder itself [R, K], or of the memory [S, K]

    explicit StackStates(std::size_t places = 0) : hidden(places), context(places), keyValues(places) { }
};

/// The fast path, for any task and by any executor over rows: examples are run once under the base mask, with
/// everything kept that variants can start from. Variants are grouped by the place where they begin to differ;
/// (variant, example) pairs of a group run together in pieces of a bounded number of rows, several pieces in parallel.
///
/// Products are made in tiers, the quickest first. Every decision compares logits, and the largest error of such a
/// difference is measured on the base run: pairs with a decision that twice this error could change are passed on to
/// the next tier, and those that are still doubtful (ties within rounding) to the plain path. The pairs passed on also
/// show the error on variants: if it ever exceeds the margin, their whole group is passed on. The results are therefore
/// the decisions of the plain path.
class PackedBlock : public PreparedBlock
{
public:
    const std::vector<ExampleOutput> &baseline() const override { return m_baseline; }
    std::vector<ExampleOutput> outputs(const Variant &variant, const JobControl &control) const override;
    PrecisionCheck outputsOfAll(std::span<const Variant> variants, const OutputsOfVariant &done,
                                const JobControl &control) const override;
    std::int64_t memory() const override { return m_memory; }

    ~PackedBlock() override;

protected:
    /// The state that a tier passes to the next about a doubtful pair, so that it need not start again; defined by the
    /// task.
    struct Hint
    {
        virtual ~Hint() = default;
    };
    /// One variant on one example of the block.
    struct Pair
    {
        const Variant *variant = nullptr;
        const VariantGates *gates = nullptr;
        std::int64_t place = 0; ///< of the example in the block
        const Hint *hint = nullptr;
    };
    struct Decision
    {
        std::int64_t choice = 0;
        float margin = 0; ///< by how much it beats the next

        /// A lower bound of the error of the logits' difference, if this and `other` are the same decision by different
        /// products.
        float errorAgainst(const Decision &other) const;
    };
    /// The result of a pair.
    struct Answer
    {
        ExampleOutput output;
        bool doubtful = false; ///< a decision that led to it has no margin
        // A decision made by two tiers shows the error of products: the `asked` of one tier is the `left` of the tier
        // before.
        std::optional<Decision> asked{};    ///< the first that it was asked for
        std::optional<Decision> left{};     ///< the first doubtful one
        std::optional<float> errorBefore{}; ///< of the tier before, where the hint shows more than one decision
        std::shared_ptr<const Hint> hint{};
    };
    /// How a piece is run: kind of products, and the margin from which a decision is certain.
    struct Precision
    {
        const RowModel &model;
        float margin = 0;

        bool isDoubtful(double decidedBy) const { return !(decidedBy > margin); } // nor is what is no number beyond it
    };

    /// `quick`: the tiers of decisions. Without any, these are made with exact products.
    PackedBlock(const Task &task, std::vector<std::int64_t> ids, const HeadMask &base, const ReplacementPlan &plan,
                const std::vector<Products> &quick, const RunOptions &run, SeenError *seen = nullptr);
    /// Prepares the contexts that replace heads; called before anything else.
    void prepareReplacements(const JobControl &control);

    /// Answers of the pairs, all of which start at `start`, in their order.
    virtual std::vector<Answer> run(const StartPlace &start, std::span<const Pair> pairs, const Precision &precision,
                                    const JobControl &control) const = 0;
    /// True if single outputs show more than decisions: they are then made with exact products.
    virtual bool showsLogits() const = 0;
    /// Rows of a piece: enough for products to run at full speed, few enough to stay in the caches.
    virtual std::int64_t rowsTogether() const { return rowsOfPass(); }
    /// Rows of an example in a piece.
    virtual std::int64_t rowsOf(std::int64_t place) const = 0;
    /// Records the errors and margins of base runs.
    ProductTiers &tiers() { return m_tiers; }
    /// Exact products, and the margin that decisions with them need, as far as errors are known.
    Precision exactly() const { return precisionOf(m_tiers.exact()); }
    /// How many parts, and how many examples of each, are enough to tell the error of exact products: the margin is
    /// twice the largest difference, and an output gives as many as it has tokens times the vocabulary.
    static constexpr std::size_t kSampledParts = 4;
    static constexpr std::size_t kSample = 4;

    /// Examples of a base run that go together where states are kept of them.
    std::int64_t examplesOfPart() const;
    /// Divides the examples into parts whose base runs run in parallel: at most `mostExamples` examples each, fewer if
    /// they have more rows than a pass may have. At least one part.
    std::vector<std::span<const std::int64_t>> inParts(
        const std::vector<std::int64_t> &ids, std::int64_t mostExamples,
        const std::function<std::int64_t(std::int64_t id)> &rowsOf) const;
    /// Whether variants start behind the attention where they begin to differ, from its contexts; else from what it
    /// reads, as its heads see other keys.
    bool startsFromContexts() const { return m_plan.kind != Replacement::Window; }
    /// Has a base run keep what variants start from.
    void record(RowExecutor &executor, StackStates &states) const;
    /// Where the variants of some rows start.
    WalkState<Rows> stateAt(const StackStates &states, int place, std::span<const std::int64_t> rows) const;
    /// Rows that go through a stack at once: as many as suit the device and fit its memory.
    std::int64_t rowsOfPass() const;
    /// All parts' rows one after the other, counted in memory().
    StackStates keep(std::span<const StackStates *const> parts);
    static std::vector<std::int64_t> placesOf(std::span<const Pair> pairs);
    /// Gates of pairs, or of the base run of so many sequences.
    static RowGates gatesOf(std::span<const Pair> pairs, HeadKind kind, int layer);
    RowGates baseGates(std::int64_t count, HeadKind kind, int layer) const;
    const VariantGates &baseVariant() const { return m_baseGates; }
    const RowModel &exact() const { return m_task.rowModels().exact(m_run); }
    const TransformerSpec &spec() const { return m_task.model().spec(); }

    const HeadMask &base() const { return m_base; }
    /// Examples by the plain path.
    std::vector<ExampleOutput> plain(const std::vector<std::int64_t> &ids, const Variant &variant,
                                     const JobControl &control) const
    {
        return m_plain.outputs(ids, variant, control);
    }
    /// Examples by the plain path under the base mask, with scores where the plan asks for them.
    std::vector<ExampleOutput> plainBase(const std::vector<std::int64_t> &ids, const JobControl &control) const
    {
        return m_task.plainOutputs(ids, m_base, m_run, m_plan.scores, control);
    }

    const Task &m_task;
    ReplacementPlan m_plan;
    std::vector<std::int64_t> m_ids;
    std::vector<ExampleOutput> m_baseline;
    std::int64_t m_memory = 0;

private:
    struct Group;
    std::deque<Group> grouped(std::span<const Variant> variants, const OutputsOfVariant &done,
                              const JobControl &control) const;
    void begin(Group &group, std::span<const Variant> variants) const;
    static void finish(Group &group, const OutputsOfVariant &done);
    using Tier = ProductTiers::Tier;
    struct TierStatistics;
    Precision precisionOf(const Tier &tier) const { return {m_tiers.modelOf(tier), m_tiers.marginOf(tier)}; }
    PrecisionCheck runAll(std::span<const Variant> variants, const std::vector<const Tier *> &tiers,
                          const OutputsOfVariant &done, const JobControl &control) const;
    /// A pair of a group: a variant of it, and the example's place in the block.
    struct Member
    {
        std::size_t variant = 0;
        std::int64_t place = 0;
    };
    std::vector<std::vector<Member>> inPieces(const std::vector<Member> &members, std::int64_t mostRows) const;
    static std::vector<Pair> pairsOf(const Group &group, const std::vector<Member> &members);
    void runPiece(Group &group, const std::vector<Member> &members, const Tier &tier, const JobControl &control) const;
    void decideDoubtful(Group &group, std::size_t tier, TierStatistics &statistics, const JobControl &control) const;
    std::vector<Answer> answerPlainly(std::span<const Pair> pairs, const JobControl &control) const;

    const ReplacementRows *replacementRowsFor(const Variant &variant) const;
    StartPlace startOf(const HeadRef &head) const { return {sideOf(head.kind), spec().placeOf(head.kind, head.layer)}; }

    HeadMask m_base;
    RunOptions m_run;
    PlainPath m_plain;
    VariantGates m_baseGates;
    std::vector<ReplacementRows> m_replacementRows; ///< mean, optimal: one; resample: per draw
    ProductTiers m_tiers;
};

} // namespace headscope

#pragma once

#include "core/packed/packedmodel.h"
#include "core/task/task.h"

#include <array>
#include <atomic>
#include <compare>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace headscope {

/// The first place in the way of the data where a variant changes something.
struct StartPlace
{
    enum class Part { Encoder, Self, Cross };
    int stack = 0; ///< 0 encoder, 1 decoder
    int layer = 0;
    Part part = Part::Encoder;

    static StartPlace of(const HeadRef &head)
    {
        if (head.kind == HeadKind::Encoder)
            return {0, head.layer, Part::Encoder};
        return {1, head.layer, head.kind == HeadKind::Decoder ? Part::Self : Part::Cross};
    }
    auto operator<=>(const StartPlace &) const = default;
};

/// What every head's context is multiplied with under one variant.
class VariantFactors
{
public:
    VariantFactors() = default;
    VariantFactors(const HeadMask &mask, const HeadLayout &layout, const HeadScales &scales = {});
    /// [heads], or nullptr where the layer is whole.
    const float *at(HeadKind kind, int layer) const;

private:
    std::array<std::vector<std::vector<float>>, 3> m_layers;
};

/// The fast path on a processor, for any task: examples are run once under the base mask, with everything kept that
/// variants can start from. Variants are grouped by the place where they begin to differ; (variant, example) pairs of a
/// group run together in pieces of a bounded number of rows, several pieces side by side.
///
/// Products are made in tiers, the quickest first. Every decision lies between logits, and the largest error of such a
/// difference is measured on the base run: pairs with a decision that twice this error could turn go on to the next tier,
/// and those that are in doubt still (ties within rounding) to the plain path. The ones passed on show the error on variants
/// too: should it ever be larger than was allowed for, their whole group goes on. What comes out is therefore what the
/// plain path decides.
class PackedBlock : public PreparedBlock
{
public:
    const std::vector<ExampleOutput> &baseline() const override { return m_baseline; }
    std::vector<ExampleOutput> outputs(const Variant &variant, const JobControl &control) const override;
    ProductProof outputsOfAll(std::span<const Variant> variants, const OutputsOfVariant &done,
                              const JobControl &control) const override;
    std::int64_t memory() const override { return m_memory; }

    ~PackedBlock() override;

protected:
    /// What a tier leaves to the next about a pair in doubt, so that it need not begin again: what the task makes of it.
    struct Hint
    {
        virtual ~Hint() = default;
    };
    /// One variant on one example of the block.
    struct Pair
    {
        const HeadMask *mask = nullptr;
        const HeadScales *scales = nullptr;
        const VariantFactors *factors = nullptr;
        std::int64_t place = 0; ///< of the example in the block
        const Hint *hint = nullptr;
    };
    struct Decision
    {
        std::int64_t choice = 0;
        float margin = 0; ///< by how much it beats the next

        /// What the difference of two logits was wrong by, at least, if this and another are the same decision.
        float errorAgainst(const Decision &other) const;
    };
    /// What came of a pair.
    struct Answer
    {
        ExampleOutput output;
        bool doubtful = false; ///< a decision on the way to it has no margin
        // A decision that two tiers made shows the error of products: one tier's `asked` is the `left` of the one before.
        std::optional<Decision> asked{}; ///< the first that it was asked for
        std::optional<Decision> left{};  ///< the first in doubt
        std::shared_ptr<const Hint> hint{};
    };
    /// How a piece is run: products, and the margin that a decision must exceed to be beyond doubt.
    struct Precision
    {
        const PackedModel &model;
        float margin = 0;

        bool isDoubtful(float decidedBy) const { return decidedBy <= margin; }
    };

    /// `quick`: the tiers of decisions. Without any, these are made with exact products.
    PackedBlock(const Task &task, const PackedModels &models, std::vector<std::int64_t> ids, const HeadMask &base,
                const std::vector<Products> &quick, const RunOptions &run);

    /// Answers of the pairs, all of which start at `start`, in their order.
    virtual std::vector<Answer> run(const StartPlace &start, std::span<const Pair> pairs, const Precision &precision,
                                    const JobControl &control) const
        = 0;
    /// True if single outputs show more than decisions: they are then made with exact products.
    virtual bool showsLogits() const = 0;
    /// Rows of a piece: enough for products to run at full speed, few enough to stay near the processor.
    virtual std::int64_t rowsTogether() const { return 2048; }
    /// Rows that an example brings into a piece.
    virtual std::int64_t rowsOf(std::int64_t place) const = 0;
    /// Largest errors on base runs of a difference between logits that decisions lie between: of exact products against the
    /// plain path (on a few examples), of quick ones against exact ones. Each part of a base run tells its own; several
    /// threads may call these.
    void tellExactError(float error);
    void measureQuickErrors(const std::function<float(const PackedModel &quick)> &errorOf);
    /// The margin that decisions with exact products need, as far as errors are known.
    float exactMargin() const;
    /// How many examples of a part are enough to tell the error of exact products.
    static constexpr std::size_t kSample = 4;

    /// The examples in as many runs as base runs can go side by side.
    static std::vector<std::span<const std::int64_t>> inParts(const std::vector<std::int64_t> &ids);
    /// parts[p][layer] → [layer], all parts' rows one after the other, counted in memory().
    std::vector<Rows> keep(const std::vector<std::vector<Rows>> &parts);
    static HeadFactors factorsOf(std::span<const Pair> pairs, HeadKind kind, int layer);
    static std::vector<std::int64_t> placesOf(std::span<const Pair> pairs);
    HeadFactors baseFactors(std::int64_t count, HeadKind kind, int layer) const;
    const VariantFactors &baseVariant() const { return m_baseFactors; }
    const PackedModel &exact() const { return m_models.with(Products::Exact); }

    const HeadMask &base() const { return m_base; }
    /// Examples by the plain path.
    std::vector<ExampleOutput> plain(const std::vector<std::int64_t> &ids, const HeadMask &mask, const JobControl &control,
                                     const HeadScales &scales = {}) const;

    std::vector<std::int64_t> m_ids;
    std::vector<ExampleOutput> m_baseline;
    std::int64_t m_memory = 0;

private:
    struct Group;
    std::deque<Group> grouped(std::span<const Variant> variants, const OutputsOfVariant &done,
                              const JobControl &control) const;
    void begin(Group &group, std::span<const Variant> variants) const;
    static void finish(Group &group, const OutputsOfVariant &done);
    struct Tier;
    struct Course;
    ProductProof runAll(std::span<const Variant> variants, const std::vector<const Tier *> &tiers,
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
    void settle(Group &group, std::size_t tier, Course &course, const JobControl &control) const;
    std::vector<Answer> answerPlainly(std::span<const Pair> pairs, const JobControl &control) const;

    const Task &m_anyTask;
    const PackedModels &m_models;
    HeadMask m_base;
    RunOptions m_run;
    VariantFactors m_baseFactors;
    std::deque<Tier> m_quick;
    std::unique_ptr<Tier> m_exact;
};

/// Whether a run can go over packed rows at all.
bool canRunPacked(const PackedModels &models, Replacement replacement, const RunOptions &run);
/// The quick products that a run may use, quickest first: where they are fast, or somebody wants them, and nothing but
/// decisions is asked for.
std::vector<Products> quickProducts(const RunOptions &run, bool decisionsOnly);

} // namespace headscope

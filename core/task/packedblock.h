#pragma once

#include "core/packed/packedmodel.h"
#include "core/task/task.h"

#include <array>
#include <atomic>
#include <compare>
#include <deque>
#include <optional>

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
    VariantFactors(const HeadMask &mask, const HeadLayout &layout);
    /// [heads], or nullptr where the layer is whole.
    const float *at(HeadKind kind, int layer) const;

private:
    std::array<std::vector<std::vector<float>>, 3> m_layers;
};

/// The fast path on a processor, for any task: examples are run once under the base mask, with everything kept that
/// variants can start from. Variants are grouped by the place where they begin to differ; (variant, example) pairs of a
/// group run together in pieces of a bounded number of rows, several pieces side by side.
///
/// Products are made in tiers, the quickest first and the exact ones last. Every decision has a margin, and the largest
/// error of a tier's logits is measured on the base run: pairs with a margin that several times this error could turn go
/// on to the next tier. These show the error on variants too: should it ever be larger than was allowed for, their whole
/// piece goes on. What comes out is therefore what exact products decide.
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
    /// One variant on one example of the block.
    struct Pair
    {
        const VariantFactors *factors = nullptr;
        std::int64_t place = 0; ///< of the example in the block
    };
    /// What came of a pair.
    struct Answer
    {
        ExampleOutput output;
        bool doubtful = false; ///< a decision on the way to it has no margin
        float probe = 0; ///< some logit, the same one whatever the products: shows their error
    };
    /// How a piece is run: products, and the margin that a decision needs to be beyond doubt.
    struct Precision
    {
        const PackedModel &model;
        float margin = 0;
    };

    /// `tiers` without the exact one, which is always last.
    PackedBlock(const PackedModels &models, const HeadLayout &layout, const HeadMask &base,
                const std::vector<Products> &tiers);

    /// Answers of the pairs, all of which start at `start`, in their order.
    virtual std::vector<Answer> run(const StartPlace &start, std::span<const Pair> pairs, const Precision &precision,
                                    const JobControl &control) const
        = 0;
    /// True if single outputs show more than decisions: they are then made with exact products.
    virtual bool showsLogits() const = 0;
    /// Rows that an example brings into a piece.
    virtual std::int64_t rowsOf(std::int64_t place) const = 0;
    /// The largest error of a logit on the examples' base run, for every tier but the exact one. Each part of a base run
    /// tells its own; several threads may call it.
    void measureErrors(const std::function<float(const PackedModel &quick)> &errorOf);

    /// The examples in as many runs as base runs can go side by side.
    static std::vector<std::span<const std::int64_t>> inParts(const std::vector<std::int64_t> &ids);
    /// parts[p][layer] → [layer], all parts' rows one after the other, counted in memory().
    std::vector<Rows> keep(const std::vector<std::vector<Rows>> &parts);
    static HeadFactors factorsOf(std::span<const Pair> pairs, HeadKind kind, int layer);
    static std::vector<std::int64_t> placesOf(std::span<const Pair> pairs);
    HeadFactors baseFactors(std::int64_t count, HeadKind kind, int layer) const;
    const VariantFactors &baseVariant() const { return m_baseFactors; }
    const PackedModel &exact() const { return m_models.with(Products::Exact); }

    std::vector<ExampleOutput> m_baseline;
    std::int64_t m_memory = 0;

private:
    struct Group;
    std::deque<Group> grouped(std::span<const Variant> variants, const OutputsOfVariant &done) const;
    struct Tier;
    struct Course;
    ProductProof runAll(std::span<const Variant> variants, std::size_t firstTier, const OutputsOfVariant &done,
                        const JobControl &control) const;
    std::vector<Answer> answer(const StartPlace &start, std::span<const Pair> pairs, std::size_t tier, Course &course,
                               const JobControl &control) const;

    const PackedModels &m_models;
    const HeadLayout &m_layout;
    HeadMask m_base;
    VariantFactors m_baseFactors;
    std::deque<Tier> m_tiers;
};

/// The quick products that a run may use, unless somebody wants it otherwise: `quickest` and what follows it, where they
/// are fast and nothing but decisions is asked for.
std::vector<Products> quickProducts(const RunOptions &run, bool decisionsOnly, Products quickest);

} // namespace headscope

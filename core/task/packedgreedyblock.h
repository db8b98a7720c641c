#pragma once

#include "core/packed/keycache.h"
#include "core/task/packedgeneration.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace headscope {

/// Greedy search: the base output is verified under a variant rather than decoded again. One parallel
/// pass over it shows the first token that the variant would have chosen otherwise; only from there is it decoded, all
/// sentences of a piece together, with the keys and values of the pass. What a quick tier decodes so is a draft for the
/// next, which verifies it likewise, at the positions in doubt.
class PackedGreedyBlock final : public PackedGeneration
{
public:
    static std::shared_ptr<const PackedGreedyBlock> make(const Task &task, const GenerationRunner &runner,
                                                         const GenerationSettings &settings,
                                                         std::vector<std::int64_t> ids, const HeadMask &base,
                                                         const ReplacementPlan &plan, const RunOptions &run,
                                                         const JobControl &control);

private:
    struct GreedyPart;
    struct Verification;
    struct Draft;
    struct Continuation;

    using PackedGeneration::PackedGeneration;
    void runBase(const JobControl &control);
    void runBasePart(GreedyPart &part, const JobControl &control);
    void decodeBase(GreedyPart &part, float margin, const JobControl &control) const;
    float errorOfExact(const GreedyPart &whole, const JobControl &control) const;
    Rows forceBase(const RowModel &model, const GreedyPart &part, const std::vector<Rows> &crossKeys,
                   StackStates *keep, const JobControl &control) const;

    std::vector<Answer> run(const StartPlace &start, std::span<const Pair> pairs, const Precision &precision,
                            const JobControl &control) const override;
    /// Those that leave the base output go on together: of many come enough.
    std::int64_t rowsTogether() const override { return 4 * PackedBlock::rowsTogether(); }
    bool showsLogits() const override { return false; }
    std::int64_t rowsOf(std::int64_t place) const override { return m_targets.length(place); }
    void verify(const StartPlace &start, Verification &v, const Precision &precision, std::vector<Answer> &answers,
                std::vector<Continuation> &changed, const JobControl &control) const;
    const std::vector<std::int64_t> &tokensOf(const Pair &pair) const;
    std::vector<std::int64_t> questionsOf(const Pair &pair) const;
    void conclude(const Pair &pair, std::vector<std::int64_t> tokens, std::vector<std::int64_t> doubts,
                  const std::optional<Decision> &left, Answer &answer) const;
    Rows decode(Verification &v, const StartPlace &start, const JobControl &control) const;
    KeyRows crossOf(const Verification &v, int place, std::size_t pair) const;
    void leave(const Verification &v, std::size_t pair, std::int64_t position, std::int64_t token,
               Continuation &row) const;
    static void keepOnly(Verification &v, std::span<Continuation> changed);
    void resume(std::vector<Continuation> &rows, const Precision &precision, const JobControl &control) const;
    std::vector<RowModel::Choice> step(std::span<Continuation *const> rows, std::vector<KeyCache> &caches,
                                       const RowModel &model, const JobControl &control) const;
    std::vector<RowModel::Choice> choose(const RowModel &model, const Rows &hidden,
                                         std::span<const std::span<const std::int64_t>> histories) const;

    std::vector<std::vector<std::int64_t>> m_tokens; ///< base outputs
    Sequences m_targets;
};

} // namespace headscope

#pragma once

#include "core/task/packedtranslation.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace headscope {

/// Greedy translation on a processor: the base output is verified under a variant rather than decoded again. One parallel
/// pass over it shows the first token that the variant would have chosen otherwise; only from there is it decoded, all
/// sentences of a piece together, with the keys and values of the pass. What a quick tier decodes so is a draft for the
/// next, which verifies it likewise, at the positions in doubt.
class PackedGreedyBlock final : public PackedTranslation
{
public:
    static std::shared_ptr<const PackedGreedyBlock> make(const TranslationTask &task, std::vector<std::int64_t> ids,
                                                         const HeadMask &base, const RunOptions &run,
                                                         const JobControl &control);

private:
    struct GreedyPart;
    struct Verification;
    struct Draft;
    struct Continuation;

    PackedGreedyBlock(const TranslationTask &task, std::vector<std::int64_t> ids, const HeadMask &base,
                      const RunOptions &run);
    void runBase(const JobControl &control);
    void runBasePart(GreedyPart &part, const JobControl &control);
    void decodeBase(GreedyPart &part, float margin, const JobControl &control) const;
    float errorOfExact(const GreedyPart &whole, const JobControl &control) const;
    Rows forceBase(const PackedModel &model, const GreedyPart &part, const std::vector<Rows> &crossKeyValues,
                   States *keep, const JobControl &control) const;

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
    Rows embedded(const Verification &v) const;
    Rows decode(Verification &v, const StartPlace &start, const JobControl &control) const;
    const float *crossOf(const Verification &v, std::size_t layer, std::size_t pair) const;
    void leave(const Verification &v, std::size_t pair, std::int64_t position, std::int64_t token,
               Continuation &row) const;
    void resume(std::vector<Continuation> &rows, const Precision &precision, const JobControl &control) const;
    std::vector<PackedModel::Choice> step(std::span<Continuation *const> rows, const PackedModel &model) const;

    std::vector<PackedModel::Choice> choose(const PackedModel &model, const Rows &hidden,
                                            std::span<const std::int64_t> historyLengths) const;

    std::vector<std::int64_t> m_banned; ///< tokens that are never chosen
    std::vector<std::vector<std::int64_t>> m_tokens; ///< base outputs
    Sequences m_targets;
};

} // namespace headscope

#pragma once

#include "core/task/packedblock.h"
#include "core/task/translationtask.h"

namespace headscope {

/// Greedy translation on a processor: the base output is verified under a variant rather than decoded again. One parallel
/// pass over it shows the first token that the variant would have chosen otherwise; only from there is it decoded, all
/// sentences of a piece together, with the keys and values of the pass. What a quick tier decodes so is a draft for the
/// next, which verifies it likewise, at the positions in doubt.
class PackedTranslationBlock final : public PackedBlock
{
public:
    static bool canRun(const TranslationTask &task, Replacement replacement, const RunOptions &run);
    static std::shared_ptr<const PackedTranslationBlock> make(const TranslationTask &task,
                                                              std::vector<std::int64_t> ids, const HeadMask &base,
                                                              const RunOptions &run, const JobControl &control);

private:
    /// What is kept of the base run, layer by layer; contexts are those under the base mask.
    struct States
    {
        std::vector<Rows> encoderHidden;  ///< in front of the layer [S, D]
        std::vector<Rows> encoderContext; ///< [S, A]
        std::vector<Rows> crossKeyValues; ///< per decoder layer [S, 2A]
        std::vector<Rows> decoderHidden;  ///< in front of the layer [T, D]
        std::vector<Rows> selfKeyValues;  ///< [T, 2A]
        std::vector<Rows> selfContext;    ///< [T, A]
        std::vector<Rows> middle;         ///< behind self-attention [T, D]
        std::vector<Rows> crossContext;   ///< [T, A]

        static constexpr std::array kAll{&States::encoderHidden, &States::encoderContext, &States::crossKeyValues,
                                         &States::decoderHidden, &States::selfKeyValues,  &States::selfContext,
                                         &States::middle,        &States::crossContext};
    };
    struct BasePart;
    struct Verification;
    struct Draft;
    struct Continuation;

    PackedTranslationBlock(const TranslationTask &task, std::vector<std::int64_t> ids, const HeadMask &base,
                           const RunOptions &run);
    void runBase(const JobControl &control);
    void runBasePart(BasePart &part, const JobControl &control);
    void decodeBase(BasePart &part, float margin, const JobControl &control) const;
    float errorOfExact(const BasePart &whole, const JobControl &control) const;
    Rows encodeBase(const PackedModel &model, const BasePart &part, States *keep, const JobControl &control) const;
    Rows forceBase(const PackedModel &model, const BasePart &part, const std::vector<Rows> &crossKeyValues,
                   States *keep, const JobControl &control) const;
    std::vector<Rows> crossKeyValues(const PackedModel &model, const Rows &memory) const;

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
                  std::optional<float> left, Answer &answer) const;
    Rows embedded(const Verification &v) const;
    void encode(Verification &v, int fromLayer, const JobControl &control) const;
    Rows decode(Verification &v, const StartPlace &start, const JobControl &control) const;
    const float *crossOf(const Verification &v, std::size_t layer, std::size_t pair) const;
    void leave(const Verification &v, std::size_t pair, std::int64_t position, std::int64_t token,
               Continuation &row) const;
    void resume(std::vector<Continuation> &rows, const Precision &precision, const JobControl &control) const;
    std::vector<PackedModel::Choice> step(std::span<Continuation *const> rows, const PackedModel &model) const;

    std::vector<PackedModel::Choice> choose(const PackedModel &model, const Rows &hidden,
                                            std::span<const std::int64_t> historyLengths) const;
    bool isFinished(const std::vector<std::int64_t> &history) const;

    const TranslationTask &m_task;
    GenerationSettings m_settings;
    std::vector<std::int64_t> m_banned; ///< tokens that are never chosen
    std::vector<std::vector<std::int64_t>> m_tokens; ///< base outputs
    Sequences m_sources;
    Sequences m_targets;
    States m_states;
};

} // namespace headscope

#pragma once

#include "core/task/packedblock.h"
#include "core/task/translationtask.h"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace headscope {

/// What greedy and beam search over packed rows share: the encoder's side, and the states that variants start from.
class PackedTranslation : public PackedBlock
{
public:
    /// The block for the search that is asked for, or nothing if it cannot run over packed rows.
    static std::shared_ptr<const PackedBlock> tryMake(const TranslationTask &task, std::vector<std::int64_t> ids,
                                                      const HeadMask &base, Replacement replacement,
                                                      const RunOptions &run, const JobControl &control);

protected:
    /// What is kept of the base run, layer by layer; contexts are those under the base mask. T counts the decoder's
    /// positions: of the base outputs, or of all prefixes that the base search visited.
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

    PackedTranslation(const TranslationTask &task, std::vector<std::int64_t> ids, const HeadMask &base,
                      const std::vector<Products> &quick, const RunOptions &run);

    /// Sentences whose base runs go together.
    struct BasePart
    {
        std::vector<std::int64_t> ids;
        Sequences sources;
        States states;
    };
    BasePart partOf(std::span<const std::int64_t> ids) const;
    std::vector<BasePart> baseParts() const;
    BasePart firstOf(const BasePart &part) const;
    Rows encodeBase(const PackedModel &model, const BasePart &part, States *keep, const JobControl &control) const;
    static std::vector<Rows> crossKeyValues(const PackedModel &model, const Rows &memory);
    /// Takes in what the base runs left, in the order of the parts.
    void keepStates(std::span<const BasePart *const> parts);

    /// The variants' encoder from the contexts of `fromLayer` on, and what the decoder sees of it.
    std::vector<Rows> encodeVariants(const PackedModel &model, std::span<const Pair> pairs, const Sequences &sources,
                                     int fromLayer, const JobControl &control) const;

    /// Bans tokens in a block of scores (PackedModel::AdjustScores): `always`, and end tokens where the history is shorter
    /// than the shortest output.
    void ban(std::span<const std::int64_t> always, std::span<const std::int64_t> historyLengths, float *scores,
             std::int64_t firstRow, std::int64_t rows, std::int64_t firstColumn, std::int64_t columns) const;
    /// The token that must follow a history of this length, if there is one.
    std::optional<std::int64_t> forcedToken(std::int64_t historyLength) const;
    /// m_settings.badWords, all of which are single tokens.
    std::vector<std::int64_t> badTokens() const;

    const TranslationTask &m_task;
    GenerationSettings m_settings;
    Sequences m_sources;
    States m_states;
};

/// Rows of a tensor [R, D].
Rows asRows(const torch::Tensor &tensor);

} // namespace headscope

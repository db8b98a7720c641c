#pragma once

#include "core/task/generationrunner.h"
#include "core/task/packedblock.h"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace headscope {

/// What greedy and beam search over rows share: the encoder's side, and the states that variants start from.
class PackedGeneration : public PackedBlock
{
protected:
    PackedGeneration(const Task &task, const GenerationRunner &runner, const GenerationSettings &settings,
                     std::vector<std::int64_t> ids, const HeadMask &base, const ReplacementPlan &plan,
                     const std::vector<Products> &quick, const RunOptions &run);

    /// Sentences whose base runs go together. T counts the decoder's positions: of the base outputs, or of all prefixes that
    /// the base search visited.
    struct BasePart
    {
        std::vector<std::int64_t> ids;
        Sequences sources;
        StackStates encoder;
        StackStates decoder;
    };
    BasePart partOf(std::span<const std::int64_t> ids) const;
    std::vector<BasePart> baseParts() const;
    BasePart firstOf(const BasePart &part) const;
    /// Encodes under the base mask → keys and values of the memory by place.
    std::vector<Rows> encodeBase(const RowModel &model, const BasePart &part, StackStates *keep,
                                 const JobControl &control) const;
    /// Takes in what the base runs left, in the order of the parts.
    void keepStates(std::span<const BasePart *const> parts);
    /// The variants' encoder from the contexts at `start` on → keys and values of the memory by place.
    std::vector<Rows> encodeVariants(const RowModel &model, std::span<const Pair> pairs, const Sequences &sources,
                                     const StartPlace &start, const JobControl &control) const;
    /// Where the decoder of variants that start at `start` begins: its first attention sees nothing of the encoder.
    int decoderStart(const StartPlace &start) const { return start.side == Side::Encoder ? 0 : start.place; }

    /// How scores after these histories are changed.
    ScoreEdits editsAfter(std::span<const std::span<const std::int64_t>> histories) const;
    ExampleOutput makeOutput(std::int64_t id, Generated generated) const
    {
        return m_runner.makeOutput(id, std::move(generated));
    }

    const GenerationRunner &m_runner;
    GenerationSettings m_settings;
    ScoreProcessor m_processor;
    Sequences m_sources;
    StackStates m_encoder;
    StackStates m_decoder;

private:
    std::vector<Rows> memoryKeys(const RowModel &model, const Rows &memory, const Sequences &sources) const;
};

} // namespace headscope

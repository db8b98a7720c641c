#pragma once

#include "core/task/generationrunner.h"
#include "core/task/packedblock.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <vector>

namespace headscope {

/// The common part of greedy and beam search over rows: the encoder's side where there is one, and the states that
/// variants start from.
class PackedGeneration : public PackedBlock
{
protected:
    PackedGeneration(const Task &task, const GenerationRunner &runner, const GenerationSettings &settings,
                     std::vector<std::int64_t> ids, const HeadMask &base, const ReplacementPlan &plan,
                     const std::vector<Products> &quick, const RunOptions &run);

    /// Sentences whose base runs go together. T counts the decoder's positions: of the base outputs, or of all prefixes
    /// that the base search visited.
    struct BasePart
    {
        virtual ~BasePart() = default;

        std::vector<std::int64_t> ids{};
        Sequences sources{};
        StackStates encoder{};
        StackStates decoder{};
        std::vector<Generated> generated{};
        std::vector<double> margins{}; ///< by which the closest decision of each sentence was made
    };
    /// The base run of all examples by exact products, checked on a few examples; the plain path makes the doubtful
    /// decisions. The states that variants start from are kept if there will be variants.
    void runBase(const JobControl &control);
    virtual std::unique_ptr<BasePart> makePart() const = 0;
    /// Searches from scratch with exact products → the part's outputs and margins.
    virtual void search(BasePart &part, const JobControl &control) const = 0;
    /// The largest difference of scores between exact products and the plain path, along the outputs of sampleOf().
    virtual float errorOfExact(const BasePart &part, const JobControl &control) const = 0;
    /// Computes the outputs once more, with all states kept, after the doubtful decisions were made.
    virtual void keepPart(BasePart &part, const JobControl &control) = 0;
    /// Joins what keepPart() kept.
    virtual void keepStates(std::span<const std::unique_ptr<BasePart>> parts);
    /// Takes in what is left of a part, in the order of the parts.
    virtual void takePart(BasePart &part) = 0;
    /// Rows of the decoder that an example brings to a step of the search.
    virtual std::int64_t rowsPerStep() const { return 1; }

    /// Cuts the sentences that one worker goes through, in base runs of which nothing is kept.
    virtual std::vector<std::span<const std::int64_t>> partsOfLane(const std::vector<std::int64_t> &ids) const = 0;
    /// Rows of a step of the decoder, at most, in base runs of which nothing is kept.
    std::int64_t rowsOfStep() const { return m_task.execution().workSizes().rowsOfStep; }

    /// Sentences of a part that the error of exact products is measured on: they follow each other.
    struct Sample
    {
        std::size_t first = 0;
        std::size_t count = 0;
    };
    Sample sampleOf(const BasePart &part) const;
    void setExamples(BasePart &part, std::span<const std::int64_t> ids) const;
    /// The decoder's first tokens for an example: the start token, or a prompt.
    std::vector<std::int64_t> givenTo(std::int64_t id) const { return m_runner.givenTo(m_task, id, m_settings); }
    /// The decoder's input when it says these tokens: its first tokens, and all of these but the last.
    std::vector<std::int64_t> readFor(std::int64_t id, std::span<const std::int64_t> tokens) const;
    /// Encodes under the base mask → keys and values of the memory by place.
    std::vector<Rows> encodeBase(const RowModel &model, const BasePart &part, StackStates *keep,
                                 const JobControl &control) const;
    /// Log-probabilities or logits that the plain path gives along the outputs of a few examples, one after the other
    /// [·, V].
    torch::Tensor plainLogits(const std::vector<std::int64_t> &ids, std::span<const Generated> outputs) const;
    /// The variants' encoder from the contexts at `start` on → keys and values of the memory by place.
    std::vector<Rows> encodeVariants(const RowModel &model, std::span<const Pair> pairs, const Sequences &sources,
                                     const StartPlace &start, const JobControl &control) const;
    /// Where the decoder of variants that start at `start` begins: its first attention sees nothing of the encoder.
    int decoderStart(const StartPlace &start) const { return start.side == Side::Encoder ? 0 : start.place; }

    ExampleOutput makeOutput(std::int64_t id, Generated generated) const
    {
        return m_runner.makeOutput(id, std::move(generated), m_settings);
    }

    const GenerationRunner &m_runner;
    GenerationSettings m_settings;
    ScoreProcessor m_processor;
    Sequences m_sources;
    StackStates m_encoder;
    StackStates m_decoder;

private:
    void chooseSample(std::span<const std::unique_ptr<BasePart>> parts);

    std::set<std::int64_t> m_sample; ///< examples, see sampleOf()

    std::vector<std::unique_ptr<BasePart>> baseParts() const;
    void recomputeDoubtful(std::span<const std::unique_ptr<BasePart>> parts, const JobControl &control) const;
    std::vector<Rows> memoryKeys(const RowModel &model, const Rows &memory, const Sequences &sources) const;
};

} // namespace headscope

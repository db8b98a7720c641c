#pragma once

#include "core/task/translationtask.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace headscope {

/// The fast path of translation (DESIGN 3): sentences are encoded and decoded once under the base mask. A variant
///  - starts in the first layer that it changes, from the states kept in front of every layer;
///  - shares the encoder's output when only decoder or cross heads differ;
///  - (greedy) is verified instead of decoded: one parallel pass over the base output shows the first position
///    where the variant chooses otherwise, and only from there is it decoded, with a key/value cache;
///  - (beam search) is searched from scratch over the shared encoder states.
class TranslationBlock final : public PreparedBlock
{
public:
    static std::shared_ptr<const TranslationBlock> make(const TranslationTask &task, std::vector<std::int64_t> ids,
                                                        const HeadMask &base, const ReplacementPlan &plan,
                                                        const RunOptions &run, const JobControl &control);

    const std::vector<ExampleOutput> &baseline() const override { return m_baseline; }
    std::vector<ExampleOutput> outputs(const Variant &variant, const JobControl &control) const override;
    std::int64_t memory() const override { return m_memory; }

private:
    /// Sentences of similar length that run together, with everything kept of their base run.
    struct Batch
    {
        std::vector<std::size_t> places; ///< where its rows stand in the block
        std::vector<EncoderState> encoder; ///< in front of every layer, and behind the last
        Memory memory;
        // Greedy only: the base output run through the decoder.
        std::vector<std::vector<std::int64_t>> tokens; ///< base outputs
        std::vector<KeyValue> cross;
        std::vector<DecoderState> decoder; ///< in front of every layer
        std::vector<KeyValue> self;
        torch::Tensor validTargets; ///< [B, T] bool
        std::vector<std::int64_t> historyLengths; ///< of the valid positions, row by row
        std::vector<Contexts> standIns; ///< resample: per draw, [B, H, T, Dh]
    };

    TranslationBlock(const TranslationTask &task, const HeadMask &base, const ReplacementPlan &plan,
                     const RunOptions &run);
    void runBase(Batch &batch, const std::vector<std::int64_t> &ids, const JobControl &control);
    void keepDecoderStates(Batch &batch, const JobControl &control) const;
    void countMemory(const Batch &batch);
    HeadGates gatesFor(const Variant &variant, const Batch &batch) const;

    struct Start; // the first layers that a variant changes
    Start startOf(const Variant &variant) const;
    std::vector<Generated> run(const Batch &batch, const Start &start, const HeadGates &gates,
                               const JobControl &control) const;
    std::vector<Generated> verify(const Batch &batch, const Memory &memory, int fromDecoderLayer, bool newMemory,
                                  const HeadGates &gates, const JobControl &control) const;

    const TranslationTask &m_task;
    const Transformer &m_model;
    GenerationSettings m_settings;
    HeadMask m_base;
    ReplacementPlan m_plan;
    RunOptions m_run;
    std::vector<std::int64_t> m_ids;
    std::vector<ExampleOutput> m_baseline;
    std::vector<Batch> m_batches;
    std::int64_t m_memory = 0;
    Contexts m_meanContexts; ///< [H, Dh]
};

} // namespace headscope

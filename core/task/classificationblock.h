#pragma once

#include "core/task/classificationtask.h"

#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace headscope {

/// Finished encoder state → logits [B, K].
torch::Tensor classifyState(const Transformer &model, const EncoderState &state);

/// The fast path of classification (DESIGN 3): texts are encoded once under the base mask. A variant
///  - starts in the first layer that it changes, from the states kept in front of every layer;
///  - shares that layer's attention with all variants that start there: its own heads are subtracted;
///  - goes through the layers above in batches with others, each row with the gates of its variant;
///  - in the last layer runs for the first position only.
/// Replaced heads (mean, resample), scaled ones and the plain path go one by one through whole layers.
class ClassificationBlock final : public PreparedBlock
{
public:
    static std::shared_ptr<const ClassificationBlock> make(const ClassificationTask &task,
                                                           std::vector<std::int64_t> ids, const HeadMask &base,
                                                           const ReplacementPlan &plan, const RunOptions &run,
                                                           const JobControl &control);

    const std::vector<ExampleOutput> &baseline() const override { return m_baseline; }
    std::vector<ExampleOutput> outputs(const Variant &variant, const JobControl &control) const override;
    ProductProof outputsOfAll(std::span<const Variant> variants, const OutputsOfVariant &done,
                              const JobControl &control) const override;
    std::int64_t memory() const override { return m_memory; }

private:
    /// Texts of similar length that run together, with what is kept of their base run.
    struct Batch
    {
        std::vector<std::int64_t> ids;
        std::vector<EncoderState> states; ///< in front of every layer
        std::vector<Contexts> standIns;   ///< resample: per draw
    };

    /// Variants that all begin to differ in one layer.
    struct Together
    {
        int layer = 0;
        std::vector<std::size_t> places; ///< in the list that was asked for
        std::vector<const Variant *> variants;
        std::once_flag begun;
        std::vector<std::vector<ExampleOutput>> outputs; ///< per variant, as far as batches are done
        std::atomic<std::int64_t> batchesLeft = 0;
    };

    ClassificationBlock(const ClassificationTask &task, const HeadMask &base, const ReplacementPlan &plan,
                        const RunOptions &run);
    void runBase(Batch &batch, const JobControl &control);
    int firstChangedLayer(const Variant &variant) const;
    HeadGates gatesFor(const Variant &variant, const Batch &batch) const;
    std::vector<std::int64_t> removedIn(int layer, const Variant &variant) const;
    HeadGates gatesAbove(int layer, std::span<const Variant *const> variants, std::int64_t rows) const;
    std::deque<Together> grouped(std::span<const Variant> variants, const OutputsOfVariant &done) const;
    void runTogether(Together &group, const Batch &batch, const JobControl &control) const;
    torch::Tensor logitsOf(const Batch &batch, int layer, std::span<const Variant *const> variants,
                           const JobControl &control) const;
    void place(std::vector<ExampleOutput> made, std::vector<ExampleOutput> &outputs) const;

    const ClassificationTask &m_task;
    const Transformer &m_model;
    HeadMask m_base;
    ReplacementPlan m_plan;
    RunOptions m_run;
    std::map<std::int64_t, std::size_t> m_placeOf; ///< example → where it stands in the block
    std::vector<ExampleOutput> m_baseline;
    std::vector<Batch> m_batches;
    std::int64_t m_memory = 0;
    Contexts m_meanContexts; ///< [H, Dh]
};

} // namespace headscope

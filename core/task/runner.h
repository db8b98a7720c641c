#pragma once

#include "core/model/gates.h"
#include "core/model/transformer.h"
#include "core/task/runoptions.h"
#include "core/task/variant.h"

#include <torch/types.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace headscope {

class Task;

/// Loss of a few examples under gates, for gradients.
struct LossBatch
{
    torch::Tensor loss;            ///< [B], nats; of generated text summed over the example's target tokens
    std::int64_t targetTokens = 0; ///< of all examples; classification: examples with a label
    torch::Tensor tokens{};        ///< [B], of each; undefined: the loss is no sum over tokens
};

/// A part of the loss of some examples: what one pass through the model adds to it.
struct LossPass
{
    torch::Tensor loss; ///< [], nats
    std::int64_t targetTokens = 0;
    std::vector<std::int64_t> owners; ///< [B], the example that each row of the pass is of
    /// [B], what the rows read; no rows: their examples, as they are.
    std::vector<std::vector<std::int64_t>> read{};
    Recorder recorder; ///< with what was asked for
};
using VisitLossPass = std::function<void(const LossPass &)>;

/// The most tokens that a generated output may have, start token included (0: nothing is generated), and whether one
/// stopped there without having come to its end.
struct OutputLimit
{
    std::int64_t tokens = 0;
    std::function<bool(const ExampleOutput &)> isReached{};
};

/// How outputs of a model arise from examples: one pass, a search, scoring what is given. Immutable; threads may share
/// it.
class Runner
{
public:
    virtual ~Runner() = default;

    /// Outputs of a batch from scratch: what every fast path must equal.
    virtual std::vector<ExampleOutput> runBatch(const Task &task, const std::vector<std::int64_t> &ids,
                                                const HeadGates &gates, const RunOptions &run, bool withScores,
                                                const JobControl &control) const = 0;
    /// A block on the fast path; null where these options have none. `plan`: the replacements that the variants will
    /// need.
    virtual std::shared_ptr<const PreparedBlock> prepare(const Task &task, std::vector<std::int64_t> ids,
                                                         const HeadMask &base, const ReplacementPlan &plan,
                                                         const RunOptions &run, const JobControl &control) const = 0;
    /// Gradients flow into the gates. `recorder` may be null.
    virtual LossBatch loss(const Task &task, const std::vector<std::int64_t> &ids, const HeadGates &gates,
                           Recorder *recorder) const = 0;
    /// Like loss(), pass by pass, each recording what `wanted` asks for: one pass, or, where examples are read several
    /// times, as many as it takes to keep to `mostTokens` tokens at once.
    virtual void lossPasses(const Task &task, const std::vector<std::int64_t> &ids, const HeadGates &gates,
                            const Recorder &wanted, std::int64_t mostTokens, const VisitLossPass &visit) const;
    /// How many sequences of the decoder a prepared block keeps for each sequence of the first stack.
    virtual std::int64_t keptSequences(const RunOptions &) const { return 1; }
    /// How many sequences of the first stack an example brings, on average.
    virtual std::int64_t sequencesPerExample(const Task &) const { return 1; }
    /// Whether outputs are texts of the model's own.
    virtual bool generates() const { return false; }
    virtual OutputLimit limit(const Task &, const RunOptions &) const { return {}; }
};

} // namespace headscope

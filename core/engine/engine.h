#pragma once

#include "core/base/phases.h"
#include "core/base/shard.h"
#include "core/engine/sweepjournal.h"
#include "core/metrics/bootstrap.h"
#include "core/task/task.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

namespace headscope {

class KeptWork;

/// All examples in a seeded random order.
std::vector<std::int64_t> shuffledExamples(const Task &task, const RunOptions &run);
/// They are visited in that order, cut into growing blocks: so many of them that what a prepared block keeps
/// stays within half of the run's memory.
std::vector<std::vector<std::int64_t>> visitingOrder(const Task &task, const RunOptions &run);
/// Examples in this order, `first` of them together, then twice as many each time, up to `largest`.
std::vector<std::vector<std::int64_t>> growingBlocks(const std::vector<std::int64_t> &order, std::int64_t first,
                                                     std::int64_t largest);

/// The same blocks in the same order, those of more than `most` examples cut up.
std::vector<std::vector<std::int64_t>> inSlices(const std::vector<std::vector<std::int64_t>> &blocks,
                                                std::int64_t most);

/// Examples in each of those blocks. For shards there are enough of them that each shard has several.
std::vector<std::int64_t> blockSizes(const Task &task, const RunOptions &run, const Shard &shard);

/// Prepared blocks of a data set of the full model, kept for many masks: a mask's score then costs only what it
/// changes. Blocks are made on first use and kept while they fit into `budget` bytes.
class ResidentBlocks
{
public:
    /// Blocks are kept up to half of the run's memory.
    ResidentBlocks(std::shared_ptr<const Task> task, RunOptions run);

    std::size_t count() const { return m_ids.size(); }
    const std::vector<std::int64_t> &ids(std::size_t block) const { return m_ids[block]; }
    std::shared_ptr<const PreparedBlock> block(std::size_t index, const JobControl &control);
    const RunOptions &run() const { return m_run; }

private:
    std::shared_ptr<const Task> m_task;
    RunOptions m_run;
    std::int64_t m_used = 0;
    std::vector<std::vector<std::int64_t>> m_ids;
    std::vector<std::shared_ptr<const PreparedBlock>> m_blocks;
    std::mutex m_mutex;
};

/// Sufficient statistics of one variant by the primary metric, on the examples visited so far. Only what differs from
/// the base run is kept: a head changes few sentences, and a sweep of a thousand heads over much data would not fit
/// into memory.
class VariantStatistics
{
public:
    std::size_t rows() const { return m_rows; }        ///< examples visited
    std::int64_t changed() const { return m_changed; } ///< of which Task::isChanged()
    /// Row by row in visiting order; the base run's table has at least as many rows.
    StatisticsTable table(const StatisticsTable &baseline) const;

    /// Adds the statistics of the next `examples` examples.
    void add(const SweptBlock::Changes &changes, std::size_t examples);

private:
    std::size_t m_rows = 0;
    std::int64_t m_changed = 0;
    std::vector<std::uint32_t> m_differing; ///< rows
    std::vector<double> m_values;           ///< theirs [differing, K]
};

/// Adds one row per output to a table of the metric's statistics.
void appendStatistics(const Task &task, std::size_t metric, const std::vector<ExampleOutput> &outputs,
                      StatisticsTable &table);

/// Columns of a table by themselves: a metric's among those of several (EngineRequest::others).
StatisticsTable columnsOf(const StatisticsTable &table, std::size_t first, std::size_t count);

struct EngineState
{
    const std::vector<std::int64_t> &visited; ///< examples, in visiting order
    const StatisticsTable &baseline;
    const std::vector<VariantStatistics> &variants; ///< variants not reached yet in this block have fewer examples
    std::int64_t done = 0;                          ///< variants × examples
    std::int64_t total = 0;
    std::int64_t examples = 0; ///< that will be visited
};

struct EngineRequest
{
    HeadMask base;
    std::vector<Variant> variants;
    RunOptions run;
    PhaseNow phase = kPhaseScore;
    ResidentBlocks *resident = nullptr; ///< used where they fit the request
    ReplacementPlan plan{};             ///< where the contexts come from that variants ask for
    /// Called after every block of examples: true for a variant that needs no more examples. None: all variants use all
    /// examples.
    std::function<bool(std::size_t variant)> isSettled = {};
    SweepJournal *journal = nullptr; ///< what it has is not computed again, what is computed it gets
    /// Metrics whose statistics stand behind those of the primary one, in this order, in all tables.
    std::vector<std::size_t> others = {};
    const KeptWork *kept = nullptr; ///< without a journal: where the sweep finds one, as long as it can be written
    Shard shard{};                  ///< only its blocks are visited
    /// Hears of every block that all variants are through with, outside of parallel loops and before isSettled.
    std::function<void(const EngineState &)> onBlock = {};
};

/// The only place that loops over masks. Examples are visited in a seeded random order in growing blocks, all variants
/// over each block, so that after any block every variant has an unbiased estimate over the same examples. `onStep` is
/// called after each variant of a block, by one thread at a time. Variants run in parallel. Returns the check of matrix
/// products. Throws Cancelled or Failure.
PrecisionCheck runVariants(const Task &task, const EngineRequest &request, const JobControl &control,
                           const std::function<void(const EngineState &)> &onStep);

} // namespace headscope

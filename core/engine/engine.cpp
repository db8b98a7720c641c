#include "core/engine/engine.h"

#include "core/base/phases.h"
#include "core/base/random.h"
#include "core/engine/workfolder.h"
#include "core/tensor/freememory.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <numeric>
#include <ranges>
#include <span>
#include <string>
#include <utility>

namespace headscope {

std::vector<std::int64_t> shuffledExamples(const Task &task, const RunOptions &run)
{
    std::vector<std::int64_t> order(static_cast<std::size_t>(task.size()));
    std::iota(order.begin(), order.end(), 0);
    Random random(run.seed);
    shuffle(order, random);
    return order;
}

std::vector<std::vector<std::int64_t>> visitingOrder(const Task &task, const RunOptions &run)
{
    constexpr std::int64_t kFewest = 8; // few, so that the first result comes soon
    const std::int64_t largest = std::clamp(task.memory(run) / 2 / std::max<std::int64_t>(1, task.bytesPerExample(run)),
                                            kFewest, task.execution().workSizes().examplesOfBlock);
    return growingBlocks(shuffledExamples(task, run), kFewest, largest);
}

std::vector<std::vector<std::int64_t>> growingBlocks(const std::vector<std::int64_t> &order, std::int64_t first,
                                                     std::int64_t largest)
{
    std::vector<std::vector<std::int64_t>> blocks;
    std::int64_t length = first;
    for (auto next = order.begin(); next != order.end(); length = std::min(2 * length, largest)) {
        const auto count = std::min<std::int64_t>(length, order.end() - next);
        blocks.emplace_back(next, next + count);
        next += count;
    }
    return blocks;
}

std::vector<std::vector<std::int64_t>> inSlices(const std::vector<std::vector<std::int64_t>> &blocks, std::int64_t most)
{
    std::vector<std::vector<std::int64_t>> slices;
    for (const auto &block : blocks)
        std::ranges::move(growingBlocks(block, most, most), std::back_inserter(slices));
    return slices;
}

std::vector<std::int64_t> blockSizes(const Task &task, const RunOptions &run, const Shard &shard)
{
    constexpr std::int64_t kBlocksOfShard = 4;
    std::vector<std::vector<std::int64_t>> order = visitingOrder(task, run);
    if (!shard.isAll() && !order.empty()) {
        std::int64_t largest = 1;
        for (const auto &block : order)
            largest = std::max(largest, std::ssize(block));
        const std::int64_t each = std::max<std::int64_t>(1, task.size() / (shard.count * kBlocksOfShard));
        const std::int64_t length = std::min(largest, each);
        order = growingBlocks(shuffledExamples(task, run), length, length);
    }
    std::vector<std::int64_t> sizes;
    for (const auto &block : order)
        sizes.push_back(std::ssize(block));
    return sizes;
}

namespace {

/// Statistics of several metrics, one after the other; out.size() is the sum of their sizes.
void statisticsOf(const Task &task, std::span<const std::size_t> metrics, const ExampleOutput &output,
                  std::span<double> out)
{
    for (const std::size_t metric : metrics) {
        const std::size_t size = task.metrics()[metric]->statisticsSize();
        task.statistics(metric, output, out.first(size));
        out = out.subspan(size);
    }
}

void appendStatisticsOf(const Task &task, std::span<const std::size_t> metrics,
                        const std::vector<ExampleOutput> &outputs, StatisticsTable &table)
{
    table.columns = 0;
    for (const std::size_t metric : metrics)
        table.columns += task.metrics()[metric]->statisticsSize();
    for (const ExampleOutput &output : outputs) {
        table.values.resize(table.values.size() + table.columns);
        ++table.rows;
        statisticsOf(task, metrics, output, table.row(table.rows - 1));
    }
}

/// How a variant's statistics of one block differ from the base run's, which are the last rows of the table.
SweptBlock::Changes changesOf(std::size_t variant, const Task &task, std::span<const std::size_t> metrics,
                              const std::vector<ExampleOutput> &outputs, const std::vector<ExampleOutput> &baseline,
                              const StatisticsTable &baselineTable)
{
    const std::size_t firstRow = baselineTable.rows - outputs.size();
    SweptBlock::Changes changes{.variant = static_cast<std::int64_t>(variant), .changed = 0, .rows = {}, .values = {}};
    std::vector<double> own(baselineTable.columns);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        if (outputs[i] == baseline[i])
            continue; // equal in every field, so whatever is measured of it is equal
        statisticsOf(task, metrics, outputs[i], own);
        const std::span<const double> ofBase = baselineTable.row(firstRow + i);
        changes.changed += task.isChanged(outputs[i], own, baseline[i], ofBase) ? 1 : 0;
        if (std::ranges::equal(own, ofBase))
            continue;
        changes.rows.push_back(static_cast<std::int64_t>(i));
        changes.values.insert(changes.values.end(), own.begin(), own.end());
    }
    return changes;
}

} // namespace

StatisticsTable VariantStatistics::table(const StatisticsTable &baseline) const
{
    StatisticsTable table;
    table.rows = m_rows;
    table.columns = baseline.columns;
    table.values.assign(baseline.values.begin(),
                        baseline.values.begin() + static_cast<std::ptrdiff_t>(m_rows * table.columns));
    for (std::size_t i = 0; i < m_differing.size(); ++i)
        std::ranges::copy(std::span(m_values).subspan(i * table.columns, table.columns),
                          table.row(m_differing[i]).begin());
    return table;
}

void VariantStatistics::add(const SweptBlock::Changes &changes, std::size_t examples)
{
    for (const std::int64_t row : changes.rows)
        m_differing.push_back(static_cast<std::uint32_t>(m_rows + static_cast<std::size_t>(row)));
    m_values.insert(m_values.end(), changes.values.begin(), changes.values.end());
    m_rows += examples;
    m_changed += changes.changed;
}

void appendStatistics(const Task &task, std::size_t metric, const std::vector<ExampleOutput> &outputs,
                      StatisticsTable &table)
{
    appendStatisticsOf(task, {&metric, 1}, outputs, table);
}

StatisticsTable columnsOf(const StatisticsTable &table, std::size_t first, std::size_t count)
{
    StatisticsTable part(table.rows, count);
    for (std::size_t row = 0; row < table.rows; ++row)
        std::ranges::copy(table.row(row).subspan(first, count), part.row(row).begin());
    return part;
}

namespace {

/// The order of visits, as the journal has cut it where there is one.
std::vector<std::vector<std::int64_t>> orderOf(const Task &task, const EngineRequest &request,
                                               const SweepJournal *journal)
{
    auto order = visitingOrder(task, request.run);
    if (!journal)
        return order;
    std::vector<std::vector<std::int64_t>> cut;
    const auto all = std::views::join(order);
    auto next = all.begin();
    for (const std::int64_t count : journal->blocks()) {
        cut.emplace_back();
        for (std::int64_t i = 0; i < count; ++i, ++next)
            cut.back().push_back(*next);
    }
    return cut;
}

/// Goes through blocks, by computing them or by reading what they came to before.
class Sweep
{
public:
    Sweep(const Task &task, const EngineRequest &request, SweepJournal *journal, const JobControl &control,
          const std::function<void(const EngineState &)> &onStep)
        : m_task(task), m_request(request), m_journal(journal), m_control(control), m_onStep(onStep),
          m_phase(request.phase), m_metrics{task.primaryMetric(request.run)}, m_order(orderOf(task, request, journal)),
          m_variants(request.variants.size()), m_going(m_variants.size()), m_asked(request.variants)
    {
        m_metrics.insert(m_metrics.end(), request.others.begin(), request.others.end());
        m_useResident = request.resident && request.base.empty() && request.plan.kind == Replacement::Zero
                     && request.resident->run() == request.run;
        for (std::size_t b = 0; b < m_order.size(); ++b)
            m_state.examples += request.shard.has(b) ? std::ssize(m_order[b]) : 0;
        m_state.total = m_state.examples * (std::ssize(m_variants) + 1);
        std::iota(m_going.begin(), m_going.end(), 0);
    }

    PrecisionCheck run()
    {
        for (std::size_t b = 0; b < m_order.size() && (!m_going.empty() || m_variants.empty()); ++b) {
            if (!m_request.shard.has(b))
                continue;
            m_control.checkpoint();
            if (!replay(b))
                compute(b);
            if (m_request.onBlock)
                m_request.onBlock(m_state);
            leaveSettled();
        }
        returnFreeMemory();
        return m_precision;
    }

private:
    void compute(std::size_t b)
    {
        // Blocks that were read are not computed again, and says nothing about how long the rest takes.
        m_control.progress({m_phase, "examples", m_state.done, m_state.total});
        const auto &ids = m_order[b];
        const bool isResident = m_useResident && b < m_request.resident->count() && m_request.resident->ids(b) == ids;
        const auto block = isResident ? m_request.resident->block(b, m_control)
                                      : m_task.prepare(ids, m_request.base, m_request.plan, m_request.run, m_control);
        m_visited.insert(m_visited.end(), ids.begin(), ids.end());
        appendStatisticsOf(m_task, m_metrics, block->baseline(), m_baseline);
        m_state.done += std::ssize(ids);
        m_onStep(m_state);
        SweptBlock kept{
            .columns = static_cast<std::int64_t>(m_baseline.columns), .baseline = {}, .variants = {}, .precision = {}};
        std::mutex mutex; // guards the state of the sweep, and calls of onStep
        const auto onOutputs = [&](std::size_t place, const std::vector<ExampleOutput> &outputs) {
            const std::size_t v = m_going[place];
            SweptBlock::Changes changes = changesOf(v, m_task, m_metrics, outputs, block->baseline(), m_baseline);
            const std::scoped_lock lock(mutex);
            m_variants[v].add(changes, ids.size());
            if (m_journal)
                kept.variants.push_back(std::move(changes));
            m_state.done += std::ssize(ids);
            m_control.progress({m_phase, "examples", m_state.done, m_state.total});
            m_onStep(m_state);
        };
        const PrecisionCheck precision = block->outputsOfAll(m_asked, onOutputs, m_control);
        m_precision.add(precision);
        if (!m_journal || !m_keeps)
            return;
        const auto rows = std::span(m_baseline.values).last(ids.size() * m_baseline.columns);
        kept.baseline.assign(rows.begin(), rows.end());
        kept.precision = precision;
        keep(b, std::move(kept));
    }

    void keep(std::size_t b, SweptBlock kept)
    {
        std::ranges::sort(kept.variants, {}, &SweptBlock::Changes::variant); // threads finish in any order
        auto written = m_journal->append(b, kept);
        if (m_request.journal)
            (void)std::move(written).valueOrThrow();
        else if (!written.isOk()) { // the sweep itself is worth more than what would be lost of it
            m_keeps = false;
            m_phase.note = kPhaseNotKept;
        }
    }

    /// False: the journal does not have the block.
    bool replay(std::size_t b)
    {
        if (!m_journal || !m_journal->has(b))
            return false;
        const auto &ids = m_order[b];
        auto read = m_journal->read(b);
        if (!m_request.journal && !read.isOk())
            return false;
        const SweptBlock kept = std::move(read).valueOrThrow();
        m_visited.insert(m_visited.end(), ids.begin(), ids.end());
        m_baseline.columns = static_cast<std::size_t>(kept.columns);
        m_baseline.rows += ids.size();
        m_baseline.values.insert(m_baseline.values.end(), kept.baseline.begin(), kept.baseline.end());
        for (const SweptBlock::Changes &one : kept.variants)
            m_variants[static_cast<std::size_t>(one.variant)].add(one, ids.size());
        m_precision.add(kept.precision);
        m_state.done += std::ssize(ids) * (std::ssize(kept.variants) + 1);
        m_onStep(m_state);
        return true;
    }

    void leaveSettled()
    {
        if (!m_request.isSettled)
            return;
        const auto settled = std::erase_if(m_going, m_request.isSettled);
        m_state.total -= static_cast<std::int64_t>(settled) * (m_state.examples - std::ssize(m_visited));
        if (settled == 0)
            return;
        m_unsettled.clear();
        for (std::size_t v : m_going)
            m_unsettled.push_back(m_request.variants[v]);
        m_asked = m_unsettled;
    }

    const Task &m_task;
    const EngineRequest &m_request;
    SweepJournal *m_journal; ///< the request's own, or the one that is kept
    bool m_keeps = true;     ///< what is computed can be written there
    const JobControl &m_control;
    const std::function<void(const EngineState &)> &m_onStep;
    PhaseNow m_phase;
    std::vector<std::size_t> m_metrics; ///< the primary one first
    std::vector<std::vector<std::int64_t>> m_order;
    bool m_useResident = false;
    std::vector<std::int64_t> m_visited;
    StatisticsTable m_baseline;
    std::vector<VariantStatistics> m_variants;
    EngineState m_state{m_visited, m_baseline, m_variants};
    std::vector<std::size_t> m_going; ///< variants that need more
    std::vector<Variant> m_unsettled; ///< the variants that still need examples, once some do not
    std::span<const Variant> m_asked;
    PrecisionCheck m_precision;
};

} // namespace

PrecisionCheck runVariants(const Task &task, const EngineRequest &request, const JobControl &control,
                           const std::function<void(const EngineState &)> &onStep)
{
    task.requireReferences();
    std::unique_ptr<SweepJournal> kept;
    if (!request.journal && request.kept)
        kept = request.kept->journal(request.phase.id() + (request.others.empty() ? std::string() : ", all metrics"),
                                     request.base, request.variants, blockSizes(task, request.run, request.shard));
    return Sweep(task, request, kept ? kept.get() : request.journal, control, onStep).run();
}

ResidentBlocks::ResidentBlocks(std::shared_ptr<const Task> task, RunOptions run)
    : m_task(std::move(task)), m_run(run), m_ids(visitingOrder(*m_task, run)), m_blocks(m_ids.size())
{
}

std::shared_ptr<const PreparedBlock> ResidentBlocks::block(std::size_t index, const JobControl &control)
{
    {
        const std::scoped_lock lock(m_mutex);
        if (m_blocks[index])
            return m_blocks[index];
    }
    auto block = m_task->prepare(m_ids[index], {}, Replacement::Zero, m_run, control);
    const std::scoped_lock lock(m_mutex);
    if (!m_blocks[index] && m_used + block->memory() <= m_task->memory(m_run) / 2) {
        m_used += block->memory();
        m_blocks[index] = block;
    }
    return block;
}

} // namespace headscope

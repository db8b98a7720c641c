#include "core/engine/engine.h"

#include "core/base/random.h"
#include "core/tensor/freememory.h"

#include <algorithm>
#include <numeric>

namespace headscope {

std::vector<std::vector<std::int64_t>> visitingOrder(const Task &task, const RunOptions &run)
{
    constexpr std::int64_t kFewest = 8; // somebody may be waiting for the first
    const std::int64_t size = task.size();
    const std::int64_t largest = std::clamp(task.memory(run) / 2 / std::max<std::int64_t>(1, task.bytesPerExample(run)), kFewest,
                                            task.execution().grain().examplesOfBlock);
    std::vector<std::int64_t> order(static_cast<std::size_t>(size));
    std::iota(order.begin(), order.end(), 0);
    Random random(run.seed);
    shuffle(order, random);
    return growingBlocks(order, kFewest, largest);
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

namespace {

bool sameOutput(const ExampleOutput &a, const ExampleOutput &b)
{
    return a.tokens == b.tokens && a.logits == b.logits;
}

/// Statistics of the outputs of one block: those of the baseline where the output is the same.
struct BlockStatistics
{
    std::vector<double> values;
    std::int64_t changed = 0;
};

BlockStatistics compareToBaseline(const Task &task, std::size_t metric, const std::vector<ExampleOutput> &outputs,
                                  const std::vector<ExampleOutput> &baseline, const StatisticsTable &baselineTable)
{
    const std::size_t columns = baselineTable.columns;
    const std::size_t firstRow = baselineTable.rows - outputs.size();
    BlockStatistics block;
    block.values.assign(baselineTable.values.begin() + static_cast<std::ptrdiff_t>(firstRow * columns),
                        baselineTable.values.end());
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        if (sameOutput(outputs[i], baseline[i]))
            continue;
        block.changed += task.samePrediction(outputs[i], baseline[i]) ? 0 : 1;
        task.statistics(metric, outputs[i], std::span(block.values).subspan(i * columns, columns));
    }
    return block;
}

void append(const BlockStatistics &block, std::size_t columns, VariantStatistics &variant)
{
    variant.table.columns = columns;
    variant.table.rows += block.values.size() / columns;
    variant.table.values.insert(variant.table.values.end(), block.values.begin(), block.values.end());
    variant.changed += block.changed;
}

} // namespace

void appendStatistics(const Task &task, std::size_t metric, const std::vector<ExampleOutput> &outputs,
                      StatisticsTable &table)
{
    table.columns = task.metrics()[metric]->statisticsSize();
    for (const ExampleOutput &output : outputs) {
        table.values.resize(table.values.size() + table.columns);
        ++table.rows;
        task.statistics(metric, output, table.row(table.rows - 1));
    }
}

ProductProof runVariants(const Task &task, const EngineRequest &request, const JobControl &control,
                         const std::function<void(const EngineState &)> &onStep)
{
    task.requireReferences();
    const std::size_t metric = task.primaryMetric(request.run);
    std::vector<std::int64_t> visited;
    StatisticsTable baseline;
    ProductProof proof;
    std::vector<VariantStatistics> variants(request.variants.size());
    EngineState state{visited, baseline, variants};
    state.total = task.size() * (std::ssize(variants) + 1);
    const bool useResident = request.resident && request.base.empty() && request.plan.kind == Replacement::Zero
                             && request.resident->run() == request.run;
    const auto order = visitingOrder(task, request.run);
    std::vector<std::size_t> going(variants.size());
    std::iota(going.begin(), going.end(), 0);
    std::vector<Variant> unsettled; // those of `going`, once some are settled
    std::span<const Variant> asked(request.variants);
    for (std::size_t b = 0; b < order.size(); ++b) {
        const auto &ids = order[b];
        control.checkpoint();
        const auto block = useResident ? request.resident->block(b, control)
                                       : task.prepare(ids, request.base, request.plan, request.run, control);
        visited.insert(visited.end(), ids.begin(), ids.end());
        appendStatistics(task, metric, block->baseline(), baseline);
        state.done += std::ssize(ids);
        onStep(state);
        std::mutex mutex; // `state` and whoever looks at it
        const auto onOutputs = [&](std::size_t place, const std::vector<ExampleOutput> &outputs) {
            const std::size_t v = going[place];
            const BlockStatistics statistics
                = compareToBaseline(task, metric, outputs, block->baseline(), baseline);
            const std::scoped_lock lock(mutex);
            append(statistics, baseline.columns, variants[v]);
            state.done += std::ssize(ids);
            control.progress({request.phase, "examples", state.done, state.total});
            onStep(state);
        };
        proof.add(block->outputsOfAll(asked, onOutputs, control));
        if (request.onBlock)
            request.onBlock(state);
        if (!request.isSettled)
            continue;
        const auto settled = std::erase_if(going, request.isSettled);
        state.total -= static_cast<std::int64_t>(settled) * (task.size() - std::ssize(visited));
        if (going.empty())
            break;
        if (settled == 0)
            continue;
        unsettled.clear();
        for (std::size_t v : going)
            unsettled.push_back(request.variants[v]);
        asked = unsettled;
    }
    returnFreeMemory();
    return proof;
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

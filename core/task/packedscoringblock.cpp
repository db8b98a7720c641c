#include "core/task/packedscoringblock.h"

#include <ATen/core/grad_mode.h>
#include <torch/types.h>

#include <numeric>

namespace headscope {

PackedScoringBlock::PackedScoringBlock(const Task &task, const ScoringRunner &runner, std::vector<std::int64_t> ids,
                                       const HeadMask &base, const ReplacementPlan &plan, const RunOptions &run)
    : PackedBlock(task, std::move(ids), base, plan, {}, run), m_runner(runner)
{
    for (const std::int64_t id : m_ids) {
        m_firstSequence.push_back(std::ssize(m_all));
        std::int64_t rows = 0;
        for (ScoredSequence &sequence : m_runner.sequencesOf(m_task.examples(), id)) {
            rows += std::ssize(sequence.tokens);
            m_sequences.add(std::ssize(sequence.tokens));
            m_all.push_back(std::move(sequence));
        }
        m_rows.push_back(rows);
    }
    m_firstSequence.push_back(std::ssize(m_all));
}

std::shared_ptr<const PackedScoringBlock> PackedScoringBlock::make(const Task &task, const ScoringRunner &runner,
                                                                   std::vector<std::int64_t> ids, const HeadMask &base,
                                                                   const ReplacementPlan &plan, const RunOptions &run,
                                                                   const JobControl &control)
{
    const torch::NoGradGuard noGrad;
    std::shared_ptr<PackedScoringBlock> block(new PackedScoringBlock(task, runner, std::move(ids), base, plan, run));
    block->prepareReplacements(control);
    block->runBase(control);
    return block;
}

PackedScoringBlock::Together PackedScoringBlock::together(std::span<const std::int64_t> places) const
{
    Together what;
    what.places.assign(places.begin(), places.end());
    for (std::size_t i = 0; i < places.size(); ++i) {
        const auto place = static_cast<std::size_t>(places[i]);
        for (std::int64_t s = m_firstSequence[place]; s < m_firstSequence[place + 1]; ++s) {
            what.owners.push_back(static_cast<std::int64_t>(i));
            what.sequences.push_back(s);
            what.rows.add(m_sequences.length(s));
        }
    }
    return what;
}

void PackedScoringBlock::runBase(const JobControl &control)
{
    std::vector<std::int64_t> all(m_ids.size());
    std::iota(all.begin(), all.end(), 0);
    const auto parts = inParts(all, examplesOfPart(), [&](std::int64_t place) { return rowsOf(place); });
    const std::size_t placeCount = spec().stack(m_runner.side())->subLayers.size();
    std::vector<StackStates> states(parts.size(), StackStates(placeCount));
    std::vector<std::vector<ExampleOutput>> outputs(parts.size());
    m_task.execution().runPieces(std::ssize(parts), [&](std::int64_t p) {
        const auto part = static_cast<std::size_t>(p);
        const Together what = together(parts[part]);
        std::vector<std::int64_t> tokens, types;
        for (const std::int64_t s : what.sequences) {
            const ScoredSequence &sequence = m_all[static_cast<std::size_t>(s)];
            tokens.insert(tokens.end(), sequence.tokens.begin(), sequence.tokens.end());
            types.insert(types.end(), sequence.types.begin(), sequence.types.end());
        }
        RowExecutor executor(exact(), m_runner.side(), what.rows, control);
        executor.gates = [&](HeadKind kind, int layer) { return baseGates(what.rows.count(), kind, layer); };
        record(executor, states[part]);
        const auto positions
            = m_runner.side() == Side::Encoder ? exact().positionsOf(tokens, what.rows) : executor.positions;
        outputs[part] = score(
            exact(), executor.runToEnd({0, exact().embed(m_runner.side(), tokens, positions, types), {}}), what);
    });
    std::vector<const StackStates *> kept;
    for (const StackStates &part : states)
        kept.push_back(&part);
    m_states = keep(kept);
    for (auto &part : outputs)
        m_baseline.insert(m_baseline.end(), part.begin(), part.end());
}

std::vector<ExampleOutput> PackedScoringBlock::score(const RowModel &model, const Rows &hidden,
                                                     const Together &what) const
{
    std::vector<std::int64_t> asked, wanted;
    for (std::size_t i = 0; i < what.sequences.size(); ++i) {
        const ScoredSequence &sequence = m_all[static_cast<std::size_t>(what.sequences[i])];
        for (std::size_t k = 0; k < sequence.places.size(); ++k) {
            asked.push_back(what.rows.first(static_cast<std::int64_t>(i)) + sequence.places[k]);
            wanted.push_back(sequence.wanted[k]);
        }
    }
    const auto found = model.forced(gatherRows(hidden, asked), wanted);
    std::vector<ExampleOutput> outputs(what.places.size());
    for (std::size_t i = 0; i < outputs.size(); ++i)
        outputs[i].index = m_ids[static_cast<std::size_t>(what.places[i])];
    auto next = found.begin();
    for (std::size_t i = 0; i < what.sequences.size(); ++i) {
        const ScoredSequence &sequence = m_all[static_cast<std::size_t>(what.sequences[i])];
        std::vector<ScoringRunner::Found> own;
        for (std::size_t k = 0; k < sequence.places.size(); ++k, ++next)
            own.push_back({next->logProbability, next->best});
        ScoringRunner::add(sequence, own, outputs[static_cast<std::size_t>(what.owners[i])]);
    }
    for (ExampleOutput &output : outputs)
        ScoringRunner::finish(m_task.examples(), output);
    return outputs;
}

std::vector<PackedBlock::Answer> PackedScoringBlock::run(const StartPlace &start, std::span<const Pair> pairs,
                                                         const Precision &precision, const JobControl &control) const
{
    const Together what = together(placesOf(pairs));
    RowExecutor executor(precision.model, start.side, what.rows, control);
    executor.gates = [&](HeadKind kind, int layer) {
        const RowGates ofPairs = gatesOf(pairs, kind, layer);
        RowGates gates;
        for (const std::int64_t owner : what.owners)
            gates.push_back(ofPairs[static_cast<std::size_t>(owner)]);
        return gates;
    };
    auto outputs = score(precision.model,
                         executor.runToEnd(stateAt(m_states, start.place, m_sequences.rowsOf(what.sequences))), what);
    std::vector<Answer> answers(outputs.size());
    for (std::size_t i = 0; i < outputs.size(); ++i)
        answers[i].output = std::move(outputs[i]);
    return answers;
}

} // namespace headscope

#include "core/analysis/forcedprefix.h"

#include "core/model/transformer.h"

namespace headscope {

ForcedPrefix::ForcedPrefix(const Task &task, bool wantsOwnOutput)
    : m_task(task), m_own(task.generates() && (wantsOwnOutput || !task.hasReferences()))
{
}

std::string ForcedPrefix::name() const
{
    return !m_task.generates() ? "" : m_own ? "own output" : "reference";
}

std::vector<std::vector<std::int64_t>> ForcedPrefix::ownOutputs(const std::vector<std::int64_t> &ids,
                                                                const HeadMask &mask, const RunOptions &run,
                                                                const JobControl &control) const
{
    RunOptions greedy = run;
    greedy.decoding.beams = 1;
    std::vector<std::vector<std::int64_t>> tokens;
    for (ExampleOutput &output : m_task.outputs(ids, mask, greedy, false, control))
        tokens.push_back(std::move(output.tokens));
    return tokens;
}

} // namespace headscope

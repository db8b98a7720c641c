#include "core/analysis/forcedprefix.h"

#include "core/model/transformer.h"

#include <utility>

namespace headscope {

ForcedPrefix::ForcedPrefix(const Task &task, bool wantsOwnOutput)
    : m_task(task), m_own(task.generates() && (wantsOwnOutput || !task.hasReferences()))
{
}

std::string ForcedPrefix::name() const
{
    return !m_task.generates() ? "" : m_own ? "own output" : "reference";
}

OutputsById ForcedPrefix::ownOutputs(const std::vector<std::int64_t> &ids, const HeadMask &mask, const RunOptions &run,
                                     const JobControl &control) const
{
    OutputsById tokens;
    if (!m_own)
        return tokens;
    RunOptions greedy = run;
    greedy.decoding.beams = 1;
    std::vector<ExampleOutput> outputs = m_task.outputs(ids, mask, greedy, false, control);
    for (std::size_t i = 0; i < ids.size(); ++i)
        tokens[ids[i]] = std::move(outputs[i].tokens);
    return tokens;
}

} // namespace headscope

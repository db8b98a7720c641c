#pragma once

#include "core/task/task.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace headscope {

/// Tokens of examples, by their ids.
using OutputsById = std::map<std::int64_t, std::vector<std::int64_t>>;

/// The output that the decoder is forced to where nothing is measured: the references or, where there are none or on
/// request, the model's own greedy output.
class ForcedPrefix
{
public:
    ForcedPrefix(const Task &task, bool wantsOwnOutput);

    bool isOwnOutput() const { return m_own; }
    std::string name() const; ///< "reference", "own output"; empty: there is no such choice
    /// The model's own outputs under `mask`, with end tokens; empty where it says the references.
    OutputsById ownOutputs(const std::vector<std::int64_t> &ids, const HeadMask &mask, const RunOptions &run,
                           const JobControl &control) const;

private:
    const Task &m_task;
    bool m_own = false;
};

} // namespace headscope

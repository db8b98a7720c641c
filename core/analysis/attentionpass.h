#pragma once

#include "core/analysis/forcedprefix.h"
#include "core/task/task.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace headscope {

/// Options for a pass over the attention of a data set.
struct AttentionPassOptions
{
    RunOptions run{};
    HeadMask mask{};
    bool valueNorms = false;
    bool ownOutput = false; ///< the decoder is forced to the model's own output even if there are references
    std::optional<std::vector<std::int64_t>> examples{}; ///< these only, ascending
};

/// A few examples with their attention.
struct SeenBatch
{
    const std::vector<std::int64_t> &ids;
    AttentionBatch attention;
};

/// Visits the attention of a data set a few examples at a time, so that memory does not grow with their number. Batches
/// run in parallel; their findings are combined in a fixed order, so that sums are the same to the last bit.
class AttentionPass
{
public:
    /// Keeps references.
    AttentionPass(const Task &task, AttentionPassOptions options, const Phase &phase, const JobControl &control)
        : m_task(task), m_options(std::move(options)), m_prefix(task, m_options.ownOutput), m_phase(phase),
          m_control(control)
    {
    }

    const ForcedPrefix &prefix() const { return m_prefix; }
    /// Whether run() says this number of processed examples.
    bool says(std::int64_t examples) const;
    /// `examine` gives what it finds in a batch and is called by several threads at once; `add` gets all of these by
    /// one thread. `said` is called every few examples with the number of processed examples. `before`: so many, which
    /// it would say, have been processed already.
    template<typename Examine, typename Add>
    void run(Examine &&examine, Add &&add, const std::function<void(std::int64_t examples)> &said = {},
             std::int64_t before = 0) const
    {
        using Found = std::invoke_result_t<Examine, SeenBatch>;
        std::int64_t seen = 0;
        if (before > 0)
            m_control.progress({m_phase, "examples", before, m_task.size()});
        for (const std::vector<std::int64_t> &part : parts()) {
            if (seen < before) {
                seen += std::ssize(part);
                continue;
            }
            const OutputsById own = m_prefix.ownOutputs(part, m_options.mask, m_options.run, m_control);
            const auto batches = m_task.batches(part, m_options.run);
            std::vector<std::optional<Found>> found(batches.size());
            m_task.execution().parallelFor(std::ssize(batches), [&](std::int64_t b) {
                m_control.checkpoint();
                const auto index = static_cast<std::size_t>(b);
                found[index] = examine(see(batches[index], own));
            });
            for (std::optional<Found> &one : found)
                add(*std::move(one));
            seen += std::ssize(part);
            m_control.progress({m_phase, "examples", seen, m_task.size()});
            if (said)
                said(seen);
        }
    }

private:
    /// All examples, a few at a time.
    std::vector<std::vector<std::int64_t>> parts() const;
    SeenBatch see(const std::vector<std::int64_t> &ids, const OutputsById &own) const;

    const Task &m_task;
    AttentionPassOptions m_options;
    ForcedPrefix m_prefix;
    Phase m_phase;
    const JobControl &m_control;
};

} // namespace headscope

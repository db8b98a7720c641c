#pragma once

#include "core/task/replacements.h"
#include "core/task/task.h"

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace headscope {

/// Variants from scratch: one evaluation per mask over padded batches, nothing shared.
class PlainPath
{
public:
    /// Keeps a reference to the task.
    PlainPath(const Task &task, const HeadMask &base, const ReplacementPlan &plan, const RunOptions &run)
        : m_task(task), m_base(base), m_plan(plan), m_run(run)
    {
    }
    std::vector<ExampleOutput> outputs(const std::vector<std::int64_t> &ids, const Variant &variant,
                                       const JobControl &control) const;
    const Task &task() const { return m_task; }

private:
    const Task &m_task;
    HeadMask m_base;
    ReplacementPlan m_plan;
    RunOptions m_run;
};

/// A block that prepares nothing: what `--plain` runs, and what settings without a fast path do.
class PlainBlock final : public PreparedBlock
{
public:
    static std::shared_ptr<const PlainBlock> make(const Task &task, std::vector<std::int64_t> ids, const HeadMask &base,
                                                  const ReplacementPlan &plan, const RunOptions &run,
                                                  const JobControl &control);

    const std::vector<ExampleOutput> &baseline() const override { return m_baseline; }
    std::vector<ExampleOutput> outputs(const Variant &variant, const JobControl &control) const override;
    PrecisionCheck outputsOfAll(std::span<const Variant> variants, const OutputsOfVariant &done,
                                const JobControl &control) const override;
    std::int64_t memory() const override { return 0; }

private:
    PlainBlock(PlainPath path, std::vector<std::int64_t> ids) : m_path(std::move(path)), m_ids(std::move(ids)) { }

    PlainPath m_path;
    std::vector<std::int64_t> m_ids;
    std::vector<ExampleOutput> m_baseline;
};

} // namespace headscope

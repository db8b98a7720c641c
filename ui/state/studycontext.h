#pragma once

#include "core/task/runoptions.h"
#include "ui/jobs/jobqueue.h"
#include "ui/state/studystate.h"

#include <array>
#include <optional>

namespace headscope {

/// What all parts of StudyController share: the study, the queue of its jobs, and how they run.
struct StudyContext
{
    StudyState &state;
    JobQueue &queue;
    RunOptions run{};
    ModelOptions model{};
    double patience = 60;                              ///< seconds: what takes longer says so before it begins
    bool automatic = true;                             ///< analyses start by themselves
    std::array<std::optional<DataSource>, 2> wanted{}; ///< data sources of the slots, read or not yet
    int opening = 0;                                   ///< counts what was asked to be opened: only the newest is shown

    /// Whether something can be computed on that data set.
    bool isReady(Domain domain) const { return state.session() && state.rows(domain); }
    /// Scores and losses need them; what heads attend to does not.
    bool hasReferences(Domain domain) const
    {
        const auto &card = state.data(domain);
        return card && card->references;
    }
    /// Whether what is done of a sweep is kept, so that it goes on after a stop or a kill.
    bool keepsSweeps() const { return !model.workFolder.empty() || !model.host.empty(); }
    /// Where what need not be waited for is done: nothing here waits for another machine.
    JobLane quietLane() const { return model.host.empty() ? JobLane::Files : JobLane::Elsewhere; }
};

} // namespace headscope

#pragma once

#include "core/results/anyresult.h"
#include "ui/jobs/jobqueue.h"
#include "ui/state/slotresults.h"
#include "ui/state/workkey.h"

#include <QString>

#include <cstdint>
#include <optional>

namespace headscope {

/// How work on a result stands. WorkList::work() is the one place that says so; all that is shown of it follows.
enum class WorkStage {
    Queued,
    Running,
    Paused,  ///< waits for what is more urgent
    Partial, ///< stopped before it was complete: it can be gone on with
    Failed,  ///< it ended with an error, and there is nothing complete
    Stale,   ///< complete, of files that have changed since
    Complete,
};

/// One result of a data set, or what is to become one.
struct Work
{
    WorkKey key;
    QString title; ///< "Ablation", "Pruning: importance"
    WorkStage stage = WorkStage::Queued;
    std::optional<AnyResult> result{}; ///< what there is of it
    std::int64_t examples = 0;         ///< that it rests on; 0: there is none yet
    std::int64_t total = 0;            ///< examples that it will rest on; 0: not known
    std::optional<JobInfo> job{};      ///< at work on it, or waiting
    QString error{};                   ///< of one that failed
    double secondsLeft = -1;           ///< until it is complete, as measured while it was computed; < 0: not known
    bool isPutOff = false;             ///< it was stopped because nobody had asked for what takes so long

    /// Whether no head is masked throughout; a score's mask does not count.
    bool isOfWholeModel() const { return key.mask.empty(); }
    bool isActive() const { return job.has_value(); }
    /// Nobody is at work on it, and it is not complete.
    bool isLeft() const { return stage == WorkStage::Partial || stage == WorkStage::Failed; }
    /// All of it is there.
    bool isWhole() const { return stage == WorkStage::Complete || stage == WorkStage::Stale; }
};

/// Examples that it rests on, where it counts them; else 0.
std::int64_t examplesOf(const AnyResult &result);
/// "waiting", "running, 412/1000 examples, 3 s left", "stopped at 57 of 96 examples": for lists; empty where it is
/// complete.
QString stageText(const Work &work);
/// The same in a word or two: "57/300", "43 %".
QString shortStageText(const Work &work);
/// "about 14 minutes": what a measured time comes to.
QString aboutTimeText(double seconds);

} // namespace headscope

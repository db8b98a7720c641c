#pragma once

#include "core/analysis/anyspec.h"
#include "core/results/anyresult.h"
#include "ui/jobs/jobqueue.h"
#include "ui/state/studystate.h"
#include "ui/state/workkey.h"

#include <QString>

#include <cstddef>

/// How the jobs and the places of the two data slots are called: for the files of StudyController.
namespace headscope {

/// "McNemar's test": what an analysis is called, whatever its options are.
QString analysisTitle(const AnySpec &spec);
/// What it is called in lists: "Ablation", "Pruning: importance".
QString titleOf(const AnySpec &spec);
QString titleOf(const AnyResult &result);

/// The job of an analysis in the background; one under a mask overtakes everything else, and sweeps let everything else
/// pass. `keepsSweeps`: what is done of a sweep is kept.
JobSpec jobOf(const AnySpec &spec, Domain domain, bool urgent, bool keepsSweeps);

inline ErrorPlace dataPlace(Domain domain)
{
    return domain == Domain::In ? ErrorPlace::InData : ErrorPlace::OutData;
}

inline std::size_t slotOf(Domain domain)
{
    return domain == Domain::In ? 0 : 1;
}

} // namespace headscope

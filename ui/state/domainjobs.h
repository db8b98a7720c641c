#pragma once

#include "core/analysis/analyses.h"

#include "ui/jobs/jobqueue.h"
#include "ui/state/slotresults.h"
#include "ui/state/studystate.h"

#include <QString>

#include <cstddef>

/// How the jobs and the places of the two data slots are called: for the files of StudyController.
namespace headscope {

/// Of all jobs of a data slot.
inline QString tagsOf(Domain domain)
{
    return domain == Domain::In ? QStringLiteral("in-domain ") : QStringLiteral("out-of-domain ");
}

/// A job that reads the data of a slot.
inline QString dataTag(Domain domain)
{
    return tagsOf(domain) + QStringLiteral("data");
}

/// Of the job that computes a result of a kind; those of curves go on with their order, and other kinds with the
/// name of their analysis.
inline QString tagOf(ResultKind kind, Domain domain)
{
    return tagsOf(domain) + resultKindName(kind);
}
/// Of the job that computes such a result.
QString tagOf(const AnyResult &result, Domain domain);

/// The kind of what comes out of a spec.
ResultKind kindOf(const AnySpec &spec);
/// What it is called in lists: "Ablation", "Pruning: importance".
QString titleOf(const AnySpec &spec);
QString titleOf(const AnyResult &result);

/// Whether no head is masked throughout, scores under a mask aside.
bool isOfWholeModel(const AnySpec &spec);

/// Of an analysis in the background; one under a mask overtakes everything else, and sweeps let everything else pass.
/// `keepsSweeps`: what is done of a sweep is kept.
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

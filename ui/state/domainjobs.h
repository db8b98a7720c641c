#pragma once

#include "core/analysis/analyses.h"

#include "ui/jobs/jobqueue.h"
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

/// Jobs that compute results of a kind; those of curves go on with their order.
inline QString tagOf(ResultKind kind, Domain domain)
{
    return tagsOf(domain) + resultKindName(kind);
}

/// Of an analysis in the background; one under a mask overtakes everything else.
JobSpec jobOf(const AnySpec &spec, Domain domain, bool urgent);

inline ErrorPlace dataPlace(Domain domain)
{
    return domain == Domain::In ? ErrorPlace::InData : ErrorPlace::OutData;
}

inline std::size_t slotOf(Domain domain)
{
    return domain == Domain::In ? 0 : 1;
}

} // namespace headscope

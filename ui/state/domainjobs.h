#pragma once

#include "ui/state/studystate.h"

#include <QString>

#include <cstddef>

/// How the jobs and the places of the two data slots are called: for the files of StudyController.
namespace headscope {

inline QString tagOf(const char *what, Domain domain)
{
    return QLatin1String(what) + (domain == Domain::In ? QLatin1String("-in") : QLatin1String("-out"));
}

/// What is computed of a data slot.
inline constexpr const char *kDomainTags[]
    = {"data", "baseline", "ablation", "all-but-one", "importance", "confidence", "roles", "relevance", "search",
       "pruning", "mask"};

inline ErrorPlace dataPlace(Domain domain)
{
    return domain == Domain::In ? ErrorPlace::InData : ErrorPlace::OutData;
}

inline std::size_t slotOf(Domain domain)
{
    return domain == Domain::In ? 0 : 1;
}

} // namespace headscope

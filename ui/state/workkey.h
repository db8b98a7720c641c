#pragma once

#include "core/analysis/anyspec.h"
#include "core/results/anyresult.h"
#include "core/session/studyrecord.h"
#include "ui/state/resultkind.h"

#include <QString>

#include <compare>
#include <string>

namespace headscope {

/// Which result of a data set work is on: what is asked for, in the way, stopped or failed is kept by it. Two results
/// of equal keys are computed by one job, the newer instead of the older. No text that is shown is part of it.
struct WorkKey
{
    Domain domain = Domain::In;
    UnitKind kind;
    std::string detail{}; ///< the order of curves; of kinds without a page the name of the analysis
    std::string mask{};   ///< heads that are masked throughout, as text; empty: none

    auto operator<=>(const WorkKey &) const = default;
};

WorkKey keyOf(Domain domain, const AnySpec &spec);
WorkKey keyOf(Domain domain, const AnyResult &result);

/// Begins the tags of all jobs of a data set.
QString tagsOf(Domain domain);
/// The tag of the job that reads its data.
QString dataTag(Domain domain);
/// The tag of the jobs that work on it.
QString tagOf(const WorkKey &key);

} // namespace headscope

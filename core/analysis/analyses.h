#pragma once

#include "core/analysis/ablationspec.h"
#include "core/analysis/analysisinfo.h"
#include "core/analysis/anyspec.h"
#include "core/analysis/collaboratespec.h"
#include "core/analysis/confidencespec.h"
#include "core/analysis/contingencyspec.h"
#include "core/analysis/coreferencespec.h"
#include "core/analysis/detectspec.h"
#include "core/analysis/dynamicsspec.h"
#include "core/analysis/energyspec.h"
#include "core/analysis/evaluationspec.h"
#include "core/analysis/findspec.h"
#include "core/analysis/functionsspec.h"
#include "core/analysis/gatingspec.h"
#include "core/analysis/gradientsspec.h"
#include "core/analysis/headtokensspec.h"
#include "core/analysis/importancespec.h"
#include "core/analysis/interactionsspec.h"
#include "core/analysis/neededspec.h"
#include "core/analysis/patchspec.h"
#include "core/analysis/pathsspec.h"
#include "core/analysis/probespec.h"
#include "core/analysis/pruningspec.h"
#include "core/analysis/relevancespec.h"
#include "core/analysis/retrievalspec.h"
#include "core/analysis/rolesspec.h"
#include "core/analysis/searchspec.h"
#include "core/analysis/shapleyspec.h"
#include "core/analysis/similarityspec.h"
#include "core/analysis/specoptions.h"
#include "core/analysis/speedspec.h"
#include "core/analysis/takeoverspec.h"
#include "core/analysis/weightsspec.h"

#include <cstdint>
#include <optional>
#include <string>

/// The table of analyses: what can be computed on a data set. An analysis is a struct of options (a spec) with its
/// describe() and its entry AnalysisOf (analysisinfo.h), all in a file here, a file with its functions, and a place in
/// the list of anyspec.h. The session runs, remembers and stamps all of them alike; the command line makes a command of
/// every entry. Who passes specs on without a look at them includes anyspec.h instead.
namespace headscope {

/// The remark on intervals and p of so few examples; nothing where there are enough, or none.
std::optional<std::string> remarkOnFew(std::int64_t examples);

/// Whether the analysis takes something from the other data slot.
template<SpecStruct Spec>
bool wantsSecond(const Spec &spec)
{
    using Entry = AnalysisOf<Spec>;
    if constexpr (requires { Entry::usesSecond(spec); })
        return spec.*Entry::kSecond.wanted && Entry::usesSecond(spec);
    else if constexpr (requires { Entry::kSecond; })
        return spec.*Entry::kSecond.wanted;
    else
        return false;
}

/// The option that names it; empty where there is none.
template<SpecStruct Spec>
constexpr const char *secondOption()
{
    if constexpr (requires { AnalysisOf<Spec>::kSecond; })
        return AnalysisOf<Spec>::kSecond.option;
    else
        return "";
}

/// Whether the session answers the same request again at once.
template<SpecStruct Spec>
bool isRemembered(const Spec &spec)
{
    if constexpr (requires { AnalysisOf<Spec>::isRemembered(spec); })
        return AnalysisOf<Spec>::isRemembered(spec);
    else
        return true;
}

template<SpecStruct Spec>
bool needsReferences(const Spec &spec)
{
    if constexpr (requires { AnalysisOf<Spec>::needsReferences(spec); })
        return AnalysisOf<Spec>::needsReferences(spec);
    else
        return AnalysisOf<Spec>::kInfo.needsReferences;
}

/// Calls `visitor` with the default spec of every analysis.
template<typename Visitor, typename... Specs>
void forEachAnalysis(Visitor &&visitor, SpecList<Specs...>)
{
    (visitor(Specs{}), ...);
}
template<typename Visitor>
void forEachAnalysis(Visitor &&visitor)
{
    forEachAnalysis(visitor, AllSpecs());
}

} // namespace headscope

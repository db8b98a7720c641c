#pragma once

#include "core/results/ablationresult.h"
#include "core/results/bestheads.h"
#include "core/results/compareresult.h"
#include "core/results/dynamicsresult.h"
#include "core/results/energyresult.h"
#include "core/results/gradientsresult.h"
#include "core/results/importanceresult.h"
#include "core/results/pruningresult.h"
#include "core/results/relevanceresult.h"
#include "core/results/rolesresult.h"
#include "core/results/searchresult.h"
#include "core/results/significancerule.h"
#include "core/results/similarityresult.h"
#include "core/results/speedresult.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace headscope {

/// A report's part on one data set.
struct ReportDomain
{
    std::string name; ///< of the data set
    bool out = false; ///< it is the out-of-domain one
    std::int64_t rows = 0;
    std::vector<std::string> warnings{}; ///< of the data set
    AblationResult ablation{};
    AblationResult allButOne{};
    /// Each layer's head chosen on the other set; without one, on this set, which the result says.
    std::optional<BestHeadsResult> bestHeads{};
    ImportanceResult importance{};
    /// Pruning orders one after the other: importance, ablation, random, and those that were asked for.
    std::vector<PruningResult> pruning{};
    std::optional<PruningResult> kinds{}; ///< a curve by importance for each kind of attention; none: there is one kind
    std::optional<SearchResult> search{};
    std::optional<RolesResult> roles{};
    std::optional<RelevanceResult> relevance{};
    std::optional<SimilarityResult> similarity{};
    std::optional<AttentionGradientsResult> gradients{};
};

/// Everything of a study that a report is written from: plain results.
struct ReportContents
{
    std::string model; ///< folder
    std::string family;
    std::string task;
    std::int64_t parameters = 0;
    HeadLayout layout;
    std::string command;                              ///< that makes the same report, less its folder
    std::vector<ReportDomain> domains;                ///< in-domain first; a data set by itself: one
    std::optional<CompareResult> ablationAgreement{}; ///< of deltas; between two domains
    std::optional<CompareResult> importanceAgreement{};
    std::optional<DynamicsResult> dynamics{}; ///< in-domain
    std::optional<SpeedResult> speed{};
    std::optional<EnergyResult> energy{}; ///< of the model's projections
    double seconds = 0;                   ///< of all of it
    SignificanceRule significance{};      ///< what its marks mean

    const std::string &metric() const { return domains.front().ablation.baseline.name; }
};

/// The manifests of all results, each once, in the order of the report.
std::vector<Manifest> manifestsOf(const ReportContents &contents);
/// Their keys.
std::vector<std::string> keysOf(const ReportContents &contents);

} // namespace headscope

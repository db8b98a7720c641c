#pragma once

#include "core/analysis/analysisinfo.h"
#include "core/analysis/specoptions.h"
#include "core/base/jobcontrol.h"
#include "core/base/phase.h"
#include "core/results/energyresult.h"
#include "core/task/runoptions.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace headscope {

/// How many dimensions query and key projections use, and what scores are made of.
struct EnergySpec
{
    RunOptions run{};
    bool centred = false;        ///< rows of projections have their means taken out first
    std::int64_t sentences = 64; ///< examples that the parts of scores are looked at on; 0 = all
};

template<typename Visitor>
void describe(Visitor &visit, EnergySpec &spec)
{
    visit.flag("centred", spec.centred,
               "Take the mean out of every dimension of a head first, as a principal component analysis does");
    visit.integer("sentences", spec.sentences, IntegerRange{0},
                  "Examples that content, context and key biases are looked at on; 0 = all");
}

// parts of the work
inline constexpr Phase kPhaseScoringParts{"scoring: %1"};
inline constexpr Phase kPhaseEnergies{"energies of projections"};
inline constexpr Phase kPhaseParts{"parts of scores"};

template<>
struct AnalysisOf<EnergySpec>
{
    using Result = EnergyResult;
    static constexpr std::array kPhases{kPhaseScoringParts, kPhaseEnergies, kPhaseParts};
    static constexpr AnalysisInfo kInfo{
        .name = "energy",
        .summary = "How many dimensions query and key projections use; what of the scores is the same for every query",
        .footer
        = "Cordonnier et al. 2020, sections 2 and 3.3. The result: \"layers\" with energy curves of the concatenated\n"
          "projections, of their product (which needs a third of its dimensions, as the paper has it: share_90,\n"
          "share_95, share_99), of the tensor's unfoldings, and of normal numbers in the same shapes; \"heads\" with\n"
          "their own, and content and context: shares of their scores' variance over keys (content comes from query\n"
          "biases, is the same for every query, and plus context and twice their covariance is 1; none with rotary\n"
          "positions); \"key_bias_change\"; \"parts\": scores of the model with context or content alone.\n"
          "--format csv: a line per matrix.",
        .group = CommandGroup::Roles,
        .example = "energy --model MODEL_DIR --source test.en --reference test.fr",
        .needsReferences = false};
    static std::vector<std::string> remarks(const EnergyResult &result); ///< the verdict on the claimed third
    /// Energies of query and key projections, and what scores are made of (EnergyResult).
    static EnergyResult compute(const EnergySpec &spec, AnalysisInput &input, Manifest manifest,
                                const JobControl &control, const Publish<EnergyResult> &publish);
};

} // namespace headscope

#pragma once

#include "core/analysis/analysisinfo.h"
#include "core/analysis/specoptions.h"
#include "core/base/headref.h"
#include "core/base/headunit.h"
#include "core/base/jobcontrol.h"
#include "core/base/ranges.h"
#include "core/results/evaluationresult.h"
#include "core/task/runoptions.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// The score of a model, and of a masked one.
namespace headscope {

/// For intervals of groups of examples (paradigms of minimal pairs), of which there are many; scores of whole sets:
/// scoreResamples().
inline constexpr std::int64_t kGroupResamples = 1000;

struct EvaluationSpec
{
    RunOptions run{};
    HeadMask mask{};
    HeadUnit by = HeadUnit::Head;            ///< masked heads are their whole units
    std::optional<HeadMask> against{};       ///< compare with this mask, example by example
    bool outputs = false;                    ///< keep every example's output
    bool scores = false;                     ///< and its score, which costs a full decoding
    std::optional<std::int64_t> resamples{}; ///< none: as many as a sweep has; 0: no interval
    bool rescale = false;                    ///< heads that stay in a layer are scaled: rescaledHeads()
};

template<typename Visitor>
void describe(Visitor &visit, EvaluationSpec &spec)
{
    visit.mask("mask", spec.mask);
    visit.mask("against", spec.against);
    visit.choice("by", spec.by, "The unit of a mask: its heads, or the whole groups that share their key-value heads");
    visit.integer("resamples", spec.resamples, IntegerRange{0, kMostResamples},
                  "Resamples of the bootstrap interval; 0 = no interval; default: as many as a sweep of the model has");
    visit.flag("rescale", spec.rescale, kRescaleHelp);
}

template<>
struct AnalysisOf<EvaluationSpec>
{
    using Result = EvaluationResult;
    static constexpr AnalysisInfo kInfo{.name = "evaluate",
                                        .summary = "Score the model on a data set",
                                        .group = CommandGroup::Models,
                                        .example
                                        = "evaluate --model MODEL_DIR --source test.en --reference test.fr --beams 4",
                                        .needsHeads = false,
                                        .infers = true,
                                        .goesByMetric = true};
    static bool isRemembered(const EvaluationSpec &spec) { return !spec.outputs && !spec.scores; } // too large
    /// Outputs that stopped at their limit, a mask that changes nothing.
    static std::vector<std::string> remarks(const EvaluationResult &result);
    static EvaluationResult compute(const EvaluationSpec &spec, AnalysisInput &input, Manifest manifest,
                                    const JobControl &control, const Publish<EvaluationResult> &publish);
};

} // namespace headscope

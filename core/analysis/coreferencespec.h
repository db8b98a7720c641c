#pragma once

#include "core/analysis/analysisinfo.h"
#include "core/analysis/specoptions.h"
#include "core/base/headref.h"
#include "core/base/jobcontrol.h"
#include "core/base/phase.h"
#include "core/results/coreferenceresult.h"
#include "core/task/runoptions.h"

#include <array>
#include <cstdint>
#include <string>

namespace headscope {

/// Whether heads attend from mentions to their antecedents.
struct CoreferenceSpec
{
    RunOptions run{};
    HeadMask mask{}; ///< heads masked while attention is computed
    std::int64_t resamples = 1000;
};

template<typename Visitor>
void describe(Visitor &visit, CoreferenceSpec &spec)
{
    visit.mask("mask", spec.mask);
    visit.integer("resamples", spec.resamples, IntegerRange{0, kMostResamples},
                  "Resamples of the bootstrap over documents; 0 = no intervals");
}

// parts of the work
inline constexpr Phase kPhaseCoreference{"coreference"};

template<>
struct AnalysisOf<CoreferenceSpec>
{
    using Result = CoreferenceResult;
    static constexpr std::array kPhases{kPhaseCoreference};
    static constexpr AnalysisInfo kInfo{
        .name = "coreference",
        .summary = "How often heads attend from a mention to its antecedent, beside baselines that look at words",
        .footer
        = "Needs documents with coreference (--conllu FILE of CoNLL-2012). Of every mention that has an antecedent: does\n"
          "its head word attend most, among the head words of the mentions before it, to that of an antecedent (Clark\n"
          "et al. 2019, table 2)? The result: \"heads\" with accuracy, its interval over documents, and accuracy for\n"
          "pronouns, names and other nouns; \"baselines\". Heads are those of the attention that reads the text.",
        .group = CommandGroup::Roles,
        .example = "coreference --model MODEL_DIR --conllu DOCUMENTS",
        .needsReferences = false};
    /// The mentions, which are no part of the data set's hash.
    static std::string contents(const CoreferenceSpec &spec, const Dataset &dataset, const JobControl &control);
    /// Accuracy of every head as one that chooses antecedents (Clark et al. 2019, section 4.3), in one
    /// pass over the documents. Refuses a data set without coreference, and a model folder without a tokenizer. Nothing
    /// is published before the end.
    static CoreferenceResult compute(const CoreferenceSpec &spec, AnalysisInput &input, Manifest manifest,
                                     const JobControl &control, const Publish<CoreferenceResult> &publish);
};

} // namespace headscope

#pragma once

#include "core/analysis/analysisinfo.h"
#include "core/analysis/collaboratespec.h"
#include "core/analysis/contingencyspec.h"
#include "core/analysis/coreferencespec.h"
#include "core/analysis/detectspec.h"
#include "core/analysis/dynamicsspec.h"
#include "core/analysis/energyspec.h"
#include "core/analysis/findspec.h"
#include "core/analysis/gatingspec.h"
#include "core/analysis/gradientsspec.h"
#include "core/analysis/interactionsspec.h"
#include "core/analysis/neededspec.h"
#include "core/analysis/patchspec.h"
#include "core/analysis/probespec.h"
#include "core/analysis/relevancespec.h"
#include "core/analysis/rolesspec.h"
#include "core/analysis/shapleyspec.h"
#include "core/analysis/similarityspec.h"
#include "core/analysis/specoptions.h"
#include "core/analysis/specs.h"
#include "core/analysis/speedspec.h"
#include "core/analysis/takeoverspec.h"
#include "core/analysis/weightsspec.h"
#include "core/results/anyresult.h"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

/// The table of analyses: what can be computed on a data set. An analysis is a struct of options (a spec, whose options
/// are described in specoptions.h), an entry here, and a function compute(spec, input, …) declared where input.h says.
/// The session runs, remembers and stamps all of them alike; the command line makes a command of every entry.
namespace headscope {

/// What is to be said of intervals and p of so few examples; nothing where there are enough, or none.
std::optional<std::string> remarkOnFew(std::int64_t examples);

template<>
struct AnalysisOf<EvaluationSpec>
{
    using Result = EvaluationResult;
    static constexpr AnalysisInfo kInfo{
        .name = "evaluate", .summary = "Score the model on a data set", .needsHeads = false, .infers = true};
    static bool isRemembered(const EvaluationSpec &spec) { return !spec.outputs && !spec.scores; } // too large
    /// Outputs that stopped at their limit, a mask that changes nothing.
    static std::vector<std::string> remarks(const EvaluationResult &result);
};

template<>
struct AnalysisOf<AblationSpec>
{
    using Result = AblationResult;
    static constexpr AnalysisInfo kInfo{
        .name = "ablate",
        .summary = "Score the model without each of its heads in turn",
        .footer = "The result: \"heads\", each with delta: the score without the head minus that of the full model\n"
                  "(\"baseline\"), whatever the metric. Whether a delta above zero is a gain or a loss is said by\n"
                  "the baseline's \"better\": \"higher\" or, for loss and perplexity, \"lower\".",
        .needsHeads = false,
        .infers = true,
        .keepsWork = true};
    static constexpr SecondData<AblationSpec> kSecond{
        &AblationSpec::referenceFromOther, "reference-on",
        "For --replace mean, resample and optimal: the data set that contexts are taken from, or constants fitted to"};
    static bool usesSecond(const AblationSpec &spec) { return takesContexts(spec.replacement); }
    static bool isRemembered(const AblationSpec &spec) { return spec.shard.isAll(); }
    static std::vector<std::string> remarks(const AblationResult &result); ///< heads that changed nothing
};

template<>
struct AnalysisOf<BestHeadsSpec>
{
    using Result = BestHeadsResult;
    static constexpr AnalysisInfo kInfo{
        .name = "ablate", .summary = "", .hasCommand = false, .needsHeads = false, .infers = true};
    static constexpr SecondData<BestHeadsSpec> kSecond{
        &BestHeadsSpec::chooseOnOther, "choose-on",
        "For --all-but-one: choose each layer's best head on this data set, and report that head; the result (\"result\": "
        "\"best-heads\") has a line per layer: chosen_delta, then what `ablate` says of the head, and the whole row"};
};

template<>
struct AnalysisOf<ImportanceSpec>
{
    using Result = ImportanceResult;
    static constexpr AnalysisInfo kInfo{
        .name = "importance", .summary = "Estimate each head's importance from gradients", .keepsWork = true};
};

template<>
struct AnalysisOf<PruningSpec>
{
    using Result = PruningResult;
    static constexpr AnalysisInfo kInfo{.name = "prune",
                                        .summary = "Measure the score while more and more heads "
                                                   "are removed",
                                        .infers = true,
                                        .keepsWork = true};
    static constexpr SecondData<PruningSpec> kSecond{
        &PruningSpec::orderOnOther, "order-on",
        "Choose the order on this data set, so that the curve is measured on data that did not influence it"};
    static bool usesSecond(const PruningSpec &spec) { return isChosenByData(spec); }
};

template<>
struct AnalysisOf<SearchSpec>
{
    using Result = SearchResult;
    static constexpr AnalysisInfo kInfo{
        .name = "search",
        .summary = "Find masks from gradients alone: Fisher search, rearrangement, rescaling (Kwon 2022)",
        .footer
        = "The result: \"fisher\" (a value per head: the mean over mini-batches, where importance --reduction fisher has\n"
          "the sum) and \"points\", one per budget, with pruned, fraction,\n"
          "attention_macs (what is left of attention's multiply-adds) and three masks, each on top of the one\n"
          "before: \"search\", \"rearranged\", \"rescaled\", with mask, objective (block Fisher information that is\n"
          "lost), score, delta, ci_low, ci_high; \"rescaled\" has \"scales\", a factor per head that stays.\n"
          "--format csv: a line per budget and mask.",
        .infers = true,
        .keepsWork = true};
    static constexpr SecondData<SearchSpec> kSecond{
        &SearchSpec::searchOnOther, "search-on",
        "Take gradients and factors from this data set, training data for instance"};
};

template<>
struct AnalysisOf<ConfidenceSpec>
{
    using Result = ConfidenceResult;
    static constexpr AnalysisInfo kInfo{.name = "confidence",
                                        .summary
                                        = "Average each head's largest attention weight; `roles` has more options",
                                        .needsHeads = false,
                                        .needsReferences = false,
                                        .keepsWork = true};
};

template<>
struct AnalysisOf<RolesSpec>
{
    using Result = RolesResult;
    static constexpr AnalysisInfo kInfo{.name = "roles",
                                        .summary
                                        = "Find out what heads attend to: offsets, syntax, rare words, patterns",
                                        .needsHeads = false,
                                        .needsReferences = false,
                                        .keepsWork = true};
};

template<>
struct AnalysisOf<RelevanceSpec>
{
    using Result = RelevanceResult;
    static constexpr AnalysisInfo kInfo{
        .name = "relevance",
        .summary = "Trace the model's outputs back to its heads and its input: layer-wise relevance propagation",
        .footer
        = "The result: \"heads\" with relevance (the head's share of its layer, mean over steps) and stderr over\n"
          "examples; \"contributions\" of translation models by target position (from 1; 0 has no prefix but the\n"
          "start token): source (its share; the rest is the prefix's), source_entropy, prefix_entropy;\n"
          "\"conserved\" and \"largest_deviation\": the sum of relevances at the embeddings, which was 1 at the\n"
          "start. \"sentences\": heads, source and prefix (a row per step); of --example with the spelling of tokens.",
        .needsReferences = false,
        .keepsWork = true};
    static std::vector<std::string> remarks(const RelevanceResult &result); ///< where relevance got lost
};

template<>
struct AnalysisOf<SpeedSpec>
{
    using Result = SpeedResult;
    static constexpr AnalysisInfo kInfo{.name = "speed",
                                        .summary
                                        = "Measure the speed of the full model, of the masked model and of the model "
                                          "with heads removed"};
    static bool isRemembered(const SpeedSpec &) { return false; }             // measured anew every time
    static bool needsReferences(const SpeedSpec &spec) { return !spec.mask; } // importance does
};

/// All of them, in the order of `headscope-cli --help`.
using AnySpec
    = std::variant<EvaluationSpec, AblationSpec, BestHeadsSpec, ImportanceSpec, PruningSpec, SearchSpec, RolesSpec,
                   RelevanceSpec, ConfidenceSpec, PatchSpec, TakeoverSpec, ShapleySpec, InteractionsSpec, GatingSpec,
                   NeededSpec, ContingencySpec, SimilaritySpec, AttentionGradientsSpec, ProbeSpec, CoreferenceSpec,
                   FindSpec, EnergySpec, CollaborateSpec, SpeedSpec, DynamicsSpec, DetectSpec, WeightsSpec>;

template<typename Spec>
concept SpecStruct = requires
{
    AnalysisOf<Spec>::kInfo;
};
template<SpecStruct Spec>
using ResultOf = AnalysisOf<Spec>::Result;

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
template<typename Visitor, std::size_t... I>
void forEachAnalysis(Visitor &&visitor, std::index_sequence<I...>)
{
    (visitor(std::variant_alternative_t<I, AnySpec>{}), ...);
}
template<typename Visitor>
void forEachAnalysis(Visitor &&visitor)
{
    forEachAnalysis(visitor, std::make_index_sequence<std::variant_size_v<AnySpec>>());
}

} // namespace headscope

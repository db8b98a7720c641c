#include "ui/state/resultkinds.h"

#include "core/analysis/ablationspec.h"
#include "core/analysis/analyses.h"
#include "core/analysis/askedspec.h"
#include "core/analysis/collaboratespec.h"
#include "core/analysis/confidencespec.h"
#include "core/analysis/dynamicsspec.h"
#include "core/analysis/energyspec.h"
#include "core/analysis/evaluationspec.h"
#include "core/analysis/functionsspec.h"
#include "core/analysis/gatingspec.h"
#include "core/analysis/gradientsspec.h"
#include "core/analysis/headtokensspec.h"
#include "core/analysis/importancespec.h"
#include "core/analysis/interactionsspec.h"
#include "core/analysis/neededspec.h"
#include "core/analysis/patchspec.h"
#include "core/analysis/pathsspec.h"
#include "core/analysis/pruningspec.h"
#include "core/analysis/relevancespec.h"
#include "core/analysis/retrievalspec.h"
#include "core/analysis/rolesspec.h"
#include "core/analysis/searchspec.h"
#include "core/analysis/shapleyspec.h"
#include "core/analysis/similarityspec.h"
#include "core/analysis/takeoverspec.h"
#include "core/results/ablationresult.h"
#include "core/results/attentionresult.h"
#include "core/results/evaluationresult.h"
#include "core/results/manifestoptions.h"
#include "core/results/pruningresult.h"
#include "core/results/relevanceresult.h"
#include "core/results/results.h"

#include <QCoreApplication>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <iterator>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

namespace headscope {

namespace {

/// The functions of a row, from the member of DomainResults (or of UnitResults in it) that holds its results.
template<auto kMember>
struct Shown;
template<typename Owner, typename Held, Held Owner::*kMember>
struct Shown<kMember>
{
    template<typename T>
    static std::type_identity<T> heldBy(const std::shared_ptr<const T> &);
    template<typename T>
    static std::type_identity<T> heldBy(const std::vector<std::shared_ptr<const T>> &);
    using Result = decltype(heldBy(std::declval<Held>()))::type;

    static bool isOf(const AnyResult &result) { return result.is<Result>(); }

    static void put(DomainResults &shown, HeadUnit unit, const AnyResult &result)
    {
        Held *place = &(shown.*kMember);
        if constexpr (std::same_as<Owner, UnitResults>)
            place = &(shown.of(unit).*kMember);
        if constexpr (requires { place->push_back(nullptr); })
            place->push_back(result.as<Result>());
        else
            *place = result.as<Result>();
    }

    static bool isSame(const DomainResults &a, const DomainResults &b)
    {
        if constexpr (std::same_as<Owner, UnitResults>)
            return a.*kMember == b.*kMember && a.groups.*kMember == b.groups.*kMember;
        else
            return a.*kMember == b.*kMember;
    }
};

/// Whether it is a result of that type, and one that is meant.
template<typename T, bool (*kIsMeant)(const T &)>
bool isSuch(const AnyResult &any)
{
    return any.visit([](const auto &result) {
        if constexpr (std::same_as<std::decay_t<decltype(result)>, T>)
            return kIsMeant(result);
        else
            return false;
    });
}

/// Scores with heads rescaled would pass for the usual ones.
bool isPlainScore(const EvaluationResult &result)
{
    return result.metrics.empty() || !result.primary().signature.ends_with(kRescaledSignature);
}
bool isBaseline(const EvaluationResult &result)
{
    return isPlainScore(result) && result.mask.empty();
}
bool isMaskedScore(const EvaluationResult &result)
{
    return isPlainScore(result) && !result.mask.empty();
}
bool isOneByOne(const AblationResult &result)
{
    return !result.rescaled && !result.allButOne && result.window <= 0;
}
bool isAllButOne(const AblationResult &result)
{
    return !result.rescaled && result.allButOne && result.window <= 0;
}
bool isWindowed(const AblationResult &result)
{
    return !result.rescaled && !result.allButOne && result.window > 0;
}
bool isOfAllExamples(const RelevanceResult &result)
{
    return !result.isOfOneExample();
}
bool isOfTokens(const RelevanceResult &result)
{
    return result.isOfOneExample();
}

template<typename Spec>
AnySpec defaultSpec(const RunOptions &run, HeadUnit unit)
{
    Spec spec;
    spec.run = run;
    if constexpr (requires { spec.by; })
        spec.by = unit;
    return spec;
}

AnySpec windowedSpec(const RunOptions &run, HeadUnit unit)
{
    return AblationSpec{.run = run, .by = unit, .replacement = Replacement::Window};
}

template<typename Spec>
constexpr AnalysisTraits traitsOf()
{
    return {&AnalysisOf<Spec>::kInfo};
}

/// Fills in what follows from the member that holds such results, and from the options of their analysis.
template<auto kMember, typename Spec>
constexpr ResultKindInfo row(ResultKindInfo info)
{
    info.analysis = traitsOf<Spec>();
    if (!info.isOf)
        info.isOf = Shown<kMember>::isOf;
    info.put = Shown<kMember>::put;
    info.isSame = Shown<kMember>::isSame;
    return info;
}

/// In the order in which the study panel lists what is missing: that of the pages.
constexpr ResultKindInfo kKinds[] = {
    row<&DomainResults::baseline, EvaluationSpec>({
        .kind = ResultKind::Baseline,
        .id = "score",
        .name = QT_TRANSLATE_NOOP("headscope::SlotResults", "score"),
        .page = "heads",
        .isOf = isSuch<EvaluationResult, isBaseline>,
        .request = defaultSpec<EvaluationSpec>,
        .isOfMask = true,
        .isListed = true,
    }),
    row<&DomainResults::masked, EvaluationSpec>({
        .kind = ResultKind::Masked,
        .id = "masked",
        .name = QT_TRANSLATE_NOOP("headscope::SlotResults", "score with masks"),
        .page = "heads",
        .isOf = isSuch<EvaluationResult, isMaskedScore>,
        .apart = Apart::Mask,
        .isOfMask = true,
    }),
    row<&DomainResults::ablation, AblationSpec>({
        .kind = ResultKind::Ablation,
        .id = "ablation",
        .name = QT_TRANSLATE_NOOP("headscope::SlotResults", "ablation"),
        .groupName = QT_TRANSLATE_NOOP("headscope::SlotResults", "ablation of key groups"),
        .page = "heads",
        .isOf = isSuch<AblationResult, isOneByOne>,
        .request = defaultSpec<AblationSpec>,
        .isListed = true,
    }),
    row<&DomainResults::importance, ImportanceSpec>({
        .kind = ResultKind::Importance,
        .id = "importance",
        .name = QT_TRANSLATE_NOOP("headscope::SlotResults", "importance"),
        .groupName = QT_TRANSLATE_NOOP("headscope::SlotResults", "importance of key groups"),
        .page = "heads",
        .request = defaultSpec<ImportanceSpec>,
        .isListed = true,
    }),
    row<&DomainResults::confidence, ConfidenceSpec>({
        .kind = ResultKind::Confidence,
        .id = "confidence",
        .name = QT_TRANSLATE_NOOP("headscope::SlotResults", "confidence"),
        .groupName = QT_TRANSLATE_NOOP("headscope::SlotResults", "confidence of key groups"),
        .page = "heads",
        .request = defaultSpec<ConfidenceSpec>,
        .isListed = true,
    }),
    row<&DomainResults::allButOne, AblationSpec>({
        .kind = ResultKind::AllButOne,
        .id = "all-but-one",
        .name = QT_TRANSLATE_NOOP("headscope::SlotResults", "one head a layer"),
        .page = "layers",
        .isOf = isSuch<AblationResult, isAllButOne>,
        .isListed = true,
    }),
    row<&DomainResults::pruning, PruningSpec>({
        .kind = ResultKind::Pruning,
        .id = "pruning",
        .name = QT_TRANSLATE_NOOP("headscope::SlotResults", "pruning"),
        .page = "pruning",
        .apart = Apart::Order,
        .isListed = true,
    }),
    row<&DomainResults::search, SearchSpec>({
        .kind = ResultKind::Search,
        .id = "search",
        .name = QT_TRANSLATE_NOOP("headscope::SlotResults", "mask search"),
        .page = "search",
        .isListed = true,
    }),
    row<&DomainResults::roles, RolesSpec>({
        .kind = ResultKind::Roles,
        .id = "roles",
        .name = QT_TRANSLATE_NOOP("headscope::SlotResults", "roles"),
        .page = "roles",
        .isListed = true,
        .labelsRoles = true,
    }),
    row<&DomainResults::relevance, RelevanceSpec>({
        .kind = ResultKind::Relevance,
        .id = "relevance",
        .name = QT_TRANSLATE_NOOP("headscope::SlotResults", "relevance"),
        .page = "heads",
        .isOf = isSuch<RelevanceResult, isOfAllExamples>,
        .request = defaultSpec<RelevanceSpec>,
        .isListed = true,
    }),
    row<&DomainResults::similarity, SimilaritySpec>({
        .kind = ResultKind::Similarity,
        .id = "similarity",
        .name = QT_TRANSLATE_NOOP("headscope::SlotResults", "similarity"),
        .page = "map",
        .isListed = true,
    }),
    row<&DomainResults::gradients, AttentionGradientsSpec>({
        .kind = ResultKind::Gradients,
        .id = "gradients",
        .name = QT_TRANSLATE_NOOP("headscope::SlotResults", "gradients of attention"),
        .page = "map",
        .isListed = true,
    }),
    row<&DomainResults::dynamics, DynamicsSpec>({
        .kind = ResultKind::Dynamics,
        .id = "dynamics",
        .name = QT_TRANSLATE_NOOP("headscope::SlotResults", "heads over training"),
        .page = "dynamics",
        .isListed = true,
    }),
    row<&DomainResults::energy, EnergySpec>({
        .kind = ResultKind::Energy,
        .id = "energy",
        .name = QT_TRANSLATE_NOOP("headscope::SlotResults", "energy of projections"),
        .page = "sharing",
        .isListed = true,
    }),
    row<&DomainResults::sharing, CollaborateSpec>({
        .kind = ResultKind::Sharing,
        .id = "sharing",
        .name = QT_TRANSLATE_NOOP("headscope::SlotResults", "shared projections"),
        .page = "sharing",
        .apart = Apart::Options,
        .isListed = true,
    }),
    row<&DomainResults::tokens, RelevanceSpec>({
        .kind = ResultKind::TokenRelevance,
        .id = "tokens",
        .name = QT_TRANSLATE_NOOP("headscope::SlotResults", "contributions of tokens"),
        .page = "roles",
        .isOf = isSuch<RelevanceResult, isOfTokens>,
    }),
    row<&DomainResults::windowed, AblationSpec>({
        .kind = ResultKind::Windowed,
        .id = "windowed",
        .name = QT_TRANSLATE_NOOP("headscope::SlotResults", "windowed heads"),
        .page = "heads",
        .isOf = isSuch<AblationResult, isWindowed>,
        .request = windowedSpec,
        .labelsRoles = true,
    }),
    row<&DomainResults::patching, PatchSpec>({
        .kind = ResultKind::Patching,
        .id = "patching",
        .name = QT_TRANSLATE_NOOP("headscope::SlotResults", "patching"),
        .page = "patching",
    }),
    row<&DomainResults::paths, PathsSpec>({
        .kind = ResultKind::Paths,
        .id = "paths",
        .name = QT_TRANSLATE_NOOP("headscope::SlotResults", "paths between heads"),
        .page = "patching",
    }),
    row<&DomainResults::shapley, ShapleySpec>({
        .kind = ResultKind::Shapley,
        .id = "shapley",
        .name = QT_TRANSLATE_NOOP("headscope::SlotResults", "Shapley values"),
        .groupName = QT_TRANSLATE_NOOP("headscope::SlotResults", "Shapley values of key groups"),
        .page = "heads",
        .request = defaultSpec<ShapleySpec>,
    }),
    row<&DomainResults::gating, GatingSpec>({
        .kind = ResultKind::Gating,
        .id = "gating",
        .name = QT_TRANSLATE_NOOP("headscope::SlotResults", "gates of heads"),
        .page = "heads",
        .request = defaultSpec<GatingSpec>,
    }),
    row<&DomainResults::needed, NeededSpec>({
        .kind = ResultKind::Needed,
        .id = "needed",
        .name = QT_TRANSLATE_NOOP("headscope::SlotResults", "heads that an example needs"),
        .page = "attention",
        .apart = Apart::Options,
    }),
    row<&DomainResults::takeovers, TakeoverSpec>({
        .kind = ResultKind::Takeover,
        .id = "takeover",
        .name = QT_TRANSLATE_NOOP("headscope::SlotResults", "what takes over"),
        .page = "patching",
        .apart = Apart::Options,
    }),
    row<&DomainResults::interactions, InteractionsSpec>({
        .kind = ResultKind::Interactions,
        .id = "interactions",
        .name = QT_TRANSLATE_NOOP("headscope::SlotResults", "interactions"),
        .page = "pairs",
        .apart = Apart::Options,
    }),
    row<&DomainResults::detected, DetectSpec>({
        .kind = ResultKind::Detected,
        .id = "detected",
        .name = QT_TRANSLATE_NOOP("headscope::SlotResults", "heads on repeated tokens"),
        .page = "heads",
        .request = defaultSpec<DetectSpec>,
    }),
    row<&DomainResults::weights, WeightsSpec>({
        .kind = ResultKind::Weights,
        .id = "weights",
        .name = QT_TRANSLATE_NOOP("headscope::SlotResults", "weights of heads"),
        .page = "weights",
        .request = defaultSpec<WeightsSpec>,
    }),
    row<&DomainResults::headTokens, HeadTokensSpec>({
        .kind = ResultKind::HeadTokens,
        .id = "head-tokens",
        .name = QT_TRANSLATE_NOOP("headscope::SlotResults", "tokens of heads"),
        .page = "weights",
        .apart = Apart::Options,
    }),
    row<&DomainResults::functions, FunctionsSpec>({
        .kind = ResultKind::Functions,
        .id = "functions",
        .name = QT_TRANSLATE_NOOP("headscope::SlotResults", "function vectors"),
        .page = "heads",
        .request = defaultSpec<FunctionsSpec>,
    }),
    row<&DomainResults::retrieval, RetrievalSpec>({
        .kind = ResultKind::Retrieval,
        .id = "retrieval",
        .name = QT_TRANSLATE_NOOP("headscope::SlotResults", "retrieval heads"),
        .page = "heads",
        .request = defaultSpec<RetrievalSpec>,
    }),
    {
        .kind = ResultKind::Attention,
        .id = "attention",
        .name = QT_TRANSLATE_NOOP("headscope::SlotResults", "attention"),
        .page = "attention",
        .isOf = [](const AnyResult &result) { return result.is<AttentionResult>(); },
        .isOfMask = true,
    },
    {
        .kind = ResultKind::Other,
        .id = "other",
        .name = QT_TRANSLATE_NOOP("headscope::SlotResults", "another result"),
        .page = "analyses",
        .isOf = [](const AnyResult &) { return true; },
    },
};
static_assert(kAllResultKinds.toInt() == (1U << std::size(kKinds)) - 1, "every kind has a row");

/// Whether an analysis with such results goes by the metric.
template<typename T, typename... Specs>
constexpr bool isJudged(SpecList<Specs...>)
{
    return ((std::same_as<ResultOf<Specs>, T> && AnalysisOf<Specs>::kInfo.goesByMetric) || ...);
}
} // namespace

std::span<const ResultKindInfo> resultKinds()
{
    return kKinds;
}

const ResultKindInfo &infoOf(ResultKind kind)
{
    return *std::ranges::find(kKinds, kind, &ResultKindInfo::kind);
}

ResultKinds kindsWhere(bool ResultKindInfo::*isMeant)
{
    ResultKinds found;
    for (const ResultKindInfo &info : kKinds)
        found.setFlag(info.kind, info.*isMeant);
    return found;
}

ResultKinds kindsOfModel()
{
    static const ResultKinds found = [] {
        ResultKinds kinds;
        for (const ResultKindInfo &info : kKinds)
            kinds.setFlag(info.kind, !info.analysis.needsData());
        return kinds;
    }();
    return found;
}

bool isByKeyGroup(const Manifest &manifest)
{
    const std::string name(EnumNames<HeadUnit>::values[static_cast<std::size_t>(HeadUnit::KeyGroup)]);
    if (manifest.spec.find(name) == std::string::npos)
        return false;
    return optionsOf(manifest).value("by", nlohmann::json()) == name;
}

UnitKind resultKind(const AnyResult &result)
{
    const auto info = std::ranges::find_if(kKinds, [&](const ResultKindInfo &one) { return one.isOf(result); });
    const Manifest *manifest = info->hasUnits() ? manifestOf(result) : nullptr;
    return {info->kind, manifest && isByKeyGroup(*manifest) ? HeadUnit::KeyGroup : HeadUnit::Head};
}

QString resultKindName(const UnitKind &kind)
{
    const ResultKindInfo &info = infoOf(kind.kind);
    return QCoreApplication::translate("headscope::SlotResults",
                                       kind.unit == HeadUnit::KeyGroup ? info.groupName : info.name);
}

QString resultName(const AnyResult &result)
{
    const UnitKind kind = resultKind(result);
    return kind.kind == ResultKind::Other ? QString::fromStdString(kindOf(result)) : resultKindName(kind);
}

QString resultTitle(const AnyResult &result)
{
    QString name = resultName(result);
    if (resultKind(result).kind != ResultKind::Other) // analyses without a kind are called like their commands
        name[0] = name[0].toUpper();
    return name;
}

std::string metricOf(const AnyResult &any)
{
    return any.visit([](const auto &result) -> std::string {
        if constexpr (!isJudged<std::decay_t<decltype(result)>>(AllSpecs()))
            return {};
        else if constexpr (requires { result.metrics; })
            return result.metrics.empty() ? std::string() : result.primary().name;
        else if constexpr (requires { result.baseline.name; })
            return result.baseline.name;
        else
            return result.metric;
    });
}

std::string maskedThroughout(const AnyResult &result)
{
    const Manifest *manifest = manifestOf(result);
    if (!manifest || infoOf(resultKind(result).kind).isOfMask)
        return {};
    const nlohmann::json options = optionsOf(*manifest);
    const auto mask = options.find("mask");
    return mask != options.end() && mask->is_string() ? mask->get<std::string>() : std::string();
}

std::string detailOf(const AnyResult &result)
{
    const ResultKindInfo &info = infoOf(resultKind(result).kind);
    if (info.kind == ResultKind::Other)
        return kindOf(result);
    switch (info.apart) {
    case Apart::Nothing:
        break;
    case Apart::Mask:
        return toText(result.as<EvaluationResult>()->mask);
    case Apart::Options:
        return manifestOf(result)->spec;
    case Apart::Order: {
        const auto curves = result.as<PruningResult>();
        return (curves->curves.empty() ? std::string() : curves->curves.front().order) + '\n' + curves->manifest.spec;
    }
    }
    return {};
}

AnySpec askedSpec(const AnyResult &any)
{
    const nlohmann::json options = optionsOf(*manifestOf(any));
    std::optional<AnySpec> found;
    any.visit([&]<typename T>(const T &) {
        forEachAnalysis([&]<typename Spec>(const Spec &) {
            if constexpr (std::same_as<T, ResultOf<Spec>>)
                found = specOf<Spec>(options);
        });
    });
    if (!found)
        throw Failure(usageError("A result of this kind is not computed by an analysis."));
    if (const auto score = found->as<EvaluationSpec>()) {
        EvaluationSpec masked = *score;
        masked.mask = any.as<EvaluationResult>()->mask;
        return masked;
    }
    return *std::move(found);
}

AnalysisTraits traitsOf(const AnySpec &any)
{
    return any.visit([](const auto &spec) { return traitsOf<std::decay_t<decltype(spec)>>(); });
}

UnitKind kindOf(const AnySpec &any)
{
    return any.visit([](const auto &spec) -> UnitKind {
        using Spec = std::decay_t<decltype(spec)>;
        ResultOf<Spec> result; // as far as its kind depends on it
        if constexpr (std::is_same_v<Spec, RelevanceSpec>) {
            if (spec.example)
                return ResultKind::TokenRelevance;
        }
        if constexpr (std::is_same_v<Spec, EvaluationSpec>) {
            if (spec.rescale)
                return ResultKind::Other;
        }
        if constexpr (std::is_same_v<Spec, AblationSpec>) {
            if (spec.replacement == Replacement::Window)
                result.window = windowOf(spec).neighbours;
        }
        if constexpr (requires { result.rescaled = spec.rescale; })
            result.rescaled = spec.rescale;
        if constexpr (requires { result.mask = spec.mask; })
            result.mask = spec.mask;
        if constexpr (requires { result.allButOne = spec.allButOne; })
            result.allButOne = spec.allButOne;
        const ResultKind kind = resultKind(AnyResult(std::move(result))).kind;
        if constexpr (requires { spec.by; })
            return {kind, infoOf(kind).hasUnits() ? spec.by : HeadUnit::Head};
        else
            return kind;
    });
}

} // namespace headscope

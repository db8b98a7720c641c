#include "ui/state/measures.h"

#include "ui/state/resultkinds.h"

#include <QCoreApplication>

#include <algorithm>
#include <concepts>
#include <functional>
#include <iterator>
#include <memory>
#include <utility>

namespace headscope {

namespace {
/// Where results of one kind are, of heads and of key groups. Null: not computed.
template<auto kMember>
struct Found;
template<typename Owner, typename T, std::shared_ptr<const T> Owner::*kMember>
struct Found<kMember>
{
    using Result = T;
    static std::shared_ptr<const T> shared(const DomainResults &results, HeadUnit unit = HeadUnit::Head)
    {
        if constexpr (std::same_as<Owner, UnitResults>)
            return results.of(unit).*kMember;
        else
            return results.*kMember;
    }
    static const T *in(const DomainResults &results, HeadUnit unit = HeadUnit::Head)
    {
        return shared(results, unit).get();
    }
};

/// Values as of confidence, of the heads that have one: two sets of them are compared alike, whatever they are.
template<auto kValueOf, typename T>
ConfidenceResult valuesOf(const T &result)
{
    ConfidenceResult values;
    values.manifest = result.manifest;
    values.examples = result.examples;
    for (const auto &head : result.heads) {
        if (const std::optional<double> value = std::invoke(kValueOf, head))
            values.heads.push_back({head.head, *value});
    }
    return values;
}

/// Fills in what follows from the member that holds the results, and from the function that gives the value of one of
/// their heads.
template<auto kMember, auto kValueOf>
constexpr MeasureInfo measured(MeasureInfo info)
{
    using Place = Found<kMember>;
    info.value = [](const DomainResults &results, const HeadRef &head) -> std::optional<double> {
        const auto *result = Place::in(results);
        if (!result)
            return std::nullopt;
        const auto found = std::ranges::find_if(result->heads, [&](const auto &one) { return one.head == head; });
        if (found == result->heads.end())
            return std::nullopt;
        return std::invoke(kValueOf, *found);
    };
    info.manifest = [](const DomainResults &results, HeadUnit unit) -> const Manifest * {
        const auto *result = Place::in(results, unit);
        return result ? &result->manifest : nullptr;
    };
    info.result = [](const DomainResults &results, HeadUnit unit) -> std::optional<AnyResult> {
        const auto result = Place::shared(results, unit);
        return result ? std::optional(AnyResult(result)) : std::nullopt;
    };
    info.compare = [](const DomainResults &in, const DomainResults &out) -> std::optional<CompareResult> {
        const auto *a = Place::in(in);
        const auto *b = Place::in(out);
        if (!a || !b)
            return std::nullopt;
        if constexpr (requires { compareBriefly(*a, *b); })
            return compareBriefly(*a, *b);
        else
            return compareBriefly(valuesOf<kValueOf>(*a), valuesOf<kValueOf>(*b));
    };
    return info;
}

/// Content that one result gives.
template<auto kMember, auto kContentOf>
std::optional<GridContent> contentFrom(const HeadLayout &layout, const DomainResults &results, HeadUnit unit,
                                       const Significance &by)
{
    const auto *result = Found<kMember>::in(results, unit);
    if (!result)
        return std::nullopt;
    if constexpr (requires { kContentOf(layout, *result, by); })
        return kContentOf(layout, *result, by);
    else
        return kContentOf(layout, *result);
}

/// Roles say confidence as well, of the same weights where they were counted as usual.
std::optional<ConfidenceResult> confidenceOf(const RolesResult &roles)
{
    if (roles.measure != AttentionMeasure::Weights || roles.specialTokens != SpecialTokens::NoQueriesNoKeys
        || roles.renormalized)
        return std::nullopt;
    ConfidenceResult confidence;
    confidence.manifest = roles.manifest;
    confidence.examples = roles.examples;
    for (const HeadRoleScores &head : roles.heads)
        confidence.heads.push_back({head.head, head.confidence});
    return confidence;
}

std::optional<GridContent> confidenceFrom(const HeadLayout &layout, const DomainResults &results, HeadUnit unit,
                                          const Significance &)
{
    if (const auto &own = results.of(unit).confidence)
        return confidenceContent(layout, *own);
    const auto byRoles = unit == HeadUnit::Head && results.roles ? confidenceOf(*results.roles) : std::nullopt;
    return byRoles ? std::optional(confidenceContent(layout, *byRoles)) : std::nullopt;
}

std::optional<GridContent> windowedFrom(const HeadLayout &layout, const DomainResults &results, HeadUnit,
                                        const Significance &by)
{
    if (!results.windowed)
        return std::nullopt;
    GridContent content = ablationContent(layout, *results.windowed, by);
    content.measure = measureName(Measure::Windowed, QString::fromStdString(results.windowed->baseline.name));
    return content;
}

template<Measure kMeasure>
std::optional<GridContent> surfaceFrom(const HeadLayout &layout, const DomainResults &results, HeadUnit,
                                       const Significance &)
{
    if (!results.similarity)
        return std::nullopt;
    return surfaceContent(layout, *results.similarity, measureName(kMeasure, {}), infoOf(kMeasure).isShare,
                          infoOf(kMeasure).surface);
}

template<auto kValueOf, Measure kMeasure>
constexpr MeasureInfo surface(MeasureInfo info)
{
    info = measured<&DomainResults::similarity, kValueOf>(info);
    info.measure = kMeasure;
    info.kind = ResultKind::Similarity;
    info.isSurface = true;
    info.surface = [](const HeadSurface &head) { return std::optional<double>(head.*kValueOf); };
    info.content = surfaceFrom<kMeasure>;
    return info;
}

template<HeadDetector kDetector>
std::optional<double> detectedValue(const HeadDetection &head)
{
    const DetectorScore *score = scoreOf(head, kDetector);
    if (!score)
        return std::nullopt;
    return score->score;
}

template<HeadDetector kDetector, Measure kMeasure>
constexpr MeasureInfo detected(MeasureInfo info)
{
    info = measured<&DomainResults::detected, &detectedValue<kDetector>>(info);
    info.measure = kMeasure;
    info.kind = ResultKind::Detected;
    info.isRare = info.isOfModel = true;
    info.content = [](const HeadLayout &layout, const DomainResults &results, HeadUnit,
                      const Significance &) -> std::optional<GridContent> {
        if (!results.detected)
            return std::nullopt;
        return detectorContent(layout, *results.detected, measureName(kMeasure, {}), kDetector);
    };
    return info;
}

template<auto kValueOf, Measure kMeasure, bool kDiverging>
constexpr MeasureInfo ofWeights(MeasureInfo info)
{
    info = measured<&DomainResults::weights, kValueOf>(info);
    info.measure = kMeasure;
    info.kind = ResultKind::Weights;
    info.isRare = info.isOfModel = true;
    info.content = [](const HeadLayout &layout, const DomainResults &results, HeadUnit,
                      const Significance &) -> std::optional<GridContent> {
        if (!results.weights)
            return std::nullopt;
        return weightsContent(layout, *results.weights, measureName(kMeasure, {}), kDiverging, kValueOf);
    };
    return info;
}

constexpr MeasureInfo kMeasures[] = {
    measured<&DomainResults::ablation, &HeadAblation::delta>({
        .measure = Measure::AblationDelta,
        .id = "ablation",
        .name = QT_TRANSLATE_NOOP("headscope::StudyState", "Ablation Δ %1"),
        .words = QT_TRANSLATE_NOOP(
            "headscope::MeasureWords",
            "leave one out, knock out, remove a head, score without a head, importance by removal, delta, "
            "BLEU without head, accuracy without head, significance, statistical test, p value"),
        .kind = ResultKind::Ablation,
        .content = contentFrom<&DomainResults::ablation, &ablationContent>,
    }),
    measured<&DomainResults::importance, &HeadImportance::importance>({
        .measure = Measure::Importance,
        .id = "importance",
        .name = QT_TRANSLATE_NOOP("headscope::StudyState", "Importance"),
        .words
        = QT_TRANSLATE_NOOP("headscope::MeasureWords", "gradient, sensitivity, Michel, saliency, first order, I_h"),
        .kind = ResultKind::Importance,
        .content = contentFrom<&DomainResults::importance, &importanceContent>,
    }),
    measured<&DomainResults::confidence, &HeadConfidence::confidence>({
        .measure = Measure::Confidence,
        .id = "confidence",
        .name = QT_TRANSLATE_NOOP("headscope::StudyState", "Confidence"),
        .words = QT_TRANSLATE_NOOP("headscope::MeasureWords", "largest weight, sharpness, maximum attention, Voita"),
        .kind = ResultKind::Confidence,
        .content = confidenceFrom,
    }),
    measured<&DomainResults::relevance, &HeadRelevance::relevance>({
        .measure = Measure::Relevance,
        .id = "relevance",
        .name = QT_TRANSLATE_NOOP("headscope::StudyState", "Relevance"),
        .words
        = QT_TRANSLATE_NOOP("headscope::MeasureWords", "LRP, layer-wise relevance propagation, contribution, Voita"),
        .kind = ResultKind::Relevance,
        .content = contentFrom<&DomainResults::relevance, &relevanceContent>,
    }),
    surface<&HeadSurface::entropy, Measure::Entropy>({
        .id = "surface.entropy",
        .name = QT_TRANSLATE_NOOP("headscope::StudyState", "Entropy of attention"),
        .words = QT_TRANSLATE_NOOP("headscope::MeasureWords", "dispersion, focus, spread, how sharp, Shannon"),
    }),
    surface<&HeadSurface::firstEntropy, Measure::FirstEntropy>({
        .id = "surface.first-entropy",
        .name = QT_TRANSLATE_NOOP("headscope::StudyState", "Entropy of the first token"),
        .words = QT_TRANSLATE_NOOP("headscope::MeasureWords", "entropy of CLS, dispersion, Clark"),
    }),
    surface<&HeadSurface::previous, Measure::ToPrevious>({
        .id = "surface.previous",
        .name = QT_TRANSLATE_NOOP("headscope::StudyState", "Attention to the previous token"),
        .words = QT_TRANSLATE_NOOP("headscope::MeasureWords",
                                   "positional heads, previous word, offset, neighbour, local attention"),
        .isShare = true,
    }),
    surface<&HeadSurface::next, Measure::ToNext>({
        .id = "surface.next",
        .name = QT_TRANSLATE_NOOP("headscope::StudyState", "Attention to the next token"),
        .words = QT_TRANSLATE_NOOP("headscope::MeasureWords",
                                   "positional heads, next word, offset, neighbour, local attention"),
        .isShare = true,
    }),
    surface<&HeadSurface::self, Measure::ToItself>({
        .id = "surface.self",
        .name = QT_TRANSLATE_NOOP("headscope::StudyState", "Attention to the token itself"),
        .words = QT_TRANSLATE_NOOP("headscope::MeasureWords", "diagonal, identity, current token"),
        .isShare = true,
    }),
    surface<&HeadSurface::first, Measure::ToFirst>({
        .id = "surface.first",
        .name = QT_TRANSLATE_NOOP("headscope::StudyState", "Attention to the first token"),
        .words = QT_TRANSLATE_NOOP("headscope::MeasureWords", "CLS, begin of sequence, attention sink"),
        .isShare = true,
    }),
    surface<&HeadSurface::delimiter, Measure::ToDelimiters>({
        .id = "surface.delimiters",
        .name = QT_TRANSLATE_NOOP("headscope::StudyState", "Attention to delimiters"),
        .words = QT_TRANSLATE_NOOP("headscope::MeasureWords", "SEP, separators, end of sentence, no-op"),
        .isShare = true,
    }),
    surface<&HeadSurface::punctuation, Measure::ToPunctuation>({
        .id = "surface.punctuation",
        .name = QT_TRANSLATE_NOOP("headscope::StudyState", "Attention to punctuation"),
        .words = QT_TRANSLATE_NOOP("headscope::MeasureWords", "full stop, comma, period"),
        .isShare = true,
    }),
    measured<&DomainResults::shapley, &HeadShapley::value>({
        .measure = Measure::Shapley,
        .id = "shapley",
        .name = QT_TRANSLATE_NOOP("headscope::StudyState", "Shapley value %1"),
        .words
        = QT_TRANSLATE_NOOP("headscope::MeasureWords", "game theory, coalition, fair share, marginal contribution"),
        .kind = ResultKind::Shapley,
        .isRare = true,
        .content = contentFrom<&DomainResults::shapley, &shapleyContent>,
    }),
    measured<&DomainResults::gating, &HeadGating::net>({
        .measure = Measure::Gating,
        .id = "gating",
        .name = QT_TRANSLATE_NOOP("headscope::StudyState", "Gates: helps − interferes"),
        .words
        = QT_TRANSLATE_NOOP("headscope::MeasureWords", "L0, hard concrete, learned gates, facilitates, interferes"),
        .kind = ResultKind::Gating,
        .isRare = true,
        .content = contentFrom<&DomainResults::gating, &gatingContent>,
    }),
    measured<&DomainResults::windowed, &HeadAblation::delta>({
        .measure = Measure::Windowed,
        .id = "windowed",
        .name = QT_TRANSLATE_NOOP("headscope::StudyState", "Windowed Δ %1"),
        .words = QT_TRANSLATE_NOOP("headscope::MeasureWords",
                                   "streaming, sliding window, local attention, retrieval head, sink"),
        .kind = ResultKind::Windowed,
        .isRare = true,
        .content = windowedFrom,
    }),
    measured<&DomainResults::patching, [](const HeadPatch &head) { return head.patch.effect; }>({
        .measure = Measure::Patching,
        .id = "patching",
        .name = QT_TRANSLATE_NOOP("headscope::StudyState", "Effect of patching"),
        .words
        = QT_TRANSLATE_NOOP("headscope::MeasureWords",
                            "causal tracing, activation patching, interchange intervention, causal mediation, circuit"),
        .kind = ResultKind::Patching,
        .isRare = true,
        .content = contentFrom<&DomainResults::patching, &patchingContent>,
    }),
    detected<HeadDetector::Induction, Measure::DetectedInduction>({
        .id = "detected.induction",
        .name = QT_TRANSLATE_NOOP("headscope::StudyState", "Induction on repeated tokens"),
    }),
    detected<HeadDetector::PreviousToken, Measure::DetectedPrevious>({
        .id = "detected.previous-token",
        .name = QT_TRANSLATE_NOOP("headscope::StudyState", "Previous token on repeated tokens"),
    }),
    detected<HeadDetector::DuplicateToken, Measure::DetectedDuplicate>({
        .id = "detected.duplicate-token",
        .name = QT_TRANSLATE_NOOP("headscope::StudyState", "Duplicate token on repeated tokens"),
    }),
    detected<HeadDetector::FirstToken, Measure::DetectedFirst>({
        .id = "detected.first-token",
        .name = QT_TRANSLATE_NOOP("headscope::StudyState", "First token on repeated tokens"),
    }),
    detected<HeadDetector::Copying, Measure::DetectedCopying>({
        .id = "detected.copying",
        .name = QT_TRANSLATE_NOOP("headscope::StudyState", "Copying on repeated tokens"),
    }),
    ofWeights<[](const HeadWeightNumbers &head) { return head.ov.eigenvalueScore; }, Measure::OvEigenvalues, true>({
        .id = "weights.ov-eigenvalues",
        .name = QT_TRANSLATE_NOOP("headscope::StudyState", "Weights: OV eigenvalues"),
    }),
    ofWeights<[](const HeadWeightNumbers &head) { return head.qk.eigenvalueScore; }, Measure::QkEigenvalues, true>({
        .id = "weights.qk-eigenvalues",
        .name = QT_TRANSLATE_NOOP("headscope::StudyState", "Weights: QK eigenvalues"),
    }),
    ofWeights<[](const HeadWeightNumbers &head) { return std::optional(head.ov.norm); }, Measure::OvNorm, false>({
        .id = "weights.ov-norm",
        .name = QT_TRANSLATE_NOOP("headscope::StudyState", "Weights: OV norm"),
    }),
    measured<&DomainResults::functions, &HeadFunction::effect>({
        .measure = Measure::FunctionEffect,
        .id = "functions",
        .name = QT_TRANSLATE_NOOP("headscope::StudyState", "Effect on tasks in prompts"),
        .words = QT_TRANSLATE_NOOP("headscope::MeasureWords",
                                   "function vectors, in-context learning, few-shot, indirect effect, task vector"),
        .kind = ResultKind::Functions,
        .isRare = true,
        .isOfModel = true,
        .content = contentFrom<&DomainResults::functions, &functionsContent>,
    }),
    measured<&DomainResults::retrieval, &HeadRetrieval::score>({
        .measure = Measure::RetrievalScore,
        .id = "retrieval",
        .name = QT_TRANSLATE_NOOP("headscope::StudyState", "Retrieval score"),
        .words = QT_TRANSLATE_NOOP("headscope::MeasureWords",
                                   "retrieval heads, needle in a haystack, long context, copying, answers"),
        .kind = ResultKind::Retrieval,
        .isRare = true,
        .isOfModel = true,
        .content = contentFrom<&DomainResults::retrieval, &retrievalContent>,
    }),
    measured<&DomainResults::retrieval, &HeadRetrieval::question>({
        .measure = Measure::QuestionScore,
        .id = "retrieval.question",
        .name = QT_TRANSLATE_NOOP("headscope::StudyState", "QR score"),
        .words = QT_TRANSLATE_NOOP("headscope::MeasureWords",
                                   "QRHead, query-focused retrieval heads, question, needle in a haystack"),
        .kind = ResultKind::Retrieval,
        .isRare = true,
        .isOfModel = true,
        .content = contentFrom<&DomainResults::retrieval, &questionContent>,
    }),
};
static_assert(std::size(kMeasures) == kMeasureCount && std::ranges::is_sorted(kMeasures, {}, &MeasureInfo::measure));
} // namespace

std::span<const MeasureInfo> measures()
{
    return kMeasures;
}

const MeasureInfo &infoOf(Measure measure)
{
    return kMeasures[static_cast<std::size_t>(measure)];
}

ResultKinds measuredKinds()
{
    ResultKinds kinds;
    for (const MeasureInfo &info : kMeasures)
        kinds |= info.kind;
    return kinds;
}

UnitKind kindOf(Measure measure, HeadUnit unit)
{
    const ResultKind kind = infoOf(measure).kind;
    return {kind, infoOf(kind).hasUnits() ? unit : HeadUnit::Head};
}

QString measureName(Measure measure, const QString &metric)
{
    const QString name = QCoreApplication::translate("headscope::StudyState", infoOf(measure).name);
    return name.contains(u"%1") ? name.arg(metric) : name;
}

QString measureWords(Measure measure)
{
    return QCoreApplication::translate("headscope::MeasureWords", infoOf(measure).words);
}

std::optional<double> surfaceValue(const HeadSurface &head, Measure measure)
{
    const MeasureInfo &info = infoOf(measure);
    return info.surface ? info.surface(head) : std::nullopt;
}

std::optional<double> measuredValue(const DomainResults &results, Measure measure, const HeadRef &head)
{
    return infoOf(measure).value(results, head);
}

} // namespace headscope

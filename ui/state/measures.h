#pragma once

#include "core/base/headref.h"
#include "core/base/headunit.h"
#include "core/results/anyresult.h"
#include "core/results/compare.h"
#include "core/results/similarityresult.h"
#include "ui/models/gridcontent.h"
#include "ui/state/slotresults.h"

#include <QString>

#include <array>
#include <cstddef>
#include <optional>
#include <span>

namespace headscope {

/// What the grid shows of a head.
enum class Measure {
    AblationDelta,
    Importance,
    Confidence,
    Relevance,
    Entropy, ///< this and the seven below: surface statistics of attention
    FirstEntropy,
    ToPrevious,
    ToNext,
    ToItself,
    ToFirst,
    ToDelimiters,
    ToPunctuation,
    Shapley,           ///< none of them; studies know measures by their places here
    Gating,            ///< how far the head helps the task rather than disturbing it, by gates
    Windowed,          ///< what is lost where the head sees the first tokens and those near by only
    Patching,          ///< effect of patching it everywhere
    DetectedInduction, ///< this and the four below: on repeated random tokens
    DetectedPrevious,
    DetectedDuplicate,
    DetectedFirst,
    DetectedCopying,
    OvEigenvalues, ///< this and the two below: of weights alone
    QkEigenvalues,
    OvNorm,
    FunctionEffect, ///< how far the head carries the task of a prompt's examples
    RetrievalScore, ///< how much of an answer the head copies from a long text
    QuestionScore,  ///< how much more a question looks at its answer there than a null question does
};

/// A row of the table of measures: what grids, lists, charts and files need to know of a number of every head.
struct MeasureInfo
{
    Measure measure = Measure::AblationDelta;
    const char *id = "";   ///< in files, and of measures to choose on the page Map: never translated
    const char *name = ""; ///< "Ablation Δ %1", where %1 is the metric: to be translated, see measureName()
    const char *words
        = ""; ///< other words for it, by which somebody may look for it: to be translated, see measureWords()
    ResultKind kind = ResultKind::Other; ///< the results that it is read from
    bool isRare = false;                 ///< of an analysis that few ask for: it is left out where it is not computed
    bool isSurface = false; ///< one of the surface statistics, all of which one analysis (similarity) gives
    bool isShare = false;   ///< of a token's attention, from 0 to 1
    bool isOfModel = false; ///< of the model alone, whichever data are open

    /// What results, complete or not, say of a head; nothing: they have no such number.
    std::optional<double> (*value)(const DomainResults &results, const HeadRef &head) = nullptr;
    /// What a surface statistic says of a head; nothing: no token has such a key.
    std::optional<double> (*surface)(const HeadSurface &head) = nullptr;
    /// The results of heads, or of key groups, that it is read from; null: not computed.
    const Manifest *(*manifest)(const DomainResults &results, HeadUnit unit) = nullptr;
    /// The same results, as files and tables have them; nothing: not computed.
    std::optional<AnyResult> (*result)(const DomainResults &results, HeadUnit unit) = nullptr;
    /// Of two data sets; nothing: one of them has no such results.
    std::optional<CompareResult> (*compare)(const DomainResults &in, const DomainResults &out) = nullptr;
    /// The cells of a grid with such a layout, tested by `by`; nothing: not computed.
    std::optional<GridContent> (*content)(const HeadLayout &layout, const DomainResults &results, HeadUnit unit,
                                          const Significance &by)
        = nullptr;
};

/// In the order of Measure.
std::span<const MeasureInfo> measures();
const MeasureInfo &infoOf(Measure measure);
inline constexpr std::size_t kMeasureCount = static_cast<std::size_t>(Measure::QuestionScore) + 1;
/// The results that measures are read from.
ResultKinds measuredKinds();

/// Of the results that grids read the measure from when their cells are such units.
UnitKind kindOf(Measure measure, HeadUnit unit = HeadUnit::Head);
QString measureName(Measure measure, const QString &metric); ///< "Ablation Δ BLEU", "Importance", "Confidence"
QString measureWords(Measure measure);                       ///< "drop one head, leave one out, …"
/// What a surface statistic says of a head; none: no token has such a key, or it is no surface statistic.
std::optional<double> surfaceValue(const HeadSurface &head, Measure measure);
/// The value `measure` gives every head of a result, complete or not: for code that treats measures alike.
std::optional<double> measuredValue(const DomainResults &results, Measure measure, const HeadRef &head);

} // namespace headscope

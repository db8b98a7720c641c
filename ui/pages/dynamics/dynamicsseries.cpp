#include "ui/pages/dynamics/dynamicsseries.h"

#include "ui/delegates/headgridpainter.h"

#include <QCoreApplication>

#include <algorithm>
#include <iterator>
#include <limits>
#include <optional>
#include <vector>

using namespace Qt::StringLiterals;

namespace headscope {

namespace {

constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();

struct DynamicsWords
{
    Q_DECLARE_TR_FUNCTIONS(headscope::DynamicsSeries)
};

} // namespace

QString dynamicsMeasureName(DynamicsMeasure measure)
{
    switch (measure) {
    case DynamicsMeasure::Importance:
        return DynamicsWords::tr("Importance");
    case DynamicsMeasure::Delta:
        return DynamicsWords::tr("Ablation delta");
    case DynamicsMeasure::Confidence:
        break;
    }
    return DynamicsWords::tr("Confidence");
}

std::vector<DynamicsMeasure> dynamicsMeasures(const DynamicsResult &result)
{
    std::vector<DynamicsMeasure> measures{DynamicsMeasure::Importance};
    const auto has = [&](auto field) {
        return std::ranges::any_of(result.checkpoints, [&](const DynamicsCheckpoint &checkpoint) {
            return std::ranges::any_of(checkpoint.heads,
                                       [&](const DynamicsHead &head) { return (head.*field).has_value(); });
        });
    };
    if (has(&DynamicsHead::delta))
        measures.push_back(DynamicsMeasure::Delta);
    if (has(&DynamicsHead::confidence))
        measures.push_back(DynamicsMeasure::Confidence);
    return measures;
}

namespace {

/// The measure, as the page of heads shows results of single analyses.
GridContent measureContent(const HeadLayout &layout, const DynamicsResult &result, const DynamicsCheckpoint &shown,
                           DynamicsMeasure measure)
{
    const auto filled = [&](auto of) {
        of.manifest = result.manifest;
        of.examples = result.examples;
        return of;
    };
    if (measure == DynamicsMeasure::Delta) {
        AblationResult ablation = filled(AblationResult{});
        ablation.baseline = {result.metric, shown.score, {}, {}, result.better};
        for (const DynamicsHead &head : shown.heads) {
            if (!head.delta)
                continue;
            HeadAblation &added = ablation.heads.emplace_back();
            added.head = head.head;
            added.score = shown.score + *head.delta;
            added.delta = *head.delta;
            added.interval = {kNoNumber, kNoNumber};
        }
        GridContent content = ablationContent(layout, ablation);
        for (HeadCell &cell : content.cells) { // nothing was resampled, so nothing was tested
            cell.p = cell.pAdjusted = std::nullopt;
            cell.significant = std::nullopt;
        }
        return content;
    }
    if (measure == DynamicsMeasure::Confidence) {
        ConfidenceResult confidence = filled(ConfidenceResult{});
        for (const DynamicsHead &head : shown.heads) {
            if (head.confidence)
                confidence.heads.push_back({head.head, *head.confidence});
        }
        return confidenceContent(layout, confidence);
    }
    ImportanceResult importance = filled(ImportanceResult{});
    for (const DynamicsHead &head : shown.heads)
        importance.heads.push_back({head.head, head.importance});
    return importanceContent(layout, importance);
}

} // namespace

GridContent dynamicsContent(const HeadLayout &layout, const DynamicsResult &result, std::size_t checkpoint,
                            DynamicsMeasure measure)
{
    const DynamicsCheckpoint &shown = result.checkpoints[checkpoint];
    GridContent content = measureContent(layout, result, shown, measure);
    std::vector<HeadRoles> roles;
    for (const DynamicsHead &head : shown.heads) {
        if (!head.roles.empty())
            roles.push_back({head.head, head.roles});
    }
    addRoles(content, roles);
    return content;
}

ColorScale dynamicsScale(const HeadLayout &layout, const DynamicsResult &result, DynamicsMeasure measure)
{
    std::vector<double> values;
    for (std::size_t i = 0; i < result.checkpoints.size(); ++i)
        std::ranges::copy(dynamicsContent(layout, result, i, measure).values(), std::back_inserter(values));
    return scaleFor(values, dynamicsContent(layout, result, 0, measure));
}

} // namespace headscope

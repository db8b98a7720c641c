#include "ui/views/gridfeed.h"

#include "core/results/compare.h"

#include <QCoreApplication>

#include <memory>
#include <optional>
#include <vector>

namespace headscope {

namespace {
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

bool areGroups(Measure measure, HeadUnit unit)
{
    return kindOf(measure, unit) != kindOf(measure);
}

GridContent contentOf(const StudyState &state, Measure measure, Domain domain, HeadUnit unit)
{
    const DomainResults &results = state.results(domain);
    const bool groups = areGroups(measure, unit);
    const HeadLayout layout = groups ? state.keyGroups() : state.layout();
    const auto &ablation = groups ? results.groupAblation : results.ablation;
    const auto &importance = groups ? results.groupImportance : results.importance;
    const auto &ofAttention = groups ? results.groupConfidence : results.confidence;
    const auto &shapley = groups ? results.groupShapley : results.shapley;
    GridContent content;
    if (measure == Measure::AblationDelta && ablation)
        content = ablationContent(layout, *ablation, state.significance());
    else if (measure == Measure::Importance && importance)
        content = importanceContent(layout, *importance);
    else if (measure == Measure::Confidence && ofAttention)
        content = confidenceContent(layout, *ofAttention);
    else if (const auto confidence
             = measure == Measure::Confidence && !groups && results.roles ? confidenceOf(*results.roles) : std::nullopt)
        content = confidenceContent(layout, *confidence);
    else if (measure == Measure::Relevance && results.relevance)
        content = relevanceContent(layout, *results.relevance);
    else if (measure == Measure::Shapley && shapley)
        content = shapleyContent(layout, *shapley, state.significance());
    else if (measure == Measure::Gating && results.gating)
        content = gatingContent(layout, *results.gating);
    else if (measure == Measure::Windowed && results.windowed)
        content = windowedContent(state, domain);
    else if (measure == Measure::Patching && results.patching)
        content = patchingContent(layout, *results.patching);
    else if (isSurface(measure) && results.similarity)
        content = surfaceContent(layout, *results.similarity, measureName(measure, {}),
                                 measure != Measure::Entropy && measure != Measure::FirstEntropy,
                                 [measure](const HeadSurface &head) { return surfaceValue(head, measure); });
    else
        content = emptyContent(layout);
    if (content.measure.isEmpty())
        content.measure = measureName(measure, state.metricName());
    if (groups) {
        addGroups(content, state.layout());
        content.measure = QCoreApplication::translate("headscope::GridFeed", "%1 of key groups").arg(content.measure);
    }
    if (const auto &data = state.data(domain))
        content.dataName = QCoreApplication::translate("headscope::GridFeed", "%1 (%2)")
                               .arg(QString::fromStdString(data->name), domainName(domain));
    return content;
}
/// Tests of all pairs of replicates take milliseconds, and grids ask again whenever anything has changed.
const std::vector<HeadDifference> &differencesOf(const std::shared_ptr<const AblationResult> &in,
                                                 const std::shared_ptr<const AblationResult> &out)
{
    static std::weak_ptr<const AblationResult> lastIn;
    static std::weak_ptr<const AblationResult> lastOut;
    static std::vector<HeadDifference> tested;
    const bool same = in && out && lastIn.lock() == in && lastOut.lock() == out;
    if (!same) {
        tested = in && out ? testedDifferences(*in, *out) : std::vector<HeadDifference>();
        lastIn = in;
        lastOut = out;
    }
    return tested;
}

GridContent valuesOf(const StudyState &state, Measure measure, DomainView view, HeadUnit unit)
{
    const bool groups = areGroups(measure, unit);
    const auto sweep = [&](Domain domain) {
        const DomainResults &results = state.results(domain);
        return measure == Measure::Windowed ? results.windowed : groups ? results.groupAblation : results.ablation;
    };
    switch (view) {
    case DomainView::In:
        return contentOf(state, measure, Domain::In, unit);
    case DomainView::Out:
        return contentOf(state, measure, Domain::Out, unit);
    case DomainView::Difference:
        return differenceContent(contentOf(state, measure, Domain::In, unit),
                                 contentOf(state, measure, Domain::Out, unit),
                                 differencesOf(sweep(Domain::In), sweep(Domain::Out)));
    }
    return {};
}

/// Roles of the data set that is shown, or of the other one, which is then said.
void addRolesOf(const StudyState &state, DomainView view, GridContent &content)
{
    const Domain wanted = view == DomainView::Out ? Domain::Out : Domain::In;
    for (const Domain domain : {wanted, otherDomain(wanted)}) {
        const auto roles = state.assignedRoles(domain);
        if (!roles)
            continue;
        addRoles(content, *roles);
        if (view == DomainView::Difference || domain != wanted)
            content.rolesFrom = domainName(domain);
        break;
    }
    content.showsRoles = state.showsRoles();
    content.onlyRole = state.roleFilter();
}
} // namespace

namespace {
GridContent wholeContent(const StudyState &state, Measure measure, DomainView view, HeadUnit unit)
{
    GridContent content = valuesOf(state, measure, view, unit);
    if (!content.byKeyGroup) // roles are of heads
        addRolesOf(state, view, content);
    if (view == DomainView::Difference && content.manifests.size() == 2)
        content.stale = staleText(state, content.manifests[0], content.manifests[1]);
    else if (view != DomainView::Difference && !content.manifests.empty())
        content.stale = staleText(state, view == DomainView::Out ? Domain::Out : Domain::In, content.manifests.front());
    return content;
}
} // namespace

GridContent windowedContent(const StudyState &state, Domain domain)
{
    const auto &sweep = state.results(domain).windowed;
    if (!sweep)
        return emptyContent(state.layout());
    const bool groups = isByKeyGroup(sweep->manifest);
    GridContent content = ablationContent(groups ? state.keyGroups() : state.layout(), *sweep, state.significance());
    content.measure = measureName(Measure::Windowed, QString::fromStdString(sweep->baseline.name));
    if (groups)
        addGroups(content, state.layout());
    return content;
}

GridContent gridContent(const StudyState &state, Measure measure, DomainView view)
{
    return wholeContent(state, measure, view, HeadUnit::Head);
}

GridContent shownContent(const StudyState &state, Measure measure, DomainView view)
{
    return wholeContent(state, measure, view, state.gridUnit());
}

void feedGrid(const StudyState &state, HeadGridModel &model, std::optional<DomainView> fixedView)
{
    model.setContent(shownContent(state, state.measure(), fixedView.value_or(state.domainView())));
    model.setMask(state.mask());
    model.setPins(state.pins());
}

} // namespace headscope

#include "ui/views/gridfeed.h"

#include "core/results/compare.h"

#include <QCoreApplication>

#include <memory>
#include <optional>
#include <vector>

namespace headscope {

namespace {
/// What the cells are, given what they should be: results of some measures are of one of both only.
HeadUnit unitOf(const StudyState &state, Measure measure, Domain domain, HeadUnit wanted)
{
    const auto &windowed = state.results(domain).windowed;
    if (measure == Measure::Windowed && windowed && isByKeyGroup(windowed->manifest))
        return HeadUnit::KeyGroup;
    return kindOf(measure, wanted).unit;
}

GridContent contentOf(const StudyState &state, Measure measure, Domain domain, HeadUnit wanted)
{
    const HeadUnit unit = unitOf(state, measure, domain, wanted);
    const HeadLayout layout = unit == HeadUnit::KeyGroup ? state.keyGroups() : state.layout();
    GridContent content = infoOf(measure)
                              .content(layout, state.results(domain), unit, state.significance())
                              .value_or(emptyContent(layout));
    if (auto result = infoOf(measure).result(state.results(domain), unit))
        content.results = {*std::move(result)};
    if (content.measure.isEmpty())
        content.measure = measureName(measure, state.metricName());
    if (unit == HeadUnit::KeyGroup)
        addGroups(content, state.layout());
    if (kindOf(measure, wanted).unit == HeadUnit::KeyGroup)
        content.measure = QCoreApplication::translate("headscope::GridFeed", "%1 of key groups").arg(content.measure);
    if (infoOf(measure).isOfModel)
        content.dataName = QCoreApplication::translate("headscope::GridFeed", "the model alone");
    else if (const auto &data = state.data(domain))
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
    const auto sweep = [&](Domain domain) {
        const DomainResults &results = state.results(domain);
        return measure == Measure::Windowed ? results.windowed : results.of(kindOf(measure, unit).unit).ablation;
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

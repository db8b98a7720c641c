#include "ui/pages/pruning/pruningplan.h"

#include "core/analysis/analyses.h"
#include "core/analysis/pruningspec.h"
#include "core/analysis/specoptions.h"
#include "core/results/headorder.h"
#include "core/results/optionsjson.h"
#include "core/results/pruningresult.h"
#include "ui/models/numbertext.h"

#include <nlohmann/json.hpp>

#include <QCoreApplication>
#include <QFileInfo>

#include <algorithm>
#include <limits>
#include <ranges>
#include <utility>

using namespace Qt::StringLiterals;

namespace headscope {
namespace {

using Cost = std::function<double(const HeadRef &)>;

/// Costs by which heads are removed, the smallest first; heads without a value have none.
Cost costFrom(HeadValues values)
{
    return [values = std::move(values)](const HeadRef &head) {
        const auto found = values.find(head);
        return found == values.end() ? std::numeric_limits<double>::quiet_NaN() : found->second;
    };
}

HeadValues placesIn(const PruningOrder &order)
{
    HeadValues places;
    for (const HeadRef &head : order)
        places.emplace(head, static_cast<double>(places.size()));
    return places;
}

/// Scores of `first` decide, those of the other set where they are missing.
HeadValues measuredValues(const StudyState &state, QStringView order, Domain first)
{
    const auto valuesOf = [&](const DomainResults &results) {
        const auto of = [](const auto &result) { return result ? worthOf(*result) : HeadValues(); };
        return order == "importance"_L1 ? of(results.importance)
             : order == "shapley"_L1    ? of(results.shapley)
             : order == "relevance"_L1  ? of(results.relevance)
             : order == "gating"_L1     ? of(results.gating)
                                        : of(results.ablation);
    };
    for (const Domain domain : {first, otherDomain(first)}) {
        if (HeadValues values = valuesOf(state.results(domain)); !values.empty())
            return values;
    }
    return {};
}

/// The request of a result; nothing for a manifest that cannot be read (of an older version).
PruningSpec specOf(const PruningResult &result)
{
    const nlohmann::json options = nlohmann::json::parse(result.manifest.spec, nullptr, false);
    if (!options.is_object())
        return {};
    try {
        return optionsFrom<PruningSpec>(options);
    } catch (const Failure &) {
        return {};
    }
}

/// Which data set decided the order of a result that was measured on this one; nothing: no data did.
std::optional<Domain> decidedBy(const PruningResult &result, Domain measured)
{
    if (!isChosenByData(specOf(result)))
        return std::nullopt;
    const nlohmann::json options = nlohmann::json::parse(result.manifest.spec, nullptr, false);
    const bool other = options.is_object() && options.contains(secondOption<PruningSpec>());
    return other ? otherDomain(measured) : measured;
}

QString noteOf(bool reestimated, bool reversed, bool rescaled = false)
{
    QStringList parts;
    if (rescaled)
        parts << QCoreApplication::translate("headscope::PruningPage", "rescaled");
    if (reestimated)
        parts << QCoreApplication::translate("headscope::PruningPage", "re-estimated");
    if (reversed)
        parts << QCoreApplication::translate("headscope::PruningPage", "most needed first");
    return parts.join(u", "_s);
}

bool isOrderOf(const PruningCurve &curve, const PruningChoice &choice)
{
    const QString order = QString::fromStdString(curve.order);
    return order == choice.order || (choice.isFile() && order == QFileInfo(choice.order).fileName());
}

} // namespace

bool PruningChoice::isFile() const
{
    return isFileOfOrder(order.toStdString());
}

std::vector<std::vector<HeadKind>> PruningChoice::curveKinds() const
{
    if (!eachKind)
        return {kinds};
    std::vector<std::vector<HeadKind>> curves;
    for (HeadKind kind : kAllHeadKinds) {
        if (kinds.empty() || std::ranges::find(kinds, kind) != kinds.end())
            curves.push_back({kind});
    }
    return curves;
}

Domain PruningChoice::deciding(Domain measured) const
{
    switch (orderFrom) {
    case OrderFrom::In:
        return Domain::In;
    case OrderFrom::Out:
        return Domain::Out;
    case OrderFrom::Own:
        return measured;
    case OrderFrom::Other:
        return otherDomain(measured);
    }
    return measured;
}

PruningSpec PruningChoice::spec(const RunOptions &run, const StudyState &state, Domain measured) const
{
    PruningSpec spec;
    spec.run = run;
    spec.order = order.toStdString();
    spec.step = step;
    spec.reestimate = reestimate && order == "importance"_L1;
    spec.kinds = kinds;
    spec.atLeastPerLayer = atLeastPerLayer;
    spec.reverse = reverse;
    spec.eachKind = eachKind;
    const Domain other = otherDomain(measured);
    const bool canDecide = state.rows(other) && state.data(other) && state.data(other)->references;
    spec.orderOnOther = canDecide && isChosenByData(spec) && deciding(measured) != measured;
    return spec;
}

PruningPlan::PruningPlan(const StudyState &state, const PruningChoice &choice, const std::vector<HeadRef> &fileOrder)
{
    const HeadLayout &layout = state.layout();
    HeadValues values;
    if (choice.isFile())
        values = placesIn(fileOrder);
    else if (choice.order == "random"_L1)
        values = placesIn(randomOrders(layout, 1, choice.seed).front());
    else // Greedy: the order after the first head is known only with the curve.
        values = measuredValues(state, choice.order, choice.deciding(Domain::In));
    if (choice.reverse) {
        for (auto &[head, value] : values)
            value = -value;
    }
    m_order = restrictOrder(orderByValue(values), choice.kinds, choice.atLeastPerLayer);
    m_cost = costFrom(std::move(values));
    m_last = static_cast<int>(m_order.size());
    if (choice.eachKind)
        return; // several curves, none of which is the slider's order
    for (const PruningInput &input : pruningInputs(state, choice)) {
        const Domain measured = input.outOfDomain ? Domain::Out : Domain::In;
        const auto decided = decidedBy(*input.result, measured);
        if (decided && state.data(Domain::In) && state.data(Domain::Out) && *decided != choice.deciding(Domain::In))
            continue; // the slider goes along one order: that of the in-domain curve
        for (const PruningCurve &curve : input.result->curves) {
            if (!isOrderOf(curve, choice) || curve.randomOrders > 0 || curve.points.empty()
                || noteOf(specOf(*input.result).reestimate, specOf(*input.result).reverse, curve.rescaled)
                       != noteOf(choice.reestimate && choice.order == "importance"_L1, choice.reverse))
                continue;
            // An unfinished curve would end the slider's range early.
            if (curve.points.back().mask.size() < m_last)
                continue;
            m_result = input.result;
            m_curve = &curve;
            m_last = static_cast<int>(curve.points.back().mask.size());
            return;
        }
    }
}

HeadMask PruningPlan::maskAt(int removed) const
{
    removed = std::clamp(removed, 0, m_last);
    if (m_curve) {
        if (auto mask = maskOnCurve(*m_curve, removed, m_cost))
            return *mask;
    }
    const auto count = std::min(static_cast<std::size_t>(removed), m_order.size());
    return HeadMask(std::vector<HeadRef>(m_order.begin(), m_order.begin() + static_cast<std::ptrdiff_t>(count)));
}

bool PruningPlan::isOnPlan(const HeadMask &mask) const
{
    return mask.size() <= m_last && maskAt(static_cast<int>(mask.size())) == mask;
}

std::optional<int> PruningPlan::placeOf(const HeadRef &head) const
{
    // Removed heads stay removed.
    const auto places = std::views::iota(1, m_last + 1);
    const auto place
        = std::ranges::partition_point(places, [&](int removed) { return !maskAt(removed).isMasked(head); });
    return place == places.end() ? std::nullopt : std::optional(*place);
}

bool hasCandidatesOf(const PruningResult &result, const PruningChoice &choice)
{
    const PruningSpec spec = specOf(result);
    const auto normal = [](std::vector<HeadKind> kinds) {
        std::sort(kinds.begin(), kinds.end());
        return kinds.empty() ? std::vector<HeadKind>(std::begin(kAllHeadKinds), std::end(kAllHeadKinds)) : kinds;
    };
    return normal(spec.kinds) == normal(choice.kinds) && spec.eachKind == choice.eachKind
        && spec.atLeastPerLayer == choice.atLeastPerLayer;
}

QString pruningNote(const StudyState &state, const PruningResult &result, Domain measured)
{
    const PruningSpec spec = specOf(result);
    QStringList notes{noteOf(spec.reestimate, spec.reverse, spec.rescale)};
    const bool both = state.data(Domain::In) && state.data(Domain::Out);
    if (both && decidedBy(result, measured) == Domain::Out)
        notes << QCoreApplication::translate("headscope::PruningPage", "order from %1").arg(domainName(Domain::Out));
    notes.removeAll(QString());
    return notes.join(u", "_s);
}

std::vector<PruningInput> pruningInputs(const StudyState &state, const PruningChoice &choice)
{
    std::vector<PruningInput> inputs;
    for (Domain domain : kBothDomains) {
        for (const auto &result : state.results(domain).pruning) {
            if (!result || !hasCandidatesOf(*result, choice))
                continue;
            PruningInput input{domain == Domain::Out, result, pruningNote(state, *result, domain)};
            if (result->manifest.partial)
                input.basis = QCoreApplication::translate("headscope::PruningPage", "%1 of %2 examples")
                                  .arg(countText(result->examples), countText(result->manifest.totalExamples));
            inputs.push_back(std::move(input));
        }
    }
    return inputs;
}

} // namespace headscope

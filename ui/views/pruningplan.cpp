#include "ui/views/pruningplan.h"

#include "core/analysis/specoptions.h"
#include "core/results/optionsjson.h"

#include <nlohmann/json.hpp>

#include <QFile>
#include <QFileInfo>
#include <QObject>

#include <algorithm>
#include <limits>
#include <map>
#include <random>

using namespace Qt::StringLiterals;

namespace headscope {
namespace {

using Cost = std::function<double(const HeadRef &)>;

/// A cost from values by head; heads without one have none.
Cost costFrom(std::map<HeadRef, double> values)
{
    return [values = std::move(values)](const HeadRef &head) {
        const auto found = values.find(head);
        return found == values.end() ? std::numeric_limits<double>::quiet_NaN() : found->second;
    };
}

Cost randomCost(const HeadLayout &layout, std::uint64_t seed)
{
    std::vector<HeadRef> heads = layout.heads();
    std::mt19937_64 generator(seed);
    std::map<HeadRef, double> values;
    for (const HeadRef &head : heads)
        values[head] = static_cast<double>(generator() >> 11);
    return costFrom(std::move(values));
}

/// In-domain scores decide, out-of-domain ones where those are missing.
Cost measuredCost(const StudyState &state, bool byAblation)
{
    std::map<HeadRef, double> values;
    for (Domain domain : kBothDomains) {
        const DomainResults &results = state.results(domain);
        if (!values.empty())
            break;
        // Removing the head with the greatest gain (or least loss) costs least.
        if (byAblation && results.ablation) {
            for (const HeadAblation &head : results.ablation->heads)
                values[head.head] = -gain(results.ablation->baseline.better, head.delta);
        }
        if (!byAblation && results.importance) {
            for (const HeadImportance &head : results.importance->heads)
                values[head.head] = head.importance;
        }
    }
    return costFrom(std::move(values));
}

/// What a result was asked for. A manifest that cannot be read (an older version's) says nothing.
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

QString noteOf(bool reestimated, bool reversed)
{
    QStringList parts;
    if (reestimated)
        parts << QObject::tr("re-estimated");
    if (reversed)
        parts << QObject::tr("most needed first");
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
    return order != "importance"_L1 && order != "ablation"_L1 && order != "random"_L1 && order != "greedy"_L1;
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

PruningSpec PruningChoice::spec(const RunOptions &run) const
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
    return spec;
}

PruningPlan::PruningPlan(const StudyState &state, const PruningChoice &choice, const std::vector<HeadRef> &fileOrder)
{
    const HeadLayout &layout = state.layout();
    if (choice.isFile()) {
        std::map<HeadRef, double> places;
        for (const HeadRef &head : fileOrder)
            places.emplace(head, static_cast<double>(places.size()));
        m_cost = costFrom(std::move(places));
    } else if (choice.order == "random"_L1) {
        m_cost = randomCost(layout, choice.seed);
    } else {
        // Greedy: which goes after the first is known once the curve is there.
        m_cost = measuredCost(state, choice.order != "importance"_L1);
    }
    if (choice.reverse)
        m_cost = [cost = std::move(m_cost)](const HeadRef &head) { return -cost(head); };
    m_order = removalOrder(layout, m_cost, choice.kinds, choice.atLeastPerLayer);
    m_last = static_cast<int>(m_order.size());
    if (choice.eachKind)
        return; // several curves, none of which is the way of the slider
    for (const PruningInput &input : pruningInputs(state, choice)) {
        for (const PruningCurve &curve : input.result->curves) {
            if (!isOrderOf(curve, choice) || curve.randomOrders > 0 || curve.points.empty()
                || pruningNote(*input.result) != noteOf(choice.reestimate && choice.order == "importance"_L1, choice.reverse))
                continue;
            // An unfinished curve would end the slider's way early.
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

Result<std::vector<HeadRef>> readHeadOrder(const QString &path)
{
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly | QIODevice::Text))
        return badInput(QObject::tr("%1 cannot be read: %2").arg(path, file.errorString()).toStdString());
    std::vector<HeadRef> heads;
    int number = 0;
    while (!file.atEnd()) {
        ++number;
        const QString line = QString::fromUtf8(file.readLine()).section(u'#', 0, 0).trimmed();
        if (line.isEmpty())
            continue;
        const Result<HeadRef> head = parseHeadRef(line.toStdString());
        if (!head.isOk())
            return badInput(QObject::tr("%1, line %2: found “%3”, expected a head such as encoder.2.6.")
                                .arg(path)
                                .arg(number)
                                .arg(line)
                                .toStdString());
        heads.push_back(head.value());
    }
    if (heads.empty())
        return badInput(QObject::tr("%1 names no head; expected one a line, such as encoder.2.6.").arg(path).toStdString());
    return heads;
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

QString pruningNote(const PruningResult &result)
{
    const PruningSpec spec = specOf(result);
    return noteOf(spec.reestimate, spec.reverse);
}

std::vector<PruningInput> pruningInputs(const StudyState &state, const PruningChoice &choice)
{
    std::vector<PruningInput> inputs;
    for (Domain domain : kBothDomains) {
        for (const auto &result : state.results(domain).pruning) {
            if (result && hasCandidatesOf(*result, choice))
                inputs.push_back({domain == Domain::Out, result, pruningNote(*result)});
        }
    }
    return inputs;
}

} // namespace headscope

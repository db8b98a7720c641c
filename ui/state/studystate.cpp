#include "ui/state/studystate.h"

#include "core/analysis/workload.h"
#include "ui/state/resultkinds.h"
#include "ui/state/studycommands.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>
#include <vector>

namespace headscope {

namespace {

QString toQt(const HeadRef &head)
{
    return QString::fromStdString(toText(head));
}
} // namespace

QString headsText(std::int64_t count)
{
    return StudyState::tr("%Ln heads", nullptr, static_cast<int>(count));
}

QString domainName(Domain domain)
{
    return domain == Domain::In ? StudyState::tr("in-domain") : StudyState::tr("out-of-domain");
}

QString domainViewName(DomainView view)
{
    switch (view) {
    case DomainView::In:
        return domainName(Domain::In);
    case DomainView::Out:
        return domainName(Domain::Out);
    case DomainView::Difference:
        return StudyState::tr("difference");
    }
    return {};
}

StudyState::StudyState(QObject *parent) : QObject(parent)
{
    // Connected before the views of results are.
    connect(this, &StudyState::dataChanged, this, &StudyState::refreshStale);
    connect(this, &StudyState::resultsChanged, this, &StudyState::refreshStale);
    connect(this, &StudyState::modelChanged, this, &StudyState::refreshStale);
}

StudyState::~StudyState() = default;

const HeadLayout &StudyState::layout() const
{
    static const HeadLayout none;
    return m_model ? m_model->layout : none;
}

QStringList StudyState::judgingMetrics(Domain domain) const
{
    if (!m_model)
        return {};
    const auto &card = data(domain);
    const std::vector<std::string> &known = card && !card->metrics.empty() ? card->metrics : m_model->metrics;
    QStringList names;
    for (const std::string &name : known)
        names << QString::fromStdString(name);
    if (names.isEmpty() && !m_model->primaryMetric.empty())
        names << QString::fromStdString(m_model->primaryMetric);
    return names;
}

QStringList StudyState::metricNames(Domain domain) const
{
    const QStringList own = judgingMetrics(domain);
    QStringList others;
    bool byOwn = false;
    for (const std::string &name : m_results[slot(domain)].metrics()) {
        if (own.contains(QString::fromStdString(name)))
            byOwn = true;
        else
            others << QString::fromStdString(name);
    }
    // Studies of older versions do not say by what their data are judged.
    const bool knows = data(domain) && !data(domain)->metrics.empty();
    return knows || byOwn ? own + others : others + own;
}

QString StudyState::metricName(Domain domain) const
{
    const QStringList names = m_model ? metricNames(domain) : QStringList();
    return names.contains(m_metric) ? m_metric : names.value(0);
}

QString StudyState::otherMetric(Domain domain, ResultKinds kinds) const
{
    const std::vector<std::string> found = m_results[slot(domain)].metrics(kinds);
    const bool isThere = std::ranges::find(found, metricName(domain).toStdString()) != found.end();
    return found.empty() || isThere ? QString() : QString::fromStdString(found.back());
}

/// After a change of what the data, or their results, can be judged by.
void StudyState::refreshMetric(Domain domain)
{
    announce(domain, m_results[slot(domain)].setMetric(metricName(domain).toStdString()));
}

void StudyState::setModel(std::optional<ModelCard> card, std::shared_ptr<Session> session)
{
    m_session = std::move(session);
    m_model = std::move(card);
    m_modelOnDisk.reset();
    m_fileHashes.clear();
    m_data = {};
    m_rows = {};
    m_results = {};
    m_assigned = {};
    m_attention.reset();
    m_speed.reset();
    m_byKeyGroup = false;
    m_mask = {};
    m_pins.clear();
    m_metric.clear();
    m_current.reset();
    m_hovered.reset();
    m_selection.clear();
    m_sentenceIndex = -1;
    m_sentences = {-1, -1};
    m_undo.clear();
    for (const Domain domain : kBothDomains)
        m_results[slot(domain)].setMetric(metricName(domain).toStdString());
    Q_EMIT modelChanged();
    for (const Domain domain : kBothDomains) {
        Q_EMIT dataChanged(domain);
        Q_EMIT resultsChanged(domain, kAllResultKinds);
    }
    Q_EMIT rolesChanged();
    Q_EMIT selectionChanged();
    Q_EMIT hoverChanged();
    Q_EMIT sentenceChanged();
    Q_EMIT attentionChanged();
    Q_EMIT maskChanged();
    Q_EMIT pinsChanged();
}

void StudyState::setData(Domain domain, std::optional<DataCard> card, std::shared_ptr<const DataRows> rows)
{
    m_rows[slot(domain)] = std::move(rows);
    auto &shown = m_data[slot(domain)];
    const bool same = shown && card && shown->hash == card->hash && shown->rows == card->rows;
    shown = std::move(card);
    if (!same)
        m_changedData[slot(domain)].clear();
    Q_EMIT dataChanged(domain);
    if (!same)
        announce(domain, m_results[slot(domain)].clearData());
    refreshMetric(domain);
    if (same)
        return;
    if (m_sentenceDomain == domain && m_sentenceIndex >= 0)
        setSentence(domain, data(domain) && data(domain)->rows > 0 ? 0 : -1);
    showSentenceOfDomain();
}

/// What is of the model alone belongs to both slots.
std::vector<Domain> StudyState::slotsOf(Domain domain, const AnyResult &result)
{
    if (isOfModel(resultKind(result).kind))
        return {kBothDomains.begin(), kBothDomains.end()};
    return {domain};
}

void StudyState::addResult(Domain domain, AnyResult result)
{
    for (const Domain one : slotsOf(domain, result))
        announce(one, m_results[slot(one)].add(result, staleIn(one)));
}

void StudyState::addPartialResult(Domain domain, AnyResult result)
{
    for (const Domain one : slotsOf(domain, result))
        announce(one, m_results[slot(one)].addPartial(result, staleIn(one)));
}

void StudyState::addLeftResult(Domain domain, AnyResult result)
{
    announce(domain, m_results[slot(domain)].addLeft(std::move(result)));
}

void StudyState::putBack(Domain domain, const std::vector<AnyResult> &results)
{
    std::vector<AnyResult> ofModel;
    std::ranges::copy_if(results, std::back_inserter(ofModel),
                         [](const AnyResult &result) { return isOfModel(resultKind(result).kind); });
    announce(domain, m_results[slot(domain)].putBack(results));
    announce(otherDomain(domain), m_results[slot(otherDomain(domain))].putBack(ofModel));
    refreshMetric(domain);
}

void StudyState::removeResults(Domain domain, ResultKinds kinds)
{
    announce(domain, m_results[slot(domain)].remove(kinds));
    announce(otherDomain(domain), m_results[slot(otherDomain(domain))].remove(kinds & kindsOfModel()));
}

std::vector<AnyResult> StudyState::finishedResults(Domain domain) const
{
    std::vector<AnyResult> results = m_results[slot(domain)].finished();
    if (domain != Domain::In)
        std::erase_if(results, [](const AnyResult &result) { return isOfModel(resultKind(result).kind); });
    return results;
}

void StudyState::removePartialResults(Domain domain, const std::function<bool(const AnyResult &)> &isMeant)
{
    announce(domain, m_results[slot(domain)].removePartials(isMeant));
    announce(otherDomain(domain), m_results[slot(otherDomain(domain))].removePartials([&](const AnyResult &result) {
        return isOfModel(resultKind(result).kind) && isMeant(result);
    }));
}

void StudyState::announce(Domain domain, ResultKinds changed)
{
    if (!changed)
        return;
    const bool ofRoles = bool(changed & kindsWhere(&ResultKindInfo::labelsRoles));
    if (ofRoles)
        m_assigned[slot(domain)].reset();
    Q_EMIT resultsChanged(domain, changed);
    if (ofRoles)
        Q_EMIT rolesChanged();
}

void StudyState::setAttention(std::shared_ptr<const AttentionResult> result)
{
    m_attention = std::move(result);
    Q_EMIT attentionChanged();
}

void StudyState::setSpeed(std::shared_ptr<const SpeedResult> result)
{
    m_speed = std::move(result);
    Q_EMIT speedChanged();
}

void StudyState::setSelection(std::set<HeadRef> heads, std::optional<HeadRef> current)
{
    if (heads == m_selection && current == m_current)
        return;
    m_selection = std::move(heads);
    m_current = current;
    Q_EMIT selectionChanged();
}

void StudyState::setHoveredHead(std::optional<HeadRef> head)
{
    if (head == m_hovered)
        return;
    m_hovered = head;
    Q_EMIT hoverChanged();
}

void StudyState::toggleMask(const HeadRef &head)
{
    toggleMasks({head});
}

void StudyState::toggleMasks(const std::set<HeadRef> &heads)
{
    if (heads.empty())
        return;
    const bool all
        = std::all_of(heads.begin(), heads.end(), [this](const HeadRef &head) { return m_mask.isMasked(head); });
    HeadMask mask = m_mask;
    for (const HeadRef &head : heads)
        mask.set(head, !all);
    const QString what = heads.size() == 1 ? toQt(*heads.begin()) : headsText(std::ssize(heads));
    setMask(mask, all ? tr("unmask %1").arg(what) : tr("mask %1").arg(what));
}

void StudyState::clearMask()
{
    setMask({}, tr("clear masks"));
}

void StudyState::setMask(const HeadMask &mask, const QString &stepName)
{
    if (mask == m_mask)
        return;
    endMaskDrag();
    m_undo.push(new SetMaskCommand(*this, mask, stepName));
}

void StudyState::dragMask(const HeadMask &mask)
{
    if (mask == m_mask)
        return;
    m_undo.push(new SetMaskCommand(*this, mask, tr("mask %1").arg(headsText(mask.size())), m_drag));
}

void StudyState::endMaskDrag()
{
    ++m_drag;
}

void StudyState::showMask(const HeadMask &mask)
{
    if (mask == m_mask)
        return;
    m_mask = mask;
    std::array<ResultKinds, 2> changed;
    for (const Domain domain : kBothDomains)
        changed[slot(domain)] = m_results[slot(domain)].setMask(mask);
    Q_EMIT maskChanged();
    for (const Domain domain : kBothDomains)
        announce(domain, changed[slot(domain)]);
}

void StudyState::togglePins(const std::set<HeadRef> &heads)
{
    if (heads.empty())
        return;
    const bool all = std::ranges::all_of(heads, [this](const HeadRef &head) { return m_pins.contains(head); });
    std::set<HeadRef> pins = m_pins;
    for (const HeadRef &head : heads) {
        if (all)
            pins.erase(head);
        else
            pins.insert(head);
    }
    const QString what = heads.size() == 1 ? toQt(*heads.begin()) : headsText(std::ssize(heads));
    m_undo.push(new SetPinsCommand(*this, std::move(pins), all ? tr("unpin %1").arg(what) : tr("pin %1").arg(what)));
}

void StudyState::showPins(std::set<HeadRef> pins)
{
    if (pins == m_pins)
        return;
    m_pins = std::move(pins);
    Q_EMIT pinsChanged();
}

void StudyState::setMetric(const QString &metric)
{
    if (m_model && metric != metricName())
        m_undo.push(new SetMetricCommand(*this, metric, tr("judge by %1").arg(metric)));
}

void StudyState::showMetric(const QString &metric)
{
    if (!m_model || metric == metricName())
        return;
    m_metric = metric;
    std::array<ResultKinds, 2> changed;
    for (const Domain domain : kBothDomains)
        changed[slot(domain)] = m_results[slot(domain)].setMetric(metricName(domain).toStdString());
    Q_EMIT metricChanged();
    for (const Domain domain : kBothDomains)
        announce(domain, changed[slot(domain)]);
}

void StudyState::setRoleThresholds(const RoleThresholds &thresholds)
{
    endRoleDrag();
    dragRoleThresholds(thresholds);
    endRoleDrag();
}

void StudyState::dragRoleThresholds(const RoleThresholds &thresholds)
{
    if (!(thresholds == m_roleThresholds))
        m_undo.push(new SetRoleThresholdsCommand(*this, thresholds, tr("thresholds of roles"), m_drag));
}

void StudyState::showRoleThresholds(const RoleThresholds &thresholds)
{
    if (thresholds == m_roleThresholds)
        return;
    m_roleThresholds = thresholds;
    m_assigned = {};
    Q_EMIT rolesChanged();
}

std::shared_ptr<const AssignedRoles> StudyState::assignedRoles(Domain domain) const
{
    const auto &result = results(domain).roles;
    auto &assigned = m_assigned[slot(domain)];
    if (result && !assigned)
        assigned = std::make_shared<const AssignedRoles>(assignRoles(*result, m_roleThresholds, windowedSweep(domain)));
    return assigned;
}

WindowedSweep StudyState::windowedSweep(Domain domain) const
{
    return {results(domain).windowed.get(), m_significance};
}

Domain StudyState::roleDomain() const
{
    const Domain wanted = shownDomain();
    const bool onlyOther = !results(wanted).roles && results(otherDomain(wanted)).roles;
    return onlyOther ? otherDomain(wanted) : wanted;
}

void StudyState::setShowsRoles(bool shows)
{
    if (shows == m_showsRoles)
        return;
    m_showsRoles = shows;
    Q_EMIT roleViewChanged();
}

void StudyState::setRoleFilter(std::optional<Role> role)
{
    if (role == m_roleFilter)
        return;
    m_roleFilter = role;
    Q_EMIT roleViewChanged();
}

void StudyState::setMeasure(Measure measure)
{
    if (measure == m_measure)
        return;
    m_measure = measure;
    Q_EMIT measureChanged();
}

HeadLayout StudyState::keyGroups() const
{
    return m_model ? keyGroupsOf(*m_model) : HeadLayout();
}

void StudyState::setGridUnit(HeadUnit unit)
{
    const HeadUnit before = gridUnit();
    m_byKeyGroup = unit == HeadUnit::KeyGroup;
    if (gridUnit() != before)
        Q_EMIT gridUnitChanged();
}

void StudyState::setSignificance(const Significance &significance)
{
    if (significance == m_significance)
        return;
    m_significance = significance;
    m_assigned = {};
    Q_EMIT significanceChanged();
    Q_EMIT rolesChanged(); // of heads that need distant keys
}

void StudyState::setDomainView(DomainView view)
{
    if (view == m_domainView)
        return;
    m_domainView = view;
    if (view != DomainView::Difference)
        m_single = view == DomainView::Out ? Domain::Out : Domain::In;
    Q_EMIT domainViewChanged();
    showSentenceOfDomain();
}

Domain StudyState::shownDomain() const
{
    const bool in = data(Domain::In).has_value();
    const bool out = data(Domain::Out).has_value();
    return in == out ? m_single : out ? Domain::Out : Domain::In;
}

void StudyState::setSentence(Domain domain, std::int64_t index)
{
    m_sentences[slot(domain)] = index;
    if (domain == m_sentenceDomain && index == m_sentenceIndex)
        return;
    m_sentenceDomain = domain;
    m_sentenceIndex = index;
    Q_EMIT sentenceChanged();
    if (index < 0 || domain == shownDomain())
        return;
    m_single = domain;
    if (m_domainView == DomainView::Difference)
        Q_EMIT domainViewChanged();
    else
        setDomainView(domain == Domain::Out ? DomainView::Out : DomainView::In);
}

/// Where there is a sentence at all.
void StudyState::showSentenceOfDomain()
{
    const Domain shown = shownDomain();
    const std::int64_t last = m_sentences[slot(shown)];
    const bool any = m_sentenceIndex >= 0 || last >= 0;
    if (m_sentenceDomain == shown || !any || !data(shown) || data(shown)->rows == 0)
        return;
    setSentence(shown, last >= 0 && last < data(shown)->rows ? last : 0);
}

QString StudyState::error(ErrorPlace place) const
{
    return m_errors[static_cast<std::size_t>(place)];
}

void StudyState::setError(ErrorPlace place, const QString &text)
{
    QString &error = m_errors[static_cast<std::size_t>(place)];
    if (error == text)
        return;
    error = text;
    Q_EMIT errorChanged(place);
}

void StudyState::setStudyFile(const QString &file)
{
    if (file == m_studyFile)
        return;
    m_studyFile = file;
    Q_EMIT studyFileChanged();
}

} // namespace headscope

#include "ui/state/slotresults.h"

#include "core/session/studyrecord.h"
#include "ui/state/resultkinds.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

namespace headscope {

namespace {
constexpr std::ptrdiff_t kMaskScoresKept = 64; ///< each with all outputs: about 200 kB for 1,000 sentences
} // namespace

SlotResults::Place SlotResults::placeOf(const AnyResult &result)
{
    return {resultKind(result), metricOf(result), detailOf(result), maskedThroughout(result)};
}

bool SlotResults::isShown(const Place &place) const
{
    if (place.kind.kind == ResultKind::Attention)
        return false;
    const bool metric = place.metric.empty() || place.metric == m_metric;
    return metric && (place.kind.kind != ResultKind::Masked || place.detail == m_mask);
}

std::vector<const SlotResults::Entry *> SlotResults::inOrder(
    const std::function<bool(const Place &, const Entry &)> &wanted) const
{
    std::vector<const Entry *> found;
    for (const auto &[place, entry] : m_entries) {
        if (wanted(place, entry))
            found.push_back(&entry);
    }
    std::ranges::sort(found, {}, &Entry::number);
    return found;
}

std::vector<AnyResult> SlotResults::finished() const
{
    std::vector<AnyResult> results;
    for (const Entry *entry : inOrder([this](const Place &place, const Entry &one) {
             return one.finished && (place.kind.kind != ResultKind::Masked || place.detail == m_mask);
         }))
        results.push_back(*entry->finished);
    return results;
}

bool SlotResults::hasFinished() const
{
    return std::ranges::any_of(m_entries, [](const auto &entry) { return entry.second.finished.has_value(); });
}

std::vector<std::string> SlotResults::metrics(ResultKinds kinds) const
{
    std::vector<std::string> found;
    const auto isMeant
        = [&](const Place &place, const Entry &) { return !place.metric.empty() && kinds.testFlag(place.kind.kind); };
    for (const Entry *entry : inOrder(isMeant)) {
        if (std::string name = metricOf(entry->newest()); std::ranges::find(found, name) == found.end())
            found.push_back(std::move(name));
    }
    return found;
}

SlotResults::Entry &SlotResults::entryFor(const AnyResult &result, const IsStale &isStale)
{
    const Place place = placeOf(result);
    if (const auto curve = result.as<PruningResult>(); curve && !m_entries.contains(place)) {
        const auto old = std::ranges::find_if(m_entries, [&](const auto &other) {
            const auto before = other.second.newest().template as<PruningResult>();
            return before && other.first.metric == place.metric && isStale(before->manifest)
                && requestedOptions(before->manifest) == requestedOptions(curve->manifest);
        });
        if (old != m_entries.end()) {
            auto moved = m_entries.extract(old);
            moved.key() = place;
            m_entries.insert(std::move(moved));
        }
    }
    const auto [at, isNew] = m_entries.try_emplace(place);
    if (isNew)
        at->second.number = ++m_added;
    return at->second;
}

ResultKinds SlotResults::add(AnyResult result, const IsStale &isStale)
{
    Entry &entry = entryFor(result, isStale);
    entry.partial.reset();
    entry.finished = std::move(result);
    forgetOldMasks();
    return refresh();
}

ResultKinds SlotResults::addPartial(AnyResult result, const IsStale &isStale)
{
    entryFor(result, isStale).partial = std::move(result);
    dropPartialsNotShown();
    return refresh();
}

ResultKinds SlotResults::addLeft(AnyResult result)
{
    const Place place = placeOf(result);
    if (!m_entries.contains(place) && isShown(place))
        m_entries[place] = {std::move(result), std::nullopt, ++m_added};
    return refresh();
}

ResultKinds SlotResults::putBack(const std::vector<AnyResult> &results)
{
    for (const AnyResult &result : results) {
        const Place place = placeOf(result);
        if (!m_entries.contains(place))
            m_entries[place] = {std::nullopt, result, ++m_added};
    }
    return refresh();
}

ResultKinds SlotResults::setMetric(const std::string &metric)
{
    m_metric = metric;
    dropPartialsNotShown();
    return refresh();
}

ResultKinds SlotResults::setMask(const HeadMask &mask)
{
    m_mask = mask.empty() ? std::string() : toText(mask);
    dropPartialsNotShown();
    return refresh();
}

ResultKinds SlotResults::remove(ResultKinds kinds)
{
    std::erase_if(m_entries, [&](const auto &entry) { return kinds.testFlag(entry.first.kind.kind); });
    return refresh();
}

ResultKinds SlotResults::clearData()
{
    return remove(kAllResultKinds & ~kindsOfModel());
}

ResultKinds SlotResults::removePartials(const std::function<bool(const AnyResult &)> &isMeant)
{
    for (auto &[place, entry] : m_entries) {
        if (entry.partial && isMeant(*entry.partial))
            entry.partial.reset();
    }
    std::erase_if(m_entries, [](const auto &entry) { return !entry.second.partial && !entry.second.finished; });
    return refresh();
}

void SlotResults::forgetOtherMasks()
{
    std::erase_if(m_entries, [this](const auto &entry) {
        return entry.first.kind.kind == ResultKind::Masked && entry.first.detail != m_mask;
    });
}

ResultKinds SlotResults::takeStale(const IsStale &isStale, std::vector<AnyResult> *taken)
{
    const auto isOutdated = [&](const AnyResult &result) {
        const Manifest *manifest = manifestOf(result);
        return manifest && isStale(*manifest);
    };
    for (const Entry *entry :
         inOrder([&](const Place &, const Entry &one) { return one.finished && isOutdated(*one.finished); }))
        taken->push_back(*entry->finished);
    std::erase_if(m_entries, [&](const auto &entry) { return isOutdated(entry.second.newest()); });
    return refresh();
}

/// Their jobs were for another metric or mask, so that they will not be completed.
void SlotResults::dropPartialsNotShown()
{
    for (auto &[place, entry] : m_entries) {
        if (!isShown(place))
            entry.partial.reset();
    }
    std::erase_if(m_entries, [](const auto &entry) { return !entry.second.partial && !entry.second.finished; });
}

void SlotResults::forgetOldMasks()
{
    const auto isOther = [this](const Place &place, const Entry &) {
        return place.kind.kind == ResultKind::Masked && !isShown(place);
    };
    const auto others = inOrder(isOther);
    const std::ptrdiff_t surplus = std::ssize(others) - kMaskScoresKept;
    if (surplus <= 0)
        return;
    const int oldest = others[static_cast<std::size_t>(surplus)]->number;
    std::erase_if(m_entries, [&](const auto &entry) {
        return isOther(entry.first, entry.second) && entry.second.number < oldest;
    });
}

namespace {
void put(DomainResults &shown, const AnyResult &result)
{
    const UnitKind kind = resultKind(result);
    if (const ResultKindInfo &info = infoOf(kind.kind); info.put)
        info.put(shown, kind.unit, result);
}

std::vector<AnyResult> others(const std::vector<AnyResult> &all)
{
    std::vector<AnyResult> found;
    std::ranges::copy_if(all, std::back_inserter(found),
                         [](const AnyResult &result) { return resultKind(result).kind == ResultKind::Other; });
    return found;
}
} // namespace

ResultKinds SlotResults::refresh()
{
    DomainResults shown;
    std::vector<AnyResult> all;
    for (const Entry *entry : inOrder([this](const Place &place, const Entry &) { return isShown(place); }))
        all.push_back(entry->newest());
    for (const AnyResult &result : all) {
        if (maskedThroughout(result).empty()) // others would pass for the full model's
            put(shown, result);
    }
    ResultKinds changed;
    for (const ResultKindInfo &info : resultKinds())
        changed.setFlag(info.kind, info.isSame && !info.isSame(shown, m_shown));
    changed.setFlag(ResultKind::Other, others(all) != others(m_all));
    const auto addMasked = [&](const std::vector<AnyResult> &these, const std::vector<AnyResult> &those) {
        for (const AnyResult &result : these) { // which have no place in what is shown of the full model
            if (!maskedThroughout(result).empty() && std::ranges::find(those, result) == those.end())
                changed.setFlag(resultKind(result).kind);
        }
    };
    addMasked(all, m_all);
    addMasked(m_all, all);
    m_shown = std::move(shown);
    m_all = std::move(all);
    return changed;
}

} // namespace headscope

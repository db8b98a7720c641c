#include "ui/state/slotresults.h"

#include "core/session/studyrecord.h"

#include <QCoreApplication>

#include <algorithm>
#include <iterator>
#include <type_traits>
#include <utility>

namespace headscope {

namespace {
constexpr std::ptrdiff_t kMaskScoresKept = 64; ///< each with all outputs: about 200 kB for 1,000 sentences

template<typename T>
constexpr ResultKind kKindOf = ResultKind::Other;
template<>
constexpr ResultKind kKindOf<ImportanceResult> = ResultKind::Importance;
template<>
constexpr ResultKind kKindOf<ConfidenceResult> = ResultKind::Confidence;
template<>
constexpr ResultKind kKindOf<RolesResult> = ResultKind::Roles;
template<>
constexpr ResultKind kKindOf<RelevanceResult> = ResultKind::Relevance;
template<>
constexpr ResultKind kKindOf<SearchResult> = ResultKind::Search;
template<>
constexpr ResultKind kKindOf<PruningResult> = ResultKind::Pruning;
template<>
constexpr ResultKind kKindOf<AttentionResult> = ResultKind::Attention;

/// The metric that a result judges by; empty where it judges nothing.
template<typename T>
std::string metricOf(const T &result)
{
    if constexpr (std::is_same_v<T, EvaluationResult>)
        return result.metrics.empty() ? std::string() : result.primary().name;
    else if constexpr (std::is_same_v<T, AblationResult> || std::is_same_v<T, SearchResult>)
        return result.baseline.name;
    else if constexpr (std::is_same_v<T, PruningResult>)
        return result.metric;
    else
        return {};
}

/// What tells results of one kind and metric apart.
template<typename T>
std::string detailOf(const T &result)
{
    if constexpr (std::is_same_v<T, EvaluationResult>)
        return result.mask.empty() ? std::string() : toText(result.mask);
    else if constexpr (std::is_same_v<T, PruningResult>)
        return (result.curves.empty() ? std::string() : result.curves.front().order) + '\n' + result.manifest.spec;
    else if constexpr (kKindOf<T> == ResultKind::Other && !std::is_same_v<T, AblationResult>)
        return kindOf(result);
    else
        return {};
}

const PruningResult *curveOf(const SharedResult &result)
{
    const auto *curve = std::get_if<std::shared_ptr<const PruningResult>>(&result);
    return curve ? curve->get() : nullptr;
}
} // namespace

ResultKind resultKind(const ResultRef &result)
{
    return result.visit([](const auto &one) {
        using T = std::decay_t<decltype(one)>;
        if constexpr (std::is_same_v<T, EvaluationResult>)
            return one.mask.empty() ? ResultKind::Baseline : ResultKind::Masked;
        else if constexpr (std::is_same_v<T, AblationResult>)
            return one.allButOne ? ResultKind::AllButOne : ResultKind::Ablation;
        else
            return kKindOf<T>;
    });
}

QString resultKindName(ResultKind kind)
{
    const auto translate = [](const char *text) { return QCoreApplication::translate("headscope::SlotResults", text); };
    switch (kind) {
    case ResultKind::Baseline:
        return translate("score");
    case ResultKind::Masked:
        return translate("score with masks");
    case ResultKind::Ablation:
        return translate("ablation");
    case ResultKind::AllButOne:
        return translate("one head a layer");
    case ResultKind::Importance:
        return translate("importance");
    case ResultKind::Confidence:
        return translate("confidence");
    case ResultKind::Roles:
        return translate("roles");
    case ResultKind::Relevance:
        return translate("relevance");
    case ResultKind::Search:
        return translate("mask search");
    case ResultKind::Pruning:
        return translate("pruning");
    case ResultKind::Attention:
        return translate("attention");
    case ResultKind::Other:
        break;
    }
    return translate("another result");
}

QString resultName(const ResultRef &result)
{
    const ResultKind kind = resultKind(result);
    return kind == ResultKind::Other ? QString::fromStdString(kindOf(result)) : resultKindName(kind);
}

QString resultTitle(const ResultRef &result)
{
    QString name = resultName(result);
    if (resultKind(result) != ResultKind::Other) // those are called as their commands
        name[0] = name[0].toUpper();
    return name;
}

SharedResult share(AnyResult result)
{
    return std::visit(
        [](auto &&one) -> SharedResult {
            using T = std::decay_t<decltype(one)>;
            return std::make_shared<const T>(std::forward<decltype(one)>(one));
        },
        std::move(result));
}

std::array<std::vector<AnyResult>, 2> copiesOf(const std::array<std::vector<SharedResult>, 2> &results)
{
    std::array<std::vector<AnyResult>, 2> copies;
    for (std::size_t slot = 0; slot < results.size(); ++slot) {
        for (const SharedResult &result : results[slot])
            copies[slot].push_back(std::visit([](const auto &one) -> AnyResult { return *one; }, result));
    }
    return copies;
}

ResultRef refTo(const SharedResult &result)
{
    return std::visit([](const auto &one) { return ResultRef(*one); }, result);
}

const Manifest *manifestOf(const SharedResult &result)
{
    return manifestOf(refTo(result));
}

SlotResults::Place SlotResults::placeOf(const ResultRef &result)
{
    return result.visit([](const auto &one) { return Place{resultKind(one), metricOf(one), detailOf(one)}; });
}

bool SlotResults::isShown(const Place &place) const
{
    if (place.kind == ResultKind::Attention)
        return false;
    const bool metric = place.metric.empty() || place.metric == m_metric;
    return metric && (place.kind != ResultKind::Masked || place.detail == m_mask);
}

std::vector<const SlotResults::Entry *>
SlotResults::inOrder(const std::function<bool(const Place &, const Entry &)> &wanted) const
{
    std::vector<const Entry *> found;
    for (const auto &[place, entry] : m_entries) {
        if (wanted(place, entry))
            found.push_back(&entry);
    }
    std::ranges::sort(found, {}, &Entry::number);
    return found;
}

std::vector<SharedResult> SlotResults::finished() const
{
    std::vector<SharedResult> results;
    for (const Entry *entry : inOrder([this](const Place &place, const Entry &one) {
             return one.finished && (place.kind != ResultKind::Masked || place.detail == m_mask);
         }))
        results.push_back(*entry->finished);
    return results;
}

bool SlotResults::hasFinished() const
{
    return std::ranges::any_of(m_entries, [](const auto &entry) { return entry.second.finished.has_value(); });
}

SlotResults::Entry &SlotResults::entryFor(const SharedResult &result, const IsStale &isStale)
{
    const Place place = placeOf(refTo(result));
    if (const PruningResult *curve = curveOf(result); curve && !m_entries.contains(place)) {
        const auto old = std::ranges::find_if(m_entries, [&](const auto &other) {
            const PruningResult *before = curveOf(other.second.newest());
            return before && other.first.metric == place.metric && isStale(before->manifest)
                && askedOptions(before->manifest) == askedOptions(curve->manifest);
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

ResultKinds SlotResults::add(SharedResult result, const IsStale &isStale)
{
    Entry &entry = entryFor(result, isStale);
    entry.partial.reset();
    entry.finished = std::move(result);
    forgetOldMasks();
    return refresh();
}

ResultKinds SlotResults::addPartial(SharedResult result, const IsStale &isStale)
{
    entryFor(result, isStale).partial = std::move(result);
    dropPartialsNotShown();
    return refresh();
}

ResultKinds SlotResults::putBack(const std::vector<SharedResult> &results)
{
    for (const SharedResult &result : results) {
        const Place place = placeOf(refTo(result));
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
    std::erase_if(m_entries, [&](const auto &entry) { return kinds.testFlag(entry.first.kind); });
    return refresh();
}

void SlotResults::forgetOtherMasks()
{
    std::erase_if(m_entries, [this](const auto &entry) {
        return entry.first.kind == ResultKind::Masked && entry.first.detail != m_mask;
    });
}

ResultKinds SlotResults::takeStale(const IsStale &isStale, std::vector<SharedResult> *taken)
{
    const auto isOutdated = [&](const SharedResult &result) {
        const Manifest *manifest = manifestOf(result);
        return manifest && isStale(*manifest);
    };
    for (const Entry *entry :
         inOrder([&](const Place &, const Entry &one) { return one.finished && isOutdated(*one.finished); }))
        taken->push_back(*entry->finished);
    std::erase_if(m_entries, [&](const auto &entry) { return isOutdated(entry.second.newest()); });
    return refresh();
}

/// The work on them was for another metric or mask: nobody will complete them.
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
        return place.kind == ResultKind::Masked && !isShown(place);
    };
    const auto others = inOrder(isOther);
    const std::ptrdiff_t surplus = std::ssize(others) - kMaskScoresKept;
    if (surplus <= 0)
        return;
    const int oldest = others[static_cast<std::size_t>(surplus)]->number;
    std::erase_if(m_entries,
                  [&](const auto &entry) { return isOther(entry.first, entry.second) && entry.second.number < oldest; });
}

namespace {
/// The field of a result's kind.
struct PutShown
{
    DomainResults &shown;

    void operator()(const std::shared_ptr<const EvaluationResult> &result) const
    {
        (result->mask.empty() ? shown.baseline : shown.masked) = result;
    }
    void operator()(const std::shared_ptr<const AblationResult> &result) const
    {
        (result->allButOne ? shown.allButOne : shown.ablation) = result;
    }
    void operator()(const std::shared_ptr<const ImportanceResult> &result) const { shown.importance = result; }
    void operator()(const std::shared_ptr<const ConfidenceResult> &result) const { shown.confidence = result; }
    void operator()(const std::shared_ptr<const RolesResult> &result) const { shown.roles = result; }
    void operator()(const std::shared_ptr<const RelevanceResult> &result) const { shown.relevance = result; }
    void operator()(const std::shared_ptr<const SearchResult> &result) const { shown.search = result; }
    void operator()(const std::shared_ptr<const PruningResult> &result) const { shown.pruning.push_back(result); }
    template<typename T>
    void operator()(const std::shared_ptr<const T> &) const
    {
    }
};

std::vector<SharedResult> others(const std::vector<SharedResult> &all)
{
    std::vector<SharedResult> found;
    std::ranges::copy_if(all, std::back_inserter(found),
                         [](const SharedResult &result) { return resultKind(refTo(result)) == ResultKind::Other; });
    return found;
}
} // namespace

ResultKinds SlotResults::refresh()
{
    DomainResults shown;
    std::vector<SharedResult> all;
    for (const Entry *entry : inOrder([this](const Place &place, const Entry &) { return isShown(place); }))
        all.push_back(entry->newest());
    for (const SharedResult &result : all)
        std::visit(PutShown{shown}, result);
    ResultKinds changed;
    const auto compare = [&](auto DomainResults::*field, ResultKind kind) {
        changed.setFlag(kind, shown.*field != m_shown.*field);
    };
    compare(&DomainResults::baseline, ResultKind::Baseline);
    compare(&DomainResults::masked, ResultKind::Masked);
    compare(&DomainResults::ablation, ResultKind::Ablation);
    compare(&DomainResults::allButOne, ResultKind::AllButOne);
    compare(&DomainResults::importance, ResultKind::Importance);
    compare(&DomainResults::confidence, ResultKind::Confidence);
    compare(&DomainResults::roles, ResultKind::Roles);
    compare(&DomainResults::relevance, ResultKind::Relevance);
    compare(&DomainResults::search, ResultKind::Search);
    compare(&DomainResults::pruning, ResultKind::Pruning);
    changed.setFlag(ResultKind::Other, others(all) != others(m_all));
    m_shown = std::move(shown);
    m_all = std::move(all);
    return changed;
}

} // namespace headscope

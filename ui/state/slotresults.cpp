#include "ui/state/slotresults.h"

#include "core/base/headunit.h"
#include "core/session/studyrecord.h"

#include <QCoreApplication>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <type_traits>
#include <utility>

namespace headscope {

namespace {
constexpr std::ptrdiff_t kMaskScoresKept = 64; ///< each with all outputs: about 200 kB for 1,000 sentences

/// The kinds that have a place in DomainResults, with their names: the only list of them.
template<typename Visit>
void forEachKind(Visit &&visit)
{
    visit(ResultKind::Baseline, QT_TRANSLATE_NOOP("headscope::SlotResults", "score"), &DomainResults::baseline);
    visit(ResultKind::Masked, QT_TRANSLATE_NOOP("headscope::SlotResults", "score with masks"), &DomainResults::masked);
    visit(ResultKind::Ablation, QT_TRANSLATE_NOOP("headscope::SlotResults", "ablation"), &DomainResults::ablation);
    visit(ResultKind::GroupAblation, QT_TRANSLATE_NOOP("headscope::SlotResults", "ablation of key groups"),
          &DomainResults::groupAblation);
    visit(ResultKind::GroupImportance, QT_TRANSLATE_NOOP("headscope::SlotResults", "importance of key groups"),
          &DomainResults::groupImportance);
    visit(ResultKind::GroupConfidence, QT_TRANSLATE_NOOP("headscope::SlotResults", "confidence of key groups"),
          &DomainResults::groupConfidence);
    visit(ResultKind::GroupShapley, QT_TRANSLATE_NOOP("headscope::SlotResults", "Shapley values of key groups"),
          &DomainResults::groupShapley);
    visit(ResultKind::Windowed, QT_TRANSLATE_NOOP("headscope::SlotResults", "windowed heads"),
          &DomainResults::windowed);
    visit(ResultKind::AllButOne, QT_TRANSLATE_NOOP("headscope::SlotResults", "one head a layer"),
          &DomainResults::allButOne);
    visit(ResultKind::Importance, QT_TRANSLATE_NOOP("headscope::SlotResults", "importance"),
          &DomainResults::importance);
    visit(ResultKind::Confidence, QT_TRANSLATE_NOOP("headscope::SlotResults", "confidence"),
          &DomainResults::confidence);
    visit(ResultKind::Roles, QT_TRANSLATE_NOOP("headscope::SlotResults", "roles"), &DomainResults::roles);
    visit(ResultKind::Relevance, QT_TRANSLATE_NOOP("headscope::SlotResults", "relevance"), &DomainResults::relevance);
    visit(ResultKind::TokenRelevance, QT_TRANSLATE_NOOP("headscope::SlotResults", "contributions of tokens"),
          &DomainResults::tokens);
    visit(ResultKind::Search, QT_TRANSLATE_NOOP("headscope::SlotResults", "mask search"), &DomainResults::search);
    visit(ResultKind::Similarity, QT_TRANSLATE_NOOP("headscope::SlotResults", "similarity"),
          &DomainResults::similarity);
    visit(ResultKind::Gradients, QT_TRANSLATE_NOOP("headscope::SlotResults", "gradients of attention"),
          &DomainResults::gradients);
    visit(ResultKind::Dynamics, QT_TRANSLATE_NOOP("headscope::SlotResults", "heads over training"),
          &DomainResults::dynamics);
    visit(ResultKind::Energy, QT_TRANSLATE_NOOP("headscope::SlotResults", "energy of projections"),
          &DomainResults::energy);
    visit(ResultKind::Patching, QT_TRANSLATE_NOOP("headscope::SlotResults", "patching"), &DomainResults::patching);
    visit(ResultKind::Shapley, QT_TRANSLATE_NOOP("headscope::SlotResults", "Shapley values"), &DomainResults::shapley);
    visit(ResultKind::Sharing, QT_TRANSLATE_NOOP("headscope::SlotResults", "shared projections"),
          &DomainResults::sharing);
    visit(ResultKind::Gating, QT_TRANSLATE_NOOP("headscope::SlotResults", "gates of heads"), &DomainResults::gating);
    visit(ResultKind::Needed, QT_TRANSLATE_NOOP("headscope::SlotResults", "heads that an example needs"),
          &DomainResults::needed);
    visit(ResultKind::Takeover, QT_TRANSLATE_NOOP("headscope::SlotResults", "what takes over"),
          &DomainResults::takeovers);
    visit(ResultKind::Interactions, QT_TRANSLATE_NOOP("headscope::SlotResults", "interactions"),
          &DomainResults::interactions);
    visit(ResultKind::Pruning, QT_TRANSLATE_NOOP("headscope::SlotResults", "pruning"), &DomainResults::pruning);
}

/// The type of what a place holds.
template<typename T>
std::type_identity<T> heldBy(std::shared_ptr<const T> DomainResults::*);
template<typename T>
std::type_identity<T> heldBy(std::vector<std::shared_ptr<const T>> DomainResults::*);

/// The metric that a result judges by; empty where it judges nothing.
template<typename T>
std::string metricOf(const T &result)
{
    if constexpr (std::is_same_v<T, EvaluationResult>)
        return result.metrics.empty() ? std::string() : result.primary().name;
    else if constexpr (std::is_same_v<T, AblationResult> || std::is_same_v<T, SearchResult>)
        return result.baseline.name;
    else if constexpr (
        std::is_same_v<
            T,
            PruningResult> || std::is_same_v<T, DynamicsResult> || std::is_same_v<T, CollaborateResult> || std::is_same_v<T, ShapleyResult> || std::is_same_v<T, InteractionsResult>)
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
    else if constexpr (
        std::is_same_v<
            T,
            CollaborateResult> || std::is_same_v<T, NeededResult> || std::is_same_v<T, TakeoverResult> || std::is_same_v<T, InteractionsResult>)
        return result.manifest.spec;
    else
        return {};
}

} // namespace

bool isByKeyGroup(const Manifest &manifest)
{
    const std::string name(EnumNames<HeadUnit>::values[static_cast<std::size_t>(HeadUnit::KeyGroup)]);
    if (manifest.spec.find(name) == std::string::npos)
        return false;
    const nlohmann::json options = nlohmann::json::parse(manifest.spec, nullptr, false);
    return options.is_object() && options.value("by", nlohmann::json()) == name;
}

ResultKind ofGroups(ResultKind kind)
{
    switch (kind) {
    case ResultKind::Ablation:
        return ResultKind::GroupAblation;
    case ResultKind::Importance:
        return ResultKind::GroupImportance;
    case ResultKind::Confidence:
        return ResultKind::GroupConfidence;
    case ResultKind::Shapley:
        return ResultKind::GroupShapley;
    default:
        return kind;
    }
}

namespace {
/// Whatever it is of, heads or groups.
ResultKind kindOfMeasure(const AnyResult &result)
{
    return result.visit([](const auto &one) {
        using T = std::decay_t<decltype(one)>;
        // Scores with heads rescaled would pass for the usual ones.
        if constexpr (std::is_same_v<T, EvaluationResult>) {
            if (!one.metrics.empty() && one.primary().signature.ends_with(kRescaledSignature))
                return ResultKind::Other;
            return one.mask.empty() ? ResultKind::Baseline : ResultKind::Masked;
        }
        if constexpr (std::is_same_v<T, RelevanceResult>)
            return one.isOfOneExample() ? ResultKind::TokenRelevance : ResultKind::Relevance;
        if constexpr (std::is_same_v<T, AblationResult>)
            return one.rescaled   ? ResultKind::Other
                 : one.allButOne  ? (one.window > 0 ? ResultKind::Other : ResultKind::AllButOne)
                 : one.window > 0 ? ResultKind::Windowed
                                  : ResultKind::Ablation;
        if (std::is_same_v<T, AttentionResult>)
            return ResultKind::Attention;
        ResultKind found = ResultKind::Other;
        forEachKind([&](ResultKind kind, const char *, auto place) {
            if (std::is_same_v<T, typename decltype(heldBy(place))::type> && ofGroups(found) == found)
                found = kind;
        });
        return found;
    });
}
} // namespace

ResultKind resultKind(const AnyResult &result)
{
    const ResultKind kind = kindOfMeasure(result);
    const Manifest *manifest = manifestOf(result);
    return ofGroups(kind) != kind && manifest && isByKeyGroup(*manifest) ? ofGroups(kind) : kind;
}

QString resultKindName(ResultKind kind)
{
    const char *name = kind == ResultKind::Attention ? QT_TRANSLATE_NOOP("headscope::SlotResults", "attention")
                                                     : QT_TRANSLATE_NOOP("headscope::SlotResults", "another result");
    forEachKind([&](ResultKind other, const char *text, auto) {
        if (other == kind)
            name = text;
    });
    return QCoreApplication::translate("headscope::SlotResults", name);
}

QString resultName(const AnyResult &result)
{
    const ResultKind kind = resultKind(result);
    return kind == ResultKind::Other ? QString::fromStdString(kindOf(result)) : resultKindName(kind);
}

QString resultTitle(const AnyResult &result)
{
    QString name = resultName(result);
    if (resultKind(result) != ResultKind::Other) // analyses without a kind are called like their commands
        name[0] = name[0].toUpper();
    return name;
}

std::string maskedThroughout(const AnyResult &result)
{
    const Manifest *manifest = manifestOf(result);
    const ResultKind kind = resultKind(result);
    if (!manifest || kind == ResultKind::Baseline || kind == ResultKind::Masked || kind == ResultKind::Attention)
        return {};
    const nlohmann::json options = nlohmann::json::parse(manifest->spec, nullptr, false);
    const auto mask = options.is_object() ? options.find("mask") : options.end();
    return mask != options.end() && mask->is_string() ? mask->get<std::string>() : std::string();
}

SlotResults::Place SlotResults::placeOf(const AnyResult &result)
{
    const ResultKind kind = resultKind(result);
    return result.visit([&](const auto &one) {
        return Place{kind, metricOf(one), kind == ResultKind::Other ? kindOf(result) : detailOf(one),
                     maskedThroughout(result)};
    });
}

bool SlotResults::isShown(const Place &place) const
{
    if (place.kind == ResultKind::Attention)
        return false;
    const bool metric = place.metric.empty() || place.metric == m_metric;
    return metric && (place.kind != ResultKind::Masked || place.detail == m_mask);
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
             return one.finished && (place.kind != ResultKind::Masked || place.detail == m_mask);
         }))
        results.push_back(*entry->finished);
    return results;
}

bool SlotResults::hasFinished() const
{
    return std::ranges::any_of(m_entries, [](const auto &entry) { return entry.second.finished.has_value(); });
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
    std::erase_if(m_entries, [&](const auto &entry) { return kinds.testFlag(entry.first.kind); });
    return refresh();
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
        return entry.first.kind == ResultKind::Masked && entry.first.detail != m_mask;
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
    const auto isOther
        = [this](const Place &place, const Entry &) { return place.kind == ResultKind::Masked && !isShown(place); };
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
    forEachKind([&, own = resultKind(result)](ResultKind kind, const char *, auto place) {
        if (kind != own)
            return;
        using T = decltype(heldBy(place))::type;
        const auto shared = result.as<T>();
        if constexpr (requires { (shown.*place).push_back(shared); })
            (shown.*place).push_back(shared);
        else
            shown.*place = shared;
    });
}

std::vector<AnyResult> others(const std::vector<AnyResult> &all)
{
    std::vector<AnyResult> found;
    std::ranges::copy_if(all, std::back_inserter(found),
                         [](const AnyResult &result) { return resultKind(result) == ResultKind::Other; });
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
    forEachKind(
        [&](ResultKind kind, const char *, auto place) { changed.setFlag(kind, shown.*place != m_shown.*place); });
    changed.setFlag(ResultKind::Other, others(all) != others(m_all));
    const auto addMasked = [&](const std::vector<AnyResult> &these, const std::vector<AnyResult> &those) {
        for (const AnyResult &result : these) { // which have no place in what is shown of the full model
            if (!maskedThroughout(result).empty() && std::ranges::find(those, result) == those.end())
                changed.setFlag(resultKind(result));
        }
    };
    addMasked(all, m_all);
    addMasked(m_all, all);
    m_shown = std::move(shown);
    m_all = std::move(all);
    return changed;
}

} // namespace headscope

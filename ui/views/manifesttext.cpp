#include "ui/views/manifesttext.h"

#include "core/results/json.h"
#include "core/session/manifests.h"

#include <optional>

namespace headscope {

namespace {
/// The slot whose results the manifest is one of.
std::optional<Domain> slotOf(const StudyState &state, const Manifest &manifest)
{
    std::optional<Domain> found;
    for (const Domain domain : kBothDomains) {
        for (const AnyResult &result : state.shownResults(domain)) {
            const Manifest *own = manifestOf(result);
            if (!found && own && own->created == manifest.created && own->key() == manifest.key())
                found = domain;
        }
    }
    return found;
}

Json withNotes(const StudyState &state, const Manifest &manifest)
{
    Json json = toJson(manifest);
    const auto domain = slotOf(state, manifest);
    if (!domain)
        return json;
    json["command"] = commandText(state, *domain, manifest).toStdString();
    const QStringList changed = state.changedSince(*domain, manifest);
    for (const QString &name : changed)
        json["stale"].push_back(name.toStdString());
    const std::string other = otherDataHash(manifest);
    const auto &data = state.data(otherDomain(*domain));
    if (!other.empty() && (!data || data->hash != other))
        json["note"] = "The second data set that this depends on is no longer in the other slot.";
    return json;
}
} // namespace

QString commandText(const StudyState &state, Domain domain, const Manifest &manifest)
{
    const auto &data = state.data(domain);
    if (!state.model() || !data)
        return QString::fromStdString(statedCommand(manifest));
    const auto &other = state.data(otherDomain(domain));
    return QString::fromStdString(
        commandHere(manifest, *state.model(), data->origin, other ? &other->origin : nullptr));
}

std::string manifestsText(const StudyState &state, const std::vector<const Manifest *> &manifests)
{
    Json list = Json::array();
    for (const Manifest *manifest : manifests) {
        if (manifest)
            list.push_back(withNotes(state, *manifest));
    }
    if (list.empty())
        return {};
    return jsonText(list.size() == 1 ? list.front() : list) + '\n';
}

} // namespace headscope

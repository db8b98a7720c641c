// Results that were computed from files which are no longer the same.
#include "ui/state/studystate.h"

#include <QFileInfo>

#include <utility>

namespace headscope {

namespace {

QString toQt(const std::string &text)
{
    return QString::fromStdString(text);
}

/// Files without their folders.
void addTo(QStringList &names, const std::vector<std::string> &more)
{
    for (const std::string &name : more) {
        if (const QString text = QFileInfo(toQt(name)).fileName(); !names.contains(text))
            names << text;
    }
}

/// What the changed files of a model are called where only their hashes are known to differ.
QStringList modelNames(const Staleness &stale, const QStringList &changed)
{
    const QString weights = QStringLiteral("weights"); // as changedFiles() calls them
    QStringList names;
    for (const QString &name : changed) {
        if (name == weights ? stale.weights : stale.settings)
            names << (name == weights ? StudyState::tr("weights") : name);
    }
    if (stale.weights && !changed.contains(weights))
        names.prepend(StudyState::tr("weights"));
    const bool settingsNamed = names.size() > (stale.weights ? 1 : 0);
    if (stale.settings && !settingsNamed)
        names << StudyState::tr("configuration or tokenizer");
    return names;
}
} // namespace

void StudyState::setSession(std::shared_ptr<Session> session, const std::vector<std::string> &changed)
{
    m_session = std::move(session);
    m_rows = {}; // are read again with it
    m_modelOnDisk.reset();
    if (m_session)
        m_model = m_session->card();
    addTo(m_changedModel, changed);
    Q_EMIT modelChanged();
    if (changed.empty())
        return;
    setAttention(nullptr); // of the old model
    setSpeed(nullptr);
}

void StudyState::setModelOnDisk(const ModelCard &card, const std::vector<std::string> &changed)
{
    m_modelOnDisk = card;
    addTo(m_changedModel, changed);
    refreshStale();
}

void StudyState::setChangedData(Domain domain, const DataCard &card, std::shared_ptr<const DataRows> rows,
                                const std::vector<std::string> &changed)
{
    m_data[slot(domain)] = card;
    m_rows[slot(domain)] = std::move(rows);
    addTo(m_changedData[slot(domain)], changed);
    Q_EMIT dataChanged(domain);
    refreshMetric(domain);
    if (m_sentenceDomain == domain && m_sentenceIndex >= card.rows)
        setSentence(domain, card.rows > 0 ? 0 : -1);
}

QStringList StudyState::changedSince(Domain domain, const Manifest &result) const
{
    if (!m_model)
        return {};
    const auto &data = m_data[slot(domain)];
    const Staleness stale
        = staleness(result, m_modelOnDisk ? *m_modelOnDisk : *m_model, data ? &*data : nullptr, m_fileHashes);
    QStringList names = modelNames(stale, m_changedModel);
    if (stale.data || stale.trees) {
        names << m_changedData[slot(domain)];
        if (m_changedData[slot(domain)].isEmpty())
            addTo(names, {result.dataFile.empty() ? result.data : result.dataFile});
    }
    addTo(names, stale.files);
    if (stale.program)
        names << tr("Headscope, whose earlier versions computed these numbers wrongly");
    return names;
}

SlotResults::IsStale StudyState::staleIn(Domain domain) const
{
    return [this, domain](const Manifest &result) { return isStale(domain, result); };
}

std::vector<AnyResult> StudyState::takeStaleResults(Domain domain)
{
    std::vector<AnyResult> taken;
    announce(domain, m_results[slot(domain)].takeStale(staleIn(domain), &taken));
    return taken;
}

void StudyState::addFileHashes(const FileHashes &hashes)
{
    for (const auto &[file, hash] : hashes)
        m_fileHashes[file] = hash;
    if (!hashes.empty())
        refreshStale();
}

void StudyState::refreshStale()
{
    std::vector<StaleResult> stale;
    for (const Domain domain : kBothDomains) {
        for (const AnyResult &result : shownResults(domain)) {
            const Manifest *manifest = manifestOf(result);
            if (const QStringList changed = manifest ? changedSince(domain, *manifest) : QStringList();
                !changed.isEmpty())
                stale.push_back({domain, resultName(result), changed});
        }
    }
    if (stale.empty()) { // what changes from now on, changes for other results
        m_changedModel.clear();
        m_changedData = {};
    }
    if (stale == m_stale)
        return;
    m_stale = std::move(stale);
    Q_EMIT staleChanged();
}

QString staleText(const StudyState &state, Domain domain, const Manifest &result)
{
    const QStringList changed = state.changedSince(domain, result);
    return changed.isEmpty()
             ? QString()
             : StudyState::tr("Outdated. Changed since it was computed: %1.").arg(changed.join(QStringLiteral(", ")));
}

QString staleText(const StudyState &state, const Manifest &in, const Manifest &out)
{
    const QStringList changedIn = state.changedSince(Domain::In, in);
    const QStringList changedOut = state.changedSince(Domain::Out, out);
    if (changedIn.isEmpty() && changedOut.isEmpty())
        return {};
    if (!changedIn.isEmpty() && !changedOut.isEmpty()) {
        QStringList both = changedIn + changedOut;
        both.removeDuplicates();
        return StudyState::tr("Outdated. Changed since they were computed: %1.").arg(both.join(QStringLiteral(", ")));
    }
    const bool inIsStale = !changedIn.isEmpty();
    return StudyState::
        tr("Only the %1 values are outdated: do not compare them with the others. Changed since they were computed: %2.")
            .arg(domainName(inIsStale ? Domain::In : Domain::Out),
                 (inIsStale ? changedIn : changedOut).join(QStringLiteral(", ")));
}

} // namespace headscope

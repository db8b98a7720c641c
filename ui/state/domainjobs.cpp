#include "ui/state/domainjobs.h"

#include "core/analysis/pruningspec.h"
#include "ui/language/corewords.h"
#include "ui/state/resultkinds.h"

#include <QCoreApplication>

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <variant>

namespace headscope {

namespace {
/// "Ablation"; analyses without a kind are called like their commands.
QString nameOf(const WorkKey &key)
{
    if (key.kind.kind == ResultKind::Other)
        return QString::fromStdString(key.detail);
    QString name = resultKindName(key.kind);
    name[0] = name[0].toUpper();
    return name;
}

/// Titles of analyses that no page shows, where the name of the command is none.
constexpr std::pair<const char *, const char *> kTitles[] = {
    {"mcnemar", QT_TRANSLATE_NOOP("headscope::StudyController", "McNemar's test")},
    {"find", QT_TRANSLATE_NOOP("headscope::StudyController", "Places in texts")},
    {"probe", QT_TRANSLATE_NOOP("headscope::StudyController", "Probes")},
};

QString titleFor(QString name, const WorkKey &key)
{
    if (infoOf(key.kind.kind).apart == Apart::Order && !key.detail.empty())
        name += QStringLiteral(": ") + fromCore(key.detail);
    if (key.mask.empty())
        return name;
    const auto heads = parseHeadMask(key.mask);
    return QCoreApplication::translate("headscope::StudyController", "%1, without %2")
        .arg(name, heads.isOk() && heads.value().size() > 1 ? headsText(heads.value().size())
                                                            : QString::fromStdString(key.mask));
}
} // namespace

QString analysisTitle(const AnySpec &spec)
{
    const WorkKey key = keyOf(Domain::In, spec);
    if (key.kind.kind != ResultKind::Other)
        return nameOf(key);
    const auto named = std::ranges::find(kTitles, key.detail, &std::pair<const char *, const char *>::first);
    return named == std::end(kTitles) ? optionTitle(key.detail)
                                      : QCoreApplication::translate("headscope::StudyController", named->second);
}

QString titleOf(const AnyResult &result)
{
    return titleFor(resultTitle(result), keyOf(Domain::In, result));
}

QString titleOf(const AnySpec &spec)
{
    const WorkKey key = keyOf(Domain::In, spec);
    return titleFor(nameOf(key), key);
}

JobSpec jobOf(const AnySpec &spec, Domain domain, bool urgent, bool keepsSweeps)
{
    const WorkKey key = keyOf(domain, spec);
    const AnalysisTraits analysis = traitsOf(spec);
    const JobLane lane = key.kind.kind == ResultKind::Masked ? JobLane::Interactive
                       : analysis.runsManyMasks()            ? JobLane::Sweep
                                                             : JobLane::Batch;
    JobSpec job{{}, tagOf(key), lane, urgent};
    job.keepsItsWork = keepsSweeps && analysis.info->keepsWork;
    QString name = nameOf(key);
    if (const auto pruning = spec.as<PruningSpec>())
        name = QCoreApplication::translate("headscope::StudyController", "Pruning by %1").arg(fromCore(pruning->order));
    job.name = name;
    if (analysis.needsData())
        job.name = QCoreApplication::translate("headscope::StudyController", "%1, %2").arg(name, domainName(domain));
    return job;
}

} // namespace headscope

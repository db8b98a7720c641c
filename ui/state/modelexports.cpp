#include "ui/state/modelexports.h"

#include "core/analysis/collaboratespec.h"
#include "core/analysis/speedspec.h"
#include "core/results/speedresult.h"

#include <memory>

namespace headscope {

ModelExports::ModelExports(StudyContext &context, WorkList &works, QObject *parent)
    : QObject(parent), m_context(context), m_works(works)
{
}

void ModelExports::exportPruned(ExportForm form, std::optional<Domain> compensation, const QString &folder)
{
    const auto session = m_context.state.session();
    if (!session)
        return;
    const JobSpec job{tr("Write pruned model"), QLatin1String(kExportTag), JobLane::Batch, true};
    m_works.setJobError(job.tag, {});
    const ExportSpec spec{m_context.state.mask(), form, compensation};
    m_context.queue.start<PrunedCard>(
        job,
        [session, spec, folder = folder.toStdString()](const JobControl &control) {
            return session->exportPruned(spec, folder, control);
        },
        this,
        [this](const Result<PrunedCard> &result) {
            if (result.isError())
                m_works.setJobError(QLatin1String(kExportTag), QString::fromStdString(result.error().message));
        });
    Q_EMIT exportStarted(folder, form);
}

void ModelExports::exportShared(const CollaborateSpec &spec, const QString &folder)
{
    const auto session = m_context.state.session();
    if (!session)
        return;
    const JobSpec job{tr("Write shared model"), QLatin1String(kSharedExportTag), JobLane::Batch, true};
    m_works.setJobError(job.tag, {});
    m_context.queue.start<Done>(
        job,
        [session, spec, path = folder.toStdString()](const JobControl &control) {
            return session->exportShared(spec, path, control);
        },
        this,
        [this, folder](const Result<Done> &result) {
            if (result.isOk())
                Q_EMIT sharedExported(folder);
            else if (result.isError())
                m_works.setJobError(QLatin1String(kSharedExportTag), QString::fromStdString(result.error().message));
        });
}

void ModelExports::startSpeed(Domain domain, SpeedSpec spec)
{
    if (!m_context.isReady(domain))
        return;
    spec.run = m_context.run;
    spec.mask = m_context.state.mask();
    const JobSpec job{tr("Speed, %1").arg(domainName(domain)), QLatin1String(kSpeedTag), JobLane::Batch, true};
    m_works.setJobError(job.tag, {});
    m_context.queue.start<SpeedResult>(
        job,
        [session = m_context.state.session(), domain, spec](const JobControl &control, const auto &publish) {
            return session->run<SpeedSpec>(domain, spec, control, publish);
        },
        this,
        [this](const Result<SpeedResult> &result) {
            if (result.isOk())
                m_context.state.setSpeed(std::make_shared<const SpeedResult>(result.value()));
            if (result.isError())
                m_works.setJobError(QLatin1String(kSpeedTag),
                                    tr("Speed: %1").arg(QString::fromStdString(result.error().message)));
        },
        [this](const std::shared_ptr<const SpeedResult> &partial) { m_context.state.setSpeed(partial); });
}

} // namespace headscope

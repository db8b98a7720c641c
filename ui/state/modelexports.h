#pragma once

#include "core/analysis/anyspec.h"
#include "core/model/prunedcard.h"
#include "ui/state/studycontext.h"
#include "ui/state/worklist.h"

#include <QObject>

#include <optional>

namespace headscope {

/// Models that are written with fewer heads or shared projections, and how fast they are. Lives on the GUI thread.
class ModelExports final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ModelExports)
public:
    static constexpr char kExportTag[] = "export-pruned";
    static constexpr char kSharedExportTag[] = "export-shared";
    static constexpr char kSpeedTag[] = "speed";

    ModelExports(StudyContext &context, WorkList &works, QObject *parent = nullptr);

    /// Writes the model without the masked heads, as a job with the tag kExportTag.
    void exportPruned(ExportForm form, std::optional<Domain> compensation, const QString &folder);
    /// Writes the model with the projections that `spec` shares, the first of its widths, as a job with the tag
    /// kSharedExportTag; then sharedExported() is emitted.
    void exportShared(const CollaborateSpec &spec, const QString &folder);
    /// Measures speed with and without the masked heads into state.speed(), as a job with the tag kSpeedTag.
    void startSpeed(Domain domain, SpeedSpec spec);

Q_SIGNALS:
    /// The model is being written there without its masked heads.
    void exportStarted(const QString &folder, headscope::ExportForm form);
    /// The model with shared projections was written there.
    void sharedExported(const QString &folder);

private:
    StudyContext &m_context;
    WorkList &m_works;
};

} // namespace headscope

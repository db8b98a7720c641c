#include "ui/state/domainjobs.h"

#include "ui/language/corewords.h"

#include <QCoreApplication>

#include <type_traits>
#include <variant>

namespace headscope {

namespace {
/// The kind of what comes out of a spec.
ResultKind kindOf(const AnySpec &any)
{
    return std::visit(
        [](const auto &spec) {
            ResultOf<std::decay_t<decltype(spec)>> result;
            if constexpr (requires { result.mask = spec.mask; })
                result.mask = spec.mask;
            if constexpr (requires { result.allButOne = spec.allButOne; })
                result.allButOne = spec.allButOne;
            return resultKind(result);
        },
        any);
}
} // namespace

JobSpec jobOf(const AnySpec &spec, Domain domain, bool urgent)
{
    const ResultKind kind = kindOf(spec);
    const auto commandOf = [](const auto &one) { return AnalysisOf<std::decay_t<decltype(one)>>::kInfo.name; };
    QString name = kind == ResultKind::Other ? QString::fromLatin1(std::visit(commandOf, spec)) : resultKindName(kind);
    const QString tag = tagsOf(domain) + name;
    if (kind != ResultKind::Other)
        name[0] = name[0].toUpper();
    JobSpec job{{}, tag, kind == ResultKind::Masked ? JobLane::Interactive : JobLane::Batch, urgent};
    if (const auto *pruning = std::get_if<PruningSpec>(&spec)) {
        name = QCoreApplication::translate("headscope::StudyController", "Pruning by %1").arg(fromCore(pruning->order));
        job.tag += u' ' + QString::fromStdString(pruning->order);
    }
    job.name = QCoreApplication::translate("headscope::StudyController", "%1, %2").arg(name, domainName(domain));
    return job;
}

} // namespace headscope

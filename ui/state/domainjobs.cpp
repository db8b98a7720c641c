#include "ui/state/domainjobs.h"

#include "ui/language/corewords.h"

#include <QCoreApplication>

#include <string>
#include <type_traits>
#include <variant>

namespace headscope {

namespace {
/// Whether it scores the model under many masks, which takes minutes to hours.
bool isSweep(const AnySpec &any)
{
    return std::visit(
        [](const auto &spec) {
            using Spec = std::decay_t<decltype(spec)>;
            return std::is_base_of_v<
                       AblationSpec,
                       Spec> || std::is_same_v<Spec, PruningSpec> || std::is_same_v<Spec, SearchSpec> || std::is_same_v<Spec, DynamicsSpec>;
        },
        any);
}

/// What tells curves apart; empty where there is one result of a kind.
std::string orderOf(const AnyResult &result)
{
    const auto curves = result.as<PruningResult>();
    return curves && !curves->curves.empty() ? curves->curves.front().order : std::string();
}

std::string orderOf(const AnySpec &spec)
{
    const auto *pruning = std::get_if<PruningSpec>(&spec);
    return pruning ? pruning->order : std::string();
}

/// Heads that are masked all the while; a score's mask is what it is about.
std::string maskOf(const AnySpec &any)
{
    return std::visit(
        [](const auto &spec) -> std::string {
            using Spec = std::decay_t<decltype(spec)>;
            if constexpr (!std::is_same_v<Spec, EvaluationSpec> && requires { toText(spec.mask); })
                return spec.mask.empty() ? std::string() : toText(spec.mask);
            return {};
        },
        any);
}

QString commandOf(const AnySpec &any)
{
    return QString::fromLatin1(
        std::visit([](const auto &one) { return AnalysisOf<std::decay_t<decltype(one)>>::kInfo.name; }, any));
}

QString tagFor(Domain domain, const QString &name, const std::string &order, const std::string &mask)
{
    QString tag = tagsOf(domain) + name;
    for (const std::string &part : {order, mask})
        tag += part.empty() ? QString() : u' ' + QString::fromStdString(part);
    return tag;
}

QString titleFor(QString name, bool isOther, const std::string &order, const std::string &mask)
{
    if (!isOther) // analyses without a kind are called like their commands
        name[0] = name[0].toUpper();
    if (!order.empty())
        name += QStringLiteral(": ") + fromCore(order);
    if (mask.empty())
        return name;
    const auto heads = parseHeadMask(mask);
    return QCoreApplication::translate("headscope::StudyController", "%1, without %2")
        .arg(name,
             heads.isOk() && heads.value().size() > 1 ? headsText(heads.value().size()) : QString::fromStdString(mask));
}
} // namespace

ResultKind kindOf(const AnySpec &any)
{
    return std::visit(
        [](const auto &spec) {
            ResultOf<std::decay_t<decltype(spec)>> result;
            if constexpr (std::is_same_v<std::decay_t<decltype(spec)>, RelevanceSpec>) {
                if (spec.example)
                    return ResultKind::TokenRelevance;
            }
            if constexpr (std::is_same_v<std::decay_t<decltype(spec)>, EvaluationSpec>) {
                if (spec.rescale)
                    return ResultKind::Other;
            }
            if constexpr (std::is_same_v<std::decay_t<decltype(spec)>, AblationSpec>) {
                if (spec.replacement == Replacement::Window)
                    result.window = windowOf(spec).neighbours;
            }
            if constexpr (requires { result.rescaled = spec.rescale; })
                result.rescaled = spec.rescale;
            if constexpr (requires { result.mask = spec.mask; })
                result.mask = spec.mask;
            if constexpr (requires { result.allButOne = spec.allButOne; })
                result.allButOne = spec.allButOne;
            const ResultKind kind = resultKind(AnyResult(std::move(result)));
            if constexpr (requires { spec.by; })
                return spec.by == HeadUnit::KeyGroup ? ofGroups(kind) : kind;
            else
                return kind;
        },
        any);
}

QString tagOf(const AnyResult &result, Domain domain)
{
    const Manifest *manifest = manifestOf(result);
    const ResultKind kind = resultKind(result);
    const bool isOther = kind == ResultKind::Other;
    return tagFor(domain, isOther && manifest ? QString::fromStdString(manifest->analysis) : resultKindName(kind),
                  orderOf(result), maskedThroughout(result));
}

QString titleOf(const AnyResult &result)
{
    return titleFor(resultName(result), resultKind(result) == ResultKind::Other, orderOf(result),
                    maskedThroughout(result));
}

QString titleOf(const AnySpec &spec)
{
    const ResultKind kind = kindOf(spec);
    const bool isOther = kind == ResultKind::Other;
    return titleFor(isOther ? commandOf(spec) : resultKindName(kind), isOther, orderOf(spec), maskOf(spec));
}

bool isOfWholeModel(const AnySpec &spec)
{
    return maskOf(spec).empty();
}

JobSpec jobOf(const AnySpec &spec, Domain domain, bool urgent, bool keepsSweeps)
{
    const ResultKind kind = kindOf(spec);
    QString name = kind == ResultKind::Other ? commandOf(spec) : resultKindName(kind);
    const JobLane lane = kind == ResultKind::Masked ? JobLane::Interactive
                       : isSweep(spec)              ? JobLane::Sweep
                                                    : JobLane::Batch;
    JobSpec job{{}, tagFor(domain, name, orderOf(spec), maskOf(spec)), lane, urgent};
    job.keepsItsWork
        = keepsSweeps
       && std::visit([](const auto &one) { return AnalysisOf<std::decay_t<decltype(one)>>::kInfo.keepsWork; }, spec);
    if (kind != ResultKind::Other)
        name[0] = name[0].toUpper();
    if (const auto *pruning = std::get_if<PruningSpec>(&spec))
        name = QCoreApplication::translate("headscope::StudyController", "Pruning by %1").arg(fromCore(pruning->order));
    job.name = QCoreApplication::translate("headscope::StudyController", "%1, %2").arg(name, domainName(domain));
    return job;
}

} // namespace headscope

#include "ui/state/workkey.h"

#include "core/analysis/analyses.h"
#include "core/analysis/evaluationspec.h"
#include "core/analysis/pruningspec.h"
#include "core/base/headref.h"
#include "core/results/pruningresult.h"
#include "ui/state/resultkinds.h"

#include <type_traits>
#include <utility>

namespace headscope {

namespace {
std::string maskOf(const AnySpec &any)
{
    return any.visit([](const auto &spec) -> std::string {
        using Spec = std::decay_t<decltype(spec)>;
        if constexpr (!std::is_same_v<Spec, EvaluationSpec> && requires { toText(spec.mask); })
            return spec.mask.empty() ? std::string() : toText(spec.mask);
        return {};
    });
}

std::string orderOf(const PruningResult &result)
{
    return result.curves.empty() ? std::string() : result.curves.front().order;
}
} // namespace

WorkKey keyOf(Domain domain, const AnySpec &spec)
{
    WorkKey key{domain, kindOf(spec), {}, maskOf(spec)};
    if (const auto pruning = spec.as<PruningSpec>())
        key.detail = pruning->order;
    else if (key.kind.kind == ResultKind::Other)
        key.detail = traitsOf(spec).info->name;
    return key;
}

WorkKey keyOf(Domain domain, const AnyResult &result)
{
    WorkKey key{domain, resultKind(result), {}, maskedThroughout(result)};
    const Manifest *manifest = manifestOf(result);
    if (const auto pruning = result.as<PruningResult>())
        key.detail = orderOf(*pruning);
    else if (key.kind.kind == ResultKind::Other && manifest)
        key.detail = manifest->analysis;
    return key;
}

QString tagsOf(Domain domain)
{
    return domain == Domain::In ? QStringLiteral("in-domain ") : QStringLiteral("out-of-domain ");
}

QString dataTag(Domain domain)
{
    return tagsOf(domain) + QStringLiteral("data");
}

QString tagOf(const WorkKey &key)
{
    QString tag = isOfModel(key.kind.kind) ? QStringLiteral("model ") : tagsOf(key.domain);
    tag += QLatin1String(infoOf(key.kind.kind).id);
    const std::string unit = key.kind.unit == HeadUnit::Head ? std::string() : std::string(toText(key.kind.unit));
    for (const std::string &part : {unit, key.detail, key.mask})
        tag += part.empty() ? QString() : u' ' + QString::fromStdString(part);
    return tag;
}

} // namespace headscope

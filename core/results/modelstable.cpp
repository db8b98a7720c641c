#include "core/results/modelstable.h"

#include "core/results/compare.h"
#include "core/results/removableheads.h"
#include "core/results/roles.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <variant>

namespace headscope {

namespace {

constexpr double kAllowedLoss = 0.01; ///< of the score: heads_for_99_percent

void takeScore(ModelsRow &row, const std::string &metric, double score)
{
    row.metric = metric;
    row.score = score;
}

void take(ModelsRow &row, const EvaluationResult &result)
{
    takeScore(row, result.primary().name, result.primary().value);
}

void take(ModelsRow &row, const AblationResult &result)
{
    takeScore(row, result.baseline.name, result.baseline.value);
}

/// One curve over all candidates; curves for each kind are no answer.
void take(ModelsRow &row, const PruningResult &result)
{
    if (result.curves.size() != 1 || result.curves.front().points.empty())
        return;
    const PruningCurve &curve = result.curves.front();
    takeScore(row, result.metric, curve.points.front().score);
    row.heads = curve.candidates;
    const auto needed = headsNeeded(result, curve, kAllowedLoss);
    if (!needed || (row.needed && *row.needed <= *needed))
        return;
    row.needed = needed;
    row.order = curve.order;
}

void take(ModelsRow &row, const RolesResult &result)
{
    row.roles.clear();
    for (const HeadRoles &head : assignRoles(result)) {
        if (const RoleLabel *label = head.first())
            ++row.roles[std::string(roleName(label->role))];
    }
}

template<typename Other>
void take(ModelsRow &, const Other &)
{
}

bool isCompared(const AnyResult &result)
{
    return result.is<AblationResult>() || result.is<ImportanceResult>();
}

bool isAllButOne(const AnyResult &result)
{
    const auto ablation = result.as<AblationResult>();
    return ablation && ablation->allButOne;
}

template<typename T>
std::string cell(const std::optional<T> &value)
{
    return value ? fmt::format("{}", *value) : std::string();
}

} // namespace

std::string rolesText(const std::map<std::string, std::int64_t> &roles)
{
    std::string text;
    for (const auto &[role, heads] : roles)
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", role, heads);
    return text;
}

std::optional<std::int64_t> headsNeeded(const PruningResult &result, const PruningCurve &curve, double margin)
{
    const auto within = removableHeads(lossesOf(result, curve), {.margin = margin}).withinMargin;
    return within ? std::optional(curve.candidates - *within) : std::nullopt;
}

void ModelsTable::add(const std::string &model, const std::string &data, std::size_t analysis, bool isDone,
                      const AnyResult *result)
{
    ModelsRow &row = rowOf(model, data);
    ++row.planned;
    row.done += isDone ? 1 : 0;
    if (result == nullptr)
        return;
    result->visit([&](const auto &one) { take(row, one); });
    if (!isCompared(*result))
        return;
    const auto [first, isFirst] = m_first.try_emplace({model, analysis}, data, *result);
    // Ablation says it better than importance. The sweep that keeps single heads says something else.
    if (isFirst || (row.r && result->is<ImportanceResult>()))
        return;
    const auto compared = compareResults(first->second.second, *result);
    if (compared.isOk() && std::isfinite(compared.value().pearson.value)) {
        (isAllButOne(*result) ? row.rAllButOne : row.r) = compared.value().pearson.value;
        row.rWith = first->second.first;
    }
}

ModelsRow &ModelsTable::rowOf(const std::string &model, const std::string &data)
{
    const auto found
        = std::ranges::find_if(m_rows, [&](const ModelsRow &row) { return row.model == model && row.data == data; });
    if (found != m_rows.end())
        return *found;
    return m_rows.emplace_back(ModelsRow{.model = model, .data = data});
}

std::string ModelsTable::tsv() const
{
    std::string text
        = "model\tdata\tmetric\tscore\theads\theads_for_99_percent\torder\tr\tr_with\tr_all_but_one\troles\tdone\tplanned\n";
    for (const ModelsRow &row : m_rows)
        text += fmt::format("{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\n", row.model, row.data, row.metric,
                            cell(row.score), cell(row.heads), cell(row.needed), row.order, cell(row.r), row.rWith,
                            cell(row.rAllButOne), rolesText(row.roles), row.done, row.planned);
    return text;
}

Json ModelsTable::json() const
{
    Json rows = Json::array();
    for (const ModelsRow &row : m_rows) {
        Json one{{"model", row.model}, {"data", row.data}};
        if (row.score)
            one.update({{"metric", row.metric}, {"score", *row.score}});
        if (row.heads)
            one["heads"] = *row.heads;
        if (row.needed)
            one.update({{"heads_for_99_percent", *row.needed}, {"order", row.order}});
        if (row.r)
            one.update({{"r", *row.r}, {"r_with", row.rWith}});
        if (row.rAllButOne)
            one.update({{"r_with", row.rWith}, {"r_all_but_one", *row.rAllButOne}});
        if (!row.roles.empty())
            one["roles"] = row.roles;
        one["done"] = row.done;
        one["planned"] = row.planned;
        rows.push_back(std::move(one));
    }
    return {{"result", "batch"}, {"rows", std::move(rows)}};
}

} // namespace headscope

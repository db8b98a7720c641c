#include "core/results/headorder.h"

#include "core/base/random.h"
#include "core/formats/jsonfile.h"
#include "core/formats/textlines.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <iterator>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

namespace headscope {

PruningOrder orderByValue(const HeadValues &values)
{
    PruningOrder order;
    for (const auto &[head, value] : values)
        order.push_back(head);
    std::ranges::stable_sort(order, {}, [&](const HeadRef &head) { return values.at(head); });
    return order;
}

PruningOrder restrictOrder(const PruningOrder &order, const std::vector<HeadKind> &kinds, std::int64_t atLeastPerLayer)
{
    PruningOrder kept;
    std::map<std::pair<HeadKind, int>, std::int64_t> lastOfLayer;
    // From the end: the last heads of a layer are the ones its order values most.
    for (auto head = order.rbegin(); head != order.rend(); ++head) {
        if (!kinds.empty() && std::ranges::find(kinds, head->kind) == kinds.end())
            continue;
        if (lastOfLayer[{head->kind, head->layer}]++ >= atLeastPerLayer)
            kept.push_back(*head);
    }
    std::ranges::reverse(kept);
    return kept;
}

std::vector<std::int64_t> pruningSchedule(std::int64_t candidates, std::int64_t step, StepRounding rounding)
{
    std::vector<std::int64_t> counts{0};
    if (step > 0) {
        for (std::int64_t count = step; count < candidates; count += step)
            counts.push_back(count);
        counts.push_back(candidates);
    } else {
        for (std::int64_t tenth = 1; tenth <= 10; ++tenth)
            counts.push_back((candidates * tenth + (rounding == StepRounding::Up ? 9 : 0)) / 10);
    }
    counts.erase(std::ranges::unique(counts).begin(), counts.end());
    return counts;
}

namespace {

template<typename Head, typename ValueOf>
HeadValues valuesOf(const std::vector<Head> &heads, const ValueOf &valueOf)
{
    HeadValues values;
    for (const Head &head : heads)
        values[head.head] = valueOf(head);
    return values;
}

} // namespace

HeadValues worthOf(const AblationResult &result)
{
    return valuesOf(result.heads, [&](const HeadAblation &head) { return -gain(result.baseline.better, head.delta); });
}

HeadValues worthOf(const ImportanceResult &result)
{
    return valuesOf(result.heads, [](const HeadImportance &head) { return head.importance; });
}

HeadValues worthOf(const ShapleyResult &result)
{
    return valuesOf(result.heads, [&](const HeadShapley &head) { return gain(result.better, head.value); });
}

HeadValues worthOf(const RelevanceResult &result)
{
    return valuesOf(result.heads, [](const HeadRelevance &head) { return head.relevance; });
}

HeadValues worthOf(const GatingResult &result)
{
    return valuesOf(result.heads, [](const HeadGating &head) { return head.net(); });
}

namespace {

/// The better direction of the metric in the JSON of an ablation or of Shapley values.
Better betterOf(const nlohmann::json &json)
{
    const nlohmann::json::json_pointer place(json.contains("baseline") ? "/baseline/better" : "/better");
    const bool said = json.contains(place) && json.at(place).is_string();
    const auto better = parseName<Better>(said ? json.at(place).get<std::string>() : std::string());
    return better.isOk() ? better.value() : Better::Higher;
}

/// The worth of a head by its entry; none: it does not say.
std::optional<double> worthIn(const nlohmann::json &entry, Better better)
{
    const auto number = [&](const char *key) {
        const bool is = entry.contains(key) && entry[key].is_number();
        return is ? std::optional(entry[key].get<double>()) : std::nullopt;
    };
    // A small importance, a delta that is no loss and a value that adds nothing to the score all mean: remove early.
    if (const auto importance = number("importance"))
        return importance;
    if (const auto added = number("shapley"))
        return gain(better, *added);
    if (const auto share = number("relevance"))
        return share;
    if (const auto helps = number("facilitates"), disturbs = number("interferes"); helps && disturbs)
        return *helps - *disturbs;
    if (const auto delta = number("delta"))
        return -gain(better, *delta);
    return std::nullopt;
}

Result<PruningOrder> orderFromJson(const std::string &file, const nlohmann::json &json)
{
    std::map<HeadRef, double> values;
    const Better better = betterOf(json);
    const auto heads = json.is_object() ? json.find("heads") : json.end();
    if (!json.is_object() || heads == json.end() || !heads->is_array())
        return badInput(
            file
            + ": expected the JSON of `ablate`, `importance`, `shapley`, `relevance` or `gating` with a list \"heads\".");
    const nlohmann::json::json_pointer inManifest("/manifest/partial");
    if (json.value("partial", false) || json.value(inManifest, false))
        return badInput(file
                        + ": this result is partial, its analysis was cancelled. An order needs all examples: run it "
                          "to the end.");
    for (const auto &entry : *heads) {
        const bool named = entry.is_object() && entry.contains("head") && entry["head"].is_string();
        const std::optional<double> value = named ? worthIn(entry, better) : std::nullopt;
        if (!value)
            return badInput(
                file + ": an entry of \"heads\" has no head with importance, delta, shapley, relevance or gates: "
                + entry.dump());
        const auto head = parseHeadRef(entry["head"].get<std::string>());
        if (!head.isOk())
            return badInput(file + ": " + head.error().message);
        values[head.value()] = *value;
    }
    return orderByValue(values);
}

} // namespace

Result<PruningOrder> readPruningOrder(const std::string &file, const HeadLayout &layout)
{
    PruningOrder order;
    if (file.ends_with(".json")) {
        auto json = readJsonFile(file);
        if (!json.isOk())
            return json.error();
        auto fromJson = orderFromJson(file, json.value());
        if (!fromJson.isOk())
            return fromJson.error();
        order = std::move(fromJson).value();
    } else {
        auto lines = readLines(file);
        if (!lines.isOk())
            return lines.error();
        for (std::size_t i = 0; i < lines.value().size(); ++i) {
            std::string line = lines.value()[i].substr(0, lines.value()[i].find('#'));
            while (!line.empty() && std::isspace(static_cast<unsigned char>(line.back())))
                line.pop_back();
            if (line.empty())
                continue;
            const auto head = parseHeadRef(line);
            if (!head.isOk())
                return badInput(file + ", line " + std::to_string(i + 1) + ": " + head.error().message);
            order.push_back(head.value());
        }
    }
    std::set<HeadRef> seen;
    for (const HeadRef &head : order) {
        if (!layout.contains(head))
            return badInput(file + ": the model has no head " + toText(head) + ".");
        if (!seen.insert(head).second)
            return badInput(file + ": head " + toText(head) + " is listed twice.");
    }
    if (order.empty())
        return badInput(file + ": no heads in it. Expected one head a line, such as encoder.2.6.");
    return order;
}

std::vector<PruningOrder> randomOrders(const HeadLayout &layout, std::int64_t count, std::uint64_t seed)
{
    std::vector<PruningOrder> orders;
    Random random(seed);
    for (std::int64_t i = 0; i < count; ++i) {
        PruningOrder order = layout.heads();
        shuffle(order, random);
        orders.push_back(std::move(order));
    }
    return orders;
}

} // namespace headscope

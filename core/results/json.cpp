#include "core/results/json.h"

#include "core/formats/jsonfile.h"
#include "core/results/jsonread.h"

#include <algorithm>
#include <limits>

namespace headscope {

namespace {

using nlohmann::json;
using jsonread::integer;
using jsonread::number;

template<typename Read>
auto readList(const json &list, Read read) -> std::vector<decltype(read(list))>
{
    if (!list.is_array())
        throw Failure(badInput(std::string("expected a list, found ") + list.type_name()));
    std::vector<decltype(read(list))> items;
    items.reserve(list.size());
    for (const json &item : list)
        items.push_back(read(item));
    return items;
}

Json toJson(const HeadAblation &head)
{
    Json object = {{"head", toText(head.head)},         {"score", head.score},
                   {"delta", head.delta},               {"ci_low", head.interval.low},
                   {"ci_high", head.interval.high},     {"p", head.p},
                   {"p_adjusted", head.pAdjusted},      {"changed", head.changed},
                   {"examples", head.examples}};
    if (head.mcnemar)
        object["p_mcnemar"] = *head.mcnemar;
    return object;
}

Json toJson(const ProductProof &proof)
{
    Json tiers = Json::array();
    for (const ProductProof::Tier &tier : proof.tiers)
        tiers.push_back({{"products", tier.products},
                         {"largest_error", tier.error},
                         {"allowed_error", tier.allowed},
                         {"repeated", tier.passedOn}});
    return {{"runs", proof.runs}, {"tiers", tiers}};
}

Json toJson(const MaskComparison &comparison)
{
    Json object = {{"mask", toText(comparison.mask)},           {"score", comparison.score},
                   {"delta", comparison.delta},                 {"ci_low", comparison.interval.low},
                   {"ci_high", comparison.interval.high},       {"p", comparison.p},
                   {"changed", comparison.changed}};
    if (comparison.mcnemar)
        object["p_mcnemar"] = *comparison.mcnemar;
    return object;
}

Json toJson(const HeadImportance &head)
{
    return {{"head", toText(head.head)}, {"importance", head.importance}, {"stderr", head.standardError}};
}

Json toJson(const HeadConfidence &head)
{
    return {{"head", toText(head.head)}, {"confidence", head.confidence}, {"tokens", head.tokens}};
}

Json toJson(const HeadDifference &head)
{
    return {{"head", toText(head.head)}, {"a", head.a}, {"b", head.b}, {"difference", head.difference}};
}

Json toJson(const Correlation &correlation)
{
    return {{"value", correlation.value},
            {"p", correlation.p},
            {"ci_low", correlation.interval.low},
            {"ci_high", correlation.interval.high}};
}

Json toJson(const TokenLabel &token)
{
    return {{"text", token.text}, {"id", token.id}, {"special", token.special}, {"word", token.word},
            {"segment", token.segment}};
}

Json toJson(const PruningPoint &point)
{
    return {{"pruned", point.pruned},         {"fraction", point.fraction},
            {"score", point.score},           {"ci_low", point.interval.low},
            {"ci_high", point.interval.high}, {"mask", toText(point.mask)}};
}

Json toJson(const AttentionMap &map)
{
    Json rows = Json::array();
    for (std::int64_t query = 0; query < map.queries; ++query) {
        const auto row = map.weights.begin() + query * map.keys;
        rows.push_back(Json(std::vector<float>(row, row + map.keys)));
    }
    return {{"head", toText(map.head)},
            {"queries", map.queries},
            {"keys", map.keys},
            {"masked", map.masked},
            {"weights", std::move(rows)}};
}

template<typename T>
Json listJson(const std::vector<T> &items)
{
    Json list = Json::array();
    for (const T &item : items)
        list.push_back(toJson(item));
    return list;
}

Json curvesJson(const std::vector<PruningCurve> &curves)
{
    Json list = Json::array();
    for (const PruningCurve &curve : curves)
        list.push_back({{"order", curve.order},
                        {"random_orders", curve.randomOrders},
                        {"products", toJson(curve.products)},
                        {"points", listJson(curve.points)}});
    return list;
}

std::optional<double> optionalNumber(const json &object, const char *key)
{
    return object.contains(key) ? std::optional(number(object, key)) : std::nullopt;
}

/// Older files have none.
ProductProof productsFrom(const json &object)
{
    ProductProof proof;
    const auto found = object.find("products");
    if (found == object.end())
        return proof;
    proof.runs = integer(*found, "runs", 0);
    proof.tiers = readList(found->at("tiers"), [](const json &tier) {
        return ProductProof::Tier{tier.at("products").get<std::string>(), number(tier, "largest_error"),
                                  number(tier, "allowed_error"), integer(tier, "repeated", 0)};
    });
    return proof;
}

MetricValue metricFrom(const json &object)
{
    MetricValue metric;
    metric.name = object.at("metric").get<std::string>();
    metric.value = number(object, "score");
    if (object.contains("ci_low"))
        metric.interval = jsonread::interval(object);
    metric.signature = jsonread::text(object, "signature");
    return metric;
}

/// One number or a list of them, each of a label that has a logit.
std::vector<int> labelsFrom(const json &object, const char *key, std::size_t count)
{
    if (!object.contains(key))
        return {};
    const auto labels
        = object[key].is_array() ? object[key].get<std::vector<int>>() : std::vector<int>{object[key].get<int>()};
    for (int label : labels) {
        if (label < 0 || static_cast<std::size_t>(label) >= count)
            throw Failure(badInput("\"" + std::string(key) + "\" is " + std::to_string(label) + ", but there are "
                                   + std::to_string(count) + " logits"));
    }
    return labels;
}

ExampleOutput outputFrom(const json &object)
{
    ExampleOutput output;
    output.index = integer(object, "index", 0);
    output.text = jsonread::text(object, "text");
    if (object.contains("logits")) {
        output.logits = readList(object["logits"], [](const json &value) {
            return value.is_null() ? std::numeric_limits<float>::quiet_NaN() : value.get<float>();
        });
        output.predicted = labelsFrom(object, "predicted", output.logits.size());
        output.labels = labelsFrom(object, "label", output.logits.size());
    } else {
        output.tokens = object.at("tokens").get<std::vector<std::int64_t>>();
        output.score = number(object, "score", 0);
    }
    return output;
}

MaskComparison comparisonFrom(const json &object)
{
    MaskComparison comparison;
    comparison.mask = jsonread::mask(object, "mask");
    comparison.score = number(object, "score");
    comparison.delta = number(object, "delta");
    comparison.interval = jsonread::interval(object);
    comparison.p = number(object, "p");
    comparison.mcnemar = optionalNumber(object, "p_mcnemar");
    comparison.changed = integer(object, "changed", 0);
    return comparison;
}

/// Metrics in their order, the primary one first; an object read from a file has lost it.
std::vector<MetricValue> metricsFrom(const json &object)
{
    std::vector<MetricValue> metrics;
    for (const auto &item : object.at("metrics").items()) {
        MetricValue metric;
        metric.name = item.key();
        metric.value = number(object["metrics"], item.key().c_str());
        if (object.contains("intervals") && object["intervals"].contains(metric.name))
            metric.interval = jsonread::interval(object["intervals"][metric.name]);
        if (object.contains("signatures"))
            metric.signature = object["signatures"].value(metric.name, std::string());
        metrics.push_back(std::move(metric));
    }
    const std::string primary = jsonread::text(object, "primary");
    std::stable_partition(metrics.begin(), metrics.end(), [&](const auto &m) { return m.name == primary; });
    return metrics;
}

Manifest manifestFrom(const json &object)
{
    return manifestFromJson(object.at("manifest"), "\"manifest\"").valueOrThrow();
}

EvaluationResult evaluationFrom(const json &object)
{
    EvaluationResult result;
    result.manifest = manifestFrom(object);
    result.mask = jsonread::mask(object, "mask");
    result.metrics = metricsFrom(object);
    if (object.contains("outputs"))
        result.outputs = readList(object["outputs"], outputFrom);
    result.examples = integer(object, "examples", 0);
    result.seconds = number(object, "seconds", 0);
    if (object.contains("against"))
        result.against = comparisonFrom(object["against"]);
    return result;
}

AblationResult ablationFrom(const json &object)
{
    AblationResult result;
    result.manifest = manifestFrom(object);
    result.baseline = metricFrom(object.at("baseline"));
    result.allButOne = object.value("all_but_one", false);
    result.replacement = parseReplacement(object.value("replace", std::string("zero"))).valueOrThrow();
    result.heads = readList(object.at("heads"), [](const json &head) {
        return HeadAblation{jsonread::head(head),      number(head, "score"),
                            number(head, "delta"),     jsonread::interval(head),
                            number(head, "p"),         number(head, "p_adjusted"),
                            integer(head, "changed", 0), optionalNumber(head, "p_mcnemar"),
                            integer(head, "examples", 0)};
    });
    result.examples = integer(object, "examples", 0);
    result.resamples = integer(object, "resamples", 0);
    result.products = productsFrom(object);
    return result;
}

ImportanceResult importanceFrom(const json &object)
{
    ImportanceResult result;
    result.manifest = manifestFrom(object);
    result.reduction = parseReduction(object.value("reduction", std::string("token"))).valueOrThrow();
    result.normalization = parseNormalization(object.value("normalize", std::string("layer"))).valueOrThrow();
    result.heads = readList(object.at("heads"), [](const json &head) {
        return HeadImportance{jsonread::head(head), number(head, "importance"), number(head, "stderr", 0)};
    });
    result.examples = integer(object, "examples", 0);
    result.meanLoss = number(object, "mean_loss", 0);
    return result;
}

PruningPoint pointFrom(const json &object)
{
    return {integer(object, "pruned", 0), number(object, "fraction"), number(object, "score"),
            jsonread::interval(object), jsonread::mask(object, "mask")};
}

PruningResult pruningFrom(const json &object)
{
    PruningResult result;
    result.manifest = manifestFrom(object);
    result.metric = jsonread::text(object, "metric");
    result.examples = integer(object, "examples", 0);
    result.curves = readList(object.at("curves"), [](const json &curve) {
        return PruningCurve{curve.at("order").get<std::string>(), readList(curve.at("points"), pointFrom),
                            integer(curve, "random_orders", 0), productsFrom(curve)};
    });
    return result;
}

ConfidenceResult confidenceFrom(const json &object)
{
    ConfidenceResult result;
    result.manifest = manifestFrom(object);
    result.heads = readList(object.at("heads"), [](const json &head) {
        return HeadConfidence{jsonread::head(head), number(head, "confidence"), integer(head, "tokens", 0)};
    });
    result.examples = integer(object, "examples", 0);
    return result;
}

TokenLabel tokenFrom(const json &object)
{
    return {object.at("text").get<std::string>(), integer(object, "id", 0), object.value("special", false),
            static_cast<int>(integer(object, "word", -1)),
            static_cast<int>(integer(object, "segment", object.value("special", false) ? -1 : 0))};
}

AttentionMap mapFrom(const json &object)
{
    AttentionMap map;
    map.head = jsonread::head(object);
    map.masked = object.value("masked", false);
    const auto rows = object.at("weights").get<std::vector<std::vector<float>>>();
    map.queries = static_cast<std::int64_t>(rows.size());
    map.keys = rows.empty() ? integer(object, "keys", 0) : static_cast<std::int64_t>(rows.front().size());
    for (const auto &row : rows) {
        if (static_cast<std::int64_t>(row.size()) != map.keys)
            throw Failure(badInput("the rows of the map of " + toText(map.head) + " have different lengths"));
        map.weights.insert(map.weights.end(), row.begin(), row.end());
    }
    return map;
}

AttentionResult attentionFrom(const json &object)
{
    AttentionResult result;
    result.manifest = manifestFrom(object);
    result.source = jsonread::text(object, "source");
    result.target = jsonread::text(object, "target");
    result.predicted = jsonread::text(object, "predicted");
    result.sourceTokens = readList(object.at("source_tokens"), tokenFrom);
    result.targetTokens = readList(object.at("target_tokens"), tokenFrom);
    result.maps = readList(object.at("maps"), mapFrom);
    return result;
}

CompareResult compareFrom(const json &object)
{
    const auto correlation = [](const json &c) {
        return Correlation{number(c, "value"), number(c, "p"), jsonread::interval(c)};
    };
    CompareResult result;
    result.measure = object.at("measure").get<std::string>();
    result.heads = readList(object.at("heads"), [](const json &head) {
        return HeadDifference{jsonread::head(head), number(head, "a"), number(head, "b"),
                              number(head, "difference")};
    });
    result.pearson = correlation(object.at("pearson"));
    result.spearman = correlation(object.at("spearman"));
    return result;
}

} // namespace

Json toJson(const MetricValue &metric)
{
    Json object = {{"metric", metric.name}, {"score", metric.value}};
    if (metric.interval) {
        object["ci_low"] = metric.interval->low;
        object["ci_high"] = metric.interval->high;
    }
    if (!metric.signature.empty())
        object["signature"] = metric.signature;
    return object;
}

Json toJson(const ExampleOutput &output)
{
    if (output.logits.empty())
        return {{"index", output.index}, {"tokens", output.tokens}, {"text", output.text}, {"score", output.score}};
    // One label is a number, several are a list; a regression has none.
    const auto labels = [](const std::vector<int> &list) { return list.size() == 1 ? Json(list.front()) : Json(list); };
    Json object = {{"index", output.index}, {"logits", output.logits}};
    if (!output.text.empty() || !output.predicted.empty()) {
        object["predicted"] = labels(output.predicted);
        object["text"] = output.text;
    }
    if (!output.labels.empty())
        object["label"] = labels(output.labels);
    return object;
}

Json toJson(const EvaluationResult &result)
{
    Json metrics = Json::object();
    Json intervals = Json::object();
    Json signatures = Json::object();
    for (const MetricValue &metric : result.metrics) {
        metrics[metric.name] = metric.value;
        if (metric.interval)
            intervals[metric.name] = {{"ci_low", metric.interval->low}, {"ci_high", metric.interval->high}};
        if (!metric.signature.empty())
            signatures[metric.name] = metric.signature;
    }
    Json object = {{"result", "evaluate"}, {"metrics", std::move(metrics)}};
    if (!result.metrics.empty()) {
        object["primary"] = result.primary().name;
        object["signature"] = result.primary().signature;
    }
    object["intervals"] = std::move(intervals);
    object["signatures"] = std::move(signatures);
    object["examples"] = result.examples;
    object["seconds"] = result.seconds;
    object["mask"] = toText(result.mask);
    if (result.against)
        object["against"] = toJson(*result.against);
    if (!result.outputs.empty())
        object["outputs"] = listJson(result.outputs);
    object["manifest"] = toJson(result.manifest);
    return object;
}

Json toJson(const AblationResult &result)
{
    return {{"result", "ablate"},
            {"baseline", toJson(result.baseline)},
            {"all_but_one", result.allButOne},
            {"replace", toText(result.replacement)},
            {"examples", result.examples},
            {"resamples", result.resamples},
            {"products", toJson(result.products)},
            {"heads", listJson(result.heads)},
            {"manifest", toJson(result.manifest)}};
}

Json toJson(const ImportanceResult &result)
{
    return {{"result", "importance"},
            {"reduction", toText(result.reduction)},
            {"normalize", toText(result.normalization)},
            {"examples", result.examples},
            {"mean_loss", result.meanLoss},
            {"heads", listJson(result.heads)},
            {"manifest", toJson(result.manifest)}};
}

Json toJson(const PruningResult &result)
{
    Json object = {{"result", "prune"}, {"metric", result.metric}, {"examples", result.examples}};
    // The curve that a script looks for: the command makes one at a time.
    if (!result.curves.empty())
        object["curve"] = listJson(result.curves.front().points);
    object["curves"] = curvesJson(result.curves);
    object["manifest"] = toJson(result.manifest);
    return object;
}

Json toJson(const ConfidenceResult &result)
{
    return {{"result", "confidence"},
            {"examples", result.examples},
            {"heads", listJson(result.heads)},
            {"manifest", toJson(result.manifest)}};
}

Json toJson(const AttentionResult &result)
{
    Json object = {{"result", "attention"}, {"source", result.source}, {"target", result.target}};
    if (!result.predicted.empty())
        object["predicted"] = result.predicted;
    object["source_tokens"] = listJson(result.sourceTokens);
    object["target_tokens"] = listJson(result.targetTokens);
    object["maps"] = listJson(result.maps);
    object["manifest"] = toJson(result.manifest);
    return object;
}

Json toJson(const CompareResult &result)
{
    return {{"result", "compare"},
            {"measure", result.measure},
            {"pearson", toJson(result.pearson)},
            {"spearman", toJson(result.spearman)},
            {"heads", listJson(result.heads)}};
}

Json toJson(const AnyResult &result)
{
    return std::visit([](const auto &value) { return toJson(value); }, result);
}

std::string jsonText(const Json &json, int indent)
{
    return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

Result<AnyResult> resultFromJson(const nlohmann::json &object, const std::string &name)
{
    return jsonread::guarded<AnyResult>(name, "a result of Headscope", [&]() -> AnyResult {
        const std::string kind = object.at("result").get<std::string>();
        if (kind == "evaluate")
            return evaluationFrom(object);
        if (kind == "ablate")
            return ablationFrom(object);
        if (kind == "importance")
            return importanceFrom(object);
        if (kind == "prune")
            return pruningFrom(object);
        if (kind == "confidence")
            return confidenceFrom(object);
        if (kind == "attention")
            return attentionFrom(object);
        if (kind == "compare")
            return compareFrom(object);
        throw Failure(badInput("unknown kind of result \"" + kind + "\"; a newer Headscope may have written it"));
    });
}

Result<AnyResult> readResult(const std::filesystem::path &path)
{
    const auto object = readJsonFile(path);
    if (!object.isOk())
        return object.error();
    return resultFromJson(object.value(), path.string());
}

Manifest *manifestOf(AnyResult &result)
{
    return std::visit(
        [](auto &value) -> Manifest * {
            if constexpr (std::is_same_v<std::decay_t<decltype(value)>, CompareResult>)
                return nullptr;
            else
                return &value.manifest;
        },
        result);
}

const Manifest *manifestOf(const AnyResult &result)
{
    return manifestOf(const_cast<AnyResult &>(result)); // which is not changed
}

std::string kindOf(const AnyResult &result)
{
    // In the order of the variant.
    constexpr const char *kKinds[] = {"evaluate", "ablate", "importance", "prune", "confidence", "attention",
                                      "compare"};
    return kKinds[result.index()];
}

} // namespace headscope

#include "core/results/json.h"

#include "core/formats/jsonfile.h"
#include "core/results/jsonread.h"
#include "core/results/relevancejson.h"
#include "core/results/rolesjson.h"

#include <algorithm>
#include <limits>
#include <type_traits>

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
    const auto add = [&](const char *key, const std::optional<double> &value) {
        if (value)
            object[key] = *value;
    };
    add("p_mcnemar", head.mcnemar);
    add("p_bh", head.discoveryP);
    add("p_randomization", head.randomization);
    add("p_t", head.tTest);
    if (!head.replicates.empty())
        object["replicates"] = head.replicates;
    return object;
}

/// What the p-values of heads are of, by their names.
Json testNames(const AblationResult &result)
{
    Json tests = {{"p", "paired bootstrap, " + std::to_string(result.resamples) + " resamples of "
                            + Json(result.sampleRatio).dump() + " times the examples, two-sided"},
                  {"p_adjusted", "Holm over all heads, of p"}};
    const auto add = [&](const char *key, auto HeadAblation::*field, const std::string &name) {
        if (std::ranges::any_of(result.heads, [&](const HeadAblation &head) { return (head.*field).has_value(); }))
            tests[key] = name;
    };
    add("p_mcnemar", &HeadAblation::mcnemar, "McNemar's exact test of right and wrong");
    add("p_bh", &HeadAblation::discoveryP, "Benjamini-Hochberg over all heads, of p");
    add("p_randomization", &HeadAblation::randomization,
        "approximate randomisation, " + std::to_string(result.resamples) + " trials, two-sided");
    add("p_t", &HeadAblation::tTest, "paired t-test of right and wrong, two-sided");
    return tests;
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

Json toJson(const GroupScore &group)
{
    return {{"group", group.name},
            {"examples", group.examples},
            {"score", group.score},
            {"ci_low", group.interval.low},
            {"ci_high", group.interval.high}};
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
    Json object = {{"head", toText(head.head)}, {"a", head.a}, {"b", head.b}, {"difference", head.difference}};
    if (head.test) {
        object["ci_low"] = head.test->interval.low;
        object["ci_high"] = head.test->interval.high;
        object["p"] = head.test->p;
        object["p_adjusted"] = head.test->pAdjusted;
        object["p_bh"] = head.test->pDiscovery;
    }
    return object;
}

Json toJson(const Correlation &correlation)
{
    return {{"value", correlation.value},
            {"p", correlation.p},
            {"ci_low", correlation.interval.low},
            {"ci_high", correlation.interval.high}};
}

Json toJson(const ComparedData &data)
{
    Json object = {{"data", data.name}};
    if (data.baseline)
        object["baseline"] = *data.baseline;
    return object;
}

Json toJson(const TopOverlap &overlap)
{
    return {{"k", overlap.k}, {"shared", overlap.shared}, {"expected", overlap.expected}};
}

Json kindsJson(const std::vector<HeadKind> &kinds)
{
    Json names = Json::array();
    for (HeadKind kind : kinds)
        names.push_back(headKindName(kind));
    return names;
}

Json toJson(const BestHead &best)
{
    Json row = Json::array();
    for (const HeadAblation &head : best.row)
        row.push_back(toJson(head));
    Json object = {{"kind", headKindName(best.kind)},
                   {"layer", best.layer},
                   {"chosen_delta", best.chosenDelta}};
    object.update(toJson(best.reported));
    object["row"] = std::move(row);
    return object;
}

Json toJson(const FoundMask &found)
{
    Json object = {{"mask", toText(found.mask)},      {"objective", found.objective},
                   {"score", found.score},            {"delta", found.delta},
                   {"ci_low", found.interval.low},    {"ci_high", found.interval.high}};
    if (!found.scales.empty()) {
        object["scales"] = Json::object();
        for (const auto &[head, scale] : found.scales)
            object["scales"][toText(head)] = scale;
    }
    return object;
}

Json toJson(const SearchPoint &point)
{
    return {{"pruned", point.pruned},
            {"fraction", point.fraction},
            {"attention_macs", point.attentionMacs},
            {"search", toJson(point.searched)},
            {"rearranged", toJson(point.rearranged)},
            {"rescaled", toJson(point.rescaled)},
            {"rescaled_layers", point.rescaledLayers},
            {"attention_layers", point.attentionLayers}};
}

Json toJson(const TokenLabel &token)
{
    Json object = {{"text", token.text}, {"id", token.id}, {"special", token.special}, {"word", token.word},
                   {"segment", token.segment}};
    if (token.treeWord >= 0)
        object["tree_word"] = token.treeWord;
    return object;
}

Json toJson(const TreeWord &word)
{
    return {{"form", word.form}, {"tag", word.tag},     {"head", word.head}, {"relation", word.relation},
            {"begin", word.begin}, {"end", word.end}};
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
    Json object = {{"head", toText(map.head)},
                   {"queries", map.queries},
                   {"keys", map.keys},
                   {"masked", map.masked},
                   {"weights", std::move(rows)}};
    if (!map.valueNorms.empty())
        object["value_norms"] = map.valueNorms;
    return object;
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
    for (const PruningCurve &curve : curves) {
        list.push_back({{"order", curve.order},
                        {"random_orders", curve.randomOrders},
                        {"kinds", kindsJson(curve.kinds)},
                        {"candidates", curve.candidates},
                        {"reverse", curve.reversed},
                        {"reestimate", curve.reestimated},
                        {"at_least_per_layer", curve.atLeastPerLayer},
                        {"step", curve.step},
                        {"rounding", toText(curve.rounding)}});
        if (!curve.orderData.empty()) {
            list.back()["order_data"] = curve.orderData;
            list.back()["order_chosen_on_evaluated"] = curve.chosenOnEvaluated;
        }
        list.back()["products"] = toJson(curve.products);
        list.back()["points"] = listJson(curve.points);
    }
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
    metric.better = jsonread::better(object, "better");
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
    output.text = jsonread::text(object, object.contains("predicted_label") ? "predicted_label" : "text");
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
        if (object.contains("better"))
            metric.better = jsonread::better(object["better"], metric.name.c_str());
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
    if (object.contains("groups"))
        result.groups = readList(object["groups"], [](const json &group) {
            return GroupScore{jsonread::text(group, "group"), integer(group, "examples", 0), number(group, "score"),
                              jsonread::interval(group)};
        });
    result.examples = integer(object, "examples", 0);
    result.seconds = number(object, "seconds", 0);
    if (object.contains("against"))
        result.against = comparisonFrom(object["against"]);
    return result;
}

HeadAblation headAblationFrom(const json &head)
{
    HeadAblation result{jsonread::head(head),        number(head, "score"),
                        number(head, "delta"),       jsonread::interval(head),
                        number(head, "p"),           number(head, "p_adjusted"),
                        integer(head, "changed", 0), optionalNumber(head, "p_mcnemar"),
                        integer(head, "examples", 0)};
    result.discoveryP = optionalNumber(head, "p_bh");
    result.randomization = optionalNumber(head, "p_randomization");
    result.tTest = optionalNumber(head, "p_t");
    if (head.contains("replicates"))
        result.replicates = head["replicates"].get<std::vector<double>>();
    return result;
}

std::vector<HeadKind> kindsFrom(const json &object)
{
    if (!object.contains("kinds"))
        return {};
    return readList(object["kinds"],
                    [](const json &kind) { return parseHeadKind(kind.get_ref<const std::string &>()).valueOrThrow(); });
}

AblationResult ablationFrom(const json &object)
{
    AblationResult result;
    result.manifest = manifestFrom(object);
    result.baseline = metricFrom(object.at("baseline"));
    result.allButOne = object.value("all_but_one", false);
    result.replacement = parseName<Replacement>(object.value("replace", std::string("zero"))).valueOrThrow();
    result.heads = readList(object.at("heads"), headAblationFrom);
    result.sampleRatio = number(object, "sample_ratio", 1);
    result.referenceData = jsonread::text(object, "reference_data");
    result.draws = integer(object, "draws", 1);
    result.examples = integer(object, "examples", 0);
    result.resamples = integer(object, "resamples", 0);
    result.products = productsFrom(object);
    return result;
}

ImportanceResult importanceFrom(const json &object)
{
    ImportanceResult result;
    result.manifest = manifestFrom(object);
    result.reduction = parseName<ImportanceReduction>(object.value("reduction", std::string("token"))).valueOrThrow();
    result.normalization = parseName<ImportanceNormalization>(object.value("normalize", std::string("layer"))).valueOrThrow();
    result.heads = readList(object.at("heads"), [](const json &head) {
        return HeadImportance{jsonread::head(head), number(head, "importance"), number(head, "stderr", 0)};
    });
    result.examples = integer(object, "examples", 0);
    result.meanLoss = number(object, "mean_loss", 0);
    result.batches = integer(object, "batches", 0);
    result.tokensPerBatch = integer(object, "tokens_per_batch", 0);
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
    result.better = jsonread::better(object, "better");
    result.examples = integer(object, "examples", 0);
    result.curves = readList(object.at("curves"), [](const json &curve) {
        PruningCurve read{curve.at("order").get<std::string>(), readList(curve.at("points"), pointFrom),
                          integer(curve, "random_orders", 0), productsFrom(curve)};
        read.kinds = kindsFrom(curve);
        read.candidates = integer(curve, "candidates", 0);
        read.reversed = curve.value("reverse", false);
        read.reestimated = curve.value("reestimate", false);
        read.atLeastPerLayer = integer(curve, "at_least_per_layer", 0);
        read.step = integer(curve, "step", 0);
        read.rounding = parseName<StepRounding>(curve.value("rounding", std::string("down"))).valueOrThrow();
        read.orderData = jsonread::text(curve, "order_data");
        read.chosenOnEvaluated = curve.value("order_chosen_on_evaluated", false);
        return read;
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
            static_cast<int>(integer(object, "segment", object.value("special", false) ? -1 : 0)),
            static_cast<int>(integer(object, "tree_word", -1))};
}

TreeWord treeWordFrom(const json &object)
{
    const auto place = [&](const char *key) {
        return static_cast<std::size_t>(std::max<std::int64_t>(0, integer(object, key, 0)));
    };
    return {object.at("form").get<std::string>(), jsonread::text(object, "tag"), static_cast<int>(integer(object, "head", -1)),
            jsonread::text(object, "relation"), place("begin"), place("end")};
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
    map.valueNorms = object.value("value_norms", std::vector<float>());
    if (!map.valueNorms.empty() && std::ssize(map.valueNorms) != map.keys)
        throw Failure(badInput("the map of " + toText(map.head) + " has norms for " + std::to_string(map.valueNorms.size())
                               + " keys, not for all " + std::to_string(map.keys)));
    return map;
}

AttentionResult attentionFrom(const json &object)
{
    AttentionResult result;
    result.manifest = manifestFrom(object);
    result.cut = object.value("cut", false);
    result.source = jsonread::text(object, "source");
    result.target = jsonread::text(object, "target");
    result.predicted = jsonread::text(object, "predicted");
    result.sourceTokens = readList(object.at("source_tokens"), tokenFrom);
    result.targetTokens = readList(object.at("target_tokens"), tokenFrom);
    result.maps = readList(object.at("maps"), mapFrom);
    if (object.contains("source_tree"))
        result.sourceTree = readList(object["source_tree"], treeWordFrom);
    // Places in the tree are used as such.
    const auto words = static_cast<int>(result.sourceTree.size());
    for (const TreeWord &word : result.sourceTree) {
        if (word.head < -1 || word.head >= words)
            throw Failure(badInput("the tree has no word " + std::to_string(word.head)));
    }
    for (const TokenLabel &token : result.sourceTokens) {
        if (token.treeWord >= words)
            throw Failure(badInput("the tree has no word " + std::to_string(token.treeWord)));
    }
    return result;
}

CompareResult compareFrom(const json &object)
{
    const auto correlation = [](const json &c) {
        return Correlation{number(c, "value"), number(c, "p"), jsonread::interval(c)};
    };
    const auto data = [&](const char *key) {
        return object.contains(key)
                   ? ComparedData{jsonread::text(object[key], "data"), optionalNumber(object[key], "baseline")}
                   : ComparedData{};
    };
    CompareResult result;
    result.measure = object.at("measure").get<std::string>();
    result.metric = jsonread::text(object, "metric");
    result.better = jsonread::better(object, "better");
    result.a = data("a");
    result.b = data("b");
    result.heads = readList(object.at("heads"), [](const json &head) {
        HeadDifference difference{jsonread::head(head), number(head, "a"), number(head, "b"),
                                  number(head, "difference")};
        if (head.contains("p"))
            difference.test = {jsonread::interval(head), number(head, "p"), number(head, "p_adjusted"),
                               number(head, "p_bh")};
        return difference;
    });
    result.pearson = correlation(object.at("pearson"));
    if (object["pearson"].contains("bootstrap"))
        result.pearsonBootstrap = jsonread::interval(object["pearson"]["bootstrap"]);
    result.spearman = correlation(object.at("spearman"));
    if (object.contains("kendall"))
        result.kendall = correlation(object["kendall"]);
    if (object.contains("overlaps"))
        result.overlaps = readList(object["overlaps"], [](const json &overlap) {
            return TopOverlap{integer(overlap, "k", 0), integer(overlap, "shared", 0), number(overlap, "expected")};
        });
    return result;
}

BestHeadsResult bestHeadsFrom(const json &object)
{
    BestHeadsResult result;
    result.manifest = manifestFrom(object);
    result.baseline = metricFrom(object.at("baseline"));
    result.chosenOn = jsonread::text(object.at("chosen_on"), "data");
    result.chosenBaseline = metricFrom(object.at("chosen_on"));
    result.chosenOnReported = object.value("chosen_on_reported", false);
    result.examples = integer(object, "examples", 0);
    result.layers = readList(object.at("layers"), [](const json &layer) {
        BestHead best;
        best.kind = parseHeadKind(layer.at("kind").get_ref<const std::string &>()).valueOrThrow();
        best.layer = static_cast<int>(integer(layer, "layer", 0));
        best.head = jsonread::head(layer);
        best.chosenDelta = number(layer, "chosen_delta");
        best.reported = headAblationFrom(layer);
        best.row = readList(layer.at("row"), headAblationFrom);
        return best;
    });
    return result;
}

FoundMask foundMaskFrom(const json &object)
{
    FoundMask found{jsonread::mask(object, "mask"), {}, number(object, "objective"), number(object, "score"),
                    number(object, "delta"), jsonread::interval(object)};
    if (object.contains("scales")) {
        for (const auto &scale : object["scales"].items())
            found.scales[parseHeadRef(scale.key()).valueOrThrow()] = number(object["scales"], scale.key().c_str());
    }
    return found;
}

SearchResult searchFrom(const json &object)
{
    SearchResult result;
    result.manifest = manifestFrom(object);
    result.baseline = metricFrom(object.at("baseline"));
    result.kinds = kindsFrom(object);
    result.candidates = integer(object, "candidates", 0);
    result.searchData = jsonread::text(object, "search_data");
    result.searchedOnEvaluated = object.value("searched_on_evaluated", false);
    result.samples = integer(object, "samples", 0);
    result.miniBatch = integer(object, "mini_batch", 0);
    result.examples = integer(object, "examples", 0);
    result.fisher = readList(object.at("fisher"), [](const json &head) {
        return HeadImportance{jsonread::head(head), number(head, "importance"), number(head, "stderr", 0)};
    });
    result.points = readList(object.at("points"), [](const json &point) {
        return SearchPoint{integer(point, "pruned", 0),
                           number(point, "fraction"),
                           number(point, "attention_macs"),
                           foundMaskFrom(point.at("search")),
                           foundMaskFrom(point.at("rearranged")),
                           foundMaskFrom(point.at("rescaled")),
                           static_cast<int>(integer(point, "rescaled_layers", 0)),
                           static_cast<int>(integer(point, "attention_layers", 0))};
    });
    return result;
}

} // namespace

Json toJson(const MetricValue &metric)
{
    Json object = {{"metric", metric.name}, {"better", toText(metric.better)}, {"score", metric.value}};
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
        object["predicted_label"] = output.text;
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
    Json better = Json::object();
    for (const MetricValue &metric : result.metrics) {
        metrics[metric.name] = metric.value;
        better[metric.name] = toText(metric.better);
        if (metric.interval)
            intervals[metric.name] = {{"ci_low", metric.interval->low}, {"ci_high", metric.interval->high}};
        if (!metric.signature.empty())
            signatures[metric.name] = metric.signature;
    }
    Json object = {{"result", "evaluate"}, {"metrics", std::move(metrics)}, {"better", std::move(better)}};
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
    if (!result.groups.empty())
        object["groups"] = listJson(result.groups);
    if (!result.outputs.empty())
        object["outputs"] = listJson(result.outputs);
    object["manifest"] = toJson(result.manifest);
    return object;
}

Json toJson(const AblationResult &result)
{
    Json object = {{"result", "ablate"},
                   {"baseline", toJson(result.baseline)},
                   {"all_but_one", result.allButOne},
                   {"replace", toText(result.replacement)},
                   {"examples", result.examples},
                   {"resamples", result.resamples},
                   {"sample_ratio", result.sampleRatio}};
    if (!result.referenceData.empty())
        object["reference_data"] = result.referenceData;
    if (result.draws != 1)
        object["draws"] = result.draws;
    object["tests"] = testNames(result);
    object["products"] = toJson(result.products);
    object["heads"] = listJson(result.heads);
    object["manifest"] = toJson(result.manifest);
    return object;
}

Json toJson(const ImportanceResult &result)
{
    Json object = {{"result", "importance"},
                   {"reduction", toText(result.reduction)},
                   {"normalize", toText(result.normalization)},
                   {"examples", result.examples},
                   {"mean_loss", result.meanLoss}};
    if (result.batches > 0) {
        object["batches"] = result.batches;
        object["tokens_per_batch"] = result.tokensPerBatch;
    }
    object["heads"] = listJson(result.heads);
    object["manifest"] = toJson(result.manifest);
    return object;
}

Json toJson(const PruningResult &result)
{
    Json object = {{"result", "prune"},
                   {"metric", result.metric},
                   {"better", toText(result.better)},
                   {"examples", result.examples}};
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
    if (!result.sourceTree.empty())
        object["source_tree"] = listJson(result.sourceTree);
    if (result.cut)
        object["cut"] = true;
    object["maps"] = listJson(result.maps);
    object["manifest"] = toJson(result.manifest);
    return object;
}

Json toJson(const CompareResult &result)
{
    Json object = {{"result", "compare"}, {"measure", result.measure}};
    if (!result.metric.empty()) {
        object["metric"] = result.metric;
        object["better"] = toText(result.better);
    }
    object["a"] = toJson(result.a);
    object["b"] = toJson(result.b);
    object["pearson"] = toJson(result.pearson);
    if (result.pearsonBootstrap)
        object["pearson"]["bootstrap"]
            = {{"ci_low", result.pearsonBootstrap->low}, {"ci_high", result.pearsonBootstrap->high}};
    object["spearman"] = toJson(result.spearman);
    object["kendall"] = toJson(result.kendall);
    object["overlaps"] = listJson(result.overlaps);
    if (std::ranges::any_of(result.heads, [](const auto &head) { return head.test.has_value(); }))
        object["tests"] = {{"p", "difference b - a of the deltas, by independent bootstraps in both sets, two-sided"},
                           {"p_adjusted", "Holm over all heads, of p"},
                           {"p_bh", "Benjamini-Hochberg over all heads, of p"}};
    object["heads"] = listJson(result.heads);
    return object;
}

Json toJson(const BestHeadsResult &result)
{
    Json chosenOn = {{"data", result.chosenOn}};
    chosenOn.update(toJson(result.chosenBaseline));
    return {{"result", "best-heads"},
            {"baseline", toJson(result.baseline)},
            {"chosen_on", std::move(chosenOn)},
            {"chosen_on_reported", result.chosenOnReported},
            {"examples", result.examples},
            {"layers", listJson(result.layers)},
            {"manifest", toJson(result.manifest)}};
}

Json toJson(const SearchResult &result)
{
    return {{"result", "search"},
            {"baseline", toJson(result.baseline)},
            {"kinds", kindsJson(result.kinds)},
            {"candidates", result.candidates},
            {"search_data", result.searchData},
            {"searched_on_evaluated", result.searchedOnEvaluated},
            {"samples", result.samples},
            {"mini_batch", result.miniBatch},
            {"examples", result.examples},
            {"fisher", listJson(result.fisher)},
            {"points", listJson(result.points)},
            {"manifest", toJson(result.manifest)}};
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
        if (kind == "best-heads")
            return bestHeadsFrom(object);
        if (kind == "search")
            return searchFrom(object);
        if (kind == "roles")
            return rolesFromJson(object);
        if (kind == "relevance")
            return relevanceFromJson(object);
        throw Failure(badInput("unknown kind of result \"" + kind + "\"; a newer Headscope may have written it"));
    });
}

Result<AnyResult> readResult(const std::filesystem::path &path)
{
    const auto object = readJsonFile(path);
    if (!object.isOk())
        return object.error();
    auto result = resultFromJson(object.value(), path.string());
    // The command line says it beside the manifest, and up to version 0.1 only there.
    if (result.isOk() && object.value().value("partial", false)) {
        if (Manifest *manifest = manifestOf(result.value()))
            manifest->partial = true;
    }
    return result;
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
                                      "compare", "best-heads", "search", "roles", "relevance"};
    return kKinds[result.index()];
}

} // namespace headscope

#pragma once

#include "core/results/ablationresult.h"
#include "core/results/attentionresult.h"
#include "core/results/bestheads.h"
#include "core/results/compareresult.h"
#include "core/results/confidenceresult.h"
#include "core/results/evaluationresult.h"
#include "core/results/fields.h"
#include "core/results/fieldsjson.h"
#include "core/results/importanceresult.h"
#include "core/results/pruningresult.h"
#include "core/results/relevanceresult.h"
#include "core/results/results.h"
#include "core/results/searchresult.h"
#include "core/results/speedresult.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

/// The fields of every result (fields.h says how). Those of roles are in rolesfields.h.
namespace headscope {

// Parts of several results

void describe(auto &visit, Of<Interval> auto &interval)
{
    visit.field("ci_low", interval.low, "lower end of the 95 % interval");
    visit.field("ci_high", interval.high, "upper end");
}

void describe(auto &visit, Of<Manifest> auto &manifest)
{
    visit.field("analysis", manifest.analysis, "the command of the analysis");
    visit.added("version", manifest.version, "of Headscope");
    visit.added("model", manifest.model, "folder as it was given");
    visit.added("weights_hash", manifest.weightsHash, "of the weights");
    visit.added("settings_hash", manifest.settingsHash, "of the folder's configuration and tokenizer files");
    visit.added("data", manifest.data, "name of the data set");
    visit.added("data_hash", manifest.dataHash, "of its rows");
    visit.added("data_file", manifest.dataFile, "its first file as it was given");
    visit.added("examples", manifest.examples, "used");
    visit.added("total_examples", manifest.totalExamples, "in the data set, after --limit and --sample");
    visit.form(
        "spec", manifest,
        "the options that decide the numbers and differ from the defaults, called as on the command line",
        [](const Manifest &of) -> Json { // as an object where nothing is lost by that, else as the text it is
            const auto parsed = nlohmann::json::parse(of.spec, nullptr, false);
            return parsed.is_object() && parsed.dump() == of.spec ? Json::parse(of.spec) : Json(of.spec);
        },
        [](Manifest &of, const nlohmann::json &spec) {
            of.spec = spec.is_string() ? spec.get<std::string>() : spec.dump();
        });
    visit.added("command", manifest.command, "command line that repeats it");
    visit.added("device", manifest.device, "that it was computed on");
    visit.added("dtype", manifest.dtype, "`f32` or `bf16`");
    visit.added(
        "corrections", manifest.corrections,
        "how many corrections of errors in earlier versions the numbers have; fewer than the program knows for such a "
        "result: outdated");
    visit.added("libtorch", manifest.libtorch, "version of LibTorch");
    visit.added("created", manifest.created, "UTC, ISO 8601");
    visit.added("seconds", manifest.seconds, "that it took");
    visit.derived("key", "of the result: the name of its file in a study", [&]() -> Json { return manifest.key(); });
    visit.rare("partial", manifest.partial, "it was cancelled: not to be used as a complete result");
}

void describe(auto &visit, Of<MetricValue> auto &metric)
{
    visit.field("metric", metric.name, "name of the score");
    visit.added("better", metric.better, "which of its scores are");
    visit.field("score", metric.value, "BLEU and chrF: 0 to 100; accuracy, F1: 0 to 1");
    visit.mergeIfAny("ci_low", metric.interval);
    visit.rare("signature", metric.signature, "as sacreBLEU's");
}

void describe(auto &visit, Of<PrecisionCheck::Tier> auto &tier)
{
    visit.field("products", tier.products, "`bf16`, `split bf16` or `f32`");
    visit.field("largest_error", tier.error, "largest observed, of a difference of logits on which a decision depends");
    visit.field("allowed_error", tier.allowed, "decisions with a smaller one were made again by the next tier");
    visit.added("repeated", tier.passedOn, "examples times variants that were");
}

void describe(auto &visit, Of<PrecisionCheck> auto &check)
{
    visit.added("runs", check.runs, "examples times variants");
    visit.field("tiers", check.tiers, "quickest first; none: all products were exact");
}

void describe(auto &visit, Of<HeadImportance> auto &head)
{
    visit.field("head", head.head, "address");
    visit.field("importance", head.importance, "estimate");
    visit.added("stderr", head.standardError, "over examples, or batches; null: none is known");
    visit.rare("together", head.together, "the other heads of its group, where the estimate is of groups");
}

// evaluate

void describe(auto &visit, Of<ExampleOutput> auto &output)
{
    // One label is a number, several are a list; a regression has none.
    const auto labels = [&](const char *key, std::vector<int> ExampleOutput::*list, bool wanted, const char *help) {
        visit.form(
            key, output, help,
            [list, wanted](const ExampleOutput &of) -> Json {
                return !wanted ? nothing() : (of.*list).size() == 1 ? Json((of.*list).front()) : Json(of.*list);
            },
            [list, key](ExampleOutput &of, const nlohmann::json &found) {
                of.*list = found.is_array() ? found.get<std::vector<int>>() : std::vector<int>{found.get<int>()};
                for (const int label : of.*list) {
                    if (label < 0 || static_cast<std::size_t>(label) >= of.logits.size())
                        throw Failure(badInput('"' + std::string(key) + "\" is " + std::to_string(label)
                                               + ", but there are " + std::to_string(of.logits.size()) + " logits"));
                }
            });
    };
    visit.added("index", output.index, "row of the data set");
    visit.when(output.textRow >= 0, "text_row", output.textRow,
               "row of its text, from 0, where texts were cut into windows or left out");
    visit.either(
        "logits", !output.logits.empty(),
        [&](auto &inner) {
            const bool said = !output.text.empty() || !output.predicted.empty();
            inner.field("logits", output.logits, "of a classifier");
            labels("predicted", &ExampleOutput::predicted, said, "label: a number, several are a list");
            inner.when(said, "predicted_label", output.text, "its name");
            labels("label", &ExampleOutput::labels, !output.labels.empty(), "the right one");
        },
        [&](auto &inner) {
            inner.field("tokens", output.tokens, "ids of the model's output, end token included");
            inner.added("text", output.text, "the same as text");
            inner.added("score", output.score, "its log-probability; of beams normalised by length");
            inner.rare("choices", output.choices, "of a question: log-probability of each choice behind it");
            inner.rare("unconditional", output.unconditional, "and without the question");
        });
}

void describe(auto &visit, Of<MaskComparison> auto &comparison)
{
    visit.field("mask", comparison.mask, "the other mask");
    visit.field("score", comparison.score, "under it");
    visit.field("delta", comparison.delta, "score of this mask minus that one");
    visit.merge(comparison.interval);
    visit.field("p", comparison.p, "paired bootstrap, two-sided");
    visit.added("changed", comparison.changed, "examples whose output, or what the metric measures of it, differs");
    visit.rare("p_mcnemar", comparison.mcnemar, "McNemar's exact test, where outputs are right or wrong");
}

void describe(auto &visit, Of<GroupScore> auto &group)
{
    visit.added("group", group.name, "name");
    visit.added("examples", group.examples, "in it");
    visit.field("score", group.score, "of them");
    visit.merge(group.interval);
}

/// Metrics by name, as scripts look for them, in several objects. A file has lost their order but for the primary one.
void describeMetrics(auto &visit, auto &metrics)
{
    using Metrics = std::vector<MetricValue>;
    const auto byName = [&](const char *key, const char *help, auto write, auto read) {
        visit.form(
            key, metrics, help,
            [write](const Metrics &list) -> Json {
                Json object = Json::object();
                for (const MetricValue &metric : list) {
                    if (Json value = write(metric); !value.is_discarded())
                        object[metric.name] = std::move(value);
                }
                return object;
            },
            [read](Metrics &list, const nlohmann::json &object) {
                for (MetricValue &metric : list) {
                    if (object.contains(metric.name))
                        read(metric, object[metric.name]);
                }
            });
    };
    visit.form(
        "metrics", metrics, "name to score",
        [](const Metrics &list) -> Json {
            Json object = Json::object();
            for (const MetricValue &metric : list)
                object[metric.name] = metric.value;
            return object;
        },
        [](Metrics &list, const nlohmann::json &object) {
            for (const auto &item : object.items())
                list.push_back({item.key(), jsonread::number(object, item.key().c_str()), {}, {}});
        },
        true);
    byName(
        "better", "name to which scores are", [](const MetricValue &metric) -> Json { return toText(metric.better); },
        [](MetricValue &metric, const nlohmann::json &found) {
            metric.better = parseName<Better>(found.get_ref<const std::string &>()).valueOrThrow();
        });
    visit.form(
        "primary", metrics, "name of the one that heads are judged by",
        [](const Metrics &list) -> Json { return list.empty() ? nothing() : Json(list.front().name); },
        [](Metrics &list, const nlohmann::json &name) {
            const auto &primary = name.get_ref<const std::string &>();
            std::ranges::stable_partition(list, [&](const MetricValue &metric) { return metric.name == primary; });
        });
    visit.derived("signature", "of the primary metric",
                  [&]() -> Json { return metrics.empty() ? nothing() : Json(metrics.front().signature); });
    byName(
        "intervals", "name to `ci_low` and `ci_high`",
        [](const MetricValue &metric) -> Json { return metric.interval ? fieldsJson(*metric.interval) : nothing(); },
        [](MetricValue &metric, const nlohmann::json &found) { metric.interval = fieldsFrom<Interval>(found); });
    byName(
        "signatures", "name to signature",
        [](const MetricValue &metric) -> Json { return metric.signature.empty() ? nothing() : Json(metric.signature); },
        [](MetricValue &metric, const nlohmann::json &found) { metric.signature = found.get<std::string>(); });
}

void describe(auto &visit, Of<EvaluationResult> auto &result)
{
    describeMetrics(visit, result.metrics);
    visit.added("examples", result.examples, "used");
    visit.added("seconds", result.seconds, "that it took");
    visit.added("mask", result.mask, "masked heads");
    visit.rare("against", result.against, "another mask over the same examples");
    visit.rare("groups", result.groups, "the primary metric by group (paradigms of minimal pairs)");
    visit.rare("longest_output", result.longestOutput,
               "of generated outputs: the most tokens that one may have, start token included");
    visit.rare("reached_limit", result.reachedLimit, "outputs that stopped there without having come to their end");
    visit.rare("outputs", result.outputs, "outputs of the model, if asked for");
    visit.rare("left_out", result.leftOut, "with outputs: rows of texts too short for anything to be predicted");
    visit.field("manifest", result.manifest, "where the result comes from");
}

// ablate

void describe(auto &visit, Of<HeadAblation> auto &head)
{
    visit.field("head", head.head, "the head removed; with `all_but_one` the head kept in its layer");
    visit.field("score", head.score, "without it");
    visit.field("delta", head.delta, "score minus that of the full model, whatever the metric");
    visit.merge(head.interval);
    visit.field("p", head.p,
                "paired bootstrap, two-sided, never below what the changed examples allow; null without resamples");
    visit.field("p_adjusted", head.pAdjusted, "Holm over all heads");
    visit.added("changed", head.changed, "examples whose output, or what the metric measures of it, changed");
    visit.added("examples", head.examples, "that the estimate rests on");
    visit.rare("p_mcnemar", head.mcnemar, "McNemar's exact test, where outputs are right or wrong");
    visit.rare("p_bh", head.discoveryP, "Benjamini–Hochberg over all heads, of p");
    visit.rare("p_randomization", head.randomization, "approximate randomisation, two-sided");
    visit.rare("p_t", head.tTest, "paired t-test, where outputs are right or wrong");
    visit.rare("replicates", head.replicates, "the bootstrap's deltas as the means of equal shares of them, ascending");
    visit.rare("together", head.together, "the other heads of its group, where groups were removed");
    visit.rare(
        "fit_mean_loss", head.fitMeanLoss,
        "replacement optimal: loss per target token (nats) on the examples that its constant was fitted to, with "
        "its mean context instead");
    visit.rare("fit_loss", head.fitLoss, "replacement optimal: the same with the constant");
}

/// The tests that the p-values of heads come from, by their names.
inline Json testNames(const AblationResult &result)
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

void describe(auto &visit, Of<AblationResult> auto &result)
{
    visit.field("baseline", result.baseline, "the full model");
    visit.added("all_but_one", result.allButOne, "each head in turn was the only one of its layer");
    visit.added("replace", result.replacement, "replacement of a removed head's context");
    visit.added("examples", result.examples, "used");
    visit.added("resamples", result.resamples, "of the bootstrap");
    visit.added("sample_ratio", result.sampleRatio, "size of a resample by that of the data set");
    visit.rare("reference_data", result.referenceData, "the data set that replacements were taken from");
    visit.rare("draws", result.draws, 1, "number of random examples whose contexts replaced each example's");
    visit.rare("rescale", result.rescaled, "heads that stay in a layer were scaled by its heads over them");
    visit.rare("fit_examples", result.fitExamples,
               "replacement optimal: examples of reference_data that constants were fitted to");
    visit.rare("fit_steps", result.fitSteps, "replacement optimal: steps of the descent, at most");
    visit.rare("fit_on_own", result.fitOnOwn,
               "replacement optimal: constants were fitted to the evaluated set itself, which makes heads look less "
               "needed than they are");
    visit.rare("sinks", result.sinks, "replacement window: keys from the beginning that heads still saw");
    visit.rare("window", result.window,
               "replacement window: heads still saw the keys at a distance from the query below this; of a causal "
               "attention the last so many, the query's own counted. Cross-attention is left out");
    visit.derived("tests", "what each p is of", [&] { return testNames(result); });
    visit.added("products", result.products, "check that quick products decided as exact ones would have");
    visit.field("heads", result.heads, "one each");
    visit.field("manifest", result.manifest, "where the result comes from");
}

// ablate --choose-on

void describe(auto &visit, Of<BestHead> auto &best)
{
    visit.field("kind", best.kind, "of the layer's attention");
    visit.added("layer", best.layer, "from 0");
    visit.field("chosen_delta", best.chosenDelta, "of the head on the set that it was chosen by: too optimistic");
    visit.merge(best.reported);
    afterReading(visit, best, [](BestHead &of) { of.head = of.reported.head; });
    visit.field("row", best.row, "all heads of the layer on the set for reporting");
}

void describe(auto &visit, Of<BestHeadsResult> auto &result)
{
    visit.field("baseline", result.baseline, "the full model on the set for reporting");
    visit.part("chosen_on", "the set for choosing, and the full model on it", [&](auto &inner) {
        inner.added("data", result.chosenOn, "its name");
        inner.merge(result.chosenBaseline);
    });
    visit.added("chosen_on_reported", result.chosenOnReported,
                "both are the same set: the deltas are too "
                "optimistic");
    visit.added("examples", result.examples, "used");
    visit.field("layers", result.layers, "the best single head of each");
    visit.field("manifest", result.manifest, "where the result comes from");
}

// importance

inline std::string meaningOf(const ImportanceResult &result)
{
    switch (result.reduction) {
    case ImportanceReduction::Token:
        return "mean over tokens of |gradient of the loss by the head's gate at that token|";
    case ImportanceReduction::Example:
        return "mean over examples of |gradient of the loss by the head's gate|";
    case ImportanceReduction::Batch:
        return "sum over batches of |gradient of the batch's summed loss by the head's gate|, by the number of examples";
    case ImportanceReduction::Fisher:
        return "sum over batches of the squared gradient of the batch's summed loss by the head's gate";
    }
    return {};
}

void describe(auto &visit, Of<ImportanceResult> auto &result)
{
    visit.added("reduction", result.reduction, "what the absolute value was taken of");
    visit.added("normalize", result.normalization, "what values were divided by");
    visit.added("examples", result.examples, "used");
    visit.added("mean_loss", result.meanLoss, "negative log-likelihood of a target token, nats");
    visit.rare("batches", result.batches, "reductions `batch` and `fisher`: how many there were");
    visit.rare("examples_per_batch", result.examplesPerBatch, "and of how many examples");
    visit.rare("tokens_per_batch", result.tokensPerBatch, "or of at most how many tokens, padding included");
    visit.added("example_loss", result.exampleLoss,
                "what gradients are of: the sum over an example's tokens, or their mean");
    visit.derived("values", "what a head's number is, before it was normalised", [&] { return meaningOf(result); });
    visit.field("heads", result.heads, "one each");
    visit.field("manifest", result.manifest, "where the result comes from");
}

// confidence

void describe(auto &visit, Of<HeadConfidence> auto &head)
{
    visit.field("head", head.head, "address");
    visit.field("confidence", head.confidence, "mean of the largest weight, special tokens left out");
    visit.added("tokens", head.tokens, "queries that it rests on");
    visit.rare("together", head.together, "the other heads of its group, where the mean is of groups");
}

void describe(auto &visit, Of<ConfidenceResult> auto &result)
{
    visit.added("examples", result.examples, "used");
    visit.field("heads", result.heads, "one each");
    visit.field("manifest", result.manifest, "where the result comes from");
}

// prune

void describe(auto &visit, Of<PairedTest> auto &test)
{
    visit.field("delta_ci_low", test.interval.low,
                "lower end of the 95 % interval of the difference from the full model, paired bootstrap");
    visit.field("delta_ci_high", test.interval.high, "upper end");
    visit.field("p", test.p, "of the difference, paired bootstrap, two-sided");
    visit.field("changed", test.changed, "examples whose output, or what the metric measures of it, differs");
}

void describe(auto &visit, Of<PointMetric> auto &metric)
{
    visit.merge(static_cast<std::conditional_t<std::is_const_v<std::remove_reference_t<decltype(metric)>>,
                                               const MetricValue, MetricValue> &>(metric));
    visit.mergeIfAny("delta_ci_low", metric.paired);
}

void describe(auto &visit, Of<PruningPoint> auto &point)
{
    visit.added("pruned", point.pruned, "heads removed");
    visit.field("fraction", point.fraction, "of the candidates");
    visit.field("score", point.score, "without them; of a band the mean");
    visit.merge(point.interval);
    visit.added("mask", point.mask, "the heads; empty in a band");
    visit.mergeIfAny("delta_ci_low", point.paired);
    visit.rare("others", point.others, "of labels: the other metrics of predictions");
}

void describe(auto &visit, Of<PruningCurve> auto &curve)
{
    visit.field("order", curve.order,
                "`importance`, `ablation`, `shapley`, `relevance`, `gating`, `random`, `greedy` or a file");
    visit.added("random_orders", curve.randomOrders, "above 0: a band over so many");
    visit.added("kinds", curve.kinds, "what could be removed; empty: heads of all kinds");
    visit.added("candidates", curve.candidates, "heads that could be removed: 100 %");
    visit.added("reverse", curve.reversed, "the order was reversed");
    visit.added("reestimate", curve.reestimated, "it was computed again before every step");
    visit.rare("rescale", curve.rescaled, "heads that stay in a layer were scaled by its heads over them");
    visit.added("at_least_per_layer", curve.atLeastPerLayer, "heads that stay in a layer");
    visit.added("step", curve.step, "heads removed between two points; 0: tenths");
    visit.added("rounding", curve.rounding, "of tenths");
    visit.rare("order_data", curve.orderData, "the data set that chose the order");
    visit.when(!curve.orderData.empty(), "order_chosen_on_evaluated", curve.chosenOnEvaluated,
               "it is the evaluated one: the curve is too optimistic");
    visit.added("products", curve.products, "as in `ablate`");
    visit.list("points", curve.points, "from 0 heads on", [&](auto &inner, auto &point, std::size_t) {
        describe(inner, point);
        inner.derived("delta", "score less that of the full model",
                      [&]() -> Json { return point.score - curve.points.front().score; });
    });
}

void describe(auto &visit, Of<PruningResult> auto &result)
{
    visit.added("metric", result.metric, "name of the score");
    visit.added("better", result.better, "which of its scores are");
    visit.added("examples", result.examples, "used");
    visit.derived("curve", "the points of the first curve, which scripts look for",
                  [&] { return result.curves.empty() ? nothing() : fieldsJson(result.curves.front())["points"]; });
    visit.field("curves", result.curves, "all of them");
    visit.field("manifest", result.manifest, "where the result comes from");
}

// search

void describe(auto &visit, Of<FoundMask> auto &found)
{
    visit.field("mask", found.mask, "heads removed");
    visit.field("objective", found.objective, "block Fisher information that is lost");
    visit.field("score", found.score, "under the mask");
    visit.field("delta", found.delta, "score minus that of the full model");
    visit.merge(found.interval);
    visit.mergeIfAny("delta_ci_low", found.paired);
    visit.rare("scales", found.scales, "head to factor, of those that stay");
}

void describe(auto &visit, Of<SearchPoint> auto &point)
{
    visit.added("pruned", point.pruned, "heads removed");
    visit.field("fraction", point.fraction, "of the candidates");
    visit.field("attention_macs", point.attentionMacs, "share of attention's multiply–adds that is left");
    visit.field("search", point.searched, "removes the heads with the least Fisher information");
    visit.field("rearranged", point.rearranged, "removes as many per layer, but those that matter least together");
    visit.field("rescaled", point.rescaled, "scales the remaining heads as well");
    visit.added("rescaled_layers", point.rescaledLayers, "attention layers that have factors");
    visit.added("attention_layers", point.attentionLayers, "that could have some");
}

void describe(auto &visit, Of<SearchResult> auto &result)
{
    visit.field("baseline", result.baseline, "the full model");
    visit.added("kinds", result.kinds, "what could be removed; empty: heads of all kinds");
    visit.added("candidates", result.candidates, "heads that could be removed: 100 %");
    visit.added("search_data", result.searchData, "the data set that gradients and factors come from");
    visit.added("searched_on_evaluated", result.searchedOnEvaluated, "it is the evaluated one");
    visit.added("samples", result.samples, "examples of it that were used");
    visit.added("mini_batch", result.miniBatch, "examples per gradient");
    visit.added("examples", result.examples, "used");
    visit.field(
        "fisher", result.fisher,
        "mean over mini-batches of the squared gradient by the head's gate (importance with the reduction `fisher` has "
        "the sum over its batches)");
    visit.field("points", result.points, "one for each budget, from 0 heads on");
    visit.field("manifest", result.manifest, "where the result comes from");
}

// attention

void describe(auto &visit, Of<TokenLabel> auto &token)
{
    visit.field("text", token.text, "as the vocabulary spells it");
    visit.added("id", token.id, "in the vocabulary");
    visit.added("special", token.special, "start, end, padding, unknown, separators");
    visit.added("word", token.word, "which word it belongs to; -1 for special tokens");
    afterReading(visit, token, [](TokenLabel &of) { of.segment = of.special ? -1 : 0; }); // an older file does not say
    visit.added("segment", token.segment, "0 or 1: which text of a pair; -1 for special tokens");
    visit.rare("tree_word", token.treeWord, -1, "which word of the tree it belongs to");
}

void describe(auto &visit, Of<TreeWord> auto &word)
{
    visit.field("form", word.form, "the word");
    visit.added("tag", word.tag, "universal part of speech");
    visit.added("head", word.head, "place of its head in the sentence, from 0; -1: the root");
    visit.added("relation", word.relation, "to the head");
    visit.added("begin", word.begin, "first byte in the text");
    visit.added("end", word.end, "and the one after its last");
}

void describe(auto &visit, Of<AttentionMap> auto &map)
{
    visit.field("head", map.head, "address");
    visit.derived("queries", "rows", [&]() -> Json { return map.queries; });
    visit.added("keys", map.keys, "columns");
    visit.added("masked", map.masked, "the head is masked; its map shows what it would attend to");
    visit.form(
        "weights", map, "a list for each query, which sums to 1",
        [](const AttentionMap &of) -> Json {
            Json rows = Json::array();
            for (std::int64_t query = 0; query < of.queries; ++query) {
                const auto row = of.weights.begin() + query * of.keys;
                rows.push_back(Json(std::vector<float>(row, row + of.keys)));
            }
            return rows;
        },
        [](AttentionMap &of, const nlohmann::json &found) {
            const auto rows = found.get<std::vector<std::vector<float>>>();
            of.queries = std::ssize(rows);
            of.keys = rows.empty() ? of.keys : std::ssize(rows.front());
            for (const auto &row : rows) {
                if (std::ssize(row) != of.keys)
                    throw Failure(badInput("the rows of the map of " + toText(of.head) + " have different lengths"));
                of.weights.insert(of.weights.end(), row.begin(), row.end());
            }
        },
        true);
    visit.rare("value_norms", map.valueNorms, "norm of every key's transformed value vector");
    afterReading(visit, map, [](AttentionMap &of) {
        if (!of.valueNorms.empty() && std::ssize(of.valueNorms) != of.keys)
            throw Failure(badInput("the map of " + toText(of.head) + " has norms for "
                                   + std::to_string(of.valueNorms.size()) + " keys, not for all "
                                   + std::to_string(of.keys)));
    });
}

/// Throws Failure where a token or word points to a word that is not there.
inline void checkTree(AttentionResult &result)
{
    const auto words = static_cast<int>(result.sourceTree.size());
    for (const TreeWord &word : result.sourceTree) {
        if (word.head < -1 || word.head >= words)
            throw Failure(badInput("the tree has no word " + std::to_string(word.head)));
    }
    for (const TokenLabel &token : result.sourceTokens) {
        if (token.treeWord >= words)
            throw Failure(badInput("the tree has no word " + std::to_string(token.treeWord)));
    }
}

void describe(auto &visit, Of<AttentionResult> auto &result)
{
    visit.added("source", result.source, "the text");
    visit.added("target", result.target, "what the decoder was forced to, or the second text");
    visit.rare("predicted", result.predicted, "of a classifier: label and probability");
    visit.field("source_tokens", result.sourceTokens, "queries of encoder maps, keys of encoder and cross maps");
    visit.field("target_tokens", result.targetTokens, "queries of decoder and cross maps, keys of decoder maps");
    visit.rare("source_tree", result.sourceTree, "of the source, where one was given");
    visit.rare("cut", result.cut, "the end did not fit into the model's positions");
    visit.rare("empty_pair", result.emptyPair, "the text was read as a pair whose second text is empty");
    visit.field("maps", result.maps, "one for each head");
    visit.field("manifest", result.manifest, "where the result comes from");
    afterReading(visit, result, checkTree);
}

// compare

void describe(auto &visit, Of<HeadDifference::Test> auto &test)
{
    visit.merge(test.interval);
    visit.field("p", test.p, "independent bootstraps in both sets, two-sided");
    visit.field("p_adjusted", test.pAdjusted, "Holm over all heads");
    visit.field("p_bh", test.pDiscovery, "Benjamini–Hochberg over all heads");
}

void describe(auto &visit, Of<HeadDifference> auto &head)
{
    visit.field("head", head.head, "address");
    visit.field("a", head.a, "in the first result");
    visit.field("b", head.b, "in the second");
    visit.field("difference", head.difference, "b minus a");
    visit.mergeIfAny("p", head.test);
}

void describe(auto &visit, Of<Correlation> auto &correlation)
{
    visit.field("value", correlation.value, "of the heads' values");
    visit.field("p", correlation.p, "two-sided");
    visit.merge(correlation.interval);
}

void describe(auto &visit, Of<ComparedData> auto &data)
{
    visit.added("data", data.name, "name of the data set");
    visit.rare("baseline", data.baseline, "score of the full model");
}

void describe(auto &visit, Of<TopOverlap> auto &overlap)
{
    visit.added("k", overlap.k, "heads");
    visit.added("shared", overlap.shared, "of the highest k of one that are among those of the other");
    visit.field("expected", overlap.expected, "by chance");
}

void describe(auto &visit, Of<CompareResult> auto &result)
{
    visit.field("measure", result.measure, "of heads");
    visit.rare("metric", result.metric, "of `ablate`");
    visit.when(!result.metric.empty(), "better", result.better, "which of its scores are");
    visit.added("a", result.a, "first data set");
    visit.added("b", result.b, "second");
    visit.part("pearson", "r over heads", [&](auto &inner) {
        inner.merge(result.pearson);
        inner.rare("bootstrap", result.pearsonBootstrap, "its interval over resampled heads");
    });
    visit.field("spearman", result.spearman, "rho");
    visit.added("kendall", result.kendall, "tau b");
    visit.added("overlaps", result.overlaps, "of the heads that matter most");
    visit.derived("tests", "what each p is of", [&]() -> Json {
        if (std::ranges::none_of(result.heads, [](const auto &head) { return head.test.has_value(); }))
            return nothing();
        return {{"p", "difference b - a of the deltas, by independent bootstraps in both sets, two-sided"},
                {"p_adjusted", "Holm over all heads, of p"},
                {"p_bh", "Benjamini-Hochberg over all heads, of p"}};
    });
    visit.field("heads", result.heads, "one each");
}

// relevance

void describe(auto &visit, Of<HeadRelevance> auto &head)
{
    visit.field("head", head.head, "address");
    visit.field("relevance", head.relevance, "share of its layer, mean over steps");
    visit.field("stderr", head.standardError, "over examples");
}

void describe(auto &visit, Of<ContributionPoint> auto &point)
{
    visit.added("position", point.position, "in the target; 0 has no prefix but the start token");
    visit.added("examples", point.examples, "that reach it");
    visit.field("source", point.source, "share of the source; the rest is the prefix's");
    visit.field("source_entropy", point.sourceEntropy, "nats, of the source tokens' shares");
    visit.field("prefix_entropy", point.prefixEntropy, "nats, of the shares of the prefix's tokens");
}

void describe(auto &visit, Of<ExampleRelevance> auto &example)
{
    visit.added("index", example.index, "row of the data set");
    visit.added("steps", example.steps, "targets that relevance was traced back from");
    visit.field("heads", example.heads, "in the order of the result's heads");
    visit.field("source", example.source, "of each step the source tokens' shares");
    visit.field("prefix", example.prefix, "and those of the prefix");
    visit.rare("source_tokens", example.sourceTokens, "spelling of the source tokens, of a single example");
    visit.rare("prefix_tokens", example.prefixTokens, "spelling of the prefix's tokens, of a single example");
    visit.rare("targets", example.targets, "what is traced back at each step: tokens, or the label");
}

void describe(auto &visit, Of<RelevanceResult> auto &result)
{
    visit.field("rule", result.rule, "by which relevance is divided");
    visit.added("absolute", result.absolute, "shares are of absolute relevances");
    visit.added("prefix", result.prefix, "`reference`, `own output`; empty: there is no such choice");
    visit.added("examples", result.examples, "used");
    visit.added("steps", result.steps, "targets");
    visit.field("conserved", result.conserved, "relevance at the embeddings, which was 1 at the start: mean");
    visit.field("largest_deviation", result.largestDeviation, "from 1");
    visit.field("heads", result.heads, "one each");
    visit.field("contributions", result.contributions, "by position, of models with a source and a prefix");
    visit.rare("sentences", result.sentences, "of single examples, if asked for");
    visit.field("manifest", result.manifest, "where the result comes from");
}

// speed

void describe(auto &visit, Of<Spread> auto &spread)
{
    visit.field("mean", spread.mean, "over repeats");
    visit.field("sd", spread.deviation, "of a sample");
    visit.field("median", spread.median, "over repeats");
    visit.field("q1", spread.lower, "lower quartile");
    visit.field("q3", spread.upper, "upper quartile");
}

void describe(auto &visit, Of<SpeedRow> auto &row)
{
    visit.field("lengths", row.lengths, "how batches were made");
    visit.field("batch_size", row.batchSize, "examples");
    visit.field("contender", row.contender, "the model as it is, with heads masked, or without them");
    visit.field("batches", row.batches, "in a repeat");
    visit.field("tokens", row.tokens, "in a repeat, `token_unit`");
    visit.field("examples_per_second", row.examplesPerSecond, "measured");
    visit.field("tokens_per_second", row.tokensPerSecond, "measured");
    visit.field("gain", row.gain, "examples per second over the original's in the same repeat, minus 1");
    visit.field("seconds", row.seconds, "of every repeat");
    visit.rare("peak_bytes", row.peakBytes, "that the largest batch took beside the weights");
}

void describe(auto &visit, Of<SpeedResult> auto &result)
{
    const auto both = [&](const char *key, auto &original, auto &removed, const char *help) {
        visit.part(key, help, [&](auto &inner) {
            inner.field("original", original, "of the full model");
            inner.field("removed", removed, "without the heads");
        });
    };
    visit.field("mask", result.mask, "the heads masked and removed");
    visit.field("path", result.path, "what was run");
    visit.derived("device", "that it ran on", [&]() -> Json { return result.manifest.device; });
    visit.field("threads", result.threads, "of the processor");
    visit.field("repeats", result.repeats, "of every measurement");
    visit.field("warm_up_batches", result.warmUp, "before each");
    visit.field("examples", result.examples, "in a repeat");
    visit.field("token_unit", result.tokenUnit, "what tokens are");
    both("heads", result.heads, result.headsLeft, "that there are");
    both("parameters", result.parameters, result.parametersLeft, "that there are");
    both("weight_bytes", result.weightBytes, result.weightBytesLeft, "as computed with");
    visit.field("rows", result.rows, "by lengths, batch size and contender");
    visit.field("manifest", result.manifest, "where the result comes from");
}

} // namespace headscope

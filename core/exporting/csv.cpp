#include "core/exporting/csv.h"

#include "core/exporting/csvwriter.h"
#include "core/exporting/figurecsv.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace headscope {

namespace {

constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();

CsvWriter &operator<<(CsvWriter &csv, const HeadRef &head)
{
    return csv << toText(head) << headKindName(head.kind) << head.layer << head.head;
}

CsvWriter &operator<<(CsvWriter &csv, const Interval &interval)
{
    return csv << interval.low << interval.high;
}

/// Decoder input tokens are the queries of cross and decoder maps; encoder maps have the source on both sides.
const std::vector<TokenLabel> &queriesOf(const AttentionResult &result, HeadKind kind)
{
    return kind == HeadKind::Encoder ? result.sourceTokens : result.targetTokens;
}

const std::vector<TokenLabel> &keysOf(const AttentionResult &result, HeadKind kind)
{
    return kind == HeadKind::Decoder ? result.targetTokens : result.sourceTokens;
}

std::string_view tokenText(const std::vector<TokenLabel> &tokens, std::int64_t position)
{
    const auto index = static_cast<std::size_t>(position);
    return index < tokens.size() ? std::string_view(tokens[index].text) : std::string_view();
}

/// 0 and 1 in a pair of texts, −1 for special tokens.
std::string segmentText(const std::vector<TokenLabel> &tokens, std::int64_t position)
{
    const auto index = static_cast<std::size_t>(position);
    return index < tokens.size() ? std::to_string(tokens[index].segment) : std::string();
}

std::string numbersText(const auto &numbers)
{
    std::string text;
    for (const auto number : numbers)
        text += (text.empty() ? "" : " ") + std::to_string(number);
    return text;
}

std::string kindsText(const std::vector<HeadKind> &kinds)
{
    std::string text;
    for (HeadKind kind : kinds)
        text += (text.empty() ? "" : " ") + std::string(headKindName(kind));
    return text;
}

/// "encoder.0.1=1.25 encoder.0.2=0.75"
std::string scalesText(const HeadScales &scales)
{
    std::string text;
    for (const auto &[head, scale] : scales)
        text += (text.empty() ? "" : " ") + toText(head) + "=" + Json(scale).dump();
    return text;
}

/// A line of `predict`: the row of a text in the files, and an output for it; none where nothing can be predicted.
struct TextOutput
{
    std::int64_t row = 0;
    const ExampleOutput *output = nullptr;
};

/// In the order of the texts, those of a text in the order of its windows.
std::vector<TextOutput> outputsByText(const EvaluationResult &result)
{
    std::vector<TextOutput> lines;
    for (const ExampleOutput &output : result.outputs)
        lines.push_back({output.textRow >= 0 ? output.textRow : output.index, &output});
    for (const std::int64_t row : result.leftOut)
        lines.push_back({row, nullptr});
    std::ranges::stable_sort(lines, {}, &TextOutput::row);
    return lines;
}

std::string classificationCsv(const std::vector<ExampleOutput> &outputs)
{
    CsvWriter csv;
    csv << "index"
        << "predicted"
        << "label"
        << "predicted_label";
    for (std::size_t i = 0; i < outputs.front().logits.size(); ++i)
        csv << "logit_" + std::to_string(i);
    csv.endLine();
    for (const ExampleOutput &output : outputs) {
        csv << output.index << numbersText(output.predicted) << numbersText(output.labels) << output.text;
        for (const float logit : output.logits)
            csv << logit;
        csv.endLine();
    }
    return csv.text();
}

std::vector<std::string> rolesColumns()
{
    std::vector<std::string> columns{"head",   "kind",      "layer",      "head_number", "role",
                                     "labels", "ambiguous", "confidence", "tokens"};
    for (const Role role : kAllRoles) {
        std::string name(roleName(role));
        std::ranges::replace(name, ' ', '_');
        for (const char *what : {"", "_score", "_expected", "_instances"})
            columns.push_back(name + what);
    }
    columns.insert(columns.end(), {"alignment_error_when_predicted", "alignment_error_when_read"});
    for (const std::string_view detector : EnumNames<RoleDetector>::values) {
        for (const char *what : {"_sieve", "_sieve_p_adjusted"})
            columns.push_back(std::string(detector) + what);
    }
    return columns;
}

/// The cells of a head's best label of every role.
void addBestLabels(CsvWriter &csv, const std::vector<RoleLabel> &best)
{
    for (const Role role : kAllRoles) {
        const auto found = std::ranges::find(best, role, &RoleLabel::role);
        if (found != best.end())
            csv << claimOf(*found) << found->score << found->expected << found->instances;
        else
            csv << "" << kNoNumber << kNoNumber << "";
    }
}

} // namespace

std::string toCsv(const EvaluationResult &result)
{
    CsvWriter csv;
    csv.header({"metric", "score", "ci_low", "ci_high", "examples", "signature"});
    for (const MetricValue &metric : result.metrics) {
        csv << metric.name << metric.value;
        if (metric.interval)
            csv << *metric.interval;
        else
            csv << ""
                << "";
        csv << result.examples << metric.signature;
        csv.endLine();
    }
    return csv.text();
}

namespace {
/// Where entries are of key groups, a last column has the other heads of each.
template<typename Head>
class TogetherColumn
{
public:
    explicit TogetherColumn(const std::vector<Head> &heads)
        : m_isThere(std::ranges::any_of(heads, [](const Head &head) { return !head.together.empty(); }))
    {
    }
    const char *name() const { return m_isThere ? "together" : ""; }
    void add(CsvWriter &csv, const Head &head) const
    {
        if (m_isThere)
            csv << toText(HeadMask(head.together));
    }

private:
    bool m_isThere;
};
} // namespace

std::string toCsv(const AblationResult &result)
{
    CsvWriter csv;
    const TogetherColumn together(result.heads);
    const bool fitted
        = std::ranges::any_of(result.heads, [](const HeadAblation &head) { return head.fitLoss.has_value(); });
    csv.header({"head", "kind", "layer", "head_number", "metric", "score", "delta", "ci_low", "ci_high", "p",
                "p_adjusted", "changed", "p_mcnemar", "p_bh", "p_randomization", "p_t"},
               {fitted ? "fit_mean_loss" : "", fitted ? "fit_loss" : "", together.name()});
    for (const HeadAblation &head : result.heads) {
        csv << head.head << result.baseline.name << head.score << head.delta << head.interval << head.p
            << head.pAdjusted << head.changed << head.mcnemar.value_or(kNoNumber) << head.discoveryP.value_or(kNoNumber)
            << head.randomization.value_or(kNoNumber) << head.tTest.value_or(kNoNumber);
        if (fitted)
            csv << head.fitMeanLoss.value_or(kNoNumber) << head.fitLoss.value_or(kNoNumber);
        together.add(csv, head);
        csv.endLine();
    }
    return csv.text();
}

std::string toCsv(const ImportanceResult &result)
{
    CsvWriter csv;
    const TogetherColumn together(result.heads);
    csv.header({"head", "kind", "layer", "head_number", "importance", "stderr"}, {together.name()});
    for (const HeadImportance &head : result.heads) {
        csv << head.head << head.importance << head.standardError;
        together.add(csv, head);
        csv.endLine();
    }
    return csv.text();
}

std::string toCsv(const ConfidenceResult &result)
{
    CsvWriter csv;
    const TogetherColumn together(result.heads);
    csv.header({"head", "kind", "layer", "head_number", "confidence", "tokens"}, {together.name()});
    for (const HeadConfidence &head : result.heads) {
        csv << head.head << head.confidence << head.tokens;
        together.add(csv, head);
        csv.endLine();
    }
    return csv.text();
}

namespace {

constexpr std::array kPairedColumns{"delta_ci_low", "delta_ci_high", "p", "changed"};

/// kPairedColumns, empty where there is no test against the full model.
void addPaired(CsvWriter &csv, const std::optional<PairedTest> &paired)
{
    if (paired)
        csv << paired->interval << paired->p << paired->changed;
    else
        csv << ""
            << ""
            << ""
            << "";
}

} // namespace

std::string toCsv(const PruningResult &result)
{
    // Metrics of labels have columns of their own, empty where something else was measured.
    constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kOfLabels{
        {{"accuracy", "accuracy"}, {"F1", "f1"}, {"macro-F1", "macro_f1"}, {"Matthews", "matthews"}}};
    CsvWriter csv;
    for (const char *column : {"order", "pruned", "fraction", "metric", "score", "ci_low", "ci_high", "mask", "kinds",
                               "delta", "order_data"})
        csv << column;
    for (const auto &[metric, column] : kOfLabels)
        csv << column;
    for (const char *column : kPairedColumns)
        csv << column;
    csv.endLine();
    for (const PruningCurve &curve : result.curves) {
        for (const PruningPoint &point : curve.points) {
            csv << (curve.reversed ? curve.order + " reversed" : curve.order) << point.pruned << point.fraction
                << result.metric << point.score << point.interval << toText(point.mask) << kindsText(curve.kinds)
                << point.score - curve.points.front().score << curve.orderData;
            for (const auto &[metric, column] : kOfLabels) {
                const auto found = std::ranges::find(point.others, metric, &MetricValue::name);
                csv << (found != point.others.end()                        ? found->value
                        : !point.others.empty() && result.metric == metric ? point.score
                                                                           : kNoNumber);
            }
            addPaired(csv, point.paired);
            csv.endLine();
        }
    }
    return csv.text();
}

std::string toCsv(const BestHeadsResult &result)
{
    CsvWriter csv;
    csv.header({"head", "kind", "layer", "head_number", "metric", "chosen_delta", "score", "delta", "ci_low", "ci_high",
                "p", "p_adjusted", "p_bh", "p_randomization", "p_mcnemar", "p_t", "heads_in_layer"});
    for (const BestHead &best : result.layers) {
        const HeadAblation &head = best.reported;
        csv << best.head << result.baseline.name << best.chosenDelta << head.score << head.delta << head.interval
            << head.p << head.pAdjusted << head.discoveryP.value_or(kNoNumber) << head.randomization.value_or(kNoNumber)
            << head.mcnemar.value_or(kNoNumber) << head.tTest.value_or(kNoNumber)
            << static_cast<std::int64_t>(best.row.size());
        csv.endLine();
    }
    return csv.text();
}

std::string toCsv(const SearchResult &result)
{
    CsvWriter csv;
    csv.header({"way", "pruned", "fraction", "attention_macs", "objective", "metric", "score", "delta", "ci_low",
                "ci_high", "mask", "scales", "delta_ci_low", "delta_ci_high", "p", "changed"});
    for (const SearchPoint &point : result.points) {
        const std::pair<const char *, const FoundMask *> ways[]
            = {{"search", &point.searched}, {"rearranged", &point.rearranged}, {"rescaled", &point.rescaled}};
        for (const auto &[name, found] : ways) {
            csv << name << point.pruned << point.fraction << point.attentionMacs << found->objective
                << result.baseline.name << found->score << found->delta << found->interval << toText(found->mask)
                << scalesText(found->scales);
            addPaired(csv, found->paired);
            csv.endLine();
        }
    }
    return csv.text();
}

std::string toCsv(const CompareResult &result)
{
    CsvWriter csv;
    csv.header({"head", "kind", "layer", "head_number", "measure", "metric", "a", "b", "difference", "ci_low",
                "ci_high", "p", "p_adjusted", "p_bh", "r", "rho", "tau"});
    for (const HeadDifference &head : result.heads) {
        csv << head.head << result.measure << result.metric << head.a << head.b << head.difference;
        if (head.test)
            csv << head.test->interval << head.test->p << head.test->pAdjusted << head.test->pDiscovery;
        else
            csv << ""
                << ""
                << ""
                << ""
                << "";
        csv << result.pearson.value << result.spearman.value << result.kendall.value;
        csv.endLine();
    }
    return csv.text();
}

std::string toCsv(const RolesResult &result, const RoleThresholds &thresholds, const WindowedSweep &windowed)
{
    CsvWriter csv;
    for (const std::string &column : rolesColumns())
        csv << column;
    csv.endLine();
    const auto roles = assignRoles(result, thresholds, windowed);
    for (std::size_t i = 0; i < result.heads.size(); ++i) {
        const HeadRoleScores &head = result.heads[i];
        std::string labels;
        for (const RoleLabel &label : roles[i].labels)
            labels += (labels.empty() ? "" : "; ") + claimOf(label);
        csv << head.head << (roles[i].first() ? labelText(*roles[i].first()) : std::string()) << labels
            << (roles[i].isAmbiguous() ? "yes" : "no") << head.confidence << head.tokens;
        addBestLabels(csv, bestLabels(result, head, thresholds, windowed));
        csv << (head.alignment ? head.alignment->whenPredicted : kNoNumber)
            << (head.alignment ? head.alignment->whenRead : kNoNumber);
        for (std::size_t detector = 0; detector < EnumNames<RoleDetector>::values.size(); ++detector) {
            const auto found
                = std::ranges::find(head.detectors, static_cast<RoleDetector>(detector), &RoleDetectorScore::detector);
            csv << (found == head.detectors.end() ? kNoNumber : found->score)
                << (found == head.detectors.end() ? kNoNumber : found->pAdjusted);
        }
        csv.endLine();
    }
    return csv.text();
}

std::string toCsv(const RelevanceResult &result)
{
    if (result.isOfOneExample())
        return tokenContributionsCsv(result);
    CsvWriter csv;
    csv.header({"head", "kind", "layer", "head_number", "relevance", "stderr"});
    for (const HeadRelevance &head : result.heads) {
        csv << head.head << head.relevance << head.standardError;
        csv.endLine();
    }
    return csv.text();
}

std::string toCsv(const AttentionResult &result, AttentionMeasure measure)
{
    CsvWriter csv;
    csv.header({"head", "kind", "layer", "head_number", "query", "query_token", "key", "key_token", "measure", "weight",
                "query_segment", "key_segment", "value_norm"});
    for (const AttentionMap &map : result.maps) {
        const auto &queries = queriesOf(result, map.head.kind);
        const auto &keys = keysOf(result, map.head.kind);
        for (std::int64_t query = 0; query < map.queries; ++query) {
            for (std::int64_t key = 0; key < map.keys; ++key) {
                const float weight = map.weights[static_cast<std::size_t>(query * map.keys + key)];
                csv << map.head << query << tokenText(queries, query) << key << tokenText(keys, key) << toText(measure)
                    << static_cast<double>(weight) << segmentText(queries, query) << segmentText(keys, key)
                    << (map.valueNorms.empty() ? kNoNumber : double{map.valueNorms[static_cast<std::size_t>(key)]});
                csv.endLine();
            }
        }
    }
    return csv.text();
}

std::string headsCsv(const Json &result)
{
    std::vector<std::string> columns;
    for (const Json &head : result.at("heads")) {
        for (const auto &[name, value] : head.items()) {
            if (!value.is_structured() && name != "head" && std::ranges::find(columns, name) == columns.end())
                columns.push_back(name);
        }
    }
    CsvWriter csv;
    for (const char *column : {"head", "kind", "layer", "head_number"})
        csv << column;
    for (const std::string &column : columns)
        csv << column;
    csv.endLine();
    for (const Json &head : result.at("heads")) {
        csv << parseHeadRef(head.at("head").get_ref<const std::string &>()).valueOrThrow();
        for (const std::string &column : columns) {
            const auto found = head.find(column);
            if (found == head.end() || found->is_null())
                csv << "";
            else if (found->is_boolean())
                csv << (found->get<bool>() ? "yes" : "no");
            else
                csv << (found->is_string() ? found->get<std::string>() : found->dump());
        }
        csv.endLine();
    }
    return csv.text();
}

std::string toCsv(const AnyResult &result)
{
    return result.visit([](const auto &value) { return toCsv(value); });
}

std::string outputsCsv(const EvaluationResult &result)
{
    if (!result.outputs.empty() && !result.outputs.front().logits.empty())
        return classificationCsv(result.outputs);
    CsvWriter csv;
    csv.header({"index", "score", "tokens", "text"});
    for (const TextOutput &line : outputsByText(result)) {
        csv << line.row;
        if (line.output)
            csv << line.output->score << numbersText(line.output->tokens) << line.output->text;
        else
            csv << ""
                << ""
                << "";
        csv.endLine();
    }
    return csv.text();
}

std::string outputsJsonLines(const EvaluationResult &result)
{
    const std::vector<TextOutput> outputs = outputsByText(result);
    const auto isOfText = [&](std::size_t i, std::int64_t row) { return i < outputs.size() && outputs[i].row == row; };
    std::string lines;
    std::int64_t window = 0;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        const auto &[row, output] = outputs[i];
        Json line = output ? toJson(*output)
                           : Json({{"index", row}, {"tokens", Json::array()}, {"text", ""}, {"score", nullptr}});
        line["index"] = row;
        line.erase("text_row");
        window = i > 0 && outputs[i - 1].row == row ? window + 1 : 0;
        if (window > 0 || isOfText(i + 1, row))
            line["window"] = window;
        lines += jsonText(line, -1) + "\n";
    }
    return lines;
}

} // namespace headscope

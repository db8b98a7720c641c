#include "core/session/manifests.h"

#include "core/analysis/relevance.h"
#include "core/results/relevancejson.h"
#include "core/results/rolesjson.h"

#include <algorithm>
#include <utility>

namespace headscope {
namespace {

std::string quoted(const std::string &word)
{
    constexpr std::string_view kPlain
        = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./,:=+@%";
    if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos)
        return word;
    std::string text = "'";
    for (char c : word)
        text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return text + "'";
}

std::string optionText(const nlohmann::json &value)
{
    if (value.is_string())
        return value.get<std::string>();
    if (value.is_array()) {
        std::string text;
        for (const auto &item : value)
            text += (text.empty() ? "" : ",") + item.get<std::string>();
        return text;
    }
    return value.dump();
}

} // namespace

nlohmann::json optionList(const std::vector<std::int64_t> &numbers)
{
    nlohmann::json list = nlohmann::json::array();
    for (const std::int64_t number : numbers)
        list.push_back(std::to_string(number));
    return list;
}

nlohmann::json toJson(const RunOptions &run)
{
    nlohmann::json json{{"seed", run.seed}, {"plain", run.plain}};
    if (run.batchTokens > 0)
        json["batch-tokens"] = run.batchTokens;
    if (run.memory > 0) // decides after which examples a head is looked at again
        json["memory"] = run.memory;
    if (!run.metric.empty())
        json["metric"] = run.metric;
    if (run.products != ProductChoice::Auto)
        json["products"] = toText(run.products);
    if (run.decoding.beams)
        json["beams"] = *run.decoding.beams;
    if (run.decoding.lengthPenalty)
        json["length-penalty"] = *run.decoding.lengthPenalty;
    if (run.decoding.maxLength)
        json["max-length"] = *run.decoding.maxLength;
    return json;
}

nlohmann::json toJson(const EvaluationSpec &spec)
{
    nlohmann::json json = toJson(spec.run);
    json["mask"] = toText(spec.mask);
    if (spec.against)
        json["against"] = toText(*spec.against);
    json["resamples"] = spec.resamples;
    return json;
}

nlohmann::json toJson(const AblationSpec &spec)
{
    nlohmann::json json = toJson(spec.run);
    json["mask"] = toText(spec.mask);
    json["all-but-one"] = spec.allButOne;
    json["replace"] = toText(spec.replacement);
    json["resamples"] = spec.resamples;
    if (spec.precision > 0)
        json["precision"] = spec.precision;
    if (spec.sampleRatio != 1)
        json["sample-ratio"] = spec.sampleRatio;
    if (spec.replacement == Replacement::Resample && spec.draws != 1)
        json["draws"] = spec.draws;
    return json;
}

nlohmann::json toJson(const ImportanceSpec &spec)
{
    nlohmann::json json = toJson(spec.run);
    json["mask"] = toText(spec.mask);
    json["reduction"] = toText(spec.reduction);
    json["normalize"] = toText(spec.normalization);
    return json;
}

nlohmann::json toJson(const PruningSpec &spec)
{
    nlohmann::json json = toJson(spec.run);
    json["order"] = spec.order;
    json["step"] = spec.step;
    json["reestimate"] = spec.reestimate;
    json["kinds"] = nlohmann::json::array();
    for (HeadKind kind : spec.kinds)
        json["kinds"].push_back(headKindName(kind));
    json["at-least"] = spec.atLeastPerLayer;
    json["random-orders"] = spec.randomOrders;
    json["reduction"] = toText(spec.reduction);
    json["normalize"] = toText(spec.normalization);
    json["resamples"] = spec.resamples;
    // What is as it always was is not said, so that results keep their keys.
    if (spec.reverse)
        json["reverse"] = true;
    if (spec.rounding != StepRounding::Down)
        json["rounding"] = toText(spec.rounding);
    if (spec.eachKind)
        json["each-kind"] = true;
    if (spec.order == "greedy")
        json["greedy-step"] = spec.greedyStep;
    return json;
}

nlohmann::json toJson(const SearchSpec &spec)
{
    nlohmann::json json = toJson(spec.run);
    json["kinds"] = nlohmann::json::array();
    for (HeadKind kind : spec.kinds)
        json["kinds"].push_back(headKindName(kind));
    json["step"] = spec.step;
    json["rounding"] = toText(spec.rounding);
    json["samples"] = spec.samples;
    json["mini-batch"] = spec.miniBatch;
    json["resamples"] = spec.resamples;
    return json;
}

nlohmann::json toJson(const RolesSpec &spec)
{
    nlohmann::json json = toJson(spec.run);
    json["mask"] = toText(spec.mask);
    json["measure"] = toText(spec.measure);
    json["special-tokens"] = toText(spec.specialTokens);
    json["renormalize"] = spec.renormalize;
    json["own-output"] = spec.ownOutput;
    json["evidence"] = spec.evidence;
    json["corpus"] = spec.corpus;
    json["frequencies"] = spec.frequencies;
    json["alignments"] = spec.alignments;
    return json;
}

nlohmann::json withLanguages(nlohmann::json spec, const std::string &source, const std::string &target)
{
    const std::pair<const char *, const std::string *> languages[] = {{"source-language", &source},
                                                                      {"target-language", &target}};
    for (const auto &[option, language] : languages)
        if (!language->empty())
            spec[option] = *language;
    return spec;
}

std::string secondDataOption(const char *option, const DataSource &data)
{
    const bool parallel = !data.source.empty();
    const std::string &file = parallel ? data.source : data.text.empty() ? data.table : data.text;
    std::string text = std::string(" --") + option + ' ' + quoted(file);
    if (parallel)
        text += ' ' + quoted(data.reference);
    return data.conllu.empty() ? text : text + ' ' + quoted(data.conllu);
}

nlohmann::json toJson(const SpeedSpec &spec)
{
    nlohmann::json json = toJson(spec.run);
    if (spec.mask)
        json["mask"] = toText(*spec.mask);
    else
        json["fraction"] = spec.fraction;
    json["batch-sizes"] = optionList(spec.batchSizes);
    json["lengths"] = nlohmann::json::array();
    for (const LengthPolicy policy : spec.lengths)
        json["lengths"].push_back(toText(policy));
    json["examples"] = spec.examples;
    json["repeats"] = spec.repeats;
    json["warm-up"] = spec.warmUp;
    return json;
}

nlohmann::json toJson(const RelevanceSpec &spec)
{
    nlohmann::json json = toJson(spec.run);
    json["mask"] = toText(spec.mask);
    json["rule"] = toText(spec.rule);
    // As it works out: the same numbers have the same key, however they were asked for.
    json["absolute"] = usesAbsoluteShares(spec);
    json["signed"] = spec.rule != RelevanceRule::AlphaBeta && !usesAbsoluteShares(spec);
    json["own-output"] = spec.ownOutput;
    json["attention-constant"] = spec.attentionConstant;
    json["sentences"] = spec.sentences;
    return json;
}

std::string commandLine(const std::string &analysis, const std::string &model, const DataSource &data,
                        const nlohmann::json &spec)
{
    std::string command = "headscope-cli " + analysis + " --model " + quoted(model);
    const auto add = [&](const char *option, const std::string &value) {
        if (!value.empty())
            command += std::string(" --") + option + ' ' + quoted(value);
    };
    add("source", data.source);
    add("reference", data.reference);
    add("data", data.table);
    add("text-column", data.textColumn);
    add("pair-column", data.pairColumn);
    add("label-column", data.labelColumn);
    add("conllu", data.conllu);
    if (!data.header)
        command += " --no-header";
    if (data.quoted)
        command += " --quoted";
    add("label-map", data.labelMap);
    add("worse-column", data.worseColumn);
    add("paradigm-column", data.paradigmColumn);
    add("text-file", data.text);
    if (data.textUnit != TextUnit::Line)
        add("text-unit", toText(data.textUnit));
    if (data.stride > 0)
        add("stride", std::to_string(data.stride));
    if (data.limit > 0)
        add("limit", std::to_string(data.limit));
    if (data.sample > 0) // by the seed of the analysis, which is one of its options
        add("sample", std::to_string(data.sample));
    for (const auto &[option, value] : spec.items()) {
        if (value.is_boolean()) {
            if (value.get<bool>())
                command += " --" + option;
        } else {
            add(option.c_str(), optionText(value));
        }
    }
    return command;
}

} // namespace headscope

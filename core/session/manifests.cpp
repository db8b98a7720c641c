#include "core/session/manifests.h"

#include "core/analysis/relevance.h"
#include "core/base/shellwords.h"

#include <algorithm>
#include <utility>

namespace headscope {
namespace {

std::string quoted(const std::string &word)
{
    constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./,:=+@%";
    if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos)
        return word;
    return shellQuoted(word);
}

std::string optionText(const nlohmann::json &value)
{
    if (value.is_string())
        return value.get<std::string>();
    if (value.is_array()) {
        std::string text;
        for (const auto &item : value)
            text += (text.empty() ? "" : ",") + (item.is_string() ? item.get<std::string>() : item.dump());
        return text;
    }
    return value.dump();
}

} // namespace

nlohmann::json withLanguages(nlohmann::json spec, const std::string &source, const std::string &target)
{
    const std::pair<const char *, const std::string *> languages[]
        = {{"source-language", &source}, {"target-language", &target}};
    for (const auto &[option, language] : languages)
        if (!language->empty())
            spec[option] = *language;
    return spec;
}

std::string secondDataOption(const char *option, const DataSource &data)
{
    const bool parallel = !data.source.empty();
    const std::string &file = parallel ? data.source : data.text.empty() ? data.table : data.text;
    std::string text = std::string(" --") + option;
    if (!file.empty()) // else sentences with trees by themselves
        text += ' ' + quoted(file);
    if (parallel)
        text += ' ' + quoted(data.reference);
    return data.conllu.empty() ? text : text + ' ' + quoted(data.conllu);
}

RelevanceSpec canonical(RelevanceSpec spec)
{
    const bool absolute = usesAbsoluteShares(spec);
    spec.signedShares = spec.rule != RelevanceRule::AlphaBeta && !absolute;
    spec.absolute = absolute;
    return spec;
}

SpeedSpec canonical(SpeedSpec spec)
{
    if (spec.mask)
        spec.fraction = SpeedSpec().fraction;
    return spec;
}

BestHeadsSpec canonical(BestHeadsSpec spec)
{
    spec.allButOne = true;
    return spec;
}

DynamicsSpec canonical(DynamicsSpec spec)
{
    spec.keep.clear();
    return spec;
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
        add("text-unit", std::string(toText(data.textUnit)));
    if (data.stride > 0)
        add("stride", std::to_string(data.stride));
    if (data.windowPredictions != WindowPredictions::All)
        add("window-predictions", std::string(toText(data.windowPredictions)));
    if (data.windowStart != WindowStart::None)
        add("window-start", std::string(toText(data.windowStart)));
    add("source-prefix", data.sourcePrefix);
    if (data.documentWords != kDefaultDocumentWords)
        add("document-words", std::to_string(data.documentWords));
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

#include "core/session/manifests.h"

#include "core/analysis/analyses.h"
#include "core/analysis/relevance.h"
#include "core/base/shellwords.h"
#include "core/session/studyrecord.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <set>
#include <string_view>
#include <type_traits>
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

/// The visitor of specoptions.h that lists the options whose value is a file or a folder.
class PathOptions
{
public:
    template<typename... Args>
    void mask(Args &&...)
    {
    }
    template<typename... Args>
    void flag(Args &&...)
    {
    }
    template<typename... Args>
    void integer(Args &&...)
    {
    }
    template<typename... Args>
    void real(Args &&...)
    {
    }
    template<typename... Args>
    void bytes(Args &&...)
    {
    }
    template<typename... Args>
    void choice(Args &&...)
    {
    }
    template<typename... Args>
    void integers(Args &&...)
    {
    }
    template<typename... Args>
    void choices(Args &&...)
    {
    }
    void text(const char *name, const std::string &, std::string_view type, const char *)
    {
        if (type == "FILE" || type == "DIR")
            m_names.insert(name);
    }

    const std::set<std::string> &names() const { return m_names; }

private:
    std::set<std::string> m_names;
};

/// The folder from which `place` is seen as `relative`; empty where it is not seen so from any.
std::filesystem::path folderSeeing(const std::filesystem::path &place, const std::filesystem::path &relative)
{
    std::filesystem::path folder = place.lexically_normal();
    const std::filesystem::path way = relative.lexically_normal();
    for (auto part = way.end(); part != way.begin();) {
        --part;
        if (folder.filename() != *part || !folder.has_relative_path())
            return {};
        folder = folder.parent_path();
    }
    return folder;
}

/// Options of a result whose second data set is named by its hash: "order-on".
std::set<std::string> secondDataOptions()
{
    std::set<std::string> names;
    forEachAnalysis([&](const auto &spec) {
        if (const std::string name = secondOption<std::decay_t<decltype(spec)>>(); !name.empty())
            names.insert(name);
    });
    return names;
}

/// Options whose value is a file or folder for sure.
std::set<std::string> pathOptions()
{
    PathOptions visitor;
    forEachAnalysis([&](auto spec) { describe(visitor, spec); });
    return visitor.names();
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

DataSource withAbsolutePaths(DataSource data)
{
    for (std::string *path : filesOf(data)) {
        if (!path->empty())
            *path = std::filesystem::absolute(*path).string();
    }
    return data;
}

std::string commandHere(const Manifest &result, const ModelCard &model, const DataSource &data, const DataSource *other)
{
    const bool here = model.host.empty();
    const auto found = [here](const DataSource &source) { return here ? withAbsolutePaths(source) : source; };
    const std::filesystem::path folder = here ? std::filesystem::absolute(model.folder) : model.folder;
    if (result.dataHash.empty()) { // of a text that was typed: it stands in the command
        const std::string before = " --model " + quoted(result.model);
        std::string command = result.command;
        if (const std::size_t at = command.find(before); at != std::string::npos)
            command.replace(at, before.size(), " --model " + quoted(folder.string()));
        return command;
    }
    nlohmann::json options = nlohmann::json::parse(result.spec, nullptr, false);
    if (!options.is_object())
        options = nlohmann::json::object();
    for (const char *name : {"content", "label-map", "stride"}) // hashes, and what is said with the data
        options.erase(name);
    std::string second;
    for (const std::string &name : secondDataOptions()) {
        if (!options.contains(name))
            continue;
        options.erase(name);
        if (other != nullptr)
            second = secondDataOption(name.c_str(), found(*other));
        else if (const std::size_t at = result.command.rfind(" --" + name); at != std::string::npos)
            second = result.command.substr(at); // it stands last
    }
    const std::filesystem::path seenFrom = folderSeeing(folder, result.model);
    const FileHashes files = usedFiles(result);
    const std::set<std::string> paths = pathOptions();
    for (auto &[name, value] : options.items()) {
        if (!here || !value.is_string())
            continue;
        const std::filesystem::path path = value.get<std::string>();
        if (!path.empty() && (paths.contains(name) || files.contains(path.string())))
            value = std::filesystem::absolute(seenFrom / path).lexically_normal().string();
    }
    if (result.dtype != ModelOptions().dtype)
        options["dtype"] = result.dtype;
    return commandLine(result.analysis, folder.string(), found(data), options) + second;
}

} // namespace headscope

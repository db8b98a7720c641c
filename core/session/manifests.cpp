#include "core/session/manifests.h"

#include "core/analysis/analyses.h"
#include "core/analysis/analysisinfo.h"
#include "core/analysis/relevance.h"
#include "core/analysis/specoptions.h"
#include "core/base/ranges.h"
#include "core/base/result.h"
#include "core/base/shellwords.h"
#include "core/data/readingoptions.h"
#include "core/results/manifestoptions.h"
#include "core/results/relevanceresult.h"
#include "core/session/studyrecord.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <set>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

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

/// The visitor of specoptions.h and readingoptions.h that lists the names of options, and which of them have a file or
/// a folder as their value.
class OptionNames
{
public:
    template<typename... Args>
    void mask(const char *name, Args &&...)
    {
        m_all.insert(name);
    }
    template<typename... Args>
    void flag(const char *name, Args &&...)
    {
        m_all.insert(name);
    }
    template<typename... Args>
    void without(const char *name, Args &&...)
    {
        m_all.insert(name);
    }
    template<typename... Args>
    void file(const char *name, Args &&...)
    {
        m_all.insert(name);
    }
    template<typename... Args>
    void integer(const char *name, Args &&...)
    {
        m_all.insert(name);
    }
    template<typename... Args>
    void real(const char *name, Args &&...)
    {
        m_all.insert(name);
    }
    template<typename... Args>
    void bytes(const char *name, Args &&...)
    {
        m_all.insert(name);
    }
    template<typename... Args>
    void choice(const char *name, Args &&...)
    {
        m_all.insert(name);
    }
    template<typename... Args>
    void integers(const char *name, Args &&...)
    {
        m_all.insert(name);
    }
    template<typename... Args>
    void choices(const char *name, Args &&...)
    {
        m_all.insert(name);
    }
    void text(const char *name, const std::string &, std::string_view type, const char *)
    {
        m_all.insert(name);
        if (type == "FILE" || type == "DIR")
            m_paths.insert(name);
    }
    void add(const std::string &name) { m_all.insert(name); }

    const std::set<std::string> &all() const { return m_all; }
    const std::set<std::string> &paths() const { return m_paths; }

private:
    std::set<std::string> m_all;
    std::set<std::string> m_paths;
};

/// The visitor of readingoptions.h that lists all options with their values: flags that switch off are named so.
class SourceOptions
{
public:
    using List = std::vector<std::pair<std::string, nlohmann::json>>;

    void file(const char *name, const std::string &path, const char *) { m_list.emplace_back(name, path); }
    void text(const char *name, const std::string &value, const char *, const char *)
    {
        m_list.emplace_back(name, value);
    }
    void flag(const char *name, bool value, const char *) { m_list.emplace_back(name, value); }
    void without(const char *name, bool value, const char *) { m_list.emplace_back(name, !value); }
    void integer(const char *name, std::int64_t value, const IntegerRange &, const char *)
    {
        m_list.emplace_back(name, value);
    }
    template<typename E>
    void choice(const char *name, E value, const char *)
    {
        m_list.emplace_back(name, toText(value));
    }

    /// Those that are not as usual, as `describe(visitor, data)` lists them.
    static List of(DataSource data, void (*describe)(SourceOptions &, DataSource &))
    {
        SourceOptions own;
        describe(own, data);
        SourceOptions usual;
        DataSource nothing;
        describe(usual, nothing);
        List list;
        for (std::size_t i = 0; i < own.m_list.size(); ++i) {
            if (own.m_list[i] != usual.m_list[i])
                list.push_back(own.m_list[i]);
        }
        return list;
    }

private:
    List m_list;
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

/// The options that a command which repeats a result may have: those that decide its numbers, and those that name its
/// model and data. An option that writes a file is not among them.
const OptionNames &optionNames()
{
    static const OptionNames known = [] {
        OptionNames names;
        forEachAnalysis([&](auto spec) {
            describe(names, spec);
            describe(names, spec.run);
        });
        DataSource data;
        describeSource(names, data);
        for (const std::string &name : secondDataOptions())
            names.add(name);
        for (const char *name :
             {"model", kSecondReading, "dtype", "text", "target", "pair", "mask", "source-language", "target-language"})
            names.add(name);
        return names;
    }();
    return known;
}

/// The table of analyses has the name, or it is that of the attention of one text.
bool isAnalysis(const std::string &name)
{
    bool known = name == "attention";
    forEachAnalysis(
        [&](const auto &spec) { known = known || name == AnalysisOf<std::decay_t<decltype(spec)>>::kInfo.name; });
    return known;
}

/// " --name value", a value that begins with a dash as " --name=value": by itself it would be read as an option.
std::string optionWords(const std::string &name, const std::string &value)
{
    return " --" + name + (value.starts_with('-') ? '=' : ' ') + quoted(value);
}

/// " --name" of a flag, as above of another option; empty where it is not set.
std::string wordsOf(const std::string &name, const nlohmann::json &value)
{
    if (value.is_boolean())
        return value.get<bool>() ? " --" + name : std::string();
    const std::string text = optionText(value);
    return text.empty() ? std::string() : optionWords(name, text);
}

/// The words of a command that a file holds; empty where it is not one that repeats a result of this analysis.
std::vector<std::string> statedWords(const Manifest &result)
{
    std::vector<std::string> words;
    try {
        words = shellWords(result.command, "The command of a result");
    } catch (const Failure &) {
        return {};
    }
    if (words.size() < 2 || words[0] != "headscope-cli" || words[1] != result.analysis || !isAnalysis(words[1]))
        return {};
    const bool known = std::all_of(words.begin() + 2, words.end(), [](const std::string &word) {
        const bool isNumber = word.size() > 1 && (word[1] == '.' || (word[1] >= '0' && word[1] <= '9'));
        return !word.starts_with('-') || isNumber
            || (word.starts_with("--") && optionNames().all().contains(word.substr(2, word.find('=') - 2)));
    });
    return known ? words : std::vector<std::string>();
}

/// The words behind "--name" in the command that a file holds, up to its next option, with the option before them.
std::string statedOption(const Manifest &result, const std::string &name)
{
    const std::vector<std::string> words = statedWords(result);
    auto at = std::ranges::find(words, "--" + name);
    if (at == words.end())
        return {};
    std::string text = " --" + name;
    for (++at; at != words.end() && !at->starts_with('-'); ++at)
        text += ' ' + quoted(*at);
    return text;
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

nlohmann::json decidingOptions(const DataSource &data)
{
    nlohmann::json options = nlohmann::json::object();
    for (auto &[name, value] : SourceOptions::of(data, describeReading<SourceOptions>)) {
        if (std::ranges::find(kDecidingReading, name) != std::ranges::end(kDecidingReading))
            options[name] = std::move(value);
    }
    return options;
}

std::string secondDataOption(const char *option, const DataSource &data, const DataSource &first)
{
    const bool parallel = !data.source.empty();
    const std::string &file = parallel ? data.source : data.text.empty() ? data.table : data.text;
    std::string text = std::string(" --") + option;
    const auto add = [&text](const std::string &path) { // a name that begins with a dash would be read as an option
        text += ' ' + quoted(path.starts_with('-') ? "./" + path : path);
    };
    if (!file.empty()) // else sentences with trees by themselves
        add(file);
    if (parallel)
        add(data.reference);
    if (!data.conllu.empty())
        add(data.conllu);
    const auto reading = SourceOptions::of(data, describeReading<SourceOptions>);
    if (reading == SourceOptions::of(first, describeReading<SourceOptions>))
        return text;
    text += std::string(" --") + kSecondReading;
    for (const auto &[name, value] : reading)
        text += ' ' + (value.is_boolean() ? name : quoted(name + '=' + optionText(value)));
    return reading.empty() ? text + ' ' + kUsualReading : text;
}

std::string commandLine(const std::string &analysis, const std::string &model, const DataSource &data,
                        const nlohmann::json &spec)
{
    std::string command = "headscope-cli " + quoted(analysis) + optionWords("model", model);
    for (const auto &[name, value] : SourceOptions::of(data, describeSource<SourceOptions>))
        command += wordsOf(name, value);
    for (const auto &[name, value] : spec.items())
        command += wordsOf(name, value);
    return command;
}

std::string statedCommand(const Manifest &result)
{
    std::string command;
    for (const std::string &word : statedWords(result))
        command += (command.empty() ? "" : " ") + quoted(word);
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
    if (!isAnalysis(result.analysis))
        return {};
    if (result.dataHash.empty()) { // of a text that was typed: it stands in the command
        Manifest moved = result;
        const std::string before = optionWords("model", result.model);
        if (const std::size_t at = moved.command.find(before); at != std::string::npos)
            moved.command.replace(at, before.size(), optionWords("model", folder.string()));
        return statedCommand(moved);
    }
    nlohmann::json options = optionsOf(result);
    options.erase("content");                 // a hash
    for (const char *name : kDecidingReading) // what is said with the data
        options.erase(name);
    std::string second;
    for (const std::string &name : secondDataOptions()) {
        if (!options.contains(name))
            continue;
        options.erase(name);
        if (other != nullptr)
            second = secondDataOption(name.c_str(), found(*other), data);
        else
            second = statedOption(result, name) + statedOption(result, kSecondReading);
    }
    for (auto option = options.begin(); option != options.end();) // a file may name any
        option = optionNames().all().contains(option.key()) ? std::next(option) : options.erase(option);
    const std::filesystem::path seenFrom = folderSeeing(folder, result.model);
    const FileHashes files = usedFiles(result);
    const std::set<std::string> &paths = optionNames().paths();
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

#include "app/cli/batch/batchplan.h"

#include "core/base/result.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <initializer_list>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

namespace headscope::cli {

namespace {

namespace fs = std::filesystem;
using UnorderedJson = nlohmann::json;

/// Options that batch itself gives to the commands; above all, no plan names other places to write to than its output.
constexpr std::array<std::string_view, 16> kOwnOptions{
    "out",    "format",         "quiet",           "journal",         "shard", "cluster", "maps", "out-dir",
    "shards", "cluster-folder", "cluster-options", "cluster-retries", "help",  "export",  "keep", "work-folder"};
/// Options that do not change any number.
constexpr std::array<std::string_view, 1> kIdleOptions{"threads"};
/// Files of a data set, in the order in which a second data set is given.
constexpr std::array<std::string_view, 5> kDataFiles{"source", "reference", "data", "text-file", "conllu"};

/// Something in the plan, and what messages call it.
struct Place
{
    const UnorderedJson &value;
    std::string name;

    [[noreturn]] void refuse(const std::string &why) const { throw Failure(badInput(name + ": " + why)); }
};

/// The words of some options, and the files among them.
struct Options
{
    std::vector<std::string> words;
    std::vector<std::string> decisive;
    std::vector<std::string> files;
    std::map<std::string, std::string> dataFiles; ///< of a data set: by its option
    std::vector<std::string> reading;             ///< of a data set: its other options, as --second-reading takes them
};

/// A model, a data set or an analysis of the plan.
struct Item
{
    std::string name;
    std::string where;
    Options options;
    std::optional<std::set<std::string>> models; ///< none: all
    std::optional<std::set<std::string>> data;
};

bool isAmong(const std::optional<std::set<std::string>> &names, const std::string &name)
{
    return !names || names->contains(name);
}

class PlanReader
{
public:
    PlanReader(UnorderedJson plan, std::string name, const PlanCommands &commands)
        : m_file(std::move(name)), m_plan(std::move(plan)), m_commands(commands)
    {
    }

    BatchPlan read()
    {
        const Place all{m_plan, m_file};
        if (!m_plan.is_object())
            all.refuse("a plan is an object with \"output\", \"models\", \"data\" and \"analyses\".");
        for (const auto &member : m_plan.items()) {
            constexpr std::array<std::string_view, 4> kKnown{"output", "models", "data", "analyses"};
            if (std::ranges::find(kKnown, member.key()) == kKnown.end())
                all.refuse(
                    fmt::format("\"{}\" is unknown here; a plan has \"output\", \"models\", \"data\" and \"analyses\".",
                                member.key()));
        }
        BatchPlan plan;
        plan.output = fs::absolute(text(member(all, "output")));
        readItems("models", m_models, [this](const Place &place) { return model(place); });
        readItems("data", m_data, [this](const Place &place) { return dataSet(place); });
        readItems("analyses", m_analyses, [this](const Place &place) { return analysis(place); });
        checkOutput(plan.output, member(all, "output"));
        for (const Item &one : m_models)
            plan.models.push_back(one.name);
        for (const Item &one : m_data)
            plan.data.push_back(one.name);
        combine(plan);
        if (plan.entries.empty())
            all.refuse("no analysis is for any of these models and data sets.");
        return plan;
    }

private:
    static std::string text(const Place &place)
    {
        const std::string value = place.value.is_string() ? place.value.get<std::string>() : std::string();
        if (value.empty() || std::ranges::any_of(value, [](unsigned char c) { return c < 0x20; }))
            place.refuse("a text was expected, on one line and not empty.");
        return value;
    }

    static Place member(const Place &place, const char *key)
    {
        if (!place.value.contains(key))
            place.refuse(fmt::format("\"{}\" is missing.", key));
        return {place.value.at(key), fmt::format("{}: \"{}\"", place.name, key)};
    }

    template<typename Read>
    void readItems(const char *key, std::vector<Item> &items, Read read)
    {
        const Place list = member({m_plan, m_file}, key);
        if (!list.value.is_array() || list.value.empty())
            list.refuse("a list was expected, with something in it.");
        std::set<std::string> names;
        for (std::size_t i = 0; i < list.value.size(); ++i) {
            const Place place{list.value[i], fmt::format("{}: {}[{}]", m_file, key, i)};
            items.push_back(read(place));
            if (!items.back().name.empty() && !names.insert(items.back().name).second)
                place.refuse(fmt::format("another one is also called \"{}\".", items.back().name));
        }
    }

    /// Results in a model's folder would count as a part of the model, and change what it is known by.
    void checkOutput(const fs::path &output, const Place &place) const
    {
        std::error_code ignored;
        const auto holds
            = [&](const Item &model) { return fs::equivalent(output, model.options.files.back(), ignored); };
        if (std::ranges::any_of(m_models, holds) || fs::exists(output / "config.json", ignored))
            place.refuse(
                fmt::format("{} is the folder of a model; choose another one for the results.", output.string()));
    }

    Item model(const Place &place)
    {
        const bool isPath = place.value.is_string();
        if (!isPath)
            requireObject(place);
        const std::string folder = text(isPath ? place : member(place, "model"));
        Item item{.name = fs::path(folder).lexically_normal().filename().string(),
                  .where = place.name,
                  .options = {},
                  .models = {},
                  .data = {}};
        if (!isPath && place.value.contains("name"))
            item.name = text(member(place, "name"));
        if (!fs::is_directory(folder))
            place.refuse(fmt::format("there is no folder {}.", folder));
        if (!isPath)
            item.options = options(place, {"name", "model"});
        item.options.words.push_back("--model=" + folder);
        item.options.files.push_back(folder);
        return item;
    }

    Item dataSet(const Place &place)
    {
        requireObject(place);
        Item item{.name = text(member(place, "name")),
                  .where = place.name,
                  .options = options(place, {"name", "models"}, true),
                  .models = names(place, "models", m_models),
                  .data = {}};
        if (item.options.files.empty())
            place.refuse("it names no file: \"source\" (and \"reference\"), \"data\", \"text-file\" or \"conllu\".");
        return item;
    }

    Item analysis(const Place &place)
    {
        requireObject(place);
        const std::string command = text(member(place, "command"));
        if (!m_commands.measures(command))
            place.refuse(fmt::format("\"{}\" is no command that measures a model and writes a result.", command));
        return {.name = {},
                .where = place.name + " (" + command + ")",
                .options = options(place, {"command", "models", "data"}),
                .models = names(place, "models", m_models),
                .data = names(place, "data", m_data)};
    }

    static void requireObject(const Place &place)
    {
        if (!place.value.is_object())
            place.refuse("an object was expected.");
    }

    static std::optional<std::set<std::string>> names(const Place &place, const char *key,
                                                      const std::vector<Item> &known)
    {
        if (!place.value.contains(key))
            return std::nullopt;
        const Place list = member(place, key);
        if (!list.value.is_array())
            list.refuse("a list of names was expected.");
        std::set<std::string> found;
        for (const UnorderedJson &one : list.value) {
            const std::string name = text({one, list.name});
            if (std::ranges::find(known, name, &Item::name) == known.end())
                list.refuse(fmt::format("the plan has nothing called \"{}\".", name));
            found.insert(name);
        }
        return found;
    }

    /// All members but these, as words of a command line.
    Options options(const Place &place, std::initializer_list<std::string_view> others, bool isData = false) const
    {
        Options found;
        for (const auto &one : place.value.items()) {
            const std::string &key = one.key();
            if (std::ranges::find(others, key) != others.end())
                continue;
            const Place value{one.value(), fmt::format("{}: \"{}\"", place.name, key)};
            if (key.empty()
                || !std::ranges::all_of(
                    key, [](unsigned char c) { return std::islower(c) != 0 || std::isdigit(c) != 0 || c == '-'; })
                || key.front() == '-')
                value.refuse(
                    "it is no name of an option; write it as on the command line, without the dashes in front.");
            if (std::ranges::find(kOwnOptions, key) != kOwnOptions.end())
                value.refuse("batch itself says where results go and what runs where: leave it out.");
            addOption(key, value, isData, found);
        }
        return found;
    }

    void addOption(const std::string &key, const Place &place, bool isData, Options &found) const
    {
        if (place.value.is_boolean()) {
            if (place.value.get<bool>()) {
                addWords({"--" + key}, key, found);
                if (isData && m_commands.saysHowToRead(key))
                    found.reading.push_back(key);
            }
            return;
        }
        const bool isFile = isData && std::ranges::find(kDataFiles, key) != kDataFiles.end();
        std::vector<std::string> words{"--" + key};
        std::vector<std::string> secondReading;
        const auto add = [&](const UnorderedJson &one) {
            for (const std::string &value : valuesOf({one, place.name})) {
                std::error_code ignored;
                const bool isThere = fs::is_regular_file(value, ignored);
                if (isFile && !isThere)
                    place.refuse(fmt::format("there is no file {}.", value));
                if (isThere)
                    found.files.push_back(value);
                words.push_back(value);
            }
            const std::vector<std::string> reading = readingOf(one);
            secondReading.insert(secondReading.end(), reading.begin(), reading.end());
        };
        if (isFile && place.value.is_string())
            found.dataFiles[key] = place.value.get<std::string>();
        else if (isData && m_commands.saysHowToRead(key) && !place.value.is_array())
            found.reading.push_back(key + "="
                                    + (place.value.is_string() ? place.value.get<std::string>() : place.value.dump()));
        if (place.value.is_array())
            std::ranges::for_each(place.value, add);
        else
            add(place.value);
        if (words.size() == 1)
            place.refuse("the list is empty.");
        words.front() += "=" + words[1]; // one word, whatever it begins with
        words.erase(words.begin() + 1);
        if (std::any_of(words.begin() + 1, words.end(), [](const std::string &word) { return word.starts_with('-'); }))
            place.refuse("only the first of several values may begin with a dash.");
        addWords(words, isFile ? std::string() : key, found);
        if (!secondReading.empty()) {
            secondReading.front().insert(0, "--" + m_commands.secondReading + "=");
            addWords(secondReading, m_commands.secondReading, found);
        }
    }

    /// `decidesAs`: the option's name; empty for a file, which decides by its content.
    static void addWords(const std::vector<std::string> &words, const std::string &decidesAs, Options &found)
    {
        found.words.insert(found.words.end(), words.begin(), words.end());
        if (!decidesAs.empty() && std::ranges::find(kIdleOptions, decidesAs) == kIdleOptions.end())
            found.decisive.insert(found.decisive.end(), words.begin(), words.end());
    }

    std::vector<std::string> valuesOf(const Place &place) const
    {
        if (place.value.is_number())
            return {place.value.dump()};
        const std::string value = text(place);
        if (!value.starts_with('@'))
            return {value};
        const std::string name = value.substr(1);
        const auto found = std::ranges::find(m_data, name, &Item::name);
        if (found == m_data.end())
            place.refuse(fmt::format("the plan has no data set \"{}\".", name));
        std::vector<std::string> files;
        for (const std::string_view option : kDataFiles) {
            if (const auto file = found->options.dataFiles.find(std::string(option));
                file != found->options.dataFiles.end())
                files.push_back(file->second);
        }
        return files;
    }

    /// The words that say how the data set is read which `value` names ("@NAME"); without such a set none.
    std::vector<std::string> readingOf(const UnorderedJson &value) const
    {
        const std::string text = value.is_string() ? value.get<std::string>() : std::string();
        const auto found
            = text.starts_with('@') ? std::ranges::find(m_data, text.substr(1), &Item::name) : m_data.end();
        if (found == m_data.end())
            return {};
        std::vector<std::string> words = found->options.reading;
        if (words.empty())
            words.push_back(m_commands.usualReading);
        return words;
    }

    void combine(BatchPlan &plan)
    {
        std::set<std::vector<std::string>> checked;
        for (const Item &model : m_models) {
            for (const Item &data : m_data) {
                for (std::size_t a = 0; a < m_analyses.size(); ++a) {
                    const Item &analysis = m_analyses[a];
                    if (!isAmong(data.models, model.name) || !isAmong(analysis.models, model.name)
                        || !isAmong(analysis.data, data.name))
                        continue;
                    BatchEntry entry{.model = model.name,
                                     .data = data.name,
                                     .command = m_plan["analyses"][a]["command"],
                                     .analysis = a};
                    entry.words.push_back(entry.command);
                    for (const Item *item : {&model, &data, &analysis}) {
                        const Options &own = item->options;
                        entry.words.insert(entry.words.end(), own.words.begin(), own.words.end());
                        entry.options.insert(entry.options.end(), own.decisive.begin(), own.decisive.end());
                        entry.inputs.insert(entry.inputs.end(), own.files.begin(), own.files.end());
                    }
                    check(entry, analysis, checked);
                    plan.entries.push_back(std::move(entry));
                }
            }
        }
    }

    /// As the command itself reads its words; alike for all models with the same options.
    void check(const BatchEntry &entry, const Item &analysis, std::set<std::vector<std::string>> &checked) const
    {
        std::vector<std::string> words;
        std::ranges::copy_if(entry.words, std::back_inserter(words),
                             [](const std::string &word) { return !word.starts_with("--model="); });
        if (!checked.insert(words).second)
            return;
        if (const std::string wrong = m_commands.wrongIn(entry.words); !wrong.empty())
            throw Failure(
                badInput(fmt::format("{}, model {}, data {}: {}", analysis.where, entry.model, entry.data, wrong)));
    }

    std::string m_file;
    UnorderedJson m_plan;
    const PlanCommands &m_commands;
    std::vector<Item> m_models;
    std::vector<Item> m_data;
    std::vector<Item> m_analyses;
};

} // namespace

BatchPlan batchPlan(nlohmann::json plan, const std::string &name, const PlanCommands &commands)
{
    return PlanReader(std::move(plan), name, commands).read();
}

} // namespace headscope::cli

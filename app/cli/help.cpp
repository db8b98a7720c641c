#include "app/cli/help.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <numeric>
#include <optional>
#include <set>
#include <sstream>
#include <string_view>
#include <utility>

namespace headscope::cli {

namespace {

struct CommandHelp
{
    const char *name;
    const char *group;
    const char *example; ///< of the guide (commands.md) or README
};

constexpr const char *kModels = "Models and outputs";
constexpr const char *kNeeded = "Which heads are needed?";
constexpr const char *kDo = "What do heads do?";
constexpr const char *kTraining = "Training";
constexpr const char *kTogether = "Reports, plans and other machines";
constexpr std::array kGroups{kModels, kNeeded, kDo, kTraining, kTogether};

constexpr std::array kCommands{
    CommandHelp{"inspect", kModels, "inspect --model MODEL_DIR"},
    CommandHelp{"predict", kModels, "predict --model MODEL_DIR --source test.en --limit 5"},
    CommandHelp{"evaluate", kModels, "evaluate --model MODEL_DIR --source test.en --reference test.fr --beams 4"},
    CommandHelp{"attention", kModels,
                "attention --model MODEL_DIR --text \"A man walks.\" --target \"Un homme marche.\""},
    CommandHelp{"ablate", kNeeded, "ablate --model MODEL_DIR --source test.en --reference test.fr --out in.json"},
    CommandHelp{"importance", kNeeded, "importance --model MODEL_DIR --source test.en --reference test.fr"},
    CommandHelp{"prune", kNeeded, "prune --model MODEL_DIR --data dev.tsv --export SMALLER_DIR --export-form small"},
    CommandHelp{"search", kNeeded, "search --model MODEL_DIR --data dev.tsv --search-on train.tsv"},
    CommandHelp{"mcnemar", kNeeded, "mcnemar --model MODEL_DIR --data dev.tsv --examples"},
    CommandHelp{"patch", kNeeded, "patch --model MODEL_DIR --data pairs.jsonl --positions"},
    CommandHelp{"nodes", kNeeded, "nodes patch.json --by patching --out importances.json"},
    CommandHelp{"takeover", kNeeded, "takeover --model MODEL_DIR --data pairs.jsonl --head decoder.9.6"},
    CommandHelp{"pattern", kNeeded, "pattern windows.json --out full_attention_heads.tsv"},
    CommandHelp{"shapley", kNeeded, "shapley --model MODEL_DIR --data dev.tsv --orders 40 --truncate 0.02"},
    CommandHelp{"interactions", kNeeded, "interactions --model MODEL_DIR --data dev.tsv --most 500"},
    CommandHelp{"gating", kNeeded, "gating --model MODEL_DIR --data dev.tsv --seeds 5 --format csv"},
    CommandHelp{"needed", kNeeded, "needed --model MODEL_DIR --source test.en --reference test.fr --example 12"},
    CommandHelp{"compare", kNeeded, "compare in.json out.json"},
    CommandHelp{"speed", kNeeded, "speed --model MODEL_DIR --data dev.tsv --fraction 0.5"},
    CommandHelp{"confidence", kDo, "confidence --model MODEL_DIR --source test.en --reference test.fr"},
    CommandHelp{"roles", kDo, "roles --model MODEL_DIR --conllu test.conllu --best-heads --format csv"},
    CommandHelp{"find", kDo, "find --model MODEL_DIR --conllu test.conllu --head encoder.2.6 --tag VERB --format csv"},
    CommandHelp{"detect", kDo, "detect --model MODEL_DIR --format csv"},
    CommandHelp{"weights", kDo, "weights --model MODEL_DIR --out weights.json"},
    CommandHelp{"relevance", kDo, "relevance --model MODEL_DIR --source test.en --reference test.fr --rule attnlrp"},
    CommandHelp{"similarity", kDo, "similarity --model MODEL_DIR --conllu test.conllu"},
    CommandHelp{"gradients", kDo, "gradients --model MODEL_DIR --data dev.tsv"},
    CommandHelp{"coreference", kDo, "coreference --model MODEL_DIR --conllu DOCUMENTS"},
    CommandHelp{"probe", kDo, "probe --model MODEL_DIR --conllu test.conllu --train-on train.conllu"},
    CommandHelp{"energy", kDo, "energy --model MODEL_DIR --source test.en --reference test.fr"},
    CommandHelp{"collaborate", kDo,
                "collaborate --model MODEL_DIR --source a.en --reference a.fr --ranks 256,128 --also-on b.en b.fr"},
    CommandHelp{"train", kTraining, "train CONFIG.json --heads 1,4,8,16"},
    CommandHelp{"l0", kTraining, "l0 CONFIG.json --lambda 0.01,0.03 --kinds encoder --trained gated"},
    CommandHelp{"subset", kTraining, "subset CONFIG.json --heads 8,16"},
    CommandHelp{"dynamics", kTraining, "dynamics --runs RUN_DIR --source test.en --reference test.fr --roles --spread"},
    CommandHelp{"report", kTogether,
                "report --model MODEL_DIR --out-dir REPORT --source a.en --reference a.fr --out-of-domain b.en b.fr"},
    CommandHelp{"papers", kTogether, "papers --gallery GALLERY"},
    CommandHelp{"batch", kTogether, "batch plan.json --out table.tsv"},
    CommandHelp{"merge", kTogether, "merge part1 part2 part3 --out all"},
    CommandHelp{"pack", kTogether, "pack STUDY.headscope --out study.zip"},
    CommandHelp{"unpack", kTogether, "unpack study.zip --out FOLDER"},
    CommandHelp{"serve", kTogether, "serve --keep 120"},
    CommandHelp{"demo", kTogether, "demo --out demo"},
    CommandHelp{"describe", kTogether, "describe --out analyses.json"},
    CommandHelp{"completion", kTogether, "completion bash"},
};

const CommandHelp *helpOf(const std::string &command)
{
    const auto found = std::ranges::find_if(kCommands, [&](const CommandHelp &help) { return command == help.name; });
    return found == kCommands.end() ? nullptr : &*found;
}

/// Lines of at most `width` characters, broken between words.
std::string wrapped(const std::string &text, std::size_t width)
{
    std::string lines;
    std::size_t used = 0;
    std::istringstream words(text);
    for (std::string word; words >> word;) {
        if (used > 0 && used + 1 + word.size() > width) {
            lines += '\n';
            used = 0;
        } else if (used > 0) {
            lines += ' ';
            ++used;
        }
        lines += word;
        used += word.size();
    }
    return lines;
}

constexpr std::size_t kLineWidth = 99;     ///< of every line
constexpr std::size_t kOptionColumn = 30;  ///< where the help of options begins
constexpr std::size_t kCommandColumn = 16; ///< and that of commands in the overview

/// Of a page the groups that every page has come last, so that a command's own options are seen first.
int placeOf(const std::string &group)
{
    constexpr std::array kShared{"Output", "Model", "Data", "Computation"};
    const auto found = std::ranges::find(kShared, group);
    return found == kShared.end() ? 0 : static_cast<int>(found - kShared.begin()) + 1;
}

/// Text of a page's end: paragraphs with lines that are too long are broken anew.
std::string fitted(const std::string &text)
{
    std::string pages;
    for (std::size_t start = 0; start <= text.size();) {
        const std::size_t end = std::min(text.find("\n\n", start), text.size());
        const std::string paragraph = text.substr(start, end - start);
        std::istringstream lines(paragraph);
        bool isTooLong = false;
        for (std::string line; std::getline(lines, line);)
            isTooLong = isTooLong || line.size() > kLineWidth;
        pages += (start == 0 ? "" : "\n\n") + (isTooLong ? wrapped(paragraph, kLineWidth) : paragraph);
        start = end + 2;
    }
    return pages;
}

/// An example as it can be copied: over several lines with a backslash where it is long.
std::string copied(const std::string &example)
{
    std::string lines = "  " + wrapped("headscope-cli " + example, kLineWidth - 8);
    for (std::size_t at = lines.find('\n'); at != std::string::npos; at = lines.find('\n', at + 8))
        lines.replace(at, 1, " \\\n      ");
    return lines;
}

class HelpFormatter final : public CLI::Formatter
{
public:
    HelpFormatter() { column_width(kOptionColumn); }

    /// With the options that are required, and what a data set is given by.
    std::string make_usage(const CLI::App *app, std::string name) const override
    {
        if (app->get_parent() == nullptr)
            return CLI::Formatter::make_usage(app, name);
        std::string text = "Usage: " + name;
        for (const CLI::Option *option : app->get_options()) {
            if (option->get_positional())
                text += ' ' + make_option_usage(option);
            else if (option->get_required())
                text += ' ' + option->get_name() + ' ' + typeText(option->get_type_name());
        }
        const bool hasData
            = app->get_option_no_throw("--source") != nullptr && app->get_option_no_throw("--data") != nullptr;
        if (hasData)
            text += app->get_option_no_throw("--text") != nullptr ? " (DATA | --text TEXT)" : " DATA";
        text += " [OPTIONS]\n";
        if (hasData)
            text += "DATA: --source FILE [--reference FILE] | --data FILE | --text-file FILE | --conllu FILE\n";
        return text;
    }

    std::string make_help(const CLI::App *app, std::string name, CLI::AppFormatMode mode) const override
    {
        if (mode == CLI::AppFormatMode::Sub)
            return make_expanded(app);
        return make_description(app) + make_usage(app, std::move(name)) + make_positionals(app) + orderedGroups(app)
             + make_subcommands(app, mode) + '\n' + make_footer(app);
    }

    std::string make_description(const CLI::App *app) const override
    {
        return wrapped(app->get_description(), kLineWidth) + '\n';
    }

    std::string make_subcommand(const CLI::App *command) const override
    {
        std::ostringstream line;
        CLI::detail::format_help(line, command->get_name(),
                                 wrapped(command->get_description(), kLineWidth - kCommandColumn), kCommandColumn);
        return line.str();
    }

    std::string make_option_name(const CLI::Option *option, bool positional) const override
    {
        std::string name = CLI::Formatter::make_option_name(option, positional);
        return name.substr(0, name.find('{')); // of a flag what it sets
    }

    std::string make_option_opts(const CLI::Option *option) const override
    {
        if (!option->get_option_text().empty())
            return ' ' + option->get_option_text();
        std::string text;
        if (option->get_type_size() != 0) {
            const std::string type = typeText(option->get_type_name());
            if (!type.empty() && !option->get_positional())
                text += ' ' + type;
            if (!option->get_default_str().empty())
                text += (type.empty() || option->get_positional() ? " =" : "=") + option->get_default_str();
            const bool several = option->get_expected_max() >= CLI::detail::expected_max_vector_size;
            if (several && !type.ends_with("..."))
                text += " ...";
        }
        if (option->get_required())
            text += " (required)";
        return text;
    }

    std::string make_option_desc(const CLI::Option *option) const override
    {
        const auto names = [](const std::set<CLI::Option *> &options) {
            std::vector<std::string> list;
            for (const CLI::Option *one : options)
                list.push_back(one->get_name());
            std::ranges::sort(list);
            return fmt::format("{}", fmt::join(list, ", "));
        };
        std::string text = option->get_description();
        if (!option->get_needs().empty())
            text += "; needs " + names(option->get_needs());
        if (!option->get_excludes().empty())
            text += "; not together with " + names(option->get_excludes());
        return wrapped(text, kLineWidth - kOptionColumn);
    }

    std::string make_subcommands(const CLI::App *app, CLI::AppFormatMode) const override
    {
        std::string text;
        for (const char *group : kGroups) {
            text += fmt::format("\n{}{}\n", group, std::string_view(group).ends_with('?') ? "" : ":");
            for (const CommandHelp &help : kCommands) {
                for (const CLI::App *command : app->get_subcommands({})) {
                    if (std::string_view(help.group) == group && command->get_name() == help.name)
                        text += make_subcommand(command);
                }
            }
        }
        return app->get_subcommands({}).empty() ? std::string() : text;
    }

    std::string make_footer(const CLI::App *app) const override
    {
        const CLI::App *parent = app->get_parent();
        std::string text = app->get_footer();
        if (parent == nullptr)
            return text + '\n';
        if (text == parent->get_footer()) // which commands without one of their own inherit
            text.clear();
        if (const CommandHelp *help = helpOf(app->get_name()))
            text = fmt::format("Example:\n{}\n\n{}{}", copied(help->example), fitted(text), text.empty() ? "" : "\n\n");
        return text + parent->get_footer() + '\n';
    }

private:
    std::string orderedGroups(const CLI::App *app) const
    {
        std::vector<std::string> groups = app->get_groups();
        std::ranges::stable_sort(groups, {}, placeOf);
        std::string text;
        for (const std::string &group : groups) {
            const auto options = app->get_options(
                [&](const CLI::Option *option) { return option->get_group() == group && option->nonpositional(); });
            if (!group.empty() && !options.empty())
                text += make_group(group, false, options);
        }
        return text;
    }
};

/// How many letters must be put in, left out, changed, or change places with their neighbour, to make `b` of `a`.
std::size_t editDistance(std::string_view a, std::string_view b)
{
    std::vector<std::size_t> before(b.size() + 1);
    std::vector<std::size_t> last(b.size() + 1);
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(last.begin(), last.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0U : 1U)});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = std::min(row[j], before[j - 2] + 1);
        }
        before = std::exchange(last, row);
    }
    return last[b.size()];
}

/// The one of `names` that `given` was most likely meant to be.
std::optional<std::string> nearest(const std::string &given, const std::vector<std::string> &names)
{
    std::optional<std::string> best;
    std::size_t least = std::max<std::size_t>(1, given.size() / 3) + 1;
    for (const std::string &name : names) {
        // One that goes on after what was given is nearer than any with other letters.
        const bool begins = given.size() >= 3 && name.starts_with(given);
        const std::size_t distance = begins ? 1 : editDistance(given, name);
        if (distance < least) {
            least = distance;
            best = name;
        }
    }
    return best;
}

std::vector<std::string> optionNames(const CLI::App &command)
{
    std::vector<std::string> names;
    for (const CLI::Option *option : command.get_options()) {
        for (const std::string &name : option->get_lnames())
            names.push_back(name);
    }
    return names;
}

[[noreturn]] void refuseOption(const CLI::App &app, const CLI::App &command, const std::string &name)
{
    const std::string option = "--" + name;
    if (const auto meant = nearest(name, optionNames(command)))
        throw CLI::ValidationError(option, "did you mean --" + *meant + '?');
    std::vector<std::string> others;
    for (const CLI::App *other : app.get_subcommands({})) {
        if (std::ranges::count(optionNames(*other), name) > 0)
            others.push_back(other->get_name());
    }
    std::string text = command.get_name() + " has no such option";
    if (!others.empty() && others.size() <= 5)
        text += fmt::format(" ({} {})", fmt::join(others, ", "), others.size() == 1 ? "has" : "have");
    throw CLI::ValidationError(option, text + "; headscope-cli " + command.get_name() + " --help lists its options");
}

void checkOptionNames(const CLI::App &app, const CLI::App &command, const std::vector<std::string> &words,
                      std::size_t first)
{
    for (std::size_t i = first; i < words.size() && words[i] != "--"; ++i) {
        if (!words[i].starts_with("--"))
            continue;
        const std::size_t equals = words[i].find('=');
        const std::string name = words[i].substr(2, equals == std::string::npos ? equals : equals - 2);
        const CLI::Option *option = command.get_option_no_throw("--" + name);
        if (option == nullptr)
            refuseOption(app, command, name);
        // Its values may look like options: "--cluster-options --exclusive".
        const int values = std::min(option->get_type_size_min(), option->get_items_expected_min());
        if (equals == std::string::npos && values > 0)
            i += static_cast<std::size_t>(values);
    }
}

} // namespace

std::string typeText(std::string type)
{
    const std::size_t colon = type.find(':');
    const std::string check = colon == std::string::npos ? std::string() : type.substr(colon + 1);
    if (check.starts_with('{') && check.ends_with('}')) {
        type = check.substr(1, check.size() - 2);
        std::ranges::replace(type, ',', '|');
        return type;
    }
    if (check == "FILE" || check == "DIR")
        return check;
    type = type.substr(0, colon);
    if (type == "INT" || type == "UINT")
        return "N";
    return type == "FLOAT" ? "X" : type;
}

void arrangeHelp(CLI::App &app)
{
    const auto formatter = std::make_shared<HelpFormatter>();
    formatter->label("SUBCOMMAND", "COMMAND");
    formatter->label("Positionals", "Arguments");
    app.formatter(formatter);
    for (CLI::App *command : app.get_subcommands({})) {
        command->formatter(formatter);
        if (const CommandHelp *help = helpOf(command->get_name()))
            command->group(help->group);
    }
}

void checkNames(const CLI::App &app, const std::vector<std::string> &words)
{
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (words[i] == "--progress") {
            ++i; // its value
            continue;
        }
        if (words[i].starts_with('-'))
            continue;
        std::vector<std::string> names;
        for (const CLI::App *command : app.get_subcommands({})) {
            if (command->get_name() == words[i])
                return checkOptionNames(app, *command, words, i + 1);
            names.push_back(command->get_name());
        }
        const auto meant = nearest(words[i], names);
        throw CLI::ValidationError(words[i], meant ? "did you mean " + *meant + '?'
                                                   : "there is no such command; headscope-cli --help lists them");
    }
}

} // namespace headscope::cli

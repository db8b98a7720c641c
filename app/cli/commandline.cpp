#include "app/cli/commandline.h"

#include "app/cli/help.h"
#include "app/cli/output.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <headscope/version.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

namespace headscope::cli {

namespace {

/// An option that was given as nothing: most often a variable of a script that is empty. Taken as if it were not there
/// it would do something else than was meant. A sentence may be empty, and so may a mask: no heads.
void refuseEmptyValues(const CLI::App &command)
{
    constexpr std::array<std::string_view, 5> kMayBeEmpty{"--text", "--target", "--pair", "--mask", "--against"};
    for (const CLI::Option *option : command.get_options()) {
        const bool mayBe = std::ranges::find(kMayBeEmpty, option->get_name()) != kMayBeEmpty.end();
        if (!mayBe && std::ranges::any_of(option->results(), &std::string::empty))
            throw CLI::ValidationError(option->get_name(),
                                       "nothing was given for it; leave it out, or say what is meant");
    }
}

/// Options that say where something is written, or kept while it is computed; each names a file or a folder.
constexpr std::array<std::string_view, 9> kWritten{"--out",         "--maps",   "--journal",
                                                   "--work-folder", "--keep",   "--cluster-folder",
                                                   "--out-dir",     "--export", "--gallery"};
/// Those of them that name files.
constexpr std::array<std::string_view, 3> kWrittenFiles{"--out", "--maps", "--journal"};

template<std::size_t N>
bool isOneOf(const std::array<std::string_view, N> &names, const CLI::Option &option)
{
    return std::ranges::find(names, option.get_name()) != names.end();
}

/// Whether the option names files or folders: as the type of its value says, or by its place (PLAN, STUDY, RESULT).
bool namesFiles(const CLI::Option &option)
{
    constexpr std::array<std::string_view, 3> kTypes{"FILE", "DIR", "TABLE"};
    const std::string type = option.get_type_name();
    return option.get_positional()
        || std::ranges::any_of(kTypes, [&](std::string_view one) { return type.find(one) != std::string::npos; });
}

/// The files that the words of a command name, once they are parsed.
NamedFiles namedFiles(const CLI::App &command)
{
    NamedFiles files;
    bool isTable = false;
    for (const CLI::Option *option : command.get_options()) {
        const std::vector<std::string> &values = option->results();
        isTable = isTable || (option->get_name() == "--format" && !values.empty() && values.back() == "csv");
        if (!isOneOf(kWritten, *option) && namesFiles(*option))
            files.inputs.insert(files.inputs.end(), values.begin(), values.end());
        if (isOneOf(kWrittenFiles, *option) && !values.empty())
            files.outputs.push_back({option->get_name(), values.back()});
    }
    const auto out = std::ranges::find(files.outputs, "--out", &NamedFiles::Output::option);
    if (isTable && out != files.outputs.end())
        files.outputs.push_back({"the manifest of --out", out->file + ".manifest.json"});
    return files;
}

} // namespace

CommandLine::CommandLine()
    : m_app("Headscope finds out what the attention heads of a trained Transformer do, and which of them are "
            "needed.",
            "headscope-cli")
{
    m_app.set_version_flag("--version", "headscope-cli " HEADSCOPE_VERSION);
    m_app.footer("Results go to --out or standard output, progress to standard error.\n"
                 "Exit codes: 0 done, 1 internal error, 2 usage, 3 bad input, 4 cancelled (what is complete is kept).");
    m_app
        .add_option(
            "--progress", m_progress,
            "Before the command: how progress, notes and errors are written to standard error; json: an object a line, for "
            "programs")
        ->check(CLI::IsMember({"text", "json"}))
        ->capture_default_str()
        ->type_name("FORM");
    addInspectCommand(m_app, m_chosen);
    addPredictCommand(m_app, m_chosen);
    addEvaluateCommand(m_app, m_chosen);
    addAblateCommand(m_app, m_chosen);
    addPruneCommand(m_app, m_chosen);
    addSearchCommand(m_app, m_chosen);
    addRolesCommand(m_app, m_chosen);
    addDynamicsCommand(m_app, m_chosen);
    addCollaborateCommand(m_app, m_chosen);
    addAnalysisCommands(m_app, m_chosen);
    addAttentionCommand(m_app, m_chosen);
    addCompareCommand(m_app, m_chosen);
    addNodesCommand(m_app, m_chosen);
    addPatternCommand(m_app, m_chosen);
#ifdef HEADSCOPE_HAS_REPORT
    addReportCommand(m_app, m_chosen);
#endif
    addPapersCommand(m_app, m_chosen);
    addMergeCommand(m_app, m_chosen);
    addBatchCommand(m_app, m_chosen);
    addServeCommand(m_app, m_chosen);
    addTrainCommand(m_app, m_chosen);
    addGateCommands(m_app, m_chosen);
    addDemoCommand(m_app, m_chosen);
    addPackCommand(m_app, m_chosen);
    addDescribeCommand(m_app, m_chosen);
    addCompletionCommand(m_app, m_chosen);
    arrangeHelp(m_app);
}

CommandFunction CommandLine::parsed(const std::vector<std::string> &words)
{
    checkNames(m_app, words);
    m_app.parse(std::vector<std::string>(words.rbegin(), words.rend())); // CLI11 takes the last first
    // Not by require_subcommand(): that would hide which word was not understood.
    if (!m_chosen) {
        std::vector<std::string> names;
        for (const CLI::App *one : m_app.get_subcommands({}))
            names.push_back(one->get_name());
        throw CLI::RequiredError(fmt::format("A command ({})", fmt::join(names, ", ")));
    }
    NamedFiles files;
    for (const CLI::App *one : m_app.get_subcommands()) {
        refuseEmptyValues(*one);
        files = namedFiles(*one);
    }
    return [files = std::move(files), chosen = m_chosen](Context &context) {
        checkKept(files);
        chosen(context);
    };
}

const CLI::App *CommandLine::command(const std::string &name) const
{
    for (const CLI::App *one : m_app.get_subcommands({})) {
        if (one->get_name() == name)
            return one;
    }
    return nullptr;
}

} // namespace headscope::cli

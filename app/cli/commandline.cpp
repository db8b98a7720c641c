#include "app/cli/commandline.h"

#include "app/cli/help.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <headscope/version.h>

#include <algorithm>
#include <array>
#include <string_view>

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
    for (const CLI::App *one : m_app.get_subcommands())
        refuseEmptyValues(*one);
    return m_chosen;
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

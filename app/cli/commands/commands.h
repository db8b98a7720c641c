#pragma once

#include <functional>

namespace CLI {
class App;
}

/// One function per command: it declares the command's options, and sets `chosen` when the user gives the command.
namespace headscope::cli {

class Context;

/// Runs a command with the options that were parsed. Throws Failure or Cancelled.
using CommandFunction = std::function<void(Context &)>;

void addInspectCommand(CLI::App &app, CommandFunction &chosen);
void addPredictCommand(CLI::App &app, CommandFunction &chosen);
void addEvaluateCommand(CLI::App &app, CommandFunction &chosen);
void addAblateCommand(CLI::App &app, CommandFunction &chosen);
void addPruneCommand(CLI::App &app, CommandFunction &chosen);
void addSearchCommand(CLI::App &app, CommandFunction &chosen);
void addRolesCommand(CLI::App &app, CommandFunction &chosen);
void addDynamicsCommand(CLI::App &app, CommandFunction &chosen);
void addCollaborateCommand(CLI::App &app, CommandFunction &chosen);
void addAttentionCommand(CLI::App &app, CommandFunction &chosen);
void addCompareCommand(CLI::App &app, CommandFunction &chosen);
/// Effects of heads as a file of the MIB benchmark.
void addNodesCommand(CLI::App &app, CommandFunction &chosen);
void addPatternCommand(CLI::App &app, CommandFunction &chosen);
/// Commands of the analyses that have no function above.
void addAnalysisCommands(CLI::App &app, CommandFunction &chosen);
void addTrainCommand(CLI::App &app, CommandFunction &chosen);
/// l0 and subset.
void addGateCommands(CLI::App &app, CommandFunction &chosen);
void addMergeCommand(CLI::App &app, CommandFunction &chosen);
void addBatchCommand(CLI::App &app, CommandFunction &chosen);
/// The core for a window on another machine.
void addServeCommand(CLI::App &app, CommandFunction &chosen);
/// pack and unpack: a study with what it needs in one file.
void addPackCommand(CLI::App &app, CommandFunction &chosen);
void addDemoCommand(CLI::App &app, CommandFunction &chosen);
/// The list of the papers' tables and figures, and the gallery.
void addPapersCommand(CLI::App &app, CommandFunction &chosen);
/// The script by which a shell completes words.
void addCompletionCommand(CLI::App &app, CommandFunction &chosen);
/// The table of analyses with their options, from which the Python module's methods are made.
void addDescribeCommand(CLI::App &app, CommandFunction &chosen);
/// Only where there is Qt to paint its figures (HEADSCOPE_HAS_REPORT).
void addReportCommand(CLI::App &app, CommandFunction &chosen);

} // namespace headscope::cli

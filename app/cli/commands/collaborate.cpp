#include "app/cli/analysiscommand.h"
#include "app/cli/commands/commands.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <memory>
#include <string>

namespace headscope::cli {

namespace {

struct CollaborateArguments : AnalysisArguments<CollaborateSpec>
{
    std::string exportFolder;
};

void run(const CollaborateArguments &arguments, Context &context)
{
    if (!arguments.exportFolder.empty()) {
        if (arguments.spec.ranks.empty())
            throw Failure(usageError("--export needs --ranks: the width of the model to write."));
        checkNewFolder(arguments.exportFolder, "--export");
    }
    const Measuring measuring(arguments.common, context, requirementsOf(arguments));
    const CollaborateSpec spec = requestedSpec(arguments, measuring);
    (void)runAndWrite(spec, measuring);
    if (arguments.exportFolder.empty())
        return;
    (void)measuring.session().exportShared(spec, arguments.exportFolder, context.control()).valueOrThrow();
    context.note(fmt::format("wrote the model whose heads share {} columns of query and key projections to {}",
                             spec.ranks.front(), arguments.exportFolder));
}

} // namespace

void addCollaborateCommand(CLI::App &app, CommandFunction &chosen)
{
    auto arguments = std::make_shared<CollaborateArguments>();
    CLI::App *command = addAnalysis(app, *arguments);
    command
        ->add_option("--export", arguments->exportFolder,
                     "Write the model with the first of --ranks, by the first of --methods, here")
        ->type_name("DIR")
        ->group("Output");
    command->callback([&chosen, arguments] { chosen = [arguments](Context &context) { run(*arguments, context); }; });
}

} // namespace headscope::cli

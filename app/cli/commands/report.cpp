#include "app/cli/commands/commands.h"

#include "app/cli/measuring.h"
#include "core/exporting/reportfolder.h"
#include "core/session/report.h"
#include "ui/report/headlessreport.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace headscope::cli {

namespace {

struct Arguments
{
    CommonArguments common;
    ReportSpec spec;
    std::vector<std::string> outOfDomain;
    std::string folder;
    bool noSpeed = false;
};

void run(const Arguments &arguments, Context &context)
{
    (void)checkReportFolder(arguments.folder).valueOrThrow();
    const Measuring measuring(arguments.common, context);
    measuring.loadSecond(arguments.outOfDomain, "--out-of-domain");
    ReportSpec spec = arguments.spec;
    spec.run = arguments.common.run;
    spec.speed = !arguments.noSpeed;
    const ReportContents contents = computeReport(measuring.session(), spec, context.control()).valueOrThrow();
    (void)writeReportHeadless(contents, arguments.folder, context.control()).valueOrThrow();
    const Json json{{"result", "report"}, {"folder", arguments.folder}, {"findings", toJson(findingsOf(contents))}};
    writeText(arguments.common.output, jsonText(json) + "\n");
    const std::filesystem::path page = std::filesystem::path(arguments.folder) / "index.html";
    context.note(fmt::format("wrote the report: open {}", page.string()));
}

void addReportOptions(CLI::App &command, Arguments &arguments)
{
    constexpr const char *kGroup = "Report";
    ReportSpec &spec = arguments.spec;
    command
        .add_option("--out-dir", arguments.folder,
                    "Write the report into this folder, whole or not at all; an older report there is replaced")
        ->required()
        ->type_name("DIR")
        ->group(kGroup);
    command
        .add_option("--resamples", spec.resamples, "Of all bootstraps; 0 = enough for Holm's correction over all "
                                                   "heads, at least 1000")
        ->check(wholeNumber(0))
        ->capture_default_str()
        ->group(kGroup);
    command.add_option("--random-orders", spec.randomOrders, "Of the random pruning band; 0 = none")
        ->check(wholeNumber(0))
        ->capture_default_str()
        ->group(kGroup);
    command.add_flag("--greedy", spec.greedy, "Also prune greedily (slow)")->group(kGroup);
    command.add_flag("--search", spec.search, "Also search masks by gradients, as `search`")->group(kGroup);
    command.add_flag("!--no-roles", spec.roles, "Do not look for what heads attend to")->group(kGroup);
    command.add_option("--corpus", spec.corpus, "Roles: text whose tokens are counted to know rare ones, as in `roles`")
        ->type_name("FILE")
        ->group(kGroup);
    command.add_option("--frequencies", spec.frequencies, "Or words and how often they occur, one a line")
        ->type_name("FILE")
        ->group(kGroup);
    command.add_flag("--relevance", spec.relevance, "Relevance of heads too, as `relevance` (slow)")->group(kGroup);
    command.add_flag("--no-speed", arguments.noSpeed, "Measure no speed")->group(kGroup);
    command.add_option("--batch-sizes", spec.batchSizes, "That speed is measured at")
        ->delimiter(',')
        ->check(wholeNumber(1))
        ->default_str("1,4,16,64")
        ->type_name("N,...")
        ->group(kGroup);
    command.add_option("--speed-examples", spec.speedExamples, "Of each measurement of speed; 0 = all")
        ->check(wholeNumber(0))
        ->capture_default_str()
        ->type_name("N")
        ->group(kGroup);
    command.add_option("--speed-repeats", spec.speedRepeats, "Of each measurement of speed")
        ->check(wholeNumber(1))
        ->capture_default_str()
        ->type_name("N")
        ->group(kGroup);
    addSecondDataOption(command, "--out-of-domain", arguments.outOfDomain,
                        "The second data set, which the first is compared with; heads and orders that are reported on "
                        "one of the two are then chosen on the other");
}

} // namespace

void addReportCommand(CLI::App &app, CommandFunction &chosen)
{
    auto arguments = std::make_shared<Arguments>();
    CLI::App *command = app.add_subcommand(
        "report", "Write tables, figures and a page about a model on one or two data sets (Michel et al. 2019)");
    CommonArguments &common = arguments->common;
    addModelOptions(*command, common.model);
    addDataOptions(*command, common.data);
    addRunOptions(*command, common.run);
    addReportOptions(*command, *arguments);
    addOutputOptions(*command, common.output, false);
    command->callback([&chosen, arguments] { chosen = [arguments](Context &context) { run(*arguments, context); }; });
}

} // namespace headscope::cli

#include "app/cli/commands/commands.h"

#include "app/cli/clioptions.h"
#include "app/cli/commands/margin.h"
#include "app/cli/measuring.h"
#include "core/exporting/reportfolder.h"
#include "core/session/report.h"
#include "ui/report/headlessreport.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <utility>

namespace headscope::cli {

namespace {

struct ReportArguments
{
    CommonArguments common;
    ReportSpec spec;
    std::vector<std::string> outOfDomain;
    std::string folder;
    double margin = 100 * kUsualMargin;
};

void run(const ReportArguments &arguments, Context &context)
{
    (void)checkReportFolder(arguments.folder).valueOrThrow();
    const Measuring measuring(arguments.common, context);
    if (arguments.outOfDomain.empty() && !arguments.common.secondReading.empty())
        throw Failure(usageError(
            fmt::format("--{} says how a second data set is read: give it by --out-of-domain.", kSecondReading)));
    measuring.loadSecond(arguments.outOfDomain, "out-of-domain");
    ReportSpec spec = arguments.spec;
    spec.run = arguments.common.run;
    auto computed = computeReport(measuring.session(), spec, context.control());
    if (computed.isCancelled())
        context.note("what is complete is kept: the same call goes on from there");
    ReportContents contents = std::move(computed).valueOrThrow();
    contents.significance = ruleOf(arguments.margin);
    if (contents.significance.margin != kUsualMargin)
        contents.command += fmt::format(" --margin {}", arguments.margin);
    (void)writeReportHeadless(contents, arguments.folder, context.control()).valueOrThrow();
    measuring.session().release(keysOf(contents));
    const Json json{{"result", "report"}, {"folder", arguments.folder}, {"findings", toJson(findingsOf(contents))}};
    writeText(arguments.common.output, jsonText(json) + "\n");
    const std::filesystem::path page = std::filesystem::path(arguments.folder) / "index.html";
    context.note(fmt::format("wrote the report: open {}", page.string()));
}

void addReportOptions(CLI::App &command, ReportArguments &arguments)
{
    constexpr const char *kGroup = "Report";
    command
        .add_option("--out-dir", arguments.folder,
                    "Write the report into this folder; an older report there is replaced")
        ->required()
        ->type_name("DIR")
        ->group(kGroup);
    addSpecOptions(command, arguments.spec, kGroup);
    addMarginOption(command, arguments.margin, kGroup);
    addSecondDataOption(command, "out-of-domain", arguments.outOfDomain,
                        "The second data set, which the first is compared with; heads and orders that are reported on "
                        "one of the two are then chosen on the other");
}

} // namespace

void addReportCommand(CLI::App &app, CommandFunction &chosen)
{
    auto arguments = std::make_shared<ReportArguments>();
    CLI::App *command = app.add_subcommand(
        "report", "Write tables, figures and a page about a model on one or two data sets (Michel et al. 2019)");
    CommonArguments &common = arguments->common;
    addModelOptions(*command, common.model);
    addDataOptions(*command, common.data);
    addRunOptions(*command, common.run);
    addReportOptions(*command, *arguments);
    addSecondReadingOption(*command, common.secondReading);
    addOutputOptions(*command, common.output, false);
    command->callback([&chosen, arguments] { chosen = [arguments](Context &context) { run(*arguments, context); }; });
}

} // namespace headscope::cli

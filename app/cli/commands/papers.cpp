#include "app/cli/commands/commands.h"

#include "app/cli/context.h"
#include "app/cli/output.h"
#include "core/exporting/paperitems.h"
#include "core/exporting/paperpage.h"
#include "core/formats/atomicfile.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

/// The command papers: every table and figure of the papers that the program follows, and where ours is.
namespace headscope::cli {

namespace {

struct PapersArguments
{
    std::string folder;
    bool markdown = false;
    OutputArguments output;
};

Json listJson()
{
    Json items = Json::array();
    for (const PaperItem &item : paperItems())
        items.push_back({{"id", item.id},
                         {"paper", item.paper},
                         {"item", item.item},
                         {"shows", item.shows},
                         {"claim", item.claim},
                         {"files", item.files},
                         {"command", item.command},
                         {"finding", item.finding},
                         {"needs", item.needs}});
    return {{"result", "papers"}, {"items", std::move(items)}};
}

/// The parts of the gallery.
std::vector<std::string> galleryFiles(const std::vector<PaperRun> &runs)
{
    std::vector<std::string> files;
    for (const PaperRun &run : runs) {
        for (const std::string &file : run.files)
            files.push_back((run.folder / file).string());
    }
    return files;
}

void run(const PapersArguments &arguments, Context &context)
{
    context.setQuiet(arguments.output.quiet);
    if (arguments.folder.empty()) {
        checkWritable(arguments.output);
        return writeText(arguments.output, arguments.markdown ? paperItemsMarkdown() : jsonText(listJson()) + "\n");
    }
    const std::vector<PaperRun> runs = readPaperRuns(arguments.folder).valueOrThrow();
    checkWritable(arguments.output, galleryFiles(runs));
    const std::filesystem::path page = std::filesystem::path(arguments.folder) / "index.html";
    (void)writeFileAtomically(page, paperPage(runs)).valueOrThrow();
    std::string summary;
    for (const std::string &line : paperSummary(runs))
        summary += line + '\n';
    writeText(arguments.output, summary);
    context.note(fmt::format("wrote the gallery: open {}", page.string()));
}

} // namespace

void addPapersCommand(CLI::App &app, CommandFunction &chosen)
{
    auto arguments = std::make_shared<PapersArguments>();
    CLI::App *command
        = app.add_subcommand("papers", "List the tables and figures of the papers, or make a page of ours beside them");
    command
        ->add_option(
            "--gallery", arguments->folder,
            "A folder with a folder for each model, in which report/ is of `report --papers`, window/ of `headscope "
            "--export-all`, tables/ of other commands: writes index.html there, and prints a line for each item. "
            "Default: prints the list")
        ->type_name("DIR")
        ->check(CLI::ExistingDirectory);
    command->add_flag("--markdown", arguments->markdown, "The list as Markdown instead of JSON");
    addOutputOptions(*command, arguments->output, false);
    command->callback([&chosen, arguments] { chosen = [arguments](Context &context) { run(*arguments, context); }; });
}

} // namespace headscope::cli

#include "app/cli/commands/commands.h"

#include "app/cli/output.h"
#include "core/exporting/csv.h"
#include "core/formats/atomicfile.h"
#include "core/formats/atomicfolder.h"
#include "core/results/study.h"
#include "core/session/demo.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <string>
#include <vector>

namespace headscope::cli {

namespace {

namespace fs = std::filesystem;

struct DemoArguments
{
    std::string out;
    std::string make;
    std::string studies;
    std::string corpus;
    std::string only;
    bool quiet = false;
};

/// A table per result: "in-prune-importance.csv".
void writeTables(const fs::path &study, const fs::path &folder)
{
    std::error_code ignored; // files in it would fail
    fs::create_directories(folder, ignored);
    const LoadedStudy loaded = loadStudy(study).valueOrThrow();
    for (std::size_t domain = 0; domain < loaded.results.size(); ++domain) {
        for (const AnyResult &result : loaded.results[domain]) {
            std::string name = (domain == 0 ? "in-" : "out-") + kindOf(result);
            if (const auto pruning = result.as<PruningResult>())
                name += "-" + pruning->curves.front().order;
            if (const auto ablation = result.as<AblationResult>(); ablation && ablation->allButOne)
                name += "-all-but-one";
            (void)writeFileAtomically(folder / (name + ".csv"), toCsv(result)).valueOrThrow();
        }
    }
}

void copyDemo(const fs::path &wanted, Context &context)
{
    const fs::path study = demoStudy().valueOrThrow();
    checkNewFolder(wanted, "--out");
    fs::path target = fs::absolute(wanted).lexically_normal();
    if (!target.has_filename()) // "demo/"
        target = target.parent_path();
    (void)makeFolderAtomically(target, [&](const fs::path &folder) -> Result<Done> {
        std::error_code error;
        fs::copy(study.parent_path(), folder, fs::copy_options::recursive, error);
        if (error)
            return resourceError("Cannot copy the demo to " + target.string() + ": " + error.message() + ".");
        for (const Demo demo : kDemos)
            writeTables(folder / demoFile(demo), folder / "tables" / fs::path(demoFile(demo)).stem());
        return Done{};
    }).valueOrThrow();
    context.note(
        fmt::format("wrote the demo's models, data and studies to {0} and their tables to {0}/tables; \"headscope "
                    "{0}/demo.headscope --export-all FOLDER\" makes the pictures",
                    target.string()));
}

void writeCorpus(const fs::path &folder, Context &context)
{
    checkNewFolder(folder, "--corpus");
    (void)copyDemoCorpus(folder).valueOrThrow();
    context.note("wrote the demo's corpus to " + folder.string());
}

void run(const DemoArguments &arguments, Context &context)
{
    context.setQuiet(arguments.quiet);
    if (!arguments.out.empty() + !arguments.make.empty() + !arguments.studies.empty() + !arguments.corpus.empty() != 1)
        throw Failure(
            usageError("demo: give one of --out FOLDER (copy the demo with its tables), --make FOLDER (build the "
                       "demo from scratch), --studies FOLDER (compute the studies of a demo there anew) and "
                       "--corpus FOLDER (copy its texts only)."));
    if (!arguments.out.empty())
        return copyDemo(arguments.out, context);
    if (!arguments.corpus.empty())
        return writeCorpus(arguments.corpus, context);
    std::vector<Demo> demos(kDemos.begin(), kDemos.end());
    if (!arguments.only.empty())
        demos = {parseName<Demo>(arguments.only).valueOrThrow()};
    if (!arguments.studies.empty()) {
        (void)makeDemoStudies(arguments.studies, demos, context.control()).valueOrThrow();
        context.note("computed the demo's studies in " + arguments.studies);
        return;
    }
    (void)makeDemo(arguments.make, demos, context.control(), [&](const TrainingReport &report) {
        if (!report.epochs.empty() && report.epochs.back().step == report.step)
            context.note(fmt::format("epoch {}: {} {:.4g}", report.epochs.back().epoch, report.epochs.back().metric,
                                     report.epochs.back().score.value_or(0)));
    }).valueOrThrow();
    context.note("made the demo in " + arguments.make);
}

} // namespace

void addDemoCommand(CLI::App &app, CommandFunction &chosen)
{
    auto arguments = std::make_shared<DemoArguments>();
    CLI::App *command = app.add_subcommand("demo", "Write the demos that come with the program, or build them "
                                                   "from scratch");
    CLI::Option *out = command->add_option("--out", arguments->out,
                                           "New folder for a copy of models, data, studies and their tables");
    command->add_option("--make", arguments->make,
                        "New folder in which models are trained and studies computed from scratch, from a copy of the "
                        "corpus (takes a quarter of an hour)");
    CLI::Option *corpus
        = command->add_option("--corpus", arguments->corpus,
                              "New folder for a copy of the corpus only: training texts, test sets, labels, trees");
    command->add_option("--studies", arguments->studies,
                        "Folder that --make or --out has written: its studies are computed anew, of the models that "
                        "are trained there (takes some minutes)");
    const auto &names = EnumNames<Demo>::values;
    command->add_option("--only", arguments->only, "With --make and --studies: one of them")
        ->check(CLI::IsMember(std::vector<std::string>(names.begin(), names.end())))
        ->excludes(out)
        ->excludes(corpus);
    command->add_flag("--quiet", arguments->quiet, "No progress");
    command->callback([&chosen, arguments] { chosen = [arguments](Context &context) { run(*arguments, context); }; });
}

} // namespace headscope::cli

#include "app/cli/commands/commands.h"

#include "app/cli/context.h"
#include "core/results/studypack.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <memory>
#include <string>

namespace headscope::cli {

namespace {

struct PackArguments
{
    std::string study;
    std::string out;
    bool withModel = false;
    bool quiet = false;
};

void runPack(const PackArguments &arguments, Context &context)
{
    context.setQuiet(arguments.quiet);
    const PackedStudy packed
        = packStudy(arguments.study, arguments.out, arguments.withModel, context.control()).valueOrThrow();
    for (const std::string &problem : packed.problems)
        context.note(problem);
    context.note(fmt::format("packed {} files in {}{}", packed.files.size(), arguments.out,
                             arguments.withModel ? "" : "; without the model (--with-model)"));
}

void runUnpack(const PackArguments &arguments, Context &context)
{
    context.setQuiet(arguments.quiet);
    const auto study = unpackStudy(arguments.study, arguments.out, context.control()).valueOrThrow();
    fmt::print("{}\n", study.string());
}

} // namespace

void addPackCommand(CLI::App &app, CommandFunction &chosen)
{
    auto packing = std::make_shared<PackArguments>();
    CLI::App *command
        = app.add_subcommand("pack", "Put a study with its results, data and, if wanted, its model into one file");
    command->add_option("STUDY", packing->study, "The study (NAME.headscope)")
        ->required()
        ->check(CLI::ExistingFile)
        ->type_name("FILE");
    command->add_option("--out", packing->out, "The file to write (a zip archive)")->required()->type_name("FILE");
    command->add_flag("--with-model", packing->withModel,
                      "Pack the model's folder, too; else the study goes on naming it where it is");
    command->add_flag("--quiet", packing->quiet, "No notes");
    command->callback([&chosen, packing] { chosen = [packing](Context &context) { runPack(*packing, context); }; });

    auto unpacking = std::make_shared<PackArguments>();
    command = app.add_subcommand("unpack", "Unpack a packed study into a new folder, and print where the study is");
    command->add_option("PACKED", unpacking->study, "The file that pack wrote")
        ->required()
        ->check(CLI::ExistingFile)
        ->type_name("FILE");
    command->add_option("--out", unpacking->out, "New folder")->required()->type_name("DIR");
    command->add_flag("--quiet", unpacking->quiet, "No notes");
    command->callback(
        [&chosen, unpacking] { chosen = [unpacking](Context &context) { runUnpack(*unpacking, context); }; });
}

} // namespace headscope::cli

#include "app/cli/commands/commands.h"

#include "app/cli/clioptions.h"
#include "app/cli/measuring.h"
#include "core/exporting/csv.h"
#include "core/results/json.h"

#include <CLI/CLI.hpp>

namespace headscope::cli {

namespace {

struct Arguments
{
    CommonArguments common;
    SpeedSpec spec;
};

void write(const OutputArguments &output, const SpeedResult &result, bool partial)
{
    if (output.isCsv())
        return writeText(output, toCsv(result));
    Json json = toJson(result);
    if (partial)
        json["partial"] = true;
    writeText(output, jsonText(json) + "\n");
}

void run(const Arguments &arguments, Context &context)
{
    SpeedSpec spec = arguments.spec;
    spec.run = arguments.common.run;
    const bool given = !arguments.common.mask.empty();
    const Measuring measuring(arguments.common, context, {.references = !given}); // importance needs references
    if (given)
        spec.mask = measuring.mask();
    const OutputArguments &output = arguments.common.output;
    const auto writeIt = [&](const SpeedResult &result, bool partial) { write(output, result, partial); };
    const auto measure = [&](const Publish<SpeedResult> &publish) {
        return measuring.session().speed(Domain::In, spec, context.control(), publish);
    };
    writeIt(runKeepingPartial<SpeedResult>(context, measure, writeIt), false);
}

} // namespace

void addSpeedCommand(CLI::App &app, CommandFunction &chosen)
{
    auto arguments = std::make_shared<Arguments>();
    CLI::App *command
        = app.add_subcommand("speed", "Measure how fast the model is whole, masked and with heads removed");
    addCommonOptions(*command, arguments->common);
    addSpecOptions(*command, arguments->spec);
    command->callback([&chosen, arguments] { chosen = [arguments](Context &context) { run(*arguments, context); }; });
}

} // namespace headscope::cli

#include "app/cli/commands/commands.h"

#include "app/cli/measuring.h"
#include "core/exporting/speedcsv.h"
#include "core/results/speedjson.h"

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

void addSpeedOptions(CLI::App &command, SpeedSpec &spec)
{
    constexpr const char *kGroup = "Analysis";
    command.add_option("--fraction", spec.fraction, "Without --mask: share of heads removed, the least important first")
        ->check(realNumber(0, 1))
        ->capture_default_str()
        ->group(kGroup);
    command.add_option("--batch-sizes", spec.batchSizes, "Examples in a batch")
        ->delimiter(',')
        ->check(wholeNumber(1))
        ->default_str("1,4,16,64")
        ->type_name("N,...")
        ->group(kGroup);
    std::map<std::string, LengthPolicy> policies;
    for (std::size_t i = 0; i < kLengthPolicies.size(); ++i)
        policies[kLengthPolicies[i]] = static_cast<LengthPolicy>(i);
    command
        .add_option("--lengths", spec.lengths,
                    "How batches are made: of similar length (bucketed), in the data's order (as-is), all padded to "
                    "the longest (fixed)")
        ->delimiter(',')
        ->transform(CLI::CheckedTransformer(policies).description(""))
        ->default_str("bucketed,as-is")
        ->type_name("bucketed|as-is|fixed,...")
        ->group(kGroup);
    command.add_option("--examples", spec.examples, "Measured in each repeat, drawn by the seed; 0 = all")
        ->check(wholeNumber(0))
        ->capture_default_str()
        ->type_name("N")
        ->group(kGroup);
    command.add_option("--repeats", spec.repeats, "Of every measurement")
        ->check(wholeNumber(1))
        ->capture_default_str()
        ->type_name("N")
        ->group(kGroup);
    command.add_option("--warm-up", spec.warmUp, "Batches of each contender before every measurement")
        ->check(wholeNumber(0))
        ->capture_default_str()
        ->type_name("N")
        ->group(kGroup);
}

} // namespace

void addSpeedCommand(CLI::App &app, CommandFunction &chosen)
{
    auto arguments = std::make_shared<Arguments>();
    CLI::App *command
        = app.add_subcommand("speed", "Measure how fast the model is whole, masked and with heads removed");
    addCommonOptions(*command, arguments->common);
    addSpeedOptions(*command, arguments->spec);
    command->callback([&chosen, arguments] { chosen = [arguments](Context &context) { run(*arguments, context); }; });
}

} // namespace headscope::cli

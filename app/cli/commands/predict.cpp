#include "app/cli/commands/commands.h"

#include "app/cli/measuring.h"
#include "core/analysis/evaluationspec.h"
#include "core/exporting/csv.h"

#include <CLI/CLI.hpp>

#include <algorithm>

namespace headscope::cli {

namespace {

/// One JSON line per example, or a table.
void write(const OutputArguments &output, EvaluationResult result)
{
    std::sort(result.outputs.begin(), result.outputs.end(),
              [](const ExampleOutput &a, const ExampleOutput &b) { return a.index < b.index; });
    writeText(output, output.isCsv() ? outputsCsv(result) : outputsJsonLines(result));
}

void run(const CommonArguments &arguments, Context &context)
{
    const Measuring measuring(arguments, context, {.references = false});
    EvaluationSpec spec;
    spec.run = arguments.run;
    spec.mask = measuring.mask();
    spec.outputs = true;
    spec.scores = true;
    spec.resamples = 0;
    const auto result = runKeepingPartial<EvaluationResult>(
        context,
        [&](const Publish<EvaluationResult> &publish) {
            return measuring.session().run<EvaluationSpec>(Domain::In, spec, context.control(), publish);
        },
        [&](const EvaluationResult &partial, bool) { write(arguments.output, partial); });
    write(arguments.output, result);
    for (const std::string &remark : AnalysisOf<EvaluationSpec>::remarks(result))
        context.note(remark);
}

} // namespace

void addPredictCommand(CLI::App &app, CommandFunction &chosen)
{
    auto arguments = std::make_shared<CommonArguments>();
    CLI::App *command = app.add_subcommand("predict", "Print the model's output for every example, one JSON line each");
    addCommonOptions(*command, *arguments);
    command->callback([&chosen, arguments] { chosen = [arguments](Context &context) { run(*arguments, context); }; });
}

} // namespace headscope::cli

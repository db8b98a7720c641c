#include "app/cli/analysiscommand.h"
#include "app/cli/commands/commands.h"
#include "app/cli/commands/margin.h"
#include "core/exporting/removabletext.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

namespace headscope::cli {

namespace {

struct SearchArguments : AnalysisArguments<SearchSpec>
{
    double margin = 100 * kUsualMargin;
};

void run(const SearchArguments &arguments, Context &context)
{
    const Measuring measuring(arguments.common, context, requirementsOf(arguments));
    const auto result = runAndWrite(requestedSpec(arguments, measuring), measuring);
    if (!result)
        return;
    const SignificanceRule rule = ruleOf(arguments.margin);
    for (const auto &[name, way] :
         {std::pair("searched", &SearchPoint::searched), std::pair("rearranged", &SearchPoint::rearranged),
          std::pair("rescaled", &SearchPoint::rescaled)})
        context.note(fmt::format(
            "{}: {}", name,
            removableText(removableHeads(lossesOf(*result, way), rule), result->baseline.name, rule.margin)));
}

} // namespace

void addSearchCommand(CLI::App &app, CommandFunction &chosen)
{
    auto arguments = std::make_shared<SearchArguments>();
    CLI::App *command = addAnalysis(app, *arguments);
    addMarginOption(*command, arguments->margin, "Output");
    command->callback([&chosen, arguments] { chosen = [arguments](Context &context) { run(*arguments, context); }; });
}

} // namespace headscope::cli

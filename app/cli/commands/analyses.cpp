#include "app/cli/analysiscommand.h"
#include "app/cli/commands/commands.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace headscope::cli {

namespace {

template<SpecStruct Spec>
void run(const AnalysisArguments<Spec> &arguments, Context &context)
{
    std::vector<std::string> inputs;
    if constexpr (requires { arguments.spec.vectors; }) {
        if (!arguments.spec.vectors.empty())
            inputs.push_back(arguments.spec.vectors);
    }
    const Measuring measuring(arguments.common, context, requirementsOf(arguments, std::move(inputs)));
    (void)runAndWrite(requestedSpec(arguments, measuring), measuring);
}

} // namespace

void addAnalysisCommands(CLI::App &app, CommandFunction &chosen)
{
    forEachAnalysis([&]<typename Spec>(const Spec &) {
        const AnalysisInfo &info = AnalysisOf<Spec>::kInfo;
        const auto known = app.get_subcommands({});
        const bool isKnown = std::ranges::find(known, std::string(info.name), &CLI::App::get_name) != known.end();
        if (!info.hasCommand || isKnown) // a file of this folder has more to say
            return;
        auto arguments = std::make_shared<AnalysisArguments<Spec>>();
        addAnalysis(app, *arguments)->callback([&chosen, arguments] {
            chosen = [arguments](Context &context) { run(*arguments, context); };
        });
    });
}

} // namespace headscope::cli

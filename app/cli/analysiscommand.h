#pragma once

#include "app/cli/clioptions.h"
#include "app/cli/measuring.h"
#include "core/analysis/analyses.h"
#include "core/analysis/analysisinfo.h"

#include <CLI/CLI.hpp>

#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

/// A command from the table of analyses. What has more to say than the table adds to these pieces in a file of its own
/// (commands/); all others come from addAnalysisCommands().
namespace headscope::cli {

template<SpecStruct Spec>
struct AnalysisArguments
{
    CommonArguments common;
    Spec spec;
    std::vector<std::string> second; ///< files of the second data set
};

template<typename Spec>
inline constexpr bool kHasMask = requires(Spec spec)
{
    spec.mask;
};

template<typename Spec>
void addSecondDataOption(CLI::App &command, const SecondData<Spec> &second, std::vector<std::string> &files)
{
    addSecondDataOption(command, second.option, files, second.help);
}

/// The command with the options of every analysis and its own.
template<SpecStruct Spec>
CLI::App *addAnalysis(CLI::App &app, AnalysisArguments<Spec> &arguments)
{
    const AnalysisInfo &info = AnalysisOf<Spec>::kInfo;
    CLI::App *command = app.add_subcommand(info.name, info.summary);
    addCommonOptions(*command, arguments.common, kHasMask<Spec>, info.needsData);
    addSpecOptions(*command, arguments.spec);
    if constexpr (requires { AnalysisOf<Spec>::kSecond; }) {
        addSecondDataOption(*command, AnalysisOf<Spec>::kSecond, arguments.second);
        addSecondReadingOption(*command, arguments.common.secondReading);
    }
    if (info.runsManyMasks)
        addDryRunOption(*command, arguments.common.dryRun);
    command->footer(info.footer);
    return command;
}

/// The conditions on the arguments before anything is read; `inputs`: files that options name.
template<SpecStruct Spec>
Requirements requirementsOf(const AnalysisArguments<Spec> &arguments, std::vector<std::string> inputs = {})
{
    Spec spec = arguments.spec;
    if constexpr (kHasMask<Spec>) {
        if (!arguments.common.mask.empty())
            spec.mask = HeadMask(); // of heads that are known when the model is
    }
    return {
        .data = AnalysisOf<Spec>::kInfo.needsData, .references = needsReferences(spec), .inputs = std::move(inputs)};
}

/// The spec as it was asked for, with the second data set read. `otherSecond`: one was given by another option.
template<SpecStruct Spec>
Spec requestedSpec(const AnalysisArguments<Spec> &arguments, const Measuring &measuring, bool otherSecond = false)
{
    Spec spec = arguments.spec;
    spec.run = arguments.common.run;
    if constexpr (kHasMask<Spec>) {
        constexpr bool isOptional = std::is_same_v<decltype(spec.mask), std::optional<HeadMask>>;
        if (!isOptional || !arguments.common.mask.empty())
            spec.mask = measuring.mask();
    }
    if constexpr (requires { spec.ownOutput; })
        checkOwnOutput(spec.ownOutput, measuring.session().card());
    if constexpr (requires { AnalysisOf<Spec>::kSecond; }) {
        const auto &second = AnalysisOf<Spec>::kSecond;
        if (arguments.second.empty() && !otherSecond && !arguments.common.secondReading.empty())
            throw Failure(usageError(std::string("--") + kSecondReading
                                     + " says how a second data set is read: give it by --" + second.option + "."));
        spec.*second.wanted = !arguments.second.empty();
        measuring.loadSecond(arguments.second, second.option);
    }
    return spec;
}

/// Runs the analysis and writes its result, also the part that there is when it is cancelled. Nothing: only its time
/// was asked for (--dry-run), and written.
template<SpecStruct Spec>
std::optional<ResultOf<Spec>> runAndWrite(const Spec &spec, const Measuring &measuring)
{
    using Answer = ResultOf<Spec>;
    if (measuring.dryRun()) {
        measuring.writeForecast(spec);
        return std::nullopt;
    }
    Answer result = measuring.write<Answer>([&](const JobControl &control, const Publish<Answer> &publish) {
        return measuring.session().run(Domain::In, spec, control, publish);
    });
    if constexpr (AnalysisOf<Spec>::kInfo.infers) {
        if (const auto remark = remarkOnFew(result.examples))
            measuring.context().note(*remark);
    }
    if constexpr (requires { AnalysisOf<Spec>::remarks(result); }) {
        for (const std::string &remark : AnalysisOf<Spec>::remarks(result))
            measuring.context().note(remark);
    }
    return result;
}

} // namespace headscope::cli

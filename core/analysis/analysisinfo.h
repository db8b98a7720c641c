#pragma once

#include "core/base/jobcontrol.h"

#include <cstdint>

/// The parts of an entry of the table of analyses (analyses.h).
namespace headscope {

class AnalysisInput;
struct Dataset;

/// The parts of the overview of commands, in its order.
enum class CommandGroup : std::uint8_t { Models, Needed, Roles, Training, Together };

/// Facts about an analysis, beside its options and its result.
struct AnalysisInfo
{
    const char *name;                          ///< of its command, and in manifests
    const char *summary;                       ///< a line of help
    const char *footer = "";                   ///< the end of its help: what the result has
    CommandGroup group = CommandGroup::Needed; ///< where the overview lists its command
    const char *example = "";                  ///< a command line that help shows, without the program's name
    bool hasCommand = true;                    ///< its own
    bool needsData = true;       ///< false: it says something of the model alone, whichever data are open, or none
    bool needsHeads = true;      ///< a model without any is refused
    bool needsReferences = true; ///< references or labels
    bool infers = false;         ///< what its examples say of others (intervals, p): few say little
    bool keepsWork = false;      ///< what is done of it is kept (AnalysisInput::keptWork()) and not done again
    bool goesByMetric = false;   ///< it scores the model by RunOptions::metric
    bool runsManyMasks = false;  ///< it runs the model under many masks or patches: minutes to hours of work
};

/// A second data set that an analysis can be told to take something from.
template<typename Spec>
struct SecondData
{
    bool Spec::*wanted;
    const char *option; ///< of the command line
    const char *help;
};

/// The entry of the analysis with these options, all that there is to know of it, beside the options in its file. It
/// has
///     using Result = …;
///     static constexpr AnalysisInfo kInfo{…};
///     static Result compute(const Spec &, AnalysisInput &, Manifest, const JobControl &, const Publish<Result> &);
///         the manifest goes into every result, partial ones included; throws Cancelled and Failure
/// and, where there is something to say:
///     static constexpr std::array kPhases{…};      its parts, as progress tells them (Phase)
///     static constexpr SecondData<Spec> kSecond;   and usesSecond(spec): whether a second set that was named says
///                                                  anything
///     static void check(const Spec &);             throws Failure (usage) for options that do not fit together
///     static std::string contents(const Spec &, const Dataset &, const JobControl &);
///         what else decides the numbers, but is no option: the contents of files that options name; of the model alone
///         without the data set
///     static Spec canonical(Spec);    with defaults resolved, so that equal numbers have the same key
///     static bool isRemembered(const Spec &), needsReferences(const Spec &);
///     static std::vector<std::string> remarks(const Result &);    what a reader should know
/// Functions are defined in the .cpp file of the analysis; nobody else declares them.
template<typename Spec>
struct AnalysisOf;

template<typename Spec>
concept SpecStruct = requires
{
    AnalysisOf<Spec>::kInfo;
};
template<SpecStruct Spec>
using ResultOf = AnalysisOf<Spec>::Result;

} // namespace headscope

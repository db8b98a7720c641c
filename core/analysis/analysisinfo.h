#pragma once

/// What an entry of the table of analyses (analyses.h) is made of.
namespace headscope {

/// What an analysis says of itself, beside its options and its result.
struct AnalysisInfo
{
    const char *name;            ///< of its command, and in manifests
    const char *summary;         ///< a line of help
    const char *footer = "";     ///< of help: what the result has
    bool hasCommand = true;      ///< of its own
    bool needsData = true;       ///< false: it says something of the model alone, whichever data are open, or none
    bool needsHeads = true;      ///< a model without any is refused
    bool needsReferences = true; ///< references or labels
    bool infers = false;         ///< what its examples say of others (intervals, p): few say little
    bool keepsWork = false;      ///< what is done of it is kept (AnalysisInput::keptWork()) and not done again
};

/// A second data set that an analysis can be told to take something from.
template<typename Spec>
struct SecondData
{
    bool Spec::*wanted;
    const char *option; ///< of the command line
    const char *help;
};

/// The entry of the analysis with these options. Result, kInfo; where there is such, kSecond, usesSecond(spec) (whether
/// a second set that was named says anything), isRemembered(spec), needsReferences(spec), remarks(result) (what a
/// reader should know).
template<typename Spec>
struct AnalysisOf;

} // namespace headscope

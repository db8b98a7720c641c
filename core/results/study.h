#pragma once

#include "core/results/cards.h"
#include "core/results/json.h"
#include "core/results/roles.h"
#include "core/task/runoptions.h"

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

/// A saved study: `NAME.headscope` (JSON, see FORMAT.md) beside the folder `NAME.headscope.results`.
namespace headscope {

/// The version that this program writes; it reads this and all earlier ones.
inline constexpr std::int64_t kStudyFormat = 2;

/// Everything but the results.
struct Study
{
    /// Its device and dtype are those that were asked for. Paths of cards are absolute in memory, and relative to the
    /// study in the file unless they are of another machine.
    std::optional<ModelCard> model;
    std::array<std::optional<DataCard>, 2> data; ///< in-domain, out-of-domain
    HeadMask mask;
    std::vector<HeadRef> pins;
    RunOptions run;                ///< seed and decoding of what is computed next
    RoleThresholds roleThresholds; ///< by which heads are labelled
    std::string layout;            ///< the window's own, opaque here
    std::string version;           ///< of the Headscope that wrote it; set by saveStudy

    bool operator==(const Study &) const = default;
};

/// Results per data slot. Every result must have a manifest.
using StudyResults = std::array<std::vector<AnyResult>, 2>;

/// The program's knowledge of a study file that it has read or written.
struct StudyOnDisk
{
    std::string hash;           ///< of the file's bytes; empty: nothing is known
    std::set<std::string> keys; ///< of the results that it has seen there
};

struct LoadedStudy
{
    Study study;
    StudyResults results;
    StudyOnDisk onDisk;
    std::vector<std::string> problems; ///< results that could not be read, in words; the rest is whole
};

/// NAME.headscope → NAME.headscope.results
std::filesystem::path resultsFolder(const std::filesystem::path &studyFile);

/// In it: what is not finished of the study (WorkFolder), which so goes along where the study goes.
std::filesystem::path unfinishedFolder(const std::filesystem::path &studyFile);

/// Writes results first, the study (to a temporary name, then renamed) after them, and removes results that it no
/// longer names: a crash at any moment leaves the old or the new study whole. With `known`, a file that somebody else
/// has changed since is an error, and only results known from there are removed; without, the file there is replaced.
Result<StudyOnDisk> saveStudy(const Study &study, const StudyResults &results, const std::filesystem::path &file,
                              const StudyOnDisk *known = nullptr);

/// Errors name the file and say what is wrong with it. Missing, damaged or misplaced results are no error but problems.
/// Whether model and data still are what they were shows when they are opened: changedFiles() in session/studyrecord.h.
/// Results may be of what they were before: staleness() there tells them from the others.
Result<LoadedStudy> loadStudy(const std::filesystem::path &file);

} // namespace headscope

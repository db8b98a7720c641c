#include "app/cli/batch/batchplan.h"
#include "core/base/result.h"
#include "core/formats/jsonfile.h"
#include "tests/fuzz/fuzzing.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

using namespace headscope;
using namespace headscope::cli;

namespace {

/// The working folder until it is gone; libFuzzer looks for its files in the one before.
class WorkingFolder
{
public:
    explicit WorkingFolder(const std::filesystem::path &folder) : m_before(std::filesystem::current_path())
    {
        std::filesystem::current_path(folder);
    }
    ~WorkingFolder() { std::filesystem::current_path(m_before); }
    WorkingFolder(const WorkingFolder &) = delete;
    WorkingFolder &operator=(const WorkingFolder &) = delete;

private:
    std::filesystem::path m_before;
};

} // namespace

/// A plan of `headscope-cli batch`, in a folder with two models and two files. Every command is known here, and every
/// word is right: what is left to the plan's reader is everything but the options' own values.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    static const fuzzing::Folder folder;
    static const bool isThere = [] {
        for (const char *model : {"m", "n"})
            std::filesystem::create_directories(folder.path() / model);
        for (const char *file : {"a.txt", "b.txt"})
            std::ofstream(folder.path() / file) << "text\n";
        return true;
    }();
    fuzzing::require(isThere, "the plan's folder is there");
    const PlanCommands commands{
        .measures = [](const std::string &command) { return !command.empty(); },
        .wrongIn = [](const std::vector<std::string> &) { return std::string(); },
        .saysHowToRead = [](const std::string &option) { return option == "limit" || option == "text-column"; },
        .secondReading = "second-reading",
        .usualReading = "usual"};
    const auto json = parseJson(fuzzing::textOf(data, size), "plan");
    if (!json.isOk())
        return 0;
    const WorkingFolder working(folder.path());
    try {
        const BatchPlan plan = batchPlan(json.value(), "plan", commands);
        fuzzing::require(plan.output.is_absolute() && !plan.entries.empty(), "a plan has a folder and something to do");
        for (const BatchEntry &entry : plan.entries) {
            fuzzing::require(!entry.words.empty() && entry.words.front() == entry.command, "a command comes first");
            fuzzing::require(entry.analysis < json.value()["analyses"].size(), "an entry is of an analysis");
            for (const std::string &word : entry.words) {
                for (const char *own : {"--out=", "--journal=", "--maps=", "--export=", "--keep=", "--work-folder="})
                    fuzzing::require(!word.starts_with(own), "no plan says where to write");
                fuzzing::require(std::ranges::none_of(word, [](char c) { return c == '\n' || c == '\0'; }),
                                 "words are on one line");
            }
        }
    } catch (const Failure &failure) {
        fuzzing::require(!failure.error().message.empty(), "a refusal says why");
    }
    return 0;
}

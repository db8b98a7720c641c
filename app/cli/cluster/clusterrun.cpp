#include "app/cli/cluster/clusterrun.h"

#include "app/cli/cluster/shardwatcher.h"
#include "app/cli/cluster/slurm.h"
#include "app/cli/options.h"
#include "app/cli/progresstext.h"
#include "core/analysis/allphases.h"
#include "core/base/phases.h"
#include "core/base/programfolder.h"
#include "core/base/shellwords.h"
#include "core/formats/atomicfile.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <numeric>
#include <sstream>
#include <string_view>
#include <system_error>

namespace headscope::cli {

namespace {

namespace fs = std::filesystem;

/// Options that say where a command runs and where its result goes; each but the last takes a value.
constexpr std::array<std::string_view, 8> kPlaceOptions{
    "--cluster",         "--shards", "--cluster-options", "--cluster-folder",
    "--cluster-retries", "--out",    "--progress",        "--quiet"};
constexpr std::string_view kWithoutValue = "--quiet";

/// The words that say what is computed.
std::vector<std::string> workOf(const std::vector<std::string> &words)
{
    std::vector<std::string> work;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::string name = words[i].substr(0, words[i].find('='));
        if (std::ranges::find(kPlaceOptions, name) == kPlaceOptions.end())
            work.push_back(words[i]);
        else if (name == words[i] && name != kWithoutValue)
            ++i;
    }
    return work;
}

std::string quoted(const std::vector<std::string> &words)
{
    std::string text;
    for (const std::string &word : words)
        text += (text.empty() ? "" : " ") + shellQuoted(word);
    return text;
}

std::string contentOf(const fs::path &file)
{
    std::ifstream stream(file, std::ios::binary);
    if (!stream)
        throw Failure(
            resourceError(fmt::format("{} is not there, which the jobs should have written.", file.string())));
    return {std::istreambuf_iterator<char>(stream), {}};
}

std::string thisProgram()
{
    const auto found = relativeToProgram({"headscope-cli"});
    return found.empty() ? std::string("headscope-cli") : found.front().string();
}

/// The result that the end has left in the folder, to where it belongs.
void deliver(const ClusterFolder &folder, const OutputArguments &output)
{
    const fs::path manifest = folder.result().string() + ".manifest.json";
    std::error_code ignored;
    const std::string content = contentOf(folder.result());
    if (!output.file.empty() && fs::exists(manifest, ignored))
        (void)writeWithCompanion(output.file, content, output.file + ".manifest.json", contentOf(manifest))
            .valueOrThrow();
    else
        writeText(output, content);
}

} // namespace

void addClusterOptions(CLI::App &command, ClusterArguments &arguments)
{
    constexpr const char *kGroup = "Cluster";
    command
        .add_option("--cluster", arguments.system, "Run as an array of jobs of this system, and wait for the result")
        ->check(CLI::IsMember({"slurm"}))
        ->group(kGroup);
    command.add_option("--shards", arguments.shards, "Number of jobs to divide the work among")
        ->check(wholeNumber(2, 100000))
        ->type_name("N")
        ->group(kGroup);
    command
        .add_option("--cluster-folder", arguments.folder,
                    "Keep what is needed to resume (shards, logs, scripts) in this folder, which all nodes share; the "
                    "same command resumes from there")
        ->type_name("DIR")
        ->group(kGroup);
    command
        .add_option(
            "--cluster-options", arguments.options,
            "Options of sbatch: \"--partition gpu --gres gpu:1\"; with quotation marks as in a shell, which is not run")
        ->type_name("OPTIONS")
        ->group(kGroup);
    command.add_option("--cluster-retries", arguments.retries, "How often a failed shard is resubmitted")
        ->check(wholeNumber(0, 1000))
        ->capture_default_str()
        ->type_name("N")
        ->group(kGroup);
}

void checkCluster(const ClusterArguments &arguments)
{
    const bool others = arguments.shards > 0 || !arguments.options.empty() || !arguments.folder.empty();
    if (!arguments.isAsked() && others)
        throw Failure(usageError("--shards, --cluster-folder and --cluster-options need --cluster slurm."));
    if (arguments.isAsked() && (arguments.shards == 0 || arguments.folder.empty()))
        throw Failure(usageError("--cluster needs --shards N and --cluster-folder DIR."));
}

void runOnCluster(const ClusterArguments &arguments, const OutputArguments &output, Context &context,
                  const std::function<ShardedParts(const ClusterFolder &)> &partsIn)
{
    checkCluster(arguments);
    context.setQuiet(output.quiet);
    const std::vector<std::string> options = shellWords(arguments.options, "--cluster-options");
    if (!options.empty() && !options.front().starts_with('-'))
        throw Failure(usageError(fmt::format("--cluster-options: \"{}\" is no option of sbatch.", options.front())));
    const ShardedCommand command{
        .words = workOf(context.words()), .workingFolder = fs::current_path().string(), .shards = arguments.shards};
    const ClusterFolder folder(arguments.folder, command);
    const ShardedParts parts = partsIn(folder);
    const Slurm slurm(folder.jobName());
    ShardWatcher watch(slurm, folder, options, arguments.retries, context);

    std::vector<std::string> words{thisProgram()};
    words.insert(words.end(), command.words.begin(), command.words.end());
    const std::string common = quoted(words);
    ShardWatcher::Parts shards{
        .numbers = std::vector<std::int64_t>(static_cast<std::size_t>(arguments.shards)),
        .script = folder.writeScript(false, fmt::format("{} {} --shard \"$SLURM_ARRAY_TASK_ID/{}\"", common,
                                                        quoted(parts.shardWords), arguments.shards)),
        .log = folder.logPattern(false),
        .phase = {kPhaseShards, {std::to_string(arguments.shards)}},
        .share = parts.share,
        .isUnderWay = parts.isUnderWay};
    std::iota(shards.numbers.begin(), shards.numbers.end(), 1);
    watch.run(shards);
    if (!folder.isDone(ClusterFolder::kEnd))
        parts.join();
    std::vector<std::string> endWords = parts.endWords;
    endWords.insert(endWords.end(), {"--out", folder.result().string()});
    watch.run({.numbers = {ClusterFolder::kEnd},
               .script = folder.writeScript(true, common + " " + quoted(endWords)),
               .log = folder.logPattern(true),
               .phase = kPhaseCollecting});
    deliver(folder, output);
}

double progressShare(const std::vector<std::string> &log, const std::string &unit)
{
    double share = 0;
    for (const std::string &line : log) {
        if (const auto progress = progressFrom(line, allPhases());
            progress && progress->unit == unit && progress->total > 0)
            share = std::min(1.0, static_cast<double>(progress->done) / static_cast<double>(progress->total));
    }
    return share;
}

} // namespace headscope::cli

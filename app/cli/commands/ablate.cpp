#include "app/cli/analysiscommand.h"
#include "app/cli/cluster/clusterrun.h"
#include "app/cli/commands/commands.h"
#include "app/cli/sharding.h"
#include "core/session/sweeps.h"

#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <system_error>

namespace headscope::cli {

namespace {

namespace fs = std::filesystem;

struct AblateArguments : AnalysisArguments<AblationSpec>
{
    std::vector<std::string> chooseOn;
    std::string shard;
    ClusterArguments cluster;
};

void checkOptions(const AblateArguments &arguments)
{
    if (arguments.common.dryRun && (arguments.cluster.isAsked() || !arguments.shard.empty()))
        throw Failure(
            usageError("--dry-run tells the time of a whole sweep on this machine: leave out --cluster and --shard."));
    if (!arguments.chooseOn.empty() && !arguments.spec.allButOne)
        throw Failure(usageError("--choose-on needs --all-but-one: it chooses each layer's best head."));
    if (!arguments.second.empty() && !takesContexts(arguments.spec.replacement))
        throw Failure(usageError("--reference-on needs --replace mean, resample or optimal."));
    if (!arguments.second.empty() && !arguments.chooseOn.empty())
        throw Failure(usageError("Only one of --choose-on and --reference-on can name a second data set."));
    if (arguments.spec.draws > 1 && arguments.spec.replacement != Replacement::Resample)
        throw Failure(usageError("--draws needs --replace resample."));
    if (!arguments.spec.journal.empty() && !arguments.chooseOn.empty())
        throw Failure(usageError("--journal keeps one sweep, and --choose-on makes two."));
    checkCluster(arguments.cluster);
    const AblationSpec &spec = arguments.spec;
    if (arguments.cluster.isAsked()
        && !(arguments.shard.empty() && spec.journal.empty() && arguments.chooseOn.empty() && spec.precision == 0))
        throw Failure(usageError(
            "--cluster divides one sweep of all examples into shards: leave out --shard, --journal, --choose-on "
            "and --precision."));
}

/// A part of the sweep goes into its journal; there is no result until all parts are joined.
void runShard(const AblationSpec &spec, const Measuring &measuring)
{
    const AblationResult part
        = measuring.session().run(Domain::In, spec, measuring.context().control(), {}).valueOrThrow();
    measuring.context().note(
        fmt::format("shard {} of {} is done: {} examples, in {}. When all are: headscope-cli merge, then the same "
                    "ablate with --journal of the merged file",
                    spec.shard.index + 1, spec.shard.count, part.examples, spec.journal));
}

void runSweepOnCluster(const AblateArguments &arguments, Context &context)
{
    const CommonArguments &common = arguments.common;
    checkData(common.data, true);
    checkWritable(common.output, inputsOf(common));
    runOnCluster(arguments.cluster, common.output, context, [&](const ClusterFolder &folder) {
        const fs::path joined = folder.joinedJournal();
        const auto join = [&folder, joined, count = arguments.cluster.shards] {
            std::vector<fs::path> shards;
            for (std::int64_t shard = 1; shard <= count; ++shard)
                shards.push_back(folder.journal(shard));
            const fs::path half = joined.string() + ".new";
            if (fs::exists(joined)) // an earlier call's
                return;
            fs::remove(half);
            (void)joinSweeps(shards, half).valueOrThrow();
            fs::rename(half, joined);
        };
        const auto hasBegun = [&folder](std::int64_t shard) {
            std::error_code none;
            const auto size = fs::file_size(folder.journal(shard), none);
            return !none && size > 0;
        };
        return ShardedParts{
            .shardWords = {"--journal", folder.journals().string()},
            .endWords = {"--journal", joined.string()},
            .join = join,
            .share = [&folder](std::int64_t shard) { return progressShare(folder.endOfLog(shard), "examples"); },
            .isUnderWay = hasBegun};
    });
}

void run(const AblateArguments &arguments, Context &context)
{
    checkOptions(arguments);
    if (arguments.cluster.isAsked())
        return runSweepOnCluster(arguments, context);
    const Shard shard = parseShard(arguments.shard);
    const std::string journal = fileOfShard(arguments.spec.journal, shard, arguments.shard, "--journal");
    const Measuring measuring(arguments.common, context);
    AblationSpec spec = requestedSpec(arguments, measuring, !arguments.chooseOn.empty());
    spec.shard = shard;
    spec.journal = journal;
    measuring.loadSecond(arguments.chooseOn, AnalysisOf<BestHeadsSpec>::kSecond.option);
    if (takesContexts(spec.replacement) && !spec.referenceFromOther)
        context.note("the replacements of heads are taken from the evaluated set itself; --reference-on takes "
                     "them from another");
    if (!spec.shard.isAll())
        runShard(spec, measuring);
    else if (arguments.chooseOn.empty())
        (void)runAndWrite(spec, measuring);
    else
        (void)runAndWrite(BestHeadsSpec{spec}, measuring);
}

} // namespace

void addAblateCommand(CLI::App &app, CommandFunction &chosen)
{
    auto arguments = std::make_shared<AblateArguments>();
    CLI::App *command = addAnalysis(app, *arguments);
    addSecondDataOption(*command, AnalysisOf<BestHeadsSpec>::kSecond, arguments->chooseOn);
    command
        ->add_option(
            "--journal", arguments->spec.journal,
            "Write finished blocks to FILE during the sweep, and resume from it: after an interruption, or with "
            "the file that merge has joined")
        ->option_text("FILE");
    addShardOption(
        *command, arguments->shard,
        "Compute only this part of the sweep, into its journal: 2/8 is the second of eight, each of which may run on another "
        "machine; mpi: the rank among the processes of mpirun or srun. {shard} in the journal's name becomes its number");
    addClusterOptions(*command, arguments->cluster);
    command->callback([&chosen, arguments] { chosen = [arguments](Context &context) { run(*arguments, context); }; });
}

} // namespace headscope::cli

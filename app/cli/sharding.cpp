#include "app/cli/sharding.h"

#include "core/base/parsednumber.h"
#include "core/base/result.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <utility>

namespace headscope::cli {

namespace {

constexpr std::string_view kMpi = "mpi";
constexpr std::string_view kNumber = "{shard}";

/// Open MPI; MPICH, Intel MPI and others by PMI; Slurm's srun.
constexpr std::array<std::pair<const char *, const char *>, 3> kRanks{
    {{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"}, {"PMI_RANK", "PMI_SIZE"}, {"SLURM_PROCID", "SLURM_NTASKS"}}};

Shard shardOfRank()
{
    for (const auto &[rankName, sizeName] : kRanks) {
        const char *rankText = std::getenv(rankName);
        const char *sizeText = std::getenv(sizeName);
        if (rankText == nullptr || sizeText == nullptr)
            continue;
        const auto rank = parsedNumber<std::int64_t>(rankText);
        const auto size = parsedNumber<std::int64_t>(sizeText);
        if (!rank || !size || *rank < 0 || *rank >= *size)
            throw Failure(usageError(fmt::format("--shard mpi: {}={} and {}={} are no rank of a number of processes.",
                                                 rankName, rankText, sizeName, sizeText)));
        return {.index = *rank, .count = *size};
    }
    throw Failure(usageError(
        "--shard mpi: this process has no rank (OMPI_COMM_WORLD_RANK, PMI_RANK or SLURM_PROCID, and the number of "
        "processes). Start it by mpirun or srun, or write --shard 2/8."));
}

} // namespace

void addShardOption(CLI::App &command, std::string &shard, const char *help)
{
    command.add_option("--shard", shard, help)->option_text("K/N|mpi");
}

Shard parseShard(const std::string &text)
{
    if (text.empty())
        return {};
    if (text == kMpi)
        return shardOfRank();
    const std::size_t bar = text.find('/');
    const auto number = parsedNumber<std::int64_t>(std::string_view(text).substr(0, bar));
    const auto count
        = bar == std::string::npos ? std::nullopt : parsedNumber<std::int64_t>(std::string_view(text).substr(bar + 1));
    if (!number || !count || *number < 1 || *number > *count)
        throw Failure(
            usageError("--shard: \"" + text + "\" is not a valid shard. Write 2/8 for the second of eight, or mpi."));
    return {.index = *number - 1, .count = *count};
}

std::string fileOfShard(const std::string &name, const Shard &shard, const std::string &asked, const char *option)
{
    const std::size_t at = name.find(kNumber);
    if (at != std::string::npos)
        return std::string(name).replace(at, kNumber.size(), std::to_string(shard.index + 1));
    if (asked == kMpi && !shard.isAll() && !name.empty())
        throw Failure(usageError(
            fmt::format("{} {}: all processes would write the same file. Write {} in its name, which becomes "
                        "the number of the shard.",
                        option, name, kNumber)));
    return name;
}

} // namespace headscope::cli

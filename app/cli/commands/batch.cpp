#include "app/cli/batch/batchplan.h"
#include "app/cli/batch/batchresults.h"
#include "app/cli/cluster/clusterrun.h"
#include "app/cli/commandline.h"
#include "app/cli/commands/commands.h"
#include "app/cli/options.h"
#include "app/cli/output.h"
#include "app/cli/sharding.h"
#include "core/formats/jsonfile.h"
#include "core/results/modelstable.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <filesystem>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

namespace headscope::cli {

namespace {

namespace fs = std::filesystem;

constexpr const char *kCounted = "analyses";
constexpr std::chrono::milliseconds kLookAgain(500);

struct BatchArguments
{
    std::string plan;
    std::string shard;
    ClusterArguments cluster;
    OutputArguments output;
};

/// Makes what is missing, one entry after the other, and says what could not be made.
class Batch
{
public:
    Batch(const BatchPlan &plan, const BatchArguments &arguments, Context &context)
        : m_plan(plan), m_quiet(arguments.output.quiet), m_context(context), m_results(plan.output)
    {
    }

    void run(const Shard &shard)
    {
        std::vector<std::size_t> mine;
        for (std::size_t i = 0; i < m_plan.entries.size(); ++i) {
            if (shard.has(i))
                mine.push_back(i);
        }
        std::size_t there = 0;
        std::size_t done = 0;
        std::vector<std::size_t> elsewhere;
        for (const std::size_t number : mine) {
            const Found found = makeMissing(number, done, mine.size());
            there += found == Found::There ? 1 : 0;
            if (found == Found::Elsewhere)
                elsewhere.push_back(number);
            else
                ++done;
        }
        if (!elsewhere.empty())
            note(fmt::format("batch: another program is making {} {}; waiting for it", elsewhere.size(), kCounted));
        for (const std::size_t number : elsewhere) {
            Found found = makeMissing(number, done, mine.size());
            for (; found == Found::Elsewhere; found = makeMissing(number, done, mine.size()))
                pause();
            there += found == Found::There ? 1 : 0;
            ++done;
        }
        note(fmt::format("batch: {}/{} {}, {} of them were there already", mine.size() - m_failures.size(), mine.size(),
                         kCounted, there));
    }

    ModelsTable table()
    {
        ModelsTable table;
        for (const BatchEntry &entry : m_plan.entries) {
            const std::string key = m_results.keyOf(entry, m_context.control());
            const bool isDone = m_results.has(key, m_context.control());
            const auto result = isDone ? readResult(m_results.fileOf(key)) : Result<AnyResult>::cancelled();
            // The output of `predict` and the like is no result that a table can take anything from.
            table.add(entry.model, entry.data, entry.analysis, isDone, result.isOk() ? &result.value() : nullptr);
        }
        return table;
    }

    /// Throws Failure where something could not be made.
    void throwFailure() const
    {
        if (!m_failures.empty())
            throw Failure(badInput(fmt::format("{} of {} analyses failed; the first: {}", m_failures.size(),
                                               m_plan.entries.size(), m_failures.front())));
    }

private:
    enum class Found { There, Made, Elsewhere };

    /// Elsewhere: another program makes the result.
    Found makeMissing(std::size_t number, std::size_t done, std::size_t all)
    {
        m_context.control().checkpoint();
        const BatchEntry &entry = m_plan.entries[number];
        const std::string key = m_results.keyOf(entry, m_context.control());
        if (m_results.has(key, m_context.control()))
            return Found::There;
        const std::optional<BatchLock> lock = m_results.lock(key);
        if (!lock)
            return Found::Elsewhere;
        if (m_results.has(key, m_context.control())) // made in the meantime
            return Found::There;
        if (m_results.hasFile(key))
            note(
                fmt::format("{} is not as it was made: {} is made anew", m_results.fileOf(key).string(), entry.name()));
        note(fmt::format("batch: {}/{} {}, {}", done, all, kCounted, entry.name()));
        make(entry, number, key);
        return Found::Made;
    }

    /// Before it is looked again whether another program is done. Throws Cancelled.
    void pause()
    {
        std::mutex mutex;
        std::unique_lock lock(mutex);
        (void)std::condition_variable_any().wait_for(lock, m_context.stop(), kLookAgain, [] { return false; });
    }

    /// By the command itself. A result that a stop left half-done never gets its name.
    void make(const BatchEntry &entry, std::size_t number, const std::string &key)
    {
        const std::string name = fmt::format("{}-{}", key, number);
        const fs::path made = m_results.workFile(name, ".json");
        const fs::path journal = m_results.workFile(name, ".journal");
        std::vector<std::string> words = entry.words;
        words.insert(words.end(), {"--out", made.string()});
        if (keepsJournal(entry))
            words.insert(words.end(), {"--journal", journal.string()});
        if (m_quiet)
            words.emplace_back("--quiet");
        try {
            CommandLine line;
            line.parsed(words)(m_context);
            m_results.keep(key, made, m_context.control());
            std::error_code ignored;
            fs::remove(journal, ignored);
        } catch (const Cancelled &) {
            throw;
        } catch (const std::bad_alloc &) {
            fail(entry, "not enough memory");
        } catch (const std::exception &error) {
            fail(entry, error.what());
        }
    }

    bool keepsJournal(const BatchEntry &entry) const
    {
        const bool makesTwo
            = std::ranges::any_of(entry.words, [](const std::string &word) { return word.starts_with("--choose-on"); });
        return !makesTwo && m_commands.command(entry.command)->get_option_no_throw("--journal") != nullptr;
    }

    void note(const std::string &text)
    {
        m_context.setQuiet(m_quiet);
        m_context.note(text);
    }

    void fail(const BatchEntry &entry, const std::string &why)
    {
        m_failures.push_back(entry.name() + ": " + why);
        note(m_failures.back());
    }

    const BatchPlan &m_plan;
    bool m_quiet;
    Context &m_context;
    BatchResults m_results;
    CommandLine m_commands;
    std::vector<std::string> m_failures;
};

/// Files that the plan's analyses read, and what was made by it before.
std::vector<std::string> filesOfPlan(const BatchPlan &plan)
{
    std::vector<std::string> inputs{(plan.output / "results").string(), (plan.output / "work").string()};
    for (const BatchEntry &entry : plan.entries)
        inputs.insert(inputs.end(), entry.inputs.begin(), entry.inputs.end());
    return inputs;
}

void writeTable(const ModelsTable &table, const OutputArguments &output)
{
    writeText(output, output.format == "tsv" ? table.tsv() : jsonText(table.json()) + "\n");
}

/// The plan in this file, checked against this program's commands.
BatchPlan planIn(const fs::path &file)
{
    const CommandLine line;
    const auto measures = [&line](const std::string &command) {
        const CLI::App *known = line.command(command);
        return known != nullptr && known->get_option_no_throw("--model") != nullptr
            && known->get_option_no_throw("--out") != nullptr;
    };
    const auto wrongIn = [](const std::vector<std::string> &words) -> std::string {
        try {
            (void)CommandLine().parsed(words);
            return {};
        } catch (const CLI::ParseError &error) {
            return error.what();
        }
    };
    return batchPlan(readJsonFile(file).valueOrThrow(), file.string(),
                     {.measures = measures,
                      .wrongIn = wrongIn,
                      .saysHowToRead = isReadingOption,
                      .secondReading = kSecondReading,
                      .usualReading = kUsualReading});
}

void run(BatchArguments arguments, Context &context)
{
    checkCluster(arguments.cluster);
    if (arguments.cluster.isAsked() && !arguments.shard.empty())
        throw Failure(usageError("--cluster divides the whole plan into shards: leave out --shard."));
    const Shard shard = parseShard(arguments.shard);
    OutputArguments &output = arguments.output;
    context.setQuiet(output.quiet);
    checkWritable(output, {arguments.plan});
    const fs::path plan = fs::absolute(arguments.plan);
    const fs::path here = fs::current_path();
    if (!output.file.empty())
        output.file = fs::absolute(output.file).string();
    fs::current_path(plan.parent_path()); // where paths of the plan begin
    const BatchPlan read = planIn(plan);
    checkWritable(output, filesOfPlan(read));
    if (arguments.cluster.isAsked()) {
        fs::current_path(here);
        return runOnCluster(arguments.cluster, output, context, [](const ClusterFolder &folder) {
            ShardedParts parts;
            parts.share = [&folder](std::int64_t part) { return progressShare(folder.endOfLog(part), kCounted); };
            return parts;
        });
    }
    Batch batch(read, arguments, context);
    batch.run(shard);
    if (shard.isAll())
        writeTable(batch.table(), output);
    batch.throwFailure();
}

} // namespace

void addBatchCommand(CLI::App &app, CommandFunction &chosen)
{
    auto arguments = std::make_shared<BatchArguments>();
    arguments->output.format = "tsv";
    CLI::App *command = app.add_subcommand("batch", "Run the analyses of a plan: many models on many data sets");
    command->add_option("PLAN", arguments->plan, "JSON file; see below")->required()->check(CLI::ExistingFile);
    addShardOption(
        *command, arguments->shard,
        "Make only this part of the plan: 2/8 is the second of eight, each of which may run on another machine; mpi: the rank "
        "among the processes of mpirun or srun. Without it, what is missing is made, and the table");
    addClusterOptions(*command, arguments->cluster);
    addOutputOptions(*command, arguments->output, false);
    command->add_option("--format", arguments->output.format, "Form of the table")
        ->check(CLI::IsMember({"tsv", "json"}))
        ->capture_default_str()
        ->group("Output");
    command->footer(
        "The plan: {\"output\": \"DIR\", \"models\": [\"DIR\", {\"name\": N, \"model\": \"DIR\", …}], \"data\": [{\"name\": N,\n"
        "\"source\": \"FILE\", \"reference\": \"FILE\", …}], \"analyses\": [{\"command\": \"ablate\", …}]}. What stands for … are\n"
        "options without their dashes: \"limit\": 500, \"plain\": true, \"order-on\": \"@N\" for the files of data set N.\n"
        "\"models\": [N] and \"data\": [N] in a data set or an analysis say what it is for. Paths are seen from the plan.\n"
        "A result lies in DIR/results under the hash of its model, data, command and options: what is there as it was\n"
        "made (by the .hash beside it) is not made again. The table: by model and data set the heads needed for 99 % of the score (prune), r with the first\n"
        "data set (ablate, importance), heads by role (roles).");
    command->callback([&chosen, arguments] { chosen = [arguments](Context &context) { run(*arguments, context); }; });
}

} // namespace headscope::cli

#include "app/cli/cluster/shardwatcher.h"

#include "app/cli/childprocess.h"
#include "app/cli/cli.h"
#include "core/base/result.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <iterator>
#include <mutex>
#include <utility>

namespace headscope::cli {

namespace {

constexpr std::chrono::milliseconds kLook(500); // at files
constexpr std::chrono::seconds kAsk(5);         // the queue, which the whole cluster shares
constexpr std::chrono::seconds kStatusComes(2); // after the queue knows that a task has failed
constexpr std::chrono::seconds kFirstPause(1);  // before it is asked again what it did not answer
constexpr std::chrono::seconds kLongestPause(60);
constexpr std::chrono::minutes kOutage(15);   // that a controller may take to come back
constexpr std::chrono::seconds kPatience(60); // until what other nodes wrote is seen here, and a task in the queue

bool isKnown(const SlurmTask &task)
{
    return isWaiting(task.state) || isUnderWay(task.state) || isOver(task.state);
}

bool isOfTheNode(const std::string &state)
{
    return state == "NODE_FAIL" || state == "BOOT_FAIL";
}

} // namespace

ShardWatcher::ShardWatcher(const Slurm &slurm, const ClusterFolder &folder, std::vector<std::string> options,
                           std::int64_t retries, Context &context)
    : m_slurm(slurm), m_folder(folder), m_options(std::move(options)), m_retries(retries), m_context(context)
{
}

void ShardWatcher::run(const Parts &parts)
{
    m_parts = &parts;
    m_all.clear();
    for (const std::int64_t number : parts.numbers)
        m_all.push_back({.number = number});
    try {
        watch();
    } catch (const Cancelled &) {
        m_slurm.cancelAll();
        m_context.note(
            fmt::format("the jobs were cancelled; the same command resumes from {}", m_folder.path().string()));
        throw;
    }
}

void ShardWatcher::watch()
{
    resumeParts();
    while (!isOver()) {
        submit();
        showProgress();
        pause(kLook);
        readStatuses();
        if (Clock::now() >= m_nextQueue)
            readQueue();
    }
    showProgress();
    if (!std::ranges::all_of(m_all, [](const Part &part) { return part.state == State::Done; }))
        throwFailure();
}

template<typename Ask>
auto ShardWatcher::patiently(Ask ask)
{
    const auto end = Clock::now() + kOutage;
    for (std::chrono::milliseconds time = kFirstPause;;
         time = std::min<std::chrono::milliseconds>(2 * time, kLongestPause)) {
        try {
            return ask();
        } catch (const NoAnswer &lastFailure) {
            if (Clock::now() + time > end)
                throw;
            if (time == kFirstPause)
                m_context.note(fmt::format("{} Asking again, for {} minutes.", lastFailure.what(), kOutage.count()));
            pause(time);
        }
    }
}

/// Work that an earlier call has done, or left in the queue.
void ShardWatcher::resumeParts()
{
    const auto tasks = patiently([this] { return queue(); });
    std::int64_t done = 0;
    std::int64_t there = 0;
    for (Part &part : m_all) {
        if (m_folder.isDone(part.number)) {
            part.state = State::Done;
            ++done;
            continue;
        }
        for (const SlurmTask &task : tasks) {
            if (task.task == part.number && task.job > part.job && !cli::isOver(task.state)) {
                part.job = task.job;
                part.state = State::Queued;
            }
        }
        there += part.state == State::Queued ? 1 : 0;
        part.lastSeen = Clock::now();
    }
    if (m_folder.isResumed() && m_all.size() > 1)
        m_context.note(fmt::format("{}: {} of {} shards are done, {} are waiting or running", m_folder.path().string(),
                                   done, m_all.size(), there));
}

void ShardWatcher::submit()
{
    std::vector<std::int64_t> numbers;
    for (const Part &part : m_all) {
        if (part.state == State::ToSubmit) {
            m_folder.forgetStatus(part.number);
            numbers.push_back(part.number);
        }
    }
    if (numbers.empty())
        return;
    const std::int64_t job = submitted(numbers);
    for (Part &part : m_all) {
        if (part.state == State::ToSubmit) {
            part.state = State::Queued;
            part.job = job;
            part.hasFailed = false;
            part.node.clear();
            part.lastSeen = Clock::now();
        }
    }
    m_context.note(
        fmt::format("job {}: {} {} submitted", job, numbers.size() == 1 ? "task" : "tasks", fmt::join(numbers, ", ")));
}

/// The job of these tasks. Where sbatch got no answer the array may be there all the same: then it is looked for before
/// it is submitted once more.
std::int64_t ShardWatcher::submitted(const std::vector<std::int64_t> &numbers)
{
    const std::int64_t before = m_latestJob;
    bool isDoubtful = false;
    const std::int64_t job = patiently([&] {
        if (isDoubtful) {
            for (const SlurmTask &task : queue()) {
                if (task.job > before && std::ranges::find(numbers, task.task) != numbers.end())
                    return task.job;
            }
        }
        isDoubtful = true;
        return m_slurm.submit(m_parts->script, numbers, m_parts->log, submitOptions());
    });
    m_latestJob = std::max(m_latestJob, job);
    return job;
}

std::vector<SlurmTask> ShardWatcher::queue()
{
    std::vector<SlurmTask> tasks = m_slurm.queue(m_context.stop());
    for (const SlurmTask &task : tasks)
        m_latestJob = std::max(m_latestJob, task.job);
    return tasks;
}

/// The user's, without the nodes that failed. Of an option that is there twice sbatch takes the last: the user's own
/// nodes stay out.
std::vector<std::string> ShardWatcher::submitOptions() const
{
    std::vector<std::string> options = m_options;
    if (m_avoided.empty())
        return options;
    std::string nodes = fmt::format("{}", fmt::join(m_avoided, ","));
    if (const auto own = optionOfSbatch(m_options, "--exclude", "-x"))
        nodes = *own + "," + nodes;
    options.push_back("--exclude=" + nodes);
    return options;
}

/// A node is avoided once it failed itself, or two parts failed on it, as long as another one is left.
void ShardWatcher::countNodeFailure(const Part &part, bool nodeFailed)
{
    std::set<std::int64_t> &failed = m_failedOn[part.node];
    failed.insert(part.number);
    if (part.node.empty() || m_avoided.contains(part.node) || (!nodeFailed && failed.size() < 2))
        return;
    const auto own = optionOfSbatch(m_options, "--exclude", "-x");
    if (optionOfSbatch(m_options, "--nodelist", "-w") || (own && own->find('/') != std::string::npos))
        return; // explicitly named nodes are kept, and a file of nodes cannot be extended
    const std::set<std::string> usable = m_slurm.usableNodes(m_options, m_context.stop());
    const auto isLeft = [&](const std::string &node) { return node != part.node && !m_avoided.contains(node); };
    if (std::ranges::none_of(usable, isLeft))
        return;
    m_avoided.insert(part.node);
    m_context.note(fmt::format("{} on {}: jobs submitted from now on avoid {} {} (--exclude)",
                               nodeFailed ? "the node failed under a task" : "two tasks failed", part.node,
                               m_avoided.size() == 1 ? "this node:" : "these nodes:", fmt::join(m_avoided, ", ")));
}

void ShardWatcher::readStatuses()
{
    for (Part &part : m_all) {
        if (part.state != State::Queued && part.state != State::Running)
            continue;
        const auto status = m_folder.status(part.number);
        if (!status || status->job != part.job)
            continue;
        part.node = status->node;
        if (status->exitCode == 0) {
            part.state = State::Done;
        } else if (status->exitCode != kCancelled) { // by whom says the queue
            const bool isRefused = status->exitCode == kUsageError || status->exitCode == kBadInput;
            const std::vector<std::string> lines
                = m_folder.endOfLog(part.number); // the message of a program that failed
            const bool forGood = isRefused && !(m_parts->isUnderWay && m_parts->isUnderWay(part.number));
            fail(part,
                 fmt::format("ended with exit code {} ({})", status->exitCode,
                             lines.empty() ? std::string() : lines.back()),
                 forGood);
            if (!forGood)
                countNodeFailure(part, false);
        }
    }
}

void ShardWatcher::readQueue()
{
    m_nextQueue = Clock::now() + kAsk;
    std::vector<SlurmTask> tasks;
    try {
        tasks = queue();
        m_queueAnswers = true;
    } catch (const Failure &failure) { // controllers are restarted now and then, while jobs go on
        if (std::exchange(m_queueAnswers, false))
            m_context.note(fmt::format("{} Asking again until it answers.", failure.what()));
        return;
    }
    for (Part &part : m_all) {
        if (part.state != State::Queued && part.state != State::Running)
            continue;
        const auto found = std::ranges::find_if(
            tasks, [&](const SlurmTask &task) { return task.job == part.job && task.task == part.number; });
        if (found != tasks.end())
            onTask(part, *found);
        else if (const auto kept = m_slurm.accounted(part.job, part.number, m_context.stop()); kept && isKnown(*kept))
            onTask(part, *kept);
        else
            onMissing(part);
    }
}

void ShardWatcher::onTask(Part &part, const SlurmTask &task)
{
    if (!task.node.empty())
        part.node = task.node;
    if (isWaiting(task.state)) {
        part.state = State::Queued;
        part.lastSeen = Clock::now();
    } else if (isUnderWay(task.state)) {
        if (part.state != State::Running)
            m_context.note(fmt::format("{} runs on {}", nameOf(part), part.node));
        part.state = State::Running;
        part.lastSeen = Clock::now();
    } else if (!isKnown(task)) { // it is there
        part.lastSeen = Clock::now();
    } else if (task.state == "COMPLETED") { // its status will be seen in a moment
        onMissing(part);
    } else if (task.state == "FAILED" && !std::exchange(part.hasFailed, true)) {
        // So will that of a program that failed, which says why; a task that could not begin has none
        m_nextQueue = std::min(m_nextQueue, Clock::now() + kStatusComes);
    } else {
        fail(part, "ended as " + task.state, task.state == "CANCELLED");
        if (isOfTheNode(task.state) || task.state == "FAILED")
            countNodeFailure(part, isOfTheNode(task.state));
    }
}

void ShardWatcher::onMissing(Part &part)
{
    if (Clock::now() - part.lastSeen > kPatience)
        fail(part, "has left the queue without reporting a status", false);
}

void ShardWatcher::fail(Part &part, const std::string &why, bool forGood)
{
    ++part.failures;
    const bool again = !forGood && part.failures <= m_retries;
    part.lastFailure
        = fmt::format("{} {}{}; its log: {}", nameOf(part), why, part.node.empty() ? std::string() : " on " + part.node,
                      m_folder.log(part.number).string());
    part.state = again ? State::ToSubmit : State::Lost;
    m_context.note(part.lastFailure
                   + (again ? fmt::format(". Resubmitted ({} of {})", part.failures, m_retries) : std::string()));
}

void ShardWatcher::showProgress() const
{
    double done = 0;
    for (const Part &part : m_all) {
        if (part.state == State::Done)
            done += 1;
        else if (part.state == State::Running && m_parts->share)
            done += m_parts->share(part.number);
    }
    if (m_all.size() > 1) {
        const auto count = [this](State state) { return std::ranges::count(m_all, state, &Part::state); };
        m_context.writeProgramLine("shards", {{"of", m_all.size()},
                                              {"done", count(State::Done)},
                                              {"running", count(State::Running)},
                                              {"waiting", count(State::Queued) + count(State::ToSubmit)},
                                              {"lost", count(State::Lost)}});
    }
    constexpr std::int64_t kAll = 100;
    m_context.control().progress(
        {m_parts->phase, "%", static_cast<std::int64_t>(kAll * done / static_cast<double>(m_all.size())), kAll});
}

/// Until it is time to look again, or whoever waits wants no more. Throws Cancelled.
void ShardWatcher::pause(std::chrono::milliseconds time) const
{
    std::mutex mutex;
    std::unique_lock lock(mutex);
    std::condition_variable_any().wait_for(lock, m_context.stop(), time, [] { return false; });
    m_context.control().checkpoint();
}

bool ShardWatcher::isOver() const
{
    return std::ranges::all_of(m_all,
                               [](const Part &part) { return part.state == State::Done || part.state == State::Lost; });
}

void ShardWatcher::throwFailure() const
{
    std::vector<std::string> failures;
    for (const Part &part : m_all) {
        if (part.state == State::Lost)
            failures.push_back(part.lastFailure);
    }
    throw Failure(badInput(fmt::format(
        "{} of {} jobs did not finish. {}. Completed shards are kept in {}: the same command resumes from there.",
        failures.size(), m_all.size(), fmt::join(failures, ". "), m_folder.path().string())));
}

std::string ShardWatcher::nameOf(const Part &part) const
{
    return part.number == ClusterFolder::kEnd ? std::string("the end") : fmt::format("shard {}", part.number);
}

} // namespace headscope::cli

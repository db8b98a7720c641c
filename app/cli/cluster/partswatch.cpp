#include "app/cli/cluster/partswatch.h"

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
constexpr std::chrono::seconds kFirstPause(1);  // before it is asked again what it did not answer
constexpr std::chrono::seconds kLongestPause(60);
constexpr std::chrono::minutes kOutage(15);   // that a controller may take to come back
constexpr std::chrono::seconds kPatience(60); // until what other nodes wrote is seen here, and a task in the queue

bool isOfTheNode(const std::string &state)
{
    return state == "NODE_FAIL" || state == "BOOT_FAIL";
}

} // namespace

PartsWatch::PartsWatch(const Slurm &slurm, const ClusterFolder &folder, std::vector<std::string> options,
                       std::int64_t retries, Context &context)
    : m_slurm(slurm), m_folder(folder), m_options(std::move(options)), m_retries(retries), m_context(context)
{
}

void PartsWatch::run(const Parts &parts)
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
            fmt::format("the jobs were cancelled; the same command goes on from {}", m_folder.path().string()));
        throw;
    }
}

void PartsWatch::watch()
{
    takeUp();
    while (!isOver()) {
        submit();
        showProgress();
        pause(kLook);
        readStatuses();
        if (Clock::now() >= m_nextQueue)
            readQueue();
    }
    showProgress();
    if (!std::ranges::all_of(m_all, [](const Part &part) { return part.stand == Stand::Done; }))
        complain();
}

template<typename Ask>
auto PartsWatch::patiently(Ask ask)
{
    const auto end = Clock::now() + kOutage;
    for (std::chrono::milliseconds time = kFirstPause;;
         time = std::min<std::chrono::milliseconds>(2 * time, kLongestPause)) {
        try {
            return ask();
        } catch (const NoAnswer &trouble) {
            if (Clock::now() + time > end)
                throw;
            if (time == kFirstPause)
                m_context.note(fmt::format("{} Asking again, for {} minutes.", trouble.what(), kOutage.count()));
            pause(time);
        }
    }
}

/// What an earlier call has done, or left in the queue.
void PartsWatch::takeUp()
{
    const auto tasks = patiently([this] { return queue(); });
    std::int64_t done = 0;
    std::int64_t there = 0;
    for (Part &part : m_all) {
        if (m_folder.isDone(part.number)) {
            part.stand = Stand::Done;
            ++done;
            continue;
        }
        for (const SlurmTask &task : tasks) {
            if (task.task == part.number && task.job > part.job && (isWaiting(task.state) || isUnderWay(task.state))) {
                part.job = task.job;
                part.stand = Stand::Queued;
            }
        }
        there += part.stand == Stand::Queued ? 1 : 0;
        part.lastHeard = Clock::now();
    }
    if (m_folder.isResumed() && m_all.size() > 1)
        m_context.note(fmt::format("{}: {} of {} shards are done, {} wait or run", m_folder.path().string(), done,
                                   m_all.size(), there));
}

void PartsWatch::submit()
{
    std::vector<std::int64_t> numbers;
    for (const Part &part : m_all) {
        if (part.stand == Stand::ToSubmit) {
            m_folder.forgetStatus(part.number);
            numbers.push_back(part.number);
        }
    }
    if (numbers.empty())
        return;
    const std::int64_t job = submitted(numbers);
    for (Part &part : m_all) {
        if (part.stand == Stand::ToSubmit) {
            part.stand = Stand::Queued;
            part.job = job;
            part.node.clear();
            part.lastHeard = Clock::now();
        }
    }
    m_context.note(
        fmt::format("job {}: {} {} submitted", job, numbers.size() == 1 ? "task" : "tasks", fmt::join(numbers, ", ")));
}

/// The job of these tasks. Where sbatch got no answer the array may be there all the same: then it is looked for before
/// it is submitted once more.
std::int64_t PartsWatch::submitted(const std::vector<std::int64_t> &numbers)
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

std::vector<SlurmTask> PartsWatch::queue()
{
    std::vector<SlurmTask> tasks = m_slurm.queue(m_context.stop());
    for (const SlurmTask &task : tasks)
        m_latestJob = std::max(m_latestJob, task.job);
    return tasks;
}

/// The user's, without the nodes that failed. Of an option that is there twice sbatch takes the last: the user's own
/// nodes stay out.
std::vector<std::string> PartsWatch::submitOptions() const
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
void PartsWatch::blameNode(const Part &part, bool nodeFailed)
{
    std::set<std::int64_t> &failed = m_failedOn[part.node];
    failed.insert(part.number);
    if (part.node.empty() || m_avoided.contains(part.node) || (!nodeFailed && failed.size() < 2))
        return;
    const auto own = optionOfSbatch(m_options, "--exclude", "-x");
    if (optionOfSbatch(m_options, "--nodelist", "-w") || (own && own->find('/') != std::string::npos))
        return; // nodes that somebody names are not contradicted, and a file of nodes cannot be added to
    const std::set<std::string> usable = m_slurm.usableNodes(m_options, m_context.stop());
    const auto isLeft = [&](const std::string &node) { return node != part.node && !m_avoided.contains(node); };
    if (std::ranges::none_of(usable, isLeft))
        return;
    m_avoided.insert(part.node);
    m_context.note(fmt::format("{} on {}: what is submitted from now on avoids {} {} (--exclude)",
                               nodeFailed ? "the node failed under a task" : "two tasks failed", part.node,
                               m_avoided.size() == 1 ? "this node:" : "these nodes:", fmt::join(m_avoided, ", ")));
}

void PartsWatch::readStatuses()
{
    for (Part &part : m_all) {
        if (part.stand != Stand::Queued && part.stand != Stand::Running)
            continue;
        const auto status = m_folder.status(part.number);
        if (!status || status->job != part.job)
            continue;
        part.node = status->node;
        if (status->exitCode == 0) {
            part.stand = Stand::Done;
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
                blameNode(part, false);
        }
    }
}

void PartsWatch::readQueue()
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
        if (part.stand != Stand::Queued && part.stand != Stand::Running)
            continue;
        const auto found = std::ranges::find_if(
            tasks, [&](const SlurmTask &task) { return task.job == part.job && task.task == part.number; });
        if (found != tasks.end())
            hear(part, *found);
        else if (const auto kept = m_slurm.accounted(part.job, part.number, m_context.stop()))
            hear(part, *kept);
        else
            hearNothing(part);
    }
}

void PartsWatch::hear(Part &part, const SlurmTask &task)
{
    if (!task.node.empty())
        part.node = task.node;
    if (isWaiting(task.state)) {
        part.stand = Stand::Queued;
        part.lastHeard = Clock::now();
    } else if (isUnderWay(task.state)) {
        if (part.stand != Stand::Running)
            m_context.note(fmt::format("{} runs on {}", nameOf(part), part.node));
        part.stand = Stand::Running;
        part.lastHeard = Clock::now();
    } else if (task.state == "COMPLETED") { // its status will be seen in a moment
        hearNothing(part);
    } else {
        fail(part, "ended as " + task.state, task.state == "CANCELLED");
        if (isOfTheNode(task.state) || task.state == "FAILED")
            blameNode(part, isOfTheNode(task.state));
    }
}

void PartsWatch::hearNothing(Part &part)
{
    if (Clock::now() - part.lastHeard > kPatience)
        fail(part, "is no longer in the queue and left no status", false);
}

void PartsWatch::fail(Part &part, const std::string &why, bool forGood)
{
    ++part.failures;
    const bool again = !forGood && part.failures <= m_retries;
    part.trouble
        = fmt::format("{} {}{}; its log: {}", nameOf(part), why, part.node.empty() ? std::string() : " on " + part.node,
                      m_folder.log(part.number).string());
    part.stand = again ? Stand::ToSubmit : Stand::Lost;
    m_context.note(part.trouble
                   + (again ? fmt::format(". Submitted again ({} of {})", part.failures, m_retries) : std::string()));
}

void PartsWatch::showProgress() const
{
    double done = 0;
    for (const Part &part : m_all) {
        if (part.stand == Stand::Done)
            done += 1;
        else if (part.stand == Stand::Running && m_parts->share)
            done += m_parts->share(part.number);
    }
    if (m_all.size() > 1) {
        const auto count = [this](Stand stand) { return std::ranges::count(m_all, stand, &Part::stand); };
        m_context.tellPrograms("shards", {{"of", m_all.size()},
                                          {"done", count(Stand::Done)},
                                          {"running", count(Stand::Running)},
                                          {"waiting", count(Stand::Queued) + count(Stand::ToSubmit)},
                                          {"lost", count(Stand::Lost)}});
    }
    constexpr std::int64_t kAll = 100;
    m_context.control().progress(
        {m_parts->phase, "%", static_cast<std::int64_t>(kAll * done / static_cast<double>(m_all.size())), kAll});
}

/// Until it is time to look again, or whoever waits wants no more. Throws Cancelled.
void PartsWatch::pause(std::chrono::milliseconds time) const
{
    std::mutex mutex;
    std::unique_lock lock(mutex);
    std::condition_variable_any().wait_for(lock, m_context.stop(), time, [] { return false; });
    m_context.control().checkpoint();
}

bool PartsWatch::isOver() const
{
    return std::ranges::all_of(m_all,
                               [](const Part &part) { return part.stand == Stand::Done || part.stand == Stand::Lost; });
}

void PartsWatch::complain() const
{
    std::vector<std::string> troubles;
    for (const Part &part : m_all) {
        if (part.stand == Stand::Lost)
            troubles.push_back(part.trouble);
    }
    throw Failure(badInput(fmt::format(
        "{} of {} parts did not come to their end. {}. What is done is kept in {}: the same command goes on "
        "from there.",
        troubles.size(), m_all.size(), fmt::join(troubles, ". "), m_folder.path().string())));
}

std::string PartsWatch::nameOf(const Part &part) const
{
    return part.number == ClusterFolder::kEnd ? std::string("the end") : fmt::format("shard {}", part.number);
}

} // namespace headscope::cli

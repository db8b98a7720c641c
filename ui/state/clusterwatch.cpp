#include "ui/state/clusterwatch.h"

#include "core/analysis/allphases.h"
#include "core/results/json.h"

#include <nlohmann/json.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <poll.h>
#include <system_error>
#include <type_traits>
#include <utility>

namespace headscope {

namespace {

namespace fs = std::filesystem;

constexpr int kLookMs = 20;             // how soon a cancel is seen
constexpr std::size_t kMostLines = 200; // of what is shown
constexpr std::size_t kLongestLine = 64 << 10;
constexpr int kCancelledCode = 4;             // headscope-cli's
constexpr std::chrono::seconds kPatience(90); // scancel may take a minute

/// What comes out of a child until it has no more to say, piece by piece.
class Output
{
public:
    explicit Output(ChildProgram &child) : m_child(child) { child.in().closeWrite(); }

    bool isOver() const { return m_child.out().readEnd() < 0 && m_child.err().readEnd() < 0; }
    /// Waits a moment for more; the lines of standard error that are whole.
    std::vector<std::string> moreLines()
    {
        std::array<pollfd, 2> watched{pollfd{m_child.out().readEnd(), POLLIN, 0},
                                      pollfd{m_child.err().readEnd(), POLLIN, 0}};
        poll(watched.data(), watched.size(), kLookMs);
        if (watched[0].revents != 0) {
            std::string passed; // results go to a file
            m_child.out().drain(passed);
        }
        if (watched[1].revents != 0)
            m_child.err().drain(m_rest);
        std::vector<std::string> lines;
        for (std::size_t end = m_rest.find('\n'); end != std::string::npos; end = m_rest.find('\n')) {
            lines.push_back(m_rest.substr(0, end));
            m_rest.erase(0, end + 1);
        }
        if (isOver() || m_rest.size() > kLongestLine)
            lines.push_back(std::exchange(m_rest, {}));
        return lines;
    }

private:
    ChildProgram &m_child;
    std::string m_rest;
};

/// The lines of --progress json, and others as they are.
class Reading
{
public:
    explicit Reading(const JobControl &control) : m_control(control) { }

    const ClusterReport &report() const { return m_report; }
    const std::string &error() const { return m_error; }

    /// Whether there is something new in the report.
    bool take(const std::string &line)
    {
        if (line.empty())
            return false;
        const nlohmann::json object = nlohmann::json::parse(line, nullptr, false);
        if (!object.is_object()) { // what is said before the command begins: its options are wrong
            m_error = line;
            return say(line);
        }
        if (const auto note = object.find("note"); note != object.end() && note->is_string())
            return say(note->get<std::string>());
        if (const auto error = object.find("error"); error != object.end() && error->is_string()) {
            m_error = error->get<std::string>(); // told at the end
            return false;
        }
        if (const auto shards = object.find("shards"); shards != object.end() && shards->is_object()) {
            const auto count = [&](const char *name) {
                const auto found = shards->find(name);
                return found != shards->end() && found->is_number_integer() ? found->get<int>() : 0;
            };
            m_report.shards = {count("of"), count("done"), count("running"), count("waiting"), count("lost")};
            return true;
        }
        if (const auto progress = object.find("progress"); progress != object.end() && progress->is_object())
            show(*progress);
        return false;
    }

private:
    bool say(const std::string &line)
    {
        m_report.lines.push_back(line);
        if (m_report.lines.size() > kMostLines)
            m_report.lines.erase(m_report.lines.begin());
        return true;
    }

    void show(const nlohmann::json &json) const
    {
        Progress progress;
        const auto get = [&]<typename T>(const char *name, T &value) {
            const auto found = json.find(name);
            if (found != json.end()
                && (std::is_same_v<T, std::string> ? found->is_string() : found->is_number_integer()))
                value = found->get<T>();
        };
        std::string phase;
        get("phase", phase);
        progress.phase = phaseNamed(phase, allPhases());
        get("unit", progress.unit);
        get("done", progress.done);
        get("total", progress.total);
        m_control.progress(progress);
    }

    const JobControl &m_control;
    ClusterReport m_report;
    std::string m_error;
};

Error failed(const fs::path &folder, int code, const std::string &said)
{
    const std::string what
        = said.empty() ? "headscope-cli ended with exit code " + std::to_string(code) + " and no message" : said;
    return resourceError(what + (what.ends_with('.') ? "" : ".") + " The folder of this sweep is " + folder.string()
                         + ".");
}

} // namespace

Result<ClusterReport> watchCluster(const std::vector<std::string> &words, const fs::path &folder,
                                   const fs::path &result, ClusterChild &child, const JobControl &control,
                                   const Publish<ClusterReport> &publish)
{
    std::error_code error;
    fs::create_directories(folder, error);
    if (error)
        return resourceError("Cannot make the folder " + folder.string() + " (" + error.message()
                             + "). Choose one that you can write to, on a disk that all nodes see.");
    child.program = std::make_shared<ChildProgram>(words, folder.string());
    Output output(*child.program);
    Reading reading(control);
    while (!output.isOver()) {
        if (control.cancelled()) {
            if (child.leaves)
                child.program.reset();
            else
                child.program->interrupt();
            return Result<ClusterReport>::cancelled();
        }
        bool isNew = false;
        for (const std::string &line : output.moreLines())
            isNew = reading.take(line) || isNew;
        if (isNew)
            publish(reading.report());
    }
    const int code = std::exchange(child.program, {})->wait();
    if (code == kCancelledCode)
        return Result<ClusterReport>::cancelled();
    if (code != 0)
        return failed(folder, code, reading.error());
    auto read = readResult(result);
    if (!read.isOk())
        return failed(folder, code, read.error().message);
    ClusterReport report = reading.report();
    report.result = std::move(read).value();
    return report;
}

Result<Done> awaitEnd(ClusterChild &child)
{
    const auto program = std::exchange(child.program, {});
    if (!program)
        return Done{};
    Output output(*program);
    const auto end = std::chrono::steady_clock::now() + kPatience;
    while (!output.isOver()) {
        if (std::chrono::steady_clock::now() > end)
            return resourceError(
                "Slurm does not say whether the jobs were cancelled. Check with squeue, and cancel them with "
                "scancel.");
        (void)output.moreLines();
    }
    return Done{};
}

} // namespace headscope

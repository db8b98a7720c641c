#include "app/cli/forecast.h"

#include "app/cli/progresstext.h"
#include "core/analysis/analyses.h"
#include "core/analysis/workload.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iterator>
#include <map>
#include <mutex>
#include <utility>

namespace headscope::cli {

namespace {

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point begin)
{
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// Phases of a run as its progress tells them. Asks the run to stop where a phase has lasted long enough.
class PhaseRecorder
{
public:
    explicit PhaseRecorder(double perPhase) : m_perPhase(perPhase) { }

    /// From any thread.
    void hear(const Progress &progress)
    {
        const std::scoped_lock lock(m_mutex);
        if (m_phases.empty() || progress.phase != m_phases.back().phase || progress.done < m_phases.back().done)
            begin(progress);
        MeasuredPhase &now = m_phases.back();
        now.done = progress.done;
        now.total = progress.total;
        now.seconds = secondsSince(m_begin);
        m_marks.emplace_back(now.seconds, now.done);
        now.rate = recentRate();
        if (now.rate && now.seconds > m_perPhase && !now.isDone())
            m_stop.request_stop();
    }

    std::stop_source &stop() { return m_stop; }
    const std::vector<MeasuredPhase> &phases() const { return m_phases; }

private:
    void begin(const Progress &progress)
    {
        MeasuredPhase &now = m_phases.emplace_back();
        now.phase = progress.phase;
        now.unit = progress.unit;
        m_begin = Clock::now();
        m_marks.clear();
    }

    /// The rate of the later half of the time: work begins with small blocks, which take more time an example than
    /// later ones. What was done at its beginning lies between two marks, where nothing was counted for a while.
    std::optional<double> recentRate() const
    {
        const auto &[seconds, done] = m_marks.back();
        if (done <= m_marks.front().second || seconds <= 0)
            return std::nullopt;
        const double half = seconds / 2;
        const auto next = std::ranges::find_if(
            m_marks, [&](double second) { return second >= half; }, &Mark::first);
        double before = static_cast<double>(next->second);
        if (next != m_marks.begin()) {
            const auto &[from, doneThen] = *std::prev(next);
            before = std::lerp(static_cast<double>(doneThen), before, (half - from) / (next->first - from));
        }
        return (static_cast<double>(done) - before) / (seconds - half);
    }

    const double m_perPhase;
    std::mutex m_mutex;
    std::stop_source m_stop;
    std::vector<MeasuredPhase> m_phases;
    Clock::time_point m_begin;
    using Mark = std::pair<double, std::int64_t>; ///< seconds of the phase, done
    std::vector<Mark> m_marks;
};

/// The phases that were seen of a run, and the seconds that it took.
struct Measured
{
    std::vector<MeasuredPhase> phases;
    double seconds = 0;
    bool isWhole = false;
};

Measured measure(Session &session, const AnySpec &spec, double perPhase, const std::stop_token &stop)
{
    PhaseRecorder recorder(perPhase);
    const std::stop_callback passOn(stop, [&] { recorder.stop().request_stop(); });
    const auto begin = Clock::now();
    const JobControl control(recorder.stop().get_token(), [&](const Progress &progress) { recorder.hear(progress); });
    const Result<AnyResult> result = session.runAny(Domain::In, spec, control);
    if (stop.stop_requested())
        throw Cancelled();
    if (result.isError())
        throw Failure(result.error());
    return {recorder.phases(), secondsSince(begin), result.isOk()};
}

/// Seconds of all phases seen, the last one to its end.
std::optional<double> secondsOf(const Measured &measured)
{
    if (measured.isWhole)
        return measured.seconds;
    const MeasuredPhase &last = measured.phases.back(); // a phase stopped the run
    if (last.total <= 0 || !last.rate)
        return std::nullopt;
    return measured.seconds + static_cast<double>(last.total - last.done) / *last.rate;
}

/// The examples that `spec` scores under masks, the sweep that it needs first among them.
std::vector<Workload> worksOf(const Session &session, const AnySpec &spec)
{
    const auto in = session.data(Domain::In), out = session.data(Domain::Out);
    const std::int64_t rows = in ? in->rows : 0, other = out ? out->rows : rows;
    const HeadLayout layout = unitsOf(spec, session.card());
    std::vector<Workload> works = workloadOf(spec, layout, rows, other);
    if (const auto needed = neededFor(spec))
        std::ranges::copy(workloadOf(needed->spec, layout, needed->ofOther ? other : rows, other),
                          std::back_inserter(works));
    return works;
}

/// Seconds an example by the kinds of masks that a run has come to; those of others are measured.
class MaskRates
{
public:
    MaskRates(Session &session, const AnySpec &spec, double perPhase, const std::stop_token &stop)
        : m_session(session), m_run(spec.visit([](const auto &own) { return own.run; })), m_perPhase(perPhase),
          m_stop(stop)
    {
    }

    void learn(const Measured &measured)
    {
        for (const MeasuredPhase &phase : measured.phases) {
            if (phase.rate && phase.phase.phase.cost)
                m_rates[{*phase.phase.phase.cost, false}] = *phase.rate;
        }
    }

    std::optional<double> secondsOf(const Workload &work)
    {
        const std::pair kind(work.cost, work.isPass);
        if (!m_rates.contains(kind)) {
            const Measured pilot = measure(m_session, pilotOf(work, m_run), m_perPhase, m_stop);
            if (pilot.phases.empty() || !pilot.phases.back().rate)
                return std::nullopt;
            m_rates[kind] = *pilot.phases.back().rate;
        }
        return static_cast<double>(work.examples) / m_rates.at(kind);
    }

private:
    Session &m_session;
    RunOptions m_run;
    double m_perPhase;
    const std::stop_token &m_stop;
    std::map<std::pair<MaskCost, bool>, double> m_rates;
};

/// Phases of the analysis behind the last one that was seen.
std::vector<std::string> phasesAfter(const AnySpec &spec, const Measured &measured)
{
    return spec.visit([&]<typename Spec>(const Spec &) {
        std::vector<std::string> after;
        if constexpr (requires { AnalysisOf<Spec>::kPhases; }) {
            const auto &all = AnalysisOf<Spec>::kPhases;
            const auto last = std::ranges::find(all, measured.phases.back().phase.phase);
            for (auto phase = last == all.end() ? all.begin() : last + 1; phase != all.end(); ++phase)
                after.emplace_back(phase->words);
        }
        return after;
    });
}

std::int64_t mostMemory()
{
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<std::int64_t>(usage.ru_maxrss) * 1024;
}

} // namespace

Forecast forecast(Session &session, const AnySpec &spec, double perPhase, const std::stop_token &stop)
{
    const auto begin = Clock::now();
    Forecast found;
    found.analysis = spec.visit([]<typename Spec>(const Spec &) { return std::string(AnalysisOf<Spec>::kInfo.name); });
    const Measured measured = measure(session, spec, perPhase, stop);
    found.phases = measured.phases;
    const std::vector<Workload> works = worksOf(session, spec);
    if (measured.isWhole || works.size() <= 1) {
        found.seconds = secondsOf(measured);
        if (!measured.isWhole)
            found.notCounted = phasesAfter(spec, measured);
    } else {
        MaskRates rates(session, spec, perPhase, stop);
        rates.learn(measured);
        found.seconds = 0;
        for (const Workload &work : works) {
            const auto more = rates.secondsOf(work);
            found.seconds = found.seconds && more ? std::optional(*found.seconds + *more) : std::nullopt;
        }
    }
    found.memory = mostMemory();
    found.measuring = secondsSince(begin);
    return found;
}

nlohmann::json toJson(const Forecast &forecast)
{
    nlohmann::json phases = nlohmann::json::array();
    for (const MeasuredPhase &phase : forecast.phases) {
        nlohmann::json own{{"phase", phase.phase.words()}, {"unit", phase.unit},
                           {"done", phase.done},           {"total", nullptr},
                           {"seconds", phase.seconds},     {"rate", nullptr}};
        if (phase.total > 0)
            own["total"] = phase.total;
        if (phase.rate)
            own["rate"] = *phase.rate;
        phases.push_back(std::move(own));
    }
    nlohmann::json json{
        {"analysis", forecast.analysis},   {"seconds", nullptr},          {"measuring_seconds", forecast.measuring},
        {"memory_bytes", forecast.memory}, {"phases", std::move(phases)}, {"not_counted", forecast.notCounted}};
    if (forecast.seconds)
        json["seconds"] = *forecast.seconds;
    return {{"dry_run", std::move(json)}};
}

std::string textOf(const Forecast &forecast)
{
    const double memory = static_cast<double>(forecast.memory) / (1 << 30);
    std::string text = forecast.seconds ? fmt::format("{} takes about {} and {:.1f} GiB of memory", forecast.analysis,
                                                      durationText(*forecast.seconds), memory)
                                        : fmt::format("the time of {} cannot be told; it held {:.1f} GiB of memory",
                                                      forecast.analysis, memory);
    for (const MeasuredPhase &phase : forecast.phases)
        text += fmt::format("; {}: {} of {} {} in {:.1f} s", phase.phase.words(), phase.done,
                            phase.total > 0 ? fmt::to_string(phase.total) : "?", phase.unit, phase.seconds);
    if (!forecast.notCounted.empty())
        text += fmt::format("; not counted, where they come: {}", fmt::join(forecast.notCounted, ", "));
    return text;
}

} // namespace headscope::cli

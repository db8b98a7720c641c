#pragma once

#include "core/analysis/anyspec.h"
#include "core/base/phase.h"
#include "core/session/session.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

/// The time and memory of a call, from its first examples (--dry-run).
namespace headscope::cli {

/// Seconds of a phase after which nothing more of it is measured.
inline constexpr double kUsualMeasuring = 10;

/// A phase of an analysis, as far as it was run.
struct MeasuredPhase
{
    PhaseNow phase;
    std::string unit;
    std::int64_t done = 0;
    std::int64_t total = 0; ///< 0: not known
    double seconds = 0;
    std::optional<double> rate; ///< units a second, of the later half of that time; nothing: it has not begun to count

    bool isDone() const { return total > 0 && done >= total; }
};

struct Forecast
{
    std::string analysis;
    std::optional<double> seconds; ///< from its beginning to its end; nothing: it has not said how much it has to do
    double measuring = 0;          ///< seconds that this forecast took
    std::vector<MeasuredPhase> phases;
    std::vector<std::string> notCounted; ///< phases that may come after these, and are not in `seconds`
    std::int64_t memory = 0;             ///< bytes that this process held at most, the model among them
};

/// Runs `spec` over the data of the session, each phase to its end or for `perPhase` seconds, and the kinds of masks
/// that were not reached on a few examples. Open the session without a work folder: what is computed is thrown away.
/// Throws Failure as the analysis does, and Cancelled.
Forecast forecast(Session &session, const AnySpec &spec, double perPhase, const std::stop_token &stop);

nlohmann::json toJson(const Forecast &forecast);
/// "ablate takes about 4:10 and 1.9 GiB of memory; ablating heads: 96 of 2000 examples in 10.0 s".
std::string textOf(const Forecast &forecast);

} // namespace headscope::cli

#pragma once

#include "core/analysis/workload.h"
#include "ui/jobs/jobqueue.h"
#include "ui/state/slotresults.h"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace headscope {

/// How long analyses take on this machine with this model, measured from those that have run: by the example and word,
/// for every cost of masks, or for an analysis by itself. What has run here counts before what finished results say;
/// what has run on another path (masks that cost something else) says nothing.
class Pace
{
public:
    /// From a job at work on a data set whose examples have so many words on average.
    void learn(const JobInfo &job, double words);
    /// Examples under masks of that cost, so many a second.
    void learn(MaskCost cost, double rate, double words);
    /// From how long a complete result took, by its manifest.
    void learn(const AnyResult &result, const std::string &device, double words);
    /// From one that this job has computed, where it was not there before, nor a part of it.
    void learn(const AnyResult &result, const JobInfo &job, double words);
    void forget() { *this = {}; }

    /// Whether something of this cost has been measured here.
    bool hasMeasured(const Workload &work) const;
    /// Seconds that the examples of this cost take; nothing: nothing like it has been measured.
    std::optional<double> secondsOf(const Workload &work, double words) const;
    /// An analysis that is not made of masks, by its name, on so many examples.
    std::optional<double> secondsOf(const std::string &analysis, std::int64_t examples, double words) const;

private:
    struct Measured
    {
        std::optional<double> here;   ///< seconds per example and word, of the newest job
        std::optional<double> before; ///< of a result
        std::optional<double> any() const { return here ? here : before; }
    };
    static double perWord(double seconds, std::int64_t examples, double words)
    {
        return seconds / (static_cast<double>(examples) * words);
    }

    Measured of(const Workload &work) const;
    Measured &placeOf(const Workload &work) { return work.isPass ? m_passes : m_masks[work.cost]; }

    std::map<MaskCost, Measured> m_masks;
    Measured m_passes;
    std::map<std::string, Measured> m_analyses;
};

} // namespace headscope

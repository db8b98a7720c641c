#include "core/metrics/minimalpairs.h"

#include "core/metrics/undefined.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

namespace headscope {

namespace {

/// Statistics: right, 1.
class PairAccuracyMetric final : public MinimalPairMetric
{
public:
    explicit PairAccuracyMetric(std::string conditions) : m_conditions(std::move(conditions)) { }

    std::string name() const override { return "accuracy"; }
    std::string signature() const override { return m_conditions + "|ties:wrong|impl:headscope"; }
    std::size_t statisticsSize() const override { return 2; }
    bool isRightOrWrong() const override { return true; }
    double score(std::span<const double> sums) const override { return sums[1] > 0 ? sums[0] / sums[1] : kUndefined; }
    Interval possible() const override { return {0, 1}; }

    void statistics(const PairLikelihoods &pair, std::span<double> out) const override
    {
        out[0] = pair.isRight();
        out[1] = 1;
    }

private:
    std::string m_conditions;
};

/// Statistics: right and 1, of each paradigm.
class MacroAccuracyMetric final : public MinimalPairMetric
{
public:
    MacroAccuracyMetric(std::size_t paradigms, std::string conditions)
        : m_paradigms(paradigms), m_conditions(std::move(conditions))
    {
    }

    std::string name() const override { return "macro-accuracy"; }
    std::string signature() const override
    {
        return fmt::format("{}|ties:wrong|average:{} paradigms|impl:headscope", m_conditions, m_paradigms);
    }
    std::size_t statisticsSize() const override { return 2 * m_paradigms; }
    Interval possible() const override { return {0, 1}; }

    double score(std::span<const double> sums) const override
    {
        double sum = 0;
        double paradigms = 0;
        for (std::size_t k = 0; k < sums.size(); k += 2) {
            if (sums[k + 1] > 0) {
                sum += sums[k] / sums[k + 1];
                ++paradigms;
            }
        }
        return paradigms > 0 ? sum / paradigms : kUndefined;
    }

    void statistics(const PairLikelihoods &pair, std::span<double> out) const override
    {
        std::fill(out.begin(), out.end(), 0);
        out[2 * pair.paradigm] = pair.isRight();
        out[2 * pair.paradigm + 1] = 1;
    }

private:
    std::size_t m_paradigms;
    std::string m_conditions;
};

} // namespace

std::vector<std::unique_ptr<MinimalPairMetric>> minimalPairMetrics(std::size_t paradigms, const std::string &setting)
{
    const std::string conditions = "pairs:sentence-likelihood" + (setting.empty() ? setting : '|' + setting);
    std::vector<std::unique_ptr<MinimalPairMetric>> metrics;
    metrics.push_back(std::make_unique<PairAccuracyMetric>(conditions));
    if (paradigms > 1)
        metrics.push_back(std::make_unique<MacroAccuracyMetric>(paradigms, conditions));
    return metrics;
}

} // namespace headscope

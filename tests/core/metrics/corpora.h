#pragma once

#include "core/metrics/bootstrap.h"

#include <string>
#include <vector>

/// The small corpus of sacreBLEU's own tests, and how a metric scores corpora with several references.
namespace headscope::corpora {

using Lines = std::vector<std::string>;

inline const Lines kHypotheses = {"The dog bit the man.", "It wasn't surprising.", "The man had just bitten him."};
inline const std::vector<Lines> kReferences
    = {{"The dog bit the man.", "It was not unexpected.", "The man bit him first."},
       {"The dog had bit the man.", "No one was surprised.", "The man had bitten the dog."}};

inline Lines repeated(const Lines &lines, int times)
{
    Lines result;
    for (int i = 0; i < times; ++i)
        result.insert(result.end(), lines.begin(), lines.end());
    return result;
}

/// references[stream][line]
inline StatisticsTable statisticsOf(const TextMetric &metric, const Lines &hypotheses,
                                    const std::vector<Lines> &references)
{
    StatisticsTable table(hypotheses.size(), metric.statisticsSize());
    for (std::size_t i = 0; i < hypotheses.size(); ++i) {
        std::vector<std::string_view> alternatives;
        for (const Lines &stream : references)
            alternatives.push_back(stream[i]);
        metric.statistics(hypotheses[i], *metric.prepare(alternatives), table.row(i));
    }
    return table;
}

inline double corpusScore(const TextMetric &metric, const Lines &hypotheses, const std::vector<Lines> &references)
{
    return metric.score(statisticsOf(metric, hypotheses, references).sums());
}

} // namespace headscope::corpora

#pragma once

#include "core/results/ablationresult.h"
#include "ui/models/significance.h"

#include <QString>

#include <cstdint>
#include <string>
#include <vector>

namespace headscope {

/// How the heads of a model are distributed by the score that is left without each (Michel et al.'s Figure 1).
struct HistogramSeries
{
    struct Bin
    {
        double low = 0; ///< score as shown; the upper end belongs to the next bin
        double high = 0;
        std::int64_t heads = 0;
        std::int64_t significant = 0; ///< of them
    };
    QString metric;
    QString unit; ///< "%", "lower is better", both, or nothing
    Significance significance{};
    double baseline = 0;   ///< the full model's score, as shown
    std::vector<Bin> bins; ///< ascending, of equal width, without gaps
    std::int64_t heads = 0;
    bool empty() const { return heads == 0; }
};

/// Whether its heads can be ranked and tested: all of them are there, and rest on the same examples unless it is
/// complete.
bool isComparable(const AblationResult &result, std::int64_t heads);

/// `bins`: about so many; their ends are round numbers. Heads without a score are left out.
HistogramSeries makeHistogramSeries(const AblationResult &result, const Significance &by = {}, int bins = 24);

/// One line per bin.
std::string histogramCsv(const HistogramSeries &series);

} // namespace headscope

#pragma once

#include "core/results/pruningresult.h"
#include "core/results/removableheads.h"
#include "core/results/searchresult.h"

#include <QString>
#include <QStringList>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace headscope {

/// A result and the data it was measured on.
struct PruningInput
{
    bool outOfDomain = false;
    std::shared_ptr<const PruningResult> result;
    QString note = {};  ///< how it differs from the usual: "re-estimated"
    QString basis = {}; ///< what one that is not complete rests on: "24 of 300 examples"
};

struct CurvePoint
{
    double removed = 0; ///< heads
    double score = 0;   ///< as shown: accuracy as per cent
    double low = 0;     ///< 95 % interval, or the range of the random orders
    double high = 0;
};

/// One line of the chart.
struct CurveSeries
{
    QString order; ///< one of kPruningOrders, or a file's name
    bool outOfDomain = false;
    QString note;
    QString basis;                        ///< of one that is not complete
    bool isVariant = false;               ///< follows a curve of the same order on the same data
    std::optional<HeadKind> kind;         ///< the only one whose heads could go, where each kind has a curve of its own
    std::int64_t randomOrders = 0;        ///< > 0: a band over that many random orders
    std::vector<CurvePoint> points;       ///< ascending
    RemovableHeads removable;             ///< how many heads can go
    std::optional<std::size_t> firstLoss; ///< the point of its first significant loss
    std::optional<std::size_t> within;    ///< the last point up to which losses are below the margin, heads being gone
    std::optional<double> accepted;       ///< the score that costs just the margin, as shown
    /// Where the curve bends most: the point that lies furthest above the straight line from its first to its last
    /// point (below, where lower scores are better), if its whole interval does.
    std::optional<std::size_t> knee;
};

/// What the pruning chart draws.
struct PruningSeries
{
    QString metric;
    Better better = Better::Higher;  ///< which scores are
    std::vector<CurveSeries> curves; ///< random bands first: they are painted underneath
    int candidates = 0;              ///< candidates for removal: the right end of the x axis
    double low = 0;                  ///< round ends of the y axis
    double high = 1;
    bool empty() const { return curves.empty(); }
};

inline constexpr const char *kSearchCurve = "search"; ///< what stands for the order of such a curve
/// The rearranged masks of a search as a curve beside those of orders, which its points are not: a mask need not hold
/// those of fewer heads.
PruningResult curveOfSearch(const SearchResult &search);

/// The metrics that the curves can be drawn by: the one that heads are judged by first, then those of labels that all
/// points have as well.
QStringList pruningMetrics(const std::vector<PruningInput> &inputs);
/// The same curves with the scores of another of their metrics; those that do not have it are left out.
std::vector<PruningInput> byMetric(const std::vector<PruningInput> &inputs, const QString &metric);

/// `candidates` = heads that may be removed with the present settings; a longer curve extends the axis. `rule`: what
/// counts as a loss.
PruningSeries makePruningSeries(const std::vector<PruningInput> &inputs, int candidates,
                                const SignificanceRule &rule = {});

/// The score of a curve at `removed` heads: measured at its points, interpolated between them.
struct CurveReading
{
    double score = 0;
    bool measured = false;
};
std::optional<CurveReading> readCurve(const CurveSeries &curve, double removed);

/// The first `removed` heads of `curve`. Between two points the heads of the next step are removed in ascending order
/// of `cost`. Nothing when the curve does not reach that far or knows no masks.
std::optional<HeadMask> maskOnCurve(const PruningCurve &curve, std::int64_t removed,
                                    const std::function<double(const HeadRef &)> &cost);

} // namespace headscope

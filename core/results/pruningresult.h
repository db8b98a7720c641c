#pragma once

#include "core/base/better.h"
#include "core/base/enumnames.h"
#include "core/base/headref.h"
#include "core/base/interval.h"
#include "core/results/manifest.h"
#include "core/results/results.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Scores while more and more heads are removed.
namespace headscope {

/// Another metric of the same outputs.
struct PointMetric : MetricValue
{
    std::optional<PairedTest> paired{}; ///< as PruningPoint's
};

struct PruningPoint
{
    std::int64_t pruned = 0;
    double fraction = 0; ///< of the heads that may be pruned
    double score = 0;
    Interval interval;                 ///< 95 %, bootstrap; random band: lowest and highest of the orders
    HeadMask mask;                     ///< the heads removed here; empty in a random band
    std::vector<PointMetric> others{}; ///< of labels: the other metrics of predictions, under the same masks
    /// Against the full model. None in a random band, without resamples, of one example, and in older files.
    std::optional<PairedTest> paired{};
};

/// How many heads "10 %" of them are where that is no whole number (the guide's numbers.md, Pruning curves).
enum class StepRounding { Down, Up };
template<>
struct EnumNames<StepRounding>
{
    static constexpr std::array<std::string_view, 2> values{"down", "up"};
    static constexpr const char *what = "rounding";
};

struct PruningCurve
{
    std::string order;                ///< one of kPruningOrders (analysis/specs.h), or a file's name
    std::vector<PruningPoint> points; ///< from 0 heads on, ascending
    std::int64_t randomOrders = 0;    ///< > 0: a band over that many random orders; score is their mean
    PrecisionCheck products{};
    std::vector<HeadKind> kinds{}; ///< what could be removed; empty = heads of all kinds
    std::int64_t candidates = 0;   ///< heads that could be removed: 100 %
    bool reversed = false;         ///< the order was reversed
    bool reestimated = false;      ///< the order was computed again before every step
    bool rescaled = false;         ///< the heads that stayed in a layer were scaled by its heads over them
    std::int64_t atLeastPerLayer = 0;
    std::int64_t step = 0; ///< heads removed between two points; 0: tenths, rounded as `rounding` says
    StepRounding rounding = StepRounding::Down;
    std::string orderData{};        ///< the data set by which the order was chosen; empty: by none (random, a file)
    bool chosenOnEvaluated = false; ///< that is the evaluated set itself: the curve flatters the order
};

struct PruningResult
{
    static constexpr const char *kKind = "prune";
    Manifest manifest;
    std::string metric;             ///< name of the score
    Better better = Better::Higher; ///< which scores are
    std::vector<PruningCurve> curves;
    std::int64_t examples = 0;
};

} // namespace headscope

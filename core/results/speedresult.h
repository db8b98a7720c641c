#pragma once

#include "core/base/enumnames.h"
#include "core/base/headref.h"
#include "core/results/manifest.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headscope {

/// How examples become batches when speed is measured (the guide's numbers.md, Speed).
enum class LengthPolicy {
    Bucketed, ///< examples of similar length together: little padding
    AsIs,     ///< in the order of the data, padded to the longest of each batch
    Fixed,    ///< in the order of the data, all padded to the longest of the set
};
template<>
struct EnumNames<LengthPolicy>
{
    static constexpr std::array<std::string_view, 3> values{"bucketed", "as-is", "fixed"};
    static constexpr const char *what = "way of making batches";
};

/// The models that are measured against each other.
enum class ModelVersion { Original, Masked, Removed };
inline constexpr std::array kModelVersions{ModelVersion::Original, ModelVersion::Masked, ModelVersion::Removed};
template<>
struct EnumNames<ModelVersion>
{
    static constexpr std::array<std::string_view, 3> values{"original", "masked", "removed"};
    static constexpr const char *what = "contender";
};

/// Spread of several measurements of the same thing.
struct Spread
{
    double mean = 0;
    double deviation = 0; ///< standard deviation of a sample (n − 1); NaN for a single measurement
    double median = 0;
    double lower = 0; ///< quartiles, interpolated linearly: upper − lower is the interquartile range
    double upper = 0;

    static Spread of(std::vector<double> values); ///< of none: all NaN
};

struct SpeedRow
{
    LengthPolicy lengths = LengthPolicy::Bucketed;
    std::int64_t batchSize = 0;
    ModelVersion contender = ModelVersion::Original;
    std::int64_t batches = 0;    ///< per repeat; the last may be smaller
    std::int64_t tokens = 0;     ///< per repeat, SpeedResult::tokenUnit
    std::vector<double> seconds; ///< one per repeat, of all batches together
    Spread examplesPerSecond;
    Spread tokensPerSecond;
    Spread gain; ///< examples per second over those of the original in the same repeat, − 1: 0.17 = 17 % more
    std::optional<std::int64_t> peakBytes; ///< what the largest batch took beside the weights; none: not known here
};

/// Examples per second of a model as it is, with heads masked, and with the same heads taken out (Michel et al. 2019,
/// table 4). The three run in turn, batch by batch, so that what disturbs the machine disturbs all alike.
struct SpeedResult
{
    static constexpr const char *kKind = "speed";
    Manifest manifest;
    HeadMask mask;         ///< the heads masked and removed
    std::string path;      ///< what was run: "one LibTorch forward pass per batch, …"
    std::string tokenUnit; ///< "input tokens" or "generated tokens"
    int threads = 0;
    int repeats = 0;           ///< asked for
    int warmUp = 0;            ///< batches of every contender before each measurement
    std::int64_t examples = 0; ///< per repeat
    std::int64_t heads = 0;
    std::int64_t headsLeft = 0;
    std::int64_t parameters = 0;
    std::int64_t parametersLeft = 0;
    std::int64_t weightBytes = 0; ///< as computed with, not as on disk
    std::int64_t weightBytesLeft = 0;
    std::vector<SpeedRow> rows; ///< by lengths, batch size, contender; a partial result has fewer rows or repeats
};

} // namespace headscope

#pragma once

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <utility>

/// Ranges of numbers, said once for the command line, files and messages between programs.
namespace headscope {

/// The range of a real number, both ends included.
struct Range
{
    double least;
    double most;
};

/// The range of a whole number, both ends included.
struct IntegerRange
{
    std::int64_t least;
    std::int64_t most = std::numeric_limits<std::int64_t>::max();
};

inline constexpr double kLargestReal = std::numeric_limits<double>::max();

/// Resamples of a bootstrap: far more than the narrowest test asks for, and few enough to be kept.
inline constexpr std::int64_t kMostResamples = 10'000'000;
/// Repetitions of anything that takes a while by itself.
inline constexpr std::int64_t kMostRepeats = 1'000'000;

/// Ranges of generation, whether a model's own files ask for it or somebody else. An output has a start token and
/// another one.
inline constexpr IntegerRange kBeamsRange{1, 1024};
inline constexpr IntegerRange kLengthRange{2, 1 << 30};
/// Source tokens of a batch: sums of them have room.
inline constexpr IntegerRange kBatchTokensRange{1, 1 << 30};
/// Processor threads; 0 = one per core.
inline constexpr IntegerRange kThreadsRange{0, 4096};

template<typename T>
bool isWithin(T value, const IntegerRange &range)
{
    // Seeds have all 64 bits.
    const bool isOpen = range.most == std::numeric_limits<std::int64_t>::max();
    return std::cmp_greater_equal(value, range.least) && (isOpen || std::cmp_less_equal(value, range.most));
}
/// False for NaN.
inline bool isWithin(double value, const Range &range)
{
    return std::isfinite(value) && value >= range.least && value <= range.most;
}

/// "a whole number from 1 to 1024", "a number 0 or more".
std::string rangeText(const IntegerRange &range);
std::string rangeText(const Range &range);

/// Refuses a path that the system would cut off: one with a NUL byte in it, as only files and messages can hold.
/// Throws Failure.
void requirePath(const std::filesystem::path &path);

} // namespace headscope

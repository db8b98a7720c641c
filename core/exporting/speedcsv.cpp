#include "core/exporting/csv.h"
#include "core/exporting/csvwriter.h"

#include <limits>

namespace headscope {
namespace {

CsvWriter &operator<<(CsvWriter &csv, const Spread &spread)
{
    return csv << spread.mean << spread.deviation << spread.median << spread.lower << spread.upper;
}

} // namespace

std::string toCsv(const SpeedResult &result)
{
    CsvWriter csv;
    csv << "lengths"
        << "batch_size"
        << "contender"
        << "heads"
        << "parameters"
        << "repeats"
        << "examples"
        << "tokens";
    for (const char *what : {"examples_per_second_", "tokens_per_second_", "gain_"}) {
        for (const char *of : {"mean", "sd", "median", "q1", "q3"})
            csv << std::string(what) + of;
    }
    csv << "peak_bytes"
        << "weight_bytes";
    csv.endLine();
    for (const SpeedRow &row : result.rows) {
        const bool removed = row.contender == ModelVersion::Removed;
        csv << toText(row.lengths) << row.batchSize << toText(row.contender)
            << (removed ? result.headsLeft : result.heads) << (removed ? result.parametersLeft : result.parameters)
            << static_cast<std::int64_t>(row.seconds.size()) << result.examples << row.tokens << row.examplesPerSecond
            << row.tokensPerSecond << row.gain
            << (row.peakBytes ? static_cast<double>(*row.peakBytes) : std::numeric_limits<double>::quiet_NaN())
            << (removed ? result.weightBytesLeft : result.weightBytes);
        csv.endLine();
    }
    return csv.text();
}

} // namespace headscope

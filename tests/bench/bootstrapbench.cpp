#include "core/base/random.h"
#include "core/metrics/bleu.h"
#include "core/metrics/bootstrap.h"
#include "core/metrics/pairedtests.h"
#include "tests/bench/timing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <vector>

/// headscope-bootstrapbench [EXAMPLES [HEADS [RESAMPLES [CHANGED]]]]: seconds that the tests of an ablation sweep take,
/// over made-up statistics of BLEU of which every head changes the share CHANGED.
namespace headscope {
namespace {

StatisticsTable madeUpTable(std::size_t rows, std::uint64_t seed)
{
    Random random(seed);
    StatisticsTable table(rows, 10);
    for (std::size_t i = 0; i < rows; ++i) {
        const double length = 10 + random.below(10);
        auto row = table.row(i);
        row[0] = length;
        row[1] = 15;
        for (std::uint32_t n = 0; n < 4; ++n) {
            row[6 + n] = length - n;
            row[2 + n] = random.below(static_cast<std::uint32_t>(length) - n);
        }
    }
    return table;
}

StatisticsTable changed(const StatisticsTable &baseline, double share, std::uint64_t seed)
{
    StatisticsTable table = baseline;
    const StatisticsTable other = madeUpTable(baseline.rows, seed);
    Random random(seed);
    for (std::size_t i = 0; i < table.rows; ++i) {
        if (random.uniform() < share)
            std::ranges::copy(other.row(i), table.row(i).begin());
    }
    return table;
}

void measure(std::size_t examples, std::size_t heads, std::int64_t resamples, double share)
{
    const BleuMetric metric;
    const StatisticsTable baseline = madeUpTable(examples, 1);
    std::vector<StatisticsTable> variants;
    std::vector<const StatisticsTable *> tables;
    for (std::size_t head = 0; head < heads; ++head)
        variants.push_back(changed(baseline, share, head + 2));
    for (const StatisticsTable &variant : variants)
        tables.push_back(&variant);

    double sum = 0;
    const double drawing
        = shortestSeconds([&] { sum += PairedBootstrap(baseline, metric, resamples, 12345).baselineScores().front(); });
    const PairedBootstrap bootstrap(baseline, metric, resamples, 12345);
    const double together = shortestSeconds([&] { sum += bootstrap.compareAll(tables).front().p; });
    const double randomization = shortestSeconds([&] {
        for (const StatisticsTable &variant : variants)
            sum += approximateRandomizationP(baseline, variant, metric, resamples, 12345);
    });
    fmt::print("{} examples, {} heads that change {:.0f} %, {} resamples (checksum {:.6f}):\n"
               "drawing and baseline {:.3f} s, bootstrap {:.3f} s, randomisation {:.3f} s\n",
               examples, heads, 100 * share, resamples, sum, drawing, together, randomization);
}

} // namespace
} // namespace headscope

int main(int argc, char **argv)
{
    const auto argument = [&](int place, const char *otherwise) { return argc > place ? argv[place] : otherwise; };
    headscope::measure(std::strtoull(argument(1, "1000"), nullptr, 10), std::strtoull(argument(2, "96"), nullptr, 10),
                       std::strtoll(argument(3, "10000"), nullptr, 10), std::strtod(argument(4, "0.4"), nullptr));
}

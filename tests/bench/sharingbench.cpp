// Prints how long query and key projections of heads take to factorize, from the heads' own triplets and from random
// factors:
//   headscope-sharingbench [WIDTH HEADS RANK [LAYERS]]
// Without arguments one layer of BERT-base, 768 wide with 12 heads, at 256 columns. The numbers are normal and
// independent: what has no structure takes the most iterations. Layers are factorized side by side.
#include "core/sharing/cpfactors.h"
#include "core/sharing/energy.h"
#include "core/tensor/execution.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

using namespace headscope;

int main(int argc, char **argv)
{
    std::vector<std::int64_t> sizes{768, 12, 256, 1};
    for (int i = 1; i < argc && i <= 4; ++i)
        sizes[static_cast<std::size_t>(i) - 1] = std::stoll(argv[i]);
    const std::int64_t width = sizes[0], heads = sizes[1], rank = sizes[2], layers = sizes[3];
    const Execution execution;
    for (const std::int64_t restarts : {0, 1}) {
        std::vector<CpDecomposition> found(static_cast<std::size_t>(layers));
        std::vector<double> single(found.size());
        const auto start = std::chrono::steady_clock::now();
        execution.parallelFor(layers, [&](std::int64_t layer) {
            const HeadMaps maps = randomMaps(heads, width / heads, width, static_cast<std::uint64_t>(layer));
            const auto place = static_cast<std::size_t>(layer);
            found[place] = decompose(maps, {.rank = rank, .restarts = restarts}, {});
            single[place] = relativeError(maps, truncatedHeads(maps, rank));
        });
        const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
        fmt::print(
            "{} layers, {} wide, {} heads, {} columns, {} random starts: {:.1f} s, {} iterations of the best start, relative "
            "error {:.4f} (single heads {:.4f})\n",
            layers, width, heads, rank, restarts, seconds.count(), found.front().iterations, found.front().error,
            single.front());
        std::fflush(stdout);
    }
    return 0;
}

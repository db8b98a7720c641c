// headscope-productsbench [WIDTH INNER]: products by packed weights, by kind and number of rows, on one core.

#include "core/packed/linear.h"

#include <ATen/core/grad_mode.h>
#include <torch/types.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <limits>
#include <string>
#include <utility>
#include <vector>

using namespace headscope;

namespace {

constexpr std::int64_t kMostRows = 256;

/// Of one product by each of the weights in turns, so that those do not stay in the nearest cache; the least of some
/// runs.
double secondsOf(const std::vector<PackedLinear> &weights, const torch::Tensor &input, std::int64_t rows)
{
    constexpr int kRuns = 20;
    auto output = torch::empty({kMostRows, weights.front().outputs()});
    double least = std::numeric_limits<double>::infinity();
    for (int run = 0; run < kRuns; ++run) {
        const auto start = std::chrono::steady_clock::now();
        for (const PackedLinear &linear : weights)
            linear(input.data_ptr<float>(), rows, output.data_ptr<float>());
        least = std::min(least, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    return least / static_cast<double>(weights.size());
}

} // namespace

int main(int argc, char **argv)
{
    constexpr int kWeights = 16;
    const torch::NoGradGuard noGrad;
    const std::int64_t width = argc > 2 ? std::stoll(argv[1]) : 256;
    const std::int64_t inner = argc > 2 ? std::stoll(argv[2]) : 1024;
    const std::pair<Products, const char *> kinds[] = {
        {Products::Exact, "f32"}, {Products::Split, "split bf16"}, {Products::Half, "bf16"}, {Products::Byte, "int8"}};
    std::printf("%s; GFLOP/s of the f32 product\n", productLibrary().c_str());
    for (const auto &[in, out] : {std::pair{width, width}, {width, 2 * width}, {width, inner}, {inner, width}}) {
        const auto input = torch::randn({kMostRows, in});
        for (const auto &[kind, name] : kinds) {
            if (!PackedLinear::canMake(kind))
                continue;
            std::vector<PackedLinear> weights;
            for (int i = 0; i < kWeights; ++i)
                weights.emplace_back(torch::randn({out, in}), torch::randn({out}), kind);
            std::printf("%lld x %lld, %-10s", static_cast<long long>(in), static_cast<long long>(out), name);
            for (std::int64_t rows = 4; rows <= kMostRows; rows *= 2)
                std::printf("  %lld: %.0f", static_cast<long long>(rows),
                            2e-9 * static_cast<double>(in * out * rows) / secondsOf(weights, input, rows));
            std::printf("\n");
        }
    }
}

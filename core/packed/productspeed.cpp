#include "core/packed/productspeed.h"

#include "core/base/cachefolder.h"
#include "core/formats/atomicfile.h"
#include "core/formats/jsonfile.h"
#include "core/packed/rows.h"
#include "core/tensor/device.h"

#include <ATen/core/grad_mode.h>
#include <torch/types.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace headscope {
namespace {

using Shape = std::pair<std::int64_t, std::int64_t>;

/// Nothing if the user has no folder for such things.
std::optional<std::filesystem::path> cacheFile()
{
    const auto folder = cacheFolder();
    return folder ? std::optional(*folder / "products.json") : std::nullopt;
}

/// The key that the outcome depends on.
std::string machine()
{
    return processorName() + ", " + productLibrary();
}

std::string nameOf(const Shape &shape)
{
    return std::to_string(shape.first) + "x" + std::to_string(shape.second);
}

bool isCost(const nlohmann::json &value)
{
    return value.is_number() && value.get<double>() > 0 && value.get<double>() < 1e6;
}

std::optional<ProductCosts> remembered(const std::filesystem::path &file, const Shape &shape)
{
    constexpr std::int64_t kLargest = 1 << 20;
    const auto json = readJsonFile(file, kLargest);
    if (!json.isOk() || !json.value().is_object())
        return std::nullopt;
    const nlohmann::json costs = json.value().value(machine(), nlohmann::json::object());
    if (!costs.is_object() || !costs.contains(nameOf(shape)))
        return std::nullopt;
    const nlohmann::json &own = costs.at(nameOf(shape));
    if (!own.is_array() || own.size() != kProductKinds || !std::ranges::all_of(own, isCost))
        return std::nullopt;
    return own.get<ProductCosts>();
}

/// For the next program that asks. That it cannot be written is no harm.
void remember(const std::filesystem::path &file, const Shape &shape, const ProductCosts &costs)
{
    std::error_code error;
    std::filesystem::create_directories(file.parent_path(), error);
    nlohmann::json json = nlohmann::json::object();
    if (const auto known = readJsonFile(file); known.isOk() && known.value().is_object())
        json = known.value();
    nlohmann::json &own = json[machine()];
    if (!own.is_object())
        own = nlohmann::json::object();
    own[nameOf(shape)] = costs;
    (void)writeFileAtomically(file, json.dump(2) + "\n");
}

/// The shortest of some runs: others may use the machine meanwhile.
class Stopwatch
{
public:
    template<typename Work>
    void time(Work &&work)
    {
        const auto begin = std::chrono::steady_clock::now();
        work();
        m_least = std::min(m_least, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    }
    double seconds() const { return m_least; }

private:
    double m_least = std::numeric_limits<double>::infinity();
};

} // namespace

ProductCosts measureProductCosts(std::int64_t width, std::int64_t inner)
{
    constexpr int kRuns = 9;
    const torch::NoGradGuard noGrad;
    const Shape shapes[] = {{width, width}, {width, inner}, {inner, width}};
    std::vector<std::size_t> kinds;
    for (std::size_t kind = 0; kind < kProductKinds; ++kind) {
        if (PackedLinear::canMake(static_cast<Products>(kind)))
            kinds.push_back(kind);
    }
    ProductCosts seconds{};
    for (const auto &[in, out] : shapes) {
        const auto weight = torch::ones({out, in});
        const Rows input = Rows::of(torch::ones({PackedLinear::kSlice, in}));
        Rows output(PackedLinear::kSlice, out);
        std::array<PackedLinear, kProductKinds> products;
        for (const std::size_t kind : kinds)
            products[kind] = PackedLinear(weight, {}, static_cast<Products>(kind));
        std::array<Stopwatch, kProductKinds> watches;
        for (int run = 0; run < kRuns; ++run) { // in turns: what slows one kind down slows all
            for (const std::size_t kind : kinds)
                watches[kind].time([&] { products[kind](input.row(0), PackedLinear::kSlice, output.row(0)); });
        }
        for (const std::size_t kind : kinds)
            seconds[kind] += watches[kind].seconds();
    }
    ProductCosts costs;
    costs.fill(kNeverWorthIt);
    for (const std::size_t kind : kinds) // in hundredths: they are no finer
        costs[kind] = std::max(
            0.01, std::round(100 * seconds[kind] / seconds[static_cast<std::size_t>(Products::Exact)]) / 100);
    return costs;
}

ProductCosts productCosts(std::int64_t width, std::int64_t inner)
{
    static std::mutex mutex;
    static std::map<Shape, ProductCosts> known;
    const std::lock_guard lock(mutex); // others wait: two measurements at once would slow each other down
    const Shape shape{width, inner};
    if (const auto found = known.find(shape); found != known.end())
        return found->second;
    const auto file = cacheFile();
    std::optional<ProductCosts> costs = file ? remembered(*file, shape) : std::nullopt;
    if (!costs) {
        costs = measureProductCosts(width, inner);
        if (file)
            remember(*file, shape, *costs);
    }
    known.emplace(shape, *costs);
    return *costs;
}

ProductCosts productCosts(const TransformerSpec &spec)
{
    std::int64_t inner = spec.width;
    for (const Side side : kBothSides) {
        const auto &stack = spec.stack(side);
        for (int place = 0; stack && place < stack->places(); ++place) {
            if (const FeedForwardSpec *feedForward = stack->at(place).feedForward())
                inner = std::max<std::int64_t>(inner, feedForward->widest());
        }
    }
    return productCosts(spec.width, inner);
}

} // namespace headscope

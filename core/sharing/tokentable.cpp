#include "core/sharing/tokentable.h"

#include "core/sharing/circuits.h"

#include <ATen/core/grad_mode.h>
#include <torch/types.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <iterator>
#include <limits>
#include <utility>

namespace headscope {
namespace {

constexpr std::int64_t kRowsOfBlock = 8192;     ///< of the table, widened at once
constexpr std::int64_t kDirectionsAtOnce = 256; ///< whose products with a block are there at once
constexpr std::int64_t kPartsOfTable = 4;       ///< that are read at once; the same for any number of workers

torch::Tensor widened(const torch::Tensor &tensor)
{
    return tensor.detach().to(torch::kCPU, torch::kFloat64);
}

/// The `most` largest of many numbers, the first of equal ones.
class Largest
{
public:
    explicit Largest(std::int64_t most) : m_most(static_cast<std::size_t>(most)) { }

    bool takes(float value) const { return value > m_least; }
    void add(std::int64_t id, float value)
    {
        const auto behind = [](const TokenScan::Product &a, double b) { return a.value >= b; };
        const double wide = value;
        m_kept.insert(std::lower_bound(m_kept.begin(), m_kept.end(), wide, behind), {id, wide});
        if (m_kept.size() > m_most)
            m_kept.pop_back();
        if (m_kept.size() == m_most)
            m_least = static_cast<float>(m_kept.back().value);
    }
    const std::vector<TokenScan::Product> &kept() const { return m_kept; }

private:
    std::size_t m_most;
    float m_least = -std::numeric_limits<float>::infinity();
    std::vector<TokenScan::Product> m_kept;
};

/// Values of a direction after some blocks of the table.
struct PartialScan
{
    Largest highest, lowest; ///< the lowest with their signs turned
    double sum = 0;
    std::int64_t above = 0;

    explicit PartialScan(std::int64_t most) : highest(most), lowest(most) { }

    void add(const float *products, std::int64_t first, std::int64_t count, std::int64_t own, float ownProduct)
    {
        double sumOfBlock = 0;
        std::int64_t aboveInBlock = 0;
        for (std::int64_t i = 0; i < count; ++i) {
            const float value = products[i];
            sumOfBlock += value;
            aboveInBlock += value > ownProduct && first + i != own ? 1 : 0;
            if (highest.takes(value))
                highest.add(first + i, value);
            if (lowest.takes(-value))
                lowest.add(first + i, -value);
        }
        sum += sumOfBlock;
        above += aboveInBlock;
    }
};

/// The first of all parts, less the mean, as far as they are above it. `sign`: −1 of numbers whose signs were turned.
std::vector<TokenScan::Product> joined(std::vector<TokenScan::Product> all, std::int64_t most, double mean, double sign)
{
    std::ranges::sort(all, [](const TokenScan::Product &a, const TokenScan::Product &b) {
        return a.value != b.value ? a.value > b.value : a.id < b.id;
    });
    all.resize(std::min(all.size(), static_cast<std::size_t>(most)));
    for (TokenScan::Product &product : all)
        product.value = sign * product.value - mean;
    std::erase_if(all, [&](const TokenScan::Product &product) { return !(sign * product.value > 0); });
    return all;
}

} // namespace

TokenTable TokenTable::ofInput(const Transformer &model, Side side)
{
    const StackWeights &stack = model.weights().stack(side);
    const double scale = model.spec().embeddingScale;
    TokenTable table(stack.embedding);
    const auto projection = stack.projection.weight.defined() ? widened(stack.projection.weight) : torch::Tensor();
    table.m_onRows = [projection, scale](const torch::Tensor &rows) {
        return scale * (projection.defined() ? torch::matmul(rows, projection.t()) : rows);
    };
    table.m_onStream = [projection, scale](const torch::Tensor &directions) {
        return scale * (projection.defined() ? torch::matmul(directions, projection) : directions);
    };
    return table;
}

TokenTable TokenTable::ofOutput(const Transformer &model)
{
    const double scale = model.spec().outputScale;
    TokenTable table(model.weights().outputWeight);
    const auto projection = model.spec().projectsTokens && model.weights().outputProjection.weight.defined()
                              ? widened(model.weights().outputProjection.weight)
                              : torch::Tensor();
    table.m_onStream = [&model, projection, scale](const torch::Tensor &directions) {
        const auto normed = throughEndNorm(model, Side::Decoder, directions);
        return scale * (projection.defined() ? torch::matmul(normed, projection.t()) : normed);
    };
    return table;
}

torch::Tensor TokenTable::row(std::int64_t id) const
{
    return m_onRows(widened(m_table[id]));
}

std::vector<TokenScan> TokenTable::scan(const torch::Tensor &directions, const std::vector<std::int64_t> &own,
                                        std::int64_t most, const Execution &execution,
                                        const std::function<void(std::int64_t, std::int64_t)> &onBlocks) const
{
    const std::int64_t count = directions.size(0);
    const std::int64_t blocks = (size() + kRowsOfBlock - 1) / kRowsOfBlock;
    const auto read = m_onStream(directions);
    const auto narrow = read.to(torch::kFloat32).contiguous();
    std::vector<float> ownProducts(own.size(), std::numeric_limits<float>::infinity());
    for (std::size_t i = 0; i < own.size(); ++i) {
        if (own[i] >= 0)
            ownProducts[i] = torch::dot(widened(m_table[own[i]]), read[static_cast<std::int64_t>(i)])
                                 .to(torch::kFloat32)
                                 .item<float>();
    }
    std::vector<std::vector<PartialScan>> parts(static_cast<std::size_t>(std::min(kPartsOfTable, blocks)));
    std::atomic<std::int64_t> done = 0;
    execution.parallelFor(std::ssize(parts), [&](std::int64_t part) {
        const torch::NoGradGuard noGrad;
        auto &scans = parts[static_cast<std::size_t>(part)];
        scans.assign(static_cast<std::size_t>(count), PartialScan(most));
        for (std::int64_t block = part; block < blocks; block += std::ssize(parts)) {
            const std::int64_t first = block * kRowsOfBlock;
            const std::int64_t rows = std::min(kRowsOfBlock, size() - first);
            const auto table = m_table.narrow(0, first, rows).detach().to(torch::kCPU, torch::kFloat32).t();
            for (std::int64_t begin = 0; begin < count; begin += kDirectionsAtOnce) {
                const std::int64_t here = std::min(kDirectionsAtOnce, count - begin);
                const auto products = torch::matmul(narrow.narrow(0, begin, here), table).contiguous();
                for (std::int64_t i = 0; i < here; ++i) {
                    const auto at = static_cast<std::size_t>(begin + i);
                    scans[at].add(products.data_ptr<float>() + i * rows, first, rows, own[at], ownProducts[at]);
                }
                onBlocks(done, blocks);
            }
            onBlocks(++done, blocks);
        }
    });
    std::vector<TokenScan> found(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < found.size(); ++i) {
        std::vector<TokenScan::Product> highest, lowest;
        double sum = 0;
        for (const auto &scans : parts) {
            std::ranges::copy(scans[i].highest.kept(), std::back_inserter(highest));
            std::ranges::copy(scans[i].lowest.kept(), std::back_inserter(lowest));
            sum += scans[i].sum;
            found[i].above += scans[i].above;
        }
        const double mean = sum / static_cast<double>(size());
        found[i].highest = joined(std::move(highest), most, mean, 1);
        found[i].lowest = joined(std::move(lowest), most, mean, -1);
    }
    return found;
}

} // namespace headscope

#include "core/task/producttiers.h"

#include <algorithm>
#include <cmath>
#include <ranges>

namespace headscope {
namespace {

/// A margin must be beyond what it can be wrong by, which is more than was seen.
constexpr float kSafety = 2;

/// The largest cost of quick products including the repetition of doubtful decisions, relative to the tiers behind them
/// for everything, at which they are used.
constexpr double kWorthwhile = 0.85;

} // namespace

void raise(std::atomic<float> &to, float value)
{
    for (float seen = to; seen < value && !to.compare_exchange_weak(seen, value);) { }
}

float ProductTiers::Tier::margin() const
{
    return kSafety * error;
}

const char *ProductTiers::Tier::name() const
{
    switch (products) {
    case Products::Exact:
        break;
    case Products::Split:
        return "split bf16";
    case Products::Half:
        return "bf16";
    case Products::Byte:
        return "int8";
    }
    return "f32";
}

ProductTiers::ProductTiers(const RowModels &models, const RunOptions &run, const std::vector<Products> &quick,
                           SeenError *seen)
    : m_models(models), m_seen(seen), m_run(run)
{
    if (seen)
        m_exact.error = seen->largest.load();
    for (Products products : quick)
        m_quick.emplace_back().products = products;
}

void ProductTiers::recordExactError(float error, std::int64_t examples)
{
    raise(m_exact.error, error);
    if (!m_seen || !std::isfinite(error)) // of this mask alone
        return;
    raise(m_seen->largest, error);
    m_seen->examples += examples;
}

void ProductTiers::measureQuickErrors(const std::function<std::vector<MarginError>(const RowModel &quick)> &errorsOf)
{
    for (Tier &tier : m_quick) {
        const std::vector<MarginError> errors = errorsOf(modelOf(tier));
        const std::lock_guard lock(m_telling);
        tier.seen.insert(tier.seen.end(), errors.begin(), errors.end());
    }
}

/// Where a decision has a wide margin, errors are often wider as well, and no harm. A decision that errors of any kind
/// seen could turn is a close one; what was seen wherever decisions were about as close is what it can be wrong by.
void ProductTiers::fixMargins()
{
    constexpr float kClose = 4; // times the margin that allows for all errors
    constexpr std::int64_t kEnough = 250;
    for (Tier &tier : m_quick) {
        float all = 0, close = 0;
        for (const MarginError &decision : tier.seen)
            all = std::max(all, decision.error);
        std::int64_t count = 0;
        for (const MarginError &decision : tier.seen) {
            if (decision.margin > kClose * kSafety * all)
                continue;
            close = std::max(close, decision.error);
            ++count;
        }
        raise(tier.error, count < kEnough ? all : close);
        tier.seen = {};
    }
}

const RowModel &ProductTiers::modelOf(const Tier &tier) const
{
    return &tier == &m_exact ? m_models.exact(m_run) : m_models.quick(tier.products);
}

std::vector<const ProductTiers::Tier *> ProductTiers::worthwhile() const
{
    std::vector<const Tier *> tiers{&m_exact};
    double cost = 1; // of a decision by the tiers so far
    for (const Tier &tier : std::views::reverse(m_quick)) {
        const double own = m_models.costOf(tier.products) + doubtfulShare(tier) * cost;
        if (m_run.products == ProductChoice::Auto && !(own < kWorthwhile * cost))
            continue;
        cost = own;
        tiers.insert(tiers.begin(), &tier);
    }
    return tiers;
}

/// Variants have about as many doubtful decisions as the base run, where they are known.
double ProductTiers::doubtfulShare(const Tier &tier) const
{
    const double most = marginOf(tier);
    const auto doubtful = std::ranges::count_if(m_margins, [&](double margin) { return !(margin > most); });
    return static_cast<double>(doubtful) / static_cast<double>(m_margins.size());
}

std::vector<Products> quickProducts(const RowModels &models, const RunOptions &run, bool decisionsOnly, bool single)
{
    if (!decisionsOnly)
        return {};
    std::vector<Products> quick;
    switch (run.products) {
    case ProductChoice::Library:
    case ProductChoice::Exact:
        break;
    case ProductChoice::Split:
        quick = {Products::Split};
        break;
    case ProductChoice::Half:
        quick = {Products::Half, Products::Split};
        break;
    case ProductChoice::Byte:
        quick = {Products::Byte, Products::Half, Products::Split};
        break;
    case ProductChoice::Auto:
        for (const Products products : {Products::Byte, Products::Half, Products::Split}) {
            if ((products != Products::Byte || single) && models.canMake(products)
                && models.costOf(products) < kWorthwhile)
                quick.push_back(products);
        }
        break;
    }
    std::erase_if(quick, [&](Products kind) { return !models.canMake(kind); });
    return quick;
}

} // namespace headscope

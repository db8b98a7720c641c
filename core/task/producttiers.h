#pragma once

#include "core/packed/rowmodel.h"
#include "core/task/rowmodels.h"
#include "core/task/runoptions.h"

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <vector>

namespace headscope {

/// Raises a number that several threads raise.
void raise(std::atomic<float> &to, float value);

/// The kinds of products that decisions of one block of examples are made with, the quickest first, and what each can
/// be wrong by, as its base runs show: a decision with a wider margin is beyond doubt.
class ProductTiers
{
public:
    struct Tier
    {
        Products products = Products::Exact;
        std::atomic<float> error = 0;  ///< largest on the base run: f32's against the plain path, others' against f32
        std::vector<MarginError> seen; ///< until that is settled

        float margin() const;
        const char *name() const;
    };

    /// `quick`: those before exact products; the rest lasts longer than these.
    ProductTiers(const RowModels &models, const RunOptions &run, const std::vector<Products> &quick);

    // Largest errors on base runs of a difference between logits that decisions lie between, of exact products against
    // the plain path (on a few examples), of quick ones against exact ones. Parts of base runs tell their own, side by
    // side.
    void recordExactError(float error);
    void measureQuickErrors(const std::function<std::vector<MarginError>(const RowModel &quick)> &errorsOf);
    // When all of them have told, by one thread:
    /// What quick products get wrong where decisions are close.
    void fixMargins();
    /// By how much the closest decision of an example was made on the base run.
    void recordMargin(double margin) { m_margins.push_back(margin); }

    const Tier &exact() const { return m_exact; }
    const RowModel &modelOf(const Tier &tier) const;
    /// What a decision by the tier must exceed, exact products' own error included.
    float marginOf(const Tier &tier) const { return m_exact.margin() + (&tier == &m_exact ? 0 : tier.margin()); }
    /// The tiers that save time on this block, exact products last.
    std::vector<const Tier *> worthwhile() const;

private:
    bool isWorthwhile(const Tier &tier) const;

    const RowModels &m_models;
    RunOptions m_run;
    std::deque<Tier> m_quick;
    Tier m_exact;
    std::mutex m_telling; ///< guards what quick tiers have seen
    std::vector<double> m_margins;
};

/// The quick products that a run may use, quickest first: where they are fast, or somebody wants them, and nothing but
/// decisions is asked for.
std::vector<Products> quickProducts(const RowModels &models, const RunOptions &run, bool decisionsOnly);

} // namespace headscope

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

/// Atomically sets `to` to the maximum of itself and `value`.
void raise(std::atomic<float> &to, float value);

/// The kinds of products for decisions on one block of examples, the quickest first, each with its error as measured on
/// base runs: a decision with a larger margin is certain.
class ProductTiers
{
public:
    struct Tier
    {
        Products products = Products::Exact;
        std::atomic<float> error = 0;  ///< largest on the base run: f32's against the plain path, others' against f32
        std::vector<MarginError> seen; ///< until fixMargins()

        float margin() const;
        const char *name() const;
    };

    /// `quick`: those before exact products; `seen`: what other blocks have seen, so that this one need look at fewer
    /// examples, or null where a result says what was seen. All of them last longer than these.
    ProductTiers(const RowModels &models, const RunOptions &run, const std::vector<Products> &quick, SeenError *seen);

    // Largest errors on base runs of a difference between logits that decisions lie between, of exact products against
    // the plain path (on a few examples; those of earlier blocks count, too), of quick ones against exact ones. Parts
    // of base runs record theirs in parallel.
    void recordExactError(float error, std::int64_t examples);
    /// Whether so many examples were looked at by other blocks.
    bool wereSeen(std::int64_t examples) const { return m_seen && m_seen->examples >= examples; }
    void measureQuickErrors(const std::function<std::vector<MarginError>(const RowModel &quick)> &errorsOf);
    /// Sets the margins of the quick tiers by their errors where decisions are close. Called by one thread, once all
    /// parts have recorded their errors.
    void fixMargins();
    /// Records the margin of the closest decision of an example on the base run.
    void recordMargin(double margin) { m_margins.push_back(margin); }

    const Tier &exact() const { return m_exact; }
    const RowModel &modelOf(const Tier &tier) const;
    /// The margin that a decision of the tier must exceed, including the error of exact products.
    float marginOf(const Tier &tier) const { return m_exact.margin() + (&tier == &m_exact ? 0 : tier.margin()); }
    /// The tiers that save time on this block, and those that were asked for; exact products last.
    std::vector<const Tier *> worthwhile() const;

private:
    double doubtfulShare(const Tier &tier) const;

    const RowModels &m_models;
    SeenError *m_seen = nullptr;
    RunOptions m_run;
    std::deque<Tier> m_quick;
    Tier m_exact;
    std::mutex m_telling; ///< guards what quick tiers have seen
    std::vector<double> m_margins;
};

/// The quick products that a run may use, quickest first: if they are fast here or requested, and only decisions are
/// needed.
/// An output of many decisions has none left that products of bytes would make: `single` says that one is all.
std::vector<Products> quickProducts(const RowModels &models, const RunOptions &run, bool decisionsOnly, bool single);

} // namespace headscope

#pragma once

#include "core/analysis/pruningspec.h"
#include "ui/charts/pruningseries.h"
#include "ui/state/studystate.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace headscope {

/// On which data set an order is chosen that is chosen by data.
enum class OrderFrom {
    In, ///< both curves lose the same heads, as Michel et al. had it
    Out,
    Own,   ///< each curve on its own set, which flatters it
    Other, ///< each on the set that it is not measured on
};

/// The settings of the pruning page.
struct PruningChoice
{
    QString order = QStringLiteral("importance"); ///< one of kPruningOrders, or a file's path
    std::vector<HeadKind> kinds;                  ///< empty = all
    std::int64_t atLeastPerLayer = 0;
    std::int64_t step = 0; ///< heads; 0 = a tenth
    bool reestimate = false;
    bool reverse = false;  ///< what seems most needed goes first
    bool eachKind = false; ///< a curve for each kind of attention by itself (Michel et al., Figure 4)
    std::uint64_t seed = 12345;
    OrderFrom orderFrom = OrderFrom::In;

    bool isFile() const;
    /// Which data set decides the order of a curve that is measured on `measured`.
    Domain deciding(Domain measured) const;
    /// The kinds whose heads may go, curve by curve; an empty entry means all.
    std::vector<std::vector<HeadKind>> curveKinds() const;
    /// What is asked of a data set; where there is one, it decides its own order.
    PruningSpec spec(const RunOptions &run, const StudyState &state, Domain measured) const;
};

/// The heads removed at each position of the slider: those of the computed curve of this choice or, before there is
/// one, in the order of the available scores.
class PruningPlan
{
public:
    PruningPlan() = default;
    PruningPlan(const StudyState &state, const PruningChoice &choice, const std::vector<HeadRef> &fileOrder);

    bool isEmpty() const { return m_last == 0; }
    int last() const { return m_last; } ///< the largest number of heads to remove
    HeadMask maskAt(int removed) const; ///< beyond last(): as at last()
    bool isOnPlan(const HeadMask &mask) const;
    /// The number of removed heads up to this one; nothing: it is never removed.
    std::optional<int> placeOf(const HeadRef &head) const;

private:
    std::shared_ptr<const PruningResult> m_result; ///< keeps m_curve alive
    const PruningCurve *m_curve = nullptr;
    std::vector<HeadRef> m_order;
    std::function<double(const HeadRef &)> m_cost;
    int m_last = 0;
};

/// Whether a result was computed with the candidates of `choice` (kinds, all together or each by itself, heads per
/// layer).
bool hasCandidatesOf(const PruningResult &result, const PruningChoice &choice);
/// "re-estimated", "most needed first", "order from out-of-domain", several of them, or nothing. The last one where
/// there are two data sets: by itself an order is from the in-domain one.
QString pruningNote(const StudyState &state, const PruningResult &result, Domain measured);
/// All curves of the study with the candidates of `choice`.
std::vector<PruningInput> pruningInputs(const StudyState &state, const PruningChoice &choice);

} // namespace headscope

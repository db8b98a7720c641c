#pragma once

#include "core/base/better.h"
#include "core/base/enumnames.h"
#include "core/base/headref.h"
#include "core/base/interval.h"
#include "core/results/fields.h"
#include "core/results/manifest.h"
#include "core/results/results.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// A model whose heads share their query and key projections, scored with fewer and fewer of them (Cordonnier et al.
/// 2020).
namespace headscope {

/// The method that shared projections are made by: the tensor of all heads as a sum of products, or the largest
/// singular triplets of heads by themselves, the baseline that sharing must beat.
enum class SharingMethod { Cp, Svd };
template<>
struct EnumNames<SharingMethod>
{
    static constexpr std::array<std::string_view, 2> values{"cp", "svd"};
    static constexpr const char *what = "factorization";
};

/// Where heads are removed as well: nowhere, before projections are shared, or after it; or they are removed, and
/// nothing is shared.
enum class SharingOrder { ShareOnly, PruneFirst, ShareFirst, PruneOnly };
template<>
struct EnumNames<SharingOrder>
{
    static constexpr std::array<std::string_view, 4> values{"share-only", "prune-first", "share-first", "prune-only"};
    static constexpr const char *what = "order of pruning and sharing";
};

/// One attention after the swap.
struct SharedLayer
{
    HeadKind kind = HeadKind::Encoder;
    int layer = 0;
    double error = 0;      ///< relative, of the tensor of its heads (Frobenius)
    double logitError = 0; ///< root of the mean squared change of centred scores by that of the scores, on the data set
    double divergence = 0; ///< Jensen–Shannon, nats, mean over queries and heads
    double seconds = 0;    ///< that its factorization took
    std::vector<HeadRef> heads{};
    std::vector<double> mixing{}; ///< [heads, width], row by row; if asked for
};

/// A model with shared projections.
struct SharedPoint
{
    std::int64_t width = 0; ///< D̃_k; 0: heads have their own projections
    SharingMethod method = SharingMethod::Cp;
    SharingOrder order = SharingOrder::ShareOnly;
    std::int64_t pruned = 0; ///< heads removed
    std::int64_t parameters = 0;
    std::int64_t scoreParameters = 0; ///< of query and key projections with all that belongs to them
    double compression = 0;           ///< those of the full model by these
    std::optional<double>
        breakEven{}; ///< tokens up to which scores cost fewer multiply-adds, mean over attentions; none: any
    double error = 0, logitError = 0, divergence = 0; ///< means over attentions, of the heads that are left
    double score = 0;
    double delta = 0;                   ///< minus the score of the full model
    std::optional<Interval> interval{}; ///< 95 %, of the score
    std::optional<PairedTest> paired{}; ///< of delta; none for the full model, and where few examples allow none
    std::optional<double> otherScore{}; ///< on the second data set
    bool onFront = false;               ///< of score against parameters: paretoFront()
    bool otherOnFront = false;          ///< by the score on the second data set
    std::vector<SharedLayer> layers{};
    double multiplyAdds
        = 0; ///< of the scores of a sequence of CollaborateResult::length tokens, all attentions together

    /// The seconds that factorizations took: 0 where nothing was shared.
    double seconds() const
    {
        double sum = 0;
        for (const SharedLayer &layer : layers)
            sum += layer.seconds;
        return sum;
    }
};

struct CollaborateResult
{
    static constexpr const char *kKind = "collaborate";
    Manifest manifest;
    std::string metric;
    Better better = Better::Higher;
    std::string otherData{}; ///< name of the second data set; empty: there is none
    bool publishedScale = false;
    std::vector<SharedPoint>
        points; ///< the full model first, then with heads removed; then by method, width from the largest
    std::int64_t examples = 0;
    std::int64_t length = 0; ///< tokens that multiply-adds are of: the mean of what the model reads; 0: older results
};

/// Which models are on the Pareto front of score against parameters: of no other are both at least as good and one
/// better. Equal models are on it together; what has no score is not. `onOther`: by the score on the second data set.
std::vector<bool> paretoFront(const std::vector<const SharedPoint *> &points, Better better, bool onOther);
/// Says of every point of the result whether it is on the fronts of these points.
void markFronts(CollaborateResult &result);

/// Throws Failure: mixing matrices that are not as large as heads and width say.
void checkCollaborate(const CollaborateResult &result);

void describe(auto &visit, Of<SharedLayer> auto &layer)
{
    visit.field("kind", layer.kind, "of attention");
    visit.field("layer", layer.layer, "from 0");
    visit.field("error", layer.error, "relative, of the tensor of its heads");
    visit.field("logit_error", layer.logitError,
                "change of its scores on the data, by the scores; means over keys taken out");
    visit.field("divergence", layer.divergence, "Jensen-Shannon of its attention from the original's, nats");
    visit.field("seconds", layer.seconds, "that its factorization took");
    visit.rare("heads", layer.heads, "rows of the mixing matrix");
    visit.rare("mixing", layer.mixing, "the mixing matrix, row by row");
}

void describe(auto &visit, Of<SharedPoint> auto &point)
{
    visit.field("width", point.width, "columns of the shared projections; 0: heads have their own");
    visit.field("method", point.method, "cp, or svd: the largest triplets of single heads");
    visit.field("order", point.order,
                "whether heads were removed before or after sharing, or only one of the two was done");
    visit.field("pruned", point.pruned, "heads removed as well");
    visit.field("parameters", point.parameters, "of the model");
    visit.field("score_parameters", point.scoreParameters, "of query and key projections");
    visit.field("compression", point.compression, "of those: the full model's by these");
    visit.rare("break_even", point.breakEven, "tokens up to which scores cost fewer multiply-adds; none: any number");
    visit.added("multiply_adds", point.multiplyAdds, "of the scores of a sequence of `length` tokens");
    visit.derived("seconds", "that its factorizations took", [&] { return point.seconds(); });
    visit.field("error", point.error, "relative, of the tensors of the heads that were there, mean over attentions");
    visit.field("logit_error", point.logitError,
                "relative, of scores on the data, of the heads that are left, mean over attentions");
    visit.field("divergence", point.divergence, "of attention, mean over attentions, nats");
    visit.field("score", point.score, "of the model");
    visit.field("delta", point.delta, "minus that of the full model");
    visit.mergeIfAny("ci_low", point.interval);
    visit.mergeIfAny("delta_ci_low", point.paired);
    visit.rare("other_score", point.otherScore, "on the second data set");
    visit.rare("on_front", point.onFront,
               "of no other point both score and parameters are as good and one of them better");
    visit.rare("other_on_front", point.otherOnFront, "the same on the second data set");
    visit.rare("layers", point.layers, "one for each attention that shares");
}

void describe(auto &visit, Of<CollaborateResult> auto &result)
{
    visit.field("metric", result.metric, "name of the score");
    visit.field("better", result.better, "which of its scores are");
    visit.rare("other_data", result.otherData, "the second data set");
    visit.field("published_scale", result.publishedScale, "whether scores have the scale of the published code");
    visit.field("examples", result.examples, "used");
    visit.added("length", result.length, "tokens that multiply-adds are of: the mean of what the model reads");
    visit.field("points", result.points, "the full model first");
    visit.field("manifest", result.manifest, "where the result comes from");
    afterReading(visit, result, [](CollaborateResult &of) { checkCollaborate(of); });
}

} // namespace headscope

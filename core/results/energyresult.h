#pragma once

#include "core/base/better.h"
#include "core/base/enumnames.h"
#include "core/base/headref.h"
#include "core/results/fields.h"
#include "core/results/manifest.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// How many dimensions query and key projections use, and what scores say about keys whatever the query (Cordonnier et
/// al. 2020).
namespace headscope {

/// A matrix whose energy is looked at: of a head by itself (query, key, product), or of a layer: the heads' matrices
/// one under the other, the sum of their products, and the unfoldings of the tensor of these products.
enum class EnergyMatrix { Query, Key, Product, QueryUnfolding, KeyUnfolding, HeadUnfolding };
template<>
struct EnumNames<EnergyMatrix>
{
    static constexpr std::array<std::string_view, 6> values{"query",           "key",           "product",
                                                            "query-unfolding", "key-unfolding", "head-unfolding"};
    static constexpr const char *what = "matrix";
};

/// How the energy of a matrix (squares of its singular values) grows with the number of dimensions.
struct EnergyCurve
{
    EnergyMatrix matrix = EnergyMatrix::Query;
    std::vector<double> energy; ///< with 1, 2, … dimensions: shares, the last 1
    double effectiveRank = 0;
    double stableRank = 0;
    std::int64_t for50 = 0, for90 = 0, for95 = 0, for99 = 0; ///< dimensions with such a share
};

/// One attention.
struct LayerEnergy
{
    HeadKind kind = HeadKind::Encoder;
    int layer = 0;
    std::int64_t dimensions = 0; ///< of all heads together: what shares of dimensions are of
    std::vector<EnergyCurve> curves;
    std::vector<EnergyCurve> random; ///< of normal numbers in the same shapes
};

struct HeadEnergy
{
    HeadRef head;
    std::optional<double>
        content{}; ///< variance over keys of what a key scores whatever the query, by that of the scores
    std::optional<double> context{}; ///< of what depends on both; with twice the covariance of the two, they make 1
    std::vector<EnergyCurve> curves;
};

/// The score of the model with a part of its scores taken out everywhere.
struct ScorePart
{
    std::string part; ///< "whole", "context only", "content only", "no key bias"
    double score = 0;
    double delta = 0; ///< minus that of the full model
};

struct EnergyResult
{
    static constexpr const char *kKind = "energy";
    Manifest manifest;
    bool centred = false;
    double share90 = 0, share95 = 0,
           share99 = 0;  ///< of dimensions that the concatenated product needs, mean over attentions
    double random99 = 0; ///< the same share for matrices of normal numbers
    std::vector<LayerEnergy> layers;
    std::vector<HeadEnergy> heads;
    /// Largest change of any attention probability when key biases become large random numbers; none: there are no key
    /// biases.
    std::optional<double> keyBiasChange{};
    std::string metric{}; ///< of parts; empty: without references nothing is scored
    Better better = Better::Higher;
    std::vector<ScorePart> parts{};
    std::int64_t examples = 0;
};

/// Throws Failure: a layer without a random curve for each of its own.
void checkEnergy(const EnergyResult &result);

void describe(auto &visit, Of<EnergyCurve> auto &curve)
{
    visit.field("matrix", curve.matrix, "whose singular values they are");
    visit.field("effective_rank", curve.effectiveRank, "exp of the entropy of their squares");
    visit.field("stable_rank", curve.stableRank, "sum of their squares by the largest");
    visit.field("for_50", curve.for50, "dimensions with half of the energy");
    visit.field("for_90", curve.for90, "with 90 %");
    visit.field("for_95", curve.for95, "with 95 %");
    visit.field("for_99", curve.for99, "with 99 %");
    visit.field("energy", curve.energy, "share of the energy with 1, 2, ... dimensions");
}

void describe(auto &visit, Of<LayerEnergy> auto &layer)
{
    visit.field("kind", layer.kind, "of attention");
    visit.field("layer", layer.layer, "from 0");
    visit.field("dimensions", layer.dimensions, "of all heads together");
    visit.field("curves", layer.curves, "of its matrices");
    visit.field("random", layer.random, "of normal numbers in the same shapes");
}

void describe(auto &visit, Of<HeadEnergy> auto &head)
{
    visit.field("head", head.head, "address");
    visit.rare("content", head.content, "share of the scores' variance over keys that is the same for all queries");
    visit.rare("context", head.context, "share that depends on query and key; the rest is their covariance, twice");
    visit.field("curves", head.curves, "of its matrices");
}

void describe(auto &visit, Of<ScorePart> auto &part)
{
    visit.field("part", part.part, "whole, context only, content only, no key bias");
    visit.field("score", part.score, "of the model with this part of its scores");
    visit.field("delta", part.delta, "minus that of the full model");
}

void describe(auto &visit, Of<EnergyResult> auto &result)
{
    visit.field("centred", result.centred, "whether means were taken out first");
    visit.field("share_90", result.share90,
                "of dimensions that the concatenated product needs for 90 %, mean over attentions");
    visit.field("share_95", result.share95, "for 95 %");
    visit.field("share_99", result.share99, "for 99 %");
    visit.field("random_99", result.random99, "the same share for matrices of normal numbers");
    visit.rare("key_bias_change", result.keyBiasChange,
               "largest change of a probability when key biases become large random numbers");
    visit.rare("metric", result.metric, "of parts; empty: nothing was scored");
    visit.field("better", result.better, "which of its scores are");
    visit.rare("parts", result.parts, "scores with parts of the attention scores taken out everywhere");
    visit.field("examples", result.examples, "used");
    visit.field("layers", result.layers, "one for each attention");
    visit.field("heads", result.heads, "one each");
    visit.field("manifest", result.manifest, "where the result comes from");
    afterReading(visit, result, [](EnergyResult &of) { checkEnergy(of); });
}

} // namespace headscope

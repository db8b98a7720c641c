#pragma once

#include "core/base/enumnames.h"
#include "core/base/headref.h"
#include "core/base/interval.h"
#include "core/base/pairtable.h"
#include "core/base/result.h"
#include "core/results/fields.h"
#include "core/results/manifest.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// How similar the heads of a model are, and surface statistics of their attention (Clark et al. 2019, sections 3 and
/// 6).
namespace headscope {

/// The distance of two heads: the root of their mean divergence, which is a metric, or the divergence.
enum class HeadDistance { Root, Divergence };
template<>
struct EnumNames<HeadDistance>
{
    static constexpr std::array<std::string_view, 2> values{"root", "divergence"};
    static constexpr const char *what = "distance of heads";
};

/// The distance of two clusters: the mean, largest or smallest distance of their members.
enum class Linkage { Average, Complete, Single };
template<>
struct EnumNames<Linkage>
{
    static constexpr std::array<std::string_view, 3> values{"average", "complete", "single"};
    static constexpr const char *what = "linkage of clusters";
};

/// Surface statistics are means over the tokens that have such a key; or, as in Clark et al.'s code, means over
/// examples of sums by the number of tokens.
enum class SurfaceAverage { Tokens, Clark };
template<>
struct EnumNames<SurfaceAverage>
{
    static constexpr std::array<std::string_view, 2> values{"tokens", "clark"};
    static constexpr const char *what = "average";
};

/// A head's main behaviour, by the thresholds of Clark et al.'s Figure 6.
enum class Behaviour { None, Next, Previous, Broad, First, Delimiter, Punctuation };
template<>
struct EnumNames<Behaviour>
{
    static constexpr std::array<std::string_view, 7> values{"none",  "next",      "previous",   "broad",
                                                            "first", "delimiter", "punctuation"};
    static constexpr const char *what = "behaviour";
};

/// Mean attention of a head to kinds of keys, and how spread it is. None: no token has such a key.
struct HeadSurface
{
    HeadRef head;
    std::optional<double> self{}, previous{}, next{};
    std::optional<double> first{};     ///< the special token that starts the text
    std::optional<double> delimiter{}; ///< other special tokens, all of them together
    std::optional<double> delimiterToDelimiter{}, otherToDelimiter{};
    std::optional<double> punctuation{};
    double entropy = 0;                   ///< nats
    double normalizedEntropy = 0;         ///< by ln n
    std::optional<double> firstEntropy{}; ///< of the first special token's row, nats
    Behaviour behaviour = Behaviour::None;
    std::int64_t queries = 0;
};

/// Half of the attention on the next or previous token, an entropy of 78 % of the largest (3.8 nats of Clark et al.'s
/// 128 tokens), or 60 % on the first token, delimiters or punctuation: the last of these that holds.
Behaviour behaviourOf(const HeadSurface &surface);

/// A step of a hierarchical clustering of n things: clusters 0 … n − 1 are single things, n + i is what step i makes.
struct ClusterMerge
{
    std::int64_t first = 0, second = 0;
    double height = 0; ///< distance of the two
    bool operator==(const ClusterMerge &) const = default;
};

/// Whether these are the steps that make one cluster of n things, and the n of them as its leaves.
bool isDendrogram(std::size_t things, const std::vector<ClusterMerge> &merges, const std::vector<std::int64_t> &order);

/// Heads of one kind of attention beside each other.
struct KindSimilarity
{
    HeadKind kind = HeadKind::Encoder;
    std::vector<HeadRef> heads; ///< ascending: what pairs and places are of
    std::int64_t queries = 0;
    double meanLogKeys = 0;   ///< ln n, mean over queries: the entropy of heads that attend to every key alike
    PairTable divergences;    ///< mean over queries, nats: 0 … ln 2
    std::vector<double> x, y; ///< of every head on the map (metric multidimensional scaling of distances)
    double stress = 0;        ///< Kruskal's first, of the map
    std::vector<ClusterMerge> merges;
    std::vector<std::int64_t> order; ///< places of the heads, as the leaves of the dendrogram
};

/// How far the heads of a layer are from each other.
struct LayerSpread
{
    HeadKind kind = HeadKind::Encoder;
    int layer = 0;
    std::int64_t heads = 0;
    double spread = 0; ///< mean divergence of two of its heads, or the root of that
    Interval interval; ///< 95 %, over examples
};

struct SimilarityResult
{
    static constexpr const char *kKind = "similarity";
    Manifest manifest;
    HeadDistance distance = HeadDistance::Root;
    Linkage linkage = Linkage::Average;
    SurfaceAverage average = SurfaceAverage::Tokens;
    double smoothing = 0;
    std::string prefix; ///< what the decoder was forced to: "reference", "own output"; empty: there is no such choice
    std::vector<KindSimilarity> kinds;
    std::vector<LayerSpread> layers; ///< with several heads
    std::vector<HeadSurface> heads;
    std::int64_t examples = 0;
};

/// The distances that map, clusters and spread are made of.
PairTable distancesOf(const KindSimilarity &kind, HeadDistance distance);
/// Throws Failure: lists that do not fit together, places that there are not.
void checkSimilarity(const SimilarityResult &result);

void describe(auto &visit, Of<HeadSurface> auto &surface)
{
    visit.field("head", surface.head, "address");
    visit.rare("self", surface.self, "mean attention of a token to itself");
    visit.rare("previous", surface.previous, "to the token before it");
    visit.rare("next", surface.next, "to the token after it");
    visit.rare("first", surface.first, "to the special token that starts the text");
    visit.rare("delimiter", surface.delimiter, "to other special tokens");
    visit.rare("delimiter_to_delimiter", surface.delimiterToDelimiter, "of these themselves");
    visit.rare("other_to_delimiter", surface.otherToDelimiter, "of all other tokens");
    visit.rare("punctuation", surface.punctuation, "to punctuation");
    visit.field("entropy", surface.entropy, "nats, mean over tokens");
    visit.field("normalized_entropy", surface.normalizedEntropy, "by ln n");
    visit.rare("first_entropy", surface.firstEntropy, "nats, of the row of the special token that starts the text");
    visit.field("behaviour", surface.behaviour, "its main behaviour");
    visit.field("queries", surface.queries, "tokens");
}

void describe(auto &visit, Of<ClusterMerge> auto &merge)
{
    visit.field("first", merge.first, "head by its place, or n + the step that made the cluster");
    visit.field("second", merge.second, "the other, numbered as the first");
    visit.field("height", merge.height, "their distance");
}

void describe(auto &visit, Of<KindSimilarity> auto &kind)
{
    visit.field("kind", kind.kind, "of attention");
    visit.field("heads", kind.heads, "n of them, which pairs and places are of");
    visit.field("queries", kind.queries, "tokens that were compared");
    visit.field("mean_log_keys", kind.meanLogKeys, "entropy of uniform attention, nats");
    visit.field("divergences", kind.divergences.values(),
                "Jensen-Shannon, nats, mean over queries: 0-1, 0-2, ..., 1-2, ...");
    visit.field("x", kind.x, "of every head on the map");
    visit.field("y", kind.y, "of every head on the map");
    visit.field("stress", kind.stress, "of the map, Kruskal's first");
    visit.field("merges", kind.merges, "steps of the clustering, the nearest first");
    visit.field("order", kind.order, "of the heads as leaves of the dendrogram");
    afterReading(visit, kind,
                 [](KindSimilarity &of) { of.divergences = PairTable(of.heads.size(), of.divergences.values()); });
}

void describe(auto &visit, Of<LayerSpread> auto &layer)
{
    visit.field("kind", layer.kind, "of attention");
    visit.field("layer", layer.layer, "from 0");
    visit.field("heads", layer.heads, "that it has");
    visit.field("spread", layer.spread, "mean divergence of two of them, or its root");
    visit.merge(layer.interval);
}

void describe(auto &visit, Of<SimilarityResult> auto &result)
{
    visit.field("distance", result.distance, "that map, clusters and spread are of");
    visit.field("linkage", result.linkage, "of clusters");
    visit.field("average", result.average, "of surface statistics");
    visit.field("smoothing", result.smoothing, "share of uniform attention that rows were mixed with");
    visit.field("prefix", result.prefix, "`reference`, `own output`; empty: there is no such choice");
    visit.field("examples", result.examples, "used");
    visit.field("kinds", result.kinds, "heads of one kind of attention beside each other");
    visit.field("layers", result.layers, "with several heads");
    visit.field("heads", result.heads, "surface statistics of each");
    visit.field("manifest", result.manifest, "where the result comes from");
    afterReading(visit, result, [](SimilarityResult &of) { checkSimilarity(of); });
}

} // namespace headscope

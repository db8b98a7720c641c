#include "core/analysis/similarity.h"

#include "core/analysis/analysisinfo.h"
#include "core/analysis/attentionpass.h"
#include "core/analysis/attentionrows.h"
#include "core/analysis/dendrogram.h"
#include "core/analysis/input.h"
#include "core/metrics/bootstrap.h"
#include "core/metrics/clustering.h"
#include "core/metrics/scaling.h"
#include "core/model/transformer.h"
#include "core/results/rolesresult.h"
#include "core/roles/divergence.h"
#include "core/roles/surface.h"

#include <torch/types.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace headscope {
namespace {

/// The mean divergence of two heads of a layer, from sums over examples.
class SpreadMetric final : public Metric
{
public:
    explicit SpreadMetric(HeadDistance distance) : m_distance(distance) { }

    std::string name() const override { return "spread"; }
    std::string signature() const override { return {}; }
    std::size_t statisticsSize() const override { return 2; }
    Interval possible() const override { return {0, std::numeric_limits<double>::infinity()}; }
    /// Sums of divergences, and of pairs times queries.
    double score(std::span<const double> sums) const override
    {
        const double mean = sums[1] > 0 ? sums[0] / sums[1] : 0;
        return m_distance == HeadDistance::Root ? std::sqrt(mean) : mean;
    }

private:
    HeadDistance m_distance;
};

/// Sums over some examples of one kind of attention.
struct KindSums
{
    explicit KindSums(std::size_t heads, double smoothing) : divergences(heads, smoothing) { }

    DivergenceSums divergences;
    double logKeys = 0;

    void add(const KindSums &other)
    {
        divergences.add(other.divergences);
        logKeys += other.logKeys;
    }
};

/// Findings in a few examples.
struct Found
{
    std::map<HeadKind, KindSums> kinds;
    HeadTable<SurfaceSums> surfaces;
};

class HeadComparison
{
public:
    HeadComparison(const Task &task, const Tokenizer *tokenizer, const SimilaritySpec &spec, const JobControl &control)
        : m_task(task), m_tokenizer(tokenizer), m_spec(spec), m_control(control),
          m_surfaces(task.layout(), SurfaceSums(spec.average))
    {
        for (const HeadLayout::Block &block : task.layout().blocks()) {
            std::vector<HeadRef> heads;
            for (const HeadRef &head : task.layout().heads()) {
                if (head.kind == block.kind)
                    heads.push_back(head);
            }
            m_kinds.emplace(block.kind, KindSums(heads.size(), spec.smoothing));
            for (std::size_t layer = 0; layer < block.layers.size(); ++layer)
                m_layers.emplace(std::pair(block.kind, static_cast<int>(layer)),
                                 StatisticsTable(static_cast<std::size_t>(task.size()), 2));
            m_heads.emplace(block.kind, std::move(heads));
        }
    }

    /// Rows of m_layers belong to one example each: threads do not meet there.
    Found examine(const SeenBatch &seen);
    void add(const Found &found)
    {
        for (auto &[kind, sums] : m_kinds)
            sums.add(found.kinds.at(kind));
        for (std::size_t i = 0; i < m_surfaces.values().size(); ++i)
            m_surfaces.values()[i].add(found.surfaces.values()[i]);
    }

    void fill(SimilarityResult &result) const
    {
        result.distance = m_spec.distance;
        result.linkage = m_spec.linkage;
        result.average = m_spec.average;
        result.smoothing = m_spec.smoothing;
        for (const HeadRef &head : m_task.layout().heads())
            result.heads.push_back(m_surfaces.at(head).surface(head));
        for (const auto &[kind, sums] : m_kinds)
            result.kinds.push_back(similarity(kind, sums));
        for (const auto &[place, table] : m_layers)
            addSpread(place.first, place.second, table, result);
    }

private:
    void addExample(std::int64_t id, const std::vector<HeadAttention> &heads, const SurfaceTemplate &example,
                    HeadKind kind, KindSums &sums);
    KindSimilarity similarity(HeadKind kind, const KindSums &sums) const;
    void addSpread(HeadKind kind, int layer, const StatisticsTable &table, SimilarityResult &result) const;

    const Task &m_task;
    const Tokenizer *m_tokenizer;
    const SimilaritySpec &m_spec;
    const JobControl &m_control;
    std::map<HeadKind, std::vector<HeadRef>> m_heads;
    std::map<HeadKind, KindSums> m_kinds;
    std::map<std::pair<HeadKind, int>, StatisticsTable> m_layers; ///< of every example the sums that SpreadMetric wants
    HeadTable<SurfaceSums> m_surfaces;
};

Found HeadComparison::examine(const SeenBatch &seen)
{
    const std::vector<std::int64_t> &ids = seen.ids;
    AttentionBatch batch = seen.attention; // tensors are shared
    // All layers of an example at a time: heads of different layers are compared, too.
    std::map<HeadKind, std::vector<std::vector<HeadAttention>>> attention;
    for (auto &[kind, ofKind] : batch.kinds) {
        attention[kind].resize(ids.size());
        for (torch::Tensor &layer : ofKind.probabilities)
            layer = layer.defined() ? layer.to(torch::kCPU, torch::kFloat32).contiguous() : layer;
    }
    forEachHead(batch, m_task.layout(), AttentionMeasure::Weights,
                [&](const HeadRef &head, std::size_t row, const HeadAttention &one) {
                    attention.at(head.kind)[row].push_back(one);
                });
    Found found{{}, HeadTable<SurfaceSums>(m_task.layout(), SurfaceSums(m_spec.average))};
    for (const auto &[kind, heads] : m_heads) {
        KindSums &ofKind = found.kinds.emplace(kind, KindSums(heads.size(), m_spec.smoothing)).first->second;
        for (std::size_t row = 0; row < ids.size(); ++row) {
            const SurfaceTemplate example = SurfaceTemplate::of(attentionTokens(batch, kind, row), m_tokenizer,
                                                                m_spec.average == SurfaceAverage::Clark);
            const std::vector<HeadAttention> &ofExample = attention.at(kind)[row];
            for (std::size_t i = 0; i < heads.size(); ++i)
                found.surfaces.at(heads[i]).add(ofExample[i], example);
            addExample(ids[row], ofExample, example, kind, ofKind);
        }
    }
    return found;
}

void HeadComparison::addExample(std::int64_t id, const std::vector<HeadAttention> &attention,
                                const SurfaceTemplate &example, HeadKind kind, KindSums &sums)
{
    const std::vector<HeadRef> &heads = m_heads.at(kind);
    DivergenceSums ofExample(heads.size(), m_spec.smoothing);
    std::vector<const float *> rows(heads.size());
    for (std::int64_t query = 0; query < std::ssize(example.queries); ++query) {
        std::ranges::transform(attention, rows.begin(), [query](const HeadAttention &head) { return head.row(query); });
        const std::int64_t keys = example.visibleKeys(query);
        ofExample.add(rows, keys);
        sums.logKeys += std::log(static_cast<double>(std::max<std::int64_t>(keys, 1)));
    }
    sums.divergences.add(ofExample);
    for (std::size_t i = 0; i < heads.size(); ++i) {
        const auto layer = m_layers.at({kind, heads[i].layer}).row(static_cast<std::size_t>(id));
        for (std::size_t j = i + 1; j < heads.size() && heads[j].layer == heads[i].layer; ++j) {
            layer[0] += ofExample.sums().at(i, j);
            layer[1] += static_cast<double>(ofExample.queries());
        }
    }
}

KindSimilarity HeadComparison::similarity(HeadKind kind, const KindSums &sums) const
{
    KindSimilarity similarity;
    similarity.kind = kind;
    similarity.heads = m_heads.at(kind);
    similarity.queries = sums.divergences.queries();
    similarity.divergences = sums.divergences.sums();
    const double queries = static_cast<double>(std::max<std::int64_t>(similarity.queries, 1));
    similarity.meanLogKeys = sums.logKeys / queries;
    for (double &divergence : similarity.divergences.values())
        divergence /= queries;
    const PairTable distances = distancesOf(similarity, m_spec.distance);
    PlaneMap map = planeMap(distances, m_spec.run.seed, m_control);
    similarity.x = std::move(map.x);
    similarity.y = std::move(map.y);
    similarity.stress = map.stress;
    const auto linkage = m_spec.linkage == Linkage::Average  ? averageLinkage
                       : m_spec.linkage == Linkage::Complete ? completeLinkage
                                                             : singleLinkage;
    Dendrogram dendrogram = dendrogramOf(distances, linkage);
    similarity.merges = std::move(dendrogram.merges);
    similarity.order = std::move(dendrogram.order);
    return similarity;
}

void HeadComparison::addSpread(HeadKind kind, int layer, const StatisticsTable &table, SimilarityResult &result) const
{
    const auto heads
        = std::ranges::count_if(m_heads.at(kind), [layer](const HeadRef &head) { return head.layer == layer; });
    if (heads < 2)
        return;
    const SpreadMetric metric(m_spec.distance);
    LayerSpread spread{kind, layer, heads, metric.scoreOf(table), {}};
    spread.interval = bootstrapInterval(table, metric, m_spec.resamples, m_spec.run.seed);
    result.layers.push_back(spread);
}

} // namespace

SimilarityResult similarity(const Task &task, const Tokenizer *tokenizer, const SimilaritySpec &spec, Manifest manifest,
                            const JobControl &control)
{
    SimilarityResult result;
    result.manifest = std::move(manifest);
    const AttentionPass pass(task, {spec.run, spec.mask, false, spec.ownOutput}, kPhaseSimilarity, control);
    HeadComparison comparison(task, tokenizer, spec, control);
    pass.run([&](const SeenBatch &seen) { return comparison.examine(seen); },
             [&](const Found &found) { comparison.add(found); });
    result.examples = task.size();
    result.prefix = pass.prefix().name();
    comparison.fill(result);
    return result;
}

SimilarityResult AnalysisOf<SimilaritySpec>::compute(const SimilaritySpec &spec, AnalysisInput &input,
                                                     Manifest manifest, const JobControl &control,
                                                     const Publish<SimilarityResult> &)
{
    return similarity(input.data().task, input.tokenizer(), spec, std::move(manifest), control);
}

} // namespace headscope

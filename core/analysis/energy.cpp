
#include "core/sharing/energy.h"
#include "core/analysis/analysisinfo.h"
#include "core/analysis/attentioninputs.h"
#include "core/analysis/energyspec.h"
#include "core/analysis/evaluation.h"
#include "core/analysis/evaluationspec.h"
#include "core/analysis/input.h"
#include "core/model/projections.h"
#include "core/results/energyresult.h"
#include "core/results/results.h"
#include "core/sharing/sharedmodel.h"

#include <ATen/core/grad_mode.h>
#include <fmt/format.h>
#include <torch/types.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace headscope {
namespace {

EnergyCurve curveOf(EnergyMatrix matrix, const torch::Tensor &singularValues)
{
    Spectrum spectrum = spectrumOf(singularValues);
    EnergyCurve curve{
        .matrix = matrix, .energy = {}, .effectiveRank = spectrum.effectiveRank, .stableRank = spectrum.stableRank};
    curve.for50 = dimensionsFor(spectrum, 0.5);
    curve.for90 = dimensionsFor(spectrum, 0.9);
    curve.for95 = dimensionsFor(spectrum, 0.95);
    curve.for99 = dimensionsFor(spectrum, 0.99);
    curve.energy = std::move(spectrum.energy);
    return curve;
}

std::vector<EnergyCurve> layerCurves(const ProjectionValues &values)
{
    return {curveOf(EnergyMatrix::Query, values.query),
            curveOf(EnergyMatrix::Key, values.key),
            curveOf(EnergyMatrix::Product, values.product),
            curveOf(EnergyMatrix::QueryUnfolding, values.queryUnfolding),
            curveOf(EnergyMatrix::KeyUnfolding, values.keyUnfolding),
            curveOf(EnergyMatrix::HeadUnfolding, values.headUnfolding)};
}

const EnergyCurve &productOf(const std::vector<EnergyCurve> &curves)
{
    return *std::ranges::find(curves, EnergyMatrix::Product, &EnergyCurve::matrix);
}

using Shape = std::tuple<std::int64_t, std::int64_t, std::int64_t>; // heads, their width, D

/// All attentions in parallel; random matrices once for each shape.
class ProjectionPass
{
public:
    ProjectionPass(const Task &task, const EnergySpec &spec, const JobControl &control)
        : m_task(task), m_spec(spec), m_control(control), m_places(attentionsWithHeads(task.layout()))
    {
    }

    void fill(EnergyResult &result) const
    {
        std::vector<LayerEnergy> layers(m_places.size());
        std::vector<std::vector<HeadEnergy>> heads(m_places.size());
        std::vector<Shape> shapes(m_places.size());
        m_task.execution().parallelFor(std::ssize(m_places), [&](std::int64_t i) {
            const auto index = static_cast<std::size_t>(i);
            m_control.checkpoint();
            shapes[index] = addOne(m_places[index], layers[index], heads[index]);
        });
        const auto random = randomCurves(shapes);
        for (std::size_t i = 0; i < layers.size(); ++i) {
            layers[i].random = random.at(shapes[i]);
            addToMeans(layers[i], result);
            std::ranges::move(heads[i], std::back_inserter(result.heads));
        }
        result.layers = std::move(layers);
    }

private:
    Shape addOne(const std::pair<HeadKind, int> &place, LayerEnergy &layer, std::vector<HeadEnergy> &heads) const
    {
        const torch::NoGradGuard noGrad;
        const AttentionSpec &attention = m_task.model().spec().attention(place.first, place.second);
        const HeadMaps maps = headMaps(attention, m_task.model().attention(place.first, place.second));
        const ProjectionValues values = projectionValues(maps, m_spec.centred);
        layer.kind = place.first;
        layer.layer = place.second;
        layer.dimensions = attention.sharesProjections() ? attention.sharedWidth : attention.width();
        layer.curves = layerCurves(values);
        for (std::size_t h = 0; h < attention.heads.size(); ++h) {
            HeadEnergy &head = heads.emplace_back();
            head.head = {place.first, place.second, attention.heads[h]};
            head.curves
                = {curveOf(EnergyMatrix::Query, values.headQuery[h]), curveOf(EnergyMatrix::Key, values.headKey[h]),
                   curveOf(EnergyMatrix::Product, values.headProduct[h])};
        }
        return {maps.heads(), maps.headWidth(), maps.width()};
    }

    std::map<Shape, std::vector<EnergyCurve>> randomCurves(const std::vector<Shape> &shapes) const
    {
        std::map<Shape, std::vector<EnergyCurve>> curves;
        for (const Shape &shape : shapes) {
            if (curves.contains(shape))
                continue;
            m_control.checkpoint();
            const auto [heads, headWidth, width] = shape;
            curves[shape]
                = layerCurves(projectionValues(randomMaps(heads, headWidth, width, m_spec.run.seed), m_spec.centred));
        }
        return curves;
    }

    void addToMeans(const LayerEnergy &layer, EnergyResult &result) const
    {
        const double whole = static_cast<double>(layer.dimensions) * static_cast<double>(m_places.size());
        const EnergyCurve &product = productOf(layer.curves);
        result.share90 += static_cast<double>(product.for90) / whole;
        result.share95 += static_cast<double>(product.for95) / whole;
        result.share99 += static_cast<double>(product.for99) / whole;
        result.random99 += static_cast<double>(productOf(layer.random).for99) / whole;
    }

    const Task &m_task;
    const EnergySpec &m_spec;
    const JobControl &m_control;
    std::vector<std::pair<HeadKind, int>> m_places; ///< attentions with heads
};

/// An attention with some of its query and key parameters changed.
using ChangeWeights = std::function<void(const AttentionSpec &, AttentionWeights &)>;

void takeOutQueries(const AttentionSpec &, AttentionWeights &weights)
{
    weights.query.weight = torch::zeros_like(weights.query.weight);
}

/// Content vectors, or the query biases that are the same.
void takeOutContent(const AttentionSpec &attention, AttentionWeights &weights)
{
    torch::Tensor &content = attention.sharesProjections() ? weights.content.weight : weights.query.bias;
    content = torch::zeros_like(content);
}

void takeOutKeyBias(const AttentionSpec &, AttentionWeights &weights)
{
    if (weights.key.bias.defined())
        weights.key.bias = torch::zeros_like(weights.key.bias);
}

/// Ten times as large as the largest that there is, from numbers that repeat.
void scrambleKeyBias(AttentionWeights &weights)
{
    const auto places = torch::arange(weights.key.bias.numel(), weights.key.bias.options());
    weights.key.bias = torch::sin(places * 12.9898) * 10 * (weights.key.bias.abs().max() + 0.1);
}

std::shared_ptr<const Transformer> changed(const Transformer &model, const ChangeWeights &change)
{
    const torch::NoGradGuard noGrad;
    TransformerWeights weights = model.weights();
    for (const auto &[kind, layer] : attentionsWithHeads(model.layout())) {
        const int place = model.spec().placeOf(kind, layer);
        change(model.spec().attention(kind, layer), weights.stack(sideOf(kind)).at(place).attention());
    }
    return std::make_shared<const Transformer>(model.spec(), std::move(weights));
}

/// Sums over examples of what a head's scores vary by over keys.
struct ScoreSums
{
    torch::Tensor content, context, whole; ///< [H]

    void add(const torch::Tensor &ofContent, const torch::Tensor &ofContext, const torch::Tensor &ofWhole)
    {
        const auto into = [](torch::Tensor &sum, const torch::Tensor &centred) {
            const auto squares = centred.to(torch::kFloat64).square().sum(torch::IntArrayRef{0, 2, 3}).cpu();
            sum = sum.defined() ? sum + squares : squares;
        };
        into(content, ofContent);
        into(context, ofContext);
        into(whole, ofWhole);
    }
};

/// Whether scores are sums of content and context.
bool canSplit(const AttentionSpec &attention)
{
    return attention.isBilinear();
}

/// The part of the scores that does not depend on the query (Cordonnier et al. 2020, section 3.3), and how little key
/// biases do.
class ScorePass
{
public:
    void add(const AttentionInput &input)
    {
        if (!canSplit(input.spec))
            return;
        AttentionWeights contextOnly = input.weights;
        if (input.spec.biases.query)
            takeOutContent(input.spec, contextOnly);
        takeOutKeyBias(input.spec, contextOnly); // constant over keys
        const auto whole = scoresOf(input.spec, input.weights, input);
        const auto context = scoresOf(input.spec, contextOnly, input);
        const auto centred = centredOverKeys(whole, input.visible);
        const auto centredContext = centredOverKeys(context, input.visible);
        m_sums[{input.kind, input.layer}].add(centred - centredContext, centredContext, centred);
        if (input.weights.key.bias.defined())
            addKeyBias(input, whole);
    }

    void fill(EnergyResult &result) const
    {
        for (HeadEnergy &head : result.heads) {
            const auto found = m_sums.find({head.head.kind, head.head.layer});
            if (found == m_sums.end())
                continue;
            const auto first = std::ranges::find_if(result.heads, [&](const HeadEnergy &other) {
                return other.head.kind == head.head.kind && other.head.layer == head.head.layer;
            });
            const auto place = &head - &*first;
            const double whole = found->second.whole[place].item<double>();
            if (whole <= 0)
                continue;
            head.content = found->second.content[place].item<double>() / whole;
            head.context = found->second.context[place].item<double>() / whole;
        }
        if (m_hasKeyBias)
            result.keyBiasChange = m_keyBiasChange;
    }

private:
    void addKeyBias(const AttentionInput &input, const torch::Tensor &whole)
    {
        AttentionWeights scrambled = input.weights;
        scrambleKeyBias(scrambled);
        const auto other = scoresOf(input.spec, scrambled, input);
        const auto change = (attentionBy(whole, input.visible) - attentionBy(other, input.visible)).abs().max();
        m_keyBiasChange = std::max(m_keyBiasChange, change.item<double>());
        m_hasKeyBias = true;
    }

    std::map<std::pair<HeadKind, int>, ScoreSums> m_sums;
    double m_keyBiasChange = 0;
    bool m_hasKeyBias = false;
};

/// The model's scores with parts of all attention scores taken out.
void scoreParts(const EnergySpec &spec, AnalysisInput &input, EnergyResult &result, const JobControl &control)
{
    const Transformer &model = input.data().task.model();
    const auto scoreOf = [&](const Task &task) {
        const EvaluationSpec evaluation{.run = spec.run, .resamples = 0};
        return evaluate(task, evaluation, {}, nullptr, control, {}).metrics.front();
    };
    const MetricValue whole = scoreOf(input.data().task);
    result.metric = whole.name;
    result.better = whole.better;
    result.parts.push_back({"whole", whole.value, 0});
    const auto add = [&](const char *part, const ChangeWeights &change) {
        control.progress({{kPhaseScoringParts, {part}}, "models", std::ssize(result.parts), 4});
        const double score = scoreOf(*input.taskOf(changed(model, change), false, control)).value;
        result.parts.push_back({part, score, score - whole.value});
    };
    add("context only", [](const AttentionSpec &attention, AttentionWeights &weights) {
        if (attention.biases.query)
            takeOutContent(attention, weights);
    });
    add("content only", takeOutQueries);
    add("no key bias", takeOutKeyBias);
}

} // namespace

std::vector<std::string> AnalysisOf<EnergySpec>::remarks(const EnergyResult &result)
{
    return {fmt::format(
        "the concatenated products need {:.0f}, {:.0f} and {:.0f} % of their dimensions for 90, 95 and 99 % of the "
        "energy (Cordonnier et al.: about a third for almost all of it); normal numbers need {:.0f} % for 99 %",
        100 * result.share90, 100 * result.share95, 100 * result.share99, 100 * result.random99)};
}

EnergyResult AnalysisOf<EnergySpec>::compute(const EnergySpec &spec, AnalysisInput &input, Manifest manifest,
                                             const JobControl &control, const Publish<EnergyResult> &publish)
{
    const Task &task = input.data().task;
    EnergyResult result;
    result.manifest = std::move(manifest);
    result.centred = spec.centred;
    control.progress({kPhaseEnergies, "layers", 0, 0});
    ProjectionPass(task, spec, control).fill(result);
    if (publish)
        publish(result);
    const auto ids = someExamples(task, spec.sentences, spec.run);
    ScorePass scores;
    control.progress({kPhaseParts, "examples", 0, std::ssize(ids)});
    forEachAttentionInput(task, ids, spec.run, control, [&](const AttentionInput &one) { scores.add(one); });
    scores.fill(result);
    result.examples = std::ssize(ids);
    if (task.hasReferences())
        scoreParts(spec, input, result, control);
    return result;
}

} // namespace headscope

#include "core/exporting/figurecsv.h"

#include "core/exporting/csvwriter.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace headscope {
namespace {

/// `head`: none for all heads of the layer together.
void addEnergy(CsvWriter &csv, HeadKind kind, int layer, const std::optional<HeadRef> &head, const char *of,
               const std::vector<EnergyCurve> &curves)
{
    for (const EnergyCurve &curve : curves) {
        for (std::size_t i = 0; i < curve.energy.size(); ++i) {
            csv << (head ? toText(*head) : std::string()) << headKindName(kind) << layer
                << (head ? std::to_string(head->head) : std::string()) << toText(curve.matrix) << of
                << static_cast<std::int64_t>(i + 1) << curve.energy[i];
            csv.endLine();
        }
    }
}

} // namespace

const char *directionText(ArcDirection direction)
{
    return direction == ArcDirection::DependentToHead ? "dependent → head" : "head → dependent";
}

std::string relationsCsv(const RolesResult &roles)
{
    CsvWriter csv;
    csv.header(
        {"relation", "direction", "instances", "best_head", "accuracy", "baseline", "baseline_offset", "chance"});
    for (std::size_t i = 0; i < roles.relations.size(); ++i) {
        const HeadRoleScores *best = bestHeadOf(roles, i);
        if (!best)
            continue;
        const RelationDirection &relation = roles.relations[i];
        csv << relation.relation << directionText(relation.direction) << relation.instances << toText(best->head)
            << accuracyOf(roles, *best, i) << relation.baseline << relation.baselineOffset << relation.chance;
        csv.endLine();
    }
    return csv.text();
}

std::string relationOffsetsCsv(const RolesResult &roles)
{
    CsvWriter csv;
    csv.header({"relation", "direction", "instances", "offset", "count", "share"});
    for (const RelationDirection &relation : roles.relations) {
        for (const RelationOffset &at : relation.offsets) {
            csv << relation.relation << directionText(relation.direction) << relation.instances << at.offset << at.count
                << static_cast<double>(at.count) / static_cast<double>(relation.instances);
            csv.endLine();
        }
    }
    return csv.text();
}

std::string relationHeadsCsv(const RolesResult &roles)
{
    CsvWriter csv;
    csv.header(
        {"model", "head", "relation", "direction", "instances", "hits", "accuracy", "baseline", "baseline_offset"});
    for (const HeadRoleScores &head : roles.heads) {
        for (std::size_t i = 0; i < head.relationHits.size() && i < roles.relations.size(); ++i) {
            const RelationDirection &relation = roles.relations[i];
            if (relation.instances == 0)
                continue;
            csv << roles.manifest.model << toText(head.head) << relation.relation << directionText(relation.direction)
                << relation.instances << head.relationHits[i] << accuracyOf(roles, head, i) << relation.baseline
                << relation.baselineOffset;
            csv.endLine();
        }
    }
    return csv.text();
}

std::string contributionsCsv(const RelevanceResult &relevance)
{
    CsvWriter csv;
    csv.header({"position", "examples", "source", "prefix", "source_entropy", "prefix_entropy"});
    for (const ContributionPoint &point : relevance.contributions) {
        csv << point.position << point.examples << point.source << 1 - point.source << point.sourceEntropy
            << point.prefixEntropy;
        csv.endLine();
    }
    return csv.text();
}

std::string tokenContributionsCsv(const RelevanceResult &relevance)
{
    CsvWriter csv;
    csv.header({"index", "step", "side", "token", "share", "target", "spelling"});
    const auto spelt = [](const std::vector<std::string> &tokens, std::size_t place) {
        return place < tokens.size() ? tokens[place] : std::string();
    };
    const auto add = [&](const ExampleRelevance &example, const char *side,
                         const std::vector<std::vector<double>> &steps, const std::vector<std::string> &tokens) {
        for (std::size_t step = 0; step < steps.size(); ++step) {
            for (std::size_t token = 0; token < steps[step].size(); ++token) {
                csv << example.index << static_cast<std::int64_t>(step) << side << static_cast<std::int64_t>(token)
                    << steps[step][token] << spelt(example.targets, step) << spelt(tokens, token);
                csv.endLine();
            }
        }
    };
    for (const ExampleRelevance &sentence : relevance.sentences) {
        add(sentence, "source", sentence.source, sentence.sourceTokens);
        add(sentence, "prefix", sentence.prefix, sentence.prefixTokens);
    }
    return csv.text();
}

std::string energyCurvesCsv(const EnergyResult &energy)
{
    CsvWriter csv;
    csv.header({"head", "kind", "layer", "head_number", "matrix", "of", "dimensions", "energy"});
    for (const LayerEnergy &layer : energy.layers) {
        addEnergy(csv, layer.kind, layer.layer, {}, "model", layer.curves);
        addEnergy(csv, layer.kind, layer.layer, {}, "random", layer.random);
    }
    for (const HeadEnergy &head : energy.heads)
        addEnergy(csv, head.head.kind, head.head.layer, head.head, "model", head.curves);
    return csv.text();
}

} // namespace headscope

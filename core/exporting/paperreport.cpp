#include "core/exporting/paperreport.h"

#include "core/exporting/csv.h"
#include "core/exporting/figurecsv.h"
#include "core/exporting/numbers.h"
#include "core/metrics/correlation.h"
#include "core/results/roles.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace headscope {
namespace {

constexpr double kMostly = 0.5;        ///< of a head's attention: "mostly"
constexpr double kManyTimes = 2;       ///< as often as by chance
constexpr double kFewDimensions = 0.5; ///< of all, that "few" are at most
constexpr int kFarthestColumn = 5;     ///< offsets that a table shows one by one

std::string shareOrDash(const std::optional<double> &share)
{
    return share ? percentText(*share) : "–";
}

ReportTable surfaceTable(const ReportDomain &domain)
{
    const SimilarityResult &similarity = *domain.similarity;
    ReportTable table;
    table.file = std::string("attention-") + fileSuffix(domain);
    table.title = "What every head attends to (Clark et al. 2019, Figures 2 and 4): " + domain.name;
    table.note
        = fmt::format("Mean attention over the tokens of {} examples that have such a key, and entropy in nats; –: no "
                      "token has one.",
                      similarity.examples);
    TextTable rows{"mean attention of a token",
                   {"head", "previous", "next", "itself", "first token", "delimiters", "delimiters of delimiters",
                    "punctuation", "entropy", "of the first token"},
                   {}};
    for (const HeadSurface &head : similarity.heads)
        rows.rows.push_back({toText(head.head), shareOrDash(head.previous), shareOrDash(head.next),
                             shareOrDash(head.self), shareOrDash(head.first), shareOrDash(head.delimiter),
                             shareOrDash(head.delimiterToDelimiter), shareOrDash(head.punctuation),
                             fixedText(head.entropy, 2), head.firstEntropy ? fixedText(*head.firstEntropy, 2) : "–"});
    table.parts = {rows};
    table.csv = toCsv(similarity);
    table.isLong = true;
    return table;
}

ReportTable gradientsTable(const ReportDomain &domain)
{
    const AttentionGradientsResult &gradients = *domain.gradients;
    ReportTable table;
    table.file = std::string("gradients-") + fileSuffix(domain);
    table.title = "Gradient of the loss by attention (Clark et al. 2019, Figure 3): " + domain.name;
    table.note
        = fmt::format("Absolute derivative of the loss by one attention weight, by the class of its key; means over "
                      "the heads of a layer and {} examples, times 1000.",
                      gradients.examples);
    TextTable rows{"1000 |dL/da|", {"layer"}, {}};
    for (const std::string_view name : EnumNames<KeyClass>::values)
        rows.columns.emplace_back(name);
    std::map<std::pair<HeadKind, int>, std::vector<std::string>> lines;
    for (const LayerKeyGradient &layer : layerMeans(gradients)) {
        auto &line = lines[{layer.kind, layer.layer}];
        line.resize(kKeyClasses, "–");
        line[static_cast<std::size_t>(layer.mean.keys)] = fixedText(1000 * layer.mean.gradient, 3);
    }
    for (const auto &[key, cells] : lines) {
        rows.rows.push_back({fmt::format("{} {}", headKindName(key.first), key.second)});
        std::ranges::copy(cells, std::back_inserter(rows.rows.back()));
    }
    table.parts = {rows};
    table.csv = layerGradientsCsv(gradients);
    return table;
}

/// What the tables show: relations that can make a head syntactic, of which there are enough words.
std::vector<std::size_t> shownRelations(const RolesResult &roles)
{
    const RoleThresholds thresholds;
    std::vector<std::size_t> shown;
    for (std::size_t i = 0; i < roles.relations.size(); ++i) {
        if (thresholds.wants(roles.relations[i].relation) && roles.relations[i].instances >= thresholds.instances)
            shown.push_back(i);
    }
    return shown;
}

ReportTable offsetsTable(const ReportDomain &domain)
{
    const RolesResult &roles = *domain.roles;
    ReportTable table;
    table.file = std::string("offsets-") + fileSuffix(domain);
    table.title = "Where partners of words lie (Voita et al. 2019, Figure 3): " + domain.name;
    table.note = fmt::format("Share of the words with a partner so many words away, of {} sentences. All relations and "
                             "offsets are in the CSV.",
                             roles.trees);
    TextTable rows{"offset of the partner, in words", {"relation"}, {}};
    for (int offset = -kFarthestColumn; offset <= kFarthestColumn; ++offset) {
        if (offset != 0)
            rows.columns.push_back((offset < 0 ? "−" : "+") + std::to_string(std::abs(offset)));
    }
    rows.columns.emplace_back("farther");
    for (const std::size_t i : shownRelations(roles)) {
        const RelationDirection &relation = roles.relations[i];
        const auto shareOf = [&](std::int64_t count) {
            return percentText(static_cast<double>(count) / static_cast<double>(relation.instances));
        };
        std::vector<std::string> row{relation.relation + ", " + directionText(relation.direction)};
        std::int64_t farther = 0;
        std::map<int, std::int64_t> counts;
        for (const RelationOffset &at : relation.offsets) {
            counts[at.offset] = at.count;
            farther += std::abs(at.offset) > kFarthestColumn ? at.count : 0;
        }
        for (int offset = -kFarthestColumn; offset <= kFarthestColumn; ++offset) {
            if (offset != 0)
                row.push_back(shareOf(counts[offset]));
        }
        row.push_back(shareOf(farther));
        rows.rows.push_back(std::move(row));
    }
    table.parts = {rows};
    table.csv = relationOffsetsCsv(roles);
    return table;
}

ReportTable relationHeadsTable(const ReportDomain &domain)
{
    const RolesResult &roles = *domain.roles;
    ReportTable table;
    table.file = std::string("relation-heads-") + fileSuffix(domain);
    table.title = "How often every head finds the partner (Voita et al. 2019, Figure 4): " + domain.name;
    table.note = "Share of the words whose partner has the largest weight; the first line is the best fixed offset.";
    TextTable rows{"accuracy", {"head"}, {}};
    const std::vector<std::size_t> shown = shownRelations(roles);
    std::vector<std::string> baseline{"fixed offset"};
    for (const std::size_t i : shown) {
        rows.columns.push_back(roles.relations[i].relation + ", " + directionText(roles.relations[i].direction));
        baseline.push_back(percentText(roles.relations[i].baseline));
    }
    rows.rows.push_back(std::move(baseline));
    for (const HeadRoleScores &head : roles.heads) {
        if (head.relationHits.size() < roles.relations.size())
            continue;
        std::vector<std::string> row{toText(head.head)};
        for (const std::size_t i : shown)
            row.push_back(percentText(accuracyOf(roles, head, i)));
        rows.rows.push_back(std::move(row));
    }
    table.parts = {rows};
    table.csv = relationHeadsCsv(roles);
    table.isLong = true;
    return table;
}

ReportTable contributionsTable(const ReportDomain &domain)
{
    const RelevanceResult &relevance = *domain.relevance;
    ReportTable table;
    table.file = std::string("contributions-") + fileSuffix(domain);
    table.title = "What source and prefix contribute (Voita et al. 2021): " + domain.name;
    table.note
        = fmt::format("Shares of relevance by target position, and the entropy in nats of how they are spread over "
                      "tokens; {} examples.",
                      relevance.examples);
    TextTable rows{
        "by position", {"position", "examples", "source", "prefix", "entropy over source", "entropy over prefix"}, {}};
    for (const ContributionPoint &point : relevance.contributions)
        rows.rows.push_back({std::to_string(point.position), std::to_string(point.examples),
                             percentText(point.source, 1), percentText(1 - point.source, 1),
                             fixedText(point.sourceEntropy, 2), fixedText(point.prefixEntropy, 2)});
    table.parts = {rows};
    table.csv = contributionsCsv(relevance);
    return table;
}

Finding neighbours(const ReportDomain &domain)
{
    Finding finding{"Some heads give more than half of their attention to the previous or to the next token",
                    domain.name,
                    Verdict::DoesNotHold,
                    {},
                    "clark-figure-2"};
    std::int64_t previous = 0;
    std::int64_t next = 0;
    const HeadSurface *most = nullptr;
    const auto largest
        = [](const HeadSurface &head) { return std::max(head.previous.value_or(0), head.next.value_or(0)); };
    for (const HeadSurface &head : domain.similarity->heads) {
        previous += head.previous.value_or(0) > kMostly;
        next += head.next.value_or(0) > kMostly;
        if (!most || largest(head) > largest(*most))
            most = &head;
    }
    if (!most)
        return finding;
    finding.verdict = previous + next > 0 ? Verdict::Holds : Verdict::DoesNotHold;
    finding.numbers = fmt::format("{} heads do so to the previous token, {} to the next; {} has {} on one of them.",
                                  previous, next, toText(most->head), percentText(largest(*most)));
    return finding;
}

Finding specialTokens(const ReportDomain &domain)
{
    Finding finding{"In some layer more than half of the attention goes to special tokens and punctuation",
                    domain.name,
                    Verdict::DoesNotHold,
                    {},
                    "clark-figure-2"};
    std::map<std::pair<HeadKind, int>, std::pair<double, int>> layers;
    for (const HeadSurface &head : domain.similarity->heads) {
        auto &[sum, heads] = layers[{head.head.kind, head.head.layer}];
        sum += head.first.value_or(0) + head.delimiter.value_or(0) + head.punctuation.value_or(0);
        ++heads;
    }
    const std::pair<HeadKind, int> *most = nullptr;
    double largest = 0;
    for (const auto &[layer, sum] : layers) {
        if (const double mean = sum.first / sum.second; !most || mean > largest) {
            most = &layer;
            largest = mean;
        }
    }
    if (!most)
        return finding;
    finding.verdict = largest > kMostly ? Verdict::Holds : Verdict::DoesNotHold;
    finding.numbers
        = fmt::format("The most is {}, in {} layer {}.", percentText(largest), headKindName(most->first), most->second);
    return finding;
}

Finding broadHeads(const ReportDomain &domain)
{
    Finding finding{"Heads of the first two layers attend more broadly than those of the others",
                    domain.name,
                    Verdict::CannotBeTold,
                    {},
                    "clark-figure-4"};
    double low = 0;
    double high = 0;
    int lowHeads = 0;
    int highHeads = 0;
    std::int64_t broad = 0;
    for (const HeadSurface &head : domain.similarity->heads) {
        const bool isLow = head.head.layer < 2;
        (isLow ? low : high) += head.entropy;
        ++(isLow ? lowHeads : highHeads);
        broad += isLow && head.behaviour == Behaviour::Broad;
    }
    if (lowHeads == 0 || highHeads == 0) {
        finding.numbers = "The model has no more than two layers.";
        return finding;
    }
    low /= lowHeads;
    high /= highHeads;
    finding.verdict = low > high ? Verdict::Holds : Verdict::DoesNotHold;
    finding.numbers
        = fmt::format("Mean entropy {} nats against {}; {} of the {} heads there have 78 % of the largest entropy or "
                      "more.",
                      fixedText(low, 2), fixedText(high, 2), broad, lowHeads);
    return finding;
}

/// Of every head the nearest of its kind: by chance it is of the same layer as often as others of the layer are among
/// all others.
Finding layerNeighbours(const ReportDomain &domain)
{
    Finding finding{
        "Heads attend like others of their layer: the nearest is one of them more than twice as often as by "
        "chance",
        domain.name,
        Verdict::CannotBeTold,
        {},
        "clark-figure-6"};
    std::int64_t same = 0;
    std::int64_t heads = 0;
    double expected = 0;
    for (const KindSimilarity &kind : domain.similarity->kinds) {
        if (kind.heads.size() < 3)
            continue;
        for (std::size_t i = 0; i < kind.heads.size(); ++i) {
            std::optional<std::size_t> nearest;
            double ofLayer = 0;
            for (std::size_t j = 0; j < kind.heads.size(); ++j) {
                if (j == i)
                    continue;
                ofLayer += kind.heads[j].layer == kind.heads[i].layer;
                if (!nearest || kind.divergences.at(i, j) < kind.divergences.at(i, *nearest))
                    nearest = j;
            }
            same += kind.heads[*nearest].layer == kind.heads[i].layer;
            expected += ofLayer / static_cast<double>(kind.heads.size() - 1);
            ++heads;
        }
    }
    if (heads == 0 || expected == 0)
        return finding;
    const double found = static_cast<double>(same) / static_cast<double>(heads);
    const double chance = expected / static_cast<double>(heads);
    finding.verdict = found > kManyTimes * chance ? Verdict::Holds : Verdict::DoesNotHold;
    finding.numbers = fmt::format("It is for {} of {} heads ({}; by chance {}).", same, heads, percentText(found),
                                  percentText(chance));
    return finding;
}

Finding gradientOfDelimiters(const ReportDomain &domain)
{
    Finding finding{
        "In the later half of the layers the loss follows a weight on a special token less than half as much as one "
        "on a word",
        domain.name,
        Verdict::CannotBeTold,
        {},
        "clark-figure-3"};
    int last = 0;
    const auto means = layerMeans(*domain.gradients);
    for (const LayerKeyGradient &layer : means)
        last = std::max(last, layer.layer);
    double special = 0;
    double other = 0;
    int specials = 0;
    int others = 0;
    for (const LayerKeyGradient &layer : means) {
        if (2 * layer.layer <= last)
            continue;
        if (layer.mean.keys == KeyClass::First || layer.mean.keys == KeyClass::Delimiter) {
            special += layer.mean.gradient;
            ++specials;
        } else if (layer.mean.keys == KeyClass::Other) {
            other += layer.mean.gradient;
            ++others;
        }
    }
    if (specials == 0 || others == 0 || other == 0) {
        finding.numbers = "There are too few layers, or no special tokens.";
        return finding;
    }
    const double ratio = special / specials / (other / others);
    finding.verdict = ratio < 0.5 ? Verdict::Holds : Verdict::DoesNotHold;
    finding.numbers
        = fmt::format("The gradient by special tokens is {} times that by words there.", fixedText(ratio, 2));
    return finding;
}

Finding sourceShare(const ReportDomain &domain)
{
    Finding finding{
        "The source contributes less the longer the prefix is", domain.name, Verdict::CannotBeTold, {}, "voita-2021"};
    std::vector<double> positions;
    std::vector<double> shares;
    for (const ContributionPoint &point : domain.relevance->contributions) {
        if (point.position == 0 || 2 * point.examples < domain.relevance->contributions.front().examples)
            continue; // the first has no prefix; later ones are of a few long sentences
        positions.push_back(static_cast<double>(point.position));
        shares.push_back(point.source);
    }
    if (positions.size() < 3) {
        finding.numbers = "Translations are too short.";
        return finding;
    }
    const Correlation rho = spearmanCorrelation(positions, shares);
    finding.verdict = rho.value < 0 && rho.p < kSignificanceLevel ? Verdict::Holds
                    : rho.value > 0 && rho.p < kSignificanceLevel ? Verdict::DoesNotHold
                                                                  : Verdict::CannotBeTold;
    finding.numbers
        = fmt::format("Its share goes from {} at the second position to {} at position {} (ρ = {} over positions "
                      "that half of the sentences have).",
                      percentText(shares.front(), 1), percentText(shares.back(), 1),
                      static_cast<std::int64_t>(positions.back()) + 1, fixedText(rho.value, 2));
    return finding;
}

} // namespace

std::vector<ReportTable> paperTables(const ReportDomain &domain)
{
    std::vector<ReportTable> tables;
    if (domain.roles && domain.roles->trees > 0) {
        tables.push_back(offsetsTable(domain));
        tables.push_back(relationHeadsTable(domain));
    }
    if (domain.similarity)
        tables.push_back(surfaceTable(domain));
    if (domain.gradients)
        tables.push_back(gradientsTable(domain));
    if (domain.relevance && !domain.relevance->contributions.empty())
        tables.push_back(contributionsTable(domain));
    return tables;
}

std::vector<Finding> paperFindings(const ReportDomain &domain)
{
    std::vector<Finding> findings;
    if (domain.similarity)
        findings = {neighbours(domain), specialTokens(domain), broadHeads(domain), layerNeighbours(domain)};
    if (domain.gradients)
        findings.push_back(gradientOfDelimiters(domain));
    if (domain.relevance && !domain.relevance->contributions.empty())
        findings.push_back(sourceShare(domain));
    return findings;
}

ReportTable energyTable(const EnergyResult &energy)
{
    ReportTable table;
    table.file = "energy";
    table.title = "Dimensions that queries and keys use (Cordonnier et al. 2020, Figure 1)";
    table.note
        = "Share of an attention's dimensions with 90, 95 and 99 % of the energy of the product of all its query and "
          "key projections, with 99 % for normal numbers in the same shapes, and the mean share with 99 % of its "
          "heads, each of its own dimensions.";
    TextTable rows{
        "share of dimensions", {"attention", "dimensions", "90 %", "95 %", "99 %", "random 99 %", "heads 99 %"}, {}};
    const auto productOf = [](const std::vector<EnergyCurve> &curves) {
        const auto found = std::ranges::find(curves, EnergyMatrix::Product, &EnergyCurve::matrix);
        return found == curves.end() ? nullptr : &*found;
    };
    for (const LayerEnergy &layer : energy.layers) {
        const EnergyCurve *product = productOf(layer.curves);
        const EnergyCurve *random = productOf(layer.random);
        if (!product || !random)
            continue;
        const auto share = [&](std::int64_t count) {
            return percentText(static_cast<double>(count)
                               / static_cast<double>(std::max<std::int64_t>(1, layer.dimensions)));
        };
        double heads = 0;
        int count = 0;
        for (const HeadEnergy &head : energy.heads) {
            const EnergyCurve *own = productOf(head.curves);
            if (head.head.kind != layer.kind || head.head.layer != layer.layer || !own || own->energy.empty())
                continue;
            heads += static_cast<double>(own->for99) / static_cast<double>(own->energy.size());
            ++count;
        }
        rows.rows.push_back({fmt::format("{} {}", headKindName(layer.kind), layer.layer),
                             std::to_string(layer.dimensions), share(product->for90), share(product->for95),
                             share(product->for99), share(random->for99),
                             count > 0 ? percentText(heads / count) : "–"});
    }
    table.parts = {rows};
    table.csv = energyCurvesCsv(energy);
    return table;
}

Finding energyFinding(const EnergyResult &energy)
{
    Finding finding{
        "All heads of an attention together need at most half of their query and key dimensions for 99 % of the "
        "energy of their product",
        {},
        energy.share99 <= kFewDimensions ? Verdict::Holds : Verdict::DoesNotHold,
        {},
        "cordonnier-figure-1"};
    finding.numbers = fmt::format("They need {}, mean over attentions; normal numbers in the same shapes {}.",
                                  percentText(energy.share99), percentText(energy.random99));
    return finding;
}

Finding trainingFinding(const DynamicsResult &dynamics)
{
    Finding finding{
        "Heads become redundant early in training: with 40 % removed, checkpoints of the later half of training "
        "keep more of their score than the first",
        {},
        Verdict::CannotBeTold,
        {},
        "michel-figure-5"};
    constexpr double kRemoved = 0.4;
    std::vector<std::pair<std::string, double>> left;
    for (const DynamicsCheckpoint &checkpoint : dynamics.checkpoints) {
        const DynamicsPoint *nearest = nullptr;
        for (const DynamicsPoint &point : checkpoint.curve) {
            if (!nearest || std::abs(point.fraction - kRemoved) < std::abs(nearest->fraction - kRemoved))
                nearest = &point;
        }
        if (nearest && nearest->relative)
            left.emplace_back(checkpoint.name, *nearest->relative);
    }
    if (left.size() < 2) {
        finding.numbers = "There are too few checkpoints with a score.";
        return finding;
    }
    double later = 0;
    const std::size_t half = left.size() / 2;
    for (std::size_t i = half; i < left.size(); ++i)
        later += left[i].second / static_cast<double>(left.size() - half);
    // The first score of a run is small, and may be kept by chance.
    finding.verdict = later > left.front().second ? Verdict::Holds : Verdict::DoesNotHold;
    finding.numbers
        = fmt::format("{} keeps {} of its {}, the later half of the checkpoints {} (mean of {}).", left.front().first,
                      percentText(left.front().second), dynamics.metric, percentText(later), left.size() - half);
    return finding;
}

} // namespace headscope

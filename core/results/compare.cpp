#include "core/results/compare.h"

#include "core/metrics/inference.h"
#include "core/metrics/multiplicity.h"
#include "core/results/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <tuple>
#include <utility>

namespace headscope {

namespace {

/// Two names; of equal ones, the shortest ends of the paths to them that tell them apart: "news/dev", "web/dev".
std::pair<std::string, std::string> toldApart(std::pair<std::string, std::string> names, const std::string &fileA,
                                              const std::string &fileB)
{
    namespace fs = std::filesystem;
    fs::path folderA = fs::path(fileA).parent_path();
    fs::path folderB = fs::path(fileB).parent_path();
    if (names.first != names.second || folderA == folderB)
        return names;
    while (names.first == names.second && (folderA.has_filename() || folderB.has_filename())) {
        if (folderA.has_filename())
            names.first = (folderA.filename() / names.first).string();
        if (folderB.has_filename())
            names.second = (folderB.filename() / names.second).string();
        folderA = folderA.parent_path();
        folderB = folderB.parent_path();
    }
    return names;
}

/// Names of the sides of a comparison: the data sets; of two models (checkpoints of one architecture) these,
/// each with its data set unless both have the same one.
std::pair<std::string, std::string> namesOf(const Manifest &a, const Manifest &b)
{
    const auto data = toldApart({a.data, b.data}, a.dataFile, b.dataFile);
    if (a.weightsHash == b.weightsHash)
        return data;
    const auto lastPart = [](const std::string &folder) {
        const std::filesystem::path path(folder);
        return (path.has_filename() ? path : path.parent_path()).filename().string();
    };
    auto models = toldApart({lastPart(a.model), lastPart(b.model)}, a.model, b.model);
    if (a.dataHash != b.dataHash) {
        models.first += " on " + data.first;
        models.second += " on " + data.second;
    }
    return models;
}

/// Whether both results are of the same heads, as those of checkpoints of one architecture are.
template<typename T>
bool haveSameHeads(const T &a, const T &b)
{
    const auto headsOf = [](const T &result) {
        std::vector<HeadRef> heads;
        for (const auto &head : result.heads)
            heads.push_back(head.head);
        std::ranges::sort(heads);
        return heads;
    };
    return headsOf(a) == headsOf(b);
}

/// Heads, r and ρ.
template<typename T, typename Head>
CompareResult compareHeadsBriefly(std::string measure, const T &resultA, const T &resultB, double Head::*value,
                                  std::uint64_t seed)
{
    const std::vector<Head> &a = resultA.heads;
    const std::vector<Head> &b = resultB.heads;
    std::map<HeadRef, double> valuesOfB;
    for (const Head &head : b)
        valuesOfB[head.head] = head.*value;

    CompareResult result;
    result.measure = std::move(measure);
    std::vector<double> x;
    std::vector<double> y;
    for (const Head &head : a) {
        const auto found = valuesOfB.find(head.head);
        if (found == valuesOfB.end())
            continue;
        x.push_back(head.*value);
        y.push_back(found->second);
        result.heads.push_back({head.head, x.back(), y.back(), y.back() - x.back()});
    }
    result.pearson = pearsonCorrelation(x, y);
    result.spearman = spearmanCorrelation(x, y, 1000, seed);
    std::tie(result.a.name, result.b.name) = namesOf(resultA.manifest, resultB.manifest);
    return result;
}

/// Kendall's τ and the interval of r over resampled heads: what takes longer.
void addResampled(CompareResult &result, std::uint64_t seed)
{
    std::vector<double> x;
    std::vector<double> y;
    for (const HeadDifference &head : result.heads) {
        x.push_back(head.a);
        y.push_back(head.b);
    }
    result.pearsonBootstrap = pearsonBootstrapInterval(x, y, 1000, seed);
    result.kendall = kendallCorrelation(x, y, 1000, seed);
}

/// The places of the values, the highest first (or, where they are `losses`, the lowest); of equal ones the first.
std::vector<std::size_t> topPlaces(const std::vector<double> &values, Better worth)
{
    std::vector<std::size_t> places(values.size());
    for (std::size_t i = 0; i < places.size(); ++i)
        places[i] = i;
    const auto sortKey = [&](std::size_t i) { return std::isnan(values[i]) ? INFINITY : -gain(worth, values[i]); };
    std::ranges::stable_sort(places, {}, sortKey);
    return places;
}

/// Overlaps of a tenth, a fifth and a half of the heads, rounded up. `worth`: which values are of heads that matter.
std::vector<TopOverlap> overlapsOf(const std::vector<HeadDifference> &heads, Better worth)
{
    std::vector<double> a;
    std::vector<double> b;
    for (const HeadDifference &head : heads) {
        a.push_back(head.a);
        b.push_back(head.b);
    }
    const auto placesA = topPlaces(a, worth);
    const auto placesB = topPlaces(b, worth);
    std::vector<TopOverlap> overlaps;
    for (const std::size_t percent : {10, 20, 50}) {
        const std::size_t k = (heads.size() * percent + 99) / 100;
        TopOverlap overlap;
        overlap.k = static_cast<std::int64_t>(k);
        overlap.expected = heads.empty() ? 0 : static_cast<double>(k * k) / static_cast<double>(heads.size());
        for (std::size_t i = 0; i < k; ++i)
            overlap.shared += std::find(placesB.begin(), placesB.begin() + static_cast<std::ptrdiff_t>(k), placesA[i])
                           != placesB.begin() + static_cast<std::ptrdiff_t>(k);
        if (k > 0 && (overlaps.empty() || overlaps.back().k != overlap.k))
            overlaps.push_back(overlap);
    }
    return overlaps;
}

/// Whether a head matters more in one data set: the examples of the two are independent, so every replicate of one goes
/// with every replicate of the other. `resamples`: the fewer of the two, below which p cannot be. Student's t has the
/// degrees of freedom of the smaller set, which are too few rather than too many.
HeadDifference::Test differenceTest(const HeadAblation &a, const HeadAblation &b, std::int64_t resamples)
{
    std::vector<double> differences;
    differences.reserve(a.replicates.size() * b.replicates.size());
    for (double inA : a.replicates) {
        for (double inB : b.replicates)
            differences.push_back(inB - inA);
    }
    if (std::ranges::none_of(differences, [](double d) { return std::isnan(d); }))
        std::ranges::sort(differences);
    const double value = b.delta - a.delta;
    // Older files do not say how many examples changed, where some did.
    const auto changed = [](const HeadAblation &head) {
        return head.changed == 0 && head.replicates.size() > 1 ? head.examples : head.changed;
    };
    const auto [interval, p] = inferred({.value = value,
                                         .examples = std::min(a.examples, b.examples),
                                         .differing = changed(a) + changed(b),
                                         .scale = value},
                                        differences);
    return {interval, std::max(p, 2 / (static_cast<double>(resamples) + 1))};
}

void testDifferences(std::vector<HeadDifference> &heads, const AblationResult &a, const AblationResult &b)
{
    const std::int64_t resamples = std::min(a.resamples, b.resamples);
    const auto ablated = [](const AblationResult &of, const HeadRef &head) {
        HeadAblation found = *std::ranges::find(of.heads, head, &HeadAblation::head);
        if (found.examples == 0) // nor of how many it is
            found.examples = of.examples;
        return found;
    };
    std::vector<double> p;
    std::vector<HeadDifference *> tested;
    for (HeadDifference &head : heads) {
        const HeadAblation inA = ablated(a, head.head);
        const HeadAblation inB = ablated(b, head.head);
        if (inA.replicates.empty() || inB.replicates.empty()) // older files, or no resamples
            continue;
        head.test = differenceTest(inA, inB, resamples);
        tested.push_back(&head);
        p.push_back(head.test->p);
    }
    const auto adjusted = holmAdjusted(p);
    const auto discovery = benjaminiHochbergAdjusted(p);
    for (std::size_t i = 0; i < tested.size(); ++i) {
        tested[i]->test->pAdjusted = adjusted[i];
        tested[i]->test->pDiscovery = discovery[i];
    }
}

/// Which settings differ, or nothing.
std::string differingSettings(const AblationResult &a, const AblationResult &b)
{
    if (a.allButOne != b.allButOne)
        return "one removes single heads, the other keeps single heads (--all-but-one)";
    if (a.rescaled != b.rescaled)
        return "--rescale is given for one and not for the other";
    if (a.replacement != b.replacement)
        return fmt::format("--replace is {} in one and {} in the other", toText(a.replacement), toText(b.replacement));
    if (a.sinks != b.sinks || a.window != b.window)
        return fmt::format("--sinks {} --window {} in one, --sinks {} --window {} in the other", a.sinks, a.window,
                           b.sinks, b.window);
    if (a.baseline.name != b.baseline.name)
        return fmt::format("one is of {}, the other of {}", a.baseline.name, b.baseline.name);
    return {};
}

std::string differingSettings(const ImportanceResult &a, const ImportanceResult &b)
{
    if (a.reduction != b.reduction)
        return fmt::format("--reduction is {} in one and {} in the other", toText(a.reduction), toText(b.reduction));
    if (a.normalization != b.normalization)
        return fmt::format("--normalize is {} in one and {} in the other", toText(a.normalization),
                           toText(b.normalization));
    if (a.exampleLoss != b.exampleLoss)
        return fmt::format("--example-loss is {} in one and {} in the other", toText(a.exampleLoss),
                           toText(b.exampleLoss));
    return {};
}

std::string differingSettings(const ConfidenceResult &, const ConfidenceResult &)
{
    return {};
}

std::string differingSettings(const RelevanceResult &a, const RelevanceResult &b)
{
    if (a.rule != b.rule)
        return fmt::format("--rule is {} in one and {} in the other", toText(a.rule), toText(b.rule));
    if (a.absolute != b.absolute)
        return "shares are of absolute relevance in one and of signed relevance in the other";
    return {};
}

/// The comparison of measures whose high values are those that matter.
template<typename T>
CompareResult comparePositive(const T &a, const T &b, std::uint64_t seed)
{
    CompareResult result = compareBriefly(a, b, seed);
    addResampled(result, seed);
    result.overlaps = overlapsOf(result.heads, Better::Higher);
    return result;
}

template<typename T>
Result<CompareResult> compareChecked(const T &a, const T &b, std::uint64_t seed)
{
    if (a.manifest.partial || b.manifest.partial)
        return badInput(partialRefused(a.manifest.partial ? a.manifest : b.manifest));
    if (a.manifest.weightsHash != b.manifest.weightsHash && !haveSameHeads(a, b))
        return badInput(
            fmt::format("The results are of different models whose heads differ ({} and {}): compare results "
                        "of one model, or of two checkpoints of one architecture.",
                        a.manifest.model, b.manifest.model));
    const std::string differing = differingSettings(a, b);
    if (!differing.empty())
        return badInput("The results cannot be compared: " + differing + ".");
    CompareResult result = compareResults(a, b, seed);
    if (result.heads.empty())
        return badInput("The results have no head in common: compare results of the same model.");
    return result;
}

} // namespace

CompareResult compareBriefly(const AblationResult &a, const AblationResult &b, std::uint64_t seed)
{
    CompareResult result = compareHeadsBriefly("ablation delta", a, b, &HeadAblation::delta, seed);
    result.metric = a.baseline.name;
    result.better = a.baseline.better;
    result.a.baseline = a.baseline.value;
    result.b.baseline = b.baseline.value;
    return result;
}

CompareResult compareBriefly(const ImportanceResult &a, const ImportanceResult &b, std::uint64_t seed)
{
    return compareHeadsBriefly("importance", a, b, &HeadImportance::importance, seed);
}

CompareResult compareBriefly(const ConfidenceResult &a, const ConfidenceResult &b, std::uint64_t seed)
{
    return compareHeadsBriefly("confidence", a, b, &HeadConfidence::confidence, seed);
}

CompareResult compareBriefly(const RelevanceResult &a, const RelevanceResult &b, std::uint64_t seed)
{
    return compareHeadsBriefly("relevance", a, b, &HeadRelevance::relevance, seed);
}

CompareResult compareResults(const AblationResult &a, const AblationResult &b, std::uint64_t seed)
{
    CompareResult result = compareBriefly(a, b, seed);
    addResampled(result, seed);
    // Heads that matter are those whose removal is a loss.
    result.overlaps = overlapsOf(result.heads, result.better == Better::Higher ? Better::Lower : Better::Higher);
    testDifferences(result.heads, a, b);
    return result;
}

CompareResult compareResults(const ImportanceResult &a, const ImportanceResult &b, std::uint64_t seed)
{
    return comparePositive(a, b, seed);
}

CompareResult compareResults(const ConfidenceResult &a, const ConfidenceResult &b, std::uint64_t seed)
{
    return comparePositive(a, b, seed);
}

CompareResult compareResults(const RelevanceResult &a, const RelevanceResult &b, std::uint64_t seed)
{
    return comparePositive(a, b, seed);
}

std::vector<HeadDifference> testedDifferences(const AblationResult &a, const AblationResult &b)
{
    std::vector<HeadDifference> heads;
    for (const HeadAblation &inA : a.heads) {
        const auto inB = std::ranges::find(b.heads, inA.head, &HeadAblation::head);
        if (inB != b.heads.end())
            heads.push_back({inA.head, inA.delta, inB->delta, inB->delta - inA.delta});
    }
    testDifferences(heads, a, b);
    return heads;
}

Interval differenceInterval(double a, const Interval &ofA, double b, const Interval &ofB)
{
    // Ends by the method of variance estimates recovery, which keeps asymmetric intervals asymmetric
    // (Zou and Donner 2008, Stat. Med. 27:1693).
    const double down = std::hypot(b - ofB.low, ofA.high - a);
    const double up = std::hypot(ofB.high - b, a - ofA.low);
    return {b - a - down, b - a + up};
}

Result<CompareResult> compareResults(const AnyResult &a, const AnyResult &b, std::uint64_t seed)
{
    if (!a.isOfKind(b))
        return badInput(fmt::format("The first result is of \"{}\", the second of \"{}\": compare two of the same.",
                                    kindOf(a), kindOf(b)));
    if (const auto ablation = a.as<AblationResult>())
        return compareChecked(*ablation, *b.as<AblationResult>(), seed);
    if (const auto importance = a.as<ImportanceResult>())
        return compareChecked(*importance, *b.as<ImportanceResult>(), seed);
    if (const auto confidence = a.as<ConfidenceResult>())
        return compareChecked(*confidence, *b.as<ConfidenceResult>(), seed);
    if (const auto relevance = a.as<RelevanceResult>())
        return compareChecked(*relevance, *b.as<RelevanceResult>(), seed);
    return badInput(fmt::format("Results of \"{}\" have no value per head to compare: give results of ablate, "
                                "importance, confidence or relevance.",
                                kindOf(a)));
}

} // namespace headscope

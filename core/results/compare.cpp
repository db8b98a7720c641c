#include "core/results/compare.h"

#include <fmt/format.h>

#include <map>

namespace headscope {

namespace {

template<typename Head>
CompareResult compareHeads(std::string measure, const std::vector<Head> &a, const std::vector<Head> &b,
                           double Head::*value, std::uint64_t seed)
{
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
    return result;
}

/// Which settings differ, or nothing.
std::string differingSettings(const AblationResult &a, const AblationResult &b)
{
    if (a.allButOne != b.allButOne)
        return "one removes single heads, the other keeps single heads (--all-but-one)";
    if (a.replacement != b.replacement)
        return fmt::format("--replace is {} in one and {} in the other", toText(a.replacement),
                           toText(b.replacement));
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
    return {};
}

std::string differingSettings(const ConfidenceResult &, const ConfidenceResult &) { return {}; }

template<typename T>
Result<CompareResult> compareChecked(const T &a, const T &b, std::uint64_t seed)
{
    if (a.manifest.weightsHash != b.manifest.weightsHash)
        return badInput(fmt::format("The results are of different models ({} and {}, by the hash of their weights): "
                                    "compare results of the same model.",
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

CompareResult compareResults(const AblationResult &a, const AblationResult &b, std::uint64_t seed)
{
    return compareHeads("ablation delta", a.heads, b.heads, &HeadAblation::delta, seed);
}

CompareResult compareResults(const ImportanceResult &a, const ImportanceResult &b, std::uint64_t seed)
{
    return compareHeads("importance", a.heads, b.heads, &HeadImportance::importance, seed);
}

CompareResult compareResults(const ConfidenceResult &a, const ConfidenceResult &b, std::uint64_t seed)
{
    return compareHeads("confidence", a.heads, b.heads, &HeadConfidence::confidence, seed);
}

Result<CompareResult> compareResults(const AnyResult &a, const AnyResult &b, std::uint64_t seed)
{
    if (a.index() != b.index())
        return badInput(fmt::format("The first result is of \"{}\", the second of \"{}\": compare two of the same.",
                                    kindOf(a), kindOf(b)));
    if (const auto *ablation = std::get_if<AblationResult>(&a))
        return compareChecked(*ablation, std::get<AblationResult>(b), seed);
    if (const auto *importance = std::get_if<ImportanceResult>(&a))
        return compareChecked(*importance, std::get<ImportanceResult>(b), seed);
    if (const auto *confidence = std::get_if<ConfidenceResult>(&a))
        return compareChecked(*confidence, std::get<ConfidenceResult>(b), seed);
    return badInput(fmt::format("Results of \"{}\" have no value per head to compare: give results of ablate, "
                                "importance or confidence.",
                                kindOf(a)));
}

} // namespace headscope

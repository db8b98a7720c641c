#include "core/results/bestheads.h"

#include "core/metrics/multiplicity.h"
#include "core/results/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace headscope {

namespace {

using Layers = std::map<std::pair<HeadKind, int>, std::vector<HeadAblation>>;

Layers byLayer(const AblationResult &result)
{
    Layers layers;
    for (const HeadAblation &head : result.heads)
        layers[{head.head.kind, head.head.layer}].push_back(head);
    return layers;
}

std::string whyNot(const AblationResult &choose, const AblationResult &report)
{
    if (!choose.allButOne || !report.allButOne)
        return "both results must be of ablate --all-but-one";
    for (const Manifest *manifest : {&choose.manifest, &report.manifest}) {
        if (manifest->partial)
            return partialRefused(*manifest);
    }
    if (choose.manifest.weightsHash != report.manifest.weightsHash)
        return fmt::format("they are of different models ({} and {})", choose.manifest.model, report.manifest.model);
    if (choose.baseline.name != report.baseline.name)
        return fmt::format("one is of {}, the other of {}", choose.baseline.name, report.baseline.name);
    if (choose.replacement != report.replacement)
        return fmt::format("--replace is {} in one and {} in the other", toText(choose.replacement),
                           toText(report.replacement));
    if (choose.sinks != report.sinks || choose.window != report.window)
        return "--sinks and --window differ";
    return {};
}

} // namespace

Result<BestHeadsResult> bestHeads(const AblationResult &choose, const AblationResult &report)
{
    if (const std::string reason = whyNot(choose, report); !reason.empty())
        return badInput("The best heads cannot be determined: " + reason + ".");
    BestHeadsResult result;
    result.manifest = report.manifest;
    result.baseline = report.baseline;
    result.chosenOn = choose.manifest.data;
    result.chosenBaseline = choose.baseline;
    result.chosenOnReported = choose.manifest.dataHash == report.manifest.dataHash;
    result.examples = report.examples;
    const Layers reported = byLayer(report);
    std::vector<double> p;
    for (const auto &[where, heads] : byLayer(choose)) {
        const auto row = reported.find(where);
        if (row == reported.end())
            continue;
        // max_element takes the first of equal ones, and never a NaN after a number.
        const HeadAblation &best = *std::ranges::max_element(
            heads, {}, [&](const HeadAblation &head) { return gain(choose.baseline.better, head.delta); });
        const auto found = std::ranges::find(row->second, best.head, &HeadAblation::head);
        if (found == row->second.end())
            continue;
        result.layers.push_back({where.first, where.second, best.head, best.delta, *found, row->second});
        p.push_back(found->p);
    }
    if (result.layers.empty())
        return badInput("The results have no layer in common: give results of the same model.");
    const auto adjusted = holmAdjusted(p);
    const auto discovery = benjaminiHochbergAdjusted(p);
    for (std::size_t i = 0; i < p.size(); ++i) {
        result.layers[i].reported.pAdjusted = adjusted[i];
        result.layers[i].reported.discoveryP = discovery[i];
    }
    return result;
}

} // namespace headscope

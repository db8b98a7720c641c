#include "core/exporting/attentionpattern.h"

#include "core/base/better.h"
#include "core/base/headunit.h"
#include "core/results/manifestoptions.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <vector>

namespace headscope {
namespace {

bool isOfKeyGroups(const AblationResult &sweep)
{
    return optionsOf(sweep.manifest).value("by", nlohmann::json()) == toText(HeadUnit::KeyGroup);
}

constexpr const char *kNoScores = "No head of the result has a retrieval score: no answer was right.";

/// Numbers of each layer's key heads.
Result<std::string> patternText(const std::map<int, std::vector<double>> &layers)
{
    if (layers.empty())
        return badInput("The result has no heads.");
    std::string text;
    for (const auto &[layer, numbers] : layers) {
        if (numbers.size() != layers.begin()->second.size())
            return badInput(fmt::format("Layer {} has {} key groups, layer {} has {}: a pattern has as many in every "
                                        "layer. Leave out --mask.",
                                        layers.begin()->first, layers.begin()->second.size(), layer, numbers.size()));
        if (layer != static_cast<int>(std::ranges::count(text, '\n')))
            return badInput(fmt::format("The result has no key groups of layer {}: a pattern has all layers.",
                                        std::ranges::count(text, '\n')));
        for (std::size_t i = 0; i < numbers.size(); ++i)
            text += fmt::format("{}{:.6g}", i > 0 ? "\t" : "", numbers[i]);
        text += '\n';
    }
    return text;
}

} // namespace

Result<std::string> attentionPattern(const AblationResult &sweep)
{
    if (sweep.window == 0 || sweep.allButOne || !isOfKeyGroups(sweep))
        return badInput("An attention pattern is made of a result of ablate --replace window --by key-group.");
    if (sweep.manifest.partial)
        return badInput("The sweep is not complete: an attention pattern has all key groups.");
    std::map<int, std::vector<double>> layers; // heads are in order
    double most = 0;
    for (const HeadAblation &group : sweep.heads) {
        if (group.head.kind != HeadKind::Decoder)
            return badInput("The result has heads of an encoder: attention patterns are of decoders.");
        const double loss = std::max(0.0, -gain(sweep.baseline.better, group.delta));
        layers[group.head.layer].push_back(std::isfinite(loss) ? loss : 0);
        most = std::max(most, layers[group.head.layer].back());
    }
    for (auto &[layer, losses] : layers) {
        for (double &loss : losses)
            loss = most > 0 ? loss / most : 0;
    }
    return patternText(layers);
}

Result<std::string> attentionPattern(const RetrievalResult &retrieval)
{
    std::map<int, std::vector<double>> layers;
    for (const HeadRetrieval &head : retrieval.heads) {
        if (!head.score)
            return badInput(kNoScores);
        auto &scores = layers[head.head.layer];
        scores.resize(std::max(scores.size(), static_cast<std::size_t>(head.keyHead) + 1), 0);
        double &score = scores[static_cast<std::size_t>(head.keyHead)];
        score = std::max(score, *head.score);
    }
    return patternText(layers);
}

Result<std::string> retrievalScores(const RetrievalResult &retrieval)
{
    nlohmann::ordered_json scores = nlohmann::ordered_json::object();
    for (const HeadRetrieval &head : retrieval.heads) {
        if (!head.score)
            return badInput(kNoScores);
        scores[fmt::format("{}-{}", head.head.layer, head.head.head)] = {*head.score};
    }
    return scores.dump() + "\n";
}

std::string attentionPatternConfig(const AblationResult &sweep)
{
    return nlohmann::json{{"sink_size", sweep.sinks}, {"recent_size", sweep.window}}.dump() + "\n";
}

} // namespace headscope

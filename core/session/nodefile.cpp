#include "core/session/nodefile.h"

#include "core/formats/jsonfile.h"
#include "core/io/hubcache.h"
#include "core/model/family.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <utility>

namespace headscope {
namespace {

Result<TransformerSpec> specOfFolder(const std::filesystem::path &named)
{
    auto folder = modelFolder(named);
    if (!folder.isOk())
        return folder.error();
    const auto file = folder.value() / "config.json";
    const auto config = readJsonFile(file);
    if (!config.isOk())
        return config.error();
    const auto family = findFamily(config.value(), file.string());
    if (!family.isOk())
        return family.error();
    return family.value()->makeSpec(config.value(), nullptr);
}

/// The number of heads of every layer, the same in all.
Result<std::int64_t> headsPerLayer(const StackSpec &stack, const std::string &model)
{
    std::int64_t heads = 0;
    for (const SubLayer &sub : stack.subLayers) {
        const AttentionSpec *attention = sub.attention();
        if (!attention)
            continue;
        heads = attention->allHeads;
        if (attention->headCount() != attention->allHeads)
            return badInput(
                fmt::format("{} has lost heads in layer {}: a graph has as many in every layer.", model, sub.layer));
    }
    return heads;
}

std::map<HeadRef, double> scoresByHead(const PatchResult &result, CircuitOrder by)
{
    std::map<HeadRef, double> scores;
    for (const HeadPatch &head : result.heads) {
        const double score
            = helpfulness(result, by == CircuitOrder::Patching ? head.patch.delta : head.patch.attribution);
        scores[head.head] = score;
        for (const HeadRef &other : head.together)
            scores[other] = score;
    }
    return scores;
}

/// The nodes of a graph; the scores that they have are taken out.
nlohmann::ordered_json nodesOf(int layers, std::int64_t heads, std::map<HeadRef, double> &scores)
{
    using Ordered = nlohmann::ordered_json;
    Ordered nodes = Ordered::object();
    nodes["input"] = {{"in_graph", true}};
    for (int layer = 0; layer < layers; ++layer) {
        for (int head = 0; head < static_cast<int>(heads); ++head) {
            Ordered node{{"in_graph", true}};
            const auto found = scores.find({HeadKind::Decoder, layer, head});
            if (found != scores.end() && !std::isnan(found->second)) {
                node["score"] = found->second;
                scores.erase(found);
            }
            nodes[fmt::format("a{}.h{}", layer, head)] = std::move(node);
        }
        nodes[fmt::format("m{}", layer)] = {{"in_graph", true}};
    }
    nodes["logits"] = {{"in_graph", true}};
    return nodes;
}

} // namespace

Result<std::string> nodeFile(const PatchResult &result, CircuitOrder by, const std::filesystem::path &model)
{
    if (!result.pathsTo.empty())
        return badInput(
            fmt::format("The result is of paths to {}: a node file has effects by all ways.", result.pathsTo));
    const auto read = specOfFolder(model);
    if (!read.isOk())
        return read.error();
    const TransformerSpec &spec = read.value();
    if (spec.encoder || !spec.saysTokens())
        return badInput(fmt::format("{} is no language model with a decoder only: the benchmark's graphs are of these.",
                                    model.string()));
    const StackSpec &stack = *spec.decoder;
    const auto heads = headsPerLayer(stack, model.string());
    if (!heads.isOk())
        return heads.error();
    std::map<HeadRef, double> scores = scoresByHead(result, by);
    const auto nodes = nodesOf(stack.layers(), heads.value(), scores);
    if (!scores.empty())
        return badInput(fmt::format("The result has head {}, which {} has not: give the model that it is of.",
                                    toText(scores.begin()->first), model.string()));
    const nlohmann::ordered_json graph{{"cfg",
                                        {{"n_layers", stack.layers()},
                                         {"n_heads", heads.value()},
                                         {"parallel_attn_mlp", std::ranges::any_of(stack.subLayers, &SubLayer::beside)},
                                         {"d_model", spec.width}}},
                                       {"nodes", nodes},
                                       {"edges", nlohmann::ordered_json::object()}};
    return graph.dump() + "\n";
}

} // namespace headscope

#include "core/results/speedjson.h"

namespace headscope {
namespace {

Json toJson(const Spread &spread)
{
    return {{"mean", spread.mean},
            {"sd", spread.deviation},
            {"median", spread.median},
            {"q1", spread.lower},
            {"q3", spread.upper}};
}

Json toJson(const SpeedRow &row)
{
    Json json{{"lengths", toText(row.lengths)},
              {"batch_size", row.batchSize},
              {"contender", toText(row.contender)},
              {"batches", row.batches},
              {"tokens", row.tokens},
              {"examples_per_second", toJson(row.examplesPerSecond)},
              {"tokens_per_second", toJson(row.tokensPerSecond)},
              {"gain", toJson(row.gain)},
              {"seconds", row.seconds}};
    if (row.peakBytes)
        json["peak_bytes"] = *row.peakBytes;
    return json;
}

} // namespace

Json toJson(const SpeedResult &result)
{
    Json rows = Json::array();
    for (const SpeedRow &row : result.rows)
        rows.push_back(toJson(row));
    return {{"result", "speed"},
            {"mask", toText(result.mask)},
            {"path", result.path},
            {"device", result.manifest.device},
            {"threads", result.threads},
            {"repeats", result.repeats},
            {"warm_up_batches", result.warmUp},
            {"examples", result.examples},
            {"token_unit", result.tokenUnit},
            {"heads", {{"original", result.heads}, {"removed", result.headsLeft}}},
            {"parameters", {{"original", result.parameters}, {"removed", result.parametersLeft}}},
            {"weight_bytes", {{"original", result.weightBytes}, {"removed", result.weightBytesLeft}}},
            {"rows", rows},
            {"manifest", toJson(result.manifest)}};
}

} // namespace headscope

#pragma once

#include "core/results/json.h"

#include <limits>

/// One result of each kind with every field set to something that a reader could lose.
namespace headscope::samples {

inline Manifest manifest(const std::string &analysis)
{
    Manifest manifest;
    manifest.analysis = analysis;
    manifest.version = "0.1.0";
    manifest.model = "models/a \"quoted\" one";
    manifest.weightsHash = "w1";
    manifest.data = "täst";
    manifest.dataHash = "d1";
    manifest.examples = 7;
    manifest.totalExamples = 9;
    manifest.spec = R"({"beams":4,"seed":12345})";
    manifest.command = "headscope-cli " + analysis;
    manifest.device = "cpu";
    manifest.dtype = "f32";
    manifest.libtorch = "1.13.1";
    manifest.created = "2024-01-02T03:04:05Z";
    manifest.seconds = 1.25;
    return manifest;
}

inline const HeadRef kFirst{HeadKind::Encoder, 0, 3};
inline const HeadRef kSecond{HeadKind::Cross, 2, 1};

inline EvaluationResult evaluation()
{
    EvaluationResult result;
    result.manifest = manifest("evaluate");
    result.mask = {kFirst};
    result.metrics = {{"chrF2", 73.244, std::nullopt, "sig2"}, {"BLEU", 1.0 / 3, Interval{0.1, 0.5}, "sig1"}};
    result.outputs = {{3, {5, 6, 0}, "un chien", -0.125, {}, {}, {}}};
    result.examples = 7;
    result.seconds = 2.5;
    return result;
}

/// What a classifier says: one label, several, none; compared with another mask.
inline EvaluationResult classification()
{
    EvaluationResult result = evaluation();
    result.metrics = {{"accuracy", 0.75, Interval{0.5, 1}, "classes:3"}};
    result.outputs = {{0, {}, "b", 0, {0.5F, 1.25F, -2}, {1}, {0}},
                      {1, {}, "a, c", 0, {3, -1, 0.25F}, {0, 2}, {0, 1}},
                      {2, {}, "", 0, {-1.5F}, {}, {}}};
    result.against = MaskComparison{{kFirst, kSecond}, 0.5, 0.25, {-0.1, 0.4}, 0.03, 0.125, 2};
    return result;
}

inline AblationResult ablation()
{
    AblationResult result;
    result.manifest = manifest("ablate");
    result.baseline = {"BLEU", 57.124, Interval{55, 59}, "sig"};
    result.allButOne = true;
    result.replacement = Replacement::Resample;
    result.heads = {{kFirst, 56.5, -0.624, {-1, -0.1}, 0.01, 0.96, 12, {}},
                    {kSecond, 57.5, 0.376, {0, 1}, 0.5, 1, 3, 0.0625}};
    result.examples = 7;
    result.resamples = 1000;
    return result;
}

inline ImportanceResult importance()
{
    ImportanceResult result;
    result.manifest = manifest("importance");
    result.reduction = ImportanceReduction::Fisher;
    result.normalization = ImportanceNormalization::Global;
    result.heads = {{kFirst, 0.1, 0.01}, {kSecond, std::numeric_limits<double>::quiet_NaN(), 0.02}};
    result.examples = 7;
    result.meanLoss = 1.5;
    return result;
}

inline PruningResult pruning()
{
    PruningResult result;
    result.manifest = manifest("prune");
    result.metric = "BLEU";
    result.curves = {{"importance", {{0, 0, 57, {55, 59}, {}}, {1, 0.5, 50, {48, 52}, {kSecond}}}, 0},
                     {"random", {{0, 0, 57, {57, 57}, {}}}, 10}};
    result.examples = 7;
    return result;
}

inline ConfidenceResult confidence()
{
    return {manifest("confidence"), {{kFirst, 0.75, 100}, {kSecond, 0.5, 90}}, 7};
}

inline AttentionResult attention()
{
    AttentionResult result;
    result.manifest = manifest("attention");
    result.source = "a dog";
    result.target = "un chien";
    result.sourceTokens = {{"▁a", 5, false, 0}, {"</s>", 0, true, -1}};
    result.targetTokens = {{"<pad>", 9, true, -1}};
    result.maps = {{kFirst, 2, 2, {0.25F, 0.75F, 0.5F, 0.5F}, true}, {kSecond, 1, 2, {1.0F, 0.0F}, false}};
    return result;
}

inline CompareResult comparison()
{
    return {"importance", {{kFirst, 1, 2, 1}}, {0.5, 0.1, {-0.2, 0.9}}, {0.25, 0.2, {-1, 1}}};
}

inline std::vector<AnyResult> all()
{
    return {evaluation(), classification(), ablation(),  importance(),
            pruning(),    confidence(),     attention(), comparison()};
}

} // namespace headscope::samples

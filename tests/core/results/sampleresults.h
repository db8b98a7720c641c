#pragma once

#include "core/results/json.h"

#include <limits>
#include <optional>
#include <string>
#include <vector>

/// One result of each kind with every field set to something that a reader could lose.
namespace headscope::samples {

inline Manifest manifest(const std::string &analysis)
{
    Manifest manifest;
    manifest.analysis = analysis;
    manifest.version = "0.1.0";
    manifest.model = "models/a \"quoted\" one";
    manifest.weightsHash = "w1";
    manifest.settingsHash = "s1";
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
    result.longestOutput = 20;
    result.reachedLimit = 2;
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
    result.groups = {{"agreement", 3, 2.0 / 3, {0, 1}}, {"islands", 1, 1, {1, 1}}};
    return result;
}

inline AblationResult ablation()
{
    AblationResult result;
    result.manifest = manifest("ablate");
    result.baseline = {"BLEU", 57.124, Interval{55, 59}, "sig"};
    result.allButOne = result.rescaled = true;
    result.replacement = Replacement::Resample;
    result.heads
        = {{kFirst, 56.5, -0.624, {-1, -0.1}, 0.01, 0.96, 12, {}}, {kSecond, 57.5, 0.376, {0, 1}, 0.5, 1, 3, 0.0625}};
    result.heads[1].discoveryP = 0.25;
    result.heads[1].randomization = 0.375;
    result.heads[1].tTest = 0.4375;
    result.heads[1].replicates = {-0.5, 0.25, 1.125};
    result.examples = 7;
    result.resamples = 1000;
    result.sampleRatio = 0.5;
    result.referenceData = "train";
    result.draws = 3;
    result.sinks = 4;
    result.window = 64;
    result.fitExamples = 16;
    result.fitSteps = 20;
    result.fitOnOwn = true;
    result.heads[1].fitMeanLoss = 2.5;
    result.heads[1].fitLoss = 2.25;
    return result;
}

inline BestHeadsResult bestHeadsSample()
{
    const AblationResult report = ablation();
    BestHeadsResult result;
    result.manifest = report.manifest;
    result.baseline = report.baseline;
    result.chosenOn = "validation";
    result.chosenBaseline = {"BLEU", 50.5, Interval{49, 52}, "sig"};
    result.layers = {{HeadKind::Encoder, 0, kFirst, 0.5, report.heads[0], {report.heads[0]}},
                     {HeadKind::Cross, 2, kSecond, -0.5, report.heads[1], {report.heads[1]}}};
    result.examples = 7;
    return result;
}

inline SearchResult searchSample()
{
    SearchResult result;
    result.manifest = manifest("search");
    result.baseline = {"accuracy", 0.75, Interval{0.5, 1}, "classes:3"};
    result.kinds = {HeadKind::Encoder, HeadKind::Cross};
    result.candidates = 2;
    result.searchData = "train";
    result.searchedOnEvaluated = true;
    result.samples = 64;
    result.miniBatch = 32;
    result.fisher = {{kFirst, 0.125, 0}, {kSecond, 2.5, 0}};
    SearchPoint point{.pruned = 1,
                      .fraction = 0.5,
                      .attentionMacs = 0.625,
                      .searched = {},
                      .rearranged = {},
                      .rescaled = {},
                      .rescaledLayers = 1,
                      .attentionLayers = 2};
    point.searched = {{kFirst}, {}, 0.125, 0.5, -0.25, {0.25, 0.75}};
    point.rearranged = {{kSecond}, {}, 0.0625, 0.625, -0.125, {0.5, 0.75}};
    point.rescaled = {{kSecond}, {{kFirst, 1.25}}, 0.0625, 0.75, 0, {0.5, 1}};
    result.points = {point};
    result.examples = 7;
    return result;
}

inline ImportanceResult importance()
{
    ImportanceResult result;
    result.manifest = manifest("importance");
    result.reduction = ImportanceReduction::Fisher;
    result.normalization = ImportanceNormalization::Global;
    result.batches = 12;
    result.examplesPerBatch = 32;
    result.tokensPerBatch = 512;
    result.exampleLoss = ExampleLoss::Mean;
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
    PruningCurve &first = result.curves[0];
    first.kinds = {HeadKind::Encoder};
    first.candidates = 2;
    first.reversed = first.reestimated = first.chosenOnEvaluated = first.rescaled = true;
    for (PruningCurve &curve : result.curves) {
        for (PruningPoint &point : curve.points)
            point.others = {{{"F1", 0.5, Interval{0.25, 0.75}, "average:macro", Better::Higher}}};
    }
    first.points[1].paired = PairedTest{{-9, -5}, 0.001, 6};
    first.points[1].others[0].paired = PairedTest{{-0.25, 0.125}, 0.5, 3};
    first.atLeastPerLayer = 1;
    first.step = 1;
    first.rounding = StepRounding::Up;
    first.orderData = "validation";
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
    CompareResult result{"importance", {{kFirst, 1, 2, 1}}, {0.5, 0.1, {-0.2, 0.9}}, {0.25, 0.2, {-1, 1}}};
    result.heads[0].test = HeadDifference::Test{{-0.5, 2.5}, 0.125, 0.25, 0.1875};
    result.kendall = {0.125, 0.75, {-0.5, 0.5}};
    result.overlaps = {{2, 1, 0.5}};
    result.pearsonBootstrap = Interval{-0.25, 0.875};
    result.metric = "BLEU";
    result.a = {"in", 57};
    result.b = {"out", std::nullopt};
    return result;
}

inline RolesResult rolesSample()
{
    RolesResult result;
    result.manifest = manifest("roles");
    result.measure = AttentionMeasure::Norms;
    result.specialTokens = SpecialTokens::NoKeys;
    result.renormalized = true;
    result.prefix = "own output";
    result.relations = {{"nsubj", ArcDirection::DependentToHead, 60, 1, 0.25, 0.125},
                        {"nsubj", ArcDirection::HeadToDependent, 60, -1, 0.25, 0.125}};
    result.trees = 5;
    result.treesNotAligned = 1;
    result.wordsNotAligned = 2;
    result.rarityFrom = "tokens of train.en";
    result.raritySentences = 4;
    result.alignments = 3;
    result.sieveThreshold = 1.5;
    result.sinks = 4;
    result.window = 64;
    result.examples = 7;
    HeadRoleScores first;
    first.head = kFirst;
    first.confidence = 0.75;
    first.tokens = 100;
    first.offsets.at(-1) = {95, 100, 0.125};
    first.offsets.queries = 110;
    first.offsets.farther = 3;
    first.offsets.ties = 2;
    first.relationHits = {30, 6};
    first.rarest = Share{5, 90, 0.0625};
    first.twoRarest = Share{9, 90, 0.125};
    first.patterns = {{Pattern::Previous, 0.875, 0.125, 100}, {Pattern::Special, 0.0625, 0.125, 110}};
    first.detectors = {{RoleDetector::Syntactic, 2.5, 0.25, 0.0009765625, 0.0078125, 5},
                       {RoleDetector::Delimiter, 0.5, 0.125, 1, 1, 7}};
    first.evidence = {{"offset -1", {{3, 9, 10}, {1, 8, 9}}, {{2, 1, 5}}}};
    HeadRoleScores second;
    second.head = kSecond;
    second.patterns = {{Pattern::Copy, 0.75, 0.125, 60}};
    second.alignment = AlignmentError{0.25, 0.5, 3};
    result.heads = {first, second};
    return result;
}

inline RelevanceResult relevanceSample()
{
    RelevanceResult result;
    result.manifest = manifest("relevance");
    result.rule = RelevanceRule::AttnLrp;
    result.absolute = true;
    result.prefix = "reference";
    result.heads = {{kFirst, 0.625, 0.03125}, {kSecond, 0.375, 0.03125}};
    result.contributions = {{0, 7, 0.875, 1.5, 0}, {1, 6, 0.75, 1.25, 0.5}};
    result.examples = 7;
    result.steps = 50;
    result.conserved = 0.875;
    result.largestDeviation = 0.25;
    result.sentences = {{4, 1, {0.5, 0.5}, {{0.25, 0.5}}, {{0.25}}, {"a", "dog"}, {"<s>"}, {"un"}},
                        {5, 1, {0.25, 0.75}, {{0.5, 0.25}}, {{0.25}}}};
    return result;
}

inline SpeedResult speedSample()
{
    SpeedResult result;
    result.manifest = manifest("speed");
    result.mask = HeadMask{kSecond};
    result.path = "one LibTorch forward pass per batch";
    result.tokenUnit = "input tokens";
    result.threads = 2;
    result.repeats = 3;
    result.warmUp = 1;
    result.examples = 8;
    result.heads = 4;
    result.headsLeft = 3;
    result.parameters = 1000;
    result.parametersLeft = 900;
    result.weightBytes = 4000;
    result.weightBytesLeft = 3600;
    const Spread spread = Spread::of({1, 2, 4});
    result.rows = {{LengthPolicy::Fixed, 4, ModelVersion::Removed, 2, 96, {0.5, 0.25, 1}, spread, spread, spread, 1024},
                   {LengthPolicy::AsIs, 4, ModelVersion::Original, 2, 96, {0.5}, spread, spread, Spread::of({1}), {}}};
    return result;
}

inline ContingencyResult contingencySample()
{
    ContingencyResult result;
    result.manifest = manifest("mcnemar");
    result.metric = "accuracy";
    result.right = 6;
    result.examples = 10;
    result.heads = {{kFirst, 5, 1, 2, 2, 1, 1, 1, {3}, {4, 8}}, {kSecond, 6, 0, 0, 4, 1, 1, 1}};
    return result;
}

inline PatchResult patchSample()
{
    PatchResult result;
    result.manifest = manifest("patch");
    result.measure = PatchMeasure::Probability;
    result.direction = PatchDirection::Noise;
    result.alignment = PatchAlignment::End;
    result.examples = 2;
    result.clean = {0.75, {0.5, 1}};
    result.corrupt = {0.25, {0, 0.5}};
    const PatchEffect effect{-0.25, {-0.5, 0}, 0.5, {0.25, 1}, -0.125};
    result.pathsTo = "decoder.1.2";
    result.heads = {{kFirst, effect, {}, 0.5, -0.25}, {kSecond, effect, {kFirst}, 0.125, 0.0625}};
    result.directRestClean = 1.5;
    result.directRestCorrupt = -1.5;
    result.directAgreement = {2, 0.75, 0.5};
    result.circuits = {{CircuitOrder::Attribution, true, 0.625, 0.375, {{0.5, 1, 0.5, 0.25, {0, 0.5}}}}};
    result.cells = {{kFirst, -1, 2, effect}};
    result.headAgreement = {2, 0.5, 1};
    result.cellAgreement = {1, 0.25, 0.125};
    result.pairs = {{0, {"keys", "to"}, {"key", "to"}, {"</s>"}, "are", "is", 0.75, 0.25}};
    result.runs = 6;
    result.work = 0.375;
    return result;
}

inline ShapleyResult shapleySample()
{
    ShapleyResult result;
    result.manifest = manifest("shapley");
    result.metric = "loss";
    result.better = Better::Lower;
    result.all = 0.25;
    result.none = 1;
    result.sum = -0.75;
    result.exact = true;
    result.orders = 4;
    result.masks = 12;
    result.truncated = 2;
    result.heads = {{kFirst, -0.5, {-0.75, -0.25}, 0.01, 0.02, {}}, {kSecond, -0.25, {-0.5, 0}, 0.5, 0.5, {kFirst}}};
    result.examples = 10;
    return result;
}

inline InteractionsResult interactionsSample()
{
    InteractionsResult result;
    result.manifest = manifest("interactions");
    result.metric = "accuracy";
    result.baseline = 0.75;
    result.possible = 3;
    result.heads = {{kFirst, -0.25}, {kSecond, 0}};
    result.pairs = {{kFirst, kSecond, -0.125, -0.375, {-0.25, 0}, 0.04, 0.08}};
    result.mean.single = SingleAblation::Withheld; // one pair of three
    result.examples = 10;
    return result;
}

inline NeededResult neededSample()
{
    NeededResult result;
    result.manifest = manifest("needed");
    result.example = 3;
    result.text = "A dog runs.";
    result.pair = "It rests.";
    result.output = "negative";
    result.by = HeadUnit::KeyGroup;
    result.replacement = Replacement::Mean;
    result.heads = {{kFirst, true, 1, 1}, {kSecond, false, 1, 0}};
    result.sets = {{NeededGoal::Keep, {kFirst, kSecond}, MinimalityProof::NoPart, "negative"},
                   {NeededGoal::Flip, {kFirst}, MinimalityProof::Smallest, "positive"}};
    result.keeping = 1;
    result.tested = 42;
    return result;
}

inline GatingResult gatingSample()
{
    GatingResult result;
    result.manifest = manifest("gating");
    result.lambda = 0.01;
    result.steps = 100;
    result.loss = 0.5;
    result.heads = {{kFirst, 0.75, 0.5, 0.5, 0.25, 0.375, 0.125, GatedRole::Facilitating, 0.5},
                    {kSecond, 0.25, 0, 0, 0.75, 0.25, 0, GatedRole::Interfering, 1}};
    result.seeds = {{12345, 0.5, 0.5, 0.625, {0.5, 0.25}, {0.75, 0.25}, {0.5, 0}}};
    result.examples = 10;
    return result;
}

inline PathsResult pathsSample()
{
    PathsResult result;
    result.manifest = manifest("paths");
    result.measure = PatchMeasure::Loss;
    result.direction = PatchDirection::Noise;
    result.feedForward = PathFeedForward::Frozen;
    result.method = PathMethod::Linear;
    result.examples = 10;
    result.clean = {2.5, {2, 3}};
    result.corrupt = {-1, {-1.5, -0.5}};
    result.paths = {
        {kFirst, {kSecond}, PathInput::Query, true, {0.5, {0.25, 0.75}, 0.125, {0.0625, 0.25}, 0, 0.375}, 0.01, 0.02},
        {kSecond, {}, PathInput::Logits, false, {0.25, {0, 0.5}, 0.0625, {0, 0.125}, 0.01, 0.25}, 0.05, 0.05}};
    result.agreement = {1, 0.5, 0.25};
    result.runs = 10;
    result.work = 0.0625;
    return result;
}

inline TakeoverResult takeoverSample()
{
    TakeoverResult result;
    result.manifest = manifest("takeover");
    result.head = {HeadKind::Encoder, 0, 2};
    result.together = {{HeadKind::Encoder, 0, 3}};
    result.replacement = Replacement::Resample;
    result.draws = 3;
    result.ownAnswers = true;
    result.whole = {2.5, {2, 3}};
    result.without = {2, {1.5, 2.75}};
    result.own = 1;
    result.instead = 0.25;
    result.others = {0.5, {0.25, 0.75}};
    result.rest = {-0.25, {-0.5, 0}};
    result.repaired = 1.0 / 3;
    result.repairedInterval = {0.25, 0.5};
    result.heads = {{kFirst, true, 0.25, 0.75, 0.5, {0.25, 0.75}, 0.01, 0.02}, {kSecond, false, 1, 1, 0, {0, 0}, 1, 1}};
    result.sentences = {{4, "runs", "good", 2, 1.5, 1, 0.5, 0, {0.5, 0}}};
    result.examples = 10;
    return result;
}

inline SimilarityResult similaritySample()
{
    SimilarityResult result;
    result.manifest = manifest("similarity");
    result.distance = HeadDistance::Divergence;
    result.linkage = Linkage::Complete;
    result.average = SurfaceAverage::Clark;
    result.smoothing = 0.001;
    result.prefix = "reference";
    result.kinds = {{kFirst.kind,
                     {kFirst, kSecond},
                     30,
                     2.5,
                     PairTable(2, {0.25}),
                     {-0.125, 0.125},
                     {0, 0},
                     0.5,
                     {{0, 1, 0.25}},
                     {1, 0}}};
    result.layers = {{kFirst.kind, 0, 2, 0.25, {0.125, 0.5}}};
    HeadSurface surface{kFirst, 0.125, 0.25, 0.5, 0.1, 0.2, 0.3, 0.4, 0.05, 1.5, 0.75, 1.25, Behaviour::Next, 30};
    result.heads = {surface, {kSecond, {}, {}, {}, {}, 0.7, {}, 0.7, {}, 0.5, 0.25, {}, Behaviour::Delimiter, 30}};
    result.examples = 3;
    return result;
}

inline AttentionGradientsResult gradientsSample()
{
    AttentionGradientsResult result;
    result.manifest = manifest("gradients");
    result.meanLoss = 0.75;
    result.counts = {{kFirst.kind, KeyClass::First, 30, 30}, {kSecond.kind, KeyClass::Other, 60, 20}};
    result.heads = {{kFirst, {{KeyClass::First, 0.5, 0.125, 0.0625, -0.25}}},
                    {kSecond, {{KeyClass::Other, 0.25, 0.375, 0.01, 0.5}}}};
    result.examples = 3;
    return result;
}

inline CoreferenceResult coreferenceSample()
{
    CoreferenceResult result;
    result.manifest = manifest("coreference");
    result.mentions = 8;
    result.byForm = {4, 3, 1};
    result.leftOut = 2;
    result.baselines = {{"nearest", {0.25, {0.5, 0, 0}}}, {"chance", {0.125, {0.1, {}, 0.25}}}};
    result.heads = {{kFirst, {0.5, {0.75, {}, 1}}, {0.25, 0.625}}};
    result.examples = 3;
    return result;
}

inline DynamicsResult dynamicsSample()
{
    DynamicsResult result;
    result.manifest = manifest("dynamics");
    result.metric = "BLEU";
    result.orderData = "train";
    result.checkpoints
        = {{"epoch-000", 0, "aa", 0, {{kFirst, 0.5}}, {{0, 0, 0}, {1, 0.5, 0}}},
           {"epoch-002", 2, "bb", 20, {{kFirst, 0.25, -1.5, 0.75}}, {{0, 0, 20, 1}, {1, 0.5, 15, 0.75}}}};
    result.examples = 7;
    return result;
}

inline ProbeResult probeSample()
{
    ProbeResult result;
    result.manifest = manifest("probe");
    result.probes
        = {{ProbeKind::Attention, {}, 0.5, {0.25, 0.75}, 6}, {ProbeKind::FixedOffset, "-1", 0.25, {0.125, 0.375}, 0}};
    result.heads = {{kFirst, 0.5, -0.25}, {kSecond, 0, 1.5}};
    result.rootFirst = 0.75;
    result.rootLast = -0.5;
    result.epochs = 2;
    result.learningRate = 0.125;
    result.trainedOn = "train";
    result.trained = 20;
    result.examples = 7;
    result.words = 60;
    result.left = 1;
    result.vectors = "glove.txt";
    result.vectorWidth = 50;
    result.wordsWithVector = 55;
    return result;
}

inline EnergyResult energySample()
{
    EnergyResult result;
    result.manifest = manifest("energy");
    result.centred = true;
    result.share90 = 0.25;
    result.share95 = 0.5;
    result.share99 = 0.75;
    result.random99 = 0.9;
    const EnergyCurve curve{EnergyMatrix::Product, {0.5, 0.75, 1}, 2.5, 2, 1, 3, 3, 3};
    const EnergyCurve flat{EnergyMatrix::Product, {0.25, 0.5, 1}, 3, 2.5, 2, 3, 3, 3};
    result.layers = {{kFirst.kind, 0, 3, {curve}, {flat}}};
    result.heads = {{kFirst, 0.25, 0.5, {curve}}, {kSecond, {}, {}, {flat}}};
    result.keyBiasChange = 1e-7;
    result.metric = "BLEU";
    result.parts = {{"whole", 30, 0}, {"content only", 2, -28}};
    result.examples = 8;
    return result;
}

inline CollaborateResult collaborateSample()
{
    CollaborateResult result;
    result.manifest = manifest("collaborate");
    result.metric = "accuracy";
    result.otherData = "out";
    result.publishedScale = true;
    SharedPoint whole;
    whole.parameters = 1000;
    whole.scoreParameters = 200;
    whole.compression = 1;
    whole.score = 0.75;
    SharedPoint point = whole;
    point.width = 2;
    point.method = SharingMethod::Svd;
    point.order = SharingOrder::PruneFirst;
    point.pruned = 1;
    point.breakEven = 150;
    point.error = 0.25;
    point.logitError = 0.125;
    point.divergence = 0.0625;
    point.delta = -0.25;
    point.interval = Interval{0.5, 0.875};
    point.paired = PairedTest{{-0.5, 0.125}, 0.25, 3};
    point.otherScore = 0.5;
    point.onFront = true;
    point.otherOnFront = true;
    point.layers = {{kFirst.kind, 0, 0.25, 0.125, 0.0625, 1.5, {kFirst, kSecond}, {1, 0, 0.5, -1}}};
    whole.multiplyAdds = 4096;
    point.multiplyAdds = 2560;
    result.points = {whole, point};
    result.examples = 4;
    result.length = 6;
    return result;
}

inline FindResult findSample()
{
    FindResult result;
    result.manifest = manifest("find");
    result.head = kSecond;
    result.what = "token dog";
    result.prefix = "reference";
    result.matching = 2;
    result.meanWeight = 0.5;
    result.places = {{4, 0.75, 3, 1, "\u2581barks", "\u2581dog", "A dog that barks."}, {0, 0.25, 0, 2, "", "", ""}};
    result.examples = 3;
    return result;
}

inline DetectResult detectSample()
{
    DetectResult result;
    result.manifest = manifest("detect");
    result.manifest.data = result.manifest.dataHash = "";
    result.length = 2;
    result.first = 1;
    result.threshold = 0.25;
    result.copyingThreshold = 0.75;
    result.examples = 32;
    result.ids = {0, 7, 9, 7, 9};
    result.tokens = {"<s>", "a", "\"b\"", "a", "\"b\""};
    result.heads = {{.head = kFirst,
                     .labels = {HeadDetector::Copying, HeadDetector::Induction},
                     .detectors = {{HeadDetector::Induction, 0.75, {0.5, 1}, 0.001, 0.004, 32},
                                   {HeadDetector::Copying, 0.875, {0.75, 1}, 0.01, 0.03, 31}},
                     .sinkQueries = 0.125,
                     .copyingGain = 1.5,
                     .keys = {2, 0},
                     .weights = {0.875, 0.5}},
                    {.head = kSecond, .detectors = {{HeadDetector::FirstToken, 0.5, {0.25, 0.75}, 0.5, 1, 32}}}};
    return result;
}

inline FunctionsResult functionsSample()
{
    FunctionsResult result;
    result.manifest = manifest("functions");
    result.manifest.data = result.manifest.dataHash = "";
    result.shots = 2;
    result.meanPrompts = 100;
    result.leastEffect = 0.01;
    result.examples = 50;
    result.tasks = {{"capitals", 58, 23, "Q: Italy\nA: Rome\n\nQ: Spain\nA:", " Madrid", 0.75, 0.25, 0.125},
                    {"\"own\"", 10, 4, "Q: a\nA: b\n\nQ: c\nA:", " d", 0.5, 0.25, 0}};
    result.heads = {
        {.head = kFirst,
         .effect = 0.0625,
         .interval = {0.03125, 0.09375},
         .p = 0.001,
         .discoveryP = 0.002,
         .isFunctionHead = true,
         .isTop = true,
         .tasks = {0.125, 0},
         .evidence = FunctionEvidence{"capitals", "Chile", "Santiago", 0.25, 0.75}},
        {.head = kSecond, .effect = -0.25, .interval = {-0.5, 0.25}, .p = 0.5, .discoveryP = 0.5, .tasks = {0, -0.5}}};
    result.fewShot = {0.625, {0.5, 0.75}};
    result.shuffled = {0.25, {0.125, 0.5}};
    result.zeroShot = {0.0625, {0, 0.125}};
    result.learned = {0.375, {0.25, 0.5}, 0.001};
    result.layers = {{.layer = 0,
                      .zeroShot = {0.25, 0.1875, {0.125, 0.25}, 0.01, 0.02, {0.5, 0}},
                      .shuffled = {0.5, 0.25, {0.125, 0.375}, 0.01, 0.02, {0.75, 0.25}}}};
    result.masking = FunctionMasking{.full = {0.625, {0.5, 0.75}},
                                     .top = {0.25, {0.125, 0.375}},
                                     .random = {0.5, {0.375, 0.625}},
                                     .sets = 5,
                                     .difference = {-0.25, {-0.375, -0.125}, 0.001}};
    return result;
}

inline RetrievalResult retrievalSample()
{
    RetrievalResult result;
    result.manifest = manifest("retrieval");
    result.manifest.data = result.manifest.dataHash = "";
    result.threshold = 0.125;
    result.examples = 1;
    result.counted = 1;
    result.right = 1;
    result.answers = {0.5, {0.25, 0.75}};
    result.needles = {{"The \"key\" is in the jar.", "Where is it?", "in the jar", true}, {"a", "b", "c", false}};
    result.runs = {
        {.needle = 0, .length = 256, .tokens = 250, .depth = 0.5, .said = " in the jar", .recall = 1, .isRight = true},
        {.needle = 1, .length = 256, .tokens = 251, .depth = 1, .said = " I do not know"}};
    result.heads = {{.head = kFirst,
                     .score = 0.75,
                     .interval = {0.5, 1},
                     .p = 0.001,
                     .pAdjusted = 0.004,
                     .isRetrievalHead = true,
                     .isTop = true,
                     .steps = 0.875,
                     .question = 0.25,
                     .questionInterval = {0.125, 0.375},
                     .evidence = RetrievalEvidence{0, 1, "in the jar"}},
                    {.head = kSecond, .score = 0, .p = 1, .steps = 0, .question = -0.125}};
    result.masking = RetrievalMasking{.heads = 1,
                                      .top = {0.25, {0.125, 0.375}},
                                      .random = {0.5, {0.375, 0.625}},
                                      .sets = 3,
                                      .difference = {-0.25, {-0.375, -0.125}, 0.001}};
    return result;
}

inline WeightsResult weightsSample()
{
    WeightsResult result;
    result.manifest = manifest("weights");
    result.manifest.data = result.manifest.dataHash = "";
    result.rotary = true;
    const CircuitNumbers numbers{1.5, 1.75, -0.25, 0.5, 0.125, {1.25, 0.5}, {0.5, -0.25}, {0, 0.125}};
    result.heads = {{kFirst, numbers, numbers}, {{HeadKind::Encoder, 1, 0}, {.norm = 2}, {.norm = 3}}};
    result.composition = {{kFirst, {}}, {{HeadKind::Encoder, 1, 0}, {{{0.25}, {0.5}, {0.75}}}, {{{1.5}, {0.5}, {2}}}}};
    result.random = {{4, 4, 0.25, {0.125, 0.375}, 1.5, 0.25}};
    return result;
}

inline HeadTokensResult headTokensSample()
{
    HeadTokensResult result;
    result.manifest = manifest("tokens");
    result.rotary = true;
    result.tokens = {{TokenSide::Encoder, 7, "a"}};
    const TokenExtremes ends{{{3, "b", 1.5}, {4, "d", 0.5}}, {{5, "e", -0.25}}};
    result.heads = {{kFirst, {{7, ends, 12}}, {{7, {}, std::nullopt}}, {{2.5, ends, {}}}, {{1.5, {}, ends}}}};
    return result;
}

inline std::vector<AnyResult> all()
{
    return {evaluation(),        classification(),    ablation(),        importance(),         pruning(),
            confidence(),        attention(),         comparison(),      bestHeadsSample(),    searchSample(),
            rolesSample(),       relevanceSample(),   speedSample(),     contingencySample(),  similaritySample(),
            gradientsSample(),   coreferenceSample(), dynamicsSample(),  probeSample(),        energySample(),
            collaborateSample(), patchSample(),       shapleySample(),   interactionsSample(), findSample(),
            neededSample(),      takeoverSample(),    pathsSample(),     gatingSample(),       detectSample(),
            weightsSample(),     headTokensSample(),  functionsSample(), retrievalSample()};
}

} // namespace headscope::samples

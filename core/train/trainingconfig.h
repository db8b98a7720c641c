#pragma once

#include "core/base/enumnames.h"
#include "core/base/headref.h"
#include "core/base/result.h"
#include "core/data/datasource.h"
#include "core/model/modelsizes.h"

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

/// The settings of a training run, as plain values; CONFIG.json of `headscope-cli train` in memory.
namespace headscope {

/// A new SentencePiece vocabulary, learnt from the training text.
struct VocabularyConfig
{
    std::int64_t size = 8000;               ///< pieces; fewer where the text has no more
    bool joint = true;                      ///< one for both languages, or one each of `size`
    std::string type = "unigram";           ///< unigram, bpe
    std::string normalization = "nmt_nfkc"; ///< nmt_nfkc, nfkc, identity, …: SentencePiece's rules
    double coverage = 1.0;                  ///< share of the characters that get a piece

    bool operator==(const VocabularyConfig &) const = default;
};

enum class OptimizerKind { Adam, AdamW };
enum class ScheduleKind { InverseSqrt, Cosine, Constant };
enum class ValidationGoal { Score, Loss };

struct OptimizerConfig
{
    OptimizerKind kind = OptimizerKind::Adam;
    double beta1 = 0.9;
    double beta2 = 0.98;
    double epsilon = 1e-9;
    double weightDecay = 0; ///< Adam: L2 added to the gradient; AdamW: decoupled (Loshchilov and Hutter 2019)
    double clipNorm = 1.0;  ///< largest norm of the gradient of a step; 0 = never clipped

    bool operator==(const OptimizerConfig &) const = default;
};

struct ScheduleConfig
{
    ScheduleKind kind = ScheduleKind::InverseSqrt;
    double learningRate = 1e-3; ///< the highest, at the end of the warm-up
    std::int64_t warmupSteps = 400;

    bool operator==(const ScheduleConfig &) const = default;
};

/// How the gates of heads are trained: not at all; L0 regularisation by Hard Concrete gates (Louizos et al. 2018, Voita
/// et al. 2019), which finds how many; differentiable subset pruning (Li et al. 2021), which is told how many.
enum class GateMethod { None, L0, Subset };
template<>
struct EnumNames<GateMethod>
{
    static constexpr std::array<std::string_view, 3> values{"none", "l0", "subset"};
    static constexpr const char *what = "gate method";
};
/// Which weights are trained: all; those of the stacks whose heads have gates, so that functions cannot move to the
/// other one; none, the gates alone.
enum class TrainedParts { All, Gated, Gates };
template<>
struct EnumNames<TrainedParts>
{
    static constexpr std::array<std::string_view, 3> values{"all", "gated", "gates"};
    static constexpr const char *what = "trained parts";
};

/// How fresh weights begin: heads of a layer begin with numbers of their own; with the same queries, keys and values;
/// or with all of their parameters equal, and so with equal gradients: only noise tells them apart.
enum class InitialHeads { Different, Identical, Equal };
template<>
struct EnumNames<InitialHeads>
{
    static constexpr std::array<std::string_view, 3> values{"different", "identical", "equal"};
    static constexpr const char *what = "initial heads";
};

struct GateConfig
{
    GateMethod method = GateMethod::None;
    std::vector<HeadKind> kinds; ///< whose heads have gates; empty = all
    TrainedParts trained = TrainedParts::All;
    double learningRate = 0.05; ///< of the gates, at the schedule's highest; the weights have the schedule's own
    double lambda = 0.01;   ///< L0: loss per target token + λ Σ over heads of P(gate ≠ 0); below 0 it opens them
    double initial = 2.5;   ///< L0: log α of every gate at the beginning; 2.5: open with probability 0.96
    std::int64_t heads = 0; ///< subset: how many of the gated ones stay open
    double temperature = 1; ///< subset: at the beginning; it falls geometrically …
    double lastTemperature = 1e-8;   ///< … to this one …
    std::int64_t coolingSteps = 500; ///< … in this many updates

    bool operator==(const GateConfig &) const = default;
};

struct TrainingConfig
{
    std::filesystem::path output;    ///< folder of the run; absolute in memory
    std::filesystem::path startFrom; ///< a model folder to go on from; empty: a new model with a new vocabulary
    bool freshWeights = false; ///< of that folder only configuration and tokenizer are taken: training from scratch
    HeadMask removedHeads;     ///< taken out of that model before training begins
    DataSource train;
    DataSource validation; ///< may be empty: then no validation loss, no BLEU, no early stopping
    InitialHeads initialHeads = InitialHeads::Different;
    double headNoise = 0; ///< of heads that begin alike: normal noise on their weights, by these weights' deviation
    ModelSizes model;
    bool fixedMixing = false; ///< mixing matrices of shared projections stay as they are, and give every head columns
                              ///< of its own
    VocabularyConfig vocabulary;
    OptimizerConfig optimizer;
    ScheduleConfig schedule;
    GateConfig gates;
    double dropout = 0.1;
    double labelSmoothing = 0.1;
    std::int64_t batchTokens = 4096; ///< per update, of the longer side, padding included
    std::int64_t epochs = 20;
    std::int64_t steps = 0;    ///< at most this many updates; 0 = as many as the epochs have
    std::int64_t patience = 0; ///< stops after this many epochs without a better validation; 0 = never
    ValidationGoal goal = ValidationGoal::Score; ///< what "better" and the best epoch mean; score: BLEU, accuracy, …
    int validationBeams = 1;                     ///< of the validation, and of a new model's own settings
    std::uint64_t seed = 1;
    std::string device = "auto";
    std::string dtype = "auto";    ///< of the matrix products: f32, bf16, or auto = bf16 where the processor has it
    int threads = 0;               ///< 0 = one per core; does not change the numbers
    std::string saveDtype = "f32"; ///< of the epochs' weights: f32, f16, bf16
    std::int64_t reportSteps = 20; ///< a point of the loss curve every this many updates
    double saveMinutes = 10;       ///< the state is kept at least so often, besides after every epoch
    bool plain = false;            ///< LibTorch's own operations only: what the fast paths must equal

    bool operator==(const TrainingConfig &) const = default;
};

/// Whether files are named, in any form that is trained on.
inline bool isGiven(const DataSource &data)
{
    return !data.source.empty() || !data.table.empty() || !data.text.empty();
}

/// Whether a new model of these sizes tells classes of texts apart; otherwise it translates.
bool isClassifier(const ModelSizes &model);

/// Errors name what does not fit together and what would.
Result<Done> checkTrainingConfig(const TrainingConfig &config);

/// CONFIG.json; relative paths are taken from the file's folder. Unknown keys are errors, missing ones have the
/// defaults above.
Result<TrainingConfig> readTrainingConfig(const std::filesystem::path &file);
/// Reads a configuration from its text; `folder`: what relative paths are relative to.
Result<TrainingConfig> parseTrainingConfig(const std::string &text, const std::filesystem::path &folder);
/// The reverse, as text with every key.
std::string trainingConfigText(const TrainingConfig &config);

} // namespace headscope

#include "core/train/startingpoint.h"

#include "core/base/phases.h"
#include "core/formats/atomicfile.h"
#include "core/model/exportpruned.h"
#include "core/model/loadmodel.h"
#include "core/model/modelfolder.h"
#include "core/model/sharedconfig.h"
#include "core/sharing/sharedmodel.h"
#include "core/tensor/execution.h"
#include "core/tensor/guarded.h"
#include "core/tokenize/trainbert.h"
#include "core/tokenize/trainmarian.h"
#include "core/train/parameters.h"

#include <fmt/format.h>
#include <torch/types.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace headscope {
namespace {

SentencePieceTraining learning(const VocabularyConfig &wanted)
{
    return {
        .size = wanted.size, .type = wanted.type, .normalization = wanted.normalization, .coverage = wanted.coverage};
}

std::int64_t makeMarianVocabulary(const TrainingConfig &config, const Dataset &train,
                                  const std::filesystem::path &folder)
{
    std::vector<std::string> source;
    std::vector<std::string> target;
    for (const Example &example : train.examples) {
        source.push_back(example.source);
        target.push_back(example.reference);
    }
    return trainMarianTokenizer(folder, source, target, learning(config.vocabulary), config.vocabulary.joint)
        .valueOrThrow();
}

std::int64_t makeBertVocabulary(const TrainingConfig &config, const Dataset &train, const std::filesystem::path &folder)
{
    std::vector<std::string> texts;
    for (const Example &example : train.examples) {
        texts.push_back(example.source);
        if (!example.pair.empty())
            texts.push_back(example.pair);
    }
    return trainBertTokenizer(folder, texts, learning(config.vocabulary)).valueOrThrow();
}

/// Vocabularies are learnt by the tokenizer of the family.
std::int64_t makeVocabulary(const TrainingConfig &config, const Dataset &train, const std::filesystem::path &folder)
{
    return (isClassifier(config.model) ? makeBertVocabulary : makeMarianVocabulary)(config, train, folder);
}

/// The classes of a new classifier: the labels of its training data, in alphabetical order.
std::vector<std::string> labelsOf(const Dataset &train)
{
    constexpr std::size_t kMostLabels = 1000;
    std::set<std::string> labels;
    for (const Example &example : train.examples) {
        if (!example.reference.empty() && example.reference != "-1")
            labels.insert(example.reference);
        if (labels.size() > kMostLabels)
            throw Failure(badInput(train.name
                                   + " has more than 1,000 different labels. New classifiers tell classes apart; is \""
                                   + train.columns.label + "\" the column of the labels?"));
    }
    if (labels.size() < 2)
        throw Failure(badInput(train.name + " has " + (labels.empty() ? "no labels" : "one label only")
                               + ". A new classifier needs two to tell apart; \"label_column\" names their column."));
    return {labels.begin(), labels.end()};
}

/// Every head has as many of the shared columns to itself: scores are those of heads with narrow projections of their
/// own, divided by the root of their width (Cordonnier et al.'s "concatenated" heads).
torch::Tensor blockMixing(const AttentionSpec &attention)
{
    const std::int64_t heads = attention.headCount();
    const auto owner = torch::arange(attention.sharedWidth, torch::kInt64) * heads / attention.sharedWidth;
    const auto blocks
        = torch::one_hot(owner.to(torch::kInt64), std::max<std::int64_t>(heads, 1)).t().to(torch::kFloat32);
    return blocks
         * std::sqrt(static_cast<double>(heads * attention.headWidth) / static_cast<double>(attention.sharedWidth));
}

std::map<std::string, torch::Tensor> freshTensors(const TrainingConfig &config, const TransformerSpec &spec)
{
    auto tensors = initialTensors(spec, config.seed, config.initialHeads, config.headNoise);
    for (const Side side : kBothSides) {
        for (std::size_t i = 0; config.fixedMixing && spec.stack(side) && i < spec.stack(side)->subLayers.size(); ++i) {
            const SubLayer &sub = spec.stack(side)->subLayers[i];
            if (sub.attention() && sub.attention()->sharesProjections())
                tensors.at(subLayerName(side, sub) + ".mixing") = blockMixing(*sub.attention());
        }
    }
    return tensors;
}

/// The family's new model, whose attentions share their projections where that is asked for.
TransformerSpec newSpec(const TrainingConfig &config, const Family &family, nlohmann::ordered_json &modelConfig)
{
    TransformerSpec spec = family.makeSpec(modelConfig, {}).valueOrThrow();
    if (config.model.sharedWidth == 0)
        return spec;
    shareAllProjections(spec, config.model.sharedWidth);
    modelConfig = withSharedProjections(std::move(modelConfig), spec);
    return spec;
}

void makeNewModel(const TrainingConfig &config, const Dataset &train, const std::filesystem::path &folder,
                  const JobControl &control)
{
    control.progress({kPhaseVocabulary, "sentences", 0, 0});
    const nlohmann::json type{{"model_type", config.model.family}};
    const Family *family = findFamily(type, "the training configuration").valueOrThrow();
    if (!family->newConfig)
        throw Failure(usageError("New models of the family \"" + config.model.family
                                 + "\" cannot be made; train a \"marian\" model, or a \"bert\" to classify."));
    const std::int64_t vocabulary = makeVocabulary(config, train, folder);
    control.checkpoint();
    auto modelConfig
        = family->newConfig({.sizes = config.model,
                             .vocabulary = vocabulary,
                             .dropout = config.dropout,
                             .beams = config.validationBeams,
                             .labels = isClassifier(config.model) ? labelsOf(train) : std::vector<std::string>()});
    const TransformerSpec spec = newSpec(config, *family, modelConfig);
    (void)writeFileAtomically(folder / "config.json", modelConfig.dump(2) + "\n").valueOrThrow();
    (void)writeModelWeights(folder, *family, spec, freshTensors(config, spec), torch::kFloat32).valueOrThrow();
}

LoadedModel load(const std::filesystem::path &folder, const JobControl &control)
{
    return loadModel(folder, torch::TensorOptions(torch::kFloat32), control).valueOrThrow();
}

void copyModel(const std::filesystem::path &source, const TrainingConfig &config, const std::filesystem::path &folder,
               const JobControl &control)
{
    // Loaded, not copied: whatever its format was, the run's folders have one.
    const LoadedModel model = load(source, control);
    const TransformerSpec &spec = model.transformer->spec();
    if (spec.sharedLayers > 1)
        throw Failure(usageError("Layers of this " + spec.family
                                 + " model share their weights; in training they would part, and its files cannot "
                                   "hold that. Choose a model whose layers have their own."));
    (void)copyModelFiles(source, folder).valueOrThrow();
    const auto tensors = config.freshWeights ? freshTensors(config, spec) : model.tensors().valueOrThrow();
    (void)writeModelWeights(folder, *model.family, spec, tensors, torch::kFloat32).valueOrThrow();
}

/// The model of `source` with query and key projections that its heads share; where mixing stays as it is, each column
/// is read by one head alone.
void writeShared(const std::filesystem::path &source, const TrainingConfig &config, const std::filesystem::path &target,
                 const JobControl &control)
{
    control.progress({{kPhaseSharing, {std::to_string(config.model.sharedWidth)}}, "layers", 0, 0});
    const LoadedModel model = load(source, control);
    SharedProjections how;
    how.cp.rank = config.model.sharedWidth;
    how.by = config.fixedMixing ? Factorization::TruncatedHeads : Factorization::Cp;
    const Execution execution(torch::kCPU, torch::kFloat32, config.threads);
    const SharedModel shared = withSharedProjections(*model.transformer, how, execution, control);
    (void)saveShared(model, source, *shared.model, target, control).valueOrThrow();
}

/// The starting model, with what the configuration changes in it before training.
void copyChanged(const TrainingConfig &config, const std::filesystem::path &folder, const JobControl &control)
{
    const std::filesystem::path pruned = folder / "pruned";
    const std::filesystem::path shared = folder / "shared";
    std::filesystem::path source = config.startFrom;
    if (!config.removedHeads.empty()) {
        const PrunedExport smaller{.mask = config.removedHeads, .form = ExportForm::Small};
        (void)exportPruned(load(source, control), source, smaller, pruned, control).valueOrThrow();
        source = pruned;
    }
    if (config.model.sharedWidth > 0) {
        writeShared(source, config, shared, control);
        source = shared;
    }
    copyModel(source, config, folder, control);
    std::filesystem::remove_all(pruned);
    std::filesystem::remove_all(shared);
}

} // namespace

Result<Done> makeStartingPoint(const TrainingConfig &config, const Dataset &train, const std::filesystem::path &folder,
                               const JobControl &control)
{
    return guarded([&]() -> Done {
        if (config.startFrom.empty())
            makeNewModel(config, train, folder, control);
        else
            copyChanged(config, folder, control);
        return {};
    });
}

} // namespace headscope

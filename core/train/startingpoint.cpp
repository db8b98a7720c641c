#include "core/train/startingpoint.h"

#include "core/formats/atomicfile.h"
#include "core/model/exportpruned.h"
#include "core/model/loadmodel.h"
#include "core/model/modelfolder.h"
#include "core/tensor/guarded.h"
#include "core/tokenize/trainmarian.h"
#include "core/train/parameters.h"

#include <torch/torch.h>

namespace headscope {
namespace {

/// Vocabularies are learnt by the tokenizer of the family; there is one such tokenizer yet.
std::int64_t makeVocabulary(const TrainingConfig &config, const Dataset &train, const std::filesystem::path &folder)
{
    std::vector<std::string> source;
    std::vector<std::string> target;
    for (const Example &example : train.examples) {
        source.push_back(example.source);
        target.push_back(example.reference);
    }
    const VocabularyConfig &wanted = config.vocabulary;
    const SentencePieceTraining settings{.size = wanted.size,
                                         .type = wanted.type,
                                         .normalization = wanted.normalization,
                                         .coverage = wanted.coverage};
    return trainMarianTokenizer(folder, source, target, settings, wanted.joint).valueOrThrow();
}

void makeNewModel(const TrainingConfig &config, const Dataset &train, const std::filesystem::path &folder,
                  const JobControl &control)
{
    control.progress({"learning the vocabulary", "sentences", 0, 0});
    const nlohmann::json type{{"model_type", config.model.family}};
    const Family *family = findFamily(type, "the training configuration").valueOrThrow();
    if (!family->newConfig)
        throw Failure(usageError("New models of the family \"" + config.model.family
                                 + "\" cannot be made; train a \"marian\" model."));
    const std::int64_t vocabulary = makeVocabulary(config, train, folder);
    control.checkpoint();
    const auto modelConfig = family->newConfig({.sizes = config.model,
                                                .vocabulary = vocabulary,
                                                .dropout = config.dropout,
                                                .beams = config.validationBeams});
    (void)writeFileAtomically(folder / "config.json", modelConfig.dump(2) + "\n").valueOrThrow();
    const TransformerSpec spec = family->makeSpec(modelConfig, {}).valueOrThrow();
    const auto tensors = initialTensors(spec, config.seed, config.initialHeads);
    (void)writeModelWeights(folder, *family, spec, tensors, torch::kFloat32).valueOrThrow();
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
    (void)copyModelFiles(source, folder).valueOrThrow();
    const auto tensors = config.freshWeights ? initialTensors(spec, config.seed, config.initialHeads)
                                             : model.tensors().valueOrThrow();
    (void)writeModelWeights(folder, *model.family, spec, tensors, torch::kFloat32).valueOrThrow();
}

void copyWithoutHeads(const TrainingConfig &config, const std::filesystem::path &folder, const JobControl &control)
{
    const std::filesystem::path pruned = folder / "pruned";
    const PrunedExport smaller{.mask = config.removedHeads, .form = ExportForm::Small};
    (void)exportPruned(load(config.startFrom, control), config.startFrom, smaller, pruned, control).valueOrThrow();
    copyModel(pruned, config, folder, control);
    std::filesystem::remove_all(pruned);
}

} // namespace

Result<Done> makeStartingPoint(const TrainingConfig &config, const Dataset &train, const std::filesystem::path &folder,
                               const JobControl &control)
{
    return guarded([&]() -> Done {
        if (config.startFrom.empty())
            makeNewModel(config, train, folder, control);
        else if (config.removedHeads.empty())
            copyModel(config.startFrom, config, folder, control);
        else
            copyWithoutHeads(config, folder, control);
        return {};
    });
}

} // namespace headscope

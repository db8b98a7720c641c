#include "core/analysis/ablationspec.h"
#include "core/analysis/anyspec.h"
#include "core/analysis/collaboratespec.h"
#include "core/analysis/confidencespec.h"
#include "core/analysis/dynamicsspec.h"
#include "core/analysis/energyspec.h"
#include "core/analysis/evaluationspec.h"
#include "core/analysis/importancespec.h"
#include "core/analysis/interactionsspec.h"
#include "core/analysis/pruningspec.h"
#include "core/analysis/relevancespec.h"
#include "core/analysis/rolesspec.h"
#include "core/analysis/searchspec.h"
#include "core/analysis/similarityspec.h"
#include "core/formats/atomicfile.h"
#include "core/formats/checkpointfolders.h"
#include "core/results/anyresult.h"
#include "core/results/study.h"
#include "core/session/demo.h"
#include "core/session/session.h"
#include "core/session/studyrecord.h"
#include "core/session/training.h"
#include "core/tensor/guarded.h"

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <system_error>
#include <vector>

namespace headscope {
namespace {

namespace fs = std::filesystem;

constexpr const char *kReadme = R"(# The demo

An English-French model of 72 heads, a classifier of 32, and a small model of 12 that says spelt words as a village says
them, which Headscope trained on the corpus, with the main results already computed. `headscope --demo` opens the first,
`headscope --classifier-demo` the second, `headscope --pronunciation-demo` the third; `headscope-cli demo --make FOLDER` trains
and computes all of it anew from the corpus, `headscope-cli demo --studies FOLDER` only the studies. Made by these commands, not
edited by hand.

- `corpus/`: texts for training and validation; test sets of the training's domain and of another one (the sea and travel,
  longer sentences, typing errors) with gold dependencies (CoNLL-U); labels for the classifier (how many the main verb's
  object is); word frequencies; spelt words with villages. `corpus/README.md` describes them.
- `training/`, `classifier/`, `pronunciation/`: the runs and their epochs (of the last one only the end), Hugging Face folders
  in f16. The studies are of the last epochs.
- `demo.headscope`, `classifier.headscope`, `pronunciation.headscope`, and the folders of their results: the studies.

All of it is part of Headscope and under its licence.
)";

/// The parts of a study of the demo.
struct DemoPlan
{
    Demo demo = Demo::Translation;
    TrainingConfig training;
    std::array<DataSource, 2> data; ///< by Domain
    fs::path frequencies;           ///< of the words that the model reads
    bool keepsEpochs = true;        ///< for results over training; else only the last one
};

/// The common settings of the trainings.
TrainingConfig trainingConfig()
{
    TrainingConfig config;
    config.dropout = 0.1;
    config.dtype = "f32"; // the same numbers on processors with and without bf16
    config.saveDtype = "f16";
    config.reportSteps = 10;
    config.seed = 2026;
    return config;
}

TrainingConfig translationTraining(const fs::path &folder)
{
    const fs::path corpus = folder / "corpus";
    TrainingConfig config = trainingConfig();
    config.output = folder / "training";
    config.train.source = corpus / "train.en";
    config.train.reference = corpus / "train.fr";
    config.validation.source = corpus / "validation.en";
    config.validation.reference = corpus / "validation.fr";
    // A deep encoder and a shallow decoder (Kasai et al. 2021): the encoder's heads then have to find the sentence's
    // structure.
    config.model = {.width = 128,
                    .encoderLayers = 5,
                    .decoderLayers = 2,
                    .encoderHeads = 8,
                    .decoderHeads = 8,
                    .feedForward = 256,
                    .maxPositions = 80};
    config.vocabulary = {.size = 1000, .normalization = "identity"};
    config.batchTokens = 1024;
    config.schedule = {ScheduleKind::InverseSqrt, 2e-3, 500};
    config.epochs = 6;
    return config;
}

TrainingConfig classifierTraining(const fs::path &folder)
{
    TrainingConfig config = trainingConfig();
    config.output = folder / "classifier";
    config.train.table = folder / "corpus" / "train.objects.tsv";
    config.train.limit = 20000;
    config.batchTokens = 2048;
    config.validation.table = folder / "corpus" / "validation.objects.tsv";
    config.model = {.family = "bert",
                    .width = 64,
                    .encoderLayers = 4,
                    .encoderHeads = 8,
                    .feedForward = 128,
                    .maxPositions = 80,
                    .activation = "gelu"};
    config.vocabulary = {.size = 1000, .normalization = "identity"};
    config.labelSmoothing = 0;
    config.schedule = {ScheduleKind::InverseSqrt, 2e-3, 200};
    config.epochs = 6;
    return config;
}

TrainingConfig pronunciationTraining(const fs::path &folder)
{
    const fs::path corpus = folder / "corpus";
    TrainingConfig config = trainingConfig();
    config.output = folder / "pronunciation";
    config.train.source = corpus / "villages_train.spelt.gz";
    config.train.reference = corpus / "villages_train.said.gz";
    config.validation.source = corpus / "villages_validation.spelt";
    config.validation.reference = corpus / "villages_validation.said";
    // The decoder can look at one place only: what a letter's neighbour and the village decide has to be brought
    // together in the encoder.
    config.model = {.width = 64,
                    .encoderLayers = 2,
                    .decoderLayers = 1,
                    .encoderHeads = 4,
                    .decoderHeads = 2,
                    .feedForward = 256,
                    .maxPositions = 80};
    config.vocabulary = {.size = 1150, .normalization = "identity"};
    config.batchTokens = 1024;
    config.dropout = 0;
    config.schedule = {ScheduleKind::InverseSqrt, 4e-3, 300};
    config.epochs = 14;
    return config;
}

/// A test set of the corpus: parallel text, or sentences with their labels; with trees.
DataSource sentences(const fs::path &corpus, bool labelled, Domain domain)
{
    const std::string name = domain == Domain::In ? "in_domain" : "out_of_domain";
    DataSource source;
    if (labelled) {
        source.table = corpus / (name + ".objects.tsv");
    } else {
        source.source = corpus / (name + ".en");
        source.reference = corpus / (name + ".fr");
    }
    source.conllu = corpus / (name + ".en.conllu");
    source.name = domain == Domain::In ? "everyday life" : "sea and travel";
    return source;
}

DataSource spelt(const fs::path &corpus, const std::string &name, const std::string &shown)
{
    DataSource source;
    source.source = corpus / ("villages_" + name + ".spelt");
    source.reference = corpus / ("villages_" + name + ".said");
    source.name = shown;
    return source;
}

DemoPlan planOf(Demo demo, const fs::path &folder)
{
    const fs::path corpus = folder / "corpus";
    const fs::path frequencies = corpus / "frequencies.en.tsv";
    switch (demo) {
    case Demo::Translation:
        return {demo,
                translationTraining(folder),
                {sentences(corpus, false, Domain::In), sentences(corpus, false, Domain::Out)},
                frequencies};
    case Demo::Classifier:
        return {demo,
                classifierTraining(folder),
                {sentences(corpus, true, Domain::In), sentences(corpus, true, Domain::Out)},
                frequencies};
    case Demo::Pronunciation:
        break;
    }
    return {demo,
            pronunciationTraining(folder),
            {spelt(corpus, "known", "known villages"), spelt(corpus, "unknown", "unknown villages")},
            corpus / "villages_frequencies.tsv",
            false};
}

/// Every epoch that the demo keeps.
DynamicsSpec dynamicsOf(const fs::path &run)
{
    DynamicsSpec spec;
    spec.runs = run.string();
    for (const CheckpointFolder &checkpoint : checkpointFolders(run).valueOrThrow()) {
        if (checkpoint.number > 0)
            spec.checkpoints.push_back(checkpoint.number);
    }
    return spec;
}

/// Everything that the pages of the window show of one data set.
std::vector<AnyResult> allResults(Session &session, const DemoPlan &plan, Domain domain, const JobControl &control)
{
    std::vector<AnyResult> results;
    const auto add
        = [&](const AnySpec &spec) { results.push_back(session.runAny(domain, spec, control).valueOrThrow()); };
    add(EvaluationSpec{.outputs = true});
    add(AblationSpec{});
    add(AblationSpec{.allButOne = true});
    add(ImportanceSpec{});
    add(ConfidenceSpec{});
    for (const char *order : {"importance", "ablation", "random"}) {
        PruningSpec curve{.order = order};
        curve.orderOnOther = domain == Domain::Out && isChosenByData(curve); // the same masks on both sets
        add(curve);
    }
    add(RolesSpec{.frequencies = plan.frequencies});
    add(RelevanceSpec{});
    add(SimilaritySpec{});
    if (domain == Domain::In) {
        if (plan.keepsEpochs)
            add(dynamicsOf(plan.training.output));
        add(EnergySpec{});
        add(CollaborateSpec{.alsoOnOther = true});
        add(SearchSpec{});
        add(InteractionsSpec{.most = 200}); // as the page Pairs asks at first
        results.push_back(session.attention(session.rows(domain)->at(0).source, {}, {}, {}, control).valueOrThrow());
    }
    return results;
}

/// Paths as seen from the demo's folder, wherever it will be.
void makePathsRelative(Manifest &manifest, const fs::path &folder)
{
    const std::string prefix = folder.string() + "/";
    for (std::string *text : {&manifest.model, &manifest.command, &manifest.dataFile, &manifest.spec}) {
        for (auto at = text->find(prefix); at != std::string::npos; at = text->find(prefix))
            text->erase(at, prefix.size());
    }
}

Study describe(const Session &session)
{
    Study study;
    study.model = asAsked(session.card(), {});
    for (const Domain domain : {Domain::In, Domain::Out})
        study.data[static_cast<std::size_t>(domain)] = session.data(domain);
    // The window's; what is missing has its defaults.
    study.layout = R"({"view":"heads","sentence":0,"pages":{"attention":{"joinWords":true}}})";
    return study;
}

/// The last epoch of a training that came to its end: a study of an earlier epoch would be another one.
fs::path lastEpoch(const TrainingConfig &config)
{
    const CheckpointFolder last = checkpointFolders(config.output).valueOrThrow().back();
    if (last.number < config.epochs)
        throw Failure(badInput(fmt::format("{}: the last epoch is {} of {}; train the demo to its end (--make).",
                                           config.output.string(), last.number, config.epochs)));
    return last.folder;
}

void makeStudy(const fs::path &folder, const DemoPlan &plan, const JobControl &control)
{
    const auto session = Session::open(lastEpoch(plan.training), {}, control).valueOrThrow();
    constexpr std::array kBoth{Domain::In, Domain::Out};
    for (const Domain domain : kBoth) // first: some results are of both
        (void)session->setData(domain, plan.data[static_cast<std::size_t>(domain)], control).valueOrThrow();
    StudyResults results;
    for (const Domain domain : kBoth) {
        const auto slot = static_cast<std::size_t>(domain);
        results[slot] = allResults(*session, plan, domain, control);
        for (AnyResult &result : results[slot])
            result = withManifest(result, [&](Manifest &manifest) { makePathsRelative(manifest, folder); });
    }
    (void)saveStudy(describe(*session), results, folder / demoFile(plan.demo)).valueOrThrow();
}

/// The configuration as it is to be read wherever the demo will be.
void makeConfigRelative(TrainingConfig config)
{
    const fs::path run = config.output;
    config.output = ".";
    for (DataSource *data : {&config.train, &config.validation}) {
        for (std::string *file : {&data->source, &data->reference, &data->table}) {
            if (!file->empty())
                *file = fs::path(*file).lexically_relative(run);
        }
    }
    (void)writeFileAtomically(run / "train.json", trainingConfigText(config)).valueOrThrow();
}

/// Files that only training needs, and are large.
void removeTrainingNeeds(const TrainingConfig &config)
{
    std::error_code ignored;
    for (const char *name : {"training-state.safetensors", "training-data.json"})
        fs::remove(config.output / name, ignored);
    fs::remove_all(config.output / "epoch-000", ignored);
}

void removeEarlierEpochs(const TrainingConfig &config)
{
    std::error_code ignored;
    const fs::path last = lastEpoch(config);
    for (const CheckpointFolder &checkpoint : checkpointFolders(config.output).valueOrThrow()) {
        if (checkpoint.folder != last)
            fs::remove_all(checkpoint.folder, ignored);
    }
}

void writeReadme(const fs::path &folder)
{
    (void)writeFileAtomically(folder / "README.md", kReadme).valueOrThrow();
}

} // namespace

Result<Done> makeDemo(const fs::path &wanted, std::span<const Demo> demos, const JobControl &control,
                      const Publish<TrainingReport> &publish)
{
    return guarded([&]() -> Done {
        std::error_code error;
        const fs::path folder = fs::absolute(wanted).lexically_normal();
        if (fs::exists(folder, error) && !fs::is_empty(folder, error))
            throw Failure(usageError(folder.string() + " is not empty. Choose a new folder for the demo."));
        (void)copyDemoCorpus(folder / "corpus").valueOrThrow();
        for (const Demo demo : demos) {
            const DemoPlan plan = planOf(demo, folder);
            (void)train(plan.training, control, publish).valueOrThrow();
            if (!plan.keepsEpochs)
                removeEarlierEpochs(plan.training);
            makeStudy(folder, plan, control);
            makeConfigRelative(plan.training);
            removeTrainingNeeds(plan.training);
        }
        writeReadme(folder);
        return {};
    });
}

Result<Done> makeDemoStudies(const fs::path &wanted, std::span<const Demo> demos, const JobControl &control)
{
    return guarded([&]() -> Done {
        const fs::path folder = fs::absolute(wanted).lexically_normal();
        for (const Demo demo : demos)
            makeStudy(folder, planOf(demo, folder), control);
        writeReadme(folder);
        return {};
    });
}

} // namespace headscope

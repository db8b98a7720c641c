#include "core/demo/democorpus.h"
#include "core/formats/atomicfile.h"
#include "core/formats/checkpointfolders.h"
#include "core/results/study.h"
#include "core/session/demo.h"
#include "core/session/session.h"
#include "core/session/studyrecord.h"
#include "core/session/training.h"
#include "core/tensor/guarded.h"

#include <fmt/format.h>

namespace headscope {
namespace {

namespace fs = std::filesystem;

constexpr const char *kReadme = R"(# The demo

An English-French model of 72 heads that Headscope trained on sentences of its own making, with everything that the
window shows of it already computed. `headscope --demo` opens it; `headscope-cli demo --make FOLDER` makes all of it anew
(the corpus is the same byte for byte). Made by that command, not edited by hand.

- `corpus/`: test sets of the training's domain and of another one (the sea and travel, longer sentences, typing errors),
  gold dependencies (CoNLL-U), word frequencies of the training text. How they are made: `core/demo/README.md`.
- `training/`: the run and its epochs, Hugging Face folders in f16. The study is of the last one.
- `demo.headscope`, `demo.headscope.results/`: the study.

All of it is part of Headscope and under its licence.
)";

TrainingConfig trainingConfig(const fs::path &folder)
{
    const fs::path corpus = folder / "corpus";
    TrainingConfig config;
    config.output = folder / "training";
    config.train.source = corpus / "train.en";
    config.train.reference = corpus / "train.fr";
    config.validation.source = corpus / "validation.en";
    config.validation.reference = corpus / "validation.fr";
    config.model = {.width = 128,
                    .encoderLayers = 3,
                    .decoderLayers = 3,
                    .encoderHeads = 8,
                    .decoderHeads = 8,
                    .feedForward = 256,
                    .maxPositions = 80};
    config.vocabulary = {.size = 1500, .normalization = "identity"};
    config.dropout = 0.1;
    config.batchTokens = 2048;
    config.schedule = {ScheduleKind::InverseSqrt, 3e-3, 300};
    config.epochs = 6;
    config.dtype = "f32"; // the same numbers on processors with and without bf16
    config.saveDtype = "f16";
    config.reportSteps = 10;
    config.seed = 2026;
    return config;
}

DataSource dataSource(const fs::path &folder, const char *name, const char *title)
{
    DataSource source;
    source.source = folder / "corpus" / (std::string(name) + ".en");
    source.reference = folder / "corpus" / (std::string(name) + ".fr");
    source.conllu = folder / "corpus" / (std::string(name) + ".en.conllu");
    source.name = title;
    return source;
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

/// Everything that the window shows of one data set. `run`: the training that the model came from.
std::vector<AnyResult> allResults(Session &session, Domain domain, const fs::path &run, const JobControl &control)
{
    std::vector<AnyResult> results;
    EvaluationSpec evaluation;
    evaluation.outputs = true;
    results.push_back(session.run<EvaluationSpec>(domain, evaluation, control).valueOrThrow());
    results.push_back(session.run<AblationSpec>(domain, {}, control).valueOrThrow());
    results.push_back(session.run<ImportanceSpec>(domain, {}, control).valueOrThrow());
    results.push_back(session.run<ConfidenceSpec>(domain, {}, control).valueOrThrow());
    for (const char *order : {"importance", "ablation", "random"}) {
        PruningSpec spec;
        spec.order = order;
        results.push_back(session.run<PruningSpec>(domain, spec, control).valueOrThrow());
    }
    if (domain == Domain::In) {
        results.push_back(session.run<DynamicsSpec>(domain, dynamicsOf(run), control).valueOrThrow());
        results.push_back(session.attention(session.rows(domain)->at(0).source, {}, {}, {}, control).valueOrThrow());
    }
    return results;
}

/// Paths as seen from the demo's folder, wherever it will be.
void makePathsRelative(AnyResult &result, const fs::path &folder)
{
    Manifest *manifest = manifestOf(result);
    const std::string prefix = folder.string() + "/";
    for (std::string *text : {&manifest->model, &manifest->command, &manifest->dataFile, &manifest->spec}) {
        for (auto at = text->find(prefix); at != std::string::npos; at = text->find(prefix))
            text->erase(at, prefix.size());
    }
}

Study describe(const Session &session)
{
    Study study;
    study.model = studyModel(session.card(), {});
    for (const Domain domain : {Domain::In, Domain::Out})
        study.data[static_cast<std::size_t>(domain)] = studyData(*session.data(domain));
    study.layout = R"({"view":"heads","sentence":0})"; // the window's; what is missing has its defaults
    return study;
}

void makeStudy(const fs::path &folder, const std::string &epoch, const JobControl &control)
{
    const auto session = Session::open(folder / "training" / epoch, {}, control).valueOrThrow();
    (void)session->setData(Domain::In, dataSource(folder, "in_domain", "everyday life"), control).valueOrThrow();
    (void)session->setData(Domain::Out, dataSource(folder, "out_of_domain", "sea and travel"), control).valueOrThrow();
    const fs::path run = folder / "training";
    StudyResults results{allResults(*session, Domain::In, run, control), allResults(*session, Domain::Out, run, control)};
    for (auto &domain : results) {
        for (AnyResult &result : domain)
            makePathsRelative(result, folder);
    }
    (void)saveStudy(describe(*session), results, folder / "demo.headscope").valueOrThrow();
}

/// The configuration as it is to be read wherever the demo will be.
void makeConfigRelative(TrainingConfig config, const fs::path &folder)
{
    const fs::path run = config.output;
    config.output = ".";
    for (DataSource *data : {&config.train, &config.validation}) {
        data->source = fs::path(data->source).lexically_relative(run);
        data->reference = fs::path(data->reference).lexically_relative(run);
    }
    (void)writeFileAtomically(folder / "training" / "train.json", trainingConfigText(config)).valueOrThrow();
}

/// What only training needs, and is large.
void removeTrainingNeeds(const fs::path &folder)
{
    std::error_code ignored;
    for (const char *name : {"training-state.safetensors", "training-data.json"})
        fs::remove(folder / "training" / name, ignored);
    for (const char *name : {"epoch-000", "headscope-results"})
        fs::remove_all(folder / "training" / name, ignored);
    for (const char *name : {"train.en", "train.fr", "validation.en", "validation.fr"})
        fs::remove(folder / "corpus" / name, ignored);
}

} // namespace

Result<Done> makeDemo(const fs::path &wanted, const JobControl &control, const Publish<TrainingReport> &publish)
{
    return guarded([&]() -> Done {
        std::error_code error;
        const fs::path folder = fs::absolute(wanted).lexically_normal();
        if (fs::exists(folder, error) && !fs::is_empty(folder, error))
            throw Failure(usageError(folder.string() + " is not empty. Choose a new folder for the demo."));
        control.progress({"making the corpus", "sentences", 0, 0});
        const DemoCorpusSpec spec;
        (void)writeDemoCorpus(makeDemoCorpus(spec), spec, folder / "corpus", control).valueOrThrow();
        const TrainingConfig config = trainingConfig(folder);
        const TrainingReport report = train(config, control, publish).valueOrThrow();
        makeStudy(folder, report.epochs.back().folder, control);
        makeConfigRelative(config, folder);
        (void)writeFileAtomically(folder / "README.md", kReadme).valueOrThrow();
        removeTrainingNeeds(folder);
        return {};
    });
}

} // namespace headscope

// Prints how fast the trainer is beside a straightforward LibTorch loop over the same model, data and batches, for
// translation models and classifiers of single labels ("start_from"):
//   headscope-trainbench CONFIG.json [UPDATES]
// All lines come from one run on one machine; compare them with one another.
#include "core/base/process.h"
#include "core/data/dataset.h"
#include "core/data/labels.h"
#include "core/model/loadmodel.h"
#include "core/session/training.h"
#include "core/task/examples.h"
#include "core/tensor/device.h"
#include "core/train/batching.h"

#include <ATen/Parallel.h>
#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <thread>

using namespace headscope;
namespace F = torch::nn::functional;

namespace {

/// What one would write first: torch::nn::Transformer, padded batches, cross_entropy over all positions, Adam.
struct PlainModelImpl : torch::nn::Module
{
    PlainModelImpl(const TransformerSpec &spec, double dropout)
        : scale(spec.embeddingScale), vocabulary(spec.encoder->vocabulary),
          transformer(torch::nn::TransformerOptions(spec.width, spec.attention(HeadKind::Encoder, 0).headCount(),
                                                    spec.encoder->layers(), spec.decoder->layers())
                          .dim_feedforward(spec.encoder->subLayers.back().feedForward()->width)
                          .dropout(dropout)),
          embedding(vocabulary, spec.width), positions(torch::randn({spec.maxPositions, spec.width}) * 0.02),
          drop(dropout)
    {
        register_module("transformer", transformer);
        register_module("embedding", embedding);
        register_module("drop", drop);
        torch::nn::init::normal_(embedding->weight, 0, 1 / std::sqrt(static_cast<double>(spec.width)));
    }

    torch::Tensor embed(const torch::Tensor &ids) // [B, T] → [T, B, D]
    {
        return drop(embedding(ids.t()) * scale + positions.narrow(0, 0, ids.size(1)).unsqueeze(1));
    }

    torch::Tensor loss(const TokenBatch &source, const TokenBatch &input, const TokenBatch &wanted, double smoothing)
    {
        const auto padding = validPositions(source.lengths, source.ids.size(1), torch::kCPU).logical_not();
        const auto future = torch::nn::TransformerImpl::generate_square_subsequent_mask(input.ids.size(1));
        const torch::Tensor none;
        const auto hidden
            = transformer(embed(source.ids), embed(input.ids), none, future, none, padding, none, padding);
        const auto logits = torch::linear(hidden, embedding->weight).transpose(0, 1);
        const auto valid = validPositions(wanted.lengths, wanted.ids.size(1), torch::kCPU);
        return F::cross_entropy(logits.reshape({-1, vocabulary}).to(torch::kFloat32),
                                wanted.ids.masked_fill(valid.logical_not(), -100).reshape(-1),
                                F::CrossEntropyFuncOptions().ignore_index(-100).label_smoothing(smoothing));
    }

    double scale;
    std::int64_t vocabulary;
    torch::nn::Transformer transformer;
    torch::nn::Embedding embedding;
    torch::Tensor positions;
    torch::nn::Dropout drop;
};
TORCH_MODULE(PlainModel);

/// The same for a classifier: torch::nn::TransformerEncoder as BERT puts it together, padded batches.
struct PlainClassifierImpl : torch::nn::Module
{
    PlainClassifierImpl(const TransformerSpec &spec, double dropout)
        : embedding(spec.encoder->vocabulary, spec.width),
          positions(register_parameter("positions", torch::randn({spec.maxPositions, spec.width}) * 0.02)),
          norm(torch::nn::LayerNormOptions({spec.width})), drop(dropout),
          encoder(torch::nn::TransformerEncoderLayer(
                      torch::nn::TransformerEncoderLayerOptions(spec.width,
                                                                spec.attention(HeadKind::Encoder, 0).headCount())
                          .dim_feedforward(spec.encoder->subLayers.back().feedForward()->width)
                          .dropout(dropout)
                          .activation(torch::kGELU)),
                  spec.encoder->layers()),
          dense(spec.width, spec.width), out(spec.width, static_cast<std::int64_t>(spec.classifier->labels.size()))
    {
        register_module("embedding", embedding);
        register_module("norm", norm);
        register_module("drop", drop);
        register_module("encoder", encoder);
        register_module("dense", dense);
        register_module("out", out);
    }

    torch::Tensor loss(const TokenBatch &texts, const torch::Tensor &labels)
    {
        const auto padding = validPositions(texts.lengths, texts.ids.size(1), torch::kCPU).logical_not();
        const auto embedded = embedding(texts.ids.t()) + positions.narrow(0, 0, texts.ids.size(1)).unsqueeze(1);
        const auto hidden = encoder(drop(norm(embedded)), torch::Tensor(), padding);
        return F::cross_entropy(out(drop(torch::tanh(dense(hidden[0])))), labels);
    }

    torch::nn::Embedding embedding;
    torch::Tensor positions;
    torch::nn::LayerNorm norm;
    torch::nn::Dropout drop;
    torch::nn::TransformerEncoder encoder;
    torch::nn::Linear dense;
    torch::nn::Linear out;
};
TORCH_MODULE(PlainClassifier);

/// A data set as a plain loop needs it.
struct PlainData
{
    std::vector<ExampleLength> lengths;
    std::function<torch::Tensor(const std::vector<std::int64_t> &ids)> loss; ///< mean over targets
    std::function<double(const std::vector<std::int64_t> &ids)> targets;     ///< what speeds count
};

PlainData translations(PlainModel plain, const TrainingConfig &config, const Transformer &model,
                       const Examples &examples)
{
    PlainData data;
    for (std::int64_t id = 0; id < examples.size(); ++id)
        data.lengths.emplace_back(std::ssize(examples.source(id)), std::ssize(examples.target(id)));
    data.loss = [plain, &config, &model, &examples](const std::vector<std::int64_t> &ids) mutable {
        return plain->loss(examples.sourceBatch(ids, model), examples.prefixBatch(ids, model),
                           examples.targetBatch(ids, model), config.labelSmoothing);
    };
    data.targets = [&examples](const std::vector<std::int64_t> &ids) {
        double tokens = 0;
        for (const std::int64_t id : ids)
            tokens += static_cast<double>(std::ssize(examples.target(id)));
        return tokens;
    };
    return data;
}

PlainData labelledTexts(PlainClassifier plain, const LabelReading &labels, const Transformer &model,
                        const Examples &examples)
{
    PlainData data;
    for (std::int64_t id = 0; id < examples.size(); ++id)
        data.lengths.emplace_back(examples.length(id), examples.length(id));
    data.loss = [plain, &labels, &model, &examples](const std::vector<std::int64_t> &ids) mutable {
        std::vector<std::int64_t> classes;
        for (const std::int64_t id : ids)
            classes.push_back(labels.exampleClasses[static_cast<std::size_t>(id)].front());
        return plain->loss(examples.sourceBatch(ids, model), torch::tensor(classes));
    };
    data.targets = [](const std::vector<std::int64_t> &ids) { return static_cast<double>(ids.size()); };
    return data;
}

/// Targets per second of the plain loop on all cores. Not under autocast: LibTorch 1.13's module has no bf16.
double plainLoop(torch::nn::Module &module, const TrainingConfig &config, const PlainData &data, std::int64_t updates)
{
    at::set_num_threads(static_cast<int>(std::max(1U, std::thread::hardware_concurrency())));
    module.train();
    torch::optim::Adam adam(module.parameters(), torch::optim::AdamOptions(1e-4).betas({0.9, 0.98}).eps(1e-9));
    const auto batches = epochBatches(data.lengths, config.batchTokens, config.seed, 0);
    double targets = 0;
    auto start = std::chrono::steady_clock::now();
    for (std::int64_t i = 0; i < updates + 2; ++i) {
        if (i == 2) { // the first two warm up
            targets = 0;
            start = std::chrono::steady_clock::now();
        }
        const auto &ids = batches[static_cast<std::size_t>(i) % batches.size()];
        const auto loss = data.loss(ids);
        adam.zero_grad();
        loss.backward();
        torch::nn::utils::clip_grad_norm_(module.parameters(), 1.0);
        adam.step();
        targets += data.targets(ids);
    }
    return targets / std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double plainSpeed(const TrainingConfig &config, const std::filesystem::path &start, std::int64_t updates)
{
    const LoadedModel loaded = loadModel(start, torch::TensorOptions(torch::kFloat32), {}).valueOrThrow();
    const Transformer &model = *loaded.transformer;
    const TransformerSpec &spec = model.spec();
    const auto tokenizer = openTokenizer(start, loaded.config).valueOrThrow();
    const Dataset data = readDataset(config.train).valueOrThrow();
    torch::manual_seed(1);
    if (!spec.classifier) {
        const auto examples = translationExamples(spec, tokenizer.get(), data, {}).valueOrThrow();
        PlainModel plain(spec, config.dropout);
        return plainLoop(*plain, config, translations(plain, config, model, examples), updates);
    }
    const auto examples = textExamples(spec, tokenizer.get(), data, {}).valueOrThrow();
    const LabelReading labels = readLabels(data, spec.classifier->problem, spec.classifier->labels).valueOrThrow();
    PlainClassifier plain(spec, config.dropout);
    return plainLoop(*plain, config, labelledTexts(plain, labels, model, examples), updates);
}

/// The trainer through its door; the first point (with start-up) does not count.
double trainerSpeed(TrainingConfig config, const std::filesystem::path &folder, std::int64_t updates, const char *dtype)
{
    config.output = folder / dtype;
    config.validation = {};
    config.patience = 0;
    config.dtype = dtype;
    config.reportSteps = updates;
    config.steps = 2 * updates;
    const auto report = train(config, {}).valueOrThrow();
    return report.points.at(1).tokensPerSecond;
}

void run(const std::filesystem::path &file, std::int64_t updates)
{
    TrainingConfig config = readTrainingConfig(file).valueOrThrow();
    const auto folder = std::filesystem::temp_directory_path() / "headscope-trainbench";
    std::filesystem::remove_all(folder);
    const auto report = processorReport(0);
    fmt::print("{}, LibTorch {}, {} threads, {} updates of at most {} tokens\n", report.processor, report.libtorch,
               std::thread::hardware_concurrency(), updates, config.batchTokens);
    const double f32 = trainerSpeed(config, folder, updates, "f32");
    const double bf16 = isBf16Fast(torch::kCPU) ? trainerSpeed(config, folder, updates, "bf16") : 0;

    const double plain = plainSpeed(config, folder / "f32" / "epoch-000", updates);
    const char *unit = config.train.source.empty() ? "examples/s" : "target tokens/s";
    const auto line = [&](const char *what, double speed) {
        if (speed > 0)
            fmt::print("{:<42} {:8.0f} {}  {:5.2f} times the plain loop\n", what, speed, unit, speed / plain);
    };
    line("torch::nn modules, Adam, f32", plain);
    line("Headscope, f32", f32);
    line("Headscope, bf16", bf16);
    std::filesystem::remove_all(folder);
}

} // namespace

int main(int argc, char **argv)
{
    setUpProcess();
    if (argc < 2) {
        fmt::print(stderr, "headscope-trainbench CONFIG.json [UPDATES]\n");
        return 2;
    }
    try {
        run(argv[1], argc > 2 ? std::stoll(argv[2]) : 20);
        return 0;
    } catch (const std::exception &error) {
        fmt::print(stderr, "{}\n", error.what());
        return 1;
    }
}

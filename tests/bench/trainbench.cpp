// Prints how fast the trainer is beside a straightforward LibTorch loop over the same model, data and batches:
//   headscope-trainbench CONFIG.json [UPDATES]
// All lines come from one run on one machine; compare them with one another.
#include "core/base/process.h"
#include "core/data/dataset.h"
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
        const auto padding
            = validPositions(source.lengths, source.ids.size(1), torch::kCPU).logical_not();
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

/// Target tokens per second of the plain loop on all cores. Not under autocast: LibTorch 1.13's module has no bf16.
double plainLoop(const TrainingConfig &config, const Transformer &model, const Examples &examples,
                 std::int64_t updates)
{
    at::set_num_threads(static_cast<int>(std::max(1U, std::thread::hardware_concurrency())));
    torch::manual_seed(1);
    PlainModel plain(model.spec(), config.dropout);
    plain->train();
    torch::optim::Adam adam(plain->parameters(), torch::optim::AdamOptions(1e-4).betas({0.9, 0.98}).eps(1e-9));
    std::vector<ExampleLength> lengths;
    for (std::int64_t id = 0; id < examples.size(); ++id)
        lengths.emplace_back(std::ssize(examples.source(id)), std::ssize(examples.target(id)));
    const auto batches = epochBatches(lengths, config.batchTokens, config.seed, 0);
    double tokens = 0;
    auto start = std::chrono::steady_clock::now();
    for (std::int64_t i = 0; i < updates + 2; ++i) {
        if (i == 2) { // the first two warm up
            tokens = 0;
            start = std::chrono::steady_clock::now();
        }
        const auto &ids = batches[static_cast<std::size_t>(i) % batches.size()];
        const TokenBatch wanted = examples.targetBatch(ids, model);
        const auto loss = plain->loss(examples.sourceBatch(ids, model), examples.prefixBatch(ids, model), wanted,
                                      config.labelSmoothing);
        adam.zero_grad();
        loss.backward();
        torch::nn::utils::clip_grad_norm_(plain->parameters(), 1.0);
        adam.step();
        for (const std::int64_t length : wanted.lengths)
            tokens += static_cast<double>(length);
    }
    return tokens / std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
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

    const auto start = folder / "f32" / "epoch-000";
    const LoadedModel model = loadModel(start, torch::TensorOptions(torch::kFloat32), {}).valueOrThrow();
    const auto tokenizer = openTokenizer(start, model.config).valueOrThrow();
    const Dataset data = readDataset(config.train).valueOrThrow();
    const auto examples = translationExamples(model.transformer->spec(), tokenizer.get(), data, {}).valueOrThrow();
    const double plain = plainLoop(config, *model.transformer, examples, updates);
    const auto line = [&](const char *what, double speed) {
        if (speed > 0)
            fmt::print("{:<42} {:8.0f} target tokens/s  {:5.2f} times the plain loop\n", what, speed, speed / plain);
    };
    line("torch::nn::Transformer, Adam, f32", plain);
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

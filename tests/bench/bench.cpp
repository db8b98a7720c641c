// Prints how fast the core is on a real model, and by which share of what the machine can do:
//   headscope-bench MODEL_DIR SOURCE REFERENCE [SENTENCES]
// Ratios come from one run; absolute times belong to the machine named on top.
#include "core/analysis/ablation.h"
#include "core/data/dataset.h"
#include "core/model/loadmodel.h"
#include "core/task/translationtask.h"
#include "core/tensor/device.h"
#include "core/tensor/parallel.h"

#include <ATen/Parallel.h>
#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>
#include <chrono>
#include <numeric>

using namespace headscope;

namespace {

template<typename Work>
double secondsOf(Work &&work)
{
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// The better of three runs, in GFLOP/s, of a large f32 matrix product.
double matrixPeak(const torch::Device &device)
{
    constexpr std::int64_t n = 2048;
    at::set_num_threads(threadPlan().workers); // of one product on all cores
    const auto a = torch::rand({n, n}, device);
    const auto b = torch::rand({n, n}, device);
    double best = 1e9;
    for (int i = 0; i < 4; ++i) {
        const double seconds = secondsOf([&] { torch::mm(a, b).sum().item<float>(); });
        best = i == 0 ? best : std::min(best, seconds);
    }
    at::set_num_threads(1);
    return 2.0 * n * n * n / best * 1e-9;
}

/// Floating point operations of the matrix products of one sentence pair, forward, teacher forcing.
double flopsOf(const TransformerSpec &spec, double source, double target)
{
    const auto d = static_cast<double>(spec.width);
    const auto attention = [&](double queries, double keys, double projectedKeys) {
        return 2 * (2 * queries * d * d + 2 * projectedKeys * d * d + 2 * queries * keys * d);
    };
    const auto feedForward = [&](const StackSpec &stack, double tokens) {
        return 4 * tokens * d * static_cast<double>(stack.feedForward);
    };
    const StackSpec &decoder = *spec.decoder;
    return spec.encoder.layers() * (attention(source, source, source) + feedForward(spec.encoder, source))
           + decoder.layers()
                 * (attention(target, target, target) + attention(target, source, source)
                    + feedForward(decoder, target))
           + 2 * target * d * static_cast<double>(decoder.vocabulary);
}

struct Setup
{
    std::shared_ptr<const TranslationTask> task;
    std::int64_t sourceTokens = 0;
    std::int64_t targetTokens = 0;
    double flops = 0;
};

Setup prepare(const std::string &folder, const std::string &source, const std::string &reference, std::int64_t limit)
{
    const auto device = parseDevice("auto").valueOrThrow();
    const auto model
        = loadModel(folder, torch::TensorOptions(torch::kFloat32).device(device), {}).valueOrThrow();
    std::shared_ptr<const Tokenizer> tokenizer = openTokenizer(folder, model.config).valueOrThrow();
    DataSource data;
    data.source = source;
    data.reference = reference;
    data.limit = limit;
    Setup setup;
    setup.task = TranslationTask::make(model.transformer, tokenizer, readDataset(data, {}).valueOrThrow(), {})
                     .valueOrThrow();
    std::vector<std::int64_t> all(static_cast<std::size_t>(setup.task->size()));
    std::iota(all.begin(), all.end(), 0);
    const auto shapes = setup.task->gateShapes(all);
    for (std::size_t i = 0; i < all.size(); ++i) {
        const std::int64_t s = shapes.at(HeadKind::Encoder).lengths[i];
        const std::int64_t t = shapes.at(HeadKind::Decoder).lengths[i];
        setup.sourceTokens += s;
        setup.targetTokens += t;
        setup.flops += flopsOf(model.transformer->spec(), static_cast<double>(s), static_cast<double>(t));
    }
    return setup;
}

void run(const std::string &folder, const std::string &source, const std::string &reference, std::int64_t limit)
{
    setThreads(0);
    const ProcessorReport machine = processorReport();
    fmt::print("{}, {} threads, LibTorch {}, {}\n", machine.processor, machine.threads, machine.libtorch, machine.blas);
    const Setup setup = prepare(folder, source, reference, limit);
    const TranslationTask &task = *setup.task;
    const double peak = matrixPeak(task.model().device());
    fmt::print("matrix products, f32, 2048³: {:.0f} GFLOP/s\n", peak);

    std::vector<std::int64_t> all(static_cast<std::size_t>(task.size()));
    std::iota(all.begin(), all.end(), 0);
    RunOptions greedy;
    greedy.decoding.beams = 1;

    const auto evaluateAll = [&] {
        const torch::NoGradGuard noGrad;
        const auto batches = task.batches(all, 1024);
        parallelFor(std::ssize(batches), [&](std::int64_t b) {
            (void)task.loss(batches[static_cast<std::size_t>(b)], {}).loss.sum().item<double>();
        });
    };
    evaluateAll(); // warm
    const double evaluation = secondsOf(evaluateAll);
    fmt::print("evaluation (teacher forcing): {:.0f} target tokens/s, {:.0f} GFLOP/s, {:.0f} % of the peak\n",
               static_cast<double>(setup.targetTokens) / evaluation, setup.flops / evaluation * 1e-9,
               setup.flops / evaluation * 1e-7 / peak);

    std::int64_t produced = 0;
    const double decoding = secondsOf([&] {
        for (const auto &output : task.plainOutputs(all, {}, greedy, false, {}))
            produced += std::ssize(output.tokens);
    });
    fmt::print("greedy decoding: {:.0f} target tokens/s, {:.2f} s for {} sentences\n",
               static_cast<double>(produced) / decoding, decoding, task.size());

    AblationSpec spec{.run = greedy};
    AblationResult fastResult;
    const double fast = secondsOf([&] { fastResult = ablate(task, spec, {}, nullptr, {}, {}); });
    fmt::print("ablation of all {} heads, greedy, {} sentences: {:.1f} s; {:.1f} full decodings' worth "
               "(one per head would be {})\n",
               task.layout().size(), task.size(), fast, fast / decoding, task.layout().size() + 1);
    spec.run.plain = true;
    AblationResult plainResult;
    const double plain = secondsOf([&] { plainResult = ablate(task, spec, {}, nullptr, {}, {}); });
    bool equal = true;
    for (std::size_t i = 0; i < fastResult.heads.size(); ++i)
        equal = equal && fastResult.heads[i].score == plainResult.heads[i].score;
    fmt::print("the same, every fast path off: {:.1f} s; {:.1f} times longer; scores {}\n", plain, plain / fast,
               equal ? "equal" : "DIFFERENT");
}

} // namespace

int main(int argc, char **argv)
{
    if (argc < 4) {
        fmt::print(stderr, "headscope-bench MODEL_DIR SOURCE REFERENCE [SENTENCES, default 300]\n");
        return 2;
    }
    try {
        run(argv[1], argv[2], argv[3], argc > 4 ? std::stoll(argv[4]) : 300);
    } catch (const std::exception &error) {
        fmt::print(stderr, "{}\n", error.what());
        return 1;
    }
    return 0;
}

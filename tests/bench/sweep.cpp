// Prints how long the ablation sweep of all heads takes, plain and fast side by side in one run, what each idea brings,
// and which share of the processor's matrix peak is reached:
//   headscope-sweep MODEL_DIR --in TABLE [N]               a classifier
//   headscope-sweep [--beams K] MODEL_DIR SOURCE REFERENCE [N]   a translation model, greedy unless beams are given
//   headscope-sweep --sizes                                made-up classifiers: cost by layers, heads, width and examples
// N: only the first N examples. Ratios come from one run; absolute times belong to the machine named on top.
#include "core/analysis/ablation.h"
#include "core/data/dataset.h"
#include "core/engine/engine.h"
#include "core/model/loadmodel.h"
#include "core/tokenize/tokenizer.h"
#include "core/base/process.h"
#include "core/task/tasks.h"
#include "core/tensor/device.h"
#include "tests/support/tinyclassifier.h"

#include <ATen/Parallel.h>
#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <numeric>
#include <span>

using namespace headscope;

namespace {

template<typename Work>
double secondsOf(Work &&work)
{
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// The best of four runs, in GFLOP/s, of a large f32 matrix product of LibTorch's on all cores.
double matrixPeak()
{
    constexpr std::int64_t n = 2048;
    const LibTorchThreads threads(Execution::threadCount(0));
    const auto a = torch::rand({n, n});
    const auto b = torch::rand({n, n});
    double best = 1e9;
    for (int i = 0; i < 4; ++i)
        best = std::min(best, secondsOf([&] { torch::mm(a, b).sum().item<float>(); }));
    return 2.0 * n * n * n / best * 1e-9;
}

/// MiB; `what` is VmRSS (now) or VmHWM (the most so far).
double memory(const std::string &what)
{
    std::ifstream file("/proc/self/status");
    std::string line;
    while (std::getline(file, line)) {
        if (line.starts_with(what))
            return std::stod(line.substr(what.size() + 1)) / 1024;
    }
    return 0;
}

struct Setup
{
    LoadedModel model;
    std::shared_ptr<const Task> task;
};

Setup open(const std::filesystem::path &folder, const DataSource &data)
{
    Setup setup;
    setup.model = loadModel(folder, torch::TensorOptions(torch::kFloat32), {}).valueOrThrow();
    std::shared_ptr<const Tokenizer> tokenizer = openTokenizer(folder, setup.model.config).valueOrThrow();
    setup.task
        = makeTask({setup.model.transformer, tokenizer, Execution()}, readDataset(data, {}).valueOrThrow(), {}).valueOrThrow();
    return setup;
}

/// Multiplications and additions of the matrix products that a classifier's sweep cannot do without, when every variant
/// begins behind the attention of its layer and the last layer runs for one position.
double flopsOfClassifierSweep(const Setup &setup)
{
    const TransformerSpec &spec = setup.model.transformer->spec();
    const auto d = static_cast<double>(spec.width);
    const double feedForward = 2 * d * static_cast<double>(spec.encoder->subLayers.back().feedForward()->width);
    double perToken = 0;
    double perExample = 0;
    const int layers = spec.encoder->layers();
    for (int layer = 0; layer < layers; ++layer) {
        const auto heads = static_cast<double>(spec.attention(HeadKind::Encoder, layer).headCount());
        (layer + 1 < layers ? perToken : perExample) += heads * (d * d + feedForward);
        perToken += heads * std::max(0, layers - 2 - layer) * (4 * d * d + feedForward);
        if (layer + 1 < layers) { // keys and values of the last layer are needed everywhere
            perToken += heads * 2 * d * d;
            perExample += heads * (2 * d * d + feedForward);
        }
    }
    double tokens = 0;
    std::vector<std::int64_t> all(static_cast<std::size_t>(setup.task->size()));
    std::iota(all.begin(), all.end(), 0);
    const auto shapes = setup.task->gateShapes(all);
    for (std::int64_t length : shapes.at(HeadKind::Encoder).lengths)
        tokens += static_cast<double>(length);
    return 2 * (perToken * tokens + perExample * static_cast<double>(setup.task->size()));
}

struct Sweep
{
    double seconds = 0;
    AblationResult result;
};

Sweep sweep(const Task &task, const RunOptions &run)
{
    Sweep sweep;
    sweep.seconds = secondsOf([&] { sweep.result = ablate(task, {.run = run, .resamples = 0}, {}, nullptr, {}, {}); });
    return sweep;
}

void printSweeps(const Setup &setup, int beams)
{
    const Task &task = *setup.task;
    RunOptions run;
    run.decoding.beams = beams;
    const auto with = [&](ProductChoice products) {
        RunOptions options = run;
        options.products = products;
        return options;
    };
    const double before = memory("VmRSS:");
    const Sweep fast = sweep(task, run);
    const double most = memory("VmHWM:");
    std::vector<std::pair<std::string, Sweep>> others;
    if (beams == 1) { // beam search knows no other products
        others.emplace_back("the same with split bf16 only", sweep(task, with(ProductChoice::Split)));
        others.emplace_back("the same in f32", sweep(task, with(ProductChoice::Exact)));
    }
    others.emplace_back("LibTorch's products, padded batches", sweep(task, with(ProductChoice::Library)));
    run.plain = true;
    others.emplace_back("plain: one evaluation per head", sweep(task, run));
    const double plain = others.back().second.seconds;

    fmt::print("{} heads, {} examples, {}\n", task.layout().size(), task.size(), fast.result.baseline.name);
    const auto print = [&](const std::string &name, const Sweep &one) {
        std::int64_t different = 0;
        for (std::size_t i = 0; i < one.result.heads.size(); ++i)
            different += one.result.heads[i].score != others.back().second.result.heads[i].score
                                 || one.result.heads[i].changed != others.back().second.result.heads[i].changed
                             ? 1
                             : 0;
        fmt::print("{:<38} {:8.1f} s  {:5.1f} times as fast as plain  heads whose score differs: {}\n", name, one.seconds,
                   plain / one.seconds, different);
    };
    print("fast", fast);
    for (const auto &[name, one] : others)
        print(name, one);
    for (const ProductProof::Tier &tier : fast.result.products.tiers)
        fmt::print("{}: largest error of a margin {:.2g}, allowed for {:.2g}; {} of {} examples × heads were in doubt\n",
                   tier.products, tier.error, tier.allowed, tier.passedOn, fast.result.products.runs);
    fmt::print("memory: {:.0f} MiB with model and data, {:.0f} MiB at most during the fast sweep\n", before, most);
    if (setup.model.transformer->spec().classifier) {
        const double peak = matrixPeak();
        const double reached = flopsOfClassifierSweep(setup) / others[1].second.seconds * 1e-9;
        fmt::print("f32: {:.0f} GFLOP/s of the {:.0f} that LibTorch reaches on products of 2048³: {:.0f} %\n", reached,
                   peak, 100 * reached / peak);
    }
}

/// What a head costs per example, by the sizes of model and data; the sizes that a row does not name are those of the first.
void printSizes()
{
    struct Size
    {
        const char *what;
        testing::TinyClassifier model;
        int examples = 400;
    };
    const testing::TinyClassifier usual{.layers = 4, .heads = 8, .width = 256, .feedForward = 1024};
    std::vector<Size> sizes{{"", usual}};
    for (const int layers : {1, 2, 8}) {
        sizes.push_back({"layers", usual});
        sizes.back().model.layers = layers;
    }
    for (const int heads : {4, 16, 32}) {
        sizes.push_back({"heads", usual});
        sizes.back().model.heads = heads;
    }
    for (const int width : {128, 512, 768}) {
        sizes.push_back({"width", usual});
        sizes.back().model.width = width;
        sizes.back().model.feedForward = 4 * width;
    }
    for (const int examples : {100, 1600, 6400})
        sizes.push_back({"examples", usual, examples});

    const auto folder = std::filesystem::temp_directory_path() / "headscope-sweep";
    std::filesystem::create_directories(folder);
    fmt::print("{:>6} {:>6} {:>6} {:>9} {:>10} {:>10} {:>8} {:>10}   microseconds per head and example; MiB afterwards\n", "layers",
               "heads", "width", "examples", "fast", "plain", "ratio", "memory");
    for (const Size &size : sizes) {
        testing::writeTinyTable(folder / "table.tsv", size.examples, 1);
        testing::writeTinyClassifier(folder / "model", size.model);
        DataSource data;
        data.table = (folder / "table.tsv").string();
        const Setup setup = open(folder / "model", data);
        RunOptions run;
        const double heads = static_cast<double>(setup.task->layout().size());
        const auto cost = [&] { return sweep(*setup.task, run).seconds / heads / static_cast<double>(setup.task->size()) * 1e6; };
        (void)cost(); // lays the weights out
        const double fast = cost();
        const double used = memory("VmRSS:");
        run.plain = true;
        const double plain = size.examples > 400 ? 0 : cost(); // it grows with the examples alone, and takes long
        fmt::print("{:>6} {:>6} {:>6} {:>9} {:>10.1f} {:>10} {:>8} {:>10.0f}  {}\n", size.model.layers, size.model.heads,
                   size.model.width, size.examples, fast, plain > 0 ? fmt::format("{:.1f}", plain) : "-",
                   plain > 0 ? fmt::format("{:.1f}", plain / fast) : "-", used, size.what);
    }
    std::filesystem::remove_all(folder);
}

int run(std::span<const std::string> arguments)
{
    int beams = 1;
    if (arguments.size() > 2 && arguments[0] == "--beams") {
        beams = std::stoi(arguments[1]);
        arguments = arguments.subspan(2);
    }
    const ProcessorReport machine = processorReport(0);
    fmt::print("{}, {} threads, LibTorch {}, {}\n", machine.processor, machine.threads, machine.libtorch, machine.blas);
    if (arguments.size() == 1 && arguments[0] == "--sizes") {
        printSizes();
        return 0;
    }
    if (arguments.size() < 3) {
        fmt::print(stderr, "headscope-sweep MODEL_DIR --in TABLE [N] | [--beams K] MODEL_DIR SOURCE REFERENCE [N] | --sizes\n");
        return 2;
    }
    DataSource data;
    if (arguments[1] == "--in") {
        data.table = arguments[2];
    } else {
        data.source = arguments[1];
        data.reference = arguments[2];
    }
    if (arguments.size() > 3)
        data.limit = std::stoll(arguments[3]);
    printSweeps(open(arguments[0], data), beams);
    return 0;
}

} // namespace

int main(int argc, char **argv)
{
    setUpProcess();
    try {
        const std::vector<std::string> arguments(argv + 1, argv + argc);
        return run(arguments);
    } catch (const std::exception &error) {
        fmt::print(stderr, "{}\n", error.what());
        return 1;
    }
}

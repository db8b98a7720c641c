// Prints how long the ablation sweep of all heads takes, plain and fast side by side in one run, what each idea brings,
// and which share of the device's matrix peak is reached:
//   headscope-sweep [OPTIONS] MODEL_DIR --in TABLE        a classifier
//   headscope-sweep [OPTIONS] MODEL_DIR SOURCE REFERENCE  a translation model, greedy unless beams are given
//   headscope-sweep [OPTIONS] --shape NAME FOLDER         a made-up model of a well-known size, which is kept in FOLDER
//   headscope-sweep --sizes                               made-up classifiers: cost by layers, heads, width and
//   examples
// Ratios come from one run; absolute times belong to the machine named on top.
#include "core/analysis/ablation.h"
#include "core/base/process.h"
#include "core/data/dataset.h"
#include "core/engine/engine.h"
#include "core/model/loadmodel.h"
#include "core/task/tasks.h"
#include "core/tensor/device.h"
#include "core/tokenize/tokenizer.h"
#include "tests/bench/randommodel.h"
#include "tests/support/tinyclassifier.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <torch/types.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <numeric>
#include <optional>
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

/// The best of four runs, in GFLOP/s, of a large matrix product of LibTorch's on the whole device.
double matrixPeak(const torch::TensorOptions &options)
{
    const std::int64_t n = options.device().is_cpu() ? 2048 : 8192;
    const LibTorchThreads threads(Execution::threadCount(0));
    const auto a = torch::randn({n, n}, options);
    const auto b = torch::randn({n, n}, options);
    double best = 1e9;
    for (int i = 0; i < 4; ++i)
        best = std::min(best, secondsOf([&] { torch::mm(a, b).select(0, 0).sum().item<float>(); }));
    return 2.0 * static_cast<double>(n * n * n) / best * 1e-9;
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

Setup open(const std::filesystem::path &folder, const DataSource &data, const std::string &device)
{
    Setup setup;
    const auto devices = parseDevices(device).valueOrThrow();
    const auto loadOn
        = [&](const Execution &execution) { return loadModel(folder, execution.tensorOptions(), {}).valueOrThrow(); };
    OpenModel model{nullptr, nullptr, Execution(devices.front()), {}};
    setup.model = loadOn(model.execution);
    model.transformer = setup.model.transformer;
    model.tokenizer = openTokenizer(folder, setup.model.config).valueOrThrow();
    for (const torch::Device &other : std::span(devices).subspan(1)) {
        const Execution there(other);
        model.copies.push_back({loadOn(there).transformer, there});
    }
    setup.task = makeTask(std::move(model), readDataset(data, {}).valueOrThrow(), {}).valueOrThrow();
    return setup;
}

/// Multiplications and additions of the matrix products that a classifier's sweep cannot do without, when every variant
/// begins after the attention of its layer and the last layer runs for one position.
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

Sweep sweep(const Task &task, const RunOptions &run, HeadUnit by = HeadUnit::Head)
{
    const AblationSpec spec{.run = run, .by = by, .resamples = 0};
    Sweep sweep;
    sweep.seconds = secondsOf([&] { sweep.result = ablate(task, spec, {}, nullptr, {}, {}); });
    return sweep;
}

/// What the sweep makes of the device's peak.
void printShare(const Setup &setup, const char *products, const Sweep &sweep, torch::ScalarType dtype)
{
    const double peak = matrixPeak(setup.task->tensorOptions().dtype(dtype));
    const double reached = flopsOfClassifierSweep(setup) / sweep.seconds * 1e-9;
    fmt::print("{}: {:.0f} GFLOP/s of the {:.0f} that LibTorch reaches on large products: {:.0f} %\n", products,
               reached, peak, 100 * reached / peak);
}

constexpr const char *kFast = "fast";
constexpr const char *kExact = "the same in f32";

struct Choices
{
    int beams = 1;
    bool plain = true;
    bool products = true; ///< also with other products than the fast ones
    bool warm = false;    ///< the device is set up already
    HeadUnit by = HeadUnit::Head;
};

using NamedSweeps = std::vector<std::pair<std::string, Sweep>>;

/// The fast sweep first, what is compared with it, and last what all are compared with.
NamedSweeps sweepsOf(const Task &task, const Choices &choices, double &mostMemory)
{
    const bool onGpu = !task.tensorOptions().device().is_cpu();
    RunOptions run;
    run.decoding.beams = choices.beams;
    const auto sweep = [&](const Task &of, const RunOptions &options) { return ::sweep(of, options, choices.by); };
    const auto with = [&](ProductChoice products) {
        RunOptions options = run;
        options.products = products;
        return options;
    };
    if (onGpu && !choices.warm)
        (void)sweep(task, run); // the first sets the device up
    NamedSweeps sweeps{{kFast, sweep(task, run)}};
    mostMemory = memory("VmHWM:");
    if (choices.products && choices.beams == 1) { // beam search knows no other products
        sweeps.emplace_back("the same with split bf16 only", sweep(task, with(ProductChoice::Split)));
        sweeps.emplace_back(kExact, sweep(task, with(ProductChoice::Exact)));
    }
    if (!onGpu)
        sweeps.emplace_back("LibTorch's products, padded batches", sweep(task, with(ProductChoice::Library)));
    if (choices.plain) {
        run.plain = true;
        sweeps.emplace_back("plain: one evaluation per head", sweep(task, run));
    }
    return sweeps;
}

std::int64_t differentHeads(const Sweep &a, const Sweep &b)
{
    std::int64_t different = 0;
    for (std::size_t i = 0; i < a.result.heads.size(); ++i) {
        const HeadAblation &own = a.result.heads[i];
        const HeadAblation &other = b.result.heads[i];
        different += own.score != other.score || own.changed != other.changed ? 1 : 0;
    }
    return different;
}

void printSweeps(const Setup &setup, const Choices &choices)
{
    const Task &task = *setup.task;
    const double before = memory("VmRSS:");
    double most = 0;
    const NamedSweeps sweeps = sweepsOf(task, choices, most);
    const auto &[lastName, last] = sweeps.back();
    fmt::print("{} heads, {} examples, {}\n", task.layout().size(), task.size(), last.result.baseline.name);
    for (const auto &[name, one] : sweeps)
        fmt::print("{:<38} {:8.2f} s  {:5.1f} times as fast as the last  heads whose score differs from it: {}\n", name,
                   one.seconds, last.seconds / one.seconds, differentHeads(one, last));
    const Sweep &fast = sweeps.front().second;
    for (const PrecisionCheck::Tier &tier : fast.result.products.tiers)
        fmt::print(
            "{}: largest error of a margin {:.2g}, allowed for {:.2g}; {} of {} examples × heads were in doubt\n",
            tier.products, tier.error, tier.allowed, tier.passedOn, fast.result.products.runs);
    fmt::print("memory: {:.0f} MiB with model and data, {:.0f} MiB at most during the fast sweep\n", before, most);
    if (!setup.model.transformer->spec().classifier)
        return;
    const auto exact = std::ranges::find(sweeps, kExact, &NamedSweeps::value_type::first);
    if (exact != sweeps.end())
        printShare(setup, "f32", exact->second, torch::kFloat32);
    if (!task.tensorOptions().device().is_cpu())
        printShare(setup, "bf16 first", fast, torch::kBFloat16);
}

/// The sweep of a few examples on this device and on the processor: what is decided must be equal, what is a number
/// nearly so.
void printCheck(const std::filesystem::path &folder, DataSource data, const std::string &device, std::int64_t examples,
                const Choices &choices)
{
    data.limit = examples;
    RunOptions run;
    run.decoding.beams = choices.beams;
    const Sweep there = sweep(*open(folder, data, device).task, run, choices.by);
    run.products = ProductChoice::Exact;
    const Sweep here = sweep(*open(folder, data, "cpu").task, run, choices.by);
    double largest = std::abs(there.result.baseline.value - here.result.baseline.value);
    std::int64_t changed = 0;
    for (std::size_t i = 0; i < here.result.heads.size(); ++i) {
        largest = std::max(largest, std::abs(here.result.heads[i].score - there.result.heads[i].score));
        changed += here.result.heads[i].changed != there.result.heads[i].changed ? 1 : 0;
    }
    fmt::print("{} examples here and on the processor: {} of {} heads change another number of them; largest "
               "difference of a score {:.2g}; {:.2f} and {:.2f} s\n",
               examples, changed, here.result.heads.size(), largest, there.seconds, here.seconds);
}

/// What a head costs per example, by the sizes of model and data; the sizes that a row does not name are those of the
/// first.
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
    fmt::print(
        "{:>6} {:>6} {:>6} {:>9} {:>10} {:>10} {:>8} {:>10}   microseconds per head and example; MiB afterwards\n",
        "layers", "heads", "width", "examples", "fast", "plain", "ratio", "memory");
    for (const Size &size : sizes) {
        testing::writeTinyTable(folder / "table.tsv", size.examples, 1);
        testing::writeTinyClassifier(folder / "model", size.model);
        DataSource data;
        data.table = (folder / "table.tsv").string();
        const Setup setup = open(folder / "model", data, "cpu");
        RunOptions run;
        const double heads = static_cast<double>(setup.task->layout().size());
        const auto cost
            = [&] { return sweep(*setup.task, run).seconds / heads / static_cast<double>(setup.task->size()) * 1e6; };
        (void)cost(); // lays the weights out
        const double fast = cost();
        const double used = memory("VmRSS:");
        run.plain = true;
        const double plain = size.examples > 400 ? 0 : cost(); // it grows with the examples alone, and takes long
        fmt::print("{:>6} {:>6} {:>6} {:>9} {:>10.1f} {:>10} {:>8} {:>10.0f}  {}\n", size.model.layers,
                   size.model.heads, size.model.width, size.examples, fast,
                   plain > 0 ? fmt::format("{:.1f}", plain) : "-",
                   plain > 0 ? fmt::format("{:.1f}", plain / fast) : "-", used, size.what);
    }
    std::filesystem::remove_all(folder);
}

int run(int argc, char **argv)
{
    Choices choices;
    DataSource data;
    std::string device = "cpu";
    std::string shape;
    std::string table;
    std::int64_t limit = 0, checked = 0;
    bool byKeyGroup = false;
    int longest = 32;
    bool sizes = false;
    std::vector<std::string> files;
    CLI::App app("The ablation sweep of all heads, plain and fast.");
    app.add_option("FILES", files, "MODEL_DIR [SOURCE REFERENCE]");
    app.add_option("--in", table, "Table of a classifier");
    app.add_option("--device", device, "cpu, cuda, cuda:N or cuda:all")->capture_default_str();
    app.add_option("--beams", choices.beams, "Of a translation model")->capture_default_str();
    app.add_option("--limit", limit, "Only the first so many examples");
    app.add_option("--check", checked, "Also compare so many examples with the processor");
    app.add_flag("--by-key-group", byKeyGroup, "Take out whole key groups");
    app.add_option("--longest", longest, "Tokens of a made-up example, at most")->capture_default_str();
    app.add_option("--shape", shape, "Make the model up")->check(CLI::IsMember(randomShapes()));
    app.add_flag("--sizes", sizes, "Made-up classifiers of 1, 2, 4 and 8 layers");
    app.add_flag("!--no-plain", choices.plain, "Leave one evaluation per head out");
    app.add_flag("!--no-products", choices.products, "Leave other products than the fast ones out");
    CLI11_PARSE(app, argc, argv);

    const ProcessorReport machine = processorReport(0);
    fmt::print("{}, {} threads, LibTorch {}, {}, computing on {}\n", machine.processor, machine.threads,
               machine.libtorch, machine.blas, device);
    if (sizes) {
        printSizes();
        return 0;
    }
    if (files.size() != (shape.empty() && table.empty() ? 3U : 1U)) {
        fmt::print(stderr, "{}", app.help());
        return 2;
    }
    const std::filesystem::path folder = files[0];
    if (!shape.empty()) {
        if (!std::filesystem::exists(folder / "model.safetensors"))
            writeRandomModel(folder, shape,
                             {.count = static_cast<int>(limit > 0 ? limit : 512), .shortest = 8, .longest = longest});
        table = folder / "rows.jsonl";
    }
    if (!table.empty()) {
        data.table = table;
    } else {
        data.source = files[1];
        data.reference = files[2];
    }
    data.limit = limit;
    choices.by = byKeyGroup ? HeadUnit::KeyGroup : HeadUnit::Head;
    if (checked > 0) {
        printCheck(folder, data, device, checked, choices);
        choices.warm = true;
    }
    printSweeps(open(folder, data, device), choices);
    return 0;
}

} // namespace

int main(int argc, char **argv)
{
    setUpProcess();
    try {
        return run(argc, argv);
    } catch (const std::exception &error) {
        fmt::print(stderr, "{}\n", error.what());
        return 1;
    }
}

// Prints how long a translation model's outputs take, plain and fast side by side in one run, from an opened model to
// the last text, and how many differ:
//   headscope-decodebench [--beams K] [--runs N] [--no-plain] MODEL_DIR SOURCE [LIMIT]
// Greedy unless beams are given. Absolute times belong to the machine named on top.
#include "core/base/process.h"
#include "core/data/dataset.h"
#include "core/model/loadmodel.h"
#include "core/task/batching.h"
#include "core/task/tasks.h"
#include "core/tensor/device.h"
#include "core/tokenize/tokenizer.h"

#include <fmt/format.h>
#include <torch/types.h>

#include <chrono>
#include <ctime>
#include <memory>
#include <string>
#include <vector>

using namespace headscope;

namespace {

struct Arguments
{
    RunOptions run;
    int runs = 3;
    bool plain = true;
    std::vector<std::string> others;
};

Arguments parsed(const std::vector<std::string> &given)
{
    Arguments arguments;
    arguments.run.decoding.beams = 1;
    for (std::size_t i = 0; i < given.size(); ++i) {
        if (given[i] == "--no-plain")
            arguments.plain = false;
        else if (given[i] == "--beams" && i + 1 < given.size())
            arguments.run.decoding.beams = std::stoi(given[++i]);
        else if (given[i] == "--runs" && i + 1 < given.size())
            arguments.runs = std::stoi(given[++i]);
        else
            arguments.others.push_back(given[i]);
    }
    return arguments;
}

std::shared_ptr<const Task> open(const Arguments &arguments)
{
    const std::string &folder = arguments.others.at(0);
    DataSource data;
    data.source = arguments.others.at(1);
    if (arguments.others.size() > 2)
        data.limit = std::stoll(arguments.others[2]);
    const LoadedModel model = loadModel(folder, torch::TensorOptions(torch::kFloat32), {}).valueOrThrow();
    std::shared_ptr<const Tokenizer> tokenizer = openTokenizer(folder, model.config).valueOrThrow();
    return makeTask({model.transformer, tokenizer, Execution()}, readDataset(data, {}).valueOrThrow(), {})
        .valueOrThrow();
}

double processorSeconds()
{
    return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

std::vector<ExampleOutput> timed(const Task &task, const RunOptions &run, int runs, const char *name)
{
    std::vector<ExampleOutput> outputs;
    const auto all = allIds(task.size());
    for (int i = 0; i < runs; ++i) {
        const auto start = std::chrono::steady_clock::now();
        const double before = processorSeconds();
        outputs = task.outputs(all, {}, run, false, {});
        const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        fmt::print("{:<6} {:7.3f} s, {:7.3f} s of all cores\n", name, seconds, processorSeconds() - before);
    }
    return outputs;
}

void measure(const Arguments &arguments)
{
    const ProcessorReport machine = processorReport(0);
    fmt::print("{}, {} threads, LibTorch {}, {}\n", machine.processor, machine.threads, machine.libtorch, machine.blas);
    const auto task = open(arguments);
    const auto fast = timed(*task, arguments.run, arguments.runs, "fast");
    if (!arguments.plain)
        return;
    RunOptions plain = arguments.run;
    plain.plain = true;
    const auto plainly = timed(*task, plain, 1, "plain");
    int different = 0;
    for (std::size_t i = 0; i < fast.size(); ++i)
        different += fast[i].tokens == plainly[i].tokens ? 0 : 1;
    fmt::print("{} of {} outputs differ\n", different, fast.size());
}

} // namespace

int main(int argc, char **argv)
{
    setUpProcess();
    try {
        const Arguments arguments = parsed({argv + 1, argv + argc});
        if (arguments.others.size() < 2) {
            fmt::print(stderr, "headscope-decodebench [--beams K] [--runs N] [--no-plain] MODEL_DIR SOURCE [LIMIT]\n");
            return 2;
        }
        measure(arguments);
        return 0;
    } catch (const std::exception &error) {
        fmt::print(stderr, "{}\n", error.what());
        return 1;
    }
}

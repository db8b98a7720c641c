// Prints what finding the roles of heads, and comparing them, costs beside one forward pass over the same sentences,
// and that its memory does not grow with their number:
//   headscope-rolesbench MODEL_DIR SOURCE REFERENCE [CONLLU]   a translation model
//   headscope-rolesbench MODEL_DIR --in TABLE                  a classifier
// Ratios come from one run; each number is the best of three.
#include "core/analysis/roles.h"
#include "core/analysis/similarity.h"
#include "core/base/process.h"
#include "core/data/dataset.h"
#include "core/engine/engine.h"
#include "core/model/loadmodel.h"
#include "core/task/tasks.h"
#include "core/tensor/device.h"
#include "core/tensor/memorypeak.h"
#include "tests/bench/timing.h"

#include <ATen/core/grad_mode.h>
#include <fmt/format.h>
#include <torch/types.h>

#include <functional>

using namespace headscope;

namespace {

struct Setup
{
    LoadedModel model;
    std::shared_ptr<const Tokenizer> tokenizer;
    Dataset dataset;
    std::shared_ptr<const Task> task;
};

Setup open(const std::filesystem::path &folder, const DataSource &data)
{
    Setup setup;
    setup.model = loadModel(folder, torch::TensorOptions(torch::kFloat32), {}).valueOrThrow();
    setup.tokenizer = openTokenizer(folder, setup.model.config).valueOrThrow();
    setup.dataset = readDataset(data, {}).valueOrThrow();
    setup.task = makeTask({setup.model.transformer, setup.tokenizer, Execution()}, setup.dataset, {}).valueOrThrow();
    return setup;
}

/// Encoder and, made to say the references, decoder, with logits.
void forward(const Task &task, const RunOptions &run)
{
    const torch::NoGradGuard noGrad;
    for (const auto &block : visitingOrder(task, run)) {
        const auto batches = task.batches(block, run);
        task.execution().parallelFor(
            std::ssize(batches), [&](std::int64_t b) { (void)task.loss(batches[static_cast<std::size_t>(b)], {}); });
    }
}

void report(const std::filesystem::path &folder, DataSource data, std::int64_t limit)
{
    data.limit = limit;
    const Setup setup = open(folder, data);
    const auto sentences = static_cast<double>(setup.task->size());
    forward(*setup.task, {}); // warm
    const double pass = shortestSeconds([&] { forward(*setup.task, {}); });
    const auto print = [&](const char *what, const std::function<void()> &work) {
        double seconds = 0;
        const auto peak = peakMemoryOf(torch::kCPU, [&] { seconds = shortestSeconds(work); });
        fmt::print("{:6} sentences, {:10}: forward pass {:.2f} ms a sentence, this {:.2f} ms = {:.2f} forward passes, "
                   "{} MiB at most on top\n",
                   setup.task->size(), what, 1000 * pass / sentences, 1000 * seconds / sentences, seconds / pass,
                   peak.value_or(0) >> 20);
    };
    print("similarity", [&] { (void)similarity(*setup.task, setup.tokenizer.get(), {}, {}, {}); });
    for (const AttentionMeasure measure : {AttentionMeasure::Weights, AttentionMeasure::Norms}) {
        RolesSpec spec;
        spec.measure = measure;
        print(measure == AttentionMeasure::Weights ? "roles" : "by norms",
              [&] { (void)roles(*setup.task, setup.dataset, setup.tokenizer.get(), spec, {}, {}, {}); });
    }
}

} // namespace

int main(int argc, char **argv)
{
    try {
        if (argc < 4) {
            fmt::print(stderr,
                       "usage: headscope-rolesbench MODEL_DIR SOURCE REFERENCE [CONLLU] | MODEL_DIR --in TABLE\n");
            return 2;
        }
        setUpProcess();
        DataSource data;
        if (std::string(argv[2]) == "--in") {
            data.table = argv[3];
        } else {
            data.source = argv[2];
            data.reference = argv[3];
            data.conllu = argc > 4 ? argv[4] : "";
        }
        for (const std::int64_t limit : {250, 500, 1000})
            report(argv[1], data, limit);
    } catch (const Failure &failure) {
        fmt::print(stderr, "{}\n", failure.error().message);
        return 1;
    }
    return 0;
}

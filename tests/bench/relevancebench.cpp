// Prints how long relevance takes by every rule, beside a teacher-forced forward pass over the same sentences one
// by one, and how far the rules agree with each other and with confidence (Spearman's ρ over the heads of a kind):
//   headscope-relevancebench MODEL SOURCE REFERENCE [SENTENCES [THREADS]]
// Every time is the shortest of three runs. Absolute times belong to the machine; ratios should not.
#include "core/analysis/confidence.h"
#include "core/analysis/relevance.h"
#include "core/base/process.h"
#include "core/metrics/correlation.h"
#include "core/results/json.h"
#include "tests/bench/timing.h"
#include "tests/support/opentask.h"

#include <ATen/core/grad_mode.h>
#include <fmt/format.h>
#include <torch/types.h>

#include <cstdlib>

using namespace headscope;

namespace {

void forwardPasses(const Task &task)
{
    const torch::NoGradGuard noGrad;
    const Transformer &model = task.model();
    task.execution().parallelFor(task.size(), [&](std::int64_t id) {
        const TransformerSpec &spec = model.spec();
        const Memory memory = spec.encoder ? model.encode(task.inputs({id}), {}) : Memory();
        if (spec.decoder)
            (void)model.logits(model.decode(task.decoderInputs({id}), spec.encoder ? &memory : nullptr, {}));
        else
            (void)model.classify(memory.hidden.select(1, 0));
    });
}

/// Values of the heads of one kind, in the order of the layout.
template<typename Heads, typename Value>
std::vector<double> valuesOf(const Heads &heads, HeadKind kind, Value value)
{
    std::vector<double> values;
    for (const auto &head : heads) {
        if (head.head.kind == kind)
            values.push_back(head.*value);
    }
    return values;
}

} // namespace

int main(int argc, char **argv)
{
    if (argc < 4) {
        fmt::print(stderr, "headscope-relevancebench MODEL SOURCE REFERENCE [SENTENCES [THREADS]]\n");
        return 2;
    }
    setUpProcess();
    const Execution execution(torch::kCPU, torch::kFloat32, argc > 5 ? std::atoi(argv[5]) : 0);
    DataSource source;
    source.source = argv[2];
    source.reference = argv[3];
    source.limit = argc > 4 ? std::atoi(argv[4]) : 100;
    const auto task = testing::openTask(argv[1], source, execution);
    const auto sentences = static_cast<double>(task->size());

    const double forward = shortestSeconds([&] { forwardPasses(*task); }) / sentences;
    fmt::print("{} sentences, {} threads\nforward     {:8.4f} s/sentence\n", task->size(), execution.threads(),
               forward);
    std::vector<RelevanceResult> results;
    for (const auto rule :
         {RelevanceRule::AlphaBeta, RelevanceRule::Epsilon, RelevanceRule::AttnLrp, RelevanceRule::CpLrp}) {
        RelevanceSpec spec;
        spec.rule = rule;
        RelevanceResult result;
        const double seconds = shortestSeconds([&] { result = relevance(*task, spec, {}, {}, {}); }) / sentences;
        fmt::print("{:<11} {:8.4f} s/sentence, {:5.1f} forward passes; {} steps, {:.2f} forward passes per step; "
                   "conserved {:.6g}, largest deviation {:.2g}\n",
                   toText(rule), seconds, seconds / forward, result.steps,
                   seconds * sentences / static_cast<double>(result.steps) / forward, result.conserved,
                   result.largestDeviation);
        results.push_back(std::move(result));
    }
    const ConfidenceResult confident = confidence(*task, {}, {}, {}, {});
    fmt::print("\nSpearman's rho\n");
    for (const HeadLayout::Block &block : task->layout().blocks()) {
        std::vector<std::pair<std::string_view, std::vector<double>>> columns;
        for (const RelevanceResult &result : results)
            columns.emplace_back(toText(result.rule), valuesOf(result.heads, block.kind, &HeadRelevance::relevance));
        columns.emplace_back("confidence", valuesOf(confident.heads, block.kind, &HeadConfidence::confidence));
        fmt::print("{}\n", headKindName(block.kind));
        for (std::size_t a = 0; a < columns.size(); ++a) {
            for (std::size_t b = a + 1; b < columns.size(); ++b)
                fmt::print("  {:<11} {:<11} {:6.3f}\n", columns[a].first, columns[b].first,
                           spearmanCorrelation(columns[a].second, columns[b].second, 0).value);
        }
    }
}

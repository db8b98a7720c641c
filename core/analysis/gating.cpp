#include "core/analysis/gating.h"

#include "core/analysis/analysisinfo.h"
#include "core/analysis/input.h"
#include "core/analysis/keptsums.h"
#include "core/base/random.h"
#include "core/tensor/halfkernels.h"
#include "core/train/hardconcrete.h"
#include "core/train/optimizer.h"
#include "core/train/trainedgates.h"

#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/types.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <numeric>
#include <tuple>
#include <utility>

namespace headscope {

template<typename Archive>
void visitSums(Archive &archive, GatingSeed &seed)
{
    archive(seed.seed, seed.freeLoss, seed.openedLoss, seed.closedLoss, seed.free, seed.opened, seed.closed);
}

namespace {

/// Sums over the seeds so far.
struct Fits
{
    double loss = 0;
    std::vector<GatingSeed> seeds{};

    template<typename Archive>
    void visitSums(Archive &archive)
    {
        archive(loss, seeds);
    }
};

std::unique_ptr<const TrainedGates> gatesOf(const GatingSpec &spec, const HeadLayout &layout, double lambda)
{
    GateConfig config;
    config.method = GateMethod::L0;
    config.kinds = spec.kinds;
    config.lambda = lambda;
    config.initial = 0; // neither open nor closed
    return spec.hard ? TrainedGates::make(config, layout) : TrainedGates::makeSoft(config, layout);
}

/// Fits gates of one seed after the other.
class Gating
{
public:
    Gating(const Task &task, const GatingSpec &spec, const JobControl &control)
        : m_task(task), m_spec(spec), m_control(control), m_free(gatesOf(spec, task.layout(), 0)),
          m_opening(gatesOf(spec, task.layout(), -spec.lambda)), m_closing(gatesOf(spec, task.layout(), spec.lambda))
    {
        constexpr int kFits = 3;
        m_updates = spec.seeds * kFits * spec.steps;
    }

    const std::vector<HeadRef> &heads() const { return m_free->heads(); }
    double wholeLoss() const { return lossUnder(HeadGates()); }

    GatingSeed fit(std::int64_t number)
    {
        GatingSeed fitted;
        fitted.seed = m_spec.run.seed + static_cast<std::uint64_t>(number);
        m_done = number * m_updates / m_spec.seeds;
        torch::Tensor values = m_free->initial(fitted.seed);
        update(*m_free, fitted.seed, 0, values);
        auto opened = values.clone();
        update(*m_opening, fitted.seed, 1, opened);
        auto closed = values.clone();
        update(*m_closing, fitted.seed, 2, closed);
        for (const auto &[z, gates, loss] : {std::tuple(values, &fitted.free, &fitted.freeLoss),
                                             std::tuple(opened, &fitted.opened, &fitted.openedLoss),
                                             std::tuple(closed, &fitted.closed, &fitted.closedLoss)}) {
            const auto found = gatesBy(z);
            gates->assign(found.data_ptr<float>(), found.data_ptr<float>() + found.numel());
            *loss = lossUnder(m_free->gatesOf((m_spec.hard ? concreteTestGate(z) : found).to(m_task.tensorOptions())));
        }
        return fitted;
    }

private:
    torch::Tensor gatesBy(const torch::Tensor &values) const
    {
        return (m_spec.hard ? concreteOpen(values) : torch::sigmoid(values)).contiguous();
    }

    std::vector<std::int64_t> allIds() const
    {
        std::vector<std::int64_t> ids(static_cast<std::size_t>(m_task.size()));
        std::iota(ids.begin(), ids.end(), 0);
        return ids;
    }

    /// Per target token, of all examples.
    double lossUnder(const HeadGates &gates) const
    {
        const auto batches = m_task.batches(allIds(), m_spec.run);
        std::vector<std::pair<double, std::int64_t>> parts(batches.size());
        m_task.execution().parallelFor(std::ssize(batches), [&](std::int64_t b) {
            const torch::NoGradGuard noGrad;
            m_control.checkpoint();
            const LossBatch loss = m_task.loss(batches[static_cast<std::size_t>(b)], gates);
            parts[static_cast<std::size_t>(b)] = {loss.loss.sum(torch::kFloat64).item<double>(), loss.targetTokens};
        });
        double sum = 0;
        std::int64_t tokens = 0;
        for (const auto &[loss, targets] : parts) { // in a fixed order, so that sums repeat to the last bit
            sum += loss;
            tokens += targets;
        }
        return tokens > 0 ? sum / static_cast<double>(tokens) : 0;
    }

    void update(const TrainedGates &gates, std::uint64_t seed, std::uint64_t fitNumber, torch::Tensor &values)
    {
        const OptimizerConfig adam{.beta2 = 0.999, .epsilon = 1e-8, .clipNorm = 0};
        Optimizer optimizer(adam, values, m_task.execution());
        Random random((seed << 2) + fitNumber);
        std::vector<std::int64_t> order;
        for (std::int64_t step = 0; step < m_spec.steps; ++step) {
            m_control.checkpoint();
            std::vector<std::int64_t> ids;
            const std::int64_t wanted = std::min(m_spec.batchExamples, m_task.size());
            while (std::ssize(ids) < wanted) { // all in turn, in an order of each round's own
                if (order.empty()) {
                    order = allIds();
                    shuffle(order, random);
                }
                ids.push_back(order.back());
                order.pop_back();
            }
            std::vector<torch::Tensor> parts;
            const std::int64_t tokens = gradients(gates, ids, seed, step, values, parts);
            (void)optimizer.step(values, parts, 1 / static_cast<double>(std::max<std::int64_t>(1, tokens)),
                                 m_spec.learningRate);
            const torch::NoGradGuard noGrad;
            gates.constrain(values);
            m_control.progress({kPhaseGates, "updates", ++m_done, m_updates});
        }
    }

    /// Gradients of the summed loss and of the penalty times its tokens, in parts. Returns the tokens.
    std::int64_t gradients(const TrainedGates &gates, const std::vector<std::int64_t> &ids, std::uint64_t seed,
                           std::int64_t step, const torch::Tensor &values, std::vector<torch::Tensor> &parts) const
    {
        const auto batches = m_task.batches(ids, m_spec.run);
        parts.resize(batches.size());
        std::vector<std::int64_t> tokens(batches.size());
        m_task.execution().parallelFor(std::ssize(batches), [&](std::int64_t b) {
            const torch::AutoGradMode withGradients(true);
            m_control.checkpoint();
            const auto at = static_cast<std::size_t>(b);
            const auto leaf = values.detach().clone().requires_grad_(true);
            const LossBatch loss
                = m_task.loss(batches[at], gates.gatesOf(gates.draw(leaf, seed, step).to(m_task.tensorOptions())));
            const auto alone = lockHalfKernels(m_task.tensorOptions());
            parts[at] = torch::autograd::grad({loss.loss.sum()}, {leaf}).front();
            tokens[at] = loss.targetTokens;
        });
        const std::int64_t sum = std::accumulate(tokens.begin(), tokens.end(), std::int64_t{0});
        const torch::AutoGradMode withGradients(true);
        const auto leaf = values.detach().clone().requires_grad_(true);
        parts.push_back(torch::autograd::grad({gates.penalty(leaf) * static_cast<double>(sum)}, {leaf}).front());
        return sum;
    }

    const Task &m_task;
    const GatingSpec &m_spec;
    const JobControl &m_control;
    std::unique_ptr<const TrainedGates> m_free, m_opening, m_closing;
    std::int64_t m_updates = 0;
    std::int64_t m_done = 0;
};

GatedRole roleOf(double facilitates, double interferes, double irrelevant)
{
    if (facilitates >= interferes && facilitates > irrelevant)
        return GatedRole::Facilitating;
    return interferes > irrelevant ? GatedRole::Interfering : GatedRole::Irrelevant;
}

void addHeads(const std::vector<HeadRef> &heads, const std::vector<GatingSeed> &seeds, GatingResult &result)
{
    const auto count = static_cast<double>(seeds.size());
    for (std::size_t i = 0; i < heads.size(); ++i) {
        HeadGating &head = result.heads.emplace_back(HeadGating{heads[i]});
        double squares = 0;
        for (const GatingSeed &seed : seeds) {
            head.opened += seed.opened[i] / count;
            head.closed += seed.closed[i] / count;
            head.irrelevant += seed.opened[i] * (1 - seed.closed[i]) / count;
        }
        head.facilitates = head.closed;
        head.interferes = 1 - head.opened;
        head.role = roleOf(head.facilitates, head.interferes, head.irrelevant);
        for (const GatingSeed &seed : seeds) {
            const double difference = seed.closed[i] - (1 - seed.opened[i]) - head.net();
            squares += difference * difference;
            head.agreement
                += (roleOf(seed.closed[i], 1 - seed.opened[i], seed.opened[i] * (1 - seed.closed[i])) == head.role)
                 / count;
        }
        head.deviation = seeds.size() > 1 ? std::sqrt(squares / (count - 1)) : std::numeric_limits<double>::quiet_NaN();
    }
}

} // namespace

GatingResult gating(const Task &task, const GatingSpec &spec, Manifest manifest, const JobControl &control,
                    const Publish<GatingResult> &publish, const KeptWork &keptWork)
{
    task.requireReferences();
    Gating fits(task, spec, control);
    Fits found;
    KeptSums kept(keptWork);
    std::int64_t done = kept.resume(found, [&](std::int64_t seeds) { return seeds <= spec.seeds; });
    if (done == 0)
        found.loss = fits.wholeLoss();
    const auto result = [&] {
        GatingResult all;
        all.manifest = manifest;
        all.lambda = spec.lambda;
        all.steps = spec.steps;
        all.loss = found.loss;
        all.seeds = found.seeds;
        all.examples = task.size();
        addHeads(fits.heads(), found.seeds, all);
        return all;
    };
    while (done < spec.seeds) {
        found.seeds.push_back(fits.fit(done));
        kept.keep(found, ++done);
        if (publish && done < spec.seeds)
            publish(result());
    }
    return result();
}

GatingResult AnalysisOf<GatingSpec>::compute(const GatingSpec &spec, AnalysisInput &input, Manifest manifest,
                                             const JobControl &control, const Publish<GatingResult> &publish)
{
    const KeptWork kept = input.keptWork(manifest.key());
    return gating(input.data().task, spec, std::move(manifest), control, publish, kept);
}

} // namespace headscope

#include "core/analysis/optimalconstants.h"

#include "core/analysis/throttle.h"
#include "core/analysis/workload.h"
#include "core/engine/engine.h"
#include "core/task/replacements.h"
#include "core/tensor/halfkernels.h"

#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/types.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace headscope {
namespace {

/// A value and its gradient at a point; NaN is no improvement on anything.
struct Slope
{
    double value = 0;
    torch::Tensor gradient; ///< [n], double
};

double dotOf(const torch::Tensor &a, const torch::Tensor &b)
{
    return a.dot(b).item<double>();
}

/// Descent with the curvature that the last steps have shown (Liu and Nocedal 1989).
class Descent
{
public:
    using Evaluate = std::function<Slope(const torch::Tensor &point)>;

    Descent(torch::Tensor from, Slope at) : m_point(std::move(from)), m_slope(std::move(at)) { }

    /// So many evaluations at most; ends sooner where nothing is gained any more.
    void run(const Evaluate &evaluate, std::int64_t evaluations)
    {
        double step
            = 0.1 * (m_point.norm().item<double>() + kSmall) / std::max(m_slope.gradient.norm().item<double>(), kTiny);
        while (evaluations > 0 && m_slope.gradient.norm().item<double>() > kTiny) {
            const auto direction = m_steps.empty() ? -step * m_slope.gradient : -curved(m_slope.gradient);
            const double fall = dotOf(direction, m_slope.gradient);
            double share = 1;
            bool moved = false;
            for (; evaluations > 0 && !moved && share > kTiny; share /= 4) {
                const auto point = m_point + share * direction;
                const Slope there = evaluate(point);
                --evaluations;
                if (there.value <= m_slope.value + kEnough * share * fall) {
                    moved = accept(point, there);
                    step = 2 * share * step;
                }
            }
            if (!moved)
                return;
        }
    }

    const torch::Tensor &point() const { return m_point; }
    double value() const { return m_slope.value; }

private:
    static constexpr double kTiny = 1e-12;
    static constexpr double kSmall = 1e-2;  ///< of a step from nowhere
    static constexpr double kEnough = 1e-4; ///< of the fall that the gradient promises
    static constexpr double kGained = 1e-9; ///< relative; less is rounding
    static constexpr std::size_t kRemembered = 10;

    /// Whether it is worth going on.
    bool accept(const torch::Tensor &point, const Slope &there)
    {
        const auto step = point - m_point;
        const auto turn = there.gradient - m_slope.gradient;
        const bool gained = m_slope.value - there.value > kGained * std::abs(m_slope.value);
        if (dotOf(step, turn) > kTiny * dotOf(step, step)) {
            m_steps.emplace_back(step, turn);
            if (m_steps.size() > kRemembered)
                m_steps.pop_front();
        }
        m_point = point;
        m_slope = there;
        return gained;
    }

    /// The gradient times the inverse curvature, as far as it is known.
    torch::Tensor curved(torch::Tensor gradient) const
    {
        std::vector<double> shares;
        for (auto one = m_steps.rbegin(); one != m_steps.rend(); ++one) {
            shares.push_back(dotOf(one->first, gradient) / dotOf(one->first, one->second));
            gradient = gradient - shares.back() * one->second;
        }
        const auto &[step, turn] = m_steps.back();
        gradient = gradient * (dotOf(step, turn) / dotOf(turn, turn));
        for (const auto &[s, y] : m_steps) {
            gradient = gradient + (shares.back() - dotOf(y, gradient) / dotOf(s, y)) * s;
            shares.pop_back();
        }
        return gradient;
    }

    torch::Tensor m_point;
    Slope m_slope;
    std::deque<std::pair<torch::Tensor, torch::Tensor>> m_steps; ///< and what they changed of the gradient
};

/// The loss without a unit as a function of what stands in its place.
class ConstantLoss
{
public:
    ConstantLoss(const Task &task, const HeadMask &unit, const HeadMask &base, const Contexts &means,
                 const std::vector<std::vector<std::int64_t>> &batches, const JobControl &control)
        : m_task(task), m_variant{unit, Replacement::Optimal}, m_base(base),
          m_place(Recorder::place((*unit.begin()).kind, (*unit.begin()).layer, "context")), m_mean(means.at(m_place)),
          m_batches(batches), m_control(control)
    {
        std::vector<float> own(static_cast<std::size_t>(m_mean.size(0)));
        const auto &heads
            = task.layout().block((*unit.begin()).kind)->layers[static_cast<std::size_t>((*unit.begin()).layer)];
        for (std::size_t h = 0; h < heads.size(); ++h)
            own[h] = unit.isMasked({(*unit.begin()).kind, (*unit.begin()).layer, heads[h]}) ? 1.0F : 0.0F;
        m_own = torch::tensor(own).to(m_mean.device()).unsqueeze(1);
    }

    const std::string &place() const { return m_place; }
    const torch::Tensor &own() const { return m_own; } ///< [H, 1], 1 for the unit's heads
    torch::Tensor start() const { return (m_mean * m_own).to(torch::kCPU, torch::kFloat64).flatten(); }
    torch::Tensor contexts(const torch::Tensor &point) const { return point.view_as(m_mean).to(m_mean.options()); }

    Slope operator()(const torch::Tensor &point) const
    {
        const torch::AutoGradMode withGradients(true);
        Slope slope{0, torch::zeros_like(point)};
        std::int64_t tokens = 0;
        for (const auto &ids : m_batches) {
            m_control.checkpoint();
            const auto constant = contexts(point).detach().requires_grad_(true);
            const Contexts instead{{m_place, constant}};
            const LossBatch batch
                = m_task.loss(ids, gatesFor(m_variant, m_base, m_task.layout(), m_task.tensorOptions(), &instead));
            const auto loss = batch.loss.sum();
            const auto alone = lockHalfKernels(m_task.tensorOptions());
            slope.gradient
                += torch::autograd::grad({loss}, {constant})[0].detach().to(torch::kCPU, torch::kFloat64).flatten();
            slope.value += loss.item<double>();
            tokens += batch.targetTokens;
        }
        const double each = 1.0 / static_cast<double>(std::max<std::int64_t>(1, tokens));
        return {slope.value * each, slope.gradient * each};
    }

private:
    const Task &m_task;
    Variant m_variant;
    const HeadMask &m_base;
    std::string m_place;
    torch::Tensor m_mean, m_own;
    const std::vector<std::vector<std::int64_t>> &m_batches;
    const JobControl &m_control;
};

/// The constant that was found for a unit.
struct FittedConstant
{
    std::vector<double> point; ///< [H·Dh] of its attention
    ConstantFit fit{};
};

/// Units that are done, kept while others are not. Any thread may call it.
class KeptConstants
{
public:
    /// `sizeOf`: of a unit's point; what has another is none of this model's.
    KeptConstants(const KeptWork &kept, const std::vector<HeadRef> &tested,
                  const std::function<std::size_t(const HeadRef &)> &sizeOf)
        : m_kept(kept)
    {
        const auto before = kept.sums();
        if (!before)
            return;
        try {
            for (const HeadRef &head : tested) {
                const auto found = before->find(toText(head));
                if (found == before->end())
                    continue;
                FittedConstant one{found->at("point"), {found->at("mean_loss"), found->at("loss")}};
                if (one.point.size() == sizeOf(head))
                    m_found.emplace(head, std::move(one));
            }
        } catch (const nlohmann::json::exception &) { // damaged: it is found anew
        }
    }

    std::optional<FittedConstant> find(const HeadRef &head) const
    {
        const std::lock_guard lock(m_mutex);
        const auto found = m_found.find(head);
        return found == m_found.end() ? std::nullopt : std::optional(found->second);
    }
    void add(const HeadRef &head, FittedConstant found)
    {
        const std::lock_guard lock(m_mutex);
        m_found[head] = std::move(found);
        m_isNew = true;
        if (m_throttle.isDue())
            write();
    }
    /// When all are done: the sweep that follows takes longer.
    void finish()
    {
        const std::lock_guard lock(m_mutex);
        if (m_isNew)
            write();
    }
    std::int64_t count() const { return std::ssize(m_found); }

private:
    void write()
    {
        if (!m_kept.isKept())
            return;
        nlohmann::json all;
        for (const auto &[known, one] : m_found)
            all[toText(known)] = {{"point", one.point}, {"mean_loss", one.fit.meanLoss}, {"loss", one.fit.loss}};
        m_kept.keepSums(all);
        m_isNew = false;
    }

    const KeptWork &m_kept;
    std::map<HeadRef, FittedConstant> m_found;
    Throttle m_throttle{std::chrono::milliseconds(500)};
    mutable std::mutex m_mutex;
    bool m_isNew = false; ///< something was found that is not written
};

/// Goes down from the mean context. `onStep` hears of every evaluation on the way.
FittedConstant fittedConstant(const ConstantLoss &loss, std::int64_t steps, const std::function<void()> &onStep)
{
    const auto start = loss.start();
    const Slope atMean = loss(start);
    Descent descent(start, atMean);
    const auto evaluate = [&](const torch::Tensor &point) {
        Slope slope = loss(point);
        onStep();
        return slope;
    };
    descent.run(evaluate, steps);
    const auto point = descent.point().contiguous();
    return {{point.data_ptr<double>(), point.data_ptr<double>() + point.numel()}, {atMean.value, descent.value()}};
}

/// The contexts of units, those of one attention in one tensor.
std::shared_ptr<const Contexts> contextsOf(const std::vector<std::pair<std::string, torch::Tensor>> &units)
{
    auto contexts = std::make_shared<Contexts>();
    for (const auto &[place, own] : units) {
        const auto [known, isNew] = contexts->emplace(place, own);
        if (!isNew)
            known->second = known->second + own;
    }
    return contexts;
}

} // namespace

OptimalConstants optimalConstants(const Task &fitted, const AblationSpec &spec, const HeadUnits &units,
                                  const JobControl &control, const KeptWork &kept)
{
    fitted.requireReferences();
    const HeadMask base = units.whole(spec.mask);
    const Contexts &means = fitted.meanContexts(control);
    std::vector<std::int64_t> ids = shuffledExamples(fitted, spec.run);
    ids.resize(std::min(ids.size(), static_cast<std::size_t>(fitExamplesOf(spec))));
    const auto batches = fitted.batches(ids, std::max<std::int64_t>(1, fitted.batchTokens(spec.run) / 2));
    const std::vector<HeadRef> tested = units.firstsWithout(base, {});
    std::vector<ConstantFit> fits(tested.size());
    std::vector<std::pair<std::string, torch::Tensor>> found(tested.size());
    KeptConstants constantsKept(kept, tested, [&](const HeadRef &head) {
        return static_cast<std::size_t>(means.at(Recorder::place(head.kind, head.layer, "context")).numel());
    });
    const std::int64_t steps = fitStepsOf(spec);
    const std::int64_t total = std::ssize(tested) * steps;
    std::atomic<std::int64_t> done = constantsKept.count() * steps;
    control.progress({kPhaseConstants, "steps", done, total});
    fitted.execution().runPieces(std::ssize(tested), [&](std::int64_t u) {
        const auto unit = static_cast<std::size_t>(u);
        const ConstantLoss loss(fitted, units.whole(HeadMask{tested[unit]}), base, means, batches, control);
        const auto known = constantsKept.find(tested[unit]);
        std::int64_t own = 0;
        const FittedConstant constant = known ? *known : fittedConstant(loss, steps, [&] {
            ++own;
            control.progress({kPhaseConstants, "steps", std::min(total, ++done), total});
        });
        if (!known) {
            done += steps - own; // it may have ended sooner
            constantsKept.add(tested[unit], constant);
        }
        fits[unit] = constant.fit;
        found[unit] = {loss.place(), loss.contexts(torch::tensor(constant.point, torch::kFloat64)) * loss.own()};
    });
    constantsKept.finish();
    OptimalConstants constants;
    for (std::size_t unit = 0; unit < tested.size(); ++unit)
        constants.fits[tested[unit]] = fits[unit];
    constants.contexts = contextsOf(found);
    constants.examples = std::ssize(ids);
    return constants;
}

} // namespace headscope

#include "core/analysis/functionsspec.h"

#include "core/analysis/functionprompts.h"
#include "core/analysis/input.h"
#include "core/analysis/pairbootstrap.h"
#include "core/analysis/randomsets.h"
#include "core/metrics/inference.h"
#include "core/metrics/multiplicity.h"
#include "core/task/exampleids.h"
#include "core/task/lasttokenruns.h"

#include <ATen/core/grad_mode.h>
#include <fmt/format.h>
#include <torch/types.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>
#include <mutex>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace headscope {
namespace {

constexpr HeadKind kKind = HeadKind::Decoder;

/// Numbers of all prompts, and whose they are.
struct PromptValues
{
    std::vector<double> values;
    std::vector<std::size_t> tasks;
};

std::vector<double> meansOf(const PromptValues &of, std::size_t tasks)
{
    std::vector<double> sums(tasks, 0);
    std::vector<double> counts(tasks, 0);
    for (std::size_t i = 0; i < of.values.size(); ++i) {
        sums[of.tasks[i]] += of.values[i];
        ++counts[of.tasks[i]];
    }
    for (std::size_t task = 0; task < tasks; ++task)
        sums[task] /= counts[task];
    return sums;
}

/// Prompts of one kind of all tasks, one task after the other.
struct AllPrompts
{
    std::vector<AskedPrompt> prompts;
    std::vector<std::size_t> tasks; ///< of each

    AllPrompts(const std::vector<TaskPrompts> &all, std::vector<AskedPrompt> TaskPrompts::*kind)
    {
        for (std::size_t task = 0; task < all.size(); ++task) {
            for (const AskedPrompt &prompt : all[task].*kind) {
                prompts.push_back(prompt);
                tasks.push_back(task);
            }
        }
    }
    std::size_t size() const { return prompts.size(); }
};

/// Progress that several threads make.
class SharedProgress
{
public:
    SharedProgress(const JobControl &control, const Phase &phase, const char *unit, std::int64_t total)
        : m_control(control), m_phase(phase), m_unit(unit), m_total(total)
    {
        add(0);
    }
    void add(std::int64_t more)
    {
        const std::scoped_lock lock(m_mutex);
        m_done += more;
        m_control.progress(Progress{m_phase, m_unit, m_done, m_total});
    }
    LastTokenRuns::Done listener()
    {
        return [this](std::int64_t more) { add(more); };
    }

private:
    const JobControl &m_control;
    const Phase &m_phase;
    const char *m_unit;
    std::int64_t m_total;
    std::int64_t m_done = 0;
    std::mutex m_mutex;
};

class Functions
{
public:
    Functions(const Transformer &model, const Execution &execution, const std::vector<TaskPrompts> &tasks,
              const FunctionsSpec &spec, const JobControl &control)
        : m_model(model), m_execution(execution), m_tasks(tasks), m_spec(spec), m_control(control),
          m_rowModels(std::shared_ptr<const Transformer>(std::shared_ptr<const void>(), &model), execution)
    {
    }

    FunctionsResult run(Manifest manifest, const Publish<FunctionsResult> &publish)
    {
        const torch::NoGradGuard noGrad;
        FunctionsResult result;
        result.manifest = std::move(manifest);
        result.shots = m_spec.shots;
        result.meanPrompts = m_spec.meanPrompts;
        result.leastEffect = m_spec.leastEffect;
        for (const TaskPrompts &task : m_tasks)
            result.tasks.push_back({.name = task.name,
                                    .pairs = task.pairs,
                                    .heldOut = std::ssize(task.fewShot),
                                    .prompt = task.shownPrompt,
                                    .answer = task.shownAnswer});
        addMeans();
        addEffects(result);
        addAccuracies(result);
        if (publish)
            publish(result);
        addLayers(result);
        addMasking(result);
        return result;
    }

private:
    const StackSpec &stack() const { return *m_model.spec().decoder; }
    const std::vector<HeadRef> &heads() const { return m_model.layout().heads(); }

    std::unique_ptr<LastTokenRuns> runsOf(std::vector<AskedPrompt> prompts, const HeadMask &masked,
                                          LastTokenRuns::Keep keep) const
    {
        return m_spec.run.plain ? plainLastTokenRuns(m_model, m_execution, std::move(prompts), masked, keep, m_control)
                                : lastTokenRuns(m_rowModels.exact(m_spec.run), m_execution, std::move(prompts), masked,
                                                keep, m_control);
    }

    /// Visits prompts in portions whose states fit into half of the memory: (runs, the number of the first of them).
    void inPortions(const std::vector<AskedPrompt> &prompts, const HeadMask &masked, LastTokenRuns::Keep keep,
                    const std::function<void(const LastTokenRuns &, std::size_t first)> &visit) const
    {
        const std::int64_t memory = (m_spec.run.memory > 0 ? m_spec.run.memory : m_execution.memory()) / 2;
        for (std::size_t first = 0; first < prompts.size();) {
            m_control.checkpoint();
            std::size_t end = first;
            for (std::int64_t bytes = 0; end < prompts.size(); ++end) {
                bytes += bytesOfStates(m_model.spec(), std::ssize(prompts[end].ids));
                if (end > first && bytes > memory)
                    break;
            }
            const auto begin = prompts.begin();
            const auto runs = runsOf(
                {begin + static_cast<std::ptrdiff_t>(first), begin + static_cast<std::ptrdiff_t>(end)}, masked, keep);
            requireNumbers(runs->said());
            visit(*runs, first);
            first = end;
        }
    }

    static void requireNumbers(const std::vector<SaidToken> &said)
    {
        if (std::ranges::any_of(said, [](const SaidToken &one) { return !std::isfinite(one.probability); }))
            throw Failure(badInput("The model gives no numbers on the prompts. Is a file damaged?"));
    }

    /// Mean contexts of heads at the last positions of prompts that show a task, and of what the model's norm behind
    /// the output projection, if it has one, makes of them.
    void addMeans()
    {
        const AllPrompts all(m_tasks, &TaskPrompts::means);
        const auto tasks = static_cast<std::int64_t>(m_tasks.size());
        for (int layer = 0; layer < stack().layers(); ++layer) {
            const std::int64_t width = m_model.spec().attention(kKind, layer).width();
            m_means.push_back(torch::zeros({tasks, width}, torch::kFloat64));
            m_written.push_back(torch::zeros({tasks, width}, torch::kFloat64));
        }
        SharedProgress progress(m_control, kPhaseMeanContexts, "prompts", std::ssize(all.prompts));
        constexpr std::size_t kTogether = 32; // heard of one after the other
        for (std::size_t first = 0; first < all.size(); first += kTogether) {
            const std::size_t end = std::min(all.size(), first + kTogether);
            const std::vector<AskedPrompt> own(all.prompts.begin() + static_cast<std::ptrdiff_t>(first),
                                               all.prompts.begin() + static_cast<std::ptrdiff_t>(end));
            inPortions(own, {}, LastTokenRuns::Keep::Contexts, [&](const LastTokenRuns &runs, std::size_t from) {
                for (int layer = 0; layer < stack().layers(); ++layer)
                    addContexts(layer, runs.contexts(kKind, layer),
                                {all.tasks.data() + first + from, runs.said().size()});
            });
            progress.add(static_cast<std::int64_t>(end - first));
        }
        for (int layer = 0; layer < stack().layers(); ++layer) {
            m_means[static_cast<std::size_t>(layer)] /= m_spec.meanPrompts;
            m_written[static_cast<std::size_t>(layer)] /= m_spec.meanPrompts;
        }
    }

    /// `contexts` [prompts, A].
    void addContexts(int layer, const torch::Tensor &contexts, std::span<const std::size_t> tasks)
    {
        const auto divided
            = normsOutput(m_model.spec().norm.placement) ? contexts / divisorsOf(layer, contexts) : contexts;
        for (std::size_t i = 0; i < tasks.size(); ++i) {
            const auto row = static_cast<std::int64_t>(i);
            const auto task = static_cast<std::int64_t>(tasks[i]);
            m_means[static_cast<std::size_t>(layer)][task] += contexts[row];
            m_written[static_cast<std::size_t>(layer)][task] += divided[row];
        }
    }

    /// Divisors of the norm of an attention's output, [prompts, 1].
    torch::Tensor divisorsOf(int layer, const torch::Tensor &contexts) const
    {
        const Linear &out = m_model.attention(kKind, layer).out;
        auto written = torch::matmul(contexts, out.weight.to(torch::kCPU, torch::kFloat64).t());
        if (out.bias.defined())
            written += out.bias.to(torch::kCPU, torch::kFloat64);
        const NormSpec &norm = m_model.spec().norm;
        if (norm.kind != NormKind::Rms)
            written -= written.mean(-1, true);
        return (written.square().mean(-1, true) + norm.epsilon).sqrt();
    }

    void addEffects(FunctionsResult &result)
    {
        const AllPrompts all(m_tasks, &TaskPrompts::effects);
        std::vector<PromptValues> effects(heads().size(), {std::vector<double>(all.size()), all.tasks});
        std::vector<double> before(all.size());
        std::vector<torch::Tensor> contexts;
        for (const torch::Tensor &means : m_means)
            contexts.push_back(means.to(torch::kFloat32));
        SharedProgress progress(m_control, kPhaseFunctionEffects, "runs",
                                std::ssize(all.prompts) * std::ssize(heads()));
        inPortions(all.prompts, {}, LastTokenRuns::Keep::States, [&](const LastTokenRuns &runs, std::size_t first) {
            std::vector<ContextChange> changes;
            const std::size_t prompts = runs.said().size();
            for (const HeadRef &head : heads()) {
                for (std::size_t i = 0; i < prompts; ++i)
                    changes.push_back(
                        {static_cast<std::int64_t>(i), head, static_cast<std::int64_t>(all.tasks[first + i])});
            }
            const std::vector<SaidToken> said = runs.withContexts(changes, contexts, progress.listener());
            requireNumbers(said);
            for (std::size_t i = 0; i < prompts; ++i)
                before[first + i] = runs.said()[i].probability;
            for (std::size_t h = 0; h < heads().size(); ++h) {
                for (std::size_t i = 0; i < prompts; ++i)
                    effects[h].values[first + i] = said[h * prompts + i].probability - runs.said()[i].probability;
            }
        });
        result.examples = std::ssize(all.prompts);
        const PairBootstrap bootstrap = bootstrapOf(all.size());
        result.heads.resize(heads().size());
        m_execution.parallelFor(std::ssize(heads()), [&](std::int64_t i) {
            const auto h = static_cast<std::size_t>(i);
            const auto change = bootstrap.change(effects[h].values);
            HeadFunction &head = result.heads[h];
            head.head = heads()[h];
            head.effect = change.mean;
            head.interval = change.inference.interval;
            head.p = change.inference.p;
            head.tasks = meansOf(effects[h], m_tasks.size());
        });
        adjustDiscoveries(result.heads);
        for (std::size_t h = 0; h < heads().size(); ++h) {
            HeadFunction &head = result.heads[h];
            head.isFunctionHead = head.discoveryP <= kSignificanceLevel && head.effect >= m_spec.leastEffect;
            if (head.isFunctionHead)
                head.evidence = evidenceOf(effects[h], before);
        }
        chooseTop(result);
    }

    FunctionEvidence evidenceOf(const PromptValues &effects, const std::vector<double> &before) const
    {
        const auto at = static_cast<std::size_t>(std::ranges::max_element(effects.values) - effects.values.begin());
        const TaskPrompts &task = m_tasks[effects.tasks[at]];
        const auto first
            = static_cast<std::size_t>(std::ranges::find(effects.tasks, effects.tasks[at]) - effects.tasks.begin());
        const WordPair &asked = task.asked[at - first];
        return {task.name, asked.input, asked.output, before[at], before[at] + effects.values[at]};
    }

    void chooseTop(FunctionsResult &result)
    {
        std::vector<HeadFunction *> order;
        for (HeadFunction &head : result.heads)
            order.push_back(&head);
        std::ranges::stable_sort(order, std::ranges::greater(), [](const HeadFunction *head) { return head->effect; });
        order.resize(std::min(order.size(), static_cast<std::size_t>(m_spec.top)));
        for (HeadFunction *head : order) {
            head->isTop = true;
            m_top.push_back(head->head);
        }
    }

    /// Which prompts are answered rightly, as 1 and 0.
    static std::vector<double> rightOf(const std::vector<SaidToken> &said)
    {
        std::vector<double> right;
        for (const SaidToken &one : said)
            right.push_back(one.isRight ? 1 : 0);
        return right;
    }

    PromptValues rightWithout(const AllPrompts &all, const HeadMask &masked, SharedProgress &progress) const
    {
        PromptValues right{{}, all.tasks};
        inPortions(all.prompts, masked, LastTokenRuns::Keep::Answers, [&](const LastTokenRuns &runs, std::size_t) {
            std::ranges::copy(rightOf(runs.said()), std::back_inserter(right.values));
            progress.add(std::ssize(runs.said()));
        });
        return right;
    }

    void addAccuracies(FunctionsResult &result)
    {
        const AllPrompts fewShot(m_tasks, &TaskPrompts::fewShot);
        SharedProgress progress(m_control, kPhaseFunctionMasks, "prompts", std::ssize(fewShot.prompts));
        m_fewShot = rightWithout(fewShot, {}, progress);
        result.fewShot = accuracyOf(m_fewShot);
        const std::vector<double> ofTasks = meansOf(m_fewShot, m_tasks.size());
        for (std::size_t task = 0; task < m_tasks.size(); ++task)
            result.tasks[task].fewShot = ofTasks[task];
    }

    /// Σ W_O z̄ of the top heads as the stream gets it, task by task [tasks, D].
    torch::Tensor vectors() const
    {
        const TransformerSpec &spec = m_model.spec();
        auto sum = torch::zeros({std::ssize(m_tasks), spec.width}, torch::kFloat64);
        for (const HeadRef &head : m_top) {
            const AttentionSpec &attention = spec.attention(kKind, head.layer);
            const std::int64_t first = attention.columnOf(head.head) * attention.headWidth;
            const auto out = m_model.attention(kKind, head.layer).out.weight.to(torch::kCPU, torch::kFloat64);
            auto written
                = torch::matmul(m_written[static_cast<std::size_t>(head.layer)].narrow(1, first, attention.headWidth),
                                out.narrow(1, first, attention.headWidth).t());
            if (normsOutput(spec.norm.placement)) {
                if (spec.norm.kind != NormKind::Rms)
                    written -= written.mean(-1, true);
                const int place = spec.placeOf(kKind, head.layer);
                written *= m_model.weights().decoder.at(place).outputNorm.weight.to(torch::kCPU, torch::kFloat64);
            }
            sum += written;
        }
        return (sum * spec.residualScale).to(m_model.options());
    }

    void addLayers(FunctionsResult &result)
    {
        const torch::Tensor added = vectors();
        const AllPrompts zeroShot(m_tasks, &TaskPrompts::zeroShot);
        const AllPrompts shuffled(m_tasks, &TaskPrompts::shuffled);
        const int layers = stack().layers();
        SharedProgress progress(m_control, kPhaseFunctionVectors, "runs",
                                layers * (std::ssize(zeroShot.prompts) + std::ssize(shuffled.prompts)));
        std::vector<VectorLayer> found(static_cast<std::size_t>(layers));
        for (int layer = 0; layer < layers; ++layer)
            found[static_cast<std::size_t>(layer)].layer = layer;
        const auto alone = addVector(zeroShot, added, &VectorLayer::zeroShot, found, progress);
        const auto behindShuffled = addVector(shuffled, added, &VectorLayer::shuffled, found, progress);
        result.zeroShot = accuracyOf(alone);
        result.shuffled = accuracyOf(behindShuffled);
        result.learned = differenceOf(m_fewShot, behindShuffled);
        const std::vector<double> ofTasks = meansOf(alone, m_tasks.size());
        const std::vector<double> ofShuffled = meansOf(behindShuffled, m_tasks.size());
        for (std::size_t task = 0; task < m_tasks.size(); ++task) {
            result.tasks[task].zeroShot = ofTasks[task];
            result.tasks[task].shuffled = ofShuffled[task];
        }
        adjustEffects(found);
        result.layers = std::move(found);
    }

    /// Prompts with the vector of their task behind each layer; the answer: which are answered rightly without it.
    PromptValues addVector(const AllPrompts &all, const torch::Tensor &added, VectorEffect VectorLayer::*kind,
                           std::vector<VectorLayer> &layers, SharedProgress &progress) const
    {
        PromptValues without{std::vector<double>(all.size()), all.tasks};
        std::vector<PromptValues> with(layers.size(), without);
        inPortions(all.prompts, {}, LastTokenRuns::Keep::States, [&](const LastTokenRuns &runs, std::size_t first) {
            const std::size_t prompts = runs.said().size();
            std::vector<StreamChange> changes;
            for (const VectorLayer &layer : layers) {
                for (std::size_t i = 0; i < prompts; ++i)
                    changes.push_back(
                        {static_cast<std::int64_t>(i), layer.layer, static_cast<std::int64_t>(all.tasks[first + i])});
            }
            const auto said = rightOf(runs.withVectors(changes, added, progress.listener()));
            const auto before = rightOf(runs.said());
            std::ranges::copy(before, without.values.begin() + static_cast<std::ptrdiff_t>(first));
            for (std::size_t layer = 0; layer < layers.size(); ++layer)
                std::copy_n(said.begin() + static_cast<std::ptrdiff_t>(layer * prompts), prompts,
                            with[layer].values.begin() + static_cast<std::ptrdiff_t>(first));
        });
        const PairBootstrap bootstrap = bootstrapOf(all.size());
        m_execution.parallelFor(std::ssize(layers), [&](std::int64_t i) {
            const PromptValues &right = with[static_cast<std::size_t>(i)];
            const auto change = bootstrap.change(differences(right.values, without.values));
            VectorEffect &effect = layers[static_cast<std::size_t>(i)].*kind;
            effect.accuracy = meanOf(right.values);
            effect.change = change.mean;
            effect.interval = change.inference.interval;
            effect.p = change.inference.p;
            effect.tasks = meansOf(right, m_tasks.size());
        });
        return without;
    }

    static void adjustEffects(std::vector<VectorLayer> &layers)
    {
        std::vector<VectorEffect *> effects;
        for (VectorLayer &layer : layers)
            effects.insert(effects.end(), {&layer.zeroShot, &layer.shuffled});
        adjustDiscoveries(effects);
    }

    void addMasking(FunctionsResult &result) const
    {
        const AllPrompts all(m_tasks, &TaskPrompts::fewShot);
        const std::vector<HeadMask> sets
            = randomSetsBeside(m_model.layout(), HeadMask(m_top), m_spec.sets, m_spec.run.seed);
        SharedProgress progress(m_control, kPhaseFunctionMasks, "prompts",
                                std::ssize(all.prompts) * (std::ssize(sets) + 1));
        const PromptValues top = rightWithout(all, HeadMask(m_top), progress);
        PromptValues random{std::vector<double>(all.size(), 0), all.tasks};
        for (const HeadMask &set : sets) {
            const PromptValues right = rightWithout(all, set, progress);
            for (std::size_t i = 0; i < all.size(); ++i)
                random.values[i] += right.values[i] / static_cast<double>(sets.size());
        }
        FunctionMasking &masking = result.masking.emplace();
        masking.full = accuracyOf(m_fewShot);
        masking.top = accuracyOf(top);
        masking.random = accuracyOf(random);
        masking.sets = std::ssize(sets);
        masking.difference = differenceOf(top, random);
    }

    AccuracyDifference differenceOf(const PromptValues &a, const PromptValues &b) const
    {
        const auto change = bootstrapOf(a.values.size()).change(differences(a.values, b.values));
        return {change.mean, change.inference.interval, change.inference.p};
    }

    static std::vector<double> differences(const std::vector<double> &a, const std::vector<double> &b)
    {
        std::vector<double> values;
        std::ranges::transform(a, b, std::back_inserter(values), std::minus());
        return values;
    }
    static double meanOf(const std::vector<double> &values)
    {
        return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
    }

    PromptAccuracy accuracyOf(const PromptValues &right) const
    {
        const PatchScore share = bootstrapOf(right.values.size()).share(right.values);
        return {share.score, share.interval};
    }
    PairBootstrap bootstrapOf(std::size_t prompts) const { return {prompts, m_spec.resamples, m_spec.run.seed}; }

    const Transformer &m_model;
    const Execution &m_execution;
    const std::vector<TaskPrompts> &m_tasks;
    const FunctionsSpec &m_spec;
    const JobControl &m_control;
    RowModels m_rowModels;
    std::vector<torch::Tensor> m_means;   ///< by layer [tasks, A], double
    std::vector<torch::Tensor> m_written; ///< the same, as the norm of an attention's output leaves them
    std::vector<HeadRef> m_top;
    PromptValues m_fewShot; ///< which prompts are answered rightly behind examples
};

} // namespace

FunctionsResult AnalysisOf<FunctionsSpec>::compute(const FunctionsSpec &spec, AnalysisInput &input, Manifest manifest,
                                                   const JobControl &control, const Publish<FunctionsResult> &publish)
{
    const Transformer &model = input.model();
    if (!model.spec().saysTokens() || model.spec().encoder)
        throw Failure(
            usageError("Function vectors are looked for in causal language models, which go on with a prompt; "
                       "this model is none."));
    if (!input.tokenizer())
        throw Failure(tokenizerMissing());
    std::vector<TaskPrompts> tasks;
    for (const WordTask &task : readTasks(spec.tasks, control))
        tasks.push_back(taskPrompts(task, spec, model.spec(), *input.tokenizer(), control));
    return Functions(model, input.execution(), tasks, spec, control).run(std::move(manifest), publish);
}

std::string AnalysisOf<FunctionsSpec>::contents(const FunctionsSpec &spec, const JobControl &control)
{
    std::string hashes;
    for (const WordTask &task : readTasks(spec.tasks, control))
        hashes += (hashes.empty() ? "" : ",") + task.name + ':' + task.hash;
    return hashes;
}

namespace {
std::int64_t heldOutOf(const FunctionsResult &result)
{
    std::int64_t pairs = 0;
    for (const FunctionTask &task : result.tasks)
        pairs += task.heldOut;
    return pairs;
}
} // namespace

std::vector<std::string> AnalysisOf<FunctionsSpec>::remarks(const FunctionsResult &result)
{
    if (!result.layers.empty() && !(result.learned.difference > 0 && result.learned.p <= kSignificanceLevel))
        return {fmt::format(
            "Behind right examples {:.0f} % of the held-out pairs are answered rightly, behind shuffled ones {:.0f} %: "
            "with {} pairs it cannot be told that the model learns these tasks from examples, and so neither that heads "
            "carry them.",
            100 * result.fewShot.accuracy, 100 * result.shuffled.accuracy, heldOutOf(result))};
    return {};
}

} // namespace headscope

#include "core/analysis/workload.h"

#include "core/analysis/analyses.h"
#include "core/analysis/confidencespec.h"
#include "core/analysis/evaluationspec.h"
#include "core/analysis/interactionsspec.h"
#include "core/analysis/searchspec.h"
#include "core/results/headorder.h"
#include "core/results/pruningresult.h"

#include <algorithm>
#include <set>
#include <type_traits>
#include <utility>
#include <variant>

namespace headscope {

namespace {

/// Heads that can be removed, kinds together or each by itself.
std::vector<std::int64_t> candidatesOf(const PruningSpec &spec, const HeadLayout &layout)
{
    std::vector<std::int64_t> found;
    const auto add = [&](const std::vector<HeadKind> &kinds) {
        found.push_back(std::ssize(restrictOrder(layout.heads(), kinds, spec.atLeastPerLayer)));
    };
    if (!spec.eachKind) {
        add(spec.kinds);
        return found;
    }
    for (const HeadLayout::Block &block : layout.blocks()) {
        if (spec.kinds.empty() || std::ranges::find(spec.kinds, block.kind) != spec.kinds.end())
            add({block.kind});
    }
    return found;
}

/// Masks of a curve's points, the whole model among them.
std::int64_t pointsOf(std::int64_t candidates, std::int64_t step, StepRounding rounding)
{
    return std::ssize(pruningSchedule(candidates, step, rounding));
}

std::vector<Workload> workOf(const PruningSpec &spec, const HeadLayout &layout, std::int64_t examples,
                             std::int64_t other)
{
    Workload curves{MaskCost::ManyHeads, 0};
    Workload choosing{MaskCost::OneHead, 0};
    const std::int64_t orders = spec.order == "random" ? std::max<std::int64_t>(1, spec.randomOrders) : 1;
    for (const std::int64_t candidates : candidatesOf(spec, layout)) {
        curves.examples += (1 + orders * (pointsOf(candidates, spec.step, spec.rounding) - 1)) * examples;
        if (spec.order != "greedy")
            continue;
        const auto rounds = pruningSchedule(candidates, std::max<std::int64_t>(1, spec.greedyStep));
        for (std::size_t i = 0; i + 1 < rounds.size(); ++i)
            choosing.examples += (candidates - rounds[i] + 1) * (spec.orderOnOther ? other : examples);
        curves.examples += std::ssize(rounds) * examples; // shown step by step
    }
    if (choosing.examples == 0)
        return {curves};
    return {choosing, curves};
}

/// Layers with heads, each kind of attention by itself.
std::int64_t layersOf(const HeadLayout &layout)
{
    std::set<std::pair<HeadKind, int>> layers;
    for (const HeadRef &head : layout.heads())
        layers.emplace(head.kind, head.layer);
    return std::ssize(layers);
}

template<typename Spec>
std::vector<Workload> workOf(const Spec &spec, const HeadLayout &layout, std::int64_t examples,
                             [[maybe_unused]] std::int64_t other)
{
    if constexpr (std::is_same_v<Spec, EvaluationSpec>)
        return {{MaskCost::Whole, examples * (spec.against ? 2 : 1)}};
    else if constexpr (std::is_base_of_v<AblationSpec, Spec>)
        return {{MaskCost::OneHead, (layout.size() + 1) * examples}};
    else if constexpr (std::is_same_v<Spec, SearchSpec>) {
        constexpr std::int64_t kMasks = 3; // of every budget
        const std::int64_t candidates = std::ssize(restrictOrder(layout.heads(), spec.kinds, 0));
        const std::int64_t budgets = pointsOf(candidates, spec.step, spec.rounding);
        const std::int64_t sampled = spec.searchOnOther ? other : examples;
        const std::int64_t samples = spec.samples > 0 ? std::min(spec.samples, sampled) : sampled;
        // Factors are found layer by layer, with and without the masks: about half of the layers of a budget lose
        // nothing, or come behind one without a solution.
        return {{MaskCost::ManyHeads, (1 + kMasks * budgets) * examples},
                {MaskCost::Whole, budgets * layersOf(layout) * samples, true}};
    } else if constexpr (std::is_same_v<Spec, InteractionsSpec>) {
        const auto among = parseHeadMask(spec.among);
        const std::int64_t named = among.isOk() ? among.value().size() : 0;
        const std::int64_t heads = named > 0 ? named : std::ssize(restrictOrder(layout.heads(), spec.kinds, 0));
        const std::int64_t pairs = std::min(spec.most, heads * (heads - 1) / 2);
        const std::int64_t triples = spec.triples ? heads * (heads - 1) * (heads - 2) / 6 : 0;
        return {{MaskCost::OneHead, (1 + heads) * examples}, {MaskCost::ManyHeads, (pairs + triples) * examples}};
    } else {
        return {};
    }
}

} // namespace

std::vector<Workload> workloadOf(const AnySpec &any, const HeadLayout &layout, std::int64_t examples,
                                 std::int64_t other)
{
    return any.visit([&](const auto &spec) { return workOf(spec, layout, examples, other); });
}

HeadLayout keyGroupsOf(const ModelCard &model)
{
    if (model.keyGroups.empty())
        return {};
    std::vector<HeadLayout::Block> blocks = model.layout.blocks();
    const std::set<HeadRef> firsts(model.keyGroups.begin(), model.keyGroups.end());
    for (HeadLayout::Block &block : blocks) {
        for (int layer = 0; layer < std::ssize(block.layers); ++layer)
            std::erase_if(block.layers[static_cast<std::size_t>(layer)], [&](int head) {
                return !firsts.contains({block.kind, layer, head});
            });
    }
    return HeadLayout(std::move(blocks));
}

HeadLayout unitsOf(const AnySpec &any, const ModelCard &model)
{
    const bool byGroup = !model.keyGroups.empty() && any.visit([](const auto &spec) {
        if constexpr (requires { spec.by; })
            return spec.by == HeadUnit::KeyGroup;
        else
            return false;
    });
    return byGroup ? keyGroupsOf(model) : model.layout;
}

AnySpec pilotOf(const Workload &work, const RunOptions &run)
{
    constexpr std::int64_t kResamples = 1;
    if (work.isPass)
        return ConfidenceSpec{.run = run};
    if (work.cost == MaskCost::ManyHeads)
        return PruningSpec{.run = run, .order = "random", .randomOrders = 1, .resamples = kResamples};
    return AblationSpec{.run = run, .resamples = kResamples};
}

std::optional<NeededSweep> neededFor(const AnySpec &any)
{
    const auto pruning = any.as<PruningSpec>();
    if (!pruning || pruning->order != "ablation")
        return std::nullopt;
    return NeededSweep{sweepOf(*pruning), pruning->orderOnOther};
}

} // namespace headscope

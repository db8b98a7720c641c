#include "core/model/experts.h"

#include "core/model/transformer.h"

#include <torch/types.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

namespace headscope {

bool hasExperts(const TransformerSpec &spec)
{
    return std::ranges::any_of(kBothSides, [&](Side side) {
        return spec.stack(side) && std::ranges::any_of(spec.stack(side)->subLayers, [](const SubLayer &sub) {
                   return sub.feedForward() && sub.feedForward()->experts;
               });
    });
}

torch::Tensor gatedColumns(const FeedForwardSpec &spec, const torch::Tensor &gate, const torch::Tensor &in)
{
    if (spec.limit == 0)
        return activate(gate, spec.activation) * in;
    return activate(gate.clamp_max(spec.limit), spec.activation) * (in.clamp(-spec.limit, spec.limit) + 1);
}

torch::Tensor throughFeedForward(const FeedForwardSpec &spec, const FeedForwardWeights &weights, const torch::Tensor &x)
{
    torch::Tensor output;
    if (spec.width > 0) {
        const auto in = weights.in(x);
        output = weights.out(spec.gated ? gatedColumns(spec, weights.gate(x), in) : activate(in, spec.activation));
    }
    if (!spec.experts)
        return output;
    if (weights.sharedGate.weight.defined())
        output = torch::sigmoid(weights.sharedGate(x)) * output;
    const auto rows = x.reshape({-1, x.size(-1)});
    const FeedForwardSpec expert = spec.expert();
    const auto mixed
        = mixedExperts(chosenExperts(*spec.experts, weights.router(rows)), spec.experts->count, rows,
                       [&](std::int64_t e, const torch::Tensor &own) {
                           return throughFeedForward(expert, weights.experts[static_cast<std::size_t>(e)], own);
                       })
              .view(x.sizes());
    return output.defined() ? mixed + output : mixed;
}

ExpertChoice chosenExperts(const Experts &experts, const torch::Tensor &scores)
{
    const auto wide = scores.scalar_type() == torch::kFloat64 ? scores : scores.to(torch::kFloat32);
    const auto [best, chosen] = wide.topk(experts.chosen, -1);
    const auto weights = experts.normalized ? torch::softmax(best, -1) : torch::softmax(wide, -1).gather(-1, chosen);
    return {chosen, weights.to(scores.scalar_type())};
}

RowsByExpert::RowsByExpert(const ExpertChoice &choice, std::int64_t experts)
{
    const auto flat = choice.experts.flatten();
    const auto order = flat.argsort(/*stable=*/true, 0, /*descending=*/false);
    rows = torch::floor_divide(order, choice.experts.size(1));
    back = torch::empty_like(order).scatter_(0, order, torch::arange(order.size(0), order.options()));
    const auto counts = torch::bincount(flat, {}, experts).cpu();
    begin.push_back(0);
    for (std::int64_t e = 0; e < experts; ++e)
        begin.push_back(begin.back() + counts.data_ptr<std::int64_t>()[e]);
}

torch::Tensor mixedExperts(const ExpertChoice &choice, std::int64_t experts, const torch::Tensor &x,
                           const std::function<torch::Tensor(std::int64_t expert, const torch::Tensor &rows)> &through)
{
    if (x.size(0) == 0)
        return torch::zeros_like(x);
    const RowsByExpert sorted(choice, experts);
    const auto read = x.index_select(0, sorted.rows);
    std::vector<torch::Tensor> parts;
    for (std::int64_t e = 0; e < experts; ++e) {
        const auto place = static_cast<std::size_t>(e);
        const std::int64_t count = sorted.begin[place + 1] - sorted.begin[place];
        if (count > 0)
            parts.push_back(through(e, read.narrow(0, sorted.begin[place], count)));
    }
    const auto outputs = torch::cat(parts).index_select(0, sorted.back).view({x.size(0), -1, parts.front().size(1)});
    return (outputs * choice.weights.to(outputs.scalar_type()).unsqueeze(-1)).sum(1);
}

torch::Tensor attentionWeights(const torch::Tensor &scores, const torch::Tensor &sinks)
{
    if (!sinks.defined())
        return torch::softmax(scores, -1);
    auto sizes = scores.sizes().vec();
    sizes.back() = 1;
    const auto column = sinks.to(scores.scalar_type()).view({-1, 1, 1}).expand(sizes);
    return torch::softmax(torch::cat({scores, column}, -1), -1).narrow(-1, 0, scores.size(-1));
}

} // namespace headscope

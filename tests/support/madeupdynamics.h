#pragma once

#include "core/results/dynamicsresult.h"
#include "tests/support/madeupstudy.h"

#include <cmath>
#include <cstdint>
#include <memory>
#include <string>

/// A made-up result of heads over training, for tests of views: as Michel et al.'s Figure 5, the numbers come from
/// formulas.
namespace headscope::madeup {

/// Epochs 0, 1, 2, 4, 8 … as many as `checkpoints`: heads become redundant over time.
inline std::shared_ptr<const DynamicsResult> dynamics(int checkpoints = 7, bool out = false)
{
    auto result = std::make_shared<DynamicsResult>();
    result->manifest = manifest("dynamics", out);
    result->manifest.spec = R"({"runs":"/runs/small"})";
    result->metric = "BLEU";
    result->orderData = result->manifest.data;
    result->examples = result->manifest.totalExamples;
    const HeadLayout layout = madeup::layout();
    for (int i = 0; i < checkpoints; ++i) {
        const std::int64_t number = i == 0 ? 0 : std::int64_t{1} << (i - 1);
        DynamicsCheckpoint checkpoint;
        checkpoint.name = "epoch-" + std::string(number < 10 ? "00" : "0") + std::to_string(number);
        checkpoint.number = number;
        checkpoint.score = i == 0 ? 0 : 40 * (1 - std::exp(-0.4 * static_cast<double>(number)));
        const double knee = 0.1 + 0.08 * i;
        for (const HeadRef &head : layout.heads()) {
            const double worth = noise(head, 1 + i / 3);
            checkpoint.heads.push_back(
                {head, worth, -2 * worth * checkpoint.score / 40, 0.2 + 0.1 * i * noise(head, 9)});
        }
        for (int step = 0; step <= 10; ++step) {
            const double share = step / 10.0;
            const double left = step == 0 ? 1 : 1 / (1 + std::exp(9 * (share - knee - 0.25)));
            DynamicsPoint point{layout.size() * step / 10, share, checkpoint.score * left};
            if (checkpoint.score > 0)
                point.relative = left;
            checkpoint.curve.push_back(point);
        }
        result->checkpoints.push_back(std::move(checkpoint));
    }
    return result;
}

/// The same with roles (the first head of a layer copies), the spread of every layer, and two closed heads at the end.
inline std::shared_ptr<const DynamicsResult> dynamicsWithRoles()
{
    auto result = std::make_shared<DynamicsResult>(*dynamics());
    for (DynamicsCheckpoint &checkpoint : result->checkpoints) {
        for (DynamicsHead &head : checkpoint.heads) {
            if (head.head.head == 0)
                head.roles = {
                    {.role = Role::Copy, .offset = 0, .relation = {}, .score = 0.8, .expected = 0.1, .instances = 900}};
        }
        const HeadLayout all = madeup::layout();
        for (const HeadLayout::Block &block : all.blocks()) {
            for (int layer = 0; layer < static_cast<int>(block.layers.size()); ++layer)
                checkpoint.spreads.push_back(
                    {block.kind, layer, 8, 0.1 + 0.02 * layer + 0.05 * noise({block.kind, layer, 0}, 3), {}});
        }
    }
    result->checkpoints.back().closed = {{HeadKind::Encoder, 0, 1}, {HeadKind::Encoder, 0, 2}};
    return result;
}

} // namespace headscope::madeup

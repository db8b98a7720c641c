#pragma once

#include "core/base/headref.h"
#include "core/train/trainingreport.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <string>

/// A made-up training run, for tests of views: it looks like a real one, the numbers come from formulas.
namespace headscope::madeup {

inline constexpr std::int64_t kUpdatesPerEpoch = 200;

/// After `updates` of 20 epochs; the best of the epochs is the tenth.
inline TrainingReport run(std::int64_t updates, const std::filesystem::path &folder = "/runs/small")
{
    TrainingReport report;
    report.state = updates < 20 * kUpdatesPerEpoch ? TrainingState::Running : TrainingState::Finished;
    report.folder = folder;
    report.parameters = 9'400'000;
    report.trainExamples = 29'000;
    report.step = updates;
    report.totalSteps = 20 * kUpdatesPerEpoch;
    report.device = "cpu";
    report.dtype = "bf16";
    for (std::int64_t step = 20; step <= updates; step += 20) {
        const double epoch = static_cast<double>(step) / kUpdatesPerEpoch;
        const double noise = 0.05 * std::sin(7.0 * epoch);
        const double loss = 1.35 + 7.2 * std::exp(-1.5 * epoch) + 0.9 * std::exp(-epoch / 5) + noise;
        report.points.push_back({step, epoch, loss, 1.2, 1e-3, 12'500});
    }
    for (std::int64_t epoch = 1; epoch * kUpdatesPerEpoch <= updates; ++epoch) {
        TrainingEpoch entry;
        const auto x = static_cast<double>(epoch);
        entry.epoch = epoch;
        entry.step = epoch * kUpdatesPerEpoch;
        entry.trainLoss = 1.35 + 0.9 * std::exp(-x / 5);
        entry.validationLoss = 1.18 + 1.9 * std::exp(-0.55 * x) + 0.012 * std::max(0.0, x - 9);
        entry.score = 42 * (1 - std::exp(-0.35 * x)) - 0.6 * std::max(0.0, x - 9);
        entry.seconds = 183 * x;
        entry.folder = "epoch-0" + std::string(epoch < 10 ? "0" : "") + std::to_string(epoch);
        report.epochs.push_back(entry);
        if (!report.bestEpoch || *entry.score > *report.epochs[*report.bestEpoch].score)
            report.bestEpoch = report.epochs.size() - 1;
    }
    return report;
}

/// The same with gates of 3 encoder layers of 4 heads, of which those of even numbers close one after the other.
inline TrainingReport runWithGates(std::int64_t updates, const std::filesystem::path &folder = "/runs/gates")
{
    TrainingReport report = run(updates, folder);
    const auto closed = [](const HeadRef &head, std::int64_t step) {
        const double when = 400.0 * (1 + head.layer) + 100.0 * head.head;
        return head.head % 2 == 0 ? 1 / (1 + std::exp((when - static_cast<double>(step)) / 60)) : 0.02;
    };
    const auto eachHead = [](auto use) {
        for (int layer = 0; layer < 3; ++layer) {
            for (int head = 0; head < 4; ++head)
                use(HeadRef{HeadKind::Encoder, layer, head});
        }
    };
    for (TrainingPoint &point : report.points)
        eachHead([&](const HeadRef &head) { point.closed[head] = closed(head, point.step); });
    for (TrainingEpoch &epoch : report.epochs) {
        epoch.mask = HeadMask();
        eachHead([&](const HeadRef &head) { epoch.mask->set(head, closed(head, epoch.step) > 0.5); });
    }
    return report;
}

} // namespace headscope::madeup

#pragma once

#include "core/results/reportcontents.h"
#include "tests/support/madeupstudy.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

/// A report's contents of the made-up translation study, for tests of what is written from them.
namespace headscope::madeup {

inline AblationResult sweep(bool out, bool allButOne = false)
{
    AblationResult result = *ablation(out);
    result.resamples = 10000;
    result.allButOne = allButOne;
    for (HeadAblation &head : result.heads)
        head.discoveryP = std::min(1.0, head.p * 4);
    return result;
}

/// A curve that falls from `whole` by a straight line to `end`, ± `half`.
inline PruningCurve straightCurve(const char *order, double whole, double end, double half, std::int64_t heads)
{
    PruningCurve curve;
    curve.order = order;
    curve.candidates = heads;
    for (int step = 0; step <= 10; ++step) {
        const double share = step / 10.0;
        const double score = whole + share * (end - whole);
        const auto pruned = std::llround(share * static_cast<double>(heads));
        const double delta = score - whole;
        curve.points.push_back({pruned,
                                share,
                                score,
                                {score - half, score + half},
                                {},
                                {},
                                PairedTest{{delta - half, delta + half}, 0.5, 10}});
    }
    return curve;
}

inline PruningResult eachKind(bool out)
{
    PruningResult result;
    result.manifest = manifest("prune", out);
    result.metric = "BLEU";
    result.examples = result.manifest.examples;
    for (const HeadKind kind : kAllHeadKinds) {
        result.curves.push_back(straightCurve("importance", 50, kind == HeadKind::Cross ? 2 : 30, 1, 32));
        result.curves.back().kinds = {kind};
    }
    return result;
}

inline SpeedResult speed(double gain)
{
    SpeedResult result;
    result.manifest = manifest("speed", false);
    result.manifest.device = "cpu";
    result.tokenUnit = "generated tokens";
    result.threads = 2;
    result.repeats = 3;
    result.examples = 64;
    result.heads = 96;
    result.headsLeft = 48;
    for (const std::int64_t size : {1, 64}) {
        for (const ModelVersion contender : kModelVersions) {
            SpeedRow row;
            row.batchSize = size;
            row.contender = contender;
            row.seconds = {1, 1, 1};
            const double more = contender == ModelVersion::Removed ? gain : 0.0;
            row.gain = Spread::of({more, more + 0.01, more - 0.01});
            row.examplesPerSecond = Spread::of({64 * (1 + more), 65 * (1 + more), 63 * (1 + more)});
            result.rows.push_back(row);
        }
    }
    return result;
}

inline ReportContents report()
{
    ReportContents contents;
    contents.model = "models/a <b>\"model\"</b> & more";
    contents.family = "marian";
    contents.task = "translation";
    contents.parameters = 9'400'000;
    contents.layout = layout();
    contents.command = "headscope-cli report --model 'models/a <b>'";
    for (const bool out : {false, true}) {
        ReportDomain domain;
        domain.name = out ? "<out> & \"far\"" : "flickr";
        domain.out = out;
        domain.rows = out ? 461 : 1000;
        domain.ablation = sweep(out);
        domain.allButOne = sweep(out, true);
        domain.importance = *importance(out);
        domain.pruning = {*pruning("importance", out), *pruning("ablation", out), *pruning("random", out, 10)};
        domain.kinds = eachKind(out);
        contents.domains.push_back(std::move(domain));
    }
    for (ReportDomain &domain : contents.domains)
        domain.bestHeads = bestHeads(contents.domains[domain.out ? 0 : 1].allButOne, domain.allButOne).value();
    contents.ablationAgreement = comparison();
    contents.ablationAgreement->a.name = contents.domains[0].name;
    contents.ablationAgreement->b.name = contents.domains[1].name;
    contents.ablationAgreement->metric = "BLEU";
    contents.speed = speed(0.2);
    return contents;
}

} // namespace headscope::madeup

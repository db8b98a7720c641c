#pragma once

#include "core/base/headref.h"
#include "core/results/fields.h"
#include "core/results/manifest.h"

#include <cstdint>
#include <string>
#include <vector>

namespace headscope {

/// McNemar's table of a head: the examples by whether the model has them right with the head and without it.
struct HeadContingency
{
    HeadRef head;
    std::int64_t bothRight = 0;
    std::int64_t lost = 0;   ///< right with the head, wrong without it
    std::int64_t gained = 0; ///< the other way round
    std::int64_t bothWrong = 0;
    double p = 1;                             ///< McNemar's exact test, two-sided: lost and gained are equally likely
    double pAdjusted = 1;                     ///< Holm over all heads of the result
    double pDiscovery = 1;                    ///< Benjamini–Hochberg over all heads of the result
    std::vector<std::int64_t> lostExamples{}; ///< rows of the data set, ascending; if asked for
    std::vector<std::int64_t> gainedExamples{};
};

struct ContingencyResult
{
    static constexpr const char *kKind = "mcnemar";
    Manifest manifest;
    std::string metric;     ///< by which examples are right or wrong
    std::int64_t right = 0; ///< that the full model has right
    std::vector<HeadContingency> heads;
    std::int64_t examples = 0;
};

void describe(auto &visit, Of<HeadContingency> auto &head)
{
    visit.field("head", head.head, "the one removed");
    visit.field("both_right", head.bothRight, "examples right with and without it");
    visit.field("lost", head.lost, "right with it only");
    visit.field("gained", head.gained, "right without it only");
    visit.field("both_wrong", head.bothWrong, "wrong either way");
    visit.field("p", head.p, "McNemar's exact test, two-sided");
    visit.field("p_adjusted", head.pAdjusted, "Holm over all heads");
    visit.field("p_bh", head.pDiscovery, "Benjamini–Hochberg over all heads");
    visit.rare("lost_examples", head.lostExamples, "rows of the data set, if asked for");
    visit.rare("gained_examples", head.gainedExamples, "rows of the data set, if asked for");
}

void describe(auto &visit, Of<ContingencyResult> auto &result)
{
    visit.field("metric", result.metric, "by which examples are right or wrong");
    visit.added("examples", result.examples, "used");
    visit.field("right", result.right, "those that the full model has right");
    visit.field("heads", result.heads, "one each");
    visit.field("manifest", result.manifest, "where the result comes from");
}

} // namespace headscope

#pragma once

#include "core/analysis/analysisinfo.h"
#include "core/base/headref.h"
#include "core/base/headunit.h"
#include "core/base/jobcontrol.h"
#include "core/base/phase.h"
#include "core/base/ranges.h"
#include "core/results/neededresult.h"
#include "core/task/runoptions.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace headscope {

/// Which heads keep the output of one example, and which change it.
struct NeededSpec
{
    RunOptions run{};
    HeadMask mask{}; ///< heads off throughout
    std::optional<std::int64_t> example{};
    HeadUnit by = HeadUnit::Head;
    std::vector<HeadKind> kinds{}; ///< whose heads are left out; empty: all
    Replacement replacement = Replacement::Zero;
    std::optional<std::int64_t> token{}; ///< of a language model: the guess that counts; negative: from the end
    std::int64_t orders = 1;
    std::int64_t most = 2000;
};

template<typename Visitor>
void describe(Visitor &visit, NeededSpec &spec)
{
    constexpr std::int64_t kFarthest = 1'000'000;
    visit.mask("mask", spec.mask);
    visit.integer("example", spec.example, IntegerRange{0}, "The row of the data set, counted from 0");
    visit.choice("by", spec.by,
                 "The unit that is left out at a time: a head, or all heads that share a key-value head");
    visit.choices("kinds", spec.kinds, "Whose heads may be left out; all others stay (default: all)");
    visit.choice("replace", spec.replacement,
                 "Replacement of a removed head's context: zero, or mean, over the data set");
    visit.integer(
        "token", spec.token, IntegerRange{-kFarthest, kFarthest},
        "For a language model: only its guess of this token counts (0: the first one that is guessed; -1: the "
        "last), not those of all");
    visit.integer("orders", spec.orders, IntegerRange{1, kMostRepeats},
                  "Sets looked for: the first leaves those heads out first that change least by themselves, the others "
                  "take random orders");
    visit.integer(
        "most", spec.most, IntegerRange{0, 1'000'000},
        "Smaller sets that are tried, as far as all of a size are no more than this, to prove that no part of "
        "a set would do, and that no smaller set would; and to find a set that changes the output where --orders find "
        "none: all sets, small ones first");
}

// parts of the work
inline constexpr Phase kPhaseNeeded{"running the example without heads"};

template<>
struct AnalysisOf<NeededSpec>
{
    using Result = NeededResult;
    static constexpr std::array kPhases{kPhaseNeeded};
    static constexpr AnalysisInfo kInfo{
        .name = "needed",
        .summary = "Find the few heads that keep one example's output, and the few without which it changes",
        .footer
        = "Needs --example. The result: \"sets\", each with goal (keep: with these heads alone the output stays; flip: "
          "without\n"
          "them it is another), heads, output, and proof: no-one (no single head can be left out of the set), no-part (no "
          "part\n"
          "of it would do) or smallest (no smaller set of heads would). \"heads\": whether the output changes without one\n"
          "alone, and in how many sets it is. --format csv: a line per head.",
        .group = CommandGroup::Needed,
        .example = "needed --model MODEL_DIR --source test.en --reference test.fr --example 12",
        .needsReferences = false};
    static std::vector<std::string> remarks(const NeededResult &result); ///< goals without a set, sets without heads
    /// Throws Failure (usage) without an example, and for --replace resample.
    static void check(const NeededSpec &spec);
    static NeededResult compute(const NeededSpec &spec, AnalysisInput &input, Manifest manifest,
                                const JobControl &control, const Publish<NeededResult> &publish);
};

} // namespace headscope

#pragma once

#include "core/base/enumnames.h"
#include "core/base/headref.h"
#include "core/base/headunit.h"
#include "core/results/fields.h"
#include "core/results/manifest.h"
#include "core/results/results.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// The heads that the output of one example needs.
namespace headscope {

enum class NeededGoal : std::uint8_t {
    Keep, ///< with these heads alone, all others removed, the output stays
    Flip, ///< without these heads alone the output is another
};
template<>
struct EnumNames<NeededGoal>
{
    static constexpr std::array<std::string_view, 2> values{"keep", "flip"};
    static constexpr const char *what = "goal";
};

/// The proof for a set of heads: each includes those before it.
enum class MinimalityProof : std::uint8_t {
    NoOne,    ///< no single head of the set can be left out
    NoPart,   ///< no part of it would do
    Smallest, ///< no smaller set of heads would do
};
template<>
struct EnumNames<MinimalityProof>
{
    static constexpr std::array<std::string_view, 3> values{"no-one", "no-part", "smallest"};
    static constexpr const char *what = "proof";
};

struct NeededSet
{
    NeededGoal goal = NeededGoal::Keep;
    std::vector<HeadRef> heads{}; ///< the first of each group, where groups are looked at
    MinimalityProof proof = MinimalityProof::NoOne;
    std::string output{}; ///< what the model says with these heads alone, or without them
};

struct HeadNeed
{
    HeadRef head;
    bool alone = false;        ///< without it, all others in place, the output is another
    std::int64_t keeping = 0;  ///< sets that keep the output that it is in
    std::int64_t flipping = 0; ///< sets that change it
};

struct NeededResult
{
    static constexpr const char *kKind = "needed";
    Manifest manifest;
    std::int64_t example = 0; ///< row of the data set
    std::string text{};       ///< its text
    std::string pair{};       ///< its second one
    std::string output{};     ///< what the model says of it
    HeadUnit by = HeadUnit::Head;
    Replacement replacement = Replacement::Zero;
    std::vector<HeadNeed> heads{}; ///< those that were looked at
    std::vector<NeededSet>
        sets{}; ///< different ones: those that keep the output, then those that change it, small ones first
    std::int64_t keeping = 0; ///< how many of them keep it
    std::int64_t tested = 0;  ///< sets of heads under which the example was run
    std::int64_t examples = 1;
};

void describe(auto &visit, Of<NeededSet> auto &set)
{
    visit.field(
        "goal", set.goal,
        "`keep`: with these heads alone, all others removed, the output stays; `flip`: without them it is another");
    visit.field("heads", set.heads, "addresses");
    visit.field(
        "proof", set.proof,
        "`no-one`: no single head can be left out of the set; `no-part`: no part of it would do; `smallest`: no "
        "smaller set of heads would do");
    visit.field("output", set.output, "what the model says then");
}

void describe(auto &visit, Of<HeadNeed> auto &head)
{
    visit.field("head", head.head, "address");
    visit.field("alone", head.alone, "without it, all others in place, the output is another");
    visit.field("keeping", head.keeping, "sets that keep the output and have it");
    visit.field("flipping", head.flipping, "sets that change the output and have it");
}

void describe(auto &visit, Of<NeededResult> auto &result)
{
    visit.field("example", result.example, "row of the data set, from 0");
    visit.field("text", result.text, "the example's text");
    visit.rare("pair", result.pair, "its second text");
    visit.field("output", result.output, "what the model says of it: a label, a text, the guess of a token");
    visit.field("by", result.by, "what is left out at a time");
    visit.field("replace", result.replacement, "replacement of a removed head's context");
    visit.field("examples", result.examples, "one");
    visit.field("tested", result.tested, "sets of heads under which the example was run");
    visit.field("keeping", result.keeping, "how many of `sets` keep the output");
    visit.field("sets", result.sets, "different minimal sets: those that keep the output, then those that change it");
    visit.field("heads", result.heads, "all that were looked at");
    visit.field("manifest", result.manifest, "where the result comes from");
}

} // namespace headscope

#pragma once

#include "core/base/enumnames.h"
#include "core/base/headref.h"
#include "core/results/fields.h"
#include "core/results/manifest.h"
#include "core/results/patchresult.h"

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

/// Direct paths between heads (Wang et al. 2023; Goldowsky-Dill et al. 2023).
namespace headscope {

/// Where a path ends: an input of a head's attention, or the output of the model.
enum class PathInput : std::uint8_t {
    Query,
    Key,    ///< of its key-value head, which all heads of the group read
    Value,  ///< the same
    All,    ///< query, key and value together
    Logits, ///< of the answers
};
template<>
struct EnumNames<PathInput>
{
    static constexpr std::array<std::string_view, 5> values{"query", "key", "value", "all", "logits"};
    static constexpr const char *what = "input of a path";
};

/// Feed-forward layers between sender and receiver.
enum class PathFeedForward : std::uint8_t {
    Recomputed, ///< they read the sender's change too, as in Wang et al. (2023)
    Frozen,     ///< they put out what they do in the base run
};
template<>
struct EnumNames<PathFeedForward>
{
    static constexpr std::array<std::string_view, 2> values{"recomputed", "frozen"};
    static constexpr const char *what = "treatment of feed-forward layers";
};

enum class PathMethod : std::uint8_t {
    Exact,
    Linear, ///< edge attribution by gradients (Syed et al. 2023)
};
template<>
struct EnumNames<PathMethod>
{
    static constexpr std::array<std::string_view, 2> values{"exact", "linear"};
    static constexpr const char *what = "method of paths";
};

struct PathEffect
{
    HeadRef head;                    ///< the sender
    std::vector<HeadRef> together{}; ///< the receiver: a head, heads that share keys, or none: the logits
    PathInput input = PathInput::Logits;
    bool exact = true; ///< else delta is what gradients estimate
    PatchEffect effect{};
    double p = std::numeric_limits<double>::quiet_NaN(); ///< two-sided, that delta is zero
    double discoveryP = std::numeric_limits<double>::quiet_NaN();
};

struct PathsResult
{
    static constexpr const char *kKind = "paths";
    Manifest manifest;
    PatchMeasure measure = PatchMeasure::LogitDifference;
    PatchDirection direction = PatchDirection::Denoise;
    PathFeedForward feedForward = PathFeedForward::Recomputed;
    PathMethod method = PathMethod::Exact;
    std::int64_t examples = 0; ///< pairs
    PatchScore clean, corrupt;
    std::vector<PathEffect> paths;
    PatchAgreement agreement{}; ///< of estimates with exact effects, over exact paths
    std::int64_t runs = 0;      ///< exact paths times pairs
    /// Rows times sub-layers that were computed for them, by those of two runs of whole texts for each.
    double work = std::numeric_limits<double>::quiet_NaN();
};

void describe(auto &visit, Of<PathEffect> auto &path)
{
    visit.field("head", path.head, "the sender: the head whose changed output goes along the path");
    visit.field("to", path.together, "the receiver: a head; all heads that share the key or value; none: the output");
    visit.field("input", path.input, "of the receiver that the change reaches");
    visit.field("exact", path.exact, "computed by a run; else delta is the estimate by gradients");
    visit.merge(path.effect);
    visit.field("p", path.p, "two-sided, that delta is zero");
    visit.field("p_bh", path.discoveryP, "Benjamini-Hochberg over all paths");
}

void describe(auto &visit, Of<PathsResult> auto &result)
{
    visit.field("measure", result.measure, "of the answer against the wrong answer");
    visit.field("direction", result.direction, "which text is run with contexts of the other");
    visit.field(
        "feed_forward", result.feedForward,
        "layers between sender and receiver: they read the change too, or put out what they do in the base run");
    visit.field("method", result.method, "exact: a run a path; linear: gradients");
    visit.field("examples", result.examples, "pairs");
    visit.field("clean", result.clean, "score of the clean texts");
    visit.field("corrupt", result.corrupt, "of the corrupt ones");
    visit.field("paths", result.paths, "one each");
    visit.field("agreement", result.agreement, "of estimates by gradients with exact effects");
    visit.field("runs", result.runs, "exact paths times pairs");
    visit.field("work", result.work,
                "rows times sub-layers computed, by those of two runs of whole texts for every exact path and pair; "
                "null: none was exact");
    visit.field("manifest", result.manifest, "where the result comes from");
}

} // namespace headscope

#pragma once

#include "core/base/headscales.h"
#include "core/base/jobcontrol.h"
#include "core/base/keywindow.h"
#include "core/results/results.h"

#include <torch/types.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace headscope {

class Task;

/// One way to switch heads off, or to narrow what they see: those in `mask`, on top of a block's base mask.
struct Variant
{
    HeadMask mask;
    Replacement replacement = Replacement::Zero;
    std::int64_t draw = 0; ///< resample: which of the plan's draws
    HeadScales scales{};   ///< factors of heads that are not in the mask
    KeyWindow window{};    ///< window: what the heads of the mask still see; none of them is a cross head
};

/// The heads that a variant treats otherwise than the base run.
std::vector<HeadRef> changedHeads(const Variant &variant, const HeadMask &base);

/// The heads whose own contexts count for nothing under a variant.
HeadMask closedHeads(const Variant &variant, const HeadMask &base);
/// The keys that the heads of a layer see under a variant [H]; empty: all see all keys.
std::vector<KeyWindow> windowsOf(const Variant &variant, const HeadLayout::Block &block, int layer);

/// The replacements of heads that the variants of a block will need.
struct ReplacementPlan
{
    Replacement kind = Replacement::Zero;
    const Task *reference = nullptr; ///< whose contexts they are; none: those of the evaluated set itself
    std::int64_t draws = 1;          ///< resample: number of random examples that replace each example in turn
    /// Optimal: what stands in the heads' places, by place [H, Dh].
    std::shared_ptr<const std::map<std::string, torch::Tensor>> constants{};
    bool onlyBase = false; ///< there will be no variants: nothing is kept for them
    bool scores = false;   ///< of base outputs, where a search does not need them

    ReplacementPlan() = default;
    ReplacementPlan(Replacement what) : kind(what) { } // NOLINT(google-explicit-constructor)
    ReplacementPlan(Replacement what, const Task *from, std::int64_t times) : kind(what), reference(from), draws(times)
    {
    }
    bool operator==(const ReplacementPlan &) const = default;
};

/// Examples made ready to be run under many variants: encoded and decoded once under the base mask, with the
/// states that variants can start from. Threads may share it.
class PreparedBlock
{
public:
    virtual ~PreparedBlock() = default;
    /// Outputs under the base mask, in the order of the ids the block was made from.
    virtual const std::vector<ExampleOutput> &baseline() const = 0;
    virtual std::vector<ExampleOutput> outputs(const Variant &variant, const JobControl &control) const = 0;
    /// outputs() of many variants, in whatever order and grouping costs least. `done` gets a variant's place and
    /// outputs; several threads may call it at once. Returns how products were made.
    using OutputsOfVariant = std::function<void(std::size_t variant, const std::vector<ExampleOutput> &outputs)>;
    virtual PrecisionCheck outputsOfAll(std::span<const Variant> variants, const OutputsOfVariant &done,
                                        const JobControl &control) const = 0;
    /// Bytes of the states it keeps.
    virtual std::int64_t memory() const = 0;
};

} // namespace headscope

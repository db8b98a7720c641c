#pragma once

#include "core/analysis/importance.h"
#include "core/analysis/searchspec.h"
#include "core/base/headref.h"
#include "core/base/jobcontrol.h"
#include "core/engine/engine.h"
#include "core/engine/workfolder.h"
#include "core/results/manifest.h"
#include "core/results/searchresult.h"
#include "core/task/task.h"

#include <cstdint>
#include <vector>

/// Which heads to remove, from gradients alone: Kwon et al. (2022), "A fast post-training pruning framework for
/// Transformers", for heads (Kwon et al. 2022).
namespace headscope {

/// Mean over mini-batches of g², for every head of the layout.
std::vector<double> fisherInformation(const HeadGradients &gradients);

/// The mask without the `pruned` heads of `kinds` (empty = all) that have the least Fisher information: of all masks
/// with as many heads the one that loses least of it. (Heads of one model cost the same multiply-adds at equal lengths,
/// so that a budget of those is one of heads.) Ties as in orderByValue.
HeadMask searchMask(const HeadLayout &layout, const std::vector<HeadKind> &kinds, const std::vector<double> &fisher,
                    std::int64_t pruned);

/// Σ over layers of the mean over mini-batches of (Σ of the removed heads' gradients)²: the block-diagonal Fisher
/// information that a mask loses, with what heads of one layer do together.
double blockObjective(const HeadLayout &layout, const HeadGradients &gradients, const HeadMask &mask);

/// Exchanges heads within each layer, as many staying: every head that stays is tried in turn (least Fisher information
/// first) as one more removed, and the head without which the objective is least comes back. Never raises the
/// objective.
HeadMask rearrangeMask(const HeadLayout &layout, const HeadGradients &gradients, const HeadMask &mask);

/// Factors for the heads that stay, attention layer by attention layer in the way of the data: least squares over all
/// valid positions of the examples `ids`, so that Σ s_h W_O c_h (and a constant, which is dropped) gives what the whole
/// model's layer gives, plus by how much its input is off: B = o + x − x′. Layers before the first removed head
/// stay as they are. Ends at the first layer with a factor beyond ± 10; `layers`: how many have factors.
HeadScales rescaleMask(const Task &task, const HeadMask &mask, const std::vector<std::int64_t> &ids,
                       const RunOptions &run, const JobControl &control, int *layers = nullptr);

/// The three on growing budgets, each measured on `task`; gradients and factors come from `searchTask` (another data
/// set, or the same). `kept`: where the measuring goes on from what was done before.
SearchResult searchMasks(const Task &task, const Task &searchTask, const SearchSpec &spec, Manifest manifest,
                         ResidentBlocks *resident, const JobControl &control, const Publish<SearchResult> &publish,
                         const KeptWork &kept = {});

} // namespace headscope

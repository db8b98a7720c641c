#pragma once

#include "core/model/weights.h"

#include <torch/types.h>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

/// How checkpoints hold a model's tensors: one description that is read in both directions, for loading, saving, taking
/// heads out and exporting.
namespace headscope {

struct Family;

/// Where a checkpoint of a family has one of our tensors (its slot, weights.h).
struct TensorRecipe
{
    std::vector<std::string> names;   ///< of the tensor that holds it, the preferred one first; others: tied, old
    bool transposed = false;          ///< a matrix lies there as [in, out]
    std::vector<std::string> fused{}; ///< slots that lie in it one after the other along `out`, this one among them
    std::int64_t stretches = 1; ///< so many times they follow one another, a part of each at a time (that of a head)
    bool lessOne = false;       ///< its numbers are ours − 1
    /// It is a stack of so many tensors, of which this is number `slice`; all else is said of that one. 0: it is none.
    std::int64_t slices = 0;
    std::int64_t slice = 0;
};

/// A slot in a checkpoint: rows first, first + 1, … of every one of the equal stretches of the tensor `name` (seen as
/// [out, in]), or of one of the slices of that.
struct StoredSlot
{
    std::string name;
    bool transposed = false;
    std::int64_t first = 0;
    std::int64_t stretches = 1;
    bool lessOne = false;
    std::int64_t slices = 0;
    std::int64_t slice = 0;
    std::vector<std::int64_t> shape;       ///< of the slot
    std::vector<std::int64_t> storedShape; ///< of the whole tensor in the checkpoint
};
using StoredSlots = std::map<std::string, StoredSlot>;

/// Every slot of a spec, under the first of its names that `isThere` (or has none: the preferred one). Slots that are
/// nowhere are named in `missing`.
StoredSlots storedSlots(const Family &family, const TransformerSpec &spec,
                        const std::function<bool(const std::string &name)> &isThere = {},
                        std::vector<std::string> *missing = nullptr);

/// A slot's tensor from the checkpoint's, or from its slice of that.
torch::Tensor slotTensor(const torch::Tensor &stored, const StoredSlot &slot);

/// Tensors as the checkpoint has them, by name, from tensors by slot. Precondition: all slots of a fused tensor
/// and of all slices or none.
std::map<std::string, torch::Tensor> checkpointTensors(const StoredSlots &slots,
                                                       const std::map<std::string, torch::Tensor> &tensors);

} // namespace headscope

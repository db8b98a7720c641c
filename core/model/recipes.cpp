#include "core/model/recipes.h"

#include "core/model/family.h"

#include <torch/types.h>

#include <algorithm>

namespace headscope {

StoredSlots storedSlots(const Family &family, const TransformerSpec &spec,
                        const std::function<bool(const std::string &name)> &isThere, std::vector<std::string> *missing)
{
    std::map<std::string, std::vector<std::int64_t>> shapes;
    for (WeightSlot &slot : weightSlots(spec))
        shapes[slot.name] = std::move(slot.shape);
    StoredSlots slots;
    for (const auto &[slot, shape] : shapes) {
        const TensorRecipe recipe = family.recipe(slot, spec);
        const auto found = isThere ? std::ranges::find_if(recipe.names, isThere) : recipe.names.begin();
        if (found == recipe.names.end()) {
            if (missing)
                missing->push_back(recipe.names.front());
            continue;
        }
        StoredSlot stored{
            *found, recipe.transposed && shape.size() == 2, 0, 1, recipe.lessOne, recipe.slices, recipe.slice, shape,
            shape};
        if (!recipe.fused.empty()) {
            stored.stretches = std::max<std::int64_t>(1, recipe.stretches); // without heads there is nothing anywhere
            stored.storedShape[0] = 0;
            for (const std::string &other : recipe.fused) {
                if (!shapes.contains(other)) // a bias that this model does not have
                    continue;
                if (other == slot)
                    stored.first = stored.storedShape[0] / stored.stretches;
                stored.storedShape[0] += shapes.at(other)[0];
            }
        }
        if (stored.transposed)
            std::swap(stored.storedShape[0], stored.storedShape[1]);
        if (stored.slices > 0)
            stored.storedShape.insert(stored.storedShape.begin(), stored.slices);
        slots[slot] = std::move(stored);
    }
    return slots;
}

namespace {

/// The type in which numbers are computed of which one is taken or to which one is added.
torch::Tensor wide(const torch::Tensor &tensor)
{
    return tensor.scalar_type() == torch::kFloat64 ? tensor : tensor.to(torch::kFloat32);
}

/// Rows of every stretch, by the first of them.
using Stretches = std::map<std::int64_t, torch::Tensor>;

torch::Tensor joined(const Stretches &rows, bool transposed)
{
    std::vector<torch::Tensor> inOrder;
    for (const auto &[first, tensor] : rows)
        inOrder.push_back(tensor);
    const auto whole = (inOrder.size() == 1 ? inOrder.front() : torch::cat(inOrder, 1)).flatten(0, 1);
    return transposed ? whole.t().contiguous() : whole;
}

} // namespace

torch::Tensor slotTensor(const torch::Tensor &stored, const StoredSlot &slot)
{
    auto rows = slot.transposed ? stored.t() : stored;
    if (slot.stretches > 1)
        rows = rows.unflatten(0, {slot.stretches, -1})
                   .narrow(1, slot.first, slot.shape[0] / slot.stretches)
                   .flatten(0, 1);
    else
        rows = rows.narrow(0, slot.first, slot.shape[0]);
    return (slot.lessOne ? wide(rows) + 1 : rows).contiguous();
}

std::map<std::string, torch::Tensor> checkpointTensors(const StoredSlots &slots,
                                                       const std::map<std::string, torch::Tensor> &tensors)
{
    std::map<std::string, std::map<std::int64_t, Stretches>> parts; // by name and slice
    std::map<std::string, const StoredSlot *> anyOf;
    for (const auto &[slot, tensor] : tensors) {
        const StoredSlot &stored = slots.at(slot);
        const auto numbers = stored.lessOne ? wide(tensor) - 1 : tensor;
        parts[stored.name][stored.slice][stored.first]
            = stored.stretches > 1 ? numbers.unflatten(0, {stored.stretches, -1}) : numbers.unsqueeze(0);
        anyOf[stored.name] = &stored;
    }
    std::map<std::string, torch::Tensor> made;
    for (const auto &[name, slices] : parts) {
        const StoredSlot &any = *anyOf.at(name);
        std::vector<torch::Tensor> wholes;
        for (const auto &[slice, rows] : slices)
            wholes.push_back(joined(rows, any.transposed));
        made[name] = any.slices > 0 ? torch::stack(wholes) : wholes.front();
    }
    return made;
}

} // namespace headscope

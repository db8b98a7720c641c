#pragma once

#include "core/model/experts.h"
#include "core/packed/packedmodel.h"
#include "core/packed/productspeed.h"
#include "core/packed/torchrowmodel.h"
#include "core/task/runoptions.h"
#include "core/tensor/execution.h"
#include "core/tensor/freememory.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <type_traits>
#include <utility>

namespace headscope {

/// Bytes that can be taken; nothing: that is not known.
using FreeMemory = std::optional<std::int64_t> (*)();
inline std::optional<std::int64_t> freeMemoryHere()
{
    return availableMemory();
}

/// The largest difference of two logits that was seen between exact products and the plain path, and on how many
/// examples: in all blocks of a model so far. It is a matter of the model and of the two paths, so later blocks need
/// look at fewer.
struct SeenError
{
    std::atomic<float> largest = 0;
    std::atomic<std::int64_t> examples = 0;
};

/// The executors over rows of a model, created on first use.
class RowModels
{
public:
    /// `execution` lasts as long as this; where it computes by LibTorch, rows are computed so even where oneDNN runs.
    /// `freeMemory`: bytes that can be taken, if that is known.
    RowModels(std::shared_ptr<const Transformer> model, const Execution &execution,
              FreeMemory freeMemory = freeMemoryHere)
        : m_model(std::move(model)), m_execution(execution),
          m_byLibrary(execution.byLibrary() || !PackedModel::canRun(*m_model)), m_freeMemory(freeMemory)
    {
    }

    /// By LibTorch where it was asked for, or where nothing else runs or has room; else by oneDNN.
    bool usesLibrary(const RunOptions &run) const
    {
        return run.products == ProductChoice::Library || usesLibraryAlways();
    }
    const RowModel &exact(const RunOptions &run) const
    {
        return usesLibrary(run) ? made<TorchRowModel>(m_library, Products::Exact) : quick(Products::Exact);
    }
    /// An executor for the first decisions. Precondition: canMake().
    const RowModel &quick(Products products) const
    {
        return usesLibraryAlways() ? made<TorchRowModel>(m_library, products) : made<PackedModel>(m_packed, products);
    }
    /// Rounder products than exact ones may make a router choose other experts, which no margin of scores foresees.
    bool canMake(Products products) const
    {
        if (products != Products::Exact && hasExperts(m_model->spec()))
            return false;
        return usesLibraryAlways() ? TorchLinear::canMake(products, m_model->options())
                                   : PackedLinear::canMake(products) && hasRoomFor(products);
    }
    /// The cost relative to exact products: measured on a processor; of a GPU as whole sweeps took on an H100.
    double costOf(Products products) const
    {
        constexpr double kSplitOnGpu = 0.6, kHalfOnGpu = 0.3;
        if (products == Products::Exact)
            return 1;
        if (usesLibraryAlways())
            return !m_model->device().is_cuda() ? 1 : products == Products::Half ? kHalfOnGpu : kSplitOnGpu;
        return productCosts(m_model->spec())[static_cast<std::size_t>(products)];
    }

    SeenError &seenError(const RunOptions &run) const { return m_seen[usesLibrary(run) ? 1 : 0]; }

private:
    /// Weights are laid out anew for oneDNN, beside those that are there.
    bool usesLibraryAlways() const { return m_byLibrary || !hasRoomFor(Products::Exact); }
    /// Decided once, before anything is taken: whoever asks later gets the same answer.
    bool hasRoomFor(Products products) const
    {
        Room &room = m_room[static_cast<std::size_t>(products)];
        std::call_once(room.once, [&] {
            const auto free = m_freeMemory();
            std::int64_t needed = packedBytes(*m_model, Products::Exact);
            if (products != Products::Exact) // which come beside exact ones
                needed += packedBytes(*m_model, products);
            room.isThere = !free || needed < *free;
        });
        return room.isThere;
    }

    struct Room
    {
        std::once_flag once;
        bool isThere = false;
    };

    template<typename Model>
    struct Made
    {
        std::once_flag once;
        std::unique_ptr<Model> model;
    };
    template<typename Model>
    using MadeOfKinds = std::array<Made<Model>, kProductKinds>;

    template<typename Model>
    const RowModel &made(MadeOfKinds<Model> &all, Products products) const
    {
        Made<Model> &one = all[static_cast<std::size_t>(products)];
        std::call_once(one.once, [&] {
            if constexpr (std::is_same_v<Model, PackedModel>)
                one.model = std::make_unique<Model>(m_model, products, m_execution);
            else
                one.model = std::make_unique<Model>(m_model, products);
        });
        return *one.model;
    }

    std::shared_ptr<const Transformer> m_model;
    const Execution &m_execution;
    bool m_byLibrary;
    FreeMemory m_freeMemory;
    mutable std::array<SeenError, 2> m_seen;
    mutable std::array<Room, kProductKinds> m_room;
    mutable MadeOfKinds<TorchRowModel> m_library;
    mutable MadeOfKinds<PackedModel> m_packed;
};

} // namespace headscope

#pragma once

#include "core/packed/packedmodel.h"
#include "core/packed/productspeed.h"
#include "core/packed/torchrowmodel.h"
#include "core/task/runoptions.h"

#include <array>
#include <cstddef>
#include <memory>
#include <mutex>

namespace headscope {

/// The executors over rows of a model, created on first use.
class RowModels
{
public:
    /// `byLibrary`: by LibTorch even where oneDNN runs.
    RowModels(std::shared_ptr<const Transformer> model, bool byLibrary)
        : m_model(std::move(model)), m_byLibrary(byLibrary || !PackedModel::canRun(*m_model))
    {
    }

    /// By LibTorch where it was asked for, or where nothing else runs; else by oneDNN.
    bool usesLibrary(const RunOptions &run) const { return run.products == ProductChoice::Library || m_byLibrary; }
    const RowModel &exact(const RunOptions &run) const
    {
        return usesLibrary(run) ? made<TorchRowModel>(m_library, Products::Exact) : quick(Products::Exact);
    }
    /// An executor for the first decisions. Precondition: canMake().
    const RowModel &quick(Products products) const
    {
        return m_byLibrary ? made<TorchRowModel>(m_library, products) : made<PackedModel>(m_packed, products);
    }
    bool canMake(Products products) const
    {
        return m_byLibrary ? TorchLinear::canMake(products, m_model->options()) : PackedLinear::canMake(products);
    }
    /// The cost relative to exact products: measured on a processor; on a GPU assumed to be half.
    double costOf(Products products) const
    {
        constexpr double kOnGpu = 0.5;
        if (products == Products::Exact)
            return 1;
        if (m_byLibrary)
            return m_model->device().is_cuda() ? kOnGpu : 1;
        return productCosts(m_model->spec())[static_cast<std::size_t>(products)];
    }

private:
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
        std::call_once(one.once, [&] { one.model = std::make_unique<Model>(m_model, products); });
        return *one.model;
    }

    std::shared_ptr<const Transformer> m_model;
    bool m_byLibrary;
    mutable MadeOfKinds<TorchRowModel> m_library;
    mutable MadeOfKinds<PackedModel> m_packed;
};

} // namespace headscope

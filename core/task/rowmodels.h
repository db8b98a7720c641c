#pragma once

#include "core/packed/packedmodel.h"
#include "core/packed/torchrowmodel.h"
#include "core/task/runoptions.h"

#include <array>
#include <memory>
#include <mutex>

namespace headscope {

/// The executors over rows that a model has, made as far as somebody asks for them.
class RowModels
{
public:
    explicit RowModels(std::shared_ptr<const Transformer> model) : m_model(std::move(model)), m_library(m_model) {}

    /// By LibTorch where it was asked for, or where nothing else runs; else by oneDNN.
    bool usesLibrary(const RunOptions &run) const
    {
        return run.products == ProductChoice::Library || !PackedModel::canRun(*m_model);
    }
    const RowModel &exact(const RunOptions &run) const
    {
        return usesLibrary(run) ? static_cast<const RowModel &>(m_library) : packed(Products::Exact);
    }
    /// Precondition: PackedModel::canRun().
    const RowModel &packed(Products products) const
    {
        const auto i = static_cast<std::size_t>(products);
        std::call_once(m_made[i], [&] { m_packed[i] = std::make_unique<PackedModel>(m_model, products); });
        return *m_packed[i];
    }

private:
    std::shared_ptr<const Transformer> m_model;
    TorchRowModel m_library;
    mutable std::array<std::once_flag, kProductKinds> m_made;
    mutable std::array<std::unique_ptr<PackedModel>, kProductKinds> m_packed;
};

} // namespace headscope

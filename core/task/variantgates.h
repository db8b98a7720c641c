#pragma once

#include "core/base/headref.h"
#include "core/base/keywindow.h"
#include "core/packed/rowmodel.h"
#include "core/task/variant.h"

#include <array>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace headscope {

/// Contexts that replace those of heads, by attention: one row for all examples (mean), or rows of other examples.
struct ReplacementRows
{
    std::map<std::pair<HeadKind, int>, Rows> rows; ///< [·, A]
    std::map<HeadKind, Sequences> donors;          ///< whose rows replace those of the example at a place; none: one
                                                   ///< row
};

/// The change of every head's context under one variant.
class VariantGates
{
public:
    VariantGates() = default;
    /// `replacementRows`: for the heads of `variant` that the base mask leaves; null: nothing.
    VariantGates(const Variant &variant, const HeadMask &base, const HeadLayout &layout,
                 const ReplacementRows *replacementRows);
    RowGate at(HeadKind kind, int layer, std::int64_t place) const;

private:
    struct Layer
    {
        std::vector<float> factors;     ///< [heads]; empty: all one
        std::vector<float> shares;      ///< of the replacements; empty: none
        std::vector<KeyWindow> windows; ///< empty: all heads see all keys
    };
    std::array<std::vector<Layer>, 3> m_layers;
    const ReplacementRows *m_replacementRows = nullptr;
};

} // namespace headscope

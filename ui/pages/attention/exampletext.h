#pragma once

#include "core/results/attentionresult.h"
#include "core/results/results.h"
#include "core/session/session.h"
#include "ui/heatmap/viewpalette.h"

#include <QString>

namespace headscope {

/// What is known of one example; what is not known is null.
struct ExampleFacts
{
    const ModelCard &model;
    const DataRow *row = nullptr;               ///< of the data; null: typed texts
    const ExampleOutput *whole = nullptr;       ///< of the full model
    const ExampleOutput *masked = nullptr;      ///< under the masks
    const AttentionResult *attention = nullptr; ///< of the same texts
    const AttentionResult *unmasked = nullptr;  ///< of typed texts, by the full model, while heads are masked
    bool hasMasks = false;
    bool forced = false; ///< the decoder was forced to the reference
};

/// A table of the texts, the right labels, and the model's outputs with and without the masks. Empty when nothing is
/// known.
QString exampleHtml(const ExampleFacts &facts, const ViewPalette &palette);

} // namespace headscope

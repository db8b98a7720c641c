#pragma once

#include "core/base/enumnames.h"
#include "core/base/headref.h"
#include "core/results/manifest.h"

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

/// Importance of heads by gradients (Michel et al. 2019, section 4.1).
namespace headscope {

/// Which absolute value importance takes (Michel et al. 2019, section 4.1): per token (Michel's code), per example (the
/// paper's formula), per batch, or Fisher (squared per batch, and summed over batches).
enum class ImportanceReduction { Token, Example, Batch, Fisher };
template<>
struct EnumNames<ImportanceReduction>
{
    static constexpr std::array<std::string_view, 4> values{"token", "example", "batch", "fisher"};
    static constexpr const char *what = "reduction";
};
/// The loss of an example that has several target tokens: the sum of theirs, or their mean.
enum class ExampleLoss { Sum, Mean };
template<>
struct EnumNames<ExampleLoss>
{
    static constexpr std::array<std::string_view, 2> values{"sum", "mean"};
    static constexpr const char *what = "loss of an example";
};
/// Layer: divided by the ℓ2 norm of the layer; Global: by that of all heads; Bertology: by layer, then mapped to 0…1
/// over all heads, as Hugging Face's bertology script does (this was called "global" up to version 0.1).
enum class ImportanceNormalization { None, Layer, Global, Bertology };
template<>
struct EnumNames<ImportanceNormalization>
{
    static constexpr std::array<std::string_view, 4> values{"none", "layer", "global", "bertology"};
    static constexpr const char *what = "normalisation";
};

struct HeadImportance
{
    HeadRef head;
    double importance = 0;
    /// Over examples (batches for Batch and Fisher), after normalisation; NaN where there is one only, or none is made.
    double standardError = 0;
    std::vector<HeadRef> together{}; ///< the other heads of its group, where the estimate is of groups
};

struct ImportanceResult
{
    static constexpr const char *kKind = "importance";
    Manifest manifest;
    ImportanceReduction reduction = ImportanceReduction::Token;
    ImportanceNormalization normalization = ImportanceNormalization::Layer;
    std::vector<HeadImportance> heads;
    std::int64_t examples = 0;
    double meanLoss = 0; ///< negative log-likelihood per target token, nats
    /// For Batch and Fisher, whose values depend on how examples were put together: how many batches there were, and of
    /// how many examples or of at most how many tokens; 0 for other reductions.
    std::int64_t batches = 0;
    std::int64_t examplesPerBatch = 0;
    std::int64_t tokensPerBatch = 0;
    ExampleLoss exampleLoss = ExampleLoss::Sum; ///< that gradients are of
};

} // namespace headscope

#pragma once

#include "core/base/jobcontrol.h"
#include "core/base/result.h"
#include "core/model/loadmodel.h"
#include "core/sharing/cpfactors.h"
#include "core/tensor/execution.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <utility>
#include <vector>

/// Models whose heads share their query and key projections, made from models whose heads have their own.
namespace headscope {

/// The method that shared projections are made by.
enum class Factorization { Cp, TruncatedHeads };

struct SharedProjections
{
    CpOptions cp{};
    Factorization by = Factorization::Cp;
    std::vector<HeadKind> kinds{}; ///< of attention; empty: all
    /// Scores are divided by √(D̃_k/H), as in the published code, instead of √Dh as the heads were trained with: a
    /// factor of √(H·Dh/D̃_k), which the mixing matrix and the content vectors take.
    bool publishedScale = false;
    bool operator==(const SharedProjections &) const = default;
};

/// How near one attention came.
struct SharedAttention
{
    HeadKind kind = HeadKind::Encoder;
    int layer = 0;
    double error = 0; ///< relative, of the tensor of its heads
    std::int64_t iterations = 0;
    double seconds = 0;
};

struct SharedModel
{
    std::shared_ptr<const Transformer> model;
    std::vector<SharedAttention> attentions; ///< the attentions that share projections now
};

/// The attentions with heads, of these kinds (empty: all), by kind and layer.
std::vector<std::pair<HeadKind, int>> attentionsWithHeads(const HeadLayout &layout,
                                                          const std::vector<HeadKind> &kinds = {});

/// A copy of the model that scores keys by shared projections of cp.rank columns; values, outputs and everything else
/// are the same tensors. Query biases become content vectors, exactly; key biases go, which changes no probability.
/// Attentions are factorized in parallel; one without heads stays as it is. Throws Failure (usage) for rotary
/// positions.
SharedModel withSharedProjections(const Transformer &model, const SharedProjections &how, const Execution &execution,
                                  const JobControl &control);

/// Writes the folder of `source`, opened as `model`, once more with the attentions of `shared` (sharedconfig.h says
/// how), in the dtype of its weights. Errors: as of exportPruned().
Result<Done> saveShared(const LoadedModel &model, const std::filesystem::path &source, const Transformer &shared,
                        const std::filesystem::path &target, const JobControl &control);

/// Parameters that make scores, biases and mixing included.
std::int64_t scoreParameters(const AttentionSpec &attention, std::int64_t width);
/// Multiply–adds of the scores of a sequence of `length` positions with itself (Cordonnier et al. 2020, section 3):
/// projections, mixing, content, products of queries and keys.
double scoreProducts(const AttentionSpec &attention, std::int64_t width, double length);
/// The length at which `shared` costs as many as `own`: cheaper on shorter sequences. 0: on none; infinite: on all.
double breakEvenLength(const AttentionSpec &own, const AttentionSpec &shared, std::int64_t width);

} // namespace headscope

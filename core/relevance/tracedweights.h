#pragma once

#include "core/model/weights.h"

#include <array>
#include <variant>
#include <vector>

namespace headscope {

/// As in Voita et al.'s code, queries, keys and values are one linear map where they read the same, else keys and
/// values are.
struct TracedAttention
{
    Linear own;    ///< of the stack's rows: queries, and keys and values unless the memory has them
    Linear memory; ///< keys and values of the memory
    Linear out;
    Norm queryNorm{}, keyNorm{}; ///< undefined: there are none
    torch::Tensor sinks{};       ///< [H]; undefined: there are none
};

struct TracedSubLayer
{
    Norm norm;
    std::variant<TracedAttention, FeedForwardWeights> part;
    Norm outputNorm{};

    const TracedAttention &attention() const { return std::get<TracedAttention>(part); }
    const FeedForwardWeights &feedForward() const { return std::get<FeedForwardWeights>(part); }
};

struct TracedStack
{
    Norm embeddingNorm;
    Linear projection;
    torch::Tensor relativeBias;
    std::vector<TracedSubLayer> subLayers;
    Norm finalNorm;

    const TracedSubLayer &at(int place) const { return subLayers[static_cast<std::size_t>(place)]; }
};

/// A model's weights as relevance goes through them, in the numbers that a rule computes in. Embeddings and the output
/// matrix, of which a sentence needs a few rows, are not among them.
struct TracedWeights
{
    TracedWeights(const TransformerSpec &spec, const TransformerWeights &weights, torch::ScalarType type);

    const TracedStack &stack(Side side) const { return stacks[static_cast<std::size_t>(side)]; }

    torch::ScalarType type;
    std::array<TracedStack, 2> stacks; ///< by Side
    Linear classifierDense;
    Norm classifierNorm{};
};

} // namespace headscope

#pragma once

#include "core/base/jobcontrol.h"
#include "core/model/transformer.h"
#include "core/tensor/execution.h"

#include <torch/types.h>

#include <cstdint>
#include <string>
#include <vector>

/// Circuits of heads by their weights alone (Elhage et al. 2021): a head's scores are xᵀ W_Qᵀ W_K y (QK) and it adds
/// W_O W_V y (OV), where x and y are what queries and keys are made from.
namespace headscope {

/// The maps of one attention's heads, in float64 on the processor, as the stream in front of norms sees them. The
/// weight of the norm that a matrix reads through is folded into it, and a layer norm's centring too; of a model that
/// norms sums that is the norm of the sum before. Cross-attention reads its keys and values through the norm at the
/// encoder's end. What a norm of the output, or of queries and keys, multiplies by is in the map in front of it, and
/// what they divide by is not. Where norms centre, outputs are centred: their mean is never seen. Heads that share a
/// key–value head each have it. Rotary positions are those of a query and a key at one position; relative ones,
/// distances of disentangled attention, clips and the scale of scores are left out.
struct HeadCircuits
{
    HeadKind kind = HeadKind::Encoder;
    int layer = 0;
    std::vector<int> heads{}; ///< original numbers
    torch::Tensor query{};    ///< [H, d, D]
    torch::Tensor key{};      ///< [H, d, D]
    torch::Tensor value{};    ///< [H, Dh, D]
    torch::Tensor out{};      ///< [H, D, Dh]
    /// The terms that are added whatever is read: by biases and by those of the norms. Undefined: none are known.
    torch::Tensor queryBias{}; ///< [H, d]
    torch::Tensor valueBias{}; ///< [H, Dh]

    std::int64_t count() const { return query.size(0); }
};

/// Precondition: the attention has heads. Throws Failure for weights that are no numbers.
HeadCircuits headCircuits(const Transformer &model, HeadKind kind, int layer);

/// Matrices [H, n, d] as basis · lengths, [H, n, r] and [H, r, d]: columns of a head's basis have length 1 and right
/// angles, and are zero from its rank on (by singular values of n ε of float32, relative to the largest).
struct OrthogonalFactors
{
    torch::Tensor basis, lengths;
};
OrthogonalFactors orthogonalFactors(const torch::Tensor &matrices);

/// The singular value decomposition of heads' maps left · right, by products of the inner width: left · diag(values) ·
/// right. Columns of `left` and rows of `right` span what the factors do, where values are zero as well.
struct SingularFactors
{
    torch::Tensor left;   ///< [H, D, r]
    torch::Tensor values; ///< [H, r], descending
    torch::Tensor right;  ///< [H, r, D]
};
/// `left` [H, D, d], `right` [H, d, D].
SingularFactors singularFactors(const torch::Tensor &left, const torch::Tensor &right);

/// Directions [..., D] that are added in front of the norm at a stack's end, as they leave it, without its division;
/// unchanged where there is no norm.
torch::Tensor throughEndNorm(const Transformer &model, Side side, const torch::Tensor &directions);

/// The embeddings as layers read them and the output matrix as it reads the last layer, as far as Dh × Dh products over
/// the vocabulary need them. By token v: e_v its embedding; u_v its row of the output matrix, with the last norm's
/// weight and centring and less the mean over the vocabulary, which no probability depends on. The tables are read in
/// blocks.
struct VocabularyProducts
{
    torch::Tensor outputTimesInput; ///< Σ_v u_v e_vᵀ [D, D], float64; undefined: the model says no tokens
    torch::Tensor inputTimesInput;  ///< Σ_v e_v e_vᵀ [D, D]
};

VocabularyProducts vocabularyProducts(const Transformer &model, const Execution &execution, const JobControl &control);

} // namespace headscope

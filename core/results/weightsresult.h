#pragma once

#include "core/base/enumnames.h"
#include "core/base/headref.h"
#include "core/base/interval.h"
#include "core/results/fields.h"
#include "core/results/manifest.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

/// What the weights of heads say by themselves (Elhage et al. 2021).
namespace headscope {

/// A bilinear map of a head: what it writes for what it reads (OV), or its scores (QK).
struct CircuitNumbers
{
    double norm = 0;          ///< Frobenius
    double effectiveRank = 0; ///< exp of the entropy of squared singular values
    /// Σλ / Σ|λ| over eigenvalues, −1 … 1: near 1 it makes likelier (OV) or attends to (QK) what it reads. None: all
    /// are zero.
    std::optional<double> eigenvalueScore{};
    std::optional<double> vocabularyScore{}; ///< the same of the map from tokens to tokens
    std::optional<double> biasNorm{};        ///< of what is added, or scored, whatever is read
    std::vector<double> singularValues{};    ///< descending; where they are asked for, as the next
    std::vector<double> eigenvaluesReal{};   ///< the largest first
    std::vector<double> eigenvaluesImaginary{};
    std::vector<double> vocabularyReal{}; ///< eigenvalues other than zero of the map from tokens to tokens
    std::vector<double> vocabularyImaginary{};
};

struct HeadWeightNumbers
{
    HeadRef head;
    CircuitNumbers ov, qk;
};

/// What of a head an earlier head's output goes into.
enum class CompositionInput { Query, Key, Value };
template<>
struct EnumNames<CompositionInput>
{
    static constexpr std::array<std::string_view, 3> values{"query", "key", "value"};
    static constexpr const char *what = "input of heads";
};

/// Whether an input of `receiver` reads the stream that `sender` has written to before it.
bool composes(const HeadRef &receiver, CompositionInput input, const HeadRef &sender);

/// How much of what each sender writes an input of the receiver reads: ‖A B‖ / (‖A‖ ‖B‖), by the senders in the order
/// of the result's heads, those alone that it composes with.
struct HeadComposition
{
    HeadRef head;
    std::array<std::vector<double>, 3> of{}; ///< by CompositionInput
    /// ‖UᵀV‖² of orthonormal bases of what the sender's W_O writes and of what W_Q, W_K or W_V reads (Yamagiwa et al.
    /// 2026), in the same order; empty: of an older version.
    std::array<std::vector<double>, 3> kernelsOf{};

    const std::vector<double> &scores(CompositionInput input) const { return of[static_cast<std::size_t>(input)]; }
    std::vector<double> &scores(CompositionInput input) { return of[static_cast<std::size_t>(input)]; }
    const std::vector<double> &kernels(CompositionInput input) const
    {
        return kernelsOf[static_cast<std::size_t>(input)];
    }
    std::vector<double> &kernels(CompositionInput input) { return kernelsOf[static_cast<std::size_t>(input)]; }
};

/// The composition of random matrices of the same shapes.
struct RandomComposition
{
    std::int64_t senderWidth = 0, receiverWidth = 0; ///< Dh of both
    double mean = 0;
    Interval interval;                       ///< of 95 % of the draws
    std::optional<double> kernel{};          ///< mean projection kernel of random subspaces
    std::optional<double> kernelDeviation{}; ///< its standard deviation
};

struct WeightsResult
{
    static constexpr const char *kKind = "weights";
    Manifest manifest;
    bool rotary = false; ///< queries and keys are turned by their positions: QK is of distance 0
    std::vector<HeadWeightNumbers> heads;
    std::vector<HeadComposition> composition;
    std::vector<RandomComposition> random;
    std::int64_t examples = 0; ///< none: there are no data
};

/// The score of one pair; nothing: the input does not read what the sender writes, or it was not computed.
std::optional<double> compositionOf(const WeightsResult &result, const HeadRef &receiver, CompositionInput input,
                                    const HeadRef &sender);
/// The projection kernel of one pair, 0 to the smaller of both ranks; nothing: as of scores.
std::optional<double> kernelOf(const WeightsResult &result, const HeadRef &receiver, CompositionInput input,
                               const HeadRef &sender);
/// Throws Failure: lists that do not fit together.
void checkWeights(const WeightsResult &result);

void describe(auto &visit, Of<CircuitNumbers> auto &circuit)
{
    visit.field("norm", circuit.norm, "Frobenius");
    visit.field("effective_rank", circuit.effectiveRank, "exp of the entropy of squared singular values");
    visit.rare("eigenvalue_score", circuit.eigenvalueScore,
               "sum of eigenvalues by the sum of their absolute values, -1 to 1; left out where all are zero");
    visit.rare("vocabulary_score", circuit.vocabularyScore,
               "the same of the map from tokens to tokens, by embeddings and output matrix; of a decoder's own heads");
    visit.rare("bias_norm", circuit.biasNorm,
               "OV: length of what the head adds whatever it reads; QK: of what keys are scored by whatever the query");
    visit.rare("singular_values", circuit.singularValues, "descending, if asked for");
    visit.rare("eigenvalues_real", circuit.eigenvaluesReal, "real parts, the largest eigenvalue first, if asked for");
    visit.rare("eigenvalues_imaginary", circuit.eigenvaluesImaginary, "imaginary parts, in the same order");
    visit.rare("vocabulary_real", circuit.vocabularyReal,
               "real parts of the eigenvalues of the map from tokens to tokens, the largest first, if asked for");
    visit.rare("vocabulary_imaginary", circuit.vocabularyImaginary, "imaginary parts, in the same order");
}

void describe(auto &visit, Of<HeadWeightNumbers> auto &head)
{
    visit.field("head", head.head, "address");
    visit.field("ov", head.ov, "W_O W_V: what it writes for what it reads");
    visit.field("qk", head.qk, "W_Q^T W_K: its scores");
}

void describe(auto &visit, Of<HeadComposition> auto &composition)
{
    visit.field("head", composition.head, "the receiver");
    visit.rare("query", composition.scores(CompositionInput::Query),
               "Q-composition with every earlier head whose output its queries read, in the order of `heads`");
    visit.rare("key", composition.scores(CompositionInput::Key),
               "K-composition; of cross-attention with encoder heads");
    visit.rare("value", composition.scores(CompositionInput::Value), "V-composition, as of keys");
    visit.rare("query_kernel", composition.kernels(CompositionInput::Query),
               "projection kernel of the sender's W_O and W_Q, for the same heads");
    visit.rare("key_kernel", composition.kernels(CompositionInput::Key), "of W_O and W_K");
    visit.rare("value_kernel", composition.kernels(CompositionInput::Value), "of W_O and W_V");
}

void describe(auto &visit, Of<RandomComposition> auto &random)
{
    visit.field("sender_width", random.senderWidth, "of the sender's heads");
    visit.field("receiver_width", random.receiverWidth, "of the receiver's");
    visit.field("mean", random.mean, "composition of normal random matrices of these shapes");
    visit.field("low", random.interval.low, "lower end of what 95 % of them have");
    visit.field("high", random.interval.high, "upper end");
    visit.rare("kernel_mean", random.kernel, "mean projection kernel of random subspaces of these dimensions");
    visit.rare("kernel_deviation", random.kernelDeviation, "its standard deviation");
}

void describe(auto &visit, Of<WeightsResult> auto &result)
{
    visit.field("rotary", result.rotary, "positions turn queries and keys: QK is that of distance 0");
    visit.field("heads", result.heads, "one each");
    visit.rare("composition", result.composition, "of every head with those before it, if asked for");
    visit.rare("random", result.random, "composition of random matrices");
    visit.field("manifest", result.manifest, "where the result comes from");
    afterReading(visit, result, [](WeightsResult &of) { checkWeights(of); });
}

} // namespace headscope

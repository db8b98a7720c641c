#pragma once

#include <torch/types.h>

#include <cstdint>
#include <memory>

namespace headscope {

/// A sentence of W words as a probe sees it.
struct ProbeSentence
{
    torch::Tensor features;     ///< [K, W, W]: [k, i, j] may speak for word i being the head of word j
    torch::Tensor rootFeatures; ///< [R, W]: for word j having none
    torch::Tensor words;        ///< [W, E]
    torch::Tensor heads;        ///< [W] int64: of every word its head; W: none; −1: not known
    torch::Tensor counted;      ///< [W] bool: accuracy is of these words
};

/// Guesses the head of every word by a softmax over the other words and "none" (Clark et al. 2019, section 5):
///     score(i head of j) = Σ_k w_k features[k, i, j],  score(none of j) = Σ_r v_r rootFeatures[r, j].
/// With word vectors w_k is an affine function of the two words: c_k + a_k·words[i] + b_k·words[j].
/// Trained by Adam, a sentence a step, from weights of zero.
class TreeProbe
{
public:
    /// `wordWidth`: E, 0 = weights that do not depend on words.
    TreeProbe(std::int64_t features, std::int64_t rootFeatures, std::int64_t wordWidth, double learningRate);
    ~TreeProbe();
    TreeProbe(TreeProbe &&) noexcept;

    /// One step; the mean cross-entropy before it, in nats.
    double learn(const ProbeSentence &sentence);
    /// [W] int64, W: none.
    torch::Tensor guess(const ProbeSentence &sentence) const;
    const torch::Tensor &weights() const;     ///< [K], c
    const torch::Tensor &rootWeights() const; ///< [R]
    std::int64_t weightCount() const;

private:
    struct Parts;
    torch::Tensor scores(const ProbeSentence &sentence) const; ///< [W + 1, W]

    std::unique_ptr<Parts> m_parts;
};

} // namespace headscope

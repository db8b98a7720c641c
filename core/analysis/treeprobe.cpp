#include "core/analysis/treeprobe.h"

#include <torch/optim/adam.h>
#include <torch/types.h>

#include <limits>
#include <vector>

namespace headscope {

struct TreeProbe::Parts
{
    Parts(std::int64_t features, std::int64_t roots, std::int64_t wordWidth, double learningRate)
        : constant(torch::zeros({features}, torch::requires_grad())),
          root(torch::zeros({roots}, torch::requires_grad())),
          ofHead(torch::zeros({wordWidth, features}, torch::requires_grad())),
          ofDependent(torch::zeros({wordWidth, features}, torch::requires_grad())), parameters{constant, root}
    {
        if (wordWidth > 0)
            parameters.insert(parameters.end(), {ofHead, ofDependent});
        adam = std::make_unique<torch::optim::Adam>(parameters, torch::optim::AdamOptions(learningRate));
    }

    torch::Tensor constant;    ///< [K]
    torch::Tensor root;        ///< [R]
    torch::Tensor ofHead;      ///< [E, K]
    torch::Tensor ofDependent; ///< [E, K]
    std::vector<torch::Tensor> parameters;
    std::unique_ptr<torch::optim::Adam> adam;
};

TreeProbe::TreeProbe(std::int64_t features, std::int64_t rootFeatures, std::int64_t wordWidth, double learningRate)
    : m_parts(std::make_unique<Parts>(features, rootFeatures, wordWidth, learningRate))
{
}

TreeProbe::~TreeProbe() = default;
TreeProbe::TreeProbe(TreeProbe &&) noexcept = default;

torch::Tensor TreeProbe::scores(const ProbeSentence &sentence) const
{
    const std::int64_t words = sentence.features.size(1);
    torch::Tensor between; // [W, W]
    if (m_parts->ofHead.size(0) == 0) {
        between = torch::mv(sentence.features.flatten(1).t(), m_parts->constant).view({words, words});
    } else {
        const auto byHead = sentence.words.matmul(m_parts->ofHead).t().unsqueeze(2);           // [K, W, 1]
        const auto byDependent = sentence.words.matmul(m_parts->ofDependent).t().unsqueeze(1); // [K, 1, W]
        between = (sentence.features * (m_parts->constant.view({-1, 1, 1}) + byHead + byDependent)).sum(0);
    }
    const auto itself = torch::eye(words, torch::kBool);
    const auto none = torch::mv(sentence.rootFeatures.t(), m_parts->root).unsqueeze(0);
    return torch::cat({between.masked_fill(itself, -std::numeric_limits<float>::infinity()), none});
}

double TreeProbe::learn(const ProbeSentence &sentence)
{
    const torch::AutoGradMode withGradients(true);
    m_parts->adam->zero_grad();
    const auto loss
        = torch::nll_loss(torch::log_softmax(scores(sentence).t(), 1), sentence.heads, {}, at::Reduction::Mean, -1);
    loss.backward();
    m_parts->adam->step();
    return loss.item<double>();
}

torch::Tensor TreeProbe::guess(const ProbeSentence &sentence) const
{
    const torch::NoGradGuard noGrad;
    return scores(sentence).argmax(0);
}

const torch::Tensor &TreeProbe::weights() const
{
    return m_parts->constant;
}
const torch::Tensor &TreeProbe::rootWeights() const
{
    return m_parts->root;
}

std::int64_t TreeProbe::weightCount() const
{
    std::int64_t count = 0;
    for (const torch::Tensor &parameter : m_parts->parameters)
        count += parameter.numel();
    return count;
}

} // namespace headscope

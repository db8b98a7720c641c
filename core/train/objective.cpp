#include "core/train/objective.h"

#include "core/train/smoothedloss.h"

namespace headscope {

TranslationObjective::TranslationObjective(Examples examples, double smoothing, bool plain)
    : m_examples(std::move(examples)), m_smoothing(smoothing), m_plain(plain)
{
    for (std::int64_t id = 0; id < m_examples.size(); ++id)
        m_lengths.emplace_back(std::ssize(m_examples.source(id)), std::ssize(m_examples.target(id)));
}

std::int64_t TranslationObjective::targetTokens(const std::vector<std::int64_t> &ids) const
{
    std::int64_t tokens = 0;
    for (const std::int64_t id : ids)
        tokens += m_lengths[static_cast<std::size_t>(id)].second;
    return tokens;
}

ObjectiveLoss TranslationObjective::loss(const Transformer &model, const std::vector<std::int64_t> &ids,
                                         Dropout &dropout, const LayerListener &onLayer) const
{
    const ForcedOutput output = forcedOutput(model, m_examples, ids, {}, &dropout, onLayer);
    const TransformerWeights &weights = model.weights();
    const SmoothedLoss loss = (m_plain ? plainSmoothedLoss : fusedSmoothedLoss)(
        output.hidden, weights.outputWeight, weights.outputBias, weights.outputHalf, output.wanted, m_smoothing);
    return {loss.smoothed, loss.crossEntropy};
}

} // namespace headscope

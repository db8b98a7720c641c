#pragma once

#include "core/task/forcedoutput.h"
#include "core/train/batching.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace headscope {

struct ObjectiveLoss
{
    torch::Tensor loss;      ///< scalar, summed over target tokens; gradients flow
    double crossEntropy = 0; ///< nats, summed, without smoothing
};

/// What training makes smaller: the loss of some examples. One per task.
class Objective
{
public:
    virtual ~Objective() = default;
    virtual const std::vector<ExampleLength> &lengths() const = 0;
    /// What losses are divided by.
    virtual std::int64_t targetTokens(const std::vector<std::int64_t> &ids) const = 0;
    virtual ObjectiveLoss loss(const Transformer &model, const std::vector<std::int64_t> &ids, Dropout &dropout,
                               const LayerListener &onLayer) const = 0;
};

/// Label-smoothed cross-entropy of reference translations under teacher forcing.
class TranslationObjective final : public Objective
{
public:
    TranslationObjective(Examples examples, double smoothing, bool plain);

    const std::vector<ExampleLength> &lengths() const override { return m_lengths; }
    std::int64_t targetTokens(const std::vector<std::int64_t> &ids) const override;
    ObjectiveLoss loss(const Transformer &model, const std::vector<std::int64_t> &ids, Dropout &dropout,
                       const LayerListener &onLayer) const override;

private:
    Examples m_examples;
    std::vector<ExampleLength> m_lengths;
    double m_smoothing = 0;
    bool m_plain = false;
};

} // namespace headscope

#pragma once

#include "core/data/dataset.h"
#include "core/data/labels.h"
#include "core/task/forcedoutput.h"
#include "core/tokenize/tokenizer.h"
#include "core/train/batching.h"
#include "core/train/trainingconfig.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace headscope {

struct ObjectiveLoss
{
    torch::Tensor loss;      ///< scalar, summed over targets; gradients flow
    double crossEntropy = 0; ///< nats, summed, without smoothing
};

/// The training loss of some examples. One per task.
class Objective
{
public:
    virtual ~Objective() = default;
    const std::vector<ExampleLength> &lengths() const { return m_lengths; }
    /// The divisor of losses: target tokens, or examples that have a label.
    virtual std::int64_t targets(const std::vector<std::int64_t> &ids) const = 0;
    virtual ObjectiveLoss loss(const Transformer &model, const std::vector<std::int64_t> &ids, const HeadGates &gates,
                               Dropout &dropout, const LayerListener &onLayer) const = 0;

protected:
    explicit Objective(std::vector<ExampleLength> lengths) : m_lengths(std::move(lengths)) { }

private:
    std::vector<ExampleLength> m_lengths;
};

/// Label-smoothed cross-entropy of tokens that a decoder is made to say: of reference translations, or of running text.
class TokenObjective final : public Objective
{
public:
    TokenObjective(Examples examples, double smoothing, bool plain);

    std::int64_t targets(const std::vector<std::int64_t> &ids) const override;
    ObjectiveLoss loss(const Transformer &model, const std::vector<std::int64_t> &ids, const HeadGates &gates,
                       Dropout &dropout, const LayerListener &onLayer) const override;

private:
    Examples m_examples;
    double m_smoothing = 0;
    bool m_plain = false;
};

/// The loss of labels of texts (see labelLoss()), with dropout before the last layer as
/// Hugging Face's classifiers have it. Label smoothing is that of single labels.
class LabelObjective final : public Objective
{
public:
    LabelObjective(Examples examples, LabelReading labels, double smoothing);

    std::int64_t targets(const std::vector<std::int64_t> &ids) const override;
    ObjectiveLoss loss(const Transformer &model, const std::vector<std::int64_t> &ids, const HeadGates &gates,
                       Dropout &dropout, const LayerListener &onLayer) const override;

private:
    Examples m_examples;
    LabelReading m_labels;
    double m_smoothing = 0;
};

/// The objective for a model like this; warnings about the data set are added to `warnings`. `tokenizer` may be null
/// when every example brings its ids. Throws Failure for tasks that are not trained, and data that do not fit.
std::unique_ptr<const Objective> makeObjective(const TransformerSpec &spec, const Tokenizer *tokenizer,
                                               const Dataset &data, const TrainingConfig &config,
                                               std::vector<std::string> &warnings, const JobControl &control);

} // namespace headscope

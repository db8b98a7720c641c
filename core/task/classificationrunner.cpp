#include "core/task/classificationrunner.h"

#include "core/task/forcedoutput.h"
#include "core/task/packedclassificationblock.h"

#include <torch/types.h>

#include <algorithm>
#include <limits>

namespace headscope {

std::vector<ExampleOutput> ClassificationRunner::makeOutputs(const ClassifierSpec &classifier,
                                                             const std::vector<std::int64_t> &ids,
                                                             const torch::Tensor &logits) const
{
    const auto values = logits.to(torch::kCPU, torch::kFloat32).contiguous();
    const auto *value = values.data_ptr<float>();
    std::vector<ExampleOutput> outputs;
    for (std::int64_t id : ids) {
        ExampleOutput output;
        output.index = id;
        output.logits.assign(value, value + values.size(1));
        value += values.size(1);
        if (classifier.problem == ProblemType::SingleLabel) {
            output.predicted.push_back(
                static_cast<int>(std::ranges::max_element(output.logits) - output.logits.begin()));
        } else if (classifier.problem == ProblemType::MultiLabel) {
            for (std::size_t i = 0; i < output.logits.size(); ++i) {
                if (output.logits[i] > 0) // probability above one half
                    output.predicted.push_back(static_cast<int>(i));
            }
        }
        for (int label : output.predicted)
            output.text += (output.text.empty() ? "" : ", ") + classifier.labels[static_cast<std::size_t>(label)];
        if (m_labels->known && classifier.problem != ProblemType::Regression) {
            for (int c : m_labels->exampleClasses[static_cast<std::size_t>(id)]) {
                const auto &labels = m_labels->modelLabels[static_cast<std::size_t>(c)];
                output.labels.insert(output.labels.end(), labels.begin(), labels.end());
            }
        }
        outputs.push_back(std::move(output));
    }
    return outputs;
}

std::vector<ExampleOutput> ClassificationRunner::runBatch(const Task &task, const std::vector<std::int64_t> &ids,
                                                          const HeadGates &gates, const RunOptions &, bool,
                                                          const JobControl &control) const
{
    const Transformer &model = task.model();
    const auto read = classifiedOutput(model, task.examples(), ids, gates, nullptr,
                                       [&](const torch::Tensor &) { control.checkpoint(); });
    return makeOutputs(*model.spec().classifier, ids, model.classify(read));
}

std::shared_ptr<const PreparedBlock> ClassificationRunner::prepare(const Task &task, std::vector<std::int64_t> ids,
                                                                   const HeadMask &base, const ReplacementPlan &plan,
                                                                   const RunOptions &run,
                                                                   const JobControl &control) const
{
    if (task.model().spec().isEncoderDecoder())
        return nullptr;
    return PackedClassificationBlock::make(task, *this, std::move(ids), base, plan, run, control);
}

LossBatch ClassificationRunner::loss(const Task &task, const std::vector<std::int64_t> &ids, const HeadGates &gates,
                                     Recorder *recorder) const
{
    const auto read = classifiedOutput(task.model(), task.examples(), ids, gates, nullptr, {}, recorder);
    const auto logits = task.model().classify(read); // [B, K]
    return labelLoss(*m_labels, task.model().spec().classifier->problem, ids, logits);
}

LossBatch labelLoss(const LabelReading &labels, ProblemType problem, const std::vector<std::int64_t> &ids,
                    const torch::Tensor &logits)
{
    LossBatch result;
    if (problem == ProblemType::Regression) {
        std::vector<double> wanted;
        for (std::int64_t id : ids)
            wanted.push_back(labels.exampleValues[static_cast<std::size_t>(id)]);
        result.loss = (logits.squeeze(1) - torch::tensor(wanted, torch::kFloat64).to(logits.options())).square();
        result.targetTokens = std::ssize(ids);
        return result;
    }
    // 1 at the labels that are right; a row without any counts for nothing (single label).
    auto wanted = torch::zeros({std::ssize(ids), logits.size(1)}, torch::kFloat32);
    auto known = torch::zeros({std::ssize(ids)}, torch::kFloat32);
    for (std::size_t i = 0; i < ids.size(); ++i) {
        const auto &classes = labels.exampleClasses[static_cast<std::size_t>(ids[i])];
        const bool isKnown = problem == ProblemType::MultiLabel || !classes.empty();
        known.data_ptr<float>()[i] = isKnown ? 1.0F : 0.0F;
        result.targetTokens += isKnown ? 1 : 0;
        for (int c : classes) {
            for (int label : labels.modelLabels[static_cast<std::size_t>(c)])
                wanted[static_cast<std::int64_t>(i)][label] = 1;
        }
    }
    wanted = wanted.to(logits.device());
    known = known.to(logits.device());
    if (problem == ProblemType::MultiLabel) {
        result.loss = torch::binary_cross_entropy_with_logits(logits, wanted, {}, {}, at::Reduction::None).mean(1);
        return result;
    }
    // Labels that mean the same class add up: −ln Σ p.
    const auto barred = (1 - wanted) * std::numeric_limits<float>::lowest();
    const auto right = torch::logsumexp(logits + barred, 1);
    result.loss = torch::where(known > 0, torch::logsumexp(logits, 1) - right, torch::zeros_like(right));
    return result;
}

} // namespace headscope

#include "core/task/classificationtask.h"

#include "core/task/batching.h"
#include "core/task/classificationblock.h"
#include "core/task/packedclassificationblock.h"

#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace headscope {
namespace {

/// −ln of the probability of all labels in `wanted` together, by the softmax of the logits. NaN logits give NaN.
double crossEntropy(const std::vector<float> &logits, const std::vector<int> &wanted)
{
    const auto logSum = [&](auto &&contains) {
        double highest = -INFINITY;
        for (std::size_t i = 0; i < logits.size(); ++i)
            highest = contains(i) ? std::max<double>(highest, logits[i]) : highest;
        double sum = 0;
        for (std::size_t i = 0; i < logits.size(); ++i)
            sum += contains(i) ? std::exp(logits[i] - highest) : 0;
        return highest + std::log(sum);
    };
    return logSum([](std::size_t) { return true; })
           - logSum([&](std::size_t i) { return std::ranges::find(wanted, static_cast<int>(i)) != wanted.end(); });
}

/// Mean over labels of the binary cross-entropy with logits.
double binaryCrossEntropy(const std::vector<float> &logits, const std::vector<int> &wanted)
{
    double sum = 0;
    for (std::size_t i = 0; i < logits.size(); ++i) {
        const double x = logits[i];
        const bool right = std::ranges::find(wanted, static_cast<int>(i)) != wanted.end();
        sum += std::max(x, 0.0) - (right ? x : 0) + std::log1p(std::exp(-std::abs(x)));
    }
    return sum / static_cast<double>(logits.size());
}

} // namespace

Result<std::shared_ptr<const ClassificationTask>>
ClassificationTask::make(std::shared_ptr<const Transformer> model, std::shared_ptr<const Tokenizer> tokenizer,
                         const Dataset &dataset, const JobControl &control)
{
    auto task = std::shared_ptr<ClassificationTask>(new ClassificationTask);
    auto examples = ClassificationExamples::make(model->spec(), tokenizer.get(), dataset, control);
    if (!examples.isOk())
        return examples.error();
    task->m_examples = std::move(examples).value();
    const LabelReading &labels = task->m_examples.labels;
    task->m_classOfLabel.assign(model->spec().classifier->labels.size(), -1);
    for (std::size_t c = 0; c < labels.modelLabels.size(); ++c) {
        for (int label : labels.modelLabels[c])
            task->m_classOfLabel[static_cast<std::size_t>(label)] = static_cast<int>(c);
    }
    task->m_outcomeMetrics = outcomeMetrics(model->spec().classifier->problem, labels.classes);
    for (const auto &metric : task->m_outcomeMetrics)
        task->m_metrics.push_back(metric.get());
    task->m_packed = std::make_unique<PackedModels>(model);
    task->m_model = std::move(model);
    return std::shared_ptr<const ClassificationTask>(std::move(task));
}

void ClassificationTask::requireReferences() const
{
    if (!hasReferences())
        throw Failure(badInput("The data set has no labels, so nothing can be measured. Name the column that holds them "
                               "(--label-column)."));
}

DataFacts ClassificationTask::facts() const
{
    DataFacts facts{m_examples.pairs, {}, m_examples.warnings};
    if (!hasReferences() || m_model->spec().classifier->problem == ProblemType::Regression)
        return facts;
    for (const std::string &name : m_examples.labels.classes)
        facts.labels.push_back({name, 0});
    for (const auto &classes : m_examples.labels.exampleClasses) {
        for (int c : classes)
            ++facts.labels[static_cast<std::size_t>(c)].rows;
    }
    return facts;
}

std::vector<std::vector<std::int64_t>> ClassificationTask::batches(std::vector<std::int64_t> ids,
                                                                   std::int64_t batchTokens) const
{
    return batchesByLength(std::move(ids), batchTokens, [&](std::int64_t id) { return length(id); });
}

std::vector<ExampleOutput> ClassificationTask::makeOutputs(const std::vector<std::int64_t> &ids,
                                                           const torch::Tensor &logits) const
{
    const ClassifierSpec &classifier = *m_model->spec().classifier;
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
        if (hasReferences() && classifier.problem != ProblemType::Regression) {
            for (int c : m_examples.labels.exampleClasses[static_cast<std::size_t>(id)]) {
                const auto &labels = m_examples.labels.modelLabels[static_cast<std::size_t>(c)];
                output.labels.insert(output.labels.end(), labels.begin(), labels.end());
            }
        }
        outputs.push_back(std::move(output));
    }
    return outputs;
}

bool ClassificationTask::samePrediction(const ExampleOutput &a, const ExampleOutput &b) const
{
    return m_model->spec().classifier->problem == ProblemType::Regression ? a.logits == b.logits
                                                                         : a.predicted == b.predicted;
}

Outcome ClassificationTask::outcome(const ExampleOutput &output) const
{
    const auto row = static_cast<std::size_t>(output.index);
    const LabelReading &labels = m_examples.labels;
    Outcome outcome;
    switch (m_model->spec().classifier->problem) {
    case ProblemType::Regression:
        outcome.wanted = labels.exampleValues[row];
        outcome.value = output.logits[0];
        outcome.loss = (outcome.value - outcome.wanted) * (outcome.value - outcome.wanted);
        return outcome;
    case ProblemType::SingleLabel:
        outcome.loss = crossEntropy(output.logits, output.labels);
        break;
    case ProblemType::MultiLabel:
        outcome.loss = binaryCrossEntropy(output.logits, output.labels);
        break;
    }
    outcome.labels = labels.exampleClasses[row];
    for (int label : output.predicted) {
        if (const int c = m_classOfLabel[static_cast<std::size_t>(label)]; c >= 0)
            outcome.predicted.push_back(c); // a label that means no class of the data is a wrong answer
    }
    return outcome;
}

void ClassificationTask::statistics(std::size_t metric, const ExampleOutput &output, std::span<double> out) const
{
    m_outcomeMetrics[metric]->statistics(outcome(output), out);
}

std::vector<ExampleOutput> ClassificationTask::plainOutputs(const std::vector<std::int64_t> &ids, const HeadMask &mask,
                                                            const RunOptions &run, bool, const JobControl &control,
                                                            const HeadScales &scales) const
{
    const torch::NoGradGuard noGrad;
    const HeadGates gates = HeadGates::fromMask(mask, layout(), m_model->options(), scales);
    return outputsByBatch(ids, run, control, [&](const std::vector<std::int64_t> &members) {
        EncoderState state = m_model->beginEncoder(batch(members));
        while (state.layer < m_model->spec().encoder.layers()) {
            control.checkpoint();
            m_model->advanceEncoder(state, state.layer + 1, gates);
        }
        return makeOutputs(members, classifyState(*m_model, state));
    });
}

std::shared_ptr<const PreparedBlock> ClassificationTask::prepare(std::vector<std::int64_t> ids, const HeadMask &base,
                                                                 const ReplacementPlan &plan, const RunOptions &run,
                                                                 const JobControl &control) const
{
    checkPlan(plan, *this);
    if (canRunPacked(*m_packed, plan.kind, run))
        return PackedClassificationBlock::make(*this, std::move(ids), base, run, control);
    return ClassificationBlock::make(*this, std::move(ids), base, plan, run, control);
}

std::int64_t ClassificationTask::bytesPerExample(const RunOptions &) const
{
    std::int64_t tokens = 0;
    for (std::int64_t id = 0; id < size(); ++id)
        tokens += length(id);
    // Per layer: hidden states and contexts.
    const TransformerSpec &spec = m_model->spec();
    return tokens * spec.encoder.layers() * 2 * spec.width * 4 / std::max<std::int64_t>(1, size());
}

std::map<HeadKind, GateShape> ClassificationTask::gateShapes(const std::vector<std::int64_t> &ids) const
{
    GateShape shape;
    shape.rows = std::ssize(ids);
    for (std::int64_t id : ids)
        shape.lengths.push_back(length(id));
    shape.positions = std::ranges::max(shape.lengths);
    return {{HeadKind::Encoder, shape}};
}

LossBatch ClassificationTask::loss(const std::vector<std::int64_t> &ids, const HeadGates &gates) const
{
    const Memory encoded = m_model->encode(batch(ids), gates);
    const auto logits = m_model->classify(encoded.hidden.select(1, 0)); // [B, K]
    const LabelReading &labels = m_examples.labels;
    const ProblemType problem = m_model->spec().classifier->problem;
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

ContextBatch ClassificationTask::contexts(const std::vector<std::int64_t> &ids, const HeadGates &gates,
                                          bool inputs) const
{
    const torch::NoGradGuard noGrad;
    Recorder recorder;
    recorder.contexts = true;
    recorder.inputs = inputs;
    const TokenBatch tokens = batch(ids);
    (void)m_model->encode(tokens, gates, &recorder);
    return {std::move(recorder.tensors), {{HeadKind::Encoder, tokens.lengths}}};
}

AttentionBatch ClassificationTask::attention(const std::vector<std::int64_t> &ids, const AttentionRequest &request) const
{
    const torch::NoGradGuard noGrad;
    Recorder recorder;
    recorder.probabilities = true;
    recorder.values = request.valueNorms;
    (void)m_model->encode(batch(ids), HeadGates::fromMask(request.mask, layout(), m_model->options()), &recorder);
    AttentionBatch result;
    AttentionBatch::Kind &kind = result.kinds[HeadKind::Encoder]
        = recordedAttention(recorder, *layout().block(HeadKind::Encoder));
    kind.realQueries = kind.realKeys = m_examples.realTokens(ids, m_model->device());
    for (const std::int64_t id : ids)
        result.sources.push_back(m_examples.row(id).ids);
    return result;
}

} // namespace headscope

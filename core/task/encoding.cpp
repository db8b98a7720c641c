#include "core/task/tasks.h"

namespace headscope {
namespace {

constexpr const char *kNothing
    = "The model is an encoder without a head, so it has no outputs to measure. Roles, attention and confidence "
      "work; for everything else open a model with a classification head, or one that predicts masked tokens.";

class NoMeasure final : public Measure
{
public:
    const std::vector<const Metric *> &metrics() const override { return m_none; }
    void statistics(std::size_t, const ExampleOutput &, std::span<double>) const override { }
    bool samePrediction(const ExampleOutput &, const ExampleOutput &) const override { return true; }
    bool hasReferences() const override { return false; }
    std::string missingReferences() const override { return kNothing; }
    bool isDecidedByPredictions(std::size_t) const override { return true; }

private:
    std::vector<const Metric *> m_none;
};

class NoRunner final : public Runner
{
public:
    std::vector<ExampleOutput> runBatch(const Task &, const std::vector<std::int64_t> &, const HeadGates &,
                                        const RunOptions &, bool, const JobControl &) const override
    {
        throw Failure(usageError(kNothing));
    }
    std::shared_ptr<const PreparedBlock> prepare(const Task &, std::vector<std::int64_t>, const HeadMask &,
                                                 const ReplacementPlan &, const RunOptions &,
                                                 const JobControl &) const override
    {
        throw Failure(usageError(kNothing));
    }
    LossBatch loss(const Task &, const std::vector<std::int64_t> &, const HeadGates &, Recorder *) const override
    {
        throw Failure(usageError(kNothing));
    }
};

Result<TaskParts> makeEncoding(const OpenModel &model, const Dataset &dataset, const JobControl &control)
{
    auto examples = textExamples(model.transformer->spec(), model.tokenizer.get(), dataset, control);
    if (!examples.isOk())
        return examples.error();
    return TaskParts{std::move(examples).value(), std::make_unique<NoRunner>(), std::make_unique<NoMeasure>()};
}

} // namespace

const TaskKind kEncoding{
    "encoding", [](const TransformerSpec &spec) { return !spec.decoder && !spec.classifier && !spec.maskedLm; },
    [](const TransformerSpec &) { return std::vector<std::string>(); }, makeEncoding};

} // namespace headscope

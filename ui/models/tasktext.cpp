#include "ui/models/tasktext.h"

#include "core/results/probabilities.h"
#include "ui/models/numbertext.h"

#include <QCoreApplication>

#include <algorithm>

using namespace Qt::StringLiterals;

namespace headscope {

namespace {
constexpr std::size_t kLabelsShown = 12;

struct TaskWords
{
    Q_DECLARE_TR_FUNCTIONS(headscope::TaskText)
};

QString labelName(const ModelCard &model, int label)
{
    const auto index = static_cast<std::size_t>(label);
    return index < model.labels.size() ? QString::fromStdString(model.labels[index]) : QString::number(label);
}
} // namespace

bool isClassifier(const ModelCard &model)
{
    return model.task == "classification";
}

bool isTranslator(const ModelCard &model)
{
    return model.task == "translation";
}

bool isLanguageModel(const ModelCard &model)
{
    return model.task == "language-modelling" || model.task == "masked-language-modelling";
}

QString problemText(const ModelCard &model)
{
    if (!isClassifier(model))
        return {};
    if (model.problem == ProblemType::Regression)
        return TaskWords::tr("a number (regression)");
    return (model.problem == ProblemType::SingleLabel ? TaskWords::tr("one of %1 labels")
                                                      : TaskWords::tr("any of %1 labels"))
        .arg(countText(static_cast<std::int64_t>(model.labels.size())));
}

QString labelNamesText(const ModelCard &model)
{
    if (!isClassifier(model) || model.problem == ProblemType::Regression)
        return {};
    QStringList names;
    for (std::size_t i = 0; i < std::min(model.labels.size(), kLabelsShown); ++i)
        names << QString::fromStdString(model.labels[i]);
    if (model.labels.size() > kLabelsShown)
        names << u"…"_s;
    return names.join(u", "_s);
}

QString labelCountsText(const std::vector<LabelCount> &labels)
{
    QStringList parts;
    for (std::size_t i = 0; i < std::min(labels.size(), kLabelsShown); ++i)
        parts << QString::fromStdString(labels[i].label) + u": "_s + countText(labels[i].rows);
    if (labels.size() > kLabelsShown)
        parts << u"…"_s;
    return parts.join(u" · "_s);
}

QString predictionText(const ExampleOutput &output, const ModelCard &model)
{
    if (output.logits.empty())
        return QString::fromStdString(output.text);
    if (model.problem == ProblemType::Regression)
        return numberText(static_cast<double>(output.logits.front()), 2);
    const std::vector<double> chances = labelProbabilities(output.logits, model.problem);
    QStringList parts;
    for (const int label : output.predicted)
        parts << labelName(model, label) + u' ' + numberText(chances.at(static_cast<std::size_t>(label)), 2);
    return parts.isEmpty() ? TaskWords::tr("no label") : parts.join(u", "_s);
}

QString rightLabelsText(const ExampleOutput &output, const ModelCard &model)
{
    QStringList names;
    for (const int label : output.labels)
        names << labelName(model, label);
    return names.join(model.problem == ProblemType::SingleLabel ? TaskWords::tr(" or ") : u", "_s);
}

std::optional<bool> isRight(const ExampleOutput &output, ProblemType problem)
{
    if (problem == ProblemType::Regression || output.logits.empty())
        return {};
    if (problem == ProblemType::MultiLabel)
        return output.predicted == output.labels;
    if (output.labels.empty() || output.predicted.empty())
        return {};
    return std::find(output.labels.begin(), output.labels.end(), output.predicted.front()) != output.labels.end();
}

QString whyNotPatched(const DataCard &data)
{
    if (data.patchingPairs)
        return {};
    return TaskWords::tr("%1 has no pairs of a clean and a corrupt text. Choose a table with the columns clean, "
                         "corrupt, answer and wrong_answer.")
        .arg(QString::fromStdString(data.name));
}

QString cutText(const AttentionResult &attention)
{
    if (!attention.cut)
        return {};
    const QString source = countText(std::ssize(attention.sourceTokens));
    const bool one = attention.targetTokens.empty() || attention.targetTokens.size() == attention.sourceTokens.size();
    return one ? TaskWords::tr("cut: %1 tokens fit into the model").arg(source)
               : TaskWords::tr("cut: %1 source and %2 target tokens are shown")
                     .arg(source, countText(std::ssize(attention.targetTokens)));
}

} // namespace headscope

#include "ui/pages/training/experiment.h"

#include <QCoreApplication>
#include <QLocale>
#include <QStringList>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

using namespace Qt::StringLiterals;

namespace headscope {
namespace {

struct ExperimentWords
{
    Q_DECLARE_TR_FUNCTIONS(headscope::ExperimentView)
};

/// As the command line says numbers in names of folders: as short as they are exact.
QString shortNumberText(double value)
{
    return QString::number(value, 'g', QLocale::FloatingPointShortest);
}

Error wrong(const QString &text)
{
    return usageError(text.toStdString());
}

Result<std::vector<double>> numbersOf(const QString &text, bool whole)
{
    std::vector<double> numbers;
    for (const QString &part : text.split(u',', Qt::SkipEmptyParts)) {
        if (part.trimmed().isEmpty())
            continue;
        bool isNumber = false;
        const double number = part.trimmed().toDouble(&isNumber);
        if (!isNumber || !(number > 0) || !std::isfinite(number) || (whole && number != std::floor(number)))
            return wrong(whole ? ExperimentWords::tr("“%1” is no whole number above 0.").arg(part.trimmed())
                               : ExperimentWords::tr("“%1” is no number above 0.").arg(part.trimmed()));
        if (std::ranges::find(numbers, number) == numbers.end())
            numbers.push_back(number);
    }
    if (numbers.empty())
        return wrong(ExperimentWords::tr("Give the values to try, separated by commas."));
    return numbers;
}

/// What the form must say for this experiment; nothing: it says that.
std::optional<Error> misfit(Varied varied, const TrainingConfig &base)
{
    const bool isNew = base.startFrom.empty();
    if (varied == Varied::Heads && !isNew)
        return wrong(ExperimentWords::tr("This experiment makes new models: let the form begin with a new model."));
    if (varied == Varied::Scratch && isNew)
        return wrong(ExperimentWords::tr("This experiment is of a trained model: let the form begin with one."));
    if (varied == Varied::Lambda && base.gates.method != GateMethod::L0)
        return wrong(ExperimentWords::tr("This experiment trains L0 gates: choose them in the form."));
    return std::nullopt;
}

/// As the form says, in a folder of its own.
ExperimentRun runOf(const TrainingConfig &base, const QString &name, std::optional<double> value = {},
                    const QString &line = {})
{
    TrainingConfig config = base;
    config.output = base.output / name.toStdString();
    return {name, std::move(config), value, line};
}

using Runs = std::vector<ExperimentRun>;

Result<Runs> headRuns(const TrainingConfig &base, const std::vector<double> &numbers)
{
    Runs runs;
    for (const double number : numbers) {
        const auto heads = static_cast<std::int64_t>(number);
        if (base.model.width % heads != 0)
            return wrong(ExperimentWords::tr("The model's width %1 cannot be divided among %2 heads.")
                             .arg(base.model.width)
                             .arg(heads));
        runs.push_back(runOf(base, u"heads-%1"_s.arg(heads), number));
        runs.back().config.model.encoderHeads = runs.back().config.model.decoderHeads = heads;
    }
    return runs;
}

Runs beginningRuns(const TrainingConfig &base)
{
    Runs runs;
    for (const InitialHeads initial : {InitialHeads::Different, InitialHeads::Identical, InitialHeads::Equal}) {
        runs.push_back(runOf(base, QString::fromStdString(std::string(toText(initial))) + u"-heads"_s));
        runs.back().config.initialHeads = initial;
    }
    return runs;
}

Result<Runs> sharedRuns(const TrainingConfig &base, const std::vector<double> &numbers)
{
    if (base.freshWeights)
        return wrong(ExperimentWords::tr("This experiment is of a new model or of a trained one."));
    Runs runs;
    if (!base.startFrom.empty()) {
        runs.push_back(runOf(base, u"original"_s, {}, u"original"_s));
        runs.back().config.model.sharedWidth = 0;
    }
    for (const double number : numbers) {
        const auto width = static_cast<std::int64_t>(number);
        for (const bool fixed : {false, true}) {
            const QString line = fixed ? u"concatenated"_s : u"collaborative"_s;
            runs.push_back(runOf(base, u"%1-%2"_s.arg(line).arg(width), number, line));
            runs.back().config.model.sharedWidth = width;
            runs.back().config.fixedMixing = fixed;
        }
    }
    return runs;
}

Runs scratchRuns(const TrainingConfig &base, const HeadMask &mask)
{
    Runs runs;
    for (const bool fresh : {false, true}) {
        runs.push_back(runOf(base, fresh ? u"from-scratch"_s : u"fine-tuned"_s));
        runs.back().config.freshWeights = fresh;
        runs.back().config.removedHeads = mask;
    }
    return runs;
}

Runs lambdaRuns(const TrainingConfig &base, const std::vector<double> &numbers)
{
    Runs runs;
    for (const double lambda : numbers) {
        runs.push_back(runOf(base, u"lambda-"_s + shortNumberText(lambda), lambda));
        runs.back().config.gates.lambda = lambda;
    }
    return runs;
}

} // namespace

bool hasValues(Varied varied)
{
    return varied == Varied::Heads || varied == Varied::SharedWidth || varied == Varied::Lambda;
}

QString usualValues(Varied varied, const TrainingConfig &base)
{
    QStringList values;
    switch (varied) {
    case Varied::Heads:
        for (const std::int64_t heads : {1, 2, 4, 8, 16}) {
            if (base.model.width % heads == 0)
                values << QString::number(heads);
        }
        break;
    case Varied::SharedWidth:
        for (const std::int64_t part : {6, 3, 2, 1})
            values << QString::number(std::max<std::int64_t>(1, base.model.width / part));
        break;
    case Varied::Lambda:
        values = {u"0.01"_s, u"0.02"_s, u"0.05"_s, u"0.1"_s};
        break;
    case Varied::Beginning:
    case Varied::Scratch:
        break;
    }
    values.removeDuplicates();
    return values.join(u',');
}

Result<std::vector<ExperimentRun>> experimentRuns(Varied varied, const TrainingConfig &base, const QString &values,
                                                  const HeadMask &mask)
{
    if (const auto error = misfit(varied, base))
        return *error;
    std::vector<double> numbers;
    if (hasValues(varied)) {
        auto read = numbersOf(values, varied != Varied::Lambda);
        if (!read.isOk())
            return read.error();
        numbers = std::move(read).value();
    }
    switch (varied) {
    case Varied::Heads:
        return headRuns(base, numbers);
    case Varied::Beginning:
        return beginningRuns(base);
    case Varied::SharedWidth:
        return sharedRuns(base, numbers);
    case Varied::Scratch:
        return scratchRuns(base, mask);
    case Varied::Lambda:
        return lambdaRuns(base, numbers);
    }
    return Runs();
}

} // namespace headscope

#include "ui/pages/training/experiment.h"

#include <QCoreApplication>
#include <QLocale>
#include <QStringList>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
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
    std::vector<ExperimentRun> runs;
    const auto add = [&](const QString &name, std::optional<double> value, const QString &line,
                         const std::function<void(TrainingConfig &)> &change) {
        TrainingConfig config = base;
        change(config);
        config.output = base.output / name.toStdString();
        runs.push_back({name, std::move(config), value, line});
    };
    const bool isNew = base.startFrom.empty();
    if (varied == Varied::Heads && !isNew)
        return wrong(ExperimentWords::tr("This experiment makes new models: let the form begin with a new model."));
    if (varied == Varied::Scratch && isNew)
        return wrong(ExperimentWords::tr("This experiment is of a trained model: let the form begin with one."));
    if (varied == Varied::Lambda && base.gates.method != GateMethod::L0)
        return wrong(ExperimentWords::tr("This experiment trains L0 gates: choose them in the form."));
    std::vector<double> numbers;
    if (hasValues(varied)) {
        auto read = numbersOf(values, varied != Varied::Lambda);
        if (!read.isOk())
            return read.error();
        numbers = std::move(read).value();
    }
    switch (varied) {
    case Varied::Heads:
        for (const double number : numbers) {
            const auto heads = static_cast<std::int64_t>(number);
            if (base.model.width % heads != 0)
                return wrong(ExperimentWords::tr("The model's width %1 cannot be divided among %2 heads.")
                                 .arg(base.model.width)
                                 .arg(heads));
            add(u"heads-%1"_s.arg(heads), number, {},
                [heads](TrainingConfig &config) { config.model.encoderHeads = config.model.decoderHeads = heads; });
        }
        break;
    case Varied::Beginning:
        for (const InitialHeads initial : {InitialHeads::Different, InitialHeads::Identical, InitialHeads::Equal})
            add(QString::fromStdString(std::string(toText(initial))) + u"-heads"_s, {}, {},
                [initial](TrainingConfig &config) { config.initialHeads = initial; });
        break;
    case Varied::SharedWidth:
        if (base.freshWeights)
            return wrong(ExperimentWords::tr("This experiment is of a new model or of a trained one."));
        if (!isNew)
            add(u"original"_s, {}, u"original"_s, [](TrainingConfig &config) { config.model.sharedWidth = 0; });
        for (const double number : numbers) {
            const auto width = static_cast<std::int64_t>(number);
            for (const bool fixed : {false, true}) {
                const QString line = fixed ? u"concatenated"_s : u"collaborative"_s;
                add(u"%1-%2"_s.arg(line).arg(width), number, line, [width, fixed](TrainingConfig &config) {
                    config.model.sharedWidth = width;
                    config.fixedMixing = fixed;
                });
            }
        }
        break;
    case Varied::Scratch:
        for (const bool fresh : {false, true})
            add(fresh ? u"from-scratch"_s : u"fine-tuned"_s, {}, {}, [fresh, &mask](TrainingConfig &config) {
                config.freshWeights = fresh;
                config.removedHeads = mask;
            });
        break;
    case Varied::Lambda:
        for (const double lambda : numbers)
            add(u"lambda-"_s + shortNumberText(lambda), lambda, {},
                [lambda](TrainingConfig &config) { config.gates.lambda = lambda; });
        break;
    }
    return runs;
}

} // namespace headscope

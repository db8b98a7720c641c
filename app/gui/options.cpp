#include "app/gui/options.h"

#include "app/gui/dataoptions.h"
#include "ui/pages/pageregistry.h"

#include <QCommandLineParser>
#include <QCoreApplication>
#include <QRegularExpression>

#include <limits>

namespace headscope {

namespace {
QString tr(const char *text)
{
    return QCoreApplication::translate("headscope::GuiOptions", text);
}

Error usage(const QString &text)
{
    return usageError(text.toStdString());
}

Result<std::int64_t> wholeNumber(const QCommandLineParser &parser, const QString &option, std::int64_t otherwise,
                                 std::int64_t least = 0)
{
    if (!parser.isSet(option))
        return otherwise;
    bool ok = false;
    const qlonglong value = parser.value(option).toLongLong(&ok);
    if (!ok || value < least || value > std::numeric_limits<int>::max())
        return usage(tr("--%1 needs a whole number from %2, not \"%3\".")
                         .arg(option).arg(least).arg(parser.value(option)));
    return static_cast<std::int64_t>(value);
}

Result<QSize> pictureSize(const QString &text)
{
    static const QRegularExpression pattern(QStringLiteral("^(\\d{2,5})x(\\d{2,5})$"));
    const auto match = pattern.match(text);
    if (!match.hasMatch())
        return usage(tr("--size needs WIDTHxHEIGHT, for example 1280x800, not \"%1\".").arg(text));
    return QSize(match.captured(1).toInt(), match.captured(2).toInt());
}

void describe(QCommandLineParser &parser)
{
    parser.setApplicationDescription(tr("Finds out what the attention heads of a trained Transformer do."));
    parser.addOptions({
        {QStringLiteral("in"), tr("In-domain data: --in TABLE, or two parallel text files, --in SOURCE REFERENCE."),
         tr("files")},
        {QStringLiteral("out"), tr("Out-of-domain data, likewise."), tr("files")},
        {QStringLiteral("in-text"), tr("In-domain running text for a language model, a text in each line."), tr("file")},
        {QStringLiteral("out-text"), tr("Out-of-domain running text, likewise."), tr("file")},
        {QStringLiteral("text-column"),
         tr("How the table named before is read, or both tables if none is named yet: its column of texts."),
         QStringLiteral("NAME")},
        {QStringLiteral("pair-column"), tr("Likewise: its column of second texts, or \"none\"."), QStringLiteral("NAME")},
        {QStringLiteral("label-column"), tr("Likewise: its column of labels or references."), QStringLiteral("NAME")},
        {QStringLiteral("label-map"), tr("Likewise: what its labels mean to the model, 1=positive,0=negative."),
         QStringLiteral("MAP")},
        {QStringLiteral("worse-column"),
         tr("Likewise: of minimal pairs, its column of the sentences that should be less likely, or \"none\"."),
         QStringLiteral("NAME")},
        {QStringLiteral("paradigm-column"), tr("Likewise: its column of what a minimal pair tests, or \"none\"."),
         QStringLiteral("NAME")},
        {QStringLiteral("conllu"),
         tr("Likewise: dependency trees of its texts. --in FILE.conllu is a data set by itself."), QStringLiteral("FILE")},
        {QStringLiteral("no-header"), tr("Likewise: the first line is a row already.")},
        {QStringLiteral("quoted"), tr("Likewise: a .tsv with fields in quotation marks.")},
        {QStringLiteral("metric"),
         tr("By which heads are judged, e.g. accuracy, F1, loss, BLEU; the task's first otherwise."),
         QStringLiteral("NAME")},
        {QStringLiteral("demo"), tr("Opens the study that comes with Headscope.")},
        {QStringLiteral("classifier-demo"), tr("Opens the other one, of a classifier.")},
        {QStringLiteral("limit"), tr("Uses the first N examples of each data set."), QStringLiteral("N")},
        {QStringLiteral("beams"), tr("Beams of the search, 1 = greedy; otherwise the model's own."), QStringLiteral("K")},
        {QStringLiteral("host"),
         tr("The machine that model and data are on, as ssh knows it, or a command that runs headscope-cli there."),
         QStringLiteral("HOST")},
        {QStringLiteral("device"), tr("auto, cpu, cuda, cuda:N or cuda:all."), QStringLiteral("device")},
        {QStringLiteral("dtype"), tr("f32 or bf16."), QStringLiteral("type")},
        {QStringLiteral("source-language"),
         tr("Of a multilingual model: the language of the source texts, by the model's code for it."),
         QStringLiteral("CODE")},
        {QStringLiteral("target-language"), tr("Likewise: the language that it is to write."), QStringLiteral("CODE")},
        {QStringLiteral("threads"), tr("Processor threads; 0 = one per core."), QStringLiteral("N")},
        {QStringLiteral("screenshot"), tr("Writes a picture of a view and ends; needs no display."), QStringLiteral("FILE")},
        {QStringLiteral("view"), tr("The page: %1.").arg(viewNames().join(QStringLiteral(", "))), QStringLiteral("NAME")},
        {QStringLiteral("size"), tr("Size of the picture, 1280x800 by default."), QStringLiteral("WxH")},
        {QStringLiteral("theme"), tr("light or dark."), QStringLiteral("NAME")},
        {QStringLiteral("export-all"), tr("Writes every picture and table into a folder and ends; needs no display."),
         QStringLiteral("FOLDER")},
        {{QStringLiteral("h"), QStringLiteral("help")}, tr("Shows this help.")},
        {{QStringLiteral("v"), QStringLiteral("version")}, tr("Shows the version.")},
    });
    parser.addPositionalArgument(QStringLiteral("STUDY|MODEL_DIR|RUN_DIR"),
                                 tr("A saved study, a model folder or the folder of a training run."),
                                 QStringLiteral("[STUDY|MODEL_DIR|RUN_DIR]"));
}

std::optional<Error> readNumbers(const QCommandLineParser &parser, GuiOptions &options)
{
    const auto limit = wholeNumber(parser, QStringLiteral("limit"), 0);
    const auto beams = wholeNumber(parser, QStringLiteral("beams"), 0, 1);
    const auto threads = wholeNumber(parser, QStringLiteral("threads"), 0);
    for (const auto *number : {&limit, &beams, &threads}) {
        if (number->isError())
            return number->error();
    }
    for (auto &source : options.data) {
        if (source)
            source->limit = limit.value();
    }
    if (beams.value() > 0)
        options.run.decoding.beams = static_cast<int>(beams.value());
    options.model.threads = static_cast<int>(threads.value());
    return std::nullopt;
}

std::optional<Error> readView(const QCommandLineParser &parser, GuiOptions &options)
{
    if (parser.isSet(QStringLiteral("view"))) {
        options.view = parser.value(QStringLiteral("view"));
        if (!viewNames().contains(options.view))
            return usage(tr("--view knows %1, not \"%2\".").arg(viewNames().join(QStringLiteral(", ")), options.view));
    }
    if (parser.isSet(QStringLiteral("size"))) {
        const auto size = pictureSize(parser.value(QStringLiteral("size")));
        if (size.isError())
            return size.error();
        options.size = size.value();
    }
    if (parser.isSet(QStringLiteral("theme"))) {
        const QString name = parser.value(QStringLiteral("theme"));
        if (name != QLatin1String("light") && name != QLatin1String("dark"))
            return usage(tr("--theme knows light and dark, not \"%1\".").arg(name));
        options.theme = name == QLatin1String("light") ? Theme::Light : Theme::Dark;
    }
    return std::nullopt;
}
} // namespace

Result<GuiOptions> parseOptions(const QStringList &arguments)
{
    GuiOptions options;
    QStringList rest = arguments;
    const auto data = takeDataOptions(rest); // QCommandLineParser knows neither options with two values nor their order
    if (data.isError())
        return data.error();
    options.data = data.value();
    QCommandLineParser parser;
    describe(parser);
    if (!parser.parse(rest))
        return usage(parser.errorText());
    options.help = parser.helpText();
    options.showHelp = parser.isSet(QStringLiteral("help"));
    options.showVersion = parser.isSet(QStringLiteral("version"));
    if (parser.positionalArguments().size() > 1)
        return usage(tr("Only one study or model folder can be opened, found also \"%1\".")
                         .arg(parser.positionalArguments().at(1)));
    options.path = parser.positionalArguments().value(0);
    for (const auto &[name, demo] : {std::pair("demo", Demo::Translation), std::pair("classifier-demo", Demo::Classifier)}) {
        if (!parser.isSet(QLatin1String(name)))
            continue;
        if (!options.path.isEmpty() || options.demo)
            return usage(tr("--%1 opens its own study; leave \"%2\" out.")
                             .arg(QLatin1String(name), options.demo ? QStringLiteral("--demo") : options.path));
        options.demo = demo;
    }
    options.screenshot = parser.value(QStringLiteral("screenshot"));
    options.exportFolder = parser.value(QStringLiteral("export-all"));
    options.run.metric = parser.value(QStringLiteral("metric")).toStdString();
    options.model.host = parser.value(QStringLiteral("host")).toStdString();
    if (!options.model.host.empty() && (options.path.isEmpty() || options.path.endsWith(QLatin1String(".headscope"))))
        return usage(tr("--host needs the folder of a model on that machine."));
    if (parser.isSet(QStringLiteral("device")))
        options.model.device = parser.value(QStringLiteral("device")).toStdString();
    options.model.sourceLanguage = parser.value(QStringLiteral("source-language")).toStdString();
    options.model.targetLanguage = parser.value(QStringLiteral("target-language")).toStdString();
    if (parser.isSet(QStringLiteral("dtype")))
        options.model.dtype = parser.value(QStringLiteral("dtype")).toStdString();
    if (const auto error = readNumbers(parser, options))
        return *error;
    if (const auto error = readView(parser, options))
        return *error;
    if (options.path.isEmpty() && !options.demo && !options.exportFolder.isEmpty())
        return usage(tr("--export-all needs a study or a model folder."));
    return options;
}

} // namespace headscope

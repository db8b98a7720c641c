#include "app/gui/options.h"

#include "app/gui/dataoptions.h"
#include "ui/language/language.h"
#include "ui/pages/pageregistry.h"

#include <QCommandLineParser>
#include <QCoreApplication>
#include <QRegularExpression>

#include <limits>
#include <utility>

namespace headscope {

namespace {
struct Words
{
    Q_DECLARE_TR_FUNCTIONS(headscope::GuiOptions)
};

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
        return usage(Words::tr("--%1 needs a whole number from %2, not \"%3\".")
                         .arg(option)
                         .arg(least)
                         .arg(parser.value(option)));
    return static_cast<std::int64_t>(value);
}

Result<QSize> pictureSize(const QString &text)
{
    static const QRegularExpression pattern(QStringLiteral("^(\\d{2,5})x(\\d{2,5})$"));
    const auto match = pattern.match(text);
    if (!match.hasMatch())
        return usage(Words::tr("--size needs WIDTHxHEIGHT, for example 1280x800, not \"%1\".").arg(text));
    return QSize(match.captured(1).toInt(), match.captured(2).toInt());
}

QStringList languageCodes()
{
    QStringList codes;
    for (const Language &language : languages())
        codes << language.code;
    return codes;
}

QStringList themeNames()
{
    QStringList names;
    for (const Theme theme : kThemes)
        names << themeName(theme);
    return names;
}

/// An option that takes one of a few names.
std::optional<Error> checkName(const QCommandLineParser &parser, const QString &option, const QStringList &names)
{
    const QString name = parser.value(option);
    if (!parser.isSet(option) || names.contains(name))
        return std::nullopt;
    return usage(Words::tr("--%1 knows %2, not \"%3\".").arg(option, names.join(QStringLiteral(", ")), name));
}

QList<QCommandLineOption> dataOptions()
{
    return {
        {QStringLiteral("in"),
         Words::tr("In-domain data: --in TABLE, or two parallel text files, --in SOURCE REFERENCE."),
         Words::tr("files")},
        {QStringLiteral("out"),
         Words::tr(
             "Out-of-domain data, in the same forms. Options of how data are read apply to the data set named before "
             "them, or to both if none was named yet; --limit always to both."),
         Words::tr("files")},
        {QStringLiteral("in-text"), Words::tr("In-domain running text for a language model, a text in each line."),
         Words::tr("file")},
        {QStringLiteral("out-text"),
         Words::tr("Out-of-domain running text for a language model, a text in each "
                   "line."),
         Words::tr("file")},
        {QStringLiteral("source-prefix"), Words::tr("Text that is put before every source text, as T5 needs it."),
         QStringLiteral("TEXT")},
        {QStringLiteral("shots-file"),
         Words::tr("Table of questions of which the first --shots stand before every question with their answers."),
         QStringLiteral("FILE")},
        {QStringLiteral("conllu"),
         Words::tr("Dependency trees of the texts of the data set named before. --in FILE.conllu is a complete "
                   "data set."),
         QStringLiteral("FILE")},
        {QStringLiteral("metric"),
         Words::tr("Metric by which heads are judged, e.g. accuracy, F1, loss, BLEU; by default the task's "
                   "first."),
         QStringLiteral("NAME")},
        {QStringLiteral("demo"), Words::tr("Opens the study that comes with Headscope.")},
        {QStringLiteral("classifier-demo"), Words::tr("Opens the second demo, a classifier.")},
        {QStringLiteral("pronunciation-demo"),
         Words::tr("Opens the third demo, a small model with a positional head and one for rare words.")},
        {QStringLiteral("beams"),
         Words::tr("Beams of the search, 1 = greedy; by default the model's own "
                   "setting."),
         QStringLiteral("K")},
    };
}

QList<QCommandLineOption> modelOptions()
{
    return {
        {QStringLiteral("host"),
         Words::tr("The machine with the model and data, as a host name for ssh, or a command that runs headscope-cli "
                   "there."),
         QStringLiteral("HOST")},
        {QStringLiteral("device"), Words::tr("auto, cpu, cuda, cuda:N or cuda:all."), QStringLiteral("device")},
        {QStringLiteral("dtype"), Words::tr("f32 or bf16."), QStringLiteral("type")},
        {QStringLiteral("source-language"),
         Words::tr("For a multilingual model: the language of the source texts, as the model's code."),
         QStringLiteral("CODE")},
        {QStringLiteral("target-language"), Words::tr("For a multilingual model: the target language."),
         QStringLiteral("CODE")},
        {QStringLiteral("threads"), Words::tr("Processor threads; 0 = one per core."), QStringLiteral("N")},
    };
}

QList<QCommandLineOption> viewOptions()
{
    return {
        {QStringLiteral("screenshot"), Words::tr("Writes a picture of a view and quits; needs no display."),
         QStringLiteral("FILE")},
        {QStringLiteral("view"), Words::tr("The page: %1.").arg(viewNames().join(QStringLiteral(", "))),
         QStringLiteral("NAME")},
        {QStringLiteral("size"), Words::tr("Size of the picture, 1280x800 by default."), QStringLiteral("WxH")},
        {QStringLiteral("theme"), Words::tr("Colours: %1.").arg(themeNames().join(QStringLiteral(", "))),
         QStringLiteral("NAME")},
        {QStringLiteral("language"),
         Words::tr("Language of texts and numbers: %1; by default the system's.")
             .arg(languageCodes().join(QStringLiteral(", "))),
         QStringLiteral("CODE")},
        {QStringLiteral("export-all"),
         Words::tr("Computes what is missing, writes every picture and table into a folder and quits; needs no "
                   "display. What cannot be computed of the data is listed and left out."),
         QStringLiteral("FOLDER")},
        {{QStringLiteral("h"), QStringLiteral("help")}, Words::tr("Shows this help.")},
        {{QStringLiteral("v"), QStringLiteral("version")}, Words::tr("Shows the version.")},
    };
}

void describe(QCommandLineParser &parser)
{
    parser.setApplicationDescription(Words::tr("Finds out what the attention heads of a trained Transformer do."));
    parser.addOptions(dataOptions() + modelOptions() + viewOptions());
    parser.addOptions(readingOptions());
    parser.addPositionalArgument(QStringLiteral("STUDY|MODEL_DIR|RUN_DIR"),
                                 Words::tr("A saved study, a model folder or the folder of a training run."),
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

/// A demo in the place of a study or model.
std::optional<Error> readDemo(const QCommandLineParser &parser, GuiOptions &options)
{
    for (const auto &[name, demo] :
         {std::pair("demo", Demo::Translation), std::pair("classifier-demo", Demo::Classifier),
          std::pair("pronunciation-demo", Demo::Pronunciation)}) {
        if (!parser.isSet(QLatin1String(name)))
            continue;
        if (!options.path.isEmpty() || options.demo)
            return usage(Words::tr("--%1 opens its own study; leave \"%2\" out.")
                             .arg(QLatin1String(name), options.demo ? QStringLiteral("--demo") : options.path));
        options.demo = demo;
    }
    return std::nullopt;
}

std::optional<Error> readView(const QCommandLineParser &parser, GuiOptions &options)
{
    const std::pair<QString, QStringList> named[] = {{QStringLiteral("view"), viewNames()},
                                                     {QStringLiteral("theme"), themeNames()},
                                                     {QStringLiteral("language"), languageCodes()}};
    for (const auto &[option, names] : named) {
        if (auto error = checkName(parser, option, names))
            return error;
    }
    if (parser.isSet(QStringLiteral("view")))
        options.view = parser.value(QStringLiteral("view"));
    options.theme = themeNamed(parser.value(QStringLiteral("theme")));
    options.language = parser.value(QStringLiteral("language"));
    if (parser.isSet(QStringLiteral("size"))) {
        const auto size = pictureSize(parser.value(QStringLiteral("size")));
        if (size.isError())
            return size.error();
        options.size = size.value();
    }
    return std::nullopt;
}
} // namespace

QString requestedLanguage(const QStringList &arguments)
{
    const QString option = QStringLiteral("--language");
    for (qsizetype at = arguments.size() - 1; at > 0; --at) {
        if (arguments[at] == option)
            return arguments.value(at + 1);
        if (arguments[at].startsWith(option + u'='))
            return arguments[at].mid(option.size() + 1);
    }
    return {};
}

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
        return usage(Words::tr("Only one study or model folder can be opened at a time; \"%1\" is another one.")
                         .arg(parser.positionalArguments().at(1)));
    options.path = parser.positionalArguments().value(0);
    if (const auto error = readDemo(parser, options))
        return *error;
    options.screenshot = parser.value(QStringLiteral("screenshot"));
    options.exportFolder = parser.value(QStringLiteral("export-all"));
    options.run.metric = parser.value(QStringLiteral("metric")).toStdString();
    options.model.host = parser.value(QStringLiteral("host")).toStdString();
    if (!options.model.host.empty() && (options.path.isEmpty() || options.path.endsWith(QLatin1String(".headscope"))))
        return usage(Words::tr("--host needs the folder of a model on that machine."));
    if (parser.isSet(QStringLiteral("device")))
        options.model.device = parser.value(QStringLiteral("device")).toStdString();
    options.model.sourceLanguage = parser.value(QStringLiteral("source-language")).toStdString();
    options.model.targetLanguage = parser.value(QStringLiteral("target-language")).toStdString();
    if (parser.isSet(QStringLiteral("dtype")))
        options.model.dtype = parser.value(QStringLiteral("dtype")).toStdString();
    for (const auto read : {readNumbers, readView}) {
        if (const auto error = read(parser, options))
            return *error;
    }
    if (options.path.isEmpty() && !options.demo && !options.exportFolder.isEmpty())
        return usage(Words::tr("--export-all needs a study or a model folder."));
    return options;
}

} // namespace headscope

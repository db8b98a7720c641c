/// Pictures of every page as somebody sees it, to be looked at before a release.
///
///     headscope-looks FOLDER [--all] [PAGE ...]
///     headscope-looks FOLDER --sweep [--model DIR --in FILES --out FILES] [PAGE ...]
///
/// Of the demo, the classifier's demo, a model of 24 × 16 heads of which nothing is computed yet, and small models of
/// pseudo-random weights with what is computed of them by itself: a decoder of 24 × 16 heads, an encoder of 6 × 12, a
/// translator of 4 + 4 + 4 layers of 8.
/// Every page at eight sizes in light colours, and in all four colour themes at 1280 × 800; with --all every theme at
/// every size. FOLDER/STUDY/PAGE-SIZE-THEME.png; 960x600 is painted at scale 1.5, as a screen of 1440 × 900 shows it,
/// and 960x540 at scale 2, as one of 1920 × 1080 does.
/// With --sweep: while the demo's model, or another, is swept (sweep-partial), after Cancel (sweep-cancelled), and once
/// it goes on (sweep-resumed), at three sizes, light and dark; --all: at all of them. FILES as in "in.en,in.fr", one
/// name for a table or texts.
#include "core/base/process.h"
#include "core/session/demo.h"
#include "tests/bench/waitfor.h"
#include "tests/support/tinylanguagemodel.h"
#include "tests/support/tinymodel.h"
#include "ui/mainwindow/mainwindow.h"
#include "ui/mainwindow/theme.h"
#include "ui/pages/pageregistry.h"

#include <QApplication>
#include <QCommandLineParser>
#include <QDir>
#include <QPainter>
#include <QPixmap>
#include <QTemporaryDir>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>

using namespace headscope;
using namespace Qt::StringLiterals;

namespace {

/// Quick work is waited for, long work is seen under way.
void settle(MainWindow &window, int patienceMs = 3000)
{
    waitFor([] { return false; }, 60);
    waitFor([&] { return window.controller().queue().isIdle(); }, patienceMs);
    waitFor([] { return false; }, 60);
}

bool save(QWidget &window, double scale, const QString &file)
{
    QPixmap picture(window.size() * scale);
    picture.setDevicePixelRatio(scale);
    window.render(&picture);
    return picture.save(file);
}

/// A size of the window, and how many pixels of the screen each of its pixels has.
struct Size
{
    QSize size;
    double scale = 1;
};

struct Choice
{
    QString folder;
    QString model;               ///< empty: the demo's
    std::array<QString, 2> data; ///< of both sets, by Domain
    bool all = false;
    bool sweep = false;
    QStringList pages; ///< empty: all
};

int picturesOf(MainWindow &window, const QString &study, const Choice &choice)
{
    constexpr std::array<Size, 8> kSizes{{{{680, 480}},
                                          {{1024, 700}},
                                          {{1280, 800}},
                                          {{1440, 900}},
                                          {{1920, 1080}},
                                          {{2560, 1440}},
                                          {{960, 600}, 1.5},
                                          {{960, 540}, 2}}};
    constexpr QSize kUsual(1280, 800);
    const auto isWanted = [&](Theme theme, const Size &size) {
        if (choice.sweep && !choice.all)
            return (theme == Theme::Light || theme == Theme::Dark) && size.size.width() <= kUsual.width()
                && size.scale == 1;
        return choice.all || theme == Theme::Light || size.size == kUsual;
    };
    const QString folder = choice.folder + u'/' + study;
    QDir().mkpath(folder);
    int count = 0;
    for (const Theme theme : kThemes) {
        if (theme == Theme::System)
            continue;
        applyTheme(theme);
        for (const Size &size : kSizes) {
            if (!isWanted(theme, size))
                continue;
            window.resize(size.size);
            for (const PageEntry &entry : pageRegistry()) {
                const QString page = entry.info.id;
                if (!choice.pages.isEmpty() && !choice.pages.contains(page))
                    continue;
                window.showView(page);
                settle(window, choice.sweep ? 0 : 3000);
                const QString file = u"%1/%2-%3x%4-%5.png"_s.arg(folder, page)
                                         .arg(size.size.width())
                                         .arg(size.size.height())
                                         .arg(themeName(theme));
                if (!save(window, size.scale, file)) {
                    std::fprintf(stderr, "looks: cannot write %s\n", qPrintable(file));
                    return -1;
                }
                ++count;
            }
        }
    }
    return count;
}

bool hasPart(const StudyState &state)
{
    const auto &ablation = state.results(Domain::In).ablation;
    return ablation && ablation->examples >= 8;
}

/// The files of a data set, or none.
std::optional<DataSource> dataOf(const QString &files)
{
    if (files.isEmpty())
        return std::nullopt;
    DataSource data;
    const QStringList names = files.split(u',');
    const bool isTable = names.front().endsWith(u".tsv"_s);
    (isTable ? data.table : data.source) = names.front().toStdString();
    if (names.size() > 1)
        data.reference = names[1].toStdString();
    return data;
}

/// A model with its data, of which nothing is computed yet; the demo's unless another is named.
int sweepPictures(Choice choice)
{
    MainWindow window;
    window.resize(1280, 800);
    window.show();
    if (choice.model.isEmpty()) {
        const QDir demo(QString::fromStdString(demoStudy().valueOrThrow().parent_path().string()));
        choice.model = demo.filePath(u"training/epoch-006"_s);
        for (const Domain domain : kBothDomains) {
            const QString name = domain == Domain::In ? u"corpus/in_domain"_s : u"corpus/out_of_domain"_s;
            choice.data.at(static_cast<std::size_t>(domain))
                = demo.filePath(name + u".en"_s) + u',' + demo.filePath(name + u".fr"_s);
        }
    }
    for (const Domain domain : kBothDomains) {
        if (const auto data = dataOf(choice.data.at(static_cast<std::size_t>(domain))))
            window.controller().setData(domain, *data);
    }
    window.openPaths({choice.model});
    JobQueue &queue = window.controller().queue();
    waitFor([&] { return hasPart(window.state()); }, 120'000);
    window.state().selectHead(window.state().layout().heads()[3]);
    const auto pictures = [&](const QString &study) {
        const int count = picturesOf(window, study, choice);
        const auto &ablation = window.state().results(Domain::In).ablation;
        std::printf("%s: %d pictures, of %lld examples at the end\n", qPrintable(study), count,
                    static_cast<long long>(ablation ? ablation->examples : 0));
        std::fflush(stdout);
        return count >= 0;
    };
    if (!pictures(u"sweep-partial"_s))
        return 1;
    queue.cancelAll();
    waitFor([&] { return queue.isIdle(); }, 60'000);
    if (!pictures(u"sweep-cancelled"_s))
        return 1;
    window.controller().startMissing();
    waitFor([&] { return !queue.isIdle(); }, 2000);
    if (!pictures(u"sweep-resumed"_s))
        return 1;
    queue.cancelAll();
    waitFor([&] { return queue.isIdle(); }, 60'000);
    return 0;
}

void setBothData(MainWindow &window, const std::function<DataSource(int)> &source)
{
    for (const Domain domain : kBothDomains)
        window.controller().setData(domain, source(static_cast<int>(domain)));
}

/// A language model of this shape, and texts of it.
void openTexts(MainWindow &window, const QString &folder, const testing::TinyLanguageModel &shape)
{
    testing::writeTinyLanguageModel(folder.toStdString(), shape);
    setBothData(window, [&](int domain) {
        DataSource source;
        source.source = u"%1/texts-%2.txt"_s.arg(folder).arg(domain).toStdString();
        testing::writeTinyText(source.source, 24, static_cast<std::uint64_t>(domain) + 1);
        return source;
    });
    window.openPaths({folder});
}

/// A translation model of this shape, and sentences of it.
void openPairs(MainWindow &window, const QString &folder, const testing::TinyModel &shape)
{
    testing::writeTinyModel(folder.toStdString(), shape);
    setBothData(window, [&](int domain) {
        DataSource source;
        source.source = u"%1/texts-%2.en"_s.arg(folder).arg(domain).toStdString();
        source.reference = u"%1/texts-%2.fr"_s.arg(folder).arg(domain).toStdString();
        testing::writeTinyCorpus(source.source, source.reference, 24, static_cast<std::uint64_t>(domain) + 1);
        return source;
    });
    window.openPaths({folder});
}

int run(int argc, char **argv)
{
    if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication application(argc, argv);
    QCommandLineParser parser;
    parser.setApplicationDescription(u"Pictures of every page as somebody sees it."_s);
    parser.addHelpOption();
    parser.addPositionalArgument(u"folder"_s, u"Where they are written: FOLDER/STUDY/PAGE-SIZE-THEME.png"_s);
    parser.addPositionalArgument(u"pages"_s, u"The pages; all if none is named."_s, u"[pages...]"_s);
    parser.addOptions({{u"all"_s, u"Every theme at every size."_s},
                       {u"sweep"_s, u"While a model is swept, after Cancel, and once it goes on."_s},
                       {u"model"_s, u"The model that is swept instead of the demo's."_s, u"folder"_s},
                       {u"in"_s, u"Its data."_s, u"files"_s},
                       {u"out"_s, u"Its other data."_s, u"files"_s}});
    parser.process(application);
    QStringList arguments = parser.positionalArguments();
    if (arguments.isEmpty())
        parser.showHelp(2);
    Choice choice;
    choice.all = parser.isSet(u"all"_s);
    choice.sweep = parser.isSet(u"sweep"_s);
    choice.folder = arguments.takeFirst();
    choice.model = parser.value(u"model"_s);
    choice.data = {parser.value(u"in"_s), parser.value(u"out"_s)};
    choice.pages = arguments;
    if (choice.sweep)
        return sweepPictures(choice);
    const QTemporaryDir made;
    const QString wide = made.filePath(u"24x16"_s);
    testing::writeTinyLanguageModel(wide.toStdString(), {.causal = false, .layers = 24, .heads = 16, .width = 64});
    const std::pair<QString, std::function<void(MainWindow &)>> studies[]{
        {u"demo"_s, [](MainWindow &window) { window.openDemo(Demo::Translation); }},
        {u"classifier"_s, [](MainWindow &window) { window.openDemo(Demo::Classifier); }},
        {u"24x16"_s, [&](MainWindow &window) { window.openPaths({wide}); }},
        {u"24x16-numbers"_s,
         [&](MainWindow &window) {
             openTexts(window, made.filePath(u"decoder"_s), {.causal = true, .layers = 24, .heads = 16, .width = 64});
         }},
        {u"6x12-numbers"_s,
         [&](MainWindow &window) {
             openTexts(window, made.filePath(u"encoder"_s), {.causal = false, .layers = 6, .heads = 12, .width = 48});
         }},
        {u"4+4+4x8-numbers"_s,
         [&](MainWindow &window) {
             openPairs(window, made.filePath(u"translator"_s),
                       {.encoderLayers = 4, .decoderLayers = 4, .heads = 8, .width = 32});
         }},
    };
    for (const auto &[study, open] : studies) {
        MainWindow window;
        window.resize(1280, 800);
        window.show();
        open(window);
        waitFor([&] { return window.state().session() != nullptr; }, 120'000);
        settle(window, study.endsWith(u"numbers"_s) ? 120'000 : 3000);
        if (window.state().layout().size() > 0)
            window.state().selectHead(window.state().layout().heads()[3]);
        const int count = picturesOf(window, study, choice);
        if (count < 0)
            return 1;
        std::printf("%s: %d pictures\n", qPrintable(study), count);
        std::fflush(stdout);
        window.controller().queue().cancelAll();
        waitFor([&] { return window.controller().queue().isIdle(); }, 60'000);
    }
    return 0;
}

} // namespace

int main(int argc, char **argv)
{
    setUpProcess();
    endProcess(run(argc, argv));
}

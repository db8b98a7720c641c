#include "app/gui/headless.h"
#include "app/gui/options.h"
#include "core/base/process.h"
#include "headscope/version.h"
#include "ui/language/language.h"

#include <QApplication>

#include <cstdio>
#include <cstring>

using namespace headscope;

namespace {
constexpr int kUsageExit = 2;

/// Before there is an application object: pictures need no display, and where there is none only they can be made.
/// Whether that is all that is asked for.
bool choosePlatform(int argc, char **argv)
{
    bool headless = false;
    for (int i = 1; i < argc; ++i) {
        for (const char *option : {"--screenshot", "--export-all", "--help", "-h", "--version", "-v"})
            headless = headless || std::strncmp(argv[i], option, std::strlen(option)) == 0;
    }
#ifdef Q_OS_LINUX
    const bool display = !qEnvironmentVariableIsEmpty("DISPLAY") || !qEnvironmentVariableIsEmpty("WAYLAND_DISPLAY");
#else
    const bool display = true;
#endif
    if ((headless || !display) && !qEnvironmentVariableIsSet("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    return headless;
}

QtMessageHandler otherHandler = nullptr;

/// Messages of the offscreen platform would only hide those of the program.
void dropPlatformRemarks(QtMsgType type, const QMessageLogContext &context, const QString &text)
{
    if (!text.startsWith(QLatin1String("This plugin does not support")) && otherHandler)
        otherHandler(type, context, text);
}

/// `chosen`: the user named the platform, whatever it shows.
bool hasDisplay(bool chosen)
{
    return chosen
        || (QGuiApplication::platformName() != QLatin1String("offscreen")
            && QGuiApplication::platformName() != QLatin1String("minimal"));
}

void start(MainWindow &window, const GuiOptions &options)
{
    window.controller().setModelOptions(options.model);
    window.controller().setRunOptions(options.run);
    for (const Domain domain : kBothDomains) {
        if (const auto &source = options.data[domain == Domain::In ? 0 : 1])
            window.controller().setData(domain, *source);
    }
    if (options.demo)
        window.openDemo(*options.demo);
    if (!options.model.host.empty())
        window.controller().openModel(options.path, QString::fromStdString(options.model.host));
    else if (!options.path.isEmpty())
        window.openPaths({options.path});
}

int run(int argc, char **argv)
{
    const bool platformChosen = qEnvironmentVariableIsSet("QT_QPA_PLATFORM");
    const bool headless = choosePlatform(argc, argv);
    QApplication application(argc, argv);
    QCoreApplication::setOrganizationName(QStringLiteral("headscope"));
    QCoreApplication::setApplicationName(QStringLiteral("headscope"));
    QGuiApplication::setApplicationDisplayName(QStringLiteral("Headscope"));
    QGuiApplication::setDesktopFileName(QStringLiteral("org.headscope.Headscope"));
    QCoreApplication::setApplicationVersion(QStringLiteral(HEADSCOPE_VERSION));

    const QString language = requestedLanguage(application.arguments());
    useLanguage(language.isEmpty() && !headless ? savedLanguage() : language);
    const Result<GuiOptions> parsed = parseOptions(application.arguments());
    if (parsed.isError()) {
        std::fprintf(stderr, "headscope: %s\n%s\n", parsed.error().message.c_str(),
                     qPrintable(QCoreApplication::translate("headscope::GuiOptions", "See headscope --help.")));
        return kUsageExit;
    }
    const GuiOptions &options = parsed.value();
    if (options.showHelp || options.showVersion) {
        std::printf("%s\n", options.showHelp ? qPrintable(options.help) : "headscope " HEADSCOPE_VERSION);
        return 0;
    }
    if (!options.headless() && !hasDisplay(platformChosen)) {
        std::fprintf(stderr, "headscope: %s\n",
                     qPrintable(QCoreApplication::translate(
                         "headscope::GuiOptions", "there is no display. Use --screenshot FILE or --export-all FOLDER, "
                                                  "or set QT_QPA_PLATFORM.")));
        return kUsageExit;
    }
    if (options.headless())
        otherHandler = qInstallMessageHandler(dropPlatformRemarks);
    applyTheme(options.theme.value_or(options.headless() ? Theme::Light : savedTheme()));
    MainWindow window;
    if (options.headless())
        window.resize(options.size);
    else
        window.useSettings();
    start(window, options);
    window.show();
    if (options.headless())
        new HeadlessRun(window, options, &application);
    return QApplication::exec();
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) // they begin only after it
void requireRoom(int, char **, char **environment)
{
    requireRoomForProducts("headscope", environment);
}

/// Run before any shared library is set up; only a program itself may have such functions.
[[gnu::section(".preinit_array"), gnu::used]] void (*const beforeLibraries)(int, char **, char **) = requireRoom;
#endif
} // namespace

int main(int argc, char **argv)
{
    setUpProcess();
    endProcess(run(argc, argv));
}

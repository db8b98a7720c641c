#include "ui/report/headlessreport.h"

#include "ui/report/writereport.h"

#include <QApplication>
#include <QLocale>

#include <array>

namespace headscope {

namespace {

QtMessageHandler otherHandler = nullptr;

/// What Qt says of folders that only desktops need would only hide what the program says.
void dropDesktopRemarks(QtMsgType type, const QMessageLogContext &context, const QString &text)
{
    if (!text.startsWith(QLatin1String("QStandardPaths:")) && otherHandler)
        otherHandler(type, context, text);
}

} // namespace

Result<Done> writeReportHeadless(const ReportContents &contents, const std::filesystem::path &folder,
                                 const JobControl &control)
{
    if (QCoreApplication::instance())
        return writeReport(contents, folder, control);
    otherHandler = qInstallMessageHandler(dropDesktopRemarks);
    // Numbers in the figures as on the page.
    QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates));
    std::array<char, 10> program{"headscope"};
    std::array<char, 10> option{"-platform"};
    std::array<char, 10> platform{"offscreen"};
    std::array<char *, 4> words{program.data(), option.data(), platform.data(), nullptr};
    int count = 3;
    const QApplication application(count, words.data());
    return writeReport(contents, folder, control);
}

} // namespace headscope

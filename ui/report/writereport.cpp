#include "ui/report/writereport.h"

#include "core/base/phases.h"

#include "ui/report/reportfigures.h"

#include <QCoreApplication>
#include <QThread>

#include <chrono>
#include <future>
#include <memory>

namespace headscope {

namespace {

using Files = std::vector<ReportFile>;

/// Not by a blocking call: a GUI thread that waits for this one to stop would never come to it.
Result<Files> paintOnGuiThread(const ReportFigure &figure, const JobControl &control)
{
    if (QThread::currentThread() == QCoreApplication::instance()->thread())
        return paintFigure(figure);
    auto promise = std::make_shared<std::promise<Result<Files>>>();
    std::future<Result<Files>> painted = promise->get_future();
    QMetaObject::invokeMethod(
        QCoreApplication::instance(), [promise, figure] { promise->set_value(paintFigure(figure)); },
        Qt::QueuedConnection);
    while (painted.wait_for(std::chrono::milliseconds(20)) != std::future_status::ready)
        control.checkpoint();
    return painted.get();
}

} // namespace

Result<Done> writeReport(const ReportContents &contents, const std::filesystem::path &folder, const JobControl &control)
{
    const std::vector<ReportFigure> figures = reportFigures(contents);
    std::vector<ReportFigureCard> cards;
    Files pictures;
    for (const ReportFigure &figure : figures) {
        control.checkpoint();
        control.progress({kPhaseFigures, "figures", std::ssize(cards), std::ssize(figures)});
        Result<Files> files = paintOnGuiThread(figure, control);
        if (!files.isOk())
            return files.error();
        cards.push_back(figure.card);
        for (ReportFile &file : files.value())
            pictures.push_back(std::move(file));
    }
    control.checkpoint();
    return writeReportFolder(folder, contents, cards, std::move(pictures));
}

} // namespace headscope

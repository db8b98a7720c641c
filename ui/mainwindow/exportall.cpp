#include "ui/mainwindow/exportall.h"

#include "core/base/phases.h"

#include "ui/exporting/htmlpage.h"
#include "ui/mainwindow/mainwindow.h"
#include "ui/pages/page.h"
#include "ui/pages/pageregistry.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>

namespace headscope {

namespace {

struct ExportAllWords
{
    Q_DECLARE_TR_FUNCTIONS(headscope::ExportAll)
};

QString indexPath(const QString &folder)
{
    return QDir(folder).filePath(QStringLiteral("index.html"));
}

QString indexTitle()
{
    return ExportAllWords::tr("All views");
}

/// Every view small under the title of its page, with links to its files.
HtmlPage indexPage(const QList<PlannedFile> &files, const QString &folder)
{
    const QDir root(folder);
    QString body;
    QString page;
    QString stem;
    const auto close = [&body, &stem] {
        if (!stem.isEmpty())
            body += QStringLiteral("</figcaption></figure>\n");
        stem.clear();
    };
    for (const PlannedFile &file : files) {
        const QString path = root.relativeFilePath(file.path).toHtmlEscaped();
        if (file.page != page) {
            close();
            page = file.page;
            body += QStringLiteral("<h2>%1</h2>\n").arg(page.toHtmlEscaped());
        }
        if (const QString one = withoutSuffix(path); one != stem) {
            close();
            stem = one;
            body += QStringLiteral("<figure><a href=\"%1.svg\"><img loading=\"lazy\" src=\"%1.png\" alt=\"%2\" "
                                   "title=\"%3\"></a><figcaption>%2")
                        .arg(stem, file.item.name.toHtmlEscaped(), file.item.caption.toHtmlEscaped());
        }
        body += QStringLiteral(" <a href=\"%1\">%2</a>").arg(path, suffixOf(file.format).toUpper());
    }
    close();
    return {.title = indexTitle(), .body = body.toStdString(), .caption = {}, .csv = {}};
}

} // namespace

QList<PlannedFile> plannedFiles(MainWindow &window, const QString &folder)
{
    QList<PlannedFile> files;
    for (const PageEntry &entry : pageRegistry()) {
        const QDir inside(QDir(folder).filePath(entry.info.id));
        for (const ExportItem &item : window.page(entry.info.id)->allExportItems()) {
            const ExportItem any = recorded(item);
            for (const ExportFormat format :
                 {ExportFormat::Png, ExportFormat::Svg, ExportFormat::Pdf, ExportFormat::Csv}) {
                if (format != ExportFormat::Csv || item.csv)
                    files << PlannedFile{any, format, withSuffix(inside.filePath(fileNameFor(item)), format),
                                         QString(entry.info.title).remove(u'&')};
            }
        }
    }
    return files;
}

QStringList filesToReplace(const QList<PlannedFile> &files, const QString &folder)
{
    QStringList there;
    for (const PlannedFile &file : files) {
        if (QFileInfo::exists(file.path))
            there << file.path;
    }
    if (QFileInfo::exists(indexPath(folder)))
        there << indexPath(folder);
    return there;
}

Result<int> writeFiles(const QList<PlannedFile> &files, const QString &folder, const JobControl &control)
{
    const auto make = [](const QString &path) -> Result<Done> {
        if (!QDir().mkpath(path))
            return resourceError("Cannot make the folder " + path.toStdString() + ". Choose one that can be written.");
        return Done{};
    };
    if (const auto made = make(folder); made.isError())
        return made.error();
    int written = 0;
    for (const PlannedFile &file : files) {
        control.checkpoint();
        control.progress({kPhaseWriting, "files", written, files.size()});
        if (const auto made = make(QFileInfo(file.path).path()); made.isError())
            return made.error();
        ExportOptions options;
        options.format = file.format;
        const Result<Done> result = exportItem(file.item, file.path, options);
        if (result.isError())
            return result.error();
        ++written;
    }
    const Result<Done> index = writeHtmlPage(indexPage(files, folder), indexPath(folder));
    if (index.isError())
        return index.error();
    return written + 1;
}

} // namespace headscope

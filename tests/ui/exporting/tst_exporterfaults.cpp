// Pictures and tables that the window exports, on a disk that fails and by a program that is killed.
#include "tests/support/wholeornot.h"
#include "ui/exporting/exporter.h"

#include <QPainter>
#include <QTemporaryDir>
#include <QTest>

using namespace headscope;
using namespace headscope::testing;
using namespace Qt::StringLiterals;
namespace fs = std::filesystem;

namespace {

ExportItem item(const QColor &color, const std::string &manifest)
{
    return {u"Grid"_s,
            u"caption"_s,
            [color](QPainter &painter, QRectF rect) { painter.fillRect(rect, color); },
            QSizeF(40, 20),
            [color] { return "head,color\nencoder.2.6," + color.name().toStdString() + '\n'; },
            manifest};
}

} // namespace

class TestExporterFaults final : public QObject
{
    Q_OBJECT

    QTemporaryDir m_folder{fastFolderTemplate()};

    fs::path folder() const { return m_folder.path().toStdString(); }

    WriteUnderTest exported(ExportFormat format, bool replaces) const
    {
        const QString name = u"a."_s + suffixOf(format);
        const QString file = m_folder.filePath(name);
        const ExportOptions options{.format = format, .withCaption = false};
        return {folder(),
                [this, file, options, replaces] {
                    for (const auto &entry : fs::directory_iterator(folder()))
                        fs::remove_all(entry.path());
                    if (replaces)
                        (void)exportItem(item(Qt::red, "{\"color\": \"red\"}"), file, options).valueOrThrow();
                },
                [file, options] { return exportItem(item(Qt::blue, "{\"color\": \"blue\"}"), file, options).isOk(); },
                // The manifest may be missing for a moment; it never stands beside another's picture.
                [name = name.toStdString()](const FolderContent &now, const FolderContent &before,
                                            const FolderContent &after) {
                    return now.size() == 1 && now.contains(name)
                        && (now.at(name) == after.at(name)
                            || (before.contains(name) && now.at(name) == before.at(name)));
                }};
    }

private Q_SLOTS:
    void wholeOrNotAtAll_data();
    void wholeOrNotAtAll();
};

void TestExporterFaults::wholeOrNotAtAll_data()
{
    QTest::addColumn<ExportFormat>("format");
    QTest::addColumn<bool>("replaces");
    // A PDF says when it was made, so that no two are the same bytes; it is written as the others.
    for (const ExportFormat format : {ExportFormat::Png, ExportFormat::Svg, ExportFormat::Csv}) {
        QTest::addRow("new %s", qPrintable(suffixOf(format))) << format << false;
        QTest::addRow("replaced %s", qPrintable(suffixOf(format))) << format << true;
    }
}

void TestExporterFaults::wholeOrNotAtAll()
{
    QFETCH(ExportFormat, format);
    QFETCH(bool, replaces);
    const auto under = exported(format, replaces);
    checkFullDisk(under);
    checkFailingCalls(under);
    checkKills(under);
}

QTEST_MAIN(TestExporterFaults)
#include "tst_exporterfaults.moc"

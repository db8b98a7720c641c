#include "ui/exporting/csvtext.h"
#include "ui/exporting/exportdialog.h"

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QMimeData>
#include <QPainter>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <cstdlib>
#include <memory>
#include <optional>
#include <thread>

using namespace headscope;
using namespace Qt::StringLiterals;

namespace {

ExportItem sample()
{
    return {u"Ablation Δ BLEU"_s,
            u"Figure: what happens without each head."_s,
            [](QPainter &painter, QRectF rect) {
                painter.fillRect(rect, QColor(10, 120, 30));
                painter.setPen(Qt::white);
                painter.drawText(rect, Qt::AlignCenter, u"encoder.2.6"_s);
            },
            QSizeF(300, 150),
            [] { return std::string("head,delta\nencoder.2.6,-0.53\n"); },
            R"({"analysis":"ablate"})"};
}

QByteArray contents(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

} // namespace

class TestExporter final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void pngHasTheChosenSize();
    void svgContainsText();
    void pdfIsAPdf();
    void csvIsTheTable();
    void jsonHasTheTable();
    void latexHasTheTable();
    void formsOfTablesNeedATable();
    void manifestLiesBeside();
    void suffixes_data();
    void suffixes();
    void unwritableFolderLeavesNothing();
    void failedPictureTakesItsManifestAway();
    void hugePictureIsRefused();
    void clipboardHasPictureAndTable();
    void csvQuoting();
    void recordedViewsAreTheSameInAnyThread();
    void dialogWritesAndTellsTrouble();

private:
    std::unique_ptr<QTemporaryDir> m_dir;
    QString at(const QString &name) const { return m_dir->filePath(name); }
};

void TestExporter::init()
{
    m_dir = std::make_unique<QTemporaryDir>();
    QVERIFY(m_dir->isValid());
}

void TestExporter::pngHasTheChosenSize()
{
    QVERIFY(exportItem(sample(), at(u"a.png"_s), {.dpi = 192, .withCaption = false}).isOk());
    const QImage image(at(u"a.png"_s));
    QCOMPARE(image.size(), QSize(640, 340)); // (300 + 2·10, 150 + 2·10) at twice 96 dpi
    QCOMPARE(qRound(image.dotsPerMeterX() * 0.0254), 192);
    QCOMPARE(image.pixelColor(60, 60), QColor(10, 120, 30));
    QCOMPARE(image.pixelColor(4, 4), QColor(Qt::white));
    QVERIFY(exportItem(sample(), at(u"b.png"_s), {.dpi = 192}).isOk());
    QVERIFY(QImage(at(u"b.png"_s)).height() > 340); // the caption needs room
}

void TestExporter::recordedViewsAreTheSameInAnyThread()
{
    ExportItem item = sample();
    item.paint = [](QPainter &painter, QRectF rect) {
        painter.fillRect(rect, QColor(10, 120, 30));
        painter.setPen(QPen(Qt::white, 3));
        painter.drawLine(rect.topLeft(), rect.bottomRight());
        painter.drawText(rect, Qt::AlignLeft | Qt::AlignBottom, u"encoder.2.6"_s);
        painter.translate(rect.center());
        painter.rotate(-90);
        painter.drawText(QPointF(0, 0), u"query"_s);
    };
    for (const QSizeF size : {QSizeF(), QSizeF(450, 300)}) {
        const ExportOptions options{.dpi = 192, .size = size};
        const Result<QImage> direct = renderToImage(item, options);
        const ExportItem later = recorded(item);
        std::optional<Result<QImage>> image;
        std::thread([&] { image = renderToImage(later, options); }).join();
        QVERIFY(direct.isOk() && image->isOk());
        QCOMPARE(image->value().size(), direct.value().size());
        if (!size.isEmpty()) { // strokes grow with a picture that was recorded
            QVERIFY(exportedBytes(later, {.format = ExportFormat::Svg, .size = size}).value().contains("encoder.2.6"));
            continue;
        }
        qint64 different = 0;
        for (int y = 0; y < direct.value().height(); ++y) {
            for (int x = 0; x < direct.value().width(); ++x)
                different += std::abs(qGray(direct.value().pixel(x, y)) - qGray(image->value().pixel(x, y))) > 24;
        }
        QVERIFY2(different * 200 < direct.value().width() * direct.value().height(),
                 qPrintable(QString::number(different)));
    }
}

void TestExporter::svgContainsText()
{
    QVERIFY(exportItem(sample(), at(u"a.svg"_s), {.format = ExportFormat::Svg}).isOk());
    const QByteArray svg = contents(at(u"a.svg"_s));
    QVERIFY(svg.contains("<text"));
    QVERIFY(svg.contains("encoder.2.6"));
    QVERIFY(svg.contains("what happens without each head"));
}

void TestExporter::pdfIsAPdf()
{
    QVERIFY(exportItem(sample(), at(u"a.pdf"_s), {.format = ExportFormat::Pdf}).isOk());
    const QByteArray pdf = contents(at(u"a.pdf"_s));
    QVERIFY(pdf.startsWith("%PDF-"));
    QVERIFY(pdf.trimmed().endsWith("%%EOF"));
}

void TestExporter::csvIsTheTable()
{
    QVERIFY(exportItem(sample(), at(u"a.csv"_s), {.format = ExportFormat::Csv}).isOk());
    QCOMPARE(contents(at(u"a.csv"_s)), "head,delta\nencoder.2.6,-0.53\n"_ba);
}

void TestExporter::jsonHasTheTable()
{
    ExportItem item = sample();
    item.csv = [] {
        return std::string("head,delta,p,note\nencoder.2.6,-0.53,,\"a, \"\"b\"\"\"\ncross.1.0,1e-05,0.5,'=1+1\n");
    };
    QVERIFY(exportItem(item, at(u"a.json"_s), {.format = ExportFormat::Json}).isOk());
    const QJsonObject table = QJsonDocument::fromJson(contents(at(u"a.json"_s))).object();
    QCOMPARE(table[u"name"_s].toString(), item.name);
    QCOMPARE(table[u"caption"_s].toString(), item.caption);
    QCOMPARE(table[u"columns"_s].toArray(), (QJsonArray{u"head"_s, u"delta"_s, u"p"_s, u"note"_s}));
    const QJsonArray rows = table[u"rows"_s].toArray();
    QCOMPARE(rows.size(), 2);
    QCOMPARE(
        rows[0].toObject(),
        (QJsonObject{
            {u"head"_s, u"encoder.2.6"_s}, {u"delta"_s, -0.53}, {u"p"_s, QJsonValue()}, {u"note"_s, u"a, \"b\""_s}}));
    QCOMPARE(rows[1].toObject()[u"delta"_s].toDouble(), 1e-5);
    QCOMPARE(rows[1].toObject()[u"note"_s].toString(), u"=1+1"_s); // the apostrophe is for spreadsheets
}

void TestExporter::latexHasTheTable()
{
    ExportItem item = sample();
    item.csv = [] { return std::string("head,p_adjusted\nencoder.2.6,-0.534567\ncross.1.0,\n"); };
    QVERIFY(exportItem(item, at(u"a.tex"_s), {.format = ExportFormat::Latex}).isOk());
    const QByteArray text = contents(at(u"a.tex"_s));
    QVERIFY2(text.startsWith("% Figure: what happens without each head.\n\\begin{tabular}{lr}"), text.constData());
    QVERIFY2(text.contains("head & p\\_adjusted \\\\\n"), text.constData());
    QVERIFY2(text.contains("encoder.2.6 & $-$0.5346 \\\\\n") && text.contains("cross.1.0 & -- \\\\\n"),
             text.constData());
    QVERIFY(text.contains("\\toprule") && text.endsWith("\\end{tabular}\n"));
}

void TestExporter::formsOfTablesNeedATable()
{
    ExportItem item = sample();
    item.csv = {};
    for (const ExportFormat format : kAllExportFormats) {
        QCOMPARE(exportedBytes(item, {.format = format}).isError(), isTable(format));
        QCOMPARE(withSuffix(u"/x/grid.tex"_s, format), u"/x/grid."_s + suffixOf(format));
    }
    ExportDialog dialog({item}, at(u"missing"_s));
    dialog.setFormat(ExportFormat::Latex);
    dialog.setPath(at(u"out"_s));
    dialog.accept();
    QVERIFY2(dialog.errorText().contains(u"no table"_s), qPrintable(dialog.errorText()));
    ExportDialog other({sample()}, at(u"missing"_s));
    other.setFormat(ExportFormat::Json);
    other.setPath(at(u"out"_s));
    other.accept();
    QCOMPARE(other.writtenFile(), at(u"out.json"_s));
}

void TestExporter::manifestLiesBeside()
{
    QVERIFY(exportItem(sample(), at(u"a.csv"_s), {.format = ExportFormat::Csv}).isOk());
    QCOMPARE(contents(at(u"a.csv.manifest.json"_s)), QByteArray(R"({"analysis":"ablate"})"));
    QVERIFY(exportItem(sample(), at(u"b.csv"_s), {.format = ExportFormat::Csv, .withManifest = false}).isOk());
    QVERIFY(!QFile::exists(at(u"b.csv.manifest.json"_s)));
}

void TestExporter::suffixes_data()
{
    QTest::addColumn<QString>("path");
    QTest::addColumn<QString>("expected");
    QTest::newRow("added") << u"/x/grid"_s << u"/x/grid.svg"_s;
    QTest::newRow("kept") << u"/x/grid.svg"_s << u"/x/grid.svg"_s;
    QTest::newRow("replaced") << u"/x/grid.PNG"_s << u"/x/grid.svg"_s;
    QTest::newRow("dot in the name") << u"/x/v1.2"_s << u"/x/v1.2.svg"_s;
}

void TestExporter::suffixes()
{
    QFETCH(QString, path);
    QFETCH(QString, expected);
    QCOMPARE(withSuffix(path, ExportFormat::Svg), expected);
    QCOMPARE(fileNameFor(u"Ablation Δ BLEU, in-domain"_s), u"ablation-bleu-in"_s);
    QCOMPARE(fileNameFor(u"Entropy, encoder self-attention, out-of-domain"_s), u"entropy-encoder-out"_s);
    QCOMPARE(fileNameFor(u"Map of heads, cross-attention, in-domain"_s), u"map-of-heads-cross-in"_s);
    ExportItem item;
    item.name = u"Confidence, dev, 500 examples. Sum 3"_s;
    QCOMPARE(fileNameFor(item), u"confidence-dev-500-examples-sum-3"_s);
    item.file = u"Confidence, in-domain"_s;
    QCOMPARE(fileNameFor(item), u"confidence-in"_s);
    QCOMPARE(fileNameFor(u"Carte des têtes"_s), u"carte-des-tetes"_s);
    QCOMPARE(fileNameFor(u"Δ"_s), u"headscope"_s);
}

void TestExporter::unwritableFolderLeavesNothing()
{
    // A file where the folder should be: refused for every user, root included.
    const QString blocker = at(u"blocker"_s);
    QFile file(blocker);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.close();
    const QString target = blocker + u"/a.png"_s;
    const Result<Done> result = exportItem(sample(), target);
    QVERIFY(result.isError());
    QVERIFY(result.error().message.find("blocker") != std::string::npos);
    QCOMPARE(QDir(m_dir->path()).entryList(QDir::AllEntries | QDir::NoDotAndDotDot | QDir::Hidden),
             QStringList{u"blocker"_s});
}

void TestExporter::failedPictureTakesItsManifestAway()
{
    // The picture's name is taken by a folder with content, so that only the second write fails.
    QVERIFY(QDir(m_dir->path()).mkpath(u"a.png/inside"_s));
    QVERIFY(exportItem(sample(), at(u"a.png"_s)).isError());
    QCOMPARE(QDir(m_dir->path()).entryList(QDir::AllEntries | QDir::NoDotAndDotDot | QDir::Hidden),
             QStringList{u"a.png"_s});
}

void TestExporter::hugePictureIsRefused()
{
    const Result<Done> result = exportItem(sample(), at(u"a.png"_s), {.dpi = 1200, .size = QSizeF(9000, 9000)});
    QVERIFY(result.isError());
    QCOMPARE(result.error().code, ErrorCode::Usage);
    QVERIFY(!QFile::exists(at(u"a.png"_s)));
}

void TestExporter::clipboardHasPictureAndTable()
{
    const std::unique_ptr<QMimeData> data(toMimeData(sample()));
    QVERIFY(data->hasImage());
    QCOMPARE(data->text(), u"head\tdelta\nencoder.2.6\t-0.53\n"_s);
    QVERIFY(data->data(u"image/svg+xml"_s).contains("encoder.2.6"));
}

void TestExporter::csvQuoting()
{
    CsvText csv("name,value");
    csv << "a, \"b\"" << 0.1 << std::nan("") << 3;
    csv.endLine();
    QCOMPARE(csv.text(), std::string("name,value\n\"a, \"\"b\"\"\",0.1,,3\n"));
    QCOMPARE(csvToTsv(csv.text()), std::string("name\tvalue\na, \"b\"\t0.1\t\t3\n"));
}

void TestExporter::dialogWritesAndTellsTrouble()
{
    ExportDialog dialog({sample()}, at(u"missing"_s));
    dialog.setFormat(ExportFormat::Csv);
    QVERIFY(dialog.path().endsWith(u"missing/ablation-bleu.csv"_s));
    dialog.accept();
    QVERIFY(!dialog.errorText().isEmpty());
    QVERIFY(dialog.writtenFile().isEmpty());
    dialog.setPath(at(u"out"_s));
    dialog.accept();
    QCOMPARE(dialog.result(), int(QDialog::Accepted));
    QCOMPARE(dialog.writtenFile(), at(u"out.csv"_s));
    QVERIFY(contents(at(u"out.csv"_s)).startsWith("head,delta"));

    // What is there already is not written over at the first press, nor after the name was changed and back.
    QFile there(at(u"out.csv"_s));
    QVERIFY(there.open(QIODevice::WriteOnly));
    there.write("mine");
    there.close();
    ExportDialog again({sample()}, at(u"missing"_s));
    again.setFormat(ExportFormat::Csv);
    again.setPath(at(u"out.csv"_s));
    again.accept();
    QVERIFY2(again.errorText().contains(u"out.csv"_s), qPrintable(again.errorText()));
    again.setPath(at(u"other.csv"_s));
    QVERIFY(again.errorText().isEmpty());
    again.setPath(at(u"out.csv"_s));
    again.accept();
    QCOMPARE(contents(at(u"out.csv"_s)), QByteArray("mine"));
    again.accept();
    QCOMPARE(again.result(), int(QDialog::Accepted));
    QVERIFY(contents(at(u"out.csv"_s)).startsWith("head,delta"));
}

QTEST_MAIN(TestExporter)
#include "tst_exporter.moc"

#include "ui/exporting/exporter.h"

#include "core/formats/atomicfile.h"
#include "ui/exporting/htmlpage.h"
#include "ui/exporting/tableforms.h"

#include <QBuffer>
#include <QClipboard>
#include <QCoreApplication>
#include <QFontMetricsF>
#include <QGuiApplication>
#include <QMimeData>
#include <QPageSize>
#include <QPainter>
#include <QPdfWriter>
#include <QPicture>
#include <QRegularExpression>
#include <QSvgGenerator>

#include <cmath>
#include <cstddef>
#include <filesystem>
#include <string_view>
#include <utility>

using namespace Qt::StringLiterals;

namespace headscope {
namespace {

constexpr double kScreenDpi = 96;
constexpr int kMargin = 10;
constexpr int kFontPixels = 12;
/// Beyond this QImage fails or the machine swaps.
constexpr double kLargestSide = 30000;

struct ExportWords
{
    Q_DECLARE_TR_FUNCTIONS(headscope::Exporter)
};

/// Pixel sizes only: points would mean something else on every paint device.
QFont exportFont()
{
    QFont font = QGuiApplication::font();
    font.setPixelSize(kFontPixels);
    return font;
}

QString shownCaption(const ExportItem &item, const ExportOptions &options)
{
    return options.withCaption ? item.caption : QString();
}

QSizeF pictureSize(const ExportItem &item, const ExportOptions &options)
{
    return options.size.isEmpty() ? item.size : options.size;
}

double captionHeight(const QString &caption, double width)
{
    if (caption.isEmpty())
        return 0;
    const QFontMetricsF metrics(exportFont());
    return metrics.boundingRect(QRectF(0, 0, width, 1e6), Qt::TextWordWrap, caption).height() + 8;
}

QSizeF pageSize(const ExportItem &item, const ExportOptions &options)
{
    const QSizeF picture = pictureSize(item, options);
    return {picture.width() + 2 * kMargin,
            picture.height() + captionHeight(shownCaption(item, options), picture.width()) + 2 * kMargin};
}

/// Paints the page in units of 1/96 inch; the painter is scaled by the caller.
void paintPage(QPainter &painter, const ExportItem &item, const ExportOptions &options)
{
    const QSizeF page = pageSize(item, options);
    const QSizeF picture = pictureSize(item, options);
    painter.setRenderHints(QPainter::Antialiasing | QPainter::TextAntialiasing);
    painter.setFont(exportFont());
    painter.fillRect(QRectF(QPointF(0, 0), page), Qt::white);
    painter.save();
    item.paint(painter, QRectF(QPointF(kMargin, kMargin), picture));
    painter.restore();
    const QString caption = shownCaption(item, options);
    if (!caption.isEmpty()) {
        painter.setPen(QColor(0x33, 0x3a, 0x42));
        const double top = kMargin + picture.height() + 8;
        painter.drawText(QRectF(kMargin, top, picture.width(), page.height() - top), Qt::TextWordWrap, caption);
    }
}

Error paintFailed(const ExportItem &item, const QString &format)
{
    return {ErrorCode::Internal, ExportWords::tr("%1 could not be drawn as %2.").arg(item.name, format).toStdString()};
}

Result<QByteArray> toPng(const ExportItem &item, const ExportOptions &options)
{
    Result<QImage> image = renderToImage(item, options);
    if (!image.isOk())
        return image.error();
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    if (!image.value().save(&buffer, "PNG"))
        return paintFailed(item, u"PNG"_s);
    return bytes;
}

Result<QByteArray> toSvg(const ExportItem &item, const ExportOptions &options)
{
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    const QSizeF page = pageSize(item, options);
    QSvgGenerator generator;
    generator.setOutputDevice(&buffer);
    generator.setResolution(static_cast<int>(kScreenDpi));
    generator.setSize(page.toSize());
    generator.setViewBox(QRectF(QPointF(0, 0), page));
    // The generator does not escape title and description, and names of data sets may contain anything.
    generator.setTitle(item.name.toHtmlEscaped());
    generator.setDescription(item.caption.toHtmlEscaped());
    QPainter painter;
    if (!painter.begin(&generator))
        return paintFailed(item, u"SVG"_s);
    paintPage(painter, item, options);
    painter.end();
    return bytes;
}

Result<QByteArray> toPdf(const ExportItem &item, const ExportOptions &options)
{
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    const QSizeF page = pageSize(item, options);
    QPdfWriter writer(&buffer);
    writer.setResolution(1200);
    writer.setTitle(item.name);
    writer.setPageSize(QPageSize(page * 72 / kScreenDpi, QPageSize::Point, QString(), QPageSize::ExactMatch));
    writer.setPageMargins({});
    QPainter painter;
    if (!painter.begin(&writer))
        return paintFailed(item, u"PDF"_s);
    painter.scale(1200 / kScreenDpi, 1200 / kScreenDpi);
    paintPage(painter, item, options);
    painter.end();
    return bytes;
}

/// The picture as vectors (or what does more), the caption as text, and the table where the reader asks for it.
Result<QByteArray> toHtml(const ExportItem &item, ExportOptions options)
{
    std::string body;
    if (item.html) {
        body = item.html();
    } else {
        options.withCaption = false;
        const Result<QByteArray> svg = toSvg(item, options);
        if (!svg.isOk())
            return svg.error();
        body = svg.value().mid(svg.value().indexOf("<svg")).toStdString(); // without the XML declaration
    }
    return QByteArray::fromStdString(htmlPage(
        {.title = item.name, .body = body, .caption = item.caption, .csv = item.csv ? item.csv() : std::string()}));
}

std::filesystem::path toPath(const QString &path)
{
    return path.toStdU16String();
}

} // namespace

QString suffixOf(ExportFormat format)
{
    switch (format) {
    case ExportFormat::Png:
        return u"png"_s;
    case ExportFormat::Svg:
        return u"svg"_s;
    case ExportFormat::Pdf:
        return u"pdf"_s;
    case ExportFormat::Html:
        return u"html"_s;
    case ExportFormat::Json:
        return u"json"_s;
    case ExportFormat::Latex:
        return u"tex"_s;
    case ExportFormat::Csv:
        break;
    }
    return u"csv"_s;
}

bool isTable(ExportFormat format)
{
    return format == ExportFormat::Csv || format == ExportFormat::Json || format == ExportFormat::Latex;
}

QString withoutSuffix(const QString &path)
{
    static const QRegularExpression known(u"\\.(png|svg|pdf|csv|html|json|tex)$"_s,
                                          QRegularExpression::CaseInsensitiveOption);
    QString stem = path;
    return stem.remove(known);
}

QString withSuffix(const QString &path, ExportFormat format)
{
    return withoutSuffix(path) + u'.' + suffixOf(format);
}

QString fileNameFor(const QString &itemName)
{
    static const QRegularExpression others(u"[^a-z0-9]+"_s);
    static const QRegularExpression accents(u"\\p{Mn}"_s);
    QString name = itemName.toLower().normalized(QString::NormalizationForm_D).remove(accents);
    name.replace(others, u"-"_s);
    for (const auto &[whole, word] :
         {std::pair(u"out-of-domain"_s, u"out"_s), std::pair(u"in-domain"_s, u"in"_s),
          std::pair(u"-self-attention"_s, QString()), std::pair(u"cross-attention"_s, u"cross"_s)})
        name.replace(whole, word);
    while (name.startsWith(u'-'))
        name.remove(0, 1);
    while (name.endsWith(u'-'))
        name.chop(1);
    return name.isEmpty() ? u"headscope"_s : name;
}

QString fileNameFor(const ExportItem &item)
{
    return fileNameFor(item.file.isEmpty() ? item.name : item.file);
}

QString manifestPathFor(const QString &path)
{
    return path + u".manifest.json"_s;
}

ExportItem recorded(const ExportItem &item)
{
    QPicture picture;
    QPainter painter(&picture);
    painter.setRenderHints(QPainter::Antialiasing | QPainter::TextAntialiasing);
    painter.setFont(exportFont());
    item.paint(painter, QRectF(QPointF(0, 0), item.size));
    painter.end();
    ExportItem copy = item;
    copy.paint = [picture, size = item.size](QPainter &target, const QRectF &rect) {
        target.translate(rect.topLeft());
        QPicture played = picture; // playing moves in it
        // Qt plays pictures at the dots per inch of the device; everything here is in pixels of 1/96 inch.
        target.scale(rect.width() / size.width() * played.logicalDpiX() / target.device()->logicalDpiX(),
                     rect.height() / size.height() * played.logicalDpiY() / target.device()->logicalDpiY());
        target.drawPicture(QPointF(0, 0), played);
    };
    return copy;
}

namespace {

Result<QByteArray> tableBytes(const ExportItem &item, ExportFormat format)
{
    if (!item.csv)
        return usageError(ExportWords::tr("%1 has no table to write as %2.")
                              .arg(item.name, suffixOf(format).toUpper())
                              .toStdString());
    const std::string csv = item.csv();
    if (format == ExportFormat::Csv)
        return QByteArray::fromStdString(csv);
    const Result<std::string> other
        = format == ExportFormat::Json ? tableJson(csv, item.name, item.caption) : tableLatex(csv, item.caption);
    return other.isOk() ? Result<QByteArray>(QByteArray::fromStdString(other.value()))
                        : Result<QByteArray>(other.error());
}

} // namespace

Result<QByteArray> exportedBytes(const ExportItem &item, const ExportOptions &options)
{
    switch (options.format) {
    case ExportFormat::Png:
        return toPng(item, options);
    case ExportFormat::Svg:
        return toSvg(item, options);
    case ExportFormat::Pdf:
        return toPdf(item, options);
    case ExportFormat::Html:
        return toHtml(item, options);
    case ExportFormat::Csv:
    case ExportFormat::Json:
    case ExportFormat::Latex:
        break;
    }
    return tableBytes(item, options.format);
}

Result<QImage> renderToImage(const ExportItem &item, const ExportOptions &options)
{
    const double scale = options.dpi / kScreenDpi;
    const QSizeF pixels = pageSize(item, options) * scale;
    if (!(pixels.width() >= 1 && pixels.height() >= 1) || pixels.width() > kLargestSide
        || pixels.height() > kLargestSide) {
        return usageError(
            ExportWords::tr("A picture of %1 × %2 pixels cannot be written; choose at most %3 pixels per side.")
                .arg(pixels.width(), 0, 'f', 0)
                .arg(pixels.height(), 0, 'f', 0)
                .arg(kLargestSide, 0, 'f', 0)
                .toStdString());
    }
    QImage image(pixels.toSize(), QImage::Format_RGB32);
    if (image.isNull())
        return resourceError(ExportWords::tr("Not enough memory for a picture of %1 × %2 pixels; choose a smaller one.")
                                 .arg(pixels.width(), 0, 'f', 0)
                                 .arg(pixels.height(), 0, 'f', 0)
                                 .toStdString());
    image.setDotsPerMeterX(static_cast<int>(std::lround(options.dpi / 0.0254)));
    image.setDotsPerMeterY(static_cast<int>(std::lround(options.dpi / 0.0254)));
    image.fill(Qt::white);
    QPainter painter(&image);
    painter.scale(scale, scale);
    paintPage(painter, item, options);
    painter.end();
    return image;
}

Result<Done> exportItem(const ExportItem &item, const QString &path, const ExportOptions &options)
{
    // All content is prepared in memory before the first byte is written.
    Result<QByteArray> bytes = exportedBytes(item, options);
    if (!bytes.isOk())
        return bytes.error();
    const std::string_view content(bytes.value().constData(), static_cast<std::size_t>(bytes.value().size()));
    if (!options.withManifest || item.manifestJson.empty())
        return writeFileAtomically(toPath(path), content);
    return writeWithCompanion(toPath(path), content, toPath(manifestPathFor(path)), item.manifestJson);
}

QMimeData *toMimeData(const ExportItem &item)
{
    auto *data = new QMimeData;
    if (item.paint) {
        if (Result<QImage> image = renderToImage(item, {}); image.isOk())
            data->setImageData(image.value());
        if (Result<QByteArray> svg = toSvg(item, {.format = ExportFormat::Svg}); svg.isOk())
            data->setData(u"image/svg+xml"_s, svg.value());
    }
    if (item.csv)
        data->setText(QString::fromStdString(csvToTsv(item.csv())));
    return data;
}

void copyToClipboard(const ExportItem &item)
{
    QGuiApplication::clipboard()->setMimeData(toMimeData(item));
}

std::string csvToTsv(const std::string &csv)
{
    std::string tsv;
    tsv.reserve(csv.size());
    bool quoted = false;
    for (std::size_t i = 0; i < csv.size(); ++i) {
        const char c = csv[i];
        if (quoted && c == '"' && i + 1 < csv.size() && csv[i + 1] == '"') {
            tsv += '"';
            ++i;
        } else if (c == '"') {
            quoted = !quoted;
        } else if (!quoted && c == ',') {
            tsv += '\t';
        } else if (quoted && (c == '\t' || c == '\n' || c == '\r')) {
            tsv += ' ';
        } else if (c != '\r') {
            tsv += c;
        }
    }
    return tsv;
}

} // namespace headscope

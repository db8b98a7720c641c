#pragma once

#include "core/base/result.h"
#include "core/results/anyresult.h"

#include <QByteArray>
#include <QImage>
#include <QRectF>
#include <QSizeF>
#include <QString>

#include <functional>
#include <string>

class QMimeData;
class QPainter;

namespace headscope {

/// A view that can be written to a file: what every page offers.
struct ExportItem
{
    QString name;    ///< shown in the dialog
    QString caption; ///< printed under the picture: what is shown, of which model and data, with counts
    /// Paints the picture into the rectangle, which is `size` large, on white. Fonts follow painter.font().
    std::function<void(QPainter &, QRectF)> paint;
    QSizeF size; ///< in pixels of 1/96 inch
    /// The numbers behind the picture, C locale, with a header line.
    std::function<std::string()> csv;
    std::string manifestJson; ///< what it was computed from; empty: no manifest is written
    /// A part of an HTML body that replaces the picture on a page in HTML, where it can do more than a picture.
    std::function<std::string()> html = {};
    QString file = {}; ///< another name than `name` to make the file's from: where that has numbers and data in it
};

enum class ExportFormat { Png, Svg, Pdf, Csv, Html, Json, Latex };
inline constexpr ExportFormat kAllExportFormats[]
    = {ExportFormat::Png,  ExportFormat::Svg,  ExportFormat::Pdf,  ExportFormat::Csv,
       ExportFormat::Html, ExportFormat::Json, ExportFormat::Latex};

/// "png", "svg", "pdf", "csv", "html", "json", "tex"
QString suffixOf(ExportFormat format);
/// Whether it has the numbers alone: only items with a table can be written so.
bool isTable(ExportFormat format);
/// `path` without an export suffix.
QString withoutSuffix(const QString &path);
/// `path` with the suffix of `format`: added, or put in the place of another export suffix.
QString withSuffix(const QString &path, ExportFormat format);
/// "Ablation Δ BLEU, in-domain" → "ablation-bleu-in": the domain and kinds of attention in a word; never empty.
QString fileNameFor(const QString &itemName);
QString fileNameFor(const ExportItem &item);
/// Beside FILE: FILE.manifest.json
QString manifestPathFor(const QString &path);

struct ExportOptions
{
    ExportFormat format = ExportFormat::Png;
    int dpi = 200;    ///< of PNG
    QSizeF size = {}; ///< in pixels of 1/96 inch; empty: the item's own
    bool withCaption = true;
    bool withManifest = true;
};

/// Writes `item` to `path`, and its manifest beside it. Both appear whole or not at all; errors name the file.
Result<Done> exportItem(const ExportItem &item, const QString &path, const ExportOptions &options = {});

/// The item painted once now, so that any thread may write it afterwards. Qt Charts paint on the GUI thread only.
ExportItem recorded(const ExportItem &item);

/// What exportItem() writes to the item's own file.
Result<QByteArray> exportedBytes(const ExportItem &item, const ExportOptions &options);

/// The picture with its caption, as the PNG export has it.
Result<QImage> renderToImage(const ExportItem &item, const ExportOptions &options);

/// Picture and, as tab-separated text, the table.
QMimeData *toMimeData(const ExportItem &item);
void copyToClipboard(const ExportItem &item);

/// Tabs for commas; quoted fields are unquoted, tabs and line breaks inside them become spaces.
std::string csvToTsv(const std::string &csv);

} // namespace headscope

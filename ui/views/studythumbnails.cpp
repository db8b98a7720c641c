#include "ui/views/studythumbnails.h"

#include "ui/delegates/headgridpainter.h"

#include <QFileInfo>
#include <QFontMetricsF>
#include <QPainter>
#include <QRectF>

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

namespace headscope {
namespace {

constexpr double kTouching = 3; ///< cells up to this size have no lines between them

template<typename T, typename Make>
std::optional<GridContent> contentOf(const std::vector<AnyResult> &results, Make make)
{
    for (const AnyResult &result : results) {
        if (const auto found = result.as<T>()) {
            GridContent content = make(*found);
            if (content.valueCount() > 0)
                return content;
        }
    }
    return std::nullopt;
}

std::optional<GridContent> contentOf(const HeadLayout &layout, const std::vector<AnyResult> &results)
{
    auto content
        = contentOf<AblationResult>(results, [&](const auto &result) { return ablationContent(layout, result); });
    if (!content)
        content = contentOf<ImportanceResult>(results,
                                              [&](const auto &result) { return importanceContent(layout, result); });
    if (!content)
        content = contentOf<ConfidenceResult>(results,
                                              [&](const auto &result) { return confidenceContent(layout, result); });
    if (!content)
        content
            = contentOf<RelevanceResult>(results, [&](const auto &result) { return relevanceContent(layout, result); });
    return content;
}

} // namespace

QImage studyThumbnail(const LoadedStudy &study, const QSize &size, Appearance appearance)
{
    if (!study.study.model)
        return {};
    std::optional<GridContent> content;
    for (const auto &results : study.results) {
        if (!content)
            content = contentOf(study.study.model->layout, results);
    }
    if (!content)
        return {};
    const ViewPalette &palette = ViewPalette::of(appearance);
    const ColorScale scale = scaleFor(*content);
    QImage image(size, QImage::Format_RGB32);
    image.fill(palette.paper);
    QPainter painter(&image);
    const HeadGridGeometry geometry(content->layout, size, QFontMetricsF(painter.font(), &image), 0, GridLabels::None);
    // Cells have a smallest size: what is larger than the picture becomes smaller as a whole.
    const double shrink
        = std::min({1.0, size.width() / geometry.size().width(), size.height() / geometry.size().height()});
    painter.scale(shrink, shrink);
    const double gap = geometry.cell() > kTouching ? 1 : 0;
    for (const HeadCell &cell : content->cells)
        painter.fillRect(geometry.cellRect(cell.head).adjusted(0, 0, -gap, -gap),
                         cell.value ? scale.color(*cell.value, appearance) : palette.missing);
    return image;
}

StudyThumbnails::StudyThumbnails(JobQueue &queue, const QSize &size, QObject *parent)
    : QObject(parent), m_queue(queue), m_size(size)
{
}

QImage StudyThumbnails::imageOf(const QString &file, Appearance appearance)
{
    const QFileInfo info(file);
    const QDateTime time = info.lastModified();
    if (const auto known = m_known.constFind(file);
        known != m_known.cend() && known->time == time && known->appearance == appearance)
        return known->image;
    m_known[file] = {time, appearance, {}};
    const JobSpec spec{tr("Thumbnail of %1").arg(info.fileName()), QStringLiteral("thumbnail ") + file};
    m_queue.start<QImage>(
        spec,
        [path = file.toStdString(), size = m_size, appearance](const JobControl &) -> Result<QImage> {
            const Result<LoadedStudy> study = loadStudy(path);
            return study.isOk() ? studyThumbnail(study.value(), size, appearance)
                                : QImage(); // opening it says what is wrong
        },
        this,
        [this, file, time, appearance](const Result<QImage> &image) {
            const auto known = m_known.find(file);
            if (known == m_known.end() || known->time != time || known->appearance != appearance)
                return;
            if (!image.isOk()) { // cancelled: asked for again when it is shown again
                m_known.erase(known);
                return;
            }
            known->image = image.value();
            if (!known->image.isNull())
                Q_EMIT changed(file);
        });
    return {};
}

} // namespace headscope

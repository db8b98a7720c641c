#include "ui/views/gridexport.h"

#include "core/exporting/csv.h"
#include "core/results/compare.h"
#include "ui/exporting/csvtext.h"
#include "ui/views/manifesttext.h"

#include <QCoreApplication>

#include <algorithm>
#include <limits>

namespace headscope {

namespace {
constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();
} // namespace

namespace {
/// What no command writes: of cells that are no result's, or not of it alone, or of one under way.
std::string cellsCsv(const GridContent &content, const HeadMask &mask)
{
    CsvText csv(std::string("head,kind,layer,head_number,value,ci_low,ci_high,p,p_adjusted,p_bh,p_mcnemar,examples,"
                            "rank,masked,role,role_score")
                + (content.byKeyGroup ? ",together" : ""));
    const auto isMasked = [&](const HeadCell &cell) {
        return std::ranges::all_of(GridContent::headsOf(cell), [&](const HeadRef &one) { return mask.isMasked(one); });
    };
    for (const HeadCell &cell : content.cells) {
        csv << toText(cell.head) << headKindName(cell.head.kind) << cell.head.layer << cell.head.head
            << cell.value.value_or(kNoNumber) << (cell.interval ? cell.interval->low : kNoNumber)
            << (cell.interval ? cell.interval->high : kNoNumber) << cell.p.value_or(kNoNumber)
            << cell.pAdjusted.value_or(kNoNumber) << cell.discoveryP.value_or(kNoNumber)
            << cell.mcnemar.value_or(kNoNumber) << content.examplesOf(cell)
            << (cell.rank > 0 ? static_cast<double>(cell.rank) : kNoNumber) << (isMasked(cell) ? 1 : 0)
            << (cell.roles.empty() ? std::string() : labelText(cell.roles.front()))
            << (cell.roles.empty() ? kNoNumber : cell.roles.front().score);
        if (content.byKeyGroup)
            csv << toText(HeadMask(cell.others));
        csv.endLine();
    }
    return csv.text();
}
} // namespace

std::string gridCsv(const GridContent &content, const HeadMask &mask)
{
    const bool whole = !content.isUnfinished(); // else every head has examples of its own
    if (whole && content.results.size() == 1)
        return toCsv(content.results.front());
    if (whole && content.results.size() == 2) {
        const Result<CompareResult> difference = compareResults(content.results.front(), content.results.back());
        if (difference.isOk())
            return toCsv(difference.value());
    }
    return cellsCsv(content, mask);
}

QString gridFile(const GridContent &content, DomainView view)
{
    return view == DomainView::Difference ? content.measure
                                          : QString(content.measure + QStringLiteral(", ") + domainViewName(view));
}

ExportItem gridItem(const QString &name, const QString &caption, const GridPicture &picture)
{
    ExportItem item;
    item.name = name;
    item.caption = caption;
    item.size = QSizeF(960, 420);
    item.paint = [picture](QPainter &painter, const QRectF &rect) { paintHeadGrid(painter, rect, picture); };
    item.csv = [picture] { return gridCsv(picture.content, picture.mask); };
    return item;
}

ExportItem gridExportItem(const StudyState &state, const HeadGridModel &model, const ColorScale &scale,
                          const GridOrder &order)
{
    GridPicture picture;
    picture.content = model.content();
    picture.mask = model.mask();
    picture.scale = scale;
    picture.pins = model.pins();
    picture.order = order.isOf(picture.content.layout) ? order : GridOrder(picture.content, order.sorting());
    ExportItem item = gridItem(gridCaption(picture.content), gridCaption(picture.content), picture);
    const bool tested
        = std::ranges::any_of(picture.content.cells, [](const HeadCell &cell) { return cell.p.has_value(); });
    if (tested)
        item.caption += QStringLiteral(". ")
                      + QCoreApplication::translate("headscope::GridFeed", "Faded and hatched: not significant (%1)")
                            .arg(picture.content.significance.textOfOthers());
    if (picture.content.isUnfinished())
        item.caption
            += QStringLiteral(". ")
             + QCoreApplication::translate("headscope::GridFeed", "Not complete: hatched heads are not tested");
    if (!picture.content.stale.isEmpty())
        item.caption += QStringLiteral(". ") + picture.content.stale;
    std::vector<const Manifest *> manifests;
    for (const Manifest &manifest : picture.content.manifests)
        manifests.push_back(&manifest);
    item.manifestJson = manifestsText(state, manifests);
    return item;
}

} // namespace headscope

#include "ui/pages/attention/headlines.h"

#include "ui/exporting/csvtext.h"
#include "ui/heatmap/rolestyle.h"
#include "ui/models/numbertext.h"

#include <QCoreApplication>
#include <QFontMetricsF>
#include <QLineF>
#include <QPainter>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <numeric>
#include <utility>

using namespace Qt::StringLiterals;

namespace headscope {
namespace {

constexpr double kFaintest = 1.5 / 255; ///< opacity of lines that are left out
constexpr double kWidth = 2;
constexpr std::size_t kMany = 600; ///< lines: this many are drawn a pixel wide, without smooth edges
constexpr double kLineGap = 6;
constexpr double kLargestGap = 420; ///< between the sides
constexpr int kReadOut = 4;

struct HeadlineWords
{
    Q_DECLARE_TR_FUNCTIONS(headscope::HeadLines)
};

double widest(const std::vector<AxisLabel> &labels, const QFontMetricsF &metrics)
{
    double width = 0;
    for (const AxisLabel &label : labels)
        width = std::max(width, metrics.horizontalAdvance(label.text));
    return width + 2 * kLineGap;
}

/// How wide the titles of the sides may be: each as it is, or the longer one, or both, as far as there is room.
std::pair<double, double> titleWidths(double queries, double keys, double room)
{
    const double half = std::max(0.0, room / 2);
    if (queries + keys <= room)
        return {queries, keys};
    if (queries <= half)
        return {queries, room - queries};
    return keys <= half ? std::pair(room - keys, keys) : std::pair(half, half);
}

/// Where the lines of every place begin among lines that are sorted by it.
template<typename Place>
std::vector<std::size_t> beginnings(std::size_t places, std::size_t lines, Place &&placeOf)
{
    std::vector<std::size_t> first(places + 1, 0);
    for (std::size_t i = 0; i < lines; ++i)
        ++first[static_cast<std::size_t>(placeOf(i)) + 1];
    std::partial_sum(first.begin(), first.end(), first.begin());
    return first;
}

/// The part of a line that lies in the window: what is far outside would take most of the time.
QLineF clipped(const QLineF &line, const QRectF &window)
{
    const auto at = [&](double y) { return line.pointAt((y - line.y1()) / line.dy()); };
    const auto moved = [&](const QPointF &end) {
        return end.y() < window.top() - kWidth    ? at(window.top() - kWidth)
             : end.y() > window.bottom() + kWidth ? at(window.bottom() + kWidth)
                                                  : end;
    };
    return line.dy() == 0 ? line : QLineF(moved(line.p1()), moved(line.p2()));
}

bool isSeen(const LinesGeometry &geometry, int place)
{
    const double y = geometry.y(place);
    return y > geometry.window.top() - geometry.rowHeight && y < geometry.window.bottom() + geometry.rowHeight;
}

/// The lines of one token.
template<typename Visit>
void forEachLine(const HeadLines &lines, const LineToken &token, Visit &&visit)
{
    const auto place = static_cast<std::size_t>(token.place);
    const auto &first = token.isKey ? lines.firstOfKey : lines.firstOfQuery;
    for (std::size_t i = first[place]; i < first[place + 1]; ++i)
        visit(lines.lines[token.isKey ? lines.byKey[i] : i]);
}

/// Lines of the marked tokens, or those whose query or key is seen.
std::vector<const HeadLines::Line *> shownLines(const LinesPicture &picture, const LinesGeometry &geometry)
{
    const HeadLines &lines = picture.lines;
    std::vector<const HeadLines::Line *> shown;
    if (const std::set<LineToken> marked = picture.marked(); !marked.empty()) {
        for (const LineToken &token : marked)
            forEachLine(lines, token, [&](const HeadLines::Line &line) { shown.push_back(&line); });
        return shown;
    }
    for (std::size_t query = 0; query < lines.queries.size(); ++query) {
        const bool seen = isSeen(geometry, static_cast<int>(query));
        for (std::size_t i = lines.firstOfQuery[query]; i < lines.firstOfQuery[query + 1]; ++i) {
            if (seen || isSeen(geometry, lines.lines[i].key))
                shown.push_back(&lines.lines[i]);
        }
    }
    return shown;
}

/// What the tokens of one side have to do with those of the other: weights by head and place, added up.
std::map<std::pair<int, int>, float> addedUp(const HeadLines &lines, const std::set<LineToken> &tokens, bool keys)
{
    std::map<std::pair<int, int>, float> sums;
    for (const LineToken &token : tokens) {
        if (token.isKey == keys)
            forEachLine(lines, token, [&](const HeadLines::Line &line) {
                sums[{line.head, keys ? line.query : line.key}] += line.weight;
            });
    }
    return sums;
}

void paintLines(QPainter &painter, const LinesPicture &picture, const LinesGeometry &geometry)
{
    const std::vector<const HeadLines::Line *> shown = shownLines(picture, geometry);
    const bool many = shown.size() > kMany;
    const auto heads = static_cast<float>(picture.lines.heads.size());
    // A pen for all lines of a head that look alike: changing pens takes longer than drawing.
    std::map<std::pair<int, int>, std::vector<QLineF>> alike;
    for (const HeadLines::Line *line : shown) {
        const int strength = static_cast<int>(std::lround(std::min(1.0F, line->weight / heads) * 255));
        alike[{line->head, strength}].push_back(clipped(
            QLineF(geometry.left, geometry.y(line->query), geometry.right, geometry.y(line->key)), geometry.window));
    }
    painter.setRenderHint(QPainter::Antialiasing, !many);
    for (const auto &[look, lines] : alike) {
        QColor color = lineColor(picture.lines.heads[static_cast<std::size_t>(look.first)].head, picture.palette);
        color.setAlpha(look.second);
        painter.setPen(QPen(color, many ? 0 : kWidth));
        painter.drawLines(lines.data(), static_cast<int>(lines.size()));
    }
    painter.setRenderHint(QPainter::Antialiasing);
}

/// Boxes over a side, as strong as its weights with the marked tokens of the other one are on average: a part of the
/// width for every head.
void paintBoxes(QPainter &painter, const LinesPicture &picture, const LinesGeometry &geometry, const QRectF &side,
                bool keys)
{
    const HeadLines &lines = picture.lines;
    const std::set<LineToken> marked = picture.marked();
    const auto others = static_cast<float>(std::ranges::count(marked, !keys, &LineToken::isKey));
    const double part = side.width() / static_cast<double>(lines.heads.size());
    for (const auto &[at, weight] : addedUp(lines, marked, !keys)) {
        const auto &[head, place] = at;
        QColor color = lineColor(lines.heads[static_cast<std::size_t>(head)].head, picture.palette);
        color.setAlphaF(std::min(1.0F, weight / others));
        painter.fillRect(
            QRectF(side.left() + head * part, geometry.y(place) - geometry.rowHeight / 2, part, geometry.rowHeight),
            color);
    }
}

void paintTokens(QPainter &painter, const LinesPicture &picture, const LinesGeometry &geometry, bool keys)
{
    const std::vector<AxisLabel> &labels = keys ? picture.lines.keys : picture.lines.queries;
    const QRectF side
        = keys ? QRectF(geometry.right, geometry.window.top(), geometry.window.right() - geometry.right, 0)
               : QRectF(geometry.window.left(), geometry.window.top(), geometry.left - geometry.window.left(), 0);
    paintBoxes(painter, picture, geometry, side, keys);
    const QFont plain = painter.font();
    for (int place = 0; place < static_cast<int>(labels.size()); ++place) {
        if (!isSeen(geometry, place))
            continue;
        const bool strong = picture.hover == LineToken{keys, place} || picture.chosen.contains({keys, place});
        QFont font = plain;
        font.setBold(strong);
        font.setItalic(labels[static_cast<std::size_t>(place)].special);
        painter.setFont(font);
        painter.setPen(strong ? picture.palette.accent : picture.palette.ink);
        const QRectF box(side.left() + kLineGap, geometry.y(place) - geometry.rowHeight / 2,
                         side.width() - 2 * kLineGap, geometry.rowHeight);
        painter.drawText(box, (keys ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter,
                         labels[static_cast<std::size_t>(place)].text);
    }
    painter.setFont(plain);
}

} // namespace

HeadLines makeHeadLines(const AttentionResult &result, const std::vector<HeadRef> &heads,
                        const AttentionTableOptions &options, double least)
{
    HeadLines lines;
    std::vector<AttentionTable> tables;
    for (const HeadRef &head : heads) {
        AttentionTable table = attentionTableOf(result, head, options);
        if (table.empty())
            continue;
        lines.heads.push_back(head);
        tables.push_back(std::move(table));
    }
    if (tables.empty())
        return lines;
    lines.queries = tables.front().rows;
    lines.keys = tables.front().columns;
    least = std::max(least, kFaintest * static_cast<double>(tables.size()));
    for (std::size_t query = 0; query < lines.queries.size(); ++query) {
        for (std::size_t head = 0; head < tables.size(); ++head) {
            for (std::size_t key = 0; key < lines.keys.size(); ++key) {
                if (const double weight = tables[head].weight(query, key); weight > least)
                    lines.lines.push_back({static_cast<int>(query), static_cast<int>(key), static_cast<int>(head),
                                           static_cast<float>(weight)});
            }
        }
    }
    lines.byKey.resize(lines.lines.size());
    std::iota(lines.byKey.begin(), lines.byKey.end(), std::size_t{0});
    std::ranges::stable_sort(lines.byKey, {}, [&](std::size_t i) { return lines.lines[i].key; });
    lines.firstOfQuery
        = beginnings(lines.queries.size(), lines.lines.size(), [&](std::size_t i) { return lines.lines[i].query; });
    lines.firstOfKey = beginnings(lines.keys.size(), lines.lines.size(),
                                  [&](std::size_t i) { return lines.lines[lines.byKey[i]].key; });
    return lines;
}

SideWidths::SideWidths(const std::vector<AxisLabel> &queryLabels, const std::vector<AxisLabel> &keyLabels,
                       const QFontMetricsF &metrics)
    : queries(widest(queryLabels, metrics)), keys(widest(keyLabels, metrics))
{
}

LinesGeometry::LinesGeometry(const LinesPicture &picture, const SideWidths &widths, const QRectF &rect, double scrolled,
                             const QFontMetricsF &metrics)
    : scroll(scrolled)
{
    const double top = picture.lines.empty() ? 0 : 2 * metrics.height() + 2 * kLineGap;
    window = rect.adjusted(kLineGap, top, -kLineGap, -kLineGap);
    rowHeight = metrics.height() + 3;
    const double queries = std::min(widths.queries, window.width() / 3);
    const double keys = std::min(widths.keys, window.width() / 3);
    const double between = std::min(kLargestGap, window.width() - queries - keys);
    const double spare = (window.width() - queries - keys - between) / 2;
    left = window.left() + spare + queries;
    right = left + between;
    const QRectF room = window;
    window.setLeft(left - queries);
    window.setRight(right + keys);
    placeTitles(picture, room, metrics);
    height = rowHeight * static_cast<double>(std::max(picture.lines.queries.size(), picture.lines.keys.size()));
}

/// Beside the tokens; over the lines, or shortened, where `room` is too narrow for that.
void LinesGeometry::placeTitles(const LinesPicture &picture, const QRectF &room, const QFontMetricsF &metrics)
{
    const double high = metrics.height();
    const double top = room.top() - kLineGap - high;
    const auto wide = [&](const QString &text) { return std::ceil(metrics.horizontalAdvance(text)) + 1; };
    const double whole = std::min(wide(picture.title), room.width());
    title = QRectF(std::min(window.left(), room.right() - whole), top - high - 2, whole, high);
    const auto [queries, keys]
        = titleWidths(wide(picture.lines.queriesTitle), wide(picture.lines.keysTitle), room.width() - 2 * kLineGap);
    keysTitle = QRectF(std::min(right + kLineGap, room.right() - keys), top, keys, high);
    const double end = std::min(left - kLineGap, keysTitle.left() - 2 * kLineGap);
    queriesTitle = QRectF(std::max(room.left(), end - queries), top, queries, high);
}

std::optional<LineToken> LinesGeometry::tokenAt(const HeadLines &lines, const QPointF &point) const
{
    if (rowHeight <= 0 || !window.contains(point) || (point.x() > left && point.x() < right))
        return {};
    const bool isKey = point.x() >= right;
    const int place = static_cast<int>(std::floor((point.y() - window.top() + scroll) / rowHeight));
    const auto count = isKey ? lines.keys.size() : lines.queries.size();
    return place >= 0 && place < static_cast<int>(count) ? std::optional(LineToken{isKey, place}) : std::nullopt;
}

QColor lineColor(int head, const ViewPalette &palette)
{
    constexpr int kNamed = static_cast<int>(std::size(kAllRoles)) - 1; // the last of that set is grey
    if (head < kNamed)
        return roleColor(kAllRoles[static_cast<std::size_t>(head)], palette);
    const double hue = std::fmod(0.08 + 0.618 * (head - kNamed), 1.0);
    return palette.mark(palette.appearance == Appearance::Dark
                            ? QColor::fromHslF(static_cast<float>(hue), 0.6F, 0.65F)
                            : QColor::fromHslF(static_cast<float>(hue), 0.7F, 0.38F));
}

void paintHeadLines(QPainter &painter, const LinesPicture &picture, const LinesGeometry &geometry)
{
    const QFontMetricsF metrics(painter.font(), painter.device());
    const QRectF &window = geometry.window;
    painter.save();
    const auto write = [&](const QRectF &box, const QString &text) {
        painter.drawText(box, Qt::AlignLeft | Qt::AlignVCenter, metrics.elidedText(text, Qt::ElideRight, box.width()));
    };
    painter.setPen(picture.palette.ink);
    write(geometry.title, picture.title);
    painter.setPen(picture.palette.muted);
    write(geometry.queriesTitle, picture.lines.queriesTitle);
    write(geometry.keysTitle, picture.lines.keysTitle);
    painter.setClipRect(window, Qt::IntersectClip);
    painter.setRenderHint(QPainter::Antialiasing);
    paintLines(painter, picture, geometry);
    paintTokens(painter, picture, geometry, false);
    paintTokens(painter, picture, geometry, true);
    painter.restore();
}

void paintHeadLines(QPainter &painter, const QRectF &rect, const LinesPicture &picture)
{
    painter.fillRect(rect, picture.palette.paper);
    const QFontMetricsF metrics(painter.font(), painter.device());
    const SideWidths widths(picture.lines.queries, picture.lines.keys, metrics);
    if (!picture.lines.empty())
        paintHeadLines(painter, picture, LinesGeometry(picture, widths, rect, 0, metrics));
}

QSizeF headLinesSize(const LinesPicture &picture)
{
    QFont font;
    font.setPixelSize(12);
    const QFontMetricsF metrics(font);
    const LinesGeometry geometry(picture, {}, QRectF(0, 0, 720, 400), 0, metrics);
    return {720, geometry.height + geometry.window.top() + kLineGap};
}

std::set<LineToken> LinesPicture::marked() const
{
    std::set<LineToken> marked = chosen;
    if (hover)
        marked.insert(*hover);
    return marked;
}

namespace {

/// Of the tokens of one side.
QString sideReadout(const HeadLines &lines, const std::set<LineToken> &tokens, bool keys)
{
    QStringList names;
    for (const LineToken &token : tokens) {
        if (token.isKey == keys)
            names << (keys ? lines.keys : lines.queries)[static_cast<std::size_t>(token.place)].text;
    }
    const auto sums = addedUp(lines, tokens, keys);
    std::vector<std::pair<std::pair<int, int>, float>> found(sums.begin(), sums.end());
    std::ranges::stable_sort(found, [](const auto &a, const auto &b) { return a.second > b.second; });
    QStringList parts;
    for (const auto &[at, weight] : found) {
        if (parts.size() == kReadOut) {
            parts << u"…"_s;
            break;
        }
        const AxisLabel &other = (keys ? lines.queries : lines.keys)[static_cast<std::size_t>(at.second)];
        parts << u"%1 %2 %3 %4"_s.arg(QString::fromStdString(toText(lines.heads[static_cast<std::size_t>(at.first)])),
                                      keys ? u"←"_s : u"→"_s, other.text, numberText(static_cast<double>(weight), 2));
    }
    return HeadlineWords::tr("%1: %2").arg(
        names.join(u" + "_s), parts.isEmpty() ? HeadlineWords::tr("nothing that can be seen") : parts.join(u", "_s));
}

} // namespace

QString headLinesReadout(const HeadLines &lines, const std::set<LineToken> &tokens)
{
    QStringList sides;
    for (const bool keys : {false, true}) {
        if (std::ranges::find(tokens, keys, &LineToken::isKey) != tokens.end())
            sides << sideReadout(lines, tokens, keys);
    }
    return sides.join(u"; "_s);
}

std::string headLinesCsv(const HeadLines &lines)
{
    CsvText csv("head,kind,layer,head_number,query,query_token,key,key_token,weight");
    for (const HeadLines::Line &line : lines.lines) {
        const HeadRef &head = lines.heads[static_cast<std::size_t>(line.head)];
        csv << toText(head) << headKindName(head.kind) << head.layer << head.head << line.query
            << lines.queries[static_cast<std::size_t>(line.query)].text.toStdString() << line.key
            << lines.keys[static_cast<std::size_t>(line.key)].text.toStdString() << static_cast<double>(line.weight);
        csv.endLine();
    }
    return csv.text();
}

} // namespace headscope

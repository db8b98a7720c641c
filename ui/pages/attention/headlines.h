#pragma once

#include "ui/heatmap/attentiontable.h"
#include "ui/heatmap/viewpalette.h"

#include <QColor>
#include <QRectF>
#include <QString>

#include <compare>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

class QFontMetricsF;
class QPainter;

namespace headscope {

/// Attention as lines between tokens (Vig 2019, head view): queries on the left, keys on the right, a colour for each
/// head.
struct HeadLines
{
    struct Line
    {
        int query = 0;
        int key = 0;
        int head = 0; ///< in `heads`
        float weight = 0;
    };
    std::vector<HeadRef> heads;
    std::vector<AxisLabel> queries;
    std::vector<AxisLabel> keys;
    /// The visible lines by query; lines fainter than one step of a screen's colours are left out.
    std::vector<Line> lines;
    std::vector<std::size_t> byKey;        ///< the lines sorted by key: indices into the lines
    std::vector<std::size_t> firstOfQuery; ///< [queries + 1]: where a query's lines begin
    std::vector<std::size_t> firstOfKey;   ///< [keys + 1], of byKey
    QString queriesTitle;
    QString keysTitle;
    bool empty() const { return heads.empty() || queries.empty() || keys.empty(); }
};

/// Of these heads of one kind; those without a map are left out, and lines of weights below `least` (0 … 1).
HeadLines makeHeadLines(const AttentionResult &result, const std::vector<HeadRef> &heads,
                        const AttentionTableOptions &options, double least = 0);

/// A token on one of the sides.
struct LineToken
{
    bool isKey = false;
    int place = 0;
    auto operator<=>(const LineToken &) const = default;
};

struct LinesPicture
{
    HeadLines lines{};
    QString title{};
    std::optional<LineToken> hover{};
    std::set<LineToken> chosen{};
    ViewPalette palette = ViewPalette::light();

    /// Only their lines are shown; empty: all lines are.
    std::set<LineToken> marked() const;
};

/// The widths of the tokens on either side, cached: measuring long texts takes longer than a frame.
struct SideWidths
{
    SideWidths() = default;
    SideWidths(const std::vector<AxisLabel> &queryLabels, const std::vector<AxisLabel> &keyLabels,
               const QFontMetricsF &metrics);

    double queries = 0;
    double keys = 0;
};

/// Where the parts of the picture lie; tokens scroll under the titles.
struct LinesGeometry
{
    LinesGeometry() = default;
    LinesGeometry(const LinesPicture &picture, const SideWidths &widths, const QRectF &rect, double scroll,
                  const QFontMetricsF &metrics);

    QRectF window; ///< of the tokens
    QRectF title;  ///< above them
    QRectF queriesTitle;
    QRectF keysTitle;
    double rowHeight = 0;
    double left = 0;  ///< where lines begin
    double right = 0; ///< and end
    double scroll = 0;
    double height = 0; ///< of all tokens

    double y(int place) const { return window.top() + (place + 0.5) * rowHeight - scroll; }
    std::optional<LineToken> tokenAt(const HeadLines &lines, const QPointF &point) const;

private:
    void placeTitles(const LinesPicture &picture, const QRectF &room, const QFontMetricsF &metrics);
};

/// A colour for a head by its number, the same in every layer.
QColor lineColor(int head, const ViewPalette &palette);

void paintHeadLines(QPainter &painter, const LinesPicture &picture, const LinesGeometry &geometry);
/// All tokens, for exports.
void paintHeadLines(QPainter &painter, const QRectF &rect, const LinesPicture &picture);
QSizeF headLinesSize(const LinesPicture &picture);

/// "chien: encoder.2.6 → dog 0.83, …": the keys of a query, or the queries of a key, the largest weight first; weights
/// of several tokens of a side are added up.
QString headLinesReadout(const HeadLines &lines, const std::set<LineToken> &tokens);
std::string headLinesCsv(const HeadLines &lines);
/// The picture as a part of a page, in which tokens can be pointed at.
std::string headLinesHtml(const LinesPicture &picture);

} // namespace headscope

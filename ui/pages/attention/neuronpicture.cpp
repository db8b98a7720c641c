#include "ui/pages/attention/neuronpicture.h"

#include "ui/exporting/csvtext.h"
#include "ui/heatmap/colorscale.h"
#include "ui/models/numbertext.h"

#include <QCoreApplication>
#include <QFontMetricsF>
#include <QImage>
#include <QLineF>
#include <QPainter>

#include <algorithm>
#include <cmath>

using namespace Qt::StringLiterals;

namespace headscope {
namespace {

constexpr double kColumnGap = 8;
constexpr double kConnectors = 70;
constexpr double kScoreWidth = 64;
constexpr double kWeightWidth = 110;
constexpr double kLeastBlock = 80;
constexpr double kLargestCell = 8;

struct NeuronWords
{
    Q_DECLARE_TR_FUNCTIONS(headscope::NeuronPicture)
};

/// A value of a vector, or of a product of two, −1 … 1: as Vig's, so that most of them can be told apart.
double shade(double value)
{
    return std::tanh(value / 4);
}

/// A vector as a strip of cells.
template<typename Value>
void paintVector(QPainter &painter, const QRectF &rect, std::int64_t width, const ViewPalette &palette, Value &&value)
{
    const ColorScale scale = ColorScale::diverging(1);
    QImage cells(static_cast<int>(width), 1, QImage::Format_RGB32);
    for (std::int64_t i = 0; i < width; ++i)
        cells.setPixelColor(static_cast<int>(i), 0, scale.color(shade(value(i)), palette.appearance));
    painter.drawImage(rect.adjusted(0, 1, 0, -1), cells);
}

void paintLabel(QPainter &painter, const QRectF &box, const AxisLabel &label, bool strong, bool right,
                const ViewPalette &palette)
{
    QFont font = painter.font();
    const QFont plain = font;
    font.setBold(strong);
    font.setItalic(label.special);
    painter.setFont(font);
    painter.setPen(strong ? palette.accent : palette.ink);
    painter.drawText(box.adjusted(2, 0, -2, 0), (right ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter,
                     label.text);
    painter.setFont(plain);
}

QString vectorsTitle()
{
    return NeuronWords::tr("query q, keys k");
}

/// A title over a column, and below it the vector of the query where keys have theirs.
void paintHeader(QPainter &painter, const NeuronPicture &picture, const NeuronGeometry &geometry)
{
    const QFontMetricsF metrics(painter.font(), painter.device());
    const double titles = geometry.window.top() - metrics.height() - geometry.rowHeight - kColumnGap;
    const auto over = [&](const QRectF &column, const QString &text, Qt::Alignment side = Qt::AlignLeft) {
        painter.drawText(QRectF(column.left(), titles, column.width(), metrics.height()), side | Qt::AlignVCenter,
                         metrics.elidedText(text, Qt::ElideRight, column.width()));
    };
    painter.setPen(picture.palette.ink);
    painter.drawText(QRectF(geometry.queries.left(), titles - metrics.height() - 2, 4000, metrics.height()),
                     Qt::AlignLeft | Qt::AlignVCenter, picture.title);
    painter.setPen(picture.palette.muted);
    over(geometry.queries, NeuronWords::tr("queries"), Qt::AlignRight);
    over(geometry.keys, NeuronWords::tr("keys"));
    over(geometry.keyVectors, vectorsTitle());
    over(geometry.products, NeuronWords::tr("q × k"));
    over(geometry.scores, NeuronWords::tr("logit"), Qt::AlignRight);
    over(geometry.weights, NeuronWords::tr("softmax"));
    const NeuronResult &neurons = *picture.neurons;
    const float *query = neurons.vectorOf(neurons.query, picture.query);
    const QRectF strip(geometry.keyVectors.left(), titles + metrics.height() + 2, geometry.keyVectors.width(),
                       geometry.rowHeight);
    paintVector(painter, strip, neurons.width, picture.palette,
                [&](std::int64_t i) { return static_cast<double>(query[i]); });
    paintLabel(painter, QRectF(geometry.keys.left(), strip.top(), geometry.keys.width(), strip.height()),
               picture.queries[static_cast<std::size_t>(picture.query)], true, false, picture.palette);
    painter.setPen(picture.palette.line);
    painter.drawLine(QLineF(geometry.keys.left(), strip.bottom() + 2, geometry.weights.right(), strip.bottom() + 2));
}

/// From the chosen query to a key, as strong as its weight.
void paintConnector(QPainter &painter, const NeuronPicture &picture, const NeuronGeometry &geometry, int key,
                    double weight)
{
    QColor color = picture.palette.accent;
    color.setAlphaF(static_cast<float>(std::tanh(1.8 * weight)));
    painter.setPen(QPen(color, 2));
    painter.drawLine(
        QLineF(geometry.queries.right(), geometry.y(picture.query), geometry.keys.left(), geometry.y(key)));
}

void paintScore(QPainter &painter, const NeuronPicture &picture, const NeuronGeometry &geometry, int key)
{
    const NeuronResult &neurons = *picture.neurons;
    const double weight = static_cast<double>(neurons.weights[neurons.at(picture.query, key)]);
    const double logit = static_cast<double>(neurons.logits[neurons.at(picture.query, key)]);
    const QRectF bar = geometry.row(geometry.weights, key).adjusted(0, 2, 0, -2);
    const QFontMetricsF metrics(painter.font(), painter.device());
    const double number = metrics.horizontalAdvance(u"0.00"_s) + 4;
    painter.setPen(picture.palette.ink);
    painter.drawText(geometry.row(geometry.scores, key), Qt::AlignRight | Qt::AlignVCenter, numberText(logit, 2));
    painter.drawText(QRectF(bar.left(), bar.top(), number, bar.height()), Qt::AlignLeft | Qt::AlignVCenter,
                     numberText(weight, 2));
    const double room = bar.width() - number;
    painter.fillRect(QRectF(bar.left() + number, bar.top(), std::max(1.0, room * weight), bar.height()),
                     picture.palette.accent);
}

void paintKey(QPainter &painter, const NeuronPicture &picture, const NeuronGeometry &geometry, int key)
{
    const NeuronResult &neurons = *picture.neurons;
    const bool strong = picture.key == key;
    paintLabel(painter, geometry.row(geometry.keys, key), picture.keys[static_cast<std::size_t>(key)], strong, false,
               picture.palette);
    if (neurons.isHidden(picture.query, key)) {
        painter.setPen(picture.palette.muted);
        painter.drawText(geometry.row(geometry.keyVectors, key), Qt::AlignLeft | Qt::AlignVCenter,
                         NeuronWords::tr("may not be seen"));
        return;
    }
    const float *q = neurons.vectorOf(neurons.query, picture.query);
    const float *k = neurons.vectorOf(neurons.key, key);
    paintVector(painter, geometry.row(geometry.keyVectors, key), neurons.width, picture.palette,
                [&](std::int64_t i) { return static_cast<double>(k[i]); });
    paintVector(painter, geometry.row(geometry.products, key), neurons.width, picture.palette,
                [&](std::int64_t i) { return static_cast<double>(q[i]) * static_cast<double>(k[i]); });
    paintScore(painter, picture, geometry, key);
}

} // namespace

NeuronPicture neuronPicture(std::shared_ptr<const NeuronResult> neurons)
{
    NeuronPicture picture;
    if (!neurons)
        return picture;
    for (const TokenLabel &token : neurons->queries)
        picture.queries.push_back(axisLabel(token));
    for (const TokenLabel &token : neurons->keys)
        picture.keys.push_back(axisLabel(token));
    picture.neurons = std::move(neurons);
    return picture;
}

NeuronGeometry::NeuronGeometry(const NeuronPicture &picture, const SideWidths &widths, const QRectF &rect,
                               double scrolled, const QFontMetricsF &metrics)
    : scroll(scrolled)
{
    if (picture.empty())
        return;
    rowHeight = metrics.height() + 3;
    window = rect.adjusted(kColumnGap, 2 * metrics.height() + rowHeight + 3 * kColumnGap, -kColumnGap, -kColumnGap);
    height = rowHeight * static_cast<double>(std::max(picture.queries.size(), picture.keys.size()));
    const double tokens = std::max(60.0, window.width() / 6);
    double x = window.left();
    const auto column = [&](double width, double gap) {
        const QRectF place(x, window.top(), width, window.height());
        x += width + gap;
        return place;
    };
    queries = column(std::min(widths.queries, tokens), kConnectors);
    keys = column(std::min(widths.keys, tokens), kColumnGap);
    const double left = window.right() - x - kScoreWidth - kWeightWidth - 3 * kColumnGap;
    const double least = std::max(kLeastBlock, std::ceil(metrics.horizontalAdvance(vectorsTitle())));
    const double widest = std::max(least, kLargestCell * static_cast<double>(picture.neurons->width));
    const double block = std::clamp(left / 2, least, widest);
    keyVectors = column(block, kColumnGap);
    products = column(block, kColumnGap);
    scores = column(kScoreWidth, kColumnGap);
    weights = column(kWeightWidth, 0);
}

bool NeuronGeometry::isSeen(int place) const
{
    return y(place) > window.top() - rowHeight && y(place) < window.bottom() + rowHeight;
}

std::optional<int> NeuronGeometry::rowAt(const QPointF &point) const
{
    if (rowHeight <= 0 || !window.contains(point))
        return {};
    return static_cast<int>(std::floor((point.y() - window.top() + scroll) / rowHeight));
}

void paintNeurons(QPainter &painter, const NeuronPicture &picture, const NeuronGeometry &geometry)
{
    const NeuronResult &neurons = *picture.neurons;
    painter.save();
    paintHeader(painter, picture, geometry);
    painter.setClipRect(geometry.window, Qt::IntersectClip);
    painter.setRenderHint(QPainter::Antialiasing);
    const auto keyCount = static_cast<int>(picture.keys.size());
    for (int key = 0; key < keyCount; ++key) {
        const double weight = static_cast<double>(neurons.weights[neurons.at(picture.query, key)]);
        if (weight > 0.002 && (geometry.isSeen(key) || geometry.isSeen(picture.query)))
            paintConnector(painter, picture, geometry, key, weight);
    }
    painter.setRenderHint(QPainter::Antialiasing, false);
    for (int query = 0; query < static_cast<int>(picture.queries.size()); ++query) {
        if (geometry.isSeen(query))
            paintLabel(painter, geometry.row(geometry.queries, query), picture.queries[static_cast<std::size_t>(query)],
                       query == picture.query, true, picture.palette);
    }
    for (int key = 0; key < keyCount; ++key) {
        if (geometry.isSeen(key))
            paintKey(painter, picture, geometry, key);
    }
    painter.restore();
}

void paintNeurons(QPainter &painter, const QRectF &rect, const NeuronPicture &picture)
{
    painter.fillRect(rect, picture.palette.paper);
    const QFontMetricsF metrics(painter.font(), painter.device());
    const SideWidths widths(picture.queries, picture.keys, metrics);
    if (!picture.empty())
        paintNeurons(painter, picture, NeuronGeometry(picture, widths, rect, 0, metrics));
}

QSizeF neuronsSize(const NeuronPicture &picture)
{
    constexpr double kWide = 960;
    QFont font;
    font.setPixelSize(12);
    const NeuronGeometry geometry(picture, {}, QRectF(0, 0, kWide, 400), 0, QFontMetricsF(font));
    return {kWide, geometry.window.top() + geometry.height + kColumnGap};
}

QString neuronReadout(const NeuronPicture &picture, int key)
{
    const NeuronResult &neurons = *picture.neurons;
    const QString &from = picture.queries[static_cast<std::size_t>(picture.query)].text;
    const QString &to = picture.keys[static_cast<std::size_t>(key)].text;
    if (neurons.isHidden(picture.query, key))
        return NeuronWords::tr("%1 → %2: may not be seen").arg(from, to);
    const std::size_t at = neurons.at(picture.query, key);
    return NeuronWords::tr("%1 → %2: q·k %3 × %4 + %5 = %6, softmax %7")
        .arg(from, to, numberText(neurons.product(picture.query, key), 3), numberText(neurons.scale, 3),
             numberText(static_cast<double>(neurons.bias[at]), 2),
             numberText(static_cast<double>(neurons.logits[at]), 3),
             numberText(static_cast<double>(neurons.weights[at]), 3));
}

std::string neuronsCsv(const NeuronPicture &picture)
{
    const NeuronResult &neurons = *picture.neurons;
    CsvText csv;
    for (const char *column : {"row", "token", "product", "scale", "bias", "logit", "weight"})
        csv << column;
    for (std::int64_t i = 0; i < neurons.width; ++i)
        csv << "vector_" + std::to_string(i);
    for (std::int64_t i = 0; i < neurons.width; ++i)
        csv << "product_" + std::to_string(i);
    csv.endLine();
    const float *query = neurons.vectorOf(neurons.query, picture.query);
    const auto addVector = [&](const float *vector) {
        for (std::int64_t i = 0; i < neurons.width; ++i)
            csv << static_cast<double>(vector[i]);
    };
    csv << "query" << picture.queries[static_cast<std::size_t>(picture.query)].text.toStdString();
    for (int empty = 0; empty < 5; ++empty)
        csv << "";
    addVector(query);
    for (std::int64_t i = 0; i < neurons.width; ++i)
        csv << "";
    csv.endLine();
    for (int key = 0; key < static_cast<int>(picture.keys.size()); ++key) {
        const std::size_t at = neurons.at(picture.query, key);
        csv << "key" << picture.keys[static_cast<std::size_t>(key)].text.toStdString()
            << neurons.product(picture.query, key) << neurons.scale << static_cast<double>(neurons.bias[at])
            << static_cast<double>(neurons.logits[at]) << static_cast<double>(neurons.weights[at]);
        const float *vector = neurons.vectorOf(neurons.key, key);
        addVector(vector);
        for (std::int64_t i = 0; i < neurons.width; ++i)
            csv << static_cast<double>(query[i]) * static_cast<double>(vector[i]);
        csv.endLine();
    }
    return csv.text();
}

} // namespace headscope

#pragma once

#include "core/results/neuronresult.h"
#include "ui/heatmap/attentiontable.h"
#include "ui/heatmap/viewpalette.h"
#include "ui/pages/attention/headlines.h"

#include <QRectF>
#include <QSizeF>
#include <QString>

#include <memory>
#include <optional>
#include <string>
#include <vector>

class QFontMetricsF;
class QPainter;

namespace headscope {

/// How a head comes to its attention (Vig 2019, neuron view): the vector of the chosen query, those of all keys, their
/// products element by element, the scores and their softmax.
struct NeuronPicture
{
    std::shared_ptr<const NeuronResult> neurons{};
    std::vector<AxisLabel> queries{};
    std::vector<AxisLabel> keys{};
    int query = 0;            ///< the chosen one
    std::optional<int> key{}; ///< that is read out
    QString title{};
    ViewPalette palette = ViewPalette::light();

    bool empty() const { return !neurons || queries.empty() || keys.empty(); }
};

/// With the labels of the tokens.
NeuronPicture neuronPicture(std::shared_ptr<const NeuronResult> neurons);

/// Where the parts lie; tokens scroll under titles and the query's vector.
struct NeuronGeometry
{
    NeuronGeometry() = default;
    NeuronGeometry(const NeuronPicture &picture, const SideWidths &widths, const QRectF &rect, double scroll,
                   const QFontMetricsF &metrics);

    QRectF window; ///< of the rows
    double rowHeight = 0;
    double scroll = 0;
    double height = 0; ///< of all rows
    QRectF queries;    ///< columns, as high as the window
    QRectF keys;
    QRectF keyVectors;
    QRectF products;
    QRectF scores;
    QRectF weights;

    double y(int place) const { return window.top() + (place + 0.5) * rowHeight - scroll; }
    QRectF row(const QRectF &column, int place) const
    {
        return {column.left(), y(place) - rowHeight / 2, column.width(), rowHeight};
    }
    bool isSeen(int place) const;
    /// The row under a point of the window, whether or not there is a token.
    std::optional<int> rowAt(const QPointF &point) const;
};

void paintNeurons(QPainter &painter, const NeuronPicture &picture, const NeuronGeometry &geometry);
/// All tokens, for exports.
void paintNeurons(QPainter &painter, const QRectF &rect, const NeuronPicture &picture);
QSizeF neuronsSize(const NeuronPicture &picture);

/// "chien → dog: q·k 14.20 × 0.18 + 0.00 = 2.51, softmax 0.83".
QString neuronReadout(const NeuronPicture &picture, int key);
/// A line per key: product, bias, logit, weight, its vector, and the products with the query's, which has a line of its
/// own.
std::string neuronsCsv(const NeuronPicture &picture);

} // namespace headscope

#pragma once

#include "ui/heatmap/viewpalette.h"
#include "ui/pages/training/trainingseries.h"

#include <QRectF>
#include <QString>

#include <optional>
#include <vector>

class QFontMetricsF;
class QPainter;

namespace headscope {

/// Everything the training chart shows. The window and the exports paint the same picture.
struct TrainingPicture
{
    TrainingSeries series;
    std::optional<double> cursor; ///< where the lines are read, in epochs
    ViewPalette palette = ViewPalette::light();
};

/// The plots of the two panels within the whole picture; they share left and right.
struct TrainingPanels
{
    QRectF loss;
    QRectF score; ///< empty without scores
    /// Epochs at a horizontal position, within the axis.
    double epochAt(double x, const TrainingSeries &series) const;
};
TrainingPanels layOutTraining(const QRectF &rect, const TrainingSeries &series, const QFontMetricsF &metrics);

/// The texts under the x axis, and where they stand: as many as do not touch.
struct EpochLabel
{
    double epoch = 0;
    QRectF rect;
    QString text;
};
std::vector<EpochLabel> epochLabels(const QRectF &plot, double epochs, const QFontMetricsF &metrics);

/// Loss above, score below, one x axis. Fonts follow painter.font().
void paintTrainingChart(QPainter &painter, const QRectF &rect, const TrainingPicture &picture);

/// "epoch 4.3 · training 2.310 · validation 2.204 · BLEU 33.10"
QString trainingReadingText(const TrainingSeries &series, double x);

} // namespace headscope

#pragma once

#include "core/train/trainingreport.h"

#include <QPointF>
#include <QString>

#include <optional>
#include <string>
#include <vector>

namespace headscope {

/// What is known of a run before it reports anything.
struct TrainingPlan
{
    double epochs = 0;      ///< planned: the x axis reaches so far from the start; 0 = not known
    bool validated = false; ///< there will be scores: their panel has its place from the start
};

/// What the training chart draws: x = epochs done, in all lines.
struct TrainingSeries
{
    std::vector<QPointF> trainLoss;      ///< nats per target token; means of neighbours where there are many
    std::vector<QPointF> validationLoss; ///< at the end of each epoch
    std::vector<QPointF> score;          ///< as it is shown: accuracy in per cent
    QString metric = QStringLiteral("BLEU");
    std::optional<double> bestEpoch;
    double epochs = 1;  ///< right end of the x axis
    double lossLow = 0; ///< round ends of the y axes
    double lossHigh = 1;
    bool cutAbove = false; ///< the steep beginning of the training line leaves the plot at its top
    double scoreLow = 0;
    double scoreHigh = 1;
    bool withScore = false; ///< the lower panel is drawn
    bool empty() const { return trainLoss.empty() && validationLoss.empty() && score.empty(); }
};

/// Values that are not finite are left out.
TrainingSeries makeTrainingSeries(const TrainingReport &report, const TrainingPlan &plan);

/// What the lines say where x stands: the training loss there, the values of the epoch that is nearest.
struct TrainingReading
{
    std::optional<double> trainLoss;
    std::optional<double> epoch; ///< of the two below
    std::optional<double> validationLoss;
    std::optional<double> score;
};
TrainingReading readTraining(const TrainingSeries &series, double x);

/// kind (point or epoch), step, epoch, losses, gradient norm, learning rate, speed, score, seconds and folder.
std::string trainingCsv(const TrainingReport &report);

} // namespace headscope

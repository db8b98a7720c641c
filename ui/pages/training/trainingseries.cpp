#include "ui/pages/training/trainingseries.h"

#include "ui/exporting/csvtext.h"
#include "ui/heatmap/colorscale.h"
#include "ui/models/numbertext.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace headscope {
namespace {

constexpr std::size_t kMostPoints = 600; ///< of the training line: more than there are pixels are useless
constexpr int kMostLossTicks = 6;
/// From this many epochs on the first half epoch does not decide the loss axis: it would press all the rest flat.
constexpr double kSteepEpochs = 0.5;
constexpr double kEpochsToCut = 3;

/// Means of as many neighbours as it takes to have at most kMostPoints.
std::vector<QPointF> thinned(const std::vector<QPointF> &points)
{
    const std::size_t together = (points.size() + kMostPoints - 1) / kMostPoints;
    if (together <= 1)
        return points;
    std::vector<QPointF> means;
    for (std::size_t begin = 0; begin < points.size(); begin += together) {
        const std::size_t end = std::min(begin + together, points.size());
        QPointF sum;
        for (std::size_t i = begin; i < end; ++i)
            sum += points[i];
        means.push_back(sum / static_cast<double>(end - begin));
    }
    return means;
}

void append(std::vector<QPointF> &points, double x, double y)
{
    if (std::isfinite(x) && std::isfinite(y))
        points.emplace_back(x, y);
}

/// Round ends around the values of all lines from `begin` on.
void fit(std::initializer_list<const std::vector<QPointF> *> lines, double begin, double &low, double &high)
{
    double least = std::numeric_limits<double>::infinity();
    double most = -least;
    for (const auto *line : lines) {
        for (const QPointF &point : *line) {
            if (point.x() < begin)
                continue;
            least = std::min(least, point.y());
            most = std::max(most, point.y());
        }
    }
    if (!(least <= most))
        return;
    if (most - least < 1e-9) {
        least = std::max(least - 0.5, 0.0);
        most += 0.5;
    }
    const double step = roundStep(most - least, kMostLossTicks);
    low = std::max(std::floor(least / step) * step, 0.0); // neither loss nor score is ever negative
    high = std::ceil(most / step) * step;
}

std::optional<double> nearest(const std::vector<QPointF> &points, double x, std::optional<double> &where)
{
    const auto found = std::min_element(points.begin(), points.end(), [x](const QPointF &a, const QPointF &b) {
        return std::abs(a.x() - x) < std::abs(b.x() - x);
    });
    if (found == points.end())
        return {};
    where = found->x();
    return found->y();
}

} // namespace

TrainingSeries makeTrainingSeries(const TrainingReport &report, const TrainingPlan &plan)
{
    TrainingSeries series;
    series.epochs = std::max(plan.epochs, 0.0);
    for (const TrainingPoint &point : report.points) {
        append(series.trainLoss, point.epoch, point.loss);
        series.epochs = std::max(series.epochs, point.epoch);
    }
    for (const TrainingEpoch &epoch : report.epochs) {
        const auto x = static_cast<double>(epoch.epoch);
        if (epoch.validationLoss)
            append(series.validationLoss, x, *epoch.validationLoss);
        if (epoch.score) {
            series.metric = QString::fromStdString(epoch.metric);
            append(series.score, x, *epoch.score * metricFormat(series.metric).factor);
        }
        series.epochs = std::max(series.epochs, x);
    }
    if (series.epochs <= 0)
        series.epochs = 1;
    if (report.bestEpoch && *report.bestEpoch < report.epochs.size())
        series.bestEpoch = static_cast<double>(report.epochs[*report.bestEpoch].epoch);
    const bool manyEpochs = !series.trainLoss.empty() && series.trainLoss.back().x() >= kEpochsToCut;
    fit({&series.trainLoss, &series.validationLoss}, manyEpochs ? kSteepEpochs : 0, series.lossLow, series.lossHigh);
    fit({&series.score}, 0, series.scoreLow, series.scoreHigh);
    series.trainLoss = thinned(series.trainLoss);
    series.cutAbove = std::any_of(series.trainLoss.begin(), series.trainLoss.end(),
                                  [&](const QPointF &point) { return point.y() > series.lossHigh; });
    series.withScore = plan.validated || !series.score.empty();
    return series;
}

TrainingReading readTraining(const TrainingSeries &series, double x)
{
    TrainingReading reading;
    const auto &line = series.trainLoss;
    if (!line.empty() && x >= line.front().x() && x <= line.back().x()) {
        const auto after = std::lower_bound(line.begin(), line.end(), x,
                                            [](const QPointF &point, double value) { return point.x() < value; });
        reading.trainLoss = after->y();
        if (after != line.begin() && after->x() > (after - 1)->x()) {
            const QPointF &before = *(after - 1);
            const double share = (x - before.x()) / (after->x() - before.x());
            reading.trainLoss = before.y() + share * (after->y() - before.y());
        }
    }
    reading.validationLoss = nearest(series.validationLoss, x, reading.epoch);
    std::optional<double> scoreEpoch;
    reading.score = nearest(series.score, x, scoreEpoch);
    if (!reading.epoch)
        reading.epoch = scoreEpoch;
    else if (scoreEpoch != reading.epoch)
        reading.score.reset(); // of another epoch
    return reading;
}

std::string trainingCsv(const TrainingReport &report)
{
    CsvText csv("kind,step,epoch,train_loss,validation_loss,metric,score,gradient_norm,learning_rate,"
                "target_tokens_per_second,seconds,folder");
    for (const TrainingPoint &point : report.points) {
        csv << "point" << point.step << point.epoch << point.loss << ""
            << ""
            << "" << point.gradientNorm << point.learningRate << point.tokensPerSecond << ""
            << "";
        csv.endLine();
    }
    const auto optional = [&csv](const std::optional<double> &value) {
        if (value)
            csv << *value;
        else
            csv << "";
    };
    for (const TrainingEpoch &epoch : report.epochs) {
        csv << "epoch" << epoch.step << epoch.epoch << epoch.trainLoss;
        optional(epoch.validationLoss);
        csv << (epoch.score ? epoch.metric : std::string());
        optional(epoch.score);
        csv << ""
            << ""
            << "" << epoch.seconds << epoch.folder;
        csv.endLine();
    }
    return csv.text();
}

} // namespace headscope

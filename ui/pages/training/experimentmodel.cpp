#include "ui/pages/training/experimentmodel.h"

#include "ui/exporting/csvtext.h"
#include "ui/heatmap/colorscale.h"
#include "ui/models/numbertext.h"

#include <QCoreApplication>
#include <QLocale>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <optional>
#include <utility>

namespace headscope {
namespace {

struct ExperimentModelWords
{
    Q_DECLARE_TR_FUNCTIONS(headscope::ExperimentView)
};

bool isFinished(const TrainingReport &report)
{
    return report.state == TrainingState::Finished || report.state == TrainingState::StoppedEarly;
}

QString scoreText(const TrainingEpoch &epoch)
{
    return epoch.score ? metricFormat(QString::fromStdString(epoch.metric)).score(*epoch.score) : QString();
}

bool hasGates(const ExperimentRun &run)
{
    return run.config.gates.method != GateMethod::None;
}

} // namespace

void ExperimentModel::setRuns(const std::vector<ExperimentRun> &runs, const ExperimentController::Reports &reports,
                              bool running)
{
    const bool sameRuns = std::ranges::equal(runs, m_runs, {}, &ExperimentRun::name, &ExperimentRun::name);
    if (!sameRuns)
        beginResetModel();
    m_runs = runs;
    m_reports = reports;
    m_running = running;
    if (!sameRuns)
        endResetModel();
    else if (!m_runs.empty())
        Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
}

int ExperimentModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_runs.size());
}

int ExperimentModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(ColumnCount);
}

const TrainingEpoch *ExperimentModel::judged(std::size_t row) const
{
    return m_reports[row] ? judgedEpoch(*m_reports[row], hasGates(m_runs[row])) : nullptr;
}

QString ExperimentModel::text(std::size_t row, int column) const
{
    const TrainingReport *report = m_reports[row].get();
    const TrainingEpoch *epoch = judged(row);
    switch (column) {
    case RunColumn:
        return m_runs[row].name;
    case StateColumn: {
        if (report && isFinished(*report))
            return tr("finished");
        const auto isOpen = [](const auto &other) { return !other || !isFinished(*other); };
        const auto first = std::ranges::find_if(m_reports, isOpen) - m_reports.begin();
        if (m_running && first == static_cast<std::ptrdiff_t>(row))
            return tr("running");
        return report && report->step > 0 ? tr("stopped") : m_running ? tr("waiting") : tr("not begun");
    }
    case ParametersColumn:
        return report && report->parameters > 0 ? countText(report->parameters) : QString();
    case BeforeColumn:
        return report && report->before ? scoreText(*report->before) : QString();
    case PerplexityColumn:
        return epoch && epoch->validationLoss ? numberText(std::exp(*epoch->validationLoss), 2) : QString();
    case ScoreColumn:
        return epoch ? scoreText(*epoch) : QString();
    case EpochColumn:
        return epoch ? countText(epoch->epoch) : QString();
    default:
        return {};
    }
}

QVariant ExperimentModel::data(const QModelIndex &index, int role) const
{
    if (!index.isValid())
        return {};
    const auto row = static_cast<std::size_t>(index.row());
    if (role == Qt::DisplayRole)
        return text(row, index.column());
    if (role == Qt::TextAlignmentRole)
        return static_cast<int>(Qt::AlignVCenter | (index.column() <= StateColumn ? Qt::AlignLeft : Qt::AlignRight));
    if (role == kFolderRole) {
        const TrainingEpoch *epoch = judged(row);
        return epoch ? QString::fromStdString((m_reports[row]->folder / epoch->folder).string()) : QString();
    }
    return {};
}

QVariant ExperimentModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    for (std::size_t row = 0; section == ScoreColumn && row < m_runs.size(); ++row) {
        if (const TrainingEpoch *epoch = judged(row); epoch && epoch->score)
            return QString::fromStdString(epoch->metric);
    }
    return QStringList{tr("run"),        tr("state"), tr("parameters"), tr("before training"),
                       tr("perplexity"), tr("score"), tr("epoch")}
        .value(section);
}

namespace {
/// The lines of an experiment while its runs are gone through.
struct ExperimentLines
{
    std::map<QString, LineSeries::Line> lines{};
    QString metric{};
    double last = 0; ///< the largest x

    void add(const QString &line, double x, const TrainingEpoch &epoch, const QString &name = {})
    {
        metric = QString::fromStdString(epoch.metric);
        const double y = *epoch.score * metricFormat(metric).factor;
        lines[line].points.push_back({x, y, y, y, name});
        last = std::max(last, x);
    }
    /// Of a run that is told apart by a number: the epoch that it is judged by, and what it began with.
    void addNumber(const ExperimentRun &run, const TrainingReport &report)
    {
        if (const TrainingEpoch *epoch = judgedEpoch(report, hasGates(run)); epoch && epoch->score)
            add(run.line, *run.value, *epoch, run.name);
        if (!report.before || !report.before->score)
            return;
        const QString line = ExperimentModelWords::tr("%1, before training").arg(run.line);
        add(line, *run.value, *report.before, run.name);
        lines[line].hollow = true;
    }
    std::vector<LineSeries::Line> named() const
    {
        std::vector<LineSeries::Line> all;
        int styles = 0;
        for (auto [name, line] : lines) {
            line.name = name.isEmpty() ? metric : name;
            // Before and after training in one colour: their names follow each other.
            line.style = line.hollow && !all.empty() ? all.back().style : styles++;
            std::ranges::stable_sort(line.points, {}, &LineSeries::Point::x);
            all.push_back(std::move(line));
        }
        return all;
    }
};
} // namespace

LineSeries makeExperimentSeries(const std::vector<ExperimentRun> &runs, const ExperimentController::Reports &reports,
                                const QString &number)
{
    LineSeries series;
    ExperimentLines found;
    const bool isNumber = std::ranges::any_of(runs, [](const ExperimentRun &run) { return run.value.has_value(); });
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const ExperimentRun &run = runs[i];
        if (!reports[i])
            continue;
        if (run.value) {
            found.addNumber(run, *reports[i]);
        } else if (!isNumber) {
            for (const TrainingEpoch &epoch : reports[i]->epochs) {
                if (epoch.score)
                    found.add(run.name, static_cast<double>(epoch.epoch), epoch);
            }
        } else if (const TrainingEpoch *epoch = judgedEpoch(*reports[i], hasGates(run)); epoch && epoch->score) {
            series.reference = *epoch->score * metricFormat(QString::fromStdString(epoch->metric)).factor;
            series.referenceName = run.line;
        }
    }
    series.lines = found.named();
    if (series.empty())
        return series;
    series.axes.xHigh = found.last > 0 ? found.last * 1.05 : 1;
    for (const double tick : roundTicks(0, series.axes.xHigh, 6))
        series.axes.xTicks.emplace_back(tick, QLocale().toString(tick, 'g', 4));
    series.axes.xTitle = isNumber ? number : ExperimentModelWords::tr("epochs");
    series.axes.yTitle = found.metric;
    fitScores(series);
    return series;
}

LineSeries makeSpreadSeries(const std::vector<ExperimentRun> &runs, const ExperimentController::Reports &reports)
{
    LineSeries series;
    double last = 0;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        if (!reports[i])
            continue;
        LineSeries::Line line;
        line.name = runs[i].name;
        line.style = static_cast<int>(i);
        for (const TrainingPoint &point : reports[i]->points) {
            if (!point.spread)
                continue;
            const auto x = static_cast<double>(point.step);
            line.points.push_back({x, *point.spread, *point.spread, *point.spread});
            last = std::max(last, x);
        }
        if (!line.points.empty())
            series.lines.push_back(std::move(line));
    }
    if (series.empty())
        return series;
    series.axes.xHigh = last;
    for (const double tick : roundTicks(0, last, 6))
        series.axes.xTicks.emplace_back(tick, QLocale().toString(tick, 'g', 6));
    series.axes.xTitle = ExperimentModelWords::tr("updates");
    series.axes.yTitle = ExperimentModelWords::tr("distance of a layer’s heads from their mean");
    series.zeroLine = true;
    fitScores(series);
    return series;
}

std::string spreadCsv(const std::vector<ExperimentRun> &runs, const ExperimentController::Reports &reports)
{
    CsvText csv("run,update,spread");
    for (std::size_t i = 0; i < runs.size(); ++i) {
        if (!reports[i])
            continue;
        for (const TrainingPoint &point : reports[i]->points) {
            if (!point.spread)
                continue;
            csv << runs[i].name.toStdString() << point.step << *point.spread;
            csv.endLine();
        }
    }
    return csv.text();
}

std::string experimentCsv(const std::vector<ExperimentRun> &runs, const ExperimentController::Reports &reports)
{
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    CsvText csv("run,value,line,state,epochs,parameters,validation_loss,perplexity,metric,score,before_score,epoch");
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const TrainingReport *report = reports[i].get();
        const TrainingEpoch *epoch = report ? judgedEpoch(*report, hasGates(runs[i])) : nullptr;
        csv << runs[i].name.toStdString() << runs[i].value.value_or(kNone) << runs[i].line.toStdString()
            << (!report               ? "not begun"
                : isFinished(*report) ? "finished"
                                      : "unfinished")
            << static_cast<std::int64_t>(report ? report->epochs.size() : 0)
            << (report ? static_cast<double>(report->parameters) : kNone)
            << (epoch ? epoch->validationLoss.value_or(kNone) : kNone)
            << (epoch && epoch->validationLoss ? std::exp(*epoch->validationLoss) : kNone)
            << (epoch ? epoch->metric : std::string()) << (epoch ? epoch->score.value_or(kNone) : kNone)
            << (report && report->before ? report->before->score.value_or(kNone) : kNone)
            << (epoch ? epoch->folder : std::string());
        csv.endLine();
    }
    return csv.text();
}

} // namespace headscope

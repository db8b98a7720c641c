#include "ui/pages/dynamics/dynamicspage.h"

#include "core/exporting/csv.h"
#include "core/results/manifestoptions.h"
#include "ui/charts/chartexport.h"
#include "ui/models/numbertext.h"
#include "ui/views/captionlabel.h"
#include "ui/views/errorlabel.h"
#include "ui/views/fileedit.h"
#include "ui/views/foldingside.h"
#include "ui/views/gridexport.h"
#include "ui/views/linechart.h"
#include "ui/views/manifesttext.h"
#include "ui/views/pageparts.h"
#include "ui/views/plainlabel.h"
#include "ui/views/readonlygrid.h"
#include "ui/views/timebar.h"

#include <QAction>
#include <QCheckBox>
#include <QComboBox>
#include <QGroupBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSplitter>
#include <QVBoxLayout>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>

using namespace Qt::StringLiterals;

namespace headscope {

namespace {
constexpr int kPlayStepMs = 700;

/// The folder that was asked for; empty where a file does not say it. Studies that moved with their run (the demo) call
/// it by a relative name: the open model is one of its checkpoints.
QString runsOf(const DynamicsResult &result, const std::filesystem::path &model)
{
    const nlohmann::json options = optionsOf(result.manifest);
    const auto runs = options.find("runs");
    if (runs == options.end() || !runs->is_string())
        return {};
    const std::filesystem::path folder = runs->get<std::string>();
    const std::filesystem::path ofModel = model.parent_path();
    const bool isOfModel = folder.is_relative() && folder.filename() == ofModel.filename();
    return QString::fromStdString((isOfModel ? ofModel : folder).string());
}
} // namespace

DynamicsPage::DynamicsPage(StudyState &state, StudyController &controller, QWidget *parent)
    : Page(state, controller, parent)
{
    QWidget *main = makeMain(); // before the side: Tab goes there first
    layOutBeside(*this, main, makeSide());
    m_analysis = new QAction(tr("Heads over &training now"), this);
    connectAll();
}

PageInfo DynamicsPage::info()
{
    return {u"dynamics"_s, tr("Over ti&me")};
}

QWidget *DynamicsPage::makeMain()
{
    auto *main = new QWidget(this);
    m_title = makeTitle(main);
    m_domain = makeMeasuredChoice(main);
    m_summary = new CaptionLabel(main);
    auto *split = new QSplitter(Qt::Vertical, main);
    split->addWidget(makeCharts());
    split->addWidget(makeFoldingBelow(makeTime(), tr("Heads at the checkpoint"), u"dynamicsHeads"_s, split));
    split->setChildrenCollapsible(false);
    layOutMain(main, m_title, m_domain, m_summary, split);
    return main;
}

QWidget *DynamicsPage::makeCharts()
{
    auto *charts = new QSplitter(this);
    m_shares = new LineChart(tr("Score over training, by share of heads removed"), charts);
    m_chosen = new LineChart(tr("Score by share of heads removed, for the chosen checkpoints"), charts);
    m_spreads = new LineChart(tr("Mean distance of the heads of a layer, over training"), charts);
    for (LineChart *chart : {m_shares, m_chosen, m_spreads}) {
        chart->setMinimumHeight(13 * fontMetrics().height()); // with a legend of a few rows
        charts->addWidget(chart);
    }
    charts->setChildrenCollapsible(false);
    return charts;
}

/// The grid of heads, and the time that it is of.
QWidget *DynamicsPage::makeTime()
{
    auto *time = new QWidget(this);
    m_measure = new QComboBox(time);
    m_measure->setAccessibleName(tr("Measure of the heads"));
    m_measure->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    m_time = new TimeBar(tr("Checkpoint"), kPlayStepMs, time);
    m_grid = new ReadOnlyGrid(tr("Heads at the checkpoint"), time);
    m_grid->setMinimumHeight(11 * fontMetrics().height()); // with its legend
    auto *row = new QHBoxLayout;
    row->addWidget(m_measure);
    row->addWidget(m_time, 1);
    auto *layout = new QVBoxLayout(time);
    layout->setContentsMargins({});
    layout->addWidget(m_grid, 1);
    layout->addLayout(row);
    return time;
}

QWidget *DynamicsPage::makeSide()
{
    auto *side = new QWidget(this);
    auto *run = new QGroupBox(tr("Training run"), side);
    m_runs = new FileEdit(tr("Folder with the checkpoints"), QString(), run);
    m_runs->setFolders(true);
    m_runs->setHint(tr("Folder with epoch-001, checkpoint-500 …"));
    m_curvesOnly = new QCheckBox(tr("C&urves only"), run);
    m_curvesOnly->setToolTip(tr("Skip ablation and confidence, which take longer than the rest together"));
    m_roles = new QCheckBox(tr("&Roles of heads"), run);
    m_roles->setToolTip(tr("Roles of heads at each checkpoint: letters in the grid"));
    m_spread = new QCheckBox(tr("&Spread of heads"), run);
    m_spread->setToolTip(tr("Mean distance of the heads of a layer at each checkpoint: a chart beside the curves"));
    m_other = new QCheckBox(tr("Order from the &other data set"), run);
    m_other->setToolTip(tr("Importance is estimated on one data set, and curves are measured on the other"));
    auto *inside = new QVBoxLayout(run);
    addWidgets(*inside, {m_runs, m_curvesOnly, m_roles, m_spread, m_other});
    m_compute = new QPushButton(tr("&Compute"), side);
    m_note = makeNote(side);
    m_error = new ErrorLabel(side);
    auto *chosen = new QGroupBox(tr("Checkpoints side by side"), side);
    m_list = new QListWidget(chosen);
    m_list->setAccessibleName(tr("Checkpoints that are compared"));
    (new QVBoxLayout(chosen))->addWidget(m_list);
    auto *layout = new QVBoxLayout(side);
    layout->setContentsMargins({});
    addWidgets(*layout, {run, m_compute, m_note, m_error});
    layout->addWidget(chosen, 1);
    return makeFoldingSettings(side, tr("Run and checkpoints"), u"dynamicsSide"_s, this);
}

void DynamicsPage::connectAll()
{
    follow(&m_state, &StudyState::modelChanged, &DynamicsPage::refreshNow);
    follow(&m_state, &StudyState::dataChanged, &DynamicsPage::refreshNow);
    followResults(ResultKind::Dynamics, &DynamicsPage::refreshResult);
    follow(&m_state, &StudyState::staleChanged, &DynamicsPage::refreshTexts);
    follow(&m_state, &StudyState::errorChanged, &DynamicsPage::refreshTexts);
    for (const auto signal : {&JobQueue::jobAdded, &JobQueue::jobFinished})
        follow(&m_controller.queue(), signal, &DynamicsPage::refreshTexts);
    connect(m_runs, &FileEdit::edited, this, &DynamicsPage::refreshTexts);
    followDomainSwitch(*m_domain, m_state);
    follow(&m_state, &StudyState::domainViewChanged, &DynamicsPage::refreshNow);
    connect(m_measure, &QComboBox::currentIndexChanged, this, &DynamicsPage::refreshMeasure);
    connect(m_time, &TimeBar::momentChanged, this, &DynamicsPage::refreshCheckpoint);
    connect(m_list, &QListWidget::itemChanged, this, [this] {
        m_isDefault = false;
        refreshChosen();
    });
    connect(m_compute, &QPushButton::clicked, this, [this] { compute(); });
    connect(m_analysis, &QAction::triggered, this, [this] { compute(); });
    connect(m_shares, &LineChart::chosen, this, [this](double place) {
        for (std::size_t i = 0; i < m_result->checkpoints.size(); ++i) {
            if (std::abs(checkpointPlace(*m_result, i) - place) < 1e-9)
                m_time->setMoment(static_cast<int>(i));
        }
    });
}

DynamicsSpec DynamicsPage::spec() const
{
    DynamicsSpec spec;
    spec.run = m_controller.runOptions();
    spec.runs = m_runs->path().toStdString();
    spec.curvesOnly = m_curvesOnly->isChecked();
    spec.roles = m_roles->isChecked();
    spec.spread = m_spread->isChecked();
    spec.orderOnOther = !m_other->isHidden() && m_other->isChecked();
    return spec;
}

void DynamicsPage::compute()
{
    bringUpToDate(); // the menu computes without the page being seen
    if (whyNot().isEmpty())
        m_controller.start(measured(), spec());
}

Domain DynamicsPage::measured() const
{
    return m_state.shownDomain();
}

DynamicsMeasure DynamicsPage::measure() const
{
    return static_cast<DynamicsMeasure>(m_measure->currentData().toInt());
}

std::size_t DynamicsPage::checkpoint() const
{
    return static_cast<std::size_t>(m_time->moment());
}

std::vector<std::size_t> DynamicsPage::chosenCheckpoints() const
{
    std::vector<std::size_t> chosen;
    for (int row = 0; row < m_list->count(); ++row) {
        if (m_list->item(row)->checkState() == Qt::Checked)
            chosen.push_back(static_cast<std::size_t>(row));
    }
    return chosen;
}

void DynamicsPage::refreshNow()
{
    showDomainChoice(*m_domain, m_state);
    m_other->setVisible(m_state.data(Domain::In) && m_state.data(Domain::Out));
    // An epoch's folder lies in that of its run.
    if (m_runs->path().isEmpty() && m_state.model())
        m_runs->setStartFolder(QString::fromStdString(m_state.model()->folder.parent_path().string()));
    refreshResult();
}

void DynamicsPage::refreshResult()
{
    m_result = m_state.results(measured()).dynamics;
    {
        const QSignalBlocker measureBlocker(m_measure);
        const QVariant now = m_measure->currentData();
        m_measure->clear();
        for (const DynamicsMeasure one :
             hasCheckpoints() ? dynamicsMeasures(*m_result) : std::vector<DynamicsMeasure>())
            m_measure->addItem(dynamicsMeasureName(one), static_cast<int>(one));
        m_measure->setCurrentIndex(std::max(0, m_measure->findData(now)));
        m_time->setCount(hasCheckpoints() ? static_cast<int>(m_result->checkpoints.size()) : 0);
    }
    if (hasCheckpoints() && m_runs->path().isEmpty()) // of a study that was opened again
        m_runs->setPath(runsOf(*m_result, m_state.model() ? m_state.model()->folder : std::filesystem::path()));
    m_shares->setSeries(hasCheckpoints() ? makeShareSeries(*m_result) : LineSeries());
    m_spreads->setSeries(hasCheckpoints() ? makeSpreadSeries(*m_result) : LineSeries());
    m_spreads->setVisible(!m_spreads->series().empty());
    refreshList();
    refreshChosen();
    refreshMeasure();
    refreshTexts();
}

/// The user's choice stays while further checkpoints arrive.
void DynamicsPage::refreshList()
{
    const QSignalBlocker blocker(m_list);
    const int count = hasCheckpoints() ? static_cast<int>(m_result->checkpoints.size()) : 0;
    m_isDefault = m_isDefault || count < m_list->count(); // another run
    const auto defaults = [&] { return hasCheckpoints() ? defaultCheckpoints(*m_result) : std::vector<std::size_t>(); };
    const std::vector<std::size_t> checked = m_isDefault ? defaults() : chosenCheckpoints();
    m_list->clear();
    for (int row = 0; row < count; ++row) {
        auto *item = new QListWidgetItem(checkpointText(m_result->checkpoints[static_cast<std::size_t>(row)]), m_list);
        item->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsUserCheckable);
        const bool isChecked = std::ranges::find(checked, static_cast<std::size_t>(row)) != checked.end();
        item->setCheckState(isChecked ? Qt::Checked : Qt::Unchecked);
    }
}

void DynamicsPage::refreshChosen()
{
    m_chosen->setSeries(hasCheckpoints() ? makeCheckpointSeries(*m_result, chosenCheckpoints()) : LineSeries());
}

/// Measure of the heads has one scale over all checkpoints.
void DynamicsPage::refreshMeasure()
{
    if (hasCheckpoints())
        m_grid->setScale(dynamicsScale(m_state.layout(), *m_result, measure()));
    refreshCheckpoint();
}

void DynamicsPage::refreshCheckpoint()
{
    for (QWidget *widget : std::initializer_list<QWidget *>{m_measure, m_time, m_grid})
        widget->setEnabled(hasCheckpoints());
    if (!hasCheckpoints()) {
        m_grid->setContent({});
        m_time->setText({});
        return m_shares->setCursor(std::nullopt);
    }
    const DynamicsCheckpoint &shown = m_result->checkpoints[checkpoint()];
    const QString metric = QString::fromStdString(m_result->metric);
    m_grid->setContent(dynamicsContent(m_state.layout(), *m_result, checkpoint(), measure()));
    m_grid->setMask(shown.closed);
    const QString text = tr("%1: %2 %3").arg(checkpointText(shown), metric, metricFormat(metric).score(shown.score));
    const QString at = shown.closed.empty()
                         ? text
                         : tr("%1, %n head(s) closed", nullptr, static_cast<int>(shown.closed.size())).arg(text);
    m_time->setText(at);
    m_grid->setAccessibleDescription(tr("%1, %2").arg(m_measure->currentText(), at));
    m_shares->setCursor(checkpointPlace(*m_result, checkpoint()), checkpointText(shown));
}

QString DynamicsPage::whyNot() const
{
    if (const QString why = m_controller.whyNotReady(); !why.isEmpty())
        return why;
    if (!m_state.data(measured()) || !m_state.data(measured())->references)
        return tr("Gradients and scores need data with references or labels.");
    if (m_runs->path().isEmpty())
        return tr("Choose the folder of a training run.");
    return {};
}

QString DynamicsPage::whyEmpty() const
{
    if (!m_state.model())
        return tr("No model is open. Open a checkpoint of a training run to follow its heads.");
    if (!m_state.data(Domain::In) && !m_state.data(Domain::Out))
        return tr("No data set is open. Choose one, then press Compute.");
    if (m_controller.isComputing(ResultKind::Dynamics))
        return tr("Computing, one checkpoint after the other.");
    return tr(
        "Nothing has been computed yet. Choose the folder with the checkpoints of a training run, and press Compute.");
}

QString DynamicsPage::summary() const
{
    if (!hasCheckpoints())
        return {};
    const QString stale = staleText(m_state, measured(), m_result->manifest);
    const QString text
        = tr("Checkpoints: %1. Examples: %2 of %3. The order is by the importance of each checkpoint on %4.")
              .arg(countText(static_cast<std::int64_t>(m_result->checkpoints.size())), countText(m_result->examples),
                   QString::fromStdString(m_result->manifest.data), QString::fromStdString(m_result->orderData));
    return stale.isEmpty() ? text : stale + u' ' + text;
}

void DynamicsPage::refreshTexts()
{
    m_title->setText(tr("<b>Heads over training</b>, %1").arg(domainName(measured())));
    m_summary->setText(summary());
    m_shares->setEmptyText(hasCheckpoints() ? tr("The full model scores 0 at every checkpoint.") : whyEmpty());
    m_chosen->setEmptyText(hasCheckpoints() ? tr("Choose checkpoints in the list.") : QString());
    const QString why = whyNot();
    showNote(*m_note, why);
    m_error->setError(m_controller.works().errorOn(info().id));
    m_compute->setEnabled(why.isEmpty());
    m_compute->setToolTip(why.isEmpty() ? tr("Results are kept in the run's folder and are not computed again") : why);
}

QList<ExportItem> DynamicsPage::makeExportItems() const
{
    if (!hasCheckpoints())
        return {};
    QList<ExportItem> items;
    const auto add = [&](ExportItem item) {
        item.name = tr("%1, %2").arg(item.name, domainName(measured()));
        item.caption += u' ' + summary();
        item.manifestJson = manifestsText(m_state, {&m_result->manifest});
        items << item;
    };
    const auto addChart = [&](const LineChart &chart, const QString &name, const QString &caption) {
        if (chart.series().empty())
            return;
        ExportItem item = lineItem(name, caption, chart.series());
        item.csv = [result = m_result] { return toCsv(*result); };
        add(std::move(item));
    };
    addChart(*m_shares, tr("Score over training"),
             tr("Score as a share of the same checkpoint's full model, over checkpoints, a line for every share of "
                "heads removed (Michel et al. 2019, Figure 5)."));
    addChart(*m_chosen, tr("Pruning at checkpoints"),
             tr("Score as a share of the same checkpoint's full model, over the share of heads removed."));
    addChart(
        *m_spreads, tr("Spread of heads over training"),
        tr("Mean distance of the heads of a layer (root of the Jensen–Shannon divergence), over checkpoints, a line "
           "for every layer."));
    const GridPicture picture = m_grid->picture();
    add(gridItem(tr("Heads at %1").arg(checkpointText(m_result->checkpoints[checkpoint()])),
                 gridCaption(picture.content) + u'.', picture));
    return items;
}

} // namespace headscope

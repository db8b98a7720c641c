#include "ui/pages/training/experimentview.h"

#include "ui/charts/chartexport.h"
#include "ui/views/errorlabel.h"
#include "ui/views/linechart.h"
#include "ui/views/pageparts.h"

#include <QComboBox>
#include <QDir>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSplitter>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <utility>

namespace headscope {

namespace {
bool hasBefore(const std::shared_ptr<const TrainingReport> &report)
{
    return report && report->before;
}
} // namespace

ExperimentView::ExperimentView(StudyState &state, JobQueue &queue, std::function<TrainingConfig()> form,
                               QWidget *parent)
    : QWidget(parent), m_state(state), m_form(std::move(form)), m_experiment(queue)
{
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 6, 0, 0);
    layout->addLayout(makeChoices());
    m_reason = makeNote(this);
    m_error = new ErrorLabel(this);
    addWidgets(*layout, {m_reason, m_error});
    layout->addWidget(makeResults(), 1);
    connectAll();
    m_values->setText(usualValues(varied(), m_form()));
    refresh();
}

QLayout *ExperimentView::makeChoices()
{
    m_varied = new QComboBox(this);
    m_varied->setAccessibleName(tr("What is varied"));
    addChoice(*m_varied, tr("numbers of heads"),
              tr("Models of equal width with more or fewer heads (Vaswani et al. 2017, Table 3 A)"));
    addChoice(*m_varied, tr("how heads begin"),
              tr("The heads of a layer begin differently, with the same queries, keys and values, or with all of their "
                 "parameters equal"));
    addChoice(
        *m_varied, tr("shared projections"),
        tr("Columns of query and key projections, which heads share or divide among them (Cordonnier et al. 2020): new "
           "models, or the starting model factorized, scored, and trained further"));
    addChoice(
        *m_varied, tr("pruned or from scratch"),
        tr("The starting model without the masked heads, and one of the same shape trained from scratch (Voita et al. "
           "2019, Table 2)"));
    addChoice(*m_varied, tr("weight of the penalty"),
              tr("The weight λ of the penalty of L0 gates: how many heads are left (Voita et al. 2019, Figure 7)"));
    m_values = new QLineEdit(this);
    m_values->setAccessibleName(tr("Values to try"));
    m_values->setToolTip(tr("Values to try, separated by commas: a run for each"));
    m_start = new QPushButton(tr("Start e&xperiment"), this);
    m_stop = new QPushButton(tr("Stop experiment"), this);
    m_stop->setToolTip(tr("Saves the run first: Start goes on with it"));
    auto *row = new QHBoxLayout;
    row->addWidget(m_varied);
    row->addWidget(m_values, 1);
    addWidgets(*row, {m_start, m_stop});
    return row;
}

QWidget *ExperimentView::makeResults()
{
    m_chart = new LineChart(tr("Scores of the experiment's runs"), this);
    m_chart->setEmptyText(
        tr("An experiment trains several models that differ in one thing; everything else is as the form "
           "says. Each run is a folder in the form's folder."));
    m_spread = new LineChart(tr("Distance of heads over updates"), this);
    m_spread->hide();
    m_table = new QTableView(this);
    m_table->setModel(&m_model);
    m_table->setAccessibleName(tr("Runs of the experiment"));
    setUpRowTable(*m_table);
    m_table->setToolTip(tr("A double click opens the best epoch of a run in this window"));
    auto *split = new QSplitter(Qt::Vertical, this);
    auto *charts = new QSplitter(this);
    charts->setChildrenCollapsible(false);
    charts->addWidget(m_chart);
    charts->addWidget(m_spread);
    split->addWidget(charts);
    split->addWidget(m_table);
    setShares(*split, {3, 2});
    return split;
}

void ExperimentView::connectAll()
{
    connect(m_varied, &QComboBox::currentIndexChanged, this, [this] {
        m_values->setText(usualValues(varied(), m_form()));
        lookAgain();
    });
    connect(m_values, &QLineEdit::textChanged, this, &ExperimentView::lookAgain);
    connect(m_start, &QPushButton::clicked, this, [this] {
        if (auto runs = wanted(); runs.isOk())
            m_experiment.start(std::move(runs).value());
    });
    connect(m_stop, &QPushButton::clicked, &m_experiment, &ExperimentController::stop);
    connect(&m_experiment, &ExperimentController::changed, this, &ExperimentView::refresh);
    connect(&m_state, &StudyState::maskChanged, this, &ExperimentView::lookAgain);
    connect(m_table, &QTableView::activated, this, [this](const QModelIndex &index) {
        if (const QString folder = index.data(ExperimentModel::kFolderRole).toString(); !folder.isEmpty())
            Q_EMIT openRequested(folder);
    });
}

Varied ExperimentView::varied() const
{
    return static_cast<Varied>(std::max(0, m_varied->currentIndex()));
}

/// What is varied, below the chart's axis.
QString ExperimentView::numberName() const
{
    switch (varied()) {
    case Varied::Heads:
        return tr("heads in each layer");
    case Varied::SharedWidth:
        return tr("columns of query and key projections");
    case Varied::Lambda:
        return tr("weight λ of the penalty");
    default:
        return {};
    }
}

bool ExperimentView::hasBegun() const
{
    return m_experiment.isRunning()
        || std::ranges::any_of(m_experiment.reports(), [](const auto &report) { return report != nullptr; });
}

void ExperimentView::setVaried(Varied varied)
{
    m_varied->setCurrentIndex(static_cast<int>(varied));
}

Result<std::vector<ExperimentRun>> ExperimentView::wanted() const
{
    return experimentRuns(varied(), m_form(), m_values->text(), m_state.mask());
}

void ExperimentView::refreshForm(const QString &problem)
{
    m_problem = problem;
    lookAgain();
}

/// Runs that are on disk already are shown with what they came to.
void ExperimentView::lookAgain()
{
    if (m_experiment.isRunning() || !isVisible())
        return refresh();
    auto runs = wanted();
    const bool known = runs.isOk() && !m_form().output.empty();
    m_experiment.look(known ? std::move(runs).value() : std::vector<ExperimentRun>());
    refresh();
}

void ExperimentView::showEvent(QShowEvent *event)
{
    QWidget::showEvent(event);
    lookAgain();
}

void ExperimentView::refresh()
{
    const bool running = m_experiment.isRunning();
    QString why = m_problem;
    if (const auto runs = wanted(); why.isEmpty() && runs.isError())
        why = QString::fromStdString(runs.error().message);
    for (QWidget *widget : {static_cast<QWidget *>(m_varied), static_cast<QWidget *>(m_values)})
        widget->setEnabled(!running);
    m_values->setVisible(hasValues(varied()));
    m_start->setEnabled(!running && why.isEmpty());
    m_start->setToolTip(why.isEmpty()
                            ? tr("Trains the runs one after the other; what is finished is read, what was stopped "
                                 "goes on")
                            : why);
    m_stop->setEnabled(running && !m_experiment.isStopping());
    showNote(*m_reason, running ? QString() : why);
    m_error->setError(m_experiment.error());
    m_model.setRuns(m_experiment.runs(), m_experiment.reports(), running);
    m_chart->setSeries(makeExperimentSeries(m_experiment.runs(), m_experiment.reports(), numberName()));
    m_spread->setSeries(varied() == Varied::Beginning ? makeSpreadSeries(m_experiment.runs(), m_experiment.reports())
                                                      : LineSeries());
    m_spread->setVisible(!m_spread->series().empty());
    m_table->setColumnHidden(ExperimentModel::BeforeColumn, !std::ranges::any_of(m_experiment.reports(), hasBefore));
    Q_EMIT changed();
}

QList<ExportItem> ExperimentView::exportItems() const
{
    if (m_chart->series().empty())
        return {};
    const TrainingConfig form = m_form();
    const QString folder = QDir(QString::fromStdString(form.output.string())).dirName();
    const auto item
        = [&](const QString &name, const QString &caption, const LineChart &chart, std::function<std::string()> csv) {
              ExportItem made = lineItem(name, caption, chart.series());
              made.csv = std::move(csv);
              made.manifestJson = trainingConfigText(form);
              return made;
          };
    const auto runs = m_experiment.runs();
    const auto reports = m_experiment.reports();
    QList<ExportItem> items{item(tr("Experiment, %1").arg(folder),
                                 tr("Scores of runs that differ in one thing: %1.").arg(m_varied->currentText()),
                                 *m_chart, [runs, reports] { return experimentCsv(runs, reports); })};
    if (!m_spread->series().empty())
        items << item(tr("Distance of heads over updates, %1").arg(folder),
                      tr("How far the weights of a layer’s heads are from their mean, by their norm: 0 where heads are "
                         "equal. Mean over layers."),
                      *m_spread, [runs, reports] { return spreadCsv(runs, reports); });
    return items;
}

} // namespace headscope

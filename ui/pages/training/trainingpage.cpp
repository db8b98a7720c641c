#include "ui/pages/training/trainingpage.h"

#include "ui/charts/chartexport.h"
#include "ui/models/numbertext.h"
#include "ui/models/plaintip.h"
#include "ui/pages/training/experimentview.h"
#include "ui/pages/training/gateview.h"
#include "ui/pages/training/trainingchart.h"
#include "ui/pages/training/trainingsettings.h"
#include "ui/pages/training/trainingtext.h"
#include "ui/views/errorlabel.h"
#include "ui/views/gridexport.h"
#include "ui/views/linechart.h"
#include "ui/views/pageparts.h"
#include "ui/views/plainlabel.h"
#include "ui/views/readonlygrid.h"

#include <QDir>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QJsonObject>
#include <QLabel>
#include <QLineEdit>
#include <QLocale>
#include <QPushButton>
#include <QSaveFile>
#include <QSplitter>
#include <QTabWidget>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>
#include <optional>

using namespace Qt::StringLiterals;

namespace headscope {

namespace {
constexpr int kLookDelayMs = 300;

/// "Training: no output folder." → "No output folder."
QString sentence(const std::string &message)
{
    QString text = QString::fromStdString(message);
    if (text.startsWith("Training: "_L1))
        text.remove(0, 10);
    if (!text.isEmpty())
        text[0] = text[0].toUpper();
    return text;
}

QString toQt(const std::filesystem::path &path)
{
    return QString::fromStdString(path.string());
}

bool hasEnded(const TrainingReport &report)
{
    return report.state == TrainingState::Finished || report.state == TrainingState::StoppedEarly;
}
} // namespace

TrainingPage::TrainingPage(StudyState &state, StudyController &controller, QWidget *parent)
    : Page(state, controller, parent), m_training(controller.queue()),
      m_settings(new TrainingSettings(controller.queue()))
{
    m_lookTimer.setSingleShot(true);
    m_lookTimer.setInterval(kLookDelayMs);
    setupUi();
    connectAll();
}

PageInfo TrainingPage::info()
{
    return {.id = u"training"_s, .title = tr("&Training"), .needsModel = false, .docksAside = true};
}

bool TrainingPage::isOwn(const QString &path) const
{
    return QFileInfo(path).isDir() && isTrainingRun(path);
}

void TrainingPage::refreshNow()
{
    m_settings->setOpenModel(m_state.model() ? std::optional(*m_state.model()) : std::nullopt, openData());
    refreshReport();
    showRunOfModel();
}

/// What is measured in this window, as data to validate on.
DataSource TrainingPage::openData() const
{
    const auto &data = m_state.data(Domain::In);
    return data ? data->origin : DataSource();
}

void TrainingPage::setupUi()
{
    auto *layout = new QHBoxLayout(this);
    layout->setContentsMargins(pageMargins());
    layout->setSpacing(14);
    layout->addWidget(makeSide());
    layout->addLayout(makeMain(), 1);
}

QWidget *TrainingPage::makeSide()
{
    auto *side = new QWidget(this);
    side->setFixedWidth(std::max(340, m_settings->minimumSizeHint().width()));
    m_start = new QPushButton(tr("&Start"), side);
    m_stop = new QPushButton(tr("S&top"), side);
    m_stop->setToolTip(tr("Saves the run first, so that it can be resumed"));
    m_reason = makeSelectableText(side);
    reserveLines(*m_reason, 2);
    auto *buttons = new QHBoxLayout;
    buttons->addWidget(m_start, 1);
    buttons->addWidget(m_stop, 1);
    auto *layout = new QVBoxLayout(side);
    layout->setContentsMargins({});
    layout->addWidget(makeFiles());
    layout->addWidget(m_settings, 1);
    layout->addWidget(m_reason);
    layout->addLayout(buttons);
    return side;
}

QWidget *TrainingPage::makeFiles()
{
    auto *files = new QWidget(this);
    auto *layout = new QHBoxLayout(files);
    layout->setContentsMargins({});
    layout->setSpacing(6);
    const auto add = [&](const QString &text, const QString &toolTip, void (TrainingPage::*slot)()) {
        auto *button = new QPushButton(text, files);
        button->setToolTip(toolTip);
        connect(button, &QPushButton::clicked, this, slot);
        layout->addWidget(button, 1);
        return button;
    };
    m_whenIdle << add(tr("Open ru&n…"), tr("Shows a run that is on disk, finished or not"), &TrainingPage::chooseRun);
    m_whenIdle << add(tr("L&oad…"), tr("Fills the form from a configuration file"), &TrainingPage::chooseConfig);
    add(tr("Sa&ve…"), tr("Writes the form to a configuration file, as headscope-cli train reads it"),
        &TrainingPage::chooseWhereToSave);
    return files;
}

QLayout *TrainingPage::makeMain()
{
    m_status = new QLabel(this);
    m_status->setTextFormat(Qt::RichText);
    m_detail = new PlainLabel(this);
    m_warnings = new PlainLabel(this);
    for (QLabel *label : {m_status, m_detail, m_warnings}) {
        label->setWordWrap(true);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    }
    m_detail->setForegroundRole(QPalette::PlaceholderText);
    for (QLabel *label : {m_status, m_detail}) // their lines are there before a run, so that the chart stays in place
        reserveLines(*label, 1);
    m_error = new ErrorLabel(this);
    QWidget *run = makeRun();
    auto *layout = new QVBoxLayout;
    layout->setSpacing(4);
    addWidgets(*layout, {m_status, m_detail, m_warnings, m_error});
    m_experiment = new ExperimentView(
        m_state, m_controller.queue(), [this] { return m_settings->config(); }, this);
    m_tabs = new QTabWidget(this);
    m_tabs->setDocumentMode(true);
    m_tabs->addTab(run, tr("Run"));
    addTab(*m_tabs, m_experiment, tr("Experiment"),
           tr("Several runs that differ in one thing: numbers of heads, shared projections, penalties"));
    layout->addWidget(m_tabs, 1);
    return layout;
}

/// Its curves, its gates and its epochs.
QWidget *TrainingPage::makeRun()
{
    m_chart = new TrainingChart(this);
    m_chart->setEmptyText(
        tr("Choose two parallel text files for a translation model, or a table of labelled texts for a "
           "classifier, and a folder; then press Start. Or start from a trained model, with data of its kind.\n"
           "Every epoch becomes a model folder that you can open and study here; a stopped run can be resumed."));
    auto *split = new QSplitter(Qt::Vertical, this);
    m_gates = new GateView(m_state, this);
    split->addWidget(m_chart);
    split->addWidget(m_gates);
    split->addWidget(makeTable());
    setShares(*split, {3, 2, 1});
    return split;
}

QWidget *TrainingPage::makeTable()
{
    auto *holder = new QWidget(this);
    m_table = new QTableView(holder);
    m_table->setModel(&m_epochs);
    m_table->setAccessibleName(tr("Epochs of the run"));
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_table->setTabKeyNavigation(false);
    m_table->setAlternatingRowColors(true);
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 6);
    m_table->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    m_table->horizontalHeader()->setHighlightSections(false);
    m_table->horizontalHeader()->setStretchLastSection(true);
    m_table->setMinimumHeight(5 * (fontMetrics().height() + 6));
    m_open = new QPushButton(tr("Open t&his epoch"), holder);
    m_open->setToolTip(tr("Opens the epoch's model in this window, to study its heads"));
    auto *row = new QHBoxLayout;
    row->addStretch(1);
    row->addWidget(m_open);
    auto *layout = new QVBoxLayout(holder);
    layout->setContentsMargins({});
    layout->setSpacing(4);
    layout->addWidget(m_table, 1);
    layout->addLayout(row);
    return holder;
}

void TrainingPage::connectAll()
{
    connect(m_settings, &TrainingSettings::changed, this, &TrainingPage::onFormChanged);
    connect(m_experiment, &ExperimentView::openRequested, this, &TrainingPage::modelRequested);
    connect(m_experiment, &ExperimentView::changed, this, &TrainingPage::exportableChanged);
    connect(&m_lookTimer, &QTimer::timeout, this, [this] { m_training.look(folderShown()); });
    follow(&m_state, &StudyState::modelChanged, &TrainingPage::refreshNow);
    follow(&m_state, &StudyState::dataChanged, &TrainingPage::refreshNow);
    connect(&m_training, &TrainingController::sweepChanged, this, [this] { m_gates->setSweep(m_training.sweep()); });
    connect(&m_state, &StudyState::maskChanged, m_gates, &GateView::refreshApply);
    connect(m_start, &QPushButton::clicked, this, &TrainingPage::start);
    connect(m_stop, &QPushButton::clicked, &m_training, &TrainingController::stop);
    follow(&m_training, &TrainingController::reportChanged, &TrainingPage::refreshReport);
    connect(&m_training, &TrainingController::reportChanged, this, &TrainingPage::exportableChanged);
    follow(&m_training, &TrainingController::stateChanged, &TrainingPage::refreshState);
    connect(&m_training, &TrainingController::runOpened, m_settings, &TrainingSettings::setConfig);
    connect(m_table, &QTableView::activated, this, &TrainingPage::openEpoch);
    connect(m_open, &QPushButton::clicked, this, &TrainingPage::openEpoch);
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this, &TrainingPage::onRowChosen);
    connect(&m_epochs, &QAbstractItemModel::modelReset, this, [this] {
        onRowChosen();
        // Once the rows are laid out.
        QTimer::singleShot(0, m_table, [this] {
            if (!m_training.isRunning())
                m_table->scrollTo(m_epochs.index(m_epochs.bestRow(), 0), QAbstractItemView::PositionAtCenter);
        });
    });
    connect(m_chart, &TrainingChart::epochChosen, this, [this](int epoch) {
        m_table->setCurrentIndex(m_epochs.index(std::clamp(epoch, 1, std::max(m_epochs.rowCount(), 1)) - 1, 0));
    });
    connect(&m_epochs, &QAbstractItemModel::rowsInserted, this, [this] {
        if (!m_table->currentIndex().isValid())
            m_table->scrollToBottom();
    });
    connect(&m_state, &StudyState::modelChanged, this, [this] { m_epochAsked = false; });
    follow(&m_state, &StudyState::errorChanged, &TrainingPage::refreshMessages);
}

QString TrainingPage::folderShown() const
{
    return toQt(m_settings->config().output);
}

void TrainingPage::onFormChanged()
{
    m_fileError.clear();
    m_experiment->refreshForm(reason());
    // The curves are those of the run in the form's folder.
    const auto &report = m_training.report();
    if (!m_training.isRunning() && toQt(report ? report->folder : std::filesystem::path()) != folderShown())
        m_lookTimer.start();
    else
        m_lookTimer.stop();
    refreshState();
}

QString TrainingPage::reason() const
{
    if (m_training.isRunning())
        return {};
    const QString problem = m_settings->problem();
    if (!problem.isEmpty())
        return problem;
    const Result<Done> checked = checkTrainingConfig(m_settings->config());
    return checked.isError() ? sentence(checked.error().message) : QString();
}

void TrainingPage::start()
{
    if (!m_start->isEnabled())
        return;
    m_lookTimer.stop();
    m_training.start(m_settings->config());
}

void TrainingPage::showReport(const TrainingReport &report)
{
    m_training.showReport(report);
}

void TrainingPage::openPath(const QString &folder)
{
    if (!m_training.isRunning())
        m_training.openRun(QFileInfo(folder).absoluteFilePath());
}

void TrainingPage::showRunOfModel()
{
    const auto &model = m_state.model();
    if (!model || m_training.report() || m_training.isRunning() || !m_settings->config().output.empty())
        return;
    const QString run = QString::fromStdString(model->folder.parent_path().string());
    if (isTrainingRun(run))
        m_training.look(run);
}

void TrainingPage::refreshReport()
{
    const auto &report = m_training.report();
    const TrainingConfig config = m_settings->config();
    TrainingPlan plan{static_cast<double>(config.epochs), isGiven(config.validation)};
    if (report && hasEnded(*report) && !m_training.isRunning())
        plan.epochs = 0; // what is there fills the axis
    m_chart->setSeries(report ? makeTrainingSeries(*report, plan) : TrainingSeries());
    m_gates->setReport(report, m_training.config().gates.method);
    m_epochs.setReport(report);
    refreshState();
}

void TrainingPage::refreshState()
{
    const bool running = m_training.isRunning();
    const QString why = reason();
    m_settings->setLocked(running);
    for (QWidget *widget : m_whenIdle)
        widget->setEnabled(!running);
    const auto &report = m_training.report();
    const bool resume = m_training.isUnfinished() && report->folder == m_settings->config().output;
    m_start->setText(resume ? tr("Re&sume") : tr("&Start"));
    m_start->setEnabled(!running && why.isEmpty());
    m_start->setToolTip(running ? tr("A training is running") : why);
    m_stop->setEnabled(running && !m_training.isStopping());
    m_reason->setText(running          ? tr("The settings are those of the running training.")
                      : !why.isEmpty() ? why
                      : resume         ? tr("Resume continues from the last saved state.")
                                       : QString());
    m_status->setText(statusText());
    m_detail->setText(report ? trainingDetailText(*report) : QString());
    refreshMessages();
    onRowChosen();
}

void TrainingPage::refreshMessages()
{
    const auto &report = m_training.report();
    QStringList warnings;
    for (const std::string &warning : report ? report->warnings : std::vector<std::string>())
        warnings << u"⚠ "_s + QString::fromStdString(warning);
    m_warnings->setText(warnings.join(u'\n'));
    m_warnings->setVisible(!warnings.isEmpty());
    QStringList errors{m_fileError, m_training.error()};
    if (m_epochAsked)
        errors << m_state.error(ErrorPlace::Model);
    errors.removeAll(QString());
    m_error->setError(errors.join(u'\n'));
}

QString TrainingPage::statusText() const
{
    return trainingStatusText(m_training, m_settings->config());
}

void TrainingPage::onRowChosen()
{
    const QModelIndex row = m_table->currentIndex();
    const QString folder = row.data(EpochModel::FolderRole).toString();
    const auto &report = m_training.report();
    std::optional<double> epoch;
    if (row.isValid() && report && row.row() < std::ssize(report->epochs))
        epoch = static_cast<double>(report->epochs[static_cast<std::size_t>(row.row())].epoch);
    m_chart->setCurrentEpoch(epoch);
    m_open->setEnabled(!folder.isEmpty());
    m_open->setToolTip(folder.isEmpty()
                           ? tr("Choose an epoch in the table first")
                           : plainTip(tr("Opens %1 in this window").arg(QDir::toNativeSeparators(folder))));
}

void TrainingPage::openEpoch()
{
    const QString folder = m_table->currentIndex().data(EpochModel::FolderRole).toString();
    if (folder.isEmpty())
        return;
    m_epochAsked = true;
    Q_EMIT modelRequested(folder);
}

QJsonObject TrainingPage::arrangement() const
{
    if (!m_experiment->hasBegun())
        return {};
    return {{u"config"_s, QString::fromStdString(trainingConfigText(m_settings->config()))},
            {u"varied"_s, static_cast<int>(m_experiment->varied())},
            {u"values"_s, m_experiment->values().text()},
            {u"tab"_s, m_tabs->currentIndex()}};
}

void TrainingPage::setArrangement(const QJsonObject &arrangement)
{
    if (m_training.isRunning() || m_experiment->experiment().isRunning())
        return;
    const auto config = parseTrainingConfig(arrangement[u"config"_s].toString().toStdString(), {});
    if (!config.isOk()) // a study without an experiment
        return;
    m_settings->setConfig(config.value());
    m_experiment->setVaried(static_cast<Varied>(arrangement[u"varied"_s].toInt()));
    m_experiment->values().setText(arrangement[u"values"_s].toString());
    m_tabs->setCurrentIndex(arrangement[u"tab"_s].toInt());
}

void TrainingPage::chooseRun()
{
    const QString folder = QFileDialog::getExistingDirectory(this, tr("Open the folder of a run"), folderShown());
    if (!folder.isEmpty())
        openPath(folder);
}

void TrainingPage::chooseConfig()
{
    const QString file = QFileDialog::getOpenFileName(this, tr("Load configuration"), folderShown(),
                                                      tr("Configurations (*.json);;All files (*)"));
    if (!file.isEmpty())
        loadConfig(file);
}

void TrainingPage::loadConfig(const QString &file)
{
    const Result<TrainingConfig> config = readTrainingConfig(file.toStdString());
    if (config.isOk())
        m_settings->setConfig(config.value());
    m_fileError = config.isError() ? QString::fromStdString(config.error().message) : QString();
    refreshMessages();
}

void TrainingPage::chooseWhereToSave()
{
    const QString file = QFileDialog::getSaveFileName(this, tr("Save configuration"),
                                                      QDir(folderShown() + u"/.."_s).absoluteFilePath(u"train.json"_s),
                                                      tr("Configurations (*.json)"));
    if (!file.isEmpty())
        saveConfig(file);
}

void TrainingPage::saveConfig(const QString &file)
{
    QSaveFile target(file);
    const bool opened = target.open(QIODevice::WriteOnly);
    if (opened)
        target.write(QByteArray::fromStdString(trainingConfigText(m_settings->config())));
    const bool written = opened && target.commit();
    m_fileError = written ? QString() : tr("Cannot write %1: %2.").arg(file, target.errorString());
    refreshMessages();
}

/// Export items of runs with trained gates.
QList<ExportItem> TrainingPage::gateItems(const std::string &manifestJson) const
{
    if (m_gates->isHidden())
        return {};
    const QString run = QDir(toQt(m_training.report()->folder)).dirName();
    ExportItem chart = lineItem(
        tr("Open heads over updates, %1").arg(run),
        tr("Heads that are open, in per cent of those that have gates (sum of 1 − P(gate = 0)), and the score under the "
           "closed heads, in per cent of the best epoch’s, over updates."),
        m_gates->chart().series());
    chart.csv = [report = m_training.report()] { return trainingCsv(*report); };
    const GridPicture picture = m_gates->grid().picture();
    ExportItem grid
        = gridItem(tr("Gates of heads, %1").arg(run),
                   gridCaption(picture.content) + u". "_s + m_gates->grid().accessibleDescription() + u'.', picture);
    chart.manifestJson = grid.manifestJson = manifestJson;
    return QList<ExportItem>{chart, grid} + m_gates->figureItems(run, manifestJson);
}

QList<ExportItem> TrainingPage::makeExportItems() const
{
    TrainingPicture picture = m_chart->picture();
    const auto &report = m_training.report();
    if (!report || picture.series.empty())
        return m_experiment->exportItems();
    picture.palette = ViewPalette::light();
    picture.cursor.reset();
    ExportItem item;
    item.name = tr("Training curves, %1").arg(QDir(toQt(report->folder)).dirName());
    item.caption = tr("Loss in nats per target and score against epochs. Training: mean over updates, with "
                      "dropout, without label smoothing; validation: without dropout, at the end of each epoch.");
    if (picture.series.cutAbove)
        item.caption += u' ' + tr("The loss of the first updates is above the axis.");
    if (report->trainExamples > 0)
        item.caption += u' ' + tr("Trained on %Ln examples.", nullptr, static_cast<int>(report->trainExamples));
    item.size = QSizeF(860, 560);
    item.paint = [picture](QPainter &painter, const QRectF &rect) { paintTrainingChart(painter, rect, picture); };
    item.csv = [report] { return trainingCsv(*report); };
    item.manifestJson = trainingConfigText(m_training.config()); // the form may hold another run's
    return QList<ExportItem>{item} + gateItems(item.manifestJson) + m_experiment->exportItems();
}

} // namespace headscope

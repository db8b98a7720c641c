#include "ui/dialogs/clusterdialog.h"

#include "ui/models/plaintip.h"
#include "ui/views/errorlabel.h"
#include "ui/views/fileedit.h"
#include "ui/views/plainlabel.h"

#include <QClipboard>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QDir>
#include <QFontDatabase>
#include <QFormLayout>
#include <QGroupBox>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSettings>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QTreeWidget>
#include <QVBoxLayout>

#include <algorithm>
#include <cstddef>

namespace headscope {

namespace {

constexpr int kMostShards = 1000; // more than a cluster takes unless its administrator has raised MaxArraySize
constexpr int kMostThreads = 1024;
constexpr int kUsualShards = 8;
constexpr int kFolderRole = Qt::UserRole + 1;

QString settingsKey(const char *name)
{
    return QStringLiteral("cluster/") + QLatin1String(name);
}

QPlainTextEdit *textView(const QString &name, int lines, QWidget *parent)
{
    auto *view = new QPlainTextEdit(parent);
    view->setReadOnly(true);
    view->setTabChangesFocus(true);
    view->setAccessibleName(name);
    view->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    view->setMinimumHeight(lines * view->fontMetrics().lineSpacing() + 12);
    return view;
}

QString standText(const ClusterRun &run)
{
    const ClusterShards &shards = run.report.shards;
    switch (run.state) {
    case ClusterRun::State::Left:
        return ClusterDialog::tr("not watched");
    case ClusterRun::State::Watched:
        if (shards.of == 0)
            return ClusterDialog::tr("starting");
        if (shards.done == shards.of)
            return ClusterDialog::tr("all %1 shards done, computing the result").arg(shards.of);
        return ClusterDialog::tr("%1 of %2 shards done, %3 running, %4 waiting")
            .arg(shards.done)
            .arg(shards.of)
            .arg(shards.running)
            .arg(shards.waiting);
    case ClusterRun::State::Stopping:
        return ClusterDialog::tr("being cancelled");
    case ClusterRun::State::Cancelled:
        return ClusterDialog::tr("cancelled");
    case ClusterRun::State::Failed:
        return ClusterDialog::tr("failed");
    case ClusterRun::State::Done:
        return ClusterDialog::tr("done: the result is in the study");
    }
    return {};
}

} // namespace

ClusterDialog::ClusterDialog(StudyState &state, ClusterController &cluster, QWidget *parent)
    : QDialog(parent), m_state(state), m_cluster(cluster)
{
    setWindowTitle(tr("Run on a cluster"));
    auto *layout = new QVBoxLayout(this);
    auto *top = new QHBoxLayout;
    top->addWidget(makeSweeps(), 2);
    top->addWidget(makeCluster(), 3);
    layout->addLayout(top);
    auto *explanation = new PlainLabel(this);
    explanation->setText(tr("This command is run, without a shell, and its result is added to the study:"));
    layout->addWidget(explanation);
    m_command = textView(tr("Command"), 2, this);
    layout->addWidget(m_command, 1);
    m_problem = new ErrorLabel(this);
    layout->addWidget(m_problem);
    m_copy = new QPushButton(tr("Cop&y command"), this);
    m_start = new QPushButton(tr("&Run"), this);
    auto *line = new QHBoxLayout;
    line->addWidget(m_copy);
    line->addStretch();
    line->addWidget(m_start);
    layout->addLayout(line);
    layout->addWidget(makeRuns(), 2);
    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    layout->addWidget(buttons);
    for (QPushButton *button : findChildren<QPushButton *>())
        button->setAutoDefault(false);                     // Return in a field starts nothing
    resize(QSize(760, 540).expandedTo(minimumSizeHint())); // a small screen has room for it
    connectAll();
    fillSweeps();
    refreshRuns();
    m_sweeps->setFocus();
}

QWidget *ClusterDialog::makeSweeps()
{
    auto *group = new QGroupBox(tr("&Analysis"), this);
    m_sweeps = new QListWidget(group);
    m_sweeps->setAccessibleName(tr("Sweeps"));
    m_sweeps->setMinimumHeight(80);
    auto *layout = new QVBoxLayout(group);
    layout->addWidget(m_sweeps);
    return group;
}

QWidget *ClusterDialog::makeCluster()
{
    auto *group = new QGroupBox(tr("Cluster"), this);
    const QSettings settings;
    m_scheduler = new QComboBox(group);
    m_scheduler->addItem(tr("Slurm"));
    m_shards = new QSpinBox(group);
    m_shards->setRange(2, kMostShards);
    m_shards->setValue(settings.value(settingsKey("shards"), kUsualShards).toInt());
    m_shards->setToolTip(tr("Jobs that run at the same time if there is room. Each reads the model once:\n"
                            "more than one shard per five examples makes no sense."));
    m_threads = new QSpinBox(group);
    m_threads->setRange(0, kMostThreads);
    m_threads->setSpecialValueText(tr("as many as Slurm assigns"));
    m_threads->setValue(settings.value(settingsKey("threads"), 0).toInt());
    m_options = new QLineEdit(settings.value(settingsKey("options")).toString(), group);
    m_options->setPlaceholderText(tr("-p gpu -G 1 -c 4 -t 4:00:00"));
    m_options->setToolTip(tr("Of sbatch, with quotation marks as in a shell, which is not run"));
    m_folder = new FileEdit(tr("Folder"), {}, group);
    m_folder->setFolders(true);
    m_folder->setStartFolder(QDir::homePath());
    m_folder->setPath(settings.value(settingsKey("folder")).toString());
    m_folder->setToolTip(tr("Every sweep gets its own folder in it, with what is needed to resume:\n"
                            "shards, logs, scripts, the result."));
    auto *layout = new QFormLayout(group);
    layout->addRow(tr("Sche&duler:"), m_scheduler);
    layout->addRow(tr("&Shards:"), m_shards);
    layout->addRow(tr("&Threads of a shard:"), m_threads);
    layout->addRow(tr("&Options of sbatch:"), m_options);
    layout->addRow(tr("&Folder:"), m_folder);
    auto *note = new PlainLabel(group);
    note->setText(tr("All nodes must see this folder, the model, the data and Headscope under the same paths."));
    note->setWordWrap(true);
    layout->addRow(note);
    return group;
}

QWidget *ClusterDialog::makeRuns()
{
    auto *group = new QGroupBox(tr("Sweeps of this study on the cluster"), this);
    m_runs = new QTreeWidget(group);
    m_runs->setColumnCount(2);
    m_runs->setHeaderHidden(true);
    m_runs->setRootIsDecorated(false);
    m_runs->setAccessibleName(tr("Sweeps on the cluster"));
    m_runs->setMinimumHeight(50);
    m_runs->header()->setSectionResizeMode(0, QHeaderView::ResizeToContents);
    m_said = textView(tr("Output of the sweep"), 2, group);
    m_said->setLineWrapMode(QPlainTextEdit::NoWrap);
    m_runError = new ErrorLabel(group);
    m_resume = new QPushButton(tr("Res&ume"), group);
    m_resume->setToolTip(tr("Watches the jobs that are still waiting or running, and submits the missing ones"));
    m_cancel = new QPushButton(tr("&Cancel jobs"), group);
    m_cancel->setToolTip(tr("Cancels the jobs on the cluster. Completed shards stay in the folder"));
    m_forget = new QPushButton(tr("Remove from the &list"), group);
    m_forget->setToolTip(tr("The folder stays"));
    auto *buttons = new QHBoxLayout;
    buttons->addWidget(m_resume);
    buttons->addWidget(m_cancel);
    buttons->addStretch();
    buttons->addWidget(m_forget);
    auto *layout = new QVBoxLayout(group);
    layout->addWidget(m_runs, 1);
    layout->addWidget(m_said, 1);
    layout->addWidget(m_runError);
    layout->addLayout(buttons);
    return group;
}

void ClusterDialog::connectAll()
{
    connect(m_sweeps, &QListWidget::itemChanged, this, &ClusterDialog::refresh);
    connect(m_shards, &QSpinBox::valueChanged, this, &ClusterDialog::refresh);
    connect(m_threads, &QSpinBox::valueChanged, this, &ClusterDialog::refresh);
    connect(m_options, &QLineEdit::textChanged, this, &ClusterDialog::refresh);
    connect(m_folder, &FileEdit::edited, this, &ClusterDialog::refresh);
    connect(m_folder, &FileEdit::chosen, this, &ClusterDialog::refresh);
    connect(m_start, &QPushButton::clicked, this, &ClusterDialog::start);
    connect(m_copy, &QPushButton::clicked, this, [this] { QGuiApplication::clipboard()->setText(command()); });
    connect(m_runs, &QTreeWidget::currentItemChanged, this, &ClusterDialog::refreshRun);
    connect(m_resume, &QPushButton::clicked, this, [this] {
        remember();
        m_cluster.resume(selectedFolder(), m_options->text());
    });
    connect(m_cancel, &QPushButton::clicked, this, [this] { m_cluster.cancel(selectedFolder()); });
    connect(m_forget, &QPushButton::clicked, this, [this] { m_cluster.forget(selectedFolder()); });
    connect(&m_cluster, &ClusterController::runsChanged, this, [this] {
        refreshRuns();
        refresh();
    });
    connect(&m_state, &StudyState::modelChanged, this, &ClusterDialog::fillSweeps);
    connect(&m_state, &StudyState::dataChanged, this, &ClusterDialog::fillSweeps);
}

/// Proposes sweeps whose results the study lacks.
void ClusterDialog::fillSweeps()
{
    m_choices = m_cluster.choices();
    {
        const QSignalBlocker quiet(m_sweeps);
        m_sweeps->clear();
        bool proposed = false;
        for (const ClusterChoice &choice : m_choices) {
            auto *item
                = new QListWidgetItem(choice.computed ? tr("%1 (computed)").arg(choice.name) : choice.name, m_sweeps);
            const bool proposes = !choice.computed && !choice.spec.allButOne && !proposed;
            item->setCheckState(proposes ? Qt::Checked : Qt::Unchecked);
            proposed = proposed || proposes;
        }
        if (m_sweeps->count() > 0)
            m_sweeps->setCurrentRow(0);
    }
    refresh();
}

std::vector<ClusterTask> ClusterDialog::tasks() const
{
    std::vector<ClusterTask> tasks;
    for (std::size_t i = 0; i < m_choices.size(); ++i) {
        if (m_sweeps->item(static_cast<int>(i))->checkState() == Qt::Checked)
            tasks.push_back({.domain = m_choices[i].domain,
                             .spec = m_choices[i].spec,
                             .shards = m_shards->value(),
                             .threads = m_threads->value(),
                             .options = m_options->text(),
                             .parent = QDir::cleanPath(QDir::fromNativeSeparators(m_folder->path().trimmed()))});
    }
    return tasks;
}

QString ClusterDialog::command() const
{
    return m_command->toPlainText();
}

QString ClusterDialog::problem() const
{
    if (const QString why = m_cluster.whyNot(); !why.isEmpty())
        return why;
    const std::vector<ClusterTask> tasks = this->tasks();
    if (tasks.empty())
        return tr("Choose an analysis.");
    for (const ClusterTask &task : tasks) {
        if (const QString why = m_cluster.whyNot(task); !why.isEmpty())
            return why;
    }
    return {};
}

QString ClusterDialog::said() const
{
    return m_said->toPlainText();
}

void ClusterDialog::refresh()
{
    QStringList commands;
    for (const ClusterTask &task : tasks()) {
        if (m_state.data(task.domain))
            commands << m_cluster.commandOf(task);
    }
    if (m_command->toPlainText() != commands.join(u'\n'))
        m_command->setPlainText(commands.join(u'\n'));
    m_copy->setEnabled(!commands.isEmpty());
    m_problem->setError(problem());
    m_start->setEnabled(problem().isEmpty());
}

void ClusterDialog::remember() const
{
    QSettings settings;
    settings.setValue(settingsKey("shards"), m_shards->value());
    settings.setValue(settingsKey("threads"), m_threads->value());
    settings.setValue(settingsKey("options"), m_options->text());
    settings.setValue(settingsKey("folder"), m_folder->path());
}

void ClusterDialog::start()
{
    if (!problem().isEmpty())
        return;
    remember();
    const std::vector<ClusterTask> tasks = this->tasks();
    for (const ClusterTask &task : tasks)
        m_cluster.start(task);
    const QString newest = m_cluster.folderOf(tasks.front());
    for (int i = 0; i < m_runs->topLevelItemCount(); ++i) {
        if (m_runs->topLevelItem(i)->data(0, kFolderRole).toString() == newest)
            m_runs->setCurrentItem(m_runs->topLevelItem(i));
    }
}

QString ClusterDialog::selectedFolder() const
{
    const QTreeWidgetItem *item = m_runs->currentItem();
    return item ? item->data(0, kFolderRole).toString() : QString();
}

const ClusterRun *ClusterDialog::selectedRun() const
{
    const auto found = std::ranges::find(m_cluster.runs(), selectedFolder(), &ClusterRun::folder);
    return found == m_cluster.runs().end() ? nullptr : &*found;
}

/// Items stay where they are, and so does what is selected.
void ClusterDialog::refreshRuns()
{
    const auto &runs = m_cluster.runs();
    while (m_runs->topLevelItemCount() > std::ssize(runs))
        delete m_runs->takeTopLevelItem(m_runs->topLevelItemCount() - 1);
    for (int i = 0; i < std::ssize(runs); ++i) {
        const ClusterRun &run = runs[static_cast<std::size_t>(i)];
        QTreeWidgetItem *item = i < m_runs->topLevelItemCount() ? m_runs->topLevelItem(i) : new QTreeWidgetItem(m_runs);
        item->setText(0, run.name);
        item->setText(1, standText(run));
        item->setData(0, kFolderRole, run.folder);
        item->setToolTip(0, plainTip(QDir::toNativeSeparators(run.folder)));
        item->setToolTip(1, item->toolTip(0));
    }
    if (!m_runs->currentItem() && m_runs->topLevelItemCount() > 0)
        m_runs->setCurrentItem(m_runs->topLevelItem(m_runs->topLevelItemCount() - 1));
    refreshRun();
}

void ClusterDialog::refreshRun()
{
    const ClusterRun *run = selectedRun();
    QStringList lines;
    if (run) {
        for (const std::string &line : run->report.lines)
            lines << QString::fromStdString(line);
    }
    if (m_said->toPlainText() != lines.join(u'\n')) {
        m_said->setPlainText(lines.join(u'\n'));
        m_said->moveCursor(QTextCursor::End);
        m_said->moveCursor(QTextCursor::StartOfLine);
    }
    m_runError->setError(run ? run->error : QString());
    const bool ended = run && !run->isActive();
    m_resume->setEnabled(ended && run->state != ClusterRun::State::Done);
    m_cancel->setEnabled(run && run->state == ClusterRun::State::Watched);
    m_forget->setEnabled(ended);
}

} // namespace headscope

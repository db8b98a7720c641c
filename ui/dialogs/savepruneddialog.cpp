#include "ui/dialogs/savepruneddialog.h"

#include "core/analysis/speedspec.h"
#include "ui/language/corewords.h"
#include "ui/models/numbertext.h"
#include "ui/views/errorlabel.h"
#include "ui/views/plainlabel.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QDir>
#include <QFileDialog>
#include <QGroupBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QRadioButton>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

using namespace Qt::StringLiterals;

namespace headscope {

namespace {

constexpr int kMeasuredExamples = 128;
constexpr int kMeasuredRepeats = 3;
constexpr int kWarmUpBatches = 3;
constexpr int kShownBatchSizes = 4; ///< rows that the table has room for

/// A line of explanation under a choice, as far to the right as its text.
QLabel *explanation(const QString &text, QWidget *parent)
{
    auto *label = new QLabel(text, parent);
    label->setWordWrap(true);
    label->setIndent(22);
    return label;
}

/// The data sets that are open, as choices of Domain.
QComboBox *domainBox(const StudyState &state, const QString &name, QWidget *parent)
{
    auto *box = new QComboBox(parent);
    box->setAccessibleName(name);
    for (const Domain domain : kBothDomains) {
        if (state.data(domain))
            box->addItem(SavePrunedDialog::tr("%1 (%2)").arg(QString::fromStdString(state.data(domain)->name),
                                                             domainName(domain)),
                         static_cast<int>(domain));
    }
    return box;
}

Domain domainOf(const QComboBox &box)
{
    return static_cast<Domain>(box.currentData().toInt());
}

} // namespace

SavePrunedDialog::SavePrunedDialog(StudyState &state, StudyController &controller, const QString &startFolder,
                                   QWidget *parent)
    : QDialog(parent), m_state(state), m_controller(controller), m_speed(this)
{
    setWindowTitle(tr("Save pruned model"));
    m_summary = new QLabel(this);
    m_summary->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_warnings = new QLabel(this);
    m_warnings->setTextFormat(Qt::RichText);
    m_warnings->setWordWrap(true);
    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Save | QDialogButtonBox::Cancel, this);
    m_save = buttons->button(QDialogButtonBox::Save);
    auto *layout = new QVBoxLayout(this);
    layout->addWidget(m_summary);
    layout->addWidget(m_warnings);
    layout->addWidget(makeForm());
    layout->addWidget(makeTarget(startFolder));
    layout->addWidget(makeSpeed(), 1);
    layout->addWidget(buttons);
    connect(buttons, &QDialogButtonBox::accepted, this, &SavePrunedDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connectAll();
    resize(640, minimumSizeHint().height());
    askForCard();
    refresh();
    refreshSpeed();
}

/// Immediately for a local model; through the connection for one on another machine.
void SavePrunedDialog::askForCard()
{
    const auto card = [session = m_state.session(), mask = m_state.mask()](const JobControl &control) {
        return session->prunedCard(mask, control);
    };
    const auto show = [this](const Result<PrunedCard> &result) {
        if (result.isOk())
            m_card = result.value();
        m_fullNote->setText(tr("Opens in %1. Neither smaller nor faster.").arg(fromCore(m_card.fullOpensIn)));
        m_smallNote->setText(tr("Fewer parameters, less work. Opens in %1.").arg(fromCore(m_card.smallOpensIn)));
        refresh();
    };
    if (isElsewhere())
        m_controller.queue().start<PrunedCard>({tr("What pruning saves"), u"pruned-card"_s, JobLane::Interactive}, card,
                                               this, show);
    else
        show(card(JobControl()));
}

bool SavePrunedDialog::isElsewhere() const
{
    return m_state.model() && !m_state.model()->host.empty();
}

QWidget *SavePrunedDialog::makeForm()
{
    auto *group = new QGroupBox(tr("Form"), this);
    m_full = new QRadioButton(tr("&Full shape: the removed heads are set to zero"), group);
    m_small = new QRadioButton(tr("&Small: the heads are removed from the weights"), group);
    m_full->setChecked(true);
    m_compensate = new QCheckBox(tr("&Compensate: keep the removed heads' mean output"), group);
    m_reference = domainBox(m_state, tr("Data set of the means"), group);
    m_reference->setToolTip(tr("Evaluate the saved model on other data than these"));
    const bool data = m_reference->count() > 0;
    m_compensate->setEnabled(data);
    m_compensate->setToolTip(data ? tr("Adds each head's mean output to the output bias, as if the head were "
                                       "replaced by its mean")
                                  : tr("Needs a data set: choose one first"));
    auto *compensation = new QHBoxLayout;
    compensation->addWidget(m_compensate);
    compensation->addWidget(new QLabel(tr("over"), group));
    compensation->addWidget(m_reference, 1);
    auto *layout = new QVBoxLayout(group);
    layout->addWidget(m_full);
    m_fullNote = explanation({}, group);
    m_smallNote = explanation({}, group);
    layout->addWidget(m_fullNote);
    layout->addWidget(m_small);
    layout->addWidget(m_smallNote);
    layout->addLayout(compensation);
    return group;
}

QWidget *SavePrunedDialog::makeTarget(const QString &startFolder)
{
    auto *target = new QWidget(this);
    m_folder = new QLineEdit(target);
    const QString name = QString::fromStdString(m_state.model()->folder.filename().string())
                       + u"-without-%1-heads"_s.arg(m_state.mask().size());
    const QString parent
        = isElsewhere() ? QString::fromStdString(m_state.model()->folder.parent_path().string()) : startFolder;
    m_folder->setText(QDir::toNativeSeparators(QDir(parent).filePath(name)));
    m_problem = new ErrorLabel(target);
    auto *label = new QLabel(tr("New f&older:"), target);
    label->setBuddy(m_folder);
    auto *choose = new QToolButton(target);
    choose->setText(tr("…"));
    choose->setToolTip(tr("Choose where to put the new folder"));
    choose->setAccessibleName(choose->toolTip());
    choose->setVisible(!isElsewhere());
    connect(choose, &QToolButton::clicked, this, &SavePrunedDialog::browse);
    auto *line = new QHBoxLayout;
    line->addWidget(label);
    line->addWidget(m_folder, 1);
    line->addWidget(choose);
    auto *layout = new QVBoxLayout(target);
    layout->setContentsMargins({});
    layout->addLayout(line);
    layout->addWidget(m_problem);
    return target;
}

QWidget *SavePrunedDialog::makeSpeed()
{
    auto *group = new QGroupBox(tr("Speed here"), this);
    m_speedData = domainBox(m_state, tr("Data set to measure with"), group);
    m_measure = new QPushButton(group);
    m_speedNote = new PlainLabel(group);
    m_speedNote->setWordWrap(true);
    m_speedError = new ErrorLabel(group);
    m_table = new QTableView(group);
    m_table->setModel(&m_speed);
    m_table->setAccessibleName(tr("Examples per second"));
    m_table->setTabKeyNavigation(false); // Tab leaves it
    m_table->setSelectionMode(QAbstractItemView::NoSelection);
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 6);
    m_table->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
    m_table->setMinimumHeight(m_table->horizontalHeader()->sizeHint().height()
                              + kShownBatchSizes * m_table->verticalHeader()->defaultSectionSize() + 4);
    auto *line = new QHBoxLayout;
    line->addWidget(m_speedData, 1);
    line->addWidget(m_measure);
    auto *layout = new QVBoxLayout(group);
    layout->addLayout(line);
    layout->addWidget(m_table, 1);
    layout->addWidget(m_speedNote);
    layout->addWidget(m_speedError);
    return group;
}

void SavePrunedDialog::connectAll()
{
    connect(m_folder, &QLineEdit::textChanged, this, &SavePrunedDialog::refresh);
    connect(m_compensate, &QCheckBox::toggled, this, &SavePrunedDialog::refresh);
    connect(m_small, &QRadioButton::toggled, this, &SavePrunedDialog::refresh);
    connect(m_measure, &QPushButton::clicked, this, &SavePrunedDialog::measureOrCancel);
    connect(&m_state, &StudyState::speedChanged, this, &SavePrunedDialog::refreshSpeed);
    connect(&m_state, &StudyState::errorChanged, this, &SavePrunedDialog::refreshSpeed);
    connect(&m_state, &StudyState::modelChanged, this, &QDialog::reject); // the error was about another model
    const JobQueue &queue = m_controller.queue();
    for (const auto signal : {&JobQueue::jobAdded, &JobQueue::jobChanged, &JobQueue::jobFinished})
        connect(&queue, signal, this, &SavePrunedDialog::refreshSpeed);
}

ExportForm SavePrunedDialog::form() const
{
    return m_small->isChecked() ? ExportForm::Small : ExportForm::Full;
}

void SavePrunedDialog::setForm(ExportForm form)
{
    (form == ExportForm::Small ? m_small : m_full)->setChecked(true);
}

std::optional<Domain> SavePrunedDialog::compensation() const
{
    const bool wanted = m_compensate->isEnabled() && m_compensate->isChecked();
    return wanted ? std::optional(domainOf(*m_reference)) : std::nullopt;
}

QString SavePrunedDialog::folder() const
{
    return QDir::fromNativeSeparators(m_folder->text().trimmed());
}

QString SavePrunedDialog::summary() const
{
    return m_summary->text();
}

QString SavePrunedDialog::problem() const
{
    if (folder().isEmpty())
        return tr("Enter a name for the model's folder.");
    if (isElsewhere())
        return {}; // checked on that machine
    const QFileInfo info(folder());
    if (info.exists() && !info.isDir())
        return tr("There is a file with this name.");
    if (info.exists() && !QDir(folder()).isEmpty())
        return tr("This folder is not empty. Choose a new one.");
    return {};
}

void SavePrunedDialog::browse()
{
    const QString parent = QFileDialog::getExistingDirectory(this, tr("Choose where to put the new folder"),
                                                             QFileInfo(folder()).absolutePath());
    if (!parent.isEmpty())
        m_folder->setText(QDir::toNativeSeparators(QDir(parent).filePath(QFileInfo(folder()).fileName())));
}

void SavePrunedDialog::refresh()
{
    const bool small = form() == ExportForm::Small;
    const std::int64_t written = small ? m_card.parametersLeft : m_card.parameters;
    const auto before = static_cast<double>(std::max<std::int64_t>(1, m_card.parameters));
    const double change = 100.0 * (static_cast<double>(written) / before - 1);
    const auto row = [](const QString &what, const QString &before, const QString &after) {
        return u"<tr><td>%1</td><td align=right>%2</td><td align=right>%3</td></tr>"_s.arg(what, before, after);
    };
    m_summary->setText(
        u"<table cellpadding=3>"_s + row({}, tr("now"), tr("<b>saved</b>"))
        + row(tr("Heads"), countText(m_card.heads),
              small
                  ? u"<b>%1</b>"_s.arg(countText(m_card.headsLeft))
                  : tr("<b>%1</b>, %2 silent").arg(countText(m_card.heads), countText(m_card.heads - m_card.headsLeft)))
        + row(tr("Parameters"), countText(m_card.parameters),
              u"<b>%1</b> (%2 %)"_s.arg(countText(written), signedText(change, 1)))
        + u"</table>"_s);
    QStringList warnings;
    for (const std::string &warning : m_card.warnings)
        warnings << tr("<b>Note:</b> %1").arg(QString::fromStdString(warning).toHtmlEscaped());
    m_warnings->setText(warnings.join(u"<br>"_s));
    m_warnings->setVisible(!warnings.isEmpty());
    m_reference->setEnabled(m_compensate->isEnabled() && m_compensate->isChecked());
    m_problem->setError(problem());
    m_save->setEnabled(problem().isEmpty());
}

const JobInfo *SavePrunedDialog::speedJob() const
{
    for (const JobInfo &job : m_jobs) {
        if (job.spec.tag == QLatin1String(ModelExports::kSpeedTag) && job.isActive())
            return &job;
    }
    return nullptr;
}

void SavePrunedDialog::refreshSpeed()
{
    m_jobs = m_controller.queue().jobs();
    const JobInfo *job = speedJob();
    const auto &result = m_state.speed();
    const bool shown = result && result->mask == m_state.mask();
    m_speed.setResult(shown ? result : nullptr);
    m_measure->setText(job ? tr("&Cancel measuring") : tr("&Measure speed"));
    m_measure->setEnabled(m_speedData->count() > 0);
    m_speedData->setEnabled(!job);
    m_speedError->setError(job ? QString() : m_state.error(ErrorPlace::Analysis));
    if (m_speedData->count() == 0)
        m_speedNote->setText(tr("Choose a data set first: speed is measured on its examples."));
    else if (job && job->state == JobState::Queued)
        m_speedNote->setText(tr("Waiting for the running job."));
    else if (job && job->progress.total > 0)
        m_speedNote->setText(
            tr("Measuring: batch %1 of %2").arg(countText(job->progress.done), countText(job->progress.total)));
    else if (job)
        m_speedNote->setText(tr("Measuring."));
    else if (shown)
        m_speedNote->setText(tr("Mean and standard deviation of %1 repeats of %2 examples on the %3; threads: "
                                "%4, device: %5. Masking saves no work; removing does.")
                                 .arg(countText(result->repeats), countText(result->examples), fromCore(result->path),
                                      countText(result->threads), QString::fromStdString(result->manifest.device)));
    else
        m_speedNote->setText(tr("The full model, the masked model and the model without the heads run in turn."));
}

void SavePrunedDialog::measureOrCancel()
{
    if (speedJob())
        return m_controller.queue().cancelTag(QLatin1String(ModelExports::kSpeedTag));
    SpeedSpec spec;
    spec.lengths = {LengthPolicy::Bucketed};
    spec.examples = kMeasuredExamples;
    spec.repeats = kMeasuredRepeats;
    spec.warmUp = kWarmUpBatches;
    m_controller.exports().startSpeed(domainOf(*m_speedData), spec);
}

void SavePrunedDialog::accept()
{
    if (!problem().isEmpty())
        return;
    m_controller.exports().exportPruned(form(), compensation(), folder());
    Q_EMIT saving(folder(), form());
    QDialog::accept();
}

} // namespace headscope

#include "ui/mainwindow/windowfiles.h"

#include "core/session/demo.h"
#include "ui/dialogs/clusterdialog.h"
#include "ui/dialogs/opendatadialog.h"
#include "ui/dialogs/openremotedialog.h"
#include "ui/dialogs/packdialog.h"
#include "ui/dialogs/savepruneddialog.h"
#include "ui/exporting/exportdialog.h"
#include "ui/mainwindow/exportall.h"
#include "ui/mainwindow/mainwindow.h"
#include "ui/models/plaintip.h"
#include "ui/models/tasktext.h"
#include "ui/pages/pageregistry.h"
#include "ui/report/reportjob.h"
#include "ui/state/trainingcontroller.h"
#include "ui/views/parallelfields.h"
#include "ui/views/tablefields.h"
#include "ui/views/toast.h"

#include <QDesktopServices>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLocale>
#include <QMenu>
#include <QMessageBox>
#include <QPushButton>
#include <QSettings>
#include <QUrl>

#include <algorithm>

namespace headscope {

namespace {
/// The analysis that has been running longest of those that would be lost: sweeps and training go on where they were.
std::optional<JobInfo> longJob(const JobQueue &queue, double seconds)
{
    std::optional<JobInfo> longest;
    for (const JobInfo &job : queue.jobs()) {
        const bool isAnalysis = job.spec.lane == JobLane::Batch || job.spec.lane == JobLane::Sweep;
        const bool counts = job.isActive() && !job.cancelling && isAnalysis && !job.spec.keepsItsWork
                         && job.spec.tag != QLatin1String(kTrainingTag) && job.seconds >= seconds;
        if (counts && (!longest || job.seconds > longest->seconds))
            longest = job;
    }
    return longest;
}

const QString kStudySuffix = QStringLiteral(".headscope");
const QString kPackedSuffix = QStringLiteral(".zip");

QString lastFolder()
{
    return QSettings().value(QStringLiteral("folder"), QDir::homePath()).toString();
}

void rememberFolder(const QString &path)
{
    QSettings().setValue(QStringLiteral("folder"), QFileInfo(path).absolutePath());
}
} // namespace

/// A table, or two parallel text files of which the second may be guessed; dependency trees beside them or by
/// themselves.
static DataSource sourceOf(QStringList files, const ModelCard *model)
{
    DataSource source;
    const auto trees = std::ranges::find_if(files, isTreesName);
    if (trees != files.end()) {
        source.conllu = trees->toStdString();
        files.erase(trees);
    }
    if (files.isEmpty())
        return source;
    if (files.size() == 1 && (isTableName(files.front()) || (model && isClassifier(*model)))) {
        source.table = files.front().toStdString();
        return source;
    }
    if (model && isLanguageModel(*model)) {
        source.text = files.front().toStdString();
        return source;
    }
    source.source = files.front().toStdString();
    source.reference = (files.size() > 1 ? files[1] : parallelFile(files.front())).toStdString();
    return source;
}

WindowFiles::WindowFiles(MainWindow &window)
    : QObject(&window), m_window(window), m_state(window.state()), m_controller(window.controller()),
      m_cluster(window.cluster())
{
}

void WindowFiles::remember(const QString &path)
{
    if (m_settings)
        m_recent.add(path);
}

bool WindowFiles::losesWork() const
{
    return m_settings && longJob(m_controller.queue(), m_longSeconds).has_value();
}

void WindowFiles::chooseModel()
{
    const QString folder = QFileDialog::getExistingDirectory(&m_window, tr("Open model folder"), lastFolder());
    if (!folder.isEmpty()) {
        rememberFolder(folder);
        open({folder});
    }
}

void WindowFiles::chooseRemoteModel()
{
    auto *dialog = new OpenRemoteDialog(m_controller.queue(), &m_window);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &OpenRemoteDialog::modelChosen, this, [this](const QString &host, const QString &folder) {
        whenDiscardAccepted(tr("Open another model"), [this, host, folder] { m_controller.openModel(folder, host); });
    });
    dialog->open();
}

/// A file may come from a stranger: whoever opens it decides whether its machine is reached.
void WindowFiles::askToReach(const QString &host, const QString &folder)
{
    auto *box = new QMessageBox(QMessageBox::Question, tr("Headscope"),
                                tr("Connect to the machine that this study names?"), QMessageBox::NoButton, &m_window);
    box->setObjectName(QStringLiteral("machineQuestion"));
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setTextFormat(Qt::PlainText);
    box->setInformativeText(
        plainTip(tr("Machine: %1\nModel folder there: %2\n\nIts results can be read without it. Computing more "
                    "runs headscope-cli there, over your own ssh.")
                     .arg(host, folder)));
    connect(box->addButton(tr("Connect"), QMessageBox::AcceptRole), &QPushButton::clicked, this,
            [this, host, folder] { m_controller.openModel(folder, host); });
    box->setDefaultButton(box->addButton(tr("Not now"), QMessageBox::RejectRole));
    connect(&m_controller, &StudyController::leaving, box, &QMessageBox::close);
    box->open();
}

void WindowFiles::chooseStudy()
{
    const QString file = QFileDialog::getOpenFileName(
        &m_window, tr("Open study"), lastFolder(), tr("Studies, also packed ones (*.headscope *.zip);;All files (*)"));
    if (!file.isEmpty()) {
        rememberFolder(file);
        open({file});
    }
}

void WindowFiles::chooseData(std::optional<Domain> domain, const QStringList &files)
{
    auto *dialog = new OpenDataDialog(m_state, m_controller.queue(), &m_window);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    if (!files.isEmpty()) {
        const bool twoTables = files.size() == 2 && isTableName(files[0]) && isTableName(files[1]);
        dialog->slot(twoTables ? Domain::In : domain.value_or(Domain::In))
            .setSource(sourceOf(twoTables ? files.first(1) : files, m_state.model()));
        if (twoTables)
            dialog->slot(Domain::Out).setSource(sourceOf(files.last(1), m_state.model()));
    }
    connect(dialog, &OpenDataDialog::dataChosen, this,
            [this](Domain slot, const DataSource &source) { m_controller.setData(slot, source); });
    dialog->open();
    dialog->slot(domain.value_or(Domain::In)).setFocus();
}

void WindowFiles::savePrunedModel()
{
    if (!m_state.session() || m_state.mask().empty())
        return;
    auto *dialog = new SavePrunedDialog(m_state, m_controller, lastFolder(), &m_window);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &SavePrunedDialog::saving, this, [](const QString &folder) { rememberFolder(folder); });
    dialog->open();
}

void WindowFiles::runOnCluster()
{
    auto *dialog = new ClusterDialog(m_state, m_cluster, &m_window);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->open();
}

void WindowFiles::openFailed(const QString &text)
{
    m_state.setError(m_state.model() ? ErrorPlace::Study : ErrorPlace::Model, text);
}

void WindowFiles::open(const QStringList &paths)
{
    if (paths.isEmpty())
        return;
    const QFileInfo first(paths.front());
    if (!first.exists()) {
        openFailed(tr("Cannot open %1: there is no such file or folder.").arg(QDir::toNativeSeparators(paths.front())));
    } else if (const auto own = std::ranges::find_if(
                   m_window.pages(), [&](const Page *page) { return page->isOwn(first.absoluteFilePath()); });
               own != m_window.pages().end()) {
        m_window.showPage(**own);
        (*own)->openPath(first.absoluteFilePath());
        if (m_settings)
            m_recent.add(first.absoluteFilePath());
    } else if (first.isDir() || first.suffix() == QLatin1String("gguf")) {
        whenDiscardAccepted(tr("Open another model"),
                            [this, folder = first.absoluteFilePath()] { m_controller.openModel(folder); });
    } else if (first.fileName().endsWith(kStudySuffix)) {
        whenDiscardAccepted(tr("Open another study"),
                            [this, file = first.absoluteFilePath()] { m_controller.files().open(file); });
    } else if (first.fileName().endsWith(kPackedSuffix)) {
        openPacked(first.absoluteFilePath());
    } else if (first.fileName() == QLatin1String("config.json") || first.suffix() == QLatin1String("safetensors")
               || first.suffix() == QLatin1String("pt") || first.suffix() == QLatin1String("npz")) {
        whenDiscardAccepted(tr("Open another model"),
                            [this, folder = first.absolutePath()] { m_controller.openModel(folder); });
    } else {
        // Text: the free slot, or the in-domain one.
        const bool inTaken = m_state.data(Domain::In).has_value() && !m_state.data(Domain::Out).has_value();
        QStringList files;
        for (const QString &path : paths)
            files << QFileInfo(path).absoluteFilePath();
        chooseData(inTaken ? Domain::Out : Domain::In, files);
    }
}

void WindowFiles::openDemo(Demo demo)
{
    const Result<std::filesystem::path> study = demoStudy(demo);
    if (study.isOk())
        whenDiscardAccepted(tr("Open the demo"), [this, file = QString::fromStdString(study.value().string())] {
            m_controller.files().openDemo(file);
        });
    else
        m_state.setError(ErrorPlace::Study, QString::fromStdString(study.error().message));
}

void WindowFiles::openRecent(const QString &path)
{
    for (const Demo demo : kDemos) {
        if (const auto study = demoStudy(demo); study.isOk() && study.value() == path.toStdString())
            return openDemo(demo);
    }
    open({path});
}

void WindowFiles::fillRecentMenu(QMenu &menu)
{
    menu.clear();
    const QStringList paths = m_recent.paths();
    for (const QString &path : paths)
        menu.addAction(QDir::toNativeSeparators(path), this, [this, path] { openRecent(path); });
    if (paths.isEmpty())
        menu.addAction(tr("Nothing opened yet"))->setEnabled(false);
}

void WindowFiles::save()
{
    if (m_state.studyFile().isEmpty())
        chooseAndSave();
    else
        saveAs(m_state.studyFile());
}

void WindowFiles::chooseAndSave()
{
    const QString proposal = m_state.studyFile().isEmpty() ? QDir(lastFolder()).filePath(proposedName() + kStudySuffix)
                                                           : m_state.studyFile();
    const QString file
        = QFileDialog::getSaveFileName(&m_window, tr("Save study"), proposal, tr("Studies (*.headscope)"));
    if (file.isEmpty())
        return;
    rememberFolder(file);
    saveAs(file);
}

void WindowFiles::pack()
{
    const QString name = m_state.studyFile().isEmpty() ? QDir(lastFolder()).filePath(proposedName())
                                                       : m_state.studyFile().chopped(kStudySuffix.size());
    auto *dialog = new PackDialog(m_state.model()->folder, name, &m_window);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QDialog::accepted, this, [this, dialog] {
        rememberFolder(dialog->file());
        m_controller.files().pack(dialog->file(), dialog->withModel(), layoutText());
    });
    dialog->open();
}

void WindowFiles::openPacked(const QString &file)
{
    // A new folder: its name is typed into a dialog for files.
    const QFileInfo info(file);
    const QString folder = QFileDialog::getSaveFileName(&m_window, tr("New folder to unpack the study into"),
                                                        info.dir().filePath(info.completeBaseName()), {}, nullptr,
                                                        QFileDialog::ShowDirsOnly | QFileDialog::DontConfirmOverwrite);
    if (!folder.isEmpty())
        whenDiscardAccepted(tr("Open another study"),
                            [this, file, folder] { m_controller.files().openPacked(file, folder); });
}

QString WindowFiles::proposedName() const
{
    return m_controller.files().isDemo() ? QStringLiteral("my demo")
                                         : QDir(QString::fromStdString(m_state.model()->folder.string())).dirName();
}

void WindowFiles::saveAs(const QString &file)
{
    m_controller.files().save(file.endsWith(kStudySuffix) ? file : QString(file + kStudySuffix), layoutText());
}

QString WindowFiles::layoutText() const
{
    QJsonObject layout;
    layout[QStringLiteral("view")] = m_window.currentView();
    layout[QStringLiteral("measure")] = static_cast<int>(m_state.measure());
    layout[QStringLiteral("domain")] = static_cast<int>(m_state.domainView());
    layout[QStringLiteral("level")] = m_state.significance().level;
    layout[QStringLiteral("correction")] = static_cast<int>(m_state.significance().correction);
    layout[QStringLiteral("margin")] = m_state.significance().margin;
    if (m_state.currentHead())
        layout[QStringLiteral("head")] = QString::fromStdString(toText(*m_state.currentHead()));
    layout[QStringLiteral("sentence")] = static_cast<qint64>(m_state.sentenceIndex());
    layout[QStringLiteral("sentenceDomain")] = static_cast<int>(m_state.sentenceDomain());
    QJsonObject arranged;
    for (qsizetype i = 0; i < m_window.pages().size(); ++i) {
        if (const QJsonObject page = m_window.pages()[i]->arrangement(); !page.isEmpty())
            arranged[pageRegistry()[static_cast<std::size_t>(i)].info.id] = page;
    }
    if (!arranged.isEmpty())
        layout[QStringLiteral("pages")] = arranged;
    if (const QJsonArray runs = m_cluster.remembered(); !runs.isEmpty())
        layout[QStringLiteral("cluster")] = runs;
    return QString::fromUtf8(QJsonDocument(layout).toJson(QJsonDocument::Compact));
}

void WindowFiles::applyLayout(const QString &text)
{
    const QJsonObject layout = QJsonDocument::fromJson(text.toUtf8()).object();
    const auto number = [&](const char *name, int most) {
        const int value = layout[QLatin1String(name)].toInt();
        return value >= 0 && value <= most ? value : 0;
    };
    m_state.setMeasure(static_cast<Measure>(number("measure", static_cast<int>(kMeasureCount) - 1)));
    m_state.setDomainView(static_cast<DomainView>(number("domain", 2)));
    Significance significance;
    if (layout.contains(QLatin1String("correction"))) // older studies say nothing
        significance.correction
            = static_cast<Correction>(number("correction", static_cast<int>(kAllCorrections.size()) - 1));
    const double level = layout[QLatin1String("level")].toDouble();
    if (std::ranges::find(kSignificanceLevels, level) != kSignificanceLevels.end())
        significance.level = level;
    if (const double margin = layout[QLatin1String("margin")].toDouble(); margin >= kLeastMargin && margin <= 1)
        significance.margin = margin;
    m_state.setSignificance(significance);
    const auto head = parseHeadRef(layout[QLatin1String("head")].toString().toStdString());
    if (head.isOk() && m_state.layout().contains(head.value()))
        m_state.selectHead(head.value());
    const Domain domain = static_cast<Domain>(number("sentenceDomain", 1));
    const auto sentence = layout[QLatin1String("sentence")].toInteger(-1);
    const bool shown = domain == m_state.shownDomain() || m_state.domainView() == DomainView::Difference;
    if (shown && m_state.data(domain) && sentence >= 0 && sentence < m_state.data(domain)->rows)
        m_state.setSentence(domain, sentence);
    const QJsonObject arranged = layout[QLatin1String("pages")].toObject();
    for (qsizetype i = 0; i < m_window.pages().size(); ++i)
        m_window.pages()[i]->setArrangement(arranged[pageRegistry()[static_cast<std::size_t>(i)].info.id].toObject());
    m_cluster.takeUp(layout[QLatin1String("cluster")].toArray());
    if (!m_cluster.runs().empty())
        m_window.toast().say(tr("Sweeps of this study were begun on a cluster."), tr("Resume…"),
                             [this] { runOnCluster(); });
    const PageInfo *view = findPage(layout[QLatin1String("view")].toString());
    if (view && view->needsModel && m_state.model())
        m_window.showView(view->id);
}

void WindowFiles::exportView()
{
    const QList<ExportItem> items
        = m_window.currentPage() ? m_window.currentPage()->exportItems() : QList<ExportItem>();
    if (items.isEmpty()) {
        m_window.toast().say(tr("This view shows nothing to export yet."));
        return;
    }
    auto *dialog = new ExportDialog(items, lastFolder(), &m_window);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QDialog::accepted, this, [this, dialog] {
        rememberFolder(dialog->writtenFile());
        m_window.toast().sayWritten(tr("Written: %1").arg(QFileInfo(dialog->writtenFile()).fileName()),
                                    dialog->writtenFile());
    });
    dialog->open();
}

void WindowFiles::exportEverything()
{
    const QString folder
        = QFileDialog::getExistingDirectory(&m_window, tr("Export every view into a folder"), lastFolder());
    if (folder.isEmpty())
        return;
    const QList<PlannedFile> files = plannedFiles(m_window, folder);
    const QStringList there = filesToReplace(files, folder);
    if (there.isEmpty())
        return writePlanned(files, folder);
    lossQuestion(tr("Replace %n file(s) in this folder?", nullptr, static_cast<int>(there.size())),
                 tr("%1, and others that an earlier export has left there.").arg(there.front()), tr("Replace"),
                 [this, files, folder] { writePlanned(files, folder); })
        ->open();
}

void WindowFiles::writePlanned(const QList<PlannedFile> &files, const QString &folder)
{
    const JobSpec spec{tr("Export into %1").arg(QDir(folder).dirName()), QStringLiteral("export ") + folder,
                       JobLane::Interactive};
    m_controller.queue().start<int>(
        spec, [files, folder](const JobControl &control) { return writeFiles(files, folder, control); }, this,
        [this, folder](const Result<int> &written) {
            if (written.isError())
                m_state.setError(ErrorPlace::Study, QString::fromStdString(written.error().message));
            if (written.isOk())
                m_window.toast().sayWritten(tr("%Ln files written to %1", nullptr, written.value()).arg(folder),
                                            folder);
        });
}

void WindowFiles::writeReport(const ReportSpec &spec)
{
    // A new folder: its name is typed into a dialog for files.
    const QString proposal = QDir(lastFolder()).filePath(proposedName() + tr("-report"));
    const QString folder = QFileDialog::getSaveFileName(&m_window, tr("Folder of the report"), proposal, {}, nullptr,
                                                        QFileDialog::ShowDirsOnly | QFileDialog::DontConfirmOverwrite);
    if (folder.isEmpty())
        return;
    rememberFolder(folder);
    startReport(m_state, m_controller, spec, folder, [this](const QString &written) {
        const QString page = QDir(written).filePath(QStringLiteral("index.html"));
        m_window.toast().say(tr("The report is written."), tr("Open report"),
                             [page] { QDesktopServices::openUrl(QUrl::fromLocalFile(page)); });
    });
}

void WindowFiles::copyView()
{
    const QList<ExportItem> items
        = m_window.currentPage() ? m_window.currentPage()->exportItems() : QList<ExportItem>();
    if (items.isEmpty())
        return m_window.toast().say(tr("This view shows nothing to copy yet."));
    copyToClipboard(items.front());
    m_window.toast().say(tr("Copied as picture and table: %1").arg(items.front().name));
}

/// A question before something is lost: the button with the `verb` continues; Cancel is the default.
QMessageBox *WindowFiles::lossQuestion(const QString &text, const QString &details, const QString &verb,
                                       const std::function<void()> &next)
{
    auto *box = new QMessageBox(QMessageBox::Warning, tr("Headscope"), text, QMessageBox::Cancel, &m_window);
    box->setObjectName(QStringLiteral("lossQuestion"));
    box->setTextFormat(Qt::PlainText);
    box->setInformativeText(plainTip(details));
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setDefaultButton(QMessageBox::Cancel);
    connect(box->addButton(verb, QMessageBox::DestructiveRole), &QPushButton::clicked, this, next);
    return box;
}

/// Asks if an analysis that has been running for long would be lost; `what` is the verb of the question.
void WindowFiles::whenDiscardAccepted(const QString &what, const std::function<void()> &next)
{
    const auto job = m_settings ? longJob(m_controller.queue(), m_longSeconds) : std::nullopt;
    if (!job) {
        next();
        return;
    }
    lossQuestion(
        tr("%1 while \"%2\" is running?").arg(what, job->spec.name),
        tr("It has been running for %1 minutes and cannot be resumed: it would begin again. All finished results are "
           "kept, and so is the finished part of sweeps.")
            .arg(QLocale().toString(job->seconds / 60, 'f', 0)),
        what, next)
        ->open();
}

/// Results that could be saved neither in a study file nor in the folder of autosaved studies.
void WindowFiles::askToDiscard(const QString &error, const std::function<void()> &next)
{
    auto *box
        = lossQuestion(tr("Continue, and lose the results that could not be saved?"), error, tr("Lose them"), next);
    const auto *save = box->addButton(tr("Save study as…"), QMessageBox::ActionRole);
    connect(save, &QPushButton::clicked, this, &WindowFiles::chooseAndSave);
    box->open();
}

void WindowFiles::askToDeleteKept()
{
    lossQuestion(tr("Delete the autosaved studies?"), tr("Results that are saved nowhere else are lost."),
                 tr("Delete them"), [this] { m_controller.files().keptStudies().forgetAll(); })
        ->open();
}

} // namespace headscope

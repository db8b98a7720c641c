// What the main window opens, saves and exports.
#include "ui/mainwindow/mainwindow.h"

#include "core/session/demo.h"
#include "ui/dialogs/clusterdialog.h"
#include "ui/dialogs/opendatadialog.h"
#include "ui/dialogs/openremotedialog.h"
#include "ui/dialogs/packdialog.h"
#include "ui/dialogs/savepruneddialog.h"
#include "ui/exporting/exportdialog.h"
#include "ui/mainwindow/exportall.h"
#include "ui/mainwindow/pagerow.h"
#include "ui/models/tasktext.h"
#include "ui/pages/pageregistry.h"
#include "ui/report/reportjob.h"
#include "ui/views/parallelfields.h"
#include "ui/views/tablefields.h"
#include "ui/views/toast.h"

#include <QDesktopServices>
#include <QDir>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QMenu>
#include <QMessageBox>
#include <QMimeData>
#include <QSettings>
#include <QStackedWidget>
#include <QUrl>

#include <algorithm>

namespace headscope {

namespace {
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

void MainWindow::chooseModel()
{
    const QString folder = QFileDialog::getExistingDirectory(this, tr("Open model folder"), lastFolder());
    if (!folder.isEmpty()) {
        rememberFolder(folder);
        openPaths({folder});
    }
}

void MainWindow::chooseRemoteModel()
{
    auto *dialog = new OpenRemoteDialog(m_controller.queue(), this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &OpenRemoteDialog::modelChosen, this, [this](const QString &host, const QString &folder) {
        whenDiscardAccepted(tr("Open another model"), [this, host, folder] { m_controller.openModel(folder, host); });
    });
    dialog->open();
}

/// A file may come from a stranger: whoever opens it decides whether its machine is reached.
void MainWindow::askToReach(const QString &host, const QString &folder)
{
    auto *box = new QMessageBox(QMessageBox::Question, tr("Headscope"),
                                tr("Connect to the machine that this study names?"), QMessageBox::NoButton, this);
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

void MainWindow::chooseStudy()
{
    const QString file = QFileDialog::getOpenFileName(
        this, tr("Open study"), lastFolder(), tr("Studies, also packed ones (*.headscope *.zip);;All files (*)"));
    if (!file.isEmpty()) {
        rememberFolder(file);
        openPaths({file});
    }
}

void MainWindow::chooseData(std::optional<Domain> domain, const QStringList &files)
{
    auto *dialog = new OpenDataDialog(m_state, m_controller.queue(), this);
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

void MainWindow::savePrunedModel()
{
    if (!m_state.session() || m_state.mask().empty())
        return;
    auto *dialog = new SavePrunedDialog(m_state, m_controller, lastFolder(), this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &SavePrunedDialog::saving, this, [](const QString &folder) { rememberFolder(folder); });
    dialog->open();
}

void MainWindow::runOnCluster()
{
    auto *dialog = new ClusterDialog(m_state, m_cluster, this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->open();
}

void MainWindow::openFailed(const QString &text)
{
    m_state.setError(m_state.model() ? ErrorPlace::Study : ErrorPlace::Model, text);
}

void MainWindow::openPaths(const QStringList &paths)
{
    if (paths.isEmpty())
        return;
    const QFileInfo first(paths.front());
    if (!first.exists()) {
        openFailed(tr("Cannot open %1: there is no such file or folder.").arg(QDir::toNativeSeparators(paths.front())));
    } else if (const auto own
               = std::ranges::find_if(m_pages, [&](const Page *page) { return page->isOwn(first.absoluteFilePath()); });
               own != m_pages.end()) {
        m_stack->setCurrentWidget(m_pageStack);
        m_pageRow->setCurrent(static_cast<int>(own - m_pages.begin()));
        (*own)->openPath(first.absoluteFilePath());
        if (m_settings)
            m_recent.add(first.absoluteFilePath());
    } else if (first.isDir()) {
        whenDiscardAccepted(tr("Open another model"),
                            [this, folder = first.absoluteFilePath()] { m_controller.openModel(folder); });
    } else if (first.fileName().endsWith(kStudySuffix)) {
        whenDiscardAccepted(tr("Open another study"),
                            [this, file = first.absoluteFilePath()] { m_controller.openStudy(file); });
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

void MainWindow::openDemo(Demo demo)
{
    const Result<std::filesystem::path> study = demoStudy(demo);
    if (study.isOk())
        whenDiscardAccepted(tr("Open the demo"), [this, file = QString::fromStdString(study.value().string())] {
            m_controller.openDemo(file);
        });
    else
        m_state.setError(ErrorPlace::Study, QString::fromStdString(study.error().message));
}

void MainWindow::openAndShow(const QString &folder)
{
    m_headsAsked = true;
    openPaths({folder});
}

void MainWindow::dragEnterEvent(QDragEnterEvent *event)
{
    if (event->mimeData()->hasUrls())
        event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent *event)
{
    QStringList paths;
    for (const QUrl &url : event->mimeData()->urls()) {
        if (url.isLocalFile())
            paths << url.toLocalFile();
    }
    openPaths(paths);
}

void MainWindow::openRecent(const QString &path)
{
    for (const Demo demo : kDemos) {
        if (const auto study = demoStudy(demo); study.isOk() && study.value() == path.toStdString())
            return openDemo(demo);
    }
    openPaths({path});
}

void MainWindow::fillRecentMenu()
{
    m_recentMenu->clear();
    const QStringList paths = m_recent.paths();
    for (const QString &path : paths)
        m_recentMenu->addAction(QDir::toNativeSeparators(path), this, [this, path] { openRecent(path); });
    if (paths.isEmpty())
        m_recentMenu->addAction(tr("Nothing opened yet"))->setEnabled(false);
}

void MainWindow::save()
{
    if (m_state.studyFile().isEmpty())
        saveAs();
    else
        saveStudyAs(m_state.studyFile());
}

void MainWindow::saveAs()
{
    const QString proposal = m_state.studyFile().isEmpty() ? QDir(lastFolder()).filePath(proposedName() + kStudySuffix)
                                                           : m_state.studyFile();
    const QString file = QFileDialog::getSaveFileName(this, tr("Save study"), proposal, tr("Studies (*.headscope)"));
    if (file.isEmpty())
        return;
    rememberFolder(file);
    saveStudyAs(file);
}

void MainWindow::pack()
{
    const QString name = m_state.studyFile().isEmpty() ? QDir(lastFolder()).filePath(proposedName())
                                                       : m_state.studyFile().chopped(kStudySuffix.size());
    auto *dialog = new PackDialog(m_state.model()->folder, name, this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QDialog::accepted, this, [this, dialog] {
        rememberFolder(dialog->file());
        m_controller.packStudy(dialog->file(), dialog->withModel(), layoutText());
    });
    dialog->open();
}

void MainWindow::openPacked(const QString &file)
{
    // A new folder: its name is typed into a dialog for files.
    const QFileInfo info(file);
    const QString folder = QFileDialog::getSaveFileName(this, tr("New folder to unpack the study into"),
                                                        info.dir().filePath(info.completeBaseName()), {}, nullptr,
                                                        QFileDialog::ShowDirsOnly | QFileDialog::DontConfirmOverwrite);
    if (!folder.isEmpty())
        whenDiscardAccepted(tr("Open another study"), [this, file, folder] { m_controller.openPacked(file, folder); });
}

QString MainWindow::proposedName() const
{
    return m_controller.isDemo() ? QStringLiteral("my demo")
                                 : QDir(QString::fromStdString(m_state.model()->folder.string())).dirName();
}

void MainWindow::saveStudyAs(const QString &file)
{
    m_controller.saveStudy(file.endsWith(kStudySuffix) ? file : QString(file + kStudySuffix), layoutText());
}

QString MainWindow::layoutText() const
{
    QJsonObject layout;
    layout[QStringLiteral("view")] = currentView();
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
    for (qsizetype i = 0; i < m_pages.size(); ++i) {
        if (const QJsonObject page = m_pages[i]->arrangement(); !page.isEmpty())
            arranged[pageRegistry()[static_cast<std::size_t>(i)].info.id] = page;
    }
    if (!arranged.isEmpty())
        layout[QStringLiteral("pages")] = arranged;
    if (const QJsonArray runs = m_cluster.remembered(); !runs.isEmpty())
        layout[QStringLiteral("cluster")] = runs;
    return QString::fromUtf8(QJsonDocument(layout).toJson(QJsonDocument::Compact));
}

void MainWindow::applyLayout(const QString &text)
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
    for (qsizetype i = 0; i < m_pages.size(); ++i)
        m_pages[i]->setArrangement(arranged[pageRegistry()[static_cast<std::size_t>(i)].info.id].toObject());
    m_cluster.takeUp(layout[QLatin1String("cluster")].toArray());
    if (!m_cluster.runs().empty())
        m_toast->say(tr("Sweeps of this study were begun on a cluster."), tr("Resume…"), [this] { runOnCluster(); });
    const PageInfo *view = findPage(layout[QLatin1String("view")].toString());
    if (view && view->needsModel && m_state.model())
        showView(view->id);
}

void MainWindow::exportView()
{
    const QList<ExportItem> items = currentPage() ? currentPage()->exportItems() : QList<ExportItem>();
    if (items.isEmpty()) {
        m_toast->say(tr("This view shows nothing to export yet."));
        return;
    }
    auto *dialog = new ExportDialog(items, lastFolder(), this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QDialog::accepted, this, [this, dialog] {
        rememberFolder(dialog->writtenFile());
        m_toast->sayWritten(tr("Written: %1").arg(QFileInfo(dialog->writtenFile()).fileName()), dialog->writtenFile());
    });
    dialog->open();
}

void MainWindow::exportEverything()
{
    const QString folder = QFileDialog::getExistingDirectory(this, tr("Export every view into a folder"), lastFolder());
    if (folder.isEmpty())
        return;
    const QList<PlannedFile> files = plannedFiles(*this, folder);
    const QStringList there = filesToReplace(files);
    if (there.isEmpty())
        return writePlanned(files, folder);
    lossQuestion(tr("Replace %n file(s) in this folder?", nullptr, static_cast<int>(there.size())),
                 tr("%1, and others that an earlier export has left there.").arg(there.front()), tr("Replace"),
                 [this, files, folder] { writePlanned(files, folder); })
        ->open();
}

void MainWindow::writePlanned(const QList<PlannedFile> &files, const QString &folder)
{
    const JobSpec spec{tr("Export into %1").arg(QDir(folder).dirName()), QStringLiteral("export ") + folder,
                       JobLane::Interactive};
    m_controller.queue().start<int>(
        spec, [files, folder](const JobControl &control) { return writeFiles(files, folder, control); }, this,
        [this, folder](const Result<int> &written) {
            if (written.isError())
                m_state.setError(ErrorPlace::Study, QString::fromStdString(written.error().message));
            if (written.isOk())
                m_toast->sayWritten(tr("%Ln files written to %1", nullptr, written.value()).arg(folder), folder);
        });
}

void MainWindow::writeReport(const ReportSpec &spec)
{
    // A new folder: its name is typed into a dialog for files.
    const QString proposal = QDir(lastFolder()).filePath(proposedName() + tr("-report"));
    const QString folder = QFileDialog::getSaveFileName(this, tr("Folder of the report"), proposal, {}, nullptr,
                                                        QFileDialog::ShowDirsOnly | QFileDialog::DontConfirmOverwrite);
    if (folder.isEmpty())
        return;
    rememberFolder(folder);
    startReport(m_state, m_controller, spec, folder, [this](const QString &written) {
        const QString page = QDir(written).filePath(QStringLiteral("index.html"));
        m_toast->say(tr("The report is written."), tr("Open report"),
                     [page] { QDesktopServices::openUrl(QUrl::fromLocalFile(page)); });
    });
}

void MainWindow::copyView()
{
    const QList<ExportItem> items = currentPage() ? currentPage()->exportItems() : QList<ExportItem>();
    if (items.isEmpty())
        return m_toast->say(tr("This view shows nothing to copy yet."));
    copyToClipboard(items.front());
    m_toast->say(tr("Copied as picture and table: %1").arg(items.front().name));
}

} // namespace headscope

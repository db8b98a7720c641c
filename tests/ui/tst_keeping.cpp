// No finished result is lost: another model, the demo, a study, other data, closing, a second window, a failed save.
#include "core/results/resultstore.h"
#include "core/session/demo.h"
#include "tests/support/nowarnings.h"
#include "tests/support/tinymodel.h"
#include "ui/mainwindow/mainwindow.h"
#include "ui/pages/page.h"
#include "ui/views/studypanel.h"

#include <QAction>
#include <QApplication>
#include <QCommandLinkButton>
#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QFileDialog>
#include <QLocale>
#include <QLockFile>
#include <QMenu>
#include <QMessageBox>
#include <QPushButton>
#include <QSettings>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>
#include <QThread>
#include <QTimer>
#include <QToolButton>

#include <algorithm>
#include <filesystem>

#include <sys/wait.h>
#include <unistd.h>

using namespace headscope;
using namespace Qt::StringLiterals;

class TestKeeping : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void init();

    void anotherModelKeepsTheResults();
    void demoAndStudyKeepThem();
    void closingKeepsWithoutAsking();
    void savedStudyLeavesNothingToRecover();
    void recoveredStudyKeepsItsFile();
    void removedDataComeBackByUndo();
    void otherDataComeBackByUndo();
    void cancellingAllDoesNotStopKeeping();
    void studiesOfKilledProgramsAreOffered();
    void questionOnlyWhereKeepingFails();
    void secondWindowGetsACopy();
    void changedFileIsNotOverwritten();
    void resultsOfOthersStay();
    void oldOnesAreForgotten();
    void dataThatAreGoneAreSaid();
    void leavingALongAnalysisAsks();
    void exportingOverFilesAsks();

private:
    static constexpr int kWait = 20000;

    QString path(const char *name) const { return m_folder.filePath(QString::fromLatin1(name)); }
    static bool isReady(MainWindow &window) { return window.state().session() && window.controller().queue().isIdle(); }
    void open(MainWindow &window, const QString &path);
    /// A window on the model with everything computed and nothing saved.
    void openModel(MainWindow &window);
    static QMenu *recoverMenu(MainWindow &window);
    static QMessageBox *question(MainWindow &window) { return window.findChild<QMessageBox *>(u"lossQuestion"_s); }

    QTemporaryDir m_folder;
    QString m_study; ///< a saved one, with all results
};

void TestKeeping::open(MainWindow &window, const QString &path)
{
    window.openPaths({path});
    QTRY_VERIFY_WITH_TIMEOUT(isReady(window), kWait);
}

void TestKeeping::openModel(MainWindow &window)
{
    RunOptions run;
    run.decoding.beams = 1;
    window.controller().setRunOptions(run);
    for (const Domain domain : kBothDomains) {
        DataSource source;
        source.source = path(domain == Domain::In ? "in.en" : "out.en").toStdString();
        source.reference = path(domain == Domain::In ? "in.fr" : "out.fr").toStdString();
        window.controller().setData(domain, source);
    }
    window.openPaths({path("model")});
    QTRY_VERIFY_WITH_TIMEOUT(window.state().results(Domain::Out).confidence && isReady(window), kWait);
    QVERIFY(window.state().results(Domain::In).ablation);
}

QMenu *TestKeeping::recoverMenu(MainWindow &window)
{
    for (QMenu *menu : window.findChildren<QMenu *>()) {
        if (menu->title().remove(u'&') == "Recover"_L1) {
            Q_EMIT menu->aboutToShow();
            return menu;
        }
    }
    return nullptr;
}

void TestKeeping::initTestCase()
{
    QStandardPaths::setTestModeEnabled(true);
    QSettings::setDefaultFormat(QSettings::IniFormat);
    QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, m_folder.path());
    testing::writeTinyModel(path("model").toStdString());
    testing::TinyModel sizes;
    sizes.heads = 2;
    testing::writeTinyModel(path("other model").toStdString(), sizes);
    for (const char *name : {"in", "out", "third"})
        testing::writeTinyCorpus(path(name).toStdString() + ".en", path(name).toStdString() + ".fr", 8, name[0] - 'a');
    m_study = path("saved.headscope");
    MainWindow window;
    openModel(window);
    window.saveStudyAs(m_study);
    QTRY_COMPARE_WITH_TIMEOUT(window.state().studyFile(), m_study, kWait);
}

void TestKeeping::init()
{
    failOnQtWarnings();
    QDir(QStandardPaths::writableLocation(QStandardPaths::AppDataLocation)).removeRecursively();
}

void TestKeeping::anotherModelKeepsTheResults()
{
    MainWindow window;
    window.useSettings();
    window.show();
    openModel(window);
    const double score = window.state().results(Domain::In).baseline->primary().value;
    window.openPaths({path("other model")}); // at once: nothing waits for the timer
    QTRY_VERIFY_WITH_TIMEOUT(window.state().model()->folder.filename() == "other model" && isReady(window), kWait);
    QVERIFY(!question(window));
    // Two models after it do not overwrite it.
    open(window, path("model"));
    const QList<AutosavedStudy> kept = window.controller().files().keptStudies().list();
    QVERIFY(!kept.isEmpty());
    QMenu *menu = recoverMenu(window);
    QVERIFY(menu);
    QAction *oldest = menu->actions()[kept.size() - 1];
    QVERIFY2(oldest->text().startsWith(u"model"), qPrintable(oldest->text()));
    // What it is of: the examples of both sets, the beams, when it was kept, and a picture of its heads.
    QVERIFY2(oldest->text().contains(u"n 8 and 8"_s), qPrintable(oldest->text()));
    QVERIFY2(oldest->text().contains(u"greedy"_s), qPrintable(oldest->text()));
    QVERIFY2(oldest->text().contains(QLocale().toString(kept.last().time, QLocale::ShortFormat)),
             qPrintable(oldest->text()));
    QTRY_VERIFY_WITH_TIMEOUT(!oldest->icon().isNull(), kWait);
    oldest->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(window.state().results(Domain::Out).confidence && isReady(window), kWait);
    QCOMPARE(window.state().results(Domain::In).baseline->primary().value, score);
    QVERIFY(window.state().results(Domain::In).ablation && window.state().results(Domain::In).importance);
    QVERIFY(window.controller().files().isModified()); // no file of the user's holds it
}

void TestKeeping::demoAndStudyKeepThem()
{
    qputenv("HEADSCOPE_DEMO", path("").toUtf8());
    QVERIFY(QFile::copy(m_study, path("demo.headscope")));
    MainWindow window;
    window.useSettings();
    openModel(window);
    window.openDemo();
    QTRY_VERIFY_WITH_TIMEOUT(window.controller().files().isDemo() && isReady(window), kWait);
    QCOMPARE(window.controller().files().keptStudies().list().size(), 1);
    window.state().toggleMask(window.state().layout().heads().front());
    open(window, m_study);
    QTRY_COMPARE(window.state().studyFile(), m_study);
    QCOMPARE(window.controller().files().keptStudies().list().size(), 2);
    QFile::remove(path("demo.headscope"));
}

void TestKeeping::closingKeepsWithoutAsking()
{
    {
        MainWindow window;
        window.useSettings();
        window.show();
        openModel(window);
        QTest::keyClick(&window, Qt::Key_Q, Qt::ControlModifier);
        QTRY_VERIFY_WITH_TIMEOUT(!window.isVisible(), kWait);
        QVERIFY(!question(window));
    }
    MainWindow window;
    window.useSettings();
    window.show();
    const auto buttons = window.findChildren<QCommandLinkButton *>();
    QTRY_VERIFY_WITH_TIMEOUT(buttons.last()->isVisible(), kWait);
    QTest::mouseClick(buttons.last(), Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(window.state().results(Domain::Out).confidence && isReady(window), kWait);
    QVERIFY(window.state().studyFile().isEmpty());
}

void TestKeeping::savedStudyLeavesNothingToRecover()
{
    {
        MainWindow window;
        window.useSettings();
        openModel(window);
        QTRY_VERIFY_WITH_TIMEOUT(!window.controller().files().hasUnkept() && isReady(window), kWait);
        const QString file = path("complete.headscope");
        window.saveStudyAs(file);
        QTRY_COMPARE_WITH_TIMEOUT(window.state().studyFile(), file, kWait);
        QTRY_VERIFY_WITH_TIMEOUT(isReady(window), kWait);
        QVERIFY(!window.controller().files().isModified());
    }
    MainWindow window;
    window.useSettings();
    QCOMPARE(window.controller().files().keptStudies().list().size(), 0);
    QVERIFY(window.findChildren<QCommandLinkButton *>().last()->isHidden());
}

void TestKeeping::recoveredStudyKeepsItsFile()
{
    {
        MainWindow window;
        window.useSettings();
        open(window, m_study);
        window.state().toggleMask(window.state().layout().heads().front());
        QTRY_VERIFY_WITH_TIMEOUT(window.state().results(Domain::In).masked && isReady(window), kWait);
        window.close();
    }
    MainWindow window;
    window.useSettings();
    const QList<AutosavedStudy> kept = window.controller().files().keptStudies().list();
    QCOMPARE(kept.size(), 1);
    QCOMPARE(kept.front().origin, m_study);
    window.show();
    open(window, kept.front().file);
    QCOMPARE(window.state().studyFile(), m_study);
    QCOMPARE(window.state().mask().size(), 1);
    QVERIFY(window.controller().files().isModified());
    QVERIFY2(window.state().error(ErrorPlace::Study).isEmpty(), qPrintable(window.state().error(ErrorPlace::Study)));
    window.state().clearMask();
    QTest::keyClick(&window, Qt::Key_S, Qt::ControlModifier);
    QTRY_VERIFY_WITH_TIMEOUT(!window.controller().files().isModified() && isReady(window), kWait);
    QVERIFY2(window.state().error(ErrorPlace::Study).isEmpty(), qPrintable(window.state().error(ErrorPlace::Study)));
}

void TestKeeping::removedDataComeBackByUndo()
{
    MainWindow window;
    window.useSettings();
    window.show();
    openModel(window);
    const auto before = window.state().results(Domain::Out).ablation;
    for (QToolButton *button : window.findChild<StudyPanel *>()->findChildren<QToolButton *>()) {
        if (button->accessibleName() == "Out-of-domain data: details"_L1)
            QTest::mouseClick(button, Qt::LeftButton);
    }
    for (QToolButton *button : window.findChild<StudyPanel *>()->findChildren<QToolButton *>()) {
        if (button->accessibleName() == "Out-of-domain data: remove"_L1)
            QTest::mouseClick(button, Qt::LeftButton);
    }
    QVERIFY(!window.state().data(Domain::Out) && !window.state().results(Domain::Out).ablation);
    QTest::keyClick(&window, Qt::Key_Z, Qt::ControlModifier);
    QVERIFY(window.state().data(Domain::Out));
    const auto after = window.state().results(Domain::Out).ablation;
    QVERIFY(after && window.state().results(Domain::Out).confidence);
    QCOMPARE(after->heads.front().delta, before->heads.front().delta);
    QTRY_VERIFY_WITH_TIMEOUT(isReady(window) && window.state().session()->data(Domain::Out), kWait);
    QTest::keyClick(&window, Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
    QVERIFY(!window.state().data(Domain::Out));
}

void TestKeeping::otherDataComeBackByUndo()
{
    MainWindow window;
    openModel(window);
    DataSource third;
    third.source = path("third.en").toStdString();
    third.reference = path("third.fr").toStdString();
    window.controller().setData(Domain::In, third);
    QTRY_VERIFY_WITH_TIMEOUT(window.state().data(Domain::In)->name.starts_with("third")
                                 && window.state().results(Domain::In).confidence && isReady(window),
                             kWait);
    QCOMPARE(window.state().undoStack().count(), 1);
    window.state().undoStack().undo();
    QVERIFY(window.state().data(Domain::In)->name.starts_with("in"));
    QVERIFY(window.state().results(Domain::In).ablation && window.state().results(Domain::In).importance);
    QTRY_VERIFY_WITH_TIMEOUT(isReady(window), kWait);
    window.state().undoStack().redo(); // with what was computed meanwhile
    QVERIFY(window.state().data(Domain::In)->name.starts_with("third"));
    QVERIFY(window.state().results(Domain::In).ablation && window.state().results(Domain::In).confidence);
    QTRY_VERIFY_WITH_TIMEOUT(isReady(window), kWait);
}

void TestKeeping::cancellingAllDoesNotStopKeeping()
{
    MainWindow window;
    window.useSettings();
    openModel(window);
    bool kept = false;
    window.controller().files().whenKept([&] { kept = true; });
    window.controller().queue().cancelAll();
    QTRY_VERIFY_WITH_TIMEOUT(kept, kWait);
    QVERIFY(!window.controller().files().hasUnkept());
}

/// A program that is killed leaves its lock behind.
void TestKeeping::studiesOfKilledProgramsAreOffered()
{
    {
        MainWindow window;
        window.useSettings();
        window.show();
        openModel(window);
        window.close(); // once what there is is kept
        QTRY_VERIFY_WITH_TIMEOUT(!window.isVisible(), kWait);
    }
    const QDir root(QStandardPaths::writableLocation(QStandardPaths::AppDataLocation) + u"/kept studies"_s);
    const QStringList kept = root.entryList(QDir::Dirs | QDir::NoDotAndDotDot);
    QCOMPARE(kept.size(), 1);
    const QString lock = root.filePath(kept.front() + u"/lock"_s);
    for (int time = 0; time < 10; ++time) {
        const pid_t child = fork();
        if (child == 0) {
            QLockFile held(lock);
            _exit(held.tryLock(0) ? 0 : 1); // as kill -9 leaves it
        }
        int status = -1;
        QCOMPARE(waitpid(child, &status, 0), child);
        QCOMPARE(status, 0);
        QVERIFY(QFile::exists(lock));
        MainWindow window;
        window.useSettings();
        window.show();
        QCommandLinkButton *last = nullptr;
        for (QCommandLinkButton *button : window.findChildren<QCommandLinkButton *>())
            last = button->text().contains("left off"_L1) ? button : last;
        QVERIFY(last != nullptr);
        QTRY_VERIFY_WITH_TIMEOUT(last->isVisible(), kWait);
    }
}

void TestKeeping::questionOnlyWhereKeepingFails()
{
    MainWindow window;
    window.useSettings();
    window.show();
    openModel(window);
    QTRY_VERIFY_WITH_TIMEOUT(!window.controller().files().hasUnkept() && isReady(window), kWait);
    // A file where the results belong, which takes none.
    const QDir root(window.controller().files().keptStudies().root());
    const QString results
        = root.filePath(root.entryList(QDir::Dirs | QDir::NoDotAndDotDot).front()) + u"/study.headscope.results"_s;
    QVERIFY(QDir(results).removeRecursively());
    QFile file(results);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.close();
    window.state().toggleMask(window.state().layout().heads().front());
    window.close();
    QTRY_VERIFY_WITH_TIMEOUT(question(window), kWait);
    QVERIFY(window.isVisible());
    QVERIFY2(question(window)->informativeText().contains(u"kept"), qPrintable(question(window)->informativeText()));
    QTest::keyClick(question(window), Qt::Key_Escape);
    QTRY_VERIFY(!question(window));
    QVERIFY(window.isVisible());
    window.openPaths({path("other model")});
    QTRY_VERIFY_WITH_TIMEOUT(question(window), kWait);
    QVERIFY(window.state().results(Domain::In).ablation); // still there
    for (QAbstractButton *button : question(window)->buttons()) {
        if (question(window)->buttonRole(button) == QMessageBox::DestructiveRole) {
            QTest::mouseClick(button, Qt::LeftButton);
            break;
        }
    }
    QTRY_VERIFY_WITH_TIMEOUT(window.state().model()->folder.filename() == "other model" && isReady(window), kWait);
}

void TestKeeping::secondWindowGetsACopy()
{
    MainWindow first;
    open(first, m_study);
    MainWindow second;
    open(second, m_study);
    QCOMPARE(first.state().studyFile(), m_study);
    QVERIFY(second.state().studyFile().isEmpty());
    QVERIFY(second.state().error(ErrorPlace::Study).contains(u"another window"));
    QVERIFY(second.state().results(Domain::In).ablation);
    QFile file(m_study);
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QByteArray before = file.readAll();
    file.close();
    second.saveStudyAs(m_study);
    QVERIFY(second.state().error(ErrorPlace::Study).contains(u"another window"));
    QTRY_VERIFY_WITH_TIMEOUT(isReady(second), kWait);
    QVERIFY(file.open(QIODevice::ReadOnly));
    QCOMPARE(file.readAll(), before);
    second.saveStudyAs(path("copy"));
    QTRY_COMPARE_WITH_TIMEOUT(second.state().studyFile(), path("copy.headscope"), kWait);
}

void TestKeeping::changedFileIsNotOverwritten()
{
    MainWindow window;
    window.show();
    open(window, m_study);
    QFile file(m_study);
    QVERIFY(file.open(QIODevice::Append));
    file.write("\n"); // by a program that knows no locks
    file.close();
    window.state().toggleMask(window.state().layout().heads().front());
    QTest::keyClick(&window, Qt::Key_S, Qt::ControlModifier);
    QTRY_VERIFY_WITH_TIMEOUT(window.state().error(ErrorPlace::Study).contains(u"changed by another program"), kWait);
    QVERIFY(window.controller().files().isModified());
}

void TestKeeping::resultsOfOthersStay()
{
    MainWindow window;
    open(window, m_study);
    const QString strange = m_study + u".results/0123456789abcdef0123456789abcdef.json"_s;
    QFile file(strange);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("{}");
    file.close();
    window.controller().clearData(Domain::Out);
    const std::string own = window.state().results(Domain::In).ablation->manifest.key();
    window.saveStudyAs(m_study);
    QTRY_VERIFY_WITH_TIMEOUT(!window.controller().files().isModified(), kWait);
    QVERIFY(QFile::exists(strange)); // this window never knew of it
    QVERIFY(ResultStore(resultsFolder(m_study.toStdString())).contains(own));
    window.state().undoStack().undo();
    window.saveStudyAs(m_study);
    QTRY_VERIFY_WITH_TIMEOUT(isReady(window) && !window.controller().files().isModified(), kWait);
    QVERIFY(QFile::remove(strange));
}

void TestKeeping::oldOnesAreForgotten()
{
    const AutosavedStudies kept(path("kept"));
    for (int i = 0; i < AutosavedStudies::kMost + 3; ++i) {
        const auto folder = kept.make();
        QVERIFY(folder);
        const bool old = i == 0;
        QVERIFY(
            folder->describe({{}, QString::number(i), {}, {}, QDateTime::currentDateTime().addDays(old ? -400 : -i)}));
        QFile study(folder->studyFile());
        QVERIFY(study.open(QIODevice::WriteOnly));
    }
    const auto used = kept.make(); // empty, but a window has it open
    kept.tidy();
    const QList<AutosavedStudy> left = kept.list();
    QCOMPARE(left.size(), AutosavedStudies::kMost);
    QCOMPARE(left.front().name, u"1"_s);
    QCOMPARE(QDir(path("kept")).entryList(QDir::Dirs | QDir::NoDotAndDotDot).size(), AutosavedStudies::kMost + 1);
    kept.forgetAll();
    QVERIFY(kept.list().isEmpty());
}

void TestKeeping::dataThatAreGoneAreSaid()
{
    for (const char *name : {"in.en", "out.en"})
        QVERIFY(QFile::rename(path(name), path(name) + u".away"_s));
    MainWindow window;
    window.show();
    open(window, m_study);
    QVERIFY(!window.state().error(ErrorPlace::InData).isEmpty());
    const QString why = window.controller().whyNotReady();
    QVERIFY2(why.contains(u"could not be read"), qPrintable(why));
    for (const QAction *action : window.findChildren<QAction *>()) {
        if (action->text().contains(u"Compute what is"))
            QVERIFY(!action->isEnabled() && action->toolTip() == why);
    }
    for (const QString &view : {QStringLiteral("pruning"), QStringLiteral("layers"), QStringLiteral("roles")}) {
        window.showView(view);
        for (const QPushButton *button : window.page(view)->findChildren<QPushButton *>()) {
            if (button->text().remove(u'&').startsWith(u"Compute"))
                QVERIFY2(!button->isEnabled(), qPrintable(button->text()));
        }
    }
    for (const char *name : {"in.en", "out.en"})
        QVERIFY(QFile::rename(path(name) + u".away"_s, path(name)));
}

void TestKeeping::leavingALongAnalysisAsks()
{
    MainWindow window;
    window.useSettings();
    window.show();
    open(window, path("model"));
    const JobId job = window.controller().queue().start<int>({u"Endless sweep"_s, u"endless"_s, JobLane::Batch},
                                                             [](const JobControl &control) -> Result<int> {
                                                                 while (!control.cancelled())
                                                                     QThread::msleep(5);
                                                                 return Result<int>::cancelled();
                                                             },
                                                             this, {});
    const auto isRunning = [&] {
        const std::vector<JobInfo> jobs = window.controller().queue().jobs();
        const auto found = std::ranges::find(jobs, job, &JobInfo::id);
        return found != jobs.end() && found->state == JobState::Running && !found->cancelling && found->seconds > 0;
    };
    QTRY_VERIFY_WITH_TIMEOUT(isRunning(), kWait);
    window.setLongAnalysis(1e-6);
    for (const bool closing : {true, false}) {
        if (closing)
            QVERIFY(!window.close());
        else
            window.openPaths({path("other model")});
        QTRY_VERIFY(question(window));
        QVERIFY2(question(window)->text().contains(u"Endless sweep"_s), qPrintable(question(window)->text()));
        question(window)->button(QMessageBox::Cancel)->click();
        QTRY_VERIFY(!question(window));
        QVERIFY(window.isVisible() && isRunning());
        QCOMPARE(window.state().model()->folder.filename(), "model");
    }
    window.close();
    QTRY_VERIFY(question(window));
    for (QAbstractButton *button : question(window)->buttons()) {
        if (question(window)->buttonRole(button) == QMessageBox::DestructiveRole) {
            button->click();
            break;
        }
    }
    QTRY_VERIFY_WITH_TIMEOUT(!window.isVisible(), kWait);
    QTRY_VERIFY(!question(window));
    window.show();
    window.setLongAnalysis(3600); // one that is soon done again is not worth a question
    QVERIFY(window.close());
}

void TestKeeping::exportingOverFilesAsks()
{
    MainWindow window;
    window.show();
    open(window, m_study);
    const QDir folder(path("exported"));
    QVERIFY(folder.mkpath(u"."_s));
    QAction *exporting = nullptr;
    for (QAction *action : window.findChildren<QAction *>()) {
        if (action->text().remove(u'&').startsWith(u"Export everything"))
            exporting = action;
    }
    QVERIFY(exporting && exporting->isEnabled());
    const auto chooseFolder = [&] { // in a dialog that runs a loop of its own
        QTimer::singleShot(0, this, [&] {
            QTRY_VERIFY(qobject_cast<QFileDialog *>(QApplication::activeModalWidget()));
            auto *dialog = qobject_cast<QFileDialog *>(QApplication::activeModalWidget());
            dialog->setDirectory(folder.absolutePath());
            static_cast<QDialog *>(dialog)->done(QDialog::Accepted);
        });
        exporting->trigger();
    };
    const auto files = [&] { // in a folder for each page
        QStringList found;
        for (QDirIterator each(folder.path(), QDir::Files, QDirIterator::Subdirectories); each.hasNext();)
            found << each.next();
        return found;
    };
    chooseFolder();
    QVERIFY(!question(window)); // nothing was there
    QTRY_VERIFY_WITH_TIMEOUT(isReady(window), kWait);
    const QStringList written = files();
    QVERIFY(written.size() > 10);
    const QString victim = written.filter(u".csv"_s).front();
    const auto content = [&] {
        QFile file(victim);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    };
    const QByteArray exported = content();
    QFile file(victim);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("mine");
    file.close();
    chooseFolder();
    QVERIFY(question(window));
    question(window)->button(QMessageBox::Cancel)->click();
    QTRY_VERIFY(!question(window));
    QCOMPARE(content(), "mine");
    chooseFolder();
    QVERIFY(question(window));
    for (QAbstractButton *button : question(window)->buttons()) {
        if (button->text() == "Replace"_L1) {
            button->click();
            break;
        }
    }
    QTRY_COMPARE_WITH_TIMEOUT(content(), exported, kWait);
    QTRY_VERIFY_WITH_TIMEOUT(isReady(window), kWait);
}

QTEST_MAIN(TestKeeping)
#include "tst_keeping.moc"

// Work that is stopped, left or killed: how it stands is said alike everywhere, and it goes on where it was.
#include "core/analysis/ablationspec.h"
#include "core/analysis/evaluationspec.h"
#include "core/results/ablationresult.h"
#include "core/results/anyresult.h"
#include "core/results/energyresult.h"
#include "core/results/evaluationresult.h"
#include "core/results/json.h"
#include "core/session/session.h"
#include "tests/support/clirun.h"
#include "tests/support/madeupstate.h"
#include "tests/support/nowarnings.h"
#include "tests/support/tinymodel.h"
#include "ui/mainwindow/mainwindow.h"
#include "ui/pages/analyses/analysespage.h"
#include "ui/pages/heads/headspage.h"
#include "ui/pages/page.h"
#include "ui/report/reportjob.h"
#include "ui/views/foldingside.h"
#include "ui/views/scorebar.h"
#include "ui/views/studypanel.h"

#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QLabel>
#include <QLocale>
#include <QMenu>
#include <QMessageBox>
#include <QProcess>
#include <QPushButton>
#include <QSettings>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>
#include <QThread>
#include <QTimer>
#include <QToolButton>
#include <QTreeWidget>
#include <QTreeWidgetItemIterator>

#include <algorithm>
#include <map>
#include <optional>
#include <string>

using namespace headscope;
using namespace Qt::StringLiterals;

class TestUnfinishedWork : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void init();

    void cancelledSweepGoesOnByF5();
    void cancelledSweepGoesOnByItsButton();
    void leftSweepGoesOnInTheNextWindow();
    void leftSweepIsShownAtOnce();
    void killedWindowIsShownAtOnce();
    void killedSweepOfTheCommandLineGoesOnHere();
    void longWorkIsNotStartedUnasked();
    void longAnalysesSayHowLong_data();
    void longAnalysesSayHowLong();
    void reportSaysHowLong();
    void killedStudyIsFoundBesideItsFile();
    void savedSweepGoesAlong();
    void stoppedScoreOfAMaskIsTold();
    void scoreUnderAMaskIsPaired();
    void savingWaitsForNothing();
    void cheapComesBeforeDear();
    void whatCountsNoExamplesIsNotComputing();
    void partialResultsAreTold();
    void leftoversCanBeRemoved();
    void masksDoNotLeak();

private:
    static constexpr int kWait = 60000;
    static constexpr int kRows = 600; // the rest of a stopped sweep lasts several ticks of the queue on every machine
    static constexpr int kManyRows = 1500;

    QString path(const char *name) const { return m_folder.filePath(QString::fromLatin1(name)); }
    static RunOptions slowly();
    /// Of the files that are called so.
    DataSource source(const char *name) const;
    /// A window on the model; its sweeps are kept in that folder.
    void open(MainWindow &window, const char *work, bool both = false, const char *in = "in");
    static QString windowProgram() { return qEnvironmentVariable("HEADSCOPE_BIN") + u"/headscope"_s; }
    static bool isIdle(MainWindow &window) { return window.controller().queue().isIdle(); }
    static std::optional<Work> sweep(MainWindow &window)
    {
        return window.controller().works().workOn(Domain::In, ResultKind::Ablation);
    }
    /// Until a few examples are done of the sweep, and others are not.
    void waitForAFewExamples(MainWindow &window);
    static QTreeWidgetItem *row(MainWindow &window, const QString &title);
    /// How that row stands; empty where the list has no such row (yet: it follows the work a moment later).
    static QString stageOf(MainWindow &window, const QString &title)
    {
        const QTreeWidgetItem *item = row(window, title);
        return item ? item->text(1) : QString();
    }
    static bool isWhole(MainWindow &window)
    {
        const auto work = sweep(window);
        return work && work->isWhole();
    }
    static bool isActive(MainWindow &window)
    {
        const auto work = sweep(window);
        return work && work->isActive();
    }
    /// How far the next sweep is when it is heard of first.
    static void watchStart(MainWindow &window, std::int64_t &first);
    static std::string contentOf(const AblationResult &result);
    void compareWithUndisturbed(const AblationResult &result, const char *in = "in");
    /// Kills the window's program, whose own files lie in `home`, as soon as `partials` has a part of a sweep.
    static void killDuringASweep(const QStringList &arguments, const QString &home, const QString &partials);
    JobId startEndless(MainWindow &window, JobLane lane);

    QTemporaryDir m_folder;
    std::map<std::string, std::string> m_undisturbed; ///< by data
};

RunOptions TestUnfinishedWork::slowly()
{
    RunOptions run;
    run.decoding.beams = 1;
    run.plain = true;
    return run;
}

DataSource TestUnfinishedWork::source(const char *name) const
{
    DataSource data;
    data.source = path(name).toStdString() + ".en";
    data.reference = path(name).toStdString() + ".fr";
    return data;
}

void TestUnfinishedWork::open(MainWindow &window, const char *work, bool both, const char *in)
{
    window.controller().setWorkFolder(path(work).toStdString());
    window.controller().setRunOptions(slowly());
    window.controller().setData(Domain::In, source(in));
    if (both)
        window.controller().setData(Domain::Out, source("out"));
    window.openPaths({path("model")});
    QTRY_VERIFY_WITH_TIMEOUT(window.state().session(), kWait);
}

void TestUnfinishedWork::waitForAFewExamples(MainWindow &window)
{
    const auto isUnderWay = [&] {
        const auto work = sweep(window);
        return work && work->examples >= 8 && work->result && manifestOf(*work->result)->partial;
    };
    QTRY_VERIFY_WITH_TIMEOUT(isUnderWay(), kWait);
}

QTreeWidgetItem *TestUnfinishedWork::row(MainWindow &window, const QString &title)
{
    auto *results = window.findChild<StudyPanel *>()->findChild<QTreeWidget *>();
    for (QTreeWidgetItemIterator at(results); *at; ++at) {
        if ((*at)->text(0) == title)
            return *at;
    }
    return nullptr;
}

void TestUnfinishedWork::watchStart(MainWindow &window, std::int64_t &first)
{
    JobQueue &queue = window.controller().queue();
    connect(&queue, &JobQueue::jobChanged, &window, [&queue, &first](qint64 id) {
        for (const JobInfo &job : queue.jobs()) {
            if (job.id == id && job.spec.lane == JobLane::Sweep && job.isActive() && first < 0 && job.progress.done > 0
                && job.progress.phase.phase == kPhaseAblating)
                first = job.progress.done;
        }
    });
}

std::string TestUnfinishedWork::contentOf(const AblationResult &result)
{
    Json value = toJson(result);
    value.erase("manifest");
    return value.dump();
}

void TestUnfinishedWork::compareWithUndisturbed(const AblationResult &result, const char *in)
{
    std::string &undisturbed = m_undisturbed[in];
    if (undisturbed.empty()) {
        const auto session = Session::open(path("model").toStdString(), {}, {}).valueOrThrow();
        (void)session->setData(Domain::In, source(in), {}).valueOrThrow();
        undisturbed = contentOf(session->run(Domain::In, AblationSpec{.run = slowly()}, JobControl()).valueOrThrow());
    }
    QCOMPARE(contentOf(result), undisturbed);
}

JobId TestUnfinishedWork::startEndless(MainWindow &window, JobLane lane)
{
    return window.controller().queue().start<int>({u"Endless"_s, {}, lane},
                                                  [](const JobControl &control) -> Result<int> {
                                                      while (!control.cancelled())
                                                          QThread::msleep(2);
                                                      return Result<int>::cancelled();
                                                  },
                                                  this, {});
}

void TestUnfinishedWork::initTestCase()
{
    QStandardPaths::setTestModeEnabled(true);
    QSettings::setDefaultFormat(QSettings::IniFormat);
    QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, m_folder.path());
    testing::writeTinyModel(path("model").toStdString());
    testing::writeTinyCorpus(path("many").toStdString() + ".en", path("many").toStdString() + ".fr", kManyRows, 7);
    for (const char *name : {"in", "out"})
        testing::writeTinyCorpus(path(name).toStdString() + ".en", path(name).toStdString() + ".fr",
                                 *name == 'i' ? kRows : 8, static_cast<std::uint64_t>(name[0] - 'a'));
}

void TestUnfinishedWork::init()
{
    failOnQtWarnings();
    QDir(QStandardPaths::writableLocation(QStandardPaths::AppDataLocation)).removeRecursively();
}

/// Cancel, wait until the bar says Ready, F5: nothing used to start, and the list went on saying "computing".
void TestUnfinishedWork::cancelledSweepGoesOnByF5()
{
    MainWindow window;
    window.show();
    open(window, "by F5");
    waitForAFewExamples(window);
    QTRY_VERIFY(stageOf(window, u"Ablation"_s).contains(u'%'));
    QTest::keyClick(&window, Qt::Key_Period, Qt::ControlModifier);
    QTRY_VERIFY_WITH_TIMEOUT(isIdle(window), kWait);
    const auto stopped = sweep(window);
    QVERIFY(stopped && stopped->stage == WorkStage::Partial);
    const std::int64_t examples = stopped->examples;
    QVERIFY(examples >= 8 && examples < kRows);
    QTRY_COMPARE(stageOf(window, u"Ablation"_s), u"◐ %1/%2"_s.arg(examples).arg(kRows));
    QVERIFY2(row(window, u"Ablation"_s)->toolTip(0).contains(u"stopped at"_s),
             qPrintable(row(window, u"Ablation"_s)->toolTip(0)));
    const auto says = [&](const QString &text) {
        const auto labels = window.findChildren<QLabel *>();
        return std::ranges::any_of(labels, [&](const QLabel *label) { return label->text().contains(text); });
    };
    QVERIFY(says(u"Stopped: Analyse > Compute what is missing computes the rest."_s));
    QVERIFY(says(u"Ready"_s));
    std::int64_t first = -1;
    watchStart(window, first);
    QTest::keyClick(&window, Qt::Key_F5);
    QVERIFY(isActive(window));
    QTRY_VERIFY_WITH_TIMEOUT(isWhole(window) && isIdle(window), kWait);
    QVERIFY2(first >= examples, qPrintable(QString::number(first))); // of each head and the full model
    compareWithUndisturbed(*window.state().results(Domain::In).ablation);
    QTRY_VERIFY(row(window, u"Ablation"_s) && !stageOf(window, u"Ablation"_s).contains(u'◐'));
    QVERIFY(!says(u"Stopped:"_s));
}

void TestUnfinishedWork::cancelledSweepGoesOnByItsButton()
{
    MainWindow window;
    window.show();
    open(window, "by button");
    waitForAFewExamples(window);
    auto *bar = window.findChild<ScoreBar *>();
    auto *cancel = bar->findChild<QToolButton *>(u"cancelJob"_s);
    const auto isSweeping = [&window] {
        const JobInfo *now = window.controller().queue().current();
        return now && now->spec.lane == JobLane::Sweep;
    };
    QTRY_VERIFY(isSweeping() && cancel->isVisible());
    cancel->click();
    QTRY_VERIFY_WITH_TIMEOUT(isIdle(window), kWait);
    QTRY_VERIFY(stageOf(window, u"Ablation"_s).startsWith(u'◐'));
    auto *results = window.findChild<StudyPanel *>()->findChild<QTreeWidget *>();
    auto *resume = window.findChild<QToolButton *>(u"resume"_s);
    QVERIFY(!resume->isEnabled());
    results->scrollToItem(row(window, u"Ablation"_s));
    QTest::mouseClick(results->viewport(), Qt::LeftButton, {},
                      results->visualItemRect(row(window, u"Ablation"_s)).center());
    QVERIFY(resume->isEnabled());
    QTest::mouseClick(resume, Qt::LeftButton);
    QVERIFY(isActive(window));
    QTRY_VERIFY(!resume->isEnabled());
    QTRY_VERIFY_WITH_TIMEOUT(isWhole(window) && isIdle(window), kWait);
    compareWithUndisturbed(*window.state().results(Domain::In).ablation);
}

/// Quitting asks nothing, and what was done is not done again.
void TestUnfinishedWork::leftSweepGoesOnInTheNextWindow()
{
    std::int64_t examples = 0;
    {
        MainWindow window;
        window.useSettings();
        window.show();
        window.setLongAnalysis(1e-6);
        open(window, "left");
        waitForAFewExamples(window);
        examples = sweep(window)->examples;
        QTest::keyClick(&window, Qt::Key_Q, Qt::ControlModifier);
        QTRY_VERIFY_WITH_TIMEOUT(!window.isVisible(), kWait);
        QVERIFY(!window.findChild<QMessageBox *>(u"lossQuestion"_s));
    }
    QVERIFY(!QDir(path("left")).entryList({u"*.journal"_s}).isEmpty());
    MainWindow window;
    window.useSettings();
    window.show();
    std::int64_t first = -1;
    watchStart(window, first);
    open(window, "left");
    QTRY_VERIFY_WITH_TIMEOUT(isWhole(window) && isIdle(window), kWait);
    QVERIFY2(first >= examples, qPrintable(QString::number(first)));
    compareWithUndisturbed(*window.state().results(Domain::In).ablation);
    // As soon as the study is kept, nothing else keeps it.
    QTRY_VERIFY_WITH_TIMEOUT(!window.controller().files().hasUnkept() && isIdle(window), kWait);
    QTRY_VERIFY(QDir(path("left")).entryList(QDir::Files).isEmpty());
}

/// Before anything is computed: the values that were known, each with its examples, and the offer to compute the rest.
void TestUnfinishedWork::leftSweepIsShownAtOnce()
{
    // Other work that was stopped beside it, such as importance of its first examples, is kept.
    const auto keepsSweep = [this] {
        const QDir folder(path("shown/partial"));
        return std::ranges::any_of(folder.entryList(QDir::Files), [&](const QString &name) {
            QFile file(folder.filePath(name));
            return file.open(QIODevice::ReadOnly) && file.readAll().contains("headscope-cli ablate");
        });
    };
    AblationResult known;
    std::int64_t examples = 0;
    {
        MainWindow window;
        window.show();
        open(window, "shown");
        waitForAFewExamples(window);
        QTest::keyClick(&window, Qt::Key_Period, Qt::ControlModifier);
        QTRY_VERIFY_WITH_TIMEOUT(isIdle(window), kWait);
        examples = sweep(window)->examples;
        known = *window.state().results(Domain::In).ablation;
    }
    QVERIFY(keepsSweep());
    MainWindow window;
    window.show();
    window.controller().setAutomatic(false);
    open(window, "shown");
    QTRY_VERIFY_WITH_TIMEOUT(window.state().rows(Domain::In) && isIdle(window), kWait);
    QTRY_VERIFY_WITH_TIMEOUT(window.state().results(Domain::In).ablation, kWait);
    const AblationResult &left = *window.state().results(Domain::In).ablation;
    QVERIFY(left.manifest.partial && left.examples >= examples && left.examples < kRows); // the last may have come late
    for (const HeadAblation &head : known.heads) { // of the same examples the same
        const auto found = std::ranges::find(left.heads, head.head, &HeadAblation::head);
        QVERIFY(found != left.heads.end() && found->examples >= head.examples);
        if (found->examples == head.examples)
            QCOMPARE(found->delta, head.delta);
    }
    QCOMPARE(sweep(window)->stage, WorkStage::Partial);
    QTRY_VERIFY(row(window, u"Ablation"_s));
    QTRY_COMPARE(stageOf(window, u"Ablation"_s), u"◐ %1/%2"_s.arg(left.examples).arg(kRows));
    auto *results = window.findChild<StudyPanel *>()->findChild<QTreeWidget *>();
    auto *resume = window.findChild<QToolButton *>(u"resume"_s);
    results->scrollToItem(row(window, u"Ablation"_s));
    QTest::mouseClick(results->viewport(), Qt::LeftButton, {},
                      results->visualItemRect(row(window, u"Ablation"_s)).center());
    QVERIFY(resume->isEnabled());
    std::int64_t first = -1;
    watchStart(window, first);
    QTest::mouseClick(resume, Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(isWhole(window) && isIdle(window), kWait);
    QVERIFY2(first >= examples, qPrintable(QString::number(first)));
    compareWithUndisturbed(*window.state().results(Domain::In).ablation);
    QTRY_VERIFY_WITH_TIMEOUT(!window.controller().files().hasUnkept() && isIdle(window), kWait);
    QTRY_VERIFY(!keepsSweep());
}

void TestUnfinishedWork::killDuringASweep(const QStringList &arguments, const QString &home, const QString &partials)
{
    QProcess process;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    for (const char *name : {"XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"})
        environment.insert(QString::fromLatin1(name), home);
    environment.insert(u"QT_QPA_PLATFORM"_s, u"offscreen"_s);
    process.setProcessEnvironment(environment);
    process.start(windowProgram(), arguments);
    const auto isUnderWay = [&] { // not only score, importance and confidence, which come before
        const QDir folder(partials);
        return std::ranges::any_of(folder.entryList({u"*.json"_s}), [&](const QString &name) {
            QFile file(folder.filePath(name));
            return file.open(QIODevice::ReadOnly) && file.readAll().contains("headscope-cli ablate");
        });
    };
    QElapsedTimer timer;
    timer.start();
    while (!isUnderWay() && process.state() != QProcess::NotRunning && timer.elapsed() < kWait)
        QTest::qWait(1);
    QVERIFY2(isUnderWay(), process.readAllStandardError().constData());
    process.kill();
    QVERIFY(process.waitForFinished(kWait));
    QCOMPARE(process.exitStatus(), QProcess::CrashExit);
}

void TestUnfinishedWork::killedWindowIsShownAtOnce()
{
    if (!QFile::exists(windowProgram()))
        QSKIP("The window's program is not built (HEADSCOPE_BIN).");
    const QString work = path("home") + u"/headscope/unfinished"_s;
    killDuringASweep(
        {path("model"), u"--in"_s, path("many.en"), path("many.fr"), u"--beams"_s, u"1"_s, u"--threads"_s, u"1"_s},
        path("home"), work + u"/partial"_s);
    if (QTest::currentTestFailed())
        return;
    MainWindow window;
    window.show();
    window.controller().setAutomatic(false);
    window.controller().setWorkFolder(work.toStdString());
    RunOptions run;
    run.decoding.beams = 1;
    window.controller().setRunOptions(run);
    window.controller().setData(Domain::In, source("many"));
    window.openPaths({path("model")});
    QTRY_VERIFY_WITH_TIMEOUT(window.state().results(Domain::In).ablation, kWait);
    const auto left = sweep(window);
    QVERIFY(left && left->stage == WorkStage::Partial);
    QVERIFY(left->examples >= 8 && left->total == kManyRows);
}

/// A sweep that would take long stops by itself as soon as every head has a value, and shorter ways are offered.
void TestUnfinishedWork::longWorkIsNotStartedUnasked()
{
    MainWindow window;
    window.show();
    window.controller().setPatience(0.05);
    open(window, "long", false, "many"); // so that much is left on every machine when all heads have a value
    window.showView(u"heads"_s);
    QTRY_VERIFY_WITH_TIMEOUT(sweep(window) && sweep(window)->isPutOff && isIdle(window), kWait);
    const Work stopped = *sweep(window);
    QCOMPARE(stopped.stage, WorkStage::Partial);
    QVERIFY(stopped.examples >= 8 && stopped.examples < kManyRows && stopped.secondsLeft > 0.05);
    QCOMPARE(std::ssize(window.state().results(Domain::In).ablation->heads),
             static_cast<std::ptrdiff_t>(window.state().layout().size()));
    auto *ways = window.page(u"heads"_s)->findChild<QToolButton *>(u"ways"_s);
    QTRY_VERIFY(ways->isVisible());
    const auto saysHowToGoOn = [&] {
        const auto labels = window.page(u"heads"_s)->findChildren<QLabel *>();
        return std::ranges::any_of(labels, [](const QLabel *label) {
            return label->text().contains(
                u"Continue… > All %1 examples computes it in full"_s.arg(QLocale().toString(kManyRows)));
        });
    };
    QTRY_VERIFY(saysHowToGoOn());
    const auto choose = [&](const QString &text) {
        QTest::mouseClick(ways, Qt::LeftButton);
        QString found;
        for (QAction *action : ways->menu()->actions()) {
            if (action->text().contains(text)) {
                found = action->text();
                action->trigger();
            }
        }
        ways->menu()->close();
        return found;
    };
    QTimer::singleShot(500, ways->menu(), &QWidget::close);
    const QString fewer = choose(u"The first"_s);
    QVERIFY2(fewer.contains(u"about"_s), qPrintable(fewer));
    QVERIFY(isActive(window));
    QTRY_VERIFY_WITH_TIMEOUT(isIdle(window), kWait);
    const auto more = sweep(window);
    QVERIFY(more->examples > stopped.examples);
    QVERIFY(more->stage == WorkStage::Complete || more->stage == WorkStage::Partial);
    // Asked for, it is computed however long it takes.
    QTest::keyClick(&window, Qt::Key_F5);
    QTRY_VERIFY_WITH_TIMEOUT(isWhole(window) && isIdle(window), kWait);
    compareWithUndisturbed(*window.state().results(Domain::In).ablation, "many");
    QTRY_VERIFY(!ways->isVisible());
}

void TestUnfinishedWork::killedSweepOfTheCommandLineGoesOnHere()
{
    QProcess process;
    process.start(testing::program(),
                  {u"ablate"_s, u"--model"_s, path("model"), u"--source"_s, path("in.en"), u"--reference"_s,
                   path("in.fr"), u"--beams"_s, u"1"_s, u"--plain"_s, u"--threads"_s, u"1"_s, u"--work-folder"_s,
                   path("killed"), u"--out"_s, path("killed.json")});
    const auto journalBytes = [&] {
        qint64 bytes = 0;
        for (const QFileInfo &file : QDir(path("killed")).entryInfoList({u"*.journal"_s}))
            bytes += file.size();
        return bytes;
    };
    QTRY_VERIFY_WITH_TIMEOUT(journalBytes() > 1000, kWait); // more than what says what sweep it is
    process.kill();
    QVERIFY(process.waitForFinished(kWait));
    QCOMPARE(process.exitStatus(), QProcess::CrashExit);
    QVERIFY(!QFile::exists(path("killed.json")));
    MainWindow window;
    window.show();
    std::int64_t first = -1;
    watchStart(window, first);
    open(window, "killed");
    QTRY_VERIFY_WITH_TIMEOUT(isWhole(window) && isIdle(window), kWait);
    const std::int64_t heads = window.state().layout().size();
    QVERIFY2(first >= 8 * (heads + 1), qPrintable(QString::number(first)));
    compareWithUndisturbed(*window.state().results(Domain::In).ablation);
}

void TestUnfinishedWork::longAnalysesSayHowLong_data()
{
    QTest::addColumn<QString>("page");
    QTest::addColumn<ResultKind>("kind");
    QTest::newRow("curves") << u"pruning"_s << ResultKind::Pruning;
    QTest::newRow("search") << u"search"_s << ResultKind::Search;
    QTest::newRow("one head a layer") << u"layers"_s << ResultKind::AllButOne;
}

/// Before it begins: how long it takes, by what has been measured; and what takes less time.
void TestUnfinishedWork::longAnalysesSayHowLong()
{
    QFETCH(QString, page);
    QFETCH(ResultKind, kind);
    MainWindow window;
    window.show();
    window.controller().setAutomatic(false);
    open(window, page.toLatin1().constData());
    QTRY_VERIFY_WITH_TIMEOUT(window.state().rows(Domain::In) && isIdle(window), kWait);
    window.controller().setPatience(1e-6);
    window.showView(page);
    auto *shown = window.page(page);
    for (FoldingSide *side : shown->findChildren<FoldingSide *>())
        side->setFolded(false); // on a narrow page its buttons are folded
    const auto button = [&]() -> QPushButton * {
        const auto buttons = shown->findChildren<QPushButton *>();
        const auto found = std::ranges::find_if(
            buttons, [](const QPushButton *one) { return one->text().remove(u'&').startsWith(u"Compute"_s); });
        return found == buttons.end() ? nullptr : *found;
    };
    QVERIFY(button());
    auto *ways = shown->findChild<QToolButton *>(u"ways"_s);
    // A score by itself runs on another path, and says nothing of masks.
    window.controller().start(Domain::In, EvaluationSpec{.run = slowly()});
    QTRY_VERIFY_WITH_TIMEOUT(window.state().results(Domain::In).baseline && isIdle(window), kWait);
    QVERIFY2(!button()->text().contains(u"about"_s), qPrintable(button()->text()));
    window.controller().times().measurePace(shown->missing(Domain::In, true));
    QTRY_VERIFY2(button()->text().contains(u"(about"_s), qPrintable(button()->text()));
    QTRY_VERIFY(ways->isVisible());
    auto *here = window.findChild<QToolButton *>(u"computePage"_s);
    QTRY_VERIFY2(!here->text().contains(u"(about"_s) && here->menu(), qPrintable(here->text()));
    const auto choose = [&](const QString &text) {
        QTimer::singleShot(300, ways->menu(), &QWidget::close);
        QTest::mouseClick(ways, Qt::LeftButton);
        for (QAction *action : ways->menu()->actions()) {
            if (action->text().startsWith(text)) {
                action->trigger();
                return action->text();
            }
        }
        return QString();
    };
    const QString fewer = choose(u"The first"_s);
    QVERIFY2(fewer.contains(u"about"_s), qPrintable(fewer));
    const auto work = [&] { return window.controller().works().workOn(Domain::In, kind); };
    QTRY_VERIFY_WITH_TIMEOUT(work() && work()->result && isIdle(window), kWait);
    QCOMPARE(work()->stage, WorkStage::Partial);
    QVERIFY2(work()->examples >= 8 && work()->examples < kRows, qPrintable(QString::number(work()->examples)));
    QTRY_VERIFY(ways->isVisible()); // the rest takes as long
    const QString all = choose(u"All"_s);
    QVERIFY2(all.contains(u"about"_s), qPrintable(all));
    QTRY_VERIFY_WITH_TIMEOUT(work()->isWhole() && isIdle(window), kWait);
    QCOMPARE(work()->examples, kRows);
    QTRY_VERIFY2(!button()->text().contains(u"about"_s), qPrintable(button()->text()));
}

void TestUnfinishedWork::reportSaysHowLong()
{
    MainWindow window;
    window.show();
    window.controller().setAutomatic(false);
    window.controller().setPatience(1e-6);
    open(window, "report");
    QTRY_VERIFY_WITH_TIMEOUT(window.state().rows(Domain::In) && isIdle(window), kWait);
    const auto menu = [&]() -> QMenu * {
        for (QMenu *one : window.findChildren<QMenu *>()) {
            if (one->title().remove(u'&').startsWith(u"Write report"_s))
                return one;
        }
        return nullptr;
    };
    QVERIFY(menu() && !menu()->menuAction()->isVisible());
    window.controller().start(Domain::In, EvaluationSpec{.run = slowly()});
    QTRY_VERIFY_WITH_TIMEOUT(window.state().results(Domain::In).baseline && isIdle(window), kWait);
    QVERIFY(!menu()->menuAction()->isVisible()); // of sweeps and curves nothing is known
    measureForReport(window.state(), window.controller());
    QTRY_VERIFY(menu()->menuAction()->isVisible());
    QVERIFY2(menu()->title().contains(u"(about"_s), qPrintable(menu()->title()));
    Q_EMIT menu()->aboutToShow();
    QStringList texts;
    for (const QAction *action : menu()->actions())
        texts << action->text();
    QVERIFY2(texts.size() >= 2 && texts[0].contains(u"about"_s) && texts[1].contains(u"Without random orders"_s),
             qPrintable(texts.join(u'\n')));
}

/// Model, data and study in one folder, which is moved after the window was killed.
void TestUnfinishedWork::killedStudyIsFoundBesideItsFile()
{
    if (!QFile::exists(windowProgram()))
        QSKIP("The window's program is not built (HEADSCOPE_BIN).");
    QVERIFY(QDir().mkpath(path("here")));
    testing::writeTinyModel(path("here/model").toStdString());
    testing::writeTinyCorpus(path("here/many").toStdString() + ".en", path("here/many").toStdString() + ".fr", 1500, 7);
    {
        MainWindow window;
        window.show();
        window.controller().setAutomatic(false);
        window.controller().setWorkFolder(path("of this window").toStdString());
        RunOptions run;
        run.decoding.beams = 1;
        window.controller().setRunOptions(run);
        DataSource data;
        data.source = path("here/many.en").toStdString();
        data.reference = path("here/many.fr").toStdString();
        window.controller().setData(Domain::In, data);
        window.openPaths({path("here/model")});
        QTRY_VERIFY_WITH_TIMEOUT(window.state().rows(Domain::In) && isIdle(window), kWait);
        window.saveStudyAs(path("here/mine.headscope"));
        QTRY_COMPARE_WITH_TIMEOUT(window.state().studyFile(), path("here/mine.headscope"), kWait);
        QTRY_VERIFY_WITH_TIMEOUT(isIdle(window), kWait);
    }
    killDuringASweep({path("here/mine.headscope"), u"--threads"_s, u"1"_s}, path("home of the killed"),
                     path("here/mine.headscope.results/unfinished/partial"));
    if (QTest::currentTestFailed())
        return;
    QVERIFY(QDir().rename(path("here"), path("there")));
    MainWindow window;
    window.show();
    window.controller().setAutomatic(false);
    window.controller().setWorkFolder(path("of another window").toStdString());
    window.openPaths({path("there/mine.headscope")});
    QTRY_VERIFY_WITH_TIMEOUT(window.state().results(Domain::In).ablation, kWait);
    const auto left = sweep(window);
    QVERIFY(left && left->stage == WorkStage::Partial);
    QVERIFY(left->examples >= 8 && left->total == 1500);
}

/// A sweep that is under way when its study is saved: Ctrl+S waits for nothing, and what is done lies beside the study.
void TestUnfinishedWork::savedSweepGoesAlong()
{
    {
        MainWindow window;
        window.show();
        open(window, "goes along");
        waitForAFewExamples(window);
        QVERIFY(!QDir(path("goes along")).entryList({u"*.journal"_s}).isEmpty());
        window.saveStudyAs(path("along.headscope"));
        QTRY_COMPARE_WITH_TIMEOUT(window.state().studyFile(), path("along.headscope"), kWait);
        QVERIFY(isActive(window));
        const QDir beside(path("along.headscope.results/unfinished"));
        QTRY_VERIFY_WITH_TIMEOUT(!beside.entryList({u"*.journal"_s}).isEmpty() || !isActive(window), kWait);
        QTest::keyClick(&window, Qt::Key_Period, Qt::ControlModifier);
        QTRY_VERIFY_WITH_TIMEOUT(isIdle(window), kWait);
        QVERIFY(QDir(path("goes along")).entryList({u"*.journal"_s}).isEmpty());
        if (isWhole(window))
            QSKIP("The sweep was done before it could be stopped.");
    }
    MainWindow window;
    window.show();
    window.controller().setWorkFolder(path("not there").toStdString());
    window.openPaths({path("along.headscope")});
    QTRY_VERIFY_WITH_TIMEOUT(isWhole(window) && isIdle(window), kWait);
    compareWithUndisturbed(*window.state().results(Domain::In).ablation);
}

void TestUnfinishedWork::stoppedScoreOfAMaskIsTold()
{
    MainWindow window;
    window.show();
    window.controller().setAutomatic(false);
    open(window, "mask");
    QTRY_VERIFY_WITH_TIMEOUT(window.state().rows(Domain::In) && isIdle(window), kWait);
    auto *bar = window.findChild<ScoreBar *>();
    (void)startEndless(window, JobLane::Interactive);
    window.state().toggleMask(window.state().layout().heads().front());
    QTRY_VERIFY(window.controller().works().workOn(Domain::In, ResultKind::Masked));
    QCOMPARE(bar->scoreText(Domain::In), u"…"_s);
    QTest::keyClick(&window, Qt::Key_Period, Qt::ControlModifier);
    QTRY_VERIFY(isIdle(window));
    QCOMPARE(bar->scoreText(Domain::In), u"stopped"_s);
    QTRY_VERIFY(bar->findChildren<QLabel *>().front()->text().contains(u"stopped"_s));
    window.controller().setAutomatic(true);
    QTest::keyClick(&window, Qt::Key_F5);
    QTRY_VERIFY_WITH_TIMEOUT(window.state().results(Domain::In).masked
                                 && !window.state().results(Domain::In).masked->manifest.partial,
                             kWait);
    window.controller().queue().cancelAll();
    QTRY_VERIFY(isIdle(window));
    QVERIFY2(bar->scoreText(Domain::In).contains(u"n %1"_s.arg(kRows)), qPrintable(bar->scoreText(Domain::In)));
}

/// Partial scores are of other examples than the whole score: only a difference on the same ones says anything.
void TestUnfinishedWork::scoreUnderAMaskIsPaired()
{
    const auto session = Session::open(path("model").toStdString(), {}, {}).valueOrThrow();
    (void)session->setData(Domain::In, source("in"), {}).valueOrThrow();
    RunOptions run = slowly();
    run.plain = false;
    const HeadMask mask{session->card().layout.heads().front()};
    (void)session->run(Domain::In, EvaluationSpec{.run = run, .outputs = true}, JobControl()).valueOrThrow();
    std::vector<EvaluationResult> partials;
    const auto whole
        = session
              ->run(Domain::In, EvaluationSpec{.run = run, .mask = mask, .against = HeadMask(), .outputs = true},
                    JobControl(), [&](const EvaluationResult &partial) { partials.push_back(partial); })
              .valueOrThrow();
    QVERIFY(!partials.empty());
    for (const EvaluationResult &partial : partials) {
        QVERIFY(partial.manifest.partial && partial.against);
        QVERIFY(partial.examples < kRows);
        QCOMPARE(partial.primary().value - partial.against->score, partial.against->delta);
        MadeUp study(false, false);
        ScoreBar bar(study.state, study.controller);
        study.state.setMask(mask, u"mask"_s);
        study.state.addPartialResult(Domain::In, std::make_shared<const EvaluationResult>(partial));
        const QString text = bar.scoreText(Domain::In);
        QVERIFY2(text.contains(u"Δ "_s) && text.contains(u"stopped at %1 of %2"_s.arg(partial.examples).arg(kRows)),
                 qPrintable(text));
    }
    QCOMPARE(whole.against->delta, whole.primary().value - whole.against->score);
}

void TestUnfinishedWork::savingWaitsForNothing()
{
    MainWindow window;
    window.useSettings();
    window.show();
    window.controller().setAutomatic(false);
    open(window, "saving");
    QTRY_VERIFY_WITH_TIMEOUT(window.state().rows(Domain::In) && isIdle(window), kWait);
    window.saveStudyAs(path("saved.headscope"));
    QTRY_COMPARE_WITH_TIMEOUT(window.state().studyFile(), path("saved.headscope"), kWait);
    for (const JobLane lane : {JobLane::Sweep, JobLane::Batch, JobLane::Interactive})
        (void)startEndless(window, lane);
    window.state().togglePins({window.state().layout().heads().front()});
    QVERIFY(window.controller().files().isModified());
    QElapsedTimer timer;
    timer.start();
    QTest::keyClick(&window, Qt::Key_S, Qt::ControlModifier);
    QTRY_VERIFY_WITH_TIMEOUT(!window.controller().files().isModified(), 5000);
    QVERIFY2(timer.elapsed() < 2000, qPrintable(QString::number(timer.elapsed())));
    QVERIFY(!isIdle(window));
    window.state().togglePins({window.state().layout().heads().front()});
    bool kept = false;
    window.controller().files().whenKept([&] { kept = true; });
    QTRY_VERIFY_WITH_TIMEOUT(kept, 5000);
    window.controller().queue().cancelAll();
    QTRY_VERIFY(isIdle(window));
}

/// Scores, importance and confidence of both sets are there before a sweep is, but for its first examples.
void TestUnfinishedWork::cheapComesBeforeDear()
{
    MainWindow window;
    window.show();
    QStringList ended;
    JobQueue &queue = window.controller().queue();
    connect(&queue, &JobQueue::jobFinished, &window, [&](qint64 id) {
        for (const JobInfo &job : queue.jobs()) {
            if (job.id == id && (job.spec.lane == JobLane::Batch || job.spec.lane == JobLane::Sweep))
                ended << job.spec.name;
        }
    });
    open(window, "order", true);
    QTRY_VERIFY_WITH_TIMEOUT(window.state().results(Domain::Out).confidence && isIdle(window)
                                 && window.state().results(Domain::Out).ablation,
                             2 * kWait);
    ended.removeIf([](const QString &name) { return !name.endsWith(u"domain"_s); }); // thumbnails, first examples
    // The 8 examples of the second set are its first examples.
    QVERIFY2(ended.size() == 8, qPrintable(ended.join(u'|')));
    QCOMPARE(ended.back(), u"Ablation, in-domain"_s);
}

/// The energy of projections is of no examples, and was "computing" for ever.
void TestUnfinishedWork::whatCountsNoExamplesIsNotComputing()
{
    MadeUp study;
    auto energy = std::make_shared<EnergyResult>();
    energy->manifest = madeup::manifest("energy", false);
    energy->manifest.totalExamples = 1000;
    study.state.addResult(Domain::In, energy);
    const auto work = study.controller.works().workOn(Domain::In, ResultKind::Energy);
    QVERIFY(work && work->stage == WorkStage::Complete && work->isWhole());
    QCOMPARE(stageText(*work), QString());
    StudyPanel panel(study.state, study.controller);
    auto *results = panel.findChild<QTreeWidget *>();
    bool found = false;
    for (QTreeWidgetItemIterator at(results); *at; ++at) {
        found = found || (*at)->text(0).startsWith(u"Energy"_s);
        QVERIFY2(!(*at)->text(1).contains(u"computing"_s), qPrintable((*at)->text(0)));
    }
    QVERIFY(found);
}

/// What the grid, its tool tips, its caption and its table say of a sweep that is not complete.
void TestUnfinishedWork::partialResultsAreTold()
{
    const HeadLayout layout = madeup::layout();
    auto sweep = *madeup::ablation(false);
    sweep.manifest.partial = true;
    sweep.manifest.totalExamples = 300;
    sweep.examples = 24;
    for (std::size_t i = 0; i < sweep.heads.size(); ++i)
        sweep.heads[i].examples = i % 2 == 0 ? 24 : 8;
    const GridContent uneven = ablationContent(layout, sweep);
    QVERIFY(uneven.partial && !uneven.comparable);
    QCOMPARE(uneven.examples, 8); // what every value rests on at least
    HeadGridModel model;
    model.setContent(uneven);
    for (std::size_t i = 0; i < sweep.heads.size(); ++i) {
        const HeadCell &cell = *uneven.cell(sweep.heads[i].head);
        QVERIFY(!cell.p && !cell.pAdjusted && !cell.significant && cell.rank == 0);
        const QString tip = model.indexOf(sweep.heads[i].head).data(Qt::AccessibleTextRole).toString();
        QVERIFY2(tip.contains(i % 2 == 0 ? u"24 of 300 examples"_s : u"8 of 300 examples"_s), qPrintable(tip));
        QVERIFY2(!tip.contains(u"rank"_s) && !tip.contains(u", p "_s), qPrintable(tip));
    }
    for (HeadAblation &head : sweep.heads)
        head.examples = 24;
    const GridContent even = ablationContent(layout, sweep);
    QVERIFY(even.partial && even.comparable && even.cell(sweep.heads.front().head)->rank > 0);
    QCOMPARE(even.examplesText(), u"24 of 300 examples"_s);
    const GridContent whole = ablationContent(layout, *madeup::ablation(true));
    const GridContent difference = differenceContent(even, whole, {});
    QVERIFY(difference.partial);
    QVERIFY2(difference.examplesText().contains(u"24 of 300 examples"_s)
                 && difference.examplesText().contains(u"against"_s),
             qPrintable(difference.examplesText()));
    for (const HeadCell &cell : difference.cells)
        QVERIFY(!cell.significant && !cell.p);
}

void TestUnfinishedWork::leftoversCanBeRemoved()
{
    MainWindow window;
    window.show();
    open(window, "removed");
    waitForAFewExamples(window);
    QTest::keyClick(&window, Qt::Key_Period, Qt::ControlModifier);
    QTRY_VERIFY_WITH_TIMEOUT(isIdle(window), kWait);
    QTRY_VERIFY(stageOf(window, u"Ablation"_s).startsWith(u'◐'));
    const QString key = QString::fromStdString(window.state().results(Domain::In).ablation->manifest.key());
    QVERIFY(!QDir(path("removed")).entryList({key + u'*'}).isEmpty());
    auto *results = window.findChild<StudyPanel *>()->findChild<QTreeWidget *>();
    results->scrollToItem(row(window, u"Ablation"_s));
    Q_EMIT results->customContextMenuRequested(results->visualItemRect(row(window, u"Ablation"_s)).center());
    auto *menu = qobject_cast<QMenu *>(QApplication::activePopupWidget());
    QVERIFY(menu);
    for (QAction *action : menu->actions()) {
        if (action->text().startsWith(u"Remove"_s)) {
            QVERIFY(action->isEnabled());
            action->trigger();
        }
    }
    menu->close();
    QVERIFY(!window.state().results(Domain::In).ablation && !sweep(window));
    QTRY_VERIFY(stageOf(window, u"Ablation"_s).startsWith(u'○'));
    QTRY_VERIFY_WITH_TIMEOUT(isIdle(window), kWait);
    for (const QString &folder : {path("removed"), path("removed/partial")}) // it does not come back
        QVERIFY2(QDir(folder).entryList({key + u'*'}).isEmpty(), qPrintable(folder));
}

/// What is computed under a mask never stands for the full model.
void TestUnfinishedWork::masksDoNotLeak()
{
    MainWindow window;
    window.show();
    window.controller().setAutomatic(false);
    open(window, "leak");
    QTRY_VERIFY_WITH_TIMEOUT(window.state().rows(Domain::In) && isIdle(window), kWait);
    window.showView(u"analyses"_s);
    auto &page = *static_cast<AnalysesPage *>(window.page(u"analyses"_s));
    for (FoldingSide *options : page.findChildren<FoldingSide *>())
        options->setFolded(false);
    auto *analysis = page.findChild<QComboBox *>();
    for (QComboBox *box : page.findChildren<QComboBox *>()) {
        if (box->accessibleName() == u"Analysis"_s)
            analysis = box;
    }
    QPushButton *compute = nullptr;
    for (QPushButton *button : page.findChildren<QPushButton *>()) {
        if (button->text().remove(u'&') == u"Compute"_s)
            compute = button;
    }
    QVERIFY(compute);
    const auto says = [&](const QString &text) {
        const auto labels = page.findChildren<QLabel *>();
        return std::ranges::any_of(
            labels, [&](const QLabel *label) { return label->isVisible() && label->text().contains(text); });
    };
    const auto masked = [&]() -> QCheckBox * {
        for (QCheckBox *box : page.findChildren<QCheckBox *>()) {
            if (box->isVisible() && box->text() == u"Under the present mask"_s)
                return box;
        }
        return nullptr;
    };
    window.state().toggleMask(window.state().layout().heads().front());
    QTRY_VERIFY_WITH_TIMEOUT(window.state().results(Domain::In).masked && isIdle(window), kWait);
    analysis->setCurrentIndex(analysis->findData(u"evaluate"_s));
    QVERIFY(masked() && !masked()->isChecked());
    QVERIFY(!says(u"Masked: "_s)); // it is there, and not what is asked for
    QTest::mouseClick(compute, Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(says(u"No head is masked."_s) && isIdle(window), kWait);
    masked()->setChecked(true);
    QVERIFY(says(u"Masked: "_s));
    masked()->setChecked(false);
    QVERIFY(says(u"No head is masked."_s));
    // Importance under the mask stands beside that of the full model, not in its place.
    analysis->setCurrentIndex(analysis->findData(u"importance"_s));
    QTest::mouseClick(compute, Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(window.state().results(Domain::In).importance && isIdle(window), kWait);
    const auto whole = window.state().results(Domain::In).importance;
    masked()->setChecked(true);
    QVERIFY(says(u"Not computed yet"_s));
    QTest::mouseClick(compute, Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(says(u"Masked: "_s) && isIdle(window), kWait);
    QCOMPARE(window.state().results(Domain::In).importance, whole);
    QTRY_VERIFY(row(window, u"Importance"_s));
    const QString head = QString::fromStdString(toText(window.state().mask()));
    QTRY_VERIFY(row(window, u"Importance, without %1"_s.arg(head)));
    // Pages that do not ask about the mask compute without it: what was of the mask was never shown there.
    window.showView(u"map"_s);
    auto *map = window.page(u"map"_s);
    for (QPushButton *button : map->findChildren<QPushButton *>()) {
        if (button->isVisible() && button->isEnabled())
            button->click();
    }
    QTRY_VERIFY_WITH_TIMEOUT(window.state().results(Domain::In).similarity
                                 && window.state().results(Domain::In).gradients && isIdle(window),
                             kWait);
}

QTEST_MAIN(TestUnfinishedWork)
#include "tst_unfinishedwork.moc"

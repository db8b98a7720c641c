// Sweeps on a cluster from the window, by programs that stand for Slurm's (tests/cluster/fakeslurm): from the dialog to
// the result in the study, cancelled, left behind by a window and gone on with by another.
#include "tests/support/nowarnings.h"
#include "tests/support/picture.h"
#include "tests/support/tinyclassifier.h"

#include "ui/dialogs/clusterdialog.h"
#include "ui/mainwindow/mainwindow.h"
#include "ui/views/fileedit.h"

#include <QAction>
#include <QApplication>
#include <QDir>
#include <QFile>
#include <QJsonObject>
#include <QLineEdit>
#include <QListWidget>
#include <QMenuBar>
#include <QPushButton>
#include <QSettings>
#include <QSpinBox>
#include <QTemporaryDir>
#include <QTest>
#include <QTreeWidget>

#include <algorithm>
#include <memory>

using namespace headscope;
using namespace Qt::StringLiterals;

class TestClusterWindow final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void init();
    void cleanup() { m_window.reset(); }
    void fromTheDialogToTheStudy();
    void cancelledAndGoneOnWith();
    void outlivesTheWindow();
    void saysWhatSlurmRefuses();
    void otherDataGetNoResult();
    void modelsElsewhereAreStartedThere();
    void strangersStudiesGiveNoWords();

private:
    static constexpr int kWait = 120000;

    void openWindow();
    ClusterDialog *openDialog();
    void fill(ClusterDialog &dialog) const;
    QString path(const char *name) const { return m_dir->filePath(QString::fromLatin1(name)); }
    QString slurm(const char *name) const { return path("slurm/") + QString::fromLatin1(name); }
    QByteArray calls() const
    {
        QFile file(slurm("calls"));
        return file.open(QFile::ReadOnly) ? file.readAll() : QByteArray();
    }
    static bool touch(const QString &file)
    {
        QFile made(file);
        return made.open(QFile::WriteOnly);
    }
    const ClusterRun &run() { return m_window->cluster().runs().back(); }
    QString error() { return m_window->state().error(ErrorPlace::Analysis); }

    std::unique_ptr<QTemporaryDir> m_dir;
    std::unique_ptr<MainWindow> m_window;
};

void TestClusterWindow::initTestCase()
{
    qputenv("PATH", (qEnvironmentVariable("HEADSCOPE_SOURCE_DIR") + u"/tests/cluster/fakeslurm:"_s
                     + qEnvironmentVariable("PATH"))
                        .toUtf8());
    QSettings::setDefaultFormat(QSettings::IniFormat);
    QCoreApplication::setOrganizationName(u"headscope-test"_s);
}

void TestClusterWindow::init()
{
    failOnQtWarnings();
    m_dir = std::make_unique<QTemporaryDir>();
    QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, path("settings"));
    QVERIFY(QDir().mkpath(path("slurm")));
    qputenv("FAKE_SLURM", path("slurm").toUtf8());
    testing::writeTinyClassifier(path("model").toStdString(),
                                 {.layers = 2, .heads = 4, .width = 16, .labels = {"a", "b"}});
    testing::writeTinyTable(path("table.tsv").toStdString(), 60, 3);
    testing::writeTinyTable(path("other.tsv").toStdString(), 60, 4);
    openWindow();
}

/// With the model and in-domain data; nothing is computed by itself.
void TestClusterWindow::openWindow()
{
    m_window = std::make_unique<MainWindow>();
    m_window->cluster().setProgram(qEnvironmentVariable("HEADSCOPE_BIN") + u"/headscope-cli"_s);
    m_window->controller().setAutomatic(false);
    m_window->controller().setModelOptions({.threads = 1});
    m_window->show();
    m_window->controller().openModel(path("model"));
    DataSource source;
    source.table = path("table.tsv").toStdString();
    m_window->controller().setData(Domain::In, source);
    QTRY_VERIFY_WITH_TIMEOUT(m_window->state().rows(Domain::In) != nullptr, kWait);
}

ClusterDialog *TestClusterWindow::openDialog()
{
    for (QAction *action : m_window->findChildren<QAction *>()) {
        if (action->text() == u"&Run on a cluster…"_s)
            action->trigger();
    }
    const auto dialogs = m_window->findChildren<ClusterDialog *>();
    return dialogs.isEmpty() ? nullptr : dialogs.back();
}

/// As somebody with a keyboard does.
void TestClusterWindow::fill(ClusterDialog &dialog) const
{
    dialog.shardsBox().setFocus();
    dialog.shardsBox().selectAll();
    QTest::keyClicks(&dialog.shardsBox(), u"3"_s);
    dialog.optionsEdit().selectAll();
    QTest::keyClicks(&dialog.optionsEdit(), u"-p gpu --comment 'two  words'"_s);
    auto *folder = dialog.folderEdit().findChild<QLineEdit *>();
    folder->selectAll();
    QTest::keyClicks(folder, path("shared disk"));
}

void TestClusterWindow::fromTheDialogToTheStudy()
{
    ClusterDialog *dialog = openDialog();
    QVERIFY(dialog);
    QCOMPARE(dialog->sweeps().count(), 2); // ablation, one head a layer
    QVERIFY(!dialog->startButton().isEnabled());
    QVERIFY2(dialog->problem().contains(u"folder"_s), qPrintable(dialog->problem()));
    fill(*dialog);
    QVERIFY2(dialog->problem().isEmpty(), qPrintable(dialog->problem()));
    QVERIFY2(dialog->command().startsWith(
                 u"headscope-cli ablate --model %1 --data %2 "_s.arg(path("model"), path("table.tsv"))),
             qPrintable(dialog->command()));
    QVERIFY(dialog->command().contains(
        u"--cluster slurm --shards 3 --cluster-folder '%1/ablation-in-domain-"_s.arg(path("shared disk"))));
    QCOMPARE(dialog->command().count(u'\n'), 0);
    // Both sweeps, by the keyboard.
    dialog->sweeps().setCurrentRow(1);
    QTest::keyClick(&dialog->sweeps(), Qt::Key_Space);
    QCOMPARE(dialog->command().count(u'\n'), 1);
    QTest::keyClick(&dialog->sweeps(), Qt::Key_Space);

    QTest::mouseClick(&dialog->startButton(), Qt::LeftButton);
    QVERIFY(run().isActive());
    QVERIFY(!dialog->startButton().isEnabled()); // it is under way
    QTRY_VERIFY_WITH_TIMEOUT(run().report.shards.done > 0, kWait);
    keepPicture(*dialog, u"TestClusterWindow-dialog"_s);
    dialog->setPalette(darkPalette());
    keepPicture(*dialog, u"TestClusterWindow-dialog-dark"_s);
    QTRY_VERIFY_WITH_TIMEOUT(!run().isActive(), kWait);
    QVERIFY2(run().state == ClusterRun::State::Done, qPrintable(run().error));
    QVERIFY(dialog->said().contains(u"tasks 1, 2, 3 submitted"_s));
    QCOMPARE(dialog->runs().topLevelItem(0)->text(1), u"done: the result is in the study"_s);
    QVERIFY2(calls().contains("sbatch\n-p\ngpu\n--comment\ntwo  words\n"), calls().constData());

    // As if it had been computed here.
    const auto &there = m_window->state().results(Domain::In).ablation;
    QVERIFY(there && !there->manifest.partial);
    QVERIFY(m_window->controller().files().isModified() && m_window->state().hasFinishedResults(Domain::In));
    const auto session = Session::open(path("model").toStdString(), {.threads = 1}, {}).valueOrThrow();
    (void)session->setData(Domain::In, m_window->state().data(Domain::In)->origin, {}).valueOrThrow();
    const auto here
        = session->run(Domain::In, AblationSpec{.run = m_window->controller().runOptions()}, {}).valueOrThrow();
    QCOMPARE(there->manifest.key(), here.manifest.key());
    QCOMPARE(there->manifest.command, here.manifest.command);
    QCOMPARE(there->heads.size(), here.heads.size());
    for (std::size_t i = 0; i < here.heads.size(); ++i) {
        QCOMPARE(there->heads[i].delta, here.heads[i].delta);
        QCOMPARE(there->heads[i].head, here.heads[i].head);
    }
    dialog->close();
    ClusterDialog *again = openDialog(); // it remembers
    QCOMPARE(again->shardsBox().value(), 3);
    QCOMPARE(again->optionsEdit().text(), u"-p gpu --comment 'two  words'"_s);
    QVERIFY(again->sweeps().item(0)->text().endsWith(u"(computed)"_s));
}

void TestClusterWindow::cancelledAndGoneOnWith()
{
    QVERIFY(touch(slurm("holds")));
    ClusterDialog *dialog = openDialog();
    fill(*dialog);
    QTest::mouseClick(&dialog->startButton(), Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(slurm("101.3")) && run().report.shards.waiting == 3, kWait);
    QVERIFY(!dialog->resumeButton().isEnabled());
    QTest::mouseClick(&dialog->cancelButton(), Qt::LeftButton);
    QCOMPARE(run().state, ClusterRun::State::Stopping);
    QTRY_COMPARE_WITH_TIMEOUT(run().state, ClusterRun::State::Cancelled, kWait);
    QVERIFY2(calls().contains("scancel\n--name=headscope-"), calls().constData());
    QVERIFY(!m_window->state().results(Domain::In).ablation);
    QVERIFY2(error().isEmpty(), qPrintable(error()));

    QVERIFY(QFile::remove(slurm("holds")));
    QTest::mouseClick(&dialog->resumeButton(), Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(!run().isActive(), kWait);
    QVERIFY2(run().state == ClusterRun::State::Done, qPrintable(run().error));
    QVERIFY(m_window->state().results(Domain::In).ablation != nullptr);
    QCOMPARE(calls().count("--array=1,2,3\n"), 2);
}

void TestClusterWindow::outlivesTheWindow()
{
    QVERIFY(touch(slurm("holds")));
    ClusterDialog *dialog = openDialog();
    fill(*dialog);
    QTest::mouseClick(&dialog->startButton(), Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(slurm("101.3")), kWait);
    QTRY_VERIFY_WITH_TIMEOUT(run().report.shards.waiting == 3, kWait);
    m_window->saveStudyAs(path("study.headscope"));
    QTRY_VERIFY_WITH_TIMEOUT(!m_window->controller().files().isModified(), kWait);
    m_window.reset();
    QVERIFY2(!calls().contains("scancel"), calls().constData());

    m_window = std::make_unique<MainWindow>();
    m_window->cluster().setProgram(qEnvironmentVariable("HEADSCOPE_BIN") + u"/headscope-cli"_s);
    m_window->controller().setAutomatic(false);
    m_window->show();
    m_window->openPaths({path("study.headscope")});
    QTRY_VERIFY_WITH_TIMEOUT(m_window->state().rows(Domain::In) != nullptr, kWait);
    QCOMPARE(m_window->cluster().runs().size(), std::size_t(1));
    QCOMPARE(run().state, ClusterRun::State::Left);
    dialog = openDialog();
    QVERIFY(QFile::remove(slurm("holds")));
    QTest::mouseClick(&dialog->resumeButton(), Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(!run().isActive(), kWait);
    QVERIFY2(run().state == ClusterRun::State::Done, qPrintable(run().error));
    QVERIFY(m_window->state().results(Domain::In).ablation != nullptr);
    QCOMPARE(calls().count("--array=1,2,3\n"), 1); // the jobs of the first window
    QVERIFY(m_window->cluster().remembered().isEmpty());
}

void TestClusterWindow::saysWhatSlurmRefuses()
{
    QVERIFY(touch(slurm("refuses")));
    ClusterDialog *dialog = openDialog();
    fill(*dialog);
    QTest::mouseClick(&dialog->startButton(), Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(!run().isActive(), kWait);
    QCOMPARE(run().state, ClusterRun::State::Failed);
    QVERIFY2(run().error.contains(u"invalid partition specified: gpu"_s) && run().error.contains(run().folder),
             qPrintable(run().error));
    QVERIFY2(error().startsWith(u"Ablation, in-domain, on the cluster: "_s), qPrintable(error()));
    keepPicture(*dialog, u"TestClusterWindow-error"_s);
    dialog->optionsEdit().setText(u"--comment 'open"_s);
    QVERIFY2(dialog->problem().contains(u"not closed"_s), qPrintable(dialog->problem()));
    dialog->optionsEdit().setText(u"gpu"_s);
    QVERIFY2(dialog->problem().contains(u"begin with a dash"_s), qPrintable(dialog->problem()));
}

void TestClusterWindow::otherDataGetNoResult()
{
    QVERIFY(touch(slurm("holds")));
    ClusterDialog *dialog = openDialog();
    fill(*dialog);
    QTest::mouseClick(&dialog->startButton(), Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(slurm("101.3")), kWait);
    DataSource other;
    other.table = path("other.tsv").toStdString();
    const std::string before = m_window->state().data(Domain::In)->hash;
    m_window->controller().setData(Domain::In, other);
    QTRY_VERIFY_WITH_TIMEOUT(m_window->state().data(Domain::In)->hash != before, kWait);
    QVERIFY(run().isActive()); // it goes on
    QVERIFY(QFile::remove(slurm("holds")));
    QTRY_VERIFY_WITH_TIMEOUT(!run().isActive(), kWait);
    QVERIFY2(run().error.contains(u"other data"_s) && run().error.contains(u"result.json"_s), qPrintable(run().error));
    QVERIFY(!m_window->state().results(Domain::In).ablation);
    QVERIFY(dialog->resumeButton().isEnabled());
    QTest::mouseClick(&dialog->resumeButton(), Qt::LeftButton);
    QVERIFY2(run().error.contains(u"have changed"_s), qPrintable(run().error));
}

void TestClusterWindow::modelsElsewhereAreStartedThere()
{
    ModelCard card = *m_window->state().model();
    const DataCard data = *m_window->state().data(Domain::In);
    card.host = "gpu1";
    m_window->state().setModel(card, nullptr);
    m_window->state().setData(Domain::In, data);
    ClusterDialog *dialog = openDialog();
    fill(*dialog);
    QVERIFY2(dialog->problem().contains(u"gpu1"_s) && dialog->problem().contains(u"start it there in a terminal"_s),
             qPrintable(dialog->problem()));
    QVERIFY(!dialog->startButton().isEnabled());
    QVERIFY(dialog->command().startsWith(u"headscope-cli ablate "_s));
}

void TestClusterWindow::strangersStudiesGiveNoWords()
{
    const QJsonObject good{
        {u"domain"_s, 0}, {u"options"_s, QJsonObject()}, {u"shards"_s, 3}, {u"folder"_s, path("there")}};
    const auto with = [&](const QString &name, const QJsonValue &value) {
        QJsonObject changed = good;
        changed[name] = value;
        return changed;
    };
    ClusterController &cluster = m_window->cluster();
    cluster.takeUp({good, QJsonValue(3), with(u"shards"_s, 1), with(u"shards"_s, 1e9), with(u"threads"_s, -1),
                    with(u"folder"_s, u"x"_s), with(u"options"_s, QJsonObject{{u"resamples"_s, u"many"_s}}),
                    with(u"domain"_s, 7)});
    QCOMPARE(cluster.runs().size(), std::size_t(2)); // any other domain is the second
    cluster.takeUp(
        {with(u"options"_s, QJsonObject{{u"out"_s, u"/etc/passwd"_s}, {u"journal"_s, u"x"_s}, {u"resamples"_s, 5}})});
    const QString command = cluster.commandOf(cluster.runs().front().task);
    QVERIFY2(!command.contains(u"passwd"_s) && !command.contains(u"journal"_s) && command.contains(u"--resamples 5"_s),
             qPrintable(command));
    cluster.resume(path("there"), {}); // not the folder of this sweep
    QVERIFY(!QFile::exists(path("there")));
    QVERIFY(run().error.contains(u"have changed"_s));
}

QTEST_MAIN(TestClusterWindow)
#include "tst_clusterwindow.moc"

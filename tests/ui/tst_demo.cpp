// The demo study in the window: one made here stands in for the one that is shipped.
#include "core/session/demo.h"
#include "tests/support/nowarnings.h"
#include "tests/support/tinymodel.h"
#include "ui/dialogs/packdialog.h"
#include "ui/mainwindow/mainwindow.h"
#include "ui/pages/heads/headspage.h"
#include "ui/pages/training/trainingpage.h"
#include "ui/views/startpage.h"
#include "ui/views/studypanel.h"
#include "ui/views/toast.h"

#include <QAction>
#include <QCheckBox>
#include <QClipboard>
#include <QCommandLinkButton>
#include <QCryptographicHash>
#include <QDateTime>
#include <QDir>
#include <QDirIterator>
#include <QDockWidget>
#include <QFileInfo>
#include <QGuiApplication>
#include <QLineEdit>
#include <QProcess>
#include <QPushButton>
#include <QSettings>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>
#include <QTreeWidget>
#include <QTreeWidgetItemIterator>

#include <filesystem>
#include <set>

using namespace headscope;

namespace {
constexpr int kPatienceMs = 60'000;

HeadsPage &headsPage(MainWindow &window)
{
    return *window.findChild<HeadsPage *>();
}

/// Names, sizes, times and content of everything in a folder.
QByteArray fingerprint(const QString &folder)
{
    QStringList names;
    QDirIterator files(folder, QDir::Files, QDirIterator::Subdirectories);
    while (files.hasNext())
        names << files.next();
    names.sort();
    QCryptographicHash hash(QCryptographicHash::Sha256);
    for (const QString &name : std::as_const(names)) {
        QFile file(name);
        if (!file.open(QIODevice::ReadOnly))
            continue;
        hash.addData(name.toUtf8());
        hash.addData(QFileInfo(name).lastModified().toString(Qt::ISODateWithMs).toUtf8());
        hash.addData(file.readAll());
    }
    return hash.result();
}
} // namespace

class TestDemo : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void init() { failOnQtWarnings(); }
    void cleanup() { qputenv("HEADSCOPE_DEMO", m_demo.toUtf8()); }

    void itsButtonIsTheFirst();
    void opensUntitledAndComputesNothing();
    void isNeverWrittenTo();
    void savedUnderANameItIsAStudy();
    void packedItOpensElsewhere();
    void packsAreRefusedWhereTheyCannotBe();
    void anotherModelIsNotTheDemo();
    void brokenDemoIsToldOnTheStartPage();
    void copiedCommandsNameTheFilesWhereTheyAre();
    void trainingNeedsNoModel();

private:
    static bool isReady(MainWindow &window) { return window.state().session() && window.controller().queue().isIdle(); }

    QTemporaryDir m_folder;
    QString m_demo;
};

void TestDemo::initTestCase()
{
    QStandardPaths::setTestModeEnabled(true);
    QSettings::setDefaultFormat(QSettings::IniFormat);
    QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, m_folder.path());
    m_demo = m_folder.filePath(QStringLiteral("demo"));
    const std::filesystem::path root = m_demo.toStdString();
    testing::writeTinyModel(root / "model");
    MainWindow window;
    RunOptions run;
    run.decoding.beams = 1;
    window.controller().setRunOptions(run);
    for (const Domain domain : kBothDomains) {
        DataSource source;
        source.source = (root / (domain == Domain::In ? "in.en" : "out.en")).string();
        source.reference = (root / (domain == Domain::In ? "in.fr" : "out.fr")).string();
        testing::writeTinyCorpus(source.source, source.reference, 8, domain == Domain::In ? 1 : 2);
        window.controller().setData(domain, source);
    }
    window.openPaths({m_demo + QStringLiteral("/model")});
    QTRY_VERIFY_WITH_TIMEOUT(window.state().results(Domain::Out).confidence && isReady(window), kPatienceMs);
    window.saveStudyAs(m_demo + QStringLiteral("/demo"));
    QTRY_VERIFY_WITH_TIMEOUT(!window.state().studyFile().isEmpty(), kPatienceMs);
    qputenv("HEADSCOPE_DEMO", m_demo.toUtf8());
    QCOMPARE(QString::fromStdString(demoStudy().value().string()), m_demo + QStringLiteral("/demo.headscope"));
}

void TestDemo::itsButtonIsTheFirst()
{
    MainWindow window;
    const auto buttons = window.findChild<StartPage *>()->findChildren<QCommandLinkButton *>();
    QVERIFY(!buttons.isEmpty());
    QVERIFY(buttons.first()->text().remove(u'&').contains(QStringLiteral("demo")));
    window.show();
    buttons.first()->click();
    QTRY_VERIFY_WITH_TIMEOUT(isReady(window), kPatienceMs);
    QCOMPARE(window.currentView(), QStringLiteral("heads"));
}

void TestDemo::opensUntitledAndComputesNothing()
{
    MainWindow window;
    window.show();
    // The results are there before the model has been read.
    bool shownFirst = false;
    connect(&window.controller().files(), &StudyFiles::opened, this, [&] {
        shownFirst = window.state().model() && !window.state().session();
        for (const Domain domain : kBothDomains) {
            const DomainResults &results = window.state().results(domain);
            shownFirst = shownFirst && results.baseline && results.ablation && results.importance && results.confidence;
        }
    });
    window.openDemo();
    QTRY_VERIFY_WITH_TIMEOUT(window.state().model(), kPatienceMs);
    QVERIFY(shownFirst);
    QTRY_VERIFY_WITH_TIMEOUT(isReady(window) && window.state().session()->data(Domain::Out), kPatienceMs);
    QTest::qWait(200); // anything that would start by itself
    QTRY_VERIFY_WITH_TIMEOUT(isReady(window), kPatienceMs);
    QVERIFY(window.state().studyFile().isEmpty());
    QVERIFY(window.controller().files().isDemo());
    QVERIFY(!window.controller().files().isModified());
    QVERIFY2(window.windowTitle().startsWith(QStringLiteral("Demo")), qPrintable(window.windowTitle()));
    for (const ErrorPlace place : {ErrorPlace::Model, ErrorPlace::InData, ErrorPlace::OutData, ErrorPlace::Study})
        QVERIFY2(window.state().error(place).isEmpty(), qPrintable(window.state().error(place)));
    for (const JobInfo &job : window.controller().queue().jobs()) {
        for (const Domain domain : kBothDomains)
            QVERIFY2(!job.spec.name.endsWith(domainName(domain)) || job.spec.name.startsWith(u"Read "),
                     qPrintable(job.spec.name));
    }
}

void TestDemo::isNeverWrittenTo()
{
    const QByteArray before = fingerprint(m_demo);
    QFile::setPermissions(m_demo, QFile::ReadOwner | QFile::ExeOwner);
    {
        MainWindow window;
        window.useSettings();
        window.show();
        window.openDemo();
        QTRY_VERIFY_WITH_TIMEOUT(isReady(window), kPatienceMs);
        window.state().toggleMask(window.state().layout().heads().front());
        QTRY_VERIFY_WITH_TIMEOUT(window.state().results(Domain::Out).masked && isReady(window), kPatienceMs);
        window.close(); // keeps the session, elsewhere
    }
    QFile::setPermissions(m_demo, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    QCOMPARE(fingerprint(m_demo), before);
    QCOMPARE(RecentList().paths(), QStringList());
    // What was done with it is offered again.
    MainWindow window;
    window.useSettings();
    const auto buttons = window.findChild<StartPage *>()->findChildren<QCommandLinkButton *>();
    QTRY_VERIFY(!buttons.last()->isHidden());
}

void TestDemo::savedUnderANameItIsAStudy()
{
    const QByteArray before = fingerprint(m_demo);
    MainWindow window;
    window.show();
    window.openDemo();
    QTRY_VERIFY_WITH_TIMEOUT(isReady(window), kPatienceMs);
    const QString file = m_folder.filePath(QStringLiteral("mine.headscope"));
    const std::set<HeadRef> pins{window.state().layout().heads().front(), window.state().layout().heads().back()};
    window.state().togglePins(pins);
    QVERIFY(window.controller().files().isModified());
    const GridSorting sorting{GridRows::ByRank, true};
    headsPage(window).setSorting(sorting);
    window.saveStudyAs(file);
    QTRY_COMPARE_WITH_TIMEOUT(window.state().studyFile(), file, kPatienceMs);
    QVERIFY(!window.controller().files().isDemo());
    QCOMPARE(fingerprint(m_demo), before);
    MainWindow other;
    other.openPaths({file});
    QTRY_VERIFY_WITH_TIMEOUT(isReady(other), kPatienceMs);
    QVERIFY(other.state().results(Domain::In).ablation);
    QVERIFY(other.state().pins() == pins);
    QVERIFY(headsPage(other).sorting() == sorting);
}

/// What has not been saved is packed; with its model and data, the folders that they came from are not needed.
void TestDemo::packedItOpensElsewhere()
{
    const QString copied = m_folder.filePath(QStringLiteral("copied"));
    std::filesystem::copy(m_demo.toStdString(), copied.toStdString(), std::filesystem::copy_options::recursive);
    qputenv("HEADSCOPE_DEMO", copied.toUtf8());
    const QString packed = m_folder.filePath(QStringLiteral("for you.zip"));
    HeadRef masked;
    {
        MainWindow window;
        window.show();
        window.openDemo();
        QTRY_VERIFY_WITH_TIMEOUT(isReady(window), kPatienceMs);
        masked = window.state().layout().heads().back();
        window.state().toggleMask(masked);
        QTRY_VERIFY_WITH_TIMEOUT(window.state().results(Domain::Out).masked && isReady(window), kPatienceMs);
        for (QAction *action : window.findChildren<QAction *>()) {
            if (action->text().remove(u'&').startsWith(QStringLiteral("Pack study")))
                action->trigger();
        }
        auto *dialog = window.findChild<PackDialog *>();
        QVERIFY(dialog && dialog->isVisible());
        QVERIFY2(dialog->problem().isEmpty(), qPrintable(dialog->problem()));
        dialog->fileEdit().setText(packed.chopped(4));
        dialog->modelBox().click();
        dialog->packButton().click();
        QTRY_VERIFY_WITH_TIMEOUT(QFileInfo::exists(packed) && isReady(window), kPatienceMs);
        QVERIFY2(window.toast().text().contains(QStringLiteral("for you.zip")), qPrintable(window.toast().text()));
        QVERIFY(window.state().studyFile().isEmpty()); // it is not saved by that
        QVERIFY(window.state().error(ErrorPlace::Study).isEmpty());
    }
    QVERIFY(QDir(copied).removeRecursively());
    MainWindow other;
    other.show();
    const QString there = m_folder.filePath(QStringLiteral("there"));
    other.controller().files().openPacked(packed, there);
    QTRY_VERIFY_WITH_TIMEOUT(isReady(other) && other.state().session()->data(Domain::Out), kPatienceMs);
    QCOMPARE(other.state().studyFile(), there + QStringLiteral("/for you.headscope"));
    QVERIFY(other.state().results(Domain::In).ablation && other.state().results(Domain::Out).importance);
    QVERIFY(other.state().mask().isMasked(masked));
    QVERIFY(QString::fromStdString(other.state().model()->folder.string()).startsWith(there));
    for (const ErrorPlace place : {ErrorPlace::Model, ErrorPlace::InData, ErrorPlace::OutData, ErrorPlace::Study})
        QVERIFY2(other.state().error(place).isEmpty(), qPrintable(other.state().error(place)));
}

void TestDemo::packsAreRefusedWhereTheyCannotBe()
{
    const std::filesystem::path model = m_demo.toStdString() + "/model";
    PackDialog dialog(model, m_folder.filePath(QStringLiteral("name")));
    QVERIFY(dialog.packButton().isEnabled());
    QCOMPARE(dialog.file(), m_folder.filePath(QStringLiteral("name.zip")));
    QVERIFY(!dialog.withModel());
    for (const QString &name : {QString(), m_folder.filePath(QStringLiteral("no folder/name.zip"))}) {
        dialog.fileEdit().setText(name);
        QVERIFY2(!dialog.problem().isEmpty() && !dialog.packButton().isEnabled(), qPrintable(name));
    }
    QFile taken(m_folder.filePath(QStringLiteral("taken.zip")));
    QVERIFY(taken.open(QIODevice::WriteOnly));
    dialog.fileEdit().setText(taken.fileName());
    QVERIFY(!dialog.packButton().isEnabled());
    MainWindow window;
    window.show();
    window.controller().files().openPacked(taken.fileName(), m_folder.filePath(QStringLiteral("from nothing")));
    QTRY_VERIFY_WITH_TIMEOUT(!window.state().error(ErrorPlace::Study).isEmpty(), kPatienceMs);
    QVERIFY2(window.state().error(ErrorPlace::Study).contains(taken.fileName()),
             qPrintable(window.state().error(ErrorPlace::Study)));
}

void TestDemo::anotherModelIsNotTheDemo()
{
    MainWindow window;
    window.show();
    window.openDemo();
    QTRY_VERIFY_WITH_TIMEOUT(isReady(window), kPatienceMs);
    headscope::testing::TinyModel sizes;
    sizes.heads = 2;
    const QString folder = m_folder.filePath(QStringLiteral("second"));
    testing::writeTinyModel(folder.toStdString(), sizes);
    window.openPaths({folder});
    QTRY_VERIFY_WITH_TIMEOUT(!window.controller().files().isDemo(), kPatienceMs);
    QVERIFY2(window.windowTitle().startsWith(QStringLiteral("second")), qPrintable(window.windowTitle()));
}

void TestDemo::brokenDemoIsToldOnTheStartPage()
{
    const QString broken = m_folder.filePath(QStringLiteral("broken"));
    QVERIFY(QDir().mkpath(broken));
    QFile file(broken + QStringLiteral("/demo.headscope"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("{ not a study");
    file.close();
    qputenv("HEADSCOPE_DEMO", broken.toUtf8());
    MainWindow window;
    window.show();
    window.openDemo();
    QTRY_VERIFY_WITH_TIMEOUT(!window.state().error(ErrorPlace::Study).isEmpty(), kPatienceMs);
    QVERIFY(window.state().error(ErrorPlace::Study).contains(broken));
    QCOMPARE(window.currentView(), QStringLiteral("start"));
    QVERIFY(!window.controller().files().isDemo());
}

/// A study that was moved: its results name the folder that they were computed in, the commands the one that it lies
/// in.
void TestDemo::copiedCommandsNameTheFilesWhereTheyAre()
{
    const QString moved = m_folder.filePath(QStringLiteral("moved here"));
    std::filesystem::copy(m_demo.toStdString(), moved.toStdString(), std::filesystem::copy_options::recursive);
    MainWindow window;
    window.show();
    window.openPaths({moved + QStringLiteral("/demo.headscope")});
    QTRY_VERIFY_WITH_TIMEOUT(isReady(window) && window.state().session()->data(Domain::Out), kPatienceMs);
    auto *panel = window.findChild<StudyPanel *>();
    auto *results = panel->findChild<QTreeWidget *>();
    QToolButton *copy = nullptr;
    for (QToolButton *button : panel->findChildren<QToolButton *>()) {
        if (button->text() == QStringLiteral("Copy as command"))
            copy = button;
    }
    QVERIFY(results && copy);
    QTRY_COMPARE_WITH_TIMEOUT(results->topLevelItemCount(), 3, kPatienceMs); // both data sets, the model alone
    int copied = 0;
    for (QTreeWidgetItemIterator at(results, QTreeWidgetItemIterator::NoChildren); *at; ++at) {
        results->setCurrentItem(*at);
        if (!copy->isEnabled())
            continue; // nothing is known of it yet
        QGuiApplication::clipboard()->clear();
        copy->click();
        const QStringList words = QProcess::splitCommand(QGuiApplication::clipboard()->text().replace(u'\'', u'"'));
        QVERIFY2(words.value(0) == QStringLiteral("headscope-cli"), qPrintable(words.join(u' ')));
        const bool isOfModelAlone
            = words.value(1) == QStringLiteral("weights") || words.value(1) == QStringLiteral("detect");
        for (const char *option : {"--model", "--source", "--reference"}) {
            if (isOfModelAlone && qstrcmp(option, "--model") != 0)
                continue;
            const QString path = words.value(words.indexOf(QLatin1String(option)) + 1);
            QVERIFY2(path.startsWith(moved + u'/') && QFileInfo::exists(path), qPrintable(words.join(u' ')));
        }
        ++copied;
    }
    QVERIFY(copied >= 8); // four of each data set
}

void TestDemo::trainingNeedsNoModel()
{
    MainWindow window;
    window.show();
    window.showView(QStringLiteral("training"));
    QCOMPARE(window.currentView(), QStringLiteral("training"));
    QVERIFY(window.page<TrainingPage>().isVisible());
    QVERIFY(window.page(QStringLiteral("training"))->exportItems().isEmpty());
    window.openDemo(); // the study's pages come to the front
    QTRY_VERIFY_WITH_TIMEOUT(isReady(window), kPatienceMs);
    QCOMPARE(window.currentView(), QStringLiteral("heads"));
    const auto docks = window.findChildren<QDockWidget *>();
    const auto shown = [&] {
        return std::count_if(docks.begin(), docks.end(), [](QDockWidget *dock) { return dock->isVisible(); });
    };
    window.state().selectHead(window.state().layout().heads().front());
    QCOMPARE(shown(), 2);
    window.showView(QStringLiteral("training"));
    QCOMPARE(shown(), 0);
    window.showView(QStringLiteral("pruning"));
    QCOMPARE(shown(), 2);
}

QTEST_MAIN(TestDemo)
#include "tst_demo.moc"

#include <algorithm>

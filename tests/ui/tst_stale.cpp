// Results of files that have changed since are marked as long as they are shown, computed again, or discarded.
#include "core/analysis/importancespec.h"
#include "core/analysis/relevancespec.h"
#include "core/analysis/rolesspec.h"
#include "core/results/anyresult.h"
#include "core/results/weightsresult.h"
#include "tests/support/nowarnings.h"
#include "tests/support/tinymodel.h"
#include "ui/mainwindow/mainwindow.h"
#include "ui/pages/domains/domainspage.h"
#include "ui/pages/heads/headspage.h"
#include "ui/pages/layers/layerspage.h"
#include "ui/pages/roles/rolespage.h"
#include "ui/views/gridfeed.h"
#include "ui/views/scorebar.h"
#include "ui/views/stalestrip.h"

#include <QDir>
#include <QFile>
#include <QLabel>
#include <QPushButton>
#include <QSettings>
#include <QSignalSpy>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <filesystem>

using namespace headscope;
using namespace Qt::StringLiterals;

class TestStale final : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void init();

    void reopenedStudyIsNotStale();
    void changedWeightsMarkEverything();
    void computedAgainNothingIsMarked();
    void changedDataMarkTheirSlotOnly();
    void staleAndFreshAreNotComparedSilently();
    void discardingIsOneStep();
    void folderReadAgainKeepsTheResults();
    void anotherModelInTheFolderIsOpenedInstead();
    void markStaysInASavedStudy();
    void olderStudiesAreMarkedToo();
    void changedCorpusMarksRoles();
    void otherDataSetIsNoted();

private:
    static constexpr int kWait = 30000;

    QString path(const char *name) const { return m_files->filePath(QString::fromLatin1(name)); }
    static bool isReady(MainWindow &window) { return window.state().session() && window.controller().queue().isIdle(); }
    /// The saved study, with everything computed.
    void reopen(MainWindow &window);
    void writeCorpus(const char *name, std::uint64_t seed) const;
    void changeWeights() const;
    static StaleStrip *strip(MainWindow &window) { return window.findChild<StaleStrip *>(); }
    static QString stripText(MainWindow &window) { return strip(window)->findChild<QLabel *>()->text(); }
    static void click(MainWindow &window, const QString &button);
    static QStringList staleNames(MainWindow &window, Domain domain);
    static QString shownText(const QWidget &page, const QString &part);

    QTemporaryDir m_folder;                 ///< as it was made
    std::unique_ptr<QTemporaryDir> m_files; ///< a copy for every test function
};

void TestStale::writeCorpus(const char *name, std::uint64_t seed) const
{
    const QDir folder(m_files ? m_files->path() : m_folder.path());
    const std::string base = folder.filePath(QString::fromLatin1(name)).toStdString();
    testing::writeTinyCorpus(base + ".en", base + ".fr", 8, seed);
}

/// As an epoch of training does: the same shapes, other numbers.
void TestStale::changeWeights() const
{
    QFile file(path("model/model.safetensors"));
    QVERIFY(file.open(QIODevice::ReadWrite));
    QVERIFY(file.seek(file.size() - 4));
    const float weight = 0.125F;
    QCOMPARE(file.write(reinterpret_cast<const char *>(&weight), 4), 4);
}

void TestStale::reopen(MainWindow &window)
{
    window.show();
    window.controller().setAutomatic(false);
    window.openPaths({path("saved.headscope")});
    QTRY_VERIFY_WITH_TIMEOUT(isReady(window), kWait);
}

void TestStale::click(MainWindow &window, const QString &button)
{
    for (QPushButton *found : strip(window)->findChildren<QPushButton *>()) {
        if (found->text() == button) {
            QVERIFY2(found->isEnabled(), qPrintable(found->toolTip()));
            QTest::mouseClick(found, Qt::LeftButton);
            return;
        }
    }
    QFAIL(qPrintable(button));
}

QStringList TestStale::staleNames(MainWindow &window, Domain domain)
{
    QStringList names;
    for (const StaleResult &result : window.state().staleResults()) {
        if (result.domain == domain)
            names << result.name;
    }
    return names;
}

QString TestStale::shownText(const QWidget &page, const QString &part)
{
    for (const QLabel *label : page.findChildren<QLabel *>()) {
        if (label->isVisibleTo(&page) && label->text().contains(part))
            return label->text();
    }
    return {};
}

void TestStale::initTestCase()
{
    QStandardPaths::setTestModeEnabled(true);
    QSettings::setDefaultFormat(QSettings::IniFormat);
    QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, m_folder.path());
    const QDir folder(m_folder.path());
    testing::writeTinyModel(folder.filePath(u"model"_s).toStdString());
    writeCorpus("in", 1);
    writeCorpus("out", 2);
    writeCorpus("corpus", 3);
    MainWindow window;
    RunOptions run;
    run.decoding.beams = 1;
    run.seed = 7;
    StudyController &controller = window.controller();
    controller.setRunOptions(run);
    for (const Domain domain : kBothDomains) {
        const QString name = folder.filePath(domain == Domain::In ? u"in"_s : u"out"_s);
        DataSource source;
        source.source = name.toStdString() + ".en";
        source.reference = name.toStdString() + ".fr";
        controller.setData(domain, source);
    }
    window.openPaths({folder.filePath(u"model"_s)});
    QTRY_VERIFY_WITH_TIMEOUT(window.state().results(Domain::Out).confidence && isReady(window), kWait);
    for (const Domain domain : kBothDomains) {
        controller.start(domain, AblationSpec{.allButOne = true});
        PruningSpec pruning;
        pruning.run = run;
        pruning.order = "ablation";
        pruning.orderOnOther = true;
        pruning.resamples = 20;
        controller.start(domain, pruning);
        RolesSpec roles;
        roles.run = run;
        roles.evidence = 2;
        roles.corpus = folder.filePath(u"corpus.en"_s).toStdString();
        controller.start(domain, roles);
        RelevanceSpec relevance;
        relevance.run = run;
        controller.start(domain, relevance);
    }
    QTRY_VERIFY_WITH_TIMEOUT(window.state().results(Domain::Out).relevance && isReady(window), kWait);
    QVERIFY2(window.state().error(ErrorPlace::Analysis).isEmpty(),
             qPrintable(window.state().error(ErrorPlace::Analysis)));
    window.saveStudyAs(folder.filePath(u"saved.headscope"_s));
    QTRY_VERIFY_WITH_TIMEOUT(!window.state().studyFile().isEmpty(), kWait);
}

/// In a folder of the same name, so that the study finds its files: roles name theirs by their whole paths.
void TestStale::init()
{
    failOnQtWarnings();
    QDir(QStandardPaths::writableLocation(QStandardPaths::AppDataLocation)).removeRecursively();
    m_files = std::make_unique<QTemporaryDir>();
    const auto all = std::filesystem::copy_options::recursive | std::filesystem::copy_options::overwrite_existing;
    std::filesystem::copy(m_folder.path().toStdString(), m_files->path().toStdString(), all);
}

void TestStale::reopenedStudyIsNotStale()
{
    MainWindow window;
    reopen(window);
    QVERIFY(window.state().staleResults().empty());
    QVERIFY(!strip(window)->isVisible());
    QVERIFY(window.page(QStringLiteral("heads"))->exportItems().front().manifestJson.find("\"stale\"")
            == std::string::npos);
}

void TestStale::changedWeightsMarkEverything()
{
    changeWeights();
    MainWindow window;
    QSignalSpy changed(&window.state(), &StudyState::staleChanged);
    reopen(window);
    QVERIFY(changed.count() > 0);
    const QStringList names = staleNames(window, Domain::In);
    for (const char *name :
         {"score", "ablation", "one head a layer", "importance", "confidence", "roles", "relevance", "pruning"})
        QVERIFY2(names.contains(QString::fromLatin1(name)), name);
    QStringList out = staleNames(window, Domain::Out), in = names;
    out.sort();
    in.sort();
    QCOMPARE(out, in);
    QVERIFY(strip(window)->isVisible());
    const QString text = stripText(window);
    QVERIFY2(text.contains(u"weights"_s) && text.contains(u"both data sets"_s) && text.contains(u"ablation"_s),
             qPrintable(text));
    // Beside the results, on every page and in what is exported.
    QVERIFY(!shownText(window.page<HeadsPage>(), u"Outdated"_s).isEmpty());
    for (const QString &view : {u"heads"_s, u"pruning"_s, u"domains"_s, u"roles"_s, u"layers"_s}) {
        for (const ExportItem &item : window.page(view)->exportItems()) {
            const QString manifest = QString::fromStdString(item.manifestJson).simplified();
            QVERIFY2(manifest.contains(u"\"stale\": [ \"weights\" ]"_s), qPrintable(item.name + manifest));
        }
    }
    // The session is of the new model: what is computed now is not marked.
    window.controller().start(Domain::In, ImportanceSpec{});
    QTRY_VERIFY_WITH_TIMEOUT(!staleNames(window, Domain::In).contains(u"importance"_s) && isReady(window), kWait);
    QVERIFY(staleNames(window, Domain::In).contains(u"ablation"_s));
}

void TestStale::computedAgainNothingIsMarked()
{
    changeWeights();
    MainWindow window;
    reopen(window);
    const DomainResults before = window.state().results(Domain::In);
    click(window, u"Compute again"_s);
    QTRY_VERIFY_WITH_TIMEOUT(window.state().staleResults().empty() && isReady(window), kWait);
    QVERIFY2(window.state().error(ErrorPlace::Analysis).isEmpty(),
             qPrintable(window.state().error(ErrorPlace::Analysis)));
    QVERIFY(!strip(window)->isVisible());
    const DomainResults &after = window.state().results(Domain::In);
    const std::string &weights = window.state().model()->weightsHash;
    for (const AnyResult &result : window.state().shownResults(Domain::In))
        QCOMPARE(manifestOf(result)->weightsHash, weights);
    // By the same options, none beside its old self.
    QCOMPARE(after.pruning.size(), before.pruning.size());
    QCOMPARE(after.pruning.front()->manifest.spec, before.pruning.front()->manifest.spec);
    QCOMPARE(after.roles->manifest.spec, before.roles->manifest.spec);
    QCOMPARE(after.ablation->manifest.spec, before.ablation->manifest.spec);
    QVERIFY(after.allButOne && after.allButOne->allButOne);
    window.saveStudyAs(path("again.headscope"));
    QTRY_VERIFY_WITH_TIMEOUT(!window.controller().files().isModified(), kWait);
    const LoadedStudy saved = loadStudy(path("again.headscope").toStdString()).valueOrThrow();
    for (const auto &results : saved.results) {
        for (const AnyResult &result : results)
            QCOMPARE(manifestOf(result)->weightsHash, weights);
    }
}

void TestStale::changedDataMarkTheirSlotOnly()
{
    writeCorpus("in", 11);
    MainWindow window;
    reopen(window);
    QVERIFY(staleNames(window, Domain::In).contains(u"ablation"_s));
    QVERIFY(staleNames(window, Domain::Out).isEmpty());
    const QString text = stripText(window);
    QVERIFY2(text.contains(u"in.fr"_s) && !text.contains(u"weights"_s) && !text.contains(u"out-of-domain"_s),
             qPrintable(text));
    // Rows are those of the new file; outputs for other rows are not shown beside them.
    QVERIFY(window.state().session()->data(Domain::In));
    click(window, u"Compute again"_s);
    QTRY_VERIFY_WITH_TIMEOUT(window.state().staleResults().empty() && isReady(window), kWait);
    QCOMPARE(window.state().results(Domain::In).pruning.size(), std::size_t(1));
    QCOMPARE(window.state().results(Domain::In).ablation->manifest.dataHash, window.state().data(Domain::In)->hash);
}

void TestStale::staleAndFreshAreNotComparedSilently()
{
    writeCorpus("in", 11);
    MainWindow window;
    reopen(window);
    const StudyState &state = window.state();
    const QString only = u"Only the in-domain values are outdated"_s;
    const GridContent difference = gridContent(state, Measure::AblationDelta, DomainView::Difference);
    QVERIFY2(difference.stale.startsWith(only), qPrintable(difference.stale));
    QVERIFY(gridContent(state, Measure::AblationDelta, DomainView::Out).stale.isEmpty());
    window.showView(QStringLiteral("domains"));
    QVERIFY(!shownText(window.page<DomainsPage>(), only).isEmpty());
    window.showView(QStringLiteral("layers"));
    QVERIFY(!shownText(window.page<LayersPage>(), only).isEmpty());
    window.state().toggleMask(state.layout().heads().front());
    QTRY_VERIFY_WITH_TIMEOUT(state.results(Domain::In).masked && state.results(Domain::Out).masked && isReady(window),
                             kWait);
    QVERIFY(state.isStale(Domain::In, state.results(Domain::In).baseline->manifest));
    QVERIFY(!state.isStale(Domain::In, state.results(Domain::In).masked->manifest));
    const auto *scores = window.findChild<ScoreBar *>();
    // To the full model as it is now, not to the score that is outdated.
    for (const Domain domain : kBothDomains) {
        const auto &against = state.results(domain).masked->against;
        QVERIFY(against && against->mask.empty());
        const ValueFormat format = metricFormat(state.metricName());
        const QString text = scores->scoreText(domain);
        QVERIFY2(text.contains(u"Δ %1"_s.arg(format.difference(against->delta))), qPrintable(text));
    }
}

void TestStale::discardingIsOneStep()
{
    writeCorpus("in", 11);
    MainWindow window;
    reopen(window);
    StudyState &state = window.state();
    const auto ablation = state.results(Domain::In).ablation;
    click(window, u"Discard"_s);
    QVERIFY(state.staleResults().empty() && !strip(window)->isVisible());
    for (const AnyResult &result : state.shownResults(Domain::In)) // those of the model alone hang on no data
        QVERIFY(result.is<WeightsResult>());
    QVERIFY(state.results(Domain::Out).ablation && state.results(Domain::Out).roles);
    QCOMPARE(state.undoStack().count(), 1);
    window.saveStudyAs(path("without.headscope"));
    QTRY_VERIFY_WITH_TIMEOUT(!window.controller().files().isModified() && isReady(window), kWait);
    const auto saved = loadStudy(path("without.headscope").toStdString()).valueOrThrow();
    for (const AnyResult &result : saved.results[0])
        QVERIFY(result.is<WeightsResult>());
    state.undoStack().undo();
    QCOMPARE(state.results(Domain::In).ablation->heads.front().delta, ablation->heads.front().delta);
    QVERIFY(state.results(Domain::In).roles && state.assignedRoles(Domain::In));
    QVERIFY(staleNames(window, Domain::In).contains(u"pruning"_s) && strip(window)->isVisible());
    state.undoStack().redo();
    QVERIFY(state.staleResults().empty() && !state.results(Domain::In).ablation);
}

void TestStale::folderReadAgainKeepsTheResults()
{
    MainWindow window;
    reopen(window);
    const auto ablation = window.state().results(Domain::In).ablation;
    changeWeights();
    window.openPaths({path("model")});
    QTRY_VERIFY_WITH_TIMEOUT(!window.state().staleResults().empty() && isReady(window), kWait);
    QCOMPARE(window.state().results(Domain::In).ablation, ablation);
    QVERIFY2(stripText(window).contains(u"weights"_s), qPrintable(stripText(window)));
    QCOMPARE(window.state().studyFile(), path("saved.headscope"));
}

void TestStale::anotherModelInTheFolderIsOpenedInstead()
{
    testing::TinyModel other;
    other.heads = 2;
    testing::writeTinyModel(path("model").toStdString(), other);
    MainWindow window;
    window.show();
    window.controller().setAutomatic(false);
    window.openPaths({path("saved.headscope")});
    QTRY_VERIFY_WITH_TIMEOUT(window.state().model() && !window.state().staleResults().empty()
                                 && window.controller().queue().isIdle(),
                             kWait);
    QVERIFY(!window.state().error(ErrorPlace::Model).isEmpty());
    QVERIFY(!window.state().session() && window.state().results(Domain::In).ablation);
    click(window, u"Compute again"_s);
    QTRY_VERIFY_WITH_TIMEOUT(isReady(window) && window.state().results(Domain::Out).roles, kWait);
    QVERIFY(window.state().staleResults().empty());
    QCOMPARE(window.state().results(Domain::In).ablation->heads.size(), std::size_t(window.state().layout().size()));
    QVERIFY(window.state().error(ErrorPlace::Model).isEmpty());
}

void TestStale::markStaysInASavedStudy()
{
    changeWeights();
    writeCorpus("in", 11);
    {
        MainWindow window;
        reopen(window);
        window.state().toggleMask(window.state().layout().heads().front());
        QTRY_VERIFY_WITH_TIMEOUT(window.state().results(Domain::In).masked && window.state().results(Domain::Out).masked
                                     && isReady(window),
                                 kWait);
        window.saveStudyAs(path("saved.headscope"));
        QTRY_VERIFY_WITH_TIMEOUT(!window.controller().files().isModified() && isReady(window), kWait);
    }
    MainWindow window;
    reopen(window);
    QVERIFY(staleNames(window, Domain::Out).contains(u"ablation"_s));
    const QString text = stripText(window);
    QVERIFY2(text.contains(u"weights"_s) && text.contains(u"in.en"_s), qPrintable(text));
}

void TestStale::olderStudiesAreMarkedToo()
{
    QFile file(path("saved.headscope"));
    QVERIFY(file.open(QIODevice::ReadOnly));
    auto study = nlohmann::json::parse(file.readAll().toStdString());
    file.close();
    study["model"].erase("metrics");
    study["model"].erase("files");
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(QByteArray::fromStdString(study.dump()));
    file.close();
    changeWeights();
    MainWindow window;
    reopen(window);
    QVERIFY(window.state().session() && staleNames(window, Domain::In).contains(u"ablation"_s));
    QVERIFY2(window.state().error(ErrorPlace::Model).isEmpty(), qPrintable(window.state().error(ErrorPlace::Model)));
}

void TestStale::changedCorpusMarksRoles()
{
    QFile corpus(QDir(m_folder.path()).filePath(u"corpus.en"_s)); // roles were asked for with this path
    QVERIFY(corpus.open(QIODevice::ReadWrite));
    const QByteArray old = corpus.readAll();
    corpus.write("a man walks .\n");
    corpus.close();
    MainWindow window;
    reopen(window);
    QTRY_VERIFY_WITH_TIMEOUT(!window.state().staleResults().empty(), kWait);
    QCOMPARE(staleNames(window, Domain::In), QStringList{u"roles"_s});
    QVERIFY2(stripText(window).contains(u"corpus.en"_s), qPrintable(stripText(window)));
    window.showView(QStringLiteral("roles"));
    QVERIFY(!shownText(window.page<RolesPage>(), u"Outdated"_s).isEmpty());
    click(window, u"Compute again"_s);
    QTRY_VERIFY_WITH_TIMEOUT(window.state().staleResults().empty() && isReady(window), kWait);
    QVERIFY(corpus.open(QIODevice::WriteOnly));
    corpus.write(old);
}

void TestStale::otherDataSetIsNoted()
{
    writeCorpus("out", 12);
    MainWindow window;
    reopen(window);
    QVERIFY(!staleNames(window, Domain::In).contains(u"pruning"_s)); // the order was a good one, and is still
    window.showView(QStringLiteral("pruning"));
    const QList<ExportItem> items = window.page(QStringLiteral("pruning"))->exportItems();
    QVERIFY(!items.isEmpty());
    const auto manifests = nlohmann::json::parse(items.front().manifestJson);
    QCOMPARE(manifests.size(), std::size_t(2));
    QVERIFY(manifests[0].contains("note") && !manifests[0].contains("stale"));
    QVERIFY(manifests[1].contains("stale") && !manifests[1].contains("note"));
}

QTEST_MAIN(TestStale)
#include "tst_stale.moc"

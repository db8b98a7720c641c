#include "tests/support/windowtest.h"

#include "core/analysis/confidencespec.h"
#include "tests/support/nowarnings.h"
#include "tests/support/picture.h"
#include "tests/support/stallwatch.h"
#include "ui/dialogs/opendatadialog.h"
#include "ui/exporting/exportdialog.h"
#include "ui/exporting/exporter.h"
#include "ui/pages/domains/domainspage.h"
#include "ui/pages/heads/headspage.h"
#include "ui/pages/pageregistry.h"
#include "ui/pages/pruning/pruningpage.h"
#include "ui/views/errorlabel.h"
#include "ui/views/scorebar.h"
#include "ui/views/studypanel.h"

#include <QAction>
#include <QContextMenuEvent>
#include <QDockWidget>
#include <QElapsedTimer>
#include <QFile>
#include <QImage>
#include <QLabel>
#include <QMenu>
#include <QSettings>
#include <QShortcut>
#include <QSlider>
#include <QStandardPaths>
#include <QTableView>
#include <QTest>
#include <QToolButton>

#include <filesystem>

namespace headscope::testing {

namespace {
void writeLines(const QString &path, int count)
{
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    for (int i = 0; i < count; ++i)
        file.write("a man walks .\n");
}

bool copyTree(const QString &from, const QString &to)
{
    std::error_code error;
    std::filesystem::copy(from.toStdString(), to.toStdString(), std::filesystem::copy_options::recursive, error);
    return !error;
}
} // namespace

void WindowTest::keep(QWidget &widget, const QString &name)
{
    keepPicture(widget, QString::fromLatin1(metaObject()->className()) + u'-' + name);
}

void WindowTest::init()
{
    failOnQtWarnings();
}

void WindowTest::initTestCase()
{
    QStandardPaths::setTestModeEnabled(true);
    QSettings::setDefaultFormat(QSettings::IniFormat);
    QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, m_folder.path());
    m_material = material(m_folder.path());
    for (DataSource &source : m_material.data)
        source.limit = kExamples;
    m_window = std::make_unique<MainWindow>();
    m_window->controller().setRunOptions(m_material.run);
    m_window->show();
    QVERIFY(QTest::qWaitForWindowExposed(m_window.get()));
    m_window->activateWindow();
}

void WindowTest::cleanupTestCase()
{
    m_window.reset();
}

void WindowTest::startsWithTheStartPage()
{
    QCOMPARE(m_window->currentView(), QStringLiteral("start"));
    QVERIFY(m_window->page(QStringLiteral("heads"))->exportItems().isEmpty());
}

// One that two actions have, or one action twice, is ambiguous and does nothing.
void WindowTest::everyShortcutIsThereOnce()
{
    QStringList seen;
    for (const QAction *action : m_window->findChildren<QAction *>()) {
        for (const QKeySequence &keys : action->shortcuts()) {
            QVERIFY2(!seen.contains(keys.toString()), qPrintable(keys.toString() + u": " + action->text()));
            seen << keys.toString();
        }
    }
    for (const QShortcut *shortcut : m_window->findChildren<QShortcut *>())
        QVERIFY2(!seen.contains(shortcut->key().toString()), qPrintable(shortcut->key().toString()));
    QVERIFY(seen.contains(QStringLiteral("Ctrl+Shift+Z")) && seen.contains(QStringLiteral("Ctrl+Q")));
}

void WindowTest::folderWithoutConfigIsToldOnTheStartPage()
{
    const QString empty = path("empty");
    QVERIFY(QDir().mkpath(empty));
    m_window->openPaths({empty});
    QTRY_VERIFY(!state().error(ErrorPlace::Model).isEmpty());
    QVERIFY(state().error(ErrorPlace::Model).contains(QStringLiteral("config.json")));
    QCOMPARE(m_window->currentView(), QStringLiteral("start"));
    keep(*m_window, QStringLiteral("error"));
    m_window->openPaths({path("missing")});
    QVERIFY(state().error(ErrorPlace::Model).contains(QStringLiteral("missing")));
}

void WindowTest::opensModelAndFillsTheGrid()
{
    // Data first: kept until there is a model to read it with.
    for (const Domain domain : kBothDomains)
        m_window->controller().setData(domain, m_material.data[domain == Domain::In ? 0 : 1]);
    m_window->openPaths({m_material.model});
    QTRY_VERIFY_WITH_TIMEOUT(state().model(), kPatienceMs);
    QVERIFY(state().error(ErrorPlace::Model).isEmpty());
    QCOMPARE(m_window->currentView(), QStringLiteral("heads"));
    QTRY_VERIFY_WITH_TIMEOUT(results(Domain::In).ablation, kPatienceMs);
    QTRY_VERIFY_WITH_TIMEOUT(isIdle(), kPatienceMs);
    QVERIFY2(state().error(ErrorPlace::Analysis).isEmpty(), qPrintable(state().error(ErrorPlace::Analysis)));
    const GridContent &content = m_window->page<HeadsPage>().model().content();
    QCOMPARE(content.valueCount(), state().layout().size());
    QVERIFY(!content.partial);
    for (const Domain domain : kBothDomains) {
        QVERIFY(results(domain).importance);
        QVERIFY(results(domain).confidence);
        QCOMPARE(results(domain).baseline->examples, kExamples);
    }
    const auto *scores = m_window->findChild<ScoreBar *>();
    QVERIFY(!scores->scoreText(Domain::In).isEmpty());
}

void WindowTest::unequalLineCountsAreToldInTheDialog()
{
    writeLines(path("three.en"), 3);
    writeLines(path("four.fr"), 4);
    OpenDataDialog dialog(state(), m_window->controller().queue());
    DataSource source;
    source.source = path("three.en").toStdString();
    source.reference = path("four.fr").toStdString();
    dialog.slot(Domain::Out).setSource(source);
    QTRY_VERIFY(!dialog.slot(Domain::Out).errorText().isEmpty());
    const QString error = dialog.slot(Domain::Out).errorText();
    QVERIFY2(error.contains(u'3') && error.contains(u'4'), qPrintable(error));
    QVERIFY(!dialog.slot(Domain::Out).isAcceptable());
    keep(dialog, QStringLiteral("dialog-data"));
    QVERIFY(results(Domain::Out).ablation); // nothing is lost
}

void WindowTest::masksByClickAndKeyAndUndoes()
{
    HeadGridView &grid = m_window->page<HeadsPage>().grid();
    const HeadRef first = state().layout().heads().front();
    const QPoint cell = grid.cellRect(first).center();
    QTest::mouseClick(grid.viewport(), Qt::LeftButton, {}, cell);
    QCOMPARE(state().currentHead(), std::optional(first));
    QVERIFY(state().mask().empty());
    QTest::mouseDClick(grid.viewport(), Qt::LeftButton, {}, cell);
    QTest::mouseRelease(grid.viewport(), Qt::LeftButton, {}, cell);
    QVERIFY(state().mask().isMasked(first));
    QTest::keyClick(&grid, Qt::Key_Right);
    const HeadRef second = *state().currentHead();
    QCOMPARE(second, (HeadRef{first.kind, first.layer, first.head + 1}));
    QTest::keyClick(&grid, Qt::Key_Space);
    QCOMPARE(state().mask().size(), 2);
    QTest::keyClick(m_window.get(), Qt::Key_Z, Qt::ControlModifier);
    QCOMPARE(state().mask(), HeadMask{first});
    QTest::keyClick(m_window.get(), Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
    QCOMPARE(state().mask().size(), 2);
    QTest::keyClick(m_window.get(), Qt::Key_Z, Qt::ControlModifier);
    keep(*m_window, QStringLiteral("heads"));
    // Shift extends the selection to the neighbours
    QTest::keyClick(&grid, Qt::Key_Right, Qt::ShiftModifier);
    QCOMPARE(state().selection().size(), std::size_t(2));
}

void WindowTest::maskedScoreArrives()
{
    for (const Domain domain : kBothDomains)
        QTRY_VERIFY_WITH_TIMEOUT(results(domain).masked && results(domain).masked->examples == kExamples, kPatienceMs);
    const HeadRef head = *state().mask().begin();
    QCOMPARE(results(Domain::In).masked->mask, state().mask());
    // The sweep removed the same head: the same score.
    for (const HeadAblation &entry : results(Domain::In).ablation->heads) {
        if (entry.head == head)
            QCOMPARE(results(Domain::In).masked->primary().value, entry.score);
    }
}

void WindowTest::sliderDragIsOneStep()
{
    m_window->showView(QStringLiteral("pruning"));
    PruningPage &page = m_window->page<PruningPage>();
    page.compute();
    QTRY_VERIFY_WITH_TIMEOUT(isIdle(), kPatienceMs);
    QVERIFY(!results(Domain::In).pruning.empty());
    const HeadMask before = state().mask();
    const int steps = state().undoStack().index();
    QSlider &slider = page.slider();
    QVERIFY(slider.isEnabled());
    slider.setSliderDown(true);
    for (const int position : {2, 3, 5})
        slider.setSliderPosition(position);
    slider.setSliderDown(false);
    QCOMPARE(state().mask().size(), 5);
    QCOMPARE(state().undoStack().index(), steps + 1);
    QTRY_VERIFY_WITH_TIMEOUT(results(Domain::In).masked && results(Domain::In).masked->mask == state().mask(),
                             kPatienceMs);
    state().undoStack().undo();
    QCOMPARE(state().mask(), before);
    QTRY_VERIFY_WITH_TIMEOUT(isIdle(), kPatienceMs);
}

/// Starts an analysis that is long enough on any model.
void WindowTest::startLongJob()
{
    JobQueue &queue = m_window->controller().queue();
    PruningSpec spec;
    spec.run = m_window->controller().runOptions();
    spec.order = "random";
    spec.step = 1;
    spec.randomOrders = 20000 / state().layout().size();
    m_window->controller().start(Domain::In, spec);
    QTRY_VERIFY(queue.current() && queue.current()->state == JobState::Running);
}

// While an analysis runs, a click gets its score, and the GUI thread is never held by work that belongs elsewhere. The
// goal for its longest stretch is a frame, 16 ms; slow machines may take longer to draw.
void WindowTest::staysSmoothWhileComputing()
{
    m_window->showView(QStringLiteral("heads"));
    QTest::qWait(50);
    startLongJob();
    StallWatch watch;
    qint64 slowest = 0;
    const HeadMask before = state().mask();
    for (int click = 0; click < 4; ++click) {
        const std::vector<HeadRef> heads = state().layout().heads();
        const HeadRef head = heads[static_cast<std::size_t>(click) * heads.size() / 4];
        QElapsedTimer timer;
        timer.start();
        state().setMask(HeadMask{head}, QStringLiteral("click"));
        QTRY_VERIFY_WITH_TIMEOUT(results(Domain::In).masked && results(Domain::In).masked->mask == state().mask(),
                                 kPatienceMs);
        slowest = std::max(slowest, timer.elapsed());
    }
    m_window->controller().queue().cancelAll();
    QTRY_VERIFY(isIdle());
    state().setMask(before, QStringLiteral("back"));
    QTRY_VERIFY_WITH_TIMEOUT(isIdle(), kPatienceMs);
    qInfo("first score of a click during a job after at most %lld ms; longest stretch of the GUI thread %.1f ms",
          slowest, watch.longestMilliseconds());
    QVERIFY2(watch.longestMilliseconds() < 100, qPrintable(QString::number(watch.longestMilliseconds())));
}

void WindowTest::cancelActsAtOnce()
{
    startLongJob();
    JobQueue &queue = m_window->controller().queue();
    const JobId id = queue.current()->id;
    auto *button = m_window->findChild<QToolButton *>(QStringLiteral("cancelJob"));
    QTRY_VERIFY(button->isVisible());
    QTest::qWait(300);
    QVERIFY2(queue.current() && queue.current()->id == id, "the job ended before it could be cancelled");
    QElapsedTimer timer;
    timer.start();
    QTest::mouseClick(button, Qt::LeftButton);
    QTRY_VERIFY(isIdle());
    QVERIFY2(timer.elapsed() < 1000, qPrintable(QString::number(timer.elapsed()))); // 200 ms, on a machine that is busy
    QVERIFY(state().error(ErrorPlace::Analysis).isEmpty());                         // cancelled is not failed
}

void WindowTest::exportsPictureAndTable()
{
    m_window->showView(QStringLiteral("heads"));
    const QList<ExportItem> items = m_window->page(QStringLiteral("heads"))->exportItems();
    QCOMPARE(items.size(), 2); // and the histogram
    ExportOptions options;
    QVERIFY(exportItem(items.front(), path("grid.png"), options).isOk());
    const QImage picture(path("grid.png"));
    QVERIFY(picture.width() > 1000);
    options.format = ExportFormat::Csv;
    QVERIFY(exportItem(items.front(), path("grid.csv"), options).isOk());
    QFile file(path("grid.csv"));
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QList<QByteArray> lines = file.readAll().trimmed().split('\n');
    QCOMPARE(lines.size(), state().layout().size() + 1);
    const QList<QByteArray> names = lines[0].trimmed().split(',');
    const QList<QByteArray> fields = lines[1].trimmed().split(',');
    const HeadAblation &first = results(Domain::In).ablation->heads.front();
    QCOMPARE(fields[names.indexOf("head")], QByteArray::fromStdString(toText(first.head)));
    QCOMPARE(fields[names.indexOf("delta")].toDouble(), first.delta);
    QCOMPARE(fields[names.indexOf("p")].toDouble(), first.p);
    QVERIFY(QFile::exists(manifestPathFor(path("grid.csv"))));
    QVERIFY(exportItem(items.front(), path("no/such/folder/grid.png"), {}).isError());
}

void WindowTest::tableShowsTheSameHeads()
{
    m_window->showView(QStringLiteral("heads"));
    HeadsPage &page = m_window->page<HeadsPage>();
    auto *asTable = page.findChild<QToolButton *>(QStringLiteral("asTable"));
    QTest::mouseClick(asTable, Qt::LeftButton);
    auto *table = page.findChild<QTableView *>();
    QVERIFY(table->isVisible());
    QCOMPARE(table->model()->rowCount(), static_cast<int>(state().layout().size()));
    QCOMPARE(table->model()->index(0, HeadGridModel::RankColumn).data(RankRole).toInt(), 1); // sorted by rank
    table->setCurrentIndex(table->model()->index(2, 0));
    QCOMPARE(state().currentHead(), std::optional(table->model()->index(2, 0).data(HeadRefRole).value<HeadRef>()));
    keep(*m_window, QStringLiteral("table"));
    QTest::mouseClick(asTable, Qt::LeftButton);
    QVERIFY(page.grid().isVisible());
}

void WindowTest::everyViewPaints()
{
    for (const PageEntry &entry : pageRegistry()) {
        const QString view = entry.info.id;
        if (!entry.info.needsModel)
            continue;
        m_window->showView(view);
        for (const Domain domain : kBothDomains) // some are empty until somebody asks
            m_window->page(view)->computeMissing(domain, false);
        QTRY_VERIFY_WITH_TIMEOUT(isIdle(), kPatienceMs);
        const QImage picture = m_window->grab().toImage();
        QCOMPARE(picture.size(), m_window->size() * m_window->devicePixelRatio());
        keep(*m_window, view);
        // A search takes minutes on the real model, a map a pass over the data, heads over training a run, sharing a
        // factorization of all projections, pairs hundreds of masks, patching has no pairs here; analyses without a
        // page wait until somebody asks: they have tests.
        const bool mayBeEmpty
            = QStringList{QStringLiteral("attention"), QStringLiteral("search"),   QStringLiteral("analyses"),
                          QStringLiteral("map"),       QStringLiteral("dynamics"), QStringLiteral("sharing"),
                          QStringLiteral("models"),    QStringLiteral("patching"), QStringLiteral("pairs")}
                  .contains(view);
        QVERIFY2(mayBeEmpty || !m_window->page(view)->exportItems().isEmpty(), qPrintable(view));
    }
    m_window->showView(QStringLiteral("heads"));
}

void WindowTest::domainsPageShowsAttentionAndExports()
{
    m_window->showView(QStringLiteral("domains"));
    auto *grid = m_window->page<DomainsPage>().findChild<HeadGridView *>();
    QVERIFY(grid);
    const HeadRef head = state().layout().heads().front();
    QTest::mouseClick(grid->viewport(), Qt::LeftButton, {}, grid->cellRect(head).center());
    QTest::keyClick(grid, Qt::Key_Return);
    QCOMPARE(m_window->currentView(), QStringLiteral("attention"));
    for (const QString &entry : {QStringLiteral("Show its"), QStringLiteral("Export")}) {
        m_window->showView(QStringLiteral("domains"));
        QContextMenuEvent menuEvent(QContextMenuEvent::Mouse, grid->cellRect(head).center(),
                                    grid->viewport()->mapToGlobal(grid->cellRect(head).center()));
        QCoreApplication::sendEvent(grid->viewport(), &menuEvent);
        auto *menu = grid->findChild<QMenu *>();
        QTRY_VERIFY(menu && menu->isVisible());
        for (QAction *action : menu->actions()) {
            if (!action->text().remove(u'&').startsWith(entry))
                continue;
            menu->setActiveAction(action);
            QTest::keyClick(menu, Qt::Key_Return);
            break;
        }
        QTRY_VERIFY(!grid->findChild<QMenu *>());
        if (entry == QLatin1String("Export")) {
            auto *dialog = m_window->findChild<ExportDialog *>();
            QVERIFY(dialog && dialog->isVisible());
            dialog->reject();
            QTRY_VERIFY(!m_window->findChild<ExportDialog *>());
        } else {
            QCOMPARE(m_window->currentView(), QStringLiteral("attention"));
        }
    }
    QTRY_VERIFY_WITH_TIMEOUT(isIdle(), kPatienceMs);
    m_window->showView(QStringLiteral("heads"));
}

void WindowTest::clickOnTheScoresShowsTheJobs()
{
    auto *bar = m_window->findChild<ScoreBar *>();
    auto *jobs = m_window->findChild<QDockWidget *>(QStringLiteral("jobsDock"));
    QVERIFY(!jobs->isVisible());
    const QLabel *scores = nullptr;
    for (const QLabel *label : bar->findChildren<QLabel *>())
        scores = label->text().contains(state().metricName()) ? label : scores;
    QVERIFY(scores);
    const QPoint text(scores->fontMetrics().averageCharWidth() * 4, scores->height() / 2);
    QTest::mouseClick(const_cast<QLabel *>(scores), Qt::LeftButton, {}, text);
    QVERIFY(jobs->isVisible());
    QTest::mouseClick(const_cast<QLabel *>(scores), Qt::LeftButton, {}, text);
    QVERIFY(!jobs->isVisible());
}

void WindowTest::errorOfAFailedJobStays()
{
    PruningSpec spec;
    spec.run = m_window->controller().runOptions();
    spec.order = path("no such order.txt").toStdString();
    m_window->controller().start(Domain::In, spec);
    QTRY_VERIFY_WITH_TIMEOUT(!state().error(ErrorPlace::Analysis).isEmpty(), kPatienceMs);
    const QString error = state().error(ErrorPlace::Analysis);
    m_window->controller().start(Domain::In, ConfidenceSpec{}); // another job
    QTRY_VERIFY_WITH_TIMEOUT(isIdle(), kPatienceMs);
    QCOMPARE(state().error(ErrorPlace::Analysis), error);
    for (auto *label : m_window->findChild<StudyPanel *>()->findChildren<ErrorLabel *>()) {
        if (label->errorText() == error)
            Q_EMIT label->linkActivated(QStringLiteral("dismiss"));
    }
    QVERIFY(state().error(ErrorPlace::Analysis).isEmpty());
}

void WindowTest::savedStudyReopensWithTheSameNumbers()
{
    m_window->saveStudyAs(path("study"));
    QTRY_COMPARE(state().studyFile(), path("study.headscope"));
    QVERIFY(!m_window->controller().files().isModified());

    // A copy: this window has the file itself open.
    for (const QString &name : {QStringLiteral("study.headscope"), QStringLiteral("study.headscope.results")})
        QVERIFY(copyTree(path(qPrintable(name)), path(qPrintable(u"copied-" + name))));
    MainWindow reopened;
    reopened.show();
    reopened.openPaths({path("copied-study.headscope")});
    QTRY_VERIFY_WITH_TIMEOUT(reopened.state().session() && reopened.controller().queue().isIdle(), kPatienceMs);
    const StudyState &other = reopened.state();
    for (const auto place : {ErrorPlace::Study, ErrorPlace::Model, ErrorPlace::InData, ErrorPlace::OutData})
        QVERIFY2(other.error(place).isEmpty(), qPrintable(other.error(place)));
    QCOMPARE(other.mask(), state().mask());
    QVERIFY(other.layout() == state().layout());
    for (const Domain domain : kBothDomains) {
        const DomainResults &before = results(domain);
        const DomainResults &after = other.results(domain);
        QVERIFY(after.ablation && after.importance && after.confidence && after.baseline && after.masked);
        QCOMPARE(after.baseline->primary().value, before.baseline->primary().value);
        QCOMPARE(after.masked->primary().value, before.masked->primary().value);
        for (std::size_t i = 0; i < before.ablation->heads.size(); ++i) {
            QCOMPARE(after.ablation->heads[i].delta, before.ablation->heads[i].delta);
            QCOMPARE(after.ablation->heads[i].interval.low, before.ablation->heads[i].interval.low);
            QCOMPARE(after.ablation->heads[i].pAdjusted, before.ablation->heads[i].pAdjusted);
            QCOMPARE(after.importance->heads[i].importance, before.importance->heads[i].importance);
            QCOMPARE(after.confidence->heads[i].confidence, before.confidence->heads[i].confidence);
        }
        // The curve that was finished; the cancelled one is not kept.
        QCOMPARE(after.pruning.size(), std::size_t(1));
        const auto &oldPoints = before.pruning.front()->curves.front().points;
        const auto &newPoints = after.pruning.front()->curves.front().points;
        QCOMPARE(newPoints.size(), oldPoints.size());
        QCOMPARE(newPoints.back().score, oldPoints.back().score);
        QVERIFY(newPoints[1].mask == oldPoints[1].mask);
    }
    // Nothing was computed again.
    for (const JobInfo &job : reopened.controller().queue().jobs()) {
        for (const Domain domain : kBothDomains)
            QVERIFY2(!job.spec.name.endsWith(domainName(domain)) || job.spec.name.startsWith(u"Read "),
                     qPrintable(job.spec.name));
    }
}

} // namespace headscope::testing

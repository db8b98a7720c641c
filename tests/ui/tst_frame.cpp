// The window around its pages: docks that fold, and what stays where it is.
#include "core/analysis/confidencespec.h"
#include "tests/support/nowarnings.h"
#include "tests/support/picture.h"
#include "tests/support/tinymodel.h"
#include "ui/exporting/exportdialog.h"
#include "ui/mainwindow/commandpalette.h"
#include "ui/mainwindow/mainwindow.h"
#include "ui/mainwindow/pagerow.h"
#include "ui/mainwindow/sidedock.h"
#include "ui/pages/analyses/analysespage.h"
#include "ui/pages/heads/headspage.h"
#include "ui/pages/pageregistry.h"
#include "ui/pages/pruning/curvestable.h"
#include "ui/pages/pruning/pruningpage.h"
#include "ui/views/emptycard.h"
#include "ui/views/foldingside.h"
#include "ui/views/scorebar.h"
#include "ui/views/studypanel.h"
#include "ui/views/toast.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QElapsedTimer>
#include <QFileInfo>
#include <QHelpEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QMenuBar>
#include <QPushButton>
#include <QSettings>
#include <QStandardPaths>
#include <QStatusBar>
#include <QTemporaryDir>
#include <QTest>
#include <QThread>

#include <QToolButton>
#include <QToolTip>
#include <QTreeWidget>
#include <algorithm>

#include <cstdlib>
#include <memory>
#include <optional>
#include <vector>

using namespace headscope;
using namespace Qt::StringLiterals;

namespace {
constexpr int kPatienceMs = 60'000;
}

class TestFrame final : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void init() { failOnQtWarnings(); }

    void docksFoldToRailsAndRememberIt();
    void sidesOfPagesFoldAndRememberIt();
    void sidesOfPagesGiveWayInNarrowPages();
    void whatLiesBelowAPictureFolds_data();
    void whatLiesBelowAPictureFolds();
    void docksAreNotLeftSqueezed();
    void inspectorKeepsItsPlace();
    void narrowWindowsStartFolded();
    void modelAndDataAreALineEach();
    void pagesStandInGroups();
    void commandsAreFoundByWhatTheyDo();
    void commandsAreFoundByOtherWords_data();
    void commandsAreFoundByOtherWords();
    void headsAnswerWithTheirValues();
    void commandsSayWhyTheyCannotBeDone();
    void messagesMoveNothingAndGo();
    void nothingMovesWhileAJobRuns_data();
    void nothingMovesWhileAJobRuns();
    void resultsAreAChecklist();
    void computeIsAlwaysInTheSameCorner();
    void emptyPagesSayWhatTheyWillShow();
    void scoresAreNotCutBesideAJob();

private:
    std::unique_ptr<MainWindow> demoWindow(const QSize &size, bool settings = false);
    static SideDock &dock(const MainWindow &window, const QString &name) { return *window.findChild<SideDock *>(name); }

    QTemporaryDir m_folder;
};

void TestFrame::initTestCase()
{
    QStandardPaths::setTestModeEnabled(true);
    QCoreApplication::setOrganizationName(u"Headscope"_s);
    QSettings::setDefaultFormat(QSettings::IniFormat);
    QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, m_folder.path());
}

std::unique_ptr<MainWindow> TestFrame::demoWindow(const QSize &size, bool settings)
{
    auto window = std::make_unique<MainWindow>();
    if (settings)
        window->useSettings();
    window->resize(size);
    window->show();
    window->openDemo();
    const bool ready = QTest::qWaitFor(
        [&] { return window->state().session() && window->controller().queue().isIdle(); }, kPatienceMs);
    window->activateWindow();
    return ready && QTest::qWaitForWindowActive(window.get()) ? std::move(window) : nullptr;
}

void TestFrame::docksFoldToRailsAndRememberIt()
{
    {
        const auto window = demoWindow({1280, 800}, true);
        QVERIFY(window);
        SideDock &study = dock(*window, u"studyDock"_s);
        QVERIFY(study.isVisible() && !study.rail().isVisible());
        const int pageBefore = window->currentPage()->width();
        QTest::mouseClick(study.titleBarWidget()->findChild<QToolButton *>(), Qt::LeftButton);
        QTRY_VERIFY(!study.isVisible() && study.rail().isVisible());
        QCOMPARE(study.rail().width(), 40);
        QTRY_VERIFY(window->currentPage()->width() > pageBefore + 150);
        QVERIFY(study.rail().toolTip().contains(u"500"_s)); // what is inside
        QCOMPARE(QApplication::focusWidget(), &study.rail());
        QTest::keyClick(&study.rail(), Qt::Key_Space); // the keyboard opens it
        QTRY_VERIFY(study.isVisible() && !study.rail().isVisible());
        QTest::keyClick(window.get(), Qt::Key_B, Qt::ControlModifier);
        QTRY_VERIFY(!study.isVisible() && !study.action().isChecked());
        window->state().setError(ErrorPlace::Study, u"It failed."_s);
        QCOMPARE(study.rail().badge(), u"!"_s);
        window->state().setError(ErrorPlace::Study, {});
        QVERIFY(study.rail().badge() != u"!"_s);
        keepPicture(*window, u"TestFrame-folded"_s);
        window->close();
    }
    {
        const auto window = demoWindow({1280, 800}, true);
        QVERIFY(window);
        SideDock &study = dock(*window, u"studyDock"_s);
        QVERIFY(!study.isVisible() && study.rail().isVisible());
        QTest::mouseClick(&study.rail(), Qt::LeftButton);
        QTRY_VERIFY(study.isVisible());
        window->close();
    }
}

void TestFrame::sidesOfPagesFoldAndRememberIt()
{
    const auto sideOf = [](MainWindow &window) { return window.currentPage()->findChild<FoldingSide *>(); };
    {
        const auto window = demoWindow({1600, 900}, true);
        QVERIFY(window);
        QTest::keyClick(window.get(), Qt::Key_B, Qt::ControlModifier); // room for both
        window->showView(u"pruning"_s);
        FoldingSide *side = sideOf(*window);
        QVERIFY(side);
        QTRY_VERIFY(!side->isFolded());
        auto &page = window->page<PruningPage>();
        QVERIFY(page.curves().isVisible() && page.chart().picture().legend == PruningPicture::Legend::None);
        const int before = page.chart().width();
        auto *fold = side->findChild<QToolButton *>(u"fold"_s);
        QTest::mouseClick(fold, Qt::LeftButton);
        QTRY_VERIFY(page.chart().width() > before + 150);
        QVERIFY(side->rail().isVisible() && !page.curves().isVisible());
        QVERIFY(page.chart().picture().legend == PruningPicture::Legend::Inside); // else nothing says which is which
        QCOMPARE(QApplication::focusWidget(), &side->rail());
        QTest::keyClick(&side->rail(), Qt::Key_Space);
        QTRY_COMPARE(page.chart().width(), before);
        QTest::keyClick(window.get(), Qt::Key_J, Qt::ControlModifier);
        QVERIFY(side->isFolded());
        QVERIFY(side->rail().badge().isEmpty());
        window->state().setError(ErrorPlace::Analysis, u"It failed."_s); // is said inside
        QCOMPARE(side->rail().badge(), u"!"_s);
        window->state().setError(ErrorPlace::Analysis, {});
        QVERIFY(side->rail().badge().isEmpty());
        window->showView(u"search"_s); // each page has its own
        QVERIFY(!sideOf(*window)->isFolded());
        window->close();
    }
    const auto window = demoWindow({1600, 900}, true);
    QVERIFY(window);
    window->showView(u"search"_s);
    QTRY_VERIFY(!sideOf(*window)->isFolded());
    window->showView(u"pruning"_s);
    QVERIFY(sideOf(*window)->isFolded());
    for (QAction *action : window->findChildren<QAction *>()) {
        if (action->text().remove(u'&') == u"Reset layout")
            action->trigger();
    }
    QTRY_VERIFY(!sideOf(*window)->isFolded());
    QSettings().clear();
}

void TestFrame::sidesOfPagesGiveWayInNarrowPages()
{
    const auto window = demoWindow({1024, 700});
    QVERIFY(window);
    for (const auto &[id, folded] :
         {std::pair(u"pruning"_s, true), std::pair(u"search"_s, true), std::pair(u"map"_s, false)}) {
        window->showView(id);
        auto *side = window->currentPage()->findChild<FoldingSide *>();
        QTRY_VERIFY(side->isFolded() == folded);
    }
    auto *side = window->currentPage()->findChild<FoldingSide *>();
    window->resize(680, 480);
    QTRY_VERIFY(side->isFolded());
    QTest::mouseClick(&side->rail(), Qt::LeftButton); // what the user wants is what there is
    QTRY_VERIFY(!side->isFolded() && side->width() > 100);
    window->resize(1600, 900);
    window->showView(u"pruning"_s);
    side = window->currentPage()->findChild<FoldingSide *>();
    QTRY_VERIFY(!side->isFolded());
}

void TestFrame::whatLiesBelowAPictureFolds_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QByteArray>("picture");
    const auto row = [](const char *page, const QString &name, const char *picture) {
        QTest::newRow(page) << name << QByteArray(picture);
    };
    row("layers", u"layersTable"_s, "headscope::LineChart");
    row("search", u"searchBudgets"_s, "headscope::LineChart");
    row("dynamics", u"dynamicsHeads"_s, "headscope::LineChart");
    row("domains", u"domainsScatter"_s, "headscope::HeadGridView");
}

/// Its rail lies at the bottom, and the picture gets the room; in a low page it is folded at first.
void TestFrame::whatLiesBelowAPictureFolds()
{
    QFETCH(QString, name);
    QFETCH(QByteArray, picture);
    const auto window = demoWindow({1600, 900});
    QVERIFY(window);
    window->showView(QString::fromLatin1(QTest::currentDataTag()));
    auto *below = window->currentPage()->findChild<FoldingSide *>(name);
    QVERIFY(below);
    QTRY_VERIFY(!below->isFolded());
    QWidget *shown = nullptr;
    for (QWidget *widget : window->currentPage()->findChildren<QWidget *>()) {
        if (!shown && widget->isVisible() && widget->metaObject()->className() == picture)
            shown = widget;
    }
    QVERIFY(shown);
    QTest::qWait(50); // its content has its size
    const int open = below->height();
    const int before = shown->height();
    QTest::mouseClick(below->findChild<QToolButton *>(u"fold"_s), Qt::LeftButton);
    QTRY_VERIFY(shown->height() > before + 60);
    QVERIFY(below->rail().isVisible() && below->rail().width() > 10 * below->rail().height());
    QTRY_COMPARE(below->height(), below->rail().height());
    QVERIFY(below->mapTo(window.get(), QPoint()).y() > shown->mapTo(window.get(), QPoint()).y() + shown->height() - 1);
    QCOMPARE(QApplication::focusWidget(), &below->rail());
    keepPicture(*window, u"TestFrame-below-"_s + name);
    QTest::keyClick(&below->rail(), Qt::Key_Space);
    QTRY_VERIFY(!below->isFolded());
    QTRY_VERIFY2(std::abs(below->height() - open) < 3,
                 qPrintable(u"%1 instead of %2"_s.arg(below->height()).arg(open)));
    window->resize(1600, 620);
    QTRY_VERIFY(below->isFolded());
}

/// A window that was narrow, and is wide again.
void TestFrame::docksAreNotLeftSqueezed()
{
    const auto window = demoWindow({1280, 800});
    QVERIFY(window);
    window->state().selectHead(window->state().layout().heads().front());
    QTRY_VERIFY(dock(*window, u"inspectorDock"_s).isVisible());
    const int study = dock(*window, u"studyDock"_s).width();
    const int inspector = dock(*window, u"inspectorDock"_s).width();
    window->resize(700, 500);
    QTRY_VERIFY(dock(*window, u"studyDock"_s).isFolded());
    window->resize(1280, 800);
    QTRY_COMPARE(dock(*window, u"studyDock"_s).width(), study);
    QTRY_COMPARE(dock(*window, u"inspectorDock"_s).width(), inspector);
}

/// Selecting moves nothing: the inspector is where somebody has put it.
void TestFrame::inspectorKeepsItsPlace()
{
    const auto window = demoWindow({1280, 800});
    QVERIFY(window);
    SideDock &inspector = dock(*window, u"inspectorDock"_s);
    window->state().setSelection({}, std::nullopt);
    QVERIFY(inspector.isVisible() && !inspector.rail().isVisible());
    HeadGridView &grid = window->page<HeadsPage>().grid();
    const HeadRef head = window->state().layout().heads().front();
    const QPoint cell = grid.cellRect(head).center();
    QTest::mouseClick(grid.viewport(), Qt::LeftButton, {}, cell);
    QCOMPARE(window->state().currentHead(), std::optional(head));
    QTest::qWait(QApplication::doubleClickInterval() + 100);
    QVERIFY(inspector.isVisible());
    QCOMPARE(grid.cellRect(head).center(), cell);
    QTest::keyClick(&grid, Qt::Key_Escape);
    QVERIFY(!window->state().currentHead() && inspector.isVisible());
    // Folded by hand it stays folded, and the rail says which head there is.
    QTest::keyClick(window.get(), Qt::Key_I, Qt::ControlModifier);
    QVERIFY(!inspector.isVisible() && inspector.rail().isVisible());
    grid.setFocus();
    QTest::keyClick(&grid, Qt::Key_End);
    QVERIFY(window->state().currentHead() && !inspector.isVisible());
    QVERIFY(inspector.rail().toolTip().contains(QString::fromStdString(toText(*window->state().currentHead()))));
    QTest::mouseClick(&inspector.rail(), Qt::LeftButton);
    QVERIFY(inspector.isVisible());
}

void TestFrame::narrowWindowsStartFolded()
{
    const auto window = demoWindow({1100, 700});
    QVERIFY(window);
    window->state().selectHead(window->state().layout().heads().front());
    SideDock &study = dock(*window, u"studyDock"_s);
    SideDock &inspector = dock(*window, u"inspectorDock"_s);
    QTRY_VERIFY(study.isFolded() && inspector.isFolded());
    window->resize(1280, 800);
    QTRY_VERIFY(!study.isFolded() && !inspector.isFolded());
    window->resize(800, 600);
    QTRY_VERIFY(study.isFolded() && inspector.isFolded());
    QTest::mouseClick(&study.rail(), Qt::LeftButton);
    QTRY_VERIFY(study.isVisible() && !inspector.isVisible());
    QTest::mouseClick(&inspector.rail(), Qt::LeftButton); // there is room for one
    QTRY_VERIFY(!study.isVisible() && inspector.isVisible());
}

void TestFrame::modelAndDataAreALineEach()
{
    const auto window = demoWindow({1280, 800});
    QVERIFY(window);
    QWidget &panel = *dock(*window, u"studyDock"_s).widget();
    QList<QToolButton *> folds;
    for (QToolButton *button : panel.findChildren<QToolButton *>()) {
        if (button->arrowType() == Qt::RightArrow)
            folds << button;
    }
    QCOMPARE(folds.size(), 3);
    for (QToolButton *fold : folds) {
        QVERIFY(fold->parentWidget()->height() < 3 * fold->fontMetrics().height());
        QTest::mouseClick(fold, Qt::LeftButton);
        QTRY_VERIFY(fold->parentWidget()->height() > 4 * fold->fontMetrics().height());
        QTest::keyClick(fold, Qt::Key_Space);
        QTRY_VERIFY(fold->parentWidget()->height() < 3 * fold->fontMetrics().height());
    }
}

namespace {
QToolButton *buttonOf(const QWidget &row, const QString &text)
{
    for (QToolButton *button : row.findChildren<QToolButton *>()) {
        if (button->text() == text)
            return button;
    }
    return nullptr;
}
} // namespace

void TestFrame::pagesStandInGroups()
{
    const auto window = demoWindow({1520, 900});
    QVERIFY(window);
    auto *row = window->findChild<PageRow *>();
    QVERIFY(row);
    QStringList captions;
    for (const QLabel *label : row->findChildren<QLabel *>()) {
        if (label->isVisible())
            captions << label->text();
    }
    QCOMPARE(captions, (QStringList{u"Which matter"_s, u"Remove"_s, u"Understand"_s, u"Train and compare"_s}));
    QVERIFY(!buttonOf(*row, u"Analyses"_s)->isVisible());
    QTest::mouseClick(buttonOf(*row, u"Roles"_s), Qt::LeftButton);
    QCOMPARE(window->currentView(), u"roles"_s);
    QTest::keyClick(window.get(), Qt::Key_3, Qt::ControlModifier); // as before the groups
    QCOMPARE(window->currentView(), u"pruning"_s);
    QTest::keyClick(window.get(), Qt::Key_5, Qt::ControlModifier);
    QCOMPARE(window->currentView(), u"domains"_s);
    buttonOf(*row, u"Domains"_s)->setFocus();
    QTest::keyClick(buttonOf(*row, u"Domains"_s), Qt::Key_Right); // to the next group
    QCOMPARE(window->currentView(), u"pruning"_s);
    QCOMPARE(QApplication::focusWidget(), buttonOf(*row, u"Pruning"_s));
    QTest::keyClick(buttonOf(*row, u"Pruning"_s), Qt::Key_Left);
    QCOMPARE(window->currentView(), u"domains"_s);
    window->showView(u"analyses"_s); // without a place of its own, seen while it is shown
    QVERIFY(buttonOf(*row, u"Analyses"_s)->isVisible() && buttonOf(*row, u"Analyses"_s)->isChecked());
    window->showView(u"heads"_s);
    QVERIFY(!buttonOf(*row, u"Analyses"_s)->isVisible());
    // In a narrow window the other groups are menus, and nothing is out of reach.
    window->resize(680, 480);
    QTRY_VERIFY(!buttonOf(*row, u"Roles"_s)->isVisible());
    QTRY_VERIFY(buttonOf(*row, u"Layers"_s)->isVisible());
    const auto isWithin = [row](const QToolButton *button) {
        return !button->isVisible() || button->geometry().right() < row->width();
    };
    for (const PageEntry &entry : pageRegistry()) { // whichever group is open
        window->showView(entry.info.id);
        QTRY_VERIFY2(std::ranges::all_of(row->findChildren<QToolButton *>(), isWithin), qPrintable(entry.info.id));
    }
    window->showView(u"heads"_s);
    QToolButton *understand = nullptr;
    for (QToolButton *button : row->findChildren<QToolButton *>()) {
        if (button->menu() && button->text() == u"Understand"_s)
            understand = button;
    }
    QVERIFY(understand && understand->isVisible());
    for (QAction *action : understand->menu()->actions()) {
        if (action->text() == u"Map"_s)
            action->trigger();
    }
    QCOMPARE(window->currentView(), u"map"_s);
    QVERIFY(buttonOf(*row, u"Map"_s)->isVisible());
}

void TestFrame::commandsAreFoundByWhatTheyDo()
{
    const auto window = demoWindow({1280, 800});
    QVERIFY(window);
    const auto run = [&](const QString &typed) {
        QTest::keyClick(window.get(), Qt::Key_K, Qt::ControlModifier);
        auto *palette = window->findChild<CommandPalette *>();
        QVERIFY(palette && palette->isVisible());
        QTest::keyClicks(&palette->field(), typed);
        QVERIFY2(palette->list().item(0)->flags() != Qt::NoItemFlags, qPrintable(typed));
        keepPicture(*palette, u"TestFrame-palette"_s);
        QTest::keyClick(&palette->field(), Qt::Key_Return);
        QVERIFY(!palette->isVisible());
    };
    run(u"alike"_s); // what the page is about, not its name
    QCOMPARE(window->currentView(), u"map"_s);
    run(u"ROLES"_s);
    QCOMPARE(window->currentView(), u"roles"_s);
    window->state().setMask({window->state().layout().heads().front()}, u"one"_s);
    run(u"switches on again"_s);
    QVERIFY(window->state().mask().empty());
    run(u"probe"_s); // an analysis without a page
    QCOMPARE(window->currentView(), u"analyses"_s);
    QCOMPARE(window->page<AnalysesPage>().analysisBox().currentData().toString(), u"probe"_s);
    // Every page, every analysis, every entry of the menus.
    QStringList titles;
    for (const Command &command : window->commands())
        titles << command.title;
    for (const PageEntry &entry : pageRegistry())
        QVERIFY(titles.contains(QString(entry.info.title).remove(u'&')));
    QVERIFY(titles.contains(u"Clear masks"_s));
    const QList<Command> all = window->commands();
    QVERIFY(std::ranges::any_of(all, [](const Command &command) { // a menu, where it takes long
        return command.title == u"Write report…"_s || command.place.contains(u"Write report"_s);
    }));
    QVERIFY(matchingCommands(all, u"no such thing at all"_s).isEmpty());
    QVERIFY(!matchingCommands(all, u"réset LÀYOUT"_s).isEmpty()); // whatever case and accents
    // Escape leaves it, arrows choose in it.
    QTest::keyClick(window.get(), Qt::Key_K, Qt::ControlModifier);
    auto *palette = window->findChild<CommandPalette *>();
    QTest::keyClick(&palette->field(), Qt::Key_Down);
    QCOMPARE(palette->list().currentRow(), 1);
    QTest::keyClick(&palette->field(), Qt::Key_Escape);
    QVERIFY(!palette->isVisible());
}

/// In the words of people who look for something, with what is to be among the first found.
void TestFrame::commandsAreFoundByOtherWords_data()
{
    QTest::addColumn<QString>("typed");
    QTest::addColumn<QString>("found");
    const auto row = [](const char *typed, const char *found) {
        QTest::newRow(typed) << QString::fromUtf8(typed) << QString::fromUtf8(found);
    };
    row("compare domains", "Domains");
    row("BLEU without head", "Ablation Δ BLEU");
    row("what does head 2.6 do", "encoder.2.6");
    row("statistical test", "Heads");
    row("positional heads", "Roles");
    row("accuracy", "Pruning");
    row("screenshot", "Copy picture and table");
    row("heat map", "Attention");
    row("mask encoder.2.6", "Mask encoder.2.6");
    row("L1H3", "cross.1.3");
    row("causal tracing", "Patching");
    row("leave one out", "Ablation Δ BLEU");
    row("gradient", "Importance");
}

void TestFrame::commandsAreFoundByOtherWords()
{
    QFETCH(QString, typed);
    QFETCH(QString, found);
    const auto window = demoWindow({1280, 800});
    QVERIFY(window);
    const QList<Command> all = window->answersTo(typed) + matchingCommands(window->commands(), typed);
    QStringList titles;
    for (const Command &command : all)
        titles << command.title;
    QVERIFY2(titles.contains(found), qPrintable(titles.join(u", "_s)));
}

/// An address is answered with the head's values, which are those of its results.
void TestFrame::headsAnswerWithTheirValues()
{
    const auto window = demoWindow({1280, 800});
    QVERIFY(window);
    const QList<Command> answers = window->answersTo(u"what does head 2.6 do?"_s);
    const HeadRef head{HeadKind::Encoder, 2, 6};
    const auto own = std::ranges::find(answers, QString::fromStdString(toText(head)), &Command::title);
    QVERIFY(own != answers.end());
    const auto &ablation = window->state().results(Domain::In).ablation;
    const auto entry = std::ranges::find(ablation->heads, head, &HeadAblation::head);
    const ValueFormat format = metricFormat(QString::fromStdString(ablation->baseline.name));
    QVERIFY2(own->about.contains(format.difference(entry->delta)), qPrintable(own->about));
    own->run();
    QCOMPARE(window->state().currentHead(), std::optional(head));
    QVERIFY(window->answersTo(u"what does head 99.6 do?"_s).isEmpty());
    QVERIFY(window->answersTo(u"what does 2.65 do?"_s).isEmpty());
}

void TestFrame::commandsSayWhyTheyCannotBeDone()
{
    MainWindow window;
    window.resize(1280, 800);
    window.show();
    QVERIFY(QTest::qWaitForWindowActive(&window));
    QTest::keyClick(&window, Qt::Key_K, Qt::ControlModifier); // on the start page
    auto *palette = window.findChild<CommandPalette *>();
    QVERIFY(palette && palette->isVisible());
    QTest::keyClicks(&palette->field(), u"save study"_s);
    QTest::keyClick(&palette->field(), Qt::Key_Return);
    QVERIFY(palette->isVisible()); // nothing is done, and its line says why
    QCOMPARE(palette->list().item(0)->data(Qt::AccessibleDescriptionRole).toString(), u"Open a model first"_s);
    palette->close();
    for (const Command &command : window.commands())
        QVERIFY2(!command.title.isEmpty() && command.run, qPrintable(command.title));
    // The reason is beside the entry of the menu, too.
    QMenu *file = window.menuBar()->actions().front()->menu();
    file->popup(window.mapToGlobal(QPoint(10, 30)));
    QTRY_VERIFY(file->isVisible());
    for (const QAction *action : file->actions()) {
        if (!action->text().contains(u"Save study"_s) && !action->text().contains(u"&Save"_s))
            continue;
        const QPoint at = file->actionGeometry(const_cast<QAction *>(action)).center();
        QHelpEvent tip(QEvent::ToolTip, at, file->mapToGlobal(at));
        QCoreApplication::sendEvent(file, &tip);
        QCOMPARE(QToolTip::text(), u"Open a model first"_s);
    }
    file->close();
    QToolTip::hideText();
}

void TestFrame::messagesMoveNothingAndGo()
{
    const auto window = demoWindow({1280, 800});
    QVERIFY(window);
    window->showView(u"heads"_s);
    Toast &toast = window->toast();
    const QRect page = window->currentPage()->geometry();
    const int high = window->statusBar()->height();
    QTest::keyClick(window.get(), Qt::Key_C, Qt::ControlModifier);
    QTRY_VERIFY(toast.isVisible());
    QVERIFY(toast.text().startsWith(u"Copied"_s));
    QCOMPARE(window->currentPage()->geometry(), page);
    QVERIFY(window->rect().contains(toast.geometry()));
    QVERIFY(toast.geometry().bottom() < window->statusBar()->y());
    keepPicture(*window, u"TestFrame-toast"_s);
    QTest::mouseClick(toast.findChild<QToolButton *>(), Qt::LeftButton);
    QVERIFY(!toast.isVisible());
    toast.setSeconds(0.1);
    // After an export, with the way to the folder.
    QTest::keyClick(window.get(), Qt::Key_E, Qt::ControlModifier);
    auto *dialog = window->findChild<ExportDialog *>();
    QVERIFY(dialog);
    dialog->setPath(m_folder.filePath(u"heads.png"_s));
    dialog->accept();
    QTRY_VERIFY(toast.isVisible() && toast.text().contains(u"heads.png"_s));
    QCOMPARE(toast.findChild<QPushButton *>(u"toastLink"_s)->text(), u"Open folder"_s);
    QVERIFY(toast.findChild<QPushButton *>(u"toastLink"_s)->isVisible());
    QTRY_VERIFY(!toast.isVisible()); // by itself
    window->controller().start(Domain::In, ConfidenceSpec{});
    QTRY_VERIFY(window->findChild<QToolButton *>(u"cancelJob"_s)->isVisible());
    QCOMPARE(window->statusBar()->height(), high);
    QTRY_VERIFY_WITH_TIMEOUT(window->controller().queue().isIdle(), kPatienceMs);
    QCOMPARE(window->statusBar()->height(), high);
}

void TestFrame::nothingMovesWhileAJobRuns_data()
{
    QTest::addColumn<QSize>("size");
    for (const QSize &size : {QSize(680, 480), QSize(960, 600), QSize(1280, 800), QSize(1600, 1000)})
        QTest::newRow(qPrintable(u"%1x%2"_s.arg(size.width()).arg(size.height()))) << size;
}

/// The grid is at the same pixels before a sweep, all the while, and afterwards.
void TestFrame::nothingMovesWhileAJobRuns()
{
    QFETCH(QSize, size);
    const QString model = m_folder.filePath(u"model"_s);
    DataSource data;
    data.source = m_folder.filePath(u"in.src"_s).toStdString();
    data.reference = m_folder.filePath(u"in.ref"_s).toStdString();
    if (!QFileInfo::exists(model)) {
        testing::writeTinyModel(model.toStdString());
        testing::writeTinyCorpus(data.source, data.reference, 300, 7);
    }
    MainWindow window;
    RunOptions run;
    run.decoding.beams = 1;
    window.controller().setRunOptions(run);
    window.controller().setAutomatic(false);
    window.resize(size);
    window.show();
    window.openPaths({model});
    QTRY_VERIFY_WITH_TIMEOUT(window.state().session(), kPatienceMs);
    window.controller().setData(Domain::In, data);
    QTRY_VERIFY_WITH_TIMEOUT(window.state().rows(Domain::In) && window.controller().queue().isIdle(), kPatienceMs);
    QTest::qWait(200);
    HeadGridView &grid = window.page<HeadsPage>().grid();
    QVERIFY(grid.isVisible());
    const std::vector<HeadRef> heads = window.state().layout().heads();
    const auto places = [&] {
        const QPoint origin = grid.viewport()->mapTo(&window, QPoint());
        return QList<QRect>{QRect(origin, grid.viewport()->size()), grid.cellRect(heads.front()).translated(origin),
                            grid.cellRect(heads.back()).translated(origin), window.statusBar()->geometry(),
                            window.currentPage()->geometry()};
    };
    const QList<QRect> before = places();
    keepPicture(window, u"TestFrame-before-%1"_s.arg(size.width()));
    window.controller().startMissing();
    int during = 0;
    bool partial = false;
    QElapsedTimer timer;
    timer.start();
    while (!window.controller().queue().isIdle() && timer.elapsed() < kPatienceMs) {
        QTest::qWait(10);
        QCOMPARE(places(), before);
        const auto &ablation = window.state().results(Domain::In).ablation;
        if (ablation && ablation->manifest.partial && !partial)
            keepPicture(window, u"TestFrame-during-%1"_s.arg(size.width()));
        partial = partial || (ablation && ablation->manifest.partial);
        ++during;
    }
    QVERIFY(window.state().results(Domain::In).ablation);
    QVERIFY2(during > 5 && partial, qPrintable(QString::number(during)));
    QTest::qWait(300); // lists of work are told five times a second
    QCOMPARE(places(), before);
    keepPicture(window, u"TestFrame-after-%1"_s.arg(size.width()));
}

void TestFrame::resultsAreAChecklist()
{
    const auto window = demoWindow({1280, 800});
    QVERIFY(window);
    auto &results = *window->findChild<StudyPanel *>()->findChild<QTreeWidget *>();
    const auto row = [&](const QString &title, int group = 0) -> QTreeWidgetItem * {
        const QTreeWidgetItem *set = results.topLevelItem(group);
        for (int i = 0; i < set->childCount(); ++i) {
            if (set->child(i)->text(0) == title)
                return set->child(i);
        }
        return nullptr;
    };
    const auto click = [&](QTreeWidgetItem *item) {
        QVERIFY(item);
        results.scrollToItem(item);
        QTest::mouseClick(results.viewport(), Qt::LeftButton, {}, results.visualItemRect(item).center());
    };
    QTRY_VERIFY(row(u"Roles"_s) && row(u"Roles"_s)->text(1).startsWith(u'✓'));
    click(row(u"Roles"_s));
    QCOMPARE(window->currentView(), u"roles"_s);
    click(row(u"Confidence"_s, 1));
    QCOMPARE(window->currentView(), u"heads"_s);
    QCOMPARE(window->state().measure(), Measure::Confidence);
    QCOMPARE(window->state().domainView(), DomainView::Out);
    QTreeWidgetItem *missing = row(u"Mask search"_s, 1);
    QVERIFY(missing && missing->text(1).startsWith(u'○'));
    click(missing); // its page computes it
    QCOMPARE(window->currentView(), u"search"_s);
    const auto choose = [&](QTreeWidgetItem *item, const QString &text) {
        QVERIFY(item);
        results.scrollToItem(item);
        Q_EMIT results.customContextMenuRequested(results.visualItemRect(item).center());
        auto *menu = qobject_cast<QMenu *>(QApplication::activePopupWidget());
        QVERIFY(menu);
        QStringList there;
        for (QAction *action : menu->actions()) {
            there << action->text();
            QVERIFY2(action->isSeparator() || action->isEnabled() || !action->statusTip().isEmpty(),
                     qPrintable(action->text()));
            if (action->text() == text && action->isEnabled()) {
                menu->setActiveAction(action);
                QTest::keyClick(menu, Qt::Key_Return);
                return;
            }
        }
        menu->close();
        QFAIL(qPrintable(text + u" is not among "_s + there.join(u", "_s)));
    };
    // Discarding is one step that can be undone, and takes nothing else along.
    const auto sweep = window->state().results(Domain::In).ablation;
    QVERIFY(sweep && window->state().results(Domain::In).pruning.size() == 3);
    choose(row(u"Pruning: random"_s), u"Discard"_s);
    QCOMPARE(window->state().results(Domain::In).pruning.size(), std::size_t(2));
    QCOMPARE(window->state().results(Domain::In).ablation, sweep);
    window->state().undoStack().undo();
    QCOMPARE(window->state().results(Domain::In).pruning.size(), std::size_t(3));
    choose(row(u"Confidence"_s), u"Discard"_s);
    QVERIFY(!window->state().results(Domain::In).confidence);
    QTRY_VERIFY(row(u"Confidence"_s)->text(1).startsWith(u'○'));
    choose(row(u"Confidence"_s), u"Compute"_s);
    QTRY_VERIFY_WITH_TIMEOUT(window->state().results(Domain::In).confidence && window->controller().queue().isIdle(),
                             kPatienceMs);
    QTRY_VERIFY(row(u"Confidence"_s)->text(1).startsWith(u'✓'));
    const auto old = window->state().results(Domain::In).importance;
    choose(row(u"Importance"_s), u"Compute again"_s);
    QTRY_VERIFY_WITH_TIMEOUT(
        window->state().results(Domain::In).importance != old && window->controller().queue().isIdle(), kPatienceMs);
    choose(row(u"Importance"_s), u"Copy as command"_s);
    QVERIFY(QGuiApplication::clipboard()->text().startsWith(u"headscope-cli importance"_s));
    QVERIFY(window->toast().text().startsWith(u"Copied"_s));
}

void TestFrame::computeIsAlwaysInTheSameCorner()
{
    const auto window = demoWindow({1280, 800});
    QVERIFY(window);
    auto *compute = window->findChild<QToolButton *>(u"computePage"_s);
    QVERIFY(compute);
    QTest::qWait(1200); // what it costs is said again within a second of the last change
    for (const QSize &size : {QSize(1280, 800), QSize(680, 480)}) {
        window->resize(size);
        std::optional<QPoint> corner;
        for (const PageEntry &entry : pageRegistry()) {
            window->showView(entry.info.id);
            QTest::qWait(20);
            const QPoint now = compute->mapTo(window.get(), QPoint());
            QVERIFY2(compute->isVisible() && now == corner.value_or(now), qPrintable(entry.info.id));
            corner = now;
        }
    }
    window->showView(u"heads"_s);
    QTest::mouseClick(compute, Qt::LeftButton); // the demo has it all
    QVERIFY(window->toast().text().startsWith(u"Nothing is missing"_s));
    // What the page shows, on the data sets where it is not there.
    window->state().removeResults(Domain::Out, ResultKind::AllButOne);
    window->showView(u"layers"_s);
    QTest::mouseClick(compute, Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(window->state().results(Domain::Out).allButOne, kPatienceMs);
    window->controller().queue().cancelAll();
    QTRY_VERIFY_WITH_TIMEOUT(window->controller().queue().isIdle(), kPatienceMs);
    // Without data it says why it cannot.
    for (const Domain domain : kBothDomains)
        window->controller().clearData(domain);
    QVERIFY(!compute->isEnabled() && compute->toolTip() == window->controller().whyNotReady());
}

void TestFrame::emptyPagesSayWhatTheyWillShow()
{
    const auto window = demoWindow({1280, 800});
    QVERIFY(window);
    auto *card = window->findChild<EmptyCard *>();
    QVERIFY(card);
    for (const PageEntry &entry : pageRegistry()) { // the demo has it all, but for pairs of texts
        window->showView(entry.info.id);
        if (entry.info.id == u"patching"_s)
            continue;
        QVERIFY2(!card->isVisible(), qPrintable(entry.info.id));
    }
    for (const Domain domain : kBothDomains)
        window->state().removeResults(domain, kAllResultKinds);
    for (const PageEntry &entry : pageRegistry()) {
        window->showView(entry.info.id);
        QCOMPARE(card->isVisible(), !entry.promise.isEmpty());
        if (card->isVisible())
            QVERIFY(card->parentWidget()->rect().contains(card->geometry()));
        QTest::qWait(20);
        keepPicture(*window, u"TestFrame-empty-"_s + entry.info.id);
    }
    window->showView(u"map"_s);
    QTest::mouseClick(card->findChild<QToolButton *>(), Qt::LeftButton);
    QTRY_VERIFY(!card->isVisible()); // it is being computed
    QTRY_VERIFY_WITH_TIMEOUT(window->state().results(Domain::In).similarity, kPatienceMs);
    window->controller().queue().cancelAll();
    QTRY_VERIFY_WITH_TIMEOUT(window->controller().queue().isIdle(), kPatienceMs);

    MainWindow without; // data
    without.resize(1280, 800);
    without.show();
    without.controller().openModel(QString::fromStdString(window->state().model()->folder.string()));
    QTRY_VERIFY_WITH_TIMEOUT(without.state().session() && without.controller().queue().isIdle(), kPatienceMs);
    auto *ofModel = without.findChild<EmptyCard *>();
    for (const PageEntry &entry : pageRegistry()) {
        without.showView(entry.info.id);
        QCOMPARE(ofModel->isVisible(), !entry.promise.isEmpty());
        const auto labels = ofModel->findChildren<QLabel *>();
        QVERIFY(entry.promise.isEmpty() || std::ranges::any_of(labels, [](const QLabel *label) {
                    return label->isVisible() && label->text().contains(u"data set"_s);
                }));
    }
}

void TestFrame::scoresAreNotCutBesideAJob()
{
    const auto window = demoWindow({680, 480});
    QVERIFY(window);
    const QLabel *scores = nullptr;
    for (const QLabel *label : window->findChild<ScoreBar *>()->findChildren<QLabel *>())
        scores = label->text().contains(u"93.08"_s) ? label : scores;
    QVERIFY(scores);
    const auto isWhole
        = [&] { return scores->text().contains(u"93.08"_s) && scores->sizeHint().width() <= scores->width(); };
    QTRY_VERIFY(isWhole());
    PruningSpec spec;
    spec.run = window->controller().runOptions();
    spec.order = "random";
    spec.step = 1;
    window->controller().start(Domain::In, spec);
    QTRY_VERIFY_WITH_TIMEOUT(window->controller().queue().current()
                                 && window->controller().queue().current()->progress.done > 0,
                             kPatienceMs);
    QTRY_VERIFY(isWhole());
    QVERIFY(!scores->text().contains(u"52.52"_s)); // of the other data set: there is no room
    window->controller().queue().cancelAll();
    QTRY_VERIFY_WITH_TIMEOUT(window->controller().queue().isIdle(), kPatienceMs);
    // Of a long job, whose words get fewer.
    window->controller().queue().start<int>(
        {u"Long"_s, {}, JobLane::Batch},
        [](const JobControl &control) -> Result<int> {
            for (std::int64_t done = 1'234'567; !control.cancelled(); ++done) {
                control.progress({Phase("measuring"), "examples", done, 987'654'321});
                QThread::msleep(2);
            }
            return Result<int>::cancelled();
        },
        window.get(), {});
    const auto isLong = [&] {
        const JobInfo *job = window->controller().queue().current();
        return job && job->progress.total == 987'654'321 && job->secondsLeft > 0;
    };
    QTRY_VERIFY_WITH_TIMEOUT(isLong(), kPatienceMs);
    QTRY_VERIFY(isWhole());
    window->controller().queue().cancelAll();
    QTRY_VERIFY_WITH_TIMEOUT(window->controller().queue().isIdle(), kPatienceMs);
    window->resize(1280, 800);
    QTRY_VERIFY(scores->text().contains(u"52.52"_s) && isWhole());
}

QTEST_MAIN(TestFrame)
#include "tst_frame.moc"

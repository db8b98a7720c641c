// The window around its pages: docks that fold, and what stays where it is.
#include "tests/support/nowarnings.h"
#include "tests/support/picture.h"
#include "ui/mainwindow/mainwindow.h"
#include "ui/mainwindow/sidedock.h"
#include "ui/pages/heads/headspage.h"

#include <QAction>
#include <QApplication>
#include <QSettings>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>

#include <memory>

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
    void inspectorFoldsWhileNothingIsSelected();
    void narrowWindowsStartFolded();
    void modelAndDataAreALineEach();

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

void TestFrame::inspectorFoldsWhileNothingIsSelected()
{
    const auto window = demoWindow({1280, 800});
    QVERIFY(window);
    SideDock &inspector = dock(*window, u"inspectorDock"_s);
    window->state().setSelection({}, std::nullopt);
    QVERIFY(!inspector.isVisible() && inspector.rail().isVisible());
    // The second click of a double click is on the same cell: nothing moves before.
    HeadGridView &grid = window->page<HeadsPage>().grid();
    const HeadRef head = window->state().layout().heads().front();
    const QPoint cell = grid.cellRect(head).center();
    QTest::mouseClick(grid.viewport(), Qt::LeftButton, {}, cell);
    QCOMPARE(window->state().currentHead(), std::optional(head));
    QTest::mouseDClick(grid.viewport(), Qt::LeftButton, {}, cell);
    QTest::mouseRelease(grid.viewport(), Qt::LeftButton, {}, cell);
    QVERIFY(window->state().mask().isMasked(head));
    QCOMPARE(grid.cellRect(head).center(), cell);
    QTRY_VERIFY(inspector.isVisible() && !inspector.rail().isVisible());
    QTest::keyClick(&grid, Qt::Key_Escape);
    QTRY_VERIFY(!inspector.isVisible() && inspector.rail().isVisible());
    // Opened by hand it stays, and a key that selects opens it at once.
    QTest::mouseClick(&inspector.rail(), Qt::LeftButton);
    QVERIFY(inspector.isVisible());
    QTest::qWait(QApplication::doubleClickInterval() + 100);
    QVERIFY(inspector.isVisible());
    QTest::keyClick(window.get(), Qt::Key_I, Qt::ControlModifier);
    QVERIFY(!inspector.isVisible());
    grid.setFocus();
    QTest::keyClick(&grid, Qt::Key_Home);
    QVERIFY(window->state().currentHead() && inspector.isVisible());
    // Folded by hand it stays folded, and the rail says which head there is.
    QTest::keyClick(window.get(), Qt::Key_I, Qt::ControlModifier);
    QTest::keyClick(&grid, Qt::Key_End);
    QVERIFY(!inspector.isVisible());
    QVERIFY(inspector.rail().toolTip().contains(QString::fromStdString(toText(*window->state().currentHead()))));
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

QTEST_MAIN(TestFrame)
#include "tst_frame.moc"

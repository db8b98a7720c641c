// The picture gets the room: how much of the window the cells of grids, the weights of a heat map and the points of a
// scatter have, with the docks folded.
#include "tests/support/nowarnings.h"
#include "tests/support/picture.h"
#include "tests/support/testfont.h"
#include "ui/heatmap/heatmapview.h"
#include "ui/mainwindow/mainwindow.h"
#include "ui/mainwindow/sidedock.h"
#include "ui/pages/attention/attentionpage.h"
#include "ui/pages/domains/domainspage.h"
#include "ui/pages/heads/headspage.h"
#include "ui/pages/heads/smallgrids.h"

#include <QSettings>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

#include <memory>

using namespace headscope;
using namespace Qt::StringLiterals;

class TestPictureRoom final : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void init() { failOnQtWarnings(); }
    void cellsOfTheGrid_data();
    void cellsOfTheGrid();
    void heatMap_data();
    void heatMap();
    void scatterOfDomains();

private:
    static std::unique_ptr<MainWindow> open(const QSize &size, Demo demo);

    QTemporaryDir m_folder;
};

void TestPictureRoom::initTestCase()
{
    if (!testing::useTestFont())
        QSKIP("This machine does not have the font.");
    QStandardPaths::setTestModeEnabled(true);
    QSettings::setDefaultFormat(QSettings::IniFormat);
    QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, m_folder.path());
}

/// With the docks folded; null: it did not open.
std::unique_ptr<MainWindow> TestPictureRoom::open(const QSize &size, Demo demo)
{
    auto window = std::make_unique<MainWindow>();
    window->resize(size);
    window->show();
    window->openDemo(demo);
    const auto isReady = [&] { return window->state().session() && window->controller().queue().isIdle(); };
    if (!QTest::qWaitFor(isReady, 60'000))
        return nullptr;
    for (const char *name : {"studyDock", "inspectorDock"})
        window->findChild<SideDock *>(QString::fromLatin1(name))->setFolded(true);
    QTest::qWait(60);
    return window;
}

void TestPictureRoom::cellsOfTheGrid_data()
{
    QTest::addColumn<Demo>("demo");
    QTest::newRow("translation") << Demo::Translation;
    QTest::newRow("classifier") << Demo::Classifier;
}

/// The box around all cells, beside the small grids, whose cells can be told apart.
void TestPictureRoom::cellsOfTheGrid()
{
    QFETCH(Demo, demo);
    const auto window = open({1280, 800}, demo);
    QVERIFY(window);
    const HeadGridView &grid = window->page<HeadsPage>().grid();
    const QSizeF cells = grid.gridGeometry().allCells().size();
    const double share = cells.width() * cells.height() / (1280.0 * 800.0);
    qInfo("box of the cells: %.0f × %.0f, %.1f %% of 1280 × 800; a cell %.0f × %.0f", cells.width(), cells.height(),
          100 * share, grid.gridGeometry().cellSize().width(), grid.gridGeometry().cellSize().height());
    keepPicture(*window, u"TestPictureRoom-grid-"_s + QString::fromLatin1(QTest::currentDataTag()));
    QVERIFY(share >= 0.45);
    for (const SmallGrid *small : window->page<HeadsPage>().others().grids()) {
        if (small->isVisible())
            QVERIFY(small->cellRect(window->state().layout().heads().front()).height() >= 7);
    }
}

void TestPictureRoom::heatMap_data()
{
    QTest::addColumn<QSize>("size");
    QTest::addColumn<double>("least");
    QTest::addColumn<double>("leastOfPanel");
    QTest::newRow("1280") << QSize(1280, 800) << 0.25 << 0.5;
    QTest::newRow("1440 × 900 at scale 1.5") << QSize(960, 600) << 0.25 << 0.5;
    QTest::newRow("1920 × 1080 at scale 2") << QSize(960, 540) << 0.22 << 0.47; // toolbars have as many pixels there
}

/// Weights with a tree over them.
void TestPictureRoom::heatMap()
{
    QFETCH(QSize, size);
    QFETCH(double, least);
    QFETCH(double, leastOfPanel);
    const auto window = open(size, Demo::Translation);
    QVERIFY(window);
    window->showView(u"attention"_s);
    QTRY_VERIFY_WITH_TIMEOUT(window->state().attention() && window->controller().queue().isIdle(), 60'000);
    QTest::qWait(60);
    HeatMapView &view = window->page<AttentionPage>().heatMap();
    QVERIFY(!view.picture().arcs.empty());
    const QSizeF cells = view.geometry().window().size();
    const double ofWindow = cells.width() * cells.height() / (double(size.width()) * size.height());
    const double ofPanel = cells.width() * cells.height() / (double(view.width()) * view.height());
    qInfo("heat map %.0f × %.0f: %.1f %% of the window, %.1f %% of its panel %d × %d", cells.width(), cells.height(),
          100 * ofWindow, 100 * ofPanel, view.width(), view.height());
    keepPicture(*window, u"TestPictureRoom-attention-%1x%2"_s.arg(size.width()).arg(size.height()));
    QVERIFY(ofWindow >= least);
    QVERIFY(ofPanel >= leastOfPanel);
}

void TestPictureRoom::scatterOfDomains()
{
    for (const QSize &size : {QSize(1024, 700), QSize(1280, 800)}) {
        const auto window = open(size, Demo::Translation);
        QVERIFY(window);
        window->showView(u"domains"_s);
        QTest::qWait(400);    // r and ρ are resampled after a while
        (void)window->grab(); // charts know their plot once they are painted
        const QRectF plot = window->page<DomainsPage>().scatter().plot();
        qInfo("%d × %d: plot of the scatter %.0f × %.0f", size.width(), size.height(), plot.width(), plot.height());
        keepPicture(*window, u"TestPictureRoom-domains-%1"_s.arg(size.width()));
        QVERIFY(plot.height() >= 110);
    }
}

QTEST_MAIN(TestPictureRoom)
#include "tst_pictureroom.moc"

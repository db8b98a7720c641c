// The page of shared projections with real events, on a study that is made up and on a tiny model.
#include "core/exporting/csv.h"
#include "core/results/collaborateresult.h"
#include "core/results/energyresult.h"
#include "core/session/session.h"
#include "tests/support/madeupsharing.h"
#include "tests/support/madeupstate.h"
#include "tests/support/nowarnings.h"
#include "tests/support/picture.h"
#include "tests/support/tinymodel.h"
#include "ui/charts/energyseries.h"
#include "ui/pages/sharing/costsmodel.h"
#include "ui/pages/sharing/mixingchart.h"
#include "ui/pages/sharing/sharingpage.h"
#include "ui/views/linechart.h"

#include <QFile>
#include <QLabel>
#include <QPushButton>
#include <QSlider>
#include <QStandardPaths>
#include <QStyleOptionSlider>
#include <QTabBar>
#include <QTabWidget>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <string>

using namespace headscope;
using namespace Qt::StringLiterals;

class TestSharingPage final : public QObject
{
    Q_OBJECT

    static constexpr int kWait = 120'000;

    static void show(SharingPage &page, const QSize &size = {900, 700})
    {
        page.resize(size);
        page.show();
        QVERIFY(QTest::qWaitForWindowExposed(&page));
    }

private Q_SLOTS:
    void initTestCase() { QStandardPaths::setTestModeEnabled(true); }
    void init() { failOnQtWarnings(); }

    void linesAreThoseOfTheResults()
    {
        const auto first = madeup::sharing();
        const LineSeries series = makeSharingSeries({first}, 512);
        QCOMPARE(series.lines.size(), 4U); // two methods on two data sets
        QCOMPARE(*series.reference, 56.92);
        QCOMPARE(series.lines[0].points.size(), 4U);
        QCOMPARE(series.axes.xHigh, 512.0);
        QCOMPARE(series.lines[0].points[0].x, 85.0);
        QCOMPARE(series.lines[0].points[0].y, first->points[1].score);
        QCOMPARE(series.lines[0].points[0].low, first->points[1].interval->low);
        QVERIFY(series.lines[2].name.contains(u"test_2017_mscoco"_s));
        QCOMPARE(series.lines[2].points[3].y, *first->points[4].otherScore);
        QVERIFY(makeSharingSeries({}, 512).empty());
    }

    void newerPointsStandAmongOlderOnes()
    {
        auto again = std::make_shared<CollaborateResult>(*madeup::sharing({170, 300}, true));
        again->points[1].score = 50; // of 170
        const auto points = sharedPoints({madeup::sharing(), again});
        QCOMPARE(points.size(), 1U + 5U + 4U);
        QCOMPARE(points.front()->width, 0);
        const LineSeries series = makeSharingSeries({madeup::sharing(), again}, 512);
        QCOMPARE(series.lines[0].points.size(), 5U);
        QCOMPARE(series.lines[0].points[1].y, 50.0);
        QCOMPARE(series.lines[0].points[3].x, 300.0);
    }

    void frontGoesAlongThePointsThatNothingBeats()
    {
        const auto result = madeup::sharing({85, 256}, false, {8, 24});
        CollaborateResult marked = *result;
        markFronts(marked);
        for (const bool onOther : {false, true}) {
            const LineSeries series = makeFrontSeries({result}, onOther, u"flickr"_s);
            QCOMPARE(series.lines.size(), 1U + 7U); // the front; heads removed; two methods, alone and in two orders
            const LineSeries::Line &front = series.lines[0];
            QVERIFY(front.look == LineSeries::Look::Outline);
            std::size_t on = 0, all = 0;
            for (const SharedPoint &point : marked.points)
                on += onOther ? point.otherOnFront : point.onFront;
            QCOMPARE(front.points.size(), on);
            QVERIFY(on > 2 && on < marked.points.size());
            for (std::size_t i = 1; i < on; ++i) // along it, more parameters buy a better score
                QVERIFY(front.points[i - 1].x < front.points[i].x && front.points[i - 1].y < front.points[i].y);
            for (std::size_t i = 1; i < series.lines.size(); ++i) {
                QVERIFY(series.lines[i].look == LineSeries::Look::Points);
                all += series.lines[i].points.size();
            }
            QCOMPARE(all, marked.points.size());
            QCOMPARE(*series.reference, onOther ? 39.84 : 56.92);
            QVERIFY(series.axes.yTitle.contains(onOther ? u"test_2017_mscoco"_s : u"flickr"_s));
        }
        // The page of columns shows what all heads can do with them.
        QCOMPARE(makeSharingSeries({result}, 512).lines.size(), 4U);
        QVERIFY(makeFrontSeries({}, false, {}).empty());
    }

    void pointsSayWhatTheyAreOf_data()
    {
        QTest::addColumn<SharingOrder>("order");
        QTest::addColumn<int>("pruned");
        QTest::addColumn<int>("width");
        QTest::addColumn<QString>("name");
        QTest::newRow("whole") << SharingOrder::ShareOnly << 0 << 0 << u"as it is"_s;
        QTest::newRow("shared") << SharingOrder::ShareOnly << 0 << 128 << u"128 column(s), shared by all heads"_s;
        QTest::newRow("removed") << SharingOrder::PruneOnly << 12 << 0 << u"12 head(s) removed"_s;
        QTest::newRow("removed first") << SharingOrder::PruneFirst << 12 << 128
                                       << u"12 head(s) removed, then 128 column(s), shared by all heads"_s;
        QTest::newRow("shared first") << SharingOrder::ShareFirst << 12 << 128
                                      << u"128 column(s), shared by all heads, then 12 head(s) removed"_s;
    }
    void pointsSayWhatTheyAreOf()
    {
        QFETCH(SharingOrder, order);
        QFETCH(int, pruned);
        QFETCH(int, width);
        QTEST(sharedPointName({.width = width, .order = order, .pruned = pruned}), "name");
    }

    void pointsAreNamedUnderTheMouseAndByKeys()
    {
        MadeUp study;
        const auto result = madeup::sharing({85, 256}, false, {24});
        study.state.addResult(Domain::In, result);
        SharingPage page(study.state, study.controller);
        show(page);
        QTest::mouseClick(page.tabs().tabBar(), Qt::LeftButton, {}, page.tabs().tabBar()->tabRect(1).center());
        for (LineChart *chart : {&page.frontChart(), &page.otherFrontChart()}) {
            QTRY_VERIFY(chart->isVisible());
            chart->repaint();
            const LineSeries::Line &group = chart->series().lines.back();
            const LineSeries::Point &point = group.points.back();
            QVERIFY(!chart->pointed());
            QTest::mouseMove(chart, chart->at(point.x, point.y).toPoint());
            QTRY_VERIFY(chart->pointed());
            QVERIFY2(chart->accessibleDescription().startsWith(point.name), qPrintable(chart->accessibleDescription()));
            const QImage named = chart->grab().toImage();
            QTest::mouseMove(chart, QPoint(3, 3));
            QTRY_VERIFY(!chart->pointed());
            QVERIFY(chart->grab().toImage() != named);
            // From the smallest model to the largest, and no farther.
            chart->setFocus();
            QTest::keyClick(chart, Qt::Key_Right);
            QVERIFY(chart->accessibleDescription().startsWith(u"24 "_s)
                    || chart->accessibleDescription().startsWith(u"85 "_s));
            for (std::size_t i = 0; i < result->points.size(); ++i)
                QTest::keyClick(chart, Qt::Key_Right);
            QVERIFY2(chart->accessibleDescription().startsWith(u"as it is: BLEU "_s),
                     qPrintable(chart->accessibleDescription()));
            QTest::keyClick(chart, Qt::Key_Left);
            QVERIFY(!chart->accessibleDescription().startsWith(u"as it is"_s));
        }
    }

    void sliderStandsBelowItsColumn()
    {
        MadeUp study;
        study.state.addResult(Domain::In, madeup::energy());
        study.state.addResult(Domain::In, madeup::sharing());
        SharingPage page(study.state, study.controller);
        for (const QSize &size : {QSize(900, 700), QSize(560, 600)}) {
            show(page, size);
            for (const int column : {1, 170, 512}) {
                page.slider().setValue(column);
                page.scoreChart().repaint();
                QCoreApplication::processEvents();
                QSlider &slider = page.slider();
                QStyleOptionSlider option;
                option.initFrom(&slider);
                option.minimum = slider.minimum();
                option.maximum = slider.maximum();
                option.sliderPosition = option.sliderValue = column;
                option.subControls = QStyle::SC_All;
                const QRect handle
                    = slider.style()->subControlRect(QStyle::CC_Slider, &option, QStyle::SC_SliderHandle, &slider);
                const double handleX = slider.mapTo(&page, handle.center()).x();
                const double lineX = page.scoreChart().mapTo(&page, QPointF(page.scoreChart().at(column, 0))).x();
                QVERIFY2(std::abs(handleX - lineX) <= 1.5,
                         qPrintable(u"%1: %2, %3"_s.arg(column).arg(handleX).arg(lineX)));
            }
        }
    }

    void costsAreListed()
    {
        MadeUp study;
        SharingPage page(study.state, study.controller);
        show(page);
        const auto result = madeup::sharing({170, 256}, false, {24});
        study.state.addResult(Domain::In, result);
        const QAbstractItemModel &table = *page.costsTable().model();
        QCOMPARE(table.rowCount(), static_cast<int>(result->points.size()));
        const auto cell = [&](int row, int column) { return table.index(row, column).data().toString(); };
        QCOMPARE(cell(0, CostsModel::NameColumn), u"as it is"_s);
        QCOMPARE(cell(0, CostsModel::MultiplyAddsColumn), u"78,000,000"_s);
        QVERIFY(cell(0, CostsModel::SecondsColumn).isEmpty()); // nothing was factorized
        int shared = 0;
        for (int row = 0; row < table.rowCount(); ++row) {
            if (cell(row, CostsModel::ProjectionsColumn) != u"2,359,296"_s) // 256 of 512 columns
                continue;
            ++shared;
            QCOMPARE(cell(row, CostsModel::CompressionColumn), u"2.00"_s);
            QCOMPARE(cell(row, CostsModel::MultiplyAddsColumn), u"80,000,000"_s);
            QCOMPARE(cell(row, CostsModel::BreakEvenColumn), u"any"_s);
            QVERIFY(!cell(row, CostsModel::SecondsColumn).isEmpty());
        }
        QCOMPARE(shared, 6); // two methods: alone, and with heads removed in either order
        QVERIFY(std::ranges::any_of(page.exportItems(), [](const ExportItem &item) {
            return item.name.startsWith(u"Costs of sharing"_s) && item.csv().find("multiply_adds") != std::string::npos;
        }));
    }

    void fitsBetweenTheDocks()
    {
        MadeUp study;
        SharingPage page(study.state, study.controller);
        study.state.addResult(Domain::In, madeup::sharing());
        page.show();
        QVERIFY2(page.minimumSizeHint().width() <= 550, qPrintable(QString::number(page.minimumSizeHint().width())));
    }

    void energyIsAMeanOverAttentions()
    {
        EnergyResult two = *madeup::energy();
        two.layers.resize(2);
        for (EnergyCurve &curve : two.layers[1].curves)
            std::ranges::fill(curve.energy, 1.0);
        const LineSeries series = makeEnergySeries(two);
        std::vector<LineSeries::Line> thick;
        std::ranges::copy_if(series.lines, std::back_inserter(thick),
                             [](const LineSeries::Line &line) { return line.look == LineSeries::Look::Line; });
        QVERIFY(thick.size() >= 3U);
        const LineSeries::Line &product = thick[2];
        const auto half = *std::ranges::find(product.points, 50.0, &LineSeries::Point::x);
        QVERIFY(std::abs(half.y - 50 * (two.layers[0].curves[2].energy[255] + 1)) < 1e-9);
        QCOMPARE(product.points.front().y, 0.0);
        QCOMPARE(product.points.back().y, 100.0);
        // A thin line for each attention and each head, under the means; random numbers are what they are compared
        // with.
        const auto thin = std::ranges::count(series.lines, LineSeries::Look::Thin, &LineSeries::Line::look);
        QCOMPARE(static_cast<std::size_t>(thin), two.layers.size() + two.heads.size());
        QVERIFY(series.lines.front().look == LineSeries::Look::Thin);
        QCOMPARE(std::ranges::count(series.lines, LineSeries::Look::Outline, &LineSeries::Line::look), 1);
    }

    void sliderSaysWhatIsKnown()
    {
        MadeUp study;
        study.state.addResult(Domain::In, madeup::energy());
        study.state.addResult(Domain::In, madeup::sharing());
        SharingPage page(study.state, study.controller);
        show(page);
        QCOMPARE(page.slider().maximum(), 512);
        QVERIFY(page.slider().value() < 512); // it begins where something was measured
        QVERIFY2(!page.positionLabel().text().contains(u"not measured"_s), qPrintable(page.positionLabel().text()));
        page.slider().setValue(256);
        QVERIFY2(page.positionLabel().text().contains(u"2.00"_s), qPrintable(page.positionLabel().text()));
        QVERIFY(!page.mixingChart().layer());
        page.slider().setFocus();
        QTest::keyClick(&page.slider(), Qt::Key_Right);
        QVERIFY2(page.positionLabel().text().contains(u"not measured"_s), qPrintable(page.positionLabel().text()));
        // A click in the chart goes to a width that was measured.
        page.scoreChart().repaint();
        QTest::mouseClick(&page.scoreChart(), Qt::LeftButton, {}, page.scoreChart().at(170, 50).toPoint());
        QCOMPARE(page.slider().value(), 170);
        study.state.addResult(Domain::In, madeup::sharing({170}, true));
        QVERIFY(page.mixingChart().layer());
        QCOMPARE(page.mixingChart().layer()->mixing.size(), 8U * 170U);
        QCOMPARE(page.exportItems().size(), 6); // costs, two fronts
    }

    void computesByTheButtonAndTheSlider()
    {
        QTemporaryDir dir;
        const std::filesystem::path folder = dir.path().toStdString();
        testing::writeTinyModel(folder / "model");
        testing::writeTinyCorpus(folder / "in.en", folder / "in.fr", 10, 1);
        StudyState state;
        StudyController controller(state);
        controller.setAutomatic(false);
        DataSource source;
        source.source = (folder / "in.en").string();
        source.reference = (folder / "in.fr").string();
        controller.setData(Domain::In, source);
        controller.openModel(dir.filePath(u"model"_s));
        SharingPage page(state, controller);
        show(page);
        QTRY_VERIFY_WITH_TIMEOUT(state.session() && state.data(Domain::In) && controller.queue().isIdle(), kWait);
        QTest::mouseClick(&page.computeButton(), Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(!state.results(Domain::In).sharing.empty() && state.results(Domain::In).energy
                                     && controller.queue().isIdle(),
                                 kWait);
        QVERIFY2(state.error(ErrorPlace::Analysis).isEmpty(), qPrintable(state.error(ErrorPlace::Analysis)));
        QCOMPARE(page.scoreChart().series().lines.size(), 2U);
        const std::size_t before = page.scoreChart().series().lines[0].points.size();
        // With all columns but one; it is measured when the slider has stopped.
        page.slider().setFocus();
        QTest::keyClick(&page.slider(), Qt::Key_End);
        QTest::keyClick(&page.slider(), Qt::Key_Left);
        QTRY_VERIFY_WITH_TIMEOUT(page.mixingChart().layer(), kWait);
        QCOMPARE(page.scoreChart().series().lines[0].points.size(), before + 1);
        QCOMPARE(static_cast<int>(page.mixingChart().layer()->mixing.size() / page.mixingChart().layer()->heads.size()),
                 page.slider().value());
        // The model with the slider's columns, in a folder that opens.
        QVERIFY(page.saveButton().isEnabled());
        page.saveShared(dir.filePath(u"shared"_s));
        QTRY_VERIFY_WITH_TIMEOUT(controller.queue().isIdle(), kWait);
        QVERIFY2(state.error(ErrorPlace::Analysis).isEmpty(), qPrintable(state.error(ErrorPlace::Analysis)));
        const auto written = Session::open(folder / "shared", {}, {});
        QVERIFY(written.isOk());
        QVERIFY(written.value()->card().parameters != state.model()->parameters);
        page.slider().setValue(page.slider().maximum());
        QVERIFY(!page.saveButton().isEnabled()); // of all columns it is the model as it is
        // The same widths with fewer heads.
        QTest::mouseClick(page.tabs().tabBar(), Qt::LeftButton, {}, page.tabs().tabBar()->tabRect(1).center());
        QTRY_VERIFY(page.computeFrontButton().isVisible());
        const qsizetype shown = page.frontChart().series().lines.size();
        QTest::mouseClick(&page.computeFrontButton(), Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(state.results(Domain::In).sharing.size() > 2 && controller.queue().isIdle(), kWait);
        const auto &points = state.results(Domain::In).sharing.back()->points;
        QCOMPARE(points.size(), 1U + 2U + 4U * (1U + 2U * 2U));
        QVERIFY(points[1].order == SharingOrder::PruneOnly && points[1].pruned == 6 && points[2].pruned == 12);
        QCOMPARE(page.frontChart().series().lines.size(), shown + 2); // both orders
        QVERIFY(!page.otherFrontChart().isVisible());
        for (const ExportItem &item : page.exportItems()) {
            ExportOptions options;
            options.format = ExportFormat::Svg;
            const QString file = dir.filePath(fileNameFor(item.name) + u".svg"_s);
            QVERIFY(exportItem(item, file, options).isOk());
            QVERIFY(QFile(file).size() > 300);
        }
        // For files: the mixing matrices of a third of the columns, with their numbers.
        page.slider().setValue(page.slider().maximum());
        QVERIFY(!page.mixingChart().layer());
        page.computeForExport();
        QTRY_VERIFY_WITH_TIMEOUT(page.mixingChart().layer() && controller.queue().isIdle(), kWait);
        QCOMPARE(page.slider().value(), page.slider().maximum() / 3);
        const std::string csv = page.exportItems().back().csv();
        QVERIFY(csv.starts_with("kind,layer,head,column,weight\n"));
        QCOMPARE(std::ranges::count(csv, '\n'), std::ssize(page.mixingChart().layer()->mixing) + 1);
    }

    void saysWhyItIsEmpty()
    {
        StudyState nothing;
        StudyController none(nothing);
        SharingPage page(nothing, none);
        show(page);
        QVERIFY(page.scoreChart().accessibleDescription().contains(u"No model is open"_s));
        QVERIFY(!page.computeButton().isEnabled() && !page.slider().isEnabled());
        QVERIFY(page.exportItems().isEmpty());
    }

    void looks_data()
    {
        QTest::addColumn<bool>("dark");
        QTest::newRow("light") << false;
        QTest::newRow("dark") << true;
    }
    void looks()
    {
        QFETCH(bool, dark);
        const QString suffix = dark ? u"-dark"_s : u"-light"_s;
        MadeUp study;
        SharingPage page(study.state, study.controller);
        if (dark) {
            page.setPalette(darkPalette());
            page.setAutoFillBackground(true);
        }
        show(page, {764, 690});
        keepPicture(page, u"sharing-empty"_s + suffix);
        study.state.addResult(Domain::In, madeup::energy());
        study.state.addResult(Domain::In, madeup::sharing());
        study.state.addResult(Domain::In, madeup::sharing({170}, true));
        page.slider().setValue(170);
        QCoreApplication::processEvents();
        keepPicture(page, u"sharing"_s + suffix);
        study.state.addResult(Domain::In, madeup::sharing({85, 170, 256, 384}, false, {24, 48}));
        page.tabs().setCurrentIndex(1);
        QCoreApplication::processEvents();
        keepPicture(page, u"sharing-front"_s + suffix);
    }
};

QTEST_MAIN(TestSharingPage)
#include "tst_sharingpage.moc"

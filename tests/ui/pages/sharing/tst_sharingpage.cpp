// The page of shared projections with real events, on a study that is made up and on a tiny model.
#include "core/exporting/csv.h"
#include "tests/support/madeupsharing.h"
#include "tests/support/madeupstate.h"
#include "tests/support/nowarnings.h"
#include "tests/support/picture.h"
#include "tests/support/tinymodel.h"
#include "ui/pages/sharing/mixingchart.h"
#include "ui/pages/sharing/sharingpage.h"
#include "ui/views/linechart.h"

#include <QFile>
#include <QLabel>
#include <QPushButton>
#include <QSlider>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cmath>
#include <filesystem>

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

    void energyIsAMeanOverAttentions()
    {
        EnergyResult two = *madeup::energy();
        two.layers.resize(2);
        for (EnergyCurve &curve : two.layers[1].curves)
            std::ranges::fill(curve.energy, 1.0);
        const LineSeries series = makeEnergySeries(two);
        QCOMPARE(series.lines.size(), 4U);
        const auto half = *std::ranges::find(series.lines[2].points, 50.0, &LineSeries::Point::x); // of the product
        QVERIFY(std::abs(half.y - 50 * (two.layers[0].curves[2].energy[255] + 1)) < 1e-9);
        QCOMPARE(series.lines[2].points.front().y, 0.0);
        QCOMPARE(series.lines[2].points.back().y, 100.0);
    }

    void sliderSaysWhatIsKnown()
    {
        MadeUp study;
        study.state.addResult(Domain::In, madeup::energy());
        study.state.addResult(Domain::In, madeup::sharing());
        SharingPage page(study.state, study.controller);
        show(page);
        QCOMPARE(page.slider().maximum(), 512);
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
        QCOMPARE(page.exportItems().size(), 3);
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
                                     && controller.queue().isIdle(), kWait);
        QVERIFY2(state.error(ErrorPlace::Analysis).isEmpty(), qPrintable(state.error(ErrorPlace::Analysis)));
        QCOMPARE(page.scoreChart().series().lines.size(), 2U);
        const std::size_t before = page.scoreChart().series().lines[0].points.size();
        // With all columns but one; it is measured when the slider has come to rest.
        page.slider().setFocus();
        QTest::keyClick(&page.slider(), Qt::Key_End);
        QTest::keyClick(&page.slider(), Qt::Key_Left);
        QTRY_VERIFY_WITH_TIMEOUT(page.mixingChart().layer(), kWait);
        QCOMPARE(page.scoreChart().series().lines[0].points.size(), before + 1);
        QCOMPARE(static_cast<int>(page.mixingChart().layer()->mixing.size() / page.mixingChart().layer()->heads.size()),
                 page.slider().value());
        for (const ExportItem &item : page.exportItems()) {
            ExportOptions options;
            options.format = ExportFormat::Svg;
            const QString file = dir.filePath(fileNameFor(item.name) + u".svg"_s);
            QVERIFY(exportItem(item, file, options).isOk());
            QVERIFY(QFile(file).size() > 300);
        }
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
    }
};

QTEST_MAIN(TestSharingPage)
#include "tst_sharingpage.moc"

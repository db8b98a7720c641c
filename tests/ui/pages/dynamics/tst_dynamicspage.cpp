#include "core/exporting/csv.h"
#include "tests/support/madeupdynamics.h"
#include "tests/support/madeupstate.h"
#include "tests/support/nowarnings.h"
#include "tests/support/picture.h"
#include "tests/support/tinymodel.h"
#include "ui/pages/dynamics/dynamicspage.h"
#include "ui/views/fileedit.h"
#include "ui/views/linechart.h"
#include "ui/views/readonlygrid.h"
#include "ui/views/timebar.h"

#include <QComboBox>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QSlider>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>

using namespace headscope;
using namespace Qt::StringLiterals;

class TestDynamicsPage final : public QObject
{
    Q_OBJECT

    static constexpr int kWait = 120'000;

    static void show(DynamicsPage &page, const QSize &size = {900, 700})
    {
        page.resize(size);
        page.show();
        QVERIFY(QTest::qWaitForWindowExposed(&page));
    }

private Q_SLOTS:
    void initTestCase() { QStandardPaths::setTestModeEnabled(true); }
    void init() { failOnQtWarnings(); }

    void linesAreThoseOfTheResult()
    {
        const auto result = madeup::dynamics();
        const LineSeries shares = makeShareSeries(*result);
        QCOMPARE(shares.lines.size(), 9U); // 10 … 90 %
        QCOMPARE(shares.lines[2].name, u"30 %"_s);
        QCOMPARE(shares.lines[2].points.size(), 6U); // nothing is relative to a score of 0
        QCOMPARE(shares.lines[2].points[3].y, 100 * *result->checkpoints[4].curve[3].relative);
        // Every doubling is as far as the one before.
        QCOMPARE(shares.lines[2].points[1].x - shares.lines[2].points[0].x, 1.0);
        QCOMPARE(shares.lines[2].points[5].x - shares.lines[2].points[4].x, 1.0);
        QCOMPARE(checkpointPlace(*result, 0), checkpointPlace(*result, 1) - 1);
        const LineSeries curves = makeCheckpointSeries(*result, {1, 6});
        QCOMPARE(curves.lines.size(), 2U);
        QCOMPARE(curves.lines[1].name, u"epoch 32"_s);
        QCOMPARE(curves.lines[1].points[4].x, 40.0);
        QCOMPARE(curves.lines[1].points[4].y, 100 * *result->checkpoints[6].curve[4].relative);
        QCOMPARE(defaultCheckpoints(*result), (std::vector<std::size_t>{1, 2, 4, 6}));
        QVERIFY(makeShareSeries(DynamicsResult{}).empty());
        QVERIFY(makeCheckpointSeries(*result, {}).empty());
    }

    void identicalCheckpointsGiveLevelLines()
    {
        DynamicsResult same = *madeup::dynamics(5);
        for (DynamicsCheckpoint &checkpoint : same.checkpoints) {
            checkpoint.score = same.checkpoints.back().score;
            checkpoint.curve = same.checkpoints.back().curve;
        }
        for (const LineSeries::Line &line : makeShareSeries(same).lines) {
            QCOMPARE(line.points.size(), 5U);
            for (const LineSeries::Point &point : line.points)
                QCOMPARE(point.y, line.points.front().y);
        }
    }

    void timeGoesBySliderKeysAndChart()
    {
        MadeUp study(false);
        study.state.addResult(Domain::In, madeup::dynamics());
        DynamicsPage page(study.state, study.controller);
        show(page);
        QCOMPARE(page.time().slider().maximum(), 6);
        QCOMPARE(page.time().slider().value(), 6); // the newest
        const auto firstHead = [&] { return *page.grid().picture().content.cells.front().value; };
        const auto result = study.state.results(Domain::In).dynamics;
        QCOMPARE(firstHead(), result->checkpoints[6].heads[0].importance);
        page.time().slider().setFocus();
        QTest::keyClick(&page.time().slider(), Qt::Key_Left);
        QCOMPARE(page.time().slider().value(), 5);
        QTest::keyClick(&page.time().slider(), Qt::Key_Home);
        QCOMPARE(firstHead(), result->checkpoints[0].heads[0].importance);
        QVERIFY2(page.grid().accessibleDescription().contains(u"epoch 0"),
                 qPrintable(page.grid().accessibleDescription()));
        // One scale for all of them.
        const ColorScale scale = page.grid().picture().scale;
        QTest::keyClick(&page.time().slider(), Qt::Key_End);
        QVERIFY(page.grid().picture().scale == scale);
        page.shareChart().repaint();
        const QPointF third = page.shareChart().at(checkpointPlace(*result, 3), 50);
        QTest::mouseClick(&page.shareChart(), Qt::LeftButton, {}, third.toPoint());
        QCOMPARE(page.time().slider().value(), 3);
        QVERIFY2(page.shareChart().accessibleDescription().contains(u"epoch 4"),
                 qPrintable(page.shareChart().accessibleDescription()));
        page.shareChart().setFocus();
        QTest::keyClick(&page.shareChart(), Qt::Key_Right);
        QCOMPARE(page.time().slider().value(), 4);
    }

    void measureIsChosen()
    {
        MadeUp study(false);
        study.state.addResult(Domain::In, madeup::dynamics());
        DynamicsPage page(study.state, study.controller);
        show(page);
        const auto &heads = study.state.results(Domain::In).dynamics->checkpoints[6].heads;
        QCOMPARE(page.measureBox().count(), 3);
        page.measureBox().setFocus();
        QTest::keyClick(&page.measureBox(), Qt::Key_Down);
        QCOMPARE(*page.grid().picture().content.cells.front().value, *heads[0].delta);
        QVERIFY(page.grid().picture().content.diverging);
        QVERIFY(!page.grid().picture().content.cells.front().significant); // nothing was tested
        QTest::keyClick(&page.measureBox(), Qt::Key_Down);
        QCOMPARE(*page.grid().picture().content.cells.front().value, *heads[0].confidence);
        // Of curves by themselves there is no more than importance.
        DynamicsResult curves = *madeup::dynamics();
        for (DynamicsCheckpoint &checkpoint : curves.checkpoints) {
            for (DynamicsHead &head : checkpoint.heads)
                head.delta = head.confidence = std::nullopt;
        }
        study.state.addResult(Domain::In, std::make_shared<const DynamicsResult>(curves));
        QCOMPARE(page.measureBox().count(), 1);
    }

    void rolesSpreadAndClosedHeadsAreShown()
    {
        MadeUp study(false);
        study.state.addResult(Domain::In, madeup::dynamics());
        DynamicsPage page(study.state, study.controller);
        show(page);
        QVERIFY(page.spreadChart().isHidden());
        study.state.addResult(Domain::In, madeup::dynamicsWithRoles());
        QVERIFY(!page.spreadChart().isHidden());
        const LineSeries &spreads = page.spreadChart().series();
        QCOMPARE(spreads.lines.size(), 12U);
        QCOMPARE(spreads.lines[1].name, u"Encoder, layer 1"_s);
        QCOMPARE(spreads.lines[1].points.size(), 7U);
        const auto result = study.state.results(Domain::In).dynamics;
        QCOMPARE(spreads.lines[1].points[2].y, result->checkpoints[2].spreads[1].spread);
        const GridPicture last = page.grid().picture();
        QCOMPARE(last.content.cells[0].roles.size(), 1U);
        QVERIFY(last.content.cells[1].roles.empty());
        QVERIFY(last.mask == result->checkpoints.back().closed);
        QVERIFY2(page.grid().accessibleDescription().contains(u"2 head"_s),
                 qPrintable(page.grid().accessibleDescription()));
        page.time().setMoment(0);
        QVERIFY(page.grid().picture().mask.empty());
        QCOMPARE(page.exportItems().size(), 4);
    }

    void plays()
    {
        MadeUp study(false);
        study.state.addResult(Domain::In, madeup::dynamics(3));
        DynamicsPage page(study.state, study.controller);
        show(page);
        QTest::mouseClick(&page.time().playButton(), Qt::LeftButton);
        QCOMPARE(page.time().slider().value(), 0);
        QVERIFY(page.time().playButton().text().contains(u"Pause"));
        QTRY_COMPARE(page.time().slider().value(), 2);
        QVERIFY(page.time().playButton().text().contains(u"Play")); // ends by itself
        QTest::mouseClick(&page.time().playButton(), Qt::LeftButton);
        QTest::mouseClick(&page.time().playButton(), Qt::LeftButton);
        QVERIFY(page.time().playButton().text().contains(u"Play"));
        QVERIFY(page.time().slider().value() < 2);
    }

    void checkpointsAreChosen()
    {
        MadeUp study(false);
        study.state.addResult(Domain::In, madeup::dynamics());
        DynamicsPage page(study.state, study.controller);
        show(page);
        QListWidget &list = page.checkpointList();
        QCOMPARE(list.count(), 7);
        QCOMPARE(page.checkpointChart().series().lines.size(), 4U);
        list.setFocus();
        list.setCurrentRow(1);
        QTest::keyClick(&list, Qt::Key_Space);
        QCOMPARE(page.checkpointChart().series().lines.size(), 3U);
        // What was chosen stays while further checkpoints come in.
        study.state.addResult(Domain::In, madeup::dynamics(8));
        QCOMPARE(list.count(), 8);
        QCOMPARE(page.checkpointChart().series().lines.size(), 3U);
        for (int row = 0; row < list.count(); ++row) {
            if (list.item(row)->checkState() == Qt::Checked) {
                list.setCurrentRow(row);
                QTest::keyClick(&list, Qt::Key_Space);
            }
        }
        QVERIFY(page.checkpointChart().series().empty());
        QVERIFY(page.checkpointChart().accessibleDescription().contains(u"Choose checkpoints"));
    }

    void computesByTheButton()
    {
        QTemporaryDir dir;
        const std::filesystem::path folder = dir.path().toStdString();
        for (const char *name : {"run/epoch-001", "run/epoch-002"})
            testing::writeTinyModel(folder / name);
        testing::writeTinyCorpus(folder / "in.en", folder / "in.fr", 10, 1);
        StudyState state;
        StudyController controller(state);
        controller.setAutomatic(false);
        DataSource source;
        source.source = (folder / "in.en").string();
        source.reference = (folder / "in.fr").string();
        controller.setData(Domain::In, source);
        controller.openModel(dir.filePath(u"run/epoch-002"_s));
        DynamicsPage page(state, controller);
        show(page);
        QTRY_VERIFY_WITH_TIMEOUT(state.session() && state.data(Domain::In) && controller.queue().isIdle(), kWait);
        QVERIFY(!page.computeButton().isEnabled()); // which run?
        page.runsEdit().setFocus();
        QTest::keyClicks(page.runsEdit().findChild<QLineEdit *>(), dir.filePath(u"run"_s));
        QVERIFY(page.computeButton().isEnabled());
        QTest::mouseClick(&page.computeButton(), Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(state.results(Domain::In).dynamics && controller.queue().isIdle(), kWait);
        QVERIFY2(state.error(ErrorPlace::Analysis).isEmpty(), qPrintable(state.error(ErrorPlace::Analysis)));
        const auto result = state.results(Domain::In).dynamics;
        QCOMPARE(result->checkpoints.size(), 2U);
        QCOMPARE(page.time().slider().maximum(), 1);
        const QList<ExportItem> items = page.exportItems();
        QVERIFY(!items.isEmpty());
        QCOMPARE(items.first().csv().substr(0, 10), toCsv(*result).substr(0, 10));
        for (const ExportItem &item : items) {
            QVERIFY2(item.caption.contains(u". Checkpoints: 2. "_s), qPrintable(item.caption)); // sentences
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
        DynamicsPage page(nothing, none);
        show(page);
        QVERIFY(page.shareChart().accessibleDescription().contains(u"No model is open"));
        QVERIFY(!page.computeButton().isEnabled() && !page.time().slider().isEnabled());
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
        DynamicsPage page(study.state, study.controller);
        if (dark) {
            page.setPalette(darkPalette());
            page.setAutoFillBackground(true);
        }
        show(page, {764, 690});
        keepPicture(page, u"dynamics-empty"_s + suffix);
        study.state.addResult(Domain::In, madeup::dynamics());
        page.time().slider().setValue(4);
        QCoreApplication::processEvents();
        keepPicture(page, u"dynamics"_s + suffix);
        page.resize(1300, 900);
        page.measureBox().setCurrentIndex(1);
        QCoreApplication::processEvents();
        keepPicture(page, u"dynamics-wide"_s + suffix);
    }
};

QTEST_MAIN(TestDynamicsPage)
#include "tst_dynamicspage.moc"

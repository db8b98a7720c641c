#include "core/analysis/confidencespec.h"
#include "core/analysis/shapleyspec.h"
#include "core/exporting/csv.h"
#include "tests/support/madeupsimilarity.h"
#include "tests/support/madeupstate.h"
#include "tests/support/nowarnings.h"
#include "tests/support/picture.h"
#include "tests/support/tinymodel.h"
#include "ui/pages/map/layerchart.h"
#include "ui/pages/map/mapchart.h"
#include "ui/pages/map/mappage.h"
#include "ui/pages/map/measurescatter.h"
#include "ui/views/matrixchart.h"

#include <QComboBox>
#include <QPushButton>
#include <QSignalSpy>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <set>
#include <vector>

using namespace headscope;
using namespace Qt::StringLiterals;

/// The map of heads with real events, on a tiny model and on a study that is made up.
class TestMapPage final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void init() { failOnQtWarnings(); }
    void computesByTheButton();
    void kindsAreShownByTheBox();
    void clickSelectsEverywhere();
    void hoverIsShared();
    void keysGoFromHeadToHead();
    void branchSelectsItsHeads();
    void cellsSayTheirDistance();
    void coloursHaveMarks();
    void exportsAsTheCommandLineDoes();
    void gradientsStandBesideAttention();
    void anyTwoMeasuresStandAgainstEachOther();
    void matrixZooms();
    void saysWhyItIsEmpty();
    void looks_data();
    void looks();

private:
    static constexpr int kWait = 120'000;
    MapPage &page() { return *m_page; }
    StudyState &state() { return m_state; }
    bool isIdle() { return m_controller.queue().isIdle(); }
    const SimilarityResult &result() { return *state().results(Domain::In).similarity; }
    QPoint cell(int column, int row)
    {
        const MatrixGeometry &geometry = page().matrix().geometry();
        return (geometry.cells.topLeft() + geometry.step * QPointF(column + 0.5, row + 0.5)).toPoint();
    }

    QTemporaryDir m_dir;
    StudyState m_state;
    StudyController m_controller{m_state};
    std::unique_ptr<MapPage> m_page;
};

void TestMapPage::initTestCase()
{
    const std::filesystem::path folder = m_dir.path().toStdString();
    testing::writeTinyModel(folder / "model");
    m_controller.setAutomatic(false);
    m_controller.openModel(m_dir.filePath(u"model"_s));
    DataSource source;
    source.source = (folder / "in.en").string();
    source.reference = (folder / "in.fr").string();
    testing::writeTinyCorpus(source.source, source.reference, 12, 1);
    m_controller.setData(Domain::In, source);
    QTRY_VERIFY_WITH_TIMEOUT(state().session() && state().data(Domain::In) && isIdle(), kWait);
    m_page = std::make_unique<MapPage>(m_state, m_controller);
    m_page->resize(1200, 800);
    m_page->show();
    QVERIFY(QTest::qWaitForWindowExposed(m_page.get()));
}

void TestMapPage::computesByTheButton()
{
    QVERIFY(page().exportItems().isEmpty());
    QVERIFY(page().map().accessibleDescription().contains(u"Press Compute"));
    QTest::mouseClick(&page().computeButton(), Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(state().results(Domain::In).similarity && isIdle(), kWait);
    QVERIFY2(state().error(ErrorPlace::Analysis).isEmpty(), qPrintable(state().error(ErrorPlace::Analysis)));
    QCOMPARE(result().examples, 12);
    QCOMPARE(page().map().picture().series.points.size(), result().kinds[0].heads.size());
    QCOMPARE(page().matrix().picture().series.leaves.size(), result().kinds[0].heads.size());
    QCOMPARE(page().spread().series().lines.size(), 3U); // kinds of attention
    keepPicture(page(), u"map-computed"_s);
}

void TestMapPage::kindsAreShownByTheBox()
{
    QCOMPARE(page().kindBox().count(), 3);
    page().kindBox().setFocus();
    QTest::keyClick(&page().kindBox(), Qt::Key_Down);
    QCOMPARE(page().map().picture().series.kind, HeadKind::Cross);
    QCOMPARE(page().matrix().picture().series.leaves.front().kind, HeadKind::Cross);
    QTest::keyClick(&page().kindBox(), Qt::Key_Up);
    QCOMPARE(page().map().picture().series.kind, HeadKind::Encoder);
}

void TestMapPage::clickSelectsEverywhere()
{
    const HeadRef head = result().kinds[0].heads[1];
    QTRY_VERIFY(page().map().markPosition(head));
    QTest::mouseClick(&page().map(), Qt::LeftButton, {}, *page().map().markPosition(head));
    QCOMPARE(state().currentHead(), head);
    QCOMPARE(state().selection(), std::set<HeadRef>{head});
    QCOMPARE(page().matrix().picture().selection, std::set<HeadRef>{head});
    QVERIFY(page().map().accessibleDescription().startsWith(QString::fromStdString(toText(head))));
    // Another page selects: the map shows it.
    const HeadRef other = result().kinds[0].heads[2];
    state().selectHead(other);
    QCOMPARE(page().map().picture().current, other);
}

void TestMapPage::hoverIsShared()
{
    const HeadRef head = result().kinds[0].heads[0];
    QTest::mouseMove(&page().map(), *page().map().markPosition(head));
    QTRY_COMPARE(state().hoveredHead(), head);
    QCOMPARE(page().matrix().picture().hovered, head);
    QTest::mouseMove(&page().matrix(), cell(1, 0));
    QTRY_COMPARE(state().hoveredHead(), page().matrix().picture().series.leaves[0]);
    QCOMPARE(page().map().picture().hovered, state().hoveredHead());
}

void TestMapPage::keysGoFromHeadToHead()
{
    page().map().setFocus();
    state().selectHead(result().kinds[0].heads[0]);
    QTest::keyClick(&page().map(), Qt::Key_Right);
    QCOMPARE(state().currentHead(), result().kinds[0].heads[1]);
    const QSignalSpy activated(&page(), &Page::headActivated);
    QTest::keyClick(&page().map(), Qt::Key_Return);
    QCOMPARE(activated.size(), 1);
}

void TestMapPage::branchSelectsItsHeads()
{
    const MatrixSeries &series = page().matrix().picture().series;
    const MatrixSeries::Join &first = series.joins.front();
    QTRY_VERIFY(page().matrix().geometry().step > 0);
    const QPointF bar
        = page().matrix().geometry().joinAt((first.left + first.right) / 2, first.height, series.highest());
    QTest::mouseClick(&page().matrix(), Qt::LeftButton, {}, bar.toPoint());
    QCOMPARE(state().selection(), (std::set<HeadRef>{series.leaves[first.firstLeaf], series.leaves[first.lastLeaf]}));
    const QPointF all = page().matrix().geometry().joinAt(series.joins.back().left, series.highest(), series.highest());
    QTest::mouseClick(&page().matrix(), Qt::LeftButton, {}, all.toPoint() + QPoint(1, 0));
    QCOMPARE(state().selection().size(), series.leaves.size());
}

void TestMapPage::cellsSayTheirDistance()
{
    MatrixChart &matrix = page().matrix();
    matrix.setFocus();
    QTest::mouseMove(&matrix, cell(0, 0));
    QTest::keyClick(&matrix, Qt::Key_Right);
    const auto &leaves = matrix.picture().series.leaves;
    const KindSimilarity &kind = result().kinds[0];
    const auto place = [&](const HeadRef &head) {
        return static_cast<std::size_t>(std::ranges::find(kind.heads, head) - kind.heads.begin());
    };
    const double distance = distancesOf(kind, result().distance).at(place(leaves[0]), place(leaves[1]));
    QVERIFY2(matrix.readout().endsWith(QLocale().toString(distance, 'f', 3)), qPrintable(matrix.readout()));
    QCOMPARE(matrix.accessibleDescription(), matrix.readout());
    QTest::keyClick(&matrix, Qt::Key_Return);
    QCOMPARE(state().selection(), (std::set<HeadRef>{leaves[0], leaves[1]}));
}

void TestMapPage::coloursHaveMarks()
{
    MadeUp study;
    study.state.addResult(Domain::In, madeup::similarity(false));
    MapPage page(study.state, study.controller);
    page.bringUpToDate();
    const auto groups = [&] { return page.map().picture().series.groups; };
    QCOMPARE(groups().front().mark, u"0"_s); // layers
    page.coloringBox().setCurrentIndex(2);
    QVERIFY(groups().size() >= 2);
    std::set<QString> marks;
    for (const MapSeries::Group &group : groups())
        marks.insert(group.mark);
    QCOMPARE(marks.size(), groups().size());
    page.coloringBox().setCurrentIndex(1);
    QVERIFY(groups().empty()); // roles are not computed
    QVERIFY(std::ranges::none_of(page.map().picture().series.points,
                                 [](const MapSeries::Point &point) { return point.group.has_value(); }));
}

void TestMapPage::exportsAsTheCommandLineDoes()
{
    const QList<ExportItem> items = page().exportItems();
    QCOMPARE(items.size(), 4); // the scatter is the last
    QCOMPARE(items[0].csv(), toCsv(result()));
    QCOMPARE(items[1].csv(), distancesCsv(result().kinds[0], result().distance));
    QCOMPARE(items[2].csv(), spreadCsv(result()));
    for (const ExportItem &item : items) {
        const auto image = renderToImage(item, {.dpi = 96});
        QVERIFY(image.isOk());
        QVERIFY(image.value().width() > 300);
    }
}

void TestMapPage::gradientsStandBesideAttention()
{
    QVERIFY(page().gradients().accessibleDescription().contains(u"Press Gradients"));
    QTest::mouseClick(&page().gradientsButton(), Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(state().results(Domain::In).gradients && isIdle(), kWait);
    QVERIFY2(state().error(ErrorPlace::Analysis).isEmpty(), qPrintable(state().error(ErrorPlace::Analysis)));
    QVERIFY(page().gradients().isVisible() && page().attention().isVisible()); // their tab was brought to the front
    const LineSeries &attention = page().attention().series();
    const LineSeries &gradients = page().gradients().series();
    QCOMPARE(attention.lines.size(), gradients.lines.size());
    QVERIFY(std::ranges::find(attention.lines, u"delimiters"_s, &LineSeries::Line::name) != attention.lines.end());
    for (std::size_t layer = 0; layer < attention.lines.front().points.size(); ++layer) {
        double all = 0;
        for (const LineSeries::Line &line : attention.lines)
            all += line.points[layer].y;
        QVERIFY(std::abs(all - 1) < 1e-4);
    }
    // Lines are means over the heads of a layer.
    const AttentionGradientsResult &found = *state().results(Domain::In).gradients;
    double sum = 0;
    double heads = 0;
    for (const HeadKeyGradients &head : found.heads) {
        const auto of = std::ranges::find(head.keys, KeyClass::Delimiter, &KeyGradient::keys);
        if (head.head.kind == HeadKind::Encoder && head.head.layer == 1 && of != head.keys.end()) {
            sum += of->gradient;
            ++heads;
        }
    }
    const auto line = std::ranges::find(gradients.lines, u"delimiters"_s, &LineSeries::Line::name);
    QVERIFY(std::abs(line->points.at(1).y - sum / heads) < 1e-9);
    const QList<ExportItem> items = page().exportItems();
    QCOMPARE(items.size(), 6);
    QCOMPARE(items[4].csv(), layerGradientsCsv(found));
    keepPicture(page(), u"map-gradients"_s);
    QTest::keyClick(&page().kindBox(), Qt::Key_Down); // cross-attention
    QVERIFY(!page().gradients().series().empty());
    QTest::keyClick(&page().kindBox(), Qt::Key_Up);
}

void TestMapPage::anyTwoMeasuresStandAgainstEachOther()
{
    m_controller.start(Domain::In, ConfidenceSpec{});
    QTRY_VERIFY_WITH_TIMEOUT(state().results(Domain::In).confidence && isIdle(), kWait);
    page().tabs().setCurrentIndex(1);
    QVERIFY(page().scatter().isVisible());
    const auto choose = [](QComboBox &box, const QString &id) {
        const int index = box.findData(id);
        QVERIFY2(index >= 0, qPrintable(id));
        box.setCurrentIndex(index);
        Q_EMIT box.activated(index);
    };
    choose(page().xBox(), u"layer"_s);
    choose(page().yBox(), u"confidence"_s);
    const MeasureScatterSeries &series = page().scatter().picture().series;
    const ConfidenceResult &confidence = *state().results(Domain::In).confidence;
    QCOMPARE(series.points.size(), confidence.heads.size());
    std::vector<double> x, y;
    for (const HeadConfidence &head : confidence.heads) {
        x.push_back(head.head.layer);
        y.push_back(head.confidence);
        const auto point
            = std::ranges::find_if(series.points, [&](const auto &one) { return one.x.head == head.head; });
        QVERIFY(point != series.points.end() && point->x.value == head.head.layer);
        QVERIFY(std::abs(point->y.value - head.confidence) < 1e-12 && point->y.count == 12);
    }
    QVERIFY(std::abs(series.pearson.value - pearsonCorrelation(x, y).value) < 1e-12);
    // Selected here is selected everywhere; the description says both values and what they rest on.
    const HeadRef head = confidence.heads[5].head;
    QVERIFY(QTest::qWaitForWindowExposed(m_page.get()));
    QTRY_VERIFY(page().scatter().markPosition(head));
    QTest::mouseClick(&page().scatter(), Qt::LeftButton, {}, *page().scatter().markPosition(head));
    QVERIFY(state().currentHead().has_value());
    QVERIFY(state().selection().contains(*state().currentHead()));
    QVERIFY(page().scatter().accessibleDescription().contains(u"12 examples"_s));
    const ExportItem item = page().exportItems().back();
    QCOMPARE(item.csv(), measureScatterCsv(series));
    QVERIFY(item.caption.contains(u"n = 24"_s));
    QVERIFY(renderToImage(item, {.dpi = 96}).isOk());
    keepPicture(page(), u"map-measures"_s);
    // Shapley values are one of the measures.
    m_controller.start(Domain::In, ShapleySpec{.orders = 2, .resamples = 20});
    QTRY_VERIFY_WITH_TIMEOUT(state().results(Domain::In).shapley && isIdle(), kWait);
    choose(page().yBox(), u"shapley"_s);
    const ShapleyResult &values = *state().results(Domain::In).shapley;
    const MeasureScatterSeries &ofValues = page().scatter().picture().series;
    QCOMPARE(ofValues.points.size(), values.heads.size());
    for (const HeadShapley &one : values.heads) {
        const auto point
            = std::ranges::find_if(ofValues.points, [&](const auto &other) { return other.x.head == one.head; });
        QVERIFY(point != ofValues.points.end() && std::abs(point->y.value - one.value) < 1e-9);
    }
    page().tabs().setCurrentIndex(0);
}

void TestMapPage::matrixZooms()
{
    MatrixChart &matrix = page().matrix();
    QTRY_VERIFY(matrix.isVisible() && matrix.geometry().step > 0);
    const double before = matrix.geometry().step;
    matrix.zoomBy(2, QPointF(matrix.rect().center()));
    matrix.grab();
    QVERIFY(matrix.isZoomed() && matrix.geometry().step > 1.5 * before);
    matrix.fitZoom();
    matrix.grab();
    QVERIFY(!matrix.isZoomed() && std::abs(matrix.geometry().step - before) < 0.5);
}

void TestMapPage::saysWhyItIsEmpty()
{
    StudyState state;
    StudyController controller{state};
    MapPage page(state, controller);
    page.bringUpToDate();
    QVERIFY(page.map().accessibleDescription().contains(u"No model is open"));
    QVERIFY(!page.computeButton().isEnabled());
    QVERIFY(!page.computeButton().toolTip().isEmpty());
}

void TestMapPage::looks_data()
{
    QTest::addColumn<bool>("dark");
    QTest::newRow("light") << false;
    QTest::newRow("dark") << true;
}

void TestMapPage::looks()
{
    QFETCH(bool, dark);
    const QString suffix = dark ? u"-dark"_s : u"-light"_s;
    MadeUp study;
    MapPage page(study.state, study.controller);
    const auto keep = [&](const QString &name, const QSize &size) {
        if (dark) {
            page.setPalette(darkPalette());
            page.setAutoFillBackground(true);
        }
        page.resize(size);
        page.show();
        QVERIFY(QTest::qWaitForWindowExposed(&page));
        QCoreApplication::processEvents();
        keepPicture(page, name + suffix);
    };
    keep(u"map-empty"_s, {764, 690});
    for (const Domain domain : kBothDomains)
        study.state.addResult(domain, madeup::similarity(domain == Domain::Out));
    keep(u"map"_s, {764, 690}); // beside both docks at 1280 x 800
    page.coloringBox().setCurrentIndex(2);
    study.state.setSelection({{HeadKind::Encoder, 1, 2}, {HeadKind::Encoder, 3, 4}}, HeadRef{HeadKind::Encoder, 1, 2});
    study.state.setError(ErrorPlace::Analysis, u"similarity, out-of-domain: the GPU has no memory left (8 GiB)."_s);
    keep(u"map-wide"_s, {1300, 900});
}

QTEST_MAIN(TestMapPage)
#include "tst_mappage.moc"

#include "tests/support/madeupstudy.h"
#include "tests/support/nowarnings.h"
#include "tests/support/picture.h"

#include "ui/charts/chartstyle.h"
#include "ui/charts/linepainter.h"
#include "ui/charts/scatterchart.h"
#include "ui/pages/pruning/pruningchart.h"

#include <QBuffer>
#include <QChart>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QSvgGenerator>
#include <QTest>

#include <array>

using namespace headscope;
using namespace Qt::StringLiterals;

namespace {

PruningSeries curves()
{
    return makePruningSeries({{false, madeup::pruning("importance", false)},
                              {true, madeup::pruning("importance", true)},
                              {false, madeup::pruning("ablation", false)},
                              {true, madeup::pruning("ablation", true)},
                              {false, madeup::pruning("random", false, 10)}},
                             96);
}

ScatterSeries points()
{
    return makeScatterSeries(madeup::comparison(), u"test_2016_flickr (in-domain)"_s,
                             u"test_2017_mscoco (out-of-domain)"_s);
}

QByteArray svgOf(const std::function<void(QPainter &, QRectF)> &paint)
{
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    QSvgGenerator generator;
    generator.setOutputDevice(&buffer);
    generator.setSize({800, 500});
    generator.setViewBox(QRect(0, 0, 800, 500));
    QPainter painter(&generator);
    QFont font = painter.font();
    font.setPixelSize(12);
    painter.setFont(font);
    paint(painter, QRectF(0, 0, 800, 500));
    painter.end();
    return bytes;
}

} // namespace

class TestCharts final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init() { failOnQtWarnings(); }
    void exportsHaveVectorText();
    void ordersWithNotesKeepTheirColours();
    void valuesKeepOffRings();
    void exportEqualsTheWindow();
    void draggingTheLineTellsHeads();
    void clickAndBrushSelectHeads();
    void hoverTellsTheHead();
    void arrowKeysStepThroughPoints();
    void scatterFillsItsRoom();
    void scatterZooms();
    void longLegendsLeaveRoomForTheLines();
    void emptyChartsSayWhy();
    void looks_data();
    void looks();
};

void TestCharts::exportsHaveVectorText()
{
    PruningPicture pruning{.series = curves(), .slider = 48, .live = {}, .pins = {{12, u"cross.1.2"_s}}};
    const QByteArray svg = svgOf([&](QPainter &painter, QRectF rect) { paintPruningChart(painter, rect, pruning); });
    QVERIFY(svg.contains("Importance, in-domain"));
    QVERIFY(svg.contains("first significant loss"));
    QVERIFY(svg.contains("knee"));
    QVERIFY(svg.contains("cross.1.2"));
    QVERIFY(svg.contains("BLEU"));
    ScatterPicture scatter;
    scatter.series = points();
    const QByteArray other = svgOf([&](QPainter &painter, QRectF rect) { paintScatterChart(painter, rect, scatter); });
    QVERIFY(other.contains("r = 0"));
    QVERIFY(other.contains("out-of-domain"));
}

/// Reports say of every curve which data set its order is from.
void TestCharts::ordersWithNotesKeepTheirColours()
{
    const auto colours = [](const std::vector<PruningInput> &inputs) {
        const PruningPicture picture{.series = makePruningSeries(inputs, 96), .slider = {}, .live = {}};
        const QByteArray svg
            = svgOf([&](QPainter &painter, QRectF rect) { paintPruningChart(painter, rect, picture); }).toLower();
        const auto has = [&](const OrderStyle &style) {
            const QByteArray stroke = "stroke=\"" + style.color.name().toLatin1() + '"';
            return svg.contains(stroke);
        };
        return std::array{has(orderStyle(u"importance"_s, false, picture.palette)),
                          has(orderStyle(u"ablation"_s, false, picture.palette)),
                          has(orderStyle(u"importance"_s, true, picture.palette))};
    };
    const auto importance = madeup::pruning("importance", false);
    const auto ablation = madeup::pruning("ablation", false);
    const QString note = u"order from another set"_s;
    QVERIFY(colours({{false, importance, note}, {false, ablation, note}}) == (std::array{true, true, false}));
    QVERIFY(colours({{false, importance, note}, {false, importance}}) == (std::array{true, false, true}));
    QVERIFY(colours({{false, importance, note}, {false, importance, u"re-estimated"_s}})
            == (std::array{true, false, true}));
}

/// The score of the full model stood under the ring of a loss that comes with the first heads.
void TestCharts::valuesKeepOffRings()
{
    PruningPicture picture{.series = curves(), .slider = 0, .live = {}, .pins = {}};
    CurveSeries &first = picture.series.curves.front();
    first.firstLoss = 1;
    const CurvePoint &whole = first.points.front();
    picture.live = {{.score = whole.score, .interval = Interval{whole.score - 1, whole.score + 1}}};
    const QByteArray svg = svgOf([&](QPainter &painter, QRectF rect) { paintPruningChart(painter, rect, picture); });
    const auto numbers = [&](const char *pattern) {
        const auto match = QRegularExpression(QString::fromUtf8(pattern)).match(QString::fromUtf8(svg));
        return QPointF(match.captured(1).toDouble(), match.captured(2).toDouble());
    };
    const QPointF ring = numbers("<circle cx=\"([0-9.]+)\" cy=\"([0-9.]+)\" r=\"8\"");
    const QPointF text = numbers("<text [^>]*x=\"([0-9.]+)\" y=\"([0-9.]+)\"[^>]*>[0-9.]+ ±"); // its base line
    QVERIFY(!ring.isNull() && !text.isNull());
    QVERIFY(text.x() < ring.x() + 8); // else there is nothing to avoid
    QVERIFY2(text.y() < ring.y() - 8 || text.y() - 9 > ring.y() + 8,
             qPrintable(u"text at %1, ring at %2"_s.arg(text.y()).arg(ring.y())));
}

void TestCharts::exportEqualsTheWindow()
{
    // The export lays the same chart out at the same size: the plot areas must agree.
    PruningChart chart;
    chart.resize(700, 460);
    chart.show();
    chart.setSeries(curves());
    const QImage window = chart.grab().toImage().convertToFormat(QImage::Format_RGB32);
    QImage exported(700, 460, QImage::Format_RGB32);
    exported.fill(Qt::white);
    QPainter painter(&exported);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setFont(chart.font());
    paintPruningChart(painter, exported.rect(), chart.picture());
    painter.end();
    int different = 0;
    for (int y = 0; y < window.height(); ++y)
        for (int x = 0; x < window.width(); ++x)
            different += std::abs(qGray(window.pixel(x, y)) - qGray(exported.pixel(x, y))) > 60;
    QVERIFY2(different < 2000, qPrintable(u"%1 of %2 pixels differ"_s.arg(different).arg(700 * 460)));
}

void TestCharts::draggingTheLineTellsHeads()
{
    PruningChart chart;
    chart.resize(700, 460);
    chart.show();
    chart.setSeries(curves());
    chart.setSlider(10);
    QSignalSpy dragged(&chart, &PruningChart::dragged);
    QSignalSpy ended(&chart, &PruningChart::dragEnded);
    const auto [left, right] = chart.axisEnds();
    QVERIFY(right - left > 400);
    const QPoint middle(int(left + (right - left) / 2), 200);
    QTest::mousePress(chart.viewport(), Qt::LeftButton, {}, middle);
    QTest::mouseMove(chart.viewport(), QPoint(int(right), 200));
    QTest::mouseRelease(chart.viewport(), Qt::LeftButton, {}, QPoint(int(right), 200));
    QVERIFY(dragged.count() >= 1);
    QVERIFY(std::abs(dragged.first().first().toInt() - 48) <= 1);
    QCOMPARE(ended.count(), 1);
}

void TestCharts::clickAndBrushSelectHeads()
{
    ScatterChart chart;
    chart.resize(460, 460);
    chart.show();
    chart.setSeries(points());
    std::set<HeadRef> selected;
    std::optional<HeadRef> current;
    connect(&chart, &ScatterChart::selectionMade, this, [&](const auto &heads, const auto &now) {
        selected = heads;
        current = now;
    });
    // The head farthest from the crowd can be clicked without doubt.
    (void)chart.grab(); // marks are where they were painted
    const auto &all = chart.picture().series.points;
    const auto lone = *std::min_element(all.begin(), all.end(), [](auto &a, auto &b) { return a.x < b.x; });
    QTest::mouseClick(&chart, Qt::LeftButton, {}, *chart.markPosition(lone.head));
    QCOMPARE(selected, std::set<HeadRef>{lone.head});
    QCOMPARE(current, lone.head);
    const QPoint from(1, 1);
    const QPoint to(chart.width() - 2, chart.height() - 2);
    QTest::mousePress(&chart, Qt::LeftButton, {}, from);
    QMouseEvent move(QEvent::MouseMove, to, chart.mapToGlobal(to), Qt::NoButton, Qt::LeftButton, {});
    QCoreApplication::sendEvent(&chart, &move);
    QTest::mouseRelease(&chart, Qt::LeftButton, {}, to);
    QCOMPARE(selected.size(), 96U);
}

void TestCharts::hoverTellsTheHead()
{
    ScatterChart chart;
    chart.resize(460, 460);
    chart.show();
    chart.setSeries(points());
    std::optional<HeadRef> hovered;
    connect(&chart, &ScatterChart::hovered, this, [&](const auto &head) { hovered = head; });
    (void)chart.grab(); // marks are where they were painted
    const auto &all = chart.picture().series.points;
    const auto lone = *std::min_element(all.begin(), all.end(), [](auto &a, auto &b) { return a.x < b.x; });
    QTest::mouseMove(&chart, *chart.markPosition(lone.head));
    QTRY_COMPARE(hovered, lone.head);
    const QString text = scatterPointText(chart.picture().series, lone);
    QVERIFY2(text.startsWith(QString::fromStdString(toText(lone.head)) + u": in-domain −"_s), qPrintable(text));
}

void TestCharts::arrowKeysStepThroughPoints()
{
    ScatterChart chart;
    chart.setSeries(points());
    chart.show();
    QList<HeadRef> visited;
    connect(&chart, &ScatterChart::selectionMade, this, [&](const auto &heads, const auto &now) {
        chart.setSelection(heads, now);
        visited << *now;
    });
    QTest::keyClick(&chart, Qt::Key_Right);
    QTest::keyClick(&chart, Qt::Key_Right);
    QTest::keyClick(&chart, Qt::Key_Left);
    const auto &all = chart.picture().series.points;
    QCOMPARE(visited, (QList<HeadRef>{all[0].head, all[1].head, all[0].head}));
}

/// The marks have the whole width and height, and "equal on both" is the diagonal, whatever the shape.
void TestCharts::scatterFillsItsRoom()
{
    ScatterChart chart;
    chart.show();
    chart.setSeries(points());
    for (const QSize &size : {QSize(300, 620), QSize(1200, 260)}) {
        chart.resize(size);
        QCoreApplication::processEvents();
        QImage image(size, QImage::Format_ARGB32_Premultiplied);
        QPainter painter(&image);
        painter.setFont(chart.font());
        const PaintedMarks painted = paintScatterChart(painter, image.rect(), chart.picture());
        QVERIFY(painted.plot.width() > size.width() - 120 && painted.plot.height() > size.height() - 140);
        const ScatterSeries &series = chart.picture().series;
        for (std::size_t i = 0; i < series.points.size(); ++i) {
            const ScatterSeries::Point &point = series.points[i];
            const QPointF share((painted.marks[i].centre.x() - painted.plot.left()) / painted.plot.width(),
                                (painted.plot.bottom() - painted.marks[i].centre.y()) / painted.plot.height());
            QVERIFY(std::abs(share.x() - share.y() - (point.x - point.y) / (series.high - series.low)) < 1e-6);
        }
    }
}

/// What is under the pointer stays there; nothing is drawn beside the plot; all of it can be seen again.
void TestCharts::scatterZooms()
{
    ScatterChart chart;
    chart.resize(700, 300);
    chart.show();
    chart.setSeries(points());
    QCoreApplication::processEvents();
    (void)chart.grab();
    const HeadRef head = chart.picture().series.points[20].head;
    const QPoint before = *chart.markPosition(head);
    chart.zoomBy(3, before);
    QVERIFY(chart.isZoomed());
    (void)chart.grab();
    const QPoint after = *chart.markPosition(head);
    QVERIFY2((after - before).manhattanLength() <= 2, qPrintable(QString::number((after - before).manhattanLength())));
    chart.fitZoom();
    QVERIFY(!chart.isZoomed());
    (void)chart.grab();
    QCOMPARE(*chart.markPosition(head), before);
}

/// Ten lines and a reference in a narrow chart: the legend closes up.
void TestCharts::longLegendsLeaveRoomForTheLines()
{
    LinePicture picture;
    picture.series.axes
        = {.xHigh = 10, .yHigh = 100, .xTicks = {}, .yTicks = axisTicks(0, 100, 5), .xTitle = {}, .yTitle = {}};
    for (int i = 1; i < 10; ++i)
        picture.series.lines.push_back(
            {.name = u"%1 %"_s.arg(10 * i), .points = {{.x = 0, .y = 100}, {.x = 10, .y = 10.0 * i}}});
    picture.series.reference = 100;
    picture.series.referenceName = u"full model"_s;
    QImage image(224, 340, QImage::Format_ARGB32_Premultiplied);
    QPainter painter(&image);
    const QRectF plot = paintLines(painter, image.rect(), picture);
    QVERIFY2(plot.height() > 190, qPrintable(QString::number(plot.height())));
}

void TestCharts::emptyChartsSayWhy()
{
    PruningChart pruning;
    pruning.setEmptyText(u"No curve yet."_s);
    pruning.setSeries({});
    QCOMPARE(pruning.accessibleDescription(), u"No curve yet."_s);
    QVERIFY(!pruning.grab().isNull());
    ScatterChart scatter;
    scatter.setEmptyText(u"No second data set."_s);
    scatter.setSeries({});
    QCOMPARE(scatter.accessibleDescription(), u"No second data set."_s);
}

void TestCharts::looks_data()
{
    QTest::addColumn<bool>("dark");
    QTest::newRow("light") << false;
    QTest::newRow("dark") << true;
}

void TestCharts::looks()
{
    QFETCH(bool, dark);
    const QString suffix = dark ? u"-dark"_s : u"-light"_s;
    PruningChart pruning;
    ScatterChart scatter;
    for (QWidget *widget : std::initializer_list<QWidget *>{&pruning, &scatter}) {
        if (dark)
            widget->setPalette(darkPalette());
        widget->resize(widget == &pruning ? QSize(860, 520) : QSize(460, 460));
        widget->show();
    }
    pruning.setSeries(curves());
    pruning.setSlider(43);
    pruning.setLiveScores({{false, 47.1, Interval{46.3, 47.9}}});
    scatter.setSeries(points());
    const HeadRef chosen = points().points[20].head;
    scatter.setSelection({chosen, points().points[30].head}, chosen);
    const QImage shown = pruning.grab().toImage();
    QCOMPARE(shown.pixel(2, 2), ViewPalette::of(dark ? Appearance::Dark : Appearance::Light).paper.rgb());
    keepPicture(pruning, u"pruning"_s + suffix);
    keepPicture(scatter, u"scatter"_s + suffix);
}

QTEST_MAIN(TestCharts)
#include "tst_charts.moc"

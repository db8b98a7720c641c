// What is painted, beside pictures that are kept here: light and dark, with high contrast, and on screens with more
// pixels. HEADSCOPE_WRITE_PICTURES=1 writes them anew; look at them before they are kept. Without text, and laid out by
// a font without ink, so that fonts of a machine change nothing.
#include "tests/support/madeuproles.h"
#include "tests/support/madeuprun.h"
#include "tests/support/madeupsimilarity.h"
#include "tests/support/madeupstudy.h"
#include "tests/support/nowarnings.h"
#include "tests/ui/heatmap/madeupattention.h"
#include "ui/charts/histogrampainter.h"
#include "ui/charts/linepainter.h"
#include "ui/charts/matrixpainter.h"
#include "ui/charts/pruningpainter.h"
#include "ui/charts/scatterpainter.h"
#include "ui/delegates/headgridpainter.h"
#include "ui/heatmap/heatmappainter.h"
#include "ui/heatmap/rolestyle.h"
#include "ui/pages/attention/headlines.h"
#include "ui/pages/attention/mapsview.h"
#include "ui/pages/map/mappainter.h"
#include "ui/pages/pruning/rolestrippainter.h"
#include "ui/pages/roles/rolescatterpainter.h"
#include "ui/pages/roles/sharepainter.h"
#include "ui/pages/training/trainingpainter.h"

#include <QApplication>
#include <QDir>
#include <QFontDatabase>
#include <QImage>
#include <QPainter>
#include <QTest>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <memory>

using namespace headscope;
using namespace Qt::StringLiterals;

namespace {

constexpr QSize kSize(420, 280);

/// Paints a sample of one kind in the colours of `palette`.
using Sample = std::function<void(QPainter &, const QRectF &, const ViewPalette &)>;

void paintGrid(QPainter &painter, const QRectF &rect, const ViewPalette &palette)
{
    GridPicture picture;
    picture.content = ablationContent(madeup::layout(), *madeup::ablation(false));
    picture.mask = HeadMask{{HeadKind::Encoder, 1, 2}, {HeadKind::Cross, 3, 7}};
    picture.scale = scaleFor(picture.content);
    picture.selection = {{HeadKind::Decoder, 0, 0}};
    picture.current = {HeadKind::Decoder, 0, 0};
    picture.palette = palette;
    paintHeadGrid(painter, rect, picture);
}

void paintAttention(QPainter &painter, const QRectF &rect, const ViewPalette &palette)
{
    HeatMapPicture picture;
    picture.table = attentionTableOf(madeUpAttention(1, 1), {HeadKind::Cross, 0, 0}, {});
    picture.scale = ColorScale::sequential(0, 1);
    picture.palette = palette;
    paintHeatMap(painter, rect, picture);
}

void paintBins(QPainter &painter, const QRectF &rect, const ViewPalette &palette)
{
    paintHistogram(painter, rect, {makeHistogramSeries(*madeup::ablation(false)), palette});
}

LinePicture lines(const ViewPalette &palette)
{
    LineSeries series;
    series.axes = {.xLow = 0,
                   .xHigh = 10,
                   .yLow = 0,
                   .yHigh = 10,
                   .xTicks = axisTicks(0, 10, 5),
                   .yTicks = axisTicks(0, 10, 5),
                   .xTitle = u"x"_s,
                   .yTitle = u"y"_s};
    for (int line = 0; line < 3; ++line) {
        LineSeries::Line &added = series.lines.emplace_back();
        added.name = u"line"_s;
        added.style = line;
        for (int x = 0; x <= 10; x += 2) {
            const double y = 2.0 + 2 * line + 0.2 * x;
            added.points.push_back({static_cast<double>(x), y, y - 0.5, y + 0.5});
        }
    }
    return {series, palette, 4};
}

PruningPicture pruning(const ViewPalette &palette)
{
    PruningPicture picture;
    picture.series = makePruningSeries({{false, madeup::pruning("importance", false)},
                                        {true, madeup::pruning("importance", true)},
                                        {false, madeup::pruning("random", false, 10)}},
                                       96);
    picture.slider = 24;
    picture.palette = palette;
    return picture;
}

ScatterPicture scatter(const ViewPalette &palette)
{
    ScatterPicture picture;
    picture.series = makeScatterSeries(madeup::comparison(), u"in"_s, u"out"_s);
    picture.selection = {{HeadKind::Decoder, 0, 0}};
    picture.palette = palette;
    return picture;
}

void paintStrip(QPainter &painter, const QRectF &rect, const ViewPalette &palette)
{
    const auto curve = madeup::pruning("importance", false);
    painter.fillRect(rect, palette.paper);
    paintRoleStrip(painter, rect, 30, 280,
                   {makeRoleStrip(curve->curves.front(), assignRoles(*madeup::roles()), 96), 24, palette});
}

void paintRoles(QPainter &painter, const QRectF &rect, const ViewPalette &palette)
{
    const auto roles = madeup::roles();
    const auto relevance = madeup::relevance();
    const auto assigned = assignRoles(*roles);
    RoleScatterPicture picture;
    picture.series = makeRoleScatter({madeup::layout(), roles.get(), &assigned, nullptr, relevance.get()},
                                     RoleScatterForm::ByLayer);
    picture.palette = palette;
    painter.fillRect(rect, palette.paper);
    paintRoleScatter(painter, rect, picture);
}

void paintOffsets(QPainter &painter, const QRectF &rect, const ViewPalette &palette)
{
    painter.fillRect(rect, palette.paper);
    paintShares(painter, rect,
                {makeOffsetShares(madeup::roles()->heads.front(), {}), roleColor(Role::Positional, palette), palette});
}

void paintRelations(QPainter &painter, const QRectF &rect, const ViewPalette &palette)
{
    const auto roles = madeup::roles();
    const auto head = std::ranges::find(roles->heads, HeadRef{HeadKind::Encoder, 2, 3}, &HeadRoleScores::head);
    painter.fillRect(rect, palette.paper);
    paintShares(painter, rect,
                {makeRelationShares(*roles, *head, {}, 6), roleColor(Role::Syntactic, palette), palette});
}

void paintTraining(QPainter &painter, const QRectF &rect, const ViewPalette &palette)
{
    painter.fillRect(rect, palette.paper);
    paintTrainingChart(painter, rect, {makeTrainingSeries(madeup::run(2400), {20, true}), 6, palette});
}

void paintHeadMap(QPainter &painter, const QRectF &rect, const ViewPalette &palette)
{
    const auto result = madeup::similarity(false);
    MapPicture picture;
    picture.series = makeMapSeries(*result, result->kinds.front(), MapColoring::Layer, nullptr);
    picture.selection = {{HeadKind::Encoder, 1, 2}};
    picture.masked = {{HeadKind::Encoder, 2, 3}};
    picture.palette = palette;
    (void)paintMap(painter, rect, picture);
}

void paintDistances(QPainter &painter, const QRectF &rect, const ViewPalette &palette)
{
    const auto result = madeup::similarity(false);
    MatrixPicture picture;
    picture.series = makeMatrixSeries(result->kinds.front(), result->distance, u"distance"_s);
    picture.selection = {picture.series.leaves[3], picture.series.leaves[4]};
    picture.palette = palette;
    paintMatrix(painter, rect, picture);
}

void paintTokenLines(QPainter &painter, const QRectF &rect, const ViewPalette &palette)
{
    LinesPicture picture;
    picture.lines = makeHeadLines(madeUpAttention(1, 3), {{HeadKind::Cross, 0, 0}, {HeadKind::Cross, 0, 2}}, {});
    picture.palette = palette;
    paintHeadLines(painter, rect, picture);
}

void paintThumbnails(QPainter &painter, const QRectF &rect, const ViewPalette &palette)
{
    MapsPicture picture;
    picture.attention = std::make_shared<AttentionResult>(madeUpAttention(2, 8));
    picture.layout = HeadLayout({{HeadKind::Encoder, {{0, 1, 2, 3, 4, 5, 6, 7}, {0, 1, 2, 4, 5, 6, 7}}}});
    picture.masked = HeadMask{{HeadKind::Encoder, 1, 1}};
    picture.selection = {{HeadKind::Encoder, 0, 3}};
    picture.palette = palette;
    paintMaps(painter, rect, picture);
}

/// Thumbnails of which some are marked.
void paintMarked(QPainter &painter, const QRectF &rect, const ViewPalette &palette)
{
    MapsPicture picture;
    picture.attention = std::make_shared<AttentionResult>(madeUpAttention(2, 8));
    picture.layout = HeadLayout({{HeadKind::Encoder, {{0, 1, 2, 3, 4, 5, 6, 7}, {0, 1, 2, 4, 5, 6, 7}}}});
    picture.masked = HeadMask{{HeadKind::Encoder, 1, 1}};
    picture.marked = MapsPicture::Marked{{{HeadKind::Encoder, 0, 3}, {HeadKind::Encoder, 1, 5}}, {}};
    picture.palette = palette;
    paintMaps(painter, rect, picture);
}

const std::pair<const char *, Sample> kSamples[]
    = {{"grid", paintGrid},
       {"heatmap", paintAttention},
       {"histogram", paintBins},
       {"lines",
        [](QPainter &painter, const QRectF &rect, const ViewPalette &palette) {
            painter.fillRect(rect, palette.paper);
            paintLines(painter, rect, lines(palette));
        }},
       {"pruning", [](QPainter &painter, const QRectF &rect,
                      const ViewPalette &palette) { paintPruningChart(painter, rect, pruning(palette)); }},
       {"scatter", [](QPainter &painter, const QRectF &rect,
                      const ViewPalette &palette) { (void)paintScatterChart(painter, rect, scatter(palette)); }},
       {"rolestrip", paintStrip},
       {"rolescatter", paintRoles},
       {"offsets", paintOffsets},
       {"relations", paintRelations},
       {"headmap", paintHeadMap},
       {"distances", paintDistances},
       {"tokenlines", paintTokenLines},
       {"thumbnails", paintThumbnails},
       {"marked", paintMarked},
       {"training", paintTraining}};

/// `ratio`: pixels of the screen for one of the picture.
QImage imageOf(const Sample &sample, const ViewPalette &palette, double ratio = 1)
{
    QImage image((QSizeF(kSize) * ratio).toSize(), QImage::Format_RGB32);
    image.setDevicePixelRatio(ratio);
    image.fill(palette.paper);
    QPainter painter(&image);
    painter.setRenderHint(QPainter::Antialiasing);
    QFont font(u"Headscope Blank"_s);
    font.setPixelSize(10);
    font.setHintingPreference(QFont::PreferNoHinting);
    painter.setFont(font);
    sample(painter, QRectF(QPointF(0, 0), kSize), palette);
    painter.end();
    return image;
}

struct Difference
{
    double mean = 0;    ///< of the largest of a pixel's three channels, 0…255
    double clearly = 0; ///< share of pixels where it is more than kClearly

    static constexpr int kClearly = 48;
    /// Another version of the rasterizer moves edges by fractions of a pixel; a mark that lies elsewhere, or has
    /// another colour, is more than thirty pixels; twenty are allowed.
    bool isSmall() const { return mean <= 1 && clearly <= 0.0002; }
    QString text() const { return u"mean %1, clearly different %2 %"_s.arg(mean).arg(100 * clearly); }
};

Difference compare(const QImage &a, const QImage &b)
{
    if (a.size() != b.size())
        return {255, 1};
    Difference difference;
    for (int y = 0; y < a.height(); ++y) {
        for (int x = 0; x < a.width(); ++x) {
            const QRgb p = a.pixel(x, y);
            const QRgb q = b.pixel(x, y);
            const int most = std::max(
                {std::abs(qRed(p) - qRed(q)), std::abs(qGreen(p) - qGreen(q)), std::abs(qBlue(p) - qBlue(q))});
            difference.mean += most;
            difference.clearly += most > Difference::kClearly ? 1 : 0;
        }
    }
    const double pixels = static_cast<double>(a.width()) * a.height();
    return {difference.mean / pixels, difference.clearly / pixels};
}

QString folder()
{
    return qEnvironmentVariable("HEADSCOPE_SOURCE_DIR") + u"/tests/ui/pictures"_s;
}

} // namespace

class TestPictures final : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void init() { failOnQtWarnings(); }
    void areAsTheyWere_data();
    void areAsTheyWere();
    void movedMarkIsSeen();
    void otherColourIsSeen();
    void roundingIsNot();
};

void TestPictures::initTestCase()
{
    QLocale::setDefault(QLocale::c());
    QVERIFY(QDir(folder()).exists());
    QVERIFY(QFontDatabase::addApplicationFont(folder() + u"/blank.ttf"_s) >= 0);
    QApplication::setFont(QFont(u"Headscope Blank"_s));
    QFont font(u"Headscope Blank"_s);
    font.setPixelSize(10);
    QCOMPARE(QFontMetricsF(font).horizontalAdvance(u"Δ−é中"_s), 20.0);
}

void TestPictures::areAsTheyWere_data()
{
    QTest::addColumn<Sample>("sample");
    QTest::addColumn<ViewPalette>("palette");
    QTest::addColumn<double>("ratio");
    const auto isAmong = [](const char *name, std::initializer_list<QByteArrayView> names) {
        return std::ranges::find(names, QByteArrayView(name)) != names.end();
    };
    for (const auto &[name, sample] : kSamples) {
        QTest::addRow("%s-light", name) << sample << ViewPalette::light() << 1.0;
        QTest::addRow("%s-dark", name) << sample << ViewPalette::dark() << 1.0;
        if (isAmong(name, {"grid", "heatmap", "pruning", "lines", "rolescatter"})) { // every kind of mark
            QTest::addRow("%s-contrast-light", name) << sample << ViewPalette::highContrastLight() << 1.0;
            QTest::addRow("%s-contrast-dark", name) << sample << ViewPalette::highContrastDark() << 1.0;
        }
        if (isAmong(name, {"grid", "heatmap", "pruning"})) { // cells, hatches, text in cells, lines and bands
            for (const double ratio : {1.25, 1.5, 2.0})
                QTest::addRow("%s-light-%g", name, ratio) << sample << ViewPalette::light() << ratio;
        }
    }
}

void TestPictures::areAsTheyWere()
{
    QFETCH(Sample, sample);
    QFETCH(ViewPalette, palette);
    QFETCH(double, ratio);
    const QImage now = imageOf(sample, palette, ratio);
    const QString file = folder() + u'/' + QString::fromLatin1(QTest::currentDataTag()) + u".png"_s;
    if (qEnvironmentVariableIsSet("HEADSCOPE_WRITE_PICTURES")) {
        QVERIFY(now.save(file, "PNG", 0));
        QSKIP("written anew");
    }
    const QImage kept(file);
    QVERIFY2(!kept.isNull(), qPrintable(file));
    const Difference difference = compare(now, kept);
    if (!difference.isSmall()) {
        const QString seen = QDir::temp().filePath(QFileInfo(file).fileName());
        now.save(seen);
        QFAIL(qPrintable(difference.text() + u"; what was painted is "_s + seen));
    }
}

void TestPictures::movedMarkIsSeen()
{
    const ViewPalette &palette = ViewPalette::light();
    const auto painted = [&](const ScatterPicture &picture) {
        return imageOf([&](QPainter &painter, const QRectF &rect,
                           const ViewPalette &) { (void)paintScatterChart(painter, rect, picture); },
                       palette);
    };
    const ScatterPicture as = scatter(palette);
    // The point that stands most by itself, moved by about four pixels.
    ScatterPicture moved = as;
    auto lowest = std::ranges::min_element(moved.series.points, {}, &ScatterSeries::Point::x);
    lowest->x += 4.0 / 200 * (moved.series.high - moved.series.low);
    const Difference difference = compare(painted(moved), painted(as));
    QVERIFY2(!difference.isSmall(), qPrintable(difference.text()));
    LinePicture line = lines(palette);
    const auto paintedLines = [&](const LinePicture &picture) {
        return imageOf(
            [&](QPainter &painter, const QRectF &rect, const ViewPalette &) { paintLines(painter, rect, picture); },
            palette);
    };
    const QImage before = paintedLines(line);
    line.series.lines[1].points[2].y += 4.0 / 200 * 10;
    QVERIFY(!compare(paintedLines(line), before).isSmall());
}

void TestPictures::otherColourIsSeen()
{
    const ViewPalette &palette = ViewPalette::light();
    ViewPalette other = palette;
    other.line = palette.warning;
    for (const auto &[name, sample] : kSamples) {
        if (QByteArray(name) == "lines" || QByteArray(name) == "training")
            QVERIFY2(!compare(imageOf(sample, other), imageOf(sample, palette)).isSmall(), name);
    }
    const auto bars = [&](const QColor &color) {
        return imageOf(
            [&](QPainter &painter, const QRectF &rect, const ViewPalette &) {
                painter.fillRect(rect, palette.paper);
                paintShares(painter, rect, {makeOffsetShares(madeup::roles()->heads.front(), {}), color, palette});
            },
            palette);
    };
    QVERIFY(!compare(bars(roleColor(Role::Syntactic, palette)), bars(roleColor(Role::Positional, palette))).isSmall());
}

/// Another rasterizer may round colours otherwise, and a few pixels of edges.
void TestPictures::roundingIsNot()
{
    const QImage as = imageOf(paintTraining, ViewPalette::light());
    QImage other = as;
    for (int y = 0; y < as.height(); ++y) {
        for (int x = 0; x < as.width(); ++x) {
            const QRgb p = as.pixel(x, y);
            const int by = (x + y) % 2; // of what is not black
            other.setPixel(x, y,
                           qRgb(std::max(qRed(p) - by, 0), std::max(qGreen(p) - by, 0), std::max(qBlue(p) - by, 0)));
        }
    }
    for (int x = 100; x < 115; ++x)
        other.setPixel(x, 100, qRgb(0x80, 0x80, 0x80));
    const Difference difference = compare(as, other);
    QVERIFY2(difference.mean > 0 && difference.isSmall(), qPrintable(difference.text()));
}

QTEST_MAIN(TestPictures)
#include "tst_pictures.moc"

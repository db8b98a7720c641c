#include "ui/heatmap/colorscale.h"
#include "ui/heatmap/oklab.h"

#include <QImage>
#include <QPainter>
#include <QTest>

#include <cmath>
#include <limits>

using namespace headscope;
using namespace Qt::StringLiterals;

namespace {
double chroma(const QColor &color)
{
    const Oklab lab = toOklab(color);
    return std::hypot(lab.a, lab.b);
}
} // namespace

class TestColorScale final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void zeroIsNeutral_data();
    void zeroIsNeutral();
    void divergingIsSymmetricAndEven_data();
    void divergingIsSymmetricAndEven();
    void sequentialLightnessIsEven_data();
    void sequentialLightnessIsEven();
    void lossesHaveTheSameColourWhateverTheMetric();
    void fittingCoversTheValues();
    void missingValuesHaveTheirOwnColour();
    void ticksAreRoundAndContainZero();
    void textOnEveryColourIsReadable();
    void legendPaintsBarAndText();
};

void TestColorScale::zeroIsNeutral_data()
{
    QTest::addColumn<double>("low");
    QTest::addColumn<double>("high");
    QTest::newRow("symmetric") << -2.0 << 2.0;
    QTest::newRow("unpinned") << -5.0 << 0.5;
    QTest::newRow("only losses") << -5.0 << 0.0;
}

void TestColorScale::zeroIsNeutral()
{
    QFETCH(double, low);
    QFETCH(double, high);
    const ColorScale scale = ColorScale::divergingUnpinned(low, high);
    for (Appearance appearance : {Appearance::Light, Appearance::Dark}) {
        QVERIFY(chroma(scale.color(0, appearance)) < 0.01);
        QCOMPARE(scale.color(0, appearance), ColorScale::diverging(7).color(0, appearance));
        QVERIFY(chroma(scale.color(low, appearance)) > 0.08);
    }
}

void TestColorScale::divergingIsSymmetricAndEven_data()
{
    QTest::addColumn<int>("appearance");
    QTest::newRow("light") << int(Appearance::Light);
    QTest::newRow("dark") << int(Appearance::Dark);
}

void TestColorScale::divergingIsSymmetricAndEven()
{
    QFETCH(int, appearance);
    const auto look = static_cast<Appearance>(appearance);
    const ColorScale scale = ColorScale::diverging(3);
    QCOMPARE(scale.minimum(), -3.0);
    QCOMPARE(scale.maximum(), 3.0);
    double previous = toOklab(scale.color(0, look)).lightness;
    const double direction = look == Appearance::Light ? -1 : 1;
    for (double value = 0.3; value <= 3; value += 0.3) {
        const Oklab below = toOklab(scale.color(-value, look));
        const Oklab above = toOklab(scale.color(value, look));
        QVERIFY2(std::abs(below.lightness - above.lightness) < 0.03, qPrintable(QString::number(value)));
        QVERIFY(below.b < -0.01 && above.b > 0.01); // blue against orange
        QVERIFY(direction * (above.lightness - previous) > 0.02);
        previous = above.lightness;
    }
    QCOMPARE(scale.color(-99, look), scale.color(-3, look));
}

void TestColorScale::sequentialLightnessIsEven_data()
{
    divergingIsSymmetricAndEven_data();
}

void TestColorScale::sequentialLightnessIsEven()
{
    QFETCH(int, appearance);
    const auto look = static_cast<Appearance>(appearance);
    const ColorScale scale = ColorScale::sequential(0, 1);
    const double whole = toOklab(scale.color(1, look)).lightness - toOklab(scale.color(0, look)).lightness;
    for (int i = 0; i < 10; ++i) {
        const double step
            = toOklab(scale.color((i + 1) / 10.0, look)).lightness - toOklab(scale.color(i / 10.0, look)).lightness;
        QVERIFY2(std::abs(step - whole / 10) < 0.02, qPrintable(u"step %1: %2 of %3"_s.arg(i).arg(step).arg(whole)));
    }
}

void TestColorScale::lossesHaveTheSameColourWhateverTheMetric()
{
    const ColorScale higher = ColorScale::divergingUnpinned(-4, 2);
    const ColorScale lower = ColorScale::divergingUnpinned(-2, 4).colored(Better::Lower);
    for (const double value : {-4.0, -1.0, 0.0, 0.5, 2.0})
        QCOMPARE(lower.color(-value), higher.color(value));
    QVERIFY(lower.position(4) > lower.position(-2)); // the axis stays as it is
}

void TestColorScale::fittingCoversTheValues()
{
    const std::vector<double> deltas{-1.17, 0.4, std::nan(""), -0.2};
    const ColorScale pinned = ColorScale::fitting(ScaleKind::Diverging, deltas);
    QCOMPARE(pinned.minimum(), -pinned.maximum());
    QVERIFY(pinned.maximum() >= 1.17 && pinned.maximum() < 1.5);
    const ColorScale unpinned = ColorScale::fitting(ScaleKind::Diverging, deltas, true);
    QVERIFY(unpinned.maximum() < 0.7 && unpinned.minimum() <= -1.17);
    QCOMPARE(ColorScale::fitting(ScaleKind::Sequential, std::vector<double>{0.2, 0.9}).minimum(), 0.0);
    const ColorScale empty = ColorScale::fitting(ScaleKind::Diverging, {});
    QVERIFY(empty.minimum() < empty.maximum());
}

void TestColorScale::missingValuesHaveTheirOwnColour()
{
    const double nan = std::numeric_limits<double>::quiet_NaN();
    for (Appearance appearance : {Appearance::Light, Appearance::Dark}) {
        for (const ColorScale &scale : {ColorScale::diverging(1), ColorScale::sequential(0, 1)}) {
            QCOMPARE(scale.color(nan, appearance), ColorScale::missingColor(appearance));
            for (double value : {-1.0, 0.0, 0.5, 1.0})
                QVERIFY(scale.color(value, appearance) != ColorScale::missingColor(appearance));
        }
    }
}

void TestColorScale::ticksAreRoundAndContainZero()
{
    QCOMPARE(ColorScale::diverging(1.2).ticks(5), (std::vector<double>{-1, 0, 1}));
    QCOMPARE(ColorScale::sequential(0, 1).ticks(6), (std::vector<double>{0, 0.2, 0.4, 0.2 * 3, 0.8, 1}));
    QCOMPARE(decimalsOf(0.05), 2);
    QCOMPARE(decimalsOf(20), 0);
    QCOMPARE(decimalsOf(0.5), 1);
}

void TestColorScale::textOnEveryColourIsReadable()
{
    for (Appearance appearance : {Appearance::Light, Appearance::Dark}) {
        const ViewPalette &palette = ViewPalette::of(appearance);
        for (const QColor &text : {palette.ink, palette.muted, palette.warning, palette.accent})
            QVERIFY(contrastRatio(text, palette.paper) >= 4.5);
        for (double value = -1; value <= 1; value += 0.1) {
            const QColor cell = ColorScale::diverging(1).color(value, appearance);
            QVERIFY(contrastRatio(readableOn(cell), cell) >= 4.5);
        }
    }
}

void TestColorScale::legendPaintsBarAndText()
{
    QImage image(360, 60, QImage::Format_RGB32);
    image.fill(Qt::white);
    const ColorScale scale = ColorScale::diverging(1);
    {
        QPainter painter(&image);
        paintLegend(painter, QRectF(0, 0, 360, 60), scale, u"Δ BLEU (points)"_s, ViewPalette::light());
    }
    const auto has = [&](const QColor &wanted) {
        for (int y = 0; y < image.height(); ++y)
            for (int x = 0; x < image.width(); ++x)
                if (image.pixel(x, y) == wanted.rgb())
                    return true;
        return false;
    };
    QVERIFY(has(scale.color(-1)));
    QVERIFY(has(scale.color(1)));
    const QRect label(0, 0, 200, 14);
    bool text = false;
    for (int x = label.left(); x < label.right(); ++x)
        text |= qGray(image.pixel(x, 8)) < 128;
    QVERIFY(text);
}

QTEST_MAIN(TestColorScale)
#include "tst_colorscale.moc"

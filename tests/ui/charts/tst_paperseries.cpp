// Charts of the papers' figures: what heads attend to, where partners lie, contributions, energy; and the shape of
// gates.
#include "tests/support/madeupsimilarity.h"
#include "tests/support/nowarnings.h"

#include "core/exporting/figurecsv.h"
#include "core/train/concreteshape.h"
#include "ui/charts/energyseries.h"
#include "ui/charts/gradientseries.h"
#include "ui/charts/linepainter.h"
#include "ui/charts/relationseries.h"
#include "ui/charts/surfaceseries.h"

#include <QImage>
#include <QPainter>
#include <QTest>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

using namespace headscope;
using namespace Qt::StringLiterals;

namespace {

/// One encoder head finds nsubj three times of four, the other once; and amod never.
RolesResult twoHeads(const char *model)
{
    RolesResult roles;
    roles.manifest.model = model;
    roles.trees = 10;
    roles.relations = {{.relation = "nsubj",
                        .direction = ArcDirection::DependentToHead,
                        .instances = 100,
                        .baselineOffset = 1,
                        .baseline = 0.4,
                        .offsets = {{-2, 10}, {1, 40}, {2, 30}, {9, 20}}},
                       {.relation = "amod",
                        .direction = ArcDirection::DependentToHead,
                        .instances = 60,
                        .baselineOffset = 1,
                        .baseline = 0.9,
                        .offsets = {{1, 54}, {2, 6}}},
                       {.relation = "vocative",
                        .direction = ArcDirection::DependentToHead,
                        .instances = 500,
                        .baselineOffset = 1,
                        .baseline = 0.5,
                        .offsets = {{1, 250}}}};
    for (const std::int64_t hits : {75, 25}) {
        HeadRoleScores &head = roles.heads.emplace_back();
        head.head = {HeadKind::Encoder, 0, static_cast<int>(roles.heads.size()) - 1};
        head.relationHits = {hits, 0, 0};
    }
    return roles;
}

const LineSeries::Line *lineOf(const LineSeries &series, const QString &name)
{
    const auto found = std::ranges::find(series.lines, name, &LineSeries::Line::name);
    return found == series.lines.end() ? nullptr : &*found;
}

} // namespace

class TestPaperSeries final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init() { failOnQtWarnings(); }
    void everyHeadHasAPoint();
    void partnersLieAtOffsets();
    void bestHeadsStandBesideFixedOffsets();
    void severalModelsStandSideBySide();
    void contributionsAreByPosition();
    void energyHasThinLines();
    void gradientsBeginAtZero();
    void linesThatEndTogetherHaveALegend();
    void cutAxesAreBroken();
    void gatesHaveTheShapeOfHardConcrete();
    void allOfThemArePainted_data();
    void allOfThemArePainted();
};

void TestPaperSeries::everyHeadHasAPoint()
{
    const auto result = madeup::similarity(false);
    for (const HeadKind kind : {HeadKind::Encoder, HeadKind::Decoder}) {
        for (const SurfacePanel panel : kSurfacePanels) {
            const LineSeries series = makeSurfaceSeries(*result, kind, panel);
            for (const LineSeries::Line &points : series.lines) {
                if (points.look != LineSeries::Look::Points)
                    continue;
                std::map<int, std::pair<double, int>> layers;
                for (const LineSeries::Point &point : points.points) {
                    const auto head = parseHeadRef(point.name.section(u',', 0, 0).toStdString());
                    QVERIFY2(head.isOk(), qPrintable(point.name));
                    QVERIFY(head.value().kind == kind);
                    QCOMPARE(point.x, static_cast<double>(head.value().layer)); // on the layer's tick
                    auto &[sum, count] = layers[head.value().layer];
                    sum += point.y;
                    ++count;
                }
                // The line through them is that of means.
                const auto mean = std::ranges::find_if(series.lines, [&](const LineSeries::Line &line) {
                    return line.look == LineSeries::Look::Thin && line.style == points.style;
                });
                QVERIFY(mean != series.lines.end());
                QCOMPARE(mean->points.size(), layers.size());
                std::size_t at = 0;
                for (const auto &[layer, sum] : layers)
                    QVERIFY(std::abs(mean->points[at++].y - sum.first / sum.second) < 1e-9);
            }
        }
    }
    const LineSeries entropy = makeSurfaceSeries(*result, HeadKind::Encoder, SurfacePanel::Entropy);
    QVERIFY(!entropy.empty());
    const auto encoder
        = std::ranges::count(result->heads, HeadKind::Encoder, [](const HeadSurface &head) { return head.head.kind; });
    QCOMPARE(static_cast<std::int64_t>(entropy.lines.front().points.size()), encoder);
    QVERIFY(entropy.reference && *entropy.reference > 0);
    // In a causal decoder the first token sees itself alone, of which there is nothing to show.
    SimilarityResult causal = *result;
    for (HeadSurface &head : causal.heads)
        head.firstEntropy = 0;
    const LineSeries rest = makeSurfaceSeries(causal, HeadKind::Encoder, SurfacePanel::Entropy);
    QCOMPARE(rest.lines.size(), std::size_t{2}); // points of all tokens, and the line through their means
    QCOMPARE(rest.lines.front().name, u"all tokens"_s);
}

void TestPaperSeries::partnersLieAtOffsets()
{
    const RolesResult roles = twoHeads("one");
    const LineSeries series = makeRelationOffsets(roles);
    QCOMPARE(series.lines.size(), 2U); // vocative makes no head syntactic
    const auto at = [&](const QString &name, double x) {
        return std::ranges::find(lineOf(series, name)->points, x, &LineSeries::Point::x)->y;
    };
    QCOMPARE(at(u"nsubj"_s, 1), 40.0);
    QCOMPARE(at(u"nsubj"_s, -2), 10.0);
    QCOMPARE(at(u"nsubj"_s, 0), 0.0);
    QCOMPARE(at(u"amod"_s, 1), 90.0);
    QVERIFY(makeRelationOffsets(roles, {.instances = 80}).lines.size() == 1);
    QVERIFY(makeRelationOffsets(RolesResult{}).empty());
    const std::string csv = relationOffsetsCsv(roles);
    QVERIFY(csv.find("\nnsubj,dependent → head,100,9,20,0.2\n") != std::string::npos);
}

void TestPaperSeries::bestHeadsStandBesideFixedOffsets()
{
    const RolesResult roles = twoHeads("one");
    const LineSeries series = makeRelationHeads({&roles});
    QCOMPARE(series.axes.xTicks.front().second, u"nsubj →"_s);
    QCOMPARE(lineOf(series, u"heads"_s)->points.size(), 4U); // two heads, two relations
    const LineSeries::Line &best = *lineOf(series, u"best head"_s);
    QCOMPARE(best.points.front().y, 75.0);
    QVERIFY2(best.points.front().name.startsWith(u"encoder.0.0, "_s), qPrintable(best.points.front().name));
    QCOMPARE(lineOf(series, u"best fixed offset"_s)->points.front().y, 40.0);
    const std::string csv = relationHeadsCsv(roles);
    QVERIFY(csv.find("\none,encoder.0.1,nsubj,dependent → head,100,25,0.25,0.4,1\n") != std::string::npos);
}

void TestPaperSeries::severalModelsStandSideBySide()
{
    const RolesResult one = twoHeads("models/one/");
    RolesResult other = twoHeads("models/other");
    other.relations.erase(other.relations.begin() + 1); // it was asked for less
    for (HeadRoleScores &head : other.heads)
        head.relationHits = {head.head.head == 1 ? 90 : 5, 0};
    const LineSeries series = makeRelationHeads({&one, &other});
    QVERIFY(!lineOf(series, u"heads"_s));
    QCOMPARE(lineOf(series, u"best head of one"_s)->points.size(), 2U);
    QCOMPARE(lineOf(series, u"best head of other"_s)->points.size(), 1U);
    QCOMPARE(lineOf(series, u"best head of other"_s)->points.front().y, 90.0);
    QVERIFY(lineOf(series, u"best head of one"_s)->points.front().x
            < lineOf(series, u"best head of other"_s)->points.front().x);
}

void TestPaperSeries::contributionsAreByPosition()
{
    RelevanceResult relevance;
    QVERIFY(makeContributionSeries(relevance).empty() && makeContributionEntropies(relevance).empty());
    relevance.contributions = {{0, 10, 1, 2, 0}, {1, 10, 0.75, 1.5, 0.5}, {2, 4, 0.5, 1, 0.75}};
    const LineSeries shares = makeContributionSeries(relevance);
    QCOMPARE(shares.lines[0].points[1].x, 2.0);
    QCOMPARE(shares.lines[0].points[1].y, 75.0);
    QCOMPARE(shares.lines[1].points[1].y, 25.0);
    QCOMPARE(makeContributionEntropies(relevance).lines[1].points[2].y, 0.75);
    QCOMPARE(contributionsCsv(relevance),
             std::string("position,examples,source,prefix,source_entropy,prefix_entropy\n0,10,1,0,2,0\n"
                         "1,10,0.75,0.25,1.5,0.5\n2,4,0.5,0.5,1,0.75\n"));
}

void TestPaperSeries::energyHasThinLines()
{
    EnergyResult energy;
    energy.layers = {{.kind = HeadKind::Encoder,
                      .layer = 0,
                      .dimensions = 4,
                      .curves = {{.matrix = EnergyMatrix::Product, .energy = {0.5, 0.75, 0.9, 1}}},
                      .random = {{.matrix = EnergyMatrix::Product, .energy = {0.25, 0.5, 0.75, 1}}}}};
    for (int head = 0; head < 2; ++head)
        energy.heads.push_back({.head = {HeadKind::Encoder, 0, head},
                                .curves = {{.matrix = EnergyMatrix::Product, .energy = {head == 0 ? 0.6 : 0.8, 1}}}});
    energy.layers[0].curves[0].energy.back() = 1 + 1e-12; // as sums end
    const LineSeries series = makeEnergySeries(energy);
    QCOMPARE(series.axes.yLow, 0.0);
    QCOMPARE(series.axes.yHigh, 100.0);
    QCOMPARE(series.axes.yTicks.back().second, u"100"_s);
    QCOMPARE(std::ranges::count(series.lines, LineSeries::Look::Thin, &LineSeries::Line::look), 3);
    const auto half
        = [](const LineSeries::Line &line) { return std::ranges::find(line.points, 50.0, &LineSeries::Point::x)->y; };
    std::vector<double> thick;
    for (const LineSeries::Line &line : series.lines) {
        if (line.look != LineSeries::Look::Thin)
            thick.push_back(half(line));
    }
    QCOMPARE(thick.size(), 3U); // all heads together, by themselves, random numbers
    QVERIFY(std::abs(thick[0] - 75) < 1e-9 && std::abs(thick[1] - 70) < 1e-9 && std::abs(thick[2] - 50) < 1e-9);
    QVERIFY(energyCurvesCsv(energy).find("\nencoder.0.1,encoder,0,1,product,model,1,0.8\n") != std::string::npos);
    // The mean of many heads ends at 100 % as each of them does, and so does the axis.
    energy.heads.resize(96, energy.heads.front());
    QCOMPARE(makeEnergySeries(energy).axes.yHigh, 100.0);
}

/// A derivative of half the size looks half as high.
void TestPaperSeries::gradientsBeginAtZero()
{
    AttentionGradientsResult result;
    result.counts = {{.kind = HeadKind::Encoder, .keys = KeyClass::Delimiter, .pairs = 20, .queries = 10},
                     {.kind = HeadKind::Encoder, .keys = KeyClass::Punctuation, .pairs = 20, .queries = 10}};
    for (int layer = 0; layer < 2; ++layer)
        result.heads.push_back({.head = {HeadKind::Encoder, layer, 0},
                                .keys = {{.keys = KeyClass::Delimiter, .attention = 0.5, .gradient = 0.04},
                                         {.keys = KeyClass::Punctuation, .attention = 0.5, .gradient = 0.05}}});
    const LineSeries series = makeLayerGradients(result, HeadKind::Encoder);
    QCOMPARE(series.lines.size(), 2U);
    QCOMPARE(series.axes.yLow, 0.0);
    QVERIFY(series.axes.yHigh >= 0.05);
}

/// Names stand beside the ends of lines, unless the ends do not say whose name is whose: then a legend over the plot
/// does.
void TestPaperSeries::linesThatEndTogetherHaveALegend()
{
    const auto plotWith = [](double first, double second) {
        LineSeries series;
        series.lines = {{.name = u"encoder"_s, .style = 0, .points = {{0, 8, 8, 8}, {1, first, first, first}}},
                        {.name = u"decoder"_s, .style = 1, .points = {{0, 2, 2, 2}, {1, second, second, second}}}};
        series.axes.yHigh = 10;
        QImage image(600, 400, QImage::Format_RGB32);
        QPainter painter(&image);
        return paintLines(painter, image.rect(), {.series = series});
    };
    const QRectF apart = plotWith(8, 2);
    const QRectF together = plotWith(5, 5.05);
    QVERIFY(together.right() > apart.right() + 30); // no room beside it is needed
    QVERIFY(together.top() > apart.top() + 5);
}

/// An axis that does not reach zero says so.
void TestPaperSeries::cutAxesAreBroken()
{
    const ViewPalette palette = ViewPalette::light();
    const auto painted = [&](double low, double high) {
        LineSeries series;
        series.lines = {{.name = u"line"_s, .style = 0, .points = {{0, low, low, low}, {1, high, high, high}}}};
        series.axes.yLow = low;
        series.axes.yHigh = high;
        QImage image(400, 300, QImage::Format_RGB32);
        QPainter painter(&image);
        const QRectF plot = paintLines(painter, image.rect(), {.series = series, .palette = palette});
        painter.end();
        // Whether the axis is there all the way, at both ends.
        const auto isWhole = [&](double from) {
            for (double y = from; y < from + 20; ++y) {
                if (image.pixelColor(static_cast<int>(plot.left()), static_cast<int>(y)) == palette.paper)
                    return false;
            }
            return true;
        };
        return std::pair(isWhole(plot.top() + 1), isWhole(plot.bottom() - 21));
    };
    QCOMPARE(painted(0, 5), std::pair(true, true));
    QCOMPARE(painted(-1, 5), std::pair(true, true));
    QCOMPARE(painted(3, 5), std::pair(true, false));
    QCOMPARE(painted(-5, -3), std::pair(false, true));
}

/// Density and the two probabilities are one distribution.
void TestPaperSeries::gatesHaveTheShapeOfHardConcrete()
{
    for (const double phi : {-3.0, -0.5, 0.0, 1.0, 2.5}) {
        const double closed = 1 / (1 + std::exp(phi - kConcreteBeta * std::log(-kConcreteGamma / kConcreteZeta)));
        QVERIFY(std::abs(concretePhi(closed) - phi) < 1e-9);
        const int places = 200000;
        double between = 0;
        for (int i = 0; i < places; ++i)
            between += concreteDensity(phi, (i + 0.5) / places) / places;
        const double sum = closed + between + concreteWholeProbability(phi);
        QVERIFY2(std::abs(sum - 1) < 1e-4, qPrintable(QString::number(sum)));
    }
    QVERIFY(std::isfinite(concretePhi(0)) && concretePhi(0) > 10);
    QVERIFY(std::isfinite(concretePhi(1)) && concretePhi(1) < -10);
}

void TestPaperSeries::allOfThemArePainted_data()
{
    QTest::addColumn<bool>("dark");
    QTest::newRow("light") << false;
    QTest::newRow("dark") << true;
}

void TestPaperSeries::allOfThemArePainted()
{
    QFETCH(bool, dark);
    const ViewPalette &palette = dark ? ViewPalette::dark() : ViewPalette::light();
    const RolesResult one = twoHeads("one");
    const RolesResult other = twoHeads("other");
    const auto similarity = madeup::similarity(false);
    std::vector<LineSeries> all{makeRelationOffsets(one), makeRelationHeads({&one}), makeRelationHeads({&one, &other})};
    for (const SurfacePanel panel : kSurfacePanels)
        all.push_back(makeSurfaceSeries(*similarity, HeadKind::Encoder, panel));
    QVERIFY(std::ranges::count_if(all, &LineSeries::empty) <= 1); // the made-up heads have no delimiters of delimiters
    for (const LineSeries &series : all) {
        if (series.empty())
            continue;
        QImage image(640, 400, QImage::Format_RGB32);
        image.fill(Qt::red);
        QPainter painter(&image);
        const QRectF plot = paintLines(painter, image.rect(), {.series = series, .palette = palette});
        painter.end();
        QVERIFY(plot.width() > 300 && plot.height() > 200);
        // The legend has a row or two, whatever the number of thin lines.
        QVERIFY(plot.top() < 80);
        QCOMPARE(image.pixelColor(2, 398), palette.paper);
    }
}

QTEST_MAIN(TestPaperSeries)
#include "tst_paperseries.moc"

#include "tests/support/madeupstudy.h"

#include "ui/charts/pruningseries.h"
#include "ui/charts/scatterseries.h"
#include "ui/models/numbertext.h"

#include <QTest>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

using namespace headscope;
using namespace Qt::StringLiterals;

class TestSeries final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void curvesKeepTheirPoints();
    void bandsComeFirst();
    void axisCoversIntervals();
    void firstLossIsTheFirstPairedLoss();
    void curvesCanBeDrawnByTheirOtherMetrics();
    void kneeIsFurthestFromTheLine();
    void readingSaysWhatIsMeasured_data();
    void readingSaysWhatIsMeasured();
    void masksFollowTheCurve();
    void masksBetweenPointsGoByCost();
    void noCurveStillHasAnAxis();
    void scatterSharesOneRange();
    void scatterBrushFindsHeads();
    void scatterLeavesMissingValuesOut();
};

void TestSeries::curvesKeepTheirPoints()
{
    const PruningSeries series = makePruningSeries({{false, madeup::pruning("importance", false)}}, 96);
    QCOMPARE(series.curves.size(), 1U);
    QCOMPARE(series.curves[0].points.size(), 11U);
    QCOMPARE(series.curves[0].points[0].score, madeup::pruning("importance", false)->curves[0].points[0].score);
    QCOMPARE(series.curves[0].points[10].removed, 96.0);
    QCOMPARE(series.metric, u"BLEU"_s);
    QCOMPARE(series.candidates, 96);
}

void TestSeries::bandsComeFirst()
{
    const PruningSeries series = makePruningSeries({{false, madeup::pruning("importance", false)},
                                                    {true, madeup::pruning("importance", true)},
                                                    {false, madeup::pruning("random", false, 10)}},
                                                   96);
    QCOMPARE(series.curves[0].order, u"random"_s);
    QCOMPARE(series.curves[0].randomOrders, 10);
    QVERIFY(!series.curves[0].firstLoss);
    QVERIFY(!series.curves[1].outOfDomain && series.curves[2].outOfDomain);
}

void TestSeries::axisCoversIntervals()
{
    const PruningSeries series = makePruningSeries(
        {{false, madeup::pruning("importance", false)}, {false, madeup::pruning("random", false, 10)}}, 40);
    QCOMPARE(series.candidates, 96); // the curve is longer than what may go now
    for (const CurveSeries &curve : series.curves) {
        for (const CurvePoint &point : curve.points)
            QVERIFY(series.low <= point.low && point.high <= series.high);
    }
    QVERIFY(series.high < 80);
}

void TestSeries::firstLossIsTheFirstPairedLoss()
{
    PruningResult result;
    result.examples = result.manifest.totalExamples = 1000;
    // Intervals of the scores themselves are as wide as the curve is high: they say nothing of the differences.
    const auto point = [](std::int64_t pruned, double score, double half) {
        const double delta = pruned == 0 ? 0 : score - 50;
        return PruningPoint{
            pruned, 0, score, {score - 20, score + 20}, {}, {}, PairedTest{{delta - half, delta + half}, 0.5, 10}};
    };
    const auto shown = [&] { return makePruningSeries({{false, std::make_shared<const PruningResult>(result)}}, 3); };
    result.curves = {{"importance", {point(0, 50, 0), point(1, 49.9, 0.2), point(2, 48, 1), point(3, 40, 1)}, 0}};
    QCOMPARE(shown().curves[0].firstLoss, 2U);
    QCOMPARE(shown().curves[0].within, 1U);
    QCOMPARE(shown().curves[0].accepted, 49.5);
    const PruningSeries strict
        = makePruningSeries({{false, std::make_shared<const PruningResult>(result)}}, 3, {.margin = 0.002});
    QVERIFY(!strict.curves[0].within);
    QCOMPARE(strict.curves[0].accepted, 49.9);
    PruningResult whole = result;
    result.curves[0].points.resize(2);
    QVERIFY(!shown().curves[0].firstLoss);
    // Of a loss, a curve gets worse where it rises: this one never does.
    result = whole;
    result.better = Better::Lower;
    QVERIFY(!shown().curves[0].firstLoss);
    result.curves[0].points = {point(0, 50, 0), point(1, 40, 1), point(2, 50.5, 1), point(3, 52, 1)};
    QCOMPARE(shown().curves[0].firstLoss, 3U);
    QCOMPARE(shown().curves[0].accepted, 50.5);
    QVERIFY(shown().better == Better::Lower);
    result.curves[0].points[1].paired.reset(); // an older result
    QVERIFY(!shown().curves[0].firstLoss && !shown().curves[0].within);
    QVERIFY(shown().curves[0].removable.why == NoAnswer::NotPaired);
}

void TestSeries::curvesCanBeDrawnByTheirOtherMetrics()
{
    PruningResult result;
    result.metric = "accuracy";
    const auto point = [](std::int64_t pruned, double accuracy, double f1) {
        return PruningPoint{
            pruned,
            0,
            accuracy,
            {accuracy, accuracy},
            {},
            {{{"F1", f1, Interval{f1 - 0.25, f1 + 0.25}, {}, Better::Higher}, PairedTest{{f1 - 1, f1 - 0.5}, 0.25, 2}}}};
    };
    result.curves = {{"importance", {point(0, 0.875, 0.75), point(1, 0.5, 0.25)}, 0}};
    PruningResult without = result;
    for (PruningPoint &one : without.curves[0].points)
        one.others.clear();
    const std::vector<PruningInput> inputs{{false, std::make_shared<const PruningResult>(result)},
                                           {true, std::make_shared<const PruningResult>(without)}};
    QCOMPARE(pruningMetrics(inputs), (QStringList{u"accuracy"_s, u"F1"_s}));
    QCOMPARE(byMetric(inputs, u"accuracy"_s).size(), 2U);
    const auto byF1 = byMetric(inputs, u"F1"_s);
    QCOMPARE(byF1.size(), 1U);
    const PruningSeries series = makePruningSeries(byF1, 1);
    QCOMPARE(series.metric, u"F1"_s);
    QCOMPARE(series.curves[0].points[1].score, metricFormat(u"F1"_s).factor * 0.25);
    QCOMPARE(series.curves[0].points[1].low, 0.0);
    QCOMPARE(byF1[0].result->curves[0].points[1].paired->p, 0.25);
}

void TestSeries::kneeIsFurthestFromTheLine()
{
    const auto kneeOf
        = [](std::vector<double> scores, double half, Better better = Better::Higher, std::int64_t orders = 0) {
              PruningResult result;
              result.better = better;
              result.curves = {{"importance", {}, orders}};
              for (std::size_t i = 0; i < scores.size(); ++i)
                  result.curves[0].points.push_back(
                      {static_cast<std::int64_t>(10 * i), 0, scores[i], {scores[i] - half, scores[i] + half}, {}});
              return makePruningSeries({{false, std::make_shared<const PruningResult>(result)}}, 40).curves[0].knee;
          };
    // The line falls by 12 at every point: 11, 24, 35 and 12 above it.
    QCOMPARE(kneeOf({50, 49, 50, 49, 14, -10}, 1), std::optional<std::size_t>(3));
    QCOMPARE(kneeOf({-50, -49, -50, -49, -14, 10}, 1, Better::Lower), std::optional<std::size_t>(3));
    QVERIFY(!kneeOf({50, 49, 50, 49, 14, -10}, 40)); // within the interval it is no knee
    QVERIFY(!kneeOf({50, 30, 20, 15, 12, 10}, 1));   // bends the other way
    QVERIFY(!kneeOf({50, 40, 30}, 1));               // straight
    QVERIFY(!kneeOf({50, 40}, 1) && !kneeOf({50}, 1));
    QVERIFY(!kneeOf({50, 49, 50, 49, 14, -10}, 1, Better::Higher, 5)); // random orders are a band
}

void TestSeries::readingSaysWhatIsMeasured_data()
{
    QTest::addColumn<double>("removed");
    QTest::addColumn<double>("score"); // < 0: nothing
    QTest::addColumn<bool>("measured");
    QTest::newRow("first point") << 0.0 << 50.0 << true;
    QTest::newRow("between") << 2.5 << 45.0 << false;
    QTest::newRow("last point") << 10.0 << 20.0 << true;
    QTest::newRow("beyond") << 11.0 << -1.0 << false;
}

void TestSeries::readingSaysWhatIsMeasured()
{
    QFETCH(double, removed);
    QFETCH(double, score);
    QFETCH(bool, measured);
    CurveSeries curve;
    curve.points = {{0, 50, 0, 0}, {5, 40, 0, 0}, {10, 20, 0, 0}};
    const auto reading = readCurve(curve, removed);
    QCOMPARE(reading.has_value(), score >= 0);
    if (reading) {
        QCOMPARE(reading->score, score);
        QCOMPARE(reading->measured, measured);
    }
}

void TestSeries::masksFollowTheCurve()
{
    const auto result = madeup::pruning("ablation", false);
    const auto cost = [](const HeadRef &head) { return -madeup::delta(head, false); };
    const HeadMask *previous = nullptr;
    HeadMask last;
    for (int removed = 0; removed <= 96; ++removed) {
        const auto mask = maskOnCurve(result->curves[0], removed, cost);
        QVERIFY(mask.has_value());
        QCOMPARE(mask->size(), removed);
        if (previous) {
            for (const HeadRef &head : last)
                QVERIFY(mask->isMasked(head)); // only ever more heads go
        }
        last = *mask;
        previous = &last;
    }
    QVERIFY(!maskOnCurve(madeup::pruning("random", false, 10)->curves[0], 10, cost));
    QVERIFY(!maskOnCurve(result->curves[0], 97, cost));
}

void TestSeries::masksBetweenPointsGoByCost()
{
    const HeadRef a{HeadKind::Encoder, 0, 0}, b{HeadKind::Encoder, 0, 1}, c{HeadKind::Cross, 1, 2};
    const PruningCurve curve{"importance", {{0, 0, 50, {}, {}}, {3, 1, 40, {}, {a, b, c}}}, 0};
    const auto cost = [&](const HeadRef &head) { return head == c ? 0.1 : head == a ? 0.2 : 0.3; };
    QCOMPARE(*maskOnCurve(curve, 1, cost), HeadMask({c}));
    QCOMPARE(*maskOnCurve(curve, 2, cost), HeadMask({a, c}));
}

void TestSeries::noCurveStillHasAnAxis()
{
    const PruningSeries series = makePruningSeries({}, 0);
    QVERIFY(series.empty());
    QVERIFY(series.candidates > 0 && series.low < series.high);
}

void TestSeries::scatterSharesOneRange()
{
    const ScatterSeries series = makeScatterSeries(madeup::comparison(), u"a"_s, u"b"_s);
    QCOMPARE(series.points.size(), 96U);
    for (const auto &point : series.points)
        QVERIFY(series.low < std::min(point.x, point.y) && std::max(point.x, point.y) < series.high);
    const QString text = correlationText(series);
    QVERIFY2(text.startsWith(u"r = 0"_s) && text.contains(u"ρ = "_s) && text.endsWith(u"n = 96"_s), qPrintable(text));
    QVERIFY(text.contains(u"p < "_s));
}

void TestSeries::scatterBrushFindsHeads()
{
    const ScatterSeries series = makeScatterSeries(madeup::comparison(), u"a"_s, u"b"_s);
    const auto &point = series.points[7];
    const QRectF tight(point.x - 1e-9, point.y - 1e-9, 2e-9, 2e-9);
    QCOMPARE(headsWithin(series, tight), std::vector<HeadRef>{point.head});
    QCOMPARE(headsWithin(series, QRectF(QPointF(series.high, series.high), QPointF(series.low, series.low))).size(),
             96U);
}

void TestSeries::scatterLeavesMissingValuesOut()
{
    CompareResult result;
    result.heads = {{{HeadKind::Encoder, 0, 0}, std::nan(""), 1, 0}, {{HeadKind::Encoder, 0, 1}, 0.5, 1, 0.5}};
    result.pearson.value = std::nan("");
    result.spearman.value = std::nan("");
    const ScatterSeries series = makeScatterSeries(result, u"a"_s, u"b"_s);
    QCOMPARE(series.points.size(), 1U);
    QVERIFY(correlationText(series).contains(u"r undefined"_s));
}

QTEST_GUILESS_MAIN(TestSeries)
#include "tst_series.moc"

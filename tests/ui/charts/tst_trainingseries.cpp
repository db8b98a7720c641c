#include "tests/support/madeuprun.h"
#include "ui/pages/training/survivorseries.h"
#include "ui/pages/training/trainingpainter.h"
#include "ui/pages/training/trainingseries.h"

#include <QTest>

#include <cmath>
#include <limits>

using namespace headscope;
using namespace Qt::StringLiterals;

namespace {

TrainingReport report(std::initializer_list<TrainingPoint> points, std::initializer_list<TrainingEpoch> epochs)
{
    TrainingReport report;
    report.points = points;
    report.epochs = epochs;
    return report;
}

TrainingPoint point(double epoch, double loss)
{
    return {std::int64_t(epoch * 100), epoch, loss, 0, 0, 0};
}

TrainingEpoch epoch(std::int64_t number, std::optional<double> loss, std::optional<double> score)
{
    return {number, number * 100, 1, loss, score, 0, {}};
}

} // namespace

class TestTrainingSeries final : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void axes_data();
    void axes();
    void valuesThatAreNotNumbersAreLeftOut();
    void manyPointsBecomeMeans();
    void steepBeginningDoesNotDecideTheAxis();
    void reads_data();
    void reads();
    void panelsShareTheirAxis();
    void epochsUnderTheAxisDoNotTouch_data();
    void epochsUnderTheAxisDoNotTouch();
    void csvHasPointsAndEpochs();
    void openHeadsAreCounted();
    void gatesHaveDensities();
};

void TestTrainingSeries::axes_data()
{
    QTest::addColumn<TrainingReport>("run");
    QTest::addColumn<TrainingPlan>("plan");
    QTest::addColumn<double>("epochs");
    QTest::addColumn<QPointF>("loss");
    QTest::addColumn<QPointF>("score");
    QTest::addColumn<bool>("withScore");
    const auto nan = std::numeric_limits<double>::quiet_NaN();
    QTest::newRow("nothing yet") << TrainingReport() << TrainingPlan{20, true} << 20.0 << QPointF(0, 1) << QPointF(0, 1)
                                 << true;
    QTest::newRow("nothing known") << TrainingReport() << TrainingPlan{} << 1.0 << QPointF(0, 1) << QPointF(0, 1)
                                   << false;
    QTest::newRow("one point") << report({point(0.2, 6)}, {}) << TrainingPlan{10, false} << 10.0 << QPointF(5.4, 6.6)
                               << QPointF(0, 1) << false;
    QTest::newRow("planned axis stays") << report({point(0.2, 6), point(1, 3)}, {epoch(1, 2.5, 10.0)})
                                        << TrainingPlan{10, true} << 10.0 << QPointF(2, 6) << QPointF(9.4, 10.6)
                                        << true;
    QTest::newRow("longer than planned") << report({point(12.5, 3), point(11, 2)}, {}) << TrainingPlan{10, false}
                                         << 12.5 << QPointF(2, 3) << QPointF(0, 1) << false;
    QTest::newRow("zero is the end") << report({point(1, 0.1), point(2, 3)}, {}) << TrainingPlan{2, false} << 2.0
                                     << QPointF(0, 3) << QPointF(0, 1) << false;
    QTest::newRow("without BLEU") << report({point(1, nan)}, {epoch(1, 2.0, {}), epoch(2, 1.0, {})})
                                  << TrainingPlan{2, false} << 2.0 << QPointF(1, 2) << QPointF(0, 1) << false;
}

void TestTrainingSeries::axes()
{
    QFETCH(TrainingReport, run);
    QFETCH(TrainingPlan, plan);
    QFETCH(double, epochs);
    QFETCH(QPointF, loss);
    QFETCH(QPointF, score);
    QFETCH(bool, withScore);
    const TrainingSeries series = makeTrainingSeries(run, plan);
    QCOMPARE(series.epochs, epochs);
    QCOMPARE(QPointF(series.lossLow, series.lossHigh), loss);
    QCOMPARE(QPointF(series.scoreLow, series.scoreHigh), score);
    QCOMPARE(series.withScore, withScore);
}

void TestTrainingSeries::valuesThatAreNotNumbersAreLeftOut()
{
    const auto nan = std::numeric_limits<double>::quiet_NaN();
    const TrainingSeries series
        = makeTrainingSeries(report({point(0.5, nan), point(1, 2)}, {epoch(1, nan, {}), epoch(2, 1.5, 3.0)}), {});
    QCOMPARE(series.trainLoss, std::vector<QPointF>({{1, 2}}));
    QCOMPARE(series.validationLoss, std::vector<QPointF>({{2, 1.5}}));
    QVERIFY(!series.bestEpoch);
    QVERIFY(makeTrainingSeries(report({point(1, nan)}, {}), {}).empty());
}

void TestTrainingSeries::manyPointsBecomeMeans()
{
    TrainingReport run;
    for (int i = 0; i < 5000; ++i)
        run.points.push_back(point(i / 100.0, i % 2 == 0 ? 2 : 4));
    const TrainingSeries series = makeTrainingSeries(run, {});
    QVERIFY(series.trainLoss.size() <= 600 && series.trainLoss.size() > 400);
    for (const QPointF &mean : series.trainLoss)
        QVERIFY(mean.y() > 2.4 && mean.y() < 3.6);
    QCOMPARE(series.epochs, 49.99); // of the points themselves
}

void TestTrainingSeries::steepBeginningDoesNotDecideTheAxis()
{
    const TrainingSeries early = makeTrainingSeries(madeup::run(300), {20, true});
    QVERIFY(early.lossHigh >= 7 && !early.cutAbove);
    const TrainingSeries later = makeTrainingSeries(madeup::run(2400), {20, true});
    QVERIFY2(later.lossHigh <= 6, qPrintable(QString::number(later.lossHigh)));
    QVERIFY(later.cutAbove);
    QCOMPARE(later.bestEpoch, std::optional(9.0));
}

void TestTrainingSeries::reads_data()
{
    QTest::addColumn<double>("x");
    QTest::addColumn<QString>("text");
    QTest::newRow("between points") << 1.6
                                    << u"epoch 1.6 · training 2.800 · after epoch 2: validation 1.500, BLEU 20.00"_s;
    QTest::newRow("at an epoch") << 1.0 << u"epoch 1 · training 4.000 · validation 2.000"_s;
    QTest::newRow("beyond the line") << 3.0 << u"epoch 3 · after epoch 2: validation 1.500, BLEU 20.00"_s;
}

void TestTrainingSeries::reads()
{
    QFETCH(double, x);
    QFETCH(QString, text);
    QLocale::setDefault(QLocale::c());
    const TrainingSeries series
        = makeTrainingSeries(report({point(1, 4), point(2, 2)}, {epoch(1, 2.0, {}), epoch(2, 1.5, 20.0)}), {});
    QCOMPARE(trainingReadingText(series, x), text);
}

void TestTrainingSeries::panelsShareTheirAxis()
{
    const TrainingSeries series = makeTrainingSeries(madeup::run(2000), {20, true});
    const TrainingPanels panels = layOutTraining(QRectF(0, 0, 600, 400), series, QFontMetricsF(QFont()));
    QCOMPARE(panels.loss.left(), panels.score.left());
    QCOMPARE(panels.loss.right(), panels.score.right());
    QVERIFY(panels.loss.bottom() < panels.score.top() && panels.score.bottom() < 400);
    QCOMPARE(panels.epochAt(panels.loss.center().x(), series), 10.0);
    QCOMPARE(panels.epochAt(-50, series), 0.0);
    QVERIFY(layOutTraining(QRectF(0, 0, 600, 400), makeTrainingSeries(report({point(1, 2)}, {}), {}),
                           QFontMetricsF(QFont()))
                .score.isEmpty());
}

void TestTrainingSeries::epochsUnderTheAxisDoNotTouch_data()
{
    QTest::addColumn<int>("width");
    QTest::addColumn<int>("epochs");
    for (const int width : {300, 600, 1200}) {
        for (const int epochs : {1, 6, 20, 21, 33, 100, 250, 1000, 12345})
            QTest::addRow("%d epochs on %d px", epochs, width) << width << epochs;
    }
}

void TestTrainingSeries::epochsUnderTheAxisDoNotTouch()
{
    QFETCH(int, width);
    QFETCH(int, epochs);
    const TrainingSeries series = makeTrainingSeries({}, {double(epochs), true});
    QCOMPARE(series.epochs, double(epochs));
    for (const double size : {9.0, 13.0}) {
        QFont font;
        font.setPointSizeF(size);
        const QFontMetricsF metrics(font);
        const QRectF plot = layOutTraining(QRectF(0, 0, width, 400), series, metrics).score;
        const std::vector<EpochLabel> labels = epochLabels(plot, series.epochs, metrics);
        QVERIFY(labels.size() >= 2);
        QCOMPARE(labels.front().text, u"0"_s);
        for (std::size_t i = 0; i < labels.size(); ++i) {
            QVERIFY(labels[i].rect.width() >= metrics.horizontalAdvance(labels[i].text) - 0.01);
            QCOMPARE(labels[i].epoch, std::round(labels[i].epoch));
            for (std::size_t j = 0; j < i; ++j) // a blank is between them
                QVERIFY2(!labels[i].rect.adjusted(-2, 0, 2, 0).intersects(labels[j].rect),
                         qPrintable(labels[j].text + u'|' + labels[i].text));
        }
    }
}

void TestTrainingSeries::csvHasPointsAndEpochs()
{
    const QStringList lines = QString::fromStdString(trainingCsv(madeup::run(400))).trimmed().split(u'\n');
    QCOMPARE(lines.size(), 1 + 20 + 2);
    QCOMPARE(lines[0], u"kind,step,epoch,train_loss,validation_loss,metric,score,gradient_norm,learning_rate,"
                       "target_tokens_per_second,seconds,folder"_s);
    QVERIFY(lines[1].startsWith(u"point,20,0.1,"_s));
    QCOMPARE(lines.last().split(u',')[5], u"BLEU"_s);
    QVERIFY(lines.last().startsWith(u"epoch,400,2,"_s) && lines.last().endsWith(u",366,epoch-002"_s));
    for (const QString &line : lines)
        QCOMPARE(line.count(u','), 11);
}

/// 12 heads, of which those of even numbers close one after the other.
void TestTrainingSeries::openHeadsAreCounted()
{
    const TrainingReport report = madeup::runWithGates(1200);
    const HeadLayout gated = gatedHeads(report);
    const std::vector<GateStage> stages = stagesOf(report);
    QCOMPARE(stages.size(), report.epochs.size());
    const std::size_t left = 12 - report.epochs.back().mask->size();
    QVERIFY(left < 12);
    const LineSeries kinds = makeOpenKinds(gated, stages);
    QCOMPARE(kinds.lines.size(), 1U);
    QCOMPARE(kinds.lines[0].points.front().x, static_cast<double>(left)); // the fewest first
    for (const LineSeries::Point &point : kinds.lines[0].points)
        QCOMPARE(point.y, point.x); // there is one kind
    QCOMPARE(kinds.lines[0].points.back().y, 12.0);
    const LineSeries layers = makeOpenLayers(gated, stages, HeadKind::Encoder);
    QCOMPARE(layers.lines.size(), 3U);
    for (std::size_t i = 0; i < layers.lines[0].points.size(); ++i) {
        double sum = 0;
        for (const LineSeries::Line &line : layers.lines)
            sum += line.points[i].y;
        QCOMPARE(sum, layers.lines[0].points[i].x);
    }
    QVERIFY(makeOpenLayers(gated, stages, HeadKind::Cross).empty());
    QVERIFY(makeOpenRoles(gated, stages, {}).empty()); // nobody knows them
    const LineSeries scores = makeScoreByHeads(gated, stages, {});
    QCOMPARE(scores.lines.size(), 1U);
    QCOMPARE(scores.lines[0].points.size(), stages.size());
    QCOMPARE(scores.lines[0].points.back().x, static_cast<double>(left));
    const QString csv = QString::fromStdString(survivorsCsv(gated, stages, {}));
    QCOMPARE(csv.count(u'\n'), 1 + 12 * static_cast<int>(stages.size()));
}

void TestTrainingSeries::gatesHaveDensities()
{
    const TrainingReport report = madeup::runWithGates(1200);
    const std::size_t last = report.points.size() - 1;
    const LineSeries series = makeGateDensities(report, last);
    QCOMPARE(series.lines.size(), 12U + 3U); // each, and the three that are named
    for (const LineSeries::Line &line : series.lines) {
        for (const LineSeries::Point &point : line.points)
            QVERIFY(std::isfinite(point.y) && point.y >= 0);
    }
    QVERIFY(decidedOpen(report.points[0]) > decidedOpen(report.points[last]));
    QVERIFY(QString::fromStdString(gateDensitiesCsv(report, last))
                .startsWith(u"step,head,phi,closed,whole,gate,density\n"_s));
}

QTEST_MAIN(TestTrainingSeries)
#include "tst_trainingseries.moc"

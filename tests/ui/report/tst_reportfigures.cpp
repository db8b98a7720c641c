// Figures of a report: the series behind them, and that they are painted.
#include "tests/support/madeupdynamics.h"
#include "tests/support/madeupreport.h"
#include "tests/support/madeuproles.h"
#include "tests/support/madeupsharing.h"
#include "tests/support/madeupsimilarity.h"
#include "tests/support/nowarnings.h"

#include "ui/charts/histogrampainter.h"
#include "ui/charts/linepainter.h"
#include "ui/charts/pruningseries.h"
#include "ui/charts/scatterpainter.h"
#include "ui/report/reportfigures.h"

#include <QImage>
#include <QPainter>
#include <QSet>
#include <QTest>
#include <QXmlStreamReader>

#include <cmath>
#include <vector>

using namespace headscope;
using namespace Qt::StringLiterals;

class TestReportFigures final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init() { failOnQtWarnings(); }
    void histogramCountsEveryHead();
    void histogramOfOneScore();
    void histogramBinsBeginAtTheirNames();
    void kindsAreOverTheirShare();
    void speedIsOverTheOriginal();
    void emptySeriesPaintNothing();
    void everyFigureIsPainted();
    void captionSaysTheRuleOfTheMarks();
    void scatterIsSquare();
    void ordersHaveTheirOwnStyles();
    void figuresFollowTheContents();
    void papersHaveTheirFigures();
};

void TestReportFigures::histogramCountsEveryHead()
{
    const AblationResult result = madeup::sweep(false);
    const HistogramSeries series = makeHistogramSeries(result);
    QCOMPARE(series.heads, 96);
    QCOMPARE(series.baseline, 56.92);
    std::int64_t heads = 0;
    std::int64_t significant = 0;
    for (std::size_t i = 0; i < series.bins.size(); ++i) {
        heads += series.bins[i].heads;
        significant += series.bins[i].significant;
        QVERIFY(series.bins[i].significant <= series.bins[i].heads);
        if (i > 0)
            QCOMPARE(series.bins[i].low, series.bins[i - 1].high);
        for (const HeadAblation &head : result.heads) {
            if (head.score > series.bins[i].low + 1e-6 && head.score < series.bins[i].high - 1e-6)
                QVERIFY(series.bins[i].heads > 0);
        }
    }
    QCOMPARE(heads, 96);
    QCOMPARE(significant, std::ranges::count_if(result.heads, [](const auto &head) {
                 return head.discoveryP.value_or(head.pAdjusted) < 0.05;
             }));
    QVERIFY(significant > 0);
    QVERIFY(series.bins.size() > 5 && series.bins.size() <= 60);
    QVERIFY(histogramCsv(series).starts_with("metric,low,high,heads,significant,baseline\n"));
}

void TestReportFigures::histogramOfOneScore()
{
    AblationResult result = madeup::sweep(false);
    for (HeadAblation &head : result.heads)
        head.score = result.baseline.value;
    result.heads.front().score = std::nan("");
    const HistogramSeries series = makeHistogramSeries(result);
    QCOMPARE(series.bins.size(), 1);
    QCOMPARE(series.bins.front().heads, 95);
    QVERIFY(series.bins.front().low <= series.baseline && series.baseline < series.bins.front().high);
    result.heads.clear();
    QVERIFY(makeHistogramSeries(result).empty());
}

void TestReportFigures::histogramBinsBeginAtTheirNames()
{
    // 160 and 161 of 200: 80 % and 80.5 %, which no binary fraction is.
    AblationResult result;
    result.baseline = {"accuracy", 0.8, {}, {}};
    for (int right = 155; right <= 165; ++right) {
        result.heads.emplace_back();
        result.heads.back().score = right / 200.0;
    }
    const HistogramSeries series = makeHistogramSeries(result, {}, 12);
    QCOMPARE(series.unit, u"%"_s);
    for (const HistogramSeries::Bin &bin : series.bins)
        QCOMPARE(bin.heads, 1);
}

void TestReportFigures::kindsAreOverTheirShare()
{
    const LineSeries series = makeKindSeries(madeup::eachKind(false));
    QCOMPARE(series.lines.size(), 3);
    for (const LineSeries::Line &line : series.lines) {
        QCOMPARE(line.points.front().x, 0.0);
        QCOMPARE(line.points.back().x, 100.0);
        QCOMPARE(line.points.front().y, 50.0);
    }
    QCOMPARE(series.lines[1].points.back().y, 2.0);
    QVERIFY(series.axes.yLow <= 1 && series.axes.yHigh >= 51);
    QVERIFY(makeKindSeries(*madeup::pruning("importance", false)).empty()); // a curve of all kinds
}

void TestReportFigures::speedIsOverTheOriginal()
{
    const LineSeries series = makeSpeedSeries(madeup::speed(0.2));
    QCOMPARE(series.lines.size(), 2);
    QCOMPARE(series.lines[0].points.back().y, 0.0);  // masked
    QCOMPARE(series.lines[1].points.back().y, 20.0); // removed
    QCOMPARE(series.lines[1].points.back().x, 6.0);  // log2 of 64
    QVERIFY(series.axes.yLow <= 0);
    QVERIFY(makeSpeedSeries(madeup::speed(0.2), LengthPolicy::Fixed).empty());
}

void TestReportFigures::emptySeriesPaintNothing()
{
    QImage image(200, 100, QImage::Format_RGB32);
    image.fill(Qt::white);
    const QImage before = image;
    QPainter painter(&image);
    paintHistogram(painter, QRectF(0, 0, 200, 100), {});
    paintLines(painter, QRectF(0, 0, 200, 100), {});
    painter.end();
    QCOMPARE(image, before);
}

void TestReportFigures::everyFigureIsPainted()
{
    const ReportContents contents = madeup::report();
    const std::vector<ReportFigure> figures = reportFigures(contents);
    QCOMPARE(figures.size(), 10);
    QSet<QByteArray> seen;
    for (const ReportFigure &figure : figures) {
        const Result<std::vector<ReportFile>> files = paintFigure(figure);
        QVERIFY(files.isOk());
        QCOMPARE(files.value().size(), 3);
        const QByteArray svg = QByteArray::fromStdString(files.value()[0].bytes);
        QCOMPARE(files.value()[0].name, "figures/" + figure.card.file + ".svg");
        QXmlStreamReader xml(svg);
        int texts = 0;
        while (!xml.atEnd()) {
            if (xml.readNext() == QXmlStreamReader::StartElement && xml.name() == "text"_L1)
                ++texts;
        }
        QVERIFY2(!xml.hasError(), qPrintable(xml.errorString()));
        QVERIFY2(texts > 5, figure.card.file.c_str());
        QImage png;
        QVERIFY(png.loadFromData(QByteArray::fromStdString(files.value()[1].bytes), "PNG"));
        QVERIFY(png.width() > 1000);
        QVERIFY(files.value()[2].bytes.starts_with("%PDF"));
        // White around, and much that is not inside.
        QCOMPARE(png.pixelColor(0, 0), QColor(Qt::white));
        std::int64_t inked = 0;
        for (int y = 0; y < png.height(); y += 3) {
            for (int x = 0; x < png.width(); x += 3)
                inked += png.pixelColor(x, y) != QColor(Qt::white);
        }
        QVERIFY2(inked > png.width() * png.height() / 9 / 100, figure.card.file.c_str());
        seen.insert(svg);
    }
    QCOMPARE(seen.size(), 10);
}

/// What the grid's own legend says, and not another rule.
void TestReportFigures::captionSaysTheRuleOfTheMarks()
{
    ReportContents contents = madeup::report();
    const auto captionOf = [&](const char *file) {
        for (const ReportFigure &figure : reportFigures(contents)) {
            if (figure.card.file == file)
                return QString::fromStdString(figure.card.caption);
        }
        return QString();
    };
    QVERIFY2(captionOf("heads-in").contains(u"p > 0.05, Benjamini–Hochberg"_s), qPrintable(captionOf("heads-in")));
    contents.significance.correction = Correction::Holm;
    contents.significance.level = 0.01;
    QVERIFY2(captionOf("heads-in").contains(u"p > 0.01, Holm"_s), qPrintable(captionOf("heads-in")));
    QVERIFY2(!captionOf("heads-in").contains(u"by itself"_s), qPrintable(captionOf("heads-in")));
}

/// Both axes have the same ends, and the same length.
void TestReportFigures::scatterIsSquare()
{
    ScatterPicture picture;
    picture.series.low = -1;
    picture.series.high = 1;
    picture.isSquare = true;
    for (const QSizeF size : {QSizeF(640, 660), QSizeF(900, 400), QSizeF(400, 900)}) {
        QImage image(size.toSize(), QImage::Format_RGB32);
        QPainter painter(&image);
        const QRectF plot = paintScatterChart(painter, image.rect(), picture).plot;
        QVERIFY(plot.width() > 200);
        QVERIFY2(std::abs(plot.width() - plot.height()) < 1e-6, qPrintable(QString::number(plot.width())));
    }
}

/// Orders are told apart although all of them come from another set.
void TestReportFigures::ordersHaveTheirOwnStyles()
{
    std::vector<PruningInput> inputs{{false, madeup::pruning("importance", false), u"order from dev"_s},
                                     {false, madeup::pruning("ablation", false), u"order from dev"_s},
                                     {true, madeup::pruning("importance", false), u"order from dev"_s}};
    for (const CurveSeries &curve : makePruningSeries(inputs, 96, {}).curves)
        QVERIFY(!curve.isVariant);
    inputs.push_back({false, madeup::pruning("importance", false), u"re-estimated"_s});
    QVERIFY(makePruningSeries(inputs, 96, {}).curves.back().isVariant);
}

void TestReportFigures::figuresFollowTheContents()
{
    ReportContents contents = madeup::report();
    contents.domains.pop_back();
    contents.ablationAgreement.reset();
    contents.speed.reset();
    contents.dynamics = *madeup::dynamics();
    contents.domains[0].kinds.reset();
    QStringList files;
    for (const ReportFigure &figure : reportFigures(contents))
        files << QString::fromStdString(figure.card.file);
    QCOMPARE(files, QStringList({u"heads-in"_s, u"histogram-in"_s, u"pruning-in"_s, u"training-checkpoints"_s,
                                 u"training-heads"_s}));
}

/// Of `report --papers`.
void TestReportFigures::papersHaveTheirFigures()
{
    ReportContents contents = madeup::report();
    contents.domains.pop_back();
    contents.ablationAgreement.reset();
    contents.speed.reset();
    ReportDomain &domain = contents.domains[0];
    domain.kinds.reset();
    domain.similarity = *madeup::similarity(false);
    domain.roles = *madeup::roles();
    domain.relevance = *madeup::relevance();
    domain.relevance->contributions = {{0, 10, 1, 2, 0}, {1, 10, 0.75, 1.5, 0.5}};
    contents.energy = *madeup::energy();
    QSet<QString> files;
    for (const ReportFigure &figure : reportFigures(contents)) {
        const QString file = QString::fromStdString(figure.card.file);
        QVERIFY2(!files.contains(file), qPrintable(file));
        files << file;
        const auto painted = paintFigure(figure);
        QVERIFY(painted.isOk());
        QCOMPARE(painted.value().size(), 3U);
    }
    for (const QString &file : {u"attention-encoder-1-in"_s, u"attention-decoder-1-in"_s, u"entropy-encoder-in"_s,
                                u"partners-in"_s, u"contributions-in"_s, u"contribution-entropies-in"_s, u"energy"_s})
        QVERIFY2(files.contains(file), qPrintable(file + u" is not among "_s + QStringList(files.values()).join(u' ')));
    QVERIFY(!files.contains(u"offsets-in"_s)); // these roles are of a version that did not keep them
}

QTEST_MAIN(TestReportFigures)
#include "tst_reportfigures.moc"

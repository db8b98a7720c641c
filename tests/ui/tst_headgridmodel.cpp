#include "core/metrics/pairedtests.h"
#include "core/results/compare.h"
#include "ui/delegates/headgridpainter.h"
#include "ui/models/headgridmodel.h"
#include "ui/models/numbertext.h"

#include <QAbstractItemModelTester>
#include <QImage>
#include <QPainter>
#include <QSignalSpy>
#include <QTest>

#include <algorithm>
#include <cmath>

using namespace headscope;

namespace {
/// Encoder with a gap where encoder.1.1 was pruned, and one cross layer.
HeadLayout raggedLayout()
{
    return HeadLayout({{HeadKind::Encoder, {{0, 1, 2}, {0, 2}}}, {HeadKind::Cross, {{0, 1}}}});
}

const HeadRef kNeeded{HeadKind::Encoder, 1, 2};
const HeadRef kIdle{HeadKind::Encoder, 0, 0};
const HeadRef kMissing{HeadKind::Cross, 0, 1};

AblationResult ablation()
{
    AblationResult result;
    result.baseline = {"BLEU", 56.9, std::nullopt, {}};
    result.manifest.totalExamples = 1000;
    result.examples = 1000;
    const HeadLayout layout = raggedLayout();
    for (const HeadRef &head : layout.heads()) {
        if (head == kMissing)
            continue;
        HeadAblation entry;
        entry.head = head;
        entry.delta = head == kNeeded ? -0.534 : 0.02;
        entry.interval = {entry.delta - 0.25, entry.delta + 0.25};
        entry.p = head == kNeeded ? 0.002 : 0.6;
        entry.pAdjusted = head == kNeeded ? 0.19 : 1;
        entry.discoveryP = head == kNeeded ? 0.03 : 1;
        result.heads.push_back(entry);
    }
    return result;
}

GridContent content()
{
    return ablationContent(raggedLayout(), ablation());
}

QString minus(const char *text)
{
    return QString::fromUtf8(text).replace(u'-', QChar(0x2212));
}
} // namespace

class TestHeadGridModel : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { QLocale::setDefault(QLocale::c()); }
    void modelKeepsItsPromises();
    void rolesTellEverythingOfAHead();
    void tooltipIsASentence();
    void missingHeadIsMissing();
    void ofALossTheHighestDeltaRanksFirst();
    void shapleyValuesSayTheirSum();
    void gatesHaveTwoDirections();
    void differenceHasAnInterval();
    void differenceOfDeltasIsTestedAsTheCommandDoes();
    void oneConventionDecides_data();
    void oneConventionDecides();
    void chanceIsNotTheLoudest();
    void numbersAsText_data();
    void numbersAsText();
    void geometryFillsTheSpace_data();
    void geometryFillsTheSpace();
    void blocksAreArrangedForLargeCells();
    void arrowsCrossGapsAndBlocks();
    void everyOrderHasAllHeads();
    void pictureShowsMaskAndMissing();
};

void TestHeadGridModel::modelKeepsItsPromises()
{
    HeadGridModel model;
    const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
    QCOMPARE(model.rowCount(), 0);
    model.setContent(emptyContent(raggedLayout()));
    QCOMPARE(model.rowCount(), 7);
    QSignalSpy changed(&model, &QAbstractItemModel::dataChanged);
    QSignalSpy reset(&model, &QAbstractItemModel::modelReset);
    model.setContent(content());
    model.setMask({kNeeded});
    QCOMPARE(changed.count(), 2);
    QCOMPARE(reset.count(), 0); // the same heads: views keep their place
    model.setContent(emptyContent(HeadLayout({{HeadKind::Encoder, {{0}}}})));
    QCOMPARE(reset.count(), 1);
    QCOMPARE(model.rowCount(), 1);
    model.setContent({});
    QCOMPARE(model.rowCount(), 0);
}

void TestHeadGridModel::rolesTellEverythingOfAHead()
{
    HeadGridModel model;
    model.setContent(content());
    model.setMask({kIdle});
    const QModelIndex index = model.indexOf(kNeeded);
    QCOMPARE(index.data().toString(), minus("-0.53"));
    QCOMPARE(index.data(ValueRole).toDouble(), -0.534);
    QCOMPARE(index.data(IntervalLowRole).toDouble(), -0.784);
    QCOMPARE(index.data(PRole).toDouble(), 0.002);
    QCOMPARE(index.data(RankRole).toInt(), 1);
    QCOMPARE(index.data(CountRole).toInt(), 1000);
    QCOMPARE(index.data(SignificantRole), QVariant(true));
    QCOMPARE(index.data(MaskedRole), QVariant(false));
    QCOMPARE(index.data(HeadRefRole).value<HeadRef>(), kNeeded);
    QCOMPARE(model.indexOf(kIdle).data(MaskedRole), QVariant(true));
    QCOMPARE(model.indexOf(kIdle).data(SignificantRole), QVariant(false));
    QVERIFY(!model.indexOf({HeadKind::Encoder, 1, 1}).isValid());
}

void TestHeadGridModel::tooltipIsASentence()
{
    HeadGridModel model;
    model.setContent(content());
    model.setMask({kNeeded});
    QCOMPARE(
        model.indexOf(kNeeded).data(Qt::ToolTipRole).toString(),
        minus(
            "encoder.1.2: Δ BLEU -0.53 [-0.78, -0.28], p 0.002 (Holm 0.19, Benjamini–Hochberg 0.030), rank 1 of 6, 1000 examples, masked"));
}

void TestHeadGridModel::ofALossTheHighestDeltaRanksFirst()
{
    AblationResult result = ablation();
    result.baseline.name = "loss";
    result.baseline.better = Better::Lower;
    QCOMPARE(ablationContent(raggedLayout(), result).cell(kNeeded)->rank, 6); // without it the loss is lower
    for (HeadAblation &head : result.heads)
        head.delta = -head.delta;
    const GridContent mirrored = ablationContent(raggedLayout(), result);
    QCOMPARE(mirrored.cell(kNeeded)->rank, 1);
    QCOMPARE(scaleFor(mirrored).color(0.534), scaleFor(content()).color(-0.534));
    QCOMPARE(unitText({}, mirrored.better), QStringLiteral("lower is better"));
    QCOMPARE(unitText(QStringLiteral("%"), Better::Higher), QStringLiteral("%"));
}

void TestHeadGridModel::missingHeadIsMissing()
{
    HeadGridModel model;
    model.setContent(content());
    const QModelIndex index = model.indexOf(kMissing);
    QCOMPARE(index.data(MissingRole), QVariant(true));
    QVERIFY(!index.data(ValueRole).isValid());
    QVERIFY(!index.data(SignificantRole).isValid());
    QCOMPARE(index.data().toString(), QString());
    QVERIFY(model.content().partial);
}

void TestHeadGridModel::shapleyValuesSayTheirSum()
{
    ShapleyResult result;
    result.metric = "accuracy";
    result.all = 0.75;
    result.none = 0.5;
    result.sum = 0.25;
    result.examples = result.manifest.totalExamples = 40;
    result.heads = {{kNeeded, 0.3, {0.2, 0.4}, 0.001, 0.002, {}}, {kIdle, -0.05, {-0.2, 0.1}, 0.5, 0.5, {}}};
    const GridContent shown = shapleyContent(raggedLayout(), result);
    QCOMPARE(shown.valueCount(), 2);
    QCOMPARE(shown.cell(kNeeded)->rank, 1);
    QVERIFY(*shown.cell(kNeeded)->significant && !*shown.cell(kIdle)->significant);
    QVERIFY(!shown.cell(kNeeded)->pAdjusted);
    const QString caption = gridCaption(shown);
    QVERIFY2(caption.contains(QLatin1String("Shapley value accuracy")), qPrintable(caption));
    QVERIFY2(caption.endsWith(minus("+25.00 = 75.00 % with all heads - 50.00 % with none")), qPrintable(caption));
    // Of a loss the head that makes it lower comes first.
    result.metric = "loss";
    result.better = Better::Lower;
    QCOMPARE(shapleyContent(raggedLayout(), result).cell(kIdle)->rank, 1);
    QVERIFY(shapleyContent(raggedLayout(), result).better == Better::Lower);
    QVERIFY(differenceContent(shown, shown).sum.isEmpty());
}

void TestHeadGridModel::gatesHaveTwoDirections()
{
    GatingResult result;
    result.examples = result.manifest.totalExamples = 40;
    result.seeds.resize(4);
    result.heads = {{kNeeded, 0.9, 0.75, 0.75, 0.1, 0.2, 0.2, GatedRole::Facilitating, 1},
                    {kIdle, 0.25, 0, 0, 0.75, 0.25, 0, GatedRole::Interfering, 1}};
    const GridContent shown = gatingContent(raggedLayout(), result);
    QVERIFY(shown.diverging);
    QCOMPARE(*shown.cell(kNeeded)->value, 0.65);
    QCOMPARE(*shown.cell(kIdle)->value, -0.75);
    QVERIFY(std::abs(shown.cell(kNeeded)->interval->low - (0.65 - studentsT(3) * 0.1)) < 1e-12);
    QCOMPARE(shown.cell(kNeeded)->rank, 1);
    QVERIFY(!shown.cell(kMissing)->value);
    result.seeds.resize(1); // says nothing of others
    QVERIFY(!gatingContent(raggedLayout(), result).cell(kNeeded)->interval);
}

void TestHeadGridModel::differenceHasAnInterval()
{
    ImportanceResult in;
    in.examples = 30;
    const HeadLayout layout = raggedLayout();
    for (const HeadRef &head : layout.heads()) {
        if (head != kMissing)
            in.heads.push_back({head, 0.5, 0.25 / studentsT(29)});
    }
    ImportanceResult out = in;
    std::ranges::find(out.heads, kNeeded, &HeadImportance::head)->importance += 1;
    const GridContent difference
        = differenceContent(importanceContent(raggedLayout(), in), importanceContent(raggedLayout(), out));
    const HeadCell *cell = difference.cell(kNeeded);
    QVERIFY(std::abs(*cell->value - 1) < 1e-12);
    // Two half widths of 0.25 add as independent ones do: 0.25 √2.
    QVERIFY(std::abs(cell->interval->low - (1 - 0.25 * std::sqrt(2.0))) < 1e-12);
    QVERIFY(*cell->significant);
    QCOMPARE(cell->rank, 1);
    QVERIFY(!*difference.cell(kIdle)->significant);
    QVERIFY(!difference.cell(kMissing)->value);
}

// The window calls those differences significant that the command compare does.
void TestHeadGridModel::differenceOfDeltasIsTestedAsTheCommandDoes()
{
    AblationResult in = ablation();
    in.resamples = 1000;
    for (HeadAblation &head : in.heads) {
        for (int i = -25; i <= 25; ++i)
            head.replicates.push_back(head.delta + 0.004 * i);
    }
    AblationResult out = in;
    const auto moved = std::ranges::find(out.heads, kNeeded, &HeadAblation::head);
    moved->delta += 0.34; // not significant by the two intervals, which are wider than the replicates
    for (double &replicate : moved->replicates)
        replicate += 0.34;
    const GridContent a = ablationContent(raggedLayout(), in);
    const GridContent b = ablationContent(raggedLayout(), out);
    const CompareResult compared = compareResults(in, out);
    const GridContent difference = differenceContent(a, b, testedDifferences(in, out));
    for (const HeadDifference &head : compared.heads) {
        const HeadCell *cell = difference.cell(head.head);
        QCOMPARE(*cell->value, head.difference);
        QCOMPARE(*cell->p, head.test->p);
        QCOMPARE(*cell->pAdjusted, head.test->pAdjusted);
        QCOMPARE(cell->interval->low, head.test->interval.low);
        QCOMPARE(*cell->significant, head.head == kNeeded);
    }
    // Without replicates nothing is tested, and nothing is hatched.
    QVERIFY(!differenceContent(a, b).cell(kNeeded)->significant);
    QVERIFY(!differenceContent(a, b).cell(kNeeded)->interval);
}

void TestHeadGridModel::oneConventionDecides_data()
{
    QTest::addColumn<int>("correction");
    QTest::addColumn<double>("level");
    QTest::addColumn<int>("significant");
    QTest::newRow("as it is") << static_cast<int>(Correction::None) << 0.05 << 3;
    QTest::newRow("as it is, 0.01") << static_cast<int>(Correction::None) << 0.01 << 1;
    QTest::newRow("Holm") << static_cast<int>(Correction::Holm) << 0.05 << 1;
    QTest::newRow("Benjamini–Hochberg") << static_cast<int>(Correction::BenjaminiHochberg) << 0.05 << 2;
    QTest::newRow("Benjamini–Hochberg, 0.01") << static_cast<int>(Correction::BenjaminiHochberg) << 0.01 << 1;
}

void TestHeadGridModel::oneConventionDecides()
{
    QFETCH(int, correction);
    QFETCH(double, level);
    QFETCH(int, significant);
    AblationResult result = ablation();
    const double p[] = {0.001, 0.02, 0.04, 0.6};
    const double holm[] = {0.006, 0.1, 0.16, 1};
    const double discovery[] = {0.006, 0.04, 0.08, 0.6};
    for (std::size_t i = 0; i < result.heads.size(); ++i) {
        result.heads[i].p = p[std::min<std::size_t>(i, 3)];
        result.heads[i].pAdjusted = holm[std::min<std::size_t>(i, 3)];
        result.heads[i].discoveryP = discovery[std::min<std::size_t>(i, 3)];
    }
    const Significance by{level, static_cast<Correction>(correction)};
    const GridContent content = ablationContent(raggedLayout(), result, by);
    QCOMPARE(content.significantCount(), significant);
    HeadGridModel model;
    model.setContent(content);
    const QString tip = model.indexOf(result.heads.back().head).data(Qt::AccessibleTextRole).toString();
    QVERIFY2(tip.contains(by.textOfOthers()), qPrintable(tip));
    QVERIFY2(tip.contains(QStringLiteral("Holm")) && tip.contains(QStringLiteral("Benjamini")), qPrintable(tip));
}

/// The largest value of all, which is not significant, is paler than the significant one, and does not set the scale.
void TestHeadGridModel::chanceIsNotTheLoudest()
{
    AblationResult result = ablation();
    for (HeadAblation &head : result.heads)
        head.discoveryP = head.head == kNeeded ? 0.01 : 0.6;
    std::ranges::find(result.heads, kIdle, &HeadAblation::head)->delta = 2;
    GridContent content = ablationContent(raggedLayout(), result);
    QCOMPARE(scaleValues(content), std::vector<double>{-0.534});
    QVERIFY(content.isUncertain(*content.cell(kIdle)) && !content.isUncertain(*content.cell(kNeeded)));
    const auto painted = [&](const HeadRef &head) {
        GridPicture picture;
        picture.content = content;
        picture.scale = scaleFor(content);
        QImage image(600, 400, QImage::Format_RGB32);
        image.fill(Qt::white);
        QPainter painter(&image);
        const HeadGridGeometry geometry(content.layout, QSizeF(image.size()), QFontMetricsF(painter.font(), &image),
                                        40);
        paintHeadGrid(painter, picture, geometry, QRectF(image.rect()));
        painter.end();
        const QRect cell = geometry.cellRect(head).toRect().adjusted(3, 3, -3, -3);
        double sum = 0; // of how far from white
        for (int y = cell.top(); y <= cell.bottom(); ++y) {
            for (int x = cell.left(); x <= cell.right(); ++x)
                sum += 255 - qGray(image.pixel(x, y));
        }
        return sum / (cell.width() * cell.height());
    };
    QVERIFY2(painted(kIdle) < painted(kNeeded) / 1.5,
             qPrintable(QStringLiteral("%1 %2").arg(painted(kIdle)).arg(painted(kNeeded))));
    for (HeadAblation &head : result.heads) // nothing is significant: as far as chance reaches
        head.discoveryP = 0.6;
    content = ablationContent(raggedLayout(), result);
    QVERIFY(scaleValues(content).size() > 1);
    QCOMPARE(std::ranges::max(scaleValues(content)), 0.27);
}

void TestHeadGridModel::numbersAsText_data()
{
    QTest::addColumn<double>("value");
    QTest::addColumn<int>("decimals");
    QTest::addColumn<QString>("expected");
    QTest::newRow("positive") << 0.125 << 2 << QStringLiteral("+0.13");
    QTest::newRow("negative") << -1.0 << 2 << minus("-1.00");
    QTest::newRow("negative that rounds to zero") << -0.001 << 2 << QStringLiteral("0.00");
    QTest::newRow("zero") << 0.0 << 1 << QStringLiteral("0.0");
}

void TestHeadGridModel::numbersAsText()
{
    QFETCH(double, value);
    QFETCH(int, decimals);
    QFETCH(QString, expected);
    QCOMPARE(signedText(value, decimals), expected);
}

void TestHeadGridModel::geometryFillsTheSpace_data()
{
    QTest::addColumn<int>("layers");
    QTest::addColumn<int>("heads");
    QTest::addColumn<QSizeF>("available");
    QTest::addColumn<bool>("fits");
    QTest::newRow("small model") << 4 << 8 << QSizeF(900, 420) << true;
    QTest::newRow("large model") << 24 << 16 << QSizeF(1100, 700) << true;
    QTest::newRow("too little room scrolls") << 24 << 16 << QSizeF(200, 160) << false;
    QTest::newRow("narrow") << 4 << 8 << QSizeF(320, 600) << true;
}

void TestHeadGridModel::geometryFillsTheSpace()
{
    QFETCH(int, layers);
    QFETCH(int, heads);
    QFETCH(QSizeF, available);
    QFETCH(bool, fits);
    std::vector<int> all;
    for (int head = 0; head < heads; ++head)
        all.push_back(head);
    const std::vector<std::vector<int>> rows(static_cast<std::size_t>(layers), all);
    const HeadLayout layout({{HeadKind::Encoder, rows}, {HeadKind::Cross, rows}, {HeadKind::Decoder, rows}});
    const QFontMetricsF metrics(qApp->font());
    const HeadGridGeometry geometry(layout, available, metrics, gridFooterHeight(metrics));
    QVERIFY(geometry.cell() >= HeadGridGeometry::kSmallestCell);
    QCOMPARE(geometry.size() == available, fits);
    const QRectF whole(QPointF(), geometry.size());
    for (const HeadRef &head : layout.heads()) {
        const QRectF rect = geometry.cellRect(head);
        QVERIFY(whole.contains(rect));
        QCOMPARE(geometry.headAt(rect.center()), std::optional(head));
        QVERIFY(rect.width() >= rect.height() && rect.width() <= HeadGridGeometry::kMostWide * rect.height());
    }
    QVERIFY(whole.contains(geometry.footer()));
    QVERIFY(geometry.cellRect(layout.heads().back()).bottom() <= geometry.footer().top());
    // Layers upward
    QVERIFY(geometry.cellRect({HeadKind::Cross, 1, 0}).top() < geometry.cellRect({HeadKind::Cross, 0, 0}).top());
}

/// In a row, in a column, or two beside each other and one below: whichever makes cells largest.
void TestHeadGridModel::blocksAreArrangedForLargeCells()
{
    const std::vector<std::vector<int>> rows(3, {0, 1, 2, 3, 4, 5, 6, 7});
    const HeadLayout layout({{HeadKind::Encoder, rows}, {HeadKind::Cross, rows}, {HeadKind::Decoder, rows}});
    const QFontMetricsF metrics(qApp->font());
    const auto cellsIn = [&](const QSizeF &room) {
        const HeadGridGeometry geometry(layout, room, metrics, 40);
        std::vector<QRectF> cells;
        for (const HeadGridGeometry::Block &block : geometry.blocks())
            cells.push_back(block.cells);
        return cells;
    };
    const std::vector<QRectF> flat = cellsIn({1200, 220});
    QVERIFY(flat[0].top() == flat[1].top() && flat[1].top() == flat[2].top());
    const std::vector<QRectF> tall = cellsIn({330, 900});
    QVERIFY(tall[0].bottom() < tall[1].top() && tall[1].bottom() < tall[2].top());
    const QSizeF page(1200, 620);
    const std::vector<QRectF> both = cellsIn(page);
    QVERIFY(both[0].bottom() < both[1].top() && both[1].top() == both[2].top());
    const HeadGridGeometry geometry(layout, page, metrics, 40);
    const QSizeF all = geometry.allCells().size();
    QVERIFY(all.width() * all.height() > 0.65 * page.width() * page.height());
    // Beside the block that stands alone there is room for something else.
    QVERIFY(geometry.vacancy().width() > 0.4 * page.width() && geometry.vacancy().height() > 0.3 * page.height());
    for (const HeadRef &head : layout.heads())
        QVERIFY(!geometry.vacancy().intersects(geometry.cellRect(head)));
    QVERIFY(HeadGridGeometry(layout, QSizeF(1200, 220), metrics, 40).vacancy().isNull());
}

void TestHeadGridModel::arrowsCrossGapsAndBlocks()
{
    const QFontMetricsF metrics(qApp->font());
    const HeadGridGeometry geometry(raggedLayout(), QSizeF(800, 300), metrics, 40);
    using Head = std::optional<HeadRef>;
    QCOMPARE(geometry.neighbour({HeadKind::Encoder, 1, 0}, 1, 0), Head(kNeeded)); // over the gap
    QCOMPARE(geometry.neighbour(kIdle, 0, 1), Head({HeadKind::Encoder, 1, 0}));
    QCOMPARE(geometry.neighbour({HeadKind::Encoder, 0, 2}, 1, 0), Head({HeadKind::Cross, 0, 0}));
    QCOMPARE(geometry.neighbour(kIdle, -1, 0), Head());
    QCOMPARE(geometry.neighbour(kIdle, 0, -1), Head());
}

// Of layers with different numbers of heads: every head has a place of its own, and it is found there.
void TestHeadGridModel::everyOrderHasAllHeads()
{
    const GridContent ragged = content();
    const QFontMetricsF metrics(qApp->font());
    for (const GridRows rows : {GridRows::LastAbove, GridRows::FirstAbove, GridRows::ByRank}) {
        for (const bool byRank : {false, true}) {
            const HeadGridGeometry geometry(ragged.layout, QSizeF(800, 300), metrics, 40, GridLabels::Shown,
                                            GridOrder(ragged, {rows, byRank}));
            for (const HeadRef &head : ragged.layout.heads()) {
                QCOMPARE(geometry.headAt(geometry.cellRect(head).center()), std::optional(head));
                QCOMPARE(geometry.order().layerAt(head.kind, geometry.order().rowOf(head.kind, head.layer)),
                         head.layer);
                QCOMPARE(geometry.order().headAt(head.kind, head.layer, geometry.order().columnOf(head)), head.head);
            }
            QCOMPARE(geometry.order().headAt(HeadKind::Encoder, 0, 99), byRank ? -1 : 99);
        }
    }
    // What has no rank comes last.
    const GridOrder order(ragged, {GridRows::LastAbove, true});
    for (const HeadRef &head : ragged.layout.heads()) {
        if (head.kind == kMissing.kind && head.layer == kMissing.layer)
            QVERIFY(order.columnOf(head) <= order.columnOf(kMissing));
    }
}

void TestHeadGridModel::pictureShowsMaskAndMissing()
{
    GridPicture picture;
    picture.content = content();
    picture.scale = scaleFor(picture.content);
    const auto paint = [&] {
        QImage image(600, 300, QImage::Format_RGB32);
        QPainter painter(&image);
        paintHeadGrid(painter, QRectF(image.rect()), picture);
        return image;
    };
    const QImage plain = paint();
    const QFontMetricsF metrics(qApp->font());
    const HeadGridGeometry geometry(picture.content.layout, QSizeF(600, 300), metrics, gridFooterHeight(metrics));
    const auto pixel = [&](const HeadRef &head) {
        // Off the middle: values are written there, crosses meet there.
        return plain.pixelColor((geometry.cellRect(head).topLeft() + QPointF(4, 4)).toPoint());
    };
    QCOMPARE(pixel(kNeeded).rgb(), picture.scale.color(-0.534).rgb());
    QCOMPARE(pixel(kMissing).rgb(), picture.palette.missing.rgb());
    picture.mask = {kNeeded};
    const QImage masked = paint();
    const QRect cell = geometry.cellRect(kNeeded).toRect();
    QVERIFY(masked.copy(cell) != plain.copy(cell));
}

QTEST_MAIN(TestHeadGridModel)
#include "tst_headgridmodel.moc"

#include <cmath>

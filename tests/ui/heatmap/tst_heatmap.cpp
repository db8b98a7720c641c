#include "madeupattention.h"

#include "tests/support/nowarnings.h"
#include "tests/support/picture.h"
#include "ui/heatmap/heatmapimage.h"
#include "ui/heatmap/heatmapview.h"
#include "ui/heatmap/slantedlabels.h"

#include <QElapsedTimer>
#include <QPainter>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>

using namespace headscope;
using namespace Qt::StringLiterals;

namespace {

double rowSum(const AttentionTable &table, std::size_t row)
{
    double sum = table.hiddenMass[row];
    for (std::size_t column = 0; column < table.columns.size(); ++column)
        sum += table.weight(row, column);
    return sum;
}

HeatMapPicture pictureOf(const AttentionTable &table)
{
    HeatMapPicture picture;
    picture.table = table;
    picture.title = u"encoder.1.2"_s;
    picture.legendLabel = u"attention weight"_s;
    return picture;
}

} // namespace

class TestHeatMap final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init() { failOnQtWarnings(); }
    void labels_data();
    void labels();
    void joiningKeepsRowSums_data();
    void joiningKeepsRowSums();
    void joiningSumsKeysAndAveragesQueries();
    void hidingSpecialsKeepsTheirMass();
    void textsOfAPairAreFiltered();
    void unfittingLabelsGiveAnEmptyTable();
    void imageHasOnePixelPerValue();
    void geometryFindsItsOwnCells();
    void longSentencesScroll();
    void cachedCellsLookLikePaintedOnes();
    void largeMapsStaySmooth();
    void rowsCanHaveTheirOwnScale();
    void hoverTellsTheExactWeight();
    void maskedIsDimmedAndSaid();
    void csvHasAllWeights();
    void normsReweighEveryRow();
    void equalNormsChangeNothing();
    void arcsLieOverWhatTheySpan();
    void arcsWithinATokenAreLeftOut();
    void tagsStandOnFirstPieces();
    void wordsComeBeforeTags();
    void looks_data();
    void looks();
};

void TestHeatMap::labels_data()
{
    QTest::addColumn<QString>("piece");
    QTest::addColumn<QString>("shown");
    QTest::newRow("word start") << u"▁dog"_s << u"dog"_s;
    QTest::newRow("byte-level word start") << u"Ġdog"_s << u"dog"_s;
    QTest::newRow("continuation") << u"ing"_s << u"ing"_s;
    QTest::newRow("lone boundary") << u"▁"_s << u"␣"_s;
    QTest::newRow("BERT continuation") << u"##ing"_s << u"ing"_s;
    QTest::newRow("two hashes are text") << u"##"_s << u"##"_s;
    QTest::newRow("special") << u"</s>"_s << u"</s>"_s;
}

void TestHeatMap::labels()
{
    QFETCH(QString, piece);
    QFETCH(QString, shown);
    QCOMPARE(axisLabel({piece.toStdString(), 0, false, 0}).text, shown);
}

void TestHeatMap::joiningKeepsRowSums_data()
{
    QTest::addColumn<bool>("join");
    QTest::addColumn<bool>("hide");
    QTest::newRow("plain") << false << false;
    QTest::newRow("joined") << true << false;
    QTest::newRow("hidden") << false << true;
    QTest::newRow("joined and hidden") << true << true;
}

void TestHeatMap::joiningKeepsRowSums()
{
    QFETCH(bool, join);
    QFETCH(bool, hide);
    const AttentionResult result = madeUpAttention();
    for (const HeadRef &head :
         {HeadRef{HeadKind::Encoder, 3, 1}, HeadRef{HeadKind::Cross, 0, 5}, HeadRef{HeadKind::Decoder, 2, 7}}) {
        const AttentionTable table = attentionTableOf(result, head, {join, hide});
        QVERIFY(!table.empty());
        for (std::size_t row = 0; row < table.rows.size(); ++row)
            QVERIFY(std::abs(rowSum(table, row) - 1) < 1e-5);
    }
}

void TestHeatMap::joiningSumsKeysAndAveragesQueries()
{
    AttentionMap map{{}, 3, 3, {0.5F, 0.3F, 0.2F, 0.1F, 0.6F, 0.3F, 0.3F, 0.2F, 0.5F}, false};
    const std::vector<TokenLabel> tokens{{"▁walk", 1, false, 0}, {"ing", 2, false, 0}, {"</s>", 3, true, -1}};
    const AttentionTable table = makeAttentionTable(map, tokens, tokens, {.joinWords = true});
    QCOMPARE(table.rows, (std::vector<AxisLabel>{{u"walking"_s, false, false}, {u"</s>"_s, true, false}}));
    QCOMPARE(table.columns, table.rows);
    const double expected[] = {(0.8 + 0.7) / 2, (0.2 + 0.3) / 2, 0.5, 0.5};
    for (int i = 0; i < 4; ++i)
        QVERIFY(std::abs(table.weights[std::size_t(i)] - expected[i]) < 1e-6);
    const AttentionTable pieces = makeAttentionTable(map, tokens, tokens, {});
    QVERIFY(pieces.columns[1].continues && !pieces.columns[0].continues && !pieces.columns[2].continues);
}

void TestHeatMap::hidingSpecialsKeepsTheirMass()
{
    const AttentionResult result = madeUpAttention();
    const HeadRef head{HeadKind::Encoder, 3, 0};
    const AttentionTable whole = attentionTableOf(result, head, {});
    const AttentionTable hidden = attentionTableOf(result, head, {.hideSpecial = true});
    QVERIFY(hidden.hidesKeys && !whole.hidesKeys);
    QCOMPARE(hidden.columns.size(), whole.columns.size() - 1);
    QCOMPARE(hidden.rows.size(), whole.rows.size() - 1);
    QVERIFY(std::abs(hidden.hiddenMass[4] - whole.weight(4, whole.columns.size() - 1)) < 1e-6);
    QCOMPARE(hidden.weight(4, 4), whole.weight(4, 4)); // not renormalised
}

void TestHeatMap::textsOfAPairAreFiltered()
{
    // [CLS] a [SEP] b ##s [SEP]
    std::vector<TokenLabel> tokens{{"[CLS]", 0, true, -1, -1}, {"a", 1, false, 0, 0},   {"[SEP]", 2, true, -1, -1},
                                   {"b", 3, false, 1, 1},      {"##s", 4, false, 1, 1}, {"[SEP]", 2, true, -1, -1}};
    AttentionMap map{{}, 6, 6, {}, false};
    for (int query = 0; query < 6; ++query)
        for (const float weight : {0.05F, 0.1F, 0.15F, 0.2F, 0.25F, 0.25F})
            map.weights.push_back(weight);
    const AttentionTable across = makeAttentionTable(map, tokens, tokens, {.querySegment = 0, .keySegment = 1});
    QCOMPARE(across.rows.size(), 1U);
    QCOMPARE(across.columns.size(), 2U);
    QVERIFY(across.hidesKeys);
    QVERIFY(std::abs(across.weight(0, 1) - 0.25) < 1e-6 && std::abs(across.hiddenMass[0] - 0.55) < 1e-6);
    const AttentionTable joined
        = makeAttentionTable(map, tokens, tokens, {.joinWords = true, .querySegment = 1, .keySegment = 1});
    QCOMPARE(joined.rows, (std::vector<AxisLabel>{{u"bs"_s, false, false}}));
    QVERIFY(std::abs(joined.weight(0, 0) - 0.45) < 1e-6);
}

void TestHeatMap::unfittingLabelsGiveAnEmptyTable()
{
    AttentionResult result = madeUpAttention();
    result.sourceTokens.pop_back();
    QVERIFY(attentionTableOf(result, {HeadKind::Encoder, 0, 0}, {}).empty());
    QVERIFY(attentionTableOf(result, {HeadKind::Encoder, 9, 0}, {}).empty());
}

void TestHeatMap::imageHasOnePixelPerValue()
{
    const std::vector<double> values{0, 0.5, 1, std::nan(""), 0.25, 0.75};
    const ColorScale scale = ColorScale::sequential(0, 1);
    const QImage image = heatMapImage(values, 2, 3, scale, Appearance::Light);
    QCOMPARE(image.size(), QSize(3, 2));
    for (int i = 0; i < 6; ++i)
        QCOMPARE(image.pixel(i % 3, i / 3), scale.color(values[std::size_t(i)]).rgb());
    QVERIFY(heatMapImage(values, 2, 2, scale, Appearance::Light).isNull());
}

void TestHeatMap::geometryFindsItsOwnCells()
{
    const AttentionTable table = attentionTableOf(madeUpAttention(), {HeadKind::Cross, 1, 2}, {.hideSpecial = true});
    const HeatMapGeometry geometry(pictureOf(table), QSizeF(700, 600), QFontMetricsF(QFont()));
    for (int row = 0; row < int(table.rows.size()); ++row) {
        for (int column = 0; column < int(table.columns.size()); ++column)
            QCOMPARE(geometry.cellAt(geometry.cellRect(row, column).center()), QPoint(column, row));
        QCOMPARE(geometry.cellAt(geometry.hiddenRect(row).center()), QPoint(int(table.columns.size()), row));
    }
    QVERIFY(!geometry.cellAt(QPointF(1, 1)));
}

void TestHeatMap::longSentencesScroll()
{
    AttentionMap map{{}, 80, 80, std::vector<float>(6400, 1 / 80.0F), false};
    const std::vector<TokenLabel> tokens(80, {"▁word", 1, false, 0});
    HeatMapView view;
    view.resize(400, 400);
    view.show();
    view.setPicture(pictureOf(makeAttentionTable(map, tokens, tokens, {})));
    // All of it is seen until somebody zooms; then what is under the pointer stays there.
    QCOMPARE(view.horizontalScrollBar()->maximum(), 0);
    QCOMPARE(view.verticalScrollBar()->maximum(), 0);
    view.zoomBy(8, QPointF(200, 250));
    QVERIFY(view.isZoomed());
    QVERIFY(view.horizontalScrollBar()->maximum() > 500);
    QVERIFY(view.verticalScrollBar()->maximum() > 500);
    view.horizontalScrollBar()->setValue(0);
    for (int i = 0; i < 60; ++i)
        QTest::keyClick(&view, Qt::Key_Right);
    QCOMPARE(view.hoveredCell(), QPoint(59, 0));
    QVERIFY(view.horizontalScrollBar()->value() > 0); // the crosshair stays in view
}

void TestHeatMap::cachedCellsLookLikePaintedOnes()
{
    AttentionMap map{{}, 90, 90, {}, false};
    for (int i = 0; i < 8100; ++i)
        map.weights.push_back(static_cast<float>((i * 37) % 101) / 100);
    const std::vector<TokenLabel> tokens(90, {"▁word", 1, false, 0});
    for (const bool masked : {false, true}) {
        HeatMapPicture picture = pictureOf(makeAttentionTable(map, tokens, tokens, {}));
        picture.masked = masked;
        const auto painted = [&](const QImage &cells) {
            QImage image(600, 500, QImage::Format_RGB32);
            image.fill(Qt::white);
            QPainter painter(&image);
            const QFontMetricsF metrics(painter.font());
            paintHeatMap(
                painter, picture,
                HeatMapGeometry(picture, HeatMapMargins(picture, metrics), image.size(), metrics, QPointF(320, 480), 4),
                {}, cells);
            return image;
        };
        const QImage rectangles = painted({});
        const QImage cached = painted(heatMapCells(picture));
        const QFontMetricsF metrics{QFont()};
        const HeatMapGeometry geometry(picture, HeatMapMargins(picture, metrics), rectangles.size(), metrics,
                                       QPointF(320, 480), 4);
        const QRect seen = geometry.visibleCells();
        QVERIFY(seen.left() > 5 && seen.right() <= 89 && seen.top() > 10 && seen.bottom() <= 89);
        for (int row = seen.top() + 1; row < seen.bottom(); ++row) {
            for (int column = seen.left() + 1; column < seen.right(); ++column) {
                const QPoint middle = geometry.cellRect(row, column).center().toPoint();
                QCOMPARE(QColor(cached.pixel(middle)), QColor(rectangles.pixel(middle)));
            }
        }
    }
}

// A frame takes 16 ms; what it takes here is told. What can be kept of a painting makes the next ones quicker.
void TestHeatMap::largeMapsStaySmooth()
{
    constexpr int kTokens = 512;
    AttentionMap map{{}, kTokens, kTokens, {}, false};
    for (int i = 0; i < kTokens * kTokens; ++i)
        map.weights.push_back(static_cast<float>((i * 7919LL) % 1009) / 1009);
    std::vector<TokenLabel> tokens;
    for (int i = 0; i < kTokens; ++i)
        tokens.push_back({"▁word" + std::to_string(i), i, false, i});
    HeatMapView view;
    view.resize(1200, 800);
    view.show();
    QVERIFY(QTest::qWaitForWindowExposed(&view));
    view.setPicture(pictureOf(makeAttentionTable(map, tokens, tokens, {})));
    QElapsedTimer timer;
    timer.start();
    view.viewport()->repaint();
    const double first = static_cast<double>(timer.nsecsElapsed()) / 1e6;
    QTest::qWait(400); // labels are made in between, a few at a time
    std::vector<double> frames;
    const auto measured = [&](auto &&change) {
        timer.restart();
        change();
        view.viewport()->repaint();
        frames.push_back(static_cast<double>(timer.nsecsElapsed()) / 1e6);
    };
    for (int step = 0; step < 60; ++step) {
        measured([&] { view.horizontalScrollBar()->setValue(step * 61); });
        measured([&] { view.verticalScrollBar()->setValue(step * 97); });
        const QPoint mouse(300 + 9 * step, 250 + 5 * step);
        measured([&] { QTest::mouseMove(view.viewport(), mouse); });
    }
    measured([&] { view.resize(900, 700); });
    std::ranges::sort(frames);
    const double median = frames[frames.size() / 2];
    qInfo("512 x 512: the first painting took %.1f ms, those after it %.1f (median) to %.1f ms", first, median,
          frames.back());
    QVERIFY2(median < first, qPrintable(QString::number(median)));
}

/// "Row by row", the darkest cell of every row is the scale's end.
void TestHeatMap::rowsCanHaveTheirOwnScale()
{
    AttentionMap map{{}, 2, 3, {0.5F, 0.25F, 0.25F, 0.1F, 0.2F, 0.05F}, false};
    const std::vector<TokenLabel> tokens(3, {"a", 1, false, 0});
    HeatMapPicture picture = pictureOf(makeAttentionTable(map, {tokens[0], tokens[1]}, tokens, {}));
    const QRgb end = picture.scale.color(1).rgb();
    QVERIFY(heatMapCells(picture).pixel(0, 0) != end);
    picture.byRow = true;
    const QImage cells = heatMapCells(picture);
    QCOMPARE(cells.pixel(0, 0), end);
    QCOMPARE(cells.pixel(1, 1), end);
    QCOMPARE(cells.pixel(1, 0), picture.scale.color(0.5).rgb());
}

void TestHeatMap::hoverTellsTheExactWeight()
{
    const AttentionTable table = attentionTableOf(madeUpAttention(), {HeadKind::Encoder, 1, 2}, {});
    HeatMapView view;
    view.resize(700, 640);
    view.setPicture(pictureOf(table));
    view.show();
    QSignalSpy changed(&view, &HeatMapView::hoverChanged);
    const HeatMapGeometry geometry(view.picture(), view.viewport()->size(), QFontMetricsF(view.font(), &view));
    QTest::mouseMove(view.viewport(), geometry.cellRect(2, 1).center().toPoint());
    QTRY_COMPARE(view.hoveredCell(), QPoint(1, 2));
    QCOMPARE(changed.count(), 1);
    QCOMPARE(view.readout(), u"dog → brown: %1"_s.arg(QLocale().toString(table.weight(2, 1), 'f', 4)));
    QCOMPARE(view.accessibleDescription(), view.readout());
    QTest::keyClick(&view, Qt::Key_Escape);
    QVERIFY(!view.hoveredCell());
}

void TestHeatMap::maskedIsDimmedAndSaid()
{
    HeatMapPicture picture = pictureOf(attentionTableOf(madeUpAttention(), {HeadKind::Encoder, 1, 0}, {}));
    const auto darkest = [&] {
        QImage image(700, 640, QImage::Format_RGB32);
        image.fill(Qt::white);
        QPainter painter(&image);
        const HeatMapGeometry geometry(picture, QSizeF(700, 640), QFontMetricsF(painter.font()));
        paintHeatMap(painter, picture, geometry);
        painter.end();
        return qGray(image.pixel((geometry.cellRect(0, 0).topLeft() + QPointF(4, 4)).toPoint()));
    };
    const int lit = darkest();
    picture.masked = true;
    QVERIFY(darkest() > lit + 20);
}

void TestHeatMap::csvHasAllWeights()
{
    AttentionMap map{{}, 1, 2, {0.25F, 0.75F}, false};
    const AttentionTable table
        = makeAttentionTable(map, {{"▁a", 1, false, 0}}, {{"▁b,c", 1, false, 0}, {"</s>", 2, true, -1}}, {});
    QCOMPARE(attentionCsv(table, {HeadKind::Cross, 1, 2}, "weights"),
             std::string("head,kind,layer,head_number,query,query_token,key,key_token,measure,weight\n"
                         "cross.1.2,cross,1,2,0,a,0,\"b,c\",weights,0.25\n"
                         "cross.1.2,cross,1,2,0,a,1,</s>,weights,0.75\n"));
}

void TestHeatMap::normsReweighEveryRow()
{
    // Two queries, three keys, by hand: (0.5·1, 0.25·2, 0.25·4) / 2 and (0, 0.5·2, 0.5·4) / 3.
    AttentionMap map{{HeadKind::Encoder, 0, 0}, 2, 3, {0.5F, 0.25F, 0.25F, 0, 0.5F, 0.5F}, false};
    const std::vector<TokenLabel> queries{{"a"}, {"b"}};
    const std::vector<TokenLabel> keys{{"a"}, {"b"}, {"c"}};
    AttentionTableOptions options;
    options.normWeighted = true;
    QCOMPARE(makeAttentionTable(map, queries, keys, options), makeAttentionTable(map, queries, keys, {})); // no norms
    map.valueNorms = {1, 2, 4};
    const AttentionTable table = makeAttentionTable(map, queries, keys, options);
    const double expected[] = {0.25, 0.25, 0.5, 0, 1.0 / 3, 2.0 / 3};
    for (std::size_t i = 0; i < 6; ++i)
        QVERIFY(std::abs(table.weights[i] - expected[i]) < 1e-6);
    // Where keys let nothing through, nothing is added.
    map.valueNorms = {0, 0, 0};
    for (const double weight : makeAttentionTable(map, queries, keys, options).weights)
        QCOMPARE(weight, 0.0);
}

void TestHeatMap::equalNormsChangeNothing()
{
    AttentionResult result = madeUpAttention(1, 1);
    for (AttentionMap &map : result.maps)
        map.valueNorms.assign(static_cast<std::size_t>(map.keys), 3.5F);
    for (const AttentionMap &map : result.maps) {
        AttentionTableOptions options;
        options.hideSpecial = true;
        options.joinWords = true;
        const AttentionTable plain = attentionTableOf(result, map.head, options);
        options.normWeighted = true;
        const AttentionTable weighted = attentionTableOf(result, map.head, options);
        QCOMPARE(weighted.weights.size(), plain.weights.size());
        for (std::size_t i = 0; i < plain.weights.size(); ++i)
            QVERIFY(std::abs(weighted.weights[i] - plain.weights[i]) < 1e-6);
    }
}

void TestHeatMap::arcsLieOverWhatTheySpan()
{
    const AttentionResult result = madeUpAttentionWithTree();
    AttentionTableOptions options;
    options.withTree = true;
    const AttentionTable table = attentionTableOf(result, {HeadKind::Encoder, 0, 0}, options);
    const std::vector<TreeArc> arcs = makeTreeArcs(result.sourceTree, table.columns);
    QCOMPARE(arcs.size(), 11U); // all words but the root
    for (const TreeArc &arc : arcs) {
        QCOMPARE(arc.relation.toStdString(), result.sourceTree[static_cast<std::size_t>(arc.dependentWord)].relation);
        QCOMPARE(arc.headWord, result.sourceTree[static_cast<std::size_t>(arc.dependentWord)].head);
        for (const TreeArc &other : arcs) {
            const bool overlap = arc.left() < other.right() && other.left() < arc.right() && !(arc == other);
            QVERIFY(!overlap || arc.level != other.level);
            if (overlap && other.right() - other.left() < arc.right() - arc.left())
                QVERIFY(arc.level > other.level);
        }
    }
    // "running" has two tokens, columns 4 and 5: the subject's arrow ends between them.
    const auto subject = std::ranges::find(arcs, u"nsubj"_s, &TreeArc::relation);
    QCOMPARE(subject->dependent, 2.5);
    QCOMPARE(subject->head, 5.0);
    // A head that does not look at the source has none.
    for (const AxisLabel &label : attentionTableOf(result, {HeadKind::Decoder, 0, 0}, options).columns)
        QVERIFY(label.treeWords.empty() && label.tag.isEmpty());
}

void TestHeatMap::arcsWithinATokenAreLeftOut()
{
    const SentenceTree tree{
        {"des", "ADP", 2, "case", 0, 0}, {"les", "DET", 2, "det", 0, 0}, {"chiens", "NOUN", -1, "root", 0, 0}};
    AxisLabel both{u"des"_s};
    both.treeWords = {0, 1, 2};
    QVERIFY(makeTreeArcs(tree, {both}).empty());
    AxisLabel first{u"des"_s};
    first.treeWords = {0, 1};
    AxisLabel second{u"chiens"_s};
    second.treeWords = {2};
    QCOMPARE(makeTreeArcs(tree, {first, second}).size(), 2U);
    // Words without a token, and heads outside the tree, are no trouble.
    QVERIFY(makeTreeArcs(tree, {second}).empty());
    const SentenceTree broken{{"a", "X", 7, "dep", 0, 0}, {"b", "X", 0, "dep", 0, 0}};
    AxisLabel a{u"a"_s};
    a.treeWords = {0, 9};
    AxisLabel b{u"b"_s};
    b.treeWords = {1};
    QCOMPARE(makeTreeArcs(broken, {a, b}).size(), 1U);
    QCOMPARE(arcLevels({}), 0);
}

void TestHeatMap::tagsStandOnFirstPieces()
{
    const AttentionResult result = madeUpAttentionWithTree();
    AttentionTableOptions options;
    options.withTree = true;
    const AttentionTable pieces = attentionTableOf(result, {HeadKind::Cross, 0, 0}, options);
    QCOMPARE(pieces.columns[4].tag, u"VERB"_s);
    QVERIFY(pieces.columns[5].tag.isEmpty()); // "ing"
    QVERIFY(pieces.rows[0].tag.isEmpty());    // the target has no tree
    options.joinWords = true;
    const AttentionTable words = attentionTableOf(result, {HeadKind::Encoder, 0, 0}, options);
    QCOMPARE(words.rows[4].tag, u"VERB"_s);
    QCOMPARE(words.columns[7].treeWords, (std::vector<int>{7, 8, 9})); // snow-covered
    // Arcs within "snow-covered" and "field." have no place there.
    QCOMPARE(makeTreeArcs(result.sourceTree, words.columns).size(), 9U);
}

/// Where there is no room for both, the tag goes: columns said "… DET".
void TestHeatMap::wordsComeBeforeTags()
{
    const auto painted = [](const AxisLabel &label, double longest) {
        QImage image(160, 160, QImage::Format_RGB32);
        image.fill(Qt::white);
        QPainter painter(&image);
        paintSlantedLabel(painter, ViewPalette::light(), {10, 150}, label, false, longest);
        return image;
    };
    AxisLabel tagged{u"notebook"_s};
    tagged.tag = u"NOUN"_s;
    const AxisLabel plain{u"notebook"_s};
    const QFontMetricsF metrics{QFont()};
    const double word = metrics.horizontalAdvance(plain.text);
    const double both = metrics.horizontalAdvance(u"notebook NOUN"_s);
    QCOMPARE(painted(tagged, (word + both) / 2), painted(plain, both));
    QVERIFY(painted(tagged, both + 2) != painted(plain, both));
}

void TestHeatMap::looks_data()
{
    QTest::addColumn<HeadRef>("head");
    QTest::addColumn<bool>("join");
    QTest::addColumn<bool>("dark");
    QTest::addColumn<bool>("masked");
    QTest::newRow("light") << HeadRef{HeadKind::Cross, 3, 2} << false << false << false;
    QTest::newRow("dark") << HeadRef{HeadKind::Cross, 3, 2} << false << true << false;
    QTest::newRow("words") << HeadRef{HeadKind::Encoder, 3, 5} << true << false << false;
    QTest::newRow("masked") << HeadRef{HeadKind::Decoder, 1, 6} << false << false << true;
}

void TestHeatMap::looks()
{
    QFETCH(HeadRef, head);
    QFETCH(bool, join);
    QFETCH(bool, dark);
    QFETCH(bool, masked);
    HeatMapView view;
    if (dark)
        view.setPalette(darkPalette());
    view.resize(760, 640);
    HeatMapPicture picture = pictureOf(attentionTableOf(madeUpAttention(), head, {join, join}));
    picture.title = QString::fromStdString(toText(head));
    picture.rowsTitle = u"queries ↓ target pieces"_s;
    picture.columnsTitle = u"keys → source pieces"_s;
    picture.masked = masked;
    view.setPicture(picture);
    view.show();
    QTest::keyClick(&view, Qt::Key_Down);
    QTest::keyClick(&view, Qt::Key_Right);
    const QImage shown = view.grab().toImage();
    const QColor paper = ViewPalette::of(dark ? Appearance::Dark : Appearance::Light).paper;
    QCOMPARE(shown.pixel(shown.width() - 20, shown.height() / 2), paper.rgb());
    keepPicture(view, u"heatmap-"_s + QLatin1StringView(QTest::currentDataTag()));
}

QTEST_MAIN(TestHeatMap)
#include "tst_heatmap.moc"

#include <cmath>

// Lines and thumbnails of attention (Vig 2019) with real events, and how long their frames take.
#include "tests/support/madeupstate.h"
#include "tests/support/nowarnings.h"
#include "tests/support/picture.h"
#include "tests/ui/heatmap/madeupattention.h"
#include "ui/models/gridorder.h"
#include "ui/pages/attention/attentionpage.h"
#include "ui/pages/attention/headlinesview.h"
#include "ui/pages/attention/headstrip.h"
#include "ui/pages/attention/mapsview.h"
#include "ui/pages/attention/neededbar.h"

#include <QCheckBox>
#include <QComboBox>
#include <QElapsedTimer>
#include <QFontMetricsF>
#include <QImage>
#include <QPushButton>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

using namespace headscope;
using namespace Qt::StringLiterals;

namespace {

/// 144 heads over 512 tokens, each looking a few tokens away.
AttentionResult largeAttention()
{
    constexpr int kTokens = 512;
    AttentionResult result;
    for (int i = 0; i < kTokens; ++i)
        result.sourceTokens.push_back({"▁word" + std::to_string(i), i, false, i});
    for (int layer = 0; layer < 12; ++layer) {
        for (int head = 0; head < 12; ++head) {
            AttentionMap map{{HeadKind::Encoder, layer, head}, kTokens, kTokens, {}, false};
            map.weights.assign(std::size_t{kTokens} * kTokens, 0.2F / kTokens);
            for (int q = 0; q < kTokens; ++q) {
                for (int near = 0; near < 8; ++near)
                    map.weights[static_cast<std::size_t>(q * kTokens + (q + head * near + layer) % kTokens)] += 0.1F;
            }
            result.maps.push_back(std::move(map));
        }
    }
    return result;
}

HeadLayout layoutOf(const AttentionResult &result)
{
    std::map<HeadKind, std::map<int, std::vector<int>>> heads;
    for (const AttentionMap &map : result.maps)
        heads[map.head.kind][map.head.layer].push_back(map.head.head);
    std::vector<HeadLayout::Block> blocks;
    for (const auto &[kind, layers] : heads) {
        HeadLayout::Block block{kind, {}};
        for (const auto &[layer, numbers] : layers)
            block.layers.push_back(numbers);
        blocks.push_back(std::move(block));
    }
    return HeadLayout(std::move(blocks));
}

/// The longest repaint while `change` goes through its steps, in milliseconds.
template<typename Change>
double longestFrame(QAbstractScrollArea &view, Change &&change)
{
    double longest = 0;
    QElapsedTimer timer;
    for (int step = 0; step < 40; ++step) {
        timer.restart();
        change(step);
        view.viewport()->repaint();
        longest = std::max(longest, static_cast<double>(timer.nsecsElapsed()) / 1e6);
    }
    return longest;
}

} // namespace

class TestAttentionViews final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init() { failOnQtWarnings(); }
    void linesAreTheWeightsThatCanBeSeen();
    void linesFollowTheFilters();
    void tokensAreFoundOnBothSides();
    void titlesAreWhole();
    void hoverShowsOneTokensLines();
    void severalTokensAreAddedUp();
    void stripSwitchesHeads();
    void viewsShareTheSelection();
    void thumbnailKeepsTheLargest();
    void thumbnailsAreMadeWhereTheyAreSeen();
    void zoomShowsTheHead();
    void headsThatAnExampleNeedsAreMarked();
    void exportsWhatIsShown();
    void theStudyKeepsTheBoxes();
    void framesOfLongTexts();
    void looks_data();
    void looks();

private:
    struct Opened
    {
        MadeUp study;
        AttentionPage page{study.state, study.controller};

        Opened()
        {
            study.state.setAttention(std::make_shared<AttentionResult>(madeUpAttentionWithTree()));
            study.state.setSelection({{HeadKind::Encoder, 1, 0}, {HeadKind::Encoder, 1, 3}},
                                     HeadRef{HeadKind::Encoder, 1, 0});
            page.resize(1100, 760);
            page.show();
            (void)QTest::qWaitForWindowExposed(&page);
        }
        void show(AttentionView view)
        {
            page.controls().setView(view);
            QCoreApplication::processEvents(); // laid out
        }
    };
};

void TestAttentionViews::linesAreTheWeightsThatCanBeSeen()
{
    const AttentionResult result = madeUpAttention();
    const std::vector<HeadRef> heads{{HeadKind::Cross, 1, 0}, {HeadKind::Cross, 2, 4}};
    const HeadLines lines = makeHeadLines(result, heads, {});
    QCOMPARE(lines.queries.size(), 12U);
    QCOMPARE(lines.keys.size(), 15U);
    const double least = 2 * 1.5 / 255; // what a screen can show of one of two heads
    std::size_t expected = 0;
    for (const HeadRef &head : heads) {
        const AttentionTable table = attentionTableOf(result, head, {});
        expected += static_cast<std::size_t>(
            std::ranges::count_if(table.weights, [&](double weight) { return weight > least; }));
    }
    QCOMPARE(lines.lines.size(), expected);
    for (const HeadLines::Line &line : lines.lines) {
        const AttentionTable table = attentionTableOf(result, heads[static_cast<std::size_t>(line.head)], {});
        QCOMPARE(line.weight, static_cast<float>(table.weight(static_cast<std::size_t>(line.query),
                                                              static_cast<std::size_t>(line.key))));
    }
    // Both orders hold all lines once, each under its token.
    std::set<std::size_t> seen;
    for (std::size_t key = 0; key < lines.keys.size(); ++key) {
        for (std::size_t i = lines.firstOfKey[key]; i < lines.firstOfKey[key + 1]; ++i) {
            QCOMPARE(lines.lines[lines.byKey[i]].key, static_cast<int>(key));
            seen.insert(lines.byKey[i]);
        }
    }
    QCOMPARE(seen.size(), lines.lines.size());
    QVERIFY(makeHeadLines(result, {{HeadKind::Cross, 40, 0}}, {}).empty());
}

// A → B is the part of the whole map: rows are not made to sum to 1 again.
void TestAttentionViews::linesFollowTheFilters()
{
    AttentionResult result = madeUpAttention(1, 1);
    for (std::size_t i = 0; i < result.sourceTokens.size(); ++i)
        result.sourceTokens[i].segment = result.sourceTokens[i].special ? -1 : i < 6 ? 0 : 1;
    const HeadRef head{HeadKind::Encoder, 0, 0};
    const AttentionTable all = attentionTableOf(result, head, {});
    AttentionTableOptions options;
    options.querySegment = 0;
    options.keySegment = 1;
    const HeadLines lines = makeHeadLines(result, {head}, options);
    QCOMPARE(lines.queries.size(), 6U);
    QCOMPARE(lines.keys.size(), 8U);
    QVERIFY(!lines.lines.empty());
    for (const HeadLines::Line &line : lines.lines)
        QCOMPARE(line.weight, static_cast<float>(all.weight(static_cast<std::size_t>(line.query),
                                                            static_cast<std::size_t>(line.key) + 6)));
}

void TestAttentionViews::tokensAreFoundOnBothSides()
{
    Opened opened;
    opened.show(AttentionView::Lines);
    const HeadLinesView &view = opened.page.lines();
    const LinesGeometry geometry = view.geometry();
    const HeadLines &lines = view.picture().lines;
    QCOMPARE(geometry.tokenAt(lines, {geometry.left - 5, geometry.y(3)}), (LineToken{false, 3}));
    QCOMPARE(geometry.tokenAt(lines, {geometry.right + 5, geometry.y(7)}), (LineToken{true, 7}));
    QVERIFY(!geometry.tokenAt(lines, {(geometry.left + geometry.right) / 2, geometry.y(3)}));
}

// However narrow the view is (two may lie beside each other): over the lines rather than cut off.
void TestAttentionViews::titlesAreWhole()
{
    Opened opened;
    opened.show(AttentionView::Lines);
    LinesPicture picture = opened.page.lines().picture();
    const QFontMetricsF metrics(opened.page.font());
    const auto isWhole = [&](const QRectF &box, const QString &text) {
        return metrics.elidedText(text, Qt::ElideRight, box.width()) == text;
    };
    const SideWidths widths(picture.lines.queries, picture.lines.keys, metrics);
    for (const bool isLong : {false, true}) {
        if (isLong)
            picture.lines.queriesTitle = u"queries: target (what the decoder has read)"_s;
        const double needed = metrics.horizontalAdvance(picture.lines.queriesTitle)
                            + metrics.horizontalAdvance(picture.lines.keysTitle);
        for (const double width : {220.0, 300.0, 396.0, 520.0, 900.0}) {
            const QRectF view(0, 0, width, 400);
            const LinesGeometry geometry(picture, widths, view, 0, metrics);
            const QRectF &queries = geometry.queriesTitle;
            const QRectF &keys = geometry.keysTitle;
            for (const QRectF &box : {geometry.title, queries, keys})
                QVERIFY2(view.contains(box), qPrintable(u"%1: %2–%3"_s.arg(width).arg(box.left()).arg(box.right())));
            QVERIFY(queries.right() < keys.left());
            QVERIFY(queries.left() <= geometry.left && keys.right() >= geometry.right); // each on its own side
            if (needed + 40 < width)
                QVERIFY(isWhole(queries, picture.lines.queriesTitle) && isWhole(keys, picture.lines.keysTitle));
            QVERIFY(isWhole(keys, picture.lines.keysTitle)); // the shorter one always
        }
    }
}

void TestAttentionViews::hoverShowsOneTokensLines()
{
    Opened opened;
    opened.show(AttentionView::Lines);
    HeadLinesView &view = opened.page.lines();
    const LinesGeometry geometry = view.geometry();
    const QImage before = view.viewport()->grab().toImage();
    QTest::mouseMove(view.viewport(), QPointF(geometry.right + 5, geometry.y(2)).toPoint());
    QTRY_COMPARE(view.picture().hover, (LineToken{true, 2}));
    QVERIFY(before != view.viewport()->grab().toImage());
    QVERIFY2(view.readout().startsWith(u"dog: encoder.1."_s) && view.readout().contains(u'←'),
             qPrintable(view.readout()));
    QCOMPARE(view.accessibleDescription(), view.readout());
    view.setFocus();
    QTest::keyClick(&view, Qt::Key_Down);
    QCOMPARE(view.picture().hover, (LineToken{true, 3}));
    QTest::keyClick(&view, Qt::Key_Left);
    QCOMPARE(view.picture().hover, (LineToken{false, 3}));
    QVERIFY(view.readout().contains(u'→'));
    QTest::keyClick(&view, Qt::Key_Escape);
    QVERIFY(!view.picture().hover);
}

void TestAttentionViews::severalTokensAreAddedUp()
{
    Opened opened;
    opened.study.state.setSelection({{HeadKind::Encoder, 1, 3}}, HeadRef{HeadKind::Encoder, 1, 3});
    opened.show(AttentionView::Lines);
    HeadLinesView &view = opened.page.lines();
    const HeadLines &lines = view.picture().lines;
    const LinesGeometry geometry = view.geometry();
    const auto at = [&](int place) { return QPointF(geometry.left - 5, geometry.y(place)).toPoint(); };
    QTest::mouseClick(view.viewport(), Qt::LeftButton, {}, at(2));
    QTest::mouseClick(view.viewport(), Qt::LeftButton, Qt::ControlModifier, at(5));
    QCOMPARE(view.picture().chosen, (std::set<LineToken>{{false, 2}, {false, 5}}));
    QTest::mouseMove(view.viewport(), QPoint(2, 2));
    QTRY_VERIFY(!view.picture().hover);
    // The key that both together look at most, and how much.
    const AttentionTable table = attentionTableOf(*opened.study.state.attention(), {HeadKind::Encoder, 1, 3}, {});
    std::vector<double> sums;
    for (std::size_t key = 0; key < lines.keys.size(); ++key)
        sums.push_back(table.weight(2, key) + table.weight(5, key));
    const auto most = static_cast<std::size_t>(std::ranges::max_element(sums) - sums.begin());
    const QString expected
        = u"dog + ing: encoder.1.3 → %1 %2"_s.arg(lines.keys[most].text, QString::number(sums[most], 'f', 2));
    QVERIFY2(view.readout().startsWith(expected), qPrintable(view.readout() + u" for "_s + expected));
    QCOMPARE(view.accessibleDescription(), view.readout());
    // By keys: Space chooses one more, or one less.
    view.setFocus();
    QTest::keyClick(&view, Qt::Key_Down);
    QTest::keyClick(&view, Qt::Key_Space);
    QVERIFY(view.picture().chosen.contains({false, 0}));
    QTest::keyClick(&view, Qt::Key_Space);
    QCOMPARE(view.picture().chosen.size(), 2U);
    QTest::mouseClick(view.viewport(), Qt::LeftButton, {},
                      at(2)); // this one alone is no more chosen, nor are the others
    QVERIFY(view.picture().chosen.empty());
}

void TestAttentionViews::stripSwitchesHeads()
{
    Opened opened;
    opened.show(AttentionView::Lines);
    HeadStrip &strip = opened.page.strip();
    StudyState &state = opened.study.state;
    QCOMPARE(strip.heads().size(), 8U);
    QCOMPARE(strip.chosen(), state.selection());
    QTest::mouseClick(&strip, Qt::LeftButton, {}, strip.squareOf(5).center());
    QVERIFY(state.selection().contains({HeadKind::Encoder, 1, 5}));
    QCOMPARE(opened.page.lines().picture().lines.heads.size(), 3U);
    QTest::mouseClick(&strip, Qt::LeftButton, {}, strip.squareOf(5).center());
    QCOMPARE(opened.page.lines().picture().lines.heads.size(), 2U);
    strip.setFocus();
    QTest::keyClick(&strip, Qt::Key_Right);
    QTest::keyClick(&strip, Qt::Key_Return); // this one alone
    QCOMPARE(state.selection(), (std::set<HeadRef>{{HeadKind::Encoder, 1, 6}}));
    QTest::keyClick(&strip, Qt::Key_Space); // the last one stays on
    QCOMPARE(state.selection().size(), 1U);
    QTest::keyClick(&strip, Qt::Key_Return); // alone already: all of them
    QCOMPARE(state.selection().size(), 8U);
    QTest::mouseDClick(&strip, Qt::LeftButton, {}, strip.squareOf(2).center());
    QCOMPARE(state.selection(), (std::set<HeadRef>{{HeadKind::Encoder, 1, 2}}));
}

void TestAttentionViews::viewsShareTheSelection()
{
    Opened opened;
    opened.show(AttentionView::Maps);
    MapsView &maps = opened.page.maps();
    const HeadRef head{HeadKind::Encoder, 2, 4};
    QTest::mouseClick(maps.viewport(), Qt::LeftButton, {}, maps.placeOf(head).center().toPoint());
    QCOMPARE(opened.study.state.currentHead(), head);
    QCOMPARE(maps.picture().current, head);
    QTest::mouseMove(maps.viewport(), maps.placeOf({HeadKind::Encoder, 0, 1}).center().toPoint());
    QTRY_COMPARE(opened.study.state.hoveredHead(), (HeadRef{HeadKind::Encoder, 0, 1}));
    maps.setFocus();
    QTest::keyClick(&maps, Qt::Key_Right);
    QCOMPARE(opened.study.state.currentHead(), (HeadRef{HeadKind::Encoder, 2, 5}));
    QTest::keyClick(&maps, Qt::Key_Up);
    QCOMPARE(opened.study.state.currentHead(), (HeadRef{HeadKind::Encoder, 3, 5}));
    QTest::keyClick(&maps, Qt::Key_Down);
    QTest::keyClick(&maps, Qt::Key_Down);
    QCOMPARE(opened.study.state.currentHead(), (HeadRef{HeadKind::Encoder, 1, 5}));
    // Layer 0 lies at the side where grids have it.
    const auto topOf = [&](int layer) { return maps.placeOf({HeadKind::Encoder, layer, 0}).top(); };
    QVERIFY(topOf(0) > topOf(3));
    UsualRows::instance().set(GridRows::FirstAbove);
    QVERIFY(topOf(0) < topOf(3));
    UsualRows::instance().set(GridRows::LastAbove);
    // The number of each head stands over its column.
    maps.verticalScrollBar()->setValue(0);
    const QImage seen = maps.viewport()->grab().toImage();
    const auto inkOver = [&](const QRectF &place) {
        const double line = QFontMetricsF(maps.font(), &maps).height();
        const QRect box = QRectF(place.left(), place.top() - 4 - line, place.width(), line).toRect();
        int ink = 0;
        for (int y = box.top() + 1; y < box.bottom(); ++y) {
            for (int x = box.left() + 1; x < box.right(); ++x)
                ink += seen.pixelColor(x, y) != maps.picture().palette.paper;
        }
        return ink;
    };
    for (int number = 0; number < 8; ++number)
        QVERIFY2(inkOver(maps.placeOf({HeadKind::Encoder, 3, number})) > 5, qPrintable(QString::number(number)));
    opened.show(AttentionView::Lines);
    QCOMPARE(opened.page.lines().picture().lines.heads, (std::vector<HeadRef>{{HeadKind::Encoder, 1, 5}}));
}

void TestAttentionViews::thumbnailKeepsTheLargest()
{
    AttentionTable table;
    table.rows.resize(4);
    table.columns.resize(4);
    table.weights = {0.1, 0.9, 0, 0, 0.2, 0.1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0.5};
    const QImage small = mapThumbnail(table, 2, Appearance::Light);
    QCOMPARE(small.size(), QSize(2, 2));
    const ColorScale scale = ColorScale::sequential(0, 1);
    QCOMPARE(small.pixelColor(0, 0), QColor(scale.color(0.9).rgb()));
    QCOMPARE(small.pixelColor(1, 0), QColor(scale.color(0).rgb()));
    QCOMPARE(small.pixelColor(1, 1), QColor(scale.color(0.5).rgb()));
    QCOMPARE(mapThumbnail(table, 10, Appearance::Light).size(), QSize(4, 4));
    QVERIFY(mapThumbnail({}, 10, Appearance::Light).isNull());
}

void TestAttentionViews::thumbnailsAreMadeWhereTheyAreSeen()
{
    MapsView view;
    view.resize(700, 300);
    view.show();
    QVERIFY(QTest::qWaitForWindowExposed(&view));
    MapsPicture picture;
    picture.attention = std::make_shared<AttentionResult>(madeUpAttention());
    picture.layout = layoutOf(*picture.attention);
    view.setPicture(picture);
    view.viewport()->repaint();
    QCOMPARE(view.made(), 0); // the first painting waits for none
    QTRY_VERIFY(view.made() >= 8);
    QTest::qWait(50);
    QVERIFY(view.made() < picture.layout.size()); // what is scrolled away is not made
    view.verticalScrollBar()->setValue(view.verticalScrollBar()->maximum());
    const int before = view.made();
    QTRY_VERIFY(view.made() > before);
    // The same again keeps them.
    const int made = view.made();
    view.setPicture(picture);
    QCOMPARE(view.made(), made);
}

void TestAttentionViews::zoomShowsTheHead()
{
    Opened opened;
    opened.show(AttentionView::Maps);
    MapsView &maps = opened.page.maps();
    const HeadRef head{HeadKind::Encoder, 1, 3};
    QTest::mouseDClick(maps.viewport(), Qt::LeftButton, {}, maps.placeOf(head).center().toPoint());
    QCOMPARE(opened.page.controls().view(), AttentionView::HeatMap);
    QCOMPARE(opened.study.state.currentHead(), head);
    QVERIFY(opened.page.heatMap().picture().title.startsWith(u"encoder.1.3"_s));
}

void TestAttentionViews::headsThatAnExampleNeedsAreMarked()
{
    Opened opened;
    StudyState &state = opened.study.state;
    opened.page.setSentences(Domain::In, 3, [](std::int64_t row) {
        return DataRow{"sentence " + std::to_string(row), {}, {}};
    });
    state.setSentence(Domain::In, 1);
    NeededBar &bar = opened.page.needed();
    QVERIFY(!bar.isVisible()); // it belongs to the thumbnails
    opened.show(AttentionView::Maps);
    QVERIFY(bar.isVisible());
    QVERIFY(!bar.computeButton().isEnabled()); // no session is open
    QVERIFY(!bar.computeButton().toolTip().isEmpty());
    QVERIFY(!bar.setBox().isVisible());
    QVERIFY(!opened.page.maps().picture().marked);
    const HeadRef first{HeadKind::Encoder, 1, 0};
    const HeadRef second{HeadKind::Cross, 2, 4};
    NeededResult result;
    result.manifest = madeup::manifest("needed", false);
    result.example = 1;
    result.output = "Un chien";
    for (const HeadRef &head : state.layout().heads())
        result.heads.push_back({head});
    result.sets = {{NeededGoal::Keep, {first, second}, MinimalityProof::NoOne, "Un chien"},
                   {NeededGoal::Flip, {second}, MinimalityProof::Smallest, "Un chat"}};
    result.keeping = 1;
    state.addResult(Domain::In, std::make_shared<NeededResult>(result));
    QTRY_VERIFY(opened.page.maps().picture().marked);
    QCOMPARE(opened.page.maps().picture().marked->heads, (std::set<HeadRef>{first, second}));
    QVERIFY(opened.page.maps().picture().marked->isRound);
    QVERIFY2(bar.setBox().currentText().contains(u"“Un chien”"_s), qPrintable(bar.setBox().currentText()));
    QVERIFY(bar.note().contains(u"No single head"_s));
    state.selectHead(first);
    QVERIFY(opened.page.maps().accessibleDescription().contains(u"keeps the output"_s));
    bar.setBox().setCurrentIndex(2);
    QCOMPARE(opened.page.maps().picture().marked->heads, std::set<HeadRef>{second});
    QVERIFY(!opened.page.maps().picture().marked->isRound);
    QVERIFY(bar.note().contains(u"No smaller set"_s));
    const QList<ExportItem> items = opened.page.exportItems();
    const auto maps = std::ranges::find_if(items, [](const ExportItem &item) {
        return bool(item.csv) && item.html == nullptr && item.caption.contains(u"Marked"_s);
    });
    QVERIFY(maps != items.end());
    QVERIFY(QString::fromStdString(maps->csv()).startsWith(u"head,"_s));
    bar.setBox().setCurrentIndex(0);
    QVERIFY(!opened.page.maps().picture().marked);
    bar.setBox().setCurrentIndex(1);
    state.setSentence(Domain::In, 2); // of which nothing is known
    QTRY_VERIFY(!opened.page.maps().picture().marked);
    QVERIFY(!bar.result());
    state.setSentence(Domain::In, 1);
    QTRY_VERIFY(opened.page.maps().picture().marked);
    opened.show(AttentionView::HeatMap);
    QVERIFY(!bar.isVisible());
}

void TestAttentionViews::exportsWhatIsShown()
{
    Opened opened;
    opened.show(AttentionView::Lines);
    const QList<ExportItem> items = opened.page.exportItems();
    QCOMPARE(items.size(), 3);
    QVERIFY2(items[0].name.startsWith(u"Attention as lines"_s), qPrintable(items[0].name));
    const std::string csv = items[0].csv();
    QCOMPARE(static_cast<std::size_t>(std::ranges::count(csv, '\n')),
             opened.page.lines().picture().lines.lines.size() + 1);
    for (const ExportItem &item : items) {
        for (const ExportFormat format : {ExportFormat::Png, ExportFormat::Svg, ExportFormat::Html})
            QVERIFY(exportedBytes(item, {.format = format, .dpi = 96}).isOk());
    }
    const QByteArray html = exportedBytes(items[0], {.format = ExportFormat::Html}).value();
    QVERIFY(html.startsWith("<!DOCTYPE html>"));
    QVERIFY(!html.contains("src=\"") && !html.contains("href=\"")); // one file that needs no other
    QCOMPARE(html.count("<line "), static_cast<qsizetype>(opened.page.lines().picture().lines.lines.size()));
    QVERIFY(html.contains("&lt;/s&gt;")); // tokens are no tags
}

void TestAttentionViews::theStudyKeepsTheBoxes()
{
    Opened opened;
    QVERIFY(opened.page.arrangement().isEmpty());
    opened.show(AttentionView::Maps);
    opened.page.controls().joinBox().click();
    opened.page.controls().hideBox().click();
    opened.page.controls().treeBox().click();
    const QJsonObject kept = opened.page.arrangement();
    Opened again;
    again.page.setArrangement(kept);
    QVERIFY(again.page.controls().view() == AttentionView::Maps);
    QVERIFY(again.page.controls().joinBox().isChecked() && again.page.controls().hideBox().isChecked());
    QVERIFY(!again.page.controls().treeBox().isChecked());
    QCOMPARE(again.page.arrangement(), kept);
    again.page.setArrangement({{u"view"_s, 9}, {u"tree"_s, u"no"_s}}); // of a stranger
    QVERIFY(again.page.arrangement().isEmpty());
}

void TestAttentionViews::framesOfLongTexts()
{
    const auto attention = std::make_shared<AttentionResult>(largeAttention());
    const HeadLayout layout = layoutOf(*attention);
    HeadLinesView lines;
    lines.resize(1200, 800);
    lines.show();
    QVERIFY(QTest::qWaitForWindowExposed(&lines));
    std::vector<HeadRef> heads(layout.heads().begin(), layout.heads().begin() + 12); // of a layer
    QElapsedTimer timer;
    timer.start();
    lines.setPicture({.lines = makeHeadLines(*attention, heads, {})});
    const double made = static_cast<double>(timer.nsecsElapsed()) / 1e6;
    const double scrolled = longestFrame(lines, [&](int step) { lines.verticalScrollBar()->setValue(step * 200); });
    const int side = static_cast<int>(lines.geometry().left) - 5;
    const double hovered
        = longestFrame(lines, [&](int step) { QTest::mouseMove(lines.viewport(), QPoint(side, 60 + 15 * step)); });
    qInfo("512 tokens, lines of 12 heads: made in %.1f ms; longest frame %.1f ms scrolling, %.1f ms hovering", made,
          scrolled, hovered);
    MapsView maps;
    maps.resize(1200, 800);
    maps.show();
    QVERIFY(QTest::qWaitForWindowExposed(&maps));
    timer.restart();
    maps.setPicture({.attention = attention, .options = {}, .layout = layout});
    maps.viewport()->repaint();
    const double first = static_cast<double>(timer.nsecsElapsed()) / 1e6;
    QTest::qWait(2000);
    QVERIFY(maps.made() > 0);
    const double moved = longestFrame(maps, [&](int step) { maps.verticalScrollBar()->setValue(step * 20); });
    qInfo("512 tokens, 144 heads: first painting %.1f ms, longest frame %.1f ms scrolling", first, moved);
}

void TestAttentionViews::looks_data()
{
    QTest::addColumn<bool>("dark");
    QTest::newRow("light") << false;
    QTest::newRow("dark") << true;
}

void TestAttentionViews::looks()
{
    QFETCH(bool, dark);
    const QString suffix = dark ? u"-dark"_s : u"-light"_s;
    Opened opened;
    if (dark) {
        opened.page.setPalette(darkPalette());
        opened.page.setAutoFillBackground(true);
    }
    opened.show(AttentionView::Lines);
    QCoreApplication::processEvents();
    keepPicture(opened.page, u"attention-lines"_s + suffix);
    opened.page.lines().setFocus();
    for (int token = 0; token < 5; ++token)
        QTest::keyClick(&opened.page.lines(), Qt::Key_Down);
    QCOMPARE(opened.page.lines().picture().hover, (LineToken{false, 4}));
    keepPicture(opened.page, u"attention-lines-hover"_s + suffix);
    opened.show(AttentionView::Maps);
    QTRY_VERIFY(opened.page.maps().made() >= 24);
    QCoreApplication::processEvents();
    keepPicture(opened.page, u"attention-maps"_s + suffix);
}

QTEST_MAIN(TestAttentionViews)
#include "tst_attentionviews.moc"

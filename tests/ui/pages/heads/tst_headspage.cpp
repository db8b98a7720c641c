// The page of the grid: what fills its room, its table and the line that looks for heads, by real events.
#include "tests/support/madeupstate.h"
#include "tests/support/nowarnings.h"
#include "tests/support/picture.h"
#include "ui/pages/heads/headspage.h"

#include <QContextMenuEvent>
#include <QLineEdit>
#include <QMenu>
#include <QTableView>
#include <QTest>
#include <QToolButton>

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>

using namespace headscope;
using namespace Qt::StringLiterals;

class TestHeadsPage : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init() { failOnQtWarnings(); }

    void smallGridsFillWhatIsLeft_data();
    void smallGridsFillWhatIsLeft();
    void smallGridsAreTheOtherMeasures();
    void smallGridsShareTheSelection();
    void aTitleShowsItsGridLarge();
    void enterShowsASmallGridLarge();
    void withoutOtherMeasuresTheGridHasAll();
    void theGridStaysWhereItIs_data();
    void theGridStaysWhereItIs();
    void headsAlikeAreSelected();
    void tableAndGridShareTheSelection();
    void whatIsTypedIsSelected();
    void escapeBringsBackTheSelection();
    void sortedHeadsKeepTheirAddresses();
    void firstLayerCanLieAbove();
    void theStudyKeepsTheOrder();
    void pinsByKeyAndMenu();
    void looks_data();
    void looks();

private:
    static void show(HeadsPage &page, QSize size = {760, 640})
    {
        page.resize(size);
        page.show();
        QVERIFY(QTest::qWaitForWindowExposed(&page));
        QCoreApplication::processEvents();
    }
    /// An entry of the box "Order".
    static QAction &orderAction(HeadsPage &page, const QString &beginning)
    {
        for (QAction *action : page.findChild<QToolButton *>(u"gridOrder"_s)->menu()->actions()) {
            if (action->text().remove(u'&').startsWith(beginning))
                return *action;
        }
        throw std::logic_error("no such order");
    }
    static QLineEdit &openFinder(HeadsPage &page)
    {
        page.find();
        return *page.findChild<QLineEdit *>(u"headQuery"_s);
    }
};

void TestHeadsPage::smallGridsFillWhatIsLeft_data()
{
    QTest::addColumn<QSize>("size");
    QTest::newRow("usual") << QSize(704, 700);
    QTest::newRow("wide") << QSize(1500, 600);
    QTest::newRow("high") << QSize(600, 1400);
}

void TestHeadsPage::smallGridsFillWhatIsLeft()
{
    QFETCH(QSize, size);
    MadeUp study;
    HeadsPage page(study.state, study.controller);
    show(page, size);
    QVERIFY(page.others().isVisible());
    const QRect grid(page.grid().mapTo(&page, QPoint()), page.grid().size());
    const QRect others(page.others().mapTo(&page, QPoint()), page.others().size());
    QVERIFY(!grid.intersects(others));
    QVERIFY(page.rect().contains(others));
    int shown = 0;
    for (const SmallGrid *small : page.others().grids()) {
        if (!small->isVisible())
            continue;
        ++shown;
        QVERIFY(page.others().rect().contains(small->geometry()));
        QVERIFY(small->cellRect({HeadKind::Cross, 1, 3}).width() >= 3);
    }
    QVERIFY(shown >= 1);
    // Nothing of the large grid is scrolled away for them.
    for (const HeadRef &head : study.state.layout().heads())
        QVERIFY(page.grid().viewport()->rect().contains(page.grid().cellRect(head)));
}

void TestHeadsPage::smallGridsAreTheOtherMeasures()
{
    MadeUp study;
    HeadsPage page(study.state, study.controller);
    show(page);
    const auto &grids = page.others().grids();
    // Ablation in-domain is shown: the same out-of-domain and their difference, then two measures on either data set.
    QCOMPARE(grids.size(), 6U);
    QVERIFY(grids[0]->measure() == Measure::AblationDelta && grids[0]->view() == DomainView::Out);
    QVERIFY(grids[1]->measure() == Measure::AblationDelta && grids[1]->view() == DomainView::Difference);
    QVERIFY(grids[2]->measure() == Measure::Importance && grids[2]->view() == DomainView::In);
    study.state.setMeasure(Measure::Confidence);
    QVERIFY(std::ranges::none_of(page.others().grids(), [](const SmallGrid *grid) {
        return grid->measure() == Measure::Confidence && grid->view() == DomainView::In;
    }));
}

void TestHeadsPage::smallGridsShareTheSelection()
{
    MadeUp study;
    HeadsPage page(study.state, study.controller);
    show(page);
    SmallGrid &small = *page.others().grids().front();
    const HeadRef head{HeadKind::Cross, 2, 5};
    QTest::mouseClick(&small, Qt::LeftButton, {}, small.cellRect(head).center());
    QVERIFY(study.state.currentHead() == head);
    QVERIFY(small.accessibleDescription().contains(u"cross.2.5"_s));
    QTest::mouseMove(&small, small.cellRect({HeadKind::Encoder, 0, 1}).center());
    QTRY_VERIFY(study.state.hoveredHead() == (HeadRef{HeadKind::Encoder, 0, 1}));
    small.setFocus();
    QTest::keyClick(&small, Qt::Key_Right);
    QVERIFY(study.state.currentHead() == (HeadRef{HeadKind::Cross, 2, 6}));
    QTest::keyClick(&small, Qt::Key_Up);
    QVERIFY(study.state.currentHead() == (HeadRef{HeadKind::Cross, 3, 6}));
}

void TestHeadsPage::aTitleShowsItsGridLarge()
{
    MadeUp study;
    HeadsPage page(study.state, study.controller);
    show(page);
    SmallGrid &small = *page.others().grids()[2];
    const Measure measure = small.measure();
    QTest::mouseClick(&small, Qt::LeftButton, {}, QPoint(20, 4));
    QTRY_VERIFY(study.state.measure() == measure);
    QVERIFY(page.model().content().measure.contains(u"mportance"_s));
}

void TestHeadsPage::enterShowsASmallGridLarge()
{
    MadeUp study;
    HeadsPage page(study.state, study.controller);
    show(page);
    SmallGrid &small = *page.others().grids().front();
    small.setFocus();
    QTest::keyClick(&small, Qt::Key_Return);
    QTRY_VERIFY(study.state.domainView() == DomainView::Out);
}

void TestHeadsPage::withoutOtherMeasuresTheGridHasAll()
{
    MadeUp study(false);
    HeadsPage page(study.state, study.controller);
    study.state.setDomainView(DomainView::Out); // nothing there; in-domain has all
    show(page);
    QVERIFY(!page.others().grids().empty());
    StudyState empty;
    StudyController controller(empty);
    HeadsPage bare(empty, controller);
    show(bare);
    QVERIFY(!bare.others().isVisible());
}

void TestHeadsPage::theGridStaysWhereItIs_data()
{
    QTest::addColumn<QSize>("size");
    QTest::newRow("680 x 480, docks folded") << QSize(600, 380);
    QTest::newRow("1280 x 800, both docks") << QSize(704, 680);
    QTest::newRow("1280 x 800, docks folded") << QSize(1200, 680);
    QTest::newRow("2560 x 1440") << QSize(2000, 1300);
}

/// From the first moment to the last result, and whatever the lines above it say; and it has most of the page.
void TestHeadsPage::theGridStaysWhereItIs()
{
    QFETCH(QSize, size);
    MadeUp whole;
    const ModelCard card = *whole.state.model();
    StudyState state;
    StudyController controller(state);
    controller.setAutomatic(false);
    state.setModel(card, nullptr);
    for (const Domain domain : kBothDomains) {
        DataCard data;
        data.name
            = domain == Domain::In ? "a name that is much longer than the room which there is for it on the page" : "b";
        data.rows = 1000;
        data.hash = domain == Domain::In ? "in" : "out";
        state.setData(domain, data);
    }
    HeadsPage page(state, controller);
    show(page, size);
    const auto places = [&] {
        QCoreApplication::processEvents();
        std::vector<QRect> all;
        for (const HeadRef &head : state.layout().heads())
            all.push_back(page.grid().cellRect(head).translated(page.grid().mapTo(&page, QPoint())));
        return all;
    };
    const std::vector<QRect> before = places();
    for (const Domain domain : kBothDomains) {
        state.addResult(domain, madeup::confidence(domain == Domain::Out));
        QVERIFY(places() == before);
        state.addResult(domain, madeup::ablation(domain == Domain::Out));
        QVERIFY(places() == before);
        state.addResult(domain, madeup::importance(domain == Domain::Out));
        QVERIFY(places() == before);
    }
    for (const Measure measure : {Measure::Importance, Measure::Confidence, Measure::AblationDelta}) {
        state.setMeasure(measure);
        QVERIFY(places() == before);
    }
    const double share = double(page.grid().width()) * page.grid().height() / (double(page.width()) * page.height());
    QVERIFY2(share >= 0.6 || size.height() < 500, qPrintable(QString::number(share)));
    QVERIFY2(share >= 0.5, qPrintable(QString::number(share)));
}

void TestHeadsPage::headsAlikeAreSelected()
{
    MadeUp study;
    HeadsPage page(study.state, study.controller);
    show(page);
    const HeadRef head{HeadKind::Cross, 2, 5};
    study.state.selectHead(head);
    QMenu menu;
    page.grid().fillContextMenu(menu, head);
    const auto submenus = menu.findChildren<QMenu *>();
    QCOMPARE(submenus.size(), 1);
    QAction *layer = nullptr;
    for (QAction *action : submenus.front()->actions()) {
        if (action->text().contains(u"same layer"_s))
            layer = action;
    }
    QVERIFY(layer && layer->text().contains(u"8 heads"_s));
    layer->trigger();
    QCOMPARE(study.state.selection().size(), 8U);
    QMenu again;
    page.grid().fillContextMenu(again, head);
    QCOMPARE(again.actions().front()->text().remove(u'&'), u"Mask 8 heads"_s);
    again.actions().front()->trigger();
    QCOMPARE(study.state.mask().size(), 8);
}

void TestHeadsPage::tableAndGridShareTheSelection()
{
    MadeUp study;
    HeadsPage page(study.state, study.controller);
    show(page);
    QTest::mouseClick(page.findChild<QToolButton *>(u"asTable"_s), Qt::LeftButton);
    auto &table = *page.findChild<QTableView *>();
    QVERIFY(table.isVisible());
    const HeadRef two[] = {{HeadKind::Decoder, 1, 2}, {HeadKind::Encoder, 3, 7}};
    study.state.setSelection({two[0], two[1]}, two[1]);
    const auto rows = table.selectionModel()->selectedRows();
    QCOMPARE(rows.size(), 2);
    for (const QModelIndex &row : rows)
        QVERIFY(std::ranges::find(two, row.data(HeadRefRole).value<HeadRef>()) != std::end(two));
    QVERIFY(table.currentIndex().data(HeadRefRole).value<HeadRef>() == two[1]);
    // And back.
    table.setFocus();
    table.scrollToTop();
    const QModelIndex first = table.model()->index(0, 0);
    QTest::mouseClick(table.viewport(), Qt::LeftButton, {}, table.visualRect(first).center());
    QCOMPARE(study.state.selection().size(), 1U);
    QVERIFY(study.state.currentHead() == first.data(HeadRefRole).value<HeadRef>());
    QTest::keyClick(&table, Qt::Key_Down, Qt::ShiftModifier);
    QCOMPARE(study.state.selection().size(), 2U);
}

void TestHeadsPage::whatIsTypedIsSelected()
{
    MadeUp study;
    HeadsPage page(study.state, study.controller);
    show(page);
    QLineEdit &words = openFinder(page);
    QVERIFY(words.isVisible());
    QTest::keyClicks(&words, u"cross.3"_s);
    QCOMPARE(study.state.selection().size(), 8U);
    QVERIFY(study.state.currentHead() == (HeadRef{HeadKind::Cross, 3, 0}));
    QTest::keyClicks(&words, u" rank<=3"_s);
    for (const HeadRef &head : study.state.selection())
        QVERIFY(page.model().content().cell(head)->rank <= 3);
    QTest::keyClick(&words, Qt::Key_Return);
    QVERIFY(words.isVisible() && !words.hasFocus() && page.grid().hasFocus());
}

void TestHeadsPage::escapeBringsBackTheSelection()
{
    MadeUp study;
    HeadsPage page(study.state, study.controller);
    show(page);
    const HeadRef head{HeadKind::Encoder, 1, 1};
    study.state.selectHead(head);
    QLineEdit &words = openFinder(page);
    QTest::keyClicks(&words, u"decoder"_s);
    QCOMPARE(study.state.selection().size(), 32U);
    QTest::keyClick(&words, Qt::Key_Escape);
    QVERIFY(words.text().isEmpty() && !words.hasFocus());
    QVERIFY(study.state.selection() == std::set<HeadRef>{head});
}

void TestHeadsPage::sortedHeadsKeepTheirAddresses()
{
    MadeUp study;
    HeadsPage page(study.state, study.controller);
    show(page);
    const std::string csv = page.exportItems().front().csv();
    orderAction(page, u"Layers by the mean rank"_s).trigger();
    orderAction(page, u"Heads of each layer"_s).trigger();
    QVERIFY(page.sorting() == (GridSorting{GridRows::ByRank, true}));
    HeadGridView &grid = page.grid();
    const GridContent &content = page.model().content();
    const auto rankOf = [&](const HeadRef &head) { return content.cell(head)->rank; };
    for (const HeadLayout::Block &block : content.layout.blocks()) {
        std::map<int, std::pair<double, int>> layers; // by their places: sum of ranks, heads
        for (int layer = 0; layer < std::ssize(block.layers); ++layer) {
            std::map<int, int> ranks; // by place from the left
            for (const int number : block.layers[static_cast<std::size_t>(layer)]) {
                const HeadRef head{block.kind, layer, number};
                ranks[grid.cellRect(head).left()] = rankOf(head);
                auto &[sum, count] = layers[grid.cellRect(head).top()];
                sum += rankOf(head);
                ++count;
            }
            QCOMPARE(ranks.size(), block.layers[static_cast<std::size_t>(layer)].size()); // a place for each
            QVERIFY(std::ranges::is_sorted(ranks, {}, [](const auto &place) { return place.second; }));
        }
        QCOMPARE(layers.size(), block.layers.size());
        QVERIFY(std::ranges::is_sorted(layers, {},
                                       [](const auto &place) { return place.second.first / place.second.second; }));
    }
    // Whatever is clicked, reached by keys, pointed at or exported is the head that lies there.
    const HeadRef head{HeadKind::Cross, 2, 5};
    QTest::mouseClick(grid.viewport(), Qt::LeftButton, {}, grid.cellRect(head).center());
    QVERIFY(study.state.currentHead() == head);
    QVERIFY2(grid.accessibleName().startsWith(u"cross.2.5:"_s), qPrintable(grid.accessibleName()));
    grid.setFocus();
    QTest::keyClick(&grid, Qt::Key_Left);
    const HeadRef left = *study.state.currentHead();
    QVERIFY(left.kind == head.kind && left.layer == head.layer ? rankOf(left) < rankOf(head)
                                                               : left.kind == HeadKind::Encoder);
    QTest::mouseMove(grid.viewport(), grid.cellRect(head).center());
    QTRY_VERIFY(study.state.hoveredHead() == head);
    QCOMPARE(page.exportItems().front().csv(), csv);
    // Heads of the small grids lie where they lie in the large one.
    const SmallGrid &small = *page.others().grids().front();
    const HeadRef other{HeadKind::Cross, 0, 3};
    const auto isLeft = [](const auto &shown, const HeadRef &a, const HeadRef &b) {
        return shown.cellRect(a).left() < shown.cellRect(b).left();
    };
    const auto isAbove = [](const auto &shown, const HeadRef &a, const HeadRef &b) {
        return shown.cellRect(a).top() < shown.cellRect(b).top();
    };
    QCOMPARE(isLeft(small, head, other), isLeft(grid, head, other));
    QCOMPARE(isAbove(small, head, other), isAbove(grid, head, other));
    // Another measure, another order.
    study.state.setMeasure(Measure::Importance);
    const auto &heads = page.model().content().layout.block(HeadKind::Encoder)->layers[1];
    const int first = *std::ranges::min_element(heads, {}, [&](int number) {
        return rankOf({HeadKind::Encoder, 1, number});
    });
    for (const int number : heads)
        QVERIFY(grid.cellRect({HeadKind::Encoder, 1, first}).left()
                <= grid.cellRect({HeadKind::Encoder, 1, number}).left());
}

void TestHeadsPage::firstLayerCanLieAbove()
{
    MadeUp study;
    HeadsPage page(study.state, study.controller);
    show(page);
    HeadGridView &grid = page.grid();
    const HeadRef first{HeadKind::Encoder, 0, 2};
    const HeadRef second{HeadKind::Encoder, 1, 2};
    QVERIFY(grid.cellRect(second).bottom() < grid.cellRect(first).top() + 2);
    orderAction(page, u"First layer above"_s).trigger();
    QVERIFY(grid.cellRect(first).bottom() < grid.cellRect(second).top() + 2);
    QCOMPARE(grid.cellRect(first).left(), grid.cellRect(second).left());
    study.state.selectHead(first);
    grid.setFocus();
    QTest::keyClick(&grid, Qt::Key_Down); // as it looks
    QVERIFY(study.state.currentHead() == second);
    QVERIFY(grid.order().axesText().contains(u"layer ↓"_s));
}

void TestHeadsPage::theStudyKeepsTheOrder()
{
    MadeUp study;
    HeadsPage page(study.state, study.controller);
    QVERIFY(page.arrangement().isEmpty());
    page.setSorting({GridRows::FirstAbove, true});
    const QJsonObject kept = page.arrangement();
    HeadsPage again(study.state, study.controller);
    show(again);
    again.setArrangement(kept);
    QVERIFY(again.sorting() == page.sorting());
    QVERIFY(orderAction(again, u"First layer above"_s).isChecked() && orderAction(again, u"Heads of"_s).isChecked());
    QVERIFY(again.grid().order().sorting() == page.sorting());
    again.setArrangement({{u"rows"_s, 7}, {u"headsByRank"_s, u"yes"_s}}); // of a stranger
    QVERIFY(again.sorting() == (GridSorting{GridRows::FirstAbove, false}));
    UsualRows::instance().set(GridRows::LastAbove);
}

void TestHeadsPage::pinsByKeyAndMenu()
{
    MadeUp study;
    HeadsPage page(study.state, study.controller);
    show(page);
    HeadGridView &grid = page.grid();
    const HeadRef head{HeadKind::Cross, 2, 5};
    study.state.selectHead(head);
    grid.setFocus();
    const auto cornerOf = [&] {
        const QImage image = grid.viewport()->grab().toImage();
        return image.pixelColor(grid.cellRect(head).topRight() + QPoint(-4, 4));
    };
    const QColor plain = cornerOf();
    QTest::keyClick(&grid, Qt::Key_P);
    QVERIFY(study.state.pins() == std::set<HeadRef>{head});
    QVERIFY(cornerOf() != plain);
    QVERIFY2(page.model().sentence(head).endsWith(u", pinned"_s), qPrintable(page.model().sentence(head)));
    QVERIFY2(grid.accessibleName().endsWith(u", pinned"_s), qPrintable(grid.accessibleName()));
    // By the menu, several at once.
    const HeadRef other{HeadKind::Encoder, 1, 1};
    study.state.setSelection({head, other}, other);
    QContextMenuEvent event(QContextMenuEvent::Mouse, grid.cellRect(other).center(), QPoint(10, 10));
    QCoreApplication::sendEvent(grid.viewport(), &event);
    auto *menu = grid.findChild<QMenu *>();
    QVERIFY(menu);
    const auto actions = menu->actions();
    const auto pin = std::ranges::find_if(
        actions, [](const QAction *action) { return action->text().remove(u'&') == u"Pin 2 heads"_s; });
    QVERIFY(pin != actions.end());
    (*pin)->trigger();
    menu->close();
    QVERIFY(study.state.pins() == (std::set<HeadRef>{head, other}));
    QLineEdit &words = openFinder(page);
    QTest::keyClicks(&words, u"pinned encoder"_s);
    QVERIFY(study.state.selection() == std::set<HeadRef>{other});
    QTest::keyClick(&words, Qt::Key_Return);
    study.state.undoStack().undo();
    study.state.undoStack().undo();
    QVERIFY(study.state.pins().empty());
    QVERIFY(cornerOf() == plain);
}

void TestHeadsPage::looks_data()
{
    QTest::addColumn<bool>("dark");
    QTest::addColumn<QSize>("size");
    QTest::newRow("light") << false << QSize(1100, 640);
    QTest::newRow("dark") << true << QSize(1100, 640);
    QTest::newRow("light-wide") << false << QSize(1600, 900);
    QTest::newRow("dark-wide") << true << QSize(1600, 900);
}

void TestHeadsPage::looks()
{
    QFETCH(bool, dark);
    QFETCH(QSize, size);
    MadeUp study;
    HeadsPage page(study.state, study.controller);
    if (dark) {
        page.setPalette(darkPalette());
        page.setAutoFillBackground(true);
    }
    study.state.togglePins({{HeadKind::Cross, 2, 5}, {HeadKind::Encoder, 1, 1}});
    show(page, size);
    keepPicture(page, u"heads-pins-"_s + QString::fromLatin1(QTest::currentDataTag()));
    page.setSorting({GridRows::ByRank, true});
    QCoreApplication::processEvents();
    QVERIFY(page.grid().viewport()->rect().contains(page.grid().cellRect({HeadKind::Cross, 2, 5})));
    keepPicture(page, u"heads-sorted-"_s + QString::fromLatin1(QTest::currentDataTag()));
}

QTEST_MAIN(TestHeadsPage)
#include "tst_headspage.moc"

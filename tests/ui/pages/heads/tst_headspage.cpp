// The page of the grid: what fills its room, its table and the line that looks for heads, by real events.
#include "tests/support/madeupstate.h"
#include "tests/support/nowarnings.h"
#include "ui/pages/heads/headspage.h"

#include <QLineEdit>
#include <QTableView>
#include <QTest>
#include <QToolButton>

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
    void tableAndGridShareTheSelection();
    void whatIsTypedIsSelected();
    void escapeBringsBackTheSelection();

private:
    static void show(HeadsPage &page, QSize size = {760, 640})
    {
        page.resize(size);
        page.show();
        QVERIFY(QTest::qWaitForWindowExposed(&page));
        QCoreApplication::processEvents();
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
    QVERIFY(!words.isVisible());
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
    QVERIFY(!words.isVisible());
    QVERIFY(study.state.selection() == std::set<HeadRef>{head});
}

QTEST_MAIN(TestHeadsPage)
#include "tst_headspage.moc"

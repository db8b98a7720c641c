// The page of interactions with real events, on a study that is made up.
#include "tests/support/madeupstate.h"
#include "tests/support/nowarnings.h"
#include "ui/pages/pairs/pairspage.h"
#include "ui/views/headgridview.h"
#include "ui/views/matrixchart.h"

#include <QComboBox>
#include <QPushButton>
#include <QStandardPaths>
#include <QTabWidget>
#include <QTableView>
#include <QTest>

#include <algorithm>
#include <cmath>
#include <memory>

using namespace headscope;
using namespace Qt::StringLiterals;

namespace {
constexpr HeadRef kFirst{HeadKind::Encoder, 0, 1};
constexpr HeadRef kBackup{HeadKind::Encoder, 1, 2};
constexpr HeadRef kPartner{HeadKind::Cross, 0, 3};
constexpr HeadRef kIdle{HeadKind::Decoder, 2, 0};

HeadInteraction pairOf(HeadRef head, HeadRef other, double interaction, double p)
{
    HeadInteraction pair{.head = head, .other = other, .interval = {interaction - 0.5, interaction + 0.5}};
    pair.interaction = interaction;
    pair.together = interaction - 1.5;
    pair.p = pair.discoveryP = p;
    return pair;
}

/// One pair that is redundant, one that is synergetic, one that may be chance; the other three are not measured.
std::shared_ptr<InteractionsResult> madeUpPairs()
{
    auto result = std::make_shared<InteractionsResult>();
    result->manifest = madeup::manifest("interactions", false);
    result->metric = "BLEU";
    result->possible = 6;
    result->examples = 1000;
    result->heads = {{kFirst, -0.5}, {kBackup, -1}, {kPartner, -2}, {kIdle, 0}};
    result->pairs
        = {pairOf(kFirst, kBackup, -3, 0.001), pairOf(kFirst, kPartner, 2, 0.01), pairOf(kBackup, kIdle, 0.25, 0.4)};
    result->clusters.heads = {kFirst, kBackup, kPartner, kIdle};
    std::ranges::sort(result->clusters.heads);
    result->clusters.merges = {{0, 1, 0}, {2, 3, 1}, {4, 5, 1.25}};
    result->clusters.order = {0, 1, 2, 3};
    result->mean = {-0.25, {-0.4, -0.1}, 0.002, 1, 1, SingleAblation::Understates};
    return result;
}

class Shown
{
public:
    explicit Shown(const std::shared_ptr<const InteractionsResult> &result)
    {
        study.state.addResult(Domain::In, result);
        page.resize(1200, 700);
        page.show();
        (void)QTest::qWaitForWindowExposed(&page);
    }

    MadeUp study{};
    PairsPage page{study.state, study.controller};
};
} // namespace

class TestPairsPage final : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { QStandardPaths::setTestModeEnabled(true); }
    void init() { failOnQtWarnings(); }
    void saysWhatIsMissing();
    void theGridHasLinesForWhatIsSignificant();
    void theMatrixPutsRedundantHeadsTogether();
    void theListSelectsHeadsAndFollowsTheSelection();
    void selectedHeadsCanBeAskedFor();
    void triplesAreListedToo();
    void severalResultsCanBeChosen();
    void exportsBoth();
};

void TestPairsPage::saysWhatIsMissing()
{
    MadeUp study;
    PairsPage page(study.state, study.controller);
    page.show();
    QVERIFY(QTest::qWaitForWindowExposed(&page));
    QVERIFY(!page.computeButton().isEnabled()); // no session is open
    QVERIFY(!page.computeButton().toolTip().isEmpty());
    QVERIFY(page.matrix().picture().series.empty());
    QVERIFY(!page.matrix().accessibleDescription().isEmpty());
    QVERIFY(page.exportItems().isEmpty());
    QCOMPARE(page.spec().most, 200);
}

void TestPairsPage::theGridHasLinesForWhatIsSignificant()
{
    Shown shown(madeUpPairs());
    const GridContent &content = shown.page.grid().model().content();
    QCOMPARE(content.cell(kPartner)->value, std::optional(-2.0));
    QCOMPARE(content.valueCount(), 4);
    QCOMPARE(content.links.size(), 2U);
    QCOMPARE(content.links[0].other, kBackup);
    QVERIFY(!content.links[0].apart && content.links[0].strength == 1);
    QVERIFY(content.links[1].apart && std::abs(content.links[1].strength - 2.0 / 3) < 1e-9);
    // The lines are painted: without them the picture is another.
    const QImage with = shown.page.grid().grab().toImage();
    auto alone = madeUpPairs();
    alone->pairs.resize(0);
    Shown without(alone);
    QVERIFY(without.page.grid().model().content().links.empty());
    QVERIFY(with != without.page.grid().grab().toImage());
    // By a stricter convention fewer are significant.
    Significance strict = shown.study.state.significance();
    strict.level = 0.005;
    shown.study.state.setSignificance(strict);
    QTRY_COMPARE(shown.page.grid().model().content().links.size(), 1U);
}

void TestPairsPage::theMatrixPutsRedundantHeadsTogether()
{
    Shown shown(madeUpPairs());
    const MatrixSeries &series = shown.page.matrix().picture().series;
    QCOMPARE(series.leaves.size(), 4U);
    const auto place = [&](const HeadRef &head) {
        return static_cast<std::size_t>(std::ranges::find(series.leaves, head) - series.leaves.begin());
    };
    QCOMPARE(std::abs(static_cast<int>(place(kFirst)) - static_cast<int>(place(kBackup))), 1);
    QCOMPARE(series.values.at(place(kFirst), place(kBackup)), -3.0);
    QVERIFY(std::isnan(series.values.at(place(kFirst), place(kIdle))));
    QCOMPARE(series.joins.front().height, 0.0); // the two that stand in for each other most
    QCOMPARE(series.scale.kind(), ScaleKind::Diverging);
    QTRY_VERIFY(shown.page.matrix().geometry().step > 0);
    const MatrixGeometry &geometry = shown.page.matrix().geometry();
    const QPointF cell = geometry.cells.topLeft()
                       + QPointF((static_cast<double>(place(kBackup)) + 0.5) * geometry.step,
                                 (static_cast<double>(place(kFirst)) + 0.5) * geometry.step);
    QTest::mouseMove(&shown.page.matrix(), cell.toPoint());
    QTRY_VERIFY(shown.page.matrix().readout().contains(u"−3.00"_s));
    QTest::mouseClick(&shown.page.matrix(), Qt::LeftButton, {}, cell.toPoint());
    QCOMPARE(shown.study.state.selection(), (std::set<HeadRef>{kFirst, kBackup}));
}

void TestPairsPage::theListSelectsHeadsAndFollowsTheSelection()
{
    Shown shown(madeUpPairs());
    shown.page.tabs().setCurrentIndex(1);
    QAbstractItemModel &rows = *shown.page.table().model();
    QCOMPARE(rows.rowCount(), 3);
    const auto textOf = [&](int row, int column) { return rows.index(row, column).data().toString(); };
    QCOMPARE(textOf(0, PairsModel::VerdictColumn), u"stand in for each other"_s); // sorted by what they do
    QCOMPARE(textOf(0, PairsModel::InteractionColumn), u"−3.00"_s);
    QCOMPARE(textOf(0, PairsModel::AloneColumn), u"−1.50"_s);
    QCOMPARE(textOf(1, PairsModel::VerdictColumn), u"need each other"_s);
    QCOMPARE(textOf(2, PairsModel::VerdictColumn), u"may be chance"_s);
    QTest::mouseClick(shown.page.table().viewport(), Qt::LeftButton, {},
                      shown.page.table().visualRect(rows.index(1, 0)).center());
    QCOMPARE(shown.study.state.selection(), (std::set<HeadRef>{kFirst, kPartner}));
    shown.study.state.setSelection({kFirst, kBackup}, kFirst);
    QTRY_COMPARE(shown.page.table().currentIndex().row(), 0);
    shown.page.filterBox().setCurrentIndex(1); // significant
    QCOMPARE(rows.rowCount(), 2);
    shown.page.filterBox().setCurrentIndex(2); // with a selected head
    shown.study.state.selectHead(kIdle);
    QTRY_COMPARE(rows.rowCount(), 1);
    QCOMPARE(textOf(0, PairsModel::VerdictColumn), u"may be chance"_s);
}

void TestPairsPage::selectedHeadsCanBeAskedFor()
{
    Shown shown(madeUpPairs());
    shown.study.state.setSelection({kFirst, kBackup, kIdle}, kFirst);
    shown.page.scopeBox().setCurrentIndex(3);
    QCOMPARE(shown.page.spec().among, std::string("encoder.0.1,encoder.1.2,decoder.2.0"));
    QVERIFY(!shown.page.spec().triples);
    shown.page.scopeBox().setCurrentIndex(4);
    QVERIFY(shown.page.spec().triples);
    shown.page.scopeBox().setCurrentIndex(2);
    QVERIFY(shown.page.spec().among.empty() && shown.page.spec().most > 100'000);
}

void TestPairsPage::triplesAreListedToo()
{
    auto result = madeUpPairs();
    TripleInteraction triple{.head = kFirst, .other = kBackup, .third = kPartner, .interval = {-2, -0.5}};
    triple.interaction = -1.25;
    triple.discoveryP = 0.01;
    result->triples = {triple};
    Shown shown(result);
    QCOMPARE(shown.page.model().rowCount(), 4);
    QCOMPARE(shown.page.model().index(3, PairsModel::HeadsColumn).data().toString(),
             u"encoder.0.1 + encoder.1.2 + cross.0.3"_s);
    QCOMPARE(shown.page.grid().model().content().links.size(), 2U); // lines are of pairs
}

void TestPairsPage::severalResultsCanBeChosen()
{
    Shown shown(madeUpPairs());
    auto other = madeUpPairs();
    other->manifest.spec = R"({"among": "encoder.0.1,encoder.1.2"})";
    other->possible = 1;
    other->pairs.resize(1);
    shown.study.state.addResult(Domain::In, other);
    QTRY_COMPARE(shown.page.model().rowCount(), 1); // the newest
    auto *box = shown.page.findChild<QComboBox *>(u"pairsResult"_s);
    QVERIFY(box && box->isVisible());
    QTest::keyClick(box, Qt::Key_Up);
    QTRY_COMPARE(shown.page.model().rowCount(), 3);
}

void TestPairsPage::exportsBoth()
{
    Shown shown(madeUpPairs());
    const QList<ExportItem> items = shown.page.exportItems();
    QCOMPARE(items.size(), 2);
    QVERIFY(items.front().caption.contains(u"understates"_s));
    QVERIFY(QString::fromStdString(items.front().csv()).contains(u"encoder.0.1,encoder,0,1,encoder.1.2,encoder,1,2"_s));
}

QTEST_MAIN(TestPairsPage)
#include "tst_pairspage.moc"

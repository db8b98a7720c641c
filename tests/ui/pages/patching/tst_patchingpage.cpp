// The page of activation patching with real events, on a study that is made up.
#include "tests/support/madeupstate.h"
#include "tests/support/nowarnings.h"
#include "ui/pages/patching/patchingpage.h"
#include "ui/pages/patching/takeoverbar.h"
#include "ui/views/headgridview.h"

#include <QComboBox>
#include <QPushButton>
#include <QSignalSpy>
#include <QStandardPaths>
#include <QTest>

#include <memory>

using namespace headscope;
using namespace Qt::StringLiterals;

namespace {
constexpr HeadRef kHead{HeadKind::Encoder, 1, 2};
constexpr HeadRef kOther{HeadKind::Encoder, 0, 3};
constexpr HeadRef kCross{HeadKind::Cross, 0, 1};

PatchEffect effectOf(double effect)
{
    PatchEffect made;
    made.effect = effect;
    made.interval = {effect - 0.125, effect + 0.125};
    made.attribution = 4 * effect;
    return made;
}

/// Encoder heads at three positions, counted from the last, a cross head at the only one of the decoder.
std::shared_ptr<const PatchResult> madeUpPatching()
{
    auto result = std::make_shared<PatchResult>();
    result->manifest = madeup::manifest("patch", false);
    result->alignment = PatchAlignment::End;
    result->examples = 24;
    result->clean.score = 3;
    result->corrupt.score = -2;
    result->heads = {
        {kHead, effectOf(0.5), {}, 0, 0}, {kOther, effectOf(0.25), {}, 0, 0}, {kCross, effectOf(0.75), {}, 1.5, -0.5}};
    for (int position = -3; position < 0; ++position) {
        result->cells.push_back({kHead, position, 24, effectOf(position == -2 ? 0.5 : 0)});
        result->cells.push_back({kOther, position, 24, effectOf(position == -3 ? 0.25 : 0)});
    }
    result->cells.push_back({kCross, -1, 24, effectOf(0.75)});
    result->pairs = {{0, {"these", "boys", "</s>"}, {"this", "boy", "</s>"}, {"<s>"}, "jouent", "joue", 3, -2},
                     {1, {"those", "girls", "</s>"}, {"that", "girl", "</s>"}, {"<s>"}, "jouent", "joue", 3, -2}};
    return result;
}
} // namespace

class TestPatchingPage final : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { QStandardPaths::setTestModeEnabled(true); }
    void init() { failOnQtWarnings(); }
    void saysWhatIsMissing();
    void tokensShowTheirHeadsAndHeadsTheirTokens();
    void theGridShowsOtherNumbersToo();
    void textsOfTheDecoderBelongToItsHeads();
    void partsOfHeadsArePatched();
    void exportsWhatIsOnTheScreen();
    void whatTakesOverIsShownToo();

private:
    static void show(PatchingPage &page)
    {
        page.resize(900, 700);
        page.show();
        QVERIFY(QTest::qWaitForWindowExposed(&page));
    }
    static std::optional<double> valueOf(PatchingPage &page, const HeadRef &head)
    {
        const HeadCell *cell = page.grid().model().content().cell(head);
        return cell ? cell->value : std::nullopt;
    }
    /// The place of a token of the first row.
    static QPoint placeOf(PatchingPage &page, int position)
    {
        const PairChart &chart = page.pairChart();
        const PairGeometry geometry(chart.picture(), chart.width(), QFontMetricsF(chart.font()));
        return geometry.column(position).center().toPoint();
    }
};

void TestPatchingPage::saysWhatIsMissing()
{
    MadeUp study;
    PatchingPage page(study.state, study.controller);
    show(page);
    QVERIFY(page.pairChart().picture().clean.isEmpty());
    QVERIFY(!page.computeButton().isEnabled()); // no session is open
    QVERIFY(!page.computeButton().toolTip().isEmpty());
    QVERIFY(page.missing(Domain::In, true).empty());
    QVERIFY(page.spec().positions);
}

/// Keys of a group: its heads have one value, and keys of cross-attention are in the source.
void TestPatchingPage::partsOfHeadsArePatched()
{
    MadeUp study;
    auto result = std::make_shared<PatchResult>(*madeUpPatching());
    result->what = PatchWhat::Key;
    result->heads[0].together = {{HeadKind::Encoder, 1, 3}};
    for (CellPatch &cell : result->cells)
        cell.position = cell.head.kind == HeadKind::Cross ? -3 : cell.position;
    study.state.addResult(Domain::In, std::shared_ptr<const PatchResult>(result));
    PatchingPage page(study.state, study.controller);
    show(page);
    study.state.selectHead(HeadRef{HeadKind::Encoder, 1, 3});
    QTRY_COMPARE(page.pairChart().picture().effects, (std::vector<std::optional<double>>{0, 0.5, 0}));
    study.state.selectHead(kCross);
    QTRY_COMPARE(page.pairChart().picture().clean, (QStringList{u"these"_s, u"boys"_s, u"</s>"_s}));
    QCOMPARE(page.pairChart().picture().effects[0], std::optional(0.75));
    page.whatBox().setCurrentIndex(page.whatBox().findText(u"Value"_s));
    QCOMPARE(page.spec().what, PatchWhat::Value);
}

void TestPatchingPage::tokensShowTheirHeadsAndHeadsTheirTokens()
{
    MadeUp study;
    study.state.addResult(Domain::In, madeUpPatching());
    PatchingPage page(study.state, study.controller);
    show(page);
    study.state.selectHead(kHead);
    QTRY_COMPARE(page.pairChart().picture().clean, (QStringList{u"these"_s, u"boys"_s, u"</s>"_s}));
    QCOMPARE(page.pairChart().picture().corrupt.front(), u"this"_s);
    QCOMPARE(page.pairChart().picture().effects, (std::vector<std::optional<double>>{0, 0.5, 0}));
    QCOMPARE(valueOf(page, kOther), std::optional(0.25)); // everywhere

    QTest::mouseClick(&page.pairChart(), Qt::LeftButton, {}, placeOf(page, 1));
    QTRY_COMPARE(valueOf(page, kHead), std::optional(0.5));
    QCOMPARE(valueOf(page, kOther), std::optional(0.0));
    QTest::mouseClick(&page.pairChart(), Qt::LeftButton, {}, placeOf(page, 1)); // again: everywhere
    QTRY_COMPARE(valueOf(page, kOther), std::optional(0.25));

    QTest::mouseClick(page.grid().viewport(), Qt::LeftButton, {}, page.grid().cellRect(kOther).center());
    QTRY_COMPARE(page.pairChart().picture().effects, (std::vector<std::optional<double>>{0.25, 0, 0}));
    QCOMPARE(page.pairChart().picture().effectsTitle, u"encoder.0.3"_s);
}

void TestPatchingPage::theGridShowsOtherNumbersToo()
{
    MadeUp study;
    study.state.addResult(Domain::In, madeUpPatching());
    PatchingPage page(study.state, study.controller);
    show(page);
    study.state.selectHead(kHead);
    QTRY_COMPARE(valueOf(page, kCross), std::optional(0.75));
    const auto choose = [&](const QString &name) {
        const int index = page.valuesBox().findText(name);
        QVERIFY2(index >= 0, qPrintable(name));
        page.valuesBox().setCurrentIndex(index);
        Q_EMIT page.valuesBox().activated(index);
    };
    choose(u"Attribution"_s);
    QCOMPARE(valueOf(page, kCross), std::optional(3.0));
    QVERIFY(!page.grid().model().content().cell(kCross)->interval);
    QCOMPARE(page.pairChart().picture().effects, (std::vector<std::optional<double>>{0, 2, 0}));
    choose(u"Direct contribution"_s);
    QCOMPARE(valueOf(page, kCross), std::optional(2.0)); // clean minus corrupt
    QCOMPARE(valueOf(page, kHead), std::optional(0.0));
    QVERIFY(page.exportItems().front().caption.contains(u"Direct contribution"_s));
    QCOMPARE(page.pairChart().picture().effects, (std::vector<std::optional<double>>{0, 0.5, 0}));
    // At one position there are effects only.
    QTest::mouseClick(&page.pairChart(), Qt::LeftButton, {}, placeOf(page, 0));
    QTRY_COMPARE(valueOf(page, kOther), std::optional(0.25));
}

void TestPatchingPage::textsOfTheDecoderBelongToItsHeads()
{
    MadeUp study;
    study.state.addResult(Domain::In, madeUpPatching());
    PatchingPage page(study.state, study.controller);
    show(page);
    study.state.selectHead(kHead);
    QTRY_COMPARE(page.pairChart().picture().clean.size(), 3);
    QTest::mouseClick(&page.pairChart(), Qt::LeftButton, {}, placeOf(page, 2));
    study.state.selectHead(kCross); // reads one token: the chosen position is none of its
    QTRY_COMPARE(page.pairChart().picture().clean, QStringList{u"<s>"_s});
    QVERIFY(!page.pairChart().picture().chosen);
    QCOMPARE(page.pairChart().picture().effects, (std::vector<std::optional<double>>{0.75}));
    QCOMPARE(valueOf(page, kCross), std::optional(0.75));
}

void TestPatchingPage::exportsWhatIsOnTheScreen()
{
    MadeUp study;
    PatchingPage page(study.state, study.controller);
    QVERIFY(page.exportItems().isEmpty());
    study.state.addResult(Domain::In, madeUpPatching());
    study.state.selectHead(kHead);
    show(page);
    const QList<ExportItem> items = page.exportItems();
    QCOMPARE(items.size(), 2);
    QVERIFY(items.front().csv);
    QVERIFY(QString::fromStdString(items.front().csv()).contains(u"encoder.1.2,encoder,1,2,-2,24"_s));
}

void TestPatchingPage::whatTakesOverIsShownToo()
{
    MadeUp study;
    PatchingPage page(study.state, study.controller);
    show(page);
    study.state.selectHead(kHead);
    QVERIFY(!page.takeover().isVisible());
    page.valuesBox().setCurrentIndex(page.valuesBox().findText(u"What takes over"_s));
    QVERIFY(page.takeover().isVisible());
    QVERIFY(!page.computeButton().isVisible()); // that is of patching
    QVERIFY(page.takeover().removeButton().text().contains(u"encoder.1.2"_s));
    QVERIFY(!page.takeover().removeButton().isEnabled()); // no session is open
    TakeoverResult result;
    result.manifest = madeup::manifest("takeover", false);
    result.head = kHead;
    result.examples = 24;
    result.whole.mean = 3;
    result.without.mean = 2.5;
    result.own = 1;
    result.others.mean = 0.75;
    result.rest.mean = -0.25;
    result.repaired = 0.5;
    result.repairedInterval = {0.25, 0.75};
    result.heads
        = {{kOther, false, 0.5, 0.5, 0, {-0.5, 0.5}, 1, 1}, {kCross, true, 0, 0.75, 0.75, {0.5, 1}, 0.01, 0.02}};
    study.state.addResult(Domain::In, std::make_shared<TakeoverResult>(result));
    QTRY_COMPARE(valueOf(page, kCross), std::optional(0.75));
    QVERIFY(!valueOf(page, kHead)); // it is the one that is gone
    const GridContent &content = page.grid().model().content();
    QVERIFY(*content.cell(kCross)->significant && !*content.cell(kOther)->significant);
    QCOMPARE(page.takeover().resultBox().currentText(), u"without encoder.1.2"_s);
    QVERIFY2(page.takeover().summary().contains(u"Made good: 50 % [25 %, 75 %]"_s),
             qPrintable(page.takeover().summary()));
    QCOMPARE(page.exportItems().size(), 1);
    QVERIFY(QString::fromStdString(page.exportItems().front().csv()).contains(u"cross.0.1"_s));
    // Another removal is shown as soon as it is there, the first one where it is chosen.
    result.manifest.spec = "{\"head\":\"encoder.0.3\"}";
    result.head = kOther;
    result.replacement = Replacement::Resample;
    result.heads = {{kCross, true, 0, 0.25, 0.25, {0, 0.5}, 0.2, 0.2}};
    study.state.addResult(Domain::In, std::make_shared<TakeoverResult>(result));
    QTRY_COMPARE(valueOf(page, kCross), std::optional(0.25));
    page.takeover().resultBox().setCurrentIndex(0);
    Q_EMIT page.takeover().resultBox().activated(0);
    QCOMPARE(valueOf(page, kCross), std::optional(0.75));
    page.valuesBox().setCurrentIndex(0);
    QVERIFY(!page.takeover().isVisible() && page.computeButton().isVisible());
}

QTEST_MAIN(TestPatchingPage)
#include "tst_patchingpage.moc"

// Paths between heads on page Patching, with real events: a made-up result, and a model whose paths are computed.
#include "core/results/results.h"
#include "tests/support/madeupstate.h"
#include "tests/support/nowarnings.h"
#include "tests/support/tinylanguagemodel.h"
#include "ui/pages/patching/patchingpage.h"
#include "ui/pages/patching/pathsview.h"
#include "ui/views/headgridview.h"
#include "ui/views/matrixchart.h"

#include <QComboBox>
#include <QFile>
#include <QLabel>
#include <QPushButton>
#include <QSlider>
#include <QStandardPaths>
#include <QTabBar>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>
#include <vector>

using namespace headscope;
using namespace Qt::StringLiterals;

namespace {

constexpr HeadRef kSender{HeadKind::Encoder, 0, 1};
constexpr HeadRef kOther{HeadKind::Encoder, 0, 2};
constexpr HeadRef kReceiver{HeadKind::Encoder, 2, 3};

PathEffect pathOf(const HeadRef &from, std::vector<HeadRef> to, PathInput input, double effect, double p)
{
    PathEffect path{.head = from, .together = std::move(to), .input = input};
    path.effect.delta = 4 * effect;
    path.effect.effect = effect;
    path.effect.interval = {effect - 0.1, effect + 0.1};
    path.effect.attribution = 3 * effect;
    path.p = path.discoveryP = p;
    return path;
}

std::shared_ptr<const PathsResult> madeUpPaths()
{
    auto result = std::make_shared<PathsResult>();
    result->manifest = madeup::manifest("paths", false);
    result->examples = 24;
    result->paths = {pathOf(kSender, {kReceiver}, PathInput::Key, 0.5, 0.001),
                     pathOf(kSender, {}, PathInput::Logits, 0.25, 0.001),
                     pathOf(kOther, {kReceiver}, PathInput::Value, -0.2, 0.001),
                     pathOf(kOther, {kReceiver}, PathInput::Query, 0.1, 0.8)};
    return result;
}

} // namespace

class TestPathsView final : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { QStandardPaths::setTestModeEnabled(true); }
    void init() { failOnQtWarnings(); }
    void saysWhatIsMissing();
    void arrowsAreThePathsThatAreAskedFor();
    void aRowSelectsItsHeads();
    void theMatrixHasOneInput();
    void estimatesAreNotSignificant();
    void isComputedFromThePage();

private:
    static void showPaths(PatchingPage &page)
    {
        page.resize(1100, 700);
        page.show();
        QVERIFY(QTest::qWaitForWindowExposed(&page));
        QTest::mouseClick(&page.tabBar(), Qt::LeftButton, {}, page.tabBar().tabRect(1).center());
        QVERIFY(page.paths().isVisible());
    }
    static const std::vector<HeadLink> &links(PatchingPage &page)
    {
        return page.paths().grid().model().content().links;
    }
};

void TestPathsView::saysWhatIsMissing()
{
    MadeUp study;
    PatchingPage page(study.state, study.controller);
    showPaths(page);
    QVERIFY(!page.grid().isVisible() && !page.whatBox().isVisible() && !page.valuesBox().isVisible());
    QVERIFY(!page.computeButton().isEnabled()); // no session is open
    QVERIFY(page.exportItems().isEmpty());
    QVERIFY(page.missing(Domain::In, true).empty());
    QTest::mouseClick(&page.tabBar(), Qt::LeftButton, {}, page.tabBar().tabRect(0).center());
    QVERIFY(page.grid().isVisible() && page.whatBox().isVisible() && page.valuesBox().isVisible());
}

void TestPathsView::arrowsAreThePathsThatAreAskedFor()
{
    MadeUp study;
    study.state.addResult(Domain::In, madeUpPaths());
    PatchingPage page(study.state, study.controller);
    showPaths(page);
    QTRY_COMPARE(links(page).size(), std::size_t{2}); // significant, between heads
    const HeadLink &strongest = links(page).front();
    QVERIFY(strongest.head == kSender && strongest.other == kReceiver && strongest.isArrow && !strongest.apart);
    QCOMPARE(strongest.letter, QChar(u'K'));
    QCOMPARE(strongest.strength, 1.0);
    const HeadLink &against = links(page).back();
    QVERIFY(against.head == kOther && against.apart && against.letter == u'V');
    QVERIFY(std::abs(against.strength - 0.4) < 1e-9);
    const HeadCell *cell = page.paths().grid().model().content().cell(kSender);
    QCOMPARE(cell->value, std::optional(0.25));
    QVERIFY(cell->significant.value_or(false));
    QVERIFY(!page.paths().grid().model().content().cell(kOther)->value);

    page.paths().shownBox().setCurrentIndex(1);
    QCOMPARE(links(page).size(), std::size_t{3});
    page.paths().arrowsSlider().setFocus();
    QTest::keyClick(&page.paths().arrowsSlider(), Qt::Key_Home);
    QCOMPARE(links(page).size(), std::size_t{1});
    QTest::keyClick(&page.paths().arrowsSlider(), Qt::Key_End);
    page.paths().inputBox().setCurrentIndex(1);
    QCOMPARE(links(page).size(), std::size_t{1});
    QCOMPARE(links(page).front().letter, QChar(u'Q'));
    page.paths().inputBox().setCurrentIndex(0);
    page.paths().shownBox().setCurrentIndex(2);
    QVERIFY(links(page).empty()); // nothing is selected
    study.state.selectHead(kSender);
    QTRY_COMPARE(links(page).size(), std::size_t{1});
}

void TestPathsView::aRowSelectsItsHeads()
{
    MadeUp study;
    study.state.addResult(Domain::In, madeUpPaths());
    PatchingPage page(study.state, study.controller);
    showPaths(page);
    QTableView &table = page.paths().table();
    QTRY_COMPARE(table.model()->rowCount(), 3); // the significant ones, with that to the output
    const auto text = [&](int row, int column) { return table.model()->index(row, column).data().toString(); };
    QCOMPARE(text(0, 0), u"encoder.0.1"_s);
    QCOMPARE(text(0, 1), u"encoder.2.3"_s);
    QCOMPARE(text(0, 2), u"key"_s);
    QCOMPARE(text(1, 1), u"output"_s);
    QTest::mouseClick(table.viewport(), Qt::LeftButton, {}, table.visualRect(table.model()->index(2, 0)).center());
    QCOMPARE(study.state.selection(), (std::set<HeadRef>{kOther, kReceiver}));
    QCOMPARE(study.state.currentHead(), std::optional(kOther));
    page.paths().shownBox().setCurrentIndex(2);
    QCOMPARE(table.model()->rowCount(), 3); // all that begin or end at these two
}

void TestPathsView::theMatrixHasOneInput()
{
    MadeUp study;
    study.state.addResult(Domain::In, madeUpPaths());
    PatchingPage page(study.state, study.controller);
    showPaths(page);
    page.paths().inputBox().setCurrentIndex(2); // keys
    const MatrixSeries &series = page.paths().matrix().picture().series;
    const auto row = static_cast<std::size_t>(study.state.layout().indexOf(kReceiver));
    const auto column = static_cast<std::size_t>(study.state.layout().indexOf(kSender));
    QCOMPARE(series.values.at(row, column), 0.5);
    QVERIFY(std::isnan(series.values.at(
        row, static_cast<std::size_t>(study.state.layout().indexOf(kOther))))); // that path is of values
    const QList<ExportItem> items = page.exportItems();
    QCOMPARE(items.size(), 2);
    for (const ExportItem &item : items)
        QVERIFY(item.csv && item.csv().starts_with("head,"));
}

/// However clear they are: they are a screen, which can be wrong.
void TestPathsView::estimatesAreNotSignificant()
{
    MadeUp study;
    auto result = std::make_shared<PathsResult>(*madeUpPaths());
    for (PathEffect &path : result->paths)
        path.exact = path.input == PathInput::Key;
    study.state.addResult(Domain::In, std::shared_ptr<const PathsResult>(result));
    PatchingPage page(study.state, study.controller);
    showPaths(page);
    QTRY_COMPARE(links(page).size(), std::size_t{1});
    QCOMPARE(links(page).front().letter, QChar(u'K'));
    QCOMPARE(page.paths().table().model()->rowCount(), 1);
    QVERIFY(!page.paths().grid().model().content().cell(kSender)->significant);
    QVERIFY2(page.paths().summary().startsWith(u"1 of 1 paths"_s), qPrintable(page.paths().summary()));
    page.paths().shownBox().setCurrentIndex(1);
    QCOMPARE(links(page).size(), std::size_t{3});
}

void TestPathsView::isComputedFromThePage()
{
    const QTemporaryDir folder;
    const QString model = folder.filePath(u"model"_s);
    testing::writeTinyLanguageModel(model.toStdString(), {.positions = 24, .headsAmplitude = 0.5});
    QFile table(folder.filePath(u"pairs.tsv"_s));
    QVERIFY(table.open(QIODevice::WriteOnly));
    table.write("clean\tcorrupt\tanswer\twrong_answer\n");
    for (const char *row :
         {"the man\tthe dog\truns\tpark\n", "two girls\ttwo dog\tgood\tbad\n", "a red park\ta red film\tin\ton\n"})
        table.write(row);
    table.close();
    StudyState state;
    StudyController controller(state);
    controller.setAutomatic(false);
    PatchingPage page(state, controller);
    DataSource data;
    data.table = table.fileName().toStdString();
    controller.setData(Domain::In, data);
    controller.openModel(model);
    showPaths(page);
    QTRY_VERIFY_WITH_TIMEOUT(state.rows(Domain::In) && page.computeButton().isEnabled(), 60000);
    QCOMPARE(page.paths().methodBox().currentIndex(), 0); // a small model: all of them
    QCOMPARE(page.missing(Domain::In, true).size(), std::size_t{1});
    const auto says = [&](const QString &text) {
        return std::ranges::any_of(page.paths().findChildren<QLabel *>(),
                                   [&](const QLabel *label) { return label->text().contains(text); });
    };
    QVERIFY(says(u"Press Compute"_s) && !says(u"Open a table"_s));
    QTest::mouseClick(&page.computeButton(), Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(controller.queue().isIdle(), 60000);
    QVERIFY2(state.results(Domain::In).paths, qPrintable(controller.works().errorOn(u"patching"_s)));
    const PathsResult &result = *state.results(Domain::In).paths;
    QCOMPARE(result.method, PathMethod::Exact);
    QVERIFY(page.missing(Domain::In, true).empty());
    page.paths().shownBox().setCurrentIndex(1);
    QCOMPARE(page.paths().table().model()->rowCount(), static_cast<int>(result.paths.size()));
    for (const HeadLink &link : links(page))
        QVERIFY(link.head.layer < link.other.layer);
    page.paths().methodBox().setCurrentIndex(1);
    QTest::mouseClick(&page.computeButton(), Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(state.results(Domain::In).paths->method == PathMethod::Linear, 60000);
}

QTEST_MAIN(TestPathsView)
#include "tst_pathsview.moc"

// One cell for each group of heads that share a key–value head: its sweep, grid, table, masks, exports and study, on a
// small random model of Qwen 2's shape with two heads on each key–value head.
#include "core/analysis/evaluationspec.h"
#include "core/analysis/shapleyspec.h"
#include "tests/support/madeupstate.h"
#include "tests/support/nowarnings.h"
#include "tests/support/picture.h"
#include "ui/models/headquery.h"
#include "ui/pages/heads/headspage.h"
#include "ui/views/gridexport.h"
#include "ui/views/gridfeed.h"

#include <QAction>
#include <QImage>
#include <QJsonObject>
#include <QMenu>
#include <QPainter>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <string>
#include <vector>

using namespace headscope;
using namespace Qt::StringLiterals;

class TestKeyGroups final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void init() { failOnQtWarnings(); }
    void theSweepIsItsOwn();
    void groupsAreCells();
    void groupsAreSelectedAndMaskedWhole();
    void partlyMaskedIsSaid();
    void byRankGroupsKeepTheirWidth();
    void importanceAndConfidenceAreOfGroups();
    void shapleyValuesAreOfGroups();
    void otherMeasuresStayOfHeads();
    void differencesAreOfGroups();
    void exportsAreAsSeen();
    void theStudyKeepsBoth();
    void withoutGroupsItIsGrey();

private:
    static constexpr int kWait = 60000;
    static constexpr int kTogether = 2;

    static HeadRef at(int layer, int head) { return {HeadKind::Decoder, layer, head}; }
    static QAction &choice(const HeadsPage &page) { return *page.findChild<QAction *>(u"byKeyGroup"_s); }
    void waitForGroups()
    {
        QTRY_VERIFY_WITH_TIMEOUT(m_state.results(Domain::In).groups.ablation
                                     && m_state.results(Domain::Out).groups.ablation && m_controller.queue().isIdle(),
                                 kWait);
    }
    /// The page with cells of groups, all of which are measured.
    void show(HeadsPage &page)
    {
        page.resize(900, 640);
        page.show();
        QVERIFY(QTest::qWaitForWindowExposed(&page));
        if (!choice(page).isChecked())
            choice(page).trigger();
        waitForGroups();
    }

    QTemporaryDir m_dir;
    StudyState m_state;
    StudyController m_controller{m_state};
};

void TestKeyGroups::initTestCase()
{
    const char *source = std::getenv("HEADSCOPE_SOURCE_DIR");
    const std::filesystem::path model
        = std::filesystem::path(source ? source : ".") / "tests/goldens/classifiers/qwen2-topics";
    std::ifstream golden(model / "golden.json");
    const nlohmann::json rows = nlohmann::json::parse(golden).at("rows");
    m_controller.openModel(QString::fromStdString(model.string()));
    for (const Domain domain : kBothDomains) {
        const std::string file = m_dir.filePath(domain == Domain::In ? u"in.jsonl"_s : u"out.jsonl"_s).toStdString();
        std::ofstream lines(file);
        for (int copy = 0; copy < (domain == Domain::In ? 2 : 3); ++copy) {
            for (const nlohmann::json &row : rows)
                lines << nlohmann::json{{"input_ids", row.at("input_ids")}, {"label", row.at("label")}}.dump() << '\n';
        }
        lines.close();
        DataSource data;
        data.table = file;
        data.labelColumn = "label";
        m_controller.setData(domain, data);
    }
    QTRY_VERIFY_WITH_TIMEOUT(m_state.session() && m_state.data(Domain::In) && m_state.data(Domain::Out), kWait);
    m_state.setMetric(u"loss"_s); // which every head changes
    QTRY_VERIFY_WITH_TIMEOUT(m_state.results(Domain::Out).ablation && m_controller.queue().isIdle(), kWait);
}

/// Asked for by the choice alone, beside that of heads.
void TestKeyGroups::theSweepIsItsOwn()
{
    QVERIFY(!m_state.results(Domain::In).groups.ablation);
    QCOMPARE(m_state.layout().size(), std::int64_t{8});
    QCOMPARE(m_state.keyGroups().size(), std::int64_t{8 / kTogether});
    const auto ofHeads = m_state.results(Domain::In).ablation;
    HeadsPage page(m_state, m_controller);
    QVERIFY(!choice(page).isChecked());
    show(page);
    QVERIFY(choice(page).isEnabled());
    const auto ofGroups = m_state.results(Domain::In).groups.ablation;
    QVERIFY(ofGroups && !ofGroups->manifest.partial);
    QVERIFY(m_state.results(Domain::In).ablation == ofHeads);
    QCOMPARE(ofHeads->heads.size(), 8U);
    QCOMPARE(ofGroups->heads.size(), 4U);
    // What a mask of both heads measures.
    EvaluationSpec both;
    both.run = m_controller.runOptions();
    both.mask = HeadMask{at(1, 2), at(1, 3)};
    const double score = m_state.session()->run<EvaluationSpec>(Domain::In, both, {}).valueOrThrow().primary().value;
    const auto group = std::ranges::find(ofGroups->heads, at(1, 2), &HeadAblation::head);
    QVERIFY(group != ofGroups->heads.end());
    QVERIFY(std::abs(group->score - score) < 1e-5);
}

void TestKeyGroups::groupsAreCells()
{
    HeadsPage page(m_state, m_controller);
    show(page);
    const HeadGridView &grid = page.grid();
    const GridContent &content = page.model().content();
    QVERIFY(content.byKeyGroup);
    QCOMPARE(content.cells.size(), 4U);
    const HeadAblation &second = m_state.results(Domain::In).groups.ablation->heads[1];
    QVERIFY(second.head == at(0, 2));
    for (const int head : {2, 3}) {
        QVERIFY(content.cell(at(0, head)) == &content.cells[1]);
        QCOMPARE(*content.cell(at(0, head))->value, second.delta);
        QCOMPARE(*content.cell(at(0, head))->p, second.p);
        QVERIFY(page.model().sentence(at(0, head)).contains(u"heads 2–3 share key group 1"_s));
    }
    // As wide as both of its heads, with a number of examples of its own.
    QVERIFY(std::abs(grid.cellRect(at(0, 2)).width() - 2 * grid.gridGeometry().cellSize().width()) <= 1);
    QVERIFY(grid.cellRect(at(0, 2)) == grid.cellRect(at(0, 3)));
    QVERIFY(!grid.cellRect(at(0, 2)).adjusted(1, 1, -1, -1).intersects(grid.cellRect(at(0, 1))));
    const QRect cell = grid.cellRect(at(0, 2));
    for (const int x : {cell.left() + 4, cell.right() - 4})
        QVERIFY(grid.headAt(QPoint(x, cell.center().y())) == at(0, 2));
    const auto *table = page.findChild<QTableView *>();
    QCOMPARE(table->model()->rowCount(), 4);
    QCOMPARE(page.model().index(1, HeadGridModel::HeadColumn).data().toString(), u"decoder.0.2–3"_s);
    keepPicture(page, u"key-groups"_s);
}

void TestKeyGroups::groupsAreSelectedAndMaskedWhole()
{
    HeadsPage page(m_state, m_controller);
    show(page);
    HeadGridView &grid = page.grid();
    const QRect cell = grid.cellRect(at(1, 0));
    QTest::mouseClick(grid.viewport(), Qt::LeftButton, {}, QPoint(cell.right() - 4, cell.center().y()));
    QVERIFY(m_state.selection() == (std::set{at(1, 0), at(1, 1)}));
    grid.setFocus();
    QTest::keyClick(&grid, Qt::Key_Space);
    QVERIFY(m_state.mask() == (HeadMask{at(1, 0), at(1, 1)}));
    QVERIFY(page.model().sentence(at(1, 1)).contains(u"masked"_s));
    QTest::keyClick(&grid, Qt::Key_Right); // a group further, not a head
    QVERIFY(m_state.selection() == (std::set{at(1, 2), at(1, 3)}));
    QTest::mouseClick(grid.viewport(), Qt::LeftButton, Qt::ControlModifier, cell.center());
    QCOMPARE(m_state.selection().size(), 4U);
    QTest::mouseClick(grid.viewport(), Qt::LeftButton, Qt::ControlModifier, cell.center());
    QVERIFY(m_state.selection() == (std::set{at(1, 2), at(1, 3)}));
    QTest::mouseDClick(grid.viewport(), Qt::LeftButton, {}, cell.center());
    QVERIFY(m_state.mask().empty());
    // The table's rows are the groups.
    auto *table = page.findChild<QTableView *>();
    table->selectRow(0);
    QCOMPARE(m_state.selection().size(), std::size_t{kTogether});
    m_state.setSelection({}, std::nullopt);
    // What is typed finds the group that a head is in.
    QVERIFY(findHeads(u"decoder.0.3"_s, page.model().content(), {}, {}).heads == (std::set{at(0, 2), at(0, 3)}));
}

void TestKeyGroups::partlyMaskedIsSaid()
{
    HeadsPage page(m_state, m_controller);
    show(page);
    m_state.toggleMask(at(0, 1));
    QVERIFY(page.model().sentence(at(0, 0)).contains(u"1 of 2 heads masked"_s));
    const QModelIndex row = page.model().indexOf(at(0, 0), HeadGridModel::MaskedColumn);
    QVERIFY(row.data().toString().isEmpty());
    QMenu menu;
    page.grid().fillContextMenu(menu, at(0, 0));
    const auto actions = menu.actions();
    const auto keep = std::ranges::find_if(
        actions, [](const QAction *action) { return action->text().remove(u'&').startsWith(u"Keep only"_s); });
    QVERIFY(keep != actions.end());
    (*keep)->trigger();
    QVERIFY(m_state.mask() == (HeadMask{at(0, 2), at(0, 3)}));
    m_state.clearMask();
}

void TestKeyGroups::byRankGroupsKeepTheirWidth()
{
    HeadsPage page(m_state, m_controller);
    show(page);
    page.setSorting({GridRows::LastAbove, true});
    const HeadGridView &grid = page.grid();
    for (const int layer : {0, 1}) {
        const QRect first = grid.cellRect(at(layer, 0));
        const QRect second = grid.cellRect(at(layer, 2));
        QCOMPARE(first.width(), second.width());
        QVERIFY(!first.adjusted(1, 1, -1, -1).intersects(second));
        const auto rank = [&](int head) { return page.model().content().cell(at(layer, head))->rank; };
        QCOMPARE(first.left() < second.left(), rank(0) < rank(2));
        QVERIFY(grid.headAt(first.center()) == at(layer, 0));
        QVERIFY(grid.headAt(second.center()) == at(layer, 2));
    }
    for (const SmallGrid *small : page.others().grids()) { // of heads: ordered by their own ranks
        for (const HeadRef &head : m_state.layout().heads())
            QVERIFY(!small->cellRect(head).isEmpty());
    }
}

/// Computed when the choice is made, beside those of heads.
void TestKeyGroups::importanceAndConfidenceAreOfGroups()
{
    HeadsPage page(m_state, m_controller);
    show(page);
    const DomainResults &results = m_state.results(Domain::In);
    QVERIFY(results.groups.importance && results.groups.confidence && results.importance && results.confidence);
    QCOMPARE(results.importance->heads.size(), 8U);
    QCOMPARE(results.groups.importance->heads.size(), 4U);
    m_state.setMeasure(Measure::Importance);
    QVERIFY(page.model().content().byKeyGroup);
    QCOMPARE(page.model().content().cells.size(), 4U);
    QCOMPARE(*page.model().content().cell(at(0, 3))->value, results.groups.importance->heads[1].importance);
    QVERIFY(page.model().content().measure.contains(u"of key groups"_s));
    m_state.setMeasure(Measure::Confidence);
    const auto ofHead = [&](int head) { return results.confidence->heads[static_cast<std::size_t>(head)].confidence; };
    QVERIFY(std::abs(*page.model().content().cell(at(0, 3))->value - (ofHead(2) + ofHead(3)) / 2) < 1e-9);
    choice(page).trigger();
    QCOMPARE(*page.model().content().cell(at(0, 3))->value, ofHead(3));
    choice(page).trigger();
    m_state.setMeasure(Measure::AblationDelta);
}

void TestKeyGroups::shapleyValuesAreOfGroups()
{
    HeadsPage page(m_state, m_controller);
    show(page);
    m_state.setMeasure(Measure::Shapley);
    QCOMPARE(page.model().content().valueCount(), std::int64_t{0});
    m_controller.start(Domain::In, ShapleySpec{.run = m_controller.runOptions(), .by = HeadUnit::KeyGroup});
    QTRY_VERIFY_WITH_TIMEOUT(m_state.results(Domain::In).groups.shapley && m_controller.queue().isIdle(), kWait);
    QVERIFY(!m_state.results(Domain::In).shapley);
    QCOMPARE(page.model().content().valueCount(), std::int64_t{4});
    m_state.setMeasure(Measure::AblationDelta);
}

void TestKeyGroups::otherMeasuresStayOfHeads()
{
    HeadsPage page(m_state, m_controller);
    show(page);
    m_state.setMeasure(Measure::Entropy);
    QVERIFY(!page.model().content().byKeyGroup);
    QCOMPARE(page.model().content().cells.size(), 8U);
    m_state.setMeasure(Measure::AblationDelta);
    QCOMPARE(page.model().content().cells.size(), 4U);
    choice(page).trigger();
    QCOMPARE(page.model().content().cells.size(), 8U);
    QVERIFY(page.model().content().cell(at(0, 1))->value != page.model().content().cell(at(0, 0))->value);
}

void TestKeyGroups::differencesAreOfGroups()
{
    m_state.setGridUnit(HeadUnit::KeyGroup);
    waitForGroups();
    const GridContent content = shownContent(m_state, Measure::AblationDelta, DomainView::Difference);
    QVERIFY(content.byKeyGroup);
    QCOMPARE(content.valueCount(), std::int64_t{4});
    QVERIFY(content.cells[0].others == std::vector{at(0, 1)});
    QCOMPARE(gridContent(m_state, Measure::AblationDelta, DomainView::Difference).valueCount(), std::int64_t{8});
}

void TestKeyGroups::exportsAreAsSeen()
{
    HeadsPage page(m_state, m_controller);
    show(page);
    const ExportItem item = page.exportItems().front();
    QVERIFY(item.name.contains(u"key groups"_s));
    const QStringList lines = QString::fromStdString(item.csv()).split(u'\n', Qt::SkipEmptyParts);
    QCOMPARE(lines.size(), 5);
    QVERIFY(lines.front().trimmed().endsWith(u",together"_s));
    QVERIFY(lines[2].startsWith(u"decoder.0.2,"_s) && lines[2].trimmed().endsWith(u"decoder.0.3"_s));
    QVERIFY(item.manifestJson.find("key-group") != std::string::npos);
    const auto painted = [](const ExportItem &one) {
        QImage image(640, 400, QImage::Format_RGB32);
        image.fill(Qt::white);
        QPainter painter(&image);
        one.paint(painter, QRectF(image.rect()));
        return image;
    };
    choice(page).trigger();
    QVERIFY(painted(page.exportItems().front()) != painted(item));
    const QStringList heads = QString::fromStdString(page.exportItems().front().csv()).split(u'\n', Qt::SkipEmptyParts);
    QCOMPARE(heads.size(), 9);
    QVERIFY(!heads.front().contains(u"together"_s));
}

void TestKeyGroups::theStudyKeepsBoth()
{
    HeadsPage page(m_state, m_controller);
    m_state.setGridUnit(HeadUnit::Head);
    QVERIFY(!page.arrangement().contains(u"byKeyGroup"_s));
    m_state.setGridUnit(HeadUnit::KeyGroup);
    waitForGroups();
    const QJsonObject kept = page.arrangement();
    QVERIFY(kept[u"byKeyGroup"_s].toBool());
    const QString file = m_dir.filePath(u"groups.headscope"_s);
    m_controller.files().save(file, {});
    QTRY_COMPARE_WITH_TIMEOUT(m_state.studyFile(), file, kWait);

    StudyState state;
    StudyController controller(state);
    controller.setAutomatic(false);
    controller.files().open(file); // which this one has open: as a copy
    QTRY_VERIFY_WITH_TIMEOUT(state.model() && state.results(Domain::In).groups.ablation, kWait);
    QVERIFY(state.hasKeyGroups());
    QCOMPARE(state.results(Domain::In).ablation->heads.size(), 8U);
    QCOMPARE(state.results(Domain::In).groups.ablation->heads.size(), 4U);
    QVERIFY(state.gridUnit() == HeadUnit::Head);
    HeadsPage again(state, controller);
    again.setArrangement(kept);
    QVERIFY(state.gridUnit() == HeadUnit::KeyGroup);
    QTRY_VERIFY_WITH_TIMEOUT(controller.queue().isIdle(), kWait);
}

void TestKeyGroups::withoutGroupsItIsGrey()
{
    MadeUp study;
    HeadsPage page(study.state, study.controller);
    page.show();
    QVERIFY(QTest::qWaitForWindowExposed(&page));
    QVERIFY(!choice(page).isEnabled() && !choice(page).isChecked());
    QVERIFY(choice(page).toolTip().contains(u"of its own"_s));
    study.state.setGridUnit(HeadUnit::KeyGroup);
    QVERIFY(study.state.gridUnit() == HeadUnit::Head);
    QVERIFY(!page.model().content().byKeyGroup);
}

QTEST_MAIN(TestKeyGroups)
#include "tst_keygroups.moc"

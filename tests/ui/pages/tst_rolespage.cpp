#include "tests/support/madeuproles.h"
#include "tests/support/madeupstate.h"
#include "tests/support/nowarnings.h"
#include "tests/support/picture.h"

#include "core/results/study.h"
#include "ui/heatmap/heatmapview.h"
#include "ui/models/roletext.h"
#include "ui/pages/heads/headspage.h"
#include "ui/pages/roles/relationstable.h"
#include "ui/pages/roles/roleevidenceview.h"
#include "ui/pages/roles/rolefigures.h"
#include "ui/pages/roles/rolespage.h"
#include "ui/pages/roles/rolessettings.h"
#include "ui/pages/roles/sharechart.h"
#include "ui/views/dataslotedit.h"
#include "ui/views/gridfeed.h"
#include "ui/views/headgridview.h"
#include "ui/views/inspector.h"
#include "ui/views/parallelfields.h"

#include <QAbstractItemModelTester>
#include <QCheckBox>
#include <QComboBox>
#include <QFile>
#include <QImage>
#include <QLabel>
#include <QLineEdit>
#include <QPainter>
#include <QSlider>
#include <QSpinBox>
#include <QTabWidget>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <QTreeWidget>
#include <QTreeWidgetItemIterator>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>

using namespace headscope;
using namespace Qt::StringLiterals;

namespace {

HeadRef head(const char *text)
{
    return parseHeadRef(text).value();
}

/// The made-up study with roles and relevance on its in-domain data.
struct WithRoles : MadeUp
{
    explicit WithRoles(bool out = true, bool trees = true) : MadeUp(out, false)
    {
        state.addResult(Domain::In, madeup::roles(false, trees));
        state.addResult(Domain::In, madeup::relevance());
    }
};

QString textOf(QWidget &widget)
{
    QString text;
    for (const QLabel *label : widget.findChildren<QLabel *>())
        text += label->text() + u'\n';
    return text;
}

/// As a page feeds its grid while it is seen.
void follow(StudyState &state, HeadGridModel &model)
{
    const auto feed = [&] { feedGrid(state, model); };
    for (const auto signal : {&StudyState::rolesChanged, &StudyState::roleViewChanged, &StudyState::domainViewChanged})
        QObject::connect(&state, signal, &model, feed);
    feed();
}

std::vector<std::string> headsIn(const QAbstractItemModel &model)
{
    std::vector<std::string> heads;
    for (int row = 0; row < model.rowCount(); ++row)
        heads.push_back(toText(model.index(row, 0).data(HeadRefRole).value<HeadRef>()));
    return heads;
}

} // namespace

class TestRolesPage final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init() { failOnQtWarnings(); }

    void showsEveryHeadOnce();
    void tableSortsAndFilters();
    void testsStandBesideLabels();
    void relationsHaveTheirBestHeads();
    void filterDimsTheGrid();
    void selectionIsShared();
    void marksCanBeClicked();
    void thresholdsRelabelAtOnce();
    void sliderDragIsOneUndoStep();
    void evidenceHasScoresAndSentences();
    void sentencesOpen();
    void tooFewInstancesAreNoRole();
    void chartsSayWhyTheyAreEmpty();
    void emptyPageSaysWhy();
    void settingsMakeSpecs();
    void exportsFiguresAndNumbers();
    void tokensOfAnExampleAreAHeatMap();
    void scoresOfOtherResultsLeaveThePageAlone();
    void gridSaysRoles();
    void gridRolesCanBeHidden();
    void inspectorSaysRoles();
    void sweepsWithWindowsSayWhoRetrieves();
    void studiesKeepRolesAndThresholds();
    void dataDialogTakesTrees();
    void looks_data();
    void looks();
};

void TestRolesPage::showsEveryHeadOnce()
{
    WithRoles study;
    RolesPage page(study.state, study.controller);
    page.show();
    const RoleScatterSeries &series = page.chart().picture().series;
    QCOMPARE(series.heads.size(), 96U);
    QCOMPARE(series.columns, 3);
    QCOMPARE(series.panels.size(), 6U); // relevance above confidence
    for (const auto &panel : series.panels)
        QCOMPARE(panel.points.size(), 32U);
    QCOMPARE(page.model().rowCount(), 96);
    QAbstractItemModelTester tester(&page.model(), QAbstractItemModelTester::FailureReportingMode::QtTest);
    page.findChild<QComboBox *>(u"roleForm"_s)->setCurrentIndex(1);
    QCOMPARE(page.chart().picture().series.panels.size(), 3U);
    for (const auto &panel : page.chart().picture().series.panels)
        QCOMPARE(panel.points.size(), 32U);
}

void TestRolesPage::relationsHaveTheirBestHeads()
{
    MadeUp study;
    const auto roles = madeup::roles();
    study.state.addResult(Domain::In, roles);
    RolesPage page(study.state, study.controller);
    page.show();
    RelationsTable &table = page.bestHeads();
    std::size_t found = 0;
    double most = 0;
    for (std::size_t i = 0; i < roles->relations.size(); ++i) {
        if (const HeadRoleScores *best = bestHeadOf(*roles, i)) {
            ++found;
            most = std::max(most, accuracyOf(*roles, *best, i));
        }
    }
    QVERIFY(found > 1);
    QCOMPARE(table.model()->rowCount(), static_cast<int>(found));
    table.sortByColumn(RelationsTable::AccuracyColumn, Qt::DescendingOrder);
    QCOMPARE(table.model()->index(0, RelationsTable::AccuracyColumn).data(SortRole).toDouble(), most);
    // Gains are accuracies over the best fixed offset.
    for (int row = 0; row < table.model()->rowCount(); ++row) {
        const auto value = [&](int column) { return table.model()->index(row, column).data(SortRole).toDouble(); };
        QCOMPARE(value(RelationsTable::GainColumn),
                 value(RelationsTable::AccuracyColumn) - value(RelationsTable::BaselineColumn));
    }
    // The first rows rest on few words, which cannot be chosen.
    int row = 0;
    while (!(table.model()->flags(table.model()->index(row, 0)) & Qt::ItemIsEnabled))
        ++row;
    QVERIFY(row > 0);
    table.setCurrentIndex(table.model()->index(row, 0));
    QCOMPARE(study.state.currentHead(), std::optional(table.model()->index(row, 0).data(HeadRefRole).value<HeadRef>()));
}

void TestRolesPage::tableSortsAndFilters()
{
    WithRoles study;
    RolesPage page(study.state, study.controller);
    page.show();
    QAbstractItemModel &shown = *page.table().model();
    // By role at first: positional heads, the highest score before the others; heads without a role last.
    QCOMPARE(shown.index(0, RolesTableModel::RoleColumn).data(RolesTableModel::kLetterRole).toString(), u"P"_s);
    QVERIFY(shown.index(95, RolesTableModel::RoleColumn).data(RolesTableModel::kLetterRole).toString().isEmpty());
    page.table().sortByColumn(RolesTableModel::RelevanceColumn, Qt::DescendingOrder);
    for (int row = 1; row < shown.rowCount(); ++row)
        QVERIFY(shown.index(row - 1, RolesTableModel::RelevanceColumn).data(SortRole).toDouble()
                >= shown.index(row, RolesTableModel::RelevanceColumn).data(SortRole).toDouble());
    study.state.setRoleFilter(Role::RareWord);
    QCOMPARE(headsIn(shown), std::vector<std::string>{"encoder.0.6"});
    study.state.setRoleFilter({});
    QCOMPARE(shown.rowCount(), 96);
}

void TestRolesPage::testsStandBesideLabels()
{
    WithRoles study;
    RolesPage page(study.state, study.controller);
    page.show();
    const auto column
        = [](RoleDetector detector) { return RolesTableModel::DetectorColumn + static_cast<int>(detector); };
    QVERIFY(page.testsBox().isVisible() && page.table().isColumnHidden(column(RoleDetector::Local)));
    QTest::mouseClick(&page.testsBox(), Qt::LeftButton, {}, {8, page.testsBox().height() / 2});
    QVERIFY(!page.table().isColumnHidden(column(RoleDetector::Local))
            && !page.table().isColumnHidden(column(RoleDetector::Syntactic)));
    QVERIFY(page.table().isColumnHidden(column(RoleDetector::Block))); // no head has been tested for it
    page.table().sortByColumn(column(RoleDetector::Local), Qt::DescendingOrder);
    const QModelIndex best = page.table().model()->index(0, column(RoleDetector::Local));
    QVERIFY2(best.data().toString().contains(u", p < 0.001"_s), qPrintable(best.data().toString()));
    QVERIFY(best.data(Qt::FontRole).value<QFont>().bold());
    QVERIFY(best.data(Qt::AccessibleTextRole).toString().contains(u"local test"_s));
    const QModelIndex cross = page.model().indexOf(head("cross.0.0")).siblingAtColumn(column(RoleDetector::Local));
    QVERIFY(cross.data().toString().isEmpty() && cross.data(SortRole).toDouble() < best.data(SortRole).toDouble());
    page.testsBox().setChecked(false);
    QVERIFY(page.table().isColumnHidden(column(RoleDetector::Local)));
}

void TestRolesPage::filterDimsTheGrid()
{
    WithRoles study;
    HeadGridModel model;
    follow(study.state, model);
    const GridContent all = model.content();
    QVERIFY(std::ranges::none_of(all.cells, [&](const HeadCell &cell) { return all.isDimmed(cell); }));
    study.state.setRoleFilter(Role::Syntactic);
    const GridContent &content = model.content();
    for (const HeadCell &cell : content.cells)
        QCOMPARE(content.isDimmed(cell), cell.roles.empty() || cell.roles.front().role != Role::Syntactic);
    // Nothing is dimmed where roles are not known.
    study.state.removeResults(Domain::In, ResultKind::Roles);
    QVERIFY(std::ranges::none_of(model.content().cells,
                                 [&](const HeadCell &cell) { return model.content().isDimmed(cell); }));
}

void TestRolesPage::selectionIsShared()
{
    WithRoles study;
    RolesPage page(study.state, study.controller);
    page.show();
    study.state.selectHead(head("encoder.2.3"));
    QCOMPARE(page.table().currentIndex().data(HeadRefRole).value<HeadRef>(), head("encoder.2.3"));
    QCOMPARE(page.chart().picture().current, std::optional(head("encoder.2.3")));
    page.table().setCurrentIndex(page.table().model()->index(0, 0));
    QCOMPARE(study.state.currentHead(),
             std::optional(page.table().model()->index(0, 0).data(HeadRefRole).value<HeadRef>()));
    // A filter hides the row, not the selection.
    study.state.selectHead(head("encoder.2.3"));
    study.state.setRoleFilter(Role::RareWord);
    study.state.setRoleFilter({});
    QCOMPARE(study.state.currentHead(), std::optional(head("encoder.2.3")));
}

void TestRolesPage::marksCanBeClicked()
{
    WithRoles study;
    RolesPage page(study.state, study.controller);
    page.show();
    page.resize(1200, 800);
    page.show();
    QVERIFY(QTest::qWaitForWindowExposed(&page));
    page.chart().grab();
    const HeadRef wanted = head("cross.1.0");
    const auto at = page.chart().markPosition(wanted);
    QVERIFY(at);
    QTest::mouseClick(&page.chart(), Qt::LeftButton, {}, *at);
    QVERIFY(study.state.currentHead());
    QCOMPARE(study.state.selection().size(), 1U);
    // Another mark may lie upon it, but not far away.
    const auto chosen = page.chart().markPosition(*study.state.currentHead());
    QVERIFY((*chosen - *at).manhattanLength() <= 20);
    QTest::keyClick(&page.chart(), Qt::Key_Right);
    QCOMPARE(study.state.selection().size(), 1U);
    // A rectangle around everything takes all.
    QTest::mousePress(&page.chart(), Qt::LeftButton, {}, QPoint(2, 2));
    QTest::mouseMove(&page.chart(), QPoint(page.chart().width() - 2, page.chart().height() - 2));
    QTest::mouseRelease(&page.chart(), Qt::LeftButton, {}, QPoint(page.chart().width() - 2, page.chart().height() - 2));
    QCOMPARE(study.state.selection().size(), 96U);
}

void TestRolesPage::thresholdsRelabelAtOnce()
{
    WithRoles study;
    RolesPage page(study.state, study.controller);
    page.show();
    const auto positional = [&] {
        return std::ranges::count_if(page.chart().picture().series.heads, [](const auto &entry) {
            return !entry.roles.empty() && entry.roles.front().role == Role::Positional;
        });
    };
    const auto before = positional();
    QCOMPARE(before, 6); // 0.0, 0.1 and 1.5 of encoder and decoder
    RoleThresholds strict;
    strict.positional = 0.99;
    study.state.setRoleThresholds(strict);
    QCOMPARE(positional(), 0);
    RoleThresholds none = strict;
    none.syntacticMargin = none.rareWord = none.pattern = 1;
    study.state.setRoleThresholds(none);
    QVERIFY(textOf(page).contains(u"0 of 96 heads have a role"_s));
    study.state.undoStack().undo();
    study.state.undoStack().undo();
    QCOMPARE(positional(), before);
    QCOMPARE(study.state.roleThresholds(), RoleThresholds());
    // Labelled once for a result and thresholds.
    QCOMPARE(study.state.assignedRoles(Domain::In), study.state.assignedRoles(Domain::In));
    QVERIFY(!study.state.assignedRoles(Domain::Out));
}

void TestRolesPage::sliderDragIsOneUndoStep()
{
    WithRoles study;
    RolesPage page(study.state, study.controller);
    page.show();
    QSlider *slider = nullptr;
    for (QSlider *one : page.findChildren<QSlider *>()) {
        if (one->accessibleName() == u"Positional"_s)
            slider = one;
    }
    QVERIFY(slider);
    QCOMPARE(slider->value(), 90);
    slider->setSliderDown(true);
    for (int value : {80, 60, 40, 10})
        slider->setSliderPosition(value);
    slider->setSliderDown(false); // emits sliderReleased
    QCOMPARE(study.state.undoStack().count(), 1);
    QCOMPARE(study.state.roleThresholds().positional, 0.1);
    slider->setValue(20); // by key
    QCOMPARE(study.state.undoStack().count(), 2);
    study.state.undoStack().undo();
    study.state.undoStack().undo();
    QCOMPARE(slider->value(), 90);
    QCOMPARE(study.state.roleThresholds(), RoleThresholds());
}

void TestRolesPage::evidenceHasScoresAndSentences()
{
    WithRoles study;
    RolesPage page(study.state, study.controller);
    page.show();
    study.state.selectHead(head("encoder.1.5"));
    QTreeWidget &tree = page.evidence().tree();
    // Of every role that was looked for, the best.
    const RolesResult &result = *study.state.results(Domain::In).roles;
    const auto scores = std::ranges::find(result.heads, head("encoder.1.5"), &HeadRoleScores::head);
    QCOMPARE(tree.topLevelItemCount(), static_cast<int>(bestLabels(result, *scores).size()));
    const QTreeWidgetItem *first = tree.topLevelItem(0);
    QVERIFY(first->text(0).startsWith(u"positional"_s));
    QCOMPARE(first->text(1), u"94 %"_s);
    QVERIFY(first->font(0).bold());
    QCOMPARE(first->childCount(), 2); // for and against
    QCOMPARE(first->child(0)->childCount(), 5);
    // It is syntactic too: said in the title, and marked in the grid.
    QVERIFY(textOf(page.evidence()).contains(u"ambiguous"_s));
    const GridContent content = gridContent(study.state, Measure::AblationDelta, DomainView::In);
    QCOMPARE(roleMark(content.cell(head("encoder.1.5"))->roles), u"P?"_s);
    QCOMPARE(roleMark(content.cell(head("encoder.0.0"))->roles), u"P"_s);
}

void TestRolesPage::sentencesOpen()
{
    WithRoles study;
    RolesPage page(study.state, study.controller);
    page.show();
    study.state.selectHead(head("encoder.0.6"));
    std::optional<HeadRef> opened;
    connect(&page, &RolesPage::headActivated, this, [&](const HeadRef &which) { opened = which; });
    for (QTreeWidgetItemIterator at(&page.evidence().tree()); *at; ++at) {
        if (!(*at)->data(0, RoleEvidenceView::kSentenceRole).isValid())
            continue;
        Q_EMIT page.evidence().tree().itemActivated(*at, 0);
        QCOMPARE(study.state.sentenceIndex(), (*at)->data(0, RoleEvidenceView::kSentenceRole).toLongLong());
        break;
    }
    QCOMPARE(opened, std::optional(head("encoder.0.6")));
}

void TestRolesPage::tooFewInstancesAreNoRole()
{
    WithRoles study;
    // encoder.0.7 finds all twelve vocatives.
    RoleThresholds all;
    all.relations.clear();
    study.state.setRoleThresholds(all);
    const auto assigned = study.state.assignedRoles(Domain::In);
    const HeadRoles *roles = findRoles(*assigned, head("encoder.0.7"));
    QVERIFY(roles && !roles->labels.empty() && !roles->labels.front().supported);
    const GridContent content = gridContent(study.state, Measure::Importance, DomainView::In);
    QVERIFY(content.cell(head("encoder.0.7"))->roles.empty());
    all.instances = 10;
    study.state.setRoleThresholds(all);
    QCOMPARE(
        gridContent(study.state, Measure::Importance, DomainView::In).cell(head("encoder.0.7"))->roles.front().role,
        Role::Syntactic);
}

void TestRolesPage::chartsSayWhyTheyAreEmpty()
{
    WithRoles study(true, false);
    RolesPage page(study.state, study.controller);
    page.show();
    study.state.selectHead(head("encoder.2.3"));
    QVERIFY(!page.offsets().series().empty());
    QVERIFY(page.relations().series().empty());
    QVERIFY(textOf(page).contains(u"no dependency trees"_s));
    WithRoles parsed;
    RolesPage other(parsed.state, parsed.controller);
    other.show();
    parsed.state.selectHead(head("encoder.2.3"));
    QVERIFY(!other.relations().series().empty());
    QVERIFY(other.relations().series().bars.front().strong);
    parsed.state.selectHead(head("cross.2.3"));
    QVERIFY(other.relations().series().empty());
}

void TestRolesPage::emptyPageSaysWhy()
{
    StudyState state;
    StudyController controller(state);
    RolesPage page(state, controller);
    page.show();
    QVERIFY(page.chart().picture().series.empty());
    QVERIFY(page.exportItems().isEmpty());
    MadeUp study;
    RolesPage without(study.state, study.controller);
    without.show();
    QVERIFY(without.chart().picture().series.empty());
    QVERIFY(without.exportItems().isEmpty());
    // Relevance alone is shown without roles.
    study.state.addResult(Domain::In, madeup::relevance());
    QVERIFY(!without.chart().picture().series.empty());
    QCOMPARE(without.exportItems().size(), 1);
    QCOMPARE(without.model().rowCount(), 96);
    QVERIFY(without.model().index(0, RolesTableModel::ConfidenceColumn).data(Qt::DisplayRole).toString().isEmpty());
    QVERIFY(!without.model().index(0, RolesTableModel::RelevanceColumn).data(Qt::DisplayRole).toString().isEmpty());
}

void TestRolesPage::settingsMakeSpecs()
{
    MadeUp study;
    RolesPage page(study.state, study.controller);
    page.show();
    RunOptions run;
    run.seed = 7;
    RolesSpec spec = page.settings().rolesSpec(run);
    QCOMPARE(spec.run.seed, 7U);
    QCOMPARE(spec.measure, AttentionMeasure::Weights);
    QCOMPARE(spec.specialTokens, SpecialTokens::NoQueriesNoKeys);
    QVERIFY(spec.corpus.empty() && spec.frequencies.empty() && !spec.ownOutput);
    QCOMPARE(page.settings().relevanceSpec(run).rule, RelevanceRule::AlphaBeta);
    const auto combos = page.settings().findChildren<QComboBox *>();
    QCOMPARE(combos.size(), 5);
    combos[0]->setCurrentIndex(1);
    combos[1]->setCurrentIndex(2);
    for (QCheckBox *box : page.settings().findChildren<QCheckBox *>())
        box->setChecked(true);
    spec = page.settings().rolesSpec(run);
    QCOMPARE(spec.measure, AttentionMeasure::Norms);
    QCOMPARE(spec.specialTokens, SpecialTokens::NoKeys);
    QVERIFY(spec.ownOutput && spec.renormalize);
    QVERIFY(page.settings().relevanceSpec(run).attentionConstant);
    combos[3]->setCurrentIndex(2);
    QCOMPARE(page.settings().relevanceSpec(run).rule, RelevanceRule::AttnLrp);
    QVERIFY(!page.settings().relevanceSpec(run).attentionConstant); // αβ only
    page.settings().setTranslates(false);
    QVERIFY(!page.settings().rolesSpec(run).ownOutput);
}

void TestRolesPage::exportsFiguresAndNumbers()
{
    WithRoles study;
    RolesPage page(study.state, study.controller);
    page.show();
    QCOMPARE(page.exportItems().size(), 3); // the chart, the best heads of relations, partners found
    study.state.selectHead(head("encoder.2.3"));
    const QList<ExportItem> items = page.exportItems();
    QCOMPARE(items.size(), 5);
    const QString csv = QString::fromStdString(items[0].csv());
    QCOMPARE(csv.count(u'\n'), 97);
    QVERIFY(csv.contains(u"\nencoder.0.6,encoder,0,6,rare word,rare word,"_s));
    for (const ExportItem &item : items) {
        QImage image(item.size.toSize(), QImage::Format_RGB32);
        image.fill(Qt::white);
        QPainter painter(&image);
        item.paint(painter, QRectF(QPointF(), item.size));
        painter.end();
        QImage white(image.size(), image.format());
        white.fill(Qt::white);
        QVERIFY(image != white);
        QVERIFY(!item.manifestJson.empty());
    }
}

void TestRolesPage::tokensOfAnExampleAreAHeatMap()
{
    WithRoles study;
    RolesPage page(study.state, study.controller);
    page.show();
    auto &figures = *page.findChild<RoleFigures *>();
    figures.setFigure(RoleFigure::Tokens);
    QVERIFY(figures.tokens().picture().table.empty());
    QVERIFY(page.exportItems().size() == 3);
    const auto before = study.state.results(Domain::In).relevance;
    auto one = std::make_shared<RelevanceResult>(*before);
    one->manifest.spec = R"({"example": 4})";
    one->sentences = {{4,
                       2,
                       {},
                       {{0.5, 0.25}, {0.25, 0.125}},
                       {{0.25}, {0.125, 0.5}},
                       {"\u2581a", "\u2581dog"},
                       {"<s>", "\u2581un"},
                       {"\u2581un", "\u2581chien"}}};
    study.state.addResult(Domain::In, std::shared_ptr<const RelevanceResult>(one));
    // The relevance of the whole data set stays what is shown of heads.
    QCOMPARE(study.state.results(Domain::In).relevance, before);
    QCOMPARE(study.state.results(Domain::In).tokens, one);
    const HeatMapPicture &picture = figures.tokens().picture();
    QCOMPARE(picture.table.rows.size(), 2U);
    QCOMPARE(picture.table.columns.size(), 4U);
    QCOMPARE(picture.table.rows[1].text, u"chien"_s);
    QCOMPARE(picture.table.columns[1].text, u"dog"_s);
    QCOMPARE(picture.divider, std::optional(2));
    QVERIFY(picture.table.columns[2].special && !picture.table.columns[1].special);
    QVERIFY(!picture.table.rows[1].continues);
    QCOMPARE(picture.table.weight(0, 1), 0.25);
    QCOMPARE(picture.table.weight(0, 2), 0.25);
    QCOMPARE(picture.table.weight(0, 3), 0.0); // comes later
    QCOMPARE(picture.table.weight(1, 3), 0.5);
    QVERIFY(picture.title.contains(u"5"_s));
    const QList<ExportItem> items = page.exportItems();
    QCOMPARE(items.size(), 4);
    QVERIFY(items.back().name.startsWith(u"Contributions of tokens"_s));
    QVERIFY(items.back().csv().find("4,1,prefix,1,0.5,\u2581chien,\u2581un") != std::string::npos);
}

void TestRolesPage::scoresOfOtherResultsLeaveThePageAlone()
{
    WithRoles study;
    RolesPage page(study.state, study.controller);
    page.show();
    int resets = 0;
    connect(&page.model(), &QAbstractItemModel::dataChanged, this, [&] { ++resets; });
    connect(&page.model(), &QAbstractItemModel::modelReset, this, [&] { ++resets; });
    study.state.addResult(Domain::In, madeup::ablation(false));
    study.state.addResult(Domain::Out, madeup::importance(true));
    QCOMPARE(resets, 0);
    study.state.addResult(Domain::In, madeup::relevance());
    QCOMPARE(resets, 1);
}

void TestRolesPage::gridSaysRoles()
{
    WithRoles study;
    HeadGridModel model;
    follow(study.state, model);
    QVERIFY(model.sentence(head("encoder.0.0")).contains(u"positional"_s));
    QCOMPARE(model.indexOf(head("encoder.0.6"), HeadGridModel::RoleColumn).data(Qt::DisplayRole).toString(),
             u"R rare word (80 %)"_s);
    // Without roles of their own the other data set's are shown, which is said.
    study.state.setDomainView(DomainView::Out);
    QVERIFY(model.sentence(head("encoder.0.0")).contains(u"in-domain"_s));
    QVERIFY(!model.sentence(head("encoder.0.3")).contains(u"in-domain"_s)); // no role
    study.state.addResult(Domain::Out, madeup::roles(true));
    QVERIFY(!model.sentence(head("encoder.0.0")).contains(u"in-domain"_s));
}

void TestRolesPage::gridRolesCanBeHidden()
{
    WithRoles study;
    HeadGridModel model;
    follow(study.state, model);
    const auto image = [&] {
        QImage picture(900, 400, QImage::Format_RGB32);
        QPainter painter(&picture);
        GridPicture grid;
        grid.content = model.content();
        grid.scale = scaleFor(grid.content);
        paintHeadGrid(painter, QRectF(0, 0, 900, 400), grid);
        painter.end();
        return picture;
    };
    const QImage shown = image();
    study.state.setShowsRoles(false);
    const QImage hidden = image();
    QVERIFY(shown != hidden);
    study.state.removeResults(Domain::In, ResultKind::Roles);
    QCOMPARE(image(), hidden);
}

void TestRolesPage::inspectorSaysRoles()
{
    WithRoles study;
    Inspector inspector(study.state, study.controller);
    study.state.selectHead(head("encoder.0.6"));
    const QString text = textOf(inspector);
    QVERIFY2(text.contains(u"rare word (80 %)"_s), qPrintable(text));
    QVERIFY(text.contains(u"Relevance"_s));
}

// A sweep with windows stands beside the usual one; its deltas, and who needs distant tokens by them, are in the
// inspector.
void TestRolesPage::sweepsWithWindowsSayWhoRetrieves()
{
    WithRoles study;
    const HeadRef needing = head("encoder.0.6");
    auto roles = std::make_shared<RolesResult>(*madeup::roles());
    roles->sinks = 4;
    roles->window = 8;
    for (HeadRoleScores &scores : roles->heads)
        scores.patterns.push_back({Pattern::Distant, 0.25, 0.125, 300});
    study.state.addResult(Domain::In, roles);
    auto sweep = std::make_shared<AblationResult>(*madeup::ablation(false));
    sweep->sinks = 4;
    sweep->window = 8;
    sweep->manifest.spec = R"({"replace": "window"})";
    std::erase_if(sweep->heads, [](const HeadAblation &one) { return one.head.kind == HeadKind::Cross; });
    for (HeadAblation &one : sweep->heads) {
        one.delta = one.head == needing ? -3.25 : 0;
        one.p = one.pAdjusted = one.head == needing ? 0.001 : 0.5;
        one.discoveryP.reset();
    }
    const auto before = study.state.results(Domain::In).ablation;
    study.state.addResult(Domain::In, sweep);
    QCOMPARE(study.state.results(Domain::In).ablation, before);
    QVERIFY(study.state.results(Domain::In).windowed);
    Inspector inspector(study.state, study.controller);
    const auto textFor = [&](const char *name) {
        study.state.selectHead(head(name));
        return textOf(inspector);
    };
    const QString text = textFor("encoder.0.6");
    QVERIFY2(text.contains(u"Windowed Δ BLEU"_s) && text.contains(u"−3.25"_s), qPrintable(text));
    QVERIFY(text.contains(u"sees the first 4 tokens and those nearer than 8"_s));
    QVERIFY2(text.contains(u"retrieval (25 %)"_s), qPrintable(text));
    QVERIFY(!textFor("encoder.0.5").contains(u"retrieval"_s));
    QVERIFY(!textFor("cross.0.5").contains(u"sees the first"_s)); // it has none
    // Another significance rule may say otherwise.
    Significance strict = study.state.significance();
    strict.level = 0.0001;
    study.state.setSignificance(strict);
    QVERIFY(!textFor("encoder.0.6").contains(u"retrieval"_s));
}

void TestRolesPage::studiesKeepRolesAndThresholds()
{
    QTemporaryDir dir;
    const std::filesystem::path file = dir.filePath(u"a.headscope"_s).toStdString();
    Study study;
    study.model = ModelCard{};
    study.model->folder = dir.filePath(u"gone"_s).toStdString();
    study.model->layout = madeup::layout();
    study.model->primaryMetric = "BLEU";
    study.data[0] = DataCard{};
    study.data[0]->name = "in";
    study.data[0]->rows = 1000;
    study.roleThresholds.positional = 0.75;
    study.roleThresholds.relations.clear();
    const StudyResults results{std::vector<AnyResult>{madeup::confidence(false), madeup::roles(), madeup::relevance()},
                               {}};
    QVERIFY(saveStudy(study, results, file).isOk());

    StudyState state;
    StudyController controller(state);
    controller.setAutomatic(false);
    controller.files().open(QString::fromStdString(file.string()));
    QTRY_VERIFY(controller.queue().isIdle());
    QVERIFY(state.results(Domain::In).confidence && state.results(Domain::In).roles
            && state.results(Domain::In).relevance);
    QCOMPARE(state.roleThresholds(), study.roleThresholds);
    QVERIFY(std::ranges::equal(*state.assignedRoles(Domain::In), assignRoles(*madeup::roles(), study.roleThresholds),
                               {}, &HeadRoles::labels, &HeadRoles::labels));
    QVERIFY(!controller.files().isModified());
    state.setRoleThresholds({});
    QVERIFY(controller.files().isModified());
    // Written again, each result is still there by itself.
    const QString copy = dir.filePath(u"b.headscope"_s);
    controller.files().save(copy, {});
    QTRY_COMPARE(state.studyFile(), copy);
    const auto loaded = loadStudy(copy.toStdString());
    QVERIFY(loaded.isOk() && loaded.value().problems.empty());
    QCOMPARE(loaded.value().results[0].size(), 3U);
    QCOMPARE(loaded.value().study.roleThresholds, RoleThresholds());
}

void TestRolesPage::dataDialogTakesTrees()
{
    QTemporaryDir dir;
    const auto write = [&](const char *name, const char *text) {
        QFile file(dir.filePath(QString::fromLatin1(name)));
        return file.open(QIODevice::WriteOnly) && file.write(text) > 0;
    };
    QVERIFY(write("a.en", "A dog runs.\n") && write("a.fr", "Un chien court.\n"));
    QVERIFY(write("a.en.conllu", "1\tHi\thi\tINTJ\t_\t_\t0\troot\t_\t_\n\n"));
    // Trees are not the text that another one is parallel to.
    QCOMPARE(parallelFile(dir.filePath(u"a.en"_s)), dir.filePath(u"a.fr"_s));
    QVERIFY(isTreesName(u"x.conllu.gz"_s) && !isTreesName(u"x.tsv"_s));

    JobQueue queue;
    DataSlotEdit edit({.title = u"In-domain data"_s, .tag = u"preview"_s, .emptyText = {}}, queue);
    DataSource alone;
    alone.conllu = dir.filePath(u"a.en.conllu"_s).toStdString();
    edit.setSource(alone);
    QCOMPARE(*edit.source(), alone);
    QTRY_VERIFY_WITH_TIMEOUT(edit.isAcceptable(), 5000); // read by itself
    DataSource beside;
    beside.source = dir.filePath(u"a.en"_s).toStdString();
    beside.reference = dir.filePath(u"a.fr"_s).toStdString();
    beside.conllu = alone.conllu;
    beside.name = "mine";
    edit.setSource(beside);
    QCOMPARE(*edit.source(), beside);
    // Other trees belong to the same texts, and keep their name.
    QLineEdit *trees = nullptr;
    for (QLineEdit *line : edit.findChildren<QLineEdit *>()) {
        if (line->text().endsWith(u".conllu"_s))
            trees = line;
    }
    QVERIFY(trees);
    trees->clear();
    QVERIFY(edit.source()->conllu.empty());
    QCOMPARE(edit.source()->name, std::string("mine"));
    edit.setSource({});
    QVERIFY(!edit.source());
    QTRY_VERIFY(queue.isIdle());
}

void TestRolesPage::looks_data()
{
    QTest::addColumn<bool>("dark");
    QTest::newRow("light") << false;
    QTest::newRow("dark") << true;
}

void TestRolesPage::looks()
{
    QFETCH(bool, dark);
    const QString suffix = dark ? u"-dark"_s : u"-light"_s;
    WithRoles study;
    const auto keep = [&](QWidget &page, const QString &name, const QSize &size) {
        if (dark)
            page.setPalette(darkPalette());
        page.resize(size);
        page.show();
        QVERIFY(QTest::qWaitForWindowExposed(&page));
        QCoreApplication::processEvents();
        keepPicture(page, name + suffix);
    };
    study.state.selectHead(head("encoder.1.5"));
    RolesPage page(study.state, study.controller);
    page.show();
    keep(page, u"roles"_s, {1000, 760});
    QTabWidget *side = page.findChild<QTabWidget *>();
    for (int tab = 1; tab < side->count(); ++tab) {
        side->setCurrentIndex(tab);
        keep(page, u"roles-tab%1"_s.arg(tab), {1000, 760});
    }
    side->setCurrentIndex(1);
    study.state.selectHead(head("encoder.2.3"));
    page.findChild<QComboBox *>(u"roleForm"_s)->setCurrentIndex(1);
    study.state.setRoleFilter(Role::Positional);
    keep(page, u"roles-small"_s, {720, 600});
    HeadsPage heads(study.state, study.controller);
    keep(heads, u"heads-filtered"_s, {900, 520});
    study.state.setRoleFilter({});
    keep(heads, u"heads-roles"_s, {900, 520});
    study.state.setMeasure(Measure::Relevance);
    keep(heads, u"heads-relevance"_s, {700, 420});
    Inspector inspector(study.state, study.controller);
    keep(inspector, u"inspector-roles"_s, {270, 640});
    MadeUp empty;
    RolesPage nothing(empty.state, empty.controller);
    nothing.show();
    keep(nothing, u"roles-empty"_s, {800, 600});
}

QTEST_MAIN(TestRolesPage)
#include "tst_rolespage.moc"

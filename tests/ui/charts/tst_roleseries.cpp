#include "core/metrics/pairedtests.h"
#include "core/results/meaninterval.h"
#include "tests/support/madeuproles.h"

#include "ui/models/gridcontent.h"
#include "ui/models/roletext.h"
#include "ui/pages/pruning/rolestrippainter.h"
#include "ui/pages/roles/rolescatterpainter.h"
#include "ui/pages/roles/rolescatterseries.h"
#include "ui/pages/roles/shareseries.h"

#include <QImage>
#include <QPainter>
#include <QTest>

#include <algorithm>
#include <cmath>
#include <set>

using namespace headscope;
using namespace Qt::StringLiterals;

namespace {

HeadRef head(const char *text)
{
    return parseHeadRef(text).value();
}

const HeadRoleScores &scoresOf(const RolesResult &result, const char *which)
{
    return *std::ranges::find(result.heads, head(which), &HeadRoleScores::head);
}

} // namespace

class TestRoleSeries final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void headsOfALayerAreSorted();
    void missingMeasuresLeaveTheirRowOut();
    void marksAreWhereTheyArePainted();
    void onlySupportedLabelsAreRoles();
    void offsetsCoverAllQueries();
    void relationsShowTheBaseline();
    void stripCountsWhoIsLeft();
    void stripNeedsMasks();
    void stripKeepsToItsKinds();
    void relevanceHasItsInterval();
    void csvTables();
};

void TestRoleSeries::headsOfALayerAreSorted()
{
    const auto roles = madeup::roles();
    const auto assigned = assignRoles(*roles);
    const auto relevance = madeup::relevance();
    const RoleScatterSeries series = makeRoleScatter(
        {madeup::layout(), roles.get(), &assigned, nullptr, relevance.get()}, RoleScatterForm::ByLayer);
    QCOMPARE(series.panels.size(), 6U);
    for (std::size_t kind = 0; kind < 3; ++kind) {
        const auto &upper = series.panels[kind];
        const auto &lower = series.panels[kind + 3];
        QCOMPARE(upper.points.size(), lower.points.size());
        for (std::size_t i = 0; i < upper.points.size(); ++i) {
            const auto &point = upper.points[i];
            const HeadRef &which = series.heads[point.head].head;
            QVERIFY(std::abs(point.x - which.layer) < 0.5); // within its layer
            QCOMPARE(lower.points[i].head, point.head);     // at the same place in both rows
            QCOMPARE(lower.points[i].x, point.x);
            QCOMPARE(point.y, *series.heads[point.head].relevance);
            // Student's t of so many examples, wider than the normal distribution's.
            const auto interval = meanInterval(point.y, series.heads[point.head].relevanceError, relevance->examples);
            QCOMPARE(point.high, interval->high);
            QVERIFY(point.high - point.y > 1.96 * series.heads[point.head].relevanceError);
            if (i > 0 && series.heads[upper.points[i - 1].head].head.layer == which.layer)
                QVERIFY(upper.points[i - 1].y >= point.y && upper.points[i - 1].x < point.x);
        }
    }
}

void TestRoleSeries::missingMeasuresLeaveTheirRowOut()
{
    const auto roles = madeup::roles();
    const auto relevance = madeup::relevance();
    const HeadLayout layout = madeup::layout();
    QVERIFY(makeRoleScatter({layout}, RoleScatterForm::ByLayer).empty());
    QCOMPARE(makeRoleScatter({layout, roles.get()}, RoleScatterForm::ByLayer).panels.size(), 3U);
    QCOMPARE(
        makeRoleScatter({layout, nullptr, nullptr, nullptr, relevance.get()}, RoleScatterForm::ByLayer).panels.size(),
        3U);
    // One against the other needs both.
    QCOMPARE(makeRoleScatter({layout, roles.get()}, RoleScatterForm::Scatter).panels[0].axes.xHigh, 3.5);
    const auto confidence = madeup::confidence(false);
    const auto both
        = makeRoleScatter({layout, nullptr, nullptr, confidence.get(), relevance.get()}, RoleScatterForm::Scatter);
    QCOMPARE(both.panels.size(), 3U);
    for (const auto &panel : both.panels) {
        for (const auto &point : panel.points) {
            QVERIFY(panel.axes.xLow <= point.x && point.x <= panel.axes.xHigh);
            QVERIFY(panel.axes.yLow <= point.y && point.y <= panel.axes.yHigh);
        }
    }
}

void TestRoleSeries::marksAreWhereTheyArePainted()
{
    const auto roles = madeup::roles();
    const auto assigned = assignRoles(*roles);
    RoleScatterPicture picture;
    picture.series = makeRoleScatter({madeup::layout(), roles.get(), &assigned}, RoleScatterForm::ByLayer);
    QImage image(900, 300, QImage::Format_RGB32);
    image.fill(Qt::white);
    QPainter painter(&image);
    const auto marks = paintRoleScatter(painter, QRectF(0, 0, 900, 300), picture);
    painter.end();
    QCOMPARE(marks.size(), 96U);
    std::set<HeadRef> heads;
    for (const HeadMark &mark : marks) {
        heads.insert(mark.head);
        QVERIFY(image.rect().contains(mark.centre.toPoint()));
    }
    QCOMPARE(heads.size(), 96U);
}

void TestRoleSeries::onlySupportedLabelsAreRoles()
{
    const auto roles = madeup::roles();
    RoleThresholds all;
    all.relations.clear();
    const auto assigned = assignRoles(*roles, all);
    const HeadRoles *lucky = findRoles(assigned, head("encoder.0.7")); // all of twelve vocatives
    QVERIFY(!lucky->labels.empty());
    QVERIFY(lucky->supported().empty());
    QVERIFY(roleMark(lucky->supported()).isEmpty());
    QVERIFY(!findRoles(assigned, head("encoder.9.9")));
    const auto ambiguous = findRoles(assigned, head("encoder.1.5"))->supported();
    QVERIFY(isAmbiguous(ambiguous));
    QCOMPARE(roleMark(ambiguous), u"P?"_s);
    // Of several labels of one role the first is said.
    QCOMPARE(rolesText(ambiguous).count(u"syntactic"_s), 1);
    QVERIFY(roleSortValue(ambiguous) < roleSortValue({}));
    std::set<Role> present;
    for (const Role role : rolesPresent(assigned))
        present.insert(role);
    QCOMPARE(present,
             (std::set{Role::Positional, Role::Syntactic, Role::RareWord, Role::Copy, Role::Diagonal, Role::Special}));
}

void TestRoleSeries::offsetsCoverAllQueries()
{
    const auto roles = madeup::roles();
    const ShareSeries series = makeOffsetShares(scoresOf(*roles, "encoder.0.0"), {});
    QCOMPARE(series.bars.size(), 16U); // −7 … 7 and farther
    std::int64_t hits = 0;
    for (const ShareSeries::Bar &bar : series.bars)
        hits += bar.hits;
    QCOMPARE(hits + scoresOf(*roles, "encoder.0.0").offsets.ties, scoresOf(*roles, "encoder.0.0").offsets.queries);
    QCOMPARE(std::ranges::count(series.bars, true, &ShareSeries::Bar::strong), 1);
    QCOMPARE(std::ranges::find(series.bars, true, &ShareSeries::Bar::strong)->label, u"−1"_s);
    RoleThresholds strict;
    strict.positional = 0.95;
    QCOMPARE(std::ranges::count(makeOffsetShares(scoresOf(*roles, "encoder.0.0"), strict).bars, true,
                                &ShareSeries::Bar::strong),
             0);
    QVERIFY(makeOffsetShares({}, {}).empty());
}

void TestRoleSeries::relationsShowTheBaseline()
{
    const auto roles = madeup::roles();
    const ShareSeries series = makeRelationShares(*roles, scoresOf(*roles, "encoder.2.3"), {});
    QCOMPARE(series.bars.size(), 12U);
    const ShareSeries::Bar &first = series.bars.front();
    QVERIFY(first.strong && first.label.contains(u"nsubj"_s));
    QCOMPARE(*first.expected, roles->relations[0].baseline);
    QVERIFY(first.share >= *first.expected + RoleThresholds().syntacticMargin);
    // Too few instances come last, whatever they say.
    const ShareSeries lucky = makeRelationShares(*roles, scoresOf(*roles, "encoder.0.7"), {});
    QVERIFY(!lucky.bars.back().enough && lucky.bars.back().share == 1.0 && !lucky.bars.back().strong);
    QVERIFY(makeRelationShares(*roles, scoresOf(*roles, "cross.0.7"), {}).empty());
    QCOMPARE(makeRelationShares(*roles, scoresOf(*roles, "encoder.0.7"), {}, 3).bars.size(), 3U);
}

void TestRoleSeries::stripCountsWhoIsLeft()
{
    const auto roles = madeup::roles();
    const auto assigned = assignRoles(*roles);
    const auto pruning = madeup::pruning("importance", false);
    const PruningCurve &curve = pruning->curves.front();
    const RoleStripSeries series = makeRoleStrip(curve, assigned, 96);
    QCOMPARE(series.columns.size(), curve.points.size());
    for (std::size_t i = 0; i < series.columns.size(); ++i) {
        std::int64_t left = series.columns[i].withoutRole;
        for (const std::int64_t heads : series.columns[i].left)
            left += heads;
        QCOMPARE(left, 96 - curve.points[i].pruned);
        for (std::size_t role = 0; i > 0 && role < series.roles.size(); ++role)
            QVERIFY(series.columns[i].left[role] <= series.columns[i - 1].left[role]); // heads do not come back
    }
    QCOMPARE(series.most, std::ranges::count_if(assigned, [](const HeadRoles &one) { return one.first() != nullptr; }));
    QVERIFY(roleStripText(series, 1).startsWith(u"0 heads removed"_s));
}

void TestRoleSeries::stripNeedsMasks()
{
    const auto roles = madeup::roles();
    const auto assigned = assignRoles(*roles);
    QVERIFY(makeRoleStrip(madeup::pruning("random", false, 10)->curves.front(), assigned, 96).empty());
    PruningCurve bare = madeup::pruning("importance", false)->curves.front();
    for (PruningPoint &point : bare.points)
        point.mask = {};
    QCOMPARE(makeRoleStrip(bare, assigned, 96).columns.size(), 1U); // that of the full model
    QVERIFY(makeRoleStrip(madeup::pruning("importance", false)->curves.front(), {}, 96).empty());
}

void TestRoleSeries::stripKeepsToItsKinds()
{
    const auto roles = madeup::roles();
    const auto assigned = assignRoles(*roles);
    PruningCurve curve;
    curve.order = "importance";
    curve.kinds = {HeadKind::Cross};
    curve.points = {{0, 0, 50, {}, {}}, {1, 1.0 / 32, 49, {}, HeadMask({head("cross.2.4")})}};
    const RoleStripSeries series = makeRoleStrip(curve, assigned, 32);
    QCOMPARE(series.roles, (std::vector{Role::Copy, Role::Diagonal}));
    QCOMPARE(series.columns[0].left, (std::vector<std::int64_t>{1, 2}));
    QCOMPARE(series.columns[1].left, (std::vector<std::int64_t>{0, 2}));
    QCOMPARE(series.columns[1].withoutRole, 29);
}

void TestRoleSeries::relevanceHasItsInterval()
{
    const auto relevance = madeup::relevance();
    const GridContent content = relevanceContent(madeup::layout(), *relevance);
    QCOMPARE(content.valueCount(), 96);
    QVERIFY(!content.diverging);
    for (const HeadRelevance &entry : relevance->heads) {
        const HeadCell *cell = content.cell(entry.head);
        QCOMPARE(*cell->value, entry.relevance);
        const double half = studentsT(static_cast<double>(relevance->examples - 1)) * entry.standardError;
        QCOMPARE(cell->interval->high, entry.relevance + half);
        QCOMPARE(cell->interval->low, entry.relevance - half);
    }
    // Shares of a layer.
    double sum = 0;
    for (int i = 0; i < 8; ++i)
        sum += *content.cell({HeadKind::Cross, 1, i})->value;
    QVERIFY(std::abs(sum - 1) < 1e-9);
    RelevanceResult negative = *relevance;
    negative.heads[3].relevance = -0.1;
    negative.heads[4].standardError = 0;
    QVERIFY(relevanceContent(madeup::layout(), negative).diverging);
    QVERIFY(!relevanceContent(madeup::layout(), negative).cells[4].interval);
}

void TestRoleSeries::csvTables()
{
    const auto roles = madeup::roles();
    const auto assigned = assignRoles(*roles);
    const std::string strip
        = roleStripCsv(makeRoleStrip(madeup::pruning("importance", false)->curves.front(), assigned, 96));
    QVERIFY(
        strip.starts_with("pruned,positional,syntactic,rare_word,copy,diagonal,separator,no_role\n0,6,2,1,1,2,4,80\n"));
    const std::string shares = shareCsv(makeOffsetShares(scoresOf(*roles, "encoder.0.0"), {}));
    QCOMPARE(std::ranges::count(shares, '\n'), 17);
}

QTEST_MAIN(TestRoleSeries)
#include "tst_roleseries.moc"

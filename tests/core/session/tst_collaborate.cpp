// Models with shared projections by the session: scores against those of the folders that it writes.
#include "core/analysis/ablationspec.h"
#include "core/analysis/analysisinfo.h"
#include "core/analysis/collaboratespec.h"
#include "core/analysis/energyspec.h"
#include "core/analysis/evaluationspec.h"
#include "core/analysis/importancespec.h"
#include "core/exporting/csv.h"
#include "core/results/collaborateresult.h"
#include "core/results/importanceresult.h"
#include "core/session/session.h"
#include "tests/support/tinymodel.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <filesystem>

using namespace headscope;
using namespace headscope::testing;
namespace fs = std::filesystem;

class TestCollaborate : public QObject
{
    Q_OBJECT

    QTemporaryDir m_folder;
    std::shared_ptr<Session> m_session;

    fs::path root() const { return m_folder.path().toStdString(); }
    DataSource data(const char *name) const
    {
        DataSource source;
        source.source = (root() / (std::string(name) + ".src")).string();
        source.reference = (root() / (std::string(name) + ".ref")).string();
        return source;
    }
    std::shared_ptr<Session> opened(const fs::path &folder) const
    {
        auto session = Session::open(folder, {}, {}).valueOrThrow();
        (void)session->setData(Domain::In, data("in"), {}).valueOrThrow();
        (void)session->setData(Domain::Out, data("out"), {}).valueOrThrow();
        return session;
    }
    static double scoreOf(Session &session, Domain domain, const HeadMask &mask = {})
    {
        return session.run(domain, EvaluationSpec{.mask = mask}, {}).valueOrThrow().primary().value;
    }
    HeadMask leastImportant(std::size_t count)
    {
        auto heads = m_session->run(Domain::In, ImportanceSpec{}, {}).valueOrThrow().heads;
        std::ranges::stable_sort(heads, {}, &HeadImportance::importance);
        HeadMask mask;
        for (std::size_t i = 0; i < count; ++i)
            mask.set(heads[i].head, true);
        return mask;
    }

private Q_SLOTS:
    void initTestCase()
    {
        writeTinyModel(root() / "model");
        writeTinyCorpus(root() / "in.src", root() / "in.ref", 20, 5);
        writeTinyCorpus(root() / "out.src", root() / "out.ref", 15, 9);
        m_session = opened(root() / "model");
    }

    void scoresAreThoseOfTheFolder()
    {
        CollaborateSpec spec{.ranks = {1}, .methods = {SharingMethod::Cp}, .mixing = true, .alsoOnOther = true};
        const CollaborateResult result = m_session->run(Domain::In, spec, {}).valueOrThrow();
        QCOMPARE(result.points.size(), 2U);
        QCOMPARE(result.otherData, m_session->data(Domain::Out)->name);
        QCOMPARE(result.points[0].score, scoreOf(*m_session, Domain::In));
        QCOMPARE(result.points[0].otherScore.value_or(-1), scoreOf(*m_session, Domain::Out));
        (void)m_session->exportShared(spec, root() / "shared", {}).valueOrThrow();
        const auto shared = opened(root() / "shared");
        const SharedPoint &point = result.points[1];
        QCOMPARE(point.score, scoreOf(*shared, Domain::In));
        QCOMPARE(point.otherScore.value_or(-1), scoreOf(*shared, Domain::Out));
        QCOMPARE(point.delta, point.score - result.points[0].score);
        QCOMPARE(point.parameters, shared->card().parameters);
        // Of six attentions of 4 heads of width 4 in a model of width 16: projections and products; with one shared
        // column also mixing, and content vectors in the place of query biases.
        const auto n = static_cast<double>(result.length);
        QVERIFY(n >= 2 && n <= 20);
        QCOMPARE(result.points[0].multiplyAdds, 6 * (n * 16 * 32 + n * n * 16));
        QCOMPARE(point.multiplyAdds, 6 * (2 * n * 16 + n * 4 + n * 4 * 16 + n * n * 4));
        double seconds = 0;
        for (const SharedLayer &layer : point.layers)
            seconds += layer.seconds;
        QVERIFY(point.seconds() == seconds && result.points[0].seconds() == 0);
        QCOMPARE(point.layers.size(), 6U);
        for (const SharedLayer &layer : point.layers) {
            QCOMPARE(layer.heads.size(), 4U);
            QCOMPARE(layer.mixing.size(), 4U);
            QVERIFY(layer.error >= 0 && layer.error < 1);
        }
        QVERIFY(point.error > 0.01 && point.logitError > 0.01
                && point.divergence > 0); // one column does not hold four heads
        // Every analysis works on it: the heads are the same.
        QCOMPARE(shared->card().layout.heads(), m_session->card().layout.heads());
        QCOMPARE(shared->run(Domain::In, AblationSpec{.resamples = 0}, {}).valueOrThrow().heads.size(), 24U);
        QCOMPARE(shared->run(Domain::In, EnergySpec{}, {}).valueOrThrow().layers.front().dimensions, 1);
    }

    void fullWidthChangesNothing()
    {
        const CollaborateResult result
            = m_session->run(Domain::In, CollaborateSpec{.ranks = {16}, .restarts = 0}, {}).valueOrThrow();
        QCOMPARE(result.points.size(), 3U);
        for (const SharedPoint &point : result.points) {
            QCOMPARE(point.delta, 0.0);
            QVERIFY(point.logitError < 1e-4 && point.divergence < 1e-7);
        }
        QVERIFY(result.points[1].compression < 1); // mixing and content come on top
    }

    void widthsAreSharesOfTheHeadsUnlessTheyAreGiven()
    {
        const CollaborateResult result
            = m_session->run(Domain::In, CollaborateSpec{.iterations = 3, .restarts = 0, .resamples = 0}, {})
                  .valueOrThrow();
        std::vector<std::int64_t> widths;
        for (const SharedPoint &point : result.points)
            widths.push_back(point.width);
        QCOMPARE(widths, (std::vector<std::int64_t>{0, 12, 8, 5, 3, 12, 8, 5, 3}));
        for (std::size_t i = 1; i < 5; ++i) {
            QVERIFY(result.points[i].error <= result.points[i + 4].error + 1e-6); // cp and svd
            QCOMPARE(result.points[i].scoreParameters, result.points[i + 4].scoreParameters);
        }
        QCOMPARE(QString::fromStdString(toCsv(result)).count(QLatin1Char('\n')), 10);
    }

    void headsGoBeforeAndAfterSharing()
    {
        // Of full width sharing changes nothing: both orders are pruning alone.
        const CollaborateSpec spec{.ranks = {16}, .methods = {SharingMethod::Svd}, .prune = {5}, .resamples = 0};
        const CollaborateResult result = m_session->run(Domain::In, spec, {}).valueOrThrow();
        QCOMPARE(result.points.size(), 5U);
        const SharedPoint &alone = result.points[1], &after = result.points[3], &before = result.points[4];
        QVERIFY(alone.order == SharingOrder::PruneOnly && after.order == SharingOrder::ShareFirst
                && before.order == SharingOrder::PruneFirst);
        const HeadMask mask = leastImportant(5);
        QVERIFY(std::abs(alone.score - scoreOf(*m_session, Domain::In, mask)) < 1e-9);
        QCOMPARE(alone.parameters, m_session->prunedCard(mask, {}).valueOrThrow().parametersLeft);
        QVERIFY(alone.width == 0 && alone.pruned == 5 && alone.layers.empty());
        for (const SharedPoint *point : {&after, &before}) {
            QVERIFY(std::abs(point->score - alone.score) < 1e-9);
            QVERIFY(point->logitError < 1e-4 && point->divergence < 1e-7);
            QCOMPARE(point->pruned, 5);
        }
        QVERIFY(after.parameters < result.points[2].parameters);
        QCOMPARE(before.parameters, after.parameters);
    }

    void noHeadsRemovedIsSharingAlone()
    {
        const CollaborateSpec spec{
            .ranks = {1}, .methods = {SharingMethod::Cp}, .prune = {0}, .alsoOnOther = true, .resamples = 0};
        const CollaborateResult result = m_session->run(Domain::In, spec, {}).valueOrThrow();
        QCOMPARE(result.points.size(), 5U);
        const auto same = [](const SharedPoint &one, const SharedPoint &other) {
            return one.score == other.score && one.otherScore == other.otherScore && one.parameters == other.parameters
                && one.error == other.error && std::abs(one.logitError - other.logitError) < 1e-9;
        };
        QVERIFY(same(result.points[1], result.points[0]));
        QVERIFY(result.points[2].error > 0.01);
        QVERIFY(same(result.points[3], result.points[2]) && same(result.points[4], result.points[2]));
    }

    void fewerHeadsAreNearer()
    {
        // Columns that need not serve removed heads serve those that are left.
        const CollaborateSpec spec{
            .ranks = {3}, .methods = {SharingMethod::Svd}, .prune = {12}, .sentences = 0, .resamples = 0};
        const CollaborateResult result = m_session->run(Domain::In, spec, {}).valueOrThrow();
        const SharedPoint &after = result.points[3], &before = result.points[4];
        QVERIFY(before.error < after.error);
        QVERIFY(before.logitError > 0 && before.logitError < after.logitError);
        for (const SharedLayer &layer : before.layers)
            QVERIFY(!layer.heads.empty());
    }

    void frontIsThatOfTheFiles()
    {
        const CollaborateSpec spec{
            .ranks = {12, 5}, .prune = {4, 9, 4}, .iterations = 5, .restarts = 0, .alsoOnOther = true, .resamples = 0};
        const CollaborateResult result = m_session->run(Domain::In, spec, {}).valueOrThrow();
        QCOMPARE(result.points.size(), 1U + 2U + 2U * 2U * (1U + 2U * 2U)); // 4 is asked for twice
        for (const bool onOther : {false, true}) {
            int front = 0;
            for (const SharedPoint &point : result.points) {
                bool beaten = false;
                for (const SharedPoint &other : result.points) {
                    const double mine = onOther ? *point.otherScore : point.score;
                    const double theirs = onOther ? *other.otherScore : other.score;
                    beaten |= (other.parameters < point.parameters && theirs >= mine)
                           || (other.parameters == point.parameters && theirs > mine);
                }
                QCOMPARE(onOther ? point.otherOnFront : point.onFront, !beaten);
                front += !beaten;
            }
            QVERIFY(front > 0 && front < static_cast<int>(result.points.size()));
        }
        const auto lines = QString::fromStdString(toCsv(result)).split(QLatin1Char('\n'));
        QVERIFY(lines[0].endsWith(QStringLiteral(",on_front,other_on_front,multiply_adds,length")));
        for (std::size_t i = 0; i < result.points.size(); ++i) {
            const auto fields = lines[static_cast<qsizetype>(i) + 1].split(QLatin1Char(','));
            QCOMPARE(fields[fields.size() - 4] == QStringLiteral("yes"), result.points[i].onFront);
            QCOMPARE(fields[fields.size() - 3] == QStringLiteral("yes"), result.points[i].otherOnFront);
        }
        const auto remarks = AnalysisOf<CollaborateSpec>::remarks(result);
        QCOMPARE(remarks.size(), 1U);
        QCOMPARE(QString::fromStdString(remarks[0]).count(QLatin1Char(';')) + 1,
                 std::ranges::count_if(result.points, &SharedPoint::onFront));
    }

    void publishesPointByPoint()
    {
        std::vector<std::size_t> published;
        const CollaborateSpec spec{.ranks = {3, 5}, .methods = {SharingMethod::Svd}, .resamples = 0};
        (void)m_session
            ->run(Domain::In, spec, {},
                  [&](const CollaborateResult &partial) { published.push_back(partial.points.size()); })
            .valueOrThrow();
        QCOMPARE(published, (std::vector<std::size_t>{1, 2, 3}));
    }

    void whatWasScoredIsNotFactorizedAgain()
    {
        std::atomic<int> checkpoints = 0; // factorizing takes one for every iteration
        const JobControl counting({}, {}, [&] { ++checkpoints; });
        const auto exported = [&](Session &session, const char *name) {
            checkpoints = 0;
            (void)session.exportShared({.ranks = {7, 2}, .resamples = 0}, root() / name, counting).valueOrThrow();
            return checkpoints.load();
        };
        const auto session = opened(root() / "model");
        const CollaborateResult result
            = session->run(Domain::In, CollaborateSpec{.ranks = {7, 2}, .resamples = 0}, {}).valueOrThrow();
        const int again = exported(*session, "scored");
        const int fresh = exported(*opened(root() / "model"), "not-scored");
        QVERIFY2(10 * again < fresh, qPrintable(QStringLiteral("%1, %2").arg(again).arg(fresh)));
        for (const char *name : {"scored", "not-scored"})
            QCOMPARE(scoreOf(*opened(root() / name), Domain::In), result.points[1].score);
    }

    void exportsNeedAWidth()
    {
        QVERIFY(m_session->exportShared({}, root() / "nowhere", {}).isError());
        QVERIFY(!fs::exists(root() / "nowhere"));
    }
};

QTEST_GUILESS_MAIN(TestCollaborate)
#include "tst_collaborate.moc"

// Models with shared projections by the session: scores against those of the folders that it writes.
#include "core/exporting/csv.h"
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
        QCOMPARE(point.layers.size(), 6U);
        for (const SharedLayer &layer : point.layers) {
            QCOMPARE(layer.heads.size(), 4U);
            QCOMPARE(layer.mixing.size(), 4U);
            QVERIFY(layer.error >= 0 && layer.error < 1);
        }
        QVERIFY(point.error > 0.01 && point.logitError > 0.01 && point.divergence > 0); // one column does not hold four heads
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
            = m_session->run(Domain::In, CollaborateSpec{.iterations = 3, .restarts = 0, .resamples = 0}, {}).valueOrThrow();
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
        const CollaborateSpec spec{.ranks = {16}, .methods = {SharingMethod::Svd}, .prune = {5}, .resamples = 0};
        const CollaborateResult result = m_session->run(Domain::In, spec, {}).valueOrThrow();
        QCOMPARE(result.points.size(), 4U);
        const SharedPoint &after = result.points[2], &before = result.points[3];
        QVERIFY(after.order == SharingOrder::ShareFirst && before.order == SharingOrder::PruneFirst);
        // Of full width sharing changes nothing, so that the order does not matter.
        const auto importance = m_session->run(Domain::In, ImportanceSpec{}, {}).valueOrThrow();
        auto heads = importance.heads;
        std::ranges::stable_sort(heads, {}, &HeadImportance::importance);
        HeadMask mask;
        for (std::size_t i = 0; i < 5; ++i)
            mask.set(heads[i].head, true);
        QVERIFY(std::abs(after.score - scoreOf(*m_session, Domain::In, mask)) < 1e-9);
        QVERIFY(std::abs(before.score - after.score) < 1e-9);
        QVERIFY(after.parameters < result.points[1].parameters);
        QCOMPARE(after.pruned, 5);
    }

    void publishesPointByPoint()
    {
        std::vector<std::size_t> published;
        const CollaborateSpec spec{.ranks = {3, 5}, .methods = {SharingMethod::Svd}, .resamples = 0};
        (void)m_session->run(Domain::In, spec, {}, [&](const CollaborateResult &partial) { published.push_back(partial.points.size()); })
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

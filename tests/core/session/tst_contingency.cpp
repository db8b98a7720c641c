// McNemar's table of every head against outputs counted one by one.
#include "core/analysis/ablationspec.h"
#include "core/analysis/contingencyspec.h"
#include "core/analysis/evaluationspec.h"
#include "core/results/contingencyresult.h"
#include "core/results/results.h"
#include "core/session/session.h"
#include "tests/support/tinyclassifier.h"
#include "tests/support/tinymodel.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <vector>

using namespace headscope;
using namespace headscope::testing;

class TestContingency : public QObject
{
    Q_OBJECT

    static constexpr int kRows = 120;
    QTemporaryDir m_folder;
    std::shared_ptr<Session> m_session;

    /// Whether the model without `mask` has each row right, in the order of the data.
    std::vector<bool> rightUnder(const HeadMask &mask) const
    {
        const auto result
            = m_session->run(Domain::In, EvaluationSpec{.mask = mask, .outputs = true}, {}).valueOrThrow();
        std::vector<bool> right;
        for (const ExampleOutput &output : result.outputs)
            right.push_back(output.predicted == output.labels);
        return right;
    }

    using Heads = std::vector<HeadContingency>;

    static double rankOf(const Heads &heads, double p)
    {
        return static_cast<double>(std::ranges::count_if(heads, [p](const auto &head) { return head.p <= p; }));
    }

    /// Over all p at least as large, the least of p · heads / rank (Benjamini and Hochberg 1995).
    static double benjaminiHochberg(const Heads &heads, double p)
    {
        double least = 1;
        for (const auto &head : heads) {
            if (head.p >= p)
                least = std::min(least, head.p * static_cast<double>(heads.size()) / rankOf(heads, head.p));
        }
        return least;
    }

    /// Over all p at most as large, the largest of p · the number of heads whose p is not smaller (Holm 1979).
    static double holm(const Heads &heads, double p)
    {
        double largest = 0;
        for (const auto &head : heads) {
            const auto notSmaller = std::ranges::count_if(heads, [&](const auto &other) { return other.p >= head.p; });
            if (head.p <= p)
                largest = std::max(largest, head.p * static_cast<double>(notSmaller));
        }
        return std::min(1.0, largest);
    }

private Q_SLOTS:
    void initTestCase()
    {
        const std::filesystem::path folder = m_folder.path().toStdString();
        writeTinyClassifier(folder / "model", {.layers = 2, .heads = 4, .width = 16, .labels = {"a", "b", "c"}});
        writeTinyTable(folder / "table.tsv", kRows, 3);
        DataSource source;
        source.table = (folder / "table.tsv").string();
        m_session = Session::open(folder / "model", {}, {}).valueOrThrow();
        (void)m_session->setData(Domain::In, source, {}).valueOrThrow();
    }

    void countsAreThoseOfTheOutputs()
    {
        const auto result = m_session->run(Domain::In, ContingencySpec{.examples = true}, {}).valueOrThrow();
        QCOMPARE(result.metric, std::string("accuracy"));
        QCOMPARE(result.examples, kRows);
        QCOMPARE(result.heads.size(), 8U);
        const std::vector<bool> whole = rightUnder({});
        QCOMPARE(result.right, std::ranges::count(whole, true));
        std::int64_t decided = 0;
        for (const HeadContingency &head : result.heads) {
            const std::vector<bool> without = rightUnder(HeadMask{head.head});
            std::vector<std::int64_t> lost;
            std::vector<std::int64_t> gained;
            for (std::size_t i = 0; i < whole.size(); ++i) {
                if (whole[i] && !without[i])
                    lost.push_back(static_cast<std::int64_t>(i));
                if (!whole[i] && without[i])
                    gained.push_back(static_cast<std::int64_t>(i));
            }
            QCOMPARE(head.lostExamples, lost);
            QCOMPARE(head.gainedExamples, gained);
            QCOMPARE(head.lost, std::ssize(lost));
            QCOMPARE(head.gained, std::ssize(gained));
            QCOMPARE(head.bothRight + head.lost, result.right);
            QCOMPARE(head.bothRight + head.lost + head.gained + head.bothWrong, kRows);
            decided += head.lost + head.gained;
        }
        QVERIFY(decided > 0); // or nothing was compared
    }

    void testIsThatOfAblation()
    {
        const auto tables = m_session->run(Domain::In, ContingencySpec{}, {}).valueOrThrow();
        const auto sweep = m_session->run(Domain::In, AblationSpec{.resamples = 10}, {}).valueOrThrow();
        QCOMPARE(tables.heads.size(), sweep.heads.size());
        for (std::size_t i = 0; i < tables.heads.size(); ++i) {
            QCOMPARE(tables.heads[i].head, sweep.heads[i].head);
            QCOMPARE(tables.heads[i].p, sweep.heads[i].mcnemar.value());
            QVERIFY(std::abs(tables.heads[i].pAdjusted - holm(tables.heads, tables.heads[i].p)) < 1e-12);
            QVERIFY(std::abs(tables.heads[i].pDiscovery - benjaminiHochberg(tables.heads, tables.heads[i].p)) < 1e-12);
            QVERIFY(tables.heads[i].lostExamples.empty());
        }
        QCOMPARE(tables.manifest.analysis, std::string("mcnemar"));
        QVERIFY(tables.manifest.command.starts_with("headscope-cli mcnemar --model "));
    }

    /// What a finished sweep has run is not run again, and counts the same.
    void finishedSweepIsLookedAt()
    {
        const auto fresh = Session::open(m_folder.path().toStdString() + "/model", {}, {}).valueOrThrow();
        DataSource source;
        source.table = m_folder.path().toStdString() + "/table.tsv";
        (void)fresh->setData(Domain::In, source, {}).valueOrThrow();
        (void)fresh->run(Domain::In, AblationSpec{.resamples = 10}, {}).valueOrThrow();
        bool hasRun = false;
        const JobControl control({}, [&](const Progress &) { hasRun = true; });
        const auto looked = fresh->run(Domain::In, ContingencySpec{.examples = true}, control).valueOrThrow();
        QVERIFY(!hasRun);
        const auto own = m_session->run(Domain::In, ContingencySpec{.examples = true}, {}).valueOrThrow();
        QCOMPARE(looked.right, own.right);
        QCOMPARE(looked.heads.size(), own.heads.size());
        for (std::size_t i = 0; i < own.heads.size(); ++i) {
            QCOMPARE(looked.heads[i].lostExamples, own.heads[i].lostExamples);
            QCOMPARE(looked.heads[i].gainedExamples, own.heads[i].gainedExamples);
            QCOMPARE(looked.heads[i].bothWrong, own.heads[i].bothWrong);
        }
        // Of other heads masked throughout it is another sweep.
        (void)fresh->run(Domain::In, ContingencySpec{.mask = HeadMask{{HeadKind::Encoder, 0, 1}}}, control)
            .valueOrThrow();
        QVERIFY(hasRun);
    }

    void maskedHeadsAreLeftOut()
    {
        const HeadMask mask{{HeadKind::Encoder, 0, 1}};
        const auto result = m_session->run(Domain::In, ContingencySpec{.mask = mask}, {}).valueOrThrow();
        QCOMPARE(result.heads.size(), 7U);
        QCOMPARE(result.right, std::ranges::count(rightUnder(mask), true));
    }

    void lossIsNeitherRightNorWrong()
    {
        ContingencySpec spec;
        spec.run.metric = "loss";
        const auto result = m_session->run(Domain::In, spec, {});
        QVERIFY(result.isError());
        QCOMPARE(result.error().code, ErrorCode::Usage);
        QVERIFY(result.error().message.find("loss") != std::string::npos);
    }
};

QTEST_APPLESS_MAIN(TestContingency)
#include "tst_contingency.moc"

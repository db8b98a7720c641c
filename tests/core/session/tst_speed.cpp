// Speed of a model whole, masked and with heads removed (the guide's numbers.md, Speed): what is measured, how it is
// told.
#include "core/analysis/importancespec.h"
#include "core/analysis/speedspec.h"
#include "core/exporting/csv.h"
#include "core/results/importanceresult.h"
#include "core/results/json.h"
#include "core/results/speedresult.h"
#include "core/session/session.h"
#include "tests/support/tinyclassifier.h"
#include "tests/support/tinymodel.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cmath>

using namespace headscope;
using namespace headscope::testing;
namespace fs = std::filesystem;

namespace {

constexpr int kRows = 30;

std::string messageOf(const auto &result)
{
    return result.isError() ? result.error().message : "";
}

SpeedSpec quick()
{
    SpeedSpec spec;
    spec.batchSizes = {1, 8, 64};
    spec.repeats = 3;
    spec.warmUp = 1;
    spec.examples = 20;
    spec.run.decoding.beams = 1;
    return spec;
}

} // namespace

class TestSpeed : public QObject
{
    Q_OBJECT

    QTemporaryDir m_folder;
    std::array<std::shared_ptr<Session>, 2> m_sessions; ///< a classifier, a translator

private Q_SLOTS:
    void initTestCase()
    {
        const fs::path folder = m_folder.path().toStdString();
        writeTinyClassifier(folder / "classifier");
        writeTinyTable(folder / "data.tsv", kRows, 5);
        writeTinyModel(folder / "translator");
        writeTinyCorpus(folder / "source", folder / "reference", kRows, 9);
        DataSource table;
        table.table = folder / "data.tsv";
        DataSource lines;
        lines.source = folder / "source";
        lines.reference = folder / "reference";
        // One thread: two that wait for each other on a busy machine take their time.
        m_sessions = {Session::open(folder / "classifier", {.threads = 1}, {}).valueOrThrow(),
                      Session::open(folder / "translator", {.threads = 1}, {}).valueOrThrow()};
        QVERIFY(m_sessions[0]->setData(Domain::In, table, {}).isOk());
        QVERIFY(m_sessions[1]->setData(Domain::In, lines, {}).isOk());
    }

    void spreadOfNumbers_data()
    {
        QTest::addColumn<QList<double>>("values");
        QTest::addColumn<QList<double>>("expected"); // mean, deviation, median, quartiles: numpy's, ddof=1
        QTest::newRow("three") << QList<double>{3, 1, 2} << QList<double>{2, 1, 2, 1.5, 2.5};
        QTest::newRow("four") << QList<double>{1, 2, 3, 10} << QList<double>{4, 4.08248290463863, 2.5, 1.75, 4.75};
        QTest::newRow("equal") << QList<double>{5, 5} << QList<double>{5, 0, 5, 5, 5};
    }

    void spreadOfNumbers()
    {
        QFETCH(QList<double>, values);
        QFETCH(QList<double>, expected);
        const Spread spread = Spread::of({values.begin(), values.end()});
        const double found[] = {spread.mean, spread.deviation, spread.median, spread.lower, spread.upper};
        for (qsizetype i = 0; i < expected.size(); ++i)
            QVERIFY(std::abs(found[i] - expected[i]) < 1e-12);
        const Spread one = Spread::of({7});
        QVERIFY(one.median == 7 && one.upper == 7 && std::isnan(one.deviation));
        QVERIFY(std::isnan(Spread::of({}).mean));
    }

    void measuresAllContendersAlike_data()
    {
        QTest::addColumn<int>("which");
        QTest::newRow("classification") << 0;
        QTest::newRow("translation") << 1;
    }

    void measuresAllContendersAlike()
    {
        QFETCH(int, which);
        Session &session = *m_sessions[static_cast<std::size_t>(which)];
        SpeedSpec spec = quick();
        spec.lengths = {LengthPolicy::Bucketed, LengthPolicy::AsIs, LengthPolicy::Fixed};
        spec.mask = HeadMask{{HeadKind::Encoder, 0, 1}, {HeadKind::Encoder, 1, 0}, {HeadKind::Encoder, 1, 1}};
        std::size_t published = 0;
        const auto result = session.run<SpeedSpec>(Domain::In, spec, {}, [&](const SpeedResult &partial) {
            ++published;
            QVERIFY(!partial.rows.empty() && partial.rows.size() % 3 == 0);
        });
        QVERIFY2(result.isOk(), messageOf(result).c_str());
        const SpeedResult &speed = result.value();
        QCOMPARE(published, std::size_t(3 * 3 * 3)); // after every repeat
        QCOMPARE(speed.rows.size(), std::size_t(3 * 3 * 3));
        QCOMPARE(speed.examples, 20);
        QCOMPARE(speed.heads - speed.headsLeft, 3);
        QCOMPARE(speed.parameters - speed.parametersLeft, 3 * (3 * 16 * 4 + 3 * 4 + 16 * 4));
        QCOMPARE(speed.weightBytes, speed.parameters * 4);
        QVERIFY(speed.threads >= 1);
        QVERIFY(speed.path.starts_with("plain LibTorch"));
        for (std::size_t i = 0; i < speed.rows.size(); ++i) {
            const SpeedRow &row = speed.rows[i];
            const SpeedRow &original = speed.rows[i - i % 3];
            QCOMPARE(row.contender, kModelVersions[i % 3]);
            QCOMPARE(row.batches, (20 + row.batchSize - 1) / row.batchSize);
            QCOMPARE(row.seconds.size(), std::size_t(3));
            for (std::size_t repeat = 0; repeat < 3; ++repeat)
                QVERIFY(row.seconds[repeat] > 0);
            QVERIFY(row.examplesPerSecond.lower <= row.examplesPerSecond.median);
            QVERIFY(std::abs(row.examplesPerSecond.mean
                             - (20 / row.seconds[0] + 20 / row.seconds[1] + 20 / row.seconds[2]) / 3)
                    < 1e-6 * row.examplesPerSecond.mean);
            if (row.contender == ModelVersion::Original)
                QCOMPARE(row.gain.mean, 0.0);
            // The masked and the smaller model say the same, so they have the same to do.
            if (row.contender == ModelVersion::Removed)
                QCOMPARE(row.tokens, speed.rows[i - 1].tokens);
            if (which == 0)
                QCOMPARE(row.tokens, speed.rows.front().tokens);
            QVERIFY(row.tokens >= 20);
            QVERIFY(original.contender == ModelVersion::Original && original.batchSize == row.batchSize);
        }
        // Translations do not depend on how they are batched.
        for (const SpeedRow &row : speed.rows)
            QCOMPARE(row.tokens, speed.rows[static_cast<std::size_t>(row.contender)].tokens);

        const Json json = toJson(speed);
        QCOMPARE(json.at("rows").size(), std::size_t(27));
        QVERIFY(json.at("rows")[2].at("contender") == "removed");
        QVERIFY(json.at("manifest").at("command").get<std::string>().find("--batch-sizes 1,8,64") != std::string::npos);
        const std::string csv = toCsv(speed);
        QCOMPARE(std::ranges::count(csv, '\n'), 28);
        const auto commas = [](const std::string &text) { return std::ranges::count(text, ','); };
        QCOMPARE(commas(csv), 28 * commas(csv.substr(0, csv.find('\n'))));
    }

    void removesTheLeastImportantByDefault()
    {
        Session &session = *m_sessions[1];
        SpeedSpec spec = quick();
        spec.batchSizes = {8};
        spec.lengths = {LengthPolicy::Bucketed};
        spec.repeats = 1;
        const auto result = session.run<SpeedSpec>(Domain::In, spec, {});
        QVERIFY2(result.isOk(), messageOf(result).c_str());
        QCOMPARE(result.value().mask.size(), 12); // half of 24
        const auto importance = session.run<ImportanceSpec>(Domain::In, {.run = spec.run}, {}).valueOrThrow();
        double largestGone = 0;
        double smallestKept = INFINITY;
        for (const HeadImportance &head : importance.heads) {
            if (result.value().mask.isMasked(head.head))
                largestGone = std::max(largestGone, head.importance);
            else
                smallestKept = std::min(smallestKept, head.importance);
        }
        QVERIFY(largestGone <= smallestKept);
    }

    void allHeadsAndNoHeads()
    {
        Session &session = *m_sessions[1];
        SpeedSpec spec = quick();
        spec.batchSizes = {64};
        spec.lengths = {LengthPolicy::AsIs};
        spec.examples = 0;
        for (const HeadMask &mask : {HeadMask(), HeadMask(session.card().layout.heads())}) {
            spec.mask = mask;
            const auto result = session.run<SpeedSpec>(Domain::In, spec, {});
            QVERIFY2(result.isOk(), messageOf(result).c_str());
            QCOMPARE(result.value().examples, kRows);
            QCOMPARE(result.value().headsLeft, session.card().layout.size() - mask.size());
        }
    }

    void refusesWhatCannotBeMeasured()
    {
        Session &session = *m_sessions[0];
        SpeedSpec spec = quick();
        spec.mask = HeadMask{{HeadKind::Encoder, 9, 0}};
        QVERIFY(messageOf(session.run<SpeedSpec>(Domain::In, spec, {})).find("encoder.9.0") != std::string::npos);
        spec.mask = HeadMask();
        QVERIFY(session.run<SpeedSpec>(Domain::Out, spec, {}).isError()); // no data
        spec.batchSizes = {0};
        QVERIFY(messageOf(session.run<SpeedSpec>(Domain::In, spec, {})).find("batch-sizes") != std::string::npos);
        spec = quick();
        spec.repeats = 0;
        QVERIFY(session.run<SpeedSpec>(Domain::In, spec, {}).isError());
    }

    void cancels()
    {
        std::stop_source stop;
        SpeedSpec spec = quick();
        spec.mask = HeadMask{{HeadKind::Encoder, 0, 0}};
        spec.repeats = 100000;
        const auto result = m_sessions[1]->run<SpeedSpec>(Domain::In, spec, JobControl(stop.get_token()),
                                                          [&](const SpeedResult &) { stop.request_stop(); });
        QVERIFY(result.isCancelled());
    }
};

QTEST_GUILESS_MAIN(TestSpeed)
#include "tst_speed.moc"

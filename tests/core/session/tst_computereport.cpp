// What a report computes through the session: parts that equal those computed by themselves, one set or two, cancelled.
#include "core/analysis/ablationspec.h"
#include "core/analysis/dynamicsspec.h"
#include "core/analysis/pruningspec.h"
#include "core/session/report.h"
#include "tests/support/tinyclassifier.h"
#include "tests/support/tinymodel.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <filesystem>

using namespace headscope;
using namespace headscope::testing;
namespace fs = std::filesystem;

class TestComputeReport : public QObject
{
    Q_OBJECT

    QTemporaryDir m_folder;

    fs::path path(const std::string &name) const { return fs::path(m_folder.path().toStdString()) / name; }
    static ReportSpec quick()
    {
        ReportSpec spec;
        spec.run.decoding.beams = 1;
        spec.resamples = 100;
        spec.randomOrders = 2;
        spec.batchSizes = {2};
        spec.speedExamples = 4;
        spec.speedRepeats = 1;
        return spec;
    }
    std::shared_ptr<Session> translation(bool two) const
    {
        auto session = Session::open(path("marian"), {}, {}).valueOrThrow();
        for (const Domain domain : {Domain::In, Domain::Out}) {
            DataSource data;
            const std::string name = domain == Domain::In ? "in" : "out";
            data.source = path(name + ".src");
            data.reference = path(name + ".ref");
            if (two || domain == Domain::In)
                (void)session->setData(domain, data, {}).valueOrThrow();
        }
        return session;
    }

private Q_SLOTS:
    void initTestCase()
    {
        writeTinyModel(path("marian"), {.encoderLayers = 1, .decoderLayers = 2, .heads = 2});
        writeTinyCorpus(path("in.src"), path("in.ref"), 20, 1);
        writeTinyCorpus(path("out.src"), path("out.ref"), 15, 2);
        writeTinyClassifier(path("bert"));
        writeTinyTable(path("in.tsv"), 30, 5);
        fs::create_directories(path("far"));
        writeTinyTable(path("far/in.tsv"), 25, 7);
    }

    void partsAreThoseOfTheCommands()
    {
        const auto session = translation(true);
        const ReportSpec spec = quick();
        int published = 0;
        const ReportContents contents
            = computeReport(*session, spec, {}, [&](const ReportContents &) { ++published; }).valueOrThrow();
        QVERIFY(published > 8);
        QCOMPARE(contents.domains.size(), 2);
        QCOMPARE(contents.layout.size(), 10);
        const auto fresh = translation(true);
        for (const ReportDomain &domain : contents.domains) {
            const Domain slot = domain.out ? Domain::Out : Domain::In;
            AblationSpec ablation{.run = spec.run, .resamples = 100};
            const AblationResult alone = fresh->run<AblationSpec>(slot, ablation, {}).valueOrThrow();
            QCOMPARE(domain.ablation.heads.size(), 10);
            for (std::size_t i = 0; i < alone.heads.size(); ++i) {
                QCOMPARE(domain.ablation.heads[i].delta, alone.heads[i].delta);
                QCOMPARE(domain.ablation.heads[i].pAdjusted, alone.heads[i].pAdjusted);
            }
            const BestHeadsResult best = fresh->run<BestHeadsSpec>(slot, {ablation}, {}).valueOrThrow();
            QCOMPARE(domain.bestHeads->layers.size(), best.layers.size());
            for (std::size_t i = 0; i < best.layers.size(); ++i)
                QVERIFY(domain.bestHeads->layers[i].head == best.layers[i].head);
            QVERIFY(!domain.bestHeads->chosenOnReported);
            QCOMPARE(domain.pruning.size(), 3);
            PruningSpec pruning{.run = spec.run};
            pruning.resamples = 100;
            pruning.orderOnOther = true;
            const PruningResult curve = fresh->run<PruningSpec>(slot, pruning, {}).valueOrThrow();
            const auto &points = domain.pruning.front().curves.front().points;
            QCOMPARE(points.size(), curve.curves.front().points.size());
            for (std::size_t i = 0; i < points.size(); ++i) {
                QCOMPARE(points[i].score, curve.curves.front().points[i].score);
                QVERIFY(points[i].mask == curve.curves.front().points[i].mask);
            }
            QCOMPARE(domain.kinds->curves.size(), 3);
        }
        QCOMPARE(contents.ablationAgreement->heads.size(), 10);
        QCOMPARE(contents.speed->rows.size(), 3);
        QVERIFY(contents.command.starts_with("headscope-cli report --model "));
        QVERIFY(contents.command.find("--out-of-domain") != std::string::npos);
        QVERIFY(manifestsOf(contents).size() >= 14);
    }

    void oneSetIsEnough()
    {
        const auto session = translation(false);
        ReportSpec spec = quick();
        spec.noSpeed = true;
        spec.randomOrders = 0;
        const ReportContents contents = computeReport(*session, spec, {}).valueOrThrow();
        QCOMPARE(contents.domains.size(), 1);
        QVERIFY(contents.domains[0].bestHeads->chosenOnReported);
        QCOMPARE(contents.domains[0].pruning.size(), 2);
        QVERIFY(contents.domains[0].pruning[0].curves[0].chosenOnEvaluated);
        QVERIFY(!contents.ablationAgreement);
        QVERIFY(!contents.speed);
        QVERIFY(contents.command.find("--no-speed") != std::string::npos);
    }

    void trainingIsThatOfDynamics()
    {
        fs::create_directories(path("run"));
        for (const char *name : {"run/epoch-001", "run/epoch-002"})
            fs::copy(path("marian"), path(name), fs::copy_options::recursive);
        const auto session = translation(false);
        ReportSpec spec = quick();
        spec.noSpeed = spec.noRoles = true;
        spec.randomOrders = 0;
        spec.runs = path("run");
        const ReportContents contents = computeReport(*session, spec, {}).valueOrThrow();
        DynamicsSpec dynamics{.run = spec.run, .runs = spec.runs};
        dynamics.curvesOnly = true;
        const auto alone = translation(false)->run<DynamicsSpec>(Domain::In, dynamics, {}).valueOrThrow();
        QVERIFY(contents.dynamics);
        QCOMPARE(contents.dynamics->checkpoints.size(), 2U);
        for (std::size_t i = 0; i < alone.checkpoints.size(); ++i) {
            QCOMPARE(contents.dynamics->checkpoints[i].curve.size(), 11U);
            for (std::size_t point = 0; point < 11; ++point)
                QCOMPARE(contents.dynamics->checkpoints[i].curve[point].score, alone.checkpoints[i].curve[point].score);
        }
        QVERIFY(contents.command.find("--runs") != std::string::npos);
        QVERIFY(std::ranges::any_of(manifestsOf(contents),
                                    [](const Manifest &manifest) { return manifest.analysis == "dynamics"; }));
    }

    void setsOfOneNameAreToldApart()
    {
        auto session = Session::open(path("bert"), {}, {}).valueOrThrow();
        for (const Domain domain : {Domain::In, Domain::Out}) {
            DataSource data;
            data.table = path(domain == Domain::In ? "in.tsv" : "far/in.tsv");
            (void)session->setData(domain, data, {}).valueOrThrow();
        }
        ReportSpec spec = quick();
        spec.noSpeed = true;
        spec.search = true;
        spec.greedy = true;
        const ReportContents contents = computeReport(*session, spec, {}).valueOrThrow();
        const ReportDomain &in = contents.domains[0];
        const ReportDomain &out = contents.domains[1];
        QVERIFY(in.name != out.name);
        QCOMPARE(in.bestHeads->chosenOn, out.name);
        QCOMPARE(out.pruning[0].curves[0].orderData, in.name);
        QCOMPARE(contents.ablationAgreement->b.name, out.name);
        QCOMPARE(in.pruning.size(), 4);
        QVERIFY(in.search);
        QVERIFY(!in.kinds); // one kind of attention
    }

    void cancelledAndWithoutData()
    {
        const auto session = translation(true);
        std::stop_source stop;
        const auto result = computeReport(*session, quick(), JobControl(stop.get_token()),
                                          [&](const ReportContents &) { stop.request_stop(); });
        QVERIFY(result.isCancelled());
        auto empty = Session::open(path("marian"), {}, {}).valueOrThrow();
        const auto error = computeReport(*empty, quick(), {});
        QVERIFY(error.isError());
        QCOMPARE(error.error().code, ErrorCode::Usage);
    }
};

QTEST_APPLESS_MAIN(TestComputeReport)
#include "tst_computereport.moc"

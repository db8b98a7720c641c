// Whole runs in which heads learn to close, through the door.
#include "core/analysis/evaluationspec.h"
#include "core/io/checkpoint.h"
#include "core/session/session.h"
#include "tests/support/reverserun.h"

#include <torch/types.h>

#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <stop_token>

using namespace headscope;
using namespace headscope::testing;
namespace fs = std::filesystem;

class TestGateTraining : public QObject
{
    Q_OBJECT

    QTemporaryDir m_folder;

    fs::path path(const std::string &name) const { return fs::path(m_folder.path().toStdString()) / name; }

    /// Goes on from the model of initTestCase().
    TrainingConfig config(const std::string &output, const GateConfig &gates) const
    {
        TrainingConfig config = reverseRun(path(""), output);
        config.startFrom = path("base/epoch-006");
        config.gates = gates;
        config.gates.learningRate = 0.1; // of few updates
        config.dropout = 0;
        config.epochs = 2;
        config.schedule = {ScheduleKind::Constant, 0.001, 0};
        return config;
    }
    static TrainingReport run(const TrainingConfig &config)
    {
        auto result = train(config, {});
        if (result.isError())
            qWarning("%s", result.error().message.c_str());
        return result.isOk() ? result.value() : TrainingReport();
    }
    std::map<std::string, torch::Tensor> weights(const fs::path &folder) const
    {
        const Checkpoint file = Checkpoint::open(folder).valueOrThrow();
        std::map<std::string, torch::Tensor> tensors;
        for (const std::string &name : file.names())
            tensors[name] = file.tensor(name).valueOrThrow().clone();
        return tensors;
    }
    static double openHeads(const TrainingPoint &point)
    {
        double open = 0;
        for (const auto &[head, closed] : point.closed)
            open += 1 - closed;
        return open;
    }

private Q_SLOTS:
    void initTestCase()
    {
        writeReverseCorpus(path(""), "train", 600, 1);
        writeReverseCorpus(path(""), "valid", 20, 99);
        TrainingConfig base = config("base", {});
        base.startFrom.clear();
        base.model.encoderLayers = base.model.decoderLayers = 2;
        base.model.encoderHeads = base.model.decoderHeads = 4;
        base.schedule = reverseRun(path(""), "base").schedule;
        base.epochs = 6;
        const TrainingReport report = run(base);
        QCOMPARE(report.epochs.size(), 6U);
        QVERIFY(report.epochs.back().score > 20.0);
    }

    void penaltyClosesHeads()
    {
        const auto without = run(config("free", {.method = GateMethod::L0, .kinds = {}, .lambda = 0}));
        const auto with = run(config("pressed", {.method = GateMethod::L0, .kinds = {}, .lambda = 0.05}));
        const auto all = run(config("crushed", {.method = GateMethod::L0, .kinds = {}, .lambda = 50}));
        QCOMPARE(without.points.front().closed.size(), 24U);
        QVERIFY(openHeads(with.points.back()) < openHeads(with.points.front()) - 2);
        QVERIFY(openHeads(with.points.back()) < openHeads(without.points.back()) - 2);
        QCOMPARE(all.epochs.back().mask->size(), 24);
        QCOMPARE(without.epochs.back().mask->size(), 0);
        QVERIFY(*without.epochs.back().score > *all.epochs.back().score + 10);
    }

    void scoreIsThatOfTheMask()
    {
        const auto report
            = run(config("pressed", {.method = GateMethod::L0, .kinds = {}, .lambda = 0.05})); // finished: read again
        const TrainingEpoch &last = report.epochs.back();
        const auto session = Session::open(report.folder / last.folder, {}, {}).valueOrThrow();
        (void)session->setData(Domain::In, config("", {}).validation, {}).valueOrThrow();
        const auto masked = session->run(Domain::In, EvaluationSpec{.mask = *last.mask}, {}).valueOrThrow();
        QVERIFY(std::abs(masked.primary().value - *last.score) < 1e-9);
    }

    void goesOnExactlyWhereItWasStopped()
    {
        for (const GateConfig &gates :
             {GateConfig{.method = GateMethod::L0, .kinds = {}, .lambda = 0.05},
              GateConfig{.method = GateMethod::Subset, .kinds = {}, .heads = 9, .coolingSteps = 25}}) {
            const std::string name(toText(gates.method));
            const TrainingReport whole = run(config("whole-" + name, gates));
            std::stop_source stop;
            int reports = 3;
            const auto cut
                = train(config("cut-" + name, gates), JobControl(stop.get_token()), [&](const TrainingReport &) {
                      if (--reports <= 0)
                          stop.request_stop();
                  });
            QVERIFY(cut.isCancelled());
            const TrainingReport resumed = run(config("cut-" + name, gates));
            QVERIFY(resumed.resumedFrom > 0);
            QCOMPARE(resumed.points.size(), whole.points.size());
            for (std::size_t i = 0; i < whole.points.size(); ++i)
                QVERIFY(resumed.points[i].closed == whole.points[i].closed
                        && resumed.points[i].loss == whole.points[i].loss);
            QVERIFY(resumed.epochs.back().mask == whole.epochs.back().mask);
        }
    }

    void subsetHasItsNumberOfHeads()
    {
        const auto report
            = run(config("subset", {.method = GateMethod::Subset, .kinds = {}, .heads = 9, .coolingSteps = 25}));
        for (const TrainingEpoch &epoch : report.epochs)
            QCOMPARE(epoch.mask->size(), 24 - 9);
        for (const auto &[head, closed] : report.points.back().closed) // cold: nothing is half open
            QVERIFY(closed < 1e-6 || closed > 1 - 1e-6);
    }

    void frozenPartsStay()
    {
        const auto before = weights(path("base/epoch-006"));
        const auto gatesOnly = run(config(
            "gates-only", {.method = GateMethod::L0, .kinds = {}, .trained = TrainedParts::Gates, .lambda = 0.05}));
        for (const auto &[name, tensor] : weights(gatesOnly.folder / gatesOnly.epochs.back().folder))
            QVERIFY2(torch::equal(tensor, before.at(name)), name.c_str());
        QVERIFY(openHeads(gatesOnly.points.back()) < openHeads(gatesOnly.points.front()));
        const auto encoder = run(config(
            "encoder",
            {.method = GateMethod::L0, .kinds = {HeadKind::Encoder}, .trained = TrainedParts::Gated, .lambda = 0.05}));
        int moved = 0;
        for (const auto &[name, tensor] : weights(encoder.folder / encoder.epochs.back().folder)) {
            const bool same = torch::equal(tensor, before.at(name));
            QVERIFY2(same || name.find("encoder.layers") != std::string::npos, name.c_str());
            moved += same ? 0 : 1;
        }
        QVERIFY(moved > 10);
        QCOMPARE(encoder.points.front().closed.size(), 8U);
    }

    void otherGatesAreAnotherRun()
    {
        const auto other = train(config("pressed", {.method = GateMethod::L0, .kinds = {}, .lambda = 0.06}), {});
        QVERIFY(other.isError() && other.error().message.find("another configuration") != std::string::npos);
    }
};

QTEST_GUILESS_MAIN(TestGateTraining)
#include "tst_gatetraining.moc"

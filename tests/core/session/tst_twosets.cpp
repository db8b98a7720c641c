// What needs a second data set through the session's door: orders and heads chosen on one set and measured on another,
// contexts of another, searches; greedy selection; on a tiny model of fixed weights.
#include "core/analysis/ablationspec.h"
#include "core/analysis/evaluationspec.h"
#include "core/analysis/pruningspec.h"
#include "core/analysis/searchspec.h"
#include "core/formats/atomicfile.h"
#include "core/results/ablationresult.h"
#include "core/results/pruningresult.h"
#include "core/results/results.h"
#include "core/results/searchresult.h"
#include "core/session/session.h"
#include "tests/support/tinymodel.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cmath>

using namespace headscope;
using namespace headscope::testing;
namespace fs = std::filesystem;

namespace {

template<typename T>
T valueOf(Result<T> result)
{
    if (result.isError())
        qWarning("%s", result.error().message.c_str());
    return std::move(result).valueOrThrow();
}

RunOptions greedySearch()
{
    RunOptions run;
    run.decoding.beams = 1;
    return run;
}

PruningSpec pruning(const char *order, std::vector<HeadKind> kinds = {})
{
    PruningSpec spec{.run = greedySearch(), .order = order};
    spec.kinds = std::move(kinds);
    spec.resamples = 50;
    return spec;
}

} // namespace

class TestTwoSets : public QObject
{
    Q_OBJECT

    QTemporaryDir m_folder;
    std::shared_ptr<Session> m_session;

    fs::path path(const std::string &name) const { return fs::path(m_folder.path().toStdString()) / name; }

    DataSource source(const std::string &name) const
    {
        DataSource data;
        data.source = path(name + ".src");
        data.reference = path(name + ".ref");
        return data;
    }

private Q_SLOTS:
    void initTestCase()
    {
        writeTinyModel(path("model"));
        writeTinyCorpus(path("in.src"), path("in.ref"), 40, 1);
        writeTinyCorpus(path("out.src"), path("out.ref"), 30, 2);
        m_session = valueOf(Session::open(path("model"), {}, {}));
        (void)valueOf(m_session->setData(Domain::In, source("in"), {}));
        (void)valueOf(m_session->setData(Domain::Out, source("out"), {}));
    }

    void everyTestHasItsNumber()
    {
        AblationSpec spec{.run = greedySearch(), .mask = {}, .resamples = 200};
        const auto result = valueOf(m_session->run<AblationSpec>(Domain::In, spec, {}));
        for (const HeadAblation &head : result.heads) {
            QVERIFY(head.randomization && *head.randomization > 0 && *head.randomization <= 1);
            QVERIFY(head.discoveryP && *head.discoveryP >= head.p && *head.discoveryP <= head.pAdjusted + 1e-12);
            QVERIFY(!head.tTest); // sentences are neither right nor wrong
            QVERIFY(!head.replicates.empty() && head.replicates.size() <= 50);
            if (head.changed == 0) {
                QCOMPARE(head.p, 1.0);
                QCOMPARE(*head.randomization, 1.0);
            }
        }
        spec.sampleRatio = 0.5;
        const auto half = valueOf(m_session->run<AblationSpec>(Domain::In, spec, {}));
        QCOMPARE(half.sampleRatio, 0.5);
        double wider = 0;
        for (std::size_t i = 0; i < half.heads.size(); ++i) {
            QCOMPARE(half.heads[i].delta, result.heads[i].delta);
            wider += half.heads[i].interval.high - half.heads[i].interval.low
                   - (result.heads[i].interval.high - result.heads[i].interval.low);
        }
        QVERIFY(wider > 0);
        QVERIFY(half.manifest.key() != result.manifest.key());
    }

    void headsChosenOnOneSetAreReportedOnTheOther()
    {
        AblationSpec spec{.run = greedySearch(), .mask = {}, .resamples = 100};
        const auto best = valueOf(m_session->run<BestHeadsSpec>(Domain::In, {spec}, {}));
        QCOMPARE(best.layers.size(), std::size_t(6)); // two layers of each kind
        QCOMPARE(best.chosenOn, m_session->data(Domain::Out)->name);
        QVERIFY(!best.chosenOnReported);
        spec.allButOne = true;
        const auto reported = valueOf(m_session->run<AblationSpec>(Domain::In, spec, {}));
        const auto chosen = valueOf(m_session->run<AblationSpec>(Domain::Out, spec, {}));
        for (const BestHead &layer : best.layers) {
            QCOMPARE(layer.row.size(), std::size_t(4));
            for (const HeadAblation &head : chosen.heads) {
                if (head.head.kind == layer.kind && head.head.layer == layer.layer)
                    QVERIFY(head.delta <= layer.chosenDelta);
            }
            const auto same = std::ranges::find(reported.heads, layer.head, &HeadAblation::head);
            QCOMPARE(layer.reported.delta, same->delta);
        }
        QVERIFY(best.manifest.command.find("--choose-on") != std::string::npos);
    }

    void greedySelectionIsExact()
    {
        PruningSpec spec = pruning("greedy", {HeadKind::Cross});
        spec.step = 1;
        std::size_t published = 0;
        const auto curve = valueOf(m_session->run<PruningSpec>(Domain::In, spec, {}, [&](const PruningResult &partial) {
                               published = std::max(published, partial.curves.back().points.size());
                           })).curves.front();
        QCOMPARE(curve.points.size(), std::size_t(9));
        QCOMPARE(published, std::size_t(9));
        QVERIFY(curve.chosenOnEvaluated);
        const auto scoreOf = [&](const HeadMask &mask) {
            return valueOf(m_session->run<EvaluationSpec>(Domain::In,
                                                          {.run = greedySearch(), .mask = mask, .resamples = 0}, {}))
                .primary()
                .value;
        };
        QCOMPARE(curve.points.front().score, scoreOf({})); // bit for bit
        for (std::size_t i = 1; i < 4; ++i) {              // no other head would have left a better score
            QCOMPARE(curve.points[i].score, scoreOf(curve.points[i].mask));
            for (const HeadRef &head : m_session->card().layout.heads()) {
                if (head.kind != HeadKind::Cross || curve.points[i - 1].mask.isMasked(head))
                    continue;
                HeadMask other = curve.points[i - 1].mask;
                other.set(head, true);
                QVERIFY(scoreOf(other) <= curve.points[i].score);
            }
        }
        // The first step is what ablation says.
        AblationSpec ablation{.run = greedySearch(), .mask = {}, .resamples = 50};
        double best = -1e9;
        for (const HeadAblation &head : valueOf(m_session->run<AblationSpec>(Domain::In, ablation, {})).heads) {
            if (head.head.kind == HeadKind::Cross)
                best = std::max(best, head.score);
        }
        QCOMPARE(curve.points[1].score, best);
        // Several heads a round end at the same place.
        spec.greedyStep = 4;
        const auto quick = valueOf(m_session->run<PruningSpec>(Domain::In, spec, {})).curves.front();
        QCOMPARE(quick.points.back().mask, curve.points.back().mask);
        QCOMPARE(quick.points.back().score, curve.points.back().score);
    }

    void cancelledGreedySelectionKeepsWhatThereIs()
    {
        std::stop_source stop;
        std::size_t points = 0;
        const auto result = m_session->run<PruningSpec>(Domain::Out, pruning("greedy"), JobControl(stop.get_token()),
                                                        [&](const PruningResult &partial) {
                                                            points = partial.curves.back().points.size();
                                                            if (points == 3)
                                                                stop.request_stop();
                                                        });
        QVERIFY(result.isCancelled());
        QCOMPARE(points, std::size_t(3));
    }

    void ordersAreChosenOnTheOtherSet()
    {
        for (const char *order : {"importance", "ablation", "greedy"}) {
            PruningSpec spec = pruning(order, {HeadKind::Decoder});
            spec.step = 1;
            const auto own = valueOf(m_session->run<PruningSpec>(Domain::In, spec, {}));
            spec.orderOnOther = true;
            const auto guarded = valueOf(m_session->run<PruningSpec>(Domain::In, spec, {}));
            QVERIFY(own.manifest.key() != guarded.manifest.key());
            QVERIFY(guarded.manifest.command.find("--order-on") != std::string::npos);
            const PruningCurve &curve = guarded.curves.front();
            QCOMPARE(curve.orderData, m_session->data(Domain::Out)->name);
            QVERIFY(!curve.chosenOnEvaluated && own.curves.front().chosenOnEvaluated);
            QCOMPARE(curve.points.front().score, own.curves.front().points.front().score); // measured on the same set
            // The order is that of a curve of the other set by itself.
            spec.orderOnOther = false;
            const auto other = valueOf(m_session->run<PruningSpec>(Domain::Out, spec, {})).curves.front();
            for (std::size_t i = 0; i < curve.points.size(); ++i)
                QCOMPARE(curve.points[i].mask, other.points[i].mask);
        }
    }

    void eachKindHasItsCurve()
    {
        PruningSpec spec = pruning("importance");
        spec.eachKind = true;
        spec.step = 4;
        const auto result = valueOf(m_session->run<PruningSpec>(Domain::In, spec, {}));
        QCOMPARE(result.curves.size(), std::size_t(3));
        for (const PruningCurve &curve : result.curves) {
            QCOMPARE(curve.kinds.size(), std::size_t(1));
            QCOMPARE(curve.candidates, 8);
            QCOMPARE(curve.points.back().fraction, 1.0);
            for (const HeadRef &head : curve.points.back().mask)
                QCOMPARE(head.kind, curve.kinds.front());
            QCOMPARE(curve.points.front().score, result.curves.front().points.front().score);
        }
        spec.kinds = {HeadKind::Encoder, HeadKind::Cross};
        QCOMPARE(valueOf(m_session->run<PruningSpec>(Domain::In, spec, {})).curves.size(), std::size_t(2));
    }

    void reversedAndReestimatedOrders()
    {
        PruningSpec spec = pruning("ablation");
        spec.step = 1;
        const auto up = valueOf(m_session->run<PruningSpec>(Domain::In, spec, {})).curves.front();
        spec.reverse = true;
        const auto down = valueOf(m_session->run<PruningSpec>(Domain::In, spec, {})).curves.front();
        QVERIFY(down.reversed && !up.reversed);
        // A head of the highest delta goes first in one, of the lowest in the other.
        QVERIFY(up.points[1].score > down.points[1].score);
        QCOMPARE(up.points.back().score, down.points.back().score);
        spec.order = "importance";
        spec.reestimate = true;
        spec.step = 6;
        spec.atLeastPerLayer = 1;
        const auto again = valueOf(m_session->run<PruningSpec>(Domain::In, spec, {})).curves.front();
        QCOMPARE(again.candidates, 18);
        std::map<std::pair<HeadKind, int>, int> removed;
        for (const HeadRef &head : again.points.back().mask)
            ++removed[{head.kind, head.layer}];
        for (const auto &[layer, count] : removed)
            QCOMPARE(count, 3);
    }

    void aFileIsItsContent()
    {
        const auto keyOf = [&](const char *name, const std::string &text) {
            (void)valueOf(writeFileAtomically(path(name), text));
            PruningSpec spec = pruning("");
            spec.order = path(name).string();
            const auto result = valueOf(m_session->run<PruningSpec>(Domain::In, spec, {}));
            return std::pair(result.manifest.key(), toText(result.curves.front().points.back().mask));
        };
        const auto first = keyOf("order.txt", "cross.0.1\nencoder.1.2\n");
        const auto second = keyOf("order.txt", "cross.0.1\nencoder.1.3\n"); // changed under its name
        QVERIFY(first.first != second.first);
        QCOMPARE(second.second, std::string("encoder.1.3,cross.0.1"));
    }

    void contextsOfTheOtherSet()
    {
        AblationSpec spec{.run = greedySearch(), .mask = {}, .replacement = Replacement::Mean, .resamples = 50};
        const auto own = valueOf(m_session->run<AblationSpec>(Domain::In, spec, {}));
        spec.referenceFromOther = true;
        const auto other = valueOf(m_session->run<AblationSpec>(Domain::In, spec, {}));
        QCOMPARE(own.referenceData, m_session->data(Domain::In)->name);
        QCOMPARE(other.referenceData, m_session->data(Domain::Out)->name);
        QVERIFY(own.manifest.key() != other.manifest.key());
        QCOMPARE(other.baseline.value, own.baseline.value);
        // Several draws are the mean of each.
        spec.replacement = Replacement::Resample;
        spec.draws = 3;
        const auto drawn = valueOf(m_session->run<AblationSpec>(Domain::In, spec, {}));
        QCOMPARE(drawn.draws, 3);
        QCOMPARE(drawn.heads.size(), std::size_t(24));
        spec.run.plain = true;
        const auto plain = valueOf(m_session->run<AblationSpec>(Domain::In, spec, {}));
        for (std::size_t i = 0; i < drawn.heads.size(); ++i)
            QCOMPARE(drawn.heads[i].delta, plain.heads[i].delta);
    }

    void searchesOnTheOtherSet()
    {
        SearchSpec spec{.run = greedySearch()};
        spec.step = 12;
        spec.samples = 16;
        spec.resamples = 50;
        spec.searchOnOther = true;
        std::size_t published = 0;
        const auto result = valueOf(m_session->run<SearchSpec>(Domain::In, spec, {}, [&](const SearchResult &partial) {
            published = std::max(published, partial.points.size());
        }));
        QCOMPARE(published, std::size_t(3));
        QCOMPARE(result.searchData, m_session->data(Domain::Out)->name);
        QVERIFY(!result.searchedOnEvaluated);
        QCOMPARE(result.examples, 40);
        QCOMPARE(result.samples, 16);
    }

    void withoutASecondSetItSaysSo()
    {
        const auto alone = valueOf(Session::open(path("model"), {}, {}));
        (void)valueOf(alone->setData(Domain::In, source("in"), {}));
        const auto best = alone->run<BestHeadsSpec>(Domain::In, {{.run = greedySearch()}}, {});
        QVERIFY(best.isError() && best.error().message.find("out-of-domain") != std::string::npos);
    }
};

QTEST_GUILESS_MAIN(TestTwoSets)
#include "tst_twosets.moc"

#include "core/results/cards.h"
#include "core/results/corrections.h"
#include "core/results/interactionsresult.h"
#include "core/results/manifest.h"

#include <QTest>

#include <cstdint>
#include <string>

using namespace headscope;

/// Which results of earlier versions are known to be wrong.
class TestCorrections : public QObject
{
    Q_OBJECT

    static int corrections(const std::string &analysis, std::int64_t examples, const std::string &spec = "{}",
                           const char *task = "classification", const char *generation = "")
    {
        Manifest manifest;
        manifest.analysis = analysis;
        manifest.totalExamples = examples;
        manifest.spec = spec;
        ModelCard model;
        model.task = task;
        model.generation = generation;
        return correctionsOf(manifest, model);
    }

private Q_SLOTS:
    /// Intervals and p of few examples were those of the percentile bootstrap.
    void significanceOfFewExamples()
    {
        for (const char *analysis :
             {"evaluate", "ablate", "prune", "search", "interactions", "shapley", "takeover", "patch"}) {
            QCOMPARE(corrections(analysis, 12), 1);
            QCOMPARE(corrections(analysis, 49), 1);
            QCOMPARE(corrections(analysis, 50), 0);
            QCOMPARE(corrections(analysis, 0), 0); // older files do not say
            QCOMPARE(corrections(analysis, 5000, R"({"resamples":0})"), 1);
            QCOMPARE(corrections(analysis, 5000, R"({"resamples":10})"), 0);
        }
        for (const char *analysis : {"roles", "confidence", "energy", "gating"})
            QCOMPARE(corrections(analysis, 12), 0);
        QCOMPARE(corrections("shapley", 500, R"({"order-precision":0.5})"), 1);
        QCOMPARE(corrections("ablate", 12, "{}", "language-modelling"), 2); // beside an older error
    }

    /// The end of a beam search was another one; greedy outputs were right.
    void translationsByBeams()
    {
        const char *task = "translation";
        QCOMPARE(corrections("ablate", 500, "{}", task, "4 beams, length penalty 1, at most 512 tokens"), 1);
        QCOMPARE(corrections("ablate", 500, "{}", task, "greedy, at most 512 tokens"), 0);
        QCOMPARE(corrections("ablate", 500, R"({"beams":1})", task, "4 beams, length penalty 1"), 0);
        QCOMPARE(corrections("ablate", 500, R"({"beams":12,"seed":1})", task, "greedy, at most 512 tokens"), 1);
        QCOMPARE(corrections("importance", 500, R"({"beams":4})", task), 0);
        QCOMPARE(corrections("ablate", 500, R"({"beams":4})", "classification"), 0);
    }

    void keysTellThemApart()
    {
        Manifest old;
        old.analysis = "ablate";
        old.totalExamples = 12;
        Manifest now = old;
        now.corrections = correctionsOf(now, ModelCard());
        QVERIFY(old.key() != now.key());
        old.totalExamples = now.totalExamples = 500;
        now.corrections = correctionsOf(now, ModelCard());
        QCOMPARE(old.key(), now.key());
    }

    /// A verdict by pairs that were chosen, or by two texts, is taken back when it is read.
    void verdictsOfChosenPairsAreTakenBack()
    {
        InteractionsResult result;
        result.examples = 100;
        result.possible = 2;
        result.pairs.resize(2);
        result.mean.single = SingleAblation::Overstates;
        withholdVerdict(result);
        QCOMPARE(result.mean.single, SingleAblation::Overstates);
        result.possible = 3;
        withholdVerdict(result);
        QCOMPARE(result.mean.single, SingleAblation::Withheld);
        result.possible = 2;
        result.examples = 5;
        result.mean.single = SingleAblation::Unclear;
        withholdVerdict(result);
        QCOMPARE(result.mean.single, SingleAblation::Withheld);
    }
};

QTEST_APPLESS_MAIN(TestCorrections)
#include "tst_corrections.moc"

// On the trained models of the shared data: every head, all but one of every layer, and 50 random masks of 2 … 60 heads
// say exactly what the plain path says, and so do outputs from scratch.
#include "tests/support/manyvariants.h"
#include "tests/support/opentask.h"
#include "tests/support/shareddata.h"

#include <QTest>
#include <torch/types.h>

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace headscope;
using namespace headscope::testing;

class TestRealSweep : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void everyMaskSaysWhatThePlainPathSays_data()
    {
        QTest::addColumn<QString>("model");
        QTest::addColumn<int>("beams");
        QTest::addColumn<int>("examples");
        QTest::newRow("greedy") << "models/marian-multi30k-en-fr" << 1 << 8;
        QTest::newRow("beams") << "models/marian-multi30k-en-fr" << 4 << 2;
        QTest::newRow("classifier") << "models/bert-sst2-mini" << 1 << 32;
    }

    void everyMaskSaysWhatThePlainPathSays()
    {
        QFETCH(QString, model);
        QFETCH(int, beams);
        QFETCH(int, examples);
        const std::filesystem::path folder = sharedData(model.toStdString());
        if (folder.empty())
            QSKIP("no shared data");
        DataSource source = translations(examples);
        if (!model.contains(u"marian")) {
            source = {};
            source.limit = examples;
            source.table = sharedData("data/sst2/dev.tsv");
        }
        const auto task = openTask(folder, source);
        const std::vector<std::int64_t> ids = allOf(*task);
        RunOptions run;
        run.decoding.beams = beams;
        const std::size_t heads = task->layout().heads().size();
        const auto variants = testing::manyVariants(task->layout(), 50, std::min<std::size_t>(59, heads - 2), 11);
        std::vector<std::vector<ExampleOutput>> fast(variants.size());
        const auto block = task->prepare(ids, {}, Replacement::Zero, run, {});
        block->outputsOfAll(variants, [&](std::size_t v, const auto &outputs) { fast[v] = outputs; }, {});
        std::int64_t changed = 0;
        for (std::size_t v = 0; v < variants.size(); ++v) {
            const auto plain = task->plainOutputs(ids, variants[v].mask, run, false, {});
            for (std::size_t i = 0; i < plain.size(); ++i) {
                QVERIFY2(fast[v][i].tokens == plain[i].tokens && fast[v][i].predicted == plain[i].predicted,
                         toText(variants[v].mask).c_str());
                changed += task->measure().samePrediction(plain[i], block->baseline()[i]) ? 0 : 1;
            }
        }
        QVERIFY(changed > std::ssize(variants) / 4); // or equality would say little
    }

    void outputsFromScratchAreThoseOfThePlainPath()
    {
        const std::filesystem::path folder = sharedData("models/marian-multi30k-en-fr");
        if (folder.empty())
            QSKIP("no shared data");
        for (const int beams : {1, 4}) {
            const auto task = openTask(folder, translations(beams == 1 ? 200 : 60));
            const std::vector<std::int64_t> ids = allOf(*task);
            const std::vector<HeadRef> heads = task->layout().heads();
            RunOptions run;
            run.decoding.beams = beams;
            for (const HeadMask &mask :
                 {HeadMask(), HeadMask(std::vector<HeadRef>(heads.begin(), heads.begin() + 20))}) {
                const auto fast = task->outputs(ids, mask, run, true, {});
                const auto plain = task->plainOutputs(ids, mask, run, true, {});
                QCOMPARE(fast.size(), plain.size());
                for (std::size_t i = 0; i < plain.size(); ++i) {
                    QVERIFY2(fast[i].tokens == plain[i].tokens, qPrintable(QString::number(i)));
                    QVERIFY(std::abs(fast[i].score - plain[i].score) < 1e-4);
                }
            }
        }
    }

private:
    static DataSource translations(int examples)
    {
        DataSource source;
        source.limit = examples;
        source.source = sharedData("data/multi30k/test_2016_flickr.en.gz");
        source.reference = sharedData("data/multi30k/test_2016_flickr.fr.gz");
        return source;
    }
    static std::vector<std::int64_t> allOf(const Task &task)
    {
        std::vector<std::int64_t> ids(static_cast<std::size_t>(task.size()));
        std::iota(ids.begin(), ids.end(), 0);
        return ids;
    }
};

QTEST_APPLESS_MAIN(TestRealSweep)
#include "tst_realsweep.moc"

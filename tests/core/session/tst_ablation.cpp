// Ablation that stops early: heads whose delta is known well enough are left alone (`--precision`).
#include "core/analysis/ablation.h"
#include "tests/support/opentask.h"
#include "tests/support/tinyclassifier.h"

#include <QTemporaryDir>
#include <QTest>
#include <torch/torch.h>

#include <cmath>

using namespace headscope;
using namespace headscope::testing;

class TestAblation : public QObject
{
    Q_OBJECT

    static constexpr int kRows = 900;
    QTemporaryDir m_folder;
    std::shared_ptr<const Task> m_task;

    AblationResult ablated(double precision) const
    {
        return ablate(*m_task, {.resamples = 200, .precision = precision}, {}, nullptr, {}, {});
    }

private Q_SLOTS:
    void initTestCase()
    {
        const std::filesystem::path folder = m_folder.path().toStdString();
        writeTinyClassifier(folder / "model", {.layers = 2, .heads = 4, .width = 16, .labels = {"a", "b", "c"}});
        writeTinyTable(folder / "table.tsv", kRows, 3);
        DataSource source;
        source.table = (folder / "table.tsv").string();
        m_task = openTask(folder / "model", source);
    }

    void withoutPrecisionEveryExampleCounts()
    {
        const AblationResult whole = ablated(0);
        QCOMPARE(whole.heads.size(), 8U);
        for (const HeadAblation &head : whole.heads)
            QCOMPARE(head.examples, kRows);
    }

    void headsEndOnceTheyAreKnown()
    {
        constexpr double kPrecision = 0.04;
        const AblationResult whole = ablated(0);
        const AblationResult early = ablated(kPrecision);
        QCOMPARE(early.heads.size(), whole.heads.size());
        int ended = 0;
        for (std::size_t h = 0; h < early.heads.size(); ++h) {
            const HeadAblation &head = early.heads[h];
            QCOMPARE(head.head, whole.heads[h].head);
            if (head.examples == kRows) { // never known well enough: the whole set says the same as ever
                QCOMPARE(head.delta, whole.heads[h].delta);
                continue;
            }
            ++ended;
            QVERIFY(head.interval.high - head.interval.low <= 2 * kPrecision + 1e-9);
            QVERIFY(std::abs(head.delta - whole.heads[h].delta) <= 2 * kPrecision); // one in 20 may miss kPrecision
        }
        QVERIFY(ended > 0);
    }

    // What cannot be known from so few examples is not claimed: then all are used.
    void tooMuchToAskUsesEverything()
    {
        const AblationResult whole = ablated(0);
        const AblationResult asked = ablated(1e-6);
        for (std::size_t h = 0; h < asked.heads.size(); ++h) {
            QCOMPARE(asked.heads[h].examples, kRows);
            QCOMPARE(asked.heads[h].delta, whole.heads[h].delta);
        }
    }
};

QTEST_APPLESS_MAIN(TestAblation)
#include "tst_ablation.moc"

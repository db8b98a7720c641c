#include "core/analysis/pruning.h"
#include "core/formats/atomicfile.h"

#include <QTemporaryDir>
#include <QTest>

using namespace headscope;

namespace {

const HeadLayout kLayout({{HeadKind::Encoder, {{0, 1}, {0, 2}}}, {HeadKind::Cross, {{0, 1}}}});

std::string textOf(const PruningOrder &order)
{
    std::string text;
    for (const HeadRef &head : order)
        text += (text.empty() ? "" : " ") + toText(head);
    return text;
}

} // namespace

/// Schedule arithmetic and orders (Michel et al. 2019, section 4.2).
class TestPruning : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void scheduleCountsFromNoneToAll_data()
    {
        QTest::addColumn<int>("heads");
        QTest::addColumn<int>("step");
        QTest::addColumn<QList<int>>("counts");
        QTest::newRow("tenths of 96") << 96 << 0 << QList<int>{0, 9, 19, 28, 38, 48, 57, 67, 76, 86, 96};
        QTest::newRow("tenths of 3") << 3 << 0 << QList<int>{0, 1, 2, 3};
        QTest::newRow("every head") << 4 << 1 << QList<int>{0, 1, 2, 3, 4};
        QTest::newRow("a step that does not divide") << 10 << 4 << QList<int>{0, 4, 8, 10};
        QTest::newRow("a step larger than all") << 3 << 9 << QList<int>{0, 3};
    }

    void scheduleCountsFromNoneToAll()
    {
        QFETCH(int, heads);
        QFETCH(int, step);
        QFETCH(QList<int>, counts);
        const auto schedule = pruningSchedule(heads, step);
        QCOMPARE(QList<int>(schedule.begin(), schedule.end()), counts);
    }

    void tenthsAreRoundedUpWhereAsked()
    {
        const auto up = pruningSchedule(96, 0, StepRounding::Up);
        QCOMPARE(up, (std::vector<std::int64_t>{0, 10, 20, 29, 39, 48, 58, 68, 77, 87, 96}));
        const auto down = pruningSchedule(96, 0);
        std::int64_t sum = 0;
        for (std::size_t i = 1; i < down.size(); ++i) {
            QVERIFY(down[i] <= up[i]);
            sum += down[i] - down[i - 1];
        }
        QCOMPARE(sum, 96); // the steps are all of the heads
    }

    // With a loss of gates L(ξ) = −gᵀξ + ½ ξᵀAξ whose A has no diagonal, the gradient tells exactly what a head's
    // removal costs: importance estimated before every step then is greedy selection, and that is not the order of the
    // first estimate.
    void reestimationFollowsAQuadraticLoss()
    {
        const std::vector<HeadRef> heads = kLayout.heads();
        const std::vector<double> gain{3, 4.5, 4, 5, 6, 7};
        const auto together
            = [](std::size_t i, std::size_t j) { // heads 0 and 1 do the same: without one the other counts
                  return (i == 0 && j == 1) || (i == 1 && j == 0) ? 2.5 : 0.0;
              };
        const auto loss = [&](const HeadMask &removed) {
            double value = 0;
            for (std::size_t i = 0; i < heads.size(); ++i) {
                const double xi = removed.isMasked(heads[i]) ? 0 : 1;
                value -= gain[i] * xi;
                for (std::size_t j = 0; j < heads.size(); ++j)
                    value += 0.5 * together(i, j) * xi * (removed.isMasked(heads[j]) ? 0 : 1);
            }
            return value;
        };
        const auto importance = [&](const HeadMask &removed) {
            HeadValues values;
            for (std::size_t i = 0; i < heads.size(); ++i) {
                if (removed.isMasked(heads[i]))
                    continue;
                double gradient = -gain[i];
                for (std::size_t j = 0; j < heads.size(); ++j)
                    gradient += together(i, j) * (removed.isMasked(heads[j]) ? 0 : 1);
                values[heads[i]] = std::abs(gradient);
            }
            return values;
        };
        const auto exact = [&](const HeadMask &removed) {
            HeadValues values;
            for (const HeadRef &head : heads) {
                HeadMask without = removed;
                without.set(head, true);
                if (!removed.isMasked(head))
                    values[head] = loss(without);
            }
            return values;
        };
        const auto counts = pruningSchedule(6, 1);
        std::vector<std::size_t> steps;
        const auto greedy = stepwiseOrder(counts, 0, false, kLayout, exact,
                                          [&](const PruningOrder &order) { steps.push_back(order.size()); });
        QCOMPARE(stepwiseOrder(counts, 0, false, kLayout, importance), greedy);
        QCOMPARE(steps, (std::vector<std::size_t>{1, 2, 3, 4, 5, 6}));
        QVERIFY(greedy != orderByValue(importance({}))); // once: both heads of the pair first
        // Step by step nothing else would have cost less.
        HeadMask removed;
        for (const HeadRef &head : greedy) {
            const auto values = exact(removed);
            for (const auto &[other, value] : values)
                QVERIFY(values.at(head) <= value);
            removed.set(head, true);
        }
        // The other way round the last becomes the first, and at least one of each layer stays.
        QCOMPARE(stepwiseOrder(counts, 0, true, kLayout, exact).front(), heads[5]);
        const auto kept = stepwiseOrder(pruningSchedule(3, 1), 1, false, kLayout, exact);
        QCOMPARE(kept.size(), std::size_t(3));
        std::set<std::pair<HeadKind, int>> layers;
        for (const HeadRef &head : kept)
            layers.insert({head.kind, head.layer});
        QCOMPARE(layers.size(), std::size_t(3));
    }

    void tiesFollowTheAddress()
    {
        std::map<HeadRef, double> values;
        for (const HeadRef &head : kLayout.heads())
            values[head] = 1;
        values[{HeadKind::Encoder, 1, 0}] = 0.5;
        QCOMPARE(textOf(orderByValue(values)),
                 std::string("encoder.1.0 encoder.0.0 encoder.0.1 encoder.1.2 cross.0.0 cross.0.1"));
    }

    void restrictedOrders()
    {
        const PruningOrder all = kLayout.heads();
        QCOMPARE(textOf(restrictOrder(all, {HeadKind::Cross}, 0)), std::string("cross.0.0 cross.0.1"));
        // One head of each layer stays: the one that would have gone last.
        QCOMPARE(textOf(restrictOrder(all, {}, 1)), std::string("encoder.0.0 encoder.1.0 cross.0.0"));
        QVERIFY(restrictOrder(all, {}, 2).empty());
    }

    void randomOrdersRepeatAndDiffer()
    {
        const auto once = randomOrders(kLayout, 3, 7);
        QCOMPARE(once, randomOrders(kLayout, 3, 7));
        QVERIFY(once != randomOrders(kLayout, 3, 8));
        for (PruningOrder order : once) {
            std::ranges::sort(order);
            QCOMPARE(order, kLayout.heads());
        }
    }

    void worthIsWhatIsLost()
    {
        AblationResult result;
        for (const double delta : {-3.0, 2.0}) {
            result.heads.emplace_back();
            result.heads.back().head = {HeadKind::Encoder, 0, static_cast<int>(result.heads.size()) - 1};
            result.heads.back().delta = delta;
        }
        QCOMPARE(textOf(orderByValue(worthOf(result))), std::string("encoder.0.1 encoder.0.0"));
        result.baseline.better = Better::Lower;
        QCOMPARE(textOf(orderByValue(worthOf(result))), std::string("encoder.0.0 encoder.0.1"));
        QCOMPARE(worthOf(result)[result.heads[1].head], 2.0);
    }

    void ordersFromFiles_data()
    {
        QTest::addColumn<QByteArray>("name");
        QTest::addColumn<QByteArray>("content");
        QTest::addColumn<QByteArray>("order");
        QTest::addColumn<QByteArray>("error");
        QTest::newRow("lines") << QByteArray("o.txt") << QByteArray("# first\ncross.0.1\n\nencoder.1.2  # why\n")
                               << QByteArray("cross.0.1 encoder.1.2") << QByteArray();
        QTest::newRow("importance") << QByteArray("o.json")
                                    << QByteArray(R"({"heads":[{"head":"encoder.0.0","importance":0.9,"stderr":0},
                                                     {"head":"encoder.0.1","importance":0.1}]})")
                                    << QByteArray("encoder.0.1 encoder.0.0") << QByteArray();
        QTest::newRow("ablation") << QByteArray("o.json") << QByteArray(R"({"heads":[{"head":"encoder.0.0","delta":-3},
                                                   {"head":"encoder.0.1","delta":0.1}]})")
                                  << QByteArray("encoder.0.1 encoder.0.0") << QByteArray();
        QTest::newRow("ablation by loss")
            << QByteArray("o.json") << QByteArray(R"({"baseline":{"metric":"loss","better":"lower"},
                                                           "heads":[{"head":"encoder.0.0","delta":3},
                                                           {"head":"encoder.0.1","delta":-0.1}]})")
            << QByteArray("encoder.0.1 encoder.0.0") << QByteArray();
        QTest::newRow("no such head") << QByteArray("o.txt") << QByteArray("encoder.1.1\n") << QByteArray()
                                      << QByteArray("no head encoder.1.1");
        QTest::newRow("twice") << QByteArray("o.txt") << QByteArray("cross.0.1\ncross.0.1\n") << QByteArray()
                               << QByteArray("twice");
        QTest::newRow("not a head") << QByteArray("o.txt") << QByteArray("cross.0.1\nheads\n") << QByteArray()
                                    << QByteArray("line 2");
        QTest::newRow("empty list") << QByteArray("o.json") << QByteArray("[]") << QByteArray() << QByteArray("heads");
        QTest::newRow("only comments") << QByteArray("o.txt") << QByteArray("# nothing\n") << QByteArray()
                                       << QByteArray("no heads");
    }

    void ordersFromFiles()
    {
        QFETCH(QByteArray, name);
        QFETCH(QByteArray, content);
        QFETCH(QByteArray, order);
        QFETCH(QByteArray, error);
        const QTemporaryDir folder;
        const std::string file = folder.filePath(QString::fromUtf8(name)).toStdString();
        QVERIFY(writeFileAtomically(file, content.toStdString()).isOk());
        const auto read = readPruningOrder(file, kLayout);
        if (error.isEmpty()) {
            QVERIFY2(read.isOk(), read.isError() ? read.error().message.c_str() : "");
            QCOMPARE(textOf(read.value()), order.toStdString());
        } else {
            QVERIFY(read.isError());
            QVERIFY2(read.error().message.find(error.toStdString()) != std::string::npos, read.error().message.c_str());
        }
    }
};

QTEST_APPLESS_MAIN(TestPruning)
#include "tst_pruning.moc"

#include <algorithm>
#include <cmath>

// How many heads can go: within a margin, up to the first significant loss, or that it cannot be told.
#include "core/exporting/removabletext.h"
#include "core/results/json.h"
#include "core/results/removableheads.h"

#include <QTest>
#include <nlohmann/json.hpp>

#include <limits>
#include <string>
#include <vector>

using namespace headscope;

namespace {

/// Masks of 1, 2, … heads with these paired intervals of the difference.
MaskLosses losses(const std::vector<Interval> &intervals, Better better = Better::Higher, std::int64_t examples = 300)
{
    MaskLosses made{.better = better,
                    .whole = 50,
                    .examples = examples,
                    .totalExamples = examples,
                    .points = {{0, 0, PairedTest{}}}};
    for (const Interval &interval : intervals)
        made.points.push_back(
            {std::ssize(made.points), (interval.low + interval.high) / 2, PairedTest{interval, 0.5, 7}});
    return made;
}

} // namespace

class TestRemovableHeads : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void marginAndFirstLoss()
    {
        // 1 % of 50 is 0.5: the third point's interval reaches beyond it, the fourth is a loss.
        const MaskLosses made = losses({{-0.3, 0.4}, {-0.45, 0.1}, {-0.6, 0.2}, {-2, -0.1}, {-0.1, 0.1}});
        const RemovableHeads answer = removableHeads(made, {});
        QVERIFY(answer.why == NoAnswer::None);
        QCOMPARE(answer.margin, 0.5);
        QCOMPARE(answer.withinMargin.value_or(-1), 2); // what comes back later is chance
        QCOMPARE(answer.firstLoss.value_or(0), 4U);
        QCOMPARE(answer.firstLossAt, 4);
        QCOMPARE(answer.withoutLoss, 3);
        QCOMPARE(removableHeads(made, {.margin = 0.02}).withinMargin.value_or(-1), 3);
        QCOMPARE(QString::fromStdString(removableText(answer, "BLEU", 0.01)),
                 QStringLiteral("up to 2 heads cost less than 1 % of the score (0.50 BLEU points; 95 % confidence); "
                                "first significant loss at 4 heads"));
    }

    void lowerScoresMayBeBetter()
    {
        const std::vector<Interval> rising{{-0.4, 0.3}, {-0.1, 0.45}, {-0.2, 0.6}, {0.1, 2}};
        const RemovableHeads answer = removableHeads(losses(rising, Better::Lower), {});
        QCOMPARE(answer.withinMargin.value_or(-1), 2);
        QCOMPARE(answer.firstLossAt, 4);
        QVERIFY(!removableHeads(losses(rising), {}).firstLoss); // of BLEU, that is a gain
    }

    void smallerLossesThanTheMarginMayBeSure()
    {
        const RemovableHeads answer = removableHeads(losses({{-0.3, -0.1}, {-0.4, -0.2}}), {});
        QCOMPARE(answer.withinMargin.value_or(-1), 2);
        QCOMPARE(answer.firstLossAt, 1);
        QCOMPARE(answer.withoutLoss, 0);
    }

    void answersShrinkWithTheData()
    {
        // The same losses, with intervals of fewer and fewer examples.
        std::int64_t within = 100;
        std::int64_t withoutLoss = 0;
        for (const double half : {0.1, 0.3, 0.6, 3.0}) {
            std::vector<Interval> intervals;
            for (int heads = 1; heads <= 10; ++heads)
                intervals.push_back({-0.1 * heads - half, -0.1 * heads + half});
            const RemovableHeads answer = removableHeads(losses(intervals), {});
            QVERIFY(answer.withinMargin.value_or(0) <= within);
            QVERIFY(answer.withoutLoss >= withoutLoss);
            within = answer.withinMargin.value_or(0);
            withoutLoss = answer.withoutLoss;
        }
        QCOMPARE(within, 0);
        QCOMPARE(withoutLoss, 10);
    }

    void whatCannotBeToldIsNotNought()
    {
        const RemovableHeads open = removableHeads(losses({{-3, 2}, {-4, 1}}), {});
        QVERIFY(open.why == NoAnswer::None && !open.withinMargin && !open.firstLoss);
        QVERIFY(removableText(open, "BLEU", 0.01).find("cannot be told with 300 examples") != std::string::npos);
        // A first point that surely loses is an answer: none.
        QCOMPARE(removableHeads(losses({{-3, -1}}), {}).withinMargin.value_or(-1), 0);

        MaskLosses few = losses({{-0.1, 0.1}}, Better::Higher, 5);
        QVERIFY(removableHeads(few, {}).why == NoAnswer::TooFewExamples);
        QVERIFY(!removableHeads(few, {}).withinMargin);
        few.examples = few.totalExamples = 6;
        QVERIFY(removableHeads(few, {}).why == NoAnswer::None);
        QVERIFY(removableHeads(few, {.level = 0.01}).why == NoAnswer::TooFewExamples);

        MaskLosses partial = losses({{-0.1, 0.1}});
        partial.totalExamples = 1000;
        QVERIFY(removableHeads(partial, {}).why == NoAnswer::Partial);
        QCOMPARE(removableText(removableHeads(partial, {}), "BLEU", 0.01),
                 std::string("cannot be told with 300 of 1000 examples"));

        MaskLosses old = losses({{-0.1, 0.1}});
        old.points.back().test.reset();
        QVERIFY(removableHeads(old, {}).why == NoAnswer::NotPaired);
        MaskLosses unknown = losses({{-0.1, 0.1}});
        unknown.points.back().test->interval.low = std::numeric_limits<double>::quiet_NaN();
        QVERIFY(removableHeads(unknown, {}).why == NoAnswer::NotPaired);
        QVERIFY(removableHeads(losses({}), {}).why == NoAnswer::NothingRemoved);
    }

    void strictLevelsAskForP()
    {
        const PairedTest test{{-2, -0.1}, 0.03, 7};
        QVERIFY(isSignificantLoss(Better::Higher, test, {}));
        QVERIFY(!isSignificantLoss(Better::Higher, test, {.level = 0.01}));
        QVERIFY(!isSignificantLoss(Better::Lower, test, {}));
    }

    // Files of version 1.0.0 have neither the intervals of differences nor their p.
    void olderFilesHaveToBeComputedAgain()
    {
        PruningResult result;
        result.metric = "BLEU";
        result.examples = result.manifest.totalExamples = 300;
        result.curves = {{"importance", {{0, 0, 50, {49, 51}, {}}, {1, 0.5, 49, {48, 50}, {}}}}};
        result.curves[0].points[1].paired = PairedTest{{-2, -0.5}, 0.01, 30};
        Json json = toJson(result);
        QCOMPARE(json["curves"][0]["points"][1]["delta"].get<double>(), -1.0);
        QCOMPARE(json["curves"][0]["points"][1]["delta_ci_low"].get<double>(), -2.0);
        QCOMPARE(json["curve"][1]["delta"].get<double>(), -1.0);
        const auto read
            = [](const Json &of) { return resultFromJson(nlohmann::json::parse(of.dump()), "a test").valueOrThrow(); };
        const AnyResult again = read(json);
        QVERIFY(again.as<PruningResult>()->curves[0].points[1].paired == result.curves[0].points[1].paired);
        for (const char *key : {"delta", "delta_ci_low", "delta_ci_high", "p", "changed"})
            json["curves"][0]["points"][1].erase(key);
        const AnyResult old = read(json);
        const PruningResult &opened = *old.as<PruningResult>();
        QVERIFY(!opened.curves[0].points[1].paired);
        const RemovableHeads answer = removableHeads(lossesOf(opened, opened.curves[0]), {});
        QVERIFY(answer.why == NoAnswer::NotPaired);
        QVERIFY(removableText(answer, "BLEU", 0.01).find("compute the result again") != std::string::npos);
    }
};

QTEST_GUILESS_MAIN(TestRemovableHeads)
#include "tst_removableheads.moc"

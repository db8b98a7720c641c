#include "core/results/compare.h"
#include "core/results/modelstable.h"
#include "tests/core/results/sampleresults.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

using namespace headscope;

namespace {

ConfidenceResult confidenceOf(std::initializer_list<double> values)
{
    ConfidenceResult result;
    result.manifest = samples::manifest("confidence");
    for (const double value : values)
        result.heads.push_back({{HeadKind::Encoder, 0, static_cast<int>(result.heads.size())}, value, 10});
    return result;
}

/// Heads with these deltas, and these replicates around them.
AblationResult ablationOf(std::vector<double> deltas, double spread, const char *data)
{
    AblationResult result = samples::ablation();
    result.manifest.data = data;
    result.heads.clear();
    for (const double delta : deltas) {
        HeadAblation head;
        head.head
            = {HeadKind::Encoder, static_cast<int>(result.heads.size() / 4), static_cast<int>(result.heads.size() % 4)};
        head.score = 57 + delta;
        head.delta = delta;
        head.examples = 500;
        head.changed = 50;
        for (int i = -25; i <= 25; ++i)
            head.replicates.push_back(delta + spread * i / 25);
        result.heads.push_back(head);
    }
    return result;
}

/// The same result of a metric whose lower scores are better: every loss is as large as before.
AblationResult mirrored(AblationResult result)
{
    result.baseline.name = "loss";
    result.baseline.better = Better::Lower;
    for (HeadAblation &head : result.heads) {
        head.delta = -head.delta;
        head.score = result.baseline.value + head.delta;
        for (double &replicate : head.replicates)
            replicate = -replicate;
        std::ranges::reverse(head.replicates);
    }
    return result;
}

} // namespace

class TestCompare : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void differencesAreBMinusA();
    void headsOfOneSideAreLeftOut();
    void fewHeadsHaveNoCorrelation();
    void refusesWhatDoesNotCompare();
    void checkpointsOfOneArchitectureAreCompared();
    void sweepsHaveColumnsOfTheirOwn();
    void briefComparisonsAgreeWithWholeOnes();
    void relevanceCompares();
    void aHeadThatMattersMoreInOneDomainIsFound();
    void constantDeltasHaveNoCorrelation();
    void topHeadsOverlap();
    void bestHeadsAreChosenOnOneSetAndReportedOnAnother();
    void aLayerOfOneHeadLosesNothing();
    void bestHeadsRefuseOtherResults();
    void lowerScoresCanBeBetter();
};

void TestCompare::aHeadThatMattersMoreInOneDomainIsFound()
{
    const auto a = ablationOf({-1, -1, -1, 0}, 0.3, "in");
    auto b = ablationOf({-3, -1, -1.1, 0}, 0.3, "out");
    const auto result = compareResults(a, b);
    QCOMPARE(result.heads[0].difference, -2.0);
    const HeadDifference::Test &found = result.heads[0].test.value();
    QVERIFY(found.interval.low < -2 && found.interval.high > -2 && found.interval.high < 0);
    QCOMPARE(found.p, 2.0 / 1001); // no pair of replicates on the other side: as small as 1000 resamples can say
    QCOMPARE(found.pAdjusted, 4 * found.p);
    QCOMPARE(found.pDiscovery, 4 * found.p);
    for (std::size_t i = 1; i < 4; ++i)
        QVERIFY(result.heads[i].test->p > 0.3);
    QCOMPARE(result.heads[1].test->p, 1.0); // the same in both
    QCOMPARE(result.a.name, std::string("in"));
    QCOMPARE(result.b.baseline.value(), 57.124);
    // The other way round the same.
    const auto back = compareResults(b, a);
    QCOMPARE(back.heads[0].test->p, found.p);
    QCOMPARE(back.heads[0].test->interval.low, -found.interval.high);
    // Heads whose outputs never change: nothing varies, nothing differs.
    b.heads[3].replicates = {0};
    auto still = a;
    still.heads[3].replicates = {0};
    QCOMPARE(compareResults(still, b).heads[3].test->p, 1.0);
    // Of three examples, all resamples on one side are no proof.
    auto fewA = a;
    auto fewB = ablationOf({-3, -1, -1.1, 0}, 0.3, "out");
    for (auto *few : {&fewA, &fewB}) {
        for (HeadAblation &head : few->heads) {
            head.examples = 3;
            head.changed = 2;
        }
    }
    const HeadDifference::Test ofFew = *compareResults(fewA, fewB).heads[0].test;
    QCOMPARE(ofFew.p, 0.125);
    QVERIFY(ofFew.interval.low < -2 && ofFew.interval.high >= 0);
    // Files without replicates have no test.
    b.heads[0].replicates.clear();
    const auto older = compareResults(a, b);
    QVERIFY(!older.heads[0].test);
    QVERIFY(older.heads[1].test->pAdjusted <= 1);
}

void TestCompare::constantDeltasHaveNoCorrelation()
{
    const auto result = compareResults(ablationOf({0, 0, 0, 0, 0}, 0, "in"), ablationOf({-1, 0, 1, 2, 3}, 0.1, "out"));
    QVERIFY(!result.pearsonBootstrap);
    const auto json = nlohmann::json::parse(jsonText(toJson(result)));
    for (const char *name : {"pearson", "spearman", "kendall"}) {
        QVERIFY(json[name]["value"].is_null()); // n/a
        QVERIFY(json[name]["p"].is_null());
    }
}

void TestCompare::topHeadsOverlap()
{
    // The most needed of a: 0 and 1 (lowest deltas); of b: 1 and 9.
    const auto result = compareResults(ablationOf({-9, -8, 0, 0, 0, 0, 0, 0, 0, 1}, 0.1, "in"),
                                       ablationOf({0, -8, 0, 0, 0, 0, 0, 0, 0, -7}, 0.1, "out"));
    QCOMPARE(result.overlaps.size(), std::size_t(3));
    QCOMPARE(result.overlaps[0].k, 1);
    QCOMPARE(result.overlaps[0].shared, 0);
    QCOMPARE(result.overlaps[1].k, 2);
    QCOMPARE(result.overlaps[1].shared, 1);
    QCOMPARE(result.overlaps[1].expected, 0.4);
    QCOMPARE(result.overlaps[2].k, 5);
}

void TestCompare::bestHeadsAreChosenOnOneSetAndReportedOnAnother()
{
    const auto choose = ablationOf({-1, 0.5, 0.5, -2, -3, -1, -4, -5}, 0.1, "validation");
    auto report = ablationOf({1, -2, 3, 4, -1, -6, -1, -1}, 0.1, "test");
    report.manifest.dataHash = "d2";
    report.heads[1].p = 0.03;
    report.heads[5].p = 0.04;
    const auto result = bestHeads(choose, report);
    QVERIFY(result.isOk());
    const auto &layers = result.value().layers;
    QCOMPARE(layers.size(), std::size_t(2));
    QCOMPARE(toText(layers[0].head), std::string("encoder.0.1")); // the first of two equal ones
    QCOMPARE(layers[0].chosenDelta, 0.5);
    QCOMPARE(layers[0].reported.delta, -2.0); // not the best there
    for (const auto &layer : layers) {        // over the two layers: Holm 2 * 0.03, Benjamini-Hochberg 2 * 0.04 / 2
        QCOMPARE(layer.reported.pAdjusted, 0.06);
        QVERIFY(layer.reported.discoveryP == 0.04);
    }
    QCOMPARE(toText(layers[1].head), std::string("encoder.1.1"));
    QCOMPARE(layers[1].row.size(), std::size_t(4));
    QVERIFY(!result.value().chosenOnReported);
    QVERIFY(bestHeads(choose, choose).value().chosenOnReported);
}

void TestCompare::aLayerOfOneHeadLosesNothing()
{
    auto only = ablationOf({0}, 0, "validation");
    only.heads[0].p = 1;
    const auto result = bestHeads(only, only).value();
    QCOMPARE(result.layers[0].reported.delta, 0.0);
    QCOMPARE(result.layers[0].reported.pAdjusted, 1.0);
}

void TestCompare::bestHeadsRefuseOtherResults()
{
    const auto right = ablationOf({0, 1}, 0, "validation");
    auto single = right;
    single.allButOne = false;
    QVERIFY(bestHeads(right, single).error().message.find("--all-but-one") != std::string::npos);
    auto other = right;
    other.baseline.name = "chrF2";
    QVERIFY(bestHeads(right, other).error().message.find("chrF2") != std::string::npos);
    other = right;
    other.manifest.weightsHash = "w2";
    QVERIFY(bestHeads(other, right).isError());
    other = right;
    other.heads.clear();
    QVERIFY(bestHeads(other, right).isError());
}

/// Deltas stay score minus score; what they mean turns round, and with it what is best and what matters.
void TestCompare::lowerScoresCanBeBetter()
{
    const auto a = ablationOf({-9, -8, 0, 0, 0.5, 0, 0, 0, 0, 1}, 0.1, "in");
    const auto b = ablationOf({0, -8, 0, 0, 0, 0, 0, 0, 0, -7}, 0.1, "out");
    const auto higher = compareResults(a, b);
    const auto lower = compareResults(mirrored(a), mirrored(b));
    QVERIFY(higher.better == Better::Higher && lower.better == Better::Lower);
    QCOMPARE(lower.heads[0].a, 9.0);
    QCOMPARE(lower.heads[0].difference, -9.0);
    for (std::size_t i = 0; i < higher.overlaps.size(); ++i)
        QCOMPARE(lower.overlaps[i].shared, higher.overlaps[i].shared);
    for (std::size_t i = 0; i < higher.heads.size(); ++i)
        QCOMPARE(lower.heads[i].test->p, higher.heads[i].test->p);

    const auto best = bestHeads(a, b).value();
    const auto bestOfLoss = bestHeads(mirrored(a), mirrored(b)).value();
    QVERIFY(bestOfLoss.baseline.better == Better::Lower);
    for (std::size_t i = 0; i < best.layers.size(); ++i) {
        QCOMPARE(toText(bestOfLoss.layers[i].head), toText(best.layers[i].head));
        QCOMPARE(bestOfLoss.layers[i].chosenDelta, -best.layers[i].chosenDelta);
    }
}

void TestCompare::differencesAreBMinusA()
{
    const auto result = compareResults(confidenceOf({1, 2, 3, 4}), confidenceOf({2, 4, 6, 9}));
    QCOMPARE(result.measure, std::string("confidence"));
    QCOMPARE(result.heads.size(), std::size_t{4});
    QCOMPARE(result.heads[3].a, 4.0);
    QCOMPARE(result.heads[3].b, 9.0);
    QCOMPARE(result.heads[3].difference, 5.0);
    QCOMPARE(result.spearman.value, 1.0);
    QVERIFY(result.pearson.value > 0.98 && result.pearson.value < 1);
    QVERIFY(result.pearson.p < 0.05);
}

void TestCompare::headsOfOneSideAreLeftOut()
{
    ConfidenceResult a = confidenceOf({1, 2, 3, 4});
    ConfidenceResult b = confidenceOf({1, 2, 3, 4});
    a.heads.erase(a.heads.begin());
    b.heads.pop_back();
    const auto result = compareResults(a, b);
    QCOMPARE(result.heads.size(), std::size_t{2});
    QCOMPARE(toText(result.heads[0].head), std::string("encoder.0.1"));
    QCOMPARE(result.heads[0].difference, 0.0);
}

void TestCompare::fewHeadsHaveNoCorrelation()
{
    const auto result = compareResults(confidenceOf({1, 2}), confidenceOf({2, 3}));
    QVERIFY(std::isnan(result.pearson.value) && std::isnan(result.spearman.value));
}

void TestCompare::refusesWhatDoesNotCompare()
{
    const auto says = [](const auto &a, const auto &b, const char *text) {
        const auto result = compareResults(borrowed(a), borrowed(b));
        return result.isError() && result.error().code == ErrorCode::BadInput
            && result.error().message.find(text) != std::string::npos;
    };
    QVERIFY(says(samples::ablation(), samples::importance(), "\"importance\""));
    QVERIFY(says(samples::evaluation(), samples::evaluation(), "no value per head"));
    AblationResult other = samples::ablation();
    other.allButOne = false;
    QVERIFY(says(samples::ablation(), other, "--all-but-one"));
    other = samples::ablation();
    other.manifest.weightsHash = "w2";
    other.heads.pop_back();
    QVERIFY(says(samples::ablation(), other, "different models whose heads differ"));
    ImportanceResult importance = samples::importance();
    importance.reduction = ImportanceReduction::Token;
    QVERIFY(says(samples::importance(), importance, "--reduction"));
    QVERIFY(says(confidenceOf({}), confidenceOf({1}), "no head in common"));
    other = samples::ablation();
    other.manifest.partial = true;
    QVERIFY(says(samples::ablation(), other, "is partial (7 of 9 examples"));
    QVERIFY(bestHeads(other, samples::ablation()).isError());

    // Data sets of one name are told apart by their folders.
    ImportanceResult first = samples::importance();
    ImportanceResult second = samples::importance();
    first.manifest.dataFile = "data/news/dev.tsv";
    second.manifest.dataFile = "data/web/dev.tsv";
    QCOMPARE(compareResults(first, second).a.name, std::string("news/täst"));
    QCOMPARE(compareResults(first, second).b.name, std::string("web/täst"));
    QCOMPARE(compareResults(first, first).a.name, std::string("täst"));
    QVERIFY(compareResults(AnyResult(samples::ablation()), AnyResult(samples::ablation())).isOk());
}

void TestCompare::checkpointsOfOneArchitectureAreCompared()
{
    const ImportanceResult early = samples::importance();
    ImportanceResult late = early;
    late.manifest.weightsHash = "w2";
    late.manifest.model = "runs/a/epoch-006";
    const auto checked = compareResults(borrowed(early), borrowed(late));
    QVERIFY(checked.isOk());
    QCOMPARE(checked.value().heads.size(), early.heads.size());
    QCOMPARE(checked.value().a.name, std::string("a \"quoted\" one"));
    QCOMPARE(checked.value().b.name, std::string("epoch-006"));
    late.manifest.dataHash = "d2";
    late.manifest.data = "web";
    QCOMPARE(compareResults(early, late).b.name, std::string("epoch-006 on web"));
    // Epochs of one name in two runs
    ImportanceResult other = early;
    other.manifest.model = "runs/b/epoch-006";
    other.manifest.weightsHash = "w3";
    late.manifest.dataHash = early.manifest.dataHash;
    QCOMPARE(compareResults(other, late).a.name, std::string("b/epoch-006"));
}

/// Where a plan has both sweeps, the one that keeps single heads has a column of its own, whichever comes last.
void TestCompare::sweepsHaveColumnsOfTheirOwn()
{
    const auto sweep = [](const std::vector<double> &deltas, bool allButOne) {
        AblationResult result = samples::ablation();
        result.allButOne = allButOne;
        result.heads.assign(deltas.size(), result.heads.front());
        for (std::size_t i = 0; i < deltas.size(); ++i) {
            result.heads[i].head = {HeadKind::Encoder, 0, static_cast<int>(i)};
            result.heads[i].delta = deltas[i];
        }
        return AnyResult(result);
    };
    for (const bool allButOneLast : {false, true}) {
        ModelsTable table;
        for (const std::size_t analysis : {0U, 1U}) {
            const bool allButOne = (analysis == 1) == allButOneLast;
            const AnyResult first = sweep({1, 2, 3, 4}, allButOne);
            const AnyResult second = allButOne ? sweep({1, 2, 3, 4}, true) : sweep({4, 3, 2, 1}, false);
            table.add("m", "a", analysis, true, &first);
            table.add("m", "b", analysis, true, &second);
        }
        const ModelsRow &row = table.rows().back();
        QVERIFY(row.r && std::abs(*row.r + 1) < 1e-9);
        QVERIFY(row.rAllButOne && std::abs(*row.rAllButOne - 1) < 1e-9);
        QVERIFY(table.tsv().find("\tr\tr_with\tr_all_but_one\t") != std::string::npos);
    }
}

void TestCompare::briefComparisonsAgreeWithWholeOnes()
{
    const auto same = [](const CompareResult &brief, const CompareResult &whole) {
        const auto coefficients = [](const Correlation &a, const Correlation &b) {
            return a.value == b.value && a.p == b.p && a.interval.low == b.interval.low
                && a.interval.high == b.interval.high;
        };
        return brief.measure == whole.measure && brief.heads.size() == whole.heads.size()
            && coefficients(brief.pearson, whole.pearson) && coefficients(brief.spearman, whole.spearman)
            && brief.a.name == whole.a.name && !brief.pearsonBootstrap && brief.overlaps.empty();
    };
    const ConfidenceResult a = confidenceOf({1, 2, 3, 4, 3.5});
    const ConfidenceResult b = confidenceOf({2, 4, 6, 9, 5});
    QVERIFY(same(compareBriefly(a, b), compareResults(a, b)));
    QVERIFY(compareResults(a, b).pearsonBootstrap.has_value());
    const AblationResult ablation = samples::ablation();
    const CompareResult brief = compareBriefly(ablation, ablation);
    QCOMPARE(brief.metric, ablation.baseline.name);
    QVERIFY(std::ranges::none_of(brief.heads, [](const HeadDifference &head) { return head.test.has_value(); }));
}

void TestCompare::relevanceCompares()
{
    RelevanceResult a;
    a.manifest = samples::manifest("relevance");
    for (int head = 0; head < 4; ++head)
        a.heads.push_back({{HeadKind::Encoder, 0, head}, 0.1 * (head + 1), 0.01});
    RelevanceResult b = a;
    std::swap(b.heads[2].relevance, b.heads[3].relevance);
    const CompareResult result = compareResults(a, b);
    QCOMPARE(result.measure, std::string("relevance"));
    QCOMPARE(result.spearman.value, 0.8);
    QCOMPARE(result.overlaps.front().shared, 0); // the highest head is another
    QVERIFY(compareResults(AnyResult(a), AnyResult(b)).isOk());
    b.rule = RelevanceRule::Epsilon;
    const auto refused = compareResults(AnyResult(a), AnyResult(b));
    QVERIFY(refused.isError() && refused.error().message.find("--rule") != std::string::npos);
}

QTEST_APPLESS_MAIN(TestCompare)
#include "tst_compare.moc"
